package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// sizeHeaders are what these programs need.
const sizeHeaders = "#include <assert.h>\n#include <pthread.h>\n#include <signal.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n#include <string.h>\nint __VERIFIER_nondet_int(void);\n"

// TestForeseen: sizes of objects and numbers of threads that stand in memory.
func TestForeseen(t *testing.T) {
	const shared = "struct c { int n; int *q; } c; pthread_t t; int z; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;"
	checkSizes(t, []snippet{
		{"another thread stores less", shared + `void *f(void *a) { c.n = 1; return 0; } int main(void) { c.n = 12; pthread_create(&t, 0, f, 0); c.q = malloc(c.n * sizeof(int)); c.q[2] = 1; return 0; }`, "UNSAFE"},
		{"another thread stores more", shared + `void *f(void *a) { c.n = 12; return 0; } int main(void) { c.n = 10; pthread_create(&t, 0, f, 0); c.q = malloc(c.n * sizeof(int)); c.q[10] = 1; return 0; }`, "UNSAFE"},
		{"a thread that has ended stored it", shared + `void *f(void *a) { c.n = 4; return 0; } int main(void) { c.n = 10; pthread_create(&t, 0, f, 0); pthread_join(t, 0); c.q = malloc(c.n * sizeof(int)); c.q[3] = 1; return 0; }`, "SAFE"},
		{"a thread that has ended stored it, and past it", shared + `void *f(void *a) { c.n = 4; return 0; } int main(void) { c.n = 10; pthread_create(&t, 0, f, 0); pthread_join(t, 0); c.q = malloc(c.n * sizeof(int)); c.q[4] = 1; return 0; }`, "UNSAFE"},
		{"another thread stores by a pointer", shared + `void *f(void *a) { int *p = a; *p = 2; return 0; } int main(void) { c.n = 12; pthread_create(&t, 0, f, &c); c.q = malloc(c.n * sizeof(int)); c.q[2] = 1; return 0; }`, "UNSAFE"},
		{"another thread clears all", shared + `void *f(void *a) { memset(a, 0, sizeof(struct c)); return 0; } int main(void) { c.n = 12; pthread_create(&t, 0, f, &c); int *q = malloc(c.n * sizeof(int)); q[2] = 1; return 0; }`, "UNSAFE"},
		{"by another pointer, past it", shared + `int main(void) { c.n = 12; int *p = &c.n; *p = 10; c.q = malloc(c.n * sizeof(int)); c.q[10] = 1; return 0; }`, "UNSAFE"},
		{"by another pointer", shared + `int main(void) { c.n = 12; int *p = &c.n; *p = 14; c.q = malloc(c.n * sizeof(int)); c.q[13] = 1; return 0; }`, "SAFE"},
		{"copied, past it", shared + `int main(void) { struct c d = { 9, 0 }; c.n = 12; memcpy(&c, &d, sizeof c); c.q = malloc(c.n * sizeof(int)); c.q[9] = 1; return 0; }`, "UNSAFE"},
		{"copied", shared + `int main(void) { struct c d = { 9, 0 }; c.n = 2; memcpy(&c, &d, sizeof c); c.q = malloc(c.n * sizeof(int)); c.q[8] = 1; return 0; }`, "SAFE"},
		{"a structure is assigned, past it", shared + `int main(void) { struct c d = { 9, 0 }; c.n = 12; c = d; c.q = malloc(c.n * sizeof(int)); c.q[9] = 1; return 0; }`, "UNSAFE"},
		{"by another member of a union", `union u { int n; unsigned m; } u; int main(void) { u.n = 12; u.m = 10; int *q = malloc(u.n * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"a half of it", `union u { long n; struct { int lo, hi; } s; } u; int main(void) { u.n = 12; u.s.lo = 10; int *q = malloc(u.n * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"another one in each round", shared + `int main(void) { int *q[12]; for (c.n = 1; c.n <= 12; c.n++) { q[c.n - 1] = malloc(c.n * sizeof(int)); q[c.n - 1][c.n - 1] = 1; } return 0; }`, "SAFE"},
		{"another one in each round, past one", shared + `int main(void) { int *q[12]; for (c.n = 1; c.n <= 12; c.n++) { q[c.n - 1] = malloc(c.n * sizeof(int)); q[c.n - 1][0] = 1; } q[9][10] = 1; return 0; }`, "UNSAFE"},
		{"in memory that is freed", `struct c { int n; }; int main(void) { struct c *c = malloc(sizeof *c); c->n = 12; free(c); int *q = malloc(c->n * sizeof(int)); return 0; }`, "UNSAFE"},
		{"volatile", `struct { volatile int n; } c; int main(void) { c.n = 12; int *q = malloc(c.n * sizeof(int)); q[11] = 1; return 0; }`, "SAFE"},
		{"by a function for a signal", `struct { volatile sig_atomic_t n; } c; void h(int s) { c.n = 10; } int main(void) { signal(SIGUSR1, h); c.n = 12; raise(SIGUSR1); int *q = malloc(c.n * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"by a function for once, past it", `struct { int n; } c; pthread_once_t o = PTHREAD_ONCE_INIT; void h(void) { c.n = 10; } int main(void) { c.n = 12; pthread_once(&o, h); int *q = malloc(c.n * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"by a function for once", `struct { int n; } c; pthread_once_t o = PTHREAD_ONCE_INIT; void h(void) { c.n = 12; } int main(void) { c.n = 1; pthread_once(&o, h); int *q = malloc(c.n * sizeof(int)); q[11] = 1; return 0; }`, "SAFE"},
		{"by a constructor, past it", `struct { int n; } c; __attribute__((constructor)) void h(void) { c.n = 10; } int main(void) { int *q = malloc(c.n * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"by a constructor", `struct { int n; } c; __attribute__((constructor)) void h(void) { c.n = 10; } int main(void) { int *q = malloc(c.n * sizeof(int)); q[9] = 1; return 0; }`, "SAFE"},
		{"of the thread itself", `_Thread_local struct { int n; } c; int main(void) { c.n = 10; int *q = malloc(c.n * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"static in a function", `int *get(void) { static struct { int n; } c = { 8 }; c.n++; return malloc(c.n * sizeof(int)); } int main(void) { int *q = get(); q[8] = 1; q = get(); q[9] = 1; return 0; }`, "SAFE"},
		{"static in a function, past it", `int *get(void) { static struct { int n; } c = { 8 }; c.n++; return malloc(c.n * sizeof(int)); } int main(void) { int *q = get(); q[8] = 1; q = get(); q[10] = 1; return 0; }`, "UNSAFE"},
		{"a field of bits", `struct { unsigned n : 5, k : 3; } c; int main(void) { c.n = 12; c.k = 7; c.n += 30; int *q = malloc(c.n * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"a narrow one, past it", `struct { unsigned char n; } c; int main(void) { c.n = 12; c.n += 254; int *q = malloc(c.n * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"a narrow one", `struct { unsigned char n; } c; int main(void) { c.n = 12; c.n += 254; int *q = malloc(c.n * sizeof(int)); q[9] = 1; return 0; }`, "SAFE"},
		{"too many, past an assertion", `int main(void) { int n = __VERIFIER_nondet_int(), s = 0; if (n < 1 || n > 10) return 0; int *q = malloc(n * sizeof(int)); for (int i = 0; i < n; i++) q[i] = i; for (int i = 0; i < n; i++) s += q[i]; assert(s < 45); return 0; }`, "UNSAFE"},
		{"as many as there may be", `int main(void) { int n = __VERIFIER_nondet_int(), s = 0; if (n < 1 || n > 10) return 0; int *q = malloc(n * sizeof(int)); for (int i = 0; i < n; i++) q[i] = i; for (int i = 0; i < n; i++) s += q[i]; assert(s < 46); return 0; }`, "SAFE"},
		{"past an assertion that fails before", `int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 12) return 0; assert(n != 9); int *q = malloc(n * sizeof(int)); q[n - 1] = 1; return 0; }`, "UNSAFE"},
		{"below 0", `struct { int n; } c; int main(void) { c.n = -12; int *q = malloc(c.n * sizeof(int)); return 0; }`, "UNSAFE"},
		{"chosen", `struct { int n; } c; int main(void) { c.n = 12; if (__VERIFIER_nondet_int()) c.n = 3; int *q = malloc(c.n * sizeof(int)); q[3] = 1; return 0; }`, "UNSAFE"},
		{"in memory that moves, past it", `struct c { int n; int *q; }; int main(void) { struct c *c = malloc(sizeof *c); c->n = 10; c = realloc(c, 2 * sizeof *c); c->q = malloc(c->n * sizeof(int)); c->q[10] = 1; return 0; }`, "UNSAFE"},
		{"in memory that moves", `struct c { int n; int *q; }; int main(void) { struct c *c = malloc(sizeof *c); c->n = 10; c = realloc(c, 2 * sizeof *c); c->q = malloc(c->n * sizeof(int)); c->q[9] = 1; return 0; }`, "SAFE"},
		{"two objects, past the smaller one", `struct c { int n; int *q; }; struct c *mk(int n) { struct c *c = malloc(sizeof *c); c->n = n; c->q = malloc(c->n * sizeof(int)); return c; } int main(void) { struct c *a = mk(12), *b = mk(10); a->q[11] = 1; b->q[10] = 1; return 0; }`, "UNSAFE"},
		{"two objects", `struct c { int n; int *q; }; struct c *mk(int n) { struct c *c = malloc(sizeof *c); c->n = n; c->q = malloc(c->n * sizeof(int)); return c; } int main(void) { struct c *a = mk(12), *b = mk(10); a->q[11] = 1; b->q[9] = 1; return 0; }`, "SAFE"},
		{"by a function that a pointer points to", `struct { int n; } c; void h(void) { c.n = 10; } void (*g)(void) = h; int main(void) { c.n = 12; g(); int *q = malloc(c.n * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"threads change how many there are", `struct p { int n; pthread_t *t; atomic_int k; } p; void *f(void *a) { p.n = 5; p.k++; return 0; } int main(void) { p.n = 10; p.t = malloc(p.n * sizeof(pthread_t)); for (int i = 0; i < p.n; i++) pthread_create(p.t + i, 0, f, 0); for (int i = 0; i < 10; i++) pthread_join(p.t[i], 0); return 0; }`, "UNSAFE"},
		{"a thread is not waited for", `struct p { int n; pthread_t *t; atomic_int k; } p; void *f(void *a) { p.k++; return 0; } int main(void) { p.n = 3; p.t = malloc(p.n * sizeof(pthread_t)); for (int i = 0; i < p.n; i++) pthread_create(p.t + i, 0, f, 0); for (int i = 0; i < p.n - 1; i++) pthread_join(p.t[i], 0); assert(p.k == 3); return 0; }`, "UNSAFE"},
		{"twelve threads", `struct p { int n; pthread_t *t; } *p; void *f(void *a) { return a; } int main(void) { p = malloc(sizeof *p); p->n = 12; p->t = malloc(p->n * sizeof(pthread_t)); for (int i = 0; i < p->n; i++) pthread_create(p->t + i, 0, f, p); for (int i = 0; i < p->n; i++) pthread_join(p->t[i], 0); free(p->t); free(p); return 0; }`, "SAFE"},
		{"twelve threads and one more", `struct p { int n; pthread_t *t; } *p; void *f(void *a) { return a; } int main(void) { p = malloc(sizeof *p); p->n = 12; p->t = malloc(p->n * sizeof(pthread_t)); for (int i = 0; i <= p->n; i++) pthread_create(p->t + i, 0, f, p); return 0; }`, "UNSAFE"},
		{"threads that race", `struct p { int n; pthread_t *t; int k; } *p; void *f(void *a) { p->k++; assert(p->k < 3 || p->k > 3); return a; } int main(void) { p = calloc(1, sizeof *p); p->n = 9; p->t = malloc(p->n * sizeof(pthread_t)); for (int i = 0; i < p->n; i++) pthread_create(p->t + i, 0, f, p); return 0; }`, "UNSAFE"},
		{"with a copy of a structure that is given up", `struct m { void *f; }; struct c { int n; int *q; } *c; pthread_t t; struct m const none = { 0 }; void *get(size_t n, struct m m) { return malloc(n); } struct c *mk(int n, struct m m) { struct c *c = malloc(sizeof *c); c->n = n; c->q = get(c->n * sizeof(int), m); return c; } void *f(void *a) { struct c *c = a; c->q[1]++; return 0; } int main(void) { struct c *c = mk(11, none); c->q[10] = 1; c->q[1] = 0; pthread_create(&t, 0, f, c); pthread_join(t, 0); return 8 / c->q[1]; }`, "SAFE"},
		{"with a copy of a structure that is given up, past it", `struct m { void *f; }; struct c { int n; int *q; } *c; pthread_t t; struct m const none = { 0 }; void *get(size_t n, struct m m) { return malloc(n); } struct c *mk(int n, struct m m) { struct c *c = malloc(sizeof *c); c->n = n; c->q = get(c->n * sizeof(int), m); return c; } void *f(void *a) { struct c *c = a; c->q[1]++; return 0; } int main(void) { struct c *c = mk(11, none); c->q[11] = 1; c->q[1] = 0; pthread_create(&t, 0, f, c); pthread_join(t, 0); return 8 / c->q[1]; }`, "UNSAFE"},
		{"by a pointer to itself", `struct c { int n; struct c *self; }; int main(void) { struct c *c = malloc(sizeof *c); c->self = c; c->n = 12; c->self->self->n = 10; int *q = malloc(c->n * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"in an array", `int n[3]; int i; int main(void) { n[0] = 12; n[1] = 10; i = 1; int *q = malloc(n[i] * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"in an array, by an index below 0", `int n[3]; int main(void) { n[0] = 12; int *p = n + 2; p[-2] = 10; int *q = malloc(n[0] * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"an array of so many, past it", `struct { int n; } c; int main(void) { c.n = 10; int a[c.n]; a[9] = 1; c.n = 11; a[10] = 1; return 0; }`, "UNSAFE"},
		{"an array of so many", `struct { int n; } c; int main(void) { c.n = 10; int a[c.n]; c.n = 11; a[9] = 1; assert(sizeof a == 40); return 0; }`, "SAFE"},
		{"the length of a text", `struct { const char *s; char *d; } c; int main(void) { c.s = "hello world, you"; c.d = malloc(strlen(c.s) + 1); strcpy(c.d, c.s); assert(c.d[15] == 0x75); return 0; }`, "SAFE"},
		{"the length of a text, without its end", `struct { const char *s; char *d; } c; int main(void) { c.s = "hello world, you"; c.d = malloc(strlen(c.s)); strcpy(c.d, c.s); return 0; }`, "UNSAFE"},
		{"by a choice that is known", `struct { int n, k; } c; int main(void) { c.k = 1; c.n = c.k ? 10 : 12; int *q = malloc(c.n * sizeof(int)); q[10] = 1; return 0; }`, "UNSAFE"},
		{"changed later", shared + `void *f(void *a) { c.n = 1; return 0; } int main(void) { c.n = 12; c.q = malloc(c.n * sizeof(int)); pthread_create(&t, 0, f, 0); c.q[11] = 1; return 0; }`, "SAFE"},
		{"changed later, and read again", shared + `void *f(void *a) { c.n = 14; return 0; } int main(void) { c.n = 12; c.q = malloc(c.n * sizeof(int)); pthread_create(&t, 0, f, 0); for (int i = 0; i < c.n; i++) c.q[i] = 1; return 0; }`, "UNSAFE"},
		{"changed between two rounds", shared + `void *f(void *a) { c.n = 1; return 0; } int main(void) { for (int i = 0; i < 2; i++) { if (!i) c.n = 12; c.q = malloc(c.n * sizeof(int)); if (!i) pthread_create(&t, 0, f, 0); c.q[1] = 1; } return 0; }`, "UNSAFE"},
		{"changed in a loop that is never known to end", `struct { int n; } c; int main(void) { c.n = 3; while (__VERIFIER_nondet_int()) { int *q = malloc(c.n * sizeof(int)); q[2] = 1; free(q); if (__VERIFIER_nondet_int()) c.n = 2; } return 0; }`, "UNSAFE"},
		{"another thread decides what is stored", shared + `int flag; void *f(void *a) { flag = 1; return 0; } int main(void) { c.n = 5; pthread_create(&t, 0, f, 0); pthread_join(t, 0); if (flag) c.n = 2; c.q = malloc(c.n * sizeof(int)); c.q[2] = 1; return 0; }`, "UNSAFE"},
		{"a mutex decides what is stored", shared + `void *f(void *a) { pthread_mutex_lock(&m); return 0; } int main(void) { c.n = 5; pthread_create(&t, 0, f, 0); if (pthread_mutex_trylock(&m)) c.n = 2; c.q = malloc(c.n * sizeof(int)); c.q[2] = 1; return 0; }`, "UNSAFE"},
		{"an exchange decides what is stored", shared + `atomic_int k; void *f(void *a) { k = 1; return 0; } int main(void) { c.n = 5; pthread_create(&t, 0, f, 0); int e = 0; if (!atomic_compare_exchange_strong(&k, &e, 3)) c.n = 2; c.q = malloc(c.n * sizeof(int)); c.q[2] = 1; return 0; }`, "UNSAFE"},
		{"an exchange is in what is stored", shared + `atomic_int k; void *f(void *a) { k = 1; return 0; } int main(void) { c.n = 5; pthread_create(&t, 0, f, 0); c.n -= 3 * atomic_exchange(&k, 3); c.q = malloc(c.n * sizeof(int)); c.q[2] = 1; return 0; }`, "UNSAFE"},
		{"what a thread ends with decides what is stored", shared + `void *f(void *a) { return &c; } int main(void) { c.n = 5; void *r; pthread_create(&t, 0, f, 0); pthread_join(t, &r); if (r) c.n = 2; c.q = malloc(c.n * sizeof(int)); c.q[2] = 1; return 0; }`, "UNSAFE"},
		{"after a wait for a condition", shared + `pthread_cond_t w = PTHREAD_COND_INITIALIZER; void *f(void *a) { pthread_mutex_lock(&m); c.n = 2; pthread_cond_signal(&w); pthread_mutex_unlock(&m); return 0; } int main(void) { c.n = 5; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); while (c.n != 2) pthread_cond_wait(&w, &m); c.q = malloc(c.n * sizeof(int)); c.q[2] = 1; return 0; }`, "UNSAFE"},
	})
}

// TestNothing: objects of 0 bytes, and accesses to more bytes than there are.
func TestNothing(t *testing.T) {
	checkSizes(t, []snippet{
		{"an object of 0 bytes", `int main(void) { char *p = malloc(0), *q = calloc(0, 4); assert(!p || p != q); free(p); free(q); return 0; }`, "SAFE"},
		{"an access to an object of 0 bytes", `int main(void) { char *p = malloc(0); if (p) *p = 1; return 0; }`, "UNSAFE"},
		{"an object of 0 bytes may be null", `int main(void) { char *p = malloc(0); assert(p); return 0; }`, "UNSAFE"},
		{"an object of 0 bytes need not be null", `int main(void) { char *p = malloc(0); assert(!p); return 0; }`, "UNSAFE"},
		{"an access of a byte to an object of 0 bytes", `int main(void) { char *p = malloc(0); return p ? *p : 0; }`, "UNSAFE"},
		{"an access to one of 0 bytes or more", `int main(void) { char c = 1, *p = rand() % 2 ? malloc(0) : &c; return p ? *p : 0; }`, "UNSAFE"},
		{"a store to what is freed of 0 bytes", `int main(void) { _Bool *p = malloc(0); if (!p) return 0; *p = 1; free(p); return 0; }`, "UNSAFE"},
		{"a load of what is freed of 0 bytes", `int main(void) { _Bool *p = malloc(0); if (!p) return 0; int v = *p; free(p); return v; }`, "UNSAFE"},
		{"an access after an object of 0 bytes is freed", `int a[2], b[2], g; void *f(void *x) { g++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); char *p = malloc(0); if (!p) return 0; free(p); int i = g + 2; b[0] = a[i]; return 0; }`, "UNSAFE"},
		{"an object of 0 bytes is freed twice, beside a thread", `int g; void *f(void *x) { g++; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); char *p = malloc(0); free(p); free(p); g++; pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"an object of 0 bytes is freed twice", `int main(void) { char *p = malloc(0); if (p) { free(p); free(p); } return 0; }`, "UNSAFE"},
		{"what lies behind an object of 0 bytes is freed", `int main(void) { char *p = malloc(0); if (p) free(p + 1); return 0; }`, "UNSAFE"},
		{"an object of 0 bytes is freed by another thread", `char *g; void *f(void *a) { free(g); return 0; } int main(void) { pthread_t t; g = malloc(0); pthread_create(&t, 0, f, 0); return 0; }`, "SAFE"},
		{"an object of 0 bytes is freed by two threads", `char *g; void *f(void *a) { free(g); return 0; } int main(void) { pthread_t t, s; g = malloc(0); pthread_create(&t, 0, f, 0); pthread_create(&s, 0, f, 0); return 0; }`, "UNSAFE"},
		{"an object shrinks to 0 bytes", `int main(void) { int *p = malloc(8); p[1] = 2; p = realloc(p, 0); free(p); return 0; }`, "SAFE"},
		{"an object has shrunk to 0 bytes, and is freed", `int main(void) { int *p = malloc(8), *q = p; p = realloc(p, 0); free(q); return 0; }`, "UNSAFE"},
		{"an object has shrunk to 0 bytes, and is accessed", `int main(void) { int *p = malloc(8); p = realloc(p, 0); if (p) p[0] = 1; return 0; }`, "UNSAFE"},
		{"an object grows from 0 bytes", `int main(void) { int *p = malloc(0); p = realloc(p, 8); p[1] = 3; assert(p[1] == 3); free(p); return 0; }`, "SAFE"},
		{"an array of no elements", `int main(void) { int n = 0; int a[n]; return 0; }`, "UNSAFE"},
		{"alloca of 0 bytes", "#include <alloca.h>\nint main(void) { char *p = alloca(0); assert(p); return 0; }", "SAFE"},
		{"0 to 4 elements", `int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 4) return 0; long *p = malloc(n * 8); for (int i = 0; i < n; i++) p[i] = 1; free(p); return 0; }`, "SAFE"},
		{"0 to 4 elements, and one more", `int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 4) return 0; long *p = malloc(n * 8); for (int i = 0; i <= n; i++) p[i] = 1; free(p); return 0; }`, "UNSAFE"},
		{"the first of 0 to 4 elements", `int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 4) return 0; long *p = malloc(n * 8); if (p) p[0] = 1; return 0; }`, "UNSAFE"},
		{"0 to 4 threads", `void *f(void *a) { return 0; } int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 4) return 0; pthread_t *p = malloc(n * sizeof(pthread_t)); for (int i = 0; i < n; i++) pthread_create(p + i, 0, f, 0);  for (int i = 0; i < n; i++) pthread_join(p[i], 0); free(p); return 0; }`, "SAFE"},
		{"a free number of threads, and too many", `void *f(void *a) { return 0; } int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 5000) return 0; pthread_t *p = malloc(n * sizeof(pthread_t)); for (int i = 0; i < n; i++) pthread_create(p + i, 0, f, 0); for (int i = 0; i < n; i++) pthread_join(p[i], 0); return 0; }`, "UNKNOWN"},
		{"a free number of threads, one of which is not waited for", `atomic_int k; void *f(void *a) { k++; return 0; } int main(void) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 5000) return 0; pthread_t *p = malloc(n * sizeof(pthread_t)); for (int i = 0; i < n; i++) pthread_create(p + i, 0, f, 0); for (int i = 1; i < n; i++) pthread_join(p[i], 0); assert(k == n); return 0; }`, "UNSAFE"},
		{"a free number of bytes behind a header", `struct h { long n; char b[]; }; int main(void) { unsigned n = __VERIFIER_nondet_int(); struct h *p = malloc(n * sizeof(char) + sizeof *p); p->n = n; if (n < 6) p->b[n] = 0; return 0; }`, "UNSAFE"},
		{"a free number of elements, of which one has too few", `int main(void) { unsigned n = __VERIFIER_nondet_int(); short *p = malloc((n + 1) * sizeof(short)); p[n == 3 ? 4 : n] = 1; return 0; }`, "UNSAFE"},
		{"a number of elements that goes round", `int main(void) { unsigned char n = __VERIFIER_nondet_int(); unsigned char k = n + 250; int *p = malloc(k * sizeof(int)); if (n == 10) p[4] = 1; return 0; }`, "UNSAFE"},
		{"a number of elements that goes round, and few", `int main(void) { unsigned char n = __VERIFIER_nondet_int(); unsigned char k = n + 250; int *p = malloc(k * sizeof(int)); if (n == 10) p[3] = 1; return 0; }`, "UNKNOWN"},
		{"a free number of 64 bits whose size goes round", `unsigned long __VERIFIER_nondet_ulong(void); int main(void) { unsigned long n = __VERIFIER_nondet_ulong(); int *p = malloc(n * sizeof(int)); if (n == 0x4000000000000001) p[1] = 1; return 0; }`, "UNSAFE"},
		{"elements before the header in the size", `struct a { atomic_size_t n; atomic_int b[]; }; _Atomic(struct a *) p; struct a *make(size_t n) { struct a *a = calloc(1, n * sizeof(atomic_int) + sizeof(struct a)); a->n = n; return a; } void *f(void *x) { struct a *a = make(p->n << 1); a->b[1] = 7; p = a; return 0; } int main(void) { p = make(2); pthread_t t; pthread_create(&t, 0, f, 0); struct a *a = p; a->b[1 % a->n] = 9; assert(a->b[1] == 9); return 0; }`, "SAFE"},
		{"elements before the header in the size, and past them", `struct a { atomic_size_t n; atomic_int b[]; }; _Atomic(struct a *) p; struct a *make(size_t n) { struct a *a = calloc(1, n * sizeof(atomic_int) + sizeof(struct a)); a->n = n; return a; } void *f(void *x) { struct a *a = make(p->n << 1); a->b[1] = 7; p = a; return 0; } int main(void) { p = make(2); pthread_t t; pthread_create(&t, 0, f, 0); p->b[4] = 1; return 0; }`, "UNSAFE"},
		{"numbers before a header in the size", `struct h { long n; int k; }; int main(void) { int n = 3; struct h *p = malloc(n * sizeof(int) + sizeof(struct h)); p->n = 5; int *b = (int *)(p + 1); b[2] = 7; assert(p->n == 5 && b[2] == 7); return 0; }`, "SAFE"},
		{"numbers before a header in the size, and past them", `struct h { long n; int k; }; int main(void) { int n = 3; struct h *p = malloc(n * sizeof(int) + sizeof(struct h)); p->n = 5; int *b = (int *)(p + 1); b[3] = 7; return 0; }`, "UNSAFE"},
		{"more bytes are cleared than there are", `int b[42]; int main(void) { memset(b, 0, 169); return 0; }`, "UNSAFE"},
		{"fewer bytes are cleared than there are, and not whole elements", `int b[42]; int main(void) { memset(b, 0, 167); return 0; }`, "SAFE"},
		{"more bytes are copied than there are", `int b[42], c[50]; int main(void) { memcpy(b, c, 169); return 0; }`, "UNSAFE"},
		{"more bytes are copied than there are where they are from", `int b[50], c[42]; int main(void) { memcpy(b, c, 169); return 0; }`, "UNSAFE"},
	})
}

func checkSizes(t *testing.T, programs []snippet) {
	for _, s := range programs {
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			t.Run(s.name+", "+string(m), func(t *testing.T) {
				t.Parallel()
				if got := verdictOf(t, read(t, "main.c", sizeHeaders+s.body, c.Options{}), m, "auto"); got != s.want {
					t.Errorf("%s, want %s", got, s.want)
				}
			})
		}
	}
}
