package cdcl

// restarts decides when to begin anew with what was learnt. There are two modes
// that take turns (as in CaDiCaL): a focused one, which restarts when the clauses
// learnt of late have more levels than usual (Glucose: Audemard and Simon), good
// at refuting; and a stable one, which restarts rarely, in a sequence in the manner
// of Luby's (Knuth's reluctant doubling), good at finding models.
type restarts struct {
	stable     bool
	fast, slow float64 // averages of the levels in learnt clauses
	count      int64   // of learnt clauses
	since      int64   // conflicts since the last restart

	first int64 // conflicts of the first turn
	unit  int64 // of reluctant doubling, in conflicts
	turn  int64 // conflicts until the mode changes
	turns int64
	u, v  int64 // of reluctant doubling
}

const (
	firstTurn      = 1000
	fastWindow     = 32
	slowWindow     = 8192
	restartMargin  = 1.1
	restartMinimum = 2
	reluctantUnit  = 1024
)

func (r *restarts) start() {
	r.first, r.unit = firstTurn, reluctantUnit
	r.turn = r.first
	r.u, r.v = 1, 1
}

// learnt takes note of a conflict.
func (r *restarts) learnt(glue int) {
	r.count++
	r.since++
	r.turn--
	average := func(x *float64, window int64) {
		*x += (float64(glue) - *x) / float64(min(r.count, window))
	}
	average(&r.fast, fastWindow)
	average(&r.slow, slowWindow)
}

func (s *Solver) shouldRestart() bool {
	r := &s.restarts
	if s.level() <= len(s.assumptions) {
		return false
	}
	if r.turn <= 0 {
		return true
	}
	if r.stable {
		return r.since >= r.v*r.unit
	}
	return r.since >= restartMinimum && r.fast > restartMargin*r.slow
}

func (s *Solver) restart() {
	r := &s.restarts
	s.stats.Restarts++
	r.since = 0
	if r.stable {
		if r.u&-r.u == r.v {
			r.u++
			r.v = 1
		} else {
			r.v *= 2
		}
	}
	s.backtrack(len(s.assumptions))
	if r.turn <= 0 {
		r.turns++
		r.turn = r.first * (r.turns/2 + 1) * (r.turns/2 + 1)
		r.stable = !r.stable
		if r.stable {
			r.u, r.v = 1, 1
			s.rephase()
		}
	}
}
