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
