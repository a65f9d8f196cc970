package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
)

// TestElements has elements of arrays that are members of structures, which pointers lead to, and of rows of arrays.
func TestElements(t *testing.T) {
	t.Parallel()
	const members = `struct s { int a[2], b; } x, *p = &x; struct t { int v, w; }; struct u { struct t a[2]; int b; } y, *q = &y; struct m { int m[2][2]; int b; } z, *r = &z;
`
	for _, s := range []snippet{
		{"p->a[2]", members + `int main(void) { p->a[2] = 1; return 0; }`, "UNSAFE"},
		{"p->a[1]", members + `int main(void) { p->a[1] = 1; return 0; }`, "SAFE"},
		{"p->a[-1] of b first", `struct s { int b, a[2], c; } x, *p = &x; int main(void) { p->a[-1] = 1; return 0; }`, "UNSAFE"},
		{"(*p).a[2]", members + `int main(void) { (*p).a[2] = 1; return 0; }`, "UNSAFE"},
		{"p[0].a[2]", members + `int main(void) { p[0].a[2] = 1; return 0; }`, "UNSAFE"},
		{"a parameter, outside", members + `void f(struct s *p, int i) { p->a[i] = 1; } int main(void) { f(&x, 2); return 0; }`, "UNSAFE"},
		{"a parameter", members + `void f(struct s *p, int i) { p->a[i] = 1; } int main(void) { f(&x, 1); return 0; }`, "SAFE"},
		{"a loop that goes too far", members + `int main(void) { for (int i = 0; i <= 2; i++) p->a[i] = i; return 0; }`, "UNSAFE"},
		{"a loop", members + `int main(void) { for (int i = 0; i < 2; i++) p->a[i] = i; return 0; }`, "SAFE"},
		{"malloc", members + `int main(void) { struct s *p = malloc(sizeof *p); p->a[2] = 1; free(p); return 0; }`, "UNSAFE"},
		{"any index", members + `int main(void) { unsigned i = rand(); if (i < 3) p->a[i] = 1; return 0; }`, "UNSAFE"},
		{"any index inside", members + `int main(void) { unsigned i = rand(); if (i < 2) p->a[i] = 1; return 0; }`, "SAFE"},
		{"end pointer", members + `int main(void) { for (int *e = p->a; e != &p->a[2]; e++) *e = 1; return 0; }`, "SAFE"},
		{"end pointer 2", members + `int main(void) { for (int *e = p->a; e < p->a + 2; e++) *e = 1; return 0; }`, "SAFE"},
		{"deref &", members + `int main(void) { *&p->a[2] = 1; return 0; }`, "UNSAFE"},
		{"*(p->a + 2)", members + `int main(void) { *(p->a + 2) = 1; return 0; }`, "UNSAFE"},
		{"*(p->a + 1)", members + `int main(void) { *(p->a + 1) = 1; return 0; }`, "SAFE"},
		{"(p->a+1)[1]", members + `int main(void) { (p->a + 1)[1] = 1; return 0; }`, "UNSAFE"},
		{"2[p->a]", members + `int main(void) { 2[p->a] = 1; return 0; }`, "UNSAFE"},
		{"atomic &p->a[2]", `struct s { atomic_int a[2], b; } x, *p = &x; int main(void) { atomic_store(&p->a[2], 1); return 0; }`, "UNSAFE"},
		{"atomic &p->a[i]", `struct s { atomic_int a[2], b; } x, *p = &x; void f(struct s *p, int i) { atomic_fetch_add(&p->a[i], 1); } int main(void) { f(p, 2); return 0; }`, "UNSAFE"},
		{"__atomic", `struct s { int a[2], b; } x, *p = &x; int main(void) { __atomic_store_n(&p->a[2], 1, 5); return 0; }`, "UNSAFE"},
		{"&p->a + 1", members + `int main(void) { (*(&p->a + 1))[0] = 1; return 0; }`, "UNSAFE"},
		{"(&p->a)[1]", members + `int main(void) { int (*r)[2] = &p->a; r[1][0] = 1; return 0; }`, "UNSAFE"},
		{"a pointer to the array that is moved", members + `int main(void) { int (*r)[2] = &p->a; r++; (*r)[0] = 1; return 0; }`, "UNSAFE"},
		{"pointers to the array", members + `int main(void) { for (int (*r)[2] = &p->a, (*e)[2] = &p->a + 1; r != e; r++) (*r)[1] = 1; assert(p->a[1] == 1); return 0; }`, "SAFE"},
		{"pointers to rows, moved", members + `int main(void) { int (*s)[2] = &r->m[1]; s--; (*s)[1] = 1; int (*w)[2][2] = &r->m; (*w)[1][0] = 2; assert(r->m[0][1] + r->m[1][0] == 3); return 0; }`, "SAFE"},
		{"pointers to rows, moved too far", members + `int main(void) { int (*w)[2][2] = &r->m, (*s)[2] = *w; s += 2; (*s)[0] = 1; return 0; }`, "UNSAFE"},
		{"the structure around an array", members + `int main(void) { struct s *c = (struct s *)((char *)&p->a - offsetof(struct s, a)); c->b = 1; assert(p->b == 1); return 0; }`, "SAFE"},
		{"struct elements", members + `int main(void) { q->a[2].v = 1; return 0; }`, "UNSAFE"},
		{"struct elements copy", `struct t { int v; }; struct u { struct t a[2]; int b; } y, *q = &y; int main(void) { struct t k = {1}; q->a[2] = k; return 0; }`, "UNSAFE"},
		{"struct elements copy const base", `struct t { int v; }; struct u { struct t a[2]; int b; } y; int main(void) { struct t k = {1}; y.a[2] = k; return 0; }`, "UNSAFE"},
		{"struct elements copy const base var", `struct t { int v; }; struct u { struct t a[2]; int b; } y; int main(void) { unsigned i = rand(); struct t k = {1}; if (i < 3) y.a[i] = k; return 0; }`, "UNSAFE"},
		{"rows const", members + `int main(void) { z.m[2][0] = 1; return 0; }`, "UNSAFE"},
		{"rows var", members + `int main(void) { unsigned i = rand(); if (i < 3) z.m[i][0] = 1; return 0; }`, "UNSAFE"},
		{"rows var2", members + `int main(void) { unsigned i = rand(); if (i < 2) z.m[i][2] = 1; return 0; }`, "UNSAFE"},
		{"a row whose index is not known", `struct { int n, m[2][2]; int b; } z; int main(void) { unsigned i = rand(); if (i == 0) z.m[i][2] = 1; return 0; }`, "UNSAFE"},
		{"a row of one", `struct { short m[2][1]; int b; } z; int main(void) { unsigned i = rand(); if (i == 0) z.m[i][1] = 1; return 0; }`, "UNSAFE"},
		{"rows var ok", members + `int main(void) { unsigned i = rand(); if (i < 2) z.m[i][1] = 1; return 0; }`, "SAFE"},
		{"rows ptr", members + `int main(void) { r->m[1][2] = 1; return 0; }`, "UNSAFE"},
		{"rows ptr2", members + `int main(void) { r->m[2][0] = 1; return 0; }`, "UNSAFE"},
		{"rows ptr3", members + `int main(void) { r->m[0][2] = 1; return 0; }`, "UNSAFE"},
		{"rows ptr ok", members + `int main(void) { r->m[1][1] = 1; return 0; }`, "SAFE"},
		{"row decays to end", members + `int main(void) { for (int *e = r->m[0]; e < r->m[2]; e++) *e = 0; return 0; }`, "SAFE"},
		{"global rows", `int m[2][3]; int main(void) { unsigned i = rand(); if (i < 2) m[i][3] = 1; return 0; }`, "UNSAFE"},
		{"flexible", `struct f { int n; int d[1]; }; int main(void) { struct f *p = malloc(sizeof *p + 3 * sizeof(int)); p->d[3] = 1; free(p); return 0; }`, "SAFE"},
		{"flexible 2", `struct f { int n; int d[]; }; int main(void) { struct f *p = malloc(sizeof *p + 3 * sizeof(int)); p->d[2] = 1; free(p); return 0; }`, "SAFE"},
		{"flexible 2 out", `struct f { int n; int d[]; }; int main(void) { struct f *p = malloc(sizeof *p + 3 * sizeof(int)); p->d[3] = 1; free(p); return 0; }`, "UNSAFE"},
		{"flexible nested", `struct f { int n; struct { int k; int d[1]; } i; }; int main(void) { struct f *p = malloc(sizeof *p + 3 * sizeof(int)); p->i.d[3] = 1; free(p); return 0; }`, "SAFE"},
		{"flexible 0", `struct f { int n; int d[0]; }; int main(void) { struct f *p = malloc(sizeof *p + 3 * sizeof(int)); p->d[2] = 1; free(p); return 0; }`, "SAFE"},
		{"trailing in static array", `struct f { int n; int d[2]; } v[3], *p = v; int main(void) { p->d[2] = 1; return 0; }`, "UNSAFE"},
		{"trailing in array, indexed", `struct f { int n; int d[2]; } v[3], *p = v; int main(void) { p[1].d[2] = 1; return 0; }`, "UNSAFE"},
		{"trailing in array, const", `struct f { int n; int d[2]; } v[3]; int main(void) { v[1].d[2] = 1; return 0; }`, "UNSAFE"},
		{"trailing in array var", `struct f { int n; int d[2]; } v[3]; int main(void) { unsigned i = rand(); if (i < 2) v[i].d[2] = 1; return 0; }`, "UNSAFE"},
		{"negative", `struct f { int n; int d[2]; } v[3], *p = v + 1; int main(void) { p->d[-1] = 1; return 0; }`, "UNSAFE"},
		{"memset of two", members + `int main(void) { memset(p->a, 0, sizeof p->a); memset(&p->a[0], 0, 12); return 0; }`, "SAFE"},
		{"union", `union w { int a[2]; struct { int x, y; } b; } u, *p = &u; int main(void) { p->a[1] = 1; return p->b.y; }`, "SAFE"},
		{"container end", members + `int main(void) { struct t *e = &q->a[2]; for (struct t *i = q->a; i != e; i++) i->v = 1; return 0; }`, "SAFE"},
		{"sizeof", members + `int main(void) { return sizeof(p->a[5]) == 4 ? 0 : 1; }`, "SAFE"},
		{"read", members + `int main(void) { return p->a[2]; }`, "UNSAFE"},
		{"compound", members + `int main(void) { p->a[2] += 1; p->a[2]++; return 0; }`, "UNSAFE"},
		{"bits", `struct t { int v : 3, w : 4; }; struct u { struct t a[2]; int b; } y, *q = &y; int main(void) { q->a[2].v = 1; return 0; }`, "UNSAFE"},
		{"local p", members + `int main(void) { struct s l, *p = &l; l.b = 0; p->a[2] = 1; return 0; }`, "UNSAFE"},
		{"volatile idx in shared", `struct s { int a[2], b; } x, *p = &x; int i; void *f(void *v) { i = 2; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); p->a[i] = 1; pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"ring", `struct s { unsigned h; int a[2]; int b; } x, *p = &x; void *f(void *v) { for (;;) { p->a[p->h & 1] = 1; p->h++; } return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }`, "SAFE"},
		{"param", members + `void put(int *a, int i) { a[i] = 1; } int main(void) { put(p->a, 2); return 0; }`, "UNSAFE"},
		{"param ok", members + `void put(int *a, int i) { a[i] = 1; } int main(void) { put(p->a, 1); return 0; }`, "SAFE"},
		{"param of local array param", members + `void put(int a[], int i) { a[i] = 1; } int main(void) { put(&p->a[1], 1); return 0; }`, "UNSAFE"},
		{"slot", members + `int main(void) { unsigned i = rand(); if (i > 2) return 0; int *slot = &p->a[i]; *slot = 1; return 0; }`, "UNSAFE"},
		{"slot ok", members + `int main(void) { unsigned i = rand(); if (i > 1) return 0; int *slot = &p->a[i]; *slot = 1; return 0; }`, "SAFE"},
		{"slot, index moves on", members + `int main(void) { unsigned i = rand(); if (i > 1) return 0; int *slot = &p->a[i]; i = 7; *slot = 1; return 0; }`, "SAFE"},
		{"slot in loop", members + `int main(void) { for (int i = 0; i < 3; i++) { int *slot = &p->a[i]; *slot = 1; } return 0; }`, "UNSAFE"},
		{"slot in loop ok", members + `int main(void) { for (int i = 0; i < 2; i++) { int *slot = &p->a[i]; *slot = 1; } return 0; }`, "SAFE"},
		{"slot of struct", members + `int main(void) { for (int i = 0; i < 3; i++) { struct t *slot = &q->a[i]; slot->v = 1; } return 0; }`, "UNSAFE"},
		{"slot of struct ok", members + `int main(void) { for (int i = 0; i < 2; i++) { struct t *slot = &q->a[i]; slot->v = 1; } return 0; }`, "SAFE"},
		{"param struct", members + `void put(struct t *e) { e->w = 1; } int main(void) { put(&q->a[2]); return 0; }`, "UNSAFE"},
		{"param struct back", members + `void put(struct t *e) { e[-1].w = 1; } int main(void) { put(&q->a[2]); return 0; }`, "SAFE"},
		{"recursion", members + `void put(int *a, int n) { if (n == 0) return; a[n] = 1; put(a, n - 1); } int main(void) { put(p->a, 2); return 0; }`, "UNSAFE"},
		{"recursion ok", members + `void put(int *a, int n) { if (n < 0) return; a[n] = 1; put(a, n - 1); } int main(void) { put(p->a, 1); return 0; }`, "SAFE"},
		{"heap slot", members + `int main(void) { struct u *h = malloc(sizeof *h); for (int i = 0; i < 3; i++) { struct t *slot = &h->a[i]; slot->v = 1; } free(h); return 0; }`, "UNSAFE"},
		{"a row, by a variable that goes on", `int m[2][3]; int main(void) { unsigned i = rand(); if (i > 1) return 0; int *row = m[0]; row[3 * i] = 1; assert(m[i][0] == 1); return 0; }`, "SAFE"},
		{"rows, by a variable that goes too far", members + `int main(void) { int *row = r->m[1]; row[2] = 1; return 0; }`, "UNSAFE"},
		{"an array in a union", `union { int a[2], b[4]; } u, *p = &u; int main(void) { int *v = p->a; v[3] = 1; *(p->a + 2) = 1; assert(p->b[3] == 1); return 0; }`, "SAFE"},
		{"an array in an element of a variable, by a pointer", `struct { int n, a[3]; } y[2]; int main(void) { for (int i = 0; i < 2; i++) { int *p = y[i].a; p[2] = i; } assert(y[1].a[2] == 1); return 0; }`, "SAFE"},
		{"an array deep in an element of a variable, by a pointer", `struct { int n; struct { int k, a[3]; } in; } y[2]; int main(void) { for (int i = 0; i < 2; i++) *(y[i].in.a + 2) = i; if (y[1].in.a[2]) abort(); return 0; }`, "UNSAFE"},
		{"an index of an array in a union", `union { int a[2], b[4]; } u[2], *p = u; int main(void) { p->a[3] = 1; return 0; }`, "UNSAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			underModels(t, "#include <pthread.h>\n#include <stdatomic.h>\n"+snippetText(s.body), s.want, memory.TSO)
		})
	}
}
