package symbolic

import (
	"math/rand/v2"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/solver"
)

// samples is a set of states, by bit: what is known to be reachable, or to be in
// every inductive invariant made of the candidates that are left.
type samples struct {
	n    int
	cols [][]uint64 // by bit; state i is bit i%64 of word i/64
}

func (p *samples) add(state []bool) {
	if p.n%64 == 0 {
		for i := range p.cols {
			p.cols[i] = append(p.cols[i], 0)
		}
	}
	for i, v := range state {
		if v {
			p.cols[i][p.n/64] |= 1 << (p.n % 64)
		}
	}
	p.n++
}

// word is the states of word w in which literal l holds.
func (p *samples) word(l int32, w int) uint64 {
	x := p.cols[bitOf(l)][w]
	if l < 0 {
		x = ^x
	}
	if last := p.n - 64*w; last < 64 {
		x &= 1<<last - 1
	}
	return x
}

// meets is true where one of the states from word w on is in c.
func (p *samples) meets(c cube, w int) bool {
	for ; w < (p.n+63)/64; w++ {
		x := ^uint64(0)
		for _, l := range c {
			x &= p.word(l, w)
		}
		if x != 0 {
			return true
		}
	}
	return false
}

// A walker makes random steps.
type walker struct {
	y    *System
	rng  *rand.Rand
	next *abstract.State
}

// step makes a random step of the System on s, if it finds one.
func (w *walker) step(s *abstract.State) bool {
	y := w.y
	for range 4 * len(s.PC) {
		ti := w.rng.IntN(len(s.PC))
		w.next.Copy(s)
		n := y.x.Flushes(s, ti)
		if n > 0 && w.rng.IntN(3) == 0 {
			y.x.Step(w.next, abstract.Event{Thread: ti, Edge: abstract.Flush, Choice: int64(w.rng.IntN(n))})
		} else if !w.block(w.next, ti) {
			continue
		}
		s.Copy(w.next)
		return true
	}
	return false
}

// block makes a step of thread ti that is not a flush.
func (w *walker) block(s *abstract.State, ti int) bool {
	bl := &w.y.blocks[ti]
	if bl.fence[s.PC[ti]] {
		if !w.edge(s, ti) {
			return false
		}
		for bl.before[s.PC[ti]] {
			if !w.edge(s, ti) {
				return false
			}
		}
		if len(bl.out[s.PC[ti]]) == 0 {
			return true
		}
	}
	if !w.edge(s, ti) {
		return false
	}
	for bl.middle[s.PC[ti]] {
		if !w.edge(s, ti) {
			return false
		}
	}
	return true
}

// edge takes a random enabled edge of thread ti.
func (w *walker) edge(s *abstract.State, ti int) bool {
	out := w.y.blocks[ti].out[s.PC[ti]]
	for range 2 * len(out) {
		e := out[w.rng.IntN(len(out))]
		c := w.y.x.Choices(ti, e)
		if w.y.x.Step(s, abstract.Event{Thread: ti, Edge: e, Choice: w.rng.Int64N(c)}) == abstract.Done {
			return true
		}
	}
	return false
}

// A houdini looks for the largest set of candidates that is inductive: C.
// Flanagan, K. R. M. Leino, Houdini, an annotation assistant for ESC/Java, FME
// 2001. The candidates are short clauses that hold of all states met on random
// runs.
type houdini struct {
	*meter
	y    *System
	pool samples
	walk walker
	cand []cube // the negations of the clauses
	back string

	queries int64
}

// maxLemmaBits is how large a state may be for there to be lemmas.
const maxLemmaBits = 300

// lemmas finds clauses that are inductive together. When ctx ends first it finds
// none.
func (y *System) lemmas(m *meter, back string) ([]cube, int64, error) {
	if len(y.Bits) > maxLemmaBits {
		return nil, 0, nil
	}
	h := &houdini{meter: m, y: y, back: back, pool: samples{cols: make([][]uint64, len(y.Bits))},
		walk: walker{y, rand.New(rand.NewPCG(1, 1)), y.x.NewState()}}
	// Each step copies the state.
	for range max(min(400, 1<<18/(len(y.lay.cells)+1)), 4) {
		s := y.x.NewState()
		y.x.Initial(s)
		if h.run(s, 200); m.ctx.Err() != nil {
			return nil, 0, nil
		}
	}
	h.candidates()
	if m.ctx.Err() != nil {
		return nil, 0, nil
	}
	err := h.reduce()
	if m.stopped(err) {
		return nil, h.queries, nil
	}
	return h.cand, h.queries, err
}

// run adds s and the states of a random run from it to the pool.
func (h *houdini) run(s *abstract.State, steps int) {
	for range steps {
		bits, ok := h.y.encode(s)
		if !ok {
			return
		}
		h.pool.add(bits)
		if !h.walk.step(s) {
			return
		}
	}
}

// maxCandidates bounds how many candidates there are to be, about.
const maxCandidates = 20_000

// candidates lists cubes that no state of the pool is in: of one and two literals;
// and, as long as there are not too many, of three that are of one thread or
// positive.
func (h *houdini) candidates() {
	n := int32(len(h.y.Bits))
	var lits []int32
	for b := int32(1); b <= n; b++ {
		for _, l := range []int32{b, -b} {
			if !h.pool.meets(cube{l}, 0) {
				h.cand = append(h.cand, cube{l})
			} else {
				lits = append(lits, l)
			}
		}
	}
	owner := h.y.owners()
	for i, a := range lits {
		if h.ctx.Err() != nil {
			return
		}
		for j, b := range lits[i+1:] {
			if h.ctx.Err() != nil {
				return
			}
			if bitOf(a) == bitOf(b) {
				continue
			}
			if !h.pool.meets(cube{a, b}, 0) {
				h.cand = append(h.cand, cube{a, b})
				continue
			}
			if len(h.cand) > maxCandidates {
				continue
			}
			for _, c := range lits[i+1:][j+1:] {
				local := owner[bitOf(a)] >= 0 && owner[bitOf(a)] == owner[bitOf(b)] && owner[bitOf(a)] == owner[bitOf(c)]
				if bitOf(c) == bitOf(b) || !local && (a < 0 || b < 0 || c < 0) || h.pool.meets(cube{a, b, c}, 0) ||
					!h.pool.meets(cube{a, c}, 0) || !h.pool.meets(cube{b, c}, 0) {
					continue
				}
				h.cand = append(h.cand, cube{a, b, c})
			}
		}
	}
}

// owners is, by bit, the thread whose control state, registers or buffer it is
// of; -1 for memory.
func (y *System) owners() []int {
	owner := make([]int, len(y.Bits))
	for i := range owner {
		owner[i] = -1
	}
	l := &y.lay
	for ti := range l.at {
		set := func(bits []int) {
			for _, b := range bits {
				owner[b] = ti
			}
		}
		set(l.at[ti])
		for r := range l.regs[ti] {
			set(l.regs[ti][r].bits)
		}
		set(l.bufs[ti].in)
		set(l.bufs[ti].last)
		for _, q := range l.bufs[ti].queue {
			set(q)
		}
	}
	return owner
}

// reduce drops candidates until the rest is inductive.
func (h *houdini) reduce() error {
	for again := true; again; {
		again = false
		s, err := solver.New(h.back)
		if err != nil {
			return err
		}
		if err := h.y.load(h.meter, s); err != nil {
			s.Close()
			return err
		}
		for _, c := range h.cand {
			s.AddClause(h.y.negation(c)...)
		}
		s.AddClause(h.y.legal)
		dead := make([]bool, len(h.cand))
		for i := range h.cand {
			for !dead[i] {
				var assume []solver.Lit
				for _, l := range h.cand[i] {
					assume = append(assume, h.y.lit(l, true))
				}
				if err := h.fits(s.Stats().Clauses); err != nil {
					s.Close()
					return err
				}
				h.queries++
				st, err := s.Solve(h.ctx, assume...)
				if err != nil {
					s.Close()
					return err
				}
				if st == solver.Unsat {
					break
				}
				again = true
				// The state after the step is in every inductive set of
				// candidates, and so is what it leads to.
				from := h.pool.n / 64
				bits := make([]bool, len(h.y.Bits))
				for k := range bits {
					bits[k] = s.Value(h.y.Bits[k].next)
				}
				if a, ok := h.y.decode(bits); ok {
					h.run(a, 100)
				} else {
					h.pool.add(bits)
				}
				for j := range h.cand {
					if h.tick() != nil {
						break // which the next round finds
					}
					dead[j] = dead[j] || h.pool.meets(h.cand[j], from)
				}
			}
		}
		s.Close()
		k := 0
		for i := range h.cand {
			if !dead[i] {
				h.cand[k] = h.cand[i]
				k++
			}
		}
		h.cand = h.cand[:k]
	}
	return nil
}

// decode is the state of the abstract.System with these bits, its dead registers
// at their initial values; false where the bits are those of no state.
func (y *System) decode(bits []bool) (*abstract.State, bool) {
	s := y.x.NewState()
	y.x.Initial(s)
	for ti := range s.PC {
		i := slices.IndexFunc(y.lay.at[ti], func(b int) bool { return bits[b] })
		if i < 0 {
			return nil, false
		}
		s.PC[ti] = y.blocks[ti].cuts[i]
		for r := range s.Regs[ti] {
			s.Regs[ti][r] = y.lay.regs[ti][r].value(bits)
		}
		if !y.Buffer.Immediate() {
			y.lay.bufs[ti].contents(bits, y.Buffer, &s.Buf[ti])
		}
		if y.lay.lock != nil && bits[y.lay.lock[ti]] {
			s.Lock = ti
		}
	}
	for c := range s.Mem {
		s.Mem[c] = y.lay.cells[c].value(bits)
	}
	again, ok := y.encode(s)
	return s, ok && slices.Equal(again, bits)
}

// contents is the inverse of fill.
func (l *bufferLayout) contents(bits []bool, b abstract.Buffer, c *abstract.Contents) {
	c.Pairs = c.Pairs[:0]
	for _, slot := range l.queue {
		for i, b := range slot {
			if bits[b] {
				c.Pairs = append(c.Pairs, l.pairs[i])
			}
		}
	}
	_, barrier := b.(abstract.Coherence)
	for i, p := range l.pairs {
		if i > 0 && l.pairs[i-1].Cell == p.Cell {
			continue
		}
		last := -1
		for _, j := range append(slices.Clone(l.byCell[p.Cell]), -1) {
			switch {
			case j < 0:
				if j = last; j < 0 {
					continue
				}
			case !bits[l.in[j]]:
				continue
			case bits[l.last[j]]:
				last = j // it comes behind the others
				continue
			}
			if barrier {
				c.Pairs = append(c.Pairs, abstract.Pair{Cell: abstract.Barrier})
				barrier = false
			}
			c.Pairs = append(c.Pairs, l.pairs[j])
		}
	}
}
