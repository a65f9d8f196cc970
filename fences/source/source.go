// Package source puts fences into the text of programs, and takes needless ones out. Package
// [fences] finds the places; here they become lines of the source, and what was written is
// read again and verified. A program with its source goes in, a [verdict.FenceResult] comes
// out.
package source

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Options say what fences are wanted.
type Options struct {
	engine.Options
	// Goal is the question of which the answer is to be [verdict.IsSafe] under TSO;
	// "" is [verdict.Robustness].
	Goal  verdict.Question
	Means verdict.Means
	// All asks for every minimal set.
	All bool
	// Redundant asks which fences of the source can go, instead.
	Redundant bool
	// Uniform makes all places cost the same; otherwise a place costs ten
	// times as much in a loop as out of it.
	Uniform bool
	// ThreadCost multiplies the costs of a thread's places, by its name or, of
	// a family, by that of the process; at least 1.
	ThreadCost map[string]int
	// Costs is what strengthenings cost, by what is written, in place of what they cost by
	// themselves; at least 1.
	Costs map[string]int
	// Defines are the values of constants with which the program was read, and C the other
	// settings.
	Defines map[string]int64
	C       lang.C
}

// A site is a place in the source, as the search for fences knows it.
type site struct {
	verdict.Fence
	loops int
}

// Find finds fences for p, which was read from p.Source. A cost for a thread that p has
// not is a [program.Diagnostic].
func Find(ctx context.Context, p *program.Program, opts Options) (*verdict.FenceResult, error) {
	start := time.Now()
	opts.Goal = cmp.Or(opts.Goal, verdict.Robustness)
	if p.NoHang && opts.Goal == verdict.Safety {
		return nil, p.Diagnose(program.Position{}, "fences are not placed against hanging", "leave out forbid hang")
	}
	x := &repairer{p: p, opts: opts, res: &verdict.FenceResult{
		Program: p, Goal: opts.Goal, Means: opts.Means, Redundant: opts.Redundant, Text: p.Source.Text}}
	model := cmp.Or(opts.Model, memory.Default(p.Arch))
	strengthen := lang.Strengthens(p) && (model != memory.TSO || p.Wide() || engine.AxiomsOnly(p, model))
	if opts.Goal == verdict.LBRaces {
		model = lbModel
	} else if model != memory.TSO && !strengthen {
		return nil, p.Diagnose(program.Position{}, fmt.Sprintf("under %s fences are put into litmus tests only", model), "of other programs they are found under tso")
	}
	x.opts.Model, x.res.Model = model, model
	if opts.Redundant {
		x.opts.Means = verdict.Mfence
	}
	if opts.Goal == verdict.LBRaces {
		if opts.Redundant {
			return nil, p.Diagnose(program.Position{}, "what is redundant is not found of load buffering", "leave out --redundant")
		}
		if len(opts.Costs) > 0 {
			return nil, p.Diagnose(program.Position{}, "against load buffering, costs are those of orders", "--cost and --thread-cost are for all programs")
		}
	}
	if err := x.checkCosts(); err != nil {
		return nil, err
	}
	find := x.find
	if opts.Goal == verdict.LBRaces {
		find = x.unrace
	} else if strengthen {
		find = x.strengthen
	} else if len(opts.Costs) > 0 {
		return nil, p.Diagnose(program.Position{}, "fences have costs of their own in litmus tests that are not run under tso only", "--cost and --thread-cost are for all programs")
	}
	if err := find(ctx); err != nil {
		return nil, err
	}
	x.res.Elapsed = time.Since(start)
	return x.res, nil
}

// A repairer is one search for fences.
type repairer struct {
	p    *program.Program
	opts Options
	res  *verdict.FenceResult

	sites  []program.Site
	fences []site // by site
	checks int64

	// patience is how long a check may take where nobody has set a limit, and longest how long one
	// has taken that came to an end; 0: as long as it likes.
	patience, longest time.Duration
}

func (x *repairer) find(ctx context.Context) error {
	now, err := x.check(ctx, x.p)
	if err != nil {
		return err
	}
	switch reached := now.Verdict() == verdict.IsSafe; {
	case reached && !x.opts.Redundant:
		x.res.Sets, x.res.Final, x.res.Complete = []verdict.FenceSet{{}}, now, x.opts.All
		return nil
	case x.opts.Redundant && !reached:
		x.res.Reason, x.res.Advice = now.Gap()
		if now.Verdict() == verdict.IsUnsafe {
			x.res.Insufficient = true
			x.res.Reason, x.res.Advice = "the program does not have "+x.opts.Goal.Goal()+" with all its fences", "ask for the fences that it needs"
		}
		return nil
	case x.opts.Goal == verdict.Safety:
		sc := x.opts.Options
		sc.Model = memory.SC
		began := time.Now()
		r, err := engine.Check(ctx, x.p, sc)
		if err != nil {
			return err
		}
		if !r.Safe() {
			x.res.Reason, x.res.Advice = r.Reason(), r.Advice
			if r.Unsafe() {
				x.res.Wrong = r
			} else {
				x.res.Reason = fmt.Sprintf("under %s it is %s; that it is safe under sc, without which no fence helps, was not found in the %.1f s that were left: %s",
					x.opts.Model, strings.ToLower(now.Verdict().String()), time.Since(began).Seconds(), r.Reason())
			}
			return nil
		}
	}
	sets, err := x.propose(ctx)
	if err != nil || len(sets) == 0 {
		return err
	}
	chosen, err := x.settle(ctx, sets[0])
	if err != nil || chosen == nil {
		return err
	}
	x.res.Sets = []verdict.FenceSet{x.set(chosen)}
	if x.opts.All {
		for _, s := range sets[1:] {
			if !slices.Equal(s, chosen) {
				x.res.Sets = append(x.res.Sets, x.set(s))
			}
		}
	}
	if x.opts.Redundant {
		for i := range x.fences {
			if !slices.Contains(chosen, i) {
				x.res.Removed = append(x.res.Removed, x.fences[i].Fence)
			}
		}
	}
	x.res.Stats = append(x.res.Stats, verdict.Stat{Name: "verifications", Value: x.checks})
	return nil
}

// check is whether a program reaches the goal.
func (x *repairer) check(ctx context.Context, p *program.Program) (e *verdict.Evidence, err error) {
	x.checks++
	ctx, done := x.patient(ctx)
	defer func() { done(err == nil && e.Verdict() != verdict.IsUnknown) }()
	e = &verdict.Evidence{}
	switch x.opts.Goal {
	case verdict.Safety:
		e.Check, err = engine.Check(ctx, p, x.opts.Options)
	case verdict.LBRaces:
		e.Check, err = engine.LBRaces(ctx, p, x.opts.Options)
	case verdict.RaceFreedom:
		e.Robust, err = robust.Races(ctx, p, robust.Options{MemoryLimit: x.opts.MemoryLimit, Progress: x.opts.Progress})
	default:
		e.Robust, err = engine.Robust(ctx, p, x.opts.Options)
	}
	if err == nil && e.Check != nil && e.Check.Fault() {
		err = p.Diagnose(e.Check.Violation().Pos, e.Check.Violation().Text+" can be reached", "")
	}
	return e, err
}

// written is the program with the chosen sites, read from its text. Positions in
// it are those in the source.
func (x *repairer) written(chosen []int) (*program.Program, string, error) {
	r := x.revise(chosen)
	p, err := lang.Parse(&program.Source{Name: x.p.Source.Name, Text: r.Text}, x.opts.Defines, x.opts.C)
	if err != nil {
		return nil, "", err
	}
	p.Relocate(r.Old)
	p.Source = x.p.Source
	return p, r.Text, nil
}

// revise makes the edits of the chosen sites. Those of fences that are in the
// source take them out, so they are made of the others.
func (x *repairer) revise(chosen []int) *program.Revision {
	var edits []program.Edit
	for i := range x.sites {
		if slices.Contains(chosen, i) != x.opts.Redundant {
			edits = append(edits, x.sites[i].Edits...)
		}
	}
	return program.Revise(x.p.Source.Text, edits)
}

// settle verifies the chosen sites, drops those that are not needed, and finds
// out what each of the others is needed for.
func (x *repairer) settle(ctx context.Context, chosen []int) ([]int, error) {
	p, text, err := x.written(chosen)
	if err != nil {
		return nil, err
	}
	final, err := x.check(ctx, p)
	if err != nil {
		return nil, err
	}
	switch final.Verdict() {
	case verdict.IsUnknown:
		x.res.Reason, x.res.Advice = final.Gap()
		return nil, nil
	case verdict.IsUnsafe:
		x.res.Reason, x.res.Impossible = "the fences that can be written do not reach "+x.opts.Goal.Goal(), true
		return nil, nil
	}
	// The dearest first, so that what is left is cheap.
	order := slices.Clone(chosen)
	slices.SortStableFunc(order, func(a, b int) int { return x.fences[b].Cost - x.fences[a].Cost })
	for _, i := range order {
		rest := slices.DeleteFunc(slices.Clone(chosen), func(s int) bool { return s == i })
		q, without, err := x.written(rest)
		if err != nil {
			return nil, err
		}
		e, err := x.check(ctx, q)
		if err != nil {
			return nil, err
		}
		switch e.Verdict() {
		case verdict.IsSafe:
			chosen, text, final = rest, without, e
		case verdict.IsUnsafe:
			x.fences[i].Without = e
		}
	}
	x.res.Text, x.res.Final = text, final
	return chosen, nil
}

// set is the fences at the sites.
func (x *repairer) set(sites []int) verdict.FenceSet {
	var s verdict.FenceSet
	for _, i := range sites {
		s.Fences = append(s.Fences, x.fences[i].Fence)
		s.Cost += x.fences[i].Cost
	}
	slices.SortStableFunc(s.Fences, func(a, b verdict.Fence) int { return a.Site.Pos.Line - b.Site.Pos.Line })
	return s
}
