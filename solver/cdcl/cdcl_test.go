package cdcl

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// naive knows all assignments of a few variables and nothing else.
type naive struct {
	vars    int
	nodes   int
	clauses [][]Lit
	edges   []edge
}

func holds(row int, l Lit) bool { return row>>(l>>1)&1 != 0 == (l&1 == 0) }

func (n *naive) has(row int) bool {
	for _, c := range n.clauses {
		if !slices.ContainsFunc(c, func(l Lit) bool { return holds(row, l) }) {
			return false
		}
	}
	return n.acyclic(row)
}

// acyclic closes the relation transitively, in bits (Warshall).
func (n *naive) acyclic(row int) bool {
	var to [16]uint32
	for _, e := range n.edges {
		if holds(row, e.lit) {
			to[e.from] |= 1 << e.to
		}
	}
	for k := range n.nodes {
		for i := range n.nodes {
			if to[i]>>k&1 != 0 {
				to[i] |= to[k]
			}
		}
	}
	for i := range n.nodes {
		if to[i]>>i&1 != 0 {
			return false
		}
	}
	return true
}

// follows is whether every derived clause after the first so many follows from its
// hints by propagation, or from its cycle, and whether the last answer does from a clause.
func (n *naive) follows(s *Solver, noted int) error {
	clause := func(id ID) (c []Lit) {
		k, derived := id.Derived()
		if !derived {
			return n.clauses[k-1]
		}
		lits, edges, cycle := s.trace.At(k)
		if cycle {
			for i, e := range edges {
				if x := n.edges[e]; x.to != n.edges[edges[(i+1)%len(edges)]].from {
					return nil
				}
				c = append(c, n.edges[e].lit^1)
			}
			return c
		}
		for _, l := range lits {
			c = append(c, Lit(l))
		}
		return c
	}
	for k := noted + 1; k <= s.trace.Len(); k++ {
		id := ID(k)<<1 | 1
		_, hints, cycle := s.trace.At(k)
		if cycle {
			if clause(id) == nil {
				return fmt.Errorf("derived %d: %v is no cycle", k, hints)
			}
			continue
		}
		isFalse := map[Lit]bool{}
		for _, l := range clause(id) {
			isFalse[l] = true
		}
		left := 0
		for i, h := range hints {
			left = 0
			var open Lit
			for _, l := range clause(ID(h)) {
				if isFalse[l^1] {
					return fmt.Errorf("derived %d: hint %d of %d is true", k, i, len(hints))
				}
				if !isFalse[l] && (left == 0 || l != open) {
					left++
					open = l
				}
			}
			if left != 1 && (left != 0 || i+1 < len(hints)) {
				return fmt.Errorf("derived %d: hint %d of %d has %d literals left", k, i, len(hints), left)
			}
			isFalse[open^1] = left == 1 || isFalse[open^1]
		}
		if left != 0 {
			return fmt.Errorf("derived %d, which its hints leave open", k)
		}
	}
	if s.refuted != 0 {
		for _, l := range clause(s.refuted) {
			if !slices.Contains(s.core, l^1) {
				return fmt.Errorf("clause %v for the core %v", clause(s.refuted), s.core)
			}
		}
	}
	return nil
}

// models lists the rows under assumptions.
func models(all []int, assumptions []Lit) []int {
	var under []int
	for _, row := range all {
		if !slices.ContainsFunc(assumptions, func(l Lit) bool { return !holds(row, l) }) {
			under = append(under, row)
		}
	}
	return under
}

// fickle is a context that ends after some looks at it.
type fickle struct {
	context.Context
	looks int
}

func (f *fickle) Err() error {
	if f.looks--; f.looks < 0 {
		return context.Canceled
	}
	return nil
}

// calls makes random calls, in the manner of CaDiCaL's mobical, and compares every
// answer with the naive solver's, every invariant on the way, and every clause
// that was learnt with all models. It returns what was done, and how often what.
func calls(r *rand.Rand) (solves int, stats Stats, err error) {
	s, n := New(), new(naive)
	s.check = true
	noted := 0 // what of the trace was looked at
	all := []*Solver{s}
	switch r.IntN(4) {
	case 0, 1:
		s.Trace(0)
	case 2: // another that works at the same
		all = append(all, New())
		all[1].check = true
		for _, s := range all {
			s.Share(r.IntN(6))
		}
	}
	if r.IntN(3) > 0 {
		s.reducing.every, s.reducing.keep = int64(1+r.IntN(5)), r.IntN(3)
		s.reducing.next = s.reducing.every
	}
	if r.IntN(3) > 0 {
		s.restarts.first, s.restarts.unit = int64(1+r.IntN(10)), int64(1+r.IntN(5))
		s.restarts.turn = s.restarts.first
	}
	if r.IntN(2) == 0 {
		s.vivifying = vivifying{every: int64(r.IntN(2)), share: int64(1 + r.IntN(3)), glue: 2 + r.IntN(8)}
	}
	var log []string
	say := func(format string, args ...any) { log = append(log, fmt.Sprintf(format, args...)) }
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
		if err != nil {
			err = fmt.Errorf("%w\n%v", err, log)
		}
	}()
	newVar := func() {
		if n.vars < 10 {
			n.vars++
			for _, s := range all {
				s.NewVar()
			}
		}
	}
	lit := func() Lit { return Lit(r.IntN(2 * n.vars)) }
	lits := func(k int) []Lit {
		ls := make([]Lit, k)
		for i := range ls {
			ls[i] = lit()
		}
		return ls
	}
	newVar()
	width := 3 + r.IntN(2)
	withOrder := r.IntN(3) > 0
	for range 10 + r.IntN(150) {
		switch k := r.IntN(20); {
		case k < 2 || n.vars < 4:
			newVar()
		case k < 5 && withOrder && n.nodes < 8:
			n.nodes++
			for _, s := range all {
				s.NewNode()
			}
		case k < 9 && withOrder && n.nodes > 1:
			e := edge{from: int32(r.IntN(n.nodes)), to: int32(r.IntN(n.nodes)), lit: lit()}
			if e.from == e.to && r.IntN(4) > 0 {
				continue
			}
			if r.IntN(4) == 0 {
				l := lit()
				say("prefer %d", l.Dimacs())
				s.Prefer(l)
			}
			say("edge %d %d %d", e.from, e.to, e.lit.Dimacs())
			n.edges = append(n.edges, e)
			for _, s := range all {
				s.AddEdge(int(e.from), int(e.to), e.lit)
			}
		case k < 18 || r.IntN(2) == 0:
			size := width
			if r.IntN(30) == 0 {
				size = r.IntN(7)
			}
			if size < 2 && r.IntN(3) > 0 {
				size = 3
			}
			c := lits(size)
			say("clause %d", c)
			n.clauses = append(n.clauses, slices.Clone(c))
			for _, s := range all {
				s.AddClause(c)
			}
		default:
			assumptions := lits(r.IntN(5) * r.IntN(2))
			ctx := context.Context(context.Background())
			if r.IntN(5) == 0 {
				ctx = &fickle{ctx, r.IntN(6)}
				s.countdown = 0
			}
			if s.ok && r.IntN(2) == 0 { // as a restart may; there is time
				say("vivify")
				s.ctx, s.stopped, s.vivifying.searched = context.Background(), false, -1000
				s.vivify()
			}
			if len(all) > 1 {
				say("together")
				if r.IntN(3) == 0 {
					all[1].Vary(1 + r.IntN(3))
				}
				if err := together(r, all, assumptions); err != nil {
					return solves, stats, err
				}
			}
			say("solve %d", assumptions)
			solves++
			status := s.solveFickle(ctx, assumptions)
			var all []int
			for row := range 1 << n.vars {
				if n.has(row) {
					all = append(all, row)
				}
			}
			for _, c := range s.learnts {
				for _, row := range all {
					if !slices.ContainsFunc(s.lits(c), func(x uint32) bool { return holds(row, Lit(x)) }) {
						return solves, stats, fmt.Errorf("learnt %v, which does not follow", s.lits(c))
					}
				}
			}
			for _, l := range s.trail {
				for _, row := range all {
					if !holds(row, l) {
						return solves, stats, fmt.Errorf("learnt %d, which does not follow", l)
					}
				}
			}
			if s.trace != nil {
				if err := n.follows(s, noted); err != nil {
					return solves, stats, err
				}
				noted = s.trace.Len()
				if core := s.core; status == Unsat && s.refuted == 0 &&
					!slices.ContainsFunc(core, func(l Lit) bool { return slices.Contains(core, l^1) }) {
					return solves, stats, fmt.Errorf("nothing derived for the core %v", core)
				}
			}
			left := models(all, assumptions)
			switch status {
			case Unknown:
				if ctx.Err() == nil {
					return solves, stats, fmt.Errorf("unknown")
				}
			case Sat:
				row := 0
				for v := range n.vars {
					if s.Value(Lit(v) << 1) {
						row |= 1 << v
					}
				}
				if !slices.Contains(left, row) {
					return solves, stats, fmt.Errorf("no model: %b of %d", row, len(left))
				}
			case Unsat:
				core := slices.Clone(s.Core())
				if len(left) > 0 {
					return solves, stats, fmt.Errorf("unsat, with %d models", len(left))
				}
				if slices.ContainsFunc(core, func(l Lit) bool { return !slices.Contains(assumptions, l) }) {
					return solves, stats, fmt.Errorf("core %d", core)
				}
				if len(models(all, core)) > 0 {
					return solves, stats, fmt.Errorf("core %d has models", core)
				}
			}
		}
	}
	return solves, s.stats, nil
}

// together has solvers of the same clauses work at a question in turns, and take from each other what
// they learn, until they have answered it, alike.
func together(r *rand.Rand, all []*Solver, assumptions []Lit) error {
	var answers [2]Status
	for answers[0] == Unknown || answers[1] == Unknown {
		for i, s := range all {
			if answers[i] != Unknown {
				continue
			}
			s.Pause(int64(r.IntN(5)), int64(1+r.IntN(3)))
			if answers[i] = s.Solve(context.Background(), assumptions); (answers[i] == Unknown) != s.Paused() {
				return fmt.Errorf("%v, paused %v", answers[i], s.Paused())
			}
			s.Pause(0, 0)
			for _, l := range s.Shared() {
				all[1-i].Take(l)
			}
		}
	}
	if answers[0] != answers[1] {
		return fmt.Errorf("one says %v, the other %v", answers[0], answers[1])
	}
	return nil
}

// solveFickle is Solve that looks at a fickle context at every step.
func (s *Solver) solveFickle(ctx context.Context, assumptions []Lit) Status {
	if _, ok := ctx.(*fickle); ok {
		s.always = true
		defer func() { s.always = false }()
	}
	return s.Solve(ctx, assumptions)
}

func TestCalls(t *testing.T) {
	n := 4_000
	if testing.Short() {
		n = 2_000
	}
	var solves int
	var cycles, reductions, shortened int64
	start := time.Now()
	for seed := range n {
		k, st, err := calls(rand.New(rand.NewPCG(3, uint64(seed))))
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		solves, cycles, reductions, shortened = solves+k, cycles+st.Cycles, reductions+st.Reductions, shortened+st.Shortened
	}
	t.Logf("%d solves, %d cycles, %d reductions, %d shortened in %v", solves, cycles, reductions, shortened, time.Since(start))
	if least := int64(n / 20); solves < n || cycles < least || reductions < least || shortened < least/2 {
		t.Errorf("hardly anything is tested: %d solves, %d cycles, %d reductions, %d shortened", solves, cycles, reductions, shortened)
	}
}

func FuzzCalls(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		if _, _, err := calls(rand.New(rand.NewPCG(a, b))); err != nil {
			t.Fatal(err)
		}
	})
}

// TestPrefer: where nothing speaks against what is preferred, models have it, whatever was decided before.
func TestPrefer(t *testing.T) {
	s := New()
	a, b := s.NewVar(), s.NewVar()
	s.AddClause([]Lit{a.Not(), b.Not()})
	for i, l := range []Lit{a, a.Not(), a, b.Not(), b} {
		s.Prefer(l)
		if st := s.Solve(context.Background(), nil); st != Sat || i < 4 && !s.Value(l) {
			t.Errorf("%d: %v, %d is %v", i, st, l.Dimacs(), s.Value(l))
		}
	}
	if s.Value(a) && s.Value(b) {
		t.Error("no model")
	}
}

// TestFollow: what follows from nothing is false, and not decided; what follows of a is true, and its
// edges are there.
func TestFollow(t *testing.T) {
	s := New()
	s.check = true
	a, f, g, h := s.NewVar(), s.NewVar(), s.NewVar(), s.NewVar()
	for _, l := range []Lit{f, g, h} {
		s.Follow(l)
	}
	s.AddClause([]Lit{a.Not(), f})
	s.AddClause([]Lit{f.Not(), g.Not(), h})
	s.AddEdge(s.NewNode(), s.NewNode(), f)
	s.AddEdge(1, 0, h)
	for _, tt := range []struct {
		assumptions []Lit
		want        Status
		implied     []bool // f, g, h
	}{
		{nil, Sat, []bool{false, false, false}},
		{[]Lit{a}, Sat, []bool{true, false, false}},
		{[]Lit{g}, Sat, []bool{false, true, false}},
		{[]Lit{a, g}, Unsat, nil},
		{[]Lit{a.Not(), h}, Sat, []bool{false, false, true}},
	} {
		if st := s.Solve(context.Background(), tt.assumptions); st != tt.want {
			t.Errorf("%v: %v", tt.assumptions, st)
		} else if st == Sat {
			for i, l := range []Lit{f, g, h} {
				if s.Value(l) != tt.implied[i] || s.Value(l.Not()) == tt.implied[i] {
					t.Errorf("%v: %d is %v, its negation %v", tt.assumptions, l.Dimacs(), s.Value(l), s.Value(l.Not()))
				}
			}
		}
	}
}

// TestLarge is formulas that are large enough for restarts, reductions and searches in
// the order, with all invariants.
func TestLarge(t *testing.T) {
	n := 15
	if testing.Short() {
		n = 8
	}
	answers := map[Status]int{}
	var total Stats
	for seed := range uint64(n) {
		r := rand.New(rand.NewPCG(5, seed))
		s := New()
		s.check = true
		s.reducing.every, s.reducing.next = 20, 20
		s.vivifying.reductions = 0
		s.restarts.first, s.restarts.unit, s.restarts.turn = 50, 10, 50
		const nodes, vars = 14, 120
		for range nodes {
			s.NewNode()
		}
		for v := range vars {
			l := s.NewVar()
			if v < 30 {
				s.AddEdge(r.IntN(nodes), r.IntN(nodes), l)
			}
		}
		var c [3]Lit
		for range 470 {
			for i := range c {
				c[i] = Lit(r.IntN(2 * vars))
				if c[i] < 60 && r.IntN(4) > 0 {
					c[i] &^= 1 // edges are wanted
				}
			}
			s.AddClause(c[:])
		}
		for range 3 {
			answers[s.Solve(context.Background(), []Lit{Lit(r.IntN(2 * vars))})]++
		}
		total.Conflicts += s.stats.Conflicts
		total.Cycles += s.stats.Cycles
		total.Reductions += s.stats.Reductions
		total.Restarts += s.stats.Restarts
		total.Shortened += s.stats.Shortened
	}
	t.Logf("%v, %+v", answers, total)
	if answers[Unknown] > 0 || answers[Sat] == 0 || answers[Unsat] == 0 || total.Shortened == 0 {
		t.Errorf("answers %v, %+v", answers, total)
	}
}
