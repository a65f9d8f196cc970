package main

import (
	"context"
	"fmt"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/cpu"
	"github.com/fencepost-verifier/fencepost/explore/rvf"
	"github.com/fencepost-verifier/fencepost/explore/traces"
	"github.com/fencepost-verifier/fencepost/explore/trust"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A family is a program for a parameter, at which it is measured.
type family struct {
	name string
	n    int
	text string
}

func families() []family {
	return []family{
		{"45_monabsex1", 4, monabsex(4)},
		{"45_monabsex1", 5, monabsex(5)},
		{"reorder_5", 2, reorder(2)},
		{"reorder_5", 3, reorder(3)},
		{"singleton", 6, singleton(6)},
		{"13_unverif", 4, unverif(4)},
		{"pgsql", 2, pgsql(2)},
		{"pgsql", 3, pgsql(3)},
		{"store buffering", 7, sb(7)},
		{"last writes", 3, lastwrite(3)},
		{"locked counter", 5, head + rep(5, "process P# local l begin lock; l := x; x := l + 1; unlock end ")},
		{"locked flag", 5, head + rep(5, "process P# local l begin lock; l := x; x := 1; unlock end ")},
	}
}

// sb is a ring of threads that each store, and then read what the next one stores.
func sb(n int) string {
	text := fmt.Sprintf("program P variables m[%d]; ", n)
	for i := range n {
		text += fmt.Sprintf("process P%d local l begin m[%d] := 1; l := m[%d] end ", i, i, (i+1)%n)
	}
	return text
}

// lastwrite is threads that store the same to two cells, and one that reads both.
func lastwrite(n int) string {
	return head + rep(n, "process P# begin x := 1; y := 1 end ") + "process Q local k, l begin k := y; l := x end "
}

// bufferTable prints what the equivalence is worth under models with store buffers.
func bufferTable(o *output) {
	o.print(`
## Reads-value-from under TSO and PSO

Executions that are explored, and milliseconds of processor time: up to the values that reads have (*rvf*), as graphs, as graphs without the
order of stores (*rf*), and as traces (*optimal*).

| program | N | model | rvf | | graphs | | rf | | optimal | |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
`)
	for _, f := range families() {
		p := o.parse(f.name+".imp", f.text)
		for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
			o.print("| %s | %d | %s |", f.name, f.n, m)
			o.timed(func(ctx context.Context) (*verdict.Result, error) {
				return rvf.Explore(ctx, p, rvf.Options{Model: m})
			})
			o.timed(func(ctx context.Context) (*verdict.Result, error) {
				return trust.Explore(ctx, p, trust.Options{Model: m})
			})
			o.timed(func(ctx context.Context) (*verdict.Result, error) {
				return trust.Explore(ctx, p, trust.Options{Model: m, AnyCoherence: true})
			})
			o.timed(func(ctx context.Context) (*verdict.Result, error) {
				return traces.Explore(ctx, p, traces.Options{Model: m, Algorithm: traces.Optimal})
			})
			o.print("\n")
		}
	}
	o.print("\nWhere there is —, the time did not suffice, or that way is not for the program.\n")
}

// timed prints how many executions there are, and what that takes.
func (o *output) timed(f func(ctx context.Context) (*verdict.Result, error)) {
	if o.err != nil {
		return
	}
	ctx, cancel := o.bounded()
	defer cancel()
	start := cpu.Time()
	r, err := f(ctx)
	if took := cpu.Time() - start; err == nil && r.Safe() {
		o.print(" %s | %.1f |", number(r.Stat("executions")), float64(took)/float64(time.Millisecond))
	} else {
		o.print(" %s | |", none)
	}
}
