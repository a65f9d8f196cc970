package robust

import (
	"context"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Races decides whether p is free of triangular races (Owens, "Reasoning about the
// Implementation of Concurrency Abstractions on x86-TSO", ECOOP 2010): a thread
// stores and then, with no fence in between and with that store and the later
// ones seen by itself only, loads from another address, to which another thread
// stores next. A witness against robustness begins with such a race, whatever
// closes its cycle; so a program without races is robust, though not every
// robust program is without.
func Races(ctx context.Context, p *program.Program, opts Options) (*verdict.RobustResult, error) {
	return decide(ctx, p, verdict.RaceFreedom, opts)
}
