package program_test

import (
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
)

// part is an access of the instruction before it.
func part(c program.Command) program.Command {
	c.Part = true
	return c
}

// TestJoined joins the parts of accesses where nothing can come in between.
func TestJoined(t *testing.T) {
	store := func(a int64) program.Command {
		return program.Command{Op: program.Store, Addr: program.Const(a), Value: program.Const(1)}
	}
	load := func(a int64) program.Command {
		return program.Command{Op: program.Load, Addr: program.Const(a), Reg: 0}
	}
	assign := program.Command{Op: program.Assign, Reg: 0, Value: program.Const(1)}
	for _, test := range []struct {
		name  string
		cmds  []program.Command
		more  []program.Edge
		whole bool
		wide  []int // by edge: how many commands are in one step; 0: it is none
	}{
		{"nothing", []program.Command{store(0), load(1)}, nil, true, []int{0, 0}},
		{"a store", []program.Command{store(0), part(store(1)), load(1)}, nil, true, []int{2, 0, 0}},
		{"three loads", []program.Command{load(0), part(load(1)), part(load(2))}, nil, true, []int{3, 0, 0}},
		{"assigned in between", []program.Command{load(0), assign, part(load(1)), assign}, nil, true, []int{3, 0, 0, 0}},
		{"two stores", []program.Command{store(0), part(store(1)), store(0), part(store(1))}, nil, true, []int{2, 0, 2, 0}},
		{"part of nothing", []program.Command{assign, part(store(1))}, nil, false, nil},
		{"of another kind", []program.Command{load(0), part(store(1))}, nil, false, nil},
		{"a fence in between", []program.Command{store(0), {Op: program.Fence}, part(store(1))}, nil, false, nil},
		{"a way in", []program.Command{store(0), part(store(1))}, []program.Edge{{From: 0, To: 1, Cmd: assign}}, false, nil},
		{"a way out", []program.Command{store(0), part(store(1))}, []program.Edge{{From: 1, To: 0, Cmd: assign}}, false, nil},
	} {
		th := &program.Thread{Name: "P", Regs: []program.Register{{Name: "r", Type: program.Int32Type}}, States: []program.State{{Name: "q"}}}
		for i, c := range test.cmds {
			th.States = append(th.States, program.State{Name: "q"})
			th.Edges = append(th.Edges, program.Edge{From: program.StateID(i), To: program.StateID(i + 1), Cmd: c})
		}
		th.Edges = append(th.Edges, test.more...)
		p := &program.Program{Threads: []*program.Thread{th}}
		q, whole := p.Joined()
		if whole != test.whole {
			t.Errorf("%s: joined %v, want %v", test.name, whole, test.whole)
		}
		for i, n := range test.wide {
			if c := &q.Threads[0].Edges[i].Cmd; c.Wide != (n > 0) || len(c.Body) != n {
				t.Errorf("%s: edge %d is %s", test.name, i, c.Format(nil, nil))
			}
		}
		if whole && q.Parts() {
			t.Errorf("%s: parts are left", test.name)
		}
	}
}

// TestSeparated: what is joined and separated again is joined to the same.
func TestSeparated(t *testing.T) {
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 51))
		p := randprog.New(rng, randprog.Options{})
		if !randprog.Widen(rng, p) {
			continue
		}
		q, whole := p.Joined()
		if err := program.Sanity(q); err != nil || !whole || !q.Wide() || q.Parts() && !atomicParts(q) {
			t.Fatalf("seed %d: %v", seed, err)
		}
		s := q.Separated()
		if err := program.Sanity(s); err != nil || !s.Parts() {
			t.Fatalf("seed %d, separated: %v", seed, err)
		}
		again, whole := s.Joined()
		if !whole {
			t.Fatalf("seed %d: not joined again", seed)
		}
		for ti, th := range q.Threads {
			for i := range th.Edges {
				a, b := &th.Edges[i], &again.Threads[ti].Edges[i]
				if a.Cmd.Format(q, th) != b.Cmd.Format(again, again.Threads[ti]) || a.From != b.From || a.To != b.To {
					t.Fatalf("seed %d: edge %d is %s, and was %s", seed, i, b.Cmd.Format(again, again.Threads[ti]), a.Cmd.Format(q, th))
				}
			}
		}
	}
}

// atomicParts is whether there are parts of read-modify-writes, which stay what they are.
func atomicParts(p *program.Program) bool {
	for _, t := range p.Threads {
		for i := range t.Edges {
			for _, c := range t.Edges[i].Cmd.Body {
				if c.Part {
					return true
				}
			}
		}
	}
	return false
}

// TestFingerprintOfParts: two accesses one after the other, and the same as parts of one, joined or not, are different programs.
func TestFingerprintOfParts(t *testing.T) {
	fingerprint := func(second func(program.Command) program.Command, joined bool) string {
		th := &program.Thread{Name: "P", States: []program.State{{Name: "q0"}, {Name: "q1"}, {Name: "q2"}}}
		for i := range 2 {
			c := program.Command{Op: program.Store, Addr: program.Const(int64(i)), Value: program.Const(1)}
			if i == 1 {
				c = second(c)
			}
			th.Edges = append(th.Edges, program.Edge{From: program.StateID(i), To: program.StateID(i + 1), Cmd: c})
		}
		p := &program.Program{Threads: []*program.Thread{th}}
		if joined {
			p, _ = p.Joined()
		}
		return program.Fingerprint(p)
	}
	own := func(c program.Command) program.Command { return c }
	apart, parts, whole := fingerprint(own, false), fingerprint(part, false), fingerprint(part, true)
	if apart == parts || apart == whole || parts == whole {
		t.Errorf("two stores are %.8s, the parts of one %.8s, joined %.8s", apart, parts, whole)
	}

	// In the body of an atomic block, too: of a read-modify-write of several cells.
	block := func(c program.Command) string {
		th := &program.Thread{Name: "P", States: []program.State{{Name: "q0"}, {Name: "q1"}}, Edges: []program.Edge{{To: 1, Cmd: program.Command{
			Op: program.Atomic, Body: []program.Command{{Op: program.Store, Addr: program.Const(0), Value: program.Const(1)}, c}}}}}
		return program.Fingerprint(&program.Program{Threads: []*program.Thread{th}})
	}
	if c := (program.Command{Op: program.Store, Addr: program.Const(1), Value: program.Const(1)}); block(c) == block(part(c)) {
		t.Error("a part of a read-modify-write is not told from an access of its own")
	}
}
