package c_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestVaryingArrays: arrays of arrays whose sizes are computed.
func TestVaryingArrays(t *testing.T) {
	for _, s := range []snippet{
		{"local", `pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int s; void *f(void *x) { int n = 2; int a[n][n + 1]; for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) a[i][j] = i + j; pthread_mutex_lock(&m); s += a[1][2]; pthread_mutex_unlock(&m); assert(sizeof a == 24 && sizeof a[0] == 12 && sizeof a[0][0] == 4); return 0; }
			int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); assert(s == 6); return 0; }`, "SAFE"},
		{"local, without a lock", `int s; void *f(void *x) { int n = 2; int a[n][n]; a[1][1] = 1; s += a[1][1]; return 0; }
			int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); assert(s == 2); return 0; }`, "UNSAFE"},
		{"past the last row", `int main(void) { int n = 2; int a[n][n]; return a[2][0]; }`, "UNSAFE"},
		{"past the last column", `int main(void) { int n = 2; int a[n][n]; a[1][1] = 0; return a[1][2]; }`, "UNSAFE"},
		{"of three dimensions", `int main(void) { int n = 2; char a[n][3][n]; a[1][2][1] = 7; assert(((char *)a)[11] == 7 && sizeof a == 12 && &a[1] - &a[0] == 1 && (char *)(a + 1) - (char *)a == 6); return 0; }`, "SAFE"},
		{"the pointer keeps the size that it was declared with", `int main(void) { int n = 2, b[6] = { 0, 1, 2, 3, 4, 5 }; int (*p)[n] = (int (*)[n])b; n = 3; assert(p[1][0] == 2 && ((int (*)[n])b)[1][0] == 3 && sizeof *p == 8 && sizeof(int[n][n]) == 36); return 0; }`, "SAFE"},
		{"declared anew in each round", `int main(void) { int b[6] = { 0, 1, 2, 3, 4, 5 }; for (int n = 1; n < 4; n++) { int (*p)[n] = (int (*)[n])b; assert(p[1][0] == n); } return 0; }`, "SAFE"},
		{"memory for it", `int get(int n) { int (*m)[n] = malloc(sizeof(int[n][n])); for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) m[i][j] = i * n + j; int r = m[n - 1][n - 1]; free(m); return r; }
			void *f(void *x) { assert(get(3) == 8); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(get(2) == 3); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"memory for less than it", `int main(void) { int n = 3; int (*m)[n] = malloc(n * (n - 1) * sizeof(int)); m[1][2] = 1; m[2][0] = 1; return 0; }`, "UNSAFE"},
		{"rows", `int n = 2; void *f(void *x) { int (*a)[n] = x; a[1][1] = 7; return 0; } int main(void) { int (*a)[n] = malloc(n * sizeof *a); pthread_t t; pthread_create(&t, 0, f, a); a[1][0] = 1; pthread_join(t, 0); assert(a[1][1] == 7 && a[1] - *a == 2); free(a); return 0; }`, "SAFE"},
		{"parameters", `void mul(int n, int a[n][n], int b[n][n], int (*c)[n]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { c[i][j] = 0; for (int k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j]; } }
			int a[3][3] = { { 1, 2 }, { 3, 4 } }, e[3][3] = { { 1 }, { 0, 1 }, { 0, 0, 1 } }, c[3][3], d[3][3]; void *f(void *x) { mul(3, a, e, c); return 0; }
			int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); mul(3, a, a, d); pthread_join(t, 0); assert(c[1][0] == 3 && d[0][0] == 7); int g[2][2] = { { 0, 1 }, { 1, 0 } }, h[2][2]; mul(2, g, g, h); assert(h[0][0] == 1 && h[1][1] == 1 && !h[0][1]); return 0; }`, "SAFE"},
		{"parameters that are larger than what there is", `int sum(int n, int a[n][n]) { int s = 0; for (int i = 0; i < n; i++) s += a[i][i]; return s; } int a[2][2]; int main(void) { return sum(3, a); }`, "UNSAFE"},
		{"parameters that change", `int get(int n, int a[][n]) { n = 1; return a[1][0]; } int a[6] = { 0, 1, 2, 3, 4, 5 }; int main(void) { assert(get(2, (void *)a) == 2 && get(3, (void *)a) == 3); return 0; }`, "SAFE"},
		{"parameters of what calls itself", `int down(int n, int a[][n]) { if (n == 1) return a[1][0]; return down(n - 1, (void *)a) + a[1][0]; } int tail(int n, int a[][n], int s) { if (n == 0) return s; return tail(n - 1, (void *)a, s + a[1][0]); } int a[6] = { 0, 1, 2, 3, 4, 5 }; int main(void) { assert(down(3, (void *)a) == 6 && tail(3, (void *)a, 0) == 6); return 0; }`, "SAFE"},
		{"a size of two", `int main(int argc, char **argv) { int n = argc > 1 ? 2 : 3; int a[n][n]; a[n - 1][n - 1] = 4; assert(sizeof a == n * n * sizeof(int) && a[n - 1][n - 1] == 4); return 0; }`, "SAFE"},
		{"a size of anything", `int nondet(void); int __VERIFIER_nondet_int(void); int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1) return 0; int a[2][n]; a[1][0] = 1; return 0; }`, "UNKNOWN"},
		{"a size of anything, too small", `int __VERIFIER_nondet_int(void); int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1) return 0; int a[2][n]; a[1][1] = 1; return 0; }`, "UNSAFE"},
		{"of fewer than none", `int main(void) { int n = -2; int a[n][n]; return 0; }`, "UNSAFE"},
		{"copied and cleared", `int main(void) { int n = 2; int a[n][n], b[n][n]; memset(a, 0, sizeof a); a[1][0] = 5; memcpy(b, a, sizeof a); assert(b[1][0] == 5 && !b[1][1] && !memcmp(a, b, 4)); return 0; }`, "SAFE"},
		{"with the type of another one", `int main(void) { int n = 2; int a[n][n]; __typeof__(a) b; n = 4; b[1][1] = 3; assert(sizeof b == 16 && b[1][1] == 3); __auto_type p = a; assert((int *)(p + 1) - *p == 2); return 0; }`, "SAFE"},
		{"a part of another thread's", `int (*g)[2]; void *f(void *x) { g[1][1] = 1; return 0; } int main(void) { int n = 2; int a[n][n]; g = a; pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); assert(a[1][1] == 1); return 0; }`, "SAFE"},
	} {
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			t.Run(s.name+", "+string(m), func(t *testing.T) {
				t.Parallel()
				text := "#include <assert.h>\n#include <pthread.h>\n#include <stdlib.h>\n#include <string.h>\n" + s.body
				if got := verdictOf(t, read(t, "main.c", text, c.Options{}), m, "auto"); got != s.want {
					t.Errorf("%s, want %s", got, s.want)
				}
			})
		}
	}
}

// TestVaryingArraysRefused: where the sizes are those of another place, or of another call.
func TestVaryingArraysRefused(t *testing.T) {
	for text, want := range map[string]string{
		"int main(void) { int n = 2; typedef int row[n]; n = 3; row a; a[2] = 1; }":                       "not modelled: a type with a name for an array whose size varies",
		"int f(int n) { static int (*p)[n]; return p != 0; } int main(void) { return f(2); }":             "not modelled: an array whose size varies",
		"int main(void) { int n = 2; return sizeof(int[n++][2]); }":                                       "not modelled: a size with an effect",
		"int n = 2;\nint (*p)[n];\nint main(void) { return p != 0; }":                                     "not modelled: an array whose size varies",
		"int main(void) { int n = 2; struct { int k; int (*a)[n]; } s; return s.k; }":                     "not modelled: an array whose size varies",
		"int main(void) { int n = 2; int a[n][n]; __CPROVER_ASYNC_1: a[0][0]++; }":                        "not modelled: a copy of a, which is an array",
		"int x; int main(void) { int n = 2; int (*a)[n] = 0; __CPROVER_ASYNC_1: x = a[0][0]; return 0; }": "not modelled: a copy of a, which is an array",
	} {
		if _, err := c.Parse(&program.Source{Name: "a.c", Text: text}, c.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
