package states

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// A Layout says how a state is packed: control states, registers, cells and lock
// in as many bits as their ranges need, each always in the same place, then the
// buffers. A buffer is its pairs, each after a 1 bit, and a 0 bit. So buffers may
// have any length, empty ones take one bit a thread, and no packed state is the
// beginning of another.
type Layout struct {
	pc       []place // by thread
	vals     []place // by index into State.Vals
	regs     []int   // index into vals of the first register, by thread; then that of the first cell
	lock     place
	fixed    uint    // bits before the buffers
	cells    []Field // of buffered values, by cell
	buffers  []pairs // by thread
	buffered bool    // whether there are buffers at all
	grouped  bool    // whether a pair has a bit that says that it is of the store before it
}

// A place is a field and the bit that it begins at.
type place struct {
	Field
	at uint
}

// pairs numbers the cells that a thread may store to.
type pairs struct {
	slot []int // by cell; -1: never stored to
	cell []int // by slot
	bits uint
	// barrier is the slot of the barriers between stores, which have no
	// value; -1: there are none.
	barrier int
}

var noValue Field

// Buffered is whether there are buffers at all.
func (l *Layout) Buffered() bool { return l.buffered }

// where is the slot of a buffered pair, or -1, and the field of its value.
func (l *Layout) where(b *pairs, cell int) (int, *Field) {
	if cell == abstract.Barrier {
		return b.barrier, &noValue
	}
	return b.slot[cell], &l.cells[cell]
}

// NewLayout is for the states of x.
func NewLayout(x *abstract.System) *Layout {
	p, r := x.Program, x.Ranges
	l := &Layout{buffered: !x.Buffer.Immediate()}
	_, l.grouped = x.Buffer.(abstract.Grouped)
	add := func(f Field) place {
		if f.bits == 0 { // anywhere will do, but beyond the last word
			return place{f, 0}
		}
		at := l.fixed
		l.fixed += f.bits
		return place{f, at}
	}
	for t, th := range p.Threads {
		l.pc = append(l.pc, add(count(len(th.States))))
		l.regs = append(l.regs, len(l.vals))
		for i := range th.Regs {
			l.vals = append(l.vals, add(NewField(r.Reg[t][i])))
		}
		b := pairs{slot: make([]int, len(r.Cells)), barrier: -1}
		for c := range r.Cells {
			b.slot[c] = -1
			if r.Writers[c][t] {
				b.slot[c] = len(b.cell)
				b.cell = append(b.cell, c)
			}
		}
		if _, ok := x.Buffer.(abstract.Coherence); ok || slices.ContainsFunc(th.Edges, func(e program.Edge) bool {
			return e.Cmd.StoreFence()
		}) {
			b.barrier = len(b.cell)
			b.cell = append(b.cell, abstract.Barrier)
		}
		b.bits = uint(bits.Len(uint(max(len(b.cell)-1, 0))))
		l.buffers = append(l.buffers, b)
	}
	l.regs = append(l.regs, len(l.vals))
	for c := range r.Cells {
		f := NewField(r.Cell[c])
		l.vals = append(l.vals, add(f))
		l.cells = append(l.cells, f)
	}
	if flow.Locks(p) {
		l.lock = add(count(len(p.Threads) + 1))
	}
	l.fixed = max(l.fixed, 1) // for the fields of no width where there are no others
	return l
}

// put sets the field at p to d, which is known to be in range.
func put(words []uint64, p *place, d uint64) {
	i, off := p.at>>6, p.at&63
	words[i] = words[i]&^(p.mask<<off) | d<<off
	if off+p.bits > 64 {
		words[i+1] = words[i+1]&^(p.mask>>(64-off)) | d>>(64-off)
	}
}

func get(words []uint64, p *place) uint64 {
	i, off := p.at>>6, p.at&63
	v := words[i] >> off
	if off+p.bits > 64 {
		v |= words[i+1] << (64 - off)
	}
	return v & p.mask
}

// Pack appends s to words[:0]. It fails where a value lies outside its range,
// which is an error in the analysis of the ranges.
func (l *Layout) Pack(words []uint64, s *abstract.State) ([]uint64, bool) {
	words = words[:0]
	for range (l.fixed + 63) / 64 {
		words = append(words, 0)
	}
	ok := true
	for t := range l.pc {
		ok = l.putThread(words, s, t) && ok
	}
	for i := l.regs[len(l.pc)]; i < len(l.vals); i++ {
		ok = l.putVal(words, s, i) && ok
	}
	l.putLock(words, s)
	if !ok {
		return words, false
	}
	return l.putBuffers(words, s)
}

// Repack is Pack for a state that the events of trace have made from another,
// which begins with the words old.
func (l *Layout) Repack(words, old []uint64, s, from *abstract.State, trace []abstract.Event) ([]uint64, bool) {
	words = append(words[:0], old[:(l.fixed+63)/64]...)
	last := -1
	for i := range trace {
		if t := trace[i].Thread; t != last {
			last = t
			if !l.putThread(words, s, t) {
				return words, false
			}
		}
	}
	first := l.regs[len(l.pc)]
	for c, v := range s.Mem {
		if v != from.Mem[c] && !l.putVal(words, s, first+c) {
			return words, false
		}
	}
	l.putLock(words, s)
	return l.putBuffers(words, s)
}

func (l *Layout) putThread(words []uint64, s *abstract.State, t int) bool {
	put(words, &l.pc[t], uint64(s.PC[t]))
	for i := l.regs[t]; i < l.regs[t]+len(s.Regs[t]); i++ {
		if !l.putVal(words, s, i) {
			return false
		}
	}
	return true
}

func (l *Layout) putVal(words []uint64, s *abstract.State, i int) bool {
	f := &l.vals[i]
	d := uint64(s.Vals[i]) - uint64(f.min)
	if d > f.max {
		return false
	}
	if f.bits > 0 {
		put(words, f, d)
	}
	return true
}

func (l *Layout) putLock(words []uint64, s *abstract.State) {
	if l.lock.bits > 0 {
		put(words, &l.lock, uint64(s.Lock+1))
	}
}

// putBuffers puts the buffers behind what has its place.
func (l *Layout) putBuffers(words []uint64, s *abstract.State) ([]uint64, bool) {
	if !l.buffered {
		if len(words) == 0 {
			words = append(words, 0)
		}
		return words, true
	}
	w := Writer{words: words, n: l.fixed & 63}
	if w.n > 0 {
		last := len(words) - 1
		w.words, w.acc = words[:last], words[last]&(1<<w.n-1)
	}
	for t := range l.buffers {
		b := &l.buffers[t]
		for _, p := range s.Buf[t].Pairs {
			slot, f := l.where(b, p.Cell)
			d := uint64(p.Value) - uint64(f.min)
			if d > f.max || slot < 0 {
				return w.words, false
			}
			w.Put(1|uint64(slot)<<1, 1+b.bits)
			w.Put(d, f.bits)
			if l.grouped {
				w.Put(uint64(program.Bool(p.Part)), 1)
			}
		}
		w.Put(0, 1)
	}
	return w.Done(), true
}

// Unpack makes s the state that words begin with, and tells how many words that
// were. s must come from the layout's system.
func (l *Layout) Unpack(words []uint64, s *abstract.State) int {
	for t := range l.pc {
		s.PC[t] = program.StateID(get(words, &l.pc[t]))
	}
	vals := s.Vals[:len(l.vals)]
	for i := range l.vals {
		f := &l.vals[i]
		vals[i] = f.min
		if f.bits > 0 {
			vals[i] += int64(get(words, f))
		}
	}
	s.Lock = -1
	if l.lock.bits > 0 {
		s.Lock = int(get(words, &l.lock)) - 1
	}
	if !l.buffered {
		return max(int(l.fixed+63)/64, 1)
	}
	r := Reader{words: words, at: int(l.fixed)}
	for t := range l.buffers {
		b := &l.buffers[t]
		ps := s.Buf[t].Pairs[:0]
		for r.Get(1) != 0 {
			c := b.cell[r.Get(b.bits)]
			_, f := l.where(b, c)
			p := abstract.Pair{Cell: c, Value: int64(r.Get(f.bits) + uint64(f.min))}
			p.Part = l.grouped && r.Get(1) != 0
			ps = append(ps, p)
		}
		s.Buf[t].Pairs = ps
	}
	return r.Words()
}

// Outside describes the value of s that made Pack fail.
func (l *Layout) Outside(x *abstract.System, s *abstract.State) error {
	i := 0
	for t, th := range x.Program.Threads {
		for r := range th.Regs {
			if f := &l.vals[i]; uint64(s.Vals[i])-uint64(f.min) > f.max {
				return fmt.Errorf("internal error: register %s of thread %s is %d, outside of its inferred range %v",
					th.Regs[r].Name, th.Name, s.Vals[i], x.Ranges.Reg[t][r])
			}
			i++
		}
	}
	for c := range x.Ranges.Cells {
		if f := &l.vals[i]; uint64(s.Vals[i])-uint64(f.min) > f.max {
			return fmt.Errorf("internal error: cell %s is %d, outside of its inferred range %v",
				x.CellName(c), s.Vals[i], x.Ranges.Cell[c])
		}
		i++
	}
	return fmt.Errorf("internal error: a buffered store is outside of the inferred ranges")
}
