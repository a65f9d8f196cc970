package verdict

import (
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Hang is the evidence that a program can hang for ever: at the end of the run every
// thread has come to its end or waits for what nobody will do.
type Hang struct {
	Waits []Wait         // of the threads that have not come to their ends, ascending
	Cells []program.Cell // those that Wait.Reads numbers
}

// A Wait is what one thread waits for.
type Wait struct {
	Thread int
	Pos    program.Position
	Reads  []Pair // what it reads again and again, or would have to be something else
	Stands bool   // it has no step at all; else it goes in circles
}

// NeverHangs says that p under m cannot hang for ever, for the reason that why names.
func NeverHangs(p *program.Program, m memory.Model, why Argument) *Result {
	r := Safe(p, m, why, nil)
	r.about = Liveness
	return r
}

// HangUnknown says that neither was shown, and in reason how far the engine got.
func HangUnknown(p *program.Program, m memory.Model, reason string) *Result {
	r := Unknown(p, m, reason)
	r.about = Liveness
	return r
}

// ConvictHang is [Convict] for a run that ends where the program hangs.
func ConvictHang(run *Run) *Result {
	if run.Violation == nil || run.Violation.Hang == nil {
		panic("verdict: the run does not hang")
	}
	return Convict(run)
}
