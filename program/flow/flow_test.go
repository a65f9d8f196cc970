package flow_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// TestCycles: what is left by BreakCycles has no cycle, of which FindCycle knows; it takes
// out no more than one state of each; and what FindCycle finds is one.
func TestCycles(t *testing.T) {
	broken := 0
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 71))
		p := randprog.New(rng, randprog.Options{CountLoop: 4, WaitLoop: 4, StoreLoop: 4})
		for _, th := range p.Threads {
			out := th.Out()
			local := make([]bool, len(th.States))
			for q := range local {
				local[q] = rng.IntN(4) > 0
			}
			was := slices.Clone(local)
			before := flow.FindCycle(th, out, func(q program.StateID) bool { return was[q] })
			for i, q := range before {
				to := before[(i+1)%len(before)]
				if !was[q] || !slices.ContainsFunc(out[q], func(e int) bool { return th.Edges[e].To == to }) {
					t.Fatalf("seed %d: %v is no cycle", seed, before)
				}
			}
			flow.BreakCycles(th, out, local)
			if c := flow.FindCycle(th, out, func(q program.StateID) bool { return local[q] }); c != nil {
				t.Fatalf("seed %d: the cycle %v is left", seed, c)
			}
			if same := slices.Equal(was, local); same != (before == nil) {
				t.Fatalf("seed %d: cycle %v, but %v became %v", seed, before, was, local)
			} else if !same {
				broken++
			}
			for q := range local {
				if local[q] && !was[q] {
					t.Fatalf("seed %d: state %d is new", seed, q)
				}
			}
		}
	}
	if broken < 50 {
		t.Errorf("%d threads with a cycle", broken)
	}
}

// TestDead: what an edge leaves dead is not live behind it.
func TestDead(t *testing.T) {
	resets := 0
	for seed := range uint64(200) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 72)), randprog.Options{CountLoop: 2, WaitLoop: 2})
		dead, base := flow.Dead(p, seed%2 == 0), 0
		for ti, th := range p.Threads {
			live := flow.Live(p, ti, seed%2 == 0)
			for e := range th.Edges {
				for _, r := range dead[ti][e] {
					if resets++; live[th.Edges[e].To].Has(r.Reg) || r.At != base+r.Reg || r.Value != th.Regs[r.Reg].Init {
						t.Fatalf("seed %d: thread %d, edge %d: %+v", seed, ti, e, r)
					}
				}
			}
			base += len(th.Regs)
		}
	}
	if resets == 0 {
		t.Error("nothing is ever dead")
	}
}
