package c_test

import "testing"

// TestSupposed: sizes of objects that depend on what is chosen freely.
func TestSupposed(t *testing.T) {
	const room = "void __VERIFIER_assume(int); int in(int lo, int hi) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(lo <= x && x <= hi); return x; }\n" +
		"char *b; int n, cap; void grow(void) { cap = cap ? 2 * cap : 12; b = realloc(b, cap); }\n"
	checkSizes(t, []snippet{
		{"room that grows", room + `int main(void) { int k = in(1, 2); for (int i = 0; i < k; i++) grow(); assert(cap > 9); b[cap - 1] = 1; free(b); return 0; }`, "SAFE"},
		{"room that grows, past it", room + `int main(void) { int k = in(1, 2); for (int i = 0; i < k; i++) grow(); b[n = cap] = 0; return 0; }`, "UNSAFE"},
		{"a size that the program tells apart", room + `int main(void) { int k = in(10, 11); b = malloc(3 * k); b[29] = 1; if (k == 11) b[32] = 1; free(b); return 0; }`, "SAFE"},
		{"a choice of all numbers", room + `int main(void) { long k = __VERIFIER_nondet_long(); if (k < 1 || k > 2) return 0; b = malloc(30 * k); char *a = malloc(31 * k); b[29] = a[30] = 1; free(a); free(b); return 0; }`, "SAFE"},
		{"sizes of which not all are supposed", room + `int main(void) { int k = in(0, 20); b = malloc(3 * k); if (k == 14) b[42] = 1; free(b); return 0; }`, "UNKNOWN"},
		{"sizes of which not all are supposed, past one", room + `int main(void) { int k = in(0, 30); b = malloc(3 * k); if (k > 3) b[12] = 1; return 0; }`, "UNSAFE"},
		{"a size of fewer values than the choice", room + `int main(void) { unsigned k = __VERIFIER_nondet_uint(); if (k > 30) return 0; b = malloc(k / 4 + 1); b[0] = 1; assert(k / 4 != 6); return 0; }`, "UNSAFE"},
		{"all of these sizes", room + `int main(void) { unsigned k = __VERIFIER_nondet_uint(); if (k > 30) return 0; b = malloc(k / 4 + 1); b[k / 4] = 1; free(b); return 0; }`, "SAFE"},
	})
}
