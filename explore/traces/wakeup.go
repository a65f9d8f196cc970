package traces

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
)

// A sequence is the reversal of a race between event number start and last, an
// event after it: the events after start that do not happen after it, and then
// last. They can happen in this order from before start.
type sequence struct {
	*executions
	start int
	items []item
	last  *event
}

// An item is an event of a sequence: number event of the trace or, for -1, last.
type item struct {
	event   int
	proc    int
	pick    int64
	foot    *footprint
	removed bool
}

// reversal is the sequence for the race between event i and e. It is valid until
// the next one.
func (r *executions) reversal(i int, e *event) *sequence {
	v := &r.sequence
	r.work(len(r.events) - i)
	v.executions, v.start, v.last, v.items = r, i, e, v.items[:0]
	for k := i + 1; k < len(r.events); k++ {
		if g := &r.events[k]; g != e && !r.happensBefore(i, k) {
			v.items = append(v.items, item{event: k, proc: g.proc, pick: g.pick, foot: &g.foot})
		}
	}
	foot := &e.foot
	if e.proc < r.threads && e.was.group.op == program.Atomic {
		foot = v.atomic()
	}
	v.items = append(v.items, item{event: -1, proc: e.proc, pick: -1, foot: foot})
	return v
}

// atomic is the footprint that last has at its place in the sequence: what an
// Atomic does depends on what it reads.
func (v *sequence) atomic() *footprint {
	r, s := v.executions, v.sim
	s.Copy(r.nodes[v.start].state)
	for _, it := range v.items {
		from, to := r.events[it.event].schedule, len(r.schedule)
		if it.event+1 < len(r.events) {
			to = r.events[it.event+1].schedule
		}
		for _, ev := range r.schedule[from:to] {
			if ev.Edge == abstract.Flush {
				ev.Choice = r.flush(s, &r.flusher[it.proc-r.threads])
			}
			r.x.Take(s, ev)
		}
	}
	r.look(&r.moved, s, v.last.proc, &v.last.was)
	return &r.moved
}

// before is true where item j, which comes before item k, has to.
func (v *sequence) before(j, k int) bool {
	if v.items[k].event >= 0 {
		return v.happensBefore(v.items[j].event, v.items[k].event)
	}
	return v.within(v.items[j].event, v.last.base) || dependent(v.items[j].foot, v.items[k].foot, func(thread, cell int) int32 {
		return v.flushedBefore(thread, cell, k)
	})
}

// initial is true where item k could be the first of what is left.
func (v *sequence) initial(k int) bool {
	v.work(k / 8)
	for j := range k {
		if !v.items[j].removed && v.before(j, k) {
			return false
		}
	}
	return true
}

// find is the first item of process p that is left, or -1.
func (v *sequence) find(p int) int {
	for k := range v.items {
		if v.items[k].proc == p && !v.items[k].removed {
			return k
		}
	}
	return -1
}

// weakInitial is true where the next event of process p, with that footprint,
// could come before all that is left, whether it is part of it or not. path is
// what comes before that is no part of the sequence.
func (v *sequence) weakInitial(p int, foot *footprint, path []*branch) bool {
	if k := v.find(p); k >= 0 {
		return v.initial(k)
	}
	v.work(len(v.items) / 8)
	for k := range v.items {
		if v.items[k].removed {
			continue
		}
		if dependent(foot, v.items[k].foot, func(thread, cell int) int32 {
			n := v.flushedBefore(thread, cell, k)
			for _, b := range path {
				if v.flushesTo(b.proc, &b.foot, thread, cell) {
					n++
				}
			}
			return n
		}) {
			return false
		}
	}
	return true
}

func (v *sequence) flushesTo(p int, foot *footprint, thread, cell int) bool {
	return p >= v.threads && foot.thread == thread && foot.words[0].Cell == cell
}

// flushedBefore is how many stores of a thread to a cell are in memory before
// item k, what was removed being before everything.
func (v *sequence) flushedBefore(thread, cell, k int) int32 {
	n := v.flushedBy(thread, cell)
	v.work((len(v.events) - v.start) / 8)
	for i := v.start; i < len(v.events); i++ {
		if v.flushesTo(v.events[i].proc, &v.events[i].foot, thread, cell) {
			n--
		}
	}
	for j := range v.items {
		if it := &v.items[j]; (j < k || it.removed) && v.flushesTo(it.proc, it.foot, thread, cell) {
			n++
		}
	}
	return n
}

// A wakeup tree says what is still to be explored from a node: sequences of
// events, of which those with a common beginning share it. What follows a leaf
// is not prescribed.
type wakeup struct{ children []*branch }

// A branch is an event in a wakeup tree.
type branch struct {
	proc int
	pick int64
	foot footprint
	wakeup
}

// insert adds v to the tree of its node, the first branch of which is being
// explored, unless a sequence that is there already leads to what v leads to. It
// tells how many branches it has added.
func (w *wakeup) insert(v *sequence) int {
	var path []*branch
	from := 1
descend:
	for {
		if len(w.children) == 0 {
			// A leaf: everything is explored from there.
			return 0
		}
		for _, c := range w.children[from:] {
			k := v.find(c.proc)
			if k >= 0 && v.items[k].pick != c.pick {
				// The other picks are explored without prescription.
				return 0
			}
			if !v.weakInitial(c.proc, &c.foot, path) {
				continue
			}
			if k >= 0 {
				v.items[k].removed = true
			} else {
				path = append(path, c)
			}
			w, from = &c.wakeup, 0
			continue descend
		}
		break
	}
	n := 0
	for _, it := range v.items {
		if it.removed {
			continue
		}
		c := &branch{proc: it.proc, pick: it.pick, foot: *it.foot}
		c.foot.words = slices.Clone(c.foot.words)
		w.children = append(w.children, c)
		w = &c.wakeup
		n++
	}
	return n
}
