package cdcl

import "slices"

// reducing decides when to forget what was learnt. What spans up to keepGlue
// levels is kept for ever; up to tierGlue, while it was used since the last
// reduction but one; of the rest, what was not used since the last one, the worse
// half goes.
type reducing struct {
	next       int64 // conflicts
	every      int64 // conflicts between reductions, at first
	keep       int   // keepGlue
	count      int64
	fixed      int   // literals at level 0 when satisfied clauses were last removed
	simplified int64 // propagations then
}

const (
	keepGlue    = 2
	tierGlue    = 6
	reduceEvery = 300
)

func (r *reducing) start() {
	r.every, r.keep = reduceEvery, keepGlue
	r.next = r.every
}

// use takes note that a clause took part in a conflict.
func (s *Solver) use(c ref) {
	info := s.arena[c+1]
	if info&learntBit == 0 {
		return
	}
	glue := int(info & glueMask)
	if glue > keepGlue {
		n := 0
		a := &s.analysis
		a.stamp++
		for _, x := range s.lits(c) {
			level := s.vars[x>>1].level
			for int(level) >= len(a.stamps) {
				a.stamps = append(a.stamps, 0)
			}
			if a.stamps[level] != a.stamp {
				a.stamps[level] = a.stamp
				if n++; n >= glue {
					break
				}
			}
		}
		glue = min(glue, n)
	}
	used := uint32(1)
	if glue <= tierGlue {
		used = 2
	}
	s.arena[c+1] = info&^(usedMask|glueMask) | used<<usedShift | uint32(glue)
}

func (s *Solver) shouldReduce() bool { return s.stats.Conflicts >= s.reducing.next }

func (s *Solver) reduce() {
	s.stats.Reductions++
	s.reducing.count++
	s.reducing.next = s.stats.Conflicts + s.reducing.every*(s.reducing.count+1)
	if s.newlyFixed() {
		s.removeSatisfied()
	}
	var candidates []ref
	for _, c := range s.learnts {
		info := s.arena[c+1]
		switch used := info & usedMask >> usedShift; {
		case info&garbageBit != 0 || int(info&glueMask) <= s.reducing.keep:
		case used > 0:
			s.arena[c+1] = info&^usedMask | (used-1)<<usedShift
		case !s.isReason(c):
			candidates = append(candidates, c)
		}
	}
	slices.SortFunc(candidates, func(a, b ref) int {
		if d := s.glue(b) - s.glue(a); d != 0 {
			return d
		}
		if d := int(s.arena[b]) - int(s.arena[a]); d != 0 {
			return d
		}
		return int(a) - int(b)
	})
	for _, c := range candidates[:len(candidates)*3/4] {
		s.discard(c)
	}
	s.collect()
	s.full = s.full || s.Limit > 0 && s.Bytes() > s.Limit
}

// isReason is whether a literal above level 0 is assigned because of c.
func (s *Solver) isReason(c ref) bool {
	for _, x := range s.lits(c)[:2] {
		if s.vals[x] > 0 && s.vars[x>>1].reason == c {
			return true
		}
	}
	return false
}

// newlyFixed is whether there are literals at level 0 that were not there when satisfied
// clauses were last removed.
func (s *Solver) newlyFixed() bool {
	n := len(s.trail)
	if s.level() > 0 {
		n = s.control[0]
	}
	return n > s.reducing.fixed
}

// shouldSimplify is whether it is worth while to look at all clauses.
func (s *Solver) shouldSimplify() bool {
	return s.newlyFixed() && s.stats.Propagations-s.reducing.simplified > int64(len(s.arena))/8
}

func (s *Solver) simplify() {
	s.removeSatisfied()
	s.collect()
}

// removeSatisfied discards the clauses that are true at level 0. Whatever a
// literal of level 0 was assigned for is not asked any more.
func (s *Solver) removeSatisfied() {
	fixed := s.trail
	if s.level() > 0 {
		fixed = s.trail[:s.control[0]]
	}
	for _, l := range fixed {
		s.vars[l>>1].reason = 0
	}
	s.reducing.fixed = len(fixed)
	s.reducing.simplified = s.stats.Propagations
	for c := ref(1); c < ref(len(s.arena)); c += s.words(c) {
		if s.discarded(c) {
			continue
		}
		for _, x := range s.lits(c) {
			if s.vals[x] > 0 && s.vars[x>>1].level == 0 {
				s.discard(c)
				break
			}
		}
	}
}
