package c_test

import "testing"

// TestTooLarge: nobody asks for fewer than no bytes, and of a product that goes round there is no object: calloc gives null.
func TestTooLarge(t *testing.T) {
	const headers = "#include <errno.h>\n#include <limits.h>\n#include <stdint.h>\n#include <alloca.h>\n#include <sys/mman.h>\nunsigned long __VERIFIER_nondet_ulong(void);\n"
	programs := []snippet{
		{"a constant", `int main(void) { char *p = malloc(-1); assert(!p); return 0; }`, "UNSAFE"},
		{"a constant, above all", `int main(void) { char *p = malloc(SIZE_MAX); return 0; }`, "UNSAFE"},
		{"a variable", `int main(void) { int n = -1; char *p = malloc(n); return 0; }`, "UNSAFE"},
		{"a number of elements", `int main(void) { int n = -1; char *p = calloc(n, 4); return 0; }`, "UNSAFE"},
		{"the reason", `int main(void) { errno = 0; char *p = calloc(SIZE_MAX / 2, 3); assert(errno == ENOMEM); errno = 0; p = malloc(1); assert(errno == 0); free(p); return 0; }`, "SAFE"},
		{"a product that goes round", `int main(void) { int *p = calloc(SIZE_MAX / 4 + 2, 4); assert(!p); p = malloc((SIZE_MAX / 4 + 2) * 4); p[0] = 1; p = reallocarray(p, 4, SIZE_MAX / 4 + 1); assert(!p); return 0; }`, "SAFE"},
		{"a product that goes round, computed", `int main(void) { size_t n = __VERIFIER_nondet_int() ? SIZE_MAX / 4 + 2 : 1, m = 4; int *p = calloc(n, m), *q = calloc(m, n); assert(!p == !q); assert(n == 1 || !p); assert(n != 1 || p); return 0; }`, "SAFE"},
		{"a product that goes round, by a free number", `int main(void) { unsigned long n = __VERIFIER_nondet_ulong(); int *p = calloc(n, sizeof(int)); if (n == 0x4000000000000001) p[0] = 1; return 0; }`, "UNSAFE"},
		{"no product", `int main(void) { int n = 0; size_t m = SIZE_MAX; char *p = calloc(n, m); free(p); p = calloc(m, n); free(p); return 0; }`, "SAFE"},
		{"a free number", `int main(void) { int n = __VERIFIER_nondet_int(); if (n > 3 || n < 0) return 0; int *p = malloc(n * sizeof(int)); if (n > 0) { p[n - 1] = 1; } free(p); return 0; }`, "SAFE"},
		{"a free number that may be below 0", `int main(void) { int n = __VERIFIER_nondet_int(); if (n > 3 || n == 0) return 0; int *p = malloc(n * sizeof(int)); free(p); return 0; }`, "UNSAFE"},
		{"the old object stays", `int main(void) { int *p = malloc(4), *q; *p = 3; q = reallocarray(p, SIZE_MAX / 2, 4); assert(!q && *p == 3); free(p); return 0; }`, "SAFE"},
		{"the old object stays, by a variable", `int main(void) { size_t n = __VERIFIER_nondet_int() ? SIZE_MAX / 2 : 2; int *p = malloc(4), *q; *p = 3; q = reallocarray(p, n, 4); if (q) { p = q; p[1] = 4; } assert(*p == 3); free(p); return 0; }`, "SAFE"},
		{"the old object is gone where there is a new one", `int main(void) { size_t n = __VERIFIER_nondet_int() ? SIZE_MAX / 2 : 2; int *p = malloc(4), *q; q = reallocarray(p, n, 4); *p = 3; return 0; }`, "UNSAFE"},
		{"the old object stays, and is freed twice", `int main(void) { int *p = malloc(4); reallocarray(p, SIZE_MAX / 2, 4); free(p); free(p); return 0; }`, "UNSAFE"},
		{"aligned", `int main(void) { long n = -32; void *p = aligned_alloc(16, n); return 0; }`, "UNSAFE"},
		{"aligned, in place", `int main(void) { long n = -32; void *q = 0; posix_memalign(&q, 16, n); return 0; }`, "UNSAFE"},
		{"mapped", `int main(void) { long n = -4096; void *p = mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); assert(p == MAP_FAILED); return 0; }`, "SAFE"},
		{"on the stack", `int main(void) { char *p = alloca(-1); return 0; }`, "UNSAFE"},
		{"on the stack, by a variable", `int main(void) { int n = -1; char *p = alloca(n); return 0; }`, "UNSAFE"},
		{"an array", `int main(void) { int n = -1; char p[n]; return 0; }`, "UNSAFE"},
		{"of another thread", `int *g; void *f(void *a) { int n = *(int *)a; g = malloc(n * sizeof(int)); return 0; } int main(void) { int n = -2; pthread_t t; pthread_create(&t, 0, f, &n); pthread_join(t, 0); return 0; }`, "UNSAFE"},
	}
	for i := range programs {
		programs[i].body = headers + programs[i].body
	}
	checkSizes(t, programs)
}
