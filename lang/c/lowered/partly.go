package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// A store to a bit-field stores to the whole unit: in memory to which nothing has been written the bits beside it are 0 from then on. They may be anything
// in C. So nothing is looked at further where a bit-field is read to which its thread has not stored on all ways there, though it has stored
// to others of the unit, and nobody else may have. What is stored to one of several places counts for all of them. Who copies a structure copies with it
// which bits have been stored to (storedbits.go).

// partlyStored notes what the prefix knows of a cell when a command has stored to it: the bits that it has stored to, where it has not to all.
func (x *prefix) partlyStored(a int64, f *effect, unset bool) {
	tags := f.tags[a]
	bits, some := flowgraph.Bits(tags)
	before, partly := x.partly[a]
	copied, copies := f.parts[a]
	switch {
	case copies:
		x.partly[a] = copied
	case some && (unset || partly) && !tags.Has(UnsetTag):
		x.partly[a] = before | bits
	default:
		delete(x.partly, a)
	}
}

// lookedAt are the bits that a load is about, of a unit that is read as t: all of them where that is no bit-field and more than to copy it.
func lookedAt(tags program.Tags, t program.Type) uint64 {
	bits, some := flowgraph.Bits(tags)
	switch {
	case tags.Has(KeptTag), !some && (tags.Has(CopiedTag) || Accessed(tags) == nil):
		return 0
	case some:
		return bits
	}
	return ^uint64(0) >> (64 - t.Bits)
}

// boundParts has a bound where a bit-field is read that nothing may have been stored to, beside others that have been.
func (u *Unit) boundParts(p *program.Program, r *program.Ranges) {
	x := u.storedBits(p, r)
	if x == nil {
		return
	}
	for ti, t := range u.Threads {
		var all []partRead
		x.along(ti, func(ei int, at []partOfCell) {
			gi := t.origin[ei]
			if gi < 0 {
				return
			}
			if e := &t.Graph.Edges[gi]; e.Op != nil {
				e.Reads(func(r int) {
					if x.open(ti, at, program.Reg(r)) {
						all = append(all, partRead{gi: gi, before: true})
					}
				})
				return
			}
			for k, c := range partsOfEdge(&p.Threads[ti].Edges[ei].Cmd) {
				switch {
				case x.reads(ti, at, c):
					all = append(all, partRead{gi: gi, at: k, before: true})
				case c.Op == program.Load && x.looks(ti, at, c):
					all = append(all, partRead{gi: gi, at: k})
				}
				x.step(ti, at, c)
			}
		})
		for _, f := range slices.Backward(all) { // those of a block from its end on
			f.bound(t.Graph)
		}
	}
}

// A partRead is a command, part at of an edge, that reads what may not have been stored to.
type partRead struct {
	gi, at int
	before bool // it is known before it
}

// bound ends there what is looked at.
func (f partRead) bound(g *flowgraph.Graph) {
	e := &g.Edges[f.gi]
	bound := BoundOf("not modelled: a bit-field that nothing has been stored to, beside others of its unit")
	bound.Pos = e.Pos
	after := f.at + 1
	if f.before {
		after = f.at
	} else if reg := partsOfEdge(&e.Cmd)[f.at].Reg; g.Regs[reg].Mark != 0 { // nothing has been stored to any of them, and any value will be chosen
		bound.Value = eq(program.Reg(reg), program.Const(g.Regs[reg].Mark))
	}
	between := g.Node(bound.Pos)
	switch {
	case e.Cmd.Op == program.Atomic:
		e.Cmd.Body = slices.Insert(slices.Clone(e.Cmd.Body), after, bound)
	case f.before:
		from := e.From
		e.From = between
		g.Add(from, between, bound, bound.Pos)
	default:
		to := e.To
		e.To = between
		g.Add(between, to, bound, bound.Pos)
	}
}
