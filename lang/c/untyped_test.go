package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestStoredBytes has bytes in what malloc gives that are stored before the memory is taken for something larger, and bytes of something larger that are stored at once.
func TestStoredBytes(t *testing.T) {
	t.Parallel()
	const s = `struct s { int a, b; } *p; int *q; char *zeros(void) { char *g = calloc(1, 8); if (!g) exit(0); return g; } char *any(void) { char *g = malloc(8); if (!g) exit(0); return g; }
`
	for _, x := range []snippet{
		{"one of zeros", s + `int main(void) { char *g = zeros(); q = (int *)g; g[1] = 17; assert(*q == 4352); return 0; }`, "SAFE"},
		{"one of zeros, which counts", s + `int main(void) { char *g = zeros(); q = (int *)g; g[1] = 17; assert(*q == 0); return 0; }`, "UNSAFE"},
		{"one of zeros, of a structure", s + `int main(void) { char *g = zeros(); p = (struct s *)g; g[5] = 17; assert(p->b == 4352 && p->a == 0); return 0; }`, "SAFE"},
		{"one of zeros, of a structure, which counts", s + `int main(void) { char *g = zeros(); p = (struct s *)g; g[5] = 17; assert(p->b == 0); return 0; }`, "UNSAFE"},
		{"a half of zeros", s + `int main(void) { char *g = zeros(); q = (int *)g; *(short *)(g + 2) = 1; assert(*q == 65536); return 0; }`, "SAFE"},
		{"a half of zeros, as a byte", s + `int main(void) { char *g = zeros(); *(short *)(g + 2) = 0x102; assert(g[2] == 2 && g[3] == 1); return 0; }`, "SAFE"},
		{"a byte below zero", s + `int main(void) { char *g = zeros(); q = (int *)g; for (int i = 0; i < 4; i++) g[i] = -1; assert(*q == -1); return 0; }`, "SAFE"},
		{"all of them are set", s + `int main(void) { char *g = any(); memset(g, 3, 8); q = (int *)g; assert(q[1] == 0x3030303); return 0; }`, "SAFE"},
		{"all of them are set, one anew", s + `int main(void) { char *g = any(); memset(g, 3, 8); g[0] = 4; q = (int *)g; assert(*q == 0x3030303); return 0; }`, "UNSAFE"},
		{"one of what may be anything", s + `int main(void) { char *g = any(); g[0] = 0; q = (int *)g; assert(*q == 0); return 0; }`, "UNSAFE"},
		{"one of what may be anything, as it was stored", s + `int main(void) { char *g = any(); g[1] = 5; q = (int *)g; q[1] = 3; assert(g[1] == 5); return 0; }`, "SAFE"},
		{"one that a pointer in there leads to", s + `struct n { struct n *next; int v; }; int main(void) { char *g = calloc(1, 16); if (!g) exit(0); g[9] = 1; struct n **h = malloc(8); if (!h) exit(0); *h = (struct n *)g; assert((*h)->v == 256); return 0; }`, "SAFE"},
		{"set in a part of a number", s + `int z, g[2]; int main(void) { z = rand(); memset(g, 7, 2); assert(z); return 0; }`, "UNSAFE"},
		{"set in a part of a number, as it is", s + `int g[2]; int main(void) { if (rand()) return 0; memset(g, 7, 2); assert(g[0] == 0x707 && g[1] == 0); return 0; }`, "SAFE"},
		{"copied to a part of a number", s + `int g; short h; int main(void) { h = 5; if (rand()) return 0; memcpy(&g, &h, 1); assert(g == 5); return 0; }`, "SAFE"},
		{"copied to a part of a number, and an index too far", s + `struct t { int m[2]; int b; } g; long h[2]; int main(void) { int k = rand() % 3; int *v = (int *)h + 1; memset(v, 7, 1); g.m[k] = 1; return 0; }`, "UNSAFE"},
		{"set over the end of a number", s + `long g; int main(void) { int k = rand(), *v = (int *)&g + 1; if (k) memset(v, 7, 3); else memset(v, 7, 5); return 0; }`, "UNSAFE"},
		{"set in a part of what has been freed", s + `int main(void) { int *v = malloc(4); if (!v) return 0; if (rand()) free(v); memset(v, 7, 2); return 0; }`, "UNSAFE"},
		{"set in a part of null", s + `int g; int main(void) { int *v = rand() ? &g : 0; memset(v, 7, 2); return 0; }`, "UNSAFE"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, snippetText(x.body), x.want, memory.SC, memory.TSO)
		})
	}
}

// TestArena has pieces of one object that main hands out, of types that it is not made for.
func TestArena(t *testing.T) {
	t.Parallel()
	const s = `static unsigned char *base; static size_t used; static void *get(size_t n) { n = (n + 7) & ~7ul; if (used + n > 48) return 0; void *p = base + used; used += n; return p; }
struct n { int k; struct n *next; }; _Atomic(struct n *) top;
void *pop(void *a) { struct n *t = atomic_load(&top); while (!atomic_compare_exchange_weak(&top, &t, t->next)); return (void *)(long)t->k; }
int main(void) { base = malloc(48); if (!base) return 0; for (int i = 1; i < 4; i++) { struct n *p = get(sizeof *p); p->k = i; p->next = top; top = p; } assert(!get(1));
pthread_t t, u; pthread_create(&t, 0, pop, 0); pthread_create(&u, 0, pop, 0); void *r, *q; pthread_join(t, &r); pthread_join(u, &q); `
	for _, x := range []snippet{
		{"a stack of two threads", s + `assert((long)r + (long)q == 5 && top->k == 1); return 0; }`, "SAFE"},
		{"a stack of two threads, which counts", s + `assert((long)r == 3); return 0; }`, "UNSAFE"},
		{"pieces of all sizes, and over again", `char *m; int at; void *get(int n) { at = (at + n - 1) / n * n + n; return m + at - n; } int main(void) { m = calloc(1, 32); if (!m) return 0; char *c = get(1); short *h = get(2); long *l = get(8); *c = 5; *h = -2; *l = 7; assert(*c == 5 && *h == -2 && *l == 7); at = 0; int *i = get(4); *i = -1; assert(*c == -1); return 0; }`, "SAFE"},
		{"pieces, and a comparison of what is between members", `char *m; int at; void *get(int n) { at += n; return m + at - n; } struct k { char t; int i; } a, b; int main(void) { m = malloc(16); if (!m) return 0; long *p = get(8), *q = get(8); *p = 1; *q = 2; memset(&a, 0, sizeof a); memset(&b, 0xff, sizeof b); a.t = b.t = 1; a.i = b.i = 2; assert(!memcmp(&a, &b, sizeof a)); return 0; }`, "UNSAFE"},
		{"a piece over the end", `char *m; int at; void *get(int n) { at += n; return m + at - n; } int main(void) { m = malloc(12); if (!m) return 0; long *a = get(8); *a = 1; long *b = get(8); *b = 2; return 0; }`, "UNSAFE"},
		{"elements with padding, by a number that main has stored", `struct v { char *p; size_t of, n; } v; struct e { short h; long l; }; void push(struct v *v, const void *x) { memcpy(v->p + v->n++ * v->of, x, v->of); } int main(void) { v.of = sizeof(struct e); v.p = malloc(2 * v.of); if (!v.p) return 0; for (int i = 0; i < 2; i++) { struct e e = { i, -i }; push(&v, &e); } return 0; }`, "SAFE"},
		{"elements with padding, by a number that main has stored, one too many", `struct v { char *p; size_t of, n; } v; struct e { short h; long l; }; void push(struct v *v, const void *x) { memcpy(v->p + v->n++ * v->of, x, v->of); } int main(void) { v.of = sizeof(struct e); v.p = malloc(2 * v.of); if (!v.p) return 0; for (int i = 0; i < 3; i++) { struct e e = { i, -i }; push(&v, &e); } return 0; }`, "UNSAFE"},
		{"a piece that nothing is stored to", `char *m; int at; void *get(int n) { at += n; return m + at - n; } int main(void) { m = malloc(16); if (!m) return 0; long *a = get(8), *b = get(8); *b = 2; assert(*a != 77); return 0; }`, "UNSAFE"},
		{"a piece for another type", `char *m; int at; void *get(int n) { at += n; return m + at - n; } int main(void) { m = malloc(8); if (!m) return 0; float *f = get(4); *f = 1; at = 0; int *i = get(4); *i = 5; assert(*i == 5); at = 0; char *c = get(1); *c = 1; at = 0; double *d = get(8); *d = 2; at = 0; long *l = get(8); *l = -1; assert(*l == -1); return 0; }`, "SAFE"},
		{"bytes of a number of floating point", `char *m; int at; void *get(int n) { at += n; return m + at - n; } int main(void) { m = malloc(8); if (!m) return 0; float *f = get(4); *f = 1; int *i = (int *)f; assert(*i == 0); return 0; }`, "UNKNOWN"},
		{"a byte for a truth value", `int main(void) { char *m = malloc(2); if (!m) return 0; memset(m, 2, 1); m[1] = 1; bool *b = (bool *)m; assert(b[1] && !b[0]); return 0; }`, "UNKNOWN"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, "#include <pthread.h>\n#include <stdatomic.h>\n"+snippetText(x.body), x.want, memory.TSO)
		})
	}
}

// TestArenaUninitialised has pieces of which reads are violations that nothing has been written to.
func TestArenaUninitialised(t *testing.T) {
	t.Parallel()
	const s = `char *m; int at; void *get(int n) { at += n; return m + at - n; } int main(void) { m = malloc(16); if (!m) return 0; int *i = get(4), *j = get(4); `
	for _, x := range []snippet{
		{"all are written", s + `*j = 4; *i = 3; assert(*i == 3 && *j == 4); long *l = get(8); *l = *i; assert(*l == 3); return 0; }`, "SAFE"},
		{"one is not", s + `*j = 4; assert(*j == 4); if (*i) return 1; return 0; }`, "UNSAFE"},
		{"two as one", s + `*j = 4; *i = 3; long *l = (long *)i; assert(*l == 0x400000003); return 0; }`, "SAFE"},
		{"one over another", s + `char *c = (char *)j; memset(c, 1, 4); assert(*c == 1); *j = 5; assert(*j == 5); return 0; }`, "SAFE"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, "main.c", snippetText(x.body), c.Options{Uninitialised: true}), memory.TSO, "auto"); got != x.want {
				t.Errorf("%s, want %s", got, x.want)
			}
		})
	}
}

// TestStaticBytes has arrays of bytes with static storage that are memory for something larger.
func TestStaticBytes(t *testing.T) {
	t.Parallel()
	const s = `struct ring { atomic_long in, out; long slot[2]; }; static _Alignas(8) unsigned char store[sizeof(struct ring)]; static struct ring *r = (struct ring *)store;
void *put(void *a) { for (long i = 1; i < 3; i++) { r->slot[i & 1] = i; atomic_store_explicit(&r->in, i, `
	const main = `); } return a; } int main(void) { pthread_t t; pthread_create(&t, 0, put, 0); long n = atomic_load_explicit(&r->in, memory_order_acquire); if (n) assert(r->slot[n & 1] == n); `
	for _, x := range []snippet{
		{"a ring", s + "memory_order_release" + main + `return 0; }`, "SAFE"},
		{"a ring, relaxed", s + "memory_order_relaxed" + main + `return 0; }`, "UNSAFE"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, "#include <pthread.h>\n#include <stdatomic.h>\n"+snippetText(x.body), x.want, memory.RC11)
		})
	}
	for _, x := range []snippet{
		{"a byte of a number", `static _Alignas(8) char m[8]; int main(void) { *(int *)m = 0x10203; assert(m[1] == 2 && m[4] == 0); return 0; }`, "SAFE"},
		{"a byte of a number, which counts", `static _Alignas(8) char m[8]; int main(void) { *(int *)m = 0x10203; assert(m[1] == 3); return 0; }`, "UNSAFE"},
		{"nothing is stored", `int main(void) { static _Alignas(8) char m[8]; assert(*(long *)m == 0); return 0; }`, "SAFE"},
		{"a byte behind it", `int main(void) { static _Alignas(8) char m[12]; long *p = (long *)m; int k = rand() & 1; p[k] = 1; return 0; }`, "UNSAFE"},
		{"two sizes by threads", `static _Alignas(8) char m[8]; void *f(void *a) { m[3] = 1; return a; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); *(int *)(m + 4) = 7; pthread_join(t, 0); assert(*(long *)m == 0x701000000); return 0; }`, "SAFE"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, "#include <pthread.h>\n"+snippetText(x.body), x.want, memory.SC, memory.TSO)
		})
	}
}
