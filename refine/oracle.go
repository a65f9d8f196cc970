package refine

import (
	"context"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An Oracle says where lazy TSO reachability introduces store buffering next
// (thesis 3.1). Next returns paths of different threads, which may be extended side
// by side, or none: then the program reaches the same states, with empty buffers,
// under SC and under TSO. It must not return none for another reason; where it
// gives up, ok is false.
//
// origin tells, by thread and edge, which edge of the program at the outset one
// stands for, or -1.
type Oracle interface {
	Next(ctx context.Context, p *program.Program, origin [][]int) (paths []Path, ok bool, err error)
}

// NewRobustnessOracle is the oracle of the thesis, section 3.1.2: the path of a
// witness against robustness, for each thread that has one.
//
// A thread with loops has endlessly many paths. For lack of a better reason to
// prefer some, witnesses whose path goes round loops (of the program at the outset)
// less often come first: each bound on the rounds leaves finitely many paths, and
// none comes twice.
func NewRobustnessOracle(opts Options) Oracle {
	return &robustnessOracle{opts: robust.Options{MemoryLimit: opts.MemoryLimit, Progress: opts.Progress, Pending: true}}
}

type robustnessOracle struct {
	opts   robust.Options
	rounds int
	back   [][]bool // by thread and edge of the program at the outset
}

func (o *robustnessOracle) Next(ctx context.Context, p *program.Program, origin [][]int) ([]Path, bool, error) {
	if o.back == nil {
		for i, t := range p.Threads {
			o.back = append(o.back, flow.FindLoops(t, flow.Live(p, i, false)).Back)
		}
	}
	r, err := program.AnalyseContext(ctx, p)
	if err != nil {
		if ctx.Err() != nil { // which the caller sees
			err = nil
		}
		return nil, false, err
	}
	s, err := robust.NewSearch(p, r, verdict.Robustness, o.opts)
	if err != nil {
		return nil, false, err
	}
	for {
		var paths []Path
		var bounded []int // threads of which there may be more beyond the bound
		for t := range p.Threads {
			edges, more, err := s.Delay(ctx, t, o.rounds, func(e int) bool {
				was := origin[t][e]
				return was >= 0 && o.back[t][was]
			})
			if err != nil {
				return nil, false, err
			}
			if edges != nil {
				paths = append(paths, Path{t, edges})
			}
			if more {
				bounded = append(bounded, t)
			}
		}
		if len(paths) > 0 {
			return paths, true, nil
		}
		complete := func() bool {
			reason, _ := s.Gap(ctx)
			return reason == ""
		}
		found := false
		for _, t := range bounded {
			if !complete() {
				break
			}
			edges, _, err := s.Delay(ctx, t, -1, nil)
			if err != nil {
				return nil, false, err
			}
			found = found || edges != nil
		}
		if !complete() {
			return nil, false, nil
		}
		if !found {
			return nil, true, nil
		}
		o.rounds = max(1, 2*o.rounds)
	}
}
