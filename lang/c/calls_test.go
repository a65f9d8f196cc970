package c_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
)

var callRounds = flag.Int("calls", 1, "how often TestCalls calls each function")

// TestCalls calls every function of our headers with too few arguments, and with such as it does not expect: that is an error of the
// program, or none.
func TestCalls(t *testing.T) {
	t.Parallel()
	headers, err := filepath.Glob("syntax/include/*.h")
	if err != nil || len(headers) == 0 {
		t.Fatal(err, len(headers))
	}
	function := regexp.MustCompile(`\b(\w+)\(`)
	found := map[string]bool{}
	for _, h := range headers {
		text, err := os.ReadFile(h)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range function.FindAllStringSubmatch(string(text), -1) {
			found[m[1]] = true
		}
	}
	names := slices.Sorted(maps.Keys(found))
	const (
		first = "#include <pthread.h>\n#include <stdatomic.h>\n#include <stdarg.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\n"
		after = "#include <threads.h>\n#include <linux/atomic.h>\n#include <sys/mman.h>\n#include <sys/time.h>\n#include <poll.h>\n"
		known = `union u { int i; char c[4]; }; struct t { int a; char b[3]; } s, *m; struct { int f : 3; } b; int x, *p, a[4]; _Atomic int at; long l;
int f(int y) { return y; }
void v(void) {}
int main(void) { `
	)
	arguments := []string{"0", "s", "&s", "&x", "x", "p", "f", "main", `"a%d%s"`, "a", "&a", "1.5", "(char *)0", "v", "v()", "b.f", "*p", "l", "&at", "(struct t *)0", "m", "&m[1]"}
	uses := []string{"%s;", "x = %s;", "if (%s) x = 1;", "p = (int *)%s;", "x += (int)%s;", "(void)%s;", "return %s;", "struct t q = %s;", "return (struct t)%s.a;"}
	rng := rand.New(rand.NewPCG(*mutantSeed, 7))
	for range *callRounds {
		for i, name := range names {
			args := make([]string, rng.IntN(6))
			for k := range args {
				args[k] = arguments[rng.IntN(len(arguments))]
			}
			call := fmt.Sprintf(uses[rng.IntN(len(uses))], name+"("+strings.Join(args, ", ")+")")
			text := []string{first, after, "", "", "", "", "", ""}[rng.IntN(8)] + known + call + " return 0; }\n"
			if testing.Short() && i%5 != 0 {
				continue
			}
			if _, bad := reading("a.c", text, c.Options{Unroll: 2}); bad != "" {
				t.Errorf("%s %s", call, bad)
			}
		}
	}
}
