package cdcl

import (
	"cmp"
	"slices"
)

// vivifying decides when to vivify, and how much. Vivification (Piette, Hamadi and Saïs, "Vivifying Propositional
// Clausal Formulae"; for what was learnt Luo and others, "An Effective Learnt Clause Minimization Approach for CDCL SAT
// Solvers") makes clauses shorter that were learnt and span few levels. The negations of the literals of a clause are decided,
// one after the other. If that leads to a conflict, or makes another literal of it true, then the decisions that are to
// blame, and that literal, are a clause already. The clause itself may be among the reasons: what it is replaced by
// follows from it and the others.
type vivifying struct {
	every int64 // reductions from one time to the next
	share int64 // propagations of the search for one of it
	glue  int   // the most levels of a clause that is tried

	reductions int64 // at the last time
	searched   int64 // propagations then
	lits       []Lit // of a clause
}

const (
	vivifyAfter = 10 // reductions, some 15,000 conflicts: shorter searches end before it pays
	vivifyEvery = 2
	vivifyShare = 10
)

func (v *vivifying) start() {
	v.reductions, v.every, v.share, v.glue = vivifyAfter-vivifyEvery, vivifyEvery, vivifyShare, tierGlue
}

func (s *Solver) shouldVivify() bool {
	return s.reducing.count >= s.vivifying.reductions+s.vivifying.every
}

// vivify tries the clauses that were not tried yet, the newest first. It ends early where a clause of one literal comes
// out, which the search propagates.
func (s *Solver) vivify() {
	s.backtrack(0)
	v := &s.vivifying
	start := s.stats.Propagations
	end := start + (start-v.searched)/v.share
	s.probing = true
	for i := len(s.learnts) - 1; i >= 0 && s.qhead == len(s.trail) && s.stats.Propagations <= end; i-- {
		if s.full || s.stopped || s.interrupted() {
			break
		}
		c := s.learnts[i]
		if info := s.arena[c+1]; info&(garbageBit|vivifiedBit) == 0 && int(info&glueMask) <= v.glue && s.arena[c] > 2 {
			s.arena[c+1] |= vivifiedBit
			s.shorten(c)
		}
	}
	s.probing = false
	s.core, s.refuted = s.core[:0], 0
	v.reductions, v.searched = s.reducing.count, s.stats.Propagations
	s.collect()
	s.verify()
}

// shorten tries to make c shorter, at level 0.
func (s *Solver) shorten(c ref) {
	lits := s.vivifying.lits[:0]
	for _, x := range s.lits(c) {
		if s.vals[x] > 0 {
			return
		}
		lits = append(lits, Lit(x))
	}
	s.vivifying.lits = lits
	slices.SortFunc(lits, func(a, b Lit) int { // the most active first: so others are decided, too
		x, y := s.heap.activity[a>>1], s.heap.activity[b>>1]
		return cmp.Or(cmp.Compare(y, x), cmp.Compare(a, b))
	})
	defer s.backtrack(0)
	for _, l := range lits {
		switch {
		case s.vals[l] < 0: // it follows that it can be left out
			continue
		case s.vals[l] > 0:
			s.findCore(l ^ 1)
			s.replace(c)
			return
		}
		s.newLevel()
		s.assign(l^1, 0)
		if conflict := s.propagateAll(); conflict != nil {
			s.blame(conflict)
			s.replace(c)
			return
		}
		if s.stopped {
			return
		}
	}
}

// replace puts the negations of the core in the place of c, if they are fewer than its literals.
func (s *Solver) replace(c ref) {
	s.backtrack(0)
	if len(s.core) >= int(s.arena[c]) {
		return
	}
	lits := s.vivifying.lits[:0]
	for _, l := range s.core {
		lits = append(lits, l^1)
	}
	if len(lits) == 1 {
		s.assignUnit(lits[0], s.refuted)
	} else {
		d := s.newClause(lits, min(s.glue(c), len(lits)-1), s.refuted)
		if d == 0 {
			return
		}
		s.arena[d+1] |= vivifiedBit
		s.watchClause(d)
	}
	s.stats.Shortened++
	s.discard(c)
}
