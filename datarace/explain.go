package datarace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Tags of accesses to the cell that tells whether an object is there: the store of free, and
// the load before an access.
const (
	freeTag = "FREE"
	liveTag = "LIVE"
)

var orderNames = map[string]string{"RLX": "relaxed", "CON": "consume", "ACQ": "acquire", "REL": "release", "ACQ_REL": "acq_rel", "SC": "seq_cst"}

// orderOf is the memory order of an access as C has it; "" of a plain one.
func orderOf(c *program.Command) string {
	for _, n := range c.Tags.Names() {
		if o := orderNames[n]; o != "" {
			return o
		}
	}
	return ""
}

// An explainer says of two accesses of a run why nothing orders them.
type explainer struct {
	run           *verdict.Run
	first, second *access
}

func explain(run *verdict.Run, first, second *access) *verdict.Race {
	x := &explainer{run, first, second}
	r := &verdict.Race{First: x.describe(first), Second: x.describe(second)}
	r.Why, r.Advice = x.why()
	return r
}

func (x *explainer) describe(a *access) verdict.RaceAccess {
	return verdict.RaceAccess{Thread: a.thread, Step: a.step, Cell: x.cell(a.addr), Value: a.value, Write: a.kind.writes(),
		Order: orderOf(a.cmd), Free: a.cmd.Tags.Has(freeTag) || a.cmd.Tags.Has(liveTag), Pos: x.run.Steps[a.step].Pos}
}

func (x *explainer) cell(addr int64) int {
	return slices.IndexFunc(x.run.Cells, func(c program.Cell) bool { return c.Addr == addr })
}

func (x *explainer) name(addr int64) string {
	name := x.run.Cells[x.cell(addr)].Name
	if i := strings.Index(name, ".__"); i > 0 { // a part of a mutex or the like
		name = name[:i]
	}
	return name
}

func (x *explainer) thread(t int) string { return x.run.Program.Threads[t].Name }

func (x *explainer) line(step int) string {
	if pos := x.run.Steps[step].Pos; pos.IsValid() {
		return pos.Where()
	}
	return fmt.Sprintf("step %d", step+1)
}

// why is the facts, and advice.
func (x *explainer) why() (facts []string, advice string) {
	one, two := x.thread(x.first.thread), x.thread(x.second.thread)
	steps := x.accesses()
	// Has the second thread read what the first one has stored since? Then it is a matter of
	// orders.
	type write struct {
		a     access
		given bool // a release fence lies between the first access and the store
	}
	last := map[int64]write{}
	fenced := false
	for i := x.first.step; i <= x.second.step; i++ {
		s := &x.run.Steps[i]
		c := &x.run.Program.Threads[s.Thread].Edges[s.Edge].Cmd
		fenced = fenced || s.Thread == x.first.thread && i > x.first.step && c.Op == program.Fence && releases(c)
		for _, a := range steps[i] {
			a.thread, a.step, a.kind = s.Thread, i, kindOf(a.cmd)
			if a.kind == atomicRead && s.Thread == x.second.thread {
				w, ok := last[a.addr]
				if ok && w.a.thread == x.first.thread && w.a.kind == atomicWrite {
					var weak, mend []string
					if !w.given && !releases(w.a.cmd) {
						weak = append(weak, fmt.Sprintf("the store is %s and releases nothing", orderOf(w.a.cmd)))
						mend = append(mend, fmt.Sprintf("the store to %s at %s memory_order_release", x.name(a.addr), x.line(w.a.step)))
					}
					if !acquires(a.cmd) && !x.acquiredLater(i) {
						weak = append(weak, fmt.Sprintf("the load is %s and acquires nothing", orderOf(a.cmd)))
						mend = append(mend, fmt.Sprintf("the load from %s at %s memory_order_acquire", x.name(a.addr), x.line(i)))
					}
					if len(weak) > 0 {
						return []string{fmt.Sprintf("%s then stores to %s (%s), and %s reads that (%s), but %s",
							one, x.name(a.addr), x.line(w.a.step), two, x.line(i), strings.Join(weak, ", and "))}, "make " + strings.Join(mend, ", and ")
					}
				}
			}
			if a.kind.writes() {
				last[a.addr] = write{a, fenced}
			}
		}
	}
	// What has the first thread let others know of it?
	var offers []string
	for i := x.first.step; i <= x.second.step; i++ {
		s := &x.run.Steps[i]
		if s.Thread != x.first.thread {
			continue
		}
		c := &x.run.Program.Threads[s.Thread].Edges[s.Edge].Cmd
		if c.Op == program.Unlock {
			offers = append(offers, "gives the lock back ("+x.line(i)+")")
		}
		for _, a := range steps[i] {
			if kindOf(a.cmd) == atomicWrite && releases(a.cmd) {
				what := "releases"
				if c.Op == program.Atomic && c.Text != "" {
					what = "does " + c.Text + " on"
				}
				offers = append(offers, fmt.Sprintf("%s %s (%s)", what, x.name(a.addr), x.line(i)))
				break
			}
		}
	}
	advice = "hold the same mutex at both, or make both accesses atomic"
	if x.first.kind.plain() != x.second.kind.plain() {
		advice = "make the plain access atomic, or hold the same mutex at both"
	}
	if x.first.cmd.Tags.Has(freeTag) || x.second.cmd.Tags.Has(freeTag) {
		advice = "free the object where nobody can access it any more: after joins, or under the mutex of its users"
	}
	if len(offers) == 0 {
		return []string{fmt.Sprintf("%s does nothing after it that another thread could acquire", one)}, advice
	}
	const most = 3
	if n := len(offers); n > most {
		offers = append(offers[:most], fmt.Sprintf("and %d more", n-most))
	}
	return []string{fmt.Sprintf("after it %s %s; %s acquires nothing of that before its access", one, strings.Join(offers, ", "), two)}, advice
}

// acquiredLater is whether the second thread comes to an acquire fence after the step.
func (x *explainer) acquiredLater(step int) bool {
	for i := step + 1; i <= x.second.step; i++ {
		s := &x.run.Steps[i]
		if c := &x.run.Program.Threads[s.Thread].Edges[s.Edge].Cmd; s.Thread == x.second.thread && c.Op == program.Fence && acquires(c) {
			return true
		}
	}
	return false
}

// accesses lists those of every step.
func (x *explainer) accesses() [][]access {
	all := make([][]access, len(x.run.Steps))
	regs := make([][]int64, len(x.run.Program.Threads))
	for t, th := range x.run.Program.Threads {
		for _, r := range th.Regs {
			regs[t] = append(regs[t], r.Init)
		}
	}
	mem := x.run.Init
	for i := range x.run.Steps {
		s := &x.run.Steps[i]
		all[i] = accessesOf(x.run, s, &x.run.Program.Threads[s.Thread].Edges[s.Edge].Cmd, regs[s.Thread], mem)
		regs, mem = s.Regs, s.Memory
	}
	return all
}
