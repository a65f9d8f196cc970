package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Explicit searches the states one by one.
const Explicit Name = "explicit"

func explicitEngine() Engine {
	e := explicitBy("") // the options say how
	e.Name, e.Count.By = Explicit, string(explore.Persistent)
	e.Options = append(e.Options, Reduction)
	// Most programs are small. In large ones a violation is sooner found by bmc, a proof
	// sooner had by saturation and, where the buffers do not matter, by lazy search.
	e.Weight = func(s *Shape, w Work) float64 {
		switch {
		case w.Leads:
			return 4
		case !scTSO(s.Model) || s.Deadlock: // there is neither lazy search nor saturation
			return 1
		case !tso(s.Model):
			return 0.6
		case s.Robust:
			return 0.05
		}
		return 0.3
	}
	e.FinalStates = func(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
		return explore.FinalStates(ctx, p, opts.alone())
	}
	e.Family = &Family{Param: "REDUCTION", Bare: true, Listed: reductions(),
		Of: func(param string) (Engine, bool) {
			by := explore.Reduction(param)
			return explicitBy(by), by == explore.DynamicPOR || slices.Contains(explore.Reductions(), by)
		}}
	return e
}

// reductions are those that are not the default.
func reductions() (names []string) {
	for _, r := range append(explore.Reductions(), explore.DynamicPOR) {
		if r != explore.Persistent {
			names = append(names, string(r))
		}
	}
	return names
}

func explicitBy(by explore.Reduction) Engine {
	options := func(opts Options) explore.Options {
		o := opts.alone()
		o.Reduction = cmp.Or(by, o.Reduction)
		return o
	}
	e := Engine{
		Name:         Explicit + ":" + Name(by),
		Doc:          "searches the states one by one",
		Models:       builtin,
		Wide:         builtin,
		Options:      []Option{Order, Symmetry, Workers, Compact, Spill, Buffer, Live},
		Certificates: scTSO,
		Check: func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
			r, err := explore.Check(ctx, p, options(opts))
			if err == nil && by != "" {
				r.Engine = string(Explicit + ":" + Name(by))
			}
			return r, err
		},
		Count: &Counting{What: "states", By: string(by), Run: func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
			return explore.All(ctx, p, options(opts))
		}},
	}
	switch by {
	case explore.Cartesian:
		// Its states are the ends of long prefixes, of which there are few on the way to most violations.
		e.Weight = func(s *Shape, w Work) float64 {
			switch {
			case w.Leads:
				return 4
			case s.Robust: // there is more to see of the states under SC
				return 0.05
			case w.Time < 60*time.Millisecond:
				return 0.6
			}
			return 0.1
		}
	case explore.LocalFirst: // for one worker
		e.Options = []Option{Order, Compact, Spill, Buffer, Live}
	case explore.DynamicPOR: // it has an order and a set of its own
		e.Wide = nil
		e.Options = []Option{Buffer, Live}
	}
	return e
}
