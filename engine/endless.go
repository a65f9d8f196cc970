package engine

import (
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// endless is the answer to the question for final states of a program of which a thread
// never comes to its end, whatever the others do: there are none, and nobody has to search
// for them. It is nil for other programs, and where there may be a fault to be found.
func endless(ctx context.Context, p *program.Program, m memory.Model) *verdict.Result {
	r, err := program.AnalyseContext(ctx, p)
	if err != nil || mayFault(p) {
		return nil
	}
	for i, t := range p.Threads {
		if !flow.Ends(t, r.Reachable[i]) {
			res := verdict.Safe(p, m, verdict.NoEnd, nil)
			res.Notes = []string{"thread " + t.Name + " never comes to its end, so that there are no final states"}
			return res
		}
	}
	return nil
}

// mayFault is true where p has an Assert of kind Fault, which makes a difference even
// where no run comes to its end.
func mayFault(p *program.Program) bool {
	fault := func(c program.Command) bool { return c.Op == program.Assert && c.Kind == program.Fault }
	return slices.ContainsFunc(p.Threads, func(t *program.Thread) bool {
		return slices.ContainsFunc(t.Edges, func(e program.Edge) bool {
			return fault(e.Cmd) || slices.ContainsFunc(e.Cmd.Body, fault)
		})
	})
}
