package engine

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/refine"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Localize searches the states with the values of counters, and of what else nothing depends on, left open. "localize:N" says that
// more than N values are many.
const Localize Name = "localize"

func localizeEngine() Engine {
	with := func(many uint64) Engine {
		return Engine{
			Name:    Localize,
			Doc:     "searches the states with values left open that are many and do not matter",
			Models:  builtin,
			Options: []Option{Order, Reduction},
			Check: func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
				return refine.Localize(ctx, p, many, opts.explore())
			},
		}
	}
	e := with(refine.ManyValues)
	// It has a proof soon, or a violation that says nothing.
	e.Weight = func(s *Shape, w Work) float64 {
		switch {
		case !s.Rounds:
			return 0
		case w.Time < 500*time.Millisecond:
			return 0.5
		case w.Time < 5*time.Second:
			return 0.2
		}
		return 0.05
	}
	e.Family = &Family{Param: "N", Listed: []string{"1"}, Bare: true, Of: func(param string) (Engine, bool) {
		n, err := strconv.ParseUint(param, 10, 63)
		m := with(n)
		m.Name = Name(fmt.Sprintf("%s:%d", Localize, n))
		return m, err == nil && n > 0
	}}
	return e
}
