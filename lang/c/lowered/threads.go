package lowered

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// registersOf is the registers with names of their own.
func registersOf(g *flowgraph.Graph) []program.Register {
	regs := slices.Clone(g.Regs)
	used := map[string]int{}
	temps := 0
	for i := range regs {
		r := &regs[i]
		if r.Name == "" {
			temps++
			r.Name = fmt.Sprintf("t%d", temps)
		}
		used[r.Name]++
		if n := used[r.Name]; n > 1 {
			r.Name = fmt.Sprintf("%s'%d", r.Name, n)
		}
	}
	return regs
}

// A Thread is a thread of the program: its graph, in which all operations are commands but for each [Condition].
type Thread struct {
	ID     int
	Name   string
	Graph  *flowgraph.Graph
	Start  *Object   // the cell through which it is started; nil: nobody does
	ArgBox *Object   // that of what it is given; nil: that is known
	Copies []*Object // of the locals around what it executes
	First  bool      // it runs from the beginning
	// origin says of which edge of the graph each edge of its automaton is made; -1: of none.
	origin []int
}

// assemble is the program as it is now.
func (u *Unit) assemble() *program.Program {
	p := &program.Program{Name: u.src.Name, Source: u.src, Arch: program.C11, Default: program.Int64Type, SafetyOnly: !u.Options.Signals, Ordered: u.reliesOnOrder, Sampled: u.sampled, Given: u.Given, Outside: u.Outside}
	p.Memory = u.memory()
	for _, t := range u.Threads {
		p.Threads = append(p.Threads, t.automaton())
	}
	sortCells(p.Memory)
	return p
}

// BoundOf is the command at which what is looked at ends.
func BoundOf(what string) program.Command {
	return program.Command{Op: program.Assert, Kind: program.Bound, Value: program.Const(0), Text: what}
}

// automaton is the graph of t as the automaton of a thread. t.origin says of which
// edge of the graph each edge is made; -1: of none.
func (t *Thread) automaton() *program.Thread {
	g := t.Graph
	pt := &program.Thread{Name: t.Name, Regs: registersOf(g)}
	t.origin = nil
	id := map[int]program.StateID{}
	out := g.Out()
	var order []int
	stack := []int{g.Start}
	for len(stack) > 0 {
		q := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, ok := id[q]; ok {
			continue
		}
		id[q] = program.StateID(len(order))
		order = append(order, q)
		for _, i := range slices.Backward(out[q]) {
			stack = append(stack, g.Edges[i].To)
		}
	}
	shift := program.StateID(0)
	if !t.First {
		shift = 1
		pt.Regs = append(pt.Regs, program.Register{Name: "started", Type: program.BoolType, Temp: true})
		pt.States = append(pt.States, program.State{Name: "unstarted", Kind: program.Unstarted, Pos: g.Nodes[g.Start]})
		pt.Edges = append(pt.Edges, program.Edge{From: 0, To: 1, Pos: g.Nodes[g.Start],
			Cmd: program.Start(len(pt.Regs)-1, t.Start.Base, Tags(target.Acquire, types.Bool))})
		t.origin = append(t.origin, -1)
	}
	for k, q := range order {
		s := program.State{Name: fmt.Sprintf("q%d", k), Pos: g.Nodes[q]}
		if q == g.GaveUp || slices.Contains(g.Bounds, q) {
			s.Kind = program.GivenUp
		}
		pt.States = append(pt.States, s)
		for _, i := range out[q] {
			e := g.Edges[i]
			e.Cmd.Body = slices.Clone(e.Cmd.Body)
			if op, ok := e.Op.(Condition); ok {
				e.Cmd = op.placeholder(e.Pos)
			}
			t.origin = append(t.origin, i)
			pt.Edges = append(pt.Edges, program.Edge{From: id[q] + shift, To: id[e.To] + shift, Cmd: e.Cmd, Pos: e.Pos})
		}
	}
	return pt
}
