package cdcl

// A variable is decided as it was assigned last (phase saving, Pipatsrisawat and
// Darwiche), at first false: a program does little where its literals are false.
// In the stable mode it is decided as it was in the longest trail without a
// conflict (target phases, Biere and Fleury). What is preferred is always decided so.

// prefer is l or its negation.
func (s *Solver) polarity(l Lit) Lit {
	switch {
	case s.prefer[l]:
		return l
	case s.prefer[l^1]:
		return l ^ 1
	}
	phase := s.phase
	if s.restarts.stable {
		phase = s.target
	}
	if phase[l>>1] {
		return l
	}
	return l ^ 1
}

// savePhases keeps the trail as target if it is the longest so far. What was
// propagated completely has no conflict in it.
func (s *Solver) savePhases() {
	if !s.restarts.stable || s.probing {
		return
	}
	n := len(s.trail)
	if s.qhead < n || s.analysis.conflicting {
		n = s.control[len(s.control)-1]
	}
	if n <= s.best {
		return
	}
	s.best = n
	for _, l := range s.trail[:n] {
		s.target[l>>1] = l&1 == 0
	}
}

// rephase forgets the target.
func (s *Solver) rephase() {
	s.best = 0
	copy(s.target, s.phase)
}
