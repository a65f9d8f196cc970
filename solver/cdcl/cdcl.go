// Package cdcl is a SAT solver that knows orders: conflict-driven clause
// learning in the manner of MiniSat (Eén and Sörensson, "An Extensible
// SAT-solver") and CaDiCaL (Biere), with a theory of acyclic graphs in it.
//
// In go variables, clauses, and edges between nodes, each of which is there
// where its literal is true. The edges that are there must not form a cycle. For
// each question there are assumptions and a context; out come a status, and a
// model or a core. Clauses, variables, nodes and edges may be added between
// questions, and what was learnt is kept.
//
// Each file has one technique: the arena of clauses, propagation by two watched
// literals, the heap of variables, the analysis of conflicts, restarts, the
// reduction of what was learnt, vivification, what several solvers share, the theory of order, and a checker of all
// invariants that tests switch on. Nothing is recursive, and nothing depends on
// time or chance: the same calls give the same answers.
package cdcl

import (
	"context"
	"runtime"
)

// A Lit is a literal: twice the number of its variable, from 0, and one more
// where it is negated.
type Lit uint32

// FromDimacs returns the literal that DIMACS writes as n, which is not 0.
func FromDimacs(n int) Lit {
	if n < 0 {
		return Lit(-n-1)<<1 | 1
	}
	return Lit(n-1) << 1
}

// Dimacs is how DIMACS writes l.
func (l Lit) Dimacs() int {
	if l&1 != 0 {
		return -int(l>>1) - 1
	}
	return int(l>>1) + 1
}

// Not returns the negation of l.
func (l Lit) Not() Lit { return l ^ 1 }

func (l Lit) index() int { return int(l >> 1) }

// A Status is what a call of [Solver.Solve] found out.
type Status int

const (
	Unknown Status = iota // the context ended
	Sat
	Unsat
)

// variable is what is known of an assigned variable.
type variable struct {
	reason ref // the clause that implied it; 0: a decision, or level 0
	level  int32
}

// A Solver is not safe for concurrent use.
type Solver struct {
	ok   bool // not unsatisfiable for ever
	full bool // there were more clauses than there is room for

	// Limit bounds what the solver holds, in bytes; 0: nothing does. It is looked at when
	// clauses that were learnt are forgotten.
	Limit int64

	arena   []uint32 // see arena.go
	learnts []ref
	garbage ref // the first clause that is garbage; 0: none

	watches [][]watch  // by literal: see propagate.go
	vals    []int8     // by literal: 1 true, -1 false, 0 not assigned
	vars    []variable // by variable
	trail   []Lit      // assigned literals in their order
	control []int      // by decision level, from 1: length of the trail before it
	qhead   int        // what is propagated of the trail

	heap   heap
	phase  []bool // by variable: the last value was true
	target []bool // likewise, of the longest trail without a conflict
	prefer []bool // by literal: it is decided true, if at all
	best   int    // length of that trail

	orders order

	assumptions []Lit
	core        []Lit
	model       []int8 // vals of the last model

	analysis  analysis
	restarts  restarts
	reducing  reducing
	vivifying vivifying
	probing   bool // what is decided is no part of the search
	sharing   sharing

	ctx       context.Context
	stopped   bool
	countdown int  // steps to the next look at the context
	always    bool // a test wants a look at every step

	trace   *Trace // what is derived; nil: nobody wants to know
	tail    int    // words behind the literals of a clause: 1 where there is a trace
	refuted ID

	stats Stats
	check bool // see check.go
}

// Stats counts what was done.
type Stats struct {
	Conflicts    int64
	Cycles       int64 // of the conflicts: cycles of edges
	Propagations int64
	Restarts     int64
	Reductions   int64
	Shortened    int64 // clauses, by vivification
}

// New returns a solver without variables.
func New() *Solver {
	s := &Solver{ok: true, arena: make([]uint32, 1)}
	s.restarts.start()
	s.reducing.start()
	s.vivifying.start()
	return s
}

// NewVar makes a variable and returns its positive literal.
func (s *Solver) NewVar() Lit {
	v := len(s.vars)
	s.vars = append(s.vars, variable{})
	s.vals = append(s.vals, 0, 0)
	s.watches = append(s.watches, nil, nil)
	s.phase = append(s.phase, false)
	s.target = append(s.target, false)
	s.prefer = append(s.prefer, false, false)
	s.orders.first = append(s.orders.first, -1, -1)
	if s.trace != nil {
		s.trace.units = append(s.trace.units, 0)
	}
	s.analysis.grow()
	s.heap.add(v)
	return Lit(v) << 1
}

// Prefer makes l true wherever its variable is decided. It is for choices of which one has to
// be made: to decide what is not chosen, one after the other, is to learn clauses with all of it.
func (s *Solver) Prefer(l Lit) { s.prefer[l], s.prefer[l^1] = true, false }

// Follow makes the variable of l, which is positive, one that is never decided: it is true where
// it is implied, and false in a model otherwise. That is right where no clause has two such
// literals that are not negated, at the end, and what is implied of a definition needs no more:
// then all that is left is satisfied where what is not implied is false. Edges are not there,
// then.
func (s *Solver) Follow(l Lit) { s.heap.passive[l>>1] = true }

// Vars is the number of variables.
func (s *Solver) Vars() int { return len(s.vars) }

// Stats returns the counts so far.
func (s *Solver) Stats() Stats { return s.stats }

// Bytes is what the solver holds, but for small change.
func (s *Solver) Bytes() int64 {
	n := int64(cap(s.arena))*4 + int64(cap(s.vars))*64 + s.orders.bytes()
	if s.trace != nil {
		n += s.trace.Bytes()
	}
	for _, w := range s.watches {
		n += int64(cap(w)) * 8
	}
	return n
}

// AddClause adds the disjunction of lits, which are all of variables that exist.
func (s *Solver) AddClause(lits []Lit) { s.addClause(lits, 0) }

// addClause adds a clause, with its glue where it is one that follows from the others.
func (s *Solver) addClause(lits []Lit, glue int) {
	if s.trace != nil {
		s.trace.added++
	}
	if !s.ok {
		return
	}
	// False at level 0, repeated: left out. True, or a pair of opposites: no clause.
	c := s.analysis.learnt[:0]
	drop := false
	seen := s.analysis.seen
	for _, l := range lits {
		bit := byte(1) << (l & 1)
		switch have := seen[l.index()]; {
		case s.vals[l] > 0 || have&(bit^3) != 0:
			drop = true
		case s.vals[l] < 0 || have&bit != 0:
		default:
			seen[l.index()] |= bit
			c = append(c, l)
		}
	}
	for _, l := range c {
		seen[l.index()] = 0
	}
	s.analysis.learnt = c[:0]
	if drop {
		return
	}
	var id ID
	if s.trace != nil {
		id = s.noteAdded(lits, c)
	}
	switch len(c) {
	case 0:
		s.ok, s.refuted = false, id
	case 1:
		s.assignUnit(c[0], id)
	default:
		if r := s.newClause(c, glue, id); r != 0 {
			s.watchClause(r)
		}
	}
}

// Full tells that there were more clauses than there is room for: 4 GB, or the Limit. From
// then on every answer is Unknown.
func (s *Solver) Full() bool { return s.full }

// Solve decides the clauses and the order under assumptions. It returns Unknown
// only if ctx ends, the solver is full, or it comes to a pause (see [Solver.Pause]).
func (s *Solver) Solve(ctx context.Context, assumptions []Lit) Status {
	s.core = s.core[:0]
	if s.ok {
		s.refuted = 0
	}
	s.assumptions = append(s.assumptions[:0], assumptions...)
	s.ctx, s.stopped, s.countdown = ctx, false, patience
	s.sharing.begin(&s.stats)
	status := s.search()
	if status == Sat {
		s.model = append(s.model[:0], s.vals...)
	}
	s.backtrack(0)
	s.verify()
	s.ctx = nil
	return status
}

// Value tells whether l is true in the model that the last Solve found.
func (s *Solver) Value(l Lit) bool {
	return int(l) < len(s.model) && (s.model[l] > 0 || s.model[l] == 0 && l&1 != 0)
}

// Core is assumptions of the last Solve that cannot hold together; empty: nothing can.
func (s *Solver) Core() []Lit { return s.core }

// search is the loop of conflict-driven clause learning.
func (s *Solver) search() Status {
	for s.ok {
		conflict := s.propagateAll()
		s.analysis.conflicting = conflict != nil
		s.verify()
		s.analysis.conflicting = false
		if conflict != nil && s.level() == 0 { // before anything else: it would not be found again
			s.stats.Conflicts++
			s.ok = false
			if s.trace != nil {
				s.noteContradiction(conflict, s.trace.conflict)
			}
			break
		}
		if s.full || s.stopped || s.sharing.pause(&s.stats) || s.interrupted() {
			return Unknown
		}
		if conflict != nil {
			s.stats.Conflicts++
			s.learn(conflict)
			continue
		}
		switch {
		case s.shouldRestart():
			s.restart()
			if s.shouldVivify() {
				s.vivify()
			}
			continue
		case s.shouldReduce():
			s.reduce()
		case s.level() == 0 && s.shouldSimplify():
			s.simplify()
		}
		switch l, status := s.decide(); status {
		case Unknown:
			s.newLevel()
			s.assign(l, 0)
		default:
			return status
		}
	}
	return Unsat
}

// decide picks the next literal to assume. The status is Sat where all are
// assigned, and Unsat where an assumption is false.
func (s *Solver) decide() (Lit, Status) {
	for s.level() < len(s.assumptions) {
		switch a := s.assumptions[s.level()]; {
		case s.vals[a] > 0:
			s.newLevel() // with nothing to decide
		case s.vals[a] < 0:
			s.findCore(a)
			return 0, Unsat
		default:
			return a, Unknown
		}
	}
	for {
		v, ok := s.heap.pop()
		if !ok {
			return 0, Sat
		}
		if l := Lit(v) << 1; s.vals[l] == 0 && !s.heap.passive[v] {
			return s.polarity(l), Unknown
		}
	}
}

func (s *Solver) level() int { return len(s.control) }

func (s *Solver) newLevel() {
	s.control = append(s.control, len(s.trail))
	s.orders.newLevel()
}

func (s *Solver) assign(l Lit, reason ref) {
	s.vals[l] = 1
	s.vals[l^1] = -1
	s.vars[l>>1] = variable{reason, int32(len(s.control))}
	s.trail = append(s.trail, l)
}

// assignUnit is assign at level 0, by the clause id of this literal alone.
func (s *Solver) assignUnit(l Lit, id ID) {
	if s.trace != nil {
		s.trace.units[l>>1] = id
	}
	s.assign(l, 0)
}

// backtrack takes back what was assigned above level.
func (s *Solver) backtrack(level int) {
	if s.level() <= level {
		return
	}
	s.savePhases()
	n := s.control[level]
	for i := len(s.trail) - 1; i >= n; i-- {
		l := s.trail[i]
		s.vals[l], s.vals[l^1] = 0, 0
		if !s.probing {
			s.phase[l>>1] = l&1 == 0
		}
		s.heap.insert(int(l >> 1))
	}
	s.trail = s.trail[:n]
	s.control = s.control[:level]
	s.qhead = min(s.qhead, n)
	s.orders.backtrack(level, n)
}

// patience is the steps from one look at the context to the next.
const patience = 200

// interrupted looks at the context now and then. Where there are no threads, whoever
// ends it gets a turn before.
func (s *Solver) interrupted() bool {
	if s.countdown--; s.countdown >= 0 && !s.always {
		return false
	}
	s.countdown = patience
	if runtime.GOARCH == "wasm" {
		runtime.Gosched()
	}
	s.stopped = s.ctx.Err() != nil
	return s.stopped
}
