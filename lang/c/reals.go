package c

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Numbers of floating point may lie in memory that is divided, as in an array of bytes of which parts are handed out: they are stored piece by piece there.
// What is stored is not their bytes, of which nothing is known. So nobody may read them as something else.

// realTag marks accesses to parts of a number of floating point.
const realTag = flowgraph.AccessTag + "real"

// noteReal notes whether a cell holds such a part.
func (x *prefix) noteReal(a int64, is bool) {
	if is {
		x.reals[a] = true
	} else {
		delete(x.reals, a)
	}
}

// boundReals has a bound in place of each load that may be of such a part, and that takes it for something else; r is nil where that is not known.
func (u *unit) boundReals(p *program.Program, r *program.Ranges) {
	isPart := func(c *program.Command, op program.Op) bool { return c.Op == op && c.Tags.Has(realTag) }
	real, some := map[int]bool{}, len(u.reals) > 0
	for _, t := range u.threads {
		for i := range t.g.Edges {
			t.g.Edges[i].Cmd.Accesses(func(c *program.Command) { some = some || isPart(c, program.Store) })
		}
	}
	if !some {
		return
	}
	if r != nil {
		for a := range u.reals {
			if i := r.CellIndex(a); i >= 0 {
				real[i] = true
			}
		}
		for c, cells := range r.Access {
			for _, i := range cells {
				real[i] = real[i] || isPart(c, program.Store)
			}
		}
	}
	for ti, t := range u.threads {
		for ei, gi := range t.origin {
			if gi < 0 {
				continue
			}
			e, analysed := &t.g.Edges[gi], &p.Threads[ti].Edges[ei].Cmd
			put := func(c, analysed *program.Command) {
				if c.Op == program.Load && !c.Tags.Has(realTag) && (r == nil || slices.ContainsFunc(r.Access[analysed], func(i int) bool { return real[i] })) {
					*c = boundOf("not modelled: bytes of a number of floating point")
					c.Pos = analysed.Pos
				}
			}
			put(&e.Cmd, analysed)
			if analysed.Op == program.Atomic {
				e.Cmd.Body = slices.Clone(e.Cmd.Body)
				for k := range analysed.Body {
					put(&e.Cmd.Body[k], &analysed.Body[k])
				}
			}
		}
	}
}
