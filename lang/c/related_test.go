package c_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
)

// TestRelated has comparisons and differences of pointers, to one object and to several.
func TestRelated(t *testing.T) {
	t.Parallel()
	const lists = `#define containerOf(p, t, m) ((t *)((char *)(p) - offsetof(t, m)))
`
	for _, s := range []snippet{
		{"two globals", `int x, y; int main(void) { return &x < &y; }`, "UNSAFE"},
		{"two globals, the other way", `int x, y; int main(void) { int *p = rand() ? &x : &y; return p >= &y; }`, "UNSAFE"},
		{"two globals that are equal or not", `int x, y; int main(void) { int *p = rand() ? &x : &y; return p == &y || p != &x; }`, "SAFE"},
		{"a global and itself", `int x; int main(void) { int *p = &x; assert(p <= &x && !(p < &x) && &x - p == 0); return 0; }`, "SAFE"},
		{"an array and its end", `int a[4]; int main(void) { int n = 0; for (int *p = a; p < a + 4; p++) n++; assert(n == 4); return 0; }`, "SAFE"},
		{"an array of any length", `int a[4], n; int main(void) { unsigned k = rand(); if (k > 4) return 0; int *end = a + k; for (int *p = a; p < end; p++) n++; assert(n == (int)k); return 0; }`, "SAFE"},
		{"an array and what lies behind its end", `int a[4]; int main(void) { return a < a + 5; }`, "UNSAFE"},
		{"an array and what lies before it", `int b, a[4]; int main(void) { int *p = a; do p--; while (p >= a); return 0; }`, "UNSAFE"},
		{"the ends of two arrays", `int a[4], b[4]; int main(void) { return a + 4 > b; }`, "UNSAFE"},
		{"an index", `int a[4]; int f(int *p) { return p - a; } int main(void) { assert(f(&a[3]) == 3 && f(a + 4) == 4); return 0; }`, "SAFE"},
		{"an index in another array", `int a[4], b[4]; int f(int *p) { return p - a; } int main(void) { return f(rand() ? a : b); }`, "UNSAFE"},
		{"an index in another array that nobody asks for", `int a[4], b[4]; int main(void) { int *p = rand() ? a : b; p - a; return 0; }`, "UNSAFE"},
		{"what is not evaluated", `int a[4], b[4]; int main(void) { int x = sizeof(a - b) + sizeof(a < b); assert(x == sizeof(ptrdiff_t) + sizeof(int)); return 0; }`, "SAFE"},
		{"what is not come to", `int a, b; int main(void) { int *p = &a, *q = &b; if (p == q && p < q) return 1; return p != q || p < q ? 0 : 1; }`, "SAFE"},
		{"either side of a choice", `int a[2], b[2]; int main(void) { int c = rand(); int *p = c ? a : b, *end = c ? a + 2 : b + 2; assert(p < end && end - p == 2); return 0; }`, "SAFE"},
		{"either side of another choice", `int a[2], b[2]; int main(void) { int *p = rand() ? a : b, *end = rand() ? a + 2 : b + 2; return p < end; }`, "UNSAFE"},
		{"a choice of comparisons", `int a[2], b[2], *p, *q; int main(void) { p = a; q = rand() ? a + 1 : b; return q == b ? 0 : p < q ? 0 : 1; }`, "SAFE"},
		{"members", `struct { int a, b[2]; char c; } s; int main(void) { assert(&s.a < s.b && (char *)&s.b[1] < &s.c && (char *)&s.b - (char *)&s == 4); return 0; }`, "SAFE"},
		{"members of two structures", `struct { int a, b; } s[2], t; int main(void) { assert(&s[0].b < &s[1].a); return &s[0].a < &t.b; }`, "UNSAFE"},
		{"members of a union", `union { int i; char c[4]; } u; int main(void) { assert((void *)&u.i <= (void *)u.c && u.c + 3 - (char *)&u.i == 3); return 0; }`, "SAFE"},
		{"rows", `int a[3][4]; int main(void) { assert(&a[0][3] < a[2] && a[2] - a[0] == 8 && a + 3 - a == 3); return 0; }`, "SAFE"},
		{"a part of a literal", `char *s = "abc"; int main(void) { char *p = strchr(s, 'c'); assert(p > s && p - s == 2); return 0; }`, "SAFE"},
		{"two literals", `char *s = "abc", *t = "def"; int main(void) { return s < t; }`, "UNSAFE"},
		{"objects of a loop", `struct n { struct n *next; int v[2]; }; int main(void) { struct n *first = 0; for (int i = 0; i < 3; i++) { struct n *n = malloc(sizeof *n); n->next = first; first = n; } for (struct n *n = first; n; n = n->next) assert(n->v < n->v + 2 && &n->v[1] - n->v == 1); return 0; }`, "SAFE"},
		{"two objects of a loop", `struct n { struct n *next; int v[2]; }; int main(void) { struct n *first = 0; for (int i = 0; i < 3; i++) { struct n *n = malloc(sizeof *n); n->next = first; first = n; } return first->next < first; }`, "UNSAFE"},
		{"two objects", `int *p, *q; int main(void) { p = malloc(4); q = malloc(4); return p < q; }`, "UNSAFE"},
		{"objects of a pool", `int main(void) { int *p[2]; unsigned k = rand() % 2, i = rand() % 2; for (int j = 0; j < 2; j++) p[j] = malloc(8); int *q = p[k], *e = p[i] + 2; if (k == i) assert(q < e); return 0; }`, "SAFE"},
		{"objects of a pool, mixed up", `int main(void) { int *p[2]; unsigned k = rand() % 2, i = rand() % 2; for (int j = 0; j < 2; j++) p[j] = malloc(8); int *q = p[k], *e = p[i] + 2; return q < e; }`, "UNSAFE"},
		{"what has been freed", `int main(void) { int *p = malloc(8), *q = p + 1; free(p); assert(p < q); return 0; }`, "SAFE"},
		{"null", `int x; int main(void) { int *p = rand() ? &x : 0; assert(!p == !(p > (int *)0)); return p > (int *)NULL && (void *)0 < (void *)p ? 0 : p >= &x; }`, "SAFE"},
		{"marks", `struct n { int v; } a, *p = &a; int main(void) { if (rand()) p = (struct n *)1; if (p > (struct n *)1) assert(p == &a); else assert(p == (struct n *)1); return (struct n *)2 < p ? 0 : p != (void *)1; }`, "SAFE"},
		{"a mark, or another object", `int a, b, *p = &a, *q; int main(void) { q = rand() ? (int *)1 : &b; return p > q; }`, "UNSAFE"},
		{"what is a mark on one side alone", `int a, *p, *q = &a; int main(void) { p = rand() ? (int *)3 : &a; assert(p <= q); return p < q + 1 ? 0 : 1; }`, "SAFE"},
		{"the difference of a mark", `int a, *p = &a; int main(void) { return p - (int *)4 > 0; }`, "UNSAFE"},
		{"a number", `int x; int main(void) { int *p = &x; return !(p > 0); }`, "SAFE"},
		{"the difference of an address and null", `char x; int main(void) { char *p = &x; return p - (char *)0 > 0; }`, "UNSAFE"},
		{"the difference of null and null", `char *p, *q; int main(void) { return p - q; }`, "SAFE"},
		{"a member by hand", `struct s { int a, b; }; int main(void) { assert((char *)&((struct s *)0)->b - (char *)0 == 4 && (size_t)&((struct s *)0)->b == 4); return 0; }`, "SAFE"},
		{"the structure around", lists + `struct s { int a, b; } x = {1, 2}; int main(void) { int *p = &x.b; assert(containerOf(p, struct s, b)->a == 1 && containerOf(p, struct s, b) == &x); return 0; }`, "SAFE"},
		{"a flexible array", `struct s { int n; int v[]; }; int main(void) { struct s *s = malloc(sizeof *s + 3 * sizeof(int)); s->n = 3; int k = 0; for (int *p = s->v; p < s->v + s->n; p++) k++; assert(k == 3); return 0; }`, "SAFE"},
		{"a pool", `char pool[16], other[16]; int in(char *p) { return p >= pool && p < pool + sizeof pool; } int main(void) { assert(in(pool + 3) && !in(pool + 16)); return 0; }`, "SAFE"},
		{"a pool, and what is not of it", `char pool[16], other[16]; int in(char *p) { return p >= pool && p < pool + sizeof pool; } int main(void) { return in(other); }`, "UNSAFE"},
		{"a pool, as numbers", `char pool[16], other[16]; int in(char *p) { return (uintptr_t)p >= (uintptr_t)pool && (uintptr_t)p < (uintptr_t)(pool + sizeof pool); } int main(void) { assert(!in(other) && in(pool)); return 0; }`, "SAFE"},
		{"two locals", `int main(void) { int x = 1, y = 2, *p = &x, *q = &y; return p < q; }`, "UNSAFE"},
		{"the array of a caller", `int sum(int *p, int *end) { int s = 0; do s += *p++; while (p < end); return s; } int main(void) { int a[3] = {1, 2, 3}; assert(sum(a, a + 3) == 6); return 0; }`, "SAFE"},
		{"whose stack grows down", `char *top; int deep(void) { char c; return &c < top; } int main(void) { char c; top = &c; return deep(); }`, "UNSAFE"},
		{"arrays whose size varies", `int main(void) { int n = rand() % 3; if (n < 1) return 0; int a[n], *p = a + n, k = 0; while (p > a) p--, k++; assert(k == n); return 0; }`, "SAFE"},
		{"a memory pool", `char heap[32], *next = heap; void *take(int n) { if (heap + sizeof heap - next < n) return 0; char *p = next; next += n; return p; } int main(void) { assert(take(16) && take(16) && !take(1)); return 0; }`, "SAFE"},
		{"functions", `void f(void) { } void g(void) { } int main(void) { void (*p)(void) = f, (*q)(void) = g; return p < q; }`, "UNSAFE"},
		{"one function", `void f(void) { } int main(void) { void (*p)(void) = f, (*q)(void) = f; assert(p <= q); return 0; }`, "SAFE"},
		{"of a static initialiser", `int a[4]; ptrdiff_t n = &a[3] - &a[1]; int before = &a[1] < &a[3]; int main(void) { static long m = a + 4 - a; assert(n == 2 && m == 4 && before); return 0; }`, "SAFE"},
		{"a member by hand, of static initialisers", `struct s { int a, b; }; long n = (char *)&((struct s *)0)->b - (char *)0; int k[(char *)&((struct s *)0)->b - (char *)0]; _Static_assert((char *)&((struct s *)0)->b > (char *)0, ""); int main(void) { assert(n == 4 && sizeof k == 4 * sizeof(int)); return 0; }`, "SAFE"},
		{"a comparison of numbers", `int x, y; int main(void) { long p = (long)&x, q = (long)&y; return (p < q) == (q < p) && p - q == 0; }`, "SAFE"},
		{"locks by their addresses", locksBy("pthread_mutex_t *"), "UNSAFE"},
		{"locks by their numbers", locksBy("uintptr_t"), "SAFE"},
		{"what another thread hands over", `int a[4]; _Atomic(int *) at; void *f(void *x) { atomic_store(&at, a + 2); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int *p = atomic_load(&at); if (p > 0) assert(p - a == 2 && p < a + 4); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"what another thread hands over of something else", `int a[4], b[4]; _Atomic(int *) at = a; void *f(void *x) { atomic_store(&at, b + 2); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); int *p = atomic_load(&at); int r = p < a + 4; pthread_join(t, 0); return r; }`, "UNSAFE"},
		{"who waits for a pointer to move", `int a[4]; _Atomic(int *) at = a; void *f(void *x) { for (int i = 0; i < 2; i++) atomic_fetch_add(&at, 1); return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); while (atomic_load(&at) < a + 2) ; assert(atomic_load(&at) - a == 2); pthread_join(t, 0); return 0; }`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := "#include <pthread.h>\n#include <stdatomic.h>\n" + snippetText(s.body)
			underModels(t, text, s.want, memory.TSO, memory.RC11)
		})
	}
}

// locksBy has two threads that take two locks in the order of their addresses, of that type.
func locksBy(number string) string {
	return strings.ReplaceAll(`pthread_mutex_t m[2]; int n; struct pair { pthread_mutex_t *a, *b; } pairs[2];
pthread_mutex_t one, two;
void both(pthread_mutex_t *a, pthread_mutex_t *b) {
	if ((NUMBER)a < (NUMBER)b) { pthread_mutex_lock(a); pthread_mutex_lock(b); } else { pthread_mutex_lock(b); pthread_mutex_lock(a); }
	n++;
	pthread_mutex_unlock(a); pthread_mutex_unlock(b);
}
void *f(void *x) { both(&two, &one); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); both(&one, &two); pthread_join(t, 0); assert(n == 2); return 0; }
`, "NUMBER", number)
}
