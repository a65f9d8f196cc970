package target

import (
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// KeepOrders leaves the operations of C11 as they are, with their memory orders as tags: "RLX", "ACQ",
// "REL", "ACQ_REL", "SC", "CON", and "NA" of a plain access.
func KeepOrders(p *program.Program) {
	known := map[program.Tags]program.Tags{}
	keep := func(t program.Tags) program.Tags {
		k, ok := known[t]
		if !ok {
			k = program.NewTags(withoutKernel(slices.DeleteFunc(t.Names(), func(n string) bool { return strings.HasPrefix(n, flowgraph.AccessTag) }))...)
			known[t] = k
		}
		return k
	}
	for _, t := range p.Threads {
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			c.Tags = keep(c.Tags)
			c.Body = slices.Clone(c.Body)
			for k := range c.Body {
				c.Body[k].Tags = keep(c.Body[k].Tags)
			}
		}
	}
}

// MapToX86 chooses the instructions of x86 for the operations of C11. An Atomic is a
// locked instruction there, which it becomes by the change of architecture alone. A sequentially consistent store is an exchange, or
// a move and an MFENCE.
func MapToX86(p *program.Program, mfence bool) {
	for _, t := range p.Threads {
		var edges []program.Edge
		for _, e := range t.Edges {
			c := e.Cmd
			switch c.Op {
			case program.Load:
				c.Tags = program.Tags{}
			case program.Store:
				if c.Tags.Has(OrderTag[SeqCst]) {
					c.Tags = program.Tags{}
					if mfence {
						t.States = append(t.States, program.State{Name: t.States[e.To].Name + "'", Pos: e.Pos})
						mid := program.StateID(len(t.States) - 1)
						edges = append(edges, program.Edge{From: e.From, To: mid, Cmd: c, Pos: e.Pos})
						e.From = mid
						c = program.Command{Op: program.Fence, Pos: c.Pos}
					} else {
						c = program.Command{Op: program.Atomic, Text: "xchg", Body: []program.Command{c}, Pos: c.Pos}
					}
				}
				c.Tags = program.Tags{}
			case program.Fence:
				c.Tags = fenceOf(c.Tags)
				if c.Tags == program.NewTags("none") {
					c = program.Skip()
				}
			case program.Atomic:
				body := append([]program.Command(nil), c.Body...)
				for i := range body {
					body[i].Tags = program.Tags{}
				}
				c.Body = body
			}
			e.Cmd = c
			edges = append(edges, e)
		}
		t.Edges = edges
	}
	p.Arch = program.X86
}

// fenceOf is the kind of a fence of x86: a full one for a sequentially consistent
// fence, what an instruction says, and for other fences none at all, nor for one that the kernel has beside atomic operations.
func fenceOf(t program.Tags) program.Tags {
	for _, kind := range []string{program.TagSFence, program.TagLFence} {
		if t.Has(kind) {
			return program.NewTags(kind)
		}
	}
	if t.Has(OrderTag[SeqCst]) && !slices.Contains(besideAtomics, kernelName(t)) {
		return program.Tags{}
	}
	return program.NewTags("none")
}
