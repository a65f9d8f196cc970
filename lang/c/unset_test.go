package c_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
)

// unsetModels are the models of the tests of unwritten memory, and how C is read for them.
var unsetModels = []struct {
	model memory.Model
	c     c.Options
}{
	{memory.SC, c.Options{Ordered: true}},
	{memory.TSO, c.Options{Ordered: true}},
	{memory.PSO, c.Options{}},
	{memory.RC11, c.Options{Mapping: c.Orders, NoBlocks: true, Dependencies: true}},
	{"armv8", c.Options{Mapping: c.AArch64, NoBlocks: true, Dependencies: true}},
}

// unsetHeader is before each of the programs.
const unsetHeader = `#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <stdint.h>
#include <pthread.h>
#include <stdatomic.h>
#define GO(f, a) pthread_create(&(pthread_t){0}, 0, f, a)
struct s { int x, y; struct s *next; };
typedef struct s *_Atomic link;
link head, other;
atomic_int flag;
`

// TestUnsetShared has memory that several threads share before anything has been written to it. Verdicts are S for
// SAFE and U for UNSAFE, under SC, TSO, PSO, RC11 and that of Arm.
func TestUnsetShared(t *testing.T) {
	for _, p := range []struct{ name, want, text string }{
		{"written by another", "UUUUU", `void *w(void *a) { ((struct s *)a)->x = 1; return 0; }
			int main(void) { struct s *p = malloc(sizeof *p); GO(w, p); int v = p->x; assert(v == 0 || v == 1); }`},
		{"any value of the type, and no other", "SSSSS", `void *w(void *a) { *(unsigned char *)a = 1; return 0; }
			int main(void) { unsigned char *p = malloc(1); GO(w, p); int v = *p; assert(0 <= v && v <= 255); }`},
		{"the last value", "UUUUU", `void *w(void *a) { *(unsigned char *)a = 1; return 0; }
			int main(void) { unsigned char *p = malloc(1); GO(w, p); int v = *p; assert(v != 255); }`},
		{"taken for a type without a sign", "UUUUU", `void *w(void *a) { *(char *)a = 1; return 0; }
			int main(void) { char *p = malloc(1); GO(w, p); int v = *(unsigned char *)p; assert(v != 210); }`},
		{"a local variable", "UUUUU", `void *w(void *a) { *(int *)a = 1; return 0; }
			int main(void) { int x; GO(w, &x); int v = x; assert(v == 0 || v == 1); }`},
		{"written before", "SSSSS", `void *w(void *a) { ((struct s *)a)->x = 1; return 0; }
			int main(void) { struct s *p = malloc(sizeof *p); p->x = 0; GO(w, p); int v = p->x; assert(v == 0 || v == 1); }`},
		{"written before it, after another", "SSSSS", `void *w(void *a) { assert(*(int *)a == 7); return 0; }
			int main(void) { int x[2]; for (int i = 0; i < 2; i++) { x[i] = 7; GO(w, &x[i]); } }`},
		{"written after it", "UUUUU", `void *w(void *a) { assert(*(int *)a == 7 || *(int *)a == 0); return 0; }
			int main(void) { int x; GO(w, &x); x = 7; }`},
		{"by who was waited for", "SSSSS", `void *w(void *a) { *(int *)a = 3; return 0; }
			int main(void) { int x; pthread_t t; pthread_create(&t, 0, w, &x); pthread_join(t, 0); assert(x == 3); }`},
		{"perhaps by who was waited for", "UUUUU", `void *w(void *a) { if (flag) *(int *)a = 3; return 0; }
			void *f(void *a) { flag = 1; return 0; }
			int main(void) { int x; pthread_t t; GO(f, 0); pthread_create(&t, 0, w, &x); pthread_join(t, 0); assert(x == 3 || x == 0); }`},
		{"an atomic object", "UUUUU", `void *w(void *a) { atomic_store((atomic_int *)a, 1); return 0; }
			int main(void) { atomic_int *p = malloc(sizeof *p); GO(w, p); int v = atomic_load(p); assert(v == 0 || v == 1); }`},
		{"an exchange", "UUUUU", `void *w(void *a) { atomic_store((atomic_int *)a, 1); return 0; }
			int main(void) { atomic_int *p = malloc(sizeof *p); GO(w, p); int v = atomic_exchange(p, 2); assert(v == 0 || v == 1); }`},
		{"an exchange that nobody looks at", "SSSSS", `void *w(void *a) { atomic_exchange((atomic_int *)a, 1); return 0; }
			int main(void) { atomic_int *p = malloc(sizeof *p); GO(w, p); atomic_exchange(p, 2); int v = atomic_load(p); assert(v == 2 || v == 1); }`},
		{"a sum", "UUUUU", `void *w(void *a) { atomic_store((atomic_int *)a, 1); return 0; }
			int main(void) { atomic_int *p = malloc(sizeof *p); GO(w, p); atomic_fetch_add(p, 5); int v = atomic_load(p); assert(v == 5 || v == 6 || v == 1); }`},
		{"compared and exchanged", "UUUUU", `void *w(void *a) { atomic_store((atomic_int *)a, 1); return 0; }
			int main(void) { atomic_int *p = malloc(sizeof *p); int e = 9; GO(w, p); assert(!atomic_compare_exchange_strong(p, &e, 2)); }`},
		{"what it compares with", "SSSSS", `void *w(void *a) { atomic_store((atomic_int *)a, 1); return 0; }
			int main(void) { atomic_int *p = malloc(sizeof *p); int e = 9; GO(w, p);
				if (atomic_compare_exchange_strong(p, &e, 2)) assert(e == 9); else assert(e != 9); }`},
		{"a number of 64 bits", "UUUUU", `void *w(void *a) { *(long *)a = 1; return 0; }
			int main(void) { long *p = malloc(sizeof *p); GO(w, p); long v = *p; assert(v != -1234567890123L); }`},
		{"a pointer leads nowhere", "UUUUU", `void *w(void *a) { ((struct s *)a)->next = a; return 0; }
			int main(void) { struct s *p = malloc(sizeof *p); p->x = 1; GO(w, p); struct s *q = p->next; if (q) assert(q->x == 1); }`},
		{"of an index", "UUUUU", `int b[2]; void *w(void *a) { *(unsigned *)a = 0; return 0; }
			void *v(void *a) { b[*(unsigned *)a & 1] = 5; return 0; }
			int main(void) { unsigned *p = malloc(sizeof *p); GO(w, p); pthread_t t; pthread_create(&t, 0, v, p); pthread_join(t, 0); assert(b[1] == 0); }`},
		{"published when it is written", "SSUUU", `void *w(void *a) { struct s *p = malloc(sizeof *p); p->x = 1; atomic_store_explicit(&head, p, memory_order_relaxed); return 0; }
			int main(void) { GO(w, 0); struct s *p = atomic_load_explicit(&head, memory_order_relaxed); if (p) { int v = p->x; assert(v == 1 || v == 0); } }`},
		{"released when it is written", "SSUSS", `void *w(void *a) { struct s *p = malloc(sizeof *p); p->x = 1; atomic_store_explicit(&head, p, memory_order_release); return 0; }
			int main(void) { GO(w, 0); struct s *p = atomic_load_explicit(&head, memory_order_acquire); if (p) assert(p->x == 1); }`},
		{"exchanged when it is written", "SSSSS", `void *w(void *a) { struct s *p = malloc(sizeof *p); p->x = 1; atomic_store(&head, p); return 0; }
			int main(void) { GO(w, 0); struct s *p = atomic_load(&head); if (p) assert(p->x == 1); }`},
		{"published before it is written", "UUUUU", `void *w(void *a) { struct s *p = malloc(sizeof *p); head = p; p->x = 1; return 0; }
			int main(void) { GO(w, 0); struct s *p = head; if (p) { int v = p->x; assert(v == 1 || v == 0); } }`},
		{"a member that one thread alone accesses", "UUUUU", `void *w(void *a) { struct s *p = malloc(sizeof *p); p->x = 1; atomic_store_explicit(&head, p, memory_order_release); return 0; }
			int main(void) { GO(w, 0); struct s *p = atomic_load_explicit(&head, memory_order_acquire); if (p) { int v = p->y; assert(v != 3); p->y = 1; } }`},
		{"a member of its own", "UUUUU", `void *w(void *a) { struct s *p = malloc(sizeof *p); if (flag) p->y = 1; head = p; int v = p->y; assert(v != 3); return 0; }
			void *f(void *a) { flag = 1; return 0; }
			int main(void) { GO(f, 0); GO(w, 0); struct s *p = head; if (p) p->x = 1; }`},
		{"another member", "UUUUU", `void *w(void *a) { struct s *p = malloc(sizeof *p); p->x = 1; head = p; p->y = 1; return 0; }
			int main(void) { GO(w, 0); struct s *p = head; if (p) { int v = p->y; assert(v == 1 || v == 0); } }`},
		{"a list", "SSSSS", `void *w(void *a) { struct s *p = malloc(sizeof *p); p->x = 1; do p->next = head; while (!atomic_compare_exchange_strong(&head, &p->next, p)); return 0; }
			int main(void) { GO(w, 0); GO(w, 0); for (struct s *p = head; p; p = p->next) assert(p->x == 1); }`},
		{"under a disguise", "UUUUU", `atomic_uintptr_t h; void *w(void *a) { struct s *p = malloc(sizeof *p); h = ~(uintptr_t)p; p->x = 1; head = p; return 0; }
			int main(void) { GO(w, 0); uintptr_t u = h; if (u) { struct s *p = (void *)~u; int v = p->x; assert(v == 1 || v == 0); } }`},
		{"past its end", "UUUUU", `void *w(void *a) { struct s *p = malloc(sizeof *p); head = p + 1; p->x = 1; other = p; return 0; }
			int main(void) { GO(w, 0); struct s *p = head; if (p) { int v = p[-1].x; assert(v == 1 || v == 0); } }`},
		{"shifted", "UUUUU", `atomic_uintptr_t h; void *w(void *a) { struct s *p = malloc(sizeof *p); h = (uintptr_t)p >> 4; p->x = 1; head = p; return 0; }
			int main(void) { GO(w, 0); uintptr_t u = h; if (u) { struct s *p = (void *)(u << 4); int v = p->x; assert(v == 1 || v == 0); } }`},
		{"in one of two ways", "UUUUU", `void *w(void *a) { struct s *p = malloc(sizeof *p); if (flag) p->x = 1; head = p; p->x = 1; return 0; }
			int main(void) { GO(w, 0); struct s *p = head; if (p) { int v = p->x; assert(v == 1 || v == 0); } }`},
		{"in both ways", "SSSSS", `void *w(void *a) { struct s *p = malloc(sizeof *p); if (flag) p->x = 1; else p->x = 2; head = p; return 0; }
			int main(void) { GO(w, 0); struct s *p = head; if (p) { int v = p->x; assert(v == 1 || v == 2); } }`},
		{"once more in a loop", "UUUUU", `void *w(void *a) { int v = *(int *)a; assert(v == 0); return 0; }
			int main(void) { for (int k = 0; k < 2; k++) { int x; if (k == 0) x = 0; pthread_t t; pthread_create(&t, 0, w, &x); pthread_join(t, 0); } }`},
		{"set once more in a loop", "SSSSS", `void *w(void *a) { int v = *(int *)a; assert(v == 0 || v == 1); return 0; }
			int main(void) { for (int k = 0; k < 2; k++) { int x; x = k; pthread_t t; pthread_create(&t, 0, w, &x); pthread_join(t, 0); } }`},
		{"a branch that orders nothing", "SSSSU", `atomic_int y; int there; void *w(void *a) { int *q = *(int **)a; atomic_store_explicit(&y, 1, memory_order_relaxed);
				if (q == &there) flag = 1; return 0; }
			void *v(void *a) { if (atomic_load_explicit(&y, memory_order_relaxed)) *(int **)a = &there; return 0; }
			int main(void) { int **p = malloc(sizeof *p); GO(v, p); pthread_t t; pthread_create(&t, 0, w, p); pthread_join(t, 0); assert(!flag); }`},
		{"an address that orders", "SSSSS", `atomic_int y; int there; void *w(void *a) { int *q = *(int **)a; if (q) { atomic_store_explicit(&y, 1, memory_order_relaxed);
				if (q == &there) flag = 1; } return 0; }
			void *v(void *a) { if (atomic_load_explicit(&y, memory_order_relaxed)) *(int **)a = &there; return 0; }
			int main(void) { int **p = malloc(sizeof *p); GO(v, p); pthread_t t; pthread_create(&t, 0, w, p); pthread_join(t, 0); assert(!flag); }`},
		{"a copy of a structure", "UUUUU", `void *w(void *a) { struct s t = *(struct s *)a; assert(t.x == 1); assert(t.y != 3); return 0; }
			int main(void) { struct s *p = malloc(sizeof *p); p->x = 1; GO(w, p); }`},
		{"what is written of a copy", "SSSSS", `void *w(void *a) { struct s t = *(struct s *)a, u = t; assert(u.x == 1); return 0; }
			int main(void) { struct s *p = malloc(sizeof *p); p->x = 1; GO(w, p); }`},
		{"a structure to where it is shared", "UUUUU", `struct s g; void *w(void *a) { assert(g.x <= 1); assert(g.y == 0); return 0; }
			int main(void) { GO(w, 0); struct s t; t.x = 1; t.next = 0; g = t; }`},
		{"copied before there are threads", "UUUUU", `struct s g; void *w(void *a) { assert(g.x == 1); assert(g.y == 0); return 0; }
			int main(void) { struct s t; t.x = 1; t.next = 0; g = t; GO(w, 0); }`},
		{"copied to what malloc gave", "UUUUU", `void *w(void *a) { assert(((struct s *)a)->x == 1); assert(((struct s *)a)->y == 0); return 0; }
			int main(void) { struct s t, *p = malloc(sizeof *p); t.x = 1; *p = t; GO(w, p); }`},
		{"given again", "UUUUU", `void *w(void *a) { for (int i = 0; i < 3; i++) { unsigned char *p = malloc(2); assert(p[1] == 0); p[1] = 1; free(p); } return 0; }
			int main(void) { GO(w, 0); }`},
		{"an array of one thread", "UUUUU", `void *w(void *a) { int k = flag; unsigned char b[4]; b[k & 3] = 1; assert(b[k & 3] == 1); assert(b[(k + 2) & 3] == 0); return 0; }
			int main(void) { GO(w, 0); flag = 3; }`},
		{"all of an array of one thread", "SSSSS", `void *w(void *a) { int k = flag; unsigned char b[4]; for (int i = 0; i < 4; i++) b[i] = i; assert(b[k & 3] == (k & 3)); return 0; }
			int main(void) { GO(w, 0); flag = 3; }`},
		{"given again, in main alone", "UUUUU", `int main(void) { for (int i = 0; i < 3; i++) { unsigned char *p = malloc(2); assert(p[1] == 0); p[1] = 1; free(p); } }`},
		{"an array of main alone", "UUUUU", `unsigned char __VERIFIER_nondet_uchar(void);
			int main(void) { int k = __VERIFIER_nondet_uchar() & 3; unsigned char b[4]; b[k] = 1; assert(b[k] == 1); assert(b[(k + 1) & 3] == 0); }`},
		{"all of an array of main alone", "SSSSS", `unsigned char __VERIFIER_nondet_uchar(void);
			int main(void) { int k = __VERIFIER_nondet_uchar() & 3; unsigned char b[4] = {1}, c[4]; memset(c, 0, 4); b[k] = 1; c[k] = 1; assert(b[k] + c[k] == 2 && b[k ^ 1] <= 1); }`},
		{"any number of 64 bits", "UUUUU", `long g; long __VERIFIER_nondet_long(void); void *w(void *a) { long x; g = x; return 0; } void *v(void *a) { g = __VERIFIER_nondet_long(); return 0; }
			int main(void) { GO(w, 0); assert(g != 1L << 62); GO(v, 0); assert(g != -5); }`},
		{"what is read of others in numbers of 64 bits", "SSSSS", `struct c { int a; long b; } *p, g; void *w(void *a) { g = *p; p->b = p->a; flag = 2; return 0; }
			int main(void) { p = malloc(sizeof *p); GO(w, 0); p->a = 1; p->b = 2; long v = g.b; if (v == 4) flag = 2; assert(flag == 0 || flag == 2); }`},
		{"in one thread", "UUUUU", `int main(void) { struct s t, u; t.x = 1; u = t; assert(u.x == 1); assert(u.y == 0); }`},
		{"written after it was copied", "SSSSS", `int main(void) { struct s t, u; t.x = 1; u = t; t.y = 2; u.y = 1; u = t; assert(u.x == 1 && u.y == 2); }`},
		{"handed over and given back", "UUUUU", `struct s f(struct s t) { t.x = 1; return t; } void *w(void *a) { struct s t = f(*(struct s *)a); assert(t.x == 1); assert(t.y == 0); return 0; }
			int main(void) { struct s *p = malloc(sizeof *p); GO(w, p); p->y = 0; }`},
		{"memcpy", "UUUUU", `void *w(void *a) { struct s t; memcpy(&t, a, sizeof t); assert(t.x == 1); assert(t.y == 0); return 0; }
			int main(void) { struct s *p = malloc(sizeof *p); p->x = 1; GO(w, p); }`},
		{"memcpy of what is written", "SSSSS", `void *w(void *a) { struct s t; memcpy(&t, a, sizeof t); assert(t.x == 1 && !t.next); return 0; }
			int main(void) { struct s *p = malloc(sizeof *p); p->x = 1; p->next = 0; GO(w, p); }`},
		{"memmove of elements", "UUUUU", `unsigned char b[4]; int n; void *w(void *a) { memmove(b, a, n); assert(b[0] == 1); assert(b[1] != 7); return 0; }
			int main(void) { unsigned char *p = malloc(4); p[0] = 1; n = 2; GO(w, p); }`},
		{"realloc", "UUUUU", `void *w(void *a) { int *p = a; assert(p[0] == 1); assert(p[1] == 0); return 0; }
			int main(void) { int *p = malloc(2 * sizeof *p); p[0] = 1; p = realloc(p, 3 * sizeof *p); GO(w, p); }`},
		{"realloc keeps what is written", "SSSSS", `void *w(void *a) { int *p = a; assert(p[0] == 1 && p[1] == 2); return 0; }
			int main(void) { int *p = malloc(2 * sizeof *p); p[0] = 1; p[1] = 2; p = realloc(p, 3 * sizeof *p); GO(w, p); }`},
		{"what overwrites something", "UUUUU", `void *w(void *a) { assert(*(int *)a == 5 || flag); return 0; }
			int main(void) { struct s t, g; g.x = 5; t.y = 1; GO(w, &g); flag = 1; g = t; flag = 0; assert(g.x == 0); }`},
		{"a pointer in a copy", "UUUUU", `void *w(void *a) { struct s t = *(struct s *)a; assert(!t.next); return 0; }
			int main(void) { struct s *p = malloc(sizeof *p); GO(w, p); p->x = 1; }`},
		{"a sum in an unwritten number of 64 bits", "UUUUU", `struct { long a, b; } *p; void *w(void *a) { p->b += 2; return 0; }
			int main(void) { p = malloc(sizeof *p); GO(w, 0); p->a = 1; assert(p->a != 1); }`},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for i, m := range unsetModels {
				want := map[byte]string{'S': "SAFE", 'U': "UNSAFE"}[p.want[i]]
				if got := verdictOf(t, read(t, "main.c", unsetHeader+p.text, m.c), m.model, "auto"); got != want {
					t.Errorf("%s: %s, want %s", m.model, got, want)
				}
			}
		})
	}
}

// TestUnsetReached has reads of what is not written that are only reached where an earlier one gives something else than 0.
func TestUnsetReached(t *testing.T) {
	for _, p := range []struct{ name, want, text string }{
		{"the length of a text", "U", `char b[3]; b[0] = 1; b[2] = 0; assert(strlen(b) < 2);`},
		{"the length of a text that has an end", "S", `char b[3]; b[0] = 1; b[2] = 0; assert(strlen(b) <= 2);`},
		{"a loop", "U", `int b[3], i; b[0] = 1; for (i = 0; i < 3 && b[i]; i++); assert(i != 2);`},
		{"a loop over all that is written", "S", `int b[3], i; b[1] = 1; b[0] = b[2] = 2; for (i = 0; i < 3 && b[i]; i++); assert(i == 3);`},
		{"numbers of 64 bits", "U", `long b[3]; b[0] = 1; b[2] = 0; int k = 0; while (b[k]) k++; assert(k < 2);`},
		{"an index", "U", `unsigned char b[2]; int a[256] = {0}; a[7] = 1; assert(a[b[1]] == 0);`},
		{"an index that is written", "S", `unsigned char b[2]; int a[256] = {0}; a[7] = 1; b[1] = 6; assert(a[b[1]] == 0);`},
		{"an index of malloc", "U", `int *b = malloc(2 * sizeof *b), i = rand() & 1, n = 0; b[0] = 0; if (b[i]) n = 1; assert(!n);`},
		{"a branch", "U", `_Bool *b = malloc(3); b[1] = 1; int n = 0; if (b[0]) n = b[1]; assert(!n);`},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, m := range unsetModels {
				want := map[string]string{"S": "SAFE", "U": "UNSAFE"}[p.want]
				if got := verdictOf(t, read(t, "main.c", unsetHeader+"int main(void) { "+p.text+" }\n", m.c), m.model, "auto"); got != want {
					t.Errorf("%s: %s, want %s", m.model, got, want)
				}
			}
		})
	}
}
