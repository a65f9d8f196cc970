package syntax

import (
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestPieces: the pieces of our headers have all their lines, and end where nothing is open.
func TestPieces(t *testing.T) {
	pieces, uses := ourPieces()
	named := 0
	for name, ps := range pieces {
		b, err := headers.ReadFile("include/" + name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(string(b), "\n")
		next := 0
		for _, p := range ps {
			text := strings.Join(lines[p.first:p.last+1], "\n")
			if p.first != next {
				t.Errorf("%s:%d: begins a piece after line %d", name, p.first+1, next)
			}
			next = p.last + 1
			if nesting(text) != 0 && !strings.HasPrefix(text, "#") {
				t.Errorf("%s:%d: a piece in which something is open:\n%s", name, p.first+1, text)
			}
			named += len(p.names)
		}
		if next != len(lines) {
			t.Errorf("%s: ends at line %d of %d", name, next, len(lines))
		}
	}
	if named < 1200 {
		t.Errorf("%d names are known, of which most should be", named)
	}
	if !slices.Contains(uses["strdup"], "strcpy") {
		t.Errorf("strdup mentions %v", uses["strdup"])
	}
}

// TestMentioned: which names a program gets, and where it gets all.
func TestMentioned(t *testing.T) {
	for _, test := range []struct {
		text          string
		with, without string // one name of each; with none: all are there
	}{
		{"#include <pthread.h>\nint main(void) { pthread_yield(); }", "pthread_yield", "pthread_cancel"},
		{"#include <string.h> // all\nchar *f(char *s) { return strdup(s); }", "strcpy", "strtok"},
		{"#include <errno.h>\nint f(void) { return ENOMEM; }", "ENOMEM", "EDOM"},
		{"#include <string.h>\nchar *(*f)(const char *) = strdup;", "__fp_pointer_strlen", "__fp_pointer_memcpy"},
		{"#include <pthread.h>\n#define P(x) pthread_ ## x\nint main(void) { P(yield)(); }", "", ""},
		{"#include <pthread.h>\n#include <nowhere.h>\n", "", ""},
		{"#include \"pthread.h\"\n", "", ""},
		{"#define H <pthread.h>\n#include H\n", "", ""},
		{"%:include <pthread.h>\n", "", ""},
	} {
		known := mentioned(&program.Source{Text: test.text}, Options{}, "")
		if test.with == "" {
			if known != nil {
				t.Errorf("%q: parts", test.text)
			}
			continue
		}
		if !known[test.with] || known[test.without] {
			t.Errorf("%q: %s %v, %s %v", test.text, test.with, known[test.with], test.without, known[test.without])
		}
	}
}
