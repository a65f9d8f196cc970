package cdcl

// analysis is what the analysis of a conflict works with.
type analysis struct {
	seen        []byte // by variable
	learnt      []Lit
	clear       []Lit // whose variables are seen
	stack       []Lit
	stamps      []uint32 // by level
	stamp       uint32
	conflicting bool // the top level has a conflict
}

func (a *analysis) grow() {
	a.seen = append(a.seen, 0)
	a.stamps = append(a.stamps, 0)
}

// learn derives a clause from a conflict, goes back to where it implies
// something, and assigns that.
func (s *Solver) learn(conflict []uint32) {
	s.firstUIP(conflict)
	s.minimise()
	var id ID
	if s.trace != nil {
		id = s.noteLearnt(conflict)
	}
	for _, l := range s.analysis.clear {
		s.analysis.seen[l>>1] = 0
	}
	lits := s.analysis.learnt
	glue := s.levels(lits)
	s.restarts.learnt(glue)
	s.sharing.learnt(lits, glue)
	back := 0
	if len(lits) > 1 {
		// The second literal is one of the level to go back to.
		top := 1
		for i := 2; i < len(lits); i++ {
			if s.vars[lits[i]>>1].level > s.vars[lits[top]>>1].level {
				top = i
			}
		}
		lits[1], lits[top] = lits[top], lits[1]
		back = int(s.vars[lits[1]>>1].level)
	}
	s.analysis.conflicting = true
	s.backtrack(back)
	s.analysis.conflicting = false
	if len(lits) == 1 {
		s.assignUnit(lits[0], id)
	} else if c := s.newClause(lits, glue, id); c != 0 {
		s.watchClause(c)
		s.assign(lits[0], c)
	}
	s.heap.decay()
}

// firstUIP resolves the conflict with reasons until one literal of the current level is left
// (the first unique implication point), which is the first one of the learnt clause.
func (s *Solver) firstUIP(conflict []uint32) {
	a := &s.analysis
	a.learnt = append(a.learnt[:0], 0)
	a.clear = a.clear[:0]
	level := int32(s.level())
	open := 0 // literals of the level that are still to be resolved
	next := len(s.trail)
	for {
		for _, x := range conflict {
			l := Lit(x)
			v := &s.vars[l>>1]
			if a.seen[l>>1] != 0 || v.level == 0 || s.vals[l] > 0 {
				continue // the literal that the clause implied is the only one that is true
			}
			a.seen[l>>1] = 1
			a.clear = append(a.clear, l)
			s.heap.raise(int(l >> 1))
			if v.level == level {
				open++
			} else {
				a.learnt = append(a.learnt, l)
			}
		}
		for next--; a.seen[s.trail[next]>>1] == 0; next-- {
		}
		p := s.trail[next]
		if open--; open == 0 {
			a.learnt[0] = p ^ 1
			return
		}
		c := s.vars[p>>1].reason
		s.use(c)
		conflict = s.lits(c)
	}
}

// minimise leaves out of the learnt clause what the rest of it implies (Sörensson and
// Biere, "Minimizing Learned Clauses").
func (s *Solver) minimise() {
	a := &s.analysis
	levels := uint32(0) // an approximation of the set of levels
	for _, l := range a.learnt[1:] {
		levels |= 1 << (s.vars[l>>1].level & 31)
	}
	n := 1
	for _, l := range a.learnt[1:] {
		if s.vars[l>>1].reason == 0 || !s.redundant(l, levels) {
			a.learnt[n] = l
			n++
		}
	}
	a.learnt = a.learnt[:n]
}

// redundant is whether the false literal l follows from others that are seen.
func (s *Solver) redundant(l Lit, levels uint32) bool {
	a := &s.analysis
	a.stack = append(a.stack[:0], l)
	mark := len(a.clear)
	for len(a.stack) > 0 {
		p := a.stack[len(a.stack)-1]
		a.stack = a.stack[:len(a.stack)-1]
		for _, x := range s.lits(s.vars[p>>1].reason) {
			q := Lit(x)
			v := &s.vars[q>>1]
			if a.seen[q>>1] != 0 || v.level == 0 || q>>1 == p>>1 {
				continue
			}
			if v.reason == 0 || 1<<(v.level&31)&levels == 0 {
				for _, c := range a.clear[mark:] {
					a.seen[c>>1] = 0
				}
				a.clear = a.clear[:mark]
				return false
			}
			a.seen[q>>1] = 1
			a.clear = append(a.clear, q)
			a.stack = append(a.stack, q)
		}
	}
	return true
}

// levels counts the decision levels of assigned literals (glue, or LBD: Audemard and
// Simon).
func (s *Solver) levels(lits []Lit) int {
	a := &s.analysis
	a.stamp++
	n := 0
	for _, l := range lits {
		if level := s.vars[l>>1].level; level > 0 {
			// There may be more levels than variables, where assumptions repeat.
			for int(level) >= len(a.stamps) {
				a.stamps = append(a.stamps, 0)
			}
			if a.stamps[level] != a.stamp {
				a.stamps[level] = a.stamp
				n++
			}
		}
	}
	return n
}

// findCore lists the assumptions by which the assumption failed is false, and itself.
func (s *Solver) findCore(failed Lit) {
	s.core = append(s.core[:0], failed)
	if s.vars[failed>>1].level == 0 {
		if s.trace != nil {
			s.refuted = s.trace.units[failed>>1]
		}
		return
	}
	s.analysis.seen[failed>>1] = 1
	s.findDecisions()
	s.analysis.seen[failed>>1] = 0
	if s.trace != nil {
		s.refuted = s.noteCore(failed)
	}
}

// blame makes the core the decisions that a false clause rests on, which the last propagation found.
func (s *Solver) blame(clause []uint32) {
	s.core = s.core[:0]
	for _, x := range clause {
		if s.vars[x>>1].level > 0 {
			s.analysis.seen[x>>1] = 1
		}
	}
	s.findDecisions()
	if s.trace != nil {
		s.refuted = s.noteDecisions(clause, s.trace.conflict)
	}
}

// findDecisions adds the decisions to the core that what is seen rests on, and takes the marks back.
func (s *Solver) findDecisions() {
	a := &s.analysis
	for i := len(s.trail) - 1; i >= s.control[0]; i-- {
		l := s.trail[i]
		if a.seen[l>>1] == 0 {
			continue
		}
		a.seen[l>>1] = 0
		c := s.vars[l>>1].reason
		if c == 0 {
			s.core = append(s.core, l)
			continue
		}
		for _, x := range s.lits(c) {
			if q := Lit(x); q != l && s.vars[q>>1].level > 0 {
				a.seen[q>>1] = 1
			}
		}
	}
}
