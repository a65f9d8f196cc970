package target_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// ordered gives the commands of p, and those of bodies, random memory orders of C11.
func ordered(p *program.Program, rng *rand.Rand, orders map[program.Op][]int) {
	p.Arch = program.C11
	p.Properties, p.Filter = nil, nil
	tag := func(c *program.Command, o int) { c.Tags = program.NewTags(target.OrderTag[o]) }
	for _, t := range p.Threads {
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			if os := orders[c.Op]; os != nil && c.Op != program.Atomic {
				tag(c, os[rng.IntN(len(os))])
			}
			both := orders[program.Atomic][rng.IntN(len(orders[program.Atomic]))]
			for k := range c.Body {
				switch b := &c.Body[k]; b.Op {
				case program.Load:
					tag(b, map[int]int{target.Relaxed: target.Relaxed, target.Acquire: target.Acquire, target.Release: target.Relaxed, target.AcqRel: target.Acquire, target.SeqCst: target.SeqCst}[both])
				case program.Store:
					tag(b, map[int]int{target.Relaxed: target.Relaxed, target.Acquire: target.Relaxed, target.Release: target.Release, target.AcqRel: target.Release, target.SeqCst: target.SeqCst}[both])
				}
			}
		}
	}
}

// finals are the final states of p, or ok is false where there are too many executions.
func finals(t *testing.T, p *program.Program, m memory.Model) (all map[string]bool, ok bool) {
	def, err := memory.LoadFor(m, p.Arch)
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Sanity(p); err != nil {
		t.Fatalf("%v\n%s", err, reference.Dump(p))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 400*time.Millisecond)
	defer cancel()
	states, err := graphs.FinalStates(ctx, p, def, graphs.Options{BackEdges: 2}, func(*memory.Graph, verdict.FinalState) bool { return true })
	if err != nil {
		return nil, false
	}
	all = map[string]bool{}
	for i := range states {
		all[states[i].Key()] = true
	}
	return all, true
}

// copied is a copy of p whose commands may be changed.
func copied(p *program.Program) *program.Program {
	q := *p
	q.Threads = nil
	for _, t := range p.Threads {
		u := *t
		u.States, u.Edges = slices.Clone(t.States), slices.Clone(t.Edges)
		for i := range u.Edges {
			u.Edges[i].Cmd.Body = slices.Clone(u.Edges[i].Cmd.Body)
		}
		q.Threads = append(q.Threads, &u)
	}
	return &q
}

var processors = map[*target.Processor]memory.Model{target.AArch64: "armv8", target.RISCV: "riscv", target.Power: "power"}

// TestCompiled holds the final states of compiled programs against those that the operations of C11 have:
// processors have no others than IMM, which was made to lie between the two, and where all is
// sequentially consistent none but those of SC.
func TestCompiled(t *testing.T) {
	n := 150
	if testing.Short() {
		n = 25
	}
	any := map[program.Op][]int{program.Load: {target.Plain, target.Relaxed, target.Acquire, target.SeqCst}, program.Store: {target.Plain, target.Relaxed, target.Release, target.SeqCst},
		program.Fence: {target.Acquire, target.Release, target.AcqRel, target.SeqCst}, program.Atomic: {target.Relaxed, target.Acquire, target.Release, target.AcqRel, target.SeqCst}}
	strong := map[program.Op][]int{program.Load: {target.SeqCst}, program.Store: {target.SeqCst}, program.Fence: {target.SeqCst}, program.Atomic: {target.SeqCst}}
	compared, fewer := map[memory.Model]int{}, map[memory.Model]int{}
	for seed := range uint64(n) {
		rng := rand.New(rand.NewPCG(seed, 11))
		opts := randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 4}, Addresses: randprog.Range{Min: 2, Max: 2},
			Values: 2, Atomic: -1, Lock: -1, Havoc: -1, CountLoop: -1, WaitLoop: -1, Assume: -1, Start: -1, Load: 6, Store: 6, Fence: 1, RMW: 1}
		p := randprog.New(rng, opts)
		orders, model := any, memory.Model("imm")
		if seed%3 == 0 {
			orders, model = strong, memory.SC
		}
		ordered(p, rng, orders)
		want, ok := finals(t, p, model)
		if !ok {
			continue
		}
		for to, m := range processors {
			q := copied(p)
			target.Compile(q, to)
			got, ok := finals(t, q, m)
			if !ok {
				continue
			}
			compared[m]++
			if len(got) < len(want) {
				fewer[m]++
			}
			for s := range got {
				if !want[s] {
					t.Fatalf("seed %d, %s: %q is not a final state under %s\n%s\ncompiled\n%s", seed, m, s, model, reference.Dump(p), reference.Dump(q))
				}
			}
		}
	}
	t.Logf("compared %v; with fewer states %v", compared, fewer)
}
