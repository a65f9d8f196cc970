package verdict

import (
	"context"
	"errors"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// A RobustResult is the answer whether a program is robust against TSO, or free of
// triangular races. As with [Result], what it claims is set by its constructors
// [Robust], [NotRobust] and [RobustUnknown], once.
type RobustResult struct {
	program  *program.Program
	about    Question
	verdict  Verdict
	reason   string
	evidence *RobustEvidence

	Effort
}

// RobustEvidence is evidence that a program is not robust, or has a triangular race.
type RobustEvidence struct {
	Attack *Attack // nil where the engine knows none
	// Run is the witness, replayed under TSO. Of a triangular race it is a run under
	// SC up to the race.
	Run *Run
	// Cycle is the happens-before cycle of the run, from event to event and back to
	// the first; empty for a race.
	Cycle []CycleEdge
	// Execution is all accesses of the run that Cycle is in, with those that are not
	// in it; Accesses is the same by event. Initial writes have no Access: their
	// Thread is [memory.InitialThread].
	Execution *memory.Graph
	Accesses  []Access
}

// An Attack is where a program may fail to be robust: a store of a thread that is
// delayed, and a later load of the thread past which it is delayed.
type Attack struct {
	Thread int
	Store  int // index into the edges of the thread
	Load   int // likewise
}

// An Access is a memory access in a run.
type Access struct {
	Thread int
	Step   int // index into the steps of the run: where the thread does it
	Write  bool
	Cell   int // index into the cells of the run
	Value  int64
}

// A CycleEdge is a pair of a happens-before relation. Kind is "po" (program
// order), "rf" (reads-from), "co" (coherence), "fr" (from-reads), or "block"
// between accesses of one atomic block or locked section, which happen together.
type CycleEdge struct {
	From, To Access
	Kind     string
}

// Robust says that p is robust: the happens-before relations of its computations
// under TSO are those of its computations under SC (thesis 2.3.3), so that the two
// reach the same states with empty buffers. Or, where about is [RaceFreedom], that it
// is free of triangular races.
//
// A computation ends with empty buffers. In a program in which a thread may take the
// lock and never give it back, other threads' stores may be held up, and what such a
// thread sees then is not spoken of.
func Robust(p *program.Program, about Question) *RobustResult {
	return newRobust(RobustResult{program: p, about: about, verdict: IsSafe})
}

// NotRobust says that p is not, and by which evidence: a computation under TSO whose
// happens-before relation has a cycle, and so is that of no computation under SC; or
// a race.
func NotRobust(p *program.Program, about Question, e *RobustEvidence) *RobustResult {
	if e == nil || e.Run == nil || e.Run.Program != p || about == Robustness && len(e.Cycle) == 0 {
		panic("verdict: not robust without evidence")
	}
	return newRobust(RobustResult{program: p, about: about, verdict: IsUnsafe, evidence: e})
}

// RobustUnknown says that neither was shown, and in reason how far the engine got and
// why it stopped.
func RobustUnknown(p *program.Program, about Question, reason string) *RobustResult {
	if reason == "" {
		panic("verdict: Unknown without a reason")
	}
	return newRobust(RobustResult{program: p, about: about, reason: reason})
}

// RobustEarly is [Early] for questions of robustness.
func RobustEarly(ctx context.Context, p *program.Program, about Question, err error) (*RobustResult, error) {
	if !errors.Is(err, program.ErrStopped) || ctx.Err() == nil {
		return nil, err
	}
	return RobustUnknown(p, about, early+Because(ctx)), nil
}

func newRobust(r RobustResult) *RobustResult {
	if r.program == nil || r.about != Robustness && r.about != RaceFreedom {
		panic("verdict: an answer about nothing")
	}
	return &r
}

// Program is what the answer is about.
func (r *RobustResult) Program() *program.Program { return r.program }

// About is [Robustness] or [RaceFreedom].
func (r *RobustResult) About() Question { return r.about }

// Verdict is [IsSafe] of a robust program, and [IsUnsafe] of one that is not.
func (r *RobustResult) Verdict() Verdict { return r.verdict }

// Reason is how far the engine got and why it stopped, where the verdict is
// [IsUnknown].
func (r *RobustResult) Reason() string { return r.reason }

// Evidence is what shows that the program is not robust; else nil.
func (r *RobustResult) Evidence() *RobustEvidence { return r.evidence }

// Word is the verdict in the words of the question.
func (r *RobustResult) Word() string {
	what := "ROBUST"
	if r.about == RaceFreedom {
		what = "TRIANGULAR-RACE FREE"
	}
	switch r.verdict {
	case IsSafe:
		return what
	case IsUnsafe:
		return "NOT " + what
	}
	return r.verdict.String()
}
