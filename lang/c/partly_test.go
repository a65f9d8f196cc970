package c_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
)

// TestPartlyStored has structures of bit-fields of which some are stored to, in memory that nothing else has been written to.
func TestPartlyStored(t *testing.T) {
	t.Parallel()
	const s = `#include <pthread.h>
#include <stdlib.h>
struct s { unsigned a : 4, b : 4, c : 3; int d; }; int n; void *f(void *v); int main(void) { pthread_t t; n = __VERIFIER_nondet_int(); pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }
void *f(void *v) { `
	const others = `#include <pthread.h>
struct s { unsigned a : 4, b : 4; } g; int n; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *f(void *v) { `
	const inMain = `struct s { unsigned a : 4, b : 4, c : 3; int d; }; int main(void) { struct s x; `
	for _, x := range []snippet{
		{"what is not", s + `struct s x; x.a = 1; assert(x.b == 0); return 0; }`, "UNKNOWN"},
		{"what is", s + `struct s x; x.a = 1; x.b = 2; assert(x.a == 1 && x.b == 2); x.c = 3; assert(x.c == 3 && x.b == 2); return 0; }`, "SAFE"},
		{"none of them", s + `struct s x; assert(x.b == 0); return 0; }`, "UNSAFE"},
		{"on one way", s + `struct s x; x.a = 1; if (n) x.b = 2; assert(x.b != 3); return 0; }`, "UNKNOWN"},
		{"on both", s + `struct s x; x.a = 1; if (n) x.b = 2; else x.b = 0; assert(x.b != 3); return 0; }`, "SAFE"},
		{"of malloc", s + `struct s *p = malloc(sizeof *p); if (!p) return 0; p->a = 1; p->c = 2; assert(p->c == 2 && p->a == 1); free(p); return 0; }`, "SAFE"},
		{"of malloc, what is not", s + `struct s *p = malloc(sizeof *p); if (!p) return 0; p->a = 1; p->c = 2; assert(p->b == 0); free(p); return 0; }`, "UNKNOWN"},
		{"of elements", s + `struct s x[3]; for (int i = 0; i < 3; i++) { x[i].a = i; x[i].b = 1; } for (int i = 0; i < 3; i++) assert(x[i].a == i && x[i].b == 1); return 0; }`, "SAFE"},
		{"by another thread", `#include <pthread.h>
#include <stdlib.h>
struct s { unsigned a : 4, b : 4; } *p; _Atomic int n; void *f(void *v) { p->b = 2; n = 1; return 0; } int main(void) { pthread_t t; p = malloc(sizeof *p); if (!p) return 0; p->a = 1; pthread_create(&t, 0, f, 0); if (n) assert(p->b == 2 && p->a == 1); return 0; }`, "SAFE"},
		{"in main", inMain + `x.a = 1; x.b = 2; struct s y = x; assert(y.b == 2 && y.a == 1); return 0; }`, "SAFE"},
		{"in main, what is not", inMain + `x.a = 1; assert(x.b == 0); return 0; }`, "UNKNOWN"},
		{"in main, none of them", inMain + `x.d = 1; assert(x.b == 0); return 0; }`, "UNSAFE"},
		{"as a whole", strings.Replace(inMain, "struct s x;", "union { struct { unsigned a : 4, b : 28; } s; unsigned w; } x;", 1) + `x.s.a = 1; assert(x.w == 1); return 0; }`, "UNKNOWN"},
		{"as a whole, all of it", strings.Replace(inMain, "struct s x;", "union { struct { unsigned a : 4, b : 28; } s; unsigned w; } x;", 1) + `x.s.a = 1; x.s.b = 2; assert(x.w == 0x21); return 0; }`, "SAFE"},
		{"as a byte", strings.Replace(inMain, "struct s x;", "union { struct { unsigned a : 4, b : 28; } s; unsigned char w[4]; } x;", 1) + `x.s.a = 1; assert(x.w[0] == 1); return 0; }`, "UNKNOWN"},
		{"as bytes, all of it", strings.Replace(inMain, "struct s x;", "union { struct { unsigned a : 4, b : 28; } s; unsigned char w[4]; } x;", 1) + `x.s.a = 1; x.s.b = 2; assert(x.w[0] == 0x21 && !x.w[3] && x.s.b == 2); return 0; }`, "SAFE"},
		{"as one of two", inMain + `x.a = 1; unsigned short *h = (unsigned short *)&x; assert(h[0] == 1); return 0; }`, "UNSAFE"},
		{"in bytes", s + `_Alignas(4) char x[8]; struct s *p = (struct s *)x; p->a = 1; assert(!p->b); return 0; }`, "UNKNOWN"},
		{"in bytes, what is", s + `_Alignas(4) char x[8]; struct s *p = (struct s *)x; p->a = 1; p->b = 2; assert(p->b == 2 && p->a == 1); return 0; }`, "SAFE"},
		{"in bytes of main", inMain + `_Alignas(4) char y[8]; struct s *p = (struct s *)y; p->a = 1; assert(!p->b); return 0; }`, "UNKNOWN"},
		{"byte by byte, to where it is not looked at", strings.Replace(s, "struct s {", "struct b { unsigned char a : 1, b : 7, c; };\nstruct s {", 1) + `struct b x, y; x.a = 1; x.c = 2; unsigned char *p = (unsigned char *)&x, *q = (unsigned char *)&y; for (int i = 0; i < 2; i++) q[i] = p[i]; assert(y.a == 1 && y.c == 2); return 0; }`, "SAFE"},
		{"copied", s + `struct s x, y; x.a = 1; y = x; assert(y.a == 1); assert(y.b == 0); return 0; }`, "UNKNOWN"},
		{"copied, what is", s + `struct s x, y, z; x.a = 1; y = x; y.b = 2; z = y; assert(z.a == 1 && z.b == 2); return 0; }`, "SAFE"},
		{"copied over what is", s + `struct s x, y; x.a = 1; y.b = 2; y = x; assert(y.b == 2); return 0; }`, "UNKNOWN"},
		{"copied, none of them, and then stored to", s + `struct s x, y; y = x; y.a = 1; assert(y.a == 1); assert(y.b == 0); return 0; }`, "UNKNOWN"},
		{"copied to a static one", s + `static struct s y; struct s x; x.a = 1; assert(!y.b); y = x; assert(!y.b); return 0; }`, "UNKNOWN"},
		{"a static one that what is not is copied to", s + `static struct s y; struct s x; y = x; y.a = 1; assert(y.a == 1); assert(!y.b); return 0; }`, "UNKNOWN"},
		{"copied by bytes", s + `struct s x, y; x.a = 1; __builtin_memcpy(&y, &x, sizeof x); assert(y.a == 1); assert(y.b == 0); return 0; }`, "UNKNOWN"},
		{"given", strings.Replace(s, "void *f(void *v) {", "struct s g(unsigned a) { struct s x; x.a = a; return x; }\nvoid *f(void *v) {", 1) + `assert(g(1).a == 1); assert(g(1).b == 0); return 0; }`, "UNKNOWN"},
		{"given, what is", strings.Replace(s, "void *f(void *v) {", "struct s g(unsigned a) { struct s x; x.a = a; return x; }\nvoid *f(void *v) {", 1) + `struct s y = g(2); assert(g(1).a == 1 && y.a == 2); return 0; }`, "SAFE"},
		{"on one way copied", s + `struct s x, y; x.a = 1; y.a = 2; y.b = 3; if (n) y = x; assert(y.a); assert(y.b == 3); return 0; }`, "UNKNOWN"},
		{"copied by another thread", `#include <pthread.h>
#include <stdlib.h>
struct s { unsigned a : 4, b : 4; } g; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; void *f(void *v) { struct s x; x.a = 1; pthread_mutex_lock(&m); g = x; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); assert(!g.b); pthread_mutex_unlock(&m); return 0; }`, "UNKNOWN"},
		{"stored to by another thread alone", `#include <pthread.h>
#include <stdlib.h>
struct s { unsigned a : 4, b : 4; } *p; _Atomic int n; void *f(void *v) { p->a = 2; n = 1; return 0; } int main(void) { pthread_t t; p = malloc(sizeof *p); if (!p) return 0; pthread_create(&t, 0, f, 0); if (n) assert(p->b == 0); return 0; }`, "UNKNOWN"},
		{"a static one that what is not is copied to, and on", s + `static struct s y[2]; struct s x; y[0] = x; y[1] = y[0]; y[1].a = 1; assert(y[1].a == 1); assert(!y[1].b); return 0; }`, "UNKNOWN"},
		{"in a loop, copied where others might look", strings.Replace(s, "int n;", "int n; struct s *_Atomic q;", 1) + `for (int i = 0; i < 2; i++) { struct s x; struct s y = x; q = &y; y.a = 1; assert(y.a == 1); if (i) assert(!y.b); else y.b = 0; } return 0; } void *g(void *v) { struct s *p = q; return p ? (void *)(long)p->a : 0; }`, "UNKNOWN"},
		{"none of them copied by another thread, then stored to", others + `struct s x; pthread_mutex_lock(&m); g = x; n = 1; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); if (n) { g.a = 1; assert(!g.b); } pthread_mutex_unlock(&m); return 0; }`, "UNKNOWN"},
		{"none of them copied by another thread, then stored to by that", others + `struct s x; pthread_mutex_lock(&m); g = x; g.a = 1; n = 1; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); if (n) assert(!g.b); pthread_mutex_unlock(&m); return 0; }`, "UNKNOWN"},
		{"none of them copied by another thread, and from there", others + `struct s x; pthread_mutex_lock(&m); g = x; n = 1; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); if (n) { struct s y = g; y.a = 1; assert(!y.b); } pthread_mutex_unlock(&m); return 0; }`, "UNKNOWN"},
		{"all of them copied by another thread, and from there", others + `struct s x; x.a = 1; x.b = 2; pthread_mutex_lock(&m); g = x; n = 1; pthread_mutex_unlock(&m); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); if (n) { struct s y = g; y.a = 3; assert(y.b == 2); } pthread_mutex_unlock(&m); return 0; }`, "SAFE"},
		{"copied in main", inMain + `x.a = 1; struct s y = x; assert(y.a == 1); assert(y.b == 0); return 0; }`, "UNKNOWN"},
		{"in a word that is compared", `#include <stdatomic.h>
#include <pthread.h>
struct tag { unsigned idx : 6, cnt : 10; }; _Atomic struct tag top; void *f(void *v) { struct tag o = atomic_load(&top), n; do { n.idx = 5; n.cnt = o.cnt + 1; } while (!atomic_compare_exchange_weak(&top, &o, n)); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); struct tag o = atomic_load(&top); assert(o.idx == 5 && o.cnt == 2); return 0; }`, "SAFE"},
		{"past its array, into another one", `struct t { struct { int k; unsigned a : 4; } x[2]; int y; unsigned z : 3; } h; int main(void) { unsigned i = __VERIFIER_nondet_int(); if (i > 2) return 0; h.x[i].a = 3; return 0; }`, "UNSAFE"},
		{"in main, by its initialiser", `struct s { unsigned a : 4, b : 4; }; int main(void) { struct s x = { .a = 1 }; assert(x.b == 0); return 0; }`, "SAFE"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, snippetText(x.body), x.want, memory.TSO)
		})
	}
}
