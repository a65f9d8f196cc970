package c_test

import (
	"os"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestDoubleWords has integers of two words; what is computed with them is compared with a compiler by TestRealMachine.
func TestDoubleWords(t *testing.T) {
	t.Parallel()
	for _, s := range []snippet{
		{"words", `unsigned __int128 x = (unsigned __int128)7 << 64 | 5; assert((uint64_t)x == 5 && x >> 64 == 7 && sizeof x == 16 && _Alignof(x) == 16);`, "SAFE"},
		{"a carry", `unsigned __int128 x = ~0ul; x++; assert(x >> 64 == 1 && !(uint64_t)x); x--; assert(x == ~0ul);`, "SAFE"},
		{"signs", `__int128 x = -1; assert(x < 0 && x >> 100 == -1 && (unsigned __int128)x >> 127 == 1 && x == -1 && (int)x == -1);`, "SAFE"},
		{"a comparison without a sign", `__int128 x = -1; assert(x > (unsigned __int128)1 && !(x > 1ul));`, "SAFE"},
		{"a product of words", `uint64_t a = ~0ul, b = 3; assert((uint64_t)((unsigned __int128)a * b >> 64) == 2);`, "SAFE"},
		{"initialisers", `static __int128 x[2] = {-2, 3}; struct { char c; __int128 d; int e; } y = {1, -1, 4}; __int128 z = {-1}; assert(x[0] == -2 && x[1] == 3 && y.d == -1 && y.d >> 64 == -1 && y.e == 4 && z < 0);`, "SAFE"},
		{"an initialiser among others", `struct { __int128 d[2]; int e; } y = {-1, 2, 4}; assert(y.d[0] < 0 && y.d[1] == 2 && y.e == 4);`, "SAFE"},
		{"a union", `union { unsigned __int128 whole; struct { void *p; uint64_t tag; } s; } u; int x; u.s.p = &x; u.s.tag = 3; assert(u.whole >> 64 == 3 && (uintptr_t)&x == (uint64_t)u.whole); u.whole += (unsigned __int128)1 << 64; assert(u.s.tag == 4 && u.s.p == &x);`, "SAFE"},
		{"through a pointer to a structure", `struct head { void *p; uint64_t tag; } h = {&h, 1}; unsigned __int128 *w = (unsigned __int128 *)&h; assert(__sync_bool_compare_and_swap(w, *w, (unsigned __int128)2 << 64)); assert(!h.p && h.tag == 2);`, "SAFE"},
		{"functions", `__int128 twice(__int128 x) { return x + x; } int main(void) { __int128 big = (__int128)1 << 70; assert(twice(big) == big << 1 && twice(-1) == -2 && (rand() ? big : 0) != 1); }`, "SAFE"},
		{"arguments among others", `__int128 sum(int n, ...) { va_list ap; va_start(ap, n); __int128 s = 0; while (n--) { s += va_arg(ap, __int128); s -= va_arg(ap, int); } va_end(ap); return s; } int main(void) { assert(sum(2, (__int128)1 << 70, 5, (__int128)-1, 4) == ((__int128)1 << 70) - 10); }`, "SAFE"},
		{"a shift too far", `__int128 x = 1; int k = rand() & 255; x <<= k;`, "UNSAFE"},
		{"a shift by a negative number", `__int128 x = 1; int k = rand() ? 1 : -1; x >>= k;`, "UNSAFE"},
		{"as a condition", `__int128 x = (__int128)1 << 64; if (!x) abort(); assert(x && (_Bool)x && !(_Bool)(int)x); while (x) x >>= 1;`, "SAFE"},
		{"a store is not one step", `unsigned __int128 x; void *f(void *a) { x = ~(unsigned __int128)0; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); unsigned __int128 y = x; assert(!y || y == ~(unsigned __int128)0); return 0; }`, "UNSAFE"},
		{"an atomic store is", `_Atomic unsigned __int128 x; void *f(void *a) { x = ~(unsigned __int128)0; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); unsigned __int128 y = x; assert(!y || y == ~(unsigned __int128)0); return 0; }`, "SAFE"},
		{"_Generic", `__int128 x = 1; assert(_Generic(x, unsigned __int128: 0, __int128: 1, default: 0) && _Generic(x + 1u, __int128: 1, default: 0) && _Generic(x + (__uint128_t)1, unsigned __int128: 1, default: 0));`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, "#include <pthread.h>\n#include <stdarg.h>\n"+snippetText(s.body), s.want, memory.SC)
		})
	}
}

// TestTagThatStays: the stack of testdata with a tag that stays. What is popped, and pushed again, is the top of another stack.
func TestTagThatStays(t *testing.T) {
	text, err := os.ReadFile("testdata/run/double-word-stack.c")
	if err != nil {
		t.Fatal(err)
	}
	underModels(t, "#define STEP 0\n"+string(text), "UNSAFE", memory.SC, memory.TSO, memory.PSO, memory.RC11)
}

// TestDoubleWordsRefused has what is not modelled of them.
func TestDoubleWordsRefused(t *testing.T) {
	for _, x := range []struct {
		text, want string
		opts       c.Options
	}{
		{"int main(void) { __int128 d = 1; d = d + 1; }", "not modelled: arithmetic of type __int128 that is not to overflow", c.Options{Overflow: true}},
		{"int main(void) { __int128 d = 7; return d / 2; }", "a.c:1:41: not modelled: a division of type __int128", c.Options{}},
		{"int main(void) { __int128 d = 7; return d * 1.5; }", "a.c:1:41: not modelled: __int128 and floating point", c.Options{}},
		{"int main(void) { __int128 d = 7.5; return 0; }", "not modelled: __int128 and floating point", c.Options{}},
		{"_Atomic __int128 d; int main(void) { d += 2; }", "not modelled: arithmetic on an atomic object of type __int128", c.Options{}},
		{"__int128 d; int main(void) { __sync_fetch_and_add(&d, 2); }", "not modelled: arithmetic on an atomic object of type __int128", c.Options{}},
		{"int main(void) { __int128 d = 7; switch (d) { case 7: return 1; } }", "not modelled: a switch on __int128", c.Options{}},
		{"int main(void) { __int128 d = 1; int a[2] = {0}; return a[d]; }", "not modelled: an index of type __int128", c.Options{}},
		{"int main(void) { int x, *p = &x; __int128 d = 1; p = p + d; }", "not modelled: __int128 and a pointer", c.Options{}},
		{"struct { __int128 d : 10; } x; int main(void) { return 0; }", "not modelled: a bit-field of type __int128", c.Options{}},
	} {
		_, err := c.Parse(&program.Source{Name: "a.c", Text: x.text}, x.opts)
		if err == nil || !strings.Contains(err.Error(), x.want) {
			t.Errorf("%s\ngives %v\nwant %s", x.text, err, x.want)
		}
	}
}
