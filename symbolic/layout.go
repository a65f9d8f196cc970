package symbolic

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/encode/circuit"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/solver"
)

// A layout says which bits hold what. Control states and values out of a few are
// one-hot: a clause of an invariant then says with one literal that a thread is,
// or is not, at a control state, and with k of them that it is at one of k.
type layout struct {
	at    [][]int            // by thread and cut
	regs  [][]field          // by thread and register
	lives [][]program.RegSet // by thread and control state
	cells []field
	lock  []int // by thread: holds the lock; nil where there are no Lock commands
	bufs  []bufferLayout
}

// A field is a value that takes one of its range.
type field struct {
	few   []int64 // the values, where they are listed
	bits  []int   // none where there is but one value
	fixed int64   // that value, or the initial value of a register without bits
	dead  bool    // a register that is dead at all cuts
	vec   circuit.Vector
}

type bufferLayout struct {
	pairs  []abstract.Pair // that the thread may store, by cell
	in     []int           // by pair: it is in the set
	last   []int           // by pair: it is last of its cell
	queue  [][]int         // by slot and pair: the slot, oldest first, holds it
	byCell map[int][]int   // indices into pairs
}

// bit makes a state bit.
func (b *builder) bit(init bool, format string, args ...any) int {
	b.Bits = append(b.Bits, Bit{Name: fmt.Sprintf(format, args...), Init: init, cur: b.Fresh()})
	return len(b.Bits) - 1
}

func (b *builder) curs(bits []int) []solver.Lit {
	lits := make([]solver.Lit, len(bits))
	for i, k := range bits {
		lits[i] = b.Bits[k].cur
	}
	return lits
}

// oneHot notes that exactly one of the bits is set, or at most one.
func (b *builder) oneHot(exactly bool, bits []int) {
	if len(b.Bits) > maxBits {
		return // layOut refuses
	}
	lits := b.curs(bits)
	for i := range lits {
		for j := range i {
			b.domain = append(b.domain, []solver.Lit{-lits[i], -lits[j]})
		}
	}
	if exactly {
		b.domain = append(b.domain, lits)
	}
}

// newField makes the bits of a value out of set.
func (b *builder) newField(name string, set program.ValueSet, init int64) field {
	f := field{fixed: init}
	if vs, ok := set.Few(); ok && (len(vs) <= 2 || len(vs) <= b.opts.few) {
		switch len(vs) {
		case 0, 1:
			f.vec = b.Vec(init) // the initial value is in every set
		case 2:
			f.few = vs
			f.bits = []int{b.bit(init == vs[1], "%s=%d", name, vs[1])}
			f.vec = b.IteVec(b.Bits[f.bits[0]].cur, b.Vec(vs[1]), b.Vec(vs[0]))
		default:
			f.few = vs
			for _, v := range vs {
				f.bits = append(f.bits, b.bit(init == v, "%s=%d", name, v))
			}
			b.oneHot(true, f.bits)
			f.vec = b.decode(b.curs(f.bits), vs)
		}
		return f
	}
	lo, hi := set.Min(), set.Max()
	n := 1
	for _, v := range []int64{lo, hi} {
		n = max(n, bits.Len64(uint64(v^v>>63))+1)
	}
	f.vec = make(circuit.Vector, n)
	for i := range n {
		switch {
		case i == n-1 && lo >= 0:
			f.vec[i] = b.False()
		case i == n-1 && hi < 0:
			f.vec[i] = b.True
		default:
			f.bits = append(f.bits, b.bit(init>>i&1 != 0, "%s:%d", name, i))
			f.vec[i] = b.Bits[f.bits[len(f.bits)-1]].cur
		}
	}
	return f
}

// decode is the one of the values whose literal is true, or 0.
func (b *builder) decode(lits []solver.Lit, values []int64) circuit.Vector {
	n := 1
	for _, v := range values {
		n = max(n, len(b.Vec(v)))
	}
	x := make(circuit.Vector, n)
	for i := range x {
		var or []solver.Lit
		for k, v := range values {
			if v>>i&1 != 0 {
				or = append(or, lits[k])
			}
		}
		x[i] = b.OrAll(or...)
	}
	return b.Trim(x)
}

// encode is the bits of f for the value x, and whether they can represent it.
func (b *builder) encode(f *field, x circuit.Vector) ([]solver.Lit, solver.Lit) {
	if f.dead {
		return nil, b.True
	}
	if slices.Equal(x, f.vec) {
		return b.curs(f.bits), b.True
	}
	if f.few == nil && len(f.bits) == 0 {
		return nil, b.EqVec(x, f.vec)
	}
	out := make([]solver.Lit, len(f.bits))
	if f.few == nil {
		for i := range out {
			out[i] = x.Bit(i)
		}
		// The bits above are all the sign, which may be a constant.
		sign := x.Bit(len(f.vec) - 1)
		if len(f.bits) < len(f.vec) {
			sign = f.vec.Sign()
		}
		fits := b.True
		for i := len(f.bits); i < len(x); i++ {
			fits = b.And(fits, -b.Xor(x.Bit(i), sign))
		}
		return out, fits
	}
	is := make([]solver.Lit, len(f.few))
	for i, v := range f.few {
		is[i] = b.EqVec(x, b.Vec(v))
	}
	copy(out, is[len(is)-len(out):])
	return out, b.OrAll(is...)
}

// value is the value of f in a state.
func (f *field) value(state []bool) int64 {
	switch {
	case len(f.bits) == 0:
		return f.fixed
	case len(f.few) == 2:
		if state[f.bits[0]] {
			return f.few[1]
		}
		return f.few[0]
	case f.few != nil:
		for i, k := range f.bits {
			if state[k] {
				return f.few[i]
			}
		}
		return f.fixed
	}
	return f.vec.Eval(func(l solver.Lit) bool {
		for i, x := range f.vec {
			if x == l && i < len(f.bits) {
				return state[f.bits[i]]
			}
		}
		return f.fixed < 0 // a constant sign bit
	})
}

// zeroed is true of a register of thread ti that is not live at q and has its
// initial value there, so that states that differ in nothing else are one.
func (y *System) zeroed(ti int, q program.StateID, reg int) bool {
	return !y.opts.SingleSteps && !y.lay.lives[ti][q].Has(reg)
}

// layOut makes all state bits.
func (b *builder) layOut() error {
	p, r := b.p, b.r
	l := &b.lay
	for ti, t := range p.Threads {
		bl := &b.blocks[ti]
		var at []int
		for _, q := range bl.cuts {
			at = append(at, b.bit(q == t.Initial, "t%d@%d", ti, q))
		}
		b.oneHot(true, at)
		l.at = append(l.at, at)

		live := program.NewRegSet(len(t.Regs))
		lives := flow.Live(p, ti, false)
		l.lives = append(l.lives, lives)
		for reg := range t.Regs {
			for _, q := range bl.cuts {
				if b.opts.SingleSteps || lives[q].Has(reg) {
					live.Add(reg)
				}
			}
		}
		if err := b.fitting(); err != nil {
			return err
		}
		regs := make([]field, len(t.Regs))
		for reg := range t.Regs {
			init := t.Regs[reg].Init
			if live.Has(reg) {
				regs[reg] = b.newField(fmt.Sprintf("t%d.r%d", ti, reg), r.Reg[ti][reg], init)
			} else {
				regs[reg] = field{fixed: init, dead: true, vec: b.Vec(init)}
			}
		}
		l.regs = append(l.regs, regs)
	}
	for i, c := range r.Cells {
		if i%polled == 0 {
			if err := b.fitting(); err != nil {
				return err
			}
		}
		l.cells = append(l.cells, b.newField(fmt.Sprintf("[%d]", c.Addr), r.Cell[i], c.Init))
	}
	if b.locks {
		for ti := range p.Threads {
			l.lock = append(l.lock, b.bit(false, "t%d!", ti))
		}
		b.oneHot(false, l.lock)
	}
	for ti := range p.Threads {
		var bu bufferLayout
		if b.buffered {
			var err error
			if bu, err = b.bufferLayout(ti); err != nil {
				return err
			}
		}
		l.bufs = append(l.bufs, bu)
	}
	if len(b.Bits) > maxBits {
		return fmt.Errorf("%w: a state takes %d bits, more than %d", ErrUnsupported, len(b.Bits), maxBits)
	}
	return nil
}

func (b *builder) bufferLayout(ti int) (bufferLayout, error) {
	pairs, err := b.stored(ti)
	if err != nil {
		return bufferLayout{}, err
	}
	bu := bufferLayout{pairs: pairs, byCell: map[int][]int{}}
	name := func(i int) string {
		return fmt.Sprintf("[%d]=%d", b.r.Cells[pairs[i].Cell].Addr, pairs[i].Value)
	}
	k := 0
	if co, ok := b.Buffer.(abstract.Coherence); ok {
		k = co.K
	}
	if len(pairs)*(k+2) > maxBits {
		return bu, fmt.Errorf("%w: %d pairs in a buffer", ErrUnsupported, len(pairs))
	}
	for s := range k {
		var slot []int
		for i := range pairs {
			slot = append(slot, b.bit(false, "t%d#%d:%s", ti, s, name(i)))
		}
		b.oneHot(false, slot)
		if s > 0 {
			// No slot is filled before the one in front of it.
			for _, i := range slot {
				b.domain = append(b.domain, append(b.curs(bu.queue[s-1]), -b.Bits[i].cur))
			}
		}
		bu.queue = append(bu.queue, slot)
	}
	for i, p := range pairs {
		bu.in = append(bu.in, b.bit(false, "t%d:%s", ti, name(i)))
		bu.last = append(bu.last, b.bit(false, "t%d>%s", ti, name(i)))
		bu.byCell[p.Cell] = append(bu.byCell[p.Cell], i)
		b.domain = append(b.domain, []solver.Lit{b.Bits[bu.in[i]].cur, -b.Bits[bu.last[i]].cur})
	}
	for cell := range b.r.Cells {
		is := bu.byCell[cell]
		var last []int
		for _, i := range is {
			last = append(last, bu.last[i])
		}
		b.oneHot(false, last)
		for _, i := range is {
			// Where a pair is, one is last.
			b.domain = append(b.domain, append(b.curs(last), -b.Bits[bu.in[i]].cur))
		}
	}
	return bu, nil
}

// maxProducts bounds how often a stored expression is evaluated to find out
// its values.
const maxProducts = 1 << 12

// stored lists the pairs that thread ti may buffer, sorted.
func (b *builder) stored(ti int) ([]abstract.Pair, error) {
	t := b.p.Threads[ti]
	set := map[abstract.Pair]bool{}
	for i := range t.Edges {
		e := &t.Edges[i]
		if e.Cmd.Op != program.Store || !b.r.Reachable[ti][e.From] {
			continue
		}
		if err := b.fitting(); err != nil {
			return nil, err
		}
		values, exact := b.values(ti, e.Cmd.Value)
		for _, c := range b.r.Access[&e.Cmd] {
			few, ok := b.r.Cell[c].Few()
			switch {
			case exact:
				for _, v := range values {
					if v = b.r.Cells[c].Type.Wrap(v); b.r.Cell[c].Has(v) {
						set[abstract.Pair{Cell: c, Value: v}] = true
					}
				}
			case ok:
				for _, v := range few {
					set[abstract.Pair{Cell: c, Value: v}] = true
				}
			default:
				lo, hi := b.r.Cell[c].Min(), b.r.Cell[c].Max()
				if n := uint64(hi) - uint64(lo); n >= maxBits {
					return nil, fmt.Errorf("%w: the values %v of cell %d are too many", ErrUnsupported, b.r.Cell[c], b.r.Cells[c].Addr)
				}
				for v := lo; ; v++ {
					set[abstract.Pair{Cell: c, Value: v}] = true
					if v == hi {
						break
					}
				}
			}
		}
	}
	if len(set) > maxBits {
		return nil, fmt.Errorf("%w: %d pairs in a buffer", ErrUnsupported, len(set))
	}
	pairs := make([]abstract.Pair, 0, len(set))
	for p := range set {
		pairs = append(pairs, p)
	}
	slices.SortFunc(pairs, func(x, y abstract.Pair) int {
		if x.Cell != y.Cell {
			return x.Cell - y.Cell
		}
		if x.Value < y.Value {
			return -1
		}
		return 1
	})
	return pairs, nil
}

// values lists the values of e in thread ti, if they are not too many.
func (b *builder) values(ti int, e program.Expr) ([]int64, bool) {
	var regs []program.Reg
	program.Walk(e, func(x program.Expr) {
		if r, ok := x.(program.Reg); ok && !slices.Contains(regs, r) {
			regs = append(regs, r)
		}
	})
	n := 1
	sets := make([][]int64, len(regs))
	for i, r := range regs {
		vs, ok := b.r.Reg[ti][r].Few()
		if n *= len(vs); !ok || n > maxProducts {
			return nil, false
		}
		sets[i] = vs
	}
	val := make(map[program.Reg]int64, len(regs))
	env := &program.Env{Reg: func(r program.Reg) int64 { return val[r] }}
	out := map[int64]bool{}
	for k := range n {
		for i, r := range regs {
			val[r] = sets[i][k%len(sets[i])]
			k /= len(sets[i])
		}
		out[program.Eval(e, env)] = true
	}
	vs := make([]int64, 0, len(out))
	for v := range out {
		vs = append(vs, v)
	}
	return vs, true
}
