package c_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// A checked is a program with the verdicts without and with something that is checked on request.
type checked struct {
	name, text    string
	without, with string
}

func runChecked(t *testing.T, opts c.Options, programs []checked) {
	for _, s := range programs {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := "#include <assert.h>\n#include <stdlib.h>\n#include <limits.h>\n#include <pthread.h>\n#include <stdatomic.h>\nextern int __VERIFIER_nondet_int(void);\n" + s.text
			for want, o := range map[string]c.Options{"without " + s.without: {}, "with " + s.with: opts} {
				if got := verdictOf(t, read(t, "main.c", text, o), memory.TSO, "auto"); want != "without "+got && want != "with "+got {
					t.Errorf("%s, want %s", got, want)
				}
			}
		})
	}
}

func TestOverflow(t *testing.T) {
	runChecked(t, c.Options{Overflow: true}, []checked{
		{"sum", `int main(void) { int x = INT_MAX; x = x + 1; assert(x == INT_MIN); }`, "SAFE", "UNSAFE"},
		{"increment", `int main(void) { int x = INT_MAX; x++; }`, "SAFE", "UNSAFE"},
		{"difference", `int main(void) { int x = INT_MIN; x -= 1; }`, "SAFE", "UNSAFE"},
		{"product", `int main(void) { int x = 65536; x = x * 32768; }`, "SAFE", "UNSAFE"},
		{"negation", `int main(void) { int x = INT_MIN; x = -x; }`, "SAFE", "UNSAFE"},
		{"shift", `int main(void) { int x = 1; x = x << 31; }`, "SAFE", "UNSAFE"},
		{"long sum", `int main(void) { long x = LONG_MAX, y = 1; x = x + y; }`, "SAFE", "UNSAFE"},
		{"long difference", `int main(void) { long x = LONG_MIN, y = 1; x = x - y; }`, "SAFE", "UNSAFE"},
		{"long product", `int main(void) { long x = 1L << 40, y = 1L << 30; x = x * y; }`, "SAFE", "UNSAFE"},
		{"long products", `int main(void) { long x = 1L << 32, y = 1L << 30; assert(x * y == 1L << 62); x = -1; assert(x * y < 0); x = 0; assert(x * y == 0); }`, "SAFE", "SAFE"},
		{"unsigned", `int main(void) { unsigned x = UINT_MAX; x++; assert(x == 0); x--; assert(x == UINT_MAX); }`, "SAFE", "SAFE"},
		{"atomic", `atomic_int x = INT_MAX; int main(void) { atomic_fetch_add(&x, 1); x++; }`, "SAFE", "SAFE"},
		{"short", `int main(void) { short x = SHRT_MAX; x++; assert(x == SHRT_MIN); }`, "SAFE", "SAFE"},
		{"not evaluated", `int main(void) { int x = INT_MAX, y = 0; if (y && x + 1 > 0) y = 1; assert(!y); }`, "SAFE", "SAFE"},
		{"free choice", `int main(void) { int x = __VERIFIER_nondet_int(); if (x < 1000) x = x + 1; }`, "SAFE", "SAFE"},
		{"loop without effect", `int main(void) { for (int x = INT_MAX - 5; x > 0; x++); }`, "SAFE", "UNSAFE"},
		{"loop without effect, within", `int main(void) { for (int x = INT_MAX - 5; x < INT_MAX; x++); }`, "SAFE", "SAFE"},
		{"free choice, too large", `int main(void) { int x = __VERIFIER_nondet_int(); if (x > 1000) x = x + 1; }`, "SAFE", "UNSAFE"},
	})
}

func TestSpurious(t *testing.T) {
	runChecked(t, c.Options{Spurious: true}, []checked{
		{"weak", `atomic_int x; int main(void) { int e = 0; assert(atomic_compare_exchange_weak(&x, &e, 1)); }`, "SAFE", "UNSAFE"},
		{"strong", `atomic_int x; int main(void) { int e = 0; assert(atomic_compare_exchange_strong(&x, &e, 1)); }`, "SAFE", "SAFE"},
		{"weak, by number", `int x; int main(void) { int e = 0; assert(__atomic_compare_exchange_n(&x, &e, 1, 1, 5, 5)); }`, "SAFE", "UNSAFE"},
		{"strong, by number", `int x; int main(void) { int e = 0; assert(__atomic_compare_exchange_n(&x, &e, 1, 0, 5, 5)); }`, "SAFE", "SAFE"},
		{"again and again", `atomic_int x; int main(void) { int e = 0; while (!atomic_compare_exchange_weak(&x, &e, 1)); assert(x == 1); }`, "SAFE", "SAFE"},
	})
}

func TestUninitialised(t *testing.T) {
	runChecked(t, c.Options{Uninitialised: true}, []checked{
		{"register", `int main(void) { int x; if (x) return 1; }`, "SAFE", "UNSAFE"},
		{"register, set", `int main(void) { int x; x = 1; assert(x); }`, "SAFE", "SAFE"},
		{"structure, copied", `struct s { int a, b; }; int main(void) { struct s x; x.a = 1; struct s y; y = x; return y.b; }`, "SAFE", "UNSAFE"},
		{"structure, copied, set", `struct s { int a, b; }; int main(void) { struct s x; x.a = 1; struct s y; y = x; return y.a; }`, "SAFE", "SAFE"},
		{"structure, copied by an initialiser", `struct s { int a, b; }; int main(void) { struct s x; x.a = 1; struct { int k; struct s s; } y = { 1, x }; return y.s.b; }`, "SAFE", "UNSAFE"},
		{"structure, copied by an initialiser, set", `struct s { int a, b; }; int main(void) { struct s x; x.a = 1; struct { int k; struct s s; } y = { 1, x }; return y.s.a; }`, "SAFE", "SAFE"},
		{"structure, returned", `struct s { int a, b; }; struct s f(void) { struct s x; x.a = 1; return x; } int main(void) { struct s y = f(); return y.b; }`, "SAFE", "UNSAFE"},
		{"structure, returned, a member of the value", `struct s { int a, b; }; struct s f(void) { struct s x; x.a = 1; return x; } int main(void) { return f().b; }`, "SAFE", "UNSAFE"},
		{"structure, returned, set", `struct s { int a, b; }; struct s f(void) { struct s x; x.a = 1; return x; } int main(void) { struct s y = f(); return y.a + f().a; }`, "SAFE", "SAFE"},
		{"structure, handed on", `struct s { int a, b; }; int f(struct s p) { return p.b; } int main(void) { struct s x; x.a = 1; return f(x); }`, "SAFE", "UNSAFE"},
		{"structure, handed on, set", `struct s { int a, b; }; int f(struct s p) { return p.a; } int main(void) { struct s x; x.a = 1; return f(x); }`, "SAFE", "SAFE"},
		{"structure, chosen", `struct s { int a, b; }; int main(void) { struct s x, z = { 1, 2 }; x.a = 1; struct s y = __VERIFIER_nondet_int() ? x : z; return y.b; }`, "SAFE", "UNSAFE"},
		{"structure, chosen, set", `struct s { int a, b; }; int main(void) { struct s x, z = { 1, 2 }; x.a = 1; struct s y = __VERIFIER_nondet_int() ? x : z; return y.a; }`, "SAFE", "SAFE"},
		{"structure, chosen, a member of the value", `struct s { int a, b; }; int main(void) { struct s x, z = { 1, 2 }; x.a = 1; return (__VERIFIER_nondet_int() ? z : x).b; }`, "SAFE", "UNSAFE"},
		{"structure, by a pointer to a function", `struct s { int a, b; }; struct s f(void) { struct s x; x.a = 1; return x; } struct s g(void) { return (struct s){ 1, 2 }; } int main(void) { struct s (*p)(void) = __VERIFIER_nondet_int() ? f : g; struct s y = p(); return y.b; }`, "SAFE", "UNSAFE"},
		{"structure, by a pointer to a function, set", `struct s { int a, b; }; struct s f(void) { struct s x; x.a = 1; return x; } struct s g(void) { return (struct s){ 1, 2 }; } int main(void) { struct s (*p)(void) = __VERIFIER_nondet_int() ? f : g; struct s y = p(); return y.a; }`, "SAFE", "SAFE"},
		{"structures, in any order", `struct s { int a, b; }; int n; struct s f(int k) { struct s x; x.a = ++n; if (k) x.b = 1; return x; } int g(struct s x, struct s y) { return x.b; } int main(void) { return g(f(0), f(1)); }`, "SAFE", "UNSAFE"},
		{"structures, in any order, set", `struct s { int a, b; }; int n; struct s f(int k) { struct s x; x.a = ++n; if (k) x.b = 1; return x; } int g(struct s x, struct s y) { return x.a + y.b; } int main(void) { return g(f(0), f(1)); }`, "SAFE", "SAFE"},
		{"structure, of a statement", `struct s { int a, b; }; int main(void) { struct s y = ({ struct s x; x.a = 1; x; }); return y.b; }`, "SAFE", "UNSAFE"},
		{"structure, assigned in any order", `struct s { int a, b; }; int n; int i(void) { return n++ & 1; } struct s f(void) { struct s x; x.a = n++; return x; } int main(void) { struct s y[2]; return (y[i()] = f()).b; }`, "SAFE", "UNSAFE"},
		{"bit-field", `struct s { unsigned a : 4, b : 4; }; int main(void) { struct s x; x.a = 1; return x.b; }`, "UNKNOWN", "UNSAFE"},
		{"bit-field, set", `struct s { unsigned a : 4, b : 4; }; int main(void) { struct s x; x.a = 1; x.b = 2; return x.a + x.b; }`, "SAFE", "SAFE"},
		{"bit-field, copied", `struct s { unsigned a : 4, b : 4; } g; int main(void) { struct s x; x.a = 1; g = x; return g.b; }`, "UNKNOWN", "UNSAFE"},
		{"bit-field, copied, set", `struct s { unsigned a : 4, b : 4; } g; int main(void) { struct s x; x.a = 1; g = x; struct s y = g; return y.a; }`, "SAFE", "SAFE"},
		{"bit-field, handed on", `struct s { unsigned a : 4, b : 4; }; struct s f(struct s x) { return x; } int main(void) { struct s x; x.a = 1; return f(x).b; }`, "SAFE", "UNSAFE"},
		{"bit-field, handed on, set", `struct s { unsigned a : 4, b : 4; }; struct s f(struct s x) { return x; } int main(void) { struct s x; x.a = 1; return f(x).a; }`, "SAFE", "SAFE"},
		{"bit-field, of a union", `union u { struct { unsigned a : 4, b : 28; } s; unsigned w; }; int main(void) { union u x; x.s.a = 1; return x.w > 1; }`, "SAFE", "UNSAFE"},
		{"bit-field, of a union, set", `union u { struct { unsigned a : 4, b : 28; } s; unsigned w; }; int main(void) { union u x; x.s.b = 1; x.s.a = 1; return x.w > 1; }`, "SAFE", "SAFE"},
		{"bit-field, of a union that is initialised", `union u { unsigned a : 4; struct { unsigned char b : 7; char c; } s; }; int main(void) { union u x = { 1 }; return x.s.b; }`, "SAFE", "UNSAFE"},
		{"bit-field, of a union in pieces, copied", `struct t { unsigned char k; unsigned a : 13, b : 11; }; union u { struct t t; unsigned char c[4]; }; int main(void) { union u x, y; x.t.a = 5000; y.t = x.t; return y.t.b; }`, "UNKNOWN", "UNSAFE"},
		{"bit-field, of a union in pieces, copied, set", `struct t { unsigned char k; unsigned a : 13, b : 11; }; union u { struct t t; unsigned char c[4]; }; int main(void) { union u x, y; x.t.a = 5000; y.t = x.t; return y.c[1]; }`, "SAFE", "SAFE"},
		{"bit-field, of a union in pieces, initialised", `struct t { unsigned char k; unsigned a : 13, b : 11; }; union u { struct t t; unsigned char c[4]; }; int main(void) { struct t x; x.a = 5000; union u y = { x }; return y.c[2]; }`, "SAFE", "UNSAFE"},
		{"bit-field, of a union in pieces, initialised, set", `struct t { unsigned char k; unsigned a : 13, b : 11; }; union u { struct t t; unsigned char c[4]; }; int main(void) { struct t x; x.a = 5000; union u y = { x }; return y.c[1]; }`, "SAFE", "SAFE"},
		{"bit-field, of a union of something larger, initialised", `struct t { unsigned char k; unsigned a : 13, b : 11; }; union u { struct t t; long c; }; int main(void) { struct t x; x.a = 5000; union u y = { x }; return y.t.b; }`, "UNKNOWN", "UNSAFE"},
		{"bit-field, of a union of something larger, initialised, set", `struct t { unsigned char k; unsigned a : 13, b : 11; }; union u { struct t t; long c; }; int main(void) { struct t x; x.a = 5000; union u y = { x }; return y.t.a; }`, "SAFE", "SAFE"},
		{"bit-field, of a union in pieces, handed on", `struct t { unsigned char k; unsigned a : 13, b : 11; }; union u { struct t t; unsigned char c[4]; }; union u f(union u x) { return x; } int main(void) { union u x; x.t.a = 5000; x.c[0] = 1; return f(x).t.b; }`, "SAFE", "UNSAFE"},
		{"bit-field, of a union in pieces, handed on, set", `struct t { unsigned char k; unsigned a : 13, b : 11; }; union u { struct t t; unsigned char c[4]; }; union u f(union u x) { return x; } int main(void) { union u x; x.t.a = 5000; x.c[0] = 1; struct t y = f(x).t; return f(x).t.a + y.a; }`, "SAFE", "SAFE"},
		{"bit-field of many bits", `struct s { unsigned long a : 40, b : 24; }; int main(void) { struct s x; x.a = 1; return x.b; }`, "UNKNOWN", "UNSAFE"},
		{"bit-field of many bits, set", `struct s { unsigned long a : 40, b : 24; }; int main(void) { struct s x; x.b = 1; return x.b; }`, "SAFE", "SAFE"},
		{"atomic structure in one cell", `struct s { short a, b; }; _Atomic struct s g; int main(void) { struct s x, y; x.a = 1; g = x; y = g; return y.b; }`, "SAFE", "UNSAFE"},
		{"atomic structure in one cell, set", `struct s { short a, b; }; _Atomic struct s g; int main(void) { struct s x, y; x.a = 1; g = x; y = g; return y.a; }`, "SAFE", "SAFE"},
		{"atomic structure in one cell, initialised", `struct s { short a, b; }; int main(void) { struct s x; x.a = 1; _Atomic struct s g = x; struct s y = g; return y.b; }`, "SAFE", "UNSAFE"},
		{"atomic structure, exchanged", `struct s { short a, b; }; _Atomic struct s g; int main(void) { struct s x, y; x.a = 1; __c11_atomic_exchange(&g, x, 5); y = __c11_atomic_exchange(&g, x, 5); return y.b; }`, "SAFE", "UNSAFE"},
		{"atomic structure, exchanged, set", `struct s { short a, b; }; _Atomic struct s g; int main(void) { struct s x, y; x.a = 1; __c11_atomic_exchange(&g, x, 5); y = __c11_atomic_exchange(&g, x, 5); return y.a; }`, "SAFE", "SAFE"},
		{"atomic structure of two words", `struct s { long a, b; }; _Atomic struct s g; int main(void) { struct s x, y; x.a = 1; __c11_atomic_store(&g, x, 5); y = __c11_atomic_load(&g, 5); return y.b; }`, "SAFE", "UNSAFE"},
		{"atomic structure of two words, set", `struct s { long a, b; }; _Atomic struct s g; int main(void) { struct s x, y; x.a = 1; __c11_atomic_store(&g, x, 5); y = __c11_atomic_load(&g, 5); return y.a; }`, "SAFE", "SAFE"},
		{"atomic structure, compared", `struct s { short a, b; }; _Atomic struct s g; int main(void) { struct s e, x = { 1, 2 }; e.a = 0; return __c11_atomic_compare_exchange_strong(&g, &e, x, 5, 5); }`, "SAFE", "UNSAFE"},
		{"atomic structure in one cell, of two threads, set", `struct s { short k, v; }; _Atomic struct s g; void *f(void *v) { struct s x = { 1, 5 }; atomic_store(&g, x); return 0; } void *f2(void *v) { struct s x; x.k = 2; atomic_store(&g, x); return 0; } int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f2, 0); struct s y = atomic_load(&g); return y.k == 1 ? y.v : 0; }`, "SAFE", "SAFE"},
		{"atomic structure in one cell, of two threads", `struct s { short k, v; }; _Atomic struct s g; void *f(void *v) { struct s x = { 1, 5 }; atomic_store(&g, x); return 0; } void *f2(void *v) { struct s x; x.k = 2; atomic_store(&g, x); return 0; } int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f2, 0); struct s y = atomic_load(&g); return y.k == 2 ? y.v : 0; }`, "SAFE", "UNSAFE"},
		{"atomic structure of two words, of two threads, set", `struct s { long k, v; }; _Atomic struct s g; void *f(void *v) { struct s x = { 1, 5 }; atomic_store(&g, x); return 0; } void *f2(void *v) { struct s x; x.k = 2; atomic_store(&g, x); return 0; } int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f2, 0); struct s y = atomic_load(&g); return y.k == 1 ? y.v : 0; }`, "SAFE", "SAFE"},
		{"atomic structure of two words, of two threads", `struct s { long k, v; }; _Atomic struct s g; void *f(void *v) { struct s x = { 1, 5 }; atomic_store(&g, x); return 0; } void *f2(void *v) { struct s x; x.k = 2; atomic_store(&g, x); return 0; } int main(void) { pthread_t a, b; pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f2, 0); struct s y = atomic_load(&g); return y.k == 2 ? y.v : 0; }`, "SAFE", "UNSAFE"},
		{"atomic structure, exchanged by two threads, set", `struct s { short k, v; }; _Atomic struct s g; void *f(void *v) { struct s x = { 1, 5 }; x = atomic_exchange(&g, x); return (void *)(long)(x.k == 0 ? x.v : 0); } int main(void) { pthread_t a; pthread_create(&a, 0, f, 0); struct s x; x.k = 2; x = atomic_exchange_explicit(&g, x, memory_order_relaxed); return x.k != 2 ? x.v : 0; }`, "SAFE", "SAFE"},
		{"atomic structure with bits of no member, compared, set", `struct s { unsigned a : 6, b : 10; }; _Atomic struct s g; int main(void) { struct s x, o = atomic_load(&g); x.a = 1; x.b = 2; do { x.a = o.a + 1; x.b = 3; } while (!atomic_compare_exchange_weak(&g, &o, x)); return atomic_load(&g).a; }`, "SAFE", "SAFE"},
		{"atomic structure with bits of no member, stored and compared, set", `struct s { unsigned a : 6, b : 10; }; _Atomic struct s g; int main(void) { struct s x, o = atomic_load(&g); x.a = 1; x.b = 2; atomic_store(&g, x); do { x.a = o.a + 1; x.b = 3; } while (!atomic_compare_exchange_weak(&g, &o, x)); return atomic_load(&g).a; }`, "SAFE", "SAFE"},
		{"atomic structure with bits of no member, compared", `struct s { unsigned a : 6, b : 10; }; _Atomic struct s g; int main(void) { struct s x, o = atomic_load(&g); x.a = 1; atomic_store(&g, x); do { x.a = o.a + 1; x.b = 3; } while (!atomic_compare_exchange_weak(&g, &o, x)); return atomic_load(&g).a; }`, "UNKNOWN", "UNSAFE"},
		{"exchanged", `int main(void) { int *p = malloc(sizeof *p); return p ? __atomic_exchange_n(p, 1, 5) : 0; }`, "SAFE", "UNSAFE"},
		{"structure, as a variable argument", `#include <stdarg.h>
struct s { int a, b; }; int f(int n, ...) { va_list l; va_start(l, n); struct s p = va_arg(l, struct s); va_end(l); return p.b; } int main(void) { struct s x; x.a = 1; return f(0, x); }`, "SAFE", "UNSAFE"},
		{"structure, as a variable argument, set", `#include <stdarg.h>
struct s { int a, b; }; int f(int n, ...) { va_list l; va_start(l, n); struct s p = va_arg(l, struct s); va_end(l); return p.a; } int main(void) { struct s x; x.a = 1; return f(0, x); }`, "SAFE", "SAFE"},
		{"static structure", `struct s { int a, b; } g; int main(void) { struct s x; x.a = 1; struct s *p = &g, t = x; *p = t; return g.b; }`, "SAFE", "UNSAFE"},
		{"union, copied", `union u { char c; int i; }; int main(void) { union u x = { 1 }, y = x; return y.i; }`, "SAFE", "UNSAFE"},
		{"union, copied, set", `union u { char c; int i; }; int main(void) { union u x = { 1 }, y = x; return y.c; }`, "SAFE", "SAFE"},
		{"register, set on one side", `int main(void) { int x; if (__VERIFIER_nondet_int()) x = 1; return x; }`, "SAFE", "UNSAFE"},
		{"register, set on both sides", `int main(void) { int x; if (__VERIFIER_nondet_int()) x = 1; else x = 2; return x; }`, "SAFE", "SAFE"},
		{"register, not evaluated", `int main(void) { int x, y = 0; if (y && x) return 1; }`, "SAFE", "SAFE"},
		{"register in a loop", `int main(void) { for (int i = 0; i < 2; i++) { int x; if (i == 1) return x; x = 4; } }`, "SAFE", "UNSAFE"},
		{"array in a loop", `int main(void) { int n = 0; for (int i = 0; i < 2; i++) { int a[2]; if (!i) a[1] = 1; n += a[1]; } return n > 7; }`, "SAFE", "UNSAFE"},
		{"array in a loop, set", `int main(void) { int n = 0; while (__VERIFIER_nondet_int()) { int a[2]; a[0] = a[1] = 1; n += a[__VERIFIER_nondet_int() & 1]; if (n > 3) break; } return n > 7; }`, "SAFE", "SAFE"},
		{"array of an array in a loop", `int main(void) { int n = 0; for (int i = 0; i < 2; i++) { int m[2][2]; if (!i) m[1][1] = 5; n += m[1][1]; } return n > 7; }`, "SAFE", "UNSAFE"},
		{"array in a loop, and a pointer from an earlier round", `int main(void) { int *p = 0, n = 0; for (int i = 0; i < 3; i++) { int a[3]; if (p && n) n = *p; p = a; a[0] = 0; a[1] = 1; a[2] = 2; n = a[0] + p[2] - 2; } }`, "SAFE", "SAFE"},
		{"register, incremented", `int main(void) { int x; x++; }`, "SAFE", "UNSAFE"},
		{"array", `int main(void) { int a[3]; a[0] = 1; a[1] = 2; return a[__VERIFIER_nondet_int() ? 1 : 2]; }`, "SAFE", "UNSAFE"},
		{"array, set", `int main(void) { int a[3]; for (int i = 0; i < 3; i++) a[i] = i; assert(a[2] == 2); }`, "SAFE", "SAFE"},
		{"array, in part initialised", `int main(void) { int a[3] = { 1 }; assert(a[2] == 0); }`, "SAFE", "SAFE"},
		{"through a pointer", `void set(int *p) { *p = 1; } int main(void) { int x; set(&x); assert(x == 1); }`, "SAFE", "SAFE"},
		{"through a pointer, unset", `int get(int *p) { return *p; } int main(void) { int x; return get(&x); }`, "SAFE", "UNSAFE"},
		{"member", `struct s { int a, b; }; int main(void) { struct s x; x.a = 1; return x.b; }`, "SAFE", "UNSAFE"},
		{"structure", `struct s { int a, b; }; int main(void) { struct s x, y = { 1, 2 }; x = y; assert(x.b == 2); }`, "SAFE", "SAFE"},
		{"malloc", `int main(void) { int *p = malloc(sizeof *p); return *p; }`, "SAFE", "UNSAFE"},
		{"malloc, set", `int main(void) { int *p = malloc(2 * sizeof *p); p[0] = p[1] = 3; assert(p[1] == 3); }`, "SAFE", "SAFE"},
		{"realloc, what was there", `int main(void) { int *p = malloc(4); *p = 1; p = realloc(p, 8); assert(*p == 1); p[1] = 2; assert(p[1] == 2); }`, "SAFE", "SAFE"},
		{"realloc, what is new", `int main(void) { int *p = calloc(1, 4); p = realloc(p, 8); return p[1]; }`, "SAFE", "UNSAFE"},
		{"realloc, what was not written", `int main(void) { int *p = malloc(8); *p = 1; p = realloc(p, 16); return p[1]; }`, "SAFE", "UNSAFE"},
		{"realloc of null", `int main(void) { int *p = realloc(0, 8); p[1] = 1; assert(p[1]); return p[0]; }`, "SAFE", "UNSAFE"},
		{"realloc of what another thread writes", `int *p; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *f(void *a) { pthread_mutex_lock(&m); p[1] = 1; pthread_mutex_unlock(&m); return 0; }
			int main(void) { p = malloc(8); pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); p = realloc(p, 12); pthread_mutex_unlock(&m); pthread_join(t, 0); assert(p[1] == 1); }`, "SAFE", "SAFE"},
		{"realloc of what another thread writes, too early", `int *p; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *f(void *a) { pthread_mutex_lock(&m); p[1] = 1; pthread_mutex_unlock(&m); return 0; }
			int main(void) { p = malloc(8); pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); p = realloc(p, 12); if (p[1]) p[0] = 1; pthread_mutex_unlock(&m); pthread_join(t, 0); }`, "SAFE", "UNSAFE"},
		{"calloc", `int main(void) { int *p = calloc(2, sizeof *p); assert(p[1] == 0); }`, "SAFE", "SAFE"},
		{"global", `int x[3]; int main(void) { assert(x[1] == 0); }`, "SAFE", "SAFE"},
		{"another thread's", `int *_Atomic p; void *f(void *a) { int *q; while (!(q = p)); assert(*q == 3); return 0; }
			int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int *n = malloc(sizeof *n); *n = 3; p = n; pthread_join(t, 0); }`, "SAFE", "SAFE"},
		{"another thread's, too early", `int *_Atomic p; void *f(void *a) { int *q; while (!(q = p)); return (void *)(long)*q; }
			int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int *n = malloc(sizeof *n); p = n; *n = 3; pthread_join(t, 0); }`, "SAFE", "UNSAFE"},
		{"another thread's, never", `int *_Atomic p; atomic_int done; void *f(void *a) { int x; p = &x; while (!done); return 0; }
			void *g(void *a) { while (!p); int r = *p; done = 1; return (void *)(long)r; }
			int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); }`, "SAFE", "UNSAFE"},
		{"null", `int main(void) { int *p = 0; return *p; }`, "UNSAFE", "UNSAFE"},
		{"a mutex of nobody", `int main(void) { pthread_mutex_t m, *p = malloc(sizeof *p); pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); pthread_mutex_lock(p); }`, "SAFE", "UNSAFE"},
		{"a local mutex of nobody", `int main(void) { pthread_mutex_t m; pthread_mutex_lock(&m); }`, "SAFE", "UNSAFE"},
		{"a mutex that is zero", `static pthread_mutex_t m; int main(void) { pthread_mutex_t *p = calloc(1, sizeof *p); pthread_mutex_lock(&m); pthread_mutex_lock(p); pthread_mutex_unlock(p); pthread_mutex_destroy(p); }`, "SAFE", "SAFE"},
		{"a mutex that is assigned", `struct s { pthread_mutex_t m; int x; } a = { PTHREAD_MUTEX_INITIALIZER, 3 }; int main(void) { struct s *b = malloc(sizeof *b); *b = a; pthread_mutex_t *p = malloc(sizeof *p); *p = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER; pthread_mutex_lock(p); pthread_mutex_lock(&b->m); }`, "SAFE", "SAFE"},
		{"a mutex that another thread has too early", `pthread_mutex_t *m; void *f(void *a) { pthread_mutex_trylock(m); return 0; } int main(void) { m = malloc(sizeof *m); pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_init(m, 0); pthread_join(t, 0); }`, "SAFE", "UNSAFE"},
		{"a read-write lock of nobody", `int main(void) { pthread_rwlock_t *p = malloc(sizeof *p); pthread_rwlock_rdlock(p); }`, "SAFE", "UNSAFE"},
		{"what is waited by", `struct s { pthread_cond_t c; pthread_rwlock_t r; pthread_spinlock_t p; pthread_barrier_t b; }; int main(void) { struct s *s = malloc(sizeof *s); pthread_cond_init(&s->c, 0); pthread_rwlock_init(&s->r, 0); pthread_spin_init(&s->p, 0); pthread_barrier_init(&s->b, 0, 1); pthread_cond_signal(&s->c); pthread_rwlock_wrlock(&s->r); pthread_spin_lock(&s->p); pthread_barrier_wait(&s->b); }`, "SAFE", "SAFE"},
		{"a mutex", `int main(void) { pthread_mutex_t m; pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_t t[2]; (void)t; }`, "SAFE", "SAFE"},
	})
}

func TestLeaks(t *testing.T) {
	runChecked(t, c.Options{Leaks: true}, []checked{
		{"kept", `int main(void) { int *p = malloc(sizeof *p); *p = 1; }`, "SAFE", "UNSAFE"},
		{"freed", `int main(void) { int *p = malloc(sizeof *p); *p = 1; free(p); }`, "SAFE", "SAFE"},
		{"freed on one side", `int main(void) { int *p = malloc(sizeof *p); if (__VERIFIER_nondet_int()) free(p); }`, "SAFE", "UNSAFE"},
		{"never made", `int main(void) { if (0) { int *p = malloc(sizeof *p); *p = 1; } }`, "SAFE", "SAFE"},
		{"exit", `int main(void) { int *p = malloc(sizeof *p); exit(0); free(p); }`, "SAFE", "UNSAFE"},
		{"a list", `struct n { struct n *next; }; int main(void) { struct n *h = 0; for (int i = 0; i < 3; i++) { struct n *x = malloc(sizeof *x); x->next = h; h = x; }
			while (h) { struct n *x = h; h = x->next; free(x); } }`, "SAFE", "SAFE"},
		{"a list, but for one", `struct n { struct n *next; }; int main(void) { struct n *h = 0; for (int i = 0; i < 3; i++) { struct n *x = malloc(sizeof *x); x->next = h; h = x; }
			while (h->next) { struct n *x = h; h = x->next; free(x); } }`, "SAFE", "UNSAFE"},
		{"freed by another thread", `void *f(void *p) { free(p); return 0; } int main(void) { int *p = malloc(sizeof *p); pthread_t t; pthread_create(&t, 0, f, p); pthread_join(t, 0); }`, "SAFE", "SAFE"},
		{"perhaps not yet", `void *f(void *p) { free(p); return 0; } int main(void) { int *p = malloc(sizeof *p); pthread_t t; pthread_create(&t, 0, f, p); }`, "SAFE", "UNSAFE"},
		{"a list that others take from", `struct n { struct n *next; } *_Atomic h; void *f(void *a) { struct n *x = h; h = x->next; free(x); return 0; }
			void push(void) { struct n *x = malloc(sizeof *x); x->next = h; h = x; }
			int main(void) { pthread_t t[1]; int k = 0; push(); push(); push(); pthread_create(&t[k], 0, f, 0); pthread_join(t[k], 0);
			while (h) { struct n *x = h; h = x->next; free(x); } }`, "SAFE", "SAFE"},
		{"on the stack", `int main(void) { int n = 3; int a[n]; a[0] = 1; int *b = __builtin_alloca(8); *b = a[0]; }`, "SAFE", "SAFE"},
		{"kept by main that lets others go on", `int main(void) { int *p = malloc(sizeof *p); *p = 1; pthread_exit(0); }`, "SAFE", "UNSAFE"},
		{"freed after main", `void *f(void *p) { free(p); return 0; } int main(void) { int *p = malloc(sizeof *p); pthread_t t; pthread_create(&t, 0, f, p); pthread_exit(0); }`, "SAFE", "SAFE"},
		{"kept after main", `void *f(void *p) { *(int *)p = 1; return 0; } int main(void) { int *p = malloc(sizeof *p); pthread_t t; pthread_create(&t, 0, f, p); pthread_detach(t); pthread_exit(0); }`, "SAFE", "UNSAFE"},
		{"freed by a thread that a thread makes", `void *g(void *p) { free(p); return 0; } void *f(void *p) { pthread_t t; pthread_create(&t, 0, g, p); return 0; }
			int main(void) { int *p = malloc(sizeof *p); pthread_t t; pthread_create(&t, 0, f, p); pthread_exit(0); }`, "SAFE", "SAFE"},
		{"made by a thread that may not be made", `void *g(void *p) { malloc(1); return 0; } void *f(void *p) { pthread_t t; if (__VERIFIER_nondet_int()) pthread_create(&t, 0, g, 0); free(p); return 0; }
			int main(void) { int *p = malloc(sizeof *p); pthread_t t; pthread_create(&t, 0, f, p); pthread_exit(0); }`, "SAFE", "UNSAFE"},
		{"freed by a thread that may not be made", `void *f(void *p) { free(p); return 0; } int main(void) { int *p = malloc(sizeof *p); pthread_t t;
			if (__VERIFIER_nondet_int()) pthread_create(&t, 0, f, p); else free(p); pthread_exit(0); }`, "SAFE", "SAFE"},
		{"freed by who waits for main", `pthread_t m; void *f(void *p) { pthread_join(m, 0); free(p); return 0; } int main(void) { int *p = malloc(sizeof *p); m = pthread_self(); pthread_t t;
			pthread_create(&t, 0, f, p); pthread_exit(0); }`, "SAFE", "SAFE"},
		{"kept by who waits for main", `pthread_t m; void *f(void *p) { pthread_join(m, 0); return 0; } int main(void) { int *p = malloc(sizeof *p); m = pthread_self(); pthread_t t;
			pthread_create(&t, 0, f, p); pthread_exit(0); }`, "SAFE", "UNSAFE"},
		{"kept beside a thread without end", `atomic_int x; void *f(void *p) { for (;;) x = !x; } int main(void) { int *p = malloc(sizeof *p); pthread_t t; pthread_create(&t, 0, f, p); pthread_exit(0); }`, "SAFE", "SAFE"},
		{"freed by a key's function", `void *f(void *p) { pthread_key_t *k = p; pthread_setspecific(*k, malloc(4)); return 0; } int main(void) { static pthread_key_t k; pthread_key_create(&k, free);
			pthread_setspecific(k, malloc(4)); pthread_t t; pthread_create(&t, 0, f, &k); pthread_exit(0); }`, "SAFE", "SAFE"},
		{"kept where only others exit", `void *f(void *p) { free(p); pthread_exit(0); } int main(void) { int *p = malloc(sizeof *p); pthread_t t; pthread_create(&t, 0, f, p); pthread_join(t, 0); malloc(4); }`, "SAFE", "UNSAFE"},
	})
}

// TestSectionGivenUp unrolls threads that give up in an atomic section or behind it.
func TestSectionGivenUp(t *testing.T) {
	const text = `#include <pthread.h>
extern void abort(void), __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);
extern int __VERIFIER_nondet_int(void);
void reach_error(void) {}
int owner[2], taken;
static int take(int who) {
	__VERIFIER_atomic_begin();
	int i = __VERIFIER_nondet_int();
	if (i < 0 || i > 1 || owner[i])
		abort();
	owner[i] = who;
	taken++;
	__VERIFIER_atomic_end();
	return i;
}
static void *f(void *a) { int i = take(1); if (owner[i] != 1) reach_error(); return 0; }
static void *g(void *a) { int i = take(2); if (owner[i] != 2) abort(); return 0; }
int main(void) {
	pthread_t s, t;
	pthread_create(&s, 0, f, 0); pthread_create(&t, 0, g, 0);
	pthread_join(s, 0); pthread_join(t, 0);
	if (taken != TAKEN) reach_error();
}`
	for taken, want := range map[string]string{"2": "SAFE", "1": "UNSAFE"} {
		p := read(t, "section.c", strings.ReplaceAll(text, "TAKEN", taken), c.Options{})
		for _, e := range []engine.Name{engine.BMC, engine.Explicit} {
			if got := verdictOf(t, p, memory.SC, e); got != want {
				t.Errorf("%s: %s by %s, want %s", taken, got, e, want)
			}
		}
	}
}
