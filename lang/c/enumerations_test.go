package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// What an enumeration is a type of, C leaves to compilers, and GCC and Clang agree.
func TestEnumerationsAreUnsigned(t *testing.T) {
	for _, s := range []struct{ name, text, want string }{
		{"below zero", `enum e { A, B } x; int main(void) { x = -1; assert(x > B && x - 1 > 0 && (long)x == 0xffffffff); }`, "SAFE"},
		{"a loop that goes below", `typedef enum { A, B } e; int main(void) { for (e x = B; x >= A; x--) if (x > B) return 0; assert(0); }`, "SAFE"},
		{"a bit-field", `enum e { A, B, C, D }; struct { enum e x : 2; } s; int main(void) { s.x = D; assert(s.x == D); }`, "SAFE"},
		{"a constant is an int", `enum e { A, B }; int main(void) { int x = -1; assert(x < A && A - 1 < 0); }`, "SAFE"},
		{"a value below zero", `enum e { A = -1, B } x; int main(void) { x = A; assert(x < B && (long)x == -1); }`, "SAFE"},
		{"a bit-field that may be below zero", `enum e { A = -2, B = 1 }; struct { enum e x : 2; } s; int main(void) { s.x = A; assert(s.x == A); }`, "SAFE"},
		{"mentioned before", `struct s { enum e *p; }; enum e { A, B } x; int main(void) { struct s s = { &x }; *s.p = -1; assert(*s.p > B); }`, "SAFE"},
		{"computed from sizes", `struct s { int a[3]; char c; }; enum { A = sizeof(struct s), B = A - 20, C = ~(A - 1), D = A / 4 };
int main(void) { assert(A == 16 && B == -4 && B < 0 && C == -16 && C < 0 && D == 4); }`, "SAFE"},
		{"computed from what is unsigned", `enum { A = 4u, B, C = -A, D = A - 5, E, F }; enum { G = 0x80000000, H = G + 1 }; enum { I = ~0ul, J = I - 1 }; enum { K = ~0u, L = K + 1L };
int main(void) { assert(B == 5 && C == -4 && C < 0 && D < 0 && E == 0 && F == 1 && G > 0 && H == 2147483649 && J > 0 && J == ~0ul - 1 && L == 4294967296); }`, "SAFE"},
		{"of the type of what is computed", `enum a { A = 2u, B = -A } a = B; enum b { C = ~0u } b = C; enum c { D = ~0ul } c = D; enum d { E = sizeof(long), F = E - 9 } d = F;
int main(void) { assert(a < 0 && sizeof a == 4 && b > 0 && sizeof b == 4 && c > 0 && sizeof c == 8 && d < 0 && sizeof d == 4); }`, "SAFE"},
		{"large", `enum e { A, B = 0x100000000 } x; int main(void) { x = -1; assert(sizeof x == 8 && x > B); }`, "SAFE"},
		{"large, below zero", `enum e { A = -1, B = 0x100000000 } x; int main(void) { x = A; assert(sizeof x == 8 && x < B); }`, "SAFE"},
		{"exchanged", `enum e { A, B }; _Atomic enum e x; void *f(void *a) { x = (enum e)-1; return 0; }
int main(void) { pthread_t p; pthread_create(&p, 0, f, 0); enum e y = atomic_exchange(&x, B); pthread_join(p, 0); assert(y <= B); }`, "UNSAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n" + s.text
			if got := verdictOf(t, read(t, "main.c", text, c.Options{}), memory.TSO, "auto"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}
