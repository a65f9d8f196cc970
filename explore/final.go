package explore

import (
	"cmp"
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// FinalStates lists the states in which p can end and that its filter lets pass,
// each once, in ascending order of the memory and then the registers; temporaries
// are 0. Memory is by the cells of [program.Analyse]. Properties are disregarded;
// an assertion that fails ends the run that it fails in, and no more, while a
// fault ends the search. The result says whether the list is complete: Safe, or
// Unknown with the reason. Where a thread never comes to its end, whatever the others do,
// nothing is searched.
func FinalStates(ctx context.Context, p *program.Program, opts Options) (all []verdict.FinalState, res *verdict.Result, err error) {
	if r, err := program.Analyse(p); err == nil && !mayFault(p) {
		for i, t := range p.Threads {
			if !flow.Ends(t, r.Reachable[i]) {
				res := verdict.Safe(p, cmp.Or(opts.Model, memory.TSO), verdict.NoEnd, nil)
				res.Engine = "explicit"
				res.Notes = []string{"thread " + t.Name + " never comes to its end, so that there are no final states"}
				return nil, res, nil
			}
		}
	}
	var s *search
	s, err = newSearch(ctx, p, opts, func(st *abstract.State) {
		s.budget.Charge(int64(8*len(st.Vals) + 24*len(st.Regs) + 48))
		f := verdict.FinalState{Memory: slices.Clone(st.Mem), Regs: make([][]int64, len(p.Threads))}
		for t, th := range p.Threads {
			f.Regs[t] = slices.Clone(st.Regs[t])
			for r := range th.Regs {
				if th.Regs[r].Temp {
					f.Regs[t][r] = 0
				}
			}
		}
		all = append(all, f)
	})
	if err != nil {
		res, err = verdict.Early(ctx, p, cmp.Or(opts.Model, memory.TSO), err)
		return nil, res, err
	}
	defer s.close(&err)
	if err := s.run(); err != nil {
		return nil, nil, err
	}
	if res, err = s.result("final states"); err != nil {
		return nil, nil, err
	}
	// States may differ in temporaries that the filter reads, or in the lock.
	verdict.SortFinalStates(all)
	all = slices.CompactFunc(all, func(a, b verdict.FinalState) bool {
		return slices.Equal(a.Memory, b.Memory) && slices.EqualFunc(a.Regs, b.Regs, slices.Equal[[]int64])
	})
	return all, res, nil
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
