package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

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
	def, err := memory.Load(opts.Model)
	if err == nil {
		err = def.Covers(p)
	}
	if err != nil {
		return nil, nil, err
	}
	for bound := 0; ; bound++ {
		var finals []verdict.FinalState
		executions, seen := int64(0), map[string]bool{}
		err := graphs.Enumerate(ctx, p, def, bound, func(_ *memory.Graph, s verdict.FinalState) bool {
			executions++
			if s = withoutTemporaries(p, s); !seen[s.Key()] {
				seen[s.Key()] = true
				finals = append(finals, s)
			}
			return true
		})
		verdict.SortFinalStates(finals)
		var r *verdict.Result
		switch {
		case err == nil:
			r = verdict.Safe(p, opts.Model, verdict.Exhaustive, nil)
		case ctx.Err() != nil:
			r = verdict.Unknown(p, opts.Model, "not all executions: stopped "+verdict.Because(ctx))
		case errors.Is(err, graphs.ErrCut) && bound < cmp.Or(opts.Unroll, rounds):
			continue
		case errors.Is(err, graphs.ErrCut):
			r = verdict.Unknown(p, opts.Model, "there are executions with more rounds of a loop")
		case errors.Is(err, graphs.ErrValues):
			r = verdict.Unknown(p, opts.Model, "too many values to choose from")
		default:
			return nil, nil, err
		}
		r.Stats = []verdict.Stat{{Name: "executions", Value: executions}}
		return finals, r, nil
	}
}

// withoutTemporaries is s as [FinalStates] has it.
func withoutTemporaries(p *program.Program, s verdict.FinalState) verdict.FinalState {
	c := verdict.FinalState{Memory: slices.Clone(s.Memory)}
	for t, regs := range s.Regs {
		regs = slices.Clone(regs)
		for i := range regs {
			if p.Threads[t].Regs[i].Temp {
				regs[i] = 0
			}
		}
		c.Regs = append(c.Regs, regs)
	}
	return c
}
