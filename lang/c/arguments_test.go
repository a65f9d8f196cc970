package c_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
)

// TestArguments: main gets the arguments that the options say, and a proof says where there are none.
func TestArguments(t *testing.T) {
	for _, s := range []struct {
		name, args, body, want string
	}{
		{"none", "", `assert(argc == 1 && argv[0] && !argv[1]);`, "SAFE, without arguments"},
		{"none that main looks at", "", `assert(1);`, "SAFE"},
		{"a number", "3", `assert(argc == 2 && atoi(argv[1]) == 3 && !argv[2]);`, "SAFE"},
		{"another number", "4", `assert(atoi(argv[1]) == 3);`, "UNSAFE"},
		{"words", "ab cd", `assert(argc == 3 && !strcmp(argv[1], "ab") && argv[2][1] == 'd' && !argv[2][2]);`, "SAFE"},
		{"the name of the program", "1", `assert(!strcmp(argv[0], "main"));`, "SAFE"},
		{"too far", "ab", `assert(!argv[1][3]);`, "UNSAFE"},
		{"a word that is changed", "ab", `argv[1][0] = 'x'; assert(!strcmp(argv[1], "xb"));`, "SAFE"},
		{"options", "-v -n 4 x", `int v = 0, n = 0, c; while ((c = getopt(argc, argv, "n:v")) != -1) if (c == 'n') n = atoi(optarg); else if (c == 'v') v++; assert(v == 1 && n == 4 && optind == 4);`, "SAFE"},
		{"options in one word", "-vn4", `int v = 0, n = 0, c; while ((c = getopt(argc, argv, "n:v")) != -1) if (c == 'n') n = atoi(optarg); else if (c == 'v') v++; assert(v == 1 && n == 4 && optind == 2);`, "SAFE"},
		{"an option that is none", "-x", `opterr = 0; assert(getopt(argc, argv, "n:v") == '?' && optopt == 'x' && getopt(argc, argv, "n:v") == -1);`, "SAFE"},
		{"an option without its argument", "-n", `assert(getopt(argc, argv, ":n:v") == ':' && optopt == 'n' && !optarg);`, "SAFE"},
		{"an option that no letter is", "-;", `assert(getopt(argc, argv, "a;") == '?' && optopt == ';');`, "SAFE"},
		{"before any option", "", `assert(optopt == '?' && optind == 1); optarg = "z"; assert(getopt(argc, argv, "a") == -1 && !optarg);`, "SAFE, without arguments"},
		{"from the beginning", "-a", `assert(getopt(argc, argv, "a") == 'a' && getopt(argc, argv, "a") == -1); optind = 0; assert(getopt(argc, argv, "a") == 'a');`, "SAFE"},
		{"those of somebody else", "", `char *other[] = { "x", "-a", 0 }; int n = 2; assert(getopt(n, other, "a") == 'a');`, "SAFE"},
		{"an option after a word", "x -n", `getopt(argc, argv, "n");`, "UNKNOWN"},
		{"a word in the order of the text", "x -n", `assert(getopt(argc, argv, "+n") == -1 && optind == 1);`, "SAFE"},
		{"the end of the options", "-- -n", `assert(getopt(argc, argv, "n") == -1 && optind == 2);`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := "#include <assert.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\nint main(int argc, char **argv) {\n" + s.body + "\nreturn 0; }\n"
			p := read(t, "main.c", text, c.Options{Args: strings.Fields(s.args)})
			got := verdictOf(t, p, "tso", "auto")
			if slices.ContainsFunc(p.Given, func(what string) bool { return strings.Contains(what, "without arguments") }) {
				got += ", without arguments"
			}
			if got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}
