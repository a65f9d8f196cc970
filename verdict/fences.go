package verdict

import (
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// Means is how a place is fenced.
type Means uint8

const (
	// Mfence puts a full fence at a control state: whoever arrives there
	// executes it first. At the start of a thread there is no need for one.
	Mfence Means = iota
	// Xchg turns a store into an exchange, which is atomic and fences.
	Xchg
)

func (m Means) String() string { return [...]string{"mfence", "xchg"}[m] }

// Goal is what fences bring about that make the answer to a question [IsSafe], in
// words.
func (q Question) Goal() string {
	return map[Question]string{Safety: "safety", Robustness: "robustness", RaceFreedom: "triangular-race freedom", LBRaces: "freedom from load-buffering races"}[q]
}

// A Fence is a place in the source: a fence to put in, a store to make an
// exchange of, or a fence to take out.
type Fence struct {
	Site program.Site
	// What is what is put there, where there is a choice, such as DMB ISH; else empty.
	// Instead is true where it stands for the statement.
	What    string
	Instead bool
	// Threads execute it. One line of a family of processes is one for every
	// member.
	Threads []int
	// Cost is that of all its threads.
	Cost int
	// Without is, of a fence that is needed, what can happen without it, with
	// the others in place.
	Without *Evidence
}

// Evidence is whether a program reaches a goal: one of its fields, as the goal
// wants it.
type Evidence struct {
	Robust *RobustResult
	Check  *Result
}

// Verdict is [IsSafe] where the goal is reached for sure, and [IsUnsafe] where there is
// a run that the goal forbids.
func (e *Evidence) Verdict() Verdict {
	if e.Robust != nil {
		return e.Robust.Verdict()
	}
	return e.Check.Verdict()
}

// Gap is why that is unknown, and what may help.
func (e *Evidence) Gap() (reason, advice string) {
	if e.Robust != nil {
		return e.Robust.Reason(), e.Robust.Advice
	}
	return e.Check.Reason(), e.Check.Advice
}

// A FenceSet is fences that reach the goal together.
type FenceSet struct {
	Fences []Fence
	Cost   int
}

// Places is the number of fences, counted for every thread.
func (s *FenceSet) Places() int {
	n := 0
	for _, f := range s.Fences {
		n += len(f.Threads)
	}
	return n
}

// A FenceResult is what there is to say about the fences of a program.
type FenceResult struct {
	Program *program.Program
	// Goal is the question whose answer the fences are to make [IsSafe].
	Goal  Question
	Means Means
	// Model is the memory model under which it is sought.
	Model memory.Model
	// Redundant is true where the fences are those of the source.
	Redundant bool
	// Sets is the sets that were found, the first the one that was verified.
	// Of a program that reaches the goal as it is, there is one without
	// fences.
	Sets []FenceSet
	// Complete is true where all minimal sets were asked for and are there.
	Complete bool
	// Removed is, where redundant fences were asked for, those that can go;
	// the first of Sets is those that stay.
	Removed []Fence
	// Text is the source with the fences of the first set.
	Text string
	// Final is the verification of Text, or, where there is no way to write
	// the fences, of the model with them. Unwritable says why.
	Final      *Evidence
	Unwritable string
	// Enough is how many places would do. It is less than the first set has
	// where a line is one for every member of a family of processes, and not
	// all members need it.
	Enough int
	// Wrong is the violation under SC, which no fence prevents.
	Wrong *Result
	// Impossible is true where no set of fences of the kind that was asked
	// for reaches the goal.
	Impossible bool
	// Insufficient is true where redundant fences were asked for of a program
	// that does not reach the goal with all of them.
	Insufficient bool
	// Reason is why there are no Sets, where there are none.
	Reason string
	Effort
}

// Verified is true where the program with the fences was shown to reach the goal.
func (r *FenceResult) Verified() bool { return r.Final != nil && r.Final.Verdict() == IsSafe }
