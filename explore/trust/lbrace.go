package trust

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Races of load buffering (Moiseenko, Kokologiannakis and Vafeiadis, "Model checking on
// multi-execution memory models", OOPSLA 2022, definition 2.2): a read r, and a write w to the
// same cell that happens-before does not order with it, such that a path leads from r to w,
// which begins with a relaxed write that may be executed before r. If that is done, r may read
// from w. A program without such races under RC11 has no more executions where load
// buffering is allowed.

// orders are what makes a fence one that keeps reads and writes from being reordered.
const orders = acquire | release | seqCst

// buffered calls f for the reads that race with the new write w, each with the first write
// after it that may be executed before it and that a path to w begins with, and with who
// reads that, until f returns false.
func (g *graph) buffered(w int32, f func(r, early, reader int32) bool) {
	ew := &g.events[w]
	for t, n := range ew.clock {
		for i := range min(n, int32(len(g.threads[t]))) {
			r := g.threads[t][i]
			er := &g.events[r]
			if er.kind != read || er.cell != ew.cell || er.class.order != relaxed || er.rf == w ||
				ew.views.happened.has(er) || er.views != nil && er.views.happened.has(ew) {
				continue
			}
			if early, reader := g.early(r, w); early != none && !f(r, early, reader) {
				return
			}
		}
	}
}

// early is the first relaxed write after the read r, and before any fence, that another thread
// reads from on a path to w, and who reads it; none where there is none.
func (g *graph) early(r, w int32) (first, reader int32) {
	er := &g.events[r]
	before := g.events[w].clock
	after := g.threads[er.thread][er.index+1:]
	for _, e := range after {
		ev := &g.events[e]
		if !before.has(ev) || ev.kind == fence && ev.class.order&orders != 0 {
			break
		}
		if ev.kind != write || ev.class.order != relaxed {
			continue
		}
		for rd := ev.readers; rd != none; rd = g.events[rd].next {
			if o := &g.events[rd]; o.thread != er.thread && before.has(o) {
				return e, rd
			}
		}
	}
	return none, none
}

// An lbKey is what makes a race of load buffering the same one: places in the program.
type lbKey struct{ read, early, write *program.Command }

// An lbWatch takes note of races of load buffering.
type lbWatch struct {
	first bool // that there is one is all that matters
	seen  map[lbKey]bool
	all   []*found
	keys  []lbKey // of all
	pairs map[[2]*program.Command]bool
}

func newLBWatch(first bool) *lbWatch {
	return &lbWatch{first: first, seen: map[lbKey]bool{}, pairs: map[[2]*program.Command]bool{}}
}

// join adds the races that m has taken note of.
func (l *lbWatch) join(m *lbWatch) {
	for i, k := range m.keys {
		if !l.seen[k] {
			l.seen[k] = true
			l.keys, l.all = append(l.keys, k), append(l.all, m.all[i])
		}
	}
	for p := range m.pairs {
		l.pairs[p] = true
	}
}

// watch takes note of the races of the new write a, in a graph that is consistent.
func (x *explorer) watch(a int32) {
	l := x.lb
	g := x.g
	g.buffered(a, func(r, early, reader int32) bool {
		er, ew := &g.events[r], &g.events[a]
		k := lbKey{er.cmd, g.events[early].cmd, ew.cmd}
		if l.seen[k] {
			return true
		}
		l.seen[k] = true
		l.pairs[[2]*program.Command{er.cmd, ew.cmd}] = true
		l.keys = append(l.keys, k)
		l.all = append(l.all, x.lbRace(g, a, r, early, reader))
		if l.first {
			x.found = l.all[0]
		}
		return !l.first
	})
}

// lbRace is a race as something that was found.
func (x *explorer) lbRace(g *graph, w, r, early, reader int32) *found {
	f := &found{graph: g.clone(), events: slices.Clone(g.events[w].clock), steps: make([]int, len(x.threads))}
	f.hops = append([]hop{{r, "po"}, {early, "rf"}}, g.path(reader, w)...)
	cell := x.ranges.Cells[g.events[w].cell].Name
	if cell == "" {
		cell = program.Mem{Addr: x.ranges.Cells[g.events[w].cell].Addr}.String()
	}
	name := func(e *event, how string) string {
		at := ""
		if e.cmd.Pos.IsValid() {
			at = fmt.Sprintf(" in line %d", e.cmd.Pos.Line)
		}
		return x.p.Threads[e.thread].Name + " " + how + at
	}
	f.violation = &verdict.Violation{LBRace: &verdict.LBRace{}, Pos: g.events[r].cmd.Pos,
		Text: fmt.Sprintf("load-buffering race on %s: %s, %s, and nothing keeps what comes of the read from being written before it", cell,
			name(&g.events[r], "reads"), name(&g.events[w], "writes"))}
	return f
}

// A hop is an event on a path, and by what the path goes on from there.
type hop struct {
	event int32
	by    string
}

// path is a shortest path of program order and reads-from from e to w, steps in program order
// taken together.
func (g *graph) path(e, w int32) []hop {
	from := map[int32]hop{e: {none, ""}}
	queue := []int32{e}
	for len(queue) > 0 && queue[0] != w {
		u := queue[0]
		queue = queue[1:]
		next := func(v int32, by string) {
			if _, ok := from[v]; !ok {
				from[v] = hop{u, by}
				queue = append(queue, v)
			}
		}
		ev := &g.events[u]
		for _, v := range g.threads[ev.thread][ev.index+1:] {
			next(v, "po")
		}
		for rd := ev.readers; ev.kind == write && rd != none; rd = g.events[rd].next {
			next(rd, "rf")
		}
	}
	hops := []hop{{w, ""}}
	for u := w; u != e; {
		h := from[u]
		hops = append(hops, h)
		u = h.event
	}
	slices.Reverse(hops)
	return hops
}

// execution is what was found as the evidence for a verdict.
func (x *explorer) execution(f *found) *verdict.Execution {
	m, number := x.numbered(f.graph, f.events, true)
	v := *f.violation
	e := &verdict.Execution{Program: x.p, Model: x.opts.Model, Violation: &v}
	var at []int
	e.Graph, at = m.Sorting()
	if f.hops != nil {
		v.LBRace = &verdict.LBRace{}
		for _, h := range f.hops {
			v.LBRace.Path = append(v.LBRace.Path, verdict.LBStep{Event: at[number[h.event]], By: h.by, Cmd: f.graph.events[h.event].cmd})
		}
	}
	return e
}

// lbResult turns the answer about safety into one about races of load buffering.
func (x *explorer) lbResult(r *verdict.Result) *verdict.Result {
	effort := r.Effort
	switch {
	case r.Unsafe():
		return r
	case r.Safe():
		r = verdict.LBRaceFree(x.p, x.opts.Model, r.Argument())
	case !r.Conclusive():
		r = verdict.LBRaceUnknown(x.p, x.opts.Model, r.Reason())
	}
	r.Effort = effort
	return r
}

// races as they were found, each as evidence.
func (x *explorer) lbRaces() (all []*verdict.Execution) {
	for _, f := range x.lb.all {
		all = append(all, x.execution(f))
	}
	return all
}
