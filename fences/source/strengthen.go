package source

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/fences"
	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// strengthen finds fences and access modes for a test under a model that is axioms alone.
// Every choice is written into the text, and what is written is read and checked.
func (x *repairer) strengthen(ctx context.Context) error {
	switch {
	case len(x.p.Properties) == 0:
		return x.p.Diagnose(program.Position{}, "the test has no condition, so that there is nothing to forbid", "such as: exists (x=1)")
	case x.opts.Goal != verdict.Safety:
		return x.p.Diagnose(program.Position{}, fmt.Sprintf("for %s fences are found under tso only", x.opts.Goal.Goal()), "leave out --for")
	case x.opts.Means != verdict.Mfence:
		return x.p.Diagnose(program.Position{}, "stores become exchanges under tso only", "fences and access modes are found under every model")
	case x.opts.Redundant:
		return x.p.Diagnose(program.Position{}, "redundant fences are found under tso only", "leave them out of the test, and ask for those that it needs")
	}
	x.patience = patience
	now, err := x.check(ctx, x.p)
	if err != nil {
		return err
	}
	if now.Verdict() == verdict.IsSafe {
		x.res.Sets, x.res.Final, x.res.Complete = []verdict.FenceSet{{}}, now, x.opts.All
		return nil
	}
	if x.opts.Model != memory.SC {
		sc := x.opts.Options
		sc.Model = memory.SC
		within, done := x.patient(ctx)
		r, err := engine.Check(within, x.p, sc)
		done(err == nil && r.Conclusive())
		if err != nil {
			return err
		}
		if r.Unsafe() {
			x.res.Wrong, x.res.Reason = r, r.Reason()
			return nil
		}
	}
	list, err := lang.Strengthenings(x.p)
	if err != nil {
		return err
	}
	x.strengthenings(list)
	if err := x.costs(list); err != nil {
		return err
	}
	return x.choose(ctx, list, "no fences and access modes that can be written forbid the outcome")
}

// patience is how long a check may take at least, of a test with loops that no bound on their
// rounds has an end for: it would look at one bound after the other for ever. Who sets a limit
// of his own is not held to it.
var patience = 20 * time.Second

// patient is ctx for one check; done is told whether the check came to an end.
func (x *repairer) patient(ctx context.Context) (within context.Context, done func(conclusive bool)) {
	if _, limited := ctx.Deadline(); limited || x.patience == 0 {
		return ctx, func(bool) {}
	}
	limit := max(x.patience, 10*x.longest)
	within, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the limit of %v for a single check, which --timeout takes away", limit.Round(time.Second)))
	start := time.Now()
	return within, func(conclusive bool) {
		cancel()
		if conclusive {
			x.longest = max(x.longest, time.Since(start))
		}
	}
}

// maxStrengthened bounds how many sets are listed.
const maxStrengthened = 1000

// strengthenings makes fences of the list.
func (x *repairer) strengthenings(list []program.Strengthening) {
	for i := range list {
		l := &list[i]
		x.sites = append(x.sites, l.Site)
		x.fences = append(x.fences, site{Fence: verdict.Fence{Site: l.Site, What: l.What, Instead: l.Instead, Threads: []int{l.Thread}}})
	}
}

// costs sets what each costs.
func (x *repairer) costs(list []program.Strengthening) error {
	given := map[string]int{}
	var known []string
	for what, c := range x.opts.Costs {
		given[strings.ToLower(what)] = c
	}
	loops := loops(x.p)
	threads := x.threadCost(x.p)
	places := map[int]int{} // the loops around the fences of a place
	for i := range list {
		l := &list[i]
		depth := loops[statementAt(loops, l.Pos)]
		if !l.Instead {
			d, known := places[l.Place]
			if !known {
				var err error
				if d, err = x.around(i); err != nil {
					return err
				}
				places[l.Place] = d
			}
			depth = d
		}
		c := l.Cost
		if o, ok := given[strings.ToLower(l.What)]; ok {
			c = o
		}
		x.fences[i].Cost = c * x.weight(depth) * threads[l.Thread]
		if !slices.Contains(known, l.What) {
			known = append(known, l.What)
		}
	}
	for _, what := range slices.Sorted(maps.Keys(given)) {
		if slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, what) }) {
			continue
		}
		hint := "there are " + strings.Join(known, ", ")
		if k := suggest.Nearest(what, known); k != "" {
			hint = "did you mean " + k + "?"
		}
		return x.p.Diagnose(program.Position{}, fmt.Sprintf("%s cannot be put anywhere in this test, so that it has no cost", what), hint)
	}
	return nil
}

// loops is in how many loops the command at a position is.
func loops(p *program.Program) map[program.Position]int {
	at := map[program.Position]int{}
	for _, t := range p.Threads {
		depth := fences.LoopDepth(t)
		for i := range t.Edges {
			e := &t.Edges[i]
			at[e.Cmd.Pos] = max(at[e.Cmd.Pos], min(depth[e.From], depth[e.To]))
		}
	}
	return at
}

// statementAt is the last position of a command that is not after pos: in C a call is in the
// middle of its statement.
func statementAt(commands map[program.Position]int, pos program.Position) (at program.Position) {
	for p := range commands {
		if order(p, pos) <= 0 && order(p, at) > 0 {
			at = p
		}
	}
	return at
}

// order compares positions of one file.
func order(p, q program.Position) int {
	return cmp.Or(cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
}

// around is in how many loops a fence is, once it is written. What it follows can be in more:
// a jump back is in the loop, and the row after it is not.
func (x *repairer) around(i int) (int, error) {
	text := x.revise([]int{i}).Text
	p, err := lang.Parse(&program.Source{Name: x.p.Source.Name, Text: text}, x.opts.Defines, x.opts.C)
	if err != nil {
		return 0, fmt.Errorf("internal error: what was written cannot be read: %w", err)
	}
	most := 0
	for pos, n := range loops(p) {
		for _, e := range x.sites[i].Edits {
			if at := program.Offset(text, pos) - e.From; pos.Line > 0 && 0 <= at && at < len(e.Text) {
				most = max(most, n)
			}
		}
	}
	return most, nil
}

// strengthened checks the test with what is chosen.
func (x *repairer) strengthened(ctx context.Context, chosen []int) (*verdict.Evidence, string, error) {
	p, text, err := x.written(chosen)
	if err != nil {
		return nil, "", fmt.Errorf("internal error: what was written cannot be read: %w", err)
	}
	e, err := x.check(ctx, p)
	return e, text, err
}

// reasons verifies the first set, and finds out what each of it is for.
func (x *repairer) reasons(ctx context.Context, set []int) error {
	final, text, err := x.strengthened(ctx, set)
	if err != nil {
		return err
	}
	x.res.Final, x.res.Text = final, text
	for _, i := range set {
		rest := slices.DeleteFunc(slices.Clone(set), func(o int) bool { return o == i })
		e, _, err := x.strengthened(ctx, rest)
		if err != nil {
			return err
		}
		for j := range x.res.Sets[0].Fences {
			f := &x.res.Sets[0].Fences[j]
			if e.Verdict() == verdict.IsUnsafe && f.What == x.fences[i].What && f.Site.Pos == x.fences[i].Site.Pos {
				f.Without = e
			}
		}
	}
	return nil
}
