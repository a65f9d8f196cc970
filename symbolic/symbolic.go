// Package symbolic proves programs safe on an abstraction of their store
// buffers without visiting the abstract states one by one: the transition
// relation of package abstract becomes a circuit over state bits, and a SAT
// solver looks for an inductive invariant, by property-directed reachability
// ([IC3]) or by k-induction ([KInduction]).
//
// Both begin with clauses that hold of random runs and are inductive together.
//
// A program and a buffer go in ([New]). Out comes a [Result]: an [Invariant],
// which [Check] verifies on its own; or a run of the abstraction to a violation,
// as events of package abstract; or how far it got.
//
// The bits of a state have room for the values that [program.Analyse] says that
// registers, cells and buffered stores may have. A step that would leave them
// counts as a violation, so that proofs do not rely on the analysis.
//
// The store buffers are those with finitely many contents: [abstract.None],
// [abstract.Set] and [abstract.Coherence].
//
// [Saturation] goes another way: it computes the set of reachable states as a
// decision diagram over the local states of the threads and the cells, also for
// the FIFO buffers of TSO where they do not grow for ever. Out comes a [ClosedSet].
package symbolic

import (
	"context"
	"errors"
	"fmt"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/encode/circuit"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// ErrUnsupported is wrapped by the errors of [New] that say that a program or a
// buffer is outside of what a circuit is made for.
var ErrUnsupported = errors.New("not for symbolic proofs")

// maxBits bounds the state: beyond it, no proof is to be hoped for.
const maxBits = 4096

// Options say how a System is built. The zero value means large blocks.
type Options struct {
	// SingleSteps makes every event a step of its own, over all registers;
	// otherwise a step is one access with the local events around it.
	SingleSteps bool
	// MemoryLimit bounds the circuit, in bytes; 0: no bound.
	MemoryLimit int64
	// few is up to how many values are one-hot; 0: 16.
	few int
}

// A Bit is a bit of the state. Names of bits:
//
//	t0@12          thread 0 is at control state 12
//	t0.r3=2        its register 3 is 2; of two values only the larger has a bit
//	t0.r3:4        bit 4 of it, in two's complement, where it has many values
//	[10]=1, [10]:0 likewise the memory at address 10
//	t0!            thread 0 holds the lock
//	t0:[10]=1      its buffer, or the set in it, has the pair of address 10 and 1
//	t0>[10]=1      and it is the last for address 10 there
//	t0#2:[10]=1    slot 2 of the queue, 0 being the oldest, holds the pair
type Bit struct {
	Name string
	Init bool
	cur  solver.Lit
	next solver.Lit
}

// A System is the transition system of a program under one kind of buffer, as a
// circuit. It is immutable.
//
// The circuit computes, from the state bits and from inputs that choose the
// step, whether the choice is legal; the next state, if it is; and whether the
// state or the step is a violation.
type System struct {
	Program *program.Program
	Buffer  abstract.Buffer
	Bits    []Bit

	opts   Options
	ranges *program.Ranges
	x      *abstract.System
	judge  *replay.Judge
	blocks []blocks // by thread
	pairs  [][]abstract.Pair

	cnf    clauses
	inputs []solver.Lit
	legal  solver.Lit
	// stray is where the step that the inputs choose is possible but not one
	// that the circuit makes: it accesses an address, stores a value, leaves a
	// register with a value or gets to a control state that program.Analyse
	// ruled out. That is bad too, so that a proof shows that there is no such
	// step, and does not rest on the analysis.
	stray solver.Lit
	bad   solver.Lit
	// domain is clauses over the state bits that say which bits make a state:
	// exactly one control state of a thread, and the like. They are part of
	// every invariant.
	domain [][]solver.Lit

	in  inputs
	lay layout
}

// A Result is what a proof attempt found. At most one of Invariant and Trace is
// there.
type Result struct {
	// Verdict is Safe or Unknown: a Trace is a run of the abstraction only,
	// which is the program's own where the buffer is [abstract.None].
	Verdict   verdict.Verdict
	Invariant *Invariant
	// Trace leads from the initial state to Violation in the abstract.System
	// of the program with the buffer.
	Trace     []abstract.Event
	Violation *verdict.Violation
	Reason    string // where there is neither: how far the proof got
	Depth     int    // frames of IC3, or the k of k-induction
	Queries   int64  // of the solver
}

// clauses is where the circuit is recorded, to be given to any number of
// solvers.
type clauses struct {
	vars int
	lits []solver.Lit // clauses, each ended by 0
}

func (c *clauses) NewVar() solver.Lit {
	c.vars++
	return solver.Lit(c.vars)
}

func (c *clauses) AddClause(lits ...solver.Lit) {
	c.lits = append(append(c.lits, lits...), 0)
}

// each calls f for every clause, until it fails.
func (c *clauses) each(f func([]solver.Lit) error) error {
	for i := 0; i < len(c.lits); {
		j := i
		for c.lits[j] != 0 {
			j++
		}
		if err := f(c.lits[i:j]); err != nil {
			return err
		}
		i = j + 1
	}
	return nil
}

// load gives the circuit to a solver that has no variables yet: variables keep
// their numbers.
func (y *System) load(m *meter, s solver.Solver) error {
	for range y.cnf.vars {
		s.NewVar()
	}
	n := 0
	err := y.cnf.each(func(c []solver.Lit) error {
		if n++; n%polled == 0 {
			if err := m.fits(n); err != nil {
				return err
			}
		}
		s.AddClause(c...)
		return nil
	})
	if err != nil {
		return err
	}
	for _, c := range y.domain {
		s.AddClause(c...)
	}
	return m.fits(n + len(y.domain))
}

// Supports is true of the buffers that there are circuits for.
func Supports(b abstract.Buffer) bool {
	switch b := b.(type) {
	case abstract.None, abstract.Set:
		return true
	case abstract.Coherence:
		return b.K >= 0 && b.K <= 16 && !b.Counting
	}
	return false
}

// New builds the circuit of p under b. The error wraps [ErrUnsupported] or that of ctx,
// or is a [program.Diagnostic].
func New(ctx context.Context, p *program.Program, b abstract.Buffer, opts Options) (*System, error) {
	if !Supports(b) {
		return nil, fmt.Errorf("%w: the store buffers %s", ErrUnsupported, abstract.Name(b))
	}
	r, err := program.AnalyseContext(ctx, p)
	if err != nil {
		return nil, err
	}
	return newSystem(&meter{ctx: ctx, limit: opts.MemoryLimit}, p, r, b, opts)
}

// newSystem is New where the ranges are known.
func newSystem(m *meter, p *program.Program, r *program.Ranges, b abstract.Buffer, opts Options) (*System, error) {
	x, err := abstract.New(p, r, b, 0)
	if err != nil {
		return nil, err
	}
	if opts.few == 0 {
		opts.few = 16
	}
	y := &System{Program: p, Buffer: b, opts: opts, ranges: r, x: x, judge: replay.NewJudge(x, p.Properties)}
	bd := &builder{System: y, meter: m, p: p, r: r}
	bd.Circuit = circuit.New(&y.cnf)
	if err := bd.build(); err != nil {
		return nil, err
	}
	return y, nil
}
