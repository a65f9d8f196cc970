package datarace

import (
	"errors"
	"fmt"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Saved replays what a file says of a run of p under SC, and judges with vector clocks that its last
// step is in a race with an earlier one. The error says at which step the run is none, or is not
// the one of the file, or that it does not show what the file says.
func Saved(p *program.Program, s *verdict.SavedRun) (*verdict.Run, error) {
	if s.Model != memory.SC {
		return nil, fmt.Errorf("data races are of runs under sc, and the file has one under %s", s.Model)
	}
	_, run, err := replay.SavedSteps(p, s)
	if err != nil {
		return nil, err
	}
	race := Find(run)
	switch {
	case race == nil:
		return nil, errors.New("the run has no data race")
	case race.Second.Step != len(run.Steps)-1:
		return nil, fmt.Errorf("step %d: there is a data race, but the run goes on", race.Second.Step+1)
	}
	convict(run, race)
	return run, replay.SavedText(run, s)
}

// convict is that run ends in a race.
func convict(run *verdict.Run, race *verdict.Race) {
	run.Violation = &verdict.Violation{Race: race, Text: text(run, race), Pos: race.Second.Pos}
}
