package engine

import (
	"context"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/refine"
	"github.com/fencepost-verifier/fencepost/symbolic"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// IC3 looks for an inductive invariant of an abstraction. It chooses the
// abstraction, or it is named as in "ic3:set".
const IC3 Name = "ic3"

func ic3Engine() Engine {
	e := inductive(refine.IC3, "looks for an inductive invariant of an abstraction, which ic3:BUFFER names")
	// A proof by induction is found soon or not at all.
	e.Weight = func(s *Shape, w Work) float64 {
		if !scTSO(s.Model) {
			return 0
		}
		if w.Time < 300*time.Millisecond {
			return 0.04
		}
		return 0.02
	}
	return e
}

// inductive is the family of engines of a method of induction.
func inductive(method refine.Method, doc string) Engine {
	with := func(b abstract.Buffer) Engine {
		return Engine{
			Name:         Name(method),
			Doc:          doc,
			Models:       scTSO,
			Options:      []Option{Solver},
			Certificates: scTSO,
			Check: func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
				return refine.Inductive(ctx, p, opts.Model, method, b, opts.refine())
			},
		}
	}
	e := with(nil)
	e.Family = buffers(Name(method), with, symbolic.Supports)
	return e
}

// buffers is the family of engines that take the name of store buffers.
func buffers(name Name, with func(abstract.Buffer) Engine, supports func(abstract.Buffer) bool) *Family {
	return &Family{Param: "BUFFER", Bare: true, Of: func(param string) (Engine, bool) {
		b, err := abstract.ParseBuffer(param)
		if err != nil || !supports(b) {
			return Engine{}, false
		}
		e := with(b)
		e.Name = name + ":" + Name(param)
		// Every abstraction has the runs of SC, but the buffers of SC none of TSO.
		e.Models = func(m memory.Model) bool { return m == memory.SC || m == memory.TSO && !b.Immediate() }
		e.Certificates = e.Models
		return e, true
	}}
}
