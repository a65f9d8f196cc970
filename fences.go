package fencepost

import (
	"context"
	"io"

	"github.com/fencepost-verifier/fencepost/fences/source"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Goal is what fences are for.
type Goal = verdict.Question

// The goals.
const (
	Safety      Goal = verdict.Safety
	Robustly    Goal = verdict.Robustness
	NoTriangles Goal = verdict.RaceFreedom // freedom from triangular races
	NoLBRaces   Goal = verdict.LBRaces     // from races of load buffering, in C11
)

// Means are what is put into a program.
type Means = verdict.Means

// The means: fences, or exchanges in the place of stores.
const (
	Mfence = verdict.Mfence
	Xchg   = verdict.Xchg
)

// A FenceSearch says what fences are wanted. The zero value asks for a cheapest set for the goal
// that the program suggests.
type FenceSearch struct {
	Goal  Goal // "": safety where there is a property, and else robustness
	Means Means
	// All asks for every minimal set.
	All bool
	// Redundant asks which fences of the source can go, instead.
	Redundant bool
	// Uniform makes all places cost the same; otherwise a place costs ten times as much in a
	// loop as out of it.
	Uniform bool
	// ThreadCost multiplies the costs of a thread's places, by its name or, of a family, by that
	// of the process; at least 1.
	ThreadCost map[string]int
	// Costs is what fences and access modes of litmus tests cost, such as DMB ISH or LDAR, by
	// what is written; at least 1.
	Costs map[string]int
}

// A Repair is the answer of [Fences].
type Repair struct{ *verdict.FenceResult }

// Fences finds fences of least cost with which p reaches the goal under TSO, and verifies what it
// proposes. Of litmus tests it does so under the model of the options, which is that of their
// architecture where there is none, with all the fences and access modes that there are. p has been read with the same definitions as are in the options.
func Fences(ctx context.Context, p *Program, what FenceSearch, opts ...Option) (*Repair, error) {
	ctx, cancel, o := begin(ctx, opts)
	defer cancel()
	goal := what.Goal
	if goal == "" {
		goal = Robustly
		if len(p.Properties) > 0 || p.HasAssertions() {
			goal = Safety
		}
	}
	r, err := source.Find(ctx, p, source.Options{Options: o.Options, Goal: goal, Means: what.Means, All: what.All,
		Redundant: what.Redundant, Uniform: what.Uniform, ThreadCost: what.ThreadCost, Costs: what.Costs, Defines: o.Defines, C: o.reading()})
	if err != nil {
		return nil, err
	}
	return &Repair{r}, polish(ctx, r, o.Full)
}

// polish makes the runs that fences prevent fit for people.
func polish(ctx context.Context, r *verdict.FenceResult, full bool) (err error) {
	if r.Wrong != nil {
		if r.Wrong, err = replay.Polish(ctx, r.Wrong, full); err != nil {
			return err
		}
	}
	for i := range r.Sets {
		for j := range r.Sets[i].Fences {
			if e := r.Sets[i].Fences[j].Without; e != nil && e.Check != nil {
				if e.Check, err = replay.Polish(ctx, e.Check, full); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// Mends is true of a repair that is a change to the text, and has been verified.
func (r *Repair) Mends() bool {
	return r.Verified() && r.Unwritable == "" && len(r.Sets) > 0 && r.Text != "" && r.Text != r.Program.Source.Text
}

// Mend is p, about the unsafe program, with the repair as a fix. The format is [SARIF].
func (r *Repair) Mend(p Part, s Style) (Part, error) {
	return report.MendedPart(p, r.FenceResult, s.file(r.Program))
}

// Print writes the answer in a style.
func (r *Repair) Print(w io.Writer, s Style) error {
	if s.Format == JSON {
		return report.JSONFences(w, r.FenceResult, s.file(r.Program), s.All)
	}
	return report.Fences(w, r.FenceResult, report.FenceOptions{Options: s.options(), Verbose: s.Verbose, All: s.All})
}

func (r *Repair) String() string { return text(r) }
