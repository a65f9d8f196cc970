package verdict

import (
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// An LBRace is the evidence for a race of load buffering in an execution: a read, and a write to
// the same cell that happens-before does not order with it, such that a path leads from the
// read to the write: first to a relaxed write that may be executed before the read, then to a
// read of that write, then on in program order and reads-from.
type LBRace struct{ Path []LBStep }

// An LBStep is an event on the path.
type LBStep struct {
	Event int    // of the graph of the [Execution]
	By    string // how the path goes on from there: "po", "rf"; "" at its end
	Cmd   *program.Command
}

// LBRaceFree says that no execution of p under m has a race of load buffering, for the reason
// that why names.
func LBRaceFree(p *program.Program, m memory.Model, why Argument) *Result {
	r := Safe(p, m, why, nil)
	r.about = LBRaces
	return r
}

// LBRaceUnknown says that neither was shown, and in reason how far the engine got.
func LBRaceUnknown(p *program.Program, m memory.Model, reason string) *Result {
	r := Unknown(p, m, reason)
	r.about = LBRaces
	return r
}
