// Package explore is explicit-state search over the transition relation of
// package abstract: depth-first and breadth-first (thesis algorithms 2.3 and
// 2.4), with the partial-order reductions of chapter 4 ([Reduction]) and with dead
// registers cleared; and the enumeration of final states.
//
// It searches the abstractions of the store buffers of TSO in the same way
// (section 3.2), where a complete search is a proof and a violation is none yet.
// The multiset abstraction, whose states are infinitely many, is decided by
// [CheckMultiset].
//
// A program and options come in. Out comes a [verdict.Result] with its
// evidence: it is Safe only where every reachable state was visited, and Unsafe
// only with a run that the operational semantics has replayed.
//
// Which steps need not be taken is the business of package reduce. How states are held
// is that of package states: one set for a search on
// one core, another one for several workers, for fingerprints ([Options.Compact])
// and where there is a file for what there is no memory for ([Options.Spill]).
package explore

import (
	"cmp"
	"context"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/reduce"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/explore/traces"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Reduction is a partial-order reduction; see package reduce.
type Reduction = reduce.Name

// The reductions.
const (
	NoReduction = reduce.None
	LocalFirst  = reduce.LocalFirst
	Persistent  = reduce.Persistent
	Cartesian   = reduce.Cartesian
	// DynamicPOR is for [All] only: [traces.Stateful], or Persistent for an
	// abstraction, and for buffers with stores of several cells.
	DynamicPOR Reduction = "dpor"
)

// Reductions lists those that every search can have.
func Reductions() []Reduction { return reduce.Names() }

// Symmetric says whether a search makes use of threads that are alike.
type Symmetric uint8

const (
	NoSymmetry Symmetric = iota
	Symmetry
	// SomeSymmetry is Symmetry where it pays, since three threads or more are alike; elsewhere the notes say nothing of it.
	SomeSymmetry
)

// Options say how to search. The zero value means TSO, breadth-first, with the
// reduction, without bounds.
type Options struct {
	Model memory.Model
	// DepthFirst makes the search depth-first.
	DepthFirst bool
	// Reduction is the partial-order reduction; "" is [Persistent].
	Reduction Reduction
	// Symmetry makes the search store one state of those that exchanges of
	// threads make from each other, where the program is symmetric; the notes
	// of the result say whether it is. It is not for lists of final states,
	// LocalFirst, PSO and abstractions. What starts several threads in a row, or waits for
	// several, counts as one step (see [reduce.Gathering]).
	Symmetry Symmetric
	// NoRotation makes the search tell states apart that differ only in where counters stand that go
	// round for ever (see [reduce.Rotation]). So do NoLive, lists of final states, and abstractions.
	NoRotation bool
	// NoLive switches the live-variable reduction off, which gives dead
	// registers their initial values.
	NoLive bool
	// Buffer bounds the store buffers, in pairs; 0: no bound.
	Buffer int
	// Abstraction, where not nil, takes the place of the store buffers of TSO:
	// the states are those of an abstraction of the program, and a violation
	// is only a candidate for one.
	Abstraction abstract.Buffer
	// MemoryLimit bounds what the search may hold, in bytes; 0: three quarters
	// of what the machine has free, or all of the Budget.
	MemoryLimit int64
	// Budget, where not nil, is what the search shares with others: it takes what
	// it needs from there, and hands it back in the end.
	Budget *states.Budget
	// MaxStates bounds how many states are stored; 0: no bound.
	MaxStates int64
	// Milestones are numbers of states, ascending: when the search has stored so many, or has tried
	// many more events, it calls Reached, and goes on when that returns. Whoever wants to do something else beside a search
	// that takes long can begin then. Until the last of them there is one worker. They are not for Compact and the reduction DynamicPOR.
	Milestones []int64
	Reached    func()
	// Workers is how many cores a search may use. It begins on one, and goes
	// to several when it has stored some thousands of states. 0 is 1. Then
	// every run of a search is the same; with more workers the verdict is, and
	// so are the final states and, where the search is complete, the number of
	// states; but of several violations and faults it may find another one. A
	// breadth-first search finds one of the same length all the same, where
	// there is no reduction and the properties forbid something. LocalFirst is
	// for one worker, and takes no more.
	Workers int
	// Compact stores fingerprints of 64 bits in place of states, which takes
	// less than half of the memory. Two states with the same fingerprint are
	// taken for one, so a search without a violation is Unknown, with the
	// probability that it missed a state. Fingerprints are different in every
	// search.
	Compact bool
	// Spill, where not nil, creates a file for the states that there is no
	// memory for. The tables of a search stay in memory. Looking for a state
	// in a file takes thousands of times as long.
	Spill func() (states.SpillFile, error)
	// Progress, where not nil, is called now and then with a line that says
	// how far the search is.
	Progress func(line string)

	hang  bool  // what is looked for
	early int64 // for tests: how many states are some thousands, with one worker as well
}

// Check searches the states of p for a violation of its properties and
// assertions. When ctx ends first the result is Unknown and says how far the
// search got. The error is a [program.Diagnostic] for an input that cannot be
// searched; any other is an error inside Fencepost.
//
// Of an abstraction, Safe means that its states are closed under its steps and
// none of them is a violation; a violation makes the result Unknown, with a
// [verdict.Candidate].
//
// A program with nothing that could be violated is not searched: see [All].
func Check(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	if len(p.Properties) == 0 && !hasAsserts(p) {
		res := verdict.Safe(p, cmp.Or(opts.Model, memory.TSO), verdict.NoProperty, nil)
		res.Engine, res.Abstraction = "explicit", abstract.Name(opts.Abstraction)
		return res, nil
	}
	return All(ctx, p, opts)
}

// All is [Check] for those who want to know the states: it searches them even
// where nothing could be violated.
func All(ctx context.Context, p *program.Program, opts Options) (res *verdict.Result, err error) {
	switch {
	case opts.Reduction != DynamicPOR:
	case opts.Abstraction != nil, opts.Model != memory.SC && p.Wide(): // it knows store buffers as they are, of stores of one cell
		opts.Reduction = Persistent
	default:
		return traces.Stateful(ctx, p, traces.StatefulOptions{
			Model: opts.Model, NoLive: opts.NoLive, Buffer: opts.Buffer, MemoryLimit: opts.MemoryLimit, Budget: opts.Budget,
			MaxStates: opts.MaxStates, Progress: opts.Progress})
	}
	s, err := newSearch(ctx, p, opts, nil)
	if err != nil {
		return verdict.Early(ctx, p, cmp.Or(opts.Model, memory.TSO), err)
	}
	defer s.close(&err)
	if err := s.run(); err != nil {
		return nil, err
	}
	return s.result("no violation")
}

// hasAsserts is true where p has any Assert. A program without properties that
// may be at fault is searched like any other, for whether it is may depend on the
// memory model; [verdict.NoProperty] does not.
func hasAsserts(p *program.Program) bool {
	for _, t := range p.Threads {
		for i := range t.Edges {
			if t.Edges[i].Cmd.Asserts() {
				return true
			}
		}
	}
	return false
}
