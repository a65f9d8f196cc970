package c_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestSays: the last step of a run says in the words of the source what has failed.
func TestSays(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"index", "int a[4]; int main(void) { int i = in; a[i+1] = 3; }", "check that a[i+1] is inside a fails"},
		{"index of a member", "struct { int b[3][3]; } s; int main(void) { int i = in; return s.b[1][i]; }", "check that s.b[1][i] is inside s.b[1] fails"},
		{"in a macro", "#define AT(i) a[i]\nint a[4]; int main(void) { int i = in; return AT(i) + 2; }", "check that a[i] is inside a fails"},
		{"null", "int x; int main(void) { int *p = in ? 0 : &x; return *p; }", "check that p is not null fails"},
		{"member of null", "struct s { int a, b; } x; int main(void) { struct s *p = in ? 0 : &x; return p->b; }", "check that p leads to an object fails"},
		{"freed", "#include <stdlib.h>\nint main(void) { int *p = malloc(4); if (in) free(p); *p = 1; }", "check that int#1 is still there fails"},
		{"freed twice", "#include <stdlib.h>\nint main(void) { int *p = malloc(4); if (in) free(p); free(p); }", "check that int#1 is still there fails"},
		{"freed, of two", "#include <stdlib.h>\nint main(void) { int *q = malloc(4), *p = in ? malloc(4) : q; if (in) free(p); *p = 1; }", "check that what p points to is still there fails"},
		{"division", "int main(void) { int k = in; return 7 / (k - k); }", "check that 7 / (k - k) does not divide by 0 fails"},
		{"shift", "int main(void) { int k = 30 + in; return 1 << k; }", "check that 1 << k shifts by 0 to 31 bits fails"},
		{"overflow", "int main(void) { int k = 2147483638 + in; return k + 1; }", "check that k + 1 does not overflow fails"},
		{"negation", "int main(void) { int k = -2147483647 - (in > 0); return -k; }", "check that -k does not overflow fails"},
		{"assertion", "int x; int main(void) { x = in; assert(x == 0 && in < 9); }", "assert x == 0 && in < 9 fails"},
	} {
		text := "#include <assert.h>\n#include <pthread.h>\nint in;\n" +
			"void *other(void *a) { in = 9; return 0; }\n" +
			strings.Replace(test.text, "int main(void) {", "int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); ", 1)
		p, err := c.Parse(&program.Source{Name: "p.c", Text: text}, c.Options{Overflow: true})
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		r, err := engine.Check(t.Context(), p, engine.Options{Model: memory.SC, Engine: engine.Explicit}.WithDefaults())
		if err != nil || !r.Unsafe() {
			t.Errorf("%s: %v, %v", test.name, r, err)
			continue
		}
		steps := r.Run().Steps
		if got := steps[len(steps)-1].Text; got != test.want {
			t.Errorf("%s: the last step is %q, want %q", test.name, got, test.want)
		}
	}
}
