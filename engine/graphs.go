package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// rounds is how often graphs goes round in loops where nobody says how often: while it
// guesses values, it cannot tell that a loop has come to its end.
const rounds = 2

// Graphs enumerates executions. It needs only the definition of a model.
const Graphs Name = "graphs"

func graphsEngine() Engine {
	return Engine{
		Name:        Graphs,
		Doc:         "enumerates the execution graphs that satisfy the axioms of the model",
		Models:      everywhere,
		Options:     []Option{Unroll},
		FinalStates: graphFinals,
	}
}

// graphFinals enumerates executions and takes note of the states in which they end.
func graphFinals(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
	def, err := memory.LoadFor(opts.Model, p.Arch)
	if err == nil {
		err = def.Covers(p)
	}
	if err != nil {
		return nil, nil, err
	}
	for bound := 0; ; bound++ {
		executions := int64(0)
		finals, err := graphs.FinalStates(ctx, p, def, graphs.Options{BackEdges: bound, MemoryLimit: opts.MemoryLimit}, func(*memory.Graph, verdict.FinalState) bool {
			executions++
			return true
		})
		var r *verdict.Result
		switch {
		case err == nil:
			r = verdict.Safe(p, opts.Model, verdict.Exhaustive, nil)
		case ctx.Err() != nil:
			r = verdict.Unknown(p, opts.Model, "not all executions: stopped "+verdict.Because(ctx))
		case errors.Is(err, graphs.ErrCut) && bound < cmp.Or(opts.Unroll, rounds):
			continue
		case graphs.Reason(err) != "":
			r = verdict.Unknown(p, opts.Model, graphs.Reason(err))
		default:
			return nil, nil, err
		}
		r.Stats = []verdict.Stat{{Name: "executions", Value: executions}}
		return finals, r, nil
	}
}
