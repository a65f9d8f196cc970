package cdcl

import "fmt"

// verify panics where an invariant does not hold, if a test has switched that on.
// It is called after every propagation and at the end of every call.
func (s *Solver) verify() {
	if s.check {
		if err := s.invariants(); err != nil {
			panic("cdcl: " + err.Error())
		}
	}
}

// invariants checks all that the files of this package rely on.
func (s *Solver) invariants() error {
	for _, check := range []func() error{
		s.checkTrail, s.checkArena, s.checkWatches, s.checkReasons, s.checkHeap, s.checkOrder, s.checkAnalysis,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Solver) checkTrail() error {
	assigned := 0
	for v := range s.vars {
		l := Lit(v) << 1
		if s.vals[l] != -s.vals[l^1] {
			return fmt.Errorf("%d and its negation: %d, %d", l.Dimacs(), s.vals[l], s.vals[l^1])
		}
		if s.vals[l] != 0 {
			assigned++
		}
	}
	if assigned != len(s.trail) {
		return fmt.Errorf("%d variables assigned, trail of %d", assigned, len(s.trail))
	}
	level := 0
	for i, l := range s.trail {
		for level < len(s.control) && s.control[level] <= i {
			level++
		}
		if s.vals[l] != 1 || int(s.vars[l>>1].level) != level {
			return fmt.Errorf("%d is at place %d of the trail: value %d, level %d, want %d",
				l.Dimacs(), i, s.vals[l], s.vars[l>>1].level, level)
		}
	}
	return nil
}

func (s *Solver) checkArena() error {
	learnts := map[ref]bool{}
	c := ref(1)
	for ; c < ref(len(s.arena)); c += s.words(c) {
		if s.arena[c] < 2 {
			return fmt.Errorf("a clause of %d literals", s.arena[c])
		}
		seen := map[uint32]bool{}
		for _, x := range s.lits(c) {
			if int(x) >= len(s.vals) || seen[x] || seen[x^1] {
				return fmt.Errorf("clause %v", s.lits(c))
			}
			seen[x] = true
		}
		if s.learnt(c) {
			learnts[c] = true
		}
	}
	if int(c) != len(s.arena) {
		return fmt.Errorf("the arena has %d words, its clauses %d", len(s.arena), c)
	}
	if len(learnts) != len(s.learnts) {
		return fmt.Errorf("%d learnt clauses in the arena, %d in the list", len(learnts), len(s.learnts))
	}
	for _, c := range s.learnts {
		if !learnts[c] {
			return fmt.Errorf("no learnt clause at %d", c)
		}
	}
	return nil
}

func (s *Solver) checkWatches() error {
	watched := map[ref]int{}
	for l, ws := range s.watches {
		for _, w := range ws {
			c := w.clause &^ binaryBit
			lits := s.lits(c)
			if (len(lits) == 2) != (w.clause != c) {
				return fmt.Errorf("a watch of %v says that it has two literals, or not", lits)
			}
			if lits[0] != uint32(l^1) && lits[1] != uint32(l^1) {
				return fmt.Errorf("%v is watched by %d", lits, l^1)
			}
			if uint32(w.blocker) == uint32(l^1) {
				return fmt.Errorf("%v is blocked by what watches it", lits)
			}
			in := false
			for _, x := range lits {
				in = in || x == uint32(w.blocker)
			}
			if !in {
				return fmt.Errorf("%v is blocked by %d", lits, w.blocker)
			}
			watched[c]++
		}
	}
	for c := ref(1); c < ref(len(s.arena)); c += s.words(c) {
		want := 2
		if watched[c] != want && !s.discarded(c) {
			return fmt.Errorf("%v is watched %d times", s.lits(c), watched[c])
		}
		if s.qhead < len(s.trail) || s.stopped || !s.ok {
			continue // not propagated to the end
		}
		// Where all is propagated, no clause is false but the one in conflict, and none has one literal
		// left: of the first two, a false one is excused by a true one that was there no later.
		lits := s.lits(c)
		if s.analysis.conflicting || s.discarded(c) {
			continue
		}
		open, sat := 0, false
		for _, x := range lits {
			sat = sat || s.vals[x] > 0
			if s.vals[x] == 0 {
				open++
			}
		}
		if !sat && open == 1 {
			return fmt.Errorf("%v has one literal left, and it is not assigned", lits)
		}
		for i, x := range lits[:2] {
			if s.vals[x] >= 0 || !sat {
				continue
			}
			excused := false
			for k, y := range lits {
				excused = excused || k != i && s.vals[y] > 0 && s.vars[y>>1].level <= s.vars[x>>1].level
			}
			if !excused {
				return fmt.Errorf("%v is watched by the false literal %d", lits, x)
			}
		}
	}
	return nil
}

func (s *Solver) checkReasons() error {
	place := map[Lit]int{}
	for i, l := range s.trail {
		place[l] = i
	}
	decided := map[int32]int{}
	for i, l := range s.trail {
		v := s.vars[l>>1]
		if v.reason == 0 {
			if decided[v.level]++; v.level > 0 && decided[v.level] > 1 {
				return fmt.Errorf("two decisions at level %d", v.level)
			}
			continue
		}
		if v.level == 0 {
			continue // nobody asks
		}
		if s.discarded(v.reason) {
			return fmt.Errorf("the reason of %d is garbage", l.Dimacs())
		}
		in := false
		for _, x := range s.lits(v.reason) {
			if Lit(x) == l {
				in = true
			} else if at, ok := place[Lit(x)^1]; !ok || at >= i {
				return fmt.Errorf("the reason %v of %d", s.lits(v.reason), l)
			}
		}
		if !in {
			return fmt.Errorf("the reason %v of %d", s.lits(v.reason), l)
		}
	}
	return nil
}

func (s *Solver) checkHeap() error {
	h := &s.heap
	for i, v := range h.vars {
		if h.place[v] != int32(i) {
			return fmt.Errorf("variable %d of the heap is not where it says", v)
		}
		if i > 0 && h.activity[h.vars[(i-1)/2]] < h.activity[v] {
			return fmt.Errorf("variable %d of the heap is more active than its parent", v)
		}
	}
	for v := range s.vars {
		if h.place[v] < 0 && s.vals[v<<1] == 0 && !h.passive[v] {
			return fmt.Errorf("variable %d is neither assigned nor in the heap", v)
		}
	}
	return nil
}

func (s *Solver) checkOrder() error {
	o := &s.orders
	seen := make([]bool, len(o.rank))
	for _, r := range o.rank {
		if r < 0 || int(r) >= len(seen) || seen[r] {
			return fmt.Errorf("ranks %v", o.rank)
		}
		seen[r] = true
	}
	there := map[int32]bool{}
	for _, e := range o.there {
		there[e] = true
		if x := o.edges[e]; o.rank[x.from] >= o.rank[x.to] || s.vals[x.lit] <= 0 {
			return fmt.Errorf("edge %+v is there: ranks %d, %d, value %d", x, o.rank[x.from], o.rank[x.to], s.vals[x.lit])
		}
	}
	if len(there) != len(o.there) {
		return fmt.Errorf("an edge is there twice")
	}
	out, in := 0, 0
	for n := range o.rank {
		out += len(o.out[n])
		in += len(o.in[n])
	}
	if out != len(there) || in != len(there) {
		return fmt.Errorf("%d edges lead out, %d in, %d are there", out, in, len(there))
	}
	if !s.ok {
		return nil
	}
	for i, l := range s.trail[:o.head] {
		for e := o.first[l]; e >= 0; e = o.edges[e].next {
			if !there[e] {
				return fmt.Errorf("%d, at place %d, has an edge that is not there", l.Dimacs(), i)
			}
		}
	}
	return nil
}

func (s *Solver) checkAnalysis() error {
	for v, b := range s.analysis.seen {
		if b != 0 {
			return fmt.Errorf("variable %d is still marked", v)
		}
	}
	return nil
}
