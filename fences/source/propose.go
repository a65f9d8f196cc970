package source

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/fences"
	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// propose has the library find places, and maps them to sites. Each set is in
// ascending order, the first is the one to settle for.
func (x *repairer) propose(ctx context.Context) ([][]int, error) {
	var base *program.Program // what the places are places of
	var at map[place]int
	redundant := true
	switch {
	case x.opts.Redundant:
		x.sites = lang.Fences(x.p)
		base, at = x.p, x.edgesOf(isFence)
	case x.opts.Means == verdict.Xchg:
		redundant = false
		x.sites = lang.Exchanges(x.p)
		base, at = x.p, x.edgesOf(func(c *program.Command) bool { return c.Op == program.Store })
	default:
		x.sites = lang.Sites(x.p, x.opts.Defines, x.opts.C)
		if len(x.sites) > 0 && x.sites[0].State >= 0 {
			redundant = false
			base, at = x.p, x.statesOf()
			break
		}
		// With a fence at every site, those that are needed are among
		// them; so the places are sites in the first place.
		var err error
		if base, at, err = x.everywhere(); err != nil {
			return nil, err
		}
	}
	x.fences = make([]site, len(x.sites))
	for i := range x.sites {
		x.fences[i].Site = x.sites[i]
	}
	for pl, i := range at {
		if f := &x.fences[i]; !slices.Contains(f.Threads, pl.thread) {
			f.Threads = append(f.Threads, pl.thread)
		}
	}
	opts := fences.Options{Options: x.opts.Options, Goal: x.opts.Goal, Means: x.opts.Means,
		// What a fence is for is found out later, for lines.
		All: true, MaxSets: 1,
		ThreadCost: x.threadCost(base),
		Weight: func(pl fences.Place, loops int) int {
			if i, ok := at[key(pl)]; ok {
				x.fences[i].loops = max(x.fences[i].loops, loops)
			}
			return x.weight(loops)
		}}
	if x.opts.All {
		opts.MaxSets = 0
	}
	search := fences.Find
	if redundant {
		search = fences.Redundant
	}
	r, err := search(ctx, base, opts)
	if err != nil {
		return nil, err
	}
	if len(r.Sets) > 0 {
		x.res.Enough = len(r.Sets[0].Places)
		if !x.opts.All && x.widens(r.Sets[0], at) {
			// Another minimal set may be cheaper as lines.
			opts.MaxSets = widenedSets
			if r, err = search(ctx, base, opts); err != nil {
				return nil, err
			}
		}
	}
	x.res.Stats = r.Stats
	if len(r.Sets) == 0 && ctx.Err() == nil && !x.opts.Redundant && x.opts.Means == verdict.Mfence {
		// Perhaps there are places that the source has no boundary for.
		opts.MaxSets, base, at = 1, x.p, nil
		if r, err = fences.Find(ctx, base, opts); err != nil {
			return nil, err
		}
	}
	if len(r.Sets) == 0 {
		x.res.Reason, x.res.Advice, x.res.Impossible = r.Gap.Reason, r.Gap.Advice, r.Gap.Impossible
		return nil, nil
	}
	for i := range x.fences {
		f := &x.fences[i]
		slices.Sort(f.Threads)
		for _, t := range f.Threads {
			f.Cost += x.weight(f.loops) * opts.ThreadCost[t]
		}
	}
	var sets [][]int
	for _, s := range r.Sets {
		var set []int
		for _, pl := range s.Places {
			i, ok := at[key(pl)]
			if !ok {
				return nil, x.unwritable(ctx, r)
			}
			set = append(set, i)
		}
		slices.Sort(set)
		sets = append(sets, slices.Compact(set))
	}
	x.res.Complete = x.opts.All && r.Complete
	return x.minimal(sets), nil
}

// widenedSets bounds the search for the cheapest set of lines of a family.
const widenedSets = 64

// widens is whether the lines of a set have more places than the set.
func (x *repairer) widens(s fences.Set, at map[place]int) bool {
	places := map[int]int{}
	for _, pl := range s.Places {
		if i, ok := at[key(pl)]; ok {
			places[i]++
		}
	}
	for i, n := range places {
		if n < len(x.fences[i].Threads) {
			return true
		}
	}
	return false
}

// minimal leaves out sets that have another one in them, and puts those that
// cost least first. Every set of lines that reaches the goal has the places of
// some minimal set of places in it; so of the lines of all those sets the
// minimal ones are all minimal sets of lines.
func (x *repairer) minimal(sets [][]int) [][]int {
	var least [][]int
	for i, s := range sets {
		if !slices.ContainsFunc(sets[:i], func(o []int) bool { return slices.Equal(o, s) }) &&
			!slices.ContainsFunc(sets, func(o []int) bool { return len(o) < len(s) && within(o, s) }) {
			least = append(least, s)
		}
	}
	slices.SortStableFunc(least, func(a, b []int) int {
		sa, sb := x.set(a), x.set(b)
		return sa.Cost - sb.Cost
	})
	return least
}

func within(a, b []int) bool {
	return !slices.ContainsFunc(a, func(i int) bool { return !slices.Contains(b, i) })
}

// unwritable reports places that have no site.
func (x *repairer) unwritable(ctx context.Context, r *fences.Result) (err error) {
	var s verdict.FenceSet
	var files []string
	for _, pl := range r.Sets[0].Places {
		if pl.Pos.File != "" { // several threads may come there
			if !slices.Contains(files, pl.Pos.File) {
				files = append(files, pl.Pos.File)
			}
			same := func(f verdict.Fence) bool { return f.Site.Pos == pl.Pos && !slices.Contains(f.Threads, pl.Thread) }
			if i := slices.IndexFunc(s.Fences, same); i >= 0 {
				s.Fences[i].Threads = append(s.Fences[i].Threads, pl.Thread)
				s.Fences[i].Cost += pl.Cost
				continue
			}
			if line := strings.TrimSpace(x.p.Source.File(pl.Pos).Line(pl.Pos.Line)); line != "" {
				pl.Where = line
			}
		}
		s.Fences = append(s.Fences, verdict.Fence{Threads: []int{pl.Thread}, Cost: pl.Cost,
			Site: program.Site{Statement: strings.TrimPrefix(strings.TrimPrefix(pl.Where, "after "), "at "), Pos: pl.Pos}})
	}
	s.Cost = r.Sets[0].Cost
	x.res.Sets = []verdict.FenceSet{s}
	x.res.Unwritable = fmt.Sprintf("the source has no way to write %s there", map[verdict.Means]string{
		verdict.Mfence: "a fence", verdict.Xchg: "an exchange"}[x.opts.Means])
	if len(files) > 0 {
		x.res.Unwritable = "other files are left as they are: write the fences into " + strings.Join(files, ", ")
	}
	x.res.Final, err = x.check(ctx, r.Fenced)
	return err
}

// weight is what a place in so many loops costs.
func (x *repairer) weight(loops int) int {
	c := 1
	if !x.opts.Uniform {
		for range min(loops, 6) {
			c *= 10
		}
	}
	return c
}

func (x *repairer) threadCost(p *program.Program) []int {
	costs := make([]int, len(p.Threads))
	for i, t := range p.Threads {
		costs[i] = max(x.opts.ThreadCost[t.Name], x.opts.ThreadCost[family(t)], 1)
	}
	return costs
}

// family is the process that a thread is a member of.
func family(t *program.Thread) string {
	name, _, _ := strings.Cut(t.Name, "[")
	return name
}

// checkCosts sees to it that costs are those of threads that there are.
func (x *repairer) checkCosts() error {
	var known []string
	for _, t := range x.p.Threads {
		for _, name := range []string{family(t), t.Name} {
			if !slices.Contains(known, name) {
				known = append(known, name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(x.opts.ThreadCost)) {
		if slices.Contains(known, name) {
			continue
		}
		hint := "there are " + strings.Join(known, ", ")
		if k := suggest.Nearest(name, known); k != "" {
			hint = "did you mean " + k + "?"
		}
		return x.p.Diagnose(program.Position{}, fmt.Sprintf("the program has no thread %s to give a cost to", name), hint)
	}
	return nil
}

// A place is what makes a [fences.Place] the same one, among those of one search.
type place struct {
	thread int
	state  program.StateID
	edge   int
}

func key(pl fences.Place) place { return place{pl.Thread, pl.State, pl.Edge} }

// everywhere is the program with a fence at every site. Those that it has are
// there to stay, so they become something else that empties the buffer.
func (x *repairer) everywhere() (*program.Program, map[place]int, error) {
	var edits []program.Edit
	for _, s := range x.sites {
		edits = append(edits, s.Edits...)
	}
	r := program.Revise(x.p.Source.Text, edits)
	p, err := lang.Parse(&program.Source{Name: x.p.Source.Name, Text: r.Text}, x.opts.Defines, x.opts.C)
	if err != nil {
		return nil, nil, fmt.Errorf("internal error: with fences everywhere the program cannot be read: %w", err)
	}
	at := map[place]int{}
	for ti, t := range p.Threads {
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			if !isFence(c) {
				continue
			}
			if s := x.siteOf(r, ti, c.Pos); s >= 0 {
				at[place{thread: ti, edge: i}] = s
			} else {
				*c = program.Command{Op: program.Atomic, Body: []program.Command{program.Skip()}, Pos: c.Pos}
			}
		}
	}
	return p, at, nil
}

// siteOf is the site of a fence that revision r put at pos, or -1 where it was
// there before. A fence behind a label has the position of the label.
func (x *repairer) siteOf(r *program.Revision, thread int, pos program.Position) int {
	if pos.File != "" {
		return -1
	}
	from, inserted := r.Offset(pos), r.Inserted(pos)
	return slices.IndexFunc(x.sites, func(s program.Site) bool {
		at := s.Edits[len(s.Edits)-1].From
		if !inserted {
			return s.Before && program.Offset(x.p.Source.Text, s.Pos) == from && at > from
		}
		return (s.Thread < 0 || s.Thread == thread) && at == from
	})
}

// statesOf are the places of sites in automata.
func (x *repairer) statesOf() map[place]int {
	at := map[place]int{}
	for i, s := range x.sites {
		at[place{s.Thread, s.State, s.Edge}] = i
	}
	return at
}

// edgesOf are the places of the edges that stand at sites.
func (x *repairer) edgesOf(is func(*program.Command) bool) map[place]int {
	at := map[place]int{}
	for ti, t := range x.p.Threads {
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			if !is(c) {
				continue
			}
			if s := slices.IndexFunc(x.sites, func(s program.Site) bool { return s.Pos == c.Pos }); s >= 0 {
				at[place{thread: ti, edge: i}] = s
			}
		}
	}
	return at
}

// isFence is true of what [fences.Redundant] looks at.
func isFence(c *program.Command) bool {
	return c.FullFence()
}
