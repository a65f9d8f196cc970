package trust

import (
	"context"
	"errors"
	"math/rand/v2"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/crew"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An Estimate is how many graphs there seem to be, without exploring them.
type Estimate = crew.Estimate

// A walk goes down the tree, to a child taken at random.
type walk struct {
	rng     *rand.Rand
	product float64
}

// Estimates tells how many graphs [Explore] would find, from that many random walks through
// the tree of graphs, each of which counts the children where it goes by (Knuth,
// "Estimating the efficiency of backtrack programs", 1975): the expectation is right, since one path leads to each graph,
// but the spread may be large. The result has no verdict but Unknown, and says why where
// nothing is known.
func Estimates(ctx context.Context, p *program.Program, opts Options, walks int) (*Estimate, *verdict.Result, error) {
	opts.Workers, opts.MaxGraphs, opts.Graph = 1, 0, nil
	inOrder := map[int]bool{}
	for {
		made := (*sums)(nil)
		if opts.Commute {
			made, _ = unordered(ctx, p, opts, verdict.Safety, inOrder)
		}
		e, res, err := estimates(ctx, p, opts, walks, made)
		var o *ordered
		if !errors.As(err, &o) {
			return e, res, err
		}
		inOrder[o.sum.cell] = true
	}
}

// estimates is Estimates, with the additions of p apart as s has them, where it is not nil.
func estimates(ctx context.Context, p *program.Program, opts Options, walks int, s *sums) (*Estimate, *verdict.Result, error) {
	if s != nil {
		p = s.made
	}
	x, res, err := prepare(ctx, p, opts, verdict.FinalStates, func(*abstract.State) {})
	if x == nil {
		return nil, res, err
	}
	defer x.total.Close()
	if x.weak != nil {
		return nil, verdict.Unknown(p, x.opts.Model, "graphs of this model are no tree"), nil
	}
	if s != nil {
		if !s.fits(x.ranges) {
			return nil, nil, errors.New("internal error: additions have changed which cells there are")
		}
		x.sums, p = s, s.of
	}
	x.walk = &walk{rng: rand.New(rand.NewPCG(1, 2))}
	var all [][2]float64
	for range walks {
		x.walk.product = 1
		x.tree, x.path = position{only: every}, x.path[:0]
		full, rest := x.executions, x.blocked+x.cut
		x.visit()
		if x.stopped != "" || x.err != nil {
			break
		}
		x.found = nil
		var n [2]float64
		if x.executions > full {
			n[0] = x.walk.product
		} else if x.blocked+x.cut > rest {
			n[1] = x.walk.product
		}
		all = append(all, n)
	}
	if x.err != nil {
		return nil, nil, x.err
	}
	res = verdict.Unknown(p, x.opts.Model, "graphs were estimated and not explored")
	if len(all) == 0 {
		return nil, verdict.Unknown(p, x.opts.Model, "no walk through the tree of graphs came to an end; stopped by "+x.stopped), nil
	}
	return crew.Estimated(all), res, nil
}
