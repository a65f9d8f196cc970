package trust

import "github.com/fencepost-verifier/fencepost/memory"

// buffered checks SC, TSO and PSO. All three ask for an order of all events without a
// cycle: what the model preserves of program order, coherence, from-reads, and reads-from
// (under TSO and PSO: from thread to thread). A new event that comes last in its thread
// leads on only to the write that comes next in coherence after it or after what it
// reads from. So there is a cycle just if that write leads to what the new event comes
// after; what does is computed here, once for all places.
//
// The two halves of a read-modify-write, which are one event under these models, need no
// care: all that comes before the write comes before the read, or reads from what that has
// read from, and all that comes after the read but the write itself comes after the
// write.
type buffered struct {
	model memory.Model
	// What leads to the new event, by thread: so many of its first events, the reads among
	// so many, the writes among so many. Under SC only the first is of use.
	all, reads, writes []int32
	allDone, readsDone []int32 // up to where it is accounted for
	writesDone         []int32
	alone              []bool // by event: a write that does beside these
	aloneAt            []int32
	pending            []int32
}

func newBuffered(m memory.Model, threads int) *buffered {
	b := &buffered{model: m}
	for _, s := range []*[]int32{&b.all, &b.reads, &b.writes, &b.allDone, &b.readsDone, &b.writesDone} {
		*s = make([]int32, threads)
	}
	return b
}

func (b *buffered) added(*graph, int32) {}

func (b *buffered) holds(*graph, int32, int32) bool { return true }

func (b *buffered) floor(g *graph, a, r int32) int {
	b.reset(g)
	b.begin(g, &g.events[a])
	if r != none {
		b.begin(g, &g.events[r])
	}
	b.close(g)
	co := g.co[g.events[a].cell]
	k := len(co) - 1
	for ; k > 0; k-- {
		w := &g.events[co[k]]
		if b.has(w, co[k]) || w.thread == g.events[a].thread || r != none && w.thread == g.events[r].thread && w.index < g.events[r].index {
			break
		}
	}
	return k
}

// reset forgets what leads to another event.
func (b *buffered) reset(g *graph) {
	for _, s := range [][]int32{b.all, b.reads, b.writes, b.allDone, b.readsDone, b.writesDone} {
		clear(s)
	}
	for _, w := range b.aloneAt {
		b.alone[w] = false
	}
	b.aloneAt = b.aloneAt[:0]
	for len(b.alone) < len(g.events) {
		b.alone = append(b.alone, false)
	}
}

func (b *buffered) has(w *event, id int32) bool {
	return w.index < b.all[w.thread] || w.index < b.writes[w.thread] || b.alone[id]
}

// begin adds what comes before e, which is new, in its thread.
func (b *buffered) begin(g *graph, e *event) {
	t := e.thread
	switch {
	case b.model == memory.SC || e.class.full || e.inside || e.kind != read && b.model == memory.TSO:
		b.all[t] = max(b.all[t], e.index)
		return
	case e.kind == write:
		b.writes[t] = max(b.writes[t], e.lastStores+1)
		b.own(g, e)
	}
	b.reads[t] = max(b.reads[t], e.index)
	b.all[t] = max(b.all[t], e.lastFull+1)
}

// own adds the last write of the thread of e, a new one, to its cell.
func (b *buffered) own(g *graph, e *event) {
	co := g.co[e.cell]
	for k := len(co) - 1; k > 0; k-- {
		if g.events[co[k]].thread == e.thread {
			b.mark(g, co[k])
			return
		}
	}
}

// mark adds one event, and what comes before it in its thread.
func (b *buffered) mark(g *graph, id int32) {
	e := &g.events[id]
	t := e.thread
	switch {
	case t == none || e.index < b.all[t]:
		return
	case e.section:
		_, last := block(g, e)
		b.all[t] = last + 1
		return
	case b.model == memory.SC || e.class.full || e.kind != read && b.model == memory.TSO:
		b.all[t] = e.index + 1
		return
	case e.kind == write:
		if b.alone[id] || e.index < b.writes[t] {
			return
		}
		b.alone[id] = true
		b.aloneAt = append(b.aloneAt, id)
		b.pending = append(b.pending, id)
		b.writes[t] = max(b.writes[t], e.lastStores+1)
		b.reads[t] = max(b.reads[t], e.index)
	default:
		b.reads[t] = max(b.reads[t], e.index+1)
	}
	b.all[t] = max(b.all[t], e.lastFull+1)
}

// close adds what leads to what is there.
func (b *buffered) close(g *graph) {
	for again := true; again; {
		again = false
		for t := range b.all {
			for b.allDone[t] < b.all[t] {
				again = true
				b.into(g, g.threads[t][b.allDone[t]])
				b.allDone[t]++
			}
			for b.readsDone[t] = max(b.readsDone[t], b.allDone[t]); b.readsDone[t] < b.reads[t]; b.readsDone[t]++ {
				if e := g.threads[t][b.readsDone[t]]; g.events[e].kind == read {
					again = true
					b.into(g, e)
				}
			}
			for b.writesDone[t] = max(b.writesDone[t], b.allDone[t]); b.writesDone[t] < b.writes[t]; b.writesDone[t]++ {
				if e := g.threads[t][b.writesDone[t]]; g.events[e].kind == write {
					again = true
					b.reads[t] = max(b.reads[t], b.writesDone[t])
					b.into(g, e)
				}
			}
		}
		for len(b.pending) > 0 {
			again = true
			e := b.pending[len(b.pending)-1]
			b.pending = b.pending[:len(b.pending)-1]
			b.into(g, e)
		}
	}
}

// into adds what leads from other threads to an event that is there.
func (b *buffered) into(g *graph, id int32) {
	e := &g.events[id]
	switch e.kind {
	case read:
		if e.rf != none && g.events[e.rf].thread != e.thread {
			b.mark(g, e.rf)
		}
	case write:
		if e.place == 0 {
			return
		}
		w := g.co[e.cell][e.place-1]
		b.mark(g, w)
		for r := g.events[w].readers; r != none; r = g.events[r].next {
			b.mark(g, r)
		}
	}
}
