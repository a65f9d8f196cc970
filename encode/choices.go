package encode

import (
	"reflect"

	"github.com/fencepost-verifier/fencepost/program"
)

// A compare-exchange of the kernel has fences around it where it succeeds, and none where it fails. So a thread decides
// which of the two it will be before it has looked. If it has decided wrong there is no step, and it is as if it stood still, though
// what it does could not be held up: it would have decided the other way. Where that matters, in a section of RCU, it
// is not left standing there.

// findChoices finds the control states that a thread leaves whatever it reads there, or comes to only where it will.
func (t *thread) findChoices() []bool {
	sure := make([]bool, len(t.t.States))
	into := make([][]int, len(t.t.States))
	for i := range t.t.Edges {
		into[t.t.Edges[i].To] = append(into[t.t.Edges[i].To], i)
	}
	// looks is what an edge looks at, or the one behind it if it is a fence.
	looks := func(i int) *program.Command {
		e := &t.t.Edges[i]
		if e.Cmd.Op == program.Fence && len(t.out[e.To]) == 1 {
			e = &t.t.Edges[t.out[e.To][0]]
		}
		if c := &e.Cmd; c.Op == program.Atomic && len(c.Body) > 1 && c.Body[0].Op == program.Load && c.Body[1].Op == program.Check &&
			!hasCheck(&program.Command{Body: c.Body[2:]}) {
			return c
		}
		return nil
	}
	// decided is whether the thread could as well have taken another edge out of where i begins, if what i leads to is not possible.
	decided := func(i int) bool {
		c := looks(i)
		if c == nil {
			return false
		}
		for _, k := range t.out[t.t.Edges[i].From] {
			d := looks(k)
			if k != i && d != nil && reflect.DeepEqual(c.Body[0].Addr, d.Body[0].Addr) && c.Body[0].Reg == d.Body[0].Reg &&
				(reflect.DeepEqual(program.NotExpr(c.Body[1].Value), d.Body[1].Value) || reflect.DeepEqual(c.Body[1].Value, program.NotExpr(d.Body[1].Value))) {
				return true
			}
		}
		return false
	}
	for q := range sure {
		switch out := t.out[q]; {
		case len(out) == 2:
			sure[q] = decided(out[0]) && decided(out[1])
		case len(out) == 1 && t.t.Edges[out[0]].Cmd.Op == program.Atomic && len(into[q]) > 0:
			sure[q] = true
			for _, i := range into[q] {
				sure[q] = sure[q] && t.t.Edges[i].Cmd.Op == program.Fence && decided(i)
			}
		}
	}
	return sure
}
