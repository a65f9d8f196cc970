package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// Threads that are alike may be exchanged in a graph, and what comes out is a graph of the program, too. Of
// all that come from each other in this way it is enough to explore those in which the threads come
// in a certain order: that of what their first accesses read, or write, in coherence (compare
// "Combining symmetry and partial order reduction", Kokologiannakis, Marmanis and Vafeiadis, PLDI 2024, which goes on to their
// second accesses, and so on). Of every graph there is one in this order, by sorting.
//
// The order is made a part of consistency, and one that can be extended: the first access of a thread is
// added only once those of the threads before it are there, and counts as coming after them,
// as it does after what it reads from. So these are never gone where it stays when a read is
// changed. To read the last write in coherence, or to write after it, is always in order.
//
// A graph in which the threads are in order, but what the first access of one reads comes of that of
// a later one, could not be built like that. There is none where the model has the write come after
// what the later thread has read: under SC, TSO, PSO and RA; and in any model where the first accesses
// write, or where all writes to the cell are those of read-modify-writes, which read from each other in
// the order of coherence. So there is one group of such threads only: with several, one could come of the other.
type alike struct {
	group []int   // the threads, ascending
	with  []int32 // by thread: the one before it in the group, or -1
	first int32   // which event of each of them is its first access
}

// newAlike finds the largest group. why is why there is none.
func newAlike(x *explorer) (a *alike, why string) {
	switch {
	case x.blocks:
		return nil, "what happens at once may be more than an access"
	case x.weak != nil || x.opts.AnyCoherence || x.lb != nil:
		return nil, "it is for graphs with the order of stores, without cycles"
	case x.p.Filter != nil || len(x.forbids) > 0:
		return nil, "a condition may tell threads apart"
	}
	for i := range x.p.Properties {
		if x.tells(x.p.Properties[i].Cond) {
			return nil, "a condition may tell threads apart: " + x.p.Properties[i].String()
		}
	}
	var groups [][]int
	var reasons []string
next:
	for b := range x.p.Threads {
		reason := ""
		for g := range groups {
			if why := x.exchangeable(groups[g][len(groups[g])-1], b); why == "" {
				groups[g] = append(groups[g], b)
				continue next
			} else if reason == "" {
				reason = why
			}
		}
		groups = append(groups, []int{b})
		if reason != "" {
			reasons = append(reasons, reason)
		}
	}
	slices.SortStableFunc(groups, func(g, h []int) int { return len(h) - len(g) })
	for _, g := range groups {
		if len(g) == 1 {
			break
		}
		first, why := x.firstAccess(g)
		if why != "" {
			reasons = append(reasons, why)
			continue
		}
		a = &alike{group: g, first: first, with: make([]int32, len(x.threads))}
		for t := range a.with {
			a.with[t] = -1
		}
		for i, t := range g[1:] {
			a.with[t] = int32(g[i])
		}
		return a, ""
	}
	if len(reasons) == 0 {
		reasons = append(reasons, "there is one thread")
	}
	return nil, strings.Join(reasons, "; ")
}

// note says of which threads there is one order.
func (a *alike) note(p *program.Program) string {
	var names []string
	for _, t := range a.group {
		names = append(names, p.Threads[t].Name)
	}
	return "executions that differ in the order in which like threads begin are counted once: " + strings.Join(names, ", ")
}

// tells is true of a condition that may tell threads apart.
func (x *explorer) tells(e program.Expr) bool {
	tells := false
	program.Walk(e, func(e program.Expr) {
		switch e := e.(type) {
		case program.At, program.ThreadReg:
			tells = true
		case program.Mem:
			// A cell that is of one thread has a counterpart.
			if c := x.ranges.CellIndex(e.Addr); c >= 0 && x.ranges.Private(c) >= 0 {
				tells = true
			}
		}
	})
	return tells
}

// firstAccess is which event of each of the threads is its first access, to one cell, where before it
// there are fences only.
func (x *explorer) firstAccess(group []int) (first int32, why string) {
	var all []threads.Stop
	for _, t := range group {
		th := x.threads[t]
		var s threads.State
		s.Copy(&x.begin[t].state)
		stop := x.begin[t].stop
		for first = 0; stop.Kind == threads.Fence; first++ {
			th.Pass(&s, &stop, x.scratch)
			stop = th.Run(&s, x.scratch)
		}
		name := x.p.Threads[t].Name
		switch {
		case stop.Kind != threads.Load && stop.Kind != threads.Store:
			return 0, name + " does not begin with an access"
		case th.States[s.PC].Kind == program.Unstarted:
			return 0, name + " is started by another thread"
		case stop.Cell < 0 || len(all) > 0 && all[0].Cell != stop.Cell:
			return 0, name + " begins with an access to memory of its own"
		}
		all = append(all, stop)
	}
	switch x.opts.Model {
	case memory.SC, memory.TSO, memory.PSO, memory.RA:
		return first, ""
	}
	if all[0].Kind == threads.Load && !x.onlyUpdated(int(all[0].Cell)) {
		return 0, fmt.Sprintf("under %s, what a thread reads first may come of what another one reads first and passes over", x.opts.Model)
	}
	return first, ""
}

// onlyUpdated is true of a cell that nothing but read-modify-writes stores to.
func (x *explorer) onlyUpdated(cell int) bool {
	only := true
	for _, t := range x.p.Threads {
		for i := range t.Edges {
			cmd := &t.Edges[i].Cmd
			updates := cmd.Op == program.Atomic && memory.Block(&program.Program{Threads: []*program.Thread{{Edges: []program.Edge{{Cmd: *cmd}}}}}) == nil
			loads := false
			cmd.Accesses(func(c *program.Command) {
				switch {
				case c.Op == program.Load:
					loads = true
				case slices.Contains(x.ranges.Access[c], cell):
					only = only && updates && loads
				}
			})
		}
	}
	return only
}

// held is whether thread t is not to go on yet, since one before it in the group has not begun.
func (x *explorer) held(t int32) bool {
	a := x.alike
	if a == nil || a.with[t] < 0 || int32(len(x.g.threads[t])) != a.first {
		return false
	}
	return int32(len(x.g.threads[a.with[t]])) <= a.first
}

// begins is the first access of the thread before that of ev, if ev is the first access of its thread; else none.
func (x *explorer) begins(ev *event) int32 {
	a := x.alike
	if a == nil || a.with[ev.thread] < 0 || ev.index != a.first {
		return none
	}
	return x.g.threads[a.with[ev.thread]][a.first]
}

// sorted is false of a first access that is out of order.
func (x *explorer) sorted(e int32) bool {
	if e == none || x.alike == nil {
		return true
	}
	ev := &x.g.events[e]
	before := x.begins(ev)
	if before == none {
		return true
	}
	if ev.kind == write {
		return x.g.events[before].place < ev.place
	}
	return x.g.events[x.g.events[before].rf].place <= x.g.events[ev.rf].place
}

// after makes the first access of ev's thread come after that of the thread before it, and what comes after
// the one after the other.
func (x *explorer) after(ev *event) {
	g := x.g
	c := clock(x.clocks.take(len(g.threads)))
	clear(c)
	if ev.index > 0 {
		copy(c, g.events[g.threads[ev.thread][ev.index-1]].cause)
	}
	if ev.kind == read && ev.rf != none {
		if src := &g.events[ev.rf]; src.thread != none {
			c.join(src.cause)
		}
	}
	c[ev.thread] = ev.index + 1
	ev.cause = c
	if before := x.begins(ev); before != none {
		es := g.threads[g.events[before].thread]
		if i := int(x.alike.first) + 1; i < len(es) && g.events[before].kind == read && g.events[es[i]].kind == write && g.events[es[i]].half {
			before = es[i] // both halves of a read-modify-write stay
		}
		ev.clock.join(g.events[before].clock)
	}
}
