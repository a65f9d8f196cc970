package explore

import (
	"cmp"
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// FinalStates lists the states in which p can end and that its filter lets pass,
// each once, in ascending order of the memory and then the registers; temporaries
// are 0. Memory is by the cells of [program.Analyse]. Properties are disregarded;
// an assertion that fails ends the run that it fails in, and no more, while a
// fault ends the search. The result says whether the list is complete: Safe, or
// Unknown with the reason.
func FinalStates(ctx context.Context, p *program.Program, opts Options) (all []verdict.FinalState, res *verdict.Result, err error) {
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
