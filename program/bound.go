package program

import "slices"

// HasBounds is true of a program of which not all is modelled: some thread has an
// Assert of kind Bound.
func (p *Program) HasBounds() bool {
	found := false
	p.eachCommand(func(_ *Thread, c *Command) { found = found || c.Op == Assert && c.Kind == Bound })
	return found
}

// Cut is p where a thread gives up at a bound: what is wrong with it is wrong with p. Of an
// Atomic with a bound inside nothing may happen, so that a thread gives up before it, whether it
// would come to the bound or not: who waits for the thread may not take it for one that stands.
func (p *Program) Cut() *Program {
	q := *p
	q.Threads = slices.Clone(p.Threads)
	for i, t := range p.Threads {
		cut := *t
		cut.States, cut.Edges = slices.Clone(t.States), nil
		end := StateID(-1)
		giveUp := func(e Edge, c Command) {
			if end < 0 {
				end = StateID(len(cut.States))
				cut.States = append(cut.States, State{Name: "beyond the bound", Kind: GivenUp})
			}
			cut.Edges = append(cut.Edges, Edge{From: e.From, To: end, Cmd: c, Pos: e.Pos})
		}
		for _, e := range t.Edges {
			c := e.Cmd
			if c.Op == Atomic {
				c.Body = slices.Clone(c.Body)
				bound := false
				for k := range c.Body {
					if b := &c.Body[k]; b.Op == Assert && b.Kind == Bound {
						*b = Command{Op: Check, Value: b.Value, Pos: b.Pos}
						bound = true
					}
				}
				if bound {
					giveUp(e, Skip())
				}
			}
			if c.Op == Assert && c.Kind == Bound {
				giveUp(e, Command{Op: Check, Value: NotExpr(c.Value), Pos: c.Pos})
				c = Command{Op: Check, Value: c.Value, Pos: c.Pos}
			}
			e.Cmd = c
			cut.Edges = append(cut.Edges, e)
		}
		q.Threads[i] = &cut
	}
	return &q
}
