package certify

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/certify/text"
)

// Store buffers, of the thesis' figures 3.6, 3.8 and 3.10, are one kind: a queue of so many stores, and behind
// it a set in which a store is up to so many times.
type buffers struct {
	none  bool  // stores go to memory
	queue int   // places of the queue
	limit int64 // a count that stands for all larger ones, too
}

// A store is one in a buffer.
type store struct {
	addr, value int64
	count       int64 // how often it is in the set; 0: it is in the queue
	// In the set: it came last of its address. In the queue: it is part of the same store of several
	// cells as the one before it.
	mark int64
}

// newBuffers is those of a name. A search for delays has a queue for a thread that delays its stores.
func newBuffers(name string) buffers {
	kind, digits, _ := strings.Cut(name, ":")
	n, ok := text.Number(digits)
	switch {
	case name == "none":
		return buffers{none: true, queue: math.MaxInt}
	case name == "fifo", name == Robust:
		return buffers{queue: math.MaxInt, limit: 1} // a diagram may speak of sets, too
	case name == "set":
		return buffers{limit: 1}
	case name == "multiset":
		return buffers{limit: math.MaxInt64}
	case kind == "multiset" && ok && n > 0:
		return buffers{limit: n}
	case kind == "coherence" && ok && n >= 0:
		return buffers{queue: int(n), limit: 1}
	}
	text.Refuse("buffers %q do not enclose those of tso", name)
	return buffers{}
}

// add is what a store does to the buffer: rules LS, LS-Q and LS-S.
func (b *buffers) add(buffer []store, s store) []store {
	n := len(buffer)
	if n < b.queue && (n == 0 || buffer[n-1].count == 0) {
		return append(buffer, s)
	}
	s.count, s.mark = 1, 1
	kept := buffer[:0]
	for _, old := range buffer {
		if old.count > 0 && old.addr == s.addr {
			if old.value == s.value {
				s.count = min(old.count, b.limit-1) + 1
				continue
			}
			old.mark = 0
		}
		kept = append(kept, old)
	}
	kept = append(kept, s)
	set := kept[slices.IndexFunc(kept, func(s store) bool { return s.count > 0 }):]
	slices.SortFunc(set, func(x, y store) int { return cmp.Or(cmp.Compare(x.addr, y.addr), cmp.Compare(x.value, y.value)) })
	return kept
}

// read is what thread t reads at an address: rules RB and RM.
func (m *machine) read(t int, addr int64) int64 {
	for _, s := range slices.Backward(m.local(t).buffer) {
		if s.addr == addr && (s.count == 0 || s.mark == 1) {
			return s.value
		}
	}
	x := m.cell(addr)
	m.noted = append(m.noted, access{x, loaded})
	return m.get(x)
}

// flush is one of the flushes of thread t, whose buffer is not empty: rules WM, WM-Q, WM-SND and WM-SD.
func (m *machine) flush(t int) outcome {
	l := m.local(t)
	if !m.free(t) {
		return disabled
	}
	if l.buffer[0].count == 0 {
		for more := true; more; more = len(l.buffer) > 0 && l.buffer[0].count == 0 && l.buffer[0].mark == 1 {
			m.write(l.buffer[0])
			l.buffer = slices.Delete(l.buffer, 0, 1)
		}
		return done
	}
	i := m.choose(len(l.buffer))
	s := &l.buffer[i]
	m.write(*s)
	if s.count == m.limit && m.choose(2) == 0 { // there may be more of it
		return done
	}
	if s.count--; s.count > 0 {
		return done
	}
	addr, last := s.addr, s.mark == 1
	l.buffer = slices.Delete(l.buffer, i, i+1)
	if last && slices.ContainsFunc(l.buffer, func(s store) bool { return s.addr == addr }) {
		return disabled // what came last goes last
	}
	return done
}
