package cdcl

// An ID names a clause in a proof: twice its number, from 1, among the clauses that were
// added, or twice its number among the derived ones and one more. 0 is no clause.
type ID uint32

// Added is the ID of the n-th call of [Solver.AddClause], from 1.
func Added(n int) ID { return ID(n) << 1 }

// Derived tells a derived clause from one that was added, and gives its number, from 1.
func (id ID) Derived() (n int, ok bool) { return int(id >> 1), id&1 != 0 }

// A Trace is what a solver derived, in its order, so that others can check it: each
// clause with the clauses (hints) that have one literal left, one after the other, where
// all its literals are false, and the last of which then has none left (LRAT:
// Cruz-Filipe, Heule, Hunt, Kaufmann and Schneider-Kamp, "Efficient Certified RAT
// Verification"); or, of the theory of order, with the edges of a cycle, which the
// clause forbids.
//
// The hints come from the analysis of conflicts itself. A solver without a Trace has one
// comparison more a conflict.
type Trace struct {
	// Limit bounds what the trace may hold, in bytes; 0: nothing does.
	Limit int64

	chunks [][]uint32
	places []uint64 // by derived clause, from 1: chunk, and where it begins there
	full   bool

	added    int
	units    []ID // by variable of level 0: the clause of this literal alone
	noted    int  // of the trail of level 0
	conflict ID   // the clause that is false

	hints []ID
	stack []Lit
	clear []Lit // of level 0, or decided, that are seen
}

// chunkWords is the size of a chunk, unless a clause needs more.
const chunkWords = 1 << 16

// Full tells that the trace met its limit: what comes then is not in it, and the ID of
// it is 0.
func (t *Trace) Full() bool { return t.full }

// Len is how many clauses were derived.
func (t *Trace) Len() int { return len(t.places) }

// Bytes is what the trace holds.
func (t *Trace) Bytes() int64 {
	return int64(len(t.chunks))*chunkWords*4 + int64(cap(t.places))*8 + int64(cap(t.units))*4
}

// At is derived clause n, from 1: the literals and the hints, or the edges of a cycle.
// It shares memory with the trace.
func (t *Trace) At(n int) (lits []uint32, hints []uint32, cycle bool) {
	place := t.places[n-1]
	words := t.chunks[place>>32][uint32(place):]
	if size := words[0]; size&1 != 0 {
		return nil, words[1 : 1+size>>1], true
	}
	size := words[0] >> 1
	return words[2 : 2+size], words[2+size : 2+size+words[1]], false
}

// reserve makes room for so many words, and is nil where there is none.
func (t *Trace) reserve(n int) []uint32 {
	if t.full || t.Limit > 0 && t.Bytes() >= t.Limit || len(t.places) >= 1<<31-2 {
		t.full = true
		return nil
	}
	last := len(t.chunks) - 1
	if last < 0 || len(t.chunks[last])+n > cap(t.chunks[last]) {
		t.chunks = append(t.chunks, make([]uint32, 0, max(n, chunkWords)))
		last++
	}
	c := t.chunks[last]
	t.places = append(t.places, uint64(last)<<32|uint64(len(c)))
	t.chunks[last] = c[:len(c)+n]
	return t.chunks[last][len(c):]
}

func (t *Trace) last() ID {
	if t.full {
		return 0
	}
	return ID(len(t.places))<<1 | 1
}

// derive notes that lits follow from the hints.
func (t *Trace) derive(lits []Lit) ID {
	words := t.reserve(2 + len(lits) + len(t.hints))
	if words == nil {
		return 0
	}
	words[0], words[1] = uint32(len(lits))<<1, uint32(len(t.hints))
	words = words[2:]
	for i, l := range lits {
		words[i] = uint32(l)
	}
	words = words[len(lits):]
	for i, h := range t.hints {
		words[i] = uint32(h)
	}
	return t.last()
}

// forbid notes a cycle, whose edges come in the opposite order.
func (t *Trace) forbid(edges []int32) ID {
	words := t.reserve(1 + len(edges))
	if words == nil {
		return 0
	}
	words[0] = uint32(len(edges))<<1 | 1
	for i, e := range edges {
		words[len(edges)-i] = uint32(e)
	}
	return t.last()
}

// Trace makes s note what it derives from now on, which is possible before the first
// clause and the first edge only. Edges are named by their number, from 0.
func (s *Solver) Trace(limit int64) *Trace {
	if s.trace == nil {
		s.trace, s.tail = &Trace{Limit: limit, units: make([]ID, len(s.vars))}, 1
	}
	return s.trace
}

// Refuted is the derived clause that shows the last answer, if that is Unsat: it has the
// negations of the core, or is empty. It is 0 where the core has an assumption and its
// negation, and where the trace is full.
func (s *Solver) Refuted() ID { return s.refuted }

// id is that of clause c, which stands behind its literals.
func (s *Solver) id(c ref) ID { return ID(s.arena[uint32(c)+headWords+s.arena[c]]) }

// Marks of variables while hints are collected. Bit 0 is that of the analysis.
const (
	entered = 1 << 1
	kept    = 1 << 2
)

// noteUnits derives the literals of level 0 alone, so that hints need not repeat why
// they are true. Their reasons are forgotten when satisfied clauses go.
func (s *Solver) noteUnits() {
	t := s.trace
	n := len(s.trail)
	if s.level() > 0 {
		n = s.control[0]
	}
	for ; t.noted < n; t.noted++ {
		l := s.trail[t.noted]
		c := s.vars[l>>1].reason
		if c == 0 {
			continue // it came alone
		}
		t.hints = t.hints[:0]
		for _, x := range s.lits(c) {
			if Lit(x) != l {
				t.hints = append(t.hints, t.units[x>>1])
			}
		}
		t.hints = append(t.hints, s.id(c))
		t.units[l>>1] = t.derive([]Lit{l})
	}
}

// noteLearnt derives what is learnt from a conflict: by the reasons of all that was seen
// and is not in it.
func (s *Solver) noteLearnt(conflict []uint32) ID {
	t, seen := s.trace, s.analysis.seen
	for _, l := range s.analysis.learnt {
		seen[l>>1] |= kept
	}
	s.explain(conflict)
	t.hints = append(t.hints, t.conflict)
	return t.derive(s.analysis.learnt)
}

// noteCore derives that the assumptions of the core do not hold together. failed is the
// one that is false, and not of level 0.
func (s *Solver) noteCore(failed Lit) ID {
	c := s.vars[failed>>1].reason
	if c == 0 {
		return 0
	}
	s.analysis.seen[failed>>1] |= kept
	s.trace.clear = append(s.trace.clear, failed)
	return s.noteDecisions(s.lits(c), s.id(c))
}

// noteDecisions derives that those of the core do not hold together: the clause id is false, or would be if its literal
// that is kept were.
func (s *Solver) noteDecisions(clause []uint32, id ID) ID {
	t := s.trace
	for i := s.control[0]; i < len(s.trail); i++ {
		if l := s.trail[i]; s.vars[l>>1].reason != 0 {
			s.analysis.seen[l>>1] |= 1
		}
	}
	s.explain(clause)
	for i := s.control[0]; i < len(s.trail); i++ {
		s.analysis.seen[s.trail[i]>>1] = 0
	}
	t.hints = append(t.hints, id)
	lits := make([]Lit, len(s.core))
	for i, l := range s.core {
		lits[i] = l ^ 1
	}
	return t.derive(lits)
}

// explain collects in hints why the literals of a clause are false, as far as they are
// marked: first what a reason rests on, then the reason.
func (s *Solver) explain(clause []uint32) {
	t, seen := s.trace, s.analysis.seen
	t.hints = t.hints[:0]
	t.stack = t.stack[:0]
	push := func(clause []uint32) {
		for _, x := range clause {
			if seen[x>>1]&(entered|kept) == 0 {
				t.stack = append(t.stack, Lit(x))
			}
		}
	}
	push(clause)
	// A true literal on the stack says that what its reason rests on is done.
	for len(t.stack) > 0 {
		l := t.stack[len(t.stack)-1]
		if s.vals[l] > 0 {
			t.stack = t.stack[:len(t.stack)-1]
			t.hints = append(t.hints, s.id(s.vars[l>>1].reason))
			continue
		}
		v := &s.vars[l>>1]
		switch mark := seen[l>>1]; {
		case mark&(entered|kept) != 0:
			t.stack = t.stack[:len(t.stack)-1]
		case v.level == 0:
			t.stack = t.stack[:len(t.stack)-1]
			seen[l>>1] |= entered
			t.clear = append(t.clear, l)
			t.hints = append(t.hints, t.units[l>>1])
		case mark&1 == 0: // a literal of the core
			t.stack = t.stack[:len(t.stack)-1]
		default:
			seen[l>>1] |= entered
			t.clear = append(t.clear, l)
			t.stack[len(t.stack)-1] = l ^ 1
			for _, x := range s.lits(v.reason) {
				if Lit(x) != l^1 && seen[x>>1]&(entered|kept) == 0 {
					t.stack = append(t.stack, Lit(x))
				}
			}
		}
	}
	for _, l := range t.clear {
		seen[l>>1] &^= entered | kept
	}
	t.clear = t.clear[:0]
}

// noteContradiction derives the empty clause from one that is false at level 0.
func (s *Solver) noteContradiction(clause []uint32, id ID) {
	s.collectUnits(clause)
	s.trace.hints = append(s.trace.hints, id)
	s.refuted = s.trace.derive(nil)
}

// collectUnits makes hints of why the false literals of a clause are false, at level 0.
func (s *Solver) collectUnits(clause []uint32) {
	t, seen := s.trace, s.analysis.seen
	t.hints = t.hints[:0]
	for _, x := range clause {
		if s.vals[x] < 0 && seen[x>>1] == 0 {
			seen[x>>1] = entered
			t.hints = append(t.hints, t.units[x>>1])
		}
	}
	for _, x := range clause {
		seen[x>>1] = 0
	}
}

// noteAdded is the ID of the clause that was added last, of which c is left.
func (s *Solver) noteAdded(lits, c []Lit) ID {
	t := s.trace
	id := Added(t.added)
	clause := make([]uint32, len(lits))
	for i, l := range lits {
		clause[i] = uint32(l)
	}
	s.collectUnits(clause)
	if len(t.hints) == 0 && len(c) > 0 {
		return id
	}
	t.hints = append(t.hints, id)
	return t.derive(c)
}
