package trust

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/explore/threads"
)

// Exclusive accesses are a read and a write that may have anything between them, and that are a
// read-modify-write if the write succeeds. A program says that it may fail by a way without the
// write; so that it succeeds is a choice, and one of which the write is a part: it is added at once.
//
// That it succeeds may become impossible while other threads go on, and that it fails does not. So
// failing is what happens where nothing asks for anything else (maximal, in visit.go): where a read is changed,
// a write that has succeeded never goes, nor does the read that it belongs to change; the graph in which it has
// failed leads to all that.
//
// Between the halves there is no write of another thread. Of its own thread there may be some.

// exclusive is true of a thread that stops at an exclusive store.
func (x *explorer) exclusive(s *threads.Stop) bool {
	return s.Kind == threads.Store && !s.Atomic && s.Cmd.Exclusive(x.p.Arch)
}

// usual is the way of a choice that can be taken whatever the other threads do: the first without an
// exclusive store that comes at once.
func (x *explorer) usual(t int32, stop *threads.Stop) int64 {
	if !x.exclusives {
		return 0
	}
	th, p := x.threads[t], x.at(t)
	s := &x.trial
	for way := range min(stop.Ways, 1000) {
		s.Copy(&p.state)
		th.Choose(s, way)
		if next := th.Run(s, x.scratch); !x.exclusive(&next) {
			return way
		}
	}
	return 0
}

// optional is whether there was a way without the exclusive store a.
func (x *explorer) optional(a int32) bool {
	ev := &x.g.events[a]
	th := x.g.threads[ev.thread]
	at := ev.index
	for at > 0 && x.g.events[th[at]].cmd.Part {
		at--
	}
	if at == 0 {
		return false
	}
	before := &x.g.events[th[at-1]]
	return before.kind == choice && before.value != before.usual
}

// mustSucceed takes note of an exclusive store without a way to fail that cannot be the last of its cell.
func (x *explorer) mustSucceed(a int32) {
	ev := &x.g.events[a]
	if x.exclusives && ev.pair != none && !ev.half && !x.optional(a) && x.g.behind(ev) < len(x.g.co[ev.cell]) && x.inextensible == "" {
		x.inextensible = fmt.Sprintf("%s has no way to fail", ev.cmd.Format(x.p, x.p.Threads[ev.thread]))
	}
}

// extends is whether the new write a, the last of its cell, should be consistent there.
func (x *explorer) extends(a int32) bool {
	g := x.g
	ev := &g.events[a]
	if ev.pair == none {
		return true
	}
	rf := g.events[g.threads[ev.thread][ev.pair]].rf
	return rf == none || g.behind(ev) >= int(ev.place) && (ev.half || !x.optional(a))
}

// tied is whether the write e has to come right after what the read of its read-modify-write reads from.
func (x *explorer) tied(e *event) bool {
	return e.pair != none && !x.apart() && (e.half || x.kept)
}

// divides is whether the write a at place k of coherence, which is not the last, would come between the halves
// of a read-modify-write of another thread.
func (x *explorer) divides(g *graph, a int32, k int) bool {
	if x.apart() {
		return false
	}
	cell := g.events[a].cell
	if !x.kept {
		return g.taken(g.co[cell][k-1])
	}
	t := g.events[g.co[cell][k]].thread
	for _, w := range g.co[cell][k:] {
		e := &g.events[w]
		if e.thread != t {
			return false
		}
		if e.pair != none && int(g.events[g.events[g.threads[t][e.pair]].rf].place) < k {
			return t != g.events[a].thread
		}
	}
	return false
}

// partner is the index of the read of the read-modify-write that the new write e of thread t is the other half
// of, or none.
func (g *graph) partner(t int32, e *event) int32 {
	switch {
	case e.kind != write:
		return none
	case e.half:
		return e.index - 1
	case !e.class.exclusive:
		return none
	}
	part := e.cmd.Part // whether what comes next is of the same access
	for i := e.index - 1; i >= 0; i-- {
		o := &g.events[g.threads[t][i]]
		switch {
		case part || !o.class.exclusive:
			part = part && o.cmd.Part
		case o.kind != read:
			return none
		case o.cell == e.cell:
			return i
		case !o.cmd.Part:
			return none
		}
	}
	return none
}

// behind is the place in coherence of the write e of a read-modify-write: right after what its read reads from, and
// the writes that its own thread has put there since.
func (g *graph) behind(e *event) int {
	co := g.co[e.cell]
	k := int(g.events[g.events[g.threads[e.thread][e.pair]].rf].place) + 1
	for !e.half && k < len(co) && g.events[co[k]].thread == e.thread {
		k++
	}
	return k
}
