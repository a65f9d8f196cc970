// Package rvf explores the executions of a program under SC, TSO or PSO up to the reads-value-from
// equivalence (RVF-SMC: Agarwal, Chatterjee, Pathak, Pavlogiannis and Toman, Stateless
// Model Checking under a Reads-Value-From Equivalence, CAV 2021).
//
// Two executions are equivalent when they have the same events, which read and write the
// same values, and order reads causally alike. Which of several writes of one value a read
// reads from makes no difference, so that there can be exponentially fewer classes than
// with any equivalence that speaks of reads-from. The price is that each step asks whether
// there is an execution in which every read reads from one of its good writes
// (VerifySC, which is NP-hard). The paper is about SC; docs/rvf.md says what there is to
// locked sections and store buffers.
//
// A program and options come in, and a [verdict.Result] goes out: Safe where at least one
// execution for every way to read values was explored, Unsafe only with a run that was
// replayed. The number of executions is at least that of the different ways to read values,
// and at most that of the classes.
package rvf

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// DefaultMaxEvents is how many steps a thread may take where nobody says otherwise.
const DefaultMaxEvents = 10_000

// Options bound an exploration.
type Options struct {
	// Model is SC, TSO or PSO; "" is SC.
	Model memory.Model
	// MaxEvents bounds what each thread does, in steps; 0: DefaultMaxEvents.
	MaxEvents int
	// MemoryLimit bounds what the exploration may hold, in bytes; 0: three
	// quarters of what the machine has free.
	MemoryLimit int64
	// Progress, where not nil, is called now and then with a line that says
	// how far the exploration is.
	Progress func(line string)

	// For tests: without what makes it fast, and told every maximal execution and others
	// on the way.
	noSignals, noClosure, noGreed, noGuide, reverse bool

	rules mutant
	leaf  func(x *exploration, s []int32)
	step  func(x *exploration)
}

// Explore explores executions of p and checks its assertions and those of its
// properties that a class decides: conditions on final states, and on the place of one
// thread alone. Others get a [program.Diagnostic].
//
// The result counts as "executions" those at whose end every thread has come to its own, or
// stands for good; as "blocked" those in which a thread waits for a value that was not
// there; as "calls" those of the recursion, as "witnesses" the questions whether an
// execution exists, and how many of these were answered "no", by the execution at hand, and
// "no" by the closure.
func Explore(ctx context.Context, p *program.Program, opts Options) (res *verdict.Result, err error) {
	start := time.Now()
	x, err := newExploration(ctx, p, opts)
	if err != nil {
		return verdict.Early(ctx, p, cmp.Or(opts.Model, memory.SC), err)
	}
	defer x.budget.Close()
	x.explore(nil, make([][]int32, len(x.threads)+1))
	if res, err = x.result(); err != nil {
		return nil, err
	}
	res.Engine, res.Elapsed = "rvf", time.Since(start)
	return res, nil
}

// An event is an access that is part of the executions at hand, or a flush. A store that
// goes through a buffer is two: one into the buffer, and behind it its flush, which writes.
type event struct {
	thread, index int32 // its row, and which of the events there it is, from 0
	cell          int32
	read, write   bool  // of memory; neither: a store into a buffer
	half          bool  // of a read-modify-write: the read, if there is a write behind it, or that
	unit          int32 // 1 + the first of the events that it happens at once with, which is itself if there are no others
	own           int32 // of a read: the last write to the cell that is before it in its thread, or initial
	after         int32 // all flushes of its thread among the events before this one come before it
	value         int64
	good          []int32 // the writes that a read may read from; initial for that of its cell
}

// initial stands for the initial write of a cell among those that a read may read from.
const initial = -1

// An ancestor is a read whose values are being tried above the call at hand.
type ancestor struct {
	thread, cell int32
	half         bool
	signalled    bool // a write that it could read as well has turned up
}

type exploration struct {
	ctx     context.Context
	opts    Options
	p       *program.Program
	sys     *abstract.System
	ranges  *program.Ranges
	judge   *replay.Judge
	threads []*threads.Thread
	scratch []int64
	init    []int64 // by cell

	// The events at hand are a stack; those of each thread are in program order.
	events []event
	of     [][]int32 // by row: its events; see rows
	owner  []int32   // by row: the thread
	drain  []bool    // by thread: its next event waits for its buffers
	fence  []int32   // by thread: flushes of later stores wait for those among so many events
	states []threads.State
	stops  []threads.Stop
	picks  [][]int64 // by thread: the ways that it was sent
	ahead  [][]int64 // by thread: those that it will be sent in the section that is next
	anc    []ancestor
	marks  []*mark       // that nobody needs
	trial  threads.State // what a thread would do

	observed []int32          // the cells that conditions on final states read
	watched  [][]program.Expr // by thread: what may not be true of it
	seen     bool             // that something is
	blocks   bool             // there are blocks and locked sections
	order    order            // of the events at hand, in all witnesses
	closing  closing          // room for one

	calls, witnesses, none, byGuide, byClosure int64
	executions, blocked, cuts, searched        int64
	maxDepth                                   int

	budget *states.Budget
	poll   int64
	pulse  verdict.Pulse

	violated        bool
	schedule        []abstract.Event // of the violation
	stopped, advice string
	err             error
}

func newExploration(ctx context.Context, p *program.Program, opts Options) (*exploration, error) {
	if opts.Model == "" {
		opts.Model = memory.SC
	}
	sys, err := abstract.CompileContext(ctx, p, opts.Model, nil, 0)
	if err != nil {
		return nil, err
	}
	if opts.MaxEvents <= 0 {
		opts.MaxEvents = DefaultMaxEvents
	}
	x := &exploration{ctx: ctx, opts: opts, p: p, sys: sys, ranges: sys.Ranges,
		judge: replay.NewJudge(sys, p.Properties), budget: states.NewBudget(opts.MemoryLimit), pulse: verdict.NewPulse(opts.Progress)}
	if p.Exclusives() {
		return nil, p.Diagnose(program.Position{}, "rvf knows no exclusive accesses", "use another way to explore")
	}
	if err := x.bufferable(); err != nil {
		return nil, err
	}
	x.blocks = memory.Block(p) != nil
	if x.threads, err = threads.New(p, sys.Ranges, func(t int) []program.RegSet { return flow.Live(p, t, true) }); err != nil {
		return nil, err
	}
	most := 0
	for t, th := range x.threads {
		th.MaxSteps = int32(opts.MaxEvents)
		most = max(most, len(th.Regs))
		x.states = append(x.states, threads.State{})
		th.Start(&x.states[t])
		if !sys.Ranges.Reachable[t][th.Initial] {
			return nil, fmt.Errorf("internal error: thread %d does not begin", t)
		}
	}
	x.scratch = make([]int64, most)
	x.stops = make([]threads.Stop, len(x.threads))
	x.watched = make([][]program.Expr, len(x.threads))
	x.picks = make([][]int64, len(x.threads))
	x.ahead = make([][]int64, len(x.threads))
	first := sys.NewState()
	sys.Initial(first)
	x.init = slices.Clone(first.Mem)
	x.rows()
	if err := x.asked(); err != nil {
		return nil, err
	}
	return x, nil
}

// asked finds out what the properties ask for, and refuses what executions of one class
// need not agree on. They differ in the final memory, which is why an observer reads
// what conditions speak of when all else is done.
func (x *exploration) asked() error {
	observe := func(e program.Expr) {
		program.Walk(e, func(e program.Expr) {
			m, ok := e.(program.Mem)
			if c := int32(x.ranges.CellIndex(m.Addr)); ok && c >= 0 && !slices.Contains(x.observed, c) {
				x.observed = append(x.observed, c)
			}
		})
	}
	for i := range x.p.Properties {
		pr := &x.p.Properties[i]
		switch {
		case pr.Kind == program.Deadlock:
			return x.p.Diagnose(pr.Pos, "rvf does not decide deadlock", "executions that it takes for alike can end in different ones: use another way to explore")
		case pr.Final():
			observe(pr.Cond)
		default:
			if !x.attend(pr) {
				return x.p.Diagnose(pr.Pos, "rvf does not decide what several threads, or memory, are at one moment", "use another way to explore")
			}
		}
	}
	if f := x.p.Filter; f != nil && slices.ContainsFunc(x.p.Properties, func(pr program.Property) bool { return pr.Final() }) {
		observe(f)
	}
	slices.Sort(x.observed)
	return nil
}

func (x *exploration) done() bool { return x.violated || x.stopped != "" || x.err != nil }

func (x *exploration) stop(why, advice string) { x.stopped, x.advice = why, advice }

// work is done now and then: it stops the exploration where it has to, and reports
// progress.
func (x *exploration) work() {
	if x.poll++; x.poll&0xff != 0 || x.done() {
		return
	}
	if why, advice := verdict.Ended(x.ctx); why != "" {
		x.stop(why, advice)
		return
	}
	if x.budget.Over() {
		x.stop("the memory limit", "allow more memory")
		return
	}
	x.pulse.Beat("%s, %s blocked, depth %d", verdict.Number(x.executions, "execution"), verdict.Thousands(x.blocked), len(x.events))
}

// result is what the exploration found.
func (x *exploration) result() (res *verdict.Result, err error) {
	all := verdict.Number(x.executions+x.blocked+x.cuts, "execution")
	switch {
	case x.err != nil:
		return nil, x.err
	case x.violated:
		if res, err = replay.Convict(x.p, x.opts.Model, x.schedule); err != nil {
			return nil, err
		}
	case x.stopped != "":
		res = verdict.Unknown(x.p, x.opts.Model, fmt.Sprintf("no violation in %s; stopped by %s", all, x.stopped))
		res.Advice = x.advice
	case x.cuts > 0:
		res = verdict.Unknown(x.p, x.opts.Model, fmt.Sprintf("no violation in %s in which no thread takes more than %s steps; %s are longer",
			all, verdict.Thousands(int64(x.opts.MaxEvents)), verdict.Thousands(x.cuts)))
		res.Bound, res.BoundUnit = x.opts.MaxEvents, "steps"
		res.Advice = "allow longer executions, or search states"
	default:
		res = verdict.Safe(x.p, x.opts.Model, verdict.Exhaustive, nil)
	}
	res.Stats = []verdict.Stat{
		{Name: "executions", Value: x.executions},
		{Name: "blocked", Value: x.blocked},
		{Name: "cut", Value: x.cuts},
		{Name: "calls", Value: x.calls},
		{Name: "witnesses", Value: x.witnesses},
		{Name: "no witness", Value: x.none},
		{Name: "by guide", Value: x.byGuide},
		{Name: "by closure", Value: x.byClosure},
		{Name: "prefixes", Value: x.searched},
		{Name: "depth", Value: int64(x.maxDepth)},
		{Name: "bytes", Value: x.budget.Used()},
	}
	return res, nil
}
