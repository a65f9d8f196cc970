package cdcl

// A watch says that a clause has to be looked at when a literal becomes true
// whose negation is one of the first two of the clause. While the blocker, some
// other literal of it, is true, there is nothing to do. In a clause of two
// literals the blocker is the other one, and the clause itself is not looked at.
type watch struct {
	blocker Lit
	clause  ref // with binaryBit where it has two literals
}

func (s *Solver) watchClause(c ref) {
	lits := s.lits(c)
	a, b := Lit(lits[0]), Lit(lits[1])
	w := c
	if len(lits) == 2 {
		w |= binaryBit
	}
	s.watches[a^1] = append(s.watches[a^1], watch{b, w})
	s.watches[b^1] = append(s.watches[b^1], watch{a, w})
}

// propagateAll assigns what follows from the trail, and brings the order up to
// it. It returns the literals of a clause that is false, or nil.
//
// The theory runs when there is nothing left to propagate, so that its conflicts
// are few and the reasons of the others short.
func (s *Solver) propagateAll() []uint32 {
	c := s.propagate()
	if s.trace != nil {
		s.noteUnits()
	}
	if c != 0 {
		if s.trace != nil {
			s.trace.conflict = s.id(c)
		}
		return s.lits(c)
	}
	if s.stopped {
		return nil
	}
	if cycle := s.orders.update(s); cycle != nil {
		s.stats.Cycles++
		if s.trace != nil {
			s.trace.conflict = s.trace.forbid(s.orders.circle)
		}
		return cycle
	}
	return nil
}

// propagate assigns what follows from clauses, and returns one that is false, or 0.
func (s *Solver) propagate() ref {
	vals := s.vals
	start := s.qhead
	for s.qhead < len(s.trail) {
		p := s.trail[s.qhead]
		s.qhead++
		if s.qhead&0xffff == 0 && s.ctx != nil { // at level 0 there may be millions
			if s.countdown = 0; s.interrupted() {
				break
			}
		}
		ws := s.watches[p]
		n := 0
	watches:
		for i := 0; i < len(ws); i++ {
			w := ws[i]
			b := vals[w.blocker]
			if b > 0 {
				ws[n] = w
				n++
				continue
			}
			if w.clause&binaryBit != 0 {
				ws[n] = w
				n++
				if b < 0 {
					n += copy(ws[n:], ws[i+1:])
					s.watches[p] = ws[:n]
					s.stats.Propagations += int64(s.qhead - start)
					return w.clause &^ binaryBit
				}
				s.assign(w.blocker, w.clause&^binaryBit)
				continue
			}
			lits := s.lits(w.clause)
			other := Lit(lits[0]^lits[1]) ^ p ^ 1
			v := vals[other]
			if v > 0 {
				ws[n] = watch{other, w.clause}
				n++
				continue
			}
			for k := 2; k < len(lits); k++ {
				if l := Lit(lits[k]); vals[l] >= 0 {
					lits[0], lits[1], lits[k] = uint32(other), uint32(l), uint32(p^1)
					s.watches[l^1] = append(s.watches[l^1], watch{other, w.clause})
					continue watches
				}
			}
			ws[n] = w
			n++
			if v < 0 {
				n += copy(ws[n:], ws[i+1:])
				s.watches[p] = ws[:n]
				s.stats.Propagations += int64(s.qhead - start)
				return w.clause
			}
			s.assign(other, w.clause)
		}
		s.watches[p] = ws[:n]
	}
	s.stats.Propagations += int64(s.qhead - start)
	return 0
}
