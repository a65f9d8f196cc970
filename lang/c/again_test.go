package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestAgain: objects on the stack that loops without end make again and again.
func TestAgain(t *testing.T) {
	const f = `atomic_int x; int nondet(void); `
	for _, s := range []snippet{
		{"an array in each round", f + `int main(void) { for (;;) { int n = 3; int a[n]; a[2] = 1; assert(a[2] == 1); } }`, "SAFE"},
		{"an array in each round of two threads", f + `int get(int n) { int a[n]; a[0] = x; a[n - 1] = 1; return a[0]; } void *g(void *p) { for (;;) get(2); } int main(void) { pthread_t t; pthread_create(&t, 0, g, 0); x = 1; for (;;) assert(get(2) <= 1); }`, "SAFE"},
		{"alloca in each call", f + `int get(void) { int *a = alloca(8); a[0] = x; a[1] = 1; return a[0]; } int main(void) { for (;;) assert(!get()); }`, "SAFE"},
		{"alloca in each round", f + `int main(void) { for (;;) { int *a = alloca(8); a[0] = x; } }`, "UNKNOWN"},
		{"alloca in rounds of a call", f + `void many(int n) { for (int i = 0; i < n; i++) { int *a = alloca(4); *a = i; } } int main(void) { for (;;) { many(x + 9); } }`, "UNKNOWN"},
		{"the pointer of the round before", f + `int main(void) { int *q = 0; for (;;) { int n = 3; int a[n]; if (q) *q = 1; q = &a[1]; } }`, "UNSAFE"},
		{"the pointer of twenty rounds ago", f + `int main(void) { int *q = 0; for (unsigned i = 0;; i++) { int n = 2; int a[n]; a[0] = 1; if (i % 20 == 0) { if (q) *q = 1; q = a; } } }`, "UNSAFE"},
		{"the pointer of the tenth round, in the thirtieth", f + `int main(void) { int *q = 0; for (unsigned i = 0;; i = i < 100 ? i + 1 : i) { int n = 2; int a[n]; a[0] = 1; if (i == 10) q = a; if (i == 30) *q = 1; } }`, "UNSAFE"},
		{"the pointer of the thirtieth round, in the same", f + `int main(void) { int *q = 0; for (unsigned i = 0;; i = i < 100 ? i + 1 : i) { int n = 2; int a[n]; a[0] = 1; if (i == 30) { q = a; *q = 2; assert(a[0] == 2); } } }`, "SAFE"},
		{"a pointer that another thread has kept", f + `int *_Atomic q; void *g(void *p) { int *r = q; if (r) *r = 2; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, g, 0); for (unsigned i = 0;; i = i < 100 ? i + 1 : i) { int n = 2; int a[n]; a[0] = 1; if (i == 15) q = a; } }`, "UNSAFE"},
		{"what was written in the round before", f + `int main(void) { for (unsigned i = 0;; i = i < 100 ? i + 1 : i) { int n = 2; int a[n]; if (i == 40) assert(a[0] == 1); a[0] = 1; a[1] = 2; } }`, "UNSAFE"},
		{"what was written in this round", f + `int main(void) { for (unsigned i = 0;; i = i < 100 ? i + 1 : i) { int n = 2; int a[n]; a[0] = i; if (i == 40) assert(a[0] == 40); } }`, "SAFE"},
		{"ten rounds", f + `int main(void) { int s = 0; for (int i = 0; i < 10; i++) { int n = 2; int a[n]; a[1] = i; s += a[1]; } assert(s == 45); }`, "SAFE"},
		{"two at once", f + `int main(void) { for (;;) { int n = 1; int a[n]; a[0] = 1; { int b[n]; b[0] = 2; assert(a != b && a[0] == 1 && b[0] == 2); } } }`, "SAFE"},
		{"two by two sizes", f + `int get(int n) { int a[n]; a[n - 1] = n; return a[n - 1]; } int main(void) { for (;;) { int n = x ? 2 : 3; assert(get(n) == n); } }`, "SAFE"},
	} {
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			t.Run(s.name+", "+string(m), func(t *testing.T) {
				t.Parallel()
				text := "#include <alloca.h>\n#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n" + s.body
				if got := verdictOf(t, read(t, "main.c", text, c.Options{}), m, "auto"); got != s.want {
					t.Errorf("%s, want %s", got, s.want)
				}
			})
		}
	}
	runChecked(t, c.Options{Uninitialised: true}, []checked{
		{"written in the round before alone", `int main(void) { for (unsigned i = 0;; i = i < 100 ? i + 1 : i) { int n = 2; int a[n]; if (i == 40) a[1] = a[0]; a[0] = 1; } }`, "SAFE", "UNSAFE"},
		{"written in each round", `int main(void) { for (;;) { int n = 2; int a[n]; a[0] = 1; a[1] = a[0]; } }`, "SAFE", "SAFE"},
	})
}
