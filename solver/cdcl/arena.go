package cdcl

// ref is the place of a clause in the arena: that of its first word. Word 0 is
// the number of literals, word 1 says what it is, and the literals follow. 0 is
// no clause. Where there is a trace, its name there stands behind the literals.
type ref uint32

const (
	headWords = 2

	// In word 1.
	learntBit   = 1 << 31
	garbageBit  = 1 << 30
	usedShift   = 28 // two bits: how recently it was used; see reduce.go
	usedMask    = 3 << usedShift
	vivifiedBit = 1 << 27 // see vivify.go
	glueMask    = vivifiedBit - 1

	// binaryBit is in the reference of a watch of a clause of two literals.
	binaryBit = 1 << 31

	// maxArena is in words: while clauses move, their place stands in word 1, next
	// to which garbage has its bit.
	maxArena = garbageBit - 1
)

// newClause puts a clause of two or more literals into the arena. glue is 0 for
// one that was added, and the number of levels in it for one that was learnt. It
// returns 0 where there is no room: then the solver is of no further use.
func (s *Solver) newClause(lits []Lit, glue int, id ID) ref {
	if len(s.arena)+headWords+len(lits)+s.tail > maxArena {
		s.full = true
		return 0
	}
	c := ref(len(s.arena))
	info := uint32(0)
	if glue > 0 {
		info = learntBit | uint32(min(glue, glueMask)) | 1<<usedShift
	}
	s.arena = append(s.arena, uint32(len(lits)), info)
	for _, l := range lits {
		s.arena = append(s.arena, uint32(l))
	}
	if s.tail > 0 {
		s.arena = append(s.arena, uint32(id))
	}
	if glue > 0 {
		s.learnts = append(s.learnts, c)
	}
	return c
}

// words is how many words c takes.
func (s *Solver) words(c ref) ref { return headWords + ref(s.arena[c]) + ref(s.tail) }

// lits is the literals of c, in the arena.
func (s *Solver) lits(c ref) []uint32 {
	n := s.arena[c]
	return s.arena[c+headWords : uint32(c)+headWords+n : uint32(c)+headWords+n]
}

func (s *Solver) learnt(c ref) bool    { return s.arena[c+1]&learntBit != 0 }
func (s *Solver) discarded(c ref) bool { return s.arena[c+1]&garbageBit != 0 }
func (s *Solver) glue(c ref) int       { return int(s.arena[c+1] & glueMask) }

// discard makes c garbage. It stays where it is until collect.
func (s *Solver) discard(c ref) {
	s.arena[c+1] |= garbageBit
	if s.garbage == 0 || c < s.garbage {
		s.garbage = c
	}
}

// collect closes the gaps that garbage leaves in the arena, in three passes:
// where every clause will be, who refers to it, and the move.
func (s *Solver) collect() {
	if s.garbage == 0 {
		return
	}
	var infos []uint32 // of the clauses that move, while word 1 says where to
	to := s.garbage
	end := ref(len(s.arena))
	for c := s.garbage; c < end; {
		words := s.words(c)
		if !s.discarded(c) {
			infos = append(infos, s.arena[c+1])
			s.arena[c+1] = uint32(to)
			to += words
		}
		c += words
	}
	moved := func(c ref) (ref, bool) {
		if c < s.garbage {
			return c, true
		}
		if s.discarded(c) {
			return 0, false
		}
		return ref(s.arena[c+1]), true
	}
	for l, ws := range s.watches {
		n := 0
		for _, w := range ws {
			if c, ok := moved(w.clause &^ binaryBit); ok {
				ws[n] = watch{w.blocker, c | w.clause&binaryBit}
				n++
			}
		}
		s.watches[l] = ws[:n]
	}
	for _, l := range s.trail {
		if v := &s.vars[l>>1]; v.reason != 0 {
			v.reason, _ = moved(v.reason)
		}
	}
	n := 0
	for _, c := range s.learnts {
		if c, ok := moved(c); ok {
			s.learnts[n] = c
			n++
		}
	}
	s.learnts = s.learnts[:n]

	to = s.garbage
	for c := s.garbage; c < end; {
		words := s.words(c)
		if !s.discarded(c) {
			s.arena[c+1] = infos[0]
			infos = infos[1:]
			copy(s.arena[to:to+words], s.arena[c:c+words])
			to += words
		}
		c += words
	}
	s.arena = s.arena[:to]
	s.garbage = 0
}
