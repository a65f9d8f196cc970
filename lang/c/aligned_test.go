package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
)

// TestAligned has accesses that are aligned for their types, and others.
func TestAligned(t *testing.T) {
	t.Parallel()
	for _, x := range []snippet{
		{"bytes, by way of void", `char buf[8]; int main(void) { void *v = buf + 1; int *q = v; *q = 1; return 0; }`, "UNSAFE"},
		{"bytes, by way of void, read", `char buf[8]; int main(void) { void *v = buf + 1; return *(int *)v * 0; }`, "UNSAFE"},
		{"bytes, by way of a number", `char buf[8]; int main(void) { uintptr_t n = (uintptr_t)buf + 1; *(int *)n = 1; return 0; }`, "UNSAFE"},
		{"bytes, by way of a number, aligned", `char buf[8]; int main(void) { uintptr_t n = (uintptr_t)buf + 4; *(int *)n = 1; return 0; }`, "SAFE"},
		{"bytes, by way of void, aligned", `char buf[8]; int main(void) { void *v = buf + 4; int *q = v; *q = 1; return *q - 1; }`, "SAFE"},
		{"what malloc gives, moved as void", `int main(void) { void *m = malloc(16); if (!m) return 0; void *v = m + 2; int *q = v; *q = 1; free(m); return 0; }`, "UNSAFE"},
		{"what malloc gives, aligned", `int main(void) { void *m = malloc(16); if (!m) return 0; void *v = m + 8; int *q = v; *q = 1; free(m); return 0; }`, "SAFE"},
		{"half of a long", `int main(void) { void *m = malloc(16); if (!m) return 0; long *q = m + 4; *q = 1; free(m); return 0; }`, "UNSAFE"},
		{"between two elements", `int x[4]; int main(void) { void *v = x; v = (char *)v + 2; int *q = v; return *q * 0; }`, "UNSAFE"},
		{"somewhere between elements", `int x[4]; int main(void) { unsigned k = rand() % 4; void *v = (char *)x + k; int *q = v; return *q * 0; }`, "UNSAFE"},
		{"elements, by way of void", `int x[4]; int main(void) { unsigned k = rand() % 4; void *v = (char *)x + 4 * k; int *q = v; return *q * 0; }`, "SAFE"},
		{"a bit-field, by way of void", `struct s { unsigned a : 4, b : 4; }; char buf[8]; int main(void) { void *v = buf + 1; struct s *p = v; p->b = 1; return 0; }`, "UNSAFE"},
		{"a bit-field, by way of void, aligned", `struct s { unsigned a : 4, b : 4; }; char buf[8]; int main(void) { void *v = buf + 4; struct s *p = v; p->b = 1; return p->b - 1; }`, "SAFE"},
		{"a bit-field in three bytes, by way of void, aligned", `struct s { unsigned char a : 3; long b : 14; char c; }; char buf[16]; int main(void) { void *v = buf + 8; struct s *p = v; p->b = 1; return p->b - 1; }`, "SAFE"},
		{"a bit-field of what is packed", `struct __attribute__((packed)) s { char c; unsigned a : 4, b : 4; }; char buf[8]; int main(void) { void *v = buf + 1; struct s *p = v; p->b = 1; return p->b - 1; }`, "SAFE"},
		{"a member of what is packed", `struct __attribute__((packed)) s { char c; int v; } x = {1, 2}; int main(void) { struct s *p = &x; p->v = 3; void *w = &x; struct s *q = w; q->v++; assert(x.v == 4); return 0; }`, "SAFE"},
		{"a member of what is packed, by way of void", `struct __attribute__((packed)) s { char c; int v; } x = {1, 2}; int main(void) { void *w = &x.v; int *q = w; *q = 3; return 0; }`, "UNSAFE"},
		{"a member of what is packed, by a pointer", `struct __attribute__((packed)) s { char c; int v; } x = {1, 2}; int main(void) { int *q = &x.v; *q = 3; return 0; }`, "UNSAFE"},
		{"an array in what is packed", `struct __attribute__((packed)) s { char c; int v[2]; } x; int main(void) { struct s *p = &x; p->v[1] = 3; x.v[0] = 2; for (int i = 0; i < 2; i++) p->v[i] = i; return x.v[1] - 1; }`, "SAFE"},
		{"a structure in what is packed", `struct __attribute__((packed)) s { char c; struct { int a, b; } v; } x; int main(void) { struct s *p = &x; p->v.b = 3; return x.v.b - 3; }`, "SAFE"},
		{"what is packed, in what is not", `struct __attribute__((packed)) s { char c; int v; }; struct t { int k; struct s s[2]; } x; int main(void) { struct t *p = &x; p->s[1].v = 3; unsigned i = rand() % 2; p->s[i].v = 3; return x.s[1].v - 3; }`, "SAFE"},
		{"a member that is packed alone", `struct s { char c; int v __attribute__((packed)); } x; int main(void) { struct s *p = &x; p->v = 3; return x.v - 3; }`, "SAFE"},
		{"a mark that is taken off", `struct n { long v; struct n *next; } a, b; int main(void) { struct n *p = (struct n *)((uintptr_t)&b | 1); a.next = p; p = (struct n *)((uintptr_t)a.next & ~1ul); p->v = 1; return 0; }`, "SAFE"},
		{"a mark that is left", `struct n { long v; struct n *next; } a, b; int main(void) { struct n *p = (struct n *)((uintptr_t)&b | 1); p->v = 1; return 0; }`, "UNSAFE"},
		{"a mark that is taken off as void", `struct n { long v; struct n *next; } a, b; void *un(void *p) { return (void *)((uintptr_t)p & ~1ul); } int main(void) { void *v = (void *)((uintptr_t)&b | 1); struct n *p = v; a.next = p; p = un(a.next); p->v = 1; return 0; }`, "SAFE"},
		{"bytes from what is chosen, cast", `char s[8]; int *g; int main(void) { int k = rand() % 3; char *q = s; q += k; g = (int *)q; return 0; }`, "UNSAFE"},
		{"bytes from what is chosen and rounded, cast", `char s[16]; int *g; int main(void) { int k = rand() % 3; char *q = s; q += k * 4; g = (int *)q; return 0; }`, "SAFE"},
		{"memcpy", `char buf[8]; int main(void) { int i = 5; memcpy(buf + 1, &i, 4); int k; memcpy(&k, buf + 1, 4); return k - 5; }`, "SAFE"},
		{"bytes as what is packed", `char buf[8]; struct __attribute__((packed)) u { int v; }; int main(void) { struct u *p = (struct u *)(buf + 1); p->v = 5; void *w = buf + 3; ((struct u *)w)->v = 6; return 0; }`, "SAFE"},
		{"a type that asks for less, by a cast", `typedef int uint_u __attribute__((aligned(1))); char buf[8]; int main(void) { *(uint_u *)(buf + 1) = 5; return 0; }`, "SAFE"},
		{"a type that asks for less", `typedef int uint_u __attribute__((aligned(1))); char buf[8]; int main(void) { void *v = buf + 1; uint_u *p = v; *p = 5; return 0; }`, "SAFE"},
		{"a type that asks for less, and one that does not", `typedef int uint_u __attribute__((aligned(1))); char buf[8]; int main(void) { uint_u *p = (uint_u *)(buf + 1); int *q = p; *q = 5; return 0; }`, "UNSAFE"},
		{"beside a type that asks for less", `typedef int uint_u __attribute__((aligned(1))); char buf[8]; int main(void) { void *v = buf + 1; int *q = v; *q = 5; return 0; }`, "UNSAFE"},
		{"elements of a type that asks for less", `typedef int uint_u __attribute__((aligned(1))); char buf[16]; int main(void) { uint_u *p = (uint_u *)(buf + 1); for (int i = 0; i < 3; i++) p[i] = i; const uint_u *q = p; return q[2] - 2; }`, "SAFE"},
		{"a member of a type that asks for less", `typedef long long_u __attribute__((aligned(4))); struct s { int c; long_u x; } g; int main(void) { struct s *p = &g; p->x = 3; long_u *q = &p->x; *q += 1; return g.x - 4; }`, "SAFE"},
		{"a structure that asks for less", `typedef struct { int a, c; } s; typedef s s_u __attribute__((aligned(1))); char buf[16]; int main(void) { s_u *q = (s_u *)(buf + 1); q->c = 5; s k = *q; return k.c - 5; }`, "SAFE"},
		{"a member of bytes", `char buf[16]; struct t { int a, b; }; int main(void) { void *v = buf + 2; struct t *p = v; p->b = 5; return 0; }`, "UNSAFE"},
		{"all members of bytes, written", `char buf[16]; struct t { int a, b; } k; int main(void) { void *v = buf + 2; struct t *p = v; *p = k; return 0; }`, "UNSAFE"},
		{"all members of bytes, read", `char buf[16]; struct t { int a, b; } k; int main(void) { void *v = buf + 2; struct t *p = v; k = *p; return k.a * 0; }`, "UNSAFE"},
		{"bytes as an atomic", `char buf[16]; int main(void) { void *v = buf + 1; atomic_int *p = v; atomic_store(p, 1); return 0; }`, "UNSAFE"},
		{"bytes as an atomic, added to", `char buf[16]; int main(void) { void *v = buf + 1; atomic_int *p = v; atomic_fetch_add(p, 1); return 0; }`, "UNSAFE"},
		{"bytes, stored at once", `char buf[16]; int main(void) { void *v = buf + 1; int *p = v; __atomic_store_n(p, 1, 5); return 0; }`, "UNSAFE"},
		{"what another thread is given", `int x[4]; void *th(void *v) { int *p = (void *)((char *)v + 1); *p = 1; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, th, x); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"what another thread is given, aligned", `int x[4]; void *th(void *v) { int *p = (void *)((char *)v + 4); *p = 1; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, th, x); pthread_join(t, 0); return x[1] - 1; }`, "SAFE"},
		{"half of an int", `int x[4]; int main(void) { short *s = (short *)x; void *v = s + 1; int *q = v; *q = 1; return 0; }`, "UNSAFE"},
		{"half of an int, aligned", `int x[4]; int main(void) { short *s = (short *)x; void *v = s + 1; short *q = v; *q = 1; return 0; }`, "SAFE"},
		{"a union", `union u { int i; char c[8]; } x; int main(void) { union u *p = &x; p->i = 1; char *c = p->c; c[5] = 1; return 0; }`, "SAFE"},
		{"a union, beside its beginning", `union u { int i; char c[8]; } x; int main(void) { void *v = x.c + 1; int *q = v; *q = 1; return 0; }`, "UNSAFE"},
		{"bytes in a structure", `struct s { char pad; char b[7]; } x; int main(void) { void *v = x.b; int *q = v; return *q * 0; }`, "UNSAFE"},
		{"bytes in a structure, aligned", `struct s { int pad; char b[8]; } x; int main(void) { void *v = x.b; int *q = v; return *q * 0; }`, "SAFE"},
		{"a byte behind", `long x; int main(void) { void *v = &x; int *q = v + 1; return *q * 0; }`, "UNSAFE"},
		{"the second half", `long x; int main(void) { void *v = &x; int *q = v + 4; return *q * 0; }`, "SAFE"},
		{"one of several steps", `void st(void *p, int k) { *(int *)p = k; } char b[12]; int main(void) { for (int i = 0; i < 8; i++) st(b + i, 1); return 0; }`, "UNSAFE"},
		{"all steps are aligned", `void st(void *p, int k) { *(int *)p = k; } char b[12]; int main(void) { for (int i = 0; i < 8; i += 4) st(b + i, 1); return 0; }`, "SAFE"},
		{"an allocator that rounds nothing", `struct a { char *base; int off; } a; void *get(int n) { void *p = a.base + a.off; a.off += n; return p; } int main(void) { a.base = malloc(64); if (!a.base) return 0; char *c = get(1); *c = 1; int *q = get(4); *q = 2; free(a.base); return 0; }`, "UNSAFE"},
		{"an allocator that rounds", `struct a { char *base; int off; } a; void *get(int n) { void *p = a.base + a.off; a.off += (n + 7) & ~7; return p; } int main(void) { a.base = malloc(64); if (!a.base) return 0; char *c = get(1); *c = 1; int *q = get(4); *q = 2; free(a.base); return 0; }`, "SAFE"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, "#include <pthread.h>\n#include <stdatomic.h>\n"+snippetText(x.body), x.want, memory.TSO)
		})
	}
}

// TestAlignedNames has names for types that are aligned otherwise than the types.
func TestAlignedNames(t *testing.T) {
	t.Parallel()
	for _, x := range []snippet{
		{"a number", `typedef int v __attribute__((aligned(16))); struct s { char c; v d; } g; int main(void) { v x = 3, *p = &g.d; *p = x; assert(g.d == 3 && offsetof(struct s, d) == 16 && sizeof g == 32 && sizeof(v) == 4 && _Alignof(v) == 16); return 0; }`, "SAFE"},
		{"before the type", `typedef __attribute__((aligned(16))) int v; struct s { char c; v d; }; int main(void) { assert(sizeof(struct s) == 32); return 0; }`, "SAFE"},
		{"less", `typedef short v __attribute__((aligned(1))); struct s { char c; v d; } g; int main(void) { g.d = 0x102; assert(sizeof g == 3 && ((char *)&g)[1] == 2); return 0; }`, "SAFE"},
		{"nothing said", `typedef int v __attribute__((aligned)); int main(void) { assert(_Alignof(v) == 16); return 0; }`, "SAFE"},
		{"one of several", `typedef int u, v __attribute__((aligned(16))), w; int main(void) { assert(_Alignof(u) == 4 && _Alignof(v) == 16 && _Alignof(w) == 4); return 0; }`, "SAFE"},
		{"a structure", `struct p { int a; char b; }; typedef struct p v __attribute__((aligned(32))); struct s { char c; v d; struct p e; } g; int main(void) { struct p *y = &g.d; y->a = 3; g.e = g.d; assert(offsetof(struct s, d) == 32 && offsetof(struct s, e) == 40 && sizeof g == 64 && g.e.a == 3); return 0; }`, "SAFE"},
		{"an array", `typedef int v[4] __attribute__((aligned(32))); struct s { char c; v d; } g; int main(void) { g.d[2] = 1; assert(offsetof(struct s, d) == 32 && sizeof g == 64); return 0; }`, "SAFE"},
		{"in a function", `int main(void) { typedef long v __attribute__((aligned(64))); struct s { char c; v d; }; assert(sizeof(struct s) == 128); return 0; }`, "SAFE"},
		{"functions and pointers", `typedef int v __attribute__((aligned(16))); v f(v x) { return x + 1; } int g(int x) { return x; } v (*p)(v) = g; int (*q)(int) = f; int main(void) { v x = 2; assert(p(x) == 2 && q(x) == 3 && _Generic(x, int: 1, default: 0)); return 0; }`, "SAFE"},
		{"the type itself", `typedef int v __attribute__((aligned(16))); struct s { char c; int d; }; int main(void) { assert(sizeof(struct s) == 8 && _Alignof(int) == 4); return 0; }`, "SAFE"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, snippetText(x.body), x.want, memory.TSO)
		})
	}
}
