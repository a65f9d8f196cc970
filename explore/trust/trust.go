// Package trust explores the executions of a program as graphs: events in program order,
// which write every read reads from, and the coherence order of the writes to each cell.
// Every graph that the memory model allows is explored once, without a table of graphs
// (Kokologiannakis, Marmanis, Gladstein and Vafeiadis, "Truly stateless, optimal dynamic
// partial order reduction", POPL 2022). Nothing but the checker (checker.go) knows the
// model: it has to be one under which nothing is seen before what comes before it, so that
// program order and reads-from together are acyclic. Beyond that there is Weakestmo2
// (weakestmo.go), under which graphs with cycles are justified by other runs of threads.
//
// Loops that only wait are not gone round: a thread in one stands still, and what it has
// read is changed where a later write makes a difference, as that of any read is. So does a thread that has gone
// round another loop and has changed nothing.
//
// A program, a model and options come in, and a [verdict.Result] goes out: Safe where every
// graph was explored and no bound was met, Unsafe only with a run that was replayed or,
// under models that have no runs, with a graph that was tested against the axioms.
package trust

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/crew"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// DefaultMaxSteps is how many steps a thread may take where nobody says otherwise.
const DefaultMaxSteps = 10_000

// Options say how to explore. The zero value means TSO.
type Options struct {
	Model memory.Model
	// Definition is that of the model; nil: it is loaded.
	Definition *memory.Definition
	// WritesFirst makes threads go on first whose next event is not a read.
	WritesFirst bool
	// Evaluate makes the definition judge every graph, in the place of what is made for
	// the model.
	Evaluate bool
	// MaxRounds is how many back edges a thread may take; 0: no bound.
	MaxRounds int
	// MaxSteps bounds a thread, in edges; 0: DefaultMaxSteps.
	MaxSteps int
	// MaxGraphs bounds how many graphs are explored to their ends; 0: no bound.
	MaxGraphs int64
	// MemoryLimit bounds what the exploration may hold, in bytes; 0: three quarters of
	// what the machine has free, or all of the Budget that it is a part of, where that
	// is not nil.
	MemoryLimit int64
	Budget      *states.Budget
	// Progress, where not nil, is called now and then with a line that says how far the
	// exploration is.
	Progress func(line string)
	// Graph, where not nil, is told every graph in which every thread comes to its end, one
	// at a time, in no certain order where there are several workers.
	Graph func(*memory.Graph)
	// Hopeless keeps graphs in which a thread waits for ever for what has long come: otherwise
	// they are given up, and counted as blocked, without all that can happen beside it.
	Hopeless bool
	// AnyCoherence takes graphs for the same that differ in nothing but coherence: the order of
	// stores to one cell.
	AnyCoherence bool
	// Workers is how many goroutines explore; 0: one. What is counted does not depend on
	// it, nor does the violation that is reported.
	Workers int
	// LBRaces makes the exploration take note of races of load buffering. The model is RC11,
	// or Weakestmo2, under which they are taken note of in any case.
	LBRaces bool
	// Alike takes graphs for the same that differ by an exchange of threads that are alike, as far as
	// their first accesses tell (alike.go). It is for [Explore], [Races] and [Hangs].
	Alike bool
	// Commute takes graphs for the same that differ in nothing but the order of additions whose results nobody reads
	// (additions.go). It is for [Explore] and [FinalStates]; Graph is told of additions to cells of their own.
	Commute bool
	// Again explores certified graphs again under Weakestmo2 that were certified before, as far as
	// that has an end, to see how much that is. Nothing is forgotten then (forget.go).
	Again bool

	races          func([]*verdict.Execution) // is told all of them
	mutexesAsCells bool                       // for tests: they are nothing else
	everyRound     bool                       // for tests: also those that change nothing are gone
}

// Explore explores the graphs of p, and checks its properties and assertions in them.
//
// The result counts as "executions" the graphs in which every thread comes to its end, and
// as "blocked" those in which some thread waits for ever for what it has read to change, or
// has given up, as "cut" those with a thread that meets a bound, and as "dropped" those that
// were tried and are not consistent. Two graphs are the same that have the same events, reads-from and coherence.
//
// The error is a [program.Diagnostic] for an input that cannot be explored; any other is an
// error inside Fencepost.
func Explore(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	if !opts.AnyCoherence || !slices.ContainsFunc(p.Properties, atTheEnd) {
		return run(ctx, p, opts, verdict.Safety, nil)
	}
	// Their last values depend on coherence.
	some := *p
	some.Properties = slices.DeleteFunc(slices.Clone(p.Properties), atTheEnd)
	res, err := run(ctx, &some, opts, verdict.Safety, nil)
	if err == nil && res.Safe() {
		effort := res.Effort
		res = verdict.Unknown(p, res.Model(), "properties of the last values of memory were not looked at: they depend on the order of stores to one cell")
		res.Effort = effort
	}
	return res, err
}

// Races explores the graphs of p, a program of C11, under RC11 or, where that is the model in opts, RA, and looks for data races: two
// accesses to one cell, one of them a write and one of them not atomic, that nothing puts in
// order. Such a program has no meaning. Nothing else is looked for, but faults.
func Races(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	if opts.Model != memory.RA {
		opts.Model = memory.RC11
	}
	r, err := run(ctx, p, opts, verdict.DataRaces, func(*abstract.State) {})
	if err != nil || r.Unsafe() {
		return r, err
	}
	effort := r.Effort
	if r.Safe() {
		r = verdict.RaceFree(p, opts.Model, r.Argument(), "")
	} else if !r.Conclusive() {
		r = verdict.RaceUnknown(p, opts.Model, r.Reason())
	}
	r.Effort = effort
	return r, nil
}

// LBRaces explores the graphs of p, a program of C11, under RC11, and looks for a race of load
// buffering. Nothing else is looked for, but faults.
func LBRaces(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	opts.Model, opts.LBRaces = memory.RC11, true
	return run(ctx, p, opts, verdict.LBRaces, func(*abstract.State) {})
}

// AllLBRaces lists the races of load buffering that p has, those at the same three places of
// the program once: the read, the write that may be executed before it, the write that may
// be read. The result is Safe where there are none, and Unsafe with the first of them; where it
// is Unknown there may be more.
func AllLBRaces(ctx context.Context, p *program.Program, opts Options) (all []*verdict.Execution, res *verdict.Result, err error) {
	opts.Model, opts.LBRaces = memory.RC11, true
	opts.races = func(es []*verdict.Execution) { all = es }
	res, err = run(ctx, p, opts, verdict.LBRaces, func(*abstract.State) {})
	if err == nil && res.Safe() && len(all) > 0 {
		effort := res.Effort
		res = verdict.ConvictExecution(all[0])
		res.Effort = effort
	}
	return all, res, err
}

// FinalStates explores the graphs of p, and lists the states in which they end and that the
// filter lets pass, each once, as [graphs.FinalStates] does. Properties are disregarded; an
// assertion that fails ends the graphs that it fails in, and no more, while a fault ends the
// exploration. The result is Safe where the list is complete.
func FinalStates(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
	var all []verdict.FinalState
	seen := map[string]bool{}
	res, err := run(ctx, p, opts, verdict.FinalStates, func(s *abstract.State) {
		f := verdict.FinalState{Memory: slices.Clone(s.Mem)}
		for t, regs := range s.Regs {
			regs = slices.Clone(regs)
			for r := range regs {
				if p.Threads[t].Regs[r].Temp {
					regs[r] = 0
				}
			}
			f.Regs = append(f.Regs, regs)
		}
		if k := f.Key(); !seen[k] {
			seen[k] = true
			all = append(all, f)
		}
	})
	verdict.SortFinalStates(all)
	return all, res, err
}

func run(ctx context.Context, p *program.Program, opts Options, asked verdict.Question, found func(*abstract.State)) (*verdict.Result, error) {
	if opts.Commute {
		return commuting(ctx, p, opts, asked, found)
	}
	start := time.Now()
	quiet := false
	if tell := found; found != nil {
		found = func(s *abstract.State) {
			if !quiet {
				tell(s)
			}
		}
	}
	x, res, err := prepare(ctx, p, opts, asked, found)
	if x == nil {
		return res, err
	}
	if x.weak == nil {
		x.explore()
	} else if x, res, err = x.parting(ctx, p, opts, asked, &quiet, found); x == nil {
		return res, err
	}
	defer x.total.Close()
	if res, err = x.result(); err != nil {
		return nil, err
	}
	if asked == verdict.LBRaces {
		res = x.lbResult(res)
	}
	if opts.races != nil {
		opts.races(x.lbRaces())
	}
	res.Engine, res.Elapsed = "graphs", time.Since(start)
	return res, nil
}

// prepare is an explorer, or what is to be said where there is none.
func prepare(ctx context.Context, p *program.Program, opts Options, asked verdict.Question, found func(*abstract.State)) (*explorer, *verdict.Result, error) {
	opts.Model = cmp.Or(opts.Model, memory.TSO)
	def, err := definition(p, opts)
	if err == nil {
		err = def.Covers(p)
	}
	if err != nil {
		return nil, nil, err
	}
	why := refusal(p, def, asked)
	if why != "" && !def.OrdersReads() && (opts.Alike || opts.AnyCoherence) {
		why += ": symmetry and executions without the order of stores are for sc, tso, pso, ra and rc11"
	}
	if opts.AnyCoherence && (asked != verdict.Safety || opts.LBRaces || def.Model.Certifies() || memory.Block(p) != nil || p.Parts()) {
		why = "what is asked depends on the order of stores to one cell, and executions that differ in nothing else were to be the same"
	}
	if why != "" {
		res := verdict.Unknown(p, opts.Model, why)
		res.Engine = "graphs"
		return nil, res, nil
	}
	x, err := newExplorer(ctx, p, def, opts, found)
	if err != nil {
		res, err := verdict.Early(ctx, p, opts.Model, err)
		return nil, res, err
	}
	if opts.AnyCoherence && !x.startsOnce() {
		x.total.Close()
		return nil, verdict.Unknown(p, opts.Model, "whether a thread is started depends on the order of several stores to one cell, and executions that differ in nothing else were to be the same"), nil
	}
	x.races = asked == verdict.DataRaces
	if opts.LBRaces || x.weak != nil {
		x.lb = newLBWatch(asked == verdict.LBRaces && opts.races == nil)
	}
	if asked == verdict.Liveness {
		if x.hang, err = newHang(x); err != nil {
			res, err := verdict.Early(ctx, p, opts.Model, err)
			return nil, res, err
		}
	}
	if opts.Alike && asked != verdict.FinalStates {
		x.alike, x.unlike = newAlike(x)
	}
	return x, nil, nil
}

// Refusal is why [Explore], or [FinalStates], cannot say anything about p under m; "" where
// it can.
func Refusal(p *program.Program, m memory.Model, asked verdict.Question) string {
	def, err := memory.LoadFor(m, p.Arch)
	if err != nil {
		return ""
	}
	return refusal(p, def, asked)
}

func refusal(p *program.Program, def *memory.Definition, asked verdict.Question) string {
	switch {
	case def.Model.Certifies() && (memory.Block(p) != nil || p.Parts()):
		return fmt.Sprintf("under the model %s nothing happens at once but read-modify-writes", def.Model)
	case def.Model.Certifies(): // which has an exploration of its own
	case def.Cat.Unfolds() != nil:
		return fmt.Sprintf("the model %s takes apart what depends on the execution (line %d)", def.Model, def.Cat.Unfolds().Pos.Line)
	case !def.OrdersReads():
		return fmt.Sprintf("the model %s may let a read see what is written after it", def.Model)
	case memory.Block(p) != nil && !def.KeepsBlocks():
		return fmt.Sprintf("the model %s may let others come in between what an atomic block or a locked section does", def.Model)
	case def.Cat.Mentions("casdep"), def.Cat.Mentions("pick-addr"), def.Cat.Mentions("pick-data"), def.Cat.Mentions("pick-ctrl"):
		return fmt.Sprintf("the model %s speaks of dependencies that are not kept here", def.Model)
	case !def.Cat.Monotone():
		return fmt.Sprintf("the model %s has axioms that can be judged only at the end", def.Model)
	}
	switch {
	case p.Exclusives() && asked == verdict.Liveness:
		return "a hang is shown as a run, and there are none with exclusive accesses"
	case !def.Model.Operational() && wideUpdates(p):
		return fmt.Sprintf("the model %s may let the parts of a read-modify-write of several cells see one another's", def.Model)
	}
	if asked != verdict.Safety {
		return ""
	}
	for i := range p.Properties {
		pr := &p.Properties[i]
		if pr.Kind == program.Forbid && locks(p) {
			return "a moment may be one in the middle of a locked section: " + pr.String()
		}
		if pr.Kind == program.Forbid && remembers(pr.Cond) {
			return "a condition on memory at a moment is none on graphs: " + pr.String()
		}
	}
	return ""
}

// startsOnce is true where at most one store is executed to what starts a thread.
func (x *explorer) startsOnce() bool {
	for _, t := range x.p.Threads {
		for q := range t.States {
			if t.States[q].Kind != program.Unstarted {
				continue
			}
			if c := x.ranges.CellIndex(t.StartCell(program.StateID(q))); c >= 0 && !x.once[c] {
				return false
			}
		}
	}
	return true
}

// atTheEnd is true of a property of the last values of memory.
func atTheEnd(pr program.Property) bool {
	return pr.Kind == program.Deadlock || pr.Final() && remembers(pr.Cond)
}

// locks is true of a program that takes the lock or gives it back.
func locks(p *program.Program) bool {
	return slices.ContainsFunc(p.Threads, func(t *program.Thread) bool {
		return slices.ContainsFunc(t.Edges, func(e program.Edge) bool { return e.Cmd.Op == program.Lock || e.Cmd.Op == program.Unlock })
	})
}

// wideUpdates is true of a program with read-modify-writes of several cells.
func wideUpdates(p *program.Program) bool {
	found := false
	for _, t := range p.Threads {
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			c.Accesses(func(a *program.Command) { found = found || a.Part && c.Op == program.Atomic })
		}
	}
	return found
}

// remembers is true of a condition on memory.
func remembers(e program.Expr) bool {
	found := false
	program.Walk(e, func(e program.Expr) {
		_, ok := e.(program.Mem)
		found = found || ok
	})
	return found
}

func definition(p *program.Program, opts Options) (*memory.Definition, error) {
	if opts.Definition != nil {
		return opts.Definition, nil
	}
	return memory.LoadFor(opts.Model, p.Arch)
}

// explorer is one exploration.
type explorer struct {
	ctx     context.Context
	p       *program.Program
	opts    Options
	def     *memory.Definition
	ranges  *program.Ranges
	threads []*threads.Thread
	classes map[classKey]*class
	once    []bool   // by cell: it is written by one store in the text, which is not in a loop
	onceIn  [][]bool // likewise, by thread
	judge   *replay.Judge
	system  *abstract.System
	end     *abstract.State // what the judge is shown
	forbids []*forbid
	lb      *lbWatch
	weak    *weak    // under Weakestmo2
	sums    *sums    // nil: the order of all additions counts
	alike   *alike   // nil: no use is made of threads that are
	unlike  string   // why, where some was to be made
	blocks  bool     // whether there are blocks of several accesses, so that graphs are built forwards
	writes  [][]bool // by thread and cell: whether it may store to it
	torn    bool     // whether the model lets read-modify-writes be torn
	// exclusives is whether there are exclusive accesses; kept is whether it is seen to here, and not
	// by the checker, that what they make is whole.
	exclusives, kept bool
	wide             bool     // whether there are accesses of several cells
	mutex            []bool   // by cell; nil: there are none
	takes            [][]bool // by thread and edge: whether it takes a mutex
	ending           bool     // the graph is not followed, but judged
	races            bool     // whether they are looked for
	hang             *hang    // nil unless that is what is looked for
	check            checker

	// For tests: rules that are broken, and who is told every graph at its end.
	rules  mutant
	leafed func()

	tree      position
	path      []int32 // the way to it in the tree
	goal      []int32 // the way to what is to be explored
	part      float64 // of the tree
	walk      *walk   // where only one child is visited of each graph
	crew      *graphCrew
	cancelled bool // what is to be explored is of no interest any more
	violation *found
	finals    func(*abstract.State)

	g       *graph
	begin   []point // of the threads
	points  arena[point]
	regs    arena[int64]
	clocks  arena[int32]
	seen    arena[views]
	copies  pool
	renamed []int32
	scratch []int64
	trial   threads.State

	executions, blocked, cut, dropped int64
	cutRounds                         int64 // of those that are cut, in how many some thread has gone round as often as it may
	visits, revisits                  int64
	deepest                           int
	inextensible                      string // why there may be graphs that are not found
	midway                            bool   // a thread can stand in the middle of what happens at once
	stopped, advice                   string
	found                             *found // a violation
	err                               error

	pieces, poll       int64
	pairs              int64          // of events whose order [sequential] looks at, a byte each
	total, budget      *states.Budget // of all, and of this one
	most               int64
	toldFull, toldRest int64
}

func newExplorer(ctx context.Context, p *program.Program, def *memory.Definition, opts Options, found func(*abstract.State)) (*explorer, error) {
	r, err := program.AnalyseContext(ctx, p)
	if err != nil {
		return nil, err
	}
	sys, err := abstract.New(p, r, abstract.None{}, 0)
	if err != nil {
		return nil, err
	}
	workers := max(1, opts.Workers)
	if opts.races != nil || opts.Model.Certifies() { // there is a list, or a table of what has been seen
		workers = 1
	}
	if workers > 1 {
		opts, found = oneAtATime(opts, found)
	}
	x := &explorer{ctx: ctx, p: p, opts: opts, def: def, ranges: r, system: sys, end: sys.NewState(), finals: found, tree: position{only: every},
		judge: replay.NewJudge(sys, p.Properties), total: states.NewBudget(opts.MemoryLimit), crew: newCrew(opts, workers)}
	if found != nil {
		x.judge = replay.NewLister(sys, found)
	} else {
		for i := range p.Properties {
			if pr := &p.Properties[i]; pr.Kind == program.Forbid {
				x.forbids = append(x.forbids, newForbids(pr)...)
			}
		}
	}
	if opts.Budget != nil {
		x.total = opts.Budget.Child(opts.MemoryLimit)
	}
	x.budget = x.total.Child(0)
	x.threads, err = threads.New(p, r, func(t int) []program.RegSet { return flow.Live(p, t, true) })
	if err != nil {
		return nil, err
	}
	for _, th := range x.threads {
		th.Quiet = !opts.everyRound
		th.MaxSteps = int32(min(cmp.Or(opts.MaxSteps, DefaultMaxSteps), math.MaxInt32-1))
		th.MaxRounds = int32(min(cmp.Or(opts.MaxRounds, math.MaxInt32-1), math.MaxInt32-1))
	}
	x.g = newGraph(r.Cells, len(p.Threads))
	x.classes, x.blocks = classes(p), memory.Block(p) != nil || p.Parts()
	x.once, x.onceIn, x.writes = writtenOnce(p, r)
	x.startThreads()
	x.check = newChecker(x)
	_, evaluates := x.check.(*evaluated)
	x.torn = evaluates && !def.Excludes()
	x.exclusives, x.wide = p.Exclusives(), p.Parts()
	x.kept = x.exclusives && !evaluates
	if opts.Model.Certifies() {
		x.weak = newWeak(x)
	}
	x.findMutexes()
	return x, nil
}

// startThreads takes each thread to its first stop.
func (x *explorer) startThreads() {
	regs := 0
	for _, th := range x.threads {
		regs = max(regs, len(th.Regs))
	}
	x.scratch = make([]int64, 0, regs)
	x.begin = make([]point, len(x.threads))
	for t, th := range x.threads {
		th.Start(&x.begin[t].state)
		x.begin[t].stop = th.Run(&x.begin[t].state, x.scratch)
		x.begin[t].late = x.late(th, &x.begin[t])
	}
}

// writtenOnce is, by cell, whether at most one store is ever executed to it, by all threads and
// by each of them, and whether a thread has any.
func writtenOnce(p *program.Program, r *program.Ranges) (once []bool, onceIn, writes [][]bool) {
	all := make([]int, len(r.Cells))
	few := func(stores []int) (once []bool) {
		for _, n := range stores {
			once = append(once, n <= 1)
		}
		return once
	}
	for ti, t := range p.Threads {
		stores := make([]int, len(r.Cells))
		for i := range t.Edges {
			e := &t.Edges[i]
			if !r.Reachable[ti][e.From] {
				continue
			}
			e.Cmd.Accesses(func(c *program.Command) {
				if c.Op != program.Store {
					return
				}
				n := 1
				if flow.Again(t, e, func(*program.Command) bool { return true }) {
					n = 2
				}
				for _, cell := range r.Access[c] {
					stores[cell] += n
				}
			})
		}
		for c, n := range stores {
			all[c] += n
		}
		onceIn = append(onceIn, few(stores))
		any := make([]bool, len(r.Cells))
		for c, n := range stores {
			any[c] = n > 0
		}
		writes = append(writes, any)
	}
	return few(all), onceIn, writes
}

func (x *explorer) stop(why, advice string) {
	if x.stopped == "" {
		x.stopped, x.advice = why, advice
	}
}

// halted is true where the exploration is over.
func (x *explorer) halted() bool {
	return x.found != nil || x.stopped != "" || x.err != nil || x.cancelled
}

// work counts the pieces of work of a visit to a graph of n events.
func (x *explorer) work(n int) {
	x.deepest = max(x.deepest, n-len(x.g.co))
	x.pieced(n)
}

// pieced counts n small pieces of work. A visit to a graph of many thousands of events takes many.
func (x *explorer) pieced(n int) {
	if x.pieces += int64(n); x.pieces >= x.poll && !x.halted() {
		x.pause()
	}
}

// piecesPerLook is how many pieces of work, of a microsecond or two, are done between two looks at the clock.
const piecesPerLook = 2_000

// pause stops the exploration where it has to, and reports progress.
func (x *explorer) pause() {
	x.poll = x.pieces + piecesPerLook
	if why, advice := verdict.Ended(x.ctx); why != "" {
		x.stop(why, advice)
		return
	}
	if x.account(); x.budget.Over() {
		x.stop("the memory limit", "allow more memory")
		return
	}
	if x.crew.Stopped() || x.crew.Later(x.path) {
		x.cancelled = true
		return
	}
	x.tell()
	x.crew.Show()
}

func (x *explorer) account() {
	x.budget.Charge(x.bytes() - x.budget.Used())
	x.most = max(x.most, x.total.Used())
}

// bytes is about what the exploration holds.
func (x *explorer) bytes() int64 {
	const perPoint, perView, perEvent, frames = 200, 100, 160, 600
	n := x.weak.bytes() + x.pairs
	n += int64(x.points.held*perPoint + x.regs.held*8 + x.clocks.held*4 + x.seen.held*perView)
	return n + int64(len(x.copies)+1)*int64(x.deepest)*perEvent + int64(x.deepest)*frames
}

// result is what the exploration came to.
func (x *explorer) result() (res *verdict.Result, err error) {
	x.account()
	switch {
	case x.err != nil:
		return nil, x.err
	case x.found != nil:
		if res, err = x.convictFound(); err != nil {
			return nil, err
		}
	case x.stopped != "":
		res = verdict.Unknown(x.subject(), x.opts.Model, fmt.Sprintf("no violation in %s, about %s of all; stopped by %s",
			verdict.Number(x.executions+x.blocked+x.cut, "graph"), crew.Percent(x.crew.Fraction()), x.stopped))
		res.Advice = x.advice
	case x.midway:
		res = verdict.Unknown(x.subject(), x.opts.Model, fmt.Sprintf("no violation in %s; there are others in which a thread stands in the middle of what happens at once",
			verdict.Number(x.executions+x.blocked+x.cut, "graph")))
		res.Advice = "--engine explicit"
	case x.inextensible != "":
		res = verdict.Unknown(x.subject(), x.opts.Model, "there may be graphs that were not found: "+x.inextensible)
	case x.cutRounds > 0 && x.opts.MaxRounds > 0:
		res = verdict.Unknown(x.subject(), x.opts.Model, "there are executions with more rounds of a loop")
		res.Advice = "a higher bound, by --unroll"
		res.Bound, res.BoundUnit = x.opts.MaxRounds, "rounds"
	case x.cut > 0:
		res = verdict.Unknown(x.subject(), x.opts.Model, fmt.Sprintf("there are executions in which a thread takes more than %s steps", verdict.Thousands(int64(x.threads[0].MaxSteps))))
	case x.weak != nil:
		res = x.weak.safe()
	default:
		res = verdict.Safe(x.subject(), x.opts.Model, verdict.Exhaustive, nil)
	}
	res.Stats = []verdict.Stat{
		{Name: "executions", Value: x.executions}, {Name: "blocked", Value: x.blocked}, {Name: "cut", Value: x.cut},
		{Name: "dropped", Value: x.dropped}, {Name: "visits", Value: x.visits}, {Name: "revisits", Value: x.revisits},
		{Name: "events", Value: int64(x.deepest)}, {Name: "bytes", Value: x.most},
	}
	switch {
	case x.alike != nil:
		res.Notes = append(res.Notes, x.alike.note(x.p))
	case x.unlike != "":
		res.Notes = append(res.Notes, "no use is made of threads that are alike: "+x.unlike)
	}
	if x.weak != nil {
		res.Stats = append(res.Stats, x.weak.stats()...)
	}
	if x.lb != nil {
		res.Stats = append(res.Stats, verdict.Stat{Name: "lb races", Value: int64(len(x.lb.pairs))})
	}
	return res, nil
}
