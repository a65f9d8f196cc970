// Package repair puts fences into the text of programs, and takes needless ones
// out. Package refine finds the places; here they become lines of the source, and
// what was written is read again and verified.
package repair

import (
	"context"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/refine"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Options say what fences are wanted.
type Options struct {
	refine.Options
	Goal  refine.FenceGoal
	Means refine.Means // Mfence or Xchg
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
	// Defines are the values of constants with which the program was read.
	Defines map[string]int64
}

// A Fence is a place in the source: a fence to put in, a store to make an
// exchange of, or a fence to take out.
type Fence struct {
	Site program.Site
	// Threads execute it. One line of a family of processes is one for every
	// member.
	Threads []int
	// Cost is that of all its threads.
	Cost int
	// Without is, of a fence that is needed, what can happen without it, with
	// the others in place.
	Without *Evidence

	site  int // its number
	loops int
}

// Evidence is whether a program reaches a goal: one of its fields, as the goal
// wants it.
type Evidence struct {
	Robust *refine.RobustResult
	Check  *verdict.Result
}

// Reached is true where the goal is reached for sure.
func (e *Evidence) Reached() bool {
	if e.Robust != nil {
		return e.Robust.Verdict == refine.IsRobust
	}
	return e.Check.Safe()
}

// Refuted is true where there is a run that the goal forbids.
func (e *Evidence) Refuted() bool {
	if e.Robust != nil {
		return e.Robust.Verdict == refine.NotRobust
	}
	return e.Check.Unsafe()
}

func (e *Evidence) reason() (reason, advice string) {
	if e.Robust != nil {
		return e.Robust.Reason, e.Robust.Advice
	}
	return e.Check.Reason(), e.Check.Advice
}

// A Set is fences that reach the goal together.
type Set struct {
	Fences []Fence
	Cost   int
}

// Places is the number of fences, counted for every thread.
func (s *Set) Places() int {
	n := 0
	for _, f := range s.Fences {
		n += len(f.Threads)
	}
	return n
}

// A Result is what there is to say about the fences of a program.
type Result struct {
	Program *program.Program
	Goal    refine.FenceGoal
	Means   refine.Means
	// Redundant is true where the fences are those of the source.
	Redundant bool
	// Sets is the sets that were found, the first the one that was verified.
	// Of a program that reaches the goal as it is, there is one without
	// fences.
	Sets []Set
	// Complete is true where all minimal sets were asked for and are there.
	Complete bool
	// Removed is, where redundant fences were asked for, those that can go;
	// the first of Sets is those that stay.
	Removed []Fence
	// Text is the source with the fences of the first set.
	Text string
	// Final is the verification of Text, or, where there is no way to write
	// the fences, of the model with them. Unwritable says why.
	Final      *Evidence
	Unwritable string
	// Enough is how many places would do. It is less than the first set has
	// where a line is one for every member of a family of processes, and not
	// all members need it.
	Enough int
	// Wrong is the violation under SC, which no fence prevents.
	Wrong *verdict.Result
	// Impossible is true where no set of fences of the kind that was asked
	// for reaches the goal.
	Impossible bool
	// Insufficient is true where redundant fences were asked for of a program
	// that does not reach the goal with all of them.
	Insufficient   bool
	Reason, Advice string // without Sets: why there are none
	Elapsed        time.Duration
	Stats          []verdict.Stat
}

// Verified is true where the program with the fences was shown to reach the goal.
func (r *Result) Verified() bool { return r.Final != nil && r.Final.Reached() }

// Find finds fences for p, which was read from p.Source.
func Find(ctx context.Context, p *program.Program, opts Options) (*Result, error) {
	start := time.Now()
	x := &repairer{p: p, opts: opts, res: &Result{
		Program: p, Goal: opts.Goal, Means: opts.Means, Redundant: opts.Redundant, Text: p.Source.Text}}
	x.opts.Model = memory.TSO
	if opts.Redundant {
		x.opts.Means = refine.Mfence
	}
	if err := x.find(ctx); err != nil {
		return nil, err
	}
	x.res.Elapsed = time.Since(start)
	return x.res, nil
}

// A repairer is one search for fences.
type repairer struct {
	p    *program.Program
	opts Options
	res  *Result

	sites  []program.Site
	fences []Fence // by site
	checks int64
}

func (x *repairer) find(ctx context.Context) error {
	now, err := x.check(ctx, x.p)
	if err != nil {
		return err
	}
	switch {
	case now.Reached() && !x.opts.Redundant:
		x.res.Sets, x.res.Final, x.res.Complete = []Set{{}}, now, x.opts.All
		return nil
	case x.opts.Redundant && !now.Reached():
		x.res.Reason, x.res.Advice = now.reason()
		if now.Refuted() {
			x.res.Insufficient = true
			x.res.Reason, x.res.Advice = "the program does not have "+x.opts.Goal.String()+" with all its fences", "ask for the fences that it needs"
		}
		return nil
	case x.opts.Goal == refine.RestoreSafety:
		sc := x.opts.Options
		sc.Model = memory.SC
		r, err := refine.Check(ctx, x.p, sc)
		if err != nil {
			return err
		}
		if !r.Safe() {
			if r.Unsafe() {
				x.res.Wrong = r
			}
			x.res.Reason, x.res.Advice = r.Reason(), r.Advice
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
	x.res.Sets = []Set{x.set(chosen)}
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
				x.res.Removed = append(x.res.Removed, x.fences[i])
			}
		}
	}
	x.res.Stats = append(x.res.Stats, verdict.Stat{Name: "verifications", Value: x.checks})
	return nil
}

// check is whether a program reaches the goal.
func (x *repairer) check(ctx context.Context, p *program.Program) (e *Evidence, err error) {
	x.checks++
	e = &Evidence{}
	switch x.opts.Goal {
	case refine.RestoreSafety:
		e.Check, err = refine.Check(ctx, p, x.opts.Options)
	case refine.RestoreTRF:
		e.Robust, err = refine.TRF(ctx, p, x.opts.Options)
	default:
		e.Robust, err = refine.Robust(ctx, p, x.opts.Options)
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
	p, err := lang.Parse(&program.Source{Name: x.p.Source.Name, Text: r.Text}, x.opts.Defines)
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
	if !final.Reached() {
		x.res.Reason, x.res.Advice = final.reason()
		if final.Refuted() {
			x.res.Reason, x.res.Impossible = "the fences that can be written do not reach "+x.opts.Goal.String(), true
		}
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
		switch {
		case err != nil:
			return nil, err
		case e.Reached():
			chosen, text, final = rest, without, e
		case e.Refuted():
			x.fences[i].Without = e
		}
	}
	x.res.Text, x.res.Final = text, final
	return chosen, nil
}

// set is the fences at the sites.
func (x *repairer) set(sites []int) Set {
	var s Set
	for _, i := range sites {
		s.Fences = append(s.Fences, x.fences[i])
		s.Cost += x.fences[i].Cost
	}
	slices.SortStableFunc(s.Fences, func(a, b Fence) int { return a.Site.Pos.Line - b.Site.Pos.Line })
	return s
}
