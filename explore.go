package fencepost

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Reduction is a partial-order reduction of a search, and DefaultReduction is that of a search
// through states.
type Reduction = explore.Reduction

// DefaultReduction is the reduction of a search through states unless another is asked for.
const DefaultReduction = explore.Persistent

// Reductions lists those of a search through states.
func Reductions() []Reduction { return explore.Reductions() }

// A Counting is a way to meet every state or every execution of a program once.
type Counting struct {
	Reduction string
	Counts    string // "states" or "executions"
	engine    engine.Engine
}

// Countings lists the ways in the order in which they are documented. Of one reduction those that
// count executions come first.
func Countings() (all []Counting) {
	for _, e := range engine.Engines() {
		if e.Count != nil {
			all = append(all, Counting{e.Count.By, e.Count.What, e})
		}
	}
	var first []string // of the reductions, in the order in which engines have them
	for _, c := range all {
		first = append(first, c.Reduction)
	}
	place := func(c Counting) int {
		if i := slices.Index(explore.Reductions(), Reduction(c.Reduction)); i >= 0 {
			return i - len(explore.Reductions())
		}
		return slices.Index(first, c.Reduction)
	}
	slices.SortStableFunc(all, func(a, b Counting) int {
		return cmp.Or(place(a)-place(b), strings.Compare(a.Counts, b.Counts))
	})
	return all
}

// Takes is whether the way heeds an option.
func (c *Counting) Takes(o EngineOption) bool { return o == engine.Reduction || c.engine.Takes(o) }

// For is whether the way is one under the model.
func (c *Counting) For(m Model) bool { return c.engine.Models(m) }

// An Exploration is the answer of [Explore]: a verdict about what was met, and how much that was.
type Exploration struct{ *report.Exploration }

// Explore visits the states or executions of p, and counts. It stops at a violation.
func Explore(ctx context.Context, p *Program, how Counting, opts ...Option) (*Exploration, error) {
	ctx, cancel, o := begin(ctx, opts)
	defer cancel()
	o.Engine, o.Reduction = how.engine.Name, Reduction(how.Reduction)
	x := &report.Exploration{Reduction: how.Reduction, Counts: how.Counts}
	x.Live = how.engine.Takes(engine.Live) && !o.NoLive
	if how.engine.Takes(engine.Order) {
		x.Search = "bfs"
		if o.DepthFirst {
			x.Search = "dfs"
		}
	}
	if err := cmp.Or(o.Model, TSO).Takes(p); err != nil {
		return nil, err
	}
	if err := how.engine.Refuses(p, verdict.Count, cmp.Or(o.Model, TSO)); err != nil {
		return nil, p.Diagnose(program.Position{}, err.Error(), "")
	}
	r, err := judged(how.engine.Count.Run(ctx, how.engine.Sees(p), o.Options.WithDefaults()))
	if err != nil {
		return nil, err
	}
	if x.Result, err = replay.Polish(ctx, r.Result, o.Full); err != nil {
		return nil, err
	}
	return &Exploration{x}, nil
}

// An Estimate is how many executions there seem to be, without exploring them.
type Estimate struct{ *report.Estimate }

// EstimateCount tells how many executions [Explore] would seem to find: those that it meets on
// random walks say how many others there are. The error says why nothing is known.
func EstimateCount(ctx context.Context, p *Program, how Counting, opts ...Option) (*Estimate, error) {
	ctx, cancel, o := begin(ctx, opts)
	defer cancel()
	if err := cmp.Or(o.Model, TSO).Takes(p); err != nil {
		return nil, err
	}
	if err := how.engine.Refuses(p, verdict.Count, cmp.Or(o.Model, TSO)); err != nil {
		return nil, p.Diagnose(program.Position{}, err.Error(), "")
	}
	if how.engine.Count.Estimate == nil {
		return nil, p.Diagnose(program.Position{}, how.Reduction+" gives no estimate", "")
	}
	e, r, err := how.engine.Count.Estimate(ctx, p, o.Options.WithDefaults())
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, p.Diagnose(program.Position{}, "no estimate: "+r.Reason(), "")
	}
	return &Estimate{&report.Estimate{File: p.Name, Model: r.Model(), Walks: e.Walks, Executions: e.Executions, Blocked: e.Blocked,
		Lower: e.Lower, Median: e.Median, Upper: e.Upper, Tail: e.Largest > 0.1}}, nil
}

// Print writes the estimate in a style.
func (e *Estimate) Print(w io.Writer, s Style) error {
	if s.File != "" {
		e.File = s.File
	}
	if s.Format == JSON {
		return e.JSON(w)
	}
	return e.Text(w)
}

// Print writes the exploration in a style.
func (x *Exploration) Print(w io.Writer, s Style) error {
	if s.Format == JSON {
		return report.JSONExploration(w, x.Exploration, s.file(x.Program()))
	}
	return report.TextExploration(w, x.Exploration, s.options())
}

func (x *Exploration) String() string { return text(x) }

// PlotExplorations draws what explorations did and how long they took over the values that a
// constant had, as SVG: a curve for each reduction. rows has the explorations by value.
func PlotExplorations(w io.Writer, title, constant string, values []int64, rows [][]*Exploration) error {
	all := make([][]*report.Exploration, len(rows))
	for i, row := range rows {
		for _, x := range row {
			all[i] = append(all[i], x.Exploration)
		}
	}
	return report.Plot(w, report.ExplorationCurves(title, constant, values, all)...)
}

// PrintTable writes a row for each exploration.
func PrintTable(w io.Writer, xs []*Exploration, s Style) error {
	rows := make([]*report.Exploration, len(xs))
	for i, x := range xs {
		rows[i] = x.Exploration
	}
	return report.TableExplorations(w, rows, s.options())
}
