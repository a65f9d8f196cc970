package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// NoValueBound ends what is looked at where it is put into memory.
const NoValueBound = "not modelled: the value of a thread that has none, in memory"

// ValuelessTag marks stores to memory of what may be no value.
const ValuelessTag = flowgraph.AccessTag + "valueless"

// dropUnread lets a thread go on beyond a value that another one has not given, which it has put where nobody reads.
func (u *Unit) dropUnread(p *program.Program, r *program.Ranges) {
	if !u.Valueless {
		return
	}
	read := make([]bool, len(r.Cells))
	for ti := range p.Threads {
		for ei := range p.Threads[ti].Edges {
			p.Threads[ti].Edges[ei].Cmd.Accesses(func(c *program.Command) {
				if c.Op != program.Store {
					for _, i := range r.Access[c] {
						read[i] = true
					}
				}
			})
		}
	}
	for ti, t := range u.Threads {
		for ei, gi := range t.origin {
			if gi < 0 || !t.Graph.Edges[gi].Cmd.Tags.Has(ValuelessTag) || slices.ContainsFunc(r.Access[&p.Threads[ti].Edges[ei].Cmd], func(i int) bool { return read[i] }) {
				continue
			}
			for i := range t.Graph.Edges {
				if e := &t.Graph.Edges[i]; e.To == t.Graph.Edges[gi].From && e.Cmd.Kind == program.Bound && e.Cmd.Text == NoValueBound {
					e.Cmd = program.Skip()
				}
			}
		}
	}
}
