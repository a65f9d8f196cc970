package trust

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// depend adds what the first n events of thread t depend on, by way of its registers and of
// the checks that it has passed. number is the events in m.
func (x *explorer) depend(m *memory.Graph, g *graph, t, n int32, number []int) {
	var ctrl []int
	deps := make([][]int, len(x.p.Threads[t].Regs))
	of := func(e program.Expr) (reads []int) {
		program.Walk(e, func(e program.Expr) {
			if r, ok := e.(program.Reg); ok {
				reads = append(reads, deps[r]...)
			}
		})
		slices.Sort(reads)
		return slices.Compact(reads)
	}
	at := int32(0) // events of the thread that are accounted for
	access := func() int {
		for at < n {
			e := g.threads[t][at]
			if at++; number[e] >= 0 {
				for _, r := range ctrl {
					m.Ctrl.Add(r, number[e])
				}
				return number[e]
			}
		}
		return -1
	}
	add := func(to memory.Relation, reads []int, e int) {
		for _, r := range reads {
			if e >= 0 {
				to.Add(r, e)
			}
		}
	}
	var command func(c *program.Command)
	command = func(c *program.Command) {
		switch c.Op {
		case program.Check:
			if c.Pick {
				return
			}
			ctrl = append(slices.Clip(ctrl), of(c.Value)...)
		case program.Assign:
			deps[c.Reg] = of(c.Value)
			if c.Part && at > 0 && number[g.threads[t][at-1]] >= 0 { // of the access before it
				deps[c.Reg] = append(slices.Clip(deps[c.Reg]), number[g.threads[t][at-1]])
			}
		case program.Havoc:
			deps[c.Reg] = nil
		case program.Load:
			e := access()
			add(m.Addr, of(c.Addr), e)
			if deps[c.Reg] = nil; e >= 0 {
				deps[c.Reg] = []int{e}
			}
		case program.Store:
			e := access()
			add(m.Addr, of(c.Addr), e)
			add(m.Data, of(c.Value), e)
		case program.Fence, program.Lock, program.Unlock:
			access()
		case program.Atomic:
			accesses := false
			c.Accesses(func(*program.Command) { accesses = true })
			if !accesses {
				access()
			}
			for i := range c.Body {
				command(&c.Body[i])
			}
		}
	}
	for _, s := range x.steps(g, t, n)[1:] {
		command(&x.p.Threads[t].Edges[s.edge].Cmd)
	}
	for at < n { // a read of an Atomic that was not enabled
		access()
	}
}
