package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/program"
)

// first writes by f what an object has at first.
func (l *lowerer) first(o *lowered.Object, f func()) {
	from := len(l.g.Edges)
	f()
	if o == nil || o.FixedIn == nil {
		return
	}
	for i := range l.g.Edges[from:] {
		if c := &l.g.Edges[from+i].Cmd; c.Op == program.Store {
			c.Tags = c.Tags.With(lowered.FirstTag)
		}
	}
}
