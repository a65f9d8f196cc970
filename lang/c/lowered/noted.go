package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A number of 64 bits, or a pointer, has no room for a mark. Where one thread alone accesses it, but at addresses that are computed, so that it does not
// become a register, there is a cell beside it, ShadowOffset after it, that is 1 as long as nothing has been written to it. Whoever reads it then
// chooses a value. Nobody else comes in between, so that it does not matter which of the two cells is accessed first.

// notedTag marks the accesses to cells beside which there is one.
const notedTag = flowgraph.AccessTag + "noted"

// An aNote is what is known of a cell beside another: the type of that one, if it may be read before it is written, and whether it is not written at
// first.
type aNote struct {
	t     *types.Type
	first bool
}

// besideNoted adds the cell beside c.
func (u *Unit) besideNoted(cells []program.Cell, c program.Cell) []program.Cell {
	a := c.Addr + ShadowOffset
	if u.unused[a] {
		return cells
	}
	note := program.Cell{Addr: a, Name: c.Name + " is not written", Type: program.BoolType, Init: program.Bool(u.noted[c.Addr].first)}
	if v, ok := u.initial[a]; ok {
		note.Init = v
	}
	return append(cells, note)
}

// note gives such cells to those that may be read before they are written, and sees to it that they are written and looked at. It tells whether
// there is something new.
func (u *Unit) note(p *program.Program, r *program.Ranges) (changed bool) {
	for a, t := range u.doubts(p, r, noted) {
		if u.noted == nil {
			u.noted = map[int64]aNote{}
		}
		if u.noted[a].t == nil {
			u.noted[a], changed = aNote{t, !u.written[a]}, true
		}
	}
	if len(u.noted) == 0 {
		return false
	}
	// of is the type of the cells that an access may be to and that are noted; nil: none of them is.
	of := func(c *program.Command) (t *types.Type) {
		for _, i := range r.Access[c] {
			if x := u.noted[r.Cells[i].Addr].t; x != nil && flowgraph.FitsTag(wordOf(&r.Cells[i]), c.Tags) && (t == nil || x.Kind == types.PointerKind) {
				t = x
			}
		}
		if t != nil { // there is a cell beside the others, too, to which it may be
			for _, i := range r.Access[c] {
				if _, ok := u.noted[r.Cells[i].Addr]; !ok && flowgraph.FitsTag(wordOf(&r.Cells[i]), c.Tags) {
					u.noted[r.Cells[i].Addr], changed = aNote{}, true
				}
			}
		}
		return t
	}
	for ti, t := range u.Threads {
		live := t.Graph.Live()
		for ei, gi := range t.origin {
			if gi < 0 {
				continue
			}
			analysed := &p.Threads[ti].Edges[ei].Cmd
			switch c := &t.Graph.Edges[gi].Cmd; c.Op {
			case program.Load, program.Store:
				if of := of(analysed); of != nil && !c.Tags.Has(notedTag) {
					c.Tags, changed = c.Tags.With(notedTag), true
					noting{t.Graph, gi, live[t.Graph.Edges[gi].To]}.access(of)
				}
			case program.Atomic:
				c.Body = slices.Clone(c.Body)
				var n *noting
				for k := range c.Body {
					if b := &c.Body[k]; of(&analysed.Body[k]) != nil && !b.Tags.Has(notedTag) {
						b.Tags, changed = b.Tags.With(notedTag), true
						if n == nil {
							n = &noting{t.Graph, gi, live[t.Graph.Edges[gi].To]}
						}
						n.part(k)
						c = &t.Graph.Edges[gi].Cmd
					}
				}
			}
		}
	}
	return changed
}

// A noting is the work on an edge of a thread, behind which some registers are live.
type noting struct {
	g    *flowgraph.Graph
	edge int
	live program.RegSet
}

// before puts a command before the edge.
func (n noting) before(c program.Command) {
	e := n.g.Edges[n.edge]
	at := n.g.Node(e.Pos)
	n.g.Edges[n.edge].From = at
	n.g.Add(e.From, at, c, e.Pos)
}

// after puts one behind it.
func (n noting) after(c program.Command) {
	e := n.g.Edges[n.edge]
	at := n.g.Node(e.Pos)
	n.g.Edges[n.edge].To = at
	n.g.Add(at, e.To, c, e.Pos)
}

// asking loads what is noted of a cell into a register.
func (n noting) asking(addr program.Expr) program.Command {
	return program.Command{Op: program.Load, Reg: n.register(program.BoolType), Addr: plus(addr, ShadowOffset), Tags: ShadowTags(types.Bool).With(flowgraph.NoteTag, CarefulTag)}
}

func (n noting) register(t program.Type) int {
	n.g.Regs = append(n.g.Regs, program.Register{Type: t, Temp: true})
	return len(n.g.Regs) - 1
}

// access sees to a load or a store.
func (n noting) access(t *types.Type) {
	c := n.g.Edges[n.edge].Cmd
	if c.Op == program.Store {
		n.store(&c)
		return
	}
	if !counts(&c) || !n.live.Has(c.Reg) {
		return
	}
	// It is asked behind the load, as what has to be known of the address is asserted right before that (guards.go).
	got := c.Reg
	if flowgraph.Reads(c.Addr, c.Reg) {
		got = n.register(n.g.Regs[c.Reg].Type)
		n.g.Edges[n.edge].Cmd.Reg = got
		n.after(program.Command{Op: program.Assign, Reg: c.Reg, Value: program.Reg(got)})
	}
	ask := n.asking(c.Addr)
	n.after(ask)
	e := n.g.Edges[len(n.g.Edges)-1]
	at, chosen, to := n.g.Node(e.Pos), n.g.Node(e.Pos), e.To
	n.g.Edges[len(n.g.Edges)-1].To = at
	unset := program.Reg(ask.Reg)
	n.g.Add(at, to, program.Command{Op: program.Check, Value: eq(unset, program.Const(0)), Pick: true, Says: "which is written"}, e.Pos)
	n.g.Add(at, chosen, program.Command{Op: program.Check, Value: ne(unset, program.Const(0)), Pick: true, Says: "which is not written"}, e.Pos)
	n.g.Add(chosen, to, anythingIn(n.g, got, t), e.Pos)
}

// store notes, behind the edge, that c has stored something, or that there is nothing any longer.
func (n noting) store(c *program.Command) {
	n.after(program.Command{Op: program.Store, Addr: plus(c.Addr, ShadowOffset), Value: program.Const(program.Bool(c.Tags.Has(UnsetTag))), Tags: ShadowTags(types.Bool).With(flowgraph.NoteTag, CarefulTag)})
}

// part sees to part k of what is done at once: it does not read what is not written, or nothing is looked at further.
func (n noting) part(k int) {
	body := n.g.Edges[n.edge].Cmd.Body
	c := body[k]
	if c.Op == program.Load && (!counts(&c) || !n.live.Has(c.Reg) && !flowgraph.ReadAfter(body[k+1:], c.Reg)) {
		return
	}
	bound := BoundOf("not modelled: what is not written in an atomic operation")
	computed := slices.ContainsFunc(body, func(b program.Command) bool {
		return b.Op == program.Load && flowgraph.Reads(c.Addr, b.Reg) || b.Op == program.Assign && flowgraph.Reads(c.Addr, b.Reg)
	})
	switch {
	case computed:
		n.before(bound)
	case c.Op == program.Store:
		n.store(&c)
	default:
		// What has to be known of the address comes before that, too.
		n.before(program.Command{Op: program.Load, Reg: n.register(n.g.Regs[c.Reg].Type), Addr: c.Addr, Tags: c.Tags.With(TouchTag, KeptTag)})
		ask := n.asking(c.Addr)
		n.before(ask)
		bound.Value = eq(program.Reg(ask.Reg), program.Const(0))
		n.before(bound)
	}
}
