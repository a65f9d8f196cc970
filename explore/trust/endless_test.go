package trust

import (
	"context"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestEndless: the clock is looked at between the steps of a visit, too, of which one takes seconds in a graph of
// tens of thousands of events, where nothing bounds the rounds of loops.
func TestEndless(t *testing.T) {
	p, err := imp.Parse(&program.Source{Name: "endless.imp", Text: `program P variables x; process P local r begin while true do r := fetch_add(x, 1); r := fetch_add(x, -1) od end
		process Q local r begin while true do r := fetch_add(x, 1); r := fetch_add(x, -1) od end
		process R local r begin while true do r := fetch_add(x, -1); r := fetch_add(x, 1) od end`}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []memory.Model{memory.SC, memory.RA} {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		start := time.Now()
		res, err := Explore(ctx, p, Options{Model: m})
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		if took := time.Since(start); took > 2*time.Minute { // it was five minutes and more on an idle machine
			t.Errorf("%v: %v, after %v", m, res.Verdict(), took)
		}
	}
}

// TestEndlessOrder: so it is while the order of what is sequentially consistent is looked at, which takes
// as long as the cube of the number of fences.
func TestEndlessOrder(t *testing.T) {
	p, err := c.Parse(&program.Source{Name: "endless.c", Text: `#include <pthread.h>
#include <stdatomic.h>
atomic_int x;
void *f(void *p) { for (;;) { atomic_thread_fence(memory_order_seq_cst); atomic_store_explicit(&x, 1, memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst); atomic_store_explicit(&x, 0, memory_order_relaxed); } }
int main(void) { pthread_t t[2]; for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, f, 0); return 0; }`}, c.Options{Mapping: c.Orders})
	if err != nil {
		t.Fatal(err)
	}
	for _, opts := range []Options{{}, {MemoryLimit: 32 << 20}} {
		opts.Model = memory.RC11
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		start := time.Now()
		res, err := Explore(ctx, p, opts)
		cancel()
		if took := time.Since(start); err != nil || took > time.Minute {
			t.Errorf("%v, %v after %v", res, err, took)
		}
	}
}
