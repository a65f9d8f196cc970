package explore

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
)

// A layout says how a state is packed: control states, lock, registers and
// cells in as many bits as their ranges need, then the buffers. A buffer is its
// pairs, each after a 1 bit, and a 0 bit. So buffers may have any length, empty
// ones take one bit a thread, and no packed state is the beginning of another.
type layout struct {
	threads  int
	pc       []uint
	lock     uint
	vals     []field // by index into State.Vals
	cells    []field // of buffered values, by cell
	buffers  []pairs // by thread
	buffered bool    // whether there are buffers at all
}

// A field is a value that takes one of its range min..min+mask.
type field struct {
	bits uint
	max  uint64 // largest value less min
	min  int64
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

var noValue field

// where is the slot of a buffered pair, or -1, and the field of its value.
func (l *layout) where(b *pairs, cell int) (int, *field) {
	if cell == abstract.Barrier {
		return b.barrier, &noValue
	}
	return b.slot[cell], &l.cells[cell]
}

func newField(s program.ValueSet) field {
	if s.Empty() {
		return field{}
	}
	d := uint64(s.Max()) - uint64(s.Min())
	return field{bits: uint(bits.Len64(d)), max: d, min: s.Min()}
}

func newLayout(x *abstract.System) *layout {
	p, r := x.Program, x.Ranges
	l := &layout{threads: len(p.Threads), buffered: !x.Buffer.Immediate()}
	locks := false
	for t, th := range p.Threads {
		l.pc = append(l.pc, uint(bits.Len(uint(len(th.States)-1))))
		for i := range th.Regs {
			l.vals = append(l.vals, newField(r.Reg[t][i]))
		}
		for i := range th.Edges {
			locks = locks || th.Edges[i].Cmd.Op == program.Lock
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
			return e.Cmd.Op == program.Fence && e.Cmd.Fence == program.StoreFence
		}) {
			b.barrier = len(b.cell)
			b.cell = append(b.cell, abstract.Barrier)
		}
		b.bits = uint(bits.Len(uint(max(len(b.cell)-1, 0))))
		l.buffers = append(l.buffers, b)
	}
	for c := range r.Cells {
		f := newField(r.Cell[c])
		l.vals = append(l.vals, f)
		l.cells = append(l.cells, f)
	}
	if locks {
		l.lock = uint(bits.Len(uint(len(p.Threads))))
	}
	return l
}

// pack appends s to words[:0]. It fails where a value lies outside its range,
// which is an error in the analysis of the ranges.
func (l *layout) pack(words []uint64, s *abstract.State) ([]uint64, bool) {
	w := writer{words: words[:0]}
	for t, n := range l.pc {
		w.put(uint64(s.PC[t]), n)
	}
	if l.lock > 0 {
		w.put(uint64(s.Lock+1), l.lock)
	}
	vals := s.Vals[:len(l.vals)]
	for i := range l.vals {
		f := &l.vals[i]
		d := uint64(vals[i]) - uint64(f.min)
		if d > f.max {
			return w.words, false
		}
		w.put(d, f.bits)
	}
	if l.buffered {
		for t := range l.buffers {
			b := &l.buffers[t]
			for _, p := range s.Buf[t].Pairs {
				slot, f := l.where(b, p.Cell)
				d := uint64(p.Value) - uint64(f.min)
				if d > f.max || slot < 0 {
					return w.words, false
				}
				w.put(1, 1)
				w.put(uint64(slot), b.bits)
				w.put(d, f.bits)
			}
			w.put(0, 1)
		}
	}
	if w.n > 0 || len(w.words) == 0 {
		w.words = append(w.words, w.acc)
	}
	return w.words, true
}

// unpack makes s the state that words begin with, and tells how many words that
// were. s must come from the layout's system.
func (l *layout) unpack(words []uint64, s *abstract.State) int {
	r := reader{words: words}
	for t, n := range l.pc {
		s.PC[t] = program.StateID(r.get(n))
	}
	s.Lock = -1
	if l.lock > 0 {
		s.Lock = int(r.get(l.lock)) - 1
	}
	for i := range l.vals {
		f := &l.vals[i]
		s.Vals[i] = int64(r.get(f.bits) + uint64(f.min))
	}
	if l.buffered {
		for t := range l.buffers {
			b := &l.buffers[t]
			ps := s.Buf[t].Pairs[:0]
			for r.get(1) != 0 {
				c := b.cell[r.get(b.bits)]
				_, f := l.where(b, c)
				ps = append(ps, abstract.Pair{Cell: c, Value: int64(r.get(f.bits) + uint64(f.min))})
			}
			s.Buf[t].Pairs = ps
		}
	}
	return max((r.at+63)/64, 1)
}

// outside describes the value of s that made pack fail.
func (l *layout) outside(x *abstract.System, s *abstract.State) error {
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
				cellName(x, c), s.Vals[i], x.Ranges.Cell[c])
		}
		i++
	}
	return fmt.Errorf("internal error: a buffered store is outside of the inferred ranges")
}

type writer struct {
	words []uint64
	acc   uint64
	n     uint
}

func (w *writer) put(v uint64, n uint) {
	w.acc |= v << w.n
	w.n += n
	if w.n >= 64 {
		w.words = append(w.words, w.acc)
		w.n -= 64
		w.acc = v >> (n - w.n)
	}
}

type reader struct {
	words []uint64
	at    int
}

func (r *reader) get(n uint) uint64 {
	if n == 0 {
		return 0
	}
	i, off := r.at>>6, uint(r.at)&63
	v := r.words[i] >> off
	if off+n > 64 {
		v |= r.words[i+1] << (64 - off)
	}
	r.at += int(n)
	return v & (^uint64(0) >> (64 - n))
}
