package c_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestHazards has hazard pointers: who accesses what is retired has to protect it, and to protect it in time.
func TestHazards(t *testing.T) {
	const head = `#include <assert.h>
#include <genmc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
typedef struct node { int v; _Atomic(struct node *) next; } node;
_Atomic(node *) top;
node *fresh(int v) { node *n = malloc(sizeof *n); n->v = v; atomic_init(&n->next, 0); return n; }
void *taker(void *u) { node *n = atomic_exchange(&top, 0); if (n) __VERIFIER_hp_retire(n); return 0; }
`
	const run = `int main(void) { atomic_init(&top, fresh(7)); pthread_t t[2]; pthread_create(&t[0], 0, LEFT, 0); pthread_create(&t[1], 0, RIGHT, 0);
	pthread_join(t[0], 0); pthread_join(t[1], 0); return 0; }
`
	two := func(left, right string) string { return strings.NewReplacer("LEFT", left, "RIGHT", right).Replace(run) }
	for _, tt := range []struct{ name, text, want string }{
		{"protected", `void *reader(void *u) { __VERIFIER_hp_t *h = __VERIFIER_hp_alloc(); node *n = __VERIFIER_hp_protect(h, &top); if (n) assert(n->v == 7);
			__VERIFIER_hp_free(h); return 0; }` + two("taker", "reader"), ""},
		{"not protected", `void *reader(void *u) { node *n = atomic_load(&top); if (n) assert(n->v == 7); return 0; }` + two("taker", "reader"), "freed"},
		{"protected no more", `void *reader(void *u) { __VERIFIER_hp_t *h = __VERIFIER_hp_alloc(); node *n = __VERIFIER_hp_protect(h, &top); __VERIFIER_hp_clear(h);
			if (n) assert(n->v == 7); return 0; }` + two("taker", "reader"), "freed"},
		{"protects something else", `void *reader(void *u) { __VERIFIER_hp_t *h = __VERIFIER_hp_alloc(); node *n = __VERIFIER_hp_protect(h, &top);
			__VERIFIER_hp_protect(h, &top); if (n) assert(n->v == 7); return 0; }` + two("taker", "reader"), "freed"},
		{"others can still get at it", `void *early(void *u) { __VERIFIER_hp_retire(atomic_load(&top)); return 0; }
			void *reader(void *u) { __VERIFIER_hp_t *h = __VERIFIER_hp_alloc(); node *n = __VERIFIER_hp_protect(h, &top); assert(n->v == 7); return 0; }` + two("early", "reader"), "freed"},
		{"by another thread's", `atomic_int seen; void *reader(void *u) { __VERIFIER_hp_t *h = __VERIFIER_hp_alloc(); node *n = __VERIFIER_hp_protect(h, &top);
			if (n) { atomic_store(&seen, 1); while (atomic_load(&seen) != 2); } __VERIFIER_hp_clear(h); return 0; }
			void *taker2(void *u) { while (atomic_load(&seen) != 1); node *n = atomic_exchange(&top, 0); __VERIFIER_hp_retire(n); assert(n->v == 7); atomic_store(&seen, 2); return 0; }` + two("taker2", "reader"), ""},
		{"twice", `int main(void) { node *n = fresh(1); __VERIFIER_hp_retire(n); __VERIFIER_hp_retire(n); return 0; }`, "retired that has been retired"},
		{"twice, and protected", `int main(void) { atomic_init(&top, fresh(1)); __VERIFIER_hp_t *h = __VERIFIER_hp_alloc(); node *n = __VERIFIER_hp_protect(h, &top);
			__VERIFIER_hp_retire(n); assert(n->v == 1); __VERIFIER_hp_retire(n); return 0; }`, "retired that has been retired"},
		{"what malloc has not given", `int x; int main(void) { __VERIFIER_hp_retire(0); __VERIFIER_hp_retire(&x); return 0; }`, "malloc has not given"},
		{"what is never retired", `node x; int main(void) { atomic_init(&top, &x); __VERIFIER_hp_t *h = __VERIFIER_hp_alloc(); assert(__VERIFIER_hp_protect(h, &top) == &x);
			x.v = 2; __VERIFIER_hp_clear(h); __VERIFIER_hp_free(h); return x.v - 2; }`, ""},
		{"one of two", `int main(void) { atomic_init(&top, fresh(1)); __VERIFIER_hp_t *h = __VERIFIER_hp_alloc(), *g = __VERIFIER_hp_alloc();
			node *n = __VERIFIER_hp_protect(h, &top); __VERIFIER_hp_protect(g, &top); __VERIFIER_hp_retire(n); __VERIFIER_hp_clear(h); assert(n->v == 1); __VERIFIER_hp_clear(h); n->v = 2;
			__VERIFIER_hp_free(g); return n->v; }`, "freed"},
		{"a stack", `void push(int v) { node *n = fresh(v), *old = atomic_load(&top); do atomic_store_explicit(&n->next, old, memory_order_relaxed); while (!atomic_compare_exchange_strong(&top, &old, n)); }
			int pop(void) { __VERIFIER_hp_t *h = __VERIFIER_hp_alloc(); node *n, *old; do { n = __VERIFIER_hp_protect(h, &top); if (!n) { __VERIFIER_hp_free(h); return 0; } old = n; }
				while (!atomic_compare_exchange_strong(&top, &old, atomic_load_explicit(&n->next, memory_order_relaxed))); int v = n->v; __VERIFIER_hp_free(h); __VERIFIER_hp_retire(n); return v; }
			void *both(void *u) { push(3); int v = pop(); assert(v == 3 || v == 7); return 0; }` + two("both", "both"), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO, memory.RC11} {
				opts := c.Options{}
				if m == memory.RC11 {
					opts.Mapping, opts.NoBlocks = c.Orders, true
				}
				p, err := c.Parse(&program.Source{Name: "a.c", Text: head + tt.text}, opts)
				if err != nil {
					t.Fatal(err)
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				res, err := engine.Check(ctx, p, engine.Options{Model: m})
				cancel()
				if err != nil {
					t.Fatal(err)
				}
				if tt.want == "" && !res.Safe() || tt.want != "" && (!res.Unsafe() || !strings.Contains(res.Violation().Text, tt.want)) {
					t.Errorf("%s: %v, want %q: %+v %s", m, res.Verdict(), tt.want, res.Violation(), res.Reason())
				}
			}
		})
	}
}
