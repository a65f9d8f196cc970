package rvf

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/explore/threads"
)

// A section is a part of a thread that happens at once: what it does while it has the
// lock, or an atomic block of several accesses. It is a read of several values: what it
// reads is tried value by value, and only then are others asked again.
type section struct {
	thread int
	unit   int32 // of its events; 0: there is none yet
	steps  int32 // of its thread, before it
	picked int   // choices in it
	lock   bool  // it has the lock
	// What there was when it was last tried, where it was. Something in it has to
	// read what was not there then. Where the reads before the first that does read only
	// what was, no execution is explored twice.
	before [][]int32
	fresh  bool // something has
	// s is in order: else its events are put in order before the next read.
	s       []int32
	ordered bool
	end     *sectionEnd
}

// A sectionEnd is what became of a section.
type sectionEnd struct {
	probe       bool // nobody goes on behind it
	went, waits bool // one way through it, or none for what it has read
}

// begins is true of a stop where a section begins.
func begins(stop *threads.Stop) bool {
	return stop.Kind == threads.Lock || stop.Block && !stop.Inside
}

// blind is true where thread t goes through the section that is next without
// reading what others could write: then it is like a write. Before that it may have to
// choose between so many ways.
func (x *exploration) blind(t int) (yes bool, ways int64) {
	th, seen := x.threads[t], x.seen
	defer func() { x.seen = seen }()
	s := &x.trial
	s.Copy(&x.states[t])
	ahead := x.ahead[t]
	written := map[int32]int64{}
	for lock := false; ; {
		stop := th.Run(s, x.scratch)
		switch {
		case !lock && s.Steps > x.states[t].Steps || stop.Kind == threads.Failed:
			return true, 0
		case stop.Kind == threads.Store && stop.Cell < 0 || stop.Kind == threads.Unlock:
			return true, 0
		case stop.Kind == threads.Choice && len(ahead) == 0:
			return false, stop.Ways
		case stop.Kind == threads.Choice:
			th.Choose(s, ahead[0])
			ahead = ahead[1:]
			continue
		case stop.Kind == threads.Lock:
			lock = true
		case stop.Kind == threads.Store:
			written[stop.Cell] = stop.Value
		case stop.Kind == threads.Load:
			v, ok := written[stop.Cell]
			if !ok {
				return false, 0
			}
			th.Read(s, &stop, v, x.scratch)
			continue
		case stop.Kind != threads.Fence:
			return false, 0
		}
		th.Pass(s, &stop, x.scratch)
	}
}

// section explores the ways through the section that thread t is before, and what comes
// after. waits is true where it waits for other values than some of those that it can read.
func (x *exploration) section(s []int32, t int, causal [][]int32, probe bool) (went, waits bool) {
	end := sectionEnd{probe: probe}
	x.drains(t)
	x.inside(section{thread: t, steps: x.states[t].Steps, before: causal, fresh: causal[t] == nil,
		s: slices.Clone(s), ordered: true, end: &end})
	return end.went, end.waits
}

// inside takes the section to its end, on all ways.
func (x *exploration) inside(sec section) {
	t := sec.thread
	th := x.threads[t]
	for {
		if x.work(); x.done() {
			return
		}
		stop := th.Run(&x.states[t], x.scratch)
		x.stops[t] = stop
		switch {
		case x.seen || stop.Kind == threads.Failed:
			if x.arrange(&sec) {
				x.convict(sec.s, t)
			}
			return
		case !sec.lock && x.states[t].Steps > sec.steps:
			x.leave(sec)
			return
		case stop.Kind.Stands() && !sec.lock: // the block cannot be executed with these values
			sec.end.waits = true
			return
		case stop.Kind.Stands():
			x.stand(sec, stop.Kind)
			return
		case stop.Kind == threads.Choice:
			x.decide(sec, stop.Ways)
			return
		case (stop.Kind == threads.Load || stop.Kind == threads.Store) && stop.Cell < 0:
			if x.arrange(&sec) {
				x.stray(sec.s, t)
			}
			return
		case stop.Kind == threads.Load:
			x.reads(sec, &stop)
			return
		case stop.Kind == threads.Store:
			sec.ordered = sec.ordered && sec.atEnd(x)
			ids := x.store(t, &stop, stop.Half, sec.next(x))
			sec.unit = x.events[ids[0]].unit
			sec.s = append(sec.s, ids...)
			x.signal(stop.Cell, int32(t), false)
		case stop.Kind == threads.Lock:
			sec.lock = true
		}
		th.Pass(&x.states[t], &stop, x.scratch)
		if stop.Kind == threads.Unlock {
			x.leave(sec)
			return
		}
	}
}

// next is the unit of the next event.
func (sec *section) next(x *exploration) int32 {
	if sec.unit == 0 {
		return int32(len(x.events)) + 1
	}
	return sec.unit
}

// atEnd is true where nothing comes after the events of the section.
func (sec *section) atEnd(x *exploration) bool {
	return sec.unit == 0 || x.events[sec.s[len(sec.s)-1]].unit == sec.unit
}

// arrange puts the events in order. It is false where there is none.
func (x *exploration) arrange(sec *section) (ok bool) {
	if sec.ordered {
		return true
	}
	x.witnesses++
	if sec.s, ok = x.witness(sec.s); !ok {
		x.none++
	}
	sec.ordered = ok
	return ok
}

// decide explores the ways of a choice in the section.
func (x *exploration) decide(sec section, ways int64) {
	here := x.mark()
	defer x.letGo(here)
	first := int64(0)
	if ahead := x.ahead[sec.thread]; sec.picked < len(ahead) {
		first = ahead[sec.picked]
		ways = first + 1
	}
	sec.picked++
	for way := first; way < ways; way++ {
		x.threads[sec.thread].Choose(&x.states[sec.thread], way)
		x.picks[sec.thread] = append(x.picks[sec.thread], way)
		next := sec
		next.s = slices.Clone(sec.s)
		x.inside(next)
		if x.back(here); x.done() {
			return
		}
	}
}

// reads explores what a load in the section can read.
func (x *exploration) reads(sec section, stop *threads.Stop) {
	t := sec.thread
	r := event{read: true, own: initial, cell: stop.Cell, half: stop.Half, unit: sec.next(x)}
	here := x.mark()
	defer x.letGo(here)
	try := func(groups []group, fresh bool) {
		for _, g := range groups {
			if x.done() {
				return
			}
			next := sec
			e := r
			e.value, e.good = g.value, g.good
			id := x.add(t, e)
			next.unit, next.fresh = x.events[id].unit, sec.fresh || fresh
			ok := false
			if sec.ordered && sec.atEnd(x) {
				next.s, ok = x.ordered(sec.s, []int32{id}, id)
			} else {
				next.s, next.ordered = append(slices.Clone(sec.s), id), false
				ok = x.arrange(&next)
			}
			if ok {
				x.threads[t].Read(&x.states[t], &x.stops[t], g.value, x.scratch)
				x.inside(next)
			}
			x.back(here)
		}
	}
	if w := x.last(t, stop.Cell); w >= 0 && x.events[w].unit == sec.unit {
		try([]group{{x.events[w].value, []int32{w}}}, false)
		return
	}
	if sec.fresh {
		try(x.sources(t, r, nil, false), false)
		return
	}
	try(x.sources(t, r, sec.before[t], true), false)
	try(x.sources(t, r, sec.before[t], false), true)
}

// leave explores what comes after the section.
func (x *exploration) leave(sec section) {
	if !sec.fresh || !x.arrange(&sec) {
		return
	}
	sec.end.went = true
	if sec.end.probe {
		return
	}
	child := slices.Clone(sec.before)
	child[sec.thread] = nil
	ahead := x.ahead[sec.thread]
	x.ahead[sec.thread] = nil
	x.explore(sec.s, child)
	x.ahead[sec.thread] = ahead
}

// stand counts an execution in which the thread goes no further while it has the lock: nor
// does any other that accesses memory, and what they do after it does not happen.
func (x *exploration) stand(sec section, why threads.Kind) {
	if !sec.fresh || !x.arrange(&sec) {
		return
	}
	sec.end.went = true
	if sec.end.probe {
		return
	}
	s := sec.s
	for sec.unit > 0 && x.events[s[len(s)-1]].unit != sec.unit {
		s = s[:len(s)-1]
	}
	if x.opts.leaf != nil {
		x.opts.step(x)
		x.opts.leaf(x, s)
	}
	switch {
	case why == threads.Cut:
		x.cuts++
	case why == threads.Ended && x.final():
		x.stop("a thread that keeps the lock when it has come to its end", "use another way to explore")
	default:
		x.blocked++
	}
}

// final is true where something is asked of final states.
func (x *exploration) final() bool {
	for i := range x.p.Properties {
		if x.p.Properties[i].Final() {
			return true
		}
	}
	return false
}
