package verdict

import (
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Race is the evidence for a data race in a run under SC: two accesses to one cell, not
// both atomic and not both loads, that happens-before does not order.
type Race struct {
	First, Second RaceAccess // as the run has them
	// Why says why nothing orders them, a fact to a line, and Advice what would.
	Why    []string
	Advice string
}

// A RaceAccess is one of the two.
type RaceAccess struct {
	Thread int
	Step   int // index into the steps of the run
	Cell   int // index into the cells of the run
	Value  int64
	Write  bool
	Order  string // the memory order of an atomic access, as C has it; "": the access is plain
	Free   bool   // it is the end of the object (a Write), or the object has to be there still
	Pos    program.Position
}

// How a program is watched for data races: what the engine that was asked has shown of it.
const (
	ByMonitor  = "a monitor of happens-before finds no race"
	ByMeetings = "no two threads ever stand at accesses that could race"
)

// RaceFree says that p has no data race in its executions under m, for the reason that why
// names. by is how it was watched: [ByMonitor], [ByMeetings], or nothing where it was not.
func RaceFree(p *program.Program, m memory.Model, why Argument, by string) *Result {
	r := Safe(p, m, why, nil)
	r.about, r.watched = DataRaces, by
	return r
}

// Watched is how the program was watched for what the result is about; empty where it was asked as it is.
func (r *Result) Watched() string { return r.watched }

// RaceUnknown says that neither was shown, and in reason how far the engine got.
func RaceUnknown(p *program.Program, m memory.Model, reason string) *Result {
	r := Unknown(p, m, reason)
	r.about = DataRaces
	return r
}
