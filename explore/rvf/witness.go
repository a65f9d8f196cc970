package rvf

import (
	"encoding/binary"
	"slices"
)

// A verifier is the search for a witness: an order of the events at hand in which every
// read has one of its good writes as the last write of its cell before it. What is done
// so far is, for the rest, no more than how many events of each thread there are and
// which thread's write each cell has.
type verifier struct {
	*exploration
	o      *order
	count  []int32 // by thread: events done
	active []int32 // by cell: the write, or initial
	place  []int32 // by event: its place in the guide

	// By event. Of a read how many of its good writes are still to come; of a write how
	// many of the reads to come have it among their good ones.
	pending, needed []int32
	neededInitial   []int32   // the same of the initial writes, by cell
	readers         [][]int32 // of a write
	held            []int32   // by cell: reads to come whose good writes have all been
	toRead          []int32   // by cell: reads to come

	was  []int32 // by event done: the write that its cell had before
	seen map[string]struct{}
	key  []byte
	out  []int32
	size int64 // of what it has seen
}

// witness is VerifySC: an execution of all events at hand, which are those of guide, or
// none. The guide says what to try first.
func (x *exploration) witness(guide []int32) ([]int32, bool) {
	o, ok := x.closure()
	if !ok {
		x.byClosure++
		return nil, false
	}
	n, cells := len(x.events), len(x.init)
	v := verifier{exploration: x, o: &o, count: make([]int32, len(x.of)), active: make([]int32, cells),
		place: make([]int32, n), pending: make([]int32, n), needed: make([]int32, n), readers: make([][]int32, n),
		neededInitial: make([]int32, cells), held: make([]int32, cells), toRead: make([]int32, cells), seen: map[string]struct{}{}}
	for i, id := range guide {
		v.place[id] = int32(i)
	}
	for c := range v.active {
		v.active[c] = initial
	}
	for id := range x.events {
		e := &x.events[id]
		if !e.read {
			continue
		}
		v.toRead[e.cell]++
		for _, w := range e.good {
			if w == initial {
				v.neededInitial[e.cell]++
				continue
			}
			v.pending[id]++
			v.needed[w]++
			v.readers[w] = append(v.readers[w], int32(id))
		}
		if v.pending[id] == 0 {
			v.held[e.cell]++
		}
	}
	ok = v.search()
	x.budget.Charge(-v.size)
	if ok {
		x.order = o
	}
	return v.out, ok
}

func (v *verifier) search() bool {
	if len(v.out) == len(v.events) {
		return true
	}
	v.searched++
	if v.work(); v.exploration.done() || !v.fresh() {
		return false
	}
	var next [16]int32
	all := next[:0]
	for t := range v.of {
		id, ok := v.next(int32(t))
		if !ok {
			continue
		}
		e := &v.events[id]
		if !v.opts.noGreed && (v.alone(id) || v.opts.rules&greedyHalves != 0) {
			if !e.write || v.need(e.cell, v.active[e.cell]) == 0 && v.needed[id] == 0 {
				all = append(all[:0], id)
				break
			}
		}
		all = append(all, id)
	}
	slices.SortFunc(all, func(a, b int32) int { return int(v.place[a] - v.place[b]) })
	for _, id := range all {
		n, last := len(v.out), v.endOf(id)
		ok := true
		for ; ok && id <= last; id++ {
			if ok = v.possible(id); ok {
				v.do(id)
			}
		}
		if ok && v.search() {
			return true
		}
		for len(v.out) > n {
			v.undo()
		}
	}
	return false
}

// alone is true of an event that happens at once with no other.
func (v *verifier) alone(id int32) bool {
	return v.events[id].unit == id+1 && v.endOf(id) == id
}

func (v *verifier) need(cell, w int32) int32 {
	if w == initial {
		return v.neededInitial[cell]
	}
	return v.needed[w]
}

// next is the event of thread t that comes next, if it can be now.
func (v *verifier) next(t int32) (int32, bool) {
	if int(v.count[t]) == len(v.of[t]) {
		return 0, false
	}
	id := v.of[t][v.count[t]]
	return id, v.possible(id)
}

// possible is true where an event can be done next.
func (v *verifier) possible(id int32) bool {
	e := &v.events[id]
	switch {
	case !v.minimal(id):
		return false
	case e.write:
		return v.held[e.cell] == 0 && (v.opts.rules&heldEarly == 0 || v.need(e.cell, v.active[e.cell]) == 0)
	case !e.read:
		return true
	case e.own >= 0 && v.ahead(e.own): // it is in the buffer
		return slices.Contains(e.good, e.own)
	}
	return slices.Contains(e.good, v.active[e.cell])
}

// minimal is true where all that is before an event in the order is done.
func (v *verifier) minimal(id int32) bool {
	own := v.events[id].thread
	for t, n := range v.row(v.o, id) {
		if int32(t) == own {
			n--
		}
		if n > v.count[t] {
			return false
		}
	}
	return true
}

func (v *verifier) do(id int32) {
	e := &v.events[id]
	v.count[e.thread]++
	v.out, v.was = append(v.out, id), append(v.was, v.active[e.cell])
	if !e.read && !e.write {
		return
	}
	if e.write {
		v.active[e.cell] = id
		for _, r := range v.readers[id] {
			if v.ahead(r) {
				if v.pending[r]--; v.pending[r] == 0 {
					v.held[e.cell]++
				}
			}
		}
		return
	}
	v.toRead[e.cell]--
	if v.pending[id] == 0 {
		v.held[e.cell]--
	}
	v.wants(e, -1)
}

// undo takes back the last event.
func (v *verifier) undo() {
	n := len(v.out) - 1
	id := v.out[n]
	e := &v.events[id]
	if e.write {
		v.active[e.cell] = v.was[n]
		for _, r := range v.readers[id] {
			if v.ahead(r) {
				if v.pending[r] == 0 {
					v.held[e.cell]--
				}
				v.pending[r]++
			}
		}
	} else if e.read {
		v.toRead[e.cell]++
		if v.pending[id] == 0 {
			v.held[e.cell]++
		}
		v.wants(e, 1)
	}
	v.count[e.thread]--
	v.out, v.was = v.out[:n], v.was[:n]
}

// wants counts a read in or out among those that need their good writes.
func (v *verifier) wants(e *event, by int32) {
	for _, w := range e.good {
		if w == initial {
			v.neededInitial[e.cell] += by
		} else {
			v.needed[w] += by
		}
	}
}

// ahead is true of an event that is still to come.
func (v *verifier) ahead(id int32) bool {
	e := &v.events[id]
	return v.count[e.thread] <= e.index
}

// fresh is true where the search has not been here before. Cells that nobody reads any
// more do not matter.
func (v *verifier) fresh() bool {
	k := v.key[:0]
	for _, n := range v.count {
		k = binary.AppendUvarint(k, uint64(n))
	}
	for c, w := range v.active {
		if v.toRead[c] == 0 || v.opts.rules&countsOnly != 0 {
			continue
		}
		t := int32(len(v.of))
		if w != initial {
			t = v.events[w].thread
		}
		k = binary.AppendUvarint(k, uint64(t))
	}
	v.key = k
	if _, ok := v.seen[string(k)]; ok {
		return false
	}
	v.seen[string(k)] = struct{}{}
	v.size += int64(len(k) + 64)
	v.budget.Charge(int64(len(k) + 64))
	return true
}
