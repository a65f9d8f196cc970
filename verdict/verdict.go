// Package verdict is what an engine has to say about a program: the verdict,
// the evidence for it, and how far it got. Engines produce a [Result], package
// report prints it.
package verdict

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Verdict is an engine's answer.
type Verdict uint8

const (
	// IsUnknown: neither was shown. The Reason of the Result says how far the
	// engine got.
	IsUnknown Verdict = iota
	// IsSafe: no run violates a property, by the Argument of the Result and
	// without any bound.
	IsSafe
	// IsUnsafe: the Run of the Result ends in its Violation, and has been
	// replayed; or its Execution does, and has been tested against the axioms
	// of the model.
	IsUnsafe
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
	// RobustSafe: no run under SC violates anything, and the program, into which
	// some buffering may have been written, reaches nothing more under TSO (thesis
	// algorithm 3.1).
	RobustSafe Argument = "safe under sc, and robust"
	// RobustPending: the program is robust likewise, and safe under SC where every
	// thread may leave its last stores in its buffer.
	RobustPending Argument = "robust, and safe under sc with last stores pending"
	// Diagram: a set of states, as a decision diagram, contains the initial one, is
	// closed under every step of the program, and violates nothing.
	Diagram Argument = "closed set of states"
	// Localized: every state was visited that the program reaches where some values are left open,
	// and none is a violation.
	Localized Argument = "exhaustive search, with some values left open"
	// NoEnd: a thread never comes to its end, so that there are no final states.
	NoEnd Argument = "no run comes to its end"
	// NoConflict: no two threads access the same memory so that it could be a data race.
	NoConflict Argument = "no two accesses could race"
	// InOrder: all accesses to the same memory that could be a data race are ordered in every run, by a lock that both hold, or because one is made before
	// the other's thread begins or after its end.
	InOrder Argument = "locks, and the beginnings and ends of threads, order all accesses to the same memory"
	// Certified: every execution of Weakestmo2 was explored, those with cycles justified by
	// other runs of their threads.
	Certified Argument = "all executions of Weakestmo2, certified"
	// NoProperty: there is nothing that could be violated.
	NoProperty Argument = "no property to violate"
)

// A Result is the answer of an engine about one program under one model. What it
// claims and what the claim rests on is set by the constructors [Safe], [Unknown],
// [Convict], [ConvictExecution] and [Suspect], once: a verdict cannot be carried to
// another program or model, nor lose its reason.
type Result struct {
	program  *program.Program
	about    Question // "": Safety
	watched  string   // how the program was watched for that
	model    memory.Model
	verdict  Verdict
	argument Argument
	proof    Proof
	reason   string
	// At most one of them is there; candidate with Unknown only.
	run, candidate *Run
	execution      *Execution

	Effort
}

// An Effort is how an engine got to its answer. It is no part of what the answer
// claims, and may be set by anybody.
type Effort struct {
	Engine string // such as "explicit" or "bmc"
	// Bound is the largest bound that was searched completely, in units
	// that BoundUnit names, such as "unrollings"; BoundUnit is empty where
	// the engine knows no bound or needed none.
	Bound     int
	BoundUnit string
	Advice    string // what to try next with the same engine; may be empty
	// Instead is who may get further.
	Instead Instead
	// Abstraction names the abstraction of the store buffers that the engine
	// searched, as package abstract does; empty where there is none.
	Abstraction string
	// Notes say how the engine went about it, such as which symmetry it made
	// use of.
	Notes   []string
	Elapsed time.Duration
	Stats   []Stat
	// Refutations are the formulas that the answer rests on, with their proofs, where
	// these were asked for and the answer rests on nothing else.
	Refutations []Refutation
}

// Instead is engines that may get further than the one that was asked, and in a few
// words why, such as "needs no unrolling".
type Instead struct {
	Engines []string
	Why     string
}

// Next is what to try next, in words; may be empty.
func (e *Effort) Next() string {
	if len(e.Instead.Engines) == 0 {
		return e.Advice
	}
	text := "--engine " + strings.Join(e.Instead.Engines, " or ")
	if e.Instead.Why != "" {
		text += " " + e.Instead.Why
	}
	if e.Advice != "" {
		text = e.Advice + "; " + text
	}
	return text
}

// TurnedCounters is the name of the figure how many counters a search took for the same wherever they stand.
const TurnedCounters = "turned counters"

// Stat is the figure of that name, or 0.
func (e *Effort) Stat(name string) int64 {
	for _, s := range e.Stats {
		if s.Name == name {
			return s.Value
		}
	}
	return 0
}

// Because is why the work on an answer ended with ctx, as in "stopped by the time
// limit".
func Because(ctx context.Context) string {
	why, _ := Ended(ctx)
	return "by " + why
}

// Ended is what has ended ctx, as in "the time limit", and what may help; "" as long as
// nothing has.
func Ended(ctx context.Context) (why, advice string) {
	switch cause := context.Cause(ctx); {
	case cause == nil:
		return "", ""
	case errors.Is(cause, context.DeadlineExceeded):
		return "the time limit", "allow more time"
	case errors.Is(cause, context.Canceled):
		return "an interrupt", ""
	default:
		return cause.Error(), "allow more time"
	}
}

// Thousands is n with commas, for reasons.
func Thousands(n int64) string {
	t := fmt.Sprint(n)
	for i := len(t) - 3; i > 0 && t[i-1] != '-'; i -= 3 {
		t = t[:i] + "," + t[i:]
	}
	return t
}

// Number is n with commas and a noun: "1 execution", "2,000 executions".
func Number(n int64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return Thousands(n) + " " + noun
}

// Safe says that no run of p under m violates a property, for the reason that why
// names. proof may be nil where the argument has no form that can be written down.
func Safe(p *program.Program, m memory.Model, why Argument, proof Proof) *Result {
	if why == "" {
		panic("verdict: Safe without an argument")
	}
	return &Result{program: p, model: claimed(p, m), verdict: IsSafe, argument: why, proof: proof}
}

// Unknown says that nothing was shown about p under m, and in reason how far the
// engine got and why it stopped.
func Unknown(p *program.Program, m memory.Model, reason string) *Result {
	if reason == "" {
		panic("verdict: Unknown without a reason")
	}
	return &Result{program: p, model: claimed(p, m), reason: reason}
}

// Further is r, an Unknown, for another reason: that of a series of attempts of which r is the last.
func (r *Result) Further(reason string) *Result {
	if r.Conclusive() || reason == "" {
		panic("verdict: another reason for what is known, or none")
	}
	o := *r
	o.reason = reason
	return &o
}

// Doubtful is r, Unsafe, where the run that it shows is none that counts for sure.
func (r *Result) Doubtful(reason string) *Result {
	o := Unknown(r.program, r.model, reason)
	o.about, o.Engine, o.Effort, o.Elapsed = r.about, r.Engine, r.Effort, r.Elapsed
	return o
}

// Early is the answer of an engine that an error keeps from beginning: Unknown where
// ctx has ended the analysis of values, and else the error.
func Early(ctx context.Context, p *program.Program, m memory.Model, err error) (*Result, error) {
	if !errors.Is(err, program.ErrStopped) || ctx.Err() == nil {
		return nil, err
	}
	r := Unknown(p, m, early+Because(ctx))
	r.Advice = "allow more time"
	return r, nil
}

const early = "still at the analysis of values; stopped "

// Convict is the answer that run is the evidence for: Unsafe, or, where the run
// leads to a mistake in the program, Unknown. The run must be one of the program
// under its model that ends in a violation.
func Convict(run *Run) *Result {
	if run.Violation == nil || run.Abstraction != "" {
		panic("verdict: the run convicts nobody")
	}
	r := &Result{program: run.Program, model: claimed(run.Program, run.Model), verdict: IsUnsafe, run: run}
	r.fault()
	return r
}

// ConvictExecution is [Convict] for a model that is given as a text: the evidence is
// a graph that has been tested against all its axioms.
func ConvictExecution(x *Execution) *Result {
	if x.Violation == nil || x.Graph == nil {
		panic("verdict: the execution convicts nobody")
	}
	r := &Result{program: x.Program, model: claimed(x.Program, x.Model), verdict: IsUnsafe, execution: x}
	r.fault()
	return r
}

// Suspect says that nothing was shown, since an abstraction of p has the run, which
// ends in a violation. The program need not have it: it is evidence of nothing but
// where the abstraction is too coarse.
func Suspect(run *Run) *Result {
	if run.Violation == nil || run.Abstraction == "" {
		panic("verdict: the run is no candidate")
	}
	r := Unknown(run.Program, run.Model,
		fmt.Sprintf("the abstraction %s has a violation (%s), which the program need not have", run.Abstraction, run.Violation.Text))
	r.candidate, r.Abstraction, r.Advice = run, run.Abstraction, "a finer abstraction"
	return r
}

// fault turns the answer into what it is where the violation is a mistake in the
// program: no verdict.
func (r *Result) fault() {
	switch v := r.Violation(); v.Kind {
	case program.Fault:
		r.verdict, r.reason = IsUnknown, "the program is at fault: "+v.Text
	case program.Bound:
		r.verdict, r.reason = IsUnknown, "a bound is met: "+v.Text
	}
}

// WithRun is the same answer with another run as its evidence, which ends in the same violation.
func (r *Result) WithRun(run *Run) *Result {
	if r.run == nil || run.Violation == nil || run.Abstraction != "" || run.Program != r.program || run.Model != r.model ||
		run.Violation.Text != r.run.Violation.Text || run.Violation.Pos != r.run.Violation.Pos {
		panic("verdict: the run is evidence of something else")
	}
	other := *r
	other.run = run
	return &other
}

// claimed is the model of an answer, which must be about something.
func claimed(p *program.Program, m memory.Model) memory.Model {
	if p == nil || m == "" {
		panic("verdict: an answer about nothing")
	}
	return m
}

// Program is what the answer is about.
func (r *Result) Program() *program.Program { return r.program }

// AboutDeadlocks makes r, of a program whose only property that is, the answer to the question for
// deadlocks and nothing else.
func (r *Result) AboutDeadlocks() {
	if ps := r.program.Properties; len(ps) != 1 || ps[0].Kind != program.Deadlock {
		panic("verdict: an answer about more than deadlocks")
	}
	r.about = Deadlocks
}

// About is [Safety], [DataRaces], [LBRaces], [Liveness] or [Deadlocks].
func (r *Result) About() Question {
	switch v := r.Violation(); {
	case v != nil && v.Race != nil:
		return DataRaces
	case v != nil && v.Hang != nil:
		return Liveness
	case v != nil && v.LBRace != nil:
		return LBRaces
	}
	return cmp.Or(r.about, Safety)
}

// Model is the memory model under which the answer holds.
func (r *Result) Model() memory.Model { return r.model }

// Verdict is the answer.
func (r *Result) Verdict() Verdict { return r.verdict }

// Safe is whether the verdict is [IsSafe].
func (r *Result) Safe() bool { return r.verdict == IsSafe }

// Unsafe is whether the verdict is [IsUnsafe].
func (r *Result) Unsafe() bool { return r.verdict == IsUnsafe }

// Argument is why the program is safe, where it is.
func (r *Result) Argument() Argument { return r.argument }

// Proof is the evidence for Safe that can be written down; nil where there is none.
func (r *Result) Proof() Proof { return r.proof }

// Reason is how far the engine got and why it stopped, where the verdict is
// [IsUnknown].
func (r *Result) Reason() string { return r.reason }

// Run is the evidence for Unsafe, and for a fault, under a model with an operational
// semantics; else nil.
func (r *Result) Run() *Run { return r.run }

// Execution is that evidence under a model that is given as a text; else nil.
func (r *Result) Execution() *Execution { return r.execution }

// Candidate is the run of an abstraction that [Suspect] was given; else nil.
func (r *Result) Candidate() *Run { return r.candidate }

// Violation is what the evidence leads to; nil where there is none.
func (r *Result) Violation() *Violation {
	switch {
	case r.run != nil:
		return r.run.Violation
	case r.execution != nil:
		return r.execution.Violation
	}
	return nil
}

// Conclusive is true of an answer that another engine cannot improve on: Safe,
// Unsafe, a fault in the program, or that a bound of what is modelled can be met.
func (r *Result) Conclusive() bool { return r.verdict != IsUnknown || r.Violation() != nil }

// Fault is true where the evidence leads to a mistake in the program (an index
// outside its array, a division by zero) rather than to a violated property.
// The verdict is then [IsUnknown]: the program has no meaning that could be judged.
func (r *Result) Fault() bool {
	v := r.Violation()
	return v != nil && v.Kind == program.Fault
}

// A Proof is evidence for Safe that can be written down, to be checked by
// others, in so much memory; 0: no bound.
type Proof interface {
	Write(ctx context.Context, w io.Writer, bytes int64) error
}

// An Execution is evidence for Unsafe under a model that speaks of graphs.
type Execution struct {
	Program   *program.Program
	Model     memory.Model
	Graph     *memory.Graph // satisfies every axiom of the model
	Violation *Violation
	// Certificates are, of a graph with a cycle of program order and reads-from, the runs of
	// threads that justify it, in the order in which they do.
	Certificates []Certificate
}

// A Certificate is a run of a thread that is not part of an execution, and the writes in it
// that others read from because the thread issues them in the execution, too.
type Certificate struct {
	Thread int
	Events []memory.Event // of that run of the thread, in program order
	// Sources are, by event, what a read reads from, in words.
	Sources  []string
	Promises []int // indices into Events
}

// A Violation is what a run leads to: exactly one of Property, Race, LBRace, Hang and an Assert
// command (whose text, place and kind are here).
type Violation struct {
	Property *program.Property  // nil for an Assert, and a race
	Race     *Race              // the last step is the second access
	LBRace   *LBRace            // of an execution
	Hang     *Hang              // in the last state
	Kind     program.AssertKind // Fault only for an Assert of that kind
	Text     string             // such as "forbid P0@cs & P1@cs"
	Pos      program.Position
}

// A Stat is a figure that an engine reports, such as the number of states.
type Stat struct {
	Name  string // "states", "transitions", "bytes", "clauses", ...
	Value int64
}

// A Run is a concrete run from the initial state, as the operational semantics
// replayed it (package replay).
type Run struct {
	Program *program.Program
	Model   memory.Model
	// Abstraction names the abstraction of the store buffers whose run it is;
	// empty for a run of the program.
	Abstraction string
	// Violation is what the run ends in; nil for one that is evidence of
	// something else.
	Violation *Violation

	Cells []program.Cell // the cells of Step.Memory, in its order
	Init  []int64        // memory before the first step
	Steps []Step
	// History is there where somebody has asked for it ([Run] itself needs none), as package
	// replay tells it.
	History *History
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

// Env is where expressions have their values in a state. cell is the place of an address in Memory.
func (s FinalState) Env(cell func(addr int64) int) *program.Env {
	return &program.Env{
		Mem:       func(addr int64) int64 { return s.Memory[cell(addr)] },
		ThreadReg: func(thread, reg int) int64 { return s.Regs[thread][reg] },
	}
}

// Key is different for different states of one program.
func (s FinalState) Key() string {
	var b []byte
	for _, v := range s.Memory {
		b = binary.AppendVarint(b, v)
	}
	for _, regs := range s.Regs {
		for _, v := range regs {
			b = binary.AppendVarint(b, v)
		}
	}
	return string(b)
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
