// Package solver is what the rest of Fencepost needs of a SAT solver, and the
// back ends that provide it.
//
// In go variables, clauses and, for each question, assumptions and a context.
// Out come a status and its evidence: a model after [Sat], a core (a subset of
// the assumptions) after [Unsat], and on request the formula as a DIMACS file.
//
// All clauses are kept in one log, whatever solves them, and a model is handed
// out only after it was found to satisfy every clause of the log and every
// assumption. A wrong model is an [InternalError], never an answer. Of an
// unsatisfiable formula it is checked that its core was assumed; where [KeepProofs]
// was asked for, there is a [Proof], which package certify/proof checks.
//
// The back ends are our own (package cdcl, the default), gini (pure Go), any program on the PATH that
// reads DIMACS, and CaDiCaL as a library when built with cgo and the tag
// "cadical". See [New].
package solver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Lit is a literal as DIMACS writes it: a variable is a positive number v,
// its negation is -v. 0 is no literal.
type Lit int32

// Not returns the negation of l.
func (l Lit) Not() Lit { return -l }

// Var returns the variable of l, as a positive literal.
func (l Lit) Var() Lit {
	if l < 0 {
		return -l
	}
	return l
}

// A Status is what a call of Solve found out.
type Status int

const (
	Unknown Status = iota // no answer: the context ended, or the back end failed
	Sat                   // there is a model: ask Value
	Unsat                 // there is none: ask Core
)

func (s Status) String() string {
	switch s {
	case Unknown:
		return "unknown"
	case Sat:
		return "sat"
	case Unsat:
		return "unsat"
	}
	return fmt.Sprintf("Status(%d)", int(s))
}

// Stats says how large a formula is and what was done with it.
type Stats struct {
	Vars      int   // variables made
	Clauses   int   // clauses added
	Literals  int   // literals in those clauses
	Solves    int   // calls of Solve that were begun
	Conflicts int64 // conflicts in all those calls, -1 where the back end does not tell
}

// A Solver decides whether clauses are satisfiable, incrementally: variables
// and clauses may be added between calls of Solve, and the back end keeps what
// it learnt if it can.
//
// A Solver is not safe for concurrent use. A literal of a variable that did
// not come from its NewVar is a programming error, and so is asking for a
// model or a core that is not there: these panic.
type Solver interface {
	// NewVar returns a new variable, as a positive literal. Variables are
	// numbered 1, 2, 3 and so on.
	NewVar() Lit

	// AddClause adds the disjunction of lits. Repeated and complementary
	// literals are legal; the empty clause makes the formula
	// unsatisfiable for ever. The slice is not retained, so a caller with many
	// clauses can reuse one and save an allocation for each.
	AddClause(lits ...Lit)

	// Solve decides the clauses under assumptions, which hold for this call
	// only. When ctx ends first, the answer is Unknown and an error that
	// wraps ctx.Err(), within milliseconds unless there are millions of
	// clauses; the solver can be used again. Any other error is a failure of
	// the back end.
	Solve(ctx context.Context, assumptions ...Lit) (Status, error)

	// Value tells whether l is true in the model that the last Solve found,
	// which must have answered Sat. The model stays readable while clauses
	// and variables are added; a variable made after it was found is false.
	Value(l Lit) bool

	// Core returns assumptions of the last Solve, which must have answered
	// Unsat, that cannot hold together. It need not be minimal, but it is
	// empty only if the clauses alone are unsatisfiable.
	Core() []Lit

	// WriteDimacs writes the clauses as a DIMACS file, with the assumptions as
	// unit clauses at its end: what the back end was given, to reproduce an
	// answer elsewhere.
	WriteDimacs(w io.Writer, assumptions ...Lit) error

	// Stats returns the statistics so far.
	Stats() Stats

	// Close releases what the back end holds. After it, Solve fails.
	Close() error
}

// An InternalError is a wrong answer of a back end. It tells of a defect in
// the back end or in this package, whatever the formula was.
type InternalError struct {
	Backend string
	Reason  string
	Clause  []Lit // that the model falsifies, if that is wrong; an assumption is one of one literal
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("solver: internal error: %s: %s", e.Backend, e.what())
}

func (e *InternalError) what() string {
	if e.Clause == nil {
		return e.Reason
	}
	return fmt.Sprintf("%s %d", e.Reason, e.Clause)
}

// A ProgramError says that a back end that is a program of the user's failed: it ended with an
// error, or what it says makes no sense.
type ProgramError struct {
	Program string
	Err     error // an [InternalError] for an answer that is wrong
}

func (e *ProgramError) Error() string {
	var wrong *InternalError
	if errors.As(e.Err, &wrong) {
		return fmt.Sprintf("the SAT solver %s gave a wrong answer: %s", e.Program, wrong.what())
	}
	return fmt.Sprintf("the SAT solver %s failed: %v", e.Program, e.Err)
}

func (e *ProgramError) Unwrap() error { return e.Err }

// New returns a solver with the back end of that name:
//
//	"" or "cdcl"   our own, in package cdcl; the only one with an [Order]
//	"gini"         gini, pure Go
//	"cadical-cgo"  CaDiCaL as a library, if built with cgo and -tags cadical
//	other names    the program of that name on the PATH, or at that path, such
//	               as cadical, kissat, minisat, glucose or cryptominisat5
//
// A program is run anew by each call of Solve, and perhaps once more to find
// out whether the core is empty: otherwise it is all the assumptions.
func New(name string) (Solver, error) {
	var b backend
	var err error
	program := false
	switch name {
	case "", "cdcl":
		name, b = "cdcl", new(cdclBackend)
	case "gini":
		b = new(giniBackend)
	case "cadical-cgo":
		b, err = newCadical()
	default:
		program = true
		b, err = newProcess(name)
	}
	if err != nil {
		return nil, fmt.Errorf("solver: no back end %q: %w; there are: %s",
			name, err, strings.Join(Available(), ", "))
	}
	return &checked{name: name, b: b, program: program}, nil
}

// Available returns the names of the back ends that [New] can provide here and
// now: those built in, the default first, then well-known programs that are on
// the PATH.
func Available() []string {
	names := []string{"cdcl", "gini"}
	if cadicalBuilt {
		names = append(names, "cadical-cgo")
	}
	return append(names, programs()...)
}

// A backend decides the clauses of a log. It sees neither impossible literals
// nor a formula that is known to be unsatisfiable for ever, and need not check
// its answers: checked does all that once for every back end.
type backend interface {
	// solve decides the clauses of the log, which is the same in every call
	// and only grows, under assumptions. A back end that ctx stopped may
	// return Unknown without an error.
	solve(ctx context.Context, cnf *clauseLog, assumptions []Lit) (Status, error)

	// model sets in m the literals that are true, after Sat. m has all variables
	// of the log, all of them false.
	model(m model)

	// core appends to dst the core, after Unsat. Empty means unsatisfiable
	// for ever: solve will not be called again.
	core(dst []Lit) []Lit

	// conflicts returns the number of conflicts so far, or -1.
	conflicts() int64

	close() error
}

// checked is the one Solver: a clause log, and a back end that it checks.
type checked struct {
	name    string
	program bool // the back end is none of ours
	b       backend
	cnf     clauseLog
	solves  int
	dead    bool // unsatisfiable for ever
	closed  bool

	status Status // of the last Solve
	m      model  // if Sat
	failed []Lit  // if Unsat, the core
}

func (s *checked) NewVar() Lit { return s.cnf.newVar() }

func (s *checked) AddClause(lits ...Lit) {
	s.cnf.add(lits)
	if len(lits) == 0 {
		s.dead = true
	}
}

func (s *checked) Solve(ctx context.Context, assumptions ...Lit) (Status, error) {
	s.status = Unknown
	if s.closed {
		return Unknown, fmt.Errorf("solver: %s: %w", s.name, errClosed)
	}
	s.cnf.mustHave(assumptions)
	if err := ctx.Err(); err != nil {
		return Unknown, fmt.Errorf("solver: %s: %w", s.name, err)
	}
	s.solves++
	if s.dead {
		s.failed = s.failed[:0]
		s.status = Unsat
		return Unsat, nil
	}
	status, err := s.b.solve(ctx, &s.cnf, assumptions)
	if err == nil {
		switch status {
		case Sat:
			err = s.checkModel(assumptions)
		case Unsat:
			err = s.checkCore(assumptions)
		default:
			err = errNoAnswer
		}
	}
	if err != nil {
		_, wrong := err.(*InternalError)
		// A back end that was stopped may fail in any way it likes.
		if ended := ctx.Err(); ended != nil && !wrong {
			err = ended
		} else if s.program {
			return Unknown, &ProgramError{s.name, err}
		}
		if wrong {
			return Unknown, err
		}
		return Unknown, fmt.Errorf("solver: %s: %w", s.name, err)
	}
	s.status = status
	return status, nil
}

var (
	errClosed   = errors.New("closed")
	errNoAnswer = errors.New("gave no answer")
)

func (s *checked) checkModel(assumptions []Lit) error {
	s.m = s.m.reset(s.cnf.vars)
	s.b.model(s.m)
	for _, a := range assumptions {
		if !s.m.value(a) {
			return &InternalError{s.name, "the model falsifies the assumption", []Lit{a}}
		}
	}
	if l := s.cnf.cyclic(s.m); l != 0 {
		return &InternalError{s.name, "the order of the model has a cycle; of its edges:", []Lit{l}}
	}
	if i, clause := s.cnf.falsified(s.m); clause != nil {
		reason := fmt.Sprintf("the model falsifies clause %d of %d:", i, s.cnf.clauses)
		return &InternalError{s.name, reason, slices.Clone(clause)}
	}
	return nil
}

func (s *checked) checkCore(assumptions []Lit) error {
	s.failed = s.b.core(s.failed[:0])
	if len(s.failed) == 0 {
		s.dead = true
		return nil
	}
	assumed := make(map[Lit]bool, len(assumptions))
	for _, a := range assumptions {
		assumed[a] = true
	}
	for _, l := range s.failed {
		if !assumed[l] {
			return &InternalError{s.name, fmt.Sprintf("the core has %d, which was not assumed", l), nil}
		}
	}
	return nil
}

func (s *checked) Value(l Lit) bool {
	if s.status != Sat {
		panic("solver: Value without a model")
	}
	s.cnf.mustHave([]Lit{l})
	return s.m.value(l)
}

func (s *checked) Core() []Lit {
	if s.status != Unsat {
		panic("solver: Core without an unsatisfiable formula")
	}
	return slices.Clone(s.failed)
}

func (s *checked) WriteDimacs(w io.Writer, assumptions ...Lit) error {
	s.cnf.mustHave(assumptions)
	return s.cnf.write(context.Background(), w, assumptions)
}

func (s *checked) Stats() Stats {
	return Stats{
		Vars:      s.cnf.vars,
		Clauses:   s.cnf.clauses,
		Literals:  len(s.cnf.lits) - s.cnf.clauses,
		Solves:    s.solves,
		Conflicts: s.b.conflicts(),
	}
}

func (s *checked) Close() error {
	if s.closed {
		return nil
	}
	s.closed = true
	return s.b.close()
}
