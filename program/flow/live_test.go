package flow_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// TestLive: a register is live where a walk finds a way to who reads it, and nobody writes
// it on that way.
func TestLive(t *testing.T) {
	live, dead := 0, 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 73))
		p := randprog.New(rng, randprog.Options{CountLoop: 2, WaitLoop: 2, Assume: 1, Assert: 1})
		if seed%3 == 0 {
			p.Filter = program.Binary{Op: program.Eq, X: program.ThreadReg{Thread: 0, Reg: rng.IntN(2)}, Y: program.Const(0)}
		}
		keep := seed%2 == 0
		for ti, th := range p.Threads {
			got := flow.Live(p, ti, keep)
			out := th.Out()
			// read is whether something reads the register at a state, beside commands.
			read := func(q program.StateID, r int) bool {
				final := len(out[q]) == 0
				found := false
				see := func(e program.Expr) {
					if x, ok := e.(program.ThreadReg); ok && x.Thread == ti && x.Reg == r {
						found = true
					}
				}
				for i := range p.Properties {
					if final || p.Properties[i].Kind == program.Forbid {
						program.Walk(p.Properties[i].Cond, see)
					}
				}
				if final {
					program.Walk(p.Filter, see)
				}
				return found || final && keep && !th.Regs[r].Temp
			}
			for q := range th.States {
				for r := range th.Regs {
					seen := make([]bool, len(th.States))
					var walk func(q program.StateID) bool
					walk = func(q program.StateID) bool {
						if seen[q] {
							return false
						}
						seen[q] = true
						return read(q, r) || slices.ContainsFunc(out[q], func(e int) bool {
							c := &th.Edges[e].Cmd
							reads, writes := false, false
							c.Reads(func(x int) { reads = reads || x == r })
							c.Writes(func(x int) { writes = writes || x == r })
							return reads || !writes && walk(th.Edges[e].To)
						})
					}
					want := walk(program.StateID(q))
					if got[q].Has(r) != want {
						t.Fatalf("seed %d: register %d of thread %d at state %d: live %v", seed, r, ti, q, !want)
					}
					if want {
						live++
					} else {
						dead++
					}
				}
			}
		}
	}
	if live < 1000 || dead < 1000 {
		t.Errorf("%d live, %d dead", live, dead)
	}
}

// TestLoopsOfRandomPrograms: without its back edges a thread goes forward in the order, and
// the states in that are those it can get to.
func TestLoopsOfRandomPrograms(t *testing.T) {
	backs, waits := 0, 0
	for seed := range uint64(400) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 74)), randprog.Options{CountLoop: 3, WaitLoop: 3, StoreLoop: 2})
		for ti, th := range p.Threads {
			l := flow.FindLoops(th, flow.Live(p, ti, false))
			at := make([]int, len(th.States))
			for i, q := range l.Order {
				at[q] = i + 1
			}
			if l.Order[0] != th.Initial {
				t.Fatalf("seed %d: thread %d begins at %d", seed, ti, l.Order[0])
			}
			for i, e := range th.Edges {
				switch {
				case at[e.From] == 0 && (l.Back[i] || l.Wait[i]):
					t.Fatalf("seed %d: edge %d of thread %d is never taken", seed, i, ti)
				case at[e.From] == 0:
				case at[e.To] == 0, l.Back[i] != (at[e.To] <= at[e.From]), l.Wait[i] && !l.Back[i]:
					t.Fatalf("seed %d: edge %d of thread %d: back %v, waits %v, from %d to %d", seed, i, ti, l.Back[i], l.Wait[i], at[e.From], at[e.To])
				}
				if l.Back[i] {
					backs++
				}
				if l.Wait[i] {
					waits++
				}
			}
		}
	}
	if backs < 100 || waits < 30 || backs == waits {
		t.Errorf("%d back edges, %d of loops that wait", backs, waits)
	}
}

// TestWaits is which loops wait.
func TestWaits(t *testing.T) {
	r0, r1 := program.Reg(0), program.Reg(1)
	x, one := program.Const(0), program.Const(1)
	load := program.Command{Op: program.Load, Reg: 0, Addr: x}
	store := program.Command{Op: program.Store, Addr: x, Value: one}
	again := program.Command{Op: program.Check, Value: program.Binary{Op: program.Eq, X: r0, Y: one}}
	done := program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: r0, Y: one}}
	count := program.Command{Op: program.Assign, Reg: 1, Value: program.Binary{Op: program.Add, X: r1, Y: one}}
	success, failure := program.CompareAndSwap(0, 1, x, one, one, program.Position{})
	edge := func(from, to program.StateID, c program.Command) program.Edge {
		return program.Edge{From: from, To: to, Cmd: c}
	}
	for _, test := range []struct {
		name  string
		edges []program.Edge
		cond  program.Expr // of a property
		want  []bool       // by edge: whether it waits
	}{
		{"a load until it has seen a value", []program.Edge{edge(0, 1, load), edge(1, 0, again), edge(1, 2, done)}, nil, []bool{false, true, false}},
		{"two ways round", []program.Edge{edge(0, 1, load), edge(1, 0, again), edge(1, 0, program.Skip()), edge(1, 2, done)}, nil, []bool{false, true, true, false}},
		{"nothing at all", []program.Edge{edge(0, 0, program.Skip())}, nil, []bool{true}},
		{"a store", []program.Edge{edge(0, 1, load), edge(1, 3, store), edge(3, 0, again), edge(1, 2, done)}, nil, []bool{false, false, false, false}},
		{"a store on the way out", []program.Edge{edge(0, 1, load), edge(1, 0, again), edge(1, 2, store)}, nil, []bool{false, true, false}},
		{"a counter that is read", []program.Edge{edge(0, 1, load), edge(1, 3, count), edge(3, 0, again), edge(1, 2, done)}, nil, []bool{false, false, false, false}},
		{"what a property sees", []program.Edge{edge(0, 1, load), edge(1, 0, again), edge(1, 2, done)}, program.ThreadReg{Reg: 0}, []bool{false, false, false}},
		{"a lock", []program.Edge{edge(0, 1, program.Command{Op: program.Lock}), edge(1, 0, program.Command{Op: program.Unlock}), edge(1, 2, done)}, nil, []bool{false, false, false}},
		{"a compare-and-swap that fails", []program.Edge{edge(0, 1, success), edge(0, 0, failure)}, nil, []bool{false, true}},
		{"one that succeeds", []program.Edge{edge(0, 0, success), edge(0, 1, failure)}, nil, []bool{false, false}},
		{"two ways in", []program.Edge{edge(0, 1, program.Skip()), edge(0, 2, program.Skip()), edge(1, 2, load), edge(2, 1, again)}, nil, []bool{false, false, false, false}},
		{"out of reach", []program.Edge{edge(0, 1, load), edge(2, 2, again)}, nil, []bool{false, false}},
	} {
		p := &program.Program{Default: program.Int32Type, Threads: []*program.Thread{{
			Name: "P0", Regs: []program.Register{{Name: "r0", Type: program.Int32Type}, {Name: "r1", Type: program.Int32Type}},
			States: make([]program.State, 4), Edges: test.edges,
		}}}
		if test.cond != nil {
			p.Properties = []program.Property{{Kind: program.Forbid, Cond: test.cond}}
		}
		if err := program.Sanity(p); err != nil {
			t.Fatal(err)
		}
		if l := flow.FindLoops(p.Threads[0], flow.Live(p, 0, false)); !slices.Equal(l.Wait, test.want) {
			t.Errorf("%s: %v, want %v", test.name, l.Wait, test.want)
		}
	}
}
