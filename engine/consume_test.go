package engine

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestConsume: who consumes what was released sees what came before it, under RC11 and IMM, in which
// it is to acquire.
func TestConsume(t *testing.T) {
	for _, how := range []string{
		"int r = atomic_load_explicit(y, memory_order_consume);",
		"int r = atomic_load_explicit(y, memory_order_relaxed); atomic_thread_fence(memory_order_consume);",
		"int r = atomic_fetch_add_explicit(y, 1, memory_order_consume);",
	} {
		p, err := litmus.Parse(&program.Source{Name: "consume.litmus", Text: `C MP+consume
{ x = 0; y = 0; }
P0 (atomic_int* x, atomic_int* y) {
  atomic_store_explicit(x, 1, memory_order_relaxed);
  atomic_store_explicit(y, 1, memory_order_release);
}
P1 (atomic_int* x, atomic_int* y) {
  ` + how + `
  int s = atomic_load_explicit(x, memory_order_relaxed);
}
exists (1:r=1 /\ 1:s=0)
`})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range []memory.Model{memory.RC11, memory.IMM} {
			for _, e := range []Name{BMC, Graphs, Auto} {
				r, err := Check(context.Background(), p, Options{Model: m, Engine: e})
				if err != nil || !r.Safe() {
					t.Errorf("%s: %s under %s does not say SAFE: %v", how, e, m, err)
				}
			}
		}
	}
}
