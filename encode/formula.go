// Package encode turns a program, unrolled to a bound, into a propositional
// formula whose models are the program's executions, and turns a model back
// into a run.
//
// A thread is unrolled in layers: layer k holds the control states as they are
// after k back edges, so a bound is a number of back edges for each thread, of
// whatever loops. Layers are appended; nothing that was said about an earlier one
// is taken back, so one incremental solver serves all bounds.
//
// On the way through the unrolled automaton every access to shared memory
// becomes an event: a read or a write with a guard (the literal that says
// whether it is executed), an address and a value. An execution relates the
// events as the literature does: reads-from (rf) gives every executed read one
// write, coherence (co) orders the writes of an address, from-reads (fr) leads
// from a read to the writes that coherence puts after the one it read. Under
//
//	SC   po | rf | co | fr is acyclic (Lamport; Shasha and Snir)
//	TSO  ppo | fence | rfe | co | fr is acyclic, where ppo is po without the
//	     pairs of a write and a later read, and each address is coherent
//	     (Owens, Sarkar, Sewell, "A better x86 memory model: x86-TSO")
//
// All are encoded over one order of the events: of the points in time at which
// reads read and writes reach memory. co is that order on the writes of an
// address, fr follows from rf and co, and transitivity makes the order acyclic; or
// a solver that knows orders does (see [solver.Order]).
//
// Memory that only one thread uses, or that no thread writes, takes no part in
// any of this: it is computed along the automaton, as registers are.
//
// A thread goes on for as long as it can within the bound, except where a
// property looks at its control state and where it can be blocked: there it may
// stop. That loses no violation, because whatever else the others do can come
// after.
package encode

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/encode/circuit"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/solver"
)

// ErrUnsupported is wrapped by errors about programs that have no encoding.
var ErrUnsupported = errors.New("not supported by the encoding")

// Options say what to encode.
type Options struct {
	Model memory.Model
	// Finals keeps the registers of the source where threads end, so that
	// final states can be listed.
	Finals bool
	// Proofs keeps what proofs of the answers of the queries take; see [solver.KeepProofs].
	Proofs bool
	// MemoryLimit bounds what the formula may hold, in bytes; 0: 9 GB, which is also
	// the most.
	MemoryLimit int64
	// Symmetry lets violations be asked for in executions only in which threads that are alike come in a certain order. Final
	// states must not be asked for, then.
	Symmetry bool
	// Definition, where not nil, makes the formula follow the text of this
	// memory model, and Model is only its name. Otherwise Model is one of
	// those for which the relations are encoded directly, over one order.
	Definition *memory.Definition
	// Graphs keeps what execution graphs take that the direct encoding has no need for; see [Query.Execution].
	Graphs bool
	// Flags keeps what says which executions raise the flags of the definition; see [Formula.Raised].
	Flags bool
}

// A Formula is a program unrolled to a bound, in a solver. It is not safe for
// concurrent use.
type Formula struct {
	*circuit.Circuit
	limits  limits
	s       solver.Solver
	opts    Options
	p       *program.Program
	ranges  *program.Ranges
	cells   []cellClass
	threads []*thread
	hasLock bool
	// skipWaits is true where rounds of loops that only wait make no difference.
	skipWaits bool
	flushed   bool // executions with stores that never reach memory do not count

	items    []*item
	graph    *precedence    // where the solver knows orders; otherwise
	order    [][]solver.Lit // order[b][a], a < b: item a is before item b
	rank     []int          // of the items; see rankItems; nil where there is none
	events   []*event
	byCell   [][]*event // events that may access a cell
	writers  [][]bool   // by cell and thread: it may ever write there
	reads    []*event
	sections []section

	bound  int                      // the deepest layer that is expanded; -1: none
	closed int                      // the last bound that was closed; -1: none
	done   int                      // items, and
	doneEv int                      // events, that are connected
	doneCo int                      // likewise, by coherence
	co     map[[2]*event]solver.Lit // of a relational formula; see coBefore
	open   solver.Lit

	extension *extension // of a relational formula, or nil
	symmetry  symmetry

	flags    []flag // at this bound
	twoSided bool   // for a test: terms have just the values that they should
}

// New prepares the formula of p in s, with no layer unrolled. r is what
// [program.Analyse] says of p. The error wraps [ErrUnsupported].
func New(p *program.Program, r *program.Ranges, s solver.Solver, opts Options) (*Formula, error) {
	if opts.Definition == nil && !slices.Contains(Direct, opts.Model) {
		return nil, fmt.Errorf("%w: memory model %q", ErrUnsupported, opts.Model)
	}
	for i := range p.Properties {
		if p.Properties[i].Kind == program.Deadlock {
			return nil, fmt.Errorf("%w: deadlock is a matter for explicit search", ErrUnsupported)
		}
	}
	if opts.Model != memory.SC && p.Wide() && (opts.Definition == nil || !p.Parts()) {
		return nil, fmt.Errorf("%w: an access of several cells in one step, but by axioms", ErrUnsupported)
	}
	f := &Formula{
		Circuit: circuit.New(s),
		s:       s,
		opts:    opts,
		p:       p,
		ranges:  r,
		byCell:  make([][]*event, len(r.Cells)),
		co:      map[[2]*event]solver.Lit{},
		bound:   -1,
		closed:  -1,
		graph:   newPrecedence(s),
		hasLock: flow.Locks(p),
	}
	if f.limits.memory = maxMemory; opts.MemoryLimit > 0 {
		f.limits.memory = min(maxMemory, opts.MemoryLimit)
	}
	if f.relational() {
		if err := f.checkRelational(); err != nil {
			return nil, err
		}
	}
	f.skipWaits = f.builtin() || opts.Definition.Cat.SkipsWaits()
	f.classify()
	f.findWriters()
	for i := range p.Threads {
		f.threads = append(f.threads, f.newThread(i))
	}
	return f, nil
}

// Program is what the formula stands for.
func (f *Formula) Program() *program.Program { return f.p }

// Bound is the number of back edges that each thread may take so far; -1 before
// the first Extend.
func (f *Formula) Bound() int { return f.bound }

// Complete is true where no thread can get beyond the bound, whatever the
// others do.
func (f *Formula) Complete() bool {
	for _, t := range f.threads {
		for _, in := range t.pending {
			if len(in) > 0 {
				return false
			}
		}
	}
	return true
}

// Extend unrolls one more layer of every thread and connects its events with
// all others. Where it fails, the formula is of no use any more.
func (f *Formula) Extend(ctx context.Context) error {
	return f.guarded(ctx, f.extend)
}

func (f *Formula) extend() error {
	f.bound++
	f.retireSnapshots()
	for _, t := range f.threads {
		if err := f.expand(t); err != nil {
			return err
		}
	}
	n := int64(0)
	for _, it := range f.items {
		if !it.kind.isFence() {
			n++
		}
	}
	f.room(0)
	if !f.relational() && f.graph == nil && n*n/2*n/3 > f.limits.memory/bytesPerClause {
		return ErrTooLarge
	}
	if f.bound == 0 && f.Complete() && !f.hasLock && !f.relational() && !f.looksAtMemory() {
		f.rankItems()
	}
	f.connectOrder()
	f.connectEvents()
	return nil
}

// Direct lists the models that are encoded over one order of the events. The
// literals are fewer than those of the model's text, and the answers the same.
var Direct = []memory.Model{memory.SC, memory.TSO, memory.PSO}

func (f *Formula) relational() bool { return f.opts.Definition != nil }

// allFences is true where fences are items that make no difference to the model, too.
func (f *Formula) allFences() bool { return f.relational() || f.opts.Graphs }

// builtin is true where coherence and the operational meaning of the model are
// known.
func (f *Formula) builtin() bool { return f.opts.Model.Operational() }

// looksAtMemory is true where a property is about memory at the moment of a
// violation, so that a snapshot will be an item of its own.
func (f *Formula) looksAtMemory() bool { return looksAtMemory(f.p) }

func looksAtMemory(p *program.Program) bool {
	found := false
	for i := range p.Properties {
		if pr := &p.Properties[i]; !pr.Final() {
			program.Walk(pr.Cond, func(e program.Expr) {
				_, ok := e.(program.Mem)
				found = found || ok
			})
		}
	}
	return found
}

// checkRelational refuses what the text of a model has no words for.
func (f *Formula) checkRelational() error {
	if f.hasLock {
		return fmt.Errorf("%w: lock and unlock under a model given as a text", ErrUnsupported)
	}
	if f.looksAtMemory() {
		return fmt.Errorf("%w: memory at a moment, under a model given as a text", ErrUnsupported)
	}
	return nil
}

// Events is the number of events so far, for reports.
func (f *Formula) Events() int { return len(f.events) }

// cellClass says how a cell is encoded.
type cellClass struct {
	kind  cellKind
	owner int // privateCell only: the thread
	slot  int // privateCell only: index into node.priv
}

type cellKind uint8

const (
	sharedCell   cellKind = iota // events
	privateCell                  // one thread's: computed along the automaton
	constantCell                 // never written
)

// classify decides how each cell is encoded. An access that may touch cells of
// several classes makes them all shared.
func (f *Formula) classify() {
	r := f.ranges
	f.cells = make([]cellClass, len(r.Cells))
	for i := range r.Cells {
		switch owner := r.Private(i); {
		case !f.builtin(): // who knows what the model makes of it
		case f.opts.Model == memory.PSO && f.p.Parts(): // a part that nobody else sees may keep others in order
		case owner >= 0:
			f.cells[i] = cellClass{kind: privateCell, owner: owner}
		case r.ReadOnly(i):
			f.cells[i] = cellClass{kind: constantCell}
		}
	}
	for i := range f.p.Properties {
		if pr := &f.p.Properties[i]; !pr.Final() {
			program.Walk(pr.Cond, func(e program.Expr) {
				if m, ok := e.(program.Mem); ok {
					f.cells[r.CellIndex(m.Addr)] = cellClass{}
				}
			})
		}
	}
	for changed := true; changed; {
		changed = false
		for _, cells := range r.Access {
			mixed := false
			for _, c := range cells {
				mixed = mixed || f.cells[c] != f.cells[cells[0]]
			}
			if !mixed {
				continue
			}
			for _, c := range cells {
				changed = changed || f.cells[c].kind != sharedCell
				f.cells[c] = cellClass{}
			}
		}
	}
	slots := make([]int, len(f.p.Threads))
	for i := range f.cells {
		if c := &f.cells[i]; c.kind == privateCell {
			c.slot = slots[c.owner]
			slots[c.owner]++
		}
	}
}

// eval is the value of x in the solver's model.
func (f *Formula) eval(x circuit.Vector) int64 { return x.Eval(f.s.Value) }
