package rvf

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/explore/threads"
)

// A mark is what a call goes back to.
type mark struct {
	events int
	of     []int
	drain  []bool
	fence  []int32
	states []threads.State
	stops  []threads.Stop
	picks  []int
	order  order
	seen   bool
}

// mark is where the exploration is. It is to be let go.
func (x *exploration) mark() *mark {
	var m *mark
	if k := len(x.marks); k > 0 {
		m, x.marks = x.marks[k-1], x.marks[:k-1]
	} else {
		m = &mark{states: make([]threads.State, len(x.states))}
		size := 256
		for t := range x.states {
			size += 8*len(x.states[t].Regs) + 160
		}
		x.budget.Charge(int64(size))
	}
	m.events, m.order, m.seen = len(x.events), x.order, x.seen
	m.stops = append(m.stops[:0], x.stops...)
	for t := range x.states {
		m.states[t].Copy(&x.states[t])
	}
	m.of, m.picks = m.of[:0], m.picks[:0]
	m.drain, m.fence = append(m.drain[:0], x.drain...), append(m.fence[:0], x.fence...)
	for _, es := range x.of {
		m.of = append(m.of, len(es))
	}
	for _, ways := range x.picks {
		m.picks = append(m.picks, len(ways))
	}
	return m
}

func (x *exploration) letGo(m *mark) { x.marks = append(x.marks, m) }

// back goes there.
func (x *exploration) back(m *mark) {
	x.events = x.events[:m.events]
	copy(x.stops, m.stops)
	copy(x.drain, m.drain)
	copy(x.fence, m.fence)
	for t := range x.states {
		x.states[t].Copy(&m.states[t])
	}
	for t := range x.of {
		x.of[t] = x.of[t][:m.of[t]]
	}
	for t := range x.picks {
		x.picks[t] = x.picks[t][:m.picks[t]]
	}
	x.order, x.seen = m.order, m.seen
}

// observer is the thread that reads the final memory.
func (x *exploration) observer() int { return len(x.threads) }

// add makes an event of a row the last of the events at hand, and tells which it is.
func (x *exploration) add(row int, e event) int32 {
	e.thread, e.index = int32(row), int32(len(x.of[row]))
	id := int32(len(x.events))
	if e.unit == 0 {
		e.unit = id + 1
	}
	if row < len(x.drain) && x.drain[row] {
		e.after, x.drain[row] = id, false
	}
	if len(x.events) == cap(x.events) { // it will take about as much again, with its clocks
		x.budget.Charge(int64(max(16, cap(x.events))) * int64(64+4*len(x.of)))
	}
	x.events = append(x.events, e)
	x.of[row] = append(x.of[row], id)
	return id
}

// signal tells the ancestors that read cell, or only the halves of read-modify-writes
// among them, that thread has something for them.
func (x *exploration) signal(cell, thread int32, halves bool) {
	for i := range x.anc {
		if a := &x.anc[i]; a.cell == cell && a.thread != thread && (a.half || !halves) {
			a.signalled = true
		}
	}
}

// explore is algorithm RVF-SMC: from the execution s, whose events are those at hand and
// in which every read reads from one of its good writes. causal says, by thread, of the
// read that comes next there, how many events of each thread there were when it was
// last tried, where it was: what it could read then has been explored.
func (x *exploration) explore(s []int32, causal [][]int32) {
	if x.work(); x.done() {
		return
	}
	x.calls++
	m := x.mark()
	// A call holds the execution that it was given, the same with its writes, and what it knows of reads.
	given, grown := int64(4*len(s)+len(causal)*(24+4*len(x.of))), int64(0)
	x.budget.Charge(given)
	defer func() {
		x.back(m)
		x.letGo(m)
		x.budget.Charge(-given - grown)
	}()
	// Writes read nothing, so that they may be done as soon as they can be; the
	// witnesses put them where they have to be.
	s = slices.Clip(s)
	for t, th := range x.threads {
		for {
			stop := th.Run(&x.states[t], x.scratch)
			x.stops[t] = stop
			if x.seen || stop.Kind == threads.Failed {
				x.convict(s, t)
				return
			}
			if stop.Kind == threads.Choice {
				here := x.mark()
				defer x.letGo(here)
				for way := range stop.Ways {
					th.Choose(&x.states[t], way)
					x.picks[t] = append(x.picks[t], way)
					x.explore(s, slices.Clone(causal))
					if x.back(here); x.done() {
						return
					}
				}
				return
			}
			if begins(&stop) {
				yes, ways := x.blind(t)
				if yes {
					x.section(s, t, causal, false)
					return
				}
				if ways == 0 {
					break
				}
				ahead := x.ahead[t]
				for way := int64(0); way < ways && !x.done(); way++ {
					x.ahead[t] = append(slices.Clip(ahead), way)
					x.explore(s, slices.Clone(causal))
				}
				x.ahead[t] = ahead
				return
			}
			switch stop.Kind {
			case threads.Store:
				if stop.Cell < 0 {
					x.stray(s, t)
					return
				}
				s = append(s, x.store(t, &stop, false, 0)...)
				x.budget.Charge(int64(4*cap(s)) - grown)
				grown = int64(4 * cap(s))
				x.signal(stop.Cell, int32(t), false)
			case threads.Fence:
				x.passFence(t, &stop)
			}
			if stop.Kind != threads.Store && stop.Kind != threads.Fence {
				break
			}
			th.Pass(&x.states[t], &stop, x.scratch)
		}
	}
	x.maxDepth = max(x.maxDepth, len(x.events))
	if x.opts.step != nil {
		x.opts.step(x)
	}
	first, second := x.enabled(s, causal)
	if len(first)+len(second) == 0 {
		x.end(s)
		return
	}
	for _, t := range slices.Concat(first, second) {
		if t < x.observer() && begins(&x.stops[t]) {
			continue
		}
		if r, ok := x.read(t); ok && r.half { // it may fail, write nothing, and say nothing
			x.signal(r.cell, int32(t), true)
		}
	}
	again := x.mark()
	defer x.letGo(again)
	tried, idle := false, true
	on := true // whether the other reads are to be tried here as well
	for _, t := range slices.Concat(first, second) {
		if !on && !x.opts.noSignals {
			break
		}
		if t < x.observer() && begins(&x.stops[t]) {
			went, waits := x.section(s, t, causal, false)
			if x.back(again); x.done() {
				return
			}
			on, tried, idle = true, tried || went, idle && waits
			causal[t] = x.counts()
			continue
		}
		r, ok := x.read(t)
		if !ok {
			x.stray(s, t)
			return
		}
		groups, waits := x.groups(t, r, causal[t])
		// A read that waits leaves some of its values out, below which there
		// might have been signals.
		on = causal[t] != nil && x.opts.rules&oldSignals == 0 || waits || x.blocks && r.half
		for _, g := range groups {
			if next, ok := x.extend(s, t, r, g); ok {
				tried = true
				x.anc = append(x.anc, ancestor{int32(t), r.cell, r.half, on})
				if r.half {
					if w := x.events[len(x.events)-1]; w.half && w.write {
						x.signal(w.cell, w.thread, false)
					}
				}
				child := causal
				if x.opts.rules&sharedCausal == 0 {
					child = slices.Clone(causal)
				}
				child[t] = nil
				x.explore(next, child)
				on = x.anc[len(x.anc)-1].signalled
				x.anc = x.anc[:len(x.anc)-1]
			}
			if x.back(again); x.done() {
				return
			}
		}
		idle = idle && waits
		causal[t] = x.counts()
	}
	if !tried && idle && x.stuck(s, slices.Concat(first, second)) {
		x.end(s)
	}
}

// counts is how many events there are in each row.
func (x *exploration) counts() []int32 {
	counts := make([]int32, len(x.of))
	for u := range x.of {
		counts[u] = int32(len(x.of[u]))
	}
	return counts
}

// enabled is the threads that are to read, those first that have not been tried; the
// observer where all others have come to their ends.
func (x *exploration) enabled(s []int32, causal [][]int32) (first, second []int) {
	ended := true
	for t := range x.threads {
		if x.stops[t].Kind != threads.Load && !begins(&x.stops[t]) {
			continue
		}
		ended = false
		if causal[t] == nil {
			first = append(first, t)
		} else {
			second = append(second, t)
		}
	}
	if x.opts.reverse {
		slices.Reverse(first)
	}
	if o := x.observer(); ended && len(x.of[o]) < len(x.observed) && x.sys.Final(x.state(s)) {
		first = append(first, o)
	}
	return first, second
}

// read is the read that thread t does next; false where it is outside of memory.
func (x *exploration) read(t int) (event, bool) {
	if t == x.observer() {
		return event{read: true, own: initial, cell: x.observed[len(x.of[t])]}, true
	}
	stop := &x.stops[t]
	return event{read: true, own: initial, cell: stop.Cell, half: stop.Half}, stop.Cell >= 0
}

// A group is the writes of one value that a read may read from.
type group struct {
	value int64
	good  []int32
}

// groups is what the read r of thread t may read, by values, but for what was there
// when it was last tried. waits is true where a value makes the thread wait: that is
// left out, for it is as if it had not read yet.
func (x *exploration) groups(t int, r event, before []int32) (all []group, waits bool) {
	all = slices.DeleteFunc(x.sources(t, r, before, false), func(g group) bool {
		w := x.waits(t, g.value)
		waits = waits || w
		return w
	})
	return all, waits
}

// sources is what the read r of thread t may read, by values: but for what was there
// before, or only that.
func (x *exploration) sources(t int, r event, before []int32, only bool) (all []group) {
	add := func(w int32, v int64) {
		for i := range all {
			if all[i].value == v {
				all[i].good = append(all[i].good, w)
				return
			}
		}
		all = append(all, group{v, []int32{w}})
	}
	hidden := false
	for u, es := range x.of {
		last := int32(initial) // what is in order is hidden by the last
		own := int(x.owner[u]) == t
		if own || t == x.observer() {
			last = x.last(int(x.owner[u]), r.cell)
			hidden = hidden || last >= 0
		}
		for i := len(es) - 1; i >= 0; i-- {
			e := &x.events[es[i]]
			if !e.write || e.cell != r.cell || own && (es[i] != last || x.opts.rules&noOwn != 0) {
				continue
			}
			if before == nil || (e.index < before[u]) == only {
				add(es[i], e.value)
			}
			if t == x.observer() {
				break
			}
		}
	}
	if !hidden && (before == nil || only || x.opts.rules&initAgain != 0) {
		add(initial, x.init[r.cell])
	}
	for i := range all {
		slices.Sort(all[i].good)
	}
	slices.SortFunc(all, func(a, b group) int { return int(a.good[0] - b.good[0]) })
	return all
}

// waits is true where thread t waits when it reads v.
func (x *exploration) waits(t int, v int64) bool {
	if t == x.observer() {
		return false
	}
	th, seen := x.threads[t], x.seen
	defer func() { x.seen = seen }()
	s := &x.trial
	s.Copy(&x.states[t])
	th.Read(s, &x.stops[t], v, x.scratch)
	switch th.Run(s, x.scratch).Kind {
	case threads.Waiting:
		return true
	case threads.Stuck: // before an Atomic, which has not been executed
		return x.stops[t].Atomic && s.PC == x.states[t].PC
	}
	return false
}

// extend makes the read r of thread t, and the write of a read-modify-write behind it,
// the last of the events at hand, and looks for an execution of them all.
func (x *exploration) extend(s []int32, t int, r event, g group) ([]int32, bool) {
	r.value, r.good = g.value, g.good
	if t < x.observer() && x.buffered() {
		if x.stops[t].Atomic {
			x.drains(t)
		}
		r.own = x.last(t, r.cell)
	}
	last := []int32{x.add(t, r)}
	id := last[0]
	if t < x.observer() {
		th := x.threads[t]
		th.Read(&x.states[t], &x.stops[t], g.value, x.scratch)
		if r.half {
			stop := th.Run(&x.states[t], x.scratch)
			if stop.Kind == threads.Store && stop.Half {
				last = append(last, x.add(t, event{cell: stop.Cell, write: true, half: true, unit: x.events[id].unit, value: stop.Value}))
				th.Pass(&x.states[t], &stop, x.scratch)
			} else {
				x.events[id].half = false // it has failed, and is a read
			}
		}
	}
	return x.ordered(s, last, id)
}

// ordered is an execution of s and the events behind it, of which the first is the read id.
func (x *exploration) ordered(s, last []int32, id int32) ([]int32, bool) {
	x.witnesses++
	// Where the last write before it is good, it may just read.
	r, w := &x.events[id], int32(initial)
	for i := len(s) - 1; i >= 0; i-- {
		if e := &x.events[s[i]]; e.write && e.cell == r.cell {
			w = s[i]
			break
		}
	}
	if slices.Contains(r.good, w) && !x.opts.noGuide {
		x.byGuide++
		return append(slices.Clone(s), last...), true
	}
	next, ok := x.witness(append(slices.Clone(s), last...))
	if !ok {
		x.none++
	}
	return next, ok
}

// stuck is true where none of these threads, which wait for their next reads, can go on:
// the execution is maximal.
func (x *exploration) stuck(s []int32, ts []int) bool {
	again := x.mark()
	defer x.letGo(again)
	for _, t := range ts {
		if t < x.observer() && begins(&x.stops[t]) {
			went, _ := x.section(s, t, make([][]int32, len(x.threads)+1), true)
			if x.back(again); went {
				return false
			}
			continue
		}
		r, _ := x.read(t)
		groups, _ := x.groups(t, r, nil)
		for _, g := range groups {
			_, ok := x.extend(s, t, r, g)
			if x.back(again); ok {
				return false
			}
		}
	}
	return true
}

// end judges a maximal execution.
func (x *exploration) end(s []int32) {
	if x.opts.leaf != nil {
		x.opts.leaf(x, s)
	}
	for t := range x.threads {
		switch x.stops[t].Kind {
		case threads.Cut:
			x.cuts++
			return
		case threads.Waiting, threads.Load:
			if st := x.state(s); !x.sys.Ended(st, t) {
				x.blocked++
				return
			}
		}
	}
	x.executions++
	if st := x.state(s); x.sys.Final(st) && x.judge.Ending(st) != nil {
		x.convict(s, 0)
	}
}
