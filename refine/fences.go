package refine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A FenceGoal is what fences are to bring about.
type FenceGoal uint8

const (
	// RestoreRobustness: the fenced program is robust; see [Robust].
	RestoreRobustness FenceGoal = iota
	// RestoreSafety: the fenced program violates no property under TSO.
	RestoreSafety
	// RestoreTRF: the fenced program has no triangular race; see [TRF].
	RestoreTRF
)

func (g FenceGoal) String() string {
	return [...]string{"robustness", "safety", "triangular-race freedom"}[g]
}

// FenceOptions say what fences are wanted. The zero value means mfences that
// restore robustness, weighted by loop depth.
type FenceOptions struct {
	Options // how programs are checked
	Goal    FenceGoal
	Means   Means
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

func (o *FenceOptions) cost(p Place, loops int) int {
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

// CountFences is a Weight for which sets are as small as can be.
func CountFences(Place, int) int { return 1 }

// A FenceSet is places that reach the goal, none of which can be left out.
type FenceSet struct {
	Places []Place
	Cost   int
}

// A FenceResult is the answer of [Fences] or [Redundant].
type FenceResult struct {
	Program *program.Program
	Goal    FenceGoal
	// Sets lists the sets that were found, the first of least cost. It may
	// have one set, without places: no fence is needed.
	Sets []FenceSet
	// Fenced is the program with the fences of the first set.
	Fenced *program.Program
	// Verified is true where the fenced program was shown to reach the goal.
	// That is so whenever there are Sets.
	Verified bool
	// Complete is true where All was asked and Sets are all there are.
	Complete bool
	// Removable is, of [Redundant], the fences of the source that the first
	// set can do without.
	Removable []Place
	// Wrong is, for RestoreSafety, the violation under SC, which no fence
	// prevents.
	Wrong   *verdict.Result
	Reason  string // without Sets: why there are none
	Advice  string
	Elapsed time.Duration
	Stats   []verdict.Stat
}

// Fences finds a set of places for fences that reaches the goal at least cost.
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
func Fences(ctx context.Context, p *program.Program, opts FenceOptions) (*FenceResult, error) {
	x, err := newFencer(p, p, opts, nil)
	if err != nil {
		return nil, err
	}
	return x.run(ctx)
}

// Redundant finds out which fences of p can go without harm to the goal: Sets
// are minimal sets of fences to keep, Removable the fences that the first does
// not keep.
func Redundant(ctx context.Context, p *program.Program, opts FenceOptions) (*FenceResult, error) {
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
				pl := x.places.places[x.places.number(Place{Means: source, Thread: ti, Edge: e})]
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
	opts   FenceOptions
	fences [][]bool // of Redundant: the edges of base that can be fences
	places *placer
	ranges *program.Ranges // of base

	checks, runs int
	reason       string
	advice       string
	truncated    bool
}

func newFencer(p, base *program.Program, opts FenceOptions, fences [][]bool) (*fencer, error) {
	r, err := program.Analyse(base)
	if err != nil {
		return nil, err
	}
	x := &fencer{p: p, base: base, opts: opts, fences: fences, ranges: r}
	if x.opts.MaxSets == 0 {
		x.opts.MaxSets = 1000
	}
	x.opts.Options = opts.Options.withDefaults()
	x.opts.Options.Model = memory.TSO
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

// A checker looks for a run of x's program that the goal forbids.
type checker func(ctx context.Context, x *abstract.System) ([]abstract.Event, error)

func (x *fencer) run(ctx context.Context) (*FenceResult, error) {
	start := time.Now()
	res := &FenceResult{Program: x.p, Goal: x.opts.Goal}
	defer func() {
		res.Elapsed = time.Since(start)
		res.Stats = []verdict.Stat{{Name: "checks", Value: int64(x.checks)}, {Name: "runs", Value: int64(x.runs)}}
	}()
	var all []solution
	ok := true
	if x.opts.Goal == RestoreSafety {
		opts := x.opts.Options
		opts.Model = memory.SC
		r, err := Check(ctx, x.p, opts)
		if err != nil {
			return nil, err
		}
		switch {
		case r.Run() != nil:
			res.Wrong, res.Reason = r, "the program violates its properties under sc already"
			return res, nil
		case !r.Safe():
			res.Reason = "not known to be safe under sc: " + r.Reason()
			return res, nil
		}
		if all, ok, err = x.hit(ctx, x.violation); err != nil {
			return nil, err
		}
	} else {
		// Only the fences of the attacker prevent an attack, so each
		// thread has a problem of its own.
		for t := range x.base.Threads {
			part, done, err := x.hit(ctx, x.attacksOf(t))
			if err != nil {
				return nil, err
			}
			if !done {
				ok = false
				break
			}
			if t == 0 {
				all = part
			} else {
				all = x.combine(all, part)
			}
		}
	}
	if !ok {
		res.Reason, res.Advice = x.reason, x.advice
		return res, nil
	}
	for _, s := range all {
		f, err := x.set(s)
		if err != nil {
			return nil, err
		}
		res.Sets = append(res.Sets, f)
	}
	slices.SortStableFunc(res.Sets, func(a, b FenceSet) int { return a.Cost - b.Cost })
	res.Fenced = InsertFences(x.base, res.Sets[0].Places)
	res.Verified = true
	res.Complete = x.opts.All && !x.truncated
	return res, nil
}

func (x *fencer) set(s solution) (FenceSet, error) {
	var f FenceSet
	for i, e := range s.places {
		pl := x.places.places[e]
		if s.runs[i] != nil && !x.opts.All {
			run, err := trace(x.base, s.runs[i])
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

// hit finds the minimal sets for which check finds no forbidden run; one of them
// unless all are asked for. It is false where it found none, with x.reason.
func (x *fencer) hit(ctx context.Context, check checker) ([]solution, bool, error) {
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
				return all, true, nil
			}
			x.reason = "fences at the places that there are do not reach " + x.opts.Goal.String()
			return nil, false, nil
		}
		var places []Place
		for _, e := range choice {
			places = append(places, x.places.places[e])
		}
		x.checks++
		sys, err := x.system(places)
		if err != nil {
			return nil, false, err
		}
		run, err := check(ctx, sys)
		switch {
		case err != nil:
			return nil, false, err
		case run == nil && x.reason != "":
			return nil, false, nil
		case run != nil:
			x.runs++
			c := prevented{x.project(sys, run), x.places.prevent(sys, run, x.fences)}
			if len(c.set) > 0 && slices.ContainsFunc(c.set, func(e int) bool { return slices.Contains(choice, e) }) {
				return nil, false, fmt.Errorf("internal error: a fence does not prevent what it should")
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
			return all, true, nil
		}
		if len(all) == x.opts.MaxSets {
			x.truncated = true
			return all, true, nil
		}
		forbidden = append(forbidden, choice)
	}
}

// system is the program with fences at the places, under TSO.
func (x *fencer) system(places []Place) (*abstract.System, error) {
	p := InsertFences(x.base, places)
	return abstract.New(p, fencedRanges(x.base, x.ranges, p), abstract.FIFO{}, 0)
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
		now := sys.Program.Threads[ev.Thread].Edges[ev.Edge].Cmd.Op
		if now == program.Atomic && x.base.Threads[ev.Thread].Edges[ev.Edge].Cmd.Op == program.Store {
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

// attacksOf checks for attacks of one thread.
func (x *fencer) attacksOf(thread int) checker {
	return func(ctx context.Context, sys *abstract.System) ([]abstract.Event, error) {
		race := x.opts.Goal == RestoreTRF
		rb, err := newRobustnessOf(sys.Program, sys.Ranges, x.opts.Options)
		if err != nil {
			return nil, err
		}
		rb.race = race
		w, err := rb.search(ctx, []*threat{newThreat(sys.Program, sys.Ranges, thread, race)})
		if err != nil {
			return nil, err
		}
		if w != nil {
			return w.schedule(sys.Program, false), nil
		}
		res := &RobustResult{}
		if rb.conclude(ctx, res); res.Verdict != IsRobust {
			x.reason, x.advice = res.Reason, res.Advice
		}
		return nil, nil
	}
}

// violation checks the properties. Of a violating run, stores are flushed as
// early as the violation allows, so that it is prevented at as few places as
// possible.
func (x *fencer) violation(ctx context.Context, sys *abstract.System) ([]abstract.Event, error) {
	if robustnessDecides(sys.Program) {
		// The program is safe under SC; where it is robust, that is all.
		rb, err := newRobustnessOf(sys.Program, sys.Ranges, x.opts.Options)
		if err != nil {
			return nil, err
		}
		rb.prefixes = true
		rb.findThreats()
		if w, err := rb.search(ctx, rb.threats); err != nil || w == nil && !rb.incomplete {
			return nil, err
		}
	}
	r, err := Check(ctx, sys.Program, x.opts.Options)
	if err != nil {
		return nil, err
	}
	if r.Run() != nil {
		return hasten(r.Run())
	}
	if !r.Safe() {
		x.reason, x.advice = r.Reason(), r.Advice
	}
	return nil, nil
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
