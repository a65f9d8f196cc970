// Package fences finds places for memory fences: sets of least cost, or all minimal ones, that
// make a program robust, free of triangular races, or safe under TSO. A program goes in, as
// automata, and a [Result] with places in them comes out; [fences/source] puts them into the
// text of programs.
package fences

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Options say what fences are wanted. The zero value means mfences that
// restore robustness, weighted by loop depth.
type Options struct {
	engine.Options // how programs are checked
	// Goal is the question of which the answer is to be [verdict.IsSafe] under TSO:
	// [verdict.Robustness], which is the default, [verdict.RaceFreedom] or
	// [verdict.Safety].
	Goal  verdict.Question
	Means verdict.Means
	// All asks for every minimal set, not only one of least cost.
	All bool
	// MaxSets bounds how many sets All lists; 0: 1000.
	MaxSets int
	// ThreadCost multiplies the costs of a thread's places; nil, 0: 1.
	ThreadCost []int
	// Weight, where not nil, is the cost, at least 1, of a place in so many
	// loops. Otherwise it is 10 to the power of that number, but no more
	// than a million.
	Weight func(p Place, loops int) int
}

func (o *Options) cost(p Place, loops int) int {
	c := 1
	if o.Weight != nil {
		c = max(o.Weight(p, loops), 1)
	} else {
		for range min(loops, 6) {
			c *= 10
		}
	}
	if p.Thread < len(o.ThreadCost) {
		c *= max(o.ThreadCost[p.Thread], 1)
	}
	return c
}

// Uniform is a Weight for which sets are as small as can be.
func Uniform(Place, int) int { return 1 }

// A Set is places that reach the goal, none of which can be left out.
type Set struct {
	Places []Place
	Cost   int
}

// A Result is the answer of [Find] or [Redundant].
type Result struct {
	Program *program.Program
	Goal    verdict.Question
	// Sets lists the sets that were found, the first of least cost. Each was shown
	// to reach the goal. There may be one set, without places: no fence is needed.
	Sets []Set
	// Fenced is the program with the fences of the first set.
	Fenced *program.Program
	// Complete is true where All was asked and Sets are all there are.
	Complete bool
	// Removable is, of [Redundant], the fences of the source that the first
	// set can do without.
	Removable []Place
	// Gap is why there are no Sets; else nil.
	Gap     *Gap
	Elapsed time.Duration
	Stats   []verdict.Stat
}

// A Gap is why there are no sets of places.
type Gap struct {
	Reason string // never empty
	Advice string // what may help; may be empty
	// Impossible: fences at the places that there are do not reach the goal.
	Impossible bool
	// Wrong is the violation under SC, which no fence prevents; else nil.
	Wrong *verdict.Result
}

// Find finds a set of places for fences that reaches the goal at least cost.
//
// The way is that of implicit hitting sets: a run that the goal forbids names
// the places at which a fence would prevent it, and every set of fences that
// reaches the goal has one of them. A set of least cost that hits all runs seen
// so far is put into the program. Where that reaches the goal, no cheaper set
// does; else there is another run.
//
// A fence prevents a run just if its thread goes past it with stores in its
// buffer. All else about the run stays possible, as under SC a fence does
// nothing; so the sets are exact.
func Find(ctx context.Context, p *program.Program, opts Options) (*Result, error) {
	x, err := newFencer(p, p, opts, nil)
	if err != nil {
		return nil, err
	}
	return x.run(ctx)
}

// Redundant finds out which fences of p can go without harm to the goal: Sets
// are minimal sets of fences to keep, Removable the fences that the first does
// not keep.
func Redundant(ctx context.Context, p *program.Program, opts Options) (*Result, error) {
	bare := *p
	bare.Threads = slices.Clone(p.Threads)
	fences := make([][]bool, len(p.Threads))
	for ti, t := range p.Threads {
		n := *t
		n.Edges = slices.Clone(t.Edges)
		fences[ti] = make([]bool, len(t.Edges))
		for i := range n.Edges {
			if c := &n.Edges[i].Cmd; c.FullFence() {
				fences[ti][i] = true
				pos := c.Pos
				*c = program.Skip()
				c.Pos = pos
			}
		}
		bare.Threads[ti] = &n
	}
	x, err := newFencer(p, &bare, opts, fences)
	if err != nil {
		return nil, err
	}
	res, err := x.run(ctx)
	if err != nil || len(res.Sets) == 0 {
		return res, err
	}
	keep := map[Place]bool{}
	for _, pl := range res.Sets[0].Places {
		keep[pl.key()] = true
	}
	for ti := range fences {
		for e, is := range fences[ti] {
			if is {
				pl := x.places.places[x.places.number(Place{Source: true, Thread: ti, Edge: e})]
				if !keep[pl.key()] {
					res.Removable = append(res.Removable, pl)
				}
			}
		}
	}
	return res, nil
}

// fencer is one search for sets of fences.
type fencer struct {
	p      *program.Program // as it came
	base   *program.Program // what fences are put into
	opts   Options
	fences [][]bool // of Redundant: the edges of base that can be fences
	places *placer
	ranges *program.Ranges // of base

	checks, runs int
	truncated    bool
}

func newFencer(p, base *program.Program, opts Options, fences [][]bool) (*fencer, error) {
	base, whole := base.Joined()
	if !whole {
		return nil, p.Diagnose(program.Position{}, "fences are not placed where others come in between the parts of an access", "")
	}
	r, err := program.Analyse(base)
	if err != nil {
		return nil, err
	}
	x := &fencer{p: p, base: base, opts: opts, fences: fences, ranges: r}
	if x.opts.MaxSets == 0 {
		x.opts.MaxSets = 1000
	}
	x.opts.Goal = cmp.Or(opts.Goal, verdict.Robustness)
	x.opts.Model = memory.TSO
	x.places = newPlacer(base, &x.opts)
	return x, nil
}

// A prevented run is one that the goal forbids, as a run of base, and the places
// that prevent it.
type prevented struct {
	run []abstract.Event
	set []int
}

// A solution is a minimal set of places, by number, each with a run that it
// alone prevents.
type solution struct {
	places []int
	runs   [][]abstract.Event
}

// A finding is what a check came to. Exactly one of its fields is set.
type finding struct {
	reached bool             // the program reaches the goal
	run     []abstract.Event // a run that the goal forbids
	gap     *Gap             // why neither is known
}

// A checker is whether x's program reaches the goal.
type checker func(ctx context.Context, x *abstract.System) (finding, error)

func (x *fencer) run(ctx context.Context) (*Result, error) {
	start := time.Now()
	res := &Result{Program: x.p, Goal: x.opts.Goal}
	all, gap, err := x.solve(ctx)
	if err != nil {
		return nil, err
	}
	res.Gap = gap
	for _, s := range all {
		f, err := x.set(s)
		if err != nil {
			return nil, err
		}
		res.Sets = append(res.Sets, f)
	}
	if gap == nil {
		slices.SortStableFunc(res.Sets, func(a, b Set) int { return a.Cost - b.Cost })
		res.Fenced = Insert(x.base, res.Sets[0].Places)
		res.Complete = x.opts.All && !x.truncated
	}
	res.Elapsed = time.Since(start)
	res.Stats = []verdict.Stat{{Name: "checks", Value: int64(x.checks)}, {Name: "runs", Value: int64(x.runs)}}
	return res, nil
}

// solve finds the sets; there is a gap just where there are none.
func (x *fencer) solve(ctx context.Context) (all []solution, gap *Gap, err error) {
	if x.opts.Goal == verdict.Safety {
		opts := x.opts.Options
		opts.Model = memory.SC
		r, err := engine.Check(ctx, x.p, opts)
		switch {
		case err != nil:
			return nil, nil, err
		case r.Run() != nil:
			return nil, &Gap{Reason: "the program violates its properties under sc already", Wrong: r}, nil
		case !r.Safe():
			return nil, &Gap{Reason: "not known to be safe under sc: " + r.Reason(), Advice: r.Advice}, nil
		}
		return x.hit(ctx, x.violation)
	}
	if x.base.Wide() {
		return nil, &Gap{Reason: "attacks on robustness are not looked for in programs with accesses of several sizes to one cell", Advice: "ask for safety"}, nil
	}
	// Only the fences of the attacker prevent an attack, so each
	// thread has a problem of its own.
	all = []solution{{}}
	for t := range x.base.Threads {
		part, gap, err := x.hit(ctx, x.attacksOf(t))
		if err != nil || gap != nil {
			return nil, gap, err
		}
		all = x.combine(all, part)
	}
	return all, nil, nil
}

func (x *fencer) set(s solution) (Set, error) {
	var f Set
	for i, e := range s.places {
		pl := x.places.places[e]
		if s.runs[i] != nil && !x.opts.All {
			run, err := x.trace(s.runs[i])
			if err != nil {
				return f, fmt.Errorf("internal error: the run that a fence prevents does not replay: %w", err)
			}
			pl.Prevents = run
		}
		f.Places = append(f.Places, pl)
		f.Cost += pl.Cost
	}
	slices.SortFunc(f.Places, func(a, b Place) int {
		return cmp.Or(a.Thread-b.Thread, a.Pos.Line-b.Pos.Line, int(a.State-b.State), a.Edge-b.Edge)
	})
	return f, nil
}

// combine takes one solution of each kind, in all ways.
func (x *fencer) combine(a, b []solution) []solution {
	var all []solution
	for _, s := range a {
		for _, t := range b {
			if len(all) == x.opts.MaxSets {
				x.truncated = true
				return all
			}
			all = append(all, solution{slices.Concat(s.places, t.places), slices.Concat(s.runs, t.runs)})
		}
	}
	return all
}

func plural(n int) string {
	if n == 1 {
		return "fence"
	}
	return "fences"
}

// hit finds the minimal sets for which check finds that they reach the goal; one of
// them unless all are asked for. There is a gap just where it found none.
func (x *fencer) hit(ctx context.Context, check checker) ([]solution, *Gap, error) {
	var seen []prevented
	var forbidden [][]int
	var all []solution
	for {
		h := hitting{forbidden: forbidden}
		for i := range x.places.places {
			h.weights = append(h.weights, x.places.places[i].Cost)
		}
		for _, c := range seen {
			h.sets = append(h.sets, c.set)
		}
		choice, ok := h.solve()
		if !ok {
			if len(all) > 0 {
				return all, nil, nil
			}
			return nil, &Gap{Reason: "fences at the places that there are do not reach " + x.opts.Goal.Goal(), Impossible: true}, nil
		}
		var places []Place
		for _, e := range choice {
			places = append(places, x.places.places[e])
		}
		x.checks++
		sys, err := x.system(places)
		if err != nil {
			return nil, nil, err
		}
		f, err := check(ctx, sys)
		switch {
		case err != nil:
			return nil, nil, err
		case f.gap != nil && len(all) > 0: // the sets before are what they are
			x.truncated = true
			return all, nil, nil
		case f.gap != nil:
			if n := len(choice); n > 0 { // it says nothing of the sets before
				f.gap.Reason = fmt.Sprintf("%d violations were found, which %d %s prevent; whether that is all: %s", x.runs, n, plural(n), f.gap.Reason)
			}
			return nil, f.gap, nil
		case !f.reached:
			x.runs++
			c := prevented{x.project(sys, f.run), x.places.prevent(sys, f.run, x.fences)}
			if len(c.set) > 0 && slices.ContainsFunc(c.set, func(e int) bool { return slices.Contains(choice, e) }) {
				return nil, nil, fmt.Errorf("internal error: a fence does not prevent what it should")
			}
			seen = append(seen, c)
			continue
		}
		s := solution{places: choice}
		for _, e := range choice {
			s.runs = append(s.runs, onlyBy(seen, choice, e))
		}
		all = append(all, s)
		if !x.opts.All || len(choice) == 0 {
			return all, nil, nil
		}
		if len(all) == x.opts.MaxSets {
			x.truncated = true
			return all, nil, nil
		}
		forbidden = append(forbidden, choice)
	}
}

// trace is a run of the program without fences.
func (x *fencer) trace(evs []abstract.Event) (*verdict.Run, error) {
	r, err := replay.New(x.base, memory.TSO, nil)
	if err != nil {
		return nil, err
	}
	return r.Trace(evs)
}

// system is the program with fences at the places, under TSO.
func (x *fencer) system(places []Place) (*abstract.System, error) {
	p := Insert(x.base, places)
	b, err := abstract.WithRoom(abstract.FIFO{}, p)
	if err != nil {
		return nil, err
	}
	return abstract.New(p, fencedRanges(x.base, x.ranges, p), b, 0)
}

// project leaves the fences that were added out of a run, and turns exchanges
// back into stores.
func (x *fencer) project(sys *abstract.System, run []abstract.Event) []abstract.Event {
	var evs []abstract.Event
	for _, ev := range run {
		if ev.Edge < len(x.base.Threads[ev.Thread].Edges) {
			evs = append(evs, ev)
		}
		if ev.Edge < 0 || ev.Edge >= len(x.base.Threads[ev.Thread].Edges) {
			continue
		}
		now, was := &sys.Program.Threads[ev.Thread].Edges[ev.Edge].Cmd, &x.base.Threads[ev.Thread].Edges[ev.Edge].Cmd
		if was.Enters() && !now.Enters() {
			evs = append(evs, abstract.Event{Thread: ev.Thread, Edge: abstract.Flush})
		}
	}
	return evs
}

// onlyBy is a run that e alone prevents among the chosen.
func onlyBy(seen []prevented, choice []int, e int) []abstract.Event {
	for _, c := range seen {
		if slices.Contains(c.set, e) && !slices.ContainsFunc(c.set, func(o int) bool { return o != e && slices.Contains(choice, o) }) {
			return c.run
		}
	}
	return nil
}

// attacks looks for witnesses in the program of sys.
func (x *fencer) attacks(sys *abstract.System, pending bool) (*robust.Search, error) {
	return robust.NewSearch(sys.Program, sys.Ranges, x.opts.Goal, robust.Options{
		MemoryLimit: x.opts.MemoryLimit, Progress: x.opts.Progress, Pending: pending})
}

// attacksOf checks for attacks of one thread.
func (x *fencer) attacksOf(thread int) checker {
	return func(ctx context.Context, sys *abstract.System) (finding, error) {
		s, err := x.attacks(sys, false)
		if err != nil {
			return finding{}, err
		}
		w, err := s.Find(ctx, thread)
		if err != nil {
			return finding{}, err
		}
		if w != nil {
			return finding{run: w.Schedule(false)}, nil
		}
		if reason, advice := s.Gap(ctx); reason != "" {
			return finding{gap: &Gap{Reason: reason, Advice: advice}}, nil
		}
		return finding{reached: true}, nil
	}
}

// violation checks the properties. Of a violating run, stores are flushed as
// early as the violation allows, so that it is prevented at as few places as
// possible.
func (x *fencer) violation(ctx context.Context, sys *abstract.System) (finding, error) {
	wide := sys.Program.Wide()
	if !wide && robust.Decides(sys.Program) {
		// The program is safe under SC; where it is robust, that is all.
		s, err := x.attacks(sys, true)
		if err != nil {
			return finding{}, err
		}
		w, err := s.Find(ctx)
		if err != nil {
			return finding{}, err
		}
		if reason, _ := s.Gap(ctx); w == nil && reason == "" {
			return finding{reached: true}, nil
		}
	}
	opts := x.opts.Options
	if wide && opts.Engine == engine.Auto { // it is runs that tell of fences, and not all members have them
		opts.Engine = engine.Explicit
	}
	r, err := engine.Check(ctx, sys.Program, opts)
	switch {
	case err != nil:
		return finding{}, err
	case r.Run() != nil:
		run, err := hasten(r.Run())
		return finding{run: run}, err
	case !r.Safe():
		return finding{gap: &Gap{Reason: r.Reason(), Advice: r.Advice}}, nil
	}
	return finding{reached: true}, nil
}

// maxHastened is up to how many events runs are worth the cubic effort.
const maxHastened = 400

// hasten flushes each store right after it where the violation stays, else as
// early as it does; stores that stay in their buffer to the end come last.
func hasten(run *verdict.Run) ([]abstract.Event, error) {
	evs, p := replay.Schedule(run), run.Program
	if len(evs) > maxHastened {
		return evs, nil
	}
	r, err := replay.New(p, run.Model, nil)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(evs); i++ {
		ev := evs[i]
		if ev.Edge < 0 || p.Threads[ev.Thread].Edges[ev.Edge].Cmd.Op != program.Store {
			continue
		}
		flush := abstract.Event{Thread: ev.Thread, Edge: abstract.Flush}
		// The flush of this store: as many of the thread come before it as
		// stores do.
		ahead := 0
		for _, e := range evs[:i] {
			if e.Thread == ev.Thread {
				if e.Edge == abstract.Flush {
					ahead--
				} else if p.Threads[e.Thread].Edges[e.Edge].Cmd.Op == program.Store {
					ahead++
				}
			}
		}
		old := -1
		for j := i + 1; j < len(evs) && old < 0; j++ {
			if evs[j] == flush {
				if ahead == 0 {
					old = j
				}
				ahead--
			}
		}
		rest := evs
		if old >= 0 {
			rest = slices.Delete(slices.Clone(evs), old, old+1)
		}
		last := len(rest)
		if old >= 0 {
			last = old
		}
		for at := i + 1; at <= last; at++ {
			// The flush matters only as far as its own thread's next
			// events go: try after each of these.
			if at > i+1 && rest[at-1].Thread != ev.Thread && at < last {
				continue
			}
			if trial := slices.Insert(slices.Clone(rest), at, flush); r.Violates(trial) {
				evs = trial
				break
			}
		}
	}
	return evs, nil
}
