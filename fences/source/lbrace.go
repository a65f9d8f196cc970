package source

import (
	"cmp"
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/fences"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// unrace finds the cheapest changes after which there is no race of load buffering. Of each race
// the read can acquire, the write that could be executed before it can release, or a fence can
// stand between them. Whoever orders more has no other races, so that all there are to begin
// with say where to look. Every choice is written into the text, and what is written is read
// and searched for races.
func (x *repairer) unrace(ctx context.Context) error {
	switch {
	case x.opts.Means != verdict.Mfence:
		return x.p.Diagnose(program.Position{}, "an exchange does nothing against load buffering", "leave out --means")
	}
	races, now, err := engine.AllLBRaces(ctx, x.p, x.opts.Options)
	if err != nil {
		return err
	}
	x.checks++
	switch {
	case now.Safe():
		x.res.Sets, x.res.Final, x.res.Complete = []verdict.FenceSet{{}}, &verdict.Evidence{Check: now}, x.opts.All
		return nil
	case !now.Unsafe():
		x.res.Reason, x.res.Advice = now.Reason(), now.Next()
		return nil
	}
	all, err := lang.Orderings(x.p, x.opts.Defines, x.opts.C)
	if err != nil {
		return err
	}
	list := x.against(races, all)
	if err := x.orderingCosts(list); err != nil {
		return err
	}
	return x.choose(ctx, list, "the accesses that race are not written so that they could be made to order more")
}

// against is those of all strengthenings that have to do with one of the races.
func (x *repairer) against(races []*verdict.Execution, all []program.Strengthening) (list []program.Strengthening) {
	text := x.p.Source.Text
	wanted := make([]bool, len(all))
	for _, r := range races {
		path := r.Violation.LBRace.Path
		read, early := path[0].Cmd.Pos, path[1].Cmd.Pos
		after := -1 // the first place for a fence after the read
		for i := range all {
			s := &all[i]
			switch {
			case s.Orders&^3 != 0:
			case s.Instead && s.Pos.Line == read.Line && s.Orders&1 != 0,
				s.Instead && s.Pos.Line == early.Line && s.Orders&2 != 0:
				wanted[i] = true
			case !s.Instead && s.Orders == 1 && s.Edits[0].From > program.Offset(text, read) &&
				(after < 0 || s.Edits[0].From < all[after].Edits[0].From):
				after = i
			}
		}
		if after >= 0 {
			wanted[after] = true
		}
	}
	for i := range all {
		if wanted[i] {
			list = append(list, all[i])
		}
	}
	for i := range list {
		s := &list[i]
		x.sites = append(x.sites, s.Site)
		x.fences = append(x.fences, site{Fence: verdict.Fence{Site: s.Site, What: s.What, Instead: s.Instead, Threads: x.of(s)}})
	}
	return list
}

// of is the threads that have a strengthening: in C, those that execute the line.
func (x *repairer) of(s *program.Strengthening) (threads []int) {
	if s.Thread >= 0 {
		return []int{s.Thread}
	}
	for t, th := range x.p.Threads {
		if slices.ContainsFunc(th.Edges, func(e program.Edge) bool { return e.Cmd.Pos.Line == s.Pos.Line }) {
			threads = append(threads, t)
		}
	}
	return threads
}

// orderingCosts sets what each costs, for all threads that have it.
func (x *repairer) orderingCosts(list []program.Strengthening) error {
	lines := map[int]int{}
	for p, n := range loops(x.p) {
		lines[p.Line] = max(lines[p.Line], n)
	}
	costs := x.threadCost(x.p)
	for i := range list {
		f := &x.fences[i]
		dearest := 1
		for _, t := range f.Threads {
			dearest = max(dearest, costs[t])
		}
		f.Cost = list[i].Cost * x.weight(lines[list[i].Pos.Line]) * dearest
	}
	return nil
}

// choose finds the cheapest of the list that reach the goal.
func (x *repairer) choose(ctx context.Context, list []program.Strengthening, impossible string) error {
	s := &fences.Strengthener{List: list, MaxSets: 1, Check: func(ctx context.Context, chosen []int) (fences.Reach, error) {
		e, _, err := x.strengthened(ctx, chosen)
		if err != nil {
			return fences.Unsure, err
		}
		switch e.Verdict() {
		case verdict.IsSafe:
			return fences.Reached, nil
		case verdict.IsUnsafe:
			return fences.Missed, nil
		}
		x.res.Reason, x.res.Advice = e.Gap()
		return fences.Unsure, nil
	}}
	for i := range x.fences {
		s.Cost = append(s.Cost, x.fences[i].Cost)
	}
	if x.opts.All {
		s.MaxSets = maxStrengthened
	}
	sets, complete, reach, err := s.Find(ctx)
	x.res.Stats = []verdict.Stat{{Name: "verifications", Value: x.checks}}
	switch {
	case err != nil:
		return err
	case len(sets) == 0:
		if x.res.Impossible = reach == fences.Missed; x.res.Impossible {
			x.res.Reason = impossible
		}
		x.res.Reason = cmp.Or(x.res.Reason, "it is not known of all fences together")
		return nil
	}
	x.res.Complete = x.opts.All && complete
	for _, set := range sets {
		x.res.Sets = append(x.res.Sets, x.set(set))
	}
	return x.reasons(ctx, sets[0])
}

// lbModel is the model under which races of load buffering are looked for.
const lbModel = memory.RC11
