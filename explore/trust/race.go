package trust

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// happened is what happens before e, and e: under RA all that comes before it.
func (x *explorer) happened(e *event) clock {
	if x.opts.Model == memory.RA {
		return e.cause
	}
	return e.views.happened
}

// race takes note of a data race of e, which is new, where they are looked for. What is new
// happens before nothing, so that it is enough to look at what has happened before it.
func (x *explorer) race(e int32) bool {
	if !x.races {
		return false
	}
	g := x.g
	ev := &g.events[e]
	for o := int32(len(g.co)); o < int32(len(g.events)); o++ {
		other := &g.events[o]
		if other.thread == ev.thread || !access(other) || other.cell != ev.cell || other.kind == read && ev.kind == read ||
			other.class.order&ev.class.order&relaxed != 0 || x.happened(ev).has(other) || x.happened(other).has(ev) {
			continue
		}
		name := func(e *event) string {
			what := "reads"
			if e.kind == write {
				what = "writes"
			}
			how := "plain"
			if e.class.order&relaxed != 0 {
				how = "atomic"
			}
			at := ""
			if e.cmd.Pos.IsValid() {
				at = fmt.Sprintf(" in line %d", e.cmd.Pos.Line)
			}
			return fmt.Sprintf("%s %s%s (%s)", x.p.Threads[e.thread].Name, what, at, how)
		}
		cell := x.ranges.Cells[ev.cell].Name
		if cell == "" {
			cell = program.Mem{Addr: x.ranges.Cells[ev.cell].Addr}.String()
		}
		x.found = &found{graph: g.clone(), events: make([]int32, len(x.threads)), steps: make([]int, len(x.threads)),
			violation: &verdict.Violation{Text: fmt.Sprintf("data race on %s: %s, %s", cell, name(other), name(ev)), Pos: ev.cmd.Pos}}
		for _, c := range []clock{other.clock, ev.clock} {
			for t, n := range c {
				x.found.events[t] = max(x.found.events[t], n)
			}
		}
		return true
	}
	return false
}
