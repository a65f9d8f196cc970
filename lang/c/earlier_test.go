package c_test

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestEarlier: pointers to variables of earlier rounds of their blocks.
func TestEarlier(t *testing.T) {
	for _, s := range []snippet{
		{"a loop", `int *p; for (int i = 0; i < 2; i++) { int x; if (i == 0) p = &x; else *p = 1; } return 0;`, "UNSAFE"},
		{"a loop, in the same round", `int *p; for (int i = 0; i < 2; i++) { int x = i; p = &x; *p += 1; assert(x == i + 1); } return 0;`, "SAFE"},
		{"a loop, in the same round by memory", `int *g; int main(void) { for (int i = 0; i < 2; i++) { int x = i; g = &x; *g += 1; assert(x == i + 1); } return 0; }`, "SAFE"},
		{"a loop, by memory", `int *g; int main(void) { for (int i = 0; i < 2; i++) { int x = i; if (g) *g += 1; g = &x; } return 0; }`, "UNSAFE"},
		{"a loop, and a pointer that is cleared", `int *g; int main(void) { for (int i = 0; i < 3; i++) { int x = i; if (g) *g += 1; g = i == 1 ? 0 : &x; g = 0; } return 0; }`, "SAFE"},
		{"a loop, read", `int *p; for (int i = 0; i < 2; i++) { int x = 5; if (i == 0) p = &x; else assert(*p == 5); } return 0;`, "UNSAFE"},
		{"a loop, two rounds before", `int *p = 0, *q = 0; for (int i = 0; i < 4; i++) { int x = 5; if (i == 3) return *q; q = p; p = &x; } return 0;`, "UNSAFE"},
		{"a loop, compared only", `int *p = 0; int n = 0; for (int i = 0; i < 3; i++) { int x = 5; if (p == &x) n++; p = &x; } return 0;`, "SAFE"},
		{"a loop without end", `int *p = 0; while (rand()) { int x = 1; if (rand()) p = &x; else if (p) *p = 2; } return 0;`, "UNSAFE"},
		{"a loop without end, and a pointer of each round", `while (rand()) { int *p = 0; int x = 1; if (rand()) p = &x; if (p) *p = 2; assert(x == 1 || p); } return 0;`, "SAFE"},
		{"a block that is jumped back to", `int *p = 0; int n = 0; again: { int x = n; if (p) *p = 3; p = &x; if (n++ < 1) goto again; } return 0;`, "UNSAFE"},
		{"a jump inside a block", `int *p = 0; int n = 0; { int x; again: x = n; if (p) *p = 3; p = &x; if (n++ < 1) goto again; assert(x == 3); } return 0;`, "SAFE"},
		{"a block that is left and jumped back to", `int *p = 0; int n = 0; again: { int x = n; if (p) *p = 3; p = &x; } if (n++ < 1) goto again; return 0;`, "UNSAFE"},
		{"a block inside of one that stays", `int *p = 0; for (int i = 0; i < 2; i++) { int x = i; { int y = 1; p = &x; *p += y; } assert(*p == i + 1); } return 0;`, "SAFE"},
		{"a block inside of one that stays, twice", `int *p = 0, n = 2; int *q = &n; for (int i = 0; i < 2; i++) { { int y = 1; *q += y; q = i ? &y : q; } n = *q; } return 0;`, "UNSAFE"},
		{"a pointer that is marked by bits", `uintptr_t u = 0; for (int i = 0; i < 2; i++) { int x = i; if (i) *(int *)(u ^ 5) = 3; u = (uintptr_t)&x ^ 5; } return 0;`, "UNSAFE"},
		{"a variable with a function for its end", `int *g; void fin(int *p) { assert(*p == 7); g = 0; } int main(void) { for (int i = 0; i < 3; i++) { __attribute__((cleanup(fin))) int x = i; if (g) *g = 3; g = &x; *g = 7; } return 0; }`, "SAFE"},
		{"a variable with a function for its end that keeps it", `int *g; void fin(int *p) { if (g) *g = 1; g = p; } int main(void) { for (int i = 0; i < 3; i++) { __attribute__((cleanup(fin))) int x = i; } return 0; }`, "UNSAFE"},
		{"a literal", `int *p = 0; for (int i = 0; i < 2; i++) { int *q = &(int){i}; if (p) *p = 3; p = q; } return 0;`, "UNSAFE"},
		{"a literal of the same round", `int *p = 0; for (int i = 0; i < 2; i++) { int *q = &(int){i}; p = q; *p += 1; assert(*q == i + 1); } return 0;`, "SAFE"},
		{"a function that is called again", `int *p; void f(int k) { int x = 0; if (k) p = &x; else *p = 1; } int main(void) { for (int i = 1; i >= 0; i--) f(i); return 0; }`, "UNSAFE"},
		{"a function that is called again, of its own", `int *p; void f(int k) { int x = 0; p = &x; *p = k; assert(x == k); } int main(void) { for (int i = 1; i >= 0; i--) f(i); return 0; }`, "SAFE"},
		{"a parameter", `int *p; void f(int x) { if (x) p = &x; else *p = 1; } int main(void) { for (int i = 1; i >= 0; i--) f(i); return 0; }`, "UNSAFE"},
		{"a structure", `struct s { int a[2]; struct s *q; } *p = 0; int main(void) { for (int i = 0; i < 3; i++) { struct s x = {{1, 2}, p}; if (i == 2 && x.q) x.q->a[1] = 1; p = &x; } return 0; }`, "UNSAFE"},
		{"a structure of the same round", `struct s { int a[2]; struct s *q; } *p = 0; int main(void) { for (int i = 0; i < 3; i++) { struct s y = {{3, 4}, 0}, x = {{1, 2}, &y}; p = &x; p->q->a[1] = i; assert(y.a[1] == i && y.a[0] == 3 && p->a[0] == 1); } return 0; }`, "SAFE"},
		{"an array", `int *p = 0; for (int i = 0; i < 2; i++) { int x[3] = {i, 2, 3}; if (p) return p[2] - 3; p = x; } return 0;`, "UNSAFE"},
		{"an array of the same round", `int *p = 0; for (int i = 0; i < 2; i++) { int x[3] = {i, 2, 3}; p = x; p[i] = 7; assert(x[i] == 7 && x[2] == 3); } return 0;`, "SAFE"},
		{"past an array", `int *p = 0; for (int i = 0; i < 2; i++) { int x[3] = {i, 2, 3}; if (p && i > 5) *p = 1; p = x; x[i + 2] = 7; } return 0;`, "UNSAFE"},
		{"a variable without a value", `int *p = 0; for (int i = 0; i < 2; i++) { int x; if (p && !i) *p = 1; p = &x; if (!i) x = 3; else if (x == 5) abort(); } return 0;`, "UNSAFE"},
		{"a list on the stack", `struct n { int v; struct n *next; } *h; int main(void) { for (int i = 0; i < 2; i++) { struct n x = {i, h}; h = &x; assert(h->v == i); h = x.next; } return 0; }`, "SAFE"},
		{"a list on the stack that is not left", `struct n { int v; struct n *next; } *h; int main(void) { for (int i = 0; i < 2; i++) { struct n x = {i, h}; h = &x; if (x.next) assert(x.next->v == 0); } return 0; }`, "UNSAFE"},
		{"a thread", `int *p; void *f(void *a) { for (int i = 0; i < 2; i++) { int x = 1; if (!i) p = &x; else *p = 1; } return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"another thread, in time", `int *_Atomic p; void *f(void *a) { int *q; while (!(q = p)) ; *q = 2; p = 0; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); for (int i = 0; i < 2; i++) { int x = 1; if (!i) { p = &x; while (p) ; assert(x == 2); } } pthread_join(t, 0); return 0; }`, "SAFE"},
		{"another thread, in the next round", `int *_Atomic p; atomic_int n; void *f(void *a) { int *q; while (!(q = p)) ; while (n < 1) ; *q = 2; n = 2; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); for (int i = 0; i < 2; i++) { int x = 1; if (!i) p = &x; else { n = 1; while (n < 2) ; } } pthread_join(t, 0); return 0; }`, "UNSAFE"},
		{"an argument of a thread that is waited for", `void *f(void *a) { ++*(int *)a; return 0; } int main(void) { for (int i = 0; i < 2; i++) { int x = i; pthread_t t; pthread_create(&t, 0, f, &x); pthread_join(t, 0); assert(x == i + 1); } return 0; }`, "SAFE"},
		{"an argument of a thread that is not waited for", `void *f(void *a) { ++*(int *)a; return 0; } int main(void) { for (int i = 0; i < 2; i++) { int x = i; pthread_t t; pthread_create(&t, 0, f, &x); } return 0; }`, "UNSAFE"},
		{"places in a queue", `struct q { struct q *_Atomic next; atomic_int wait; }; struct q *_Atomic tail; int c; void *f(void *a) { for (int i = 0; i < 2; i++) { struct q n; n.next = 0; n.wait = 1; struct q *p = atomic_exchange(&tail, &n); if (p) { p->next = &n; while (n.wait) ; } c++; assert(c == 1); c--; struct q *me = &n; if (!n.next && !atomic_compare_exchange_strong(&tail, &me, 0)) while (!n.next) ; if (n.next) n.next->wait = 0; } return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); f(0); pthread_join(t, 0); return 0; }`, "SAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			text := "#include <assert.h>\n#include <pthread.h>\n#include <stdatomic.h>\n#include <stdint.h>\n#include <stdlib.h>\n" + snippetText(s.body)
			underModels(t, text, s.want, memory.TSO, memory.RC11)
			if got := verdictOf(t, read(t, "main.c", text, c.Options{Uninitialised: true}), memory.TSO, "auto"); got != s.want {
				t.Errorf("with what is initialised: %s, want %s", got, s.want)
			}
		})
	}
}

// TestOnePlace: variables that are given to functions which write to them, in loops of several threads, have one place where it is
// found out where else these threads write to.
func TestOnePlace(t *testing.T) {
	for _, s := range []struct{ name, ring, place, set string }{
		{"by names", `char store[4]; long w, r;`, `&store[at & 3]`, ``},
		{"by what main has made", `char store[4]; struct { char *at; long size, mask; } made; long w, r;`, `made.at + (at & made.mask) * made.size`,
			`made.at = store; made.size = 1; made.mask = 3;`},
	} {
		p := read(t, "main.c", `#include <pthread.h>
#include <string.h>
`+s.ring+`
void region(long at, long n, void **p, long *size) { *p = `+s.place+`; *size = n; }
void put(void *from) { void *p; long n; region(w, (r - w) & 3, &p, &n); memcpy(p, from, n); w = (w + 1) & 7; }
void get(void *to) { void *p; long n; region(r, (w - r) & 3, &p, &n); memcpy(to, p, n); r = (r + 1) & 7; }
void *run(void *a) { for (int i = 0; i < 3; i++) { char b[3] = {i}; put(b); } return 0; }
int main(void) { pthread_t t; `+s.set+` pthread_create(&t, 0, run, 0); for (int i = 0; i < 3; i++) { char b[3]; get(b); } pthread_join(t, 0); return 0; }
`, c.Options{})
		for _, th := range p.Threads {
			for _, r := range th.Regs {
				if strings.HasPrefix(r.Name, "address of ") {
					t.Errorf("%s: %s", s.name, r.Name)
				}
			}
		}
	}
}
