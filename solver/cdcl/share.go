package cdcl

// sharing is for several solvers of the same clauses, nodes and edges, numbered alike, that work at
// one question side by side (Hamadi, Jabbour and Sais, "ManySAT: a Parallel SAT Solver"). Each
// goes its own way; now and then all of them pause, and take from each other what they have learnt
// that is short or spans few levels. What one has learnt follows from the clauses and the acyclicity of
// the edges, so it holds for all of them. They pause after so much work, not so much time: as long as the
// exchange is in a fixed order, the same calls give the same answers.
type sharing struct {
	on     bool
	glue   int
	lemmas []Lemma

	work, least  int64 // propagations and conflicts until the pause; 0, 0: there is none
	propagations int64 // when Solve began
	conflicts    int64
	paused       bool
}

// A Lemma is a clause that was learnt.
type Lemma struct {
	Lits []Lit
	Glue int // the levels that it spanned
}

// Share makes s keep for others what it learns from now on that spans up to glue levels, or
// has two literals at most.
func (s *Solver) Share(glue int) { s.sharing.on, s.sharing.glue = true, glue }

// ShareNothing ends that.
func (s *Solver) ShareNothing() { s.sharing.on, s.sharing.lemmas = false, nil }

// Shared returns what was kept for others since the last call.
func (s *Solver) Shared() []Lemma {
	l := s.sharing.lemmas
	s.sharing.lemmas = nil
	return l
}

// Take adds what another solver has learnt. s must not keep a trace: it has no derivation of it.
func (s *Solver) Take(l Lemma) {
	if s.trace != nil {
		panic("cdcl: a lemma without a derivation")
	}
	s.addClause(l.Lits, l.Glue)
}

// Pause makes every Solve from now on return Unknown after so many propagations and at least so many
// conflicts; 0, 0: it does not. Another call goes on from there, with what was learnt. In a formula so large that
// the propagations are done before anything is learnt, a search that always begins anew would not end without
// conflicts.
func (s *Solver) Pause(propagations, conflicts int64) {
	s.sharing.work, s.sharing.least = propagations, conflicts
}

// Paused tells whether the last Solve returned for that.
func (s *Solver) Paused() bool { return s.sharing.paused }

// Vary makes s go another way than other solvers: n, not 0, is the number of the way. Variables that nothing
// is known of are decided in another order, and the modes take turns at other times.
func (s *Solver) Vary(n int) {
	x := uint64(n) * 0x9e3779b97f4a7c15
	for v := range s.vars {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		s.heap.activity[v] += s.heap.bump * float64(x>>40) / (1 << 24)
		if s.heap.place[v] >= 0 {
			s.heap.up(int(s.heap.place[v]))
		}
	}
	s.restarts.stable = n%2 == 1
	s.restarts.first = firstTurn * int64(n+1)
	s.restarts.turn = s.restarts.first
}

func (h *sharing) begin(st *Stats) {
	h.paused, h.propagations, h.conflicts = false, st.Propagations, st.Conflicts
}

// pause is whether enough was done.
func (h *sharing) pause(st *Stats) bool {
	h.paused = h.work+h.least > 0 && st.Propagations-h.propagations >= h.work && st.Conflicts-h.conflicts >= h.least
	return h.paused
}

func (h *sharing) learnt(lits []Lit, glue int) {
	if h.on && (glue <= h.glue || len(lits) <= 2) {
		h.lemmas = append(h.lemmas, Lemma{append([]Lit(nil), lits...), glue})
	}
}
