// Package verdict is what an engine has to say about a program: the verdict,
// the evidence for it, and how far it got. Engines produce a [Result], package
// report prints it.
package verdict

import (
	"io"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Verdict is an engine's answer.
type Verdict uint8

const (
	// Unknown: neither was shown. Reason says how far the engine got.
	Unknown Verdict = iota
	// Safe: no run violates a property, by the Argument of the Result and
	// without any bound.
	Safe
	// Unsafe: Run violates Violation, and has been replayed; or Execution
	// does, and has been tested against the axioms of the model.
	Unsafe
)

func (v Verdict) String() string { return [...]string{"UNKNOWN", "SAFE", "UNSAFE"}[v] }

// An Argument names the reason for which a program is Safe.
type Argument string

// The arguments.
const (
	// Exhaustive: every reachable state was visited and no bound was met.
	Exhaustive Argument = "exhaustive search"
	// Unrolled: the threads were unrolled completely (the unwinding
	// assertions cannot fail) and no execution of the result is a violation.
	Unrolled Argument = "complete unrolling, unsatisfiable"
	// Closed: a set of states of an abstraction of the program contains the
	// initial one, is closed under every step, and violates nothing.
	Closed Argument = "closed set of abstract states"
	// InductiveInvariant: clauses over the states of the program, or of an
	// abstraction of it, hold initially, are kept by every step, and leave no
	// violation.
	InductiveInvariant Argument = "inductive invariant"
	// KInductive: no run violates anything within k - 1 steps, and no k - 1
	// steps without a violation lead to one.
	KInductive Argument = "k-induction"
	// NoProperty: there is nothing that could be violated.
	NoProperty Argument = "no property to violate"
)

// A Result is the answer of an engine about one program under one model.
type Result struct {
	Program  *program.Program
	Model    memory.Model
	Verdict  Verdict
	Engine   string   // such as "explicit" or "bmc"
	Argument Argument // Safe only
	// Bound is the largest bound that was searched completely, in units
	// that BoundUnit names, such as "unrollings"; BoundUnit is empty where
	// the engine knows no bound or needed none.
	Bound     int
	BoundUnit string
	Reason    string     // Unknown only: how far the engine got and why it stopped
	Advice    string     // what to try next; may be empty
	Violation *Violation // Unsafe, and for a fault
	Run       *Run       // likewise, under a model with an operational semantics
	// Execution is the evidence instead of Run where the memory model is
	// given as a text: a graph that satisfies all its axioms.
	Execution *memory.Graph
	// Abstraction names the abstraction of the store buffers that the engine
	// searched, as package abstract does; empty where there is none.
	Abstraction string
	// Candidate is what the abstraction has where it does not prove the
	// program safe. Unknown only.
	Candidate *Candidate
	// Notes say how the engine went about it, such as which symmetry it made
	// use of.
	Notes []string
	// Proof is the evidence for InductiveInvariant and KInductive.
	Proof   Proof
	Elapsed time.Duration
	Stats   []Stat
}

// A Proof is evidence for Safe that can be written down, to be checked by
// others.
type Proof interface{ Write(w io.Writer) error }

// A Candidate is a run of an abstraction to a violation. The program need not
// have it; it is evidence of nothing but where the abstraction is too coarse.
type Candidate struct {
	Run       *Run
	Violation *Violation
}

// Conclusive is true of an answer that another engine cannot improve on: Safe,
// Unsafe, or a fault in the program.
func (r *Result) Conclusive() bool { return r.Verdict != Unknown || r.Fault() }

// Fault is true where the run leads to a mistake in the program (an index
// outside its array, a division by zero) rather than to a violated property.
// Verdict is then Unknown: the program has no meaning that could be judged.
func (r *Result) Fault() bool {
	return r.Violation != nil && r.Violation.Kind == program.Fault
}

// A Violation is what a run leads to: exactly one of Property and an Assert
// command (whose text, place and kind are here).
type Violation struct {
	Property *program.Property  // nil for an Assert
	Kind     program.AssertKind // Fault only for an Assert of that kind
	Text     string             // such as "forbid P0@cs & P1@cs"
	Pos      program.Position
}

// A Stat is a figure that an engine reports, such as the number of states.
type Stat struct {
	Name  string // "states", "transitions", "bytes", "clauses", ...
	Value int64
}

// Stat is the figure of that name, or 0.
func (r *Result) Stat(name string) int64 {
	for _, s := range r.Stats {
		if s.Name == name {
			return s.Value
		}
	}
	return 0
}

// A Run is a concrete run from the initial state, as the operational semantics
// replayed it.
type Run struct {
	Cells []program.Cell // the cells of Step.Memory, in its order
	Init  []int64        // memory before the first step
	Steps []Step
}

// A Step is one step of a run and the state after it.
type Step struct {
	Thread int
	// Edge is the index of the edge that the thread took, or -1 for a flush
	// of the oldest pair in its buffer.
	Edge int
	// Choice picks one of the outcomes of a command that has several: the
	// values of its Havoc commands, first to last, as digits of a mixed
	// radix number, the first the least significant. Else 0.
	Choice int64
	// Text says what happened with the values that it happened with, such
	// as "flag0 := 1 (buffered)".
	Text    string
	Pos     program.Position // of the source line; invalid for a flush
	Memory  []int64          // after the step
	Buffers [][]Pair         // after the step, by thread, oldest pair first
	Regs    [][]int64        // after the step, by thread
	PC      []program.StateID
}

// A Pair is a buffered store.
type Pair struct {
	Cell  int // index into Run.Cells
	Value int64
}

// A FinalState is one of the states in which a program can end: by thread and
// register, and by cell.
type FinalState struct {
	Regs   [][]int64
	Memory []int64
}

// SortFinalStates sorts by the memory first, then by the registers, ascending.
func SortFinalStates(states []FinalState) {
	slices.SortFunc(states, func(a, b FinalState) int {
		if c := slices.Compare(a.Memory, b.Memory); c != 0 {
			return c
		}
		return slices.CompareFunc(a.Regs, b.Regs, slices.Compare[[]int64])
	})
}
