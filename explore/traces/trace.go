package traces

import (
	"slices"
	"unsafe"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
)

// A trace is an execution so far, with its happens-before relation: the order of
// the events of a process, of a store before its flush, of the flushes of a
// thread before its fences, and of the events in conflict (thesis 4.2, where an
// early read is in conflict with no flush of its store). Events are numbered
// from 0 by their place; processes count theirs from 1.
//
// Two executions with the same happens-before relation end in the same state
// (thesis lemma 18), wherefore one of them is enough.
type trace struct {
	*processes
	s        *abstract.State // after the last event
	status   []status        // by thread
	events   []event
	schedule []abstract.Event // the steps of the events

	last    []int32 // the last event of each process, or -1
	written []int32 // by word: the last event that wrote it, or -1
	readers []int32 // by word: the first of a list of the events that have read it since, in reads
	reads   []readBy
	stores  [][]stored // by thread and cell, number thread * cells + cell: the stores, oldest first
	flushed []int32    // likewise: how many of them are in memory
	changes []change   // what undo has to take back

	conflicts []int32 // in directRaces

	lists int64 // bytes that the lists of the events and the stores take
}

// An event is an event of the trace.
type event struct {
	proc  int
	index int32 // among the events of its process
	pick  int64 // which way the thread goes, or -1 where the event is no pick
	step  abstract.Event
	out   abstract.Outcome // Disabled: an attempt
	foot  footprint
	// A clock is, by process, the number of its events that happen before or
	// are the event. base disregards the conflicts of this event.
	base, clock []int32
	// races are the events in conflict with this one that it is not ordered
	// with otherwise, so that it could happen before them. For an Unlock it
	// is its Lock: what waits for the one can happen before the other.
	races  []int32
	lock   int32 // of an Unlock: its Lock
	number int32 // of a flush: which of the stores of the thread to the cell, from 0

	lists                    int64  // bytes that its slices take
	was                      status // of the thread, before
	prev                     int32  // the event of the process before
	schedule, reads, changes int    // how many there were before
}

type readBy struct{ event, next int32 }

type stored struct {
	event int32
	epoch int32
	early int32 // list of the loads that have taken the value, in reads
}

// A change is what was: of a word, or of the early loads of a store.
type change struct {
	store            bool
	at               int32
	written, readers int32
}

func newTrace(ps *processes) *trace {
	t := &trace{processes: ps, s: ps.x.NewState()}
	minus := func(n int) []int32 { return slices.Repeat([]int32{-1}, n) }
	t.status = make([]status, ps.threads)
	for i := range t.status {
		t.status[i].attempt = -1
	}
	t.last = minus(ps.count())
	t.written, t.readers = minus(ps.words()), minus(ps.words())
	if !ps.x.Buffer.Immediate() {
		t.stores = make([][]stored, ps.threads*ps.cells)
		t.flushed = make([]int32, ps.threads*ps.cells)
	}
	ps.x.Initial(t.s)
	return t
}

// happensBefore is true where event i happens before event j or is it.
func (t *trace) happensBefore(i, j int) bool {
	return t.within(i, t.events[j].clock)
}

func (t *trace) within(i int, clock []int32) bool {
	e := &t.events[i]
	return e.index <= clock[e.proc]
}

func (t *trace) flushedBy(thread, cell int) int32 { return t.flushed[thread*t.cells+cell] }

// grow makes room for one more event and returns it. Its slices are those of an
// event that was there before.
func (t *trace) grow() *event {
	n := len(t.events)
	if n == cap(t.events) {
		t.events = slices.Grow(t.events, 1)
	}
	t.events = t.events[:n+1]
	return &t.events[n]
}

func join(clock, other []int32) {
	for i, n := range other {
		if n > clock[i] {
			clock[i] = n
		}
	}
}

// begin gives e the clock that the event of process p after its last one has at
// least.
func (t *trace) begin(e *event, p int) {
	e.proc, e.pick, e.prev = p, -1, t.last[p]
	if e.clock == nil {
		both := make([]int32, 2*t.count())
		e.base, e.clock = both[:t.count():t.count()], both[t.count():]
	}
	if e.prev >= 0 {
		copy(e.base, t.events[e.prev].clock)
	} else {
		clear(e.base)
	}
	e.base[p]++
	e.index = e.base[p]
	e.races = e.races[:0]
	e.was = t.status[t.thread(p)]
}

// prepare makes e the next event of process p, which may be barred. The trace
// stays as it is.
func (t *trace) prepare(e *event, p int) {
	t.begin(e, p)
	var st *status
	thread := t.thread(p)
	if p < t.threads {
		st = &t.status[p]
	}
	e.step, e.out = t.look(&e.foot, t.s, p, st)
	switch {
	case p >= t.threads:
		c := e.foot.words[0].Cell
		rec := &t.stores[thread*t.cells+c][t.flushed[thread*t.cells+c]]
		join(e.base, t.events[rec.event].clock)
		t.barriers(e, thread, rec.epoch)
	case st.group.op == program.Load && !t.x.Buffer.Immediate() && len(e.foot.words) > 0:
		c := e.foot.words[0].Cell
		tc := thread*t.cells + c
		n := int32(len(t.stores[tc]))
		w := t.written[c]
		if n > t.flushed[tc] || n > 0 && w >= 0 && t.events[w].proc >= t.threads && t.events[w].foot.thread == thread {
			e.foot.own = n
		}
	case st.group.op == program.Fence || st.group.op == program.Lock || st.group.op == program.Unlock || st.group.op == program.Atomic:
		if st.group.op == program.Fence && !t.edge(p, e.step.Edge).Cmd.FullFence() {
			break
		}
		for _, f := range t.flushes[thread] {
			if i := t.last[f]; i >= 0 {
				join(e.base, t.events[i].clock)
			}
		}
	}
	copy(e.clock, e.base)
	for i, w := range e.foot.words {
		if i == 0 && e.foot.own != 0 {
			continue
		}
		if k := t.written[w.Cell]; k >= 0 {
			t.conflict(e, k)
		}
		if !w.Store {
			continue
		}
		for r := t.readers[w.Cell]; r >= 0; r = t.reads[r].next {
			t.conflict(e, t.reads[r].event)
		}
	}
	t.directRaces(e)
}

// barriers orders a flush after those of the stores before the last store fence
// before its own.
func (t *trace) barriers(e *event, thread int, epoch int32) {
	if epoch == 0 {
		return
	}
	for _, f := range t.flushes[thread] {
		for i := t.last[f]; i >= 0; i = t.events[i].prev {
			g := &t.events[i]
			if t.stores[thread*t.cells+g.foot.words[0].Cell][g.number].epoch < epoch {
				join(e.base, g.clock)
				break
			}
		}
	}
}

// conflict notes that e is in conflict with event k before it.
func (t *trace) conflict(e *event, k int32) {
	join(e.clock, t.events[k].clock)
	if !t.within(int(k), e.base) {
		e.races = append(e.races, k)
	}
}

// directRaces leaves in e.races what is not before e by another event.
func (t *trace) directRaces(e *event) {
	if len(e.races) == 0 {
		return
	}
	// The filter asks about what it has overwritten.
	t.conflicts = append(t.conflicts[:0], e.races...)
	all, direct := t.conflicts, e.races[:0]
next:
	for i, k := range all {
		for j, l := range all {
			if l == k && j < i || l != k && t.happensBefore(int(k), int(l)) {
				continue next
			}
		}
		if t.mentionsLock(&e.foot) && t.isUnlock(int(k)) {
			if k = t.events[k].lock; k < 0 || t.within(int(k), e.base) || slices.Contains(direct, k) {
				continue
			}
		}
		direct = append(direct, k)
	}
	e.races = direct
}

func (t *trace) isUnlock(k int) bool { return t.op(k) == program.Unlock }

// op is the command of event k; for a flush and a pick it is Check.
func (t *trace) op(k int) program.Op {
	if e := &t.events[k]; e.pick < 0 && e.proc < t.threads {
		return t.edge(e.proc, e.step.Edge).Cmd.Op
	}
	return program.Check
}

// commit is what the last event, which prepare has prepared, does to the trace,
// the state apart.
func (t *trace) commit() {
	k := int32(len(t.events) - 1)
	e := &t.events[k]
	held := e.held()
	t.lists += held - e.lists
	e.lists = held
	e.schedule, e.reads, e.changes = len(t.schedule), len(t.reads), len(t.changes)
	t.last[e.proc] = k
	thread := t.thread(e.proc)
	if e.pick >= 0 {
		return
	}
	early := int32(-1)
	if e.proc >= t.threads {
		tc := thread*t.cells + e.foot.words[0].Cell
		e.number = t.flushed[tc]
		early = t.stores[tc][e.number].early
		t.flushed[tc]++
	} else if t.op(int(k)) == program.Unlock {
		e.lock = t.written[t.lockWord()]
	} else if c := e.foot.buffers; c >= 0 {
		tc := thread*t.cells + c
		had := cap(t.stores[tc])
		t.stores[tc] = append(t.stores[tc], stored{k, e.was.epoch, -1})
		t.lists += int64(cap(t.stores[tc])-had) * int64(unsafe.Sizeof(stored{}))
	}
	for i, w := range e.foot.words {
		if i == 0 && e.foot.own != 0 && t.flushedBy(thread, w.Cell) < e.foot.own {
			tc := thread*t.cells + w.Cell
			rec := &t.stores[tc][e.foot.own-1]
			t.changes = append(t.changes, change{store: true, at: int32(tc), written: e.foot.own - 1, readers: rec.early})
			t.reads = append(t.reads, readBy{k, rec.early})
			rec.early = int32(len(t.reads) - 1)
			continue
		}
		t.changes = append(t.changes, change{at: int32(w.Cell), written: t.written[w.Cell], readers: t.readers[w.Cell]})
		switch {
		case !w.Store:
			t.reads = append(t.reads, readBy{k, t.readers[w.Cell]})
			t.readers[w.Cell] = int32(len(t.reads) - 1)
		case e.proc >= t.threads && w.Cell < t.cells:
			// Who has taken the value early has read this write.
			t.written[w.Cell], t.readers[w.Cell] = k, early
		default:
			t.written[w.Cell], t.readers[w.Cell] = k, -1
		}
	}
}

// held is how many bytes the slices of e take. An event that comes later in its place has them.
func (e *event) held() int64 {
	return 4*int64(cap(e.base)+cap(e.clock)+cap(e.races)) + int64(cap(e.foot.words))*int64(unsafe.Sizeof(abstract.Access{}))
}

// bytes is what the trace takes.
func (t *trace) bytes() int64 {
	return t.lists + int64(cap(t.events))*int64(unsafe.Sizeof(event{})) + int64(cap(t.schedule))*int64(unsafe.Sizeof(abstract.Event{})) +
		int64(cap(t.reads))*int64(unsafe.Sizeof(readBy{})) + int64(cap(t.changes))*int64(unsafe.Sizeof(change{})) + 4*int64(cap(t.conflicts))
}

// undo takes the last event back; the state is left to the caller.
func (t *trace) undo() {
	k := len(t.events) - 1
	e := &t.events[k]
	for i := len(t.changes) - 1; i >= e.changes; i-- {
		switch c := &t.changes[i]; {
		case c.store:
			t.stores[c.at][c.written].early = c.readers
		default:
			t.written[c.at], t.readers[c.at] = c.written, c.readers
		}
	}
	thread := t.thread(e.proc)
	switch {
	case e.pick >= 0:
	case e.proc >= t.threads:
		t.flushed[thread*t.cells+e.foot.words[0].Cell]--
	case e.foot.buffers >= 0:
		tc := thread*t.cells + e.foot.buffers
		t.stores[tc] = t.stores[tc][:len(t.stores[tc])-1]
	}
	t.status[thread] = e.was
	t.last[e.proc] = e.prev
	t.schedule, t.reads, t.changes = t.schedule[:e.schedule], t.reads[:e.reads], t.changes[:e.changes]
	t.events = t.events[:k]
}
