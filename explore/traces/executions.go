// Package traces explores the executions of a program up to the order of independent
// events: without a set of states ([Explore]), by dynamic partial-order reduction as the
// thesis has it (4.2), with source sets, or optimally; and with one ([Stateful]).
//
// Threads and store buffers are processes ([processes]), an execution is a [trace] of their
// events with its happens-before order, and a race in it says which other order to try.
// [algorithm] is what the ways to do this differ in, each in a file of its own.
//
// A program and options come in, and a [verdict.Result] goes out: Safe where every trace was
// explored, Unsafe only with a run that was replayed.
package traces

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
	"unsafe"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An Algorithm is a way to explore executions.
type Algorithm uint8

const (
	// Optimal explores every trace once, with wakeup trees.
	Optimal Algorithm = iota
	// Source is source sets and sleep sets.
	Source
	// DPOR is dynamic partial-order reduction (thesis algorithm 4.4).
	DPOR
)

func (a Algorithm) String() string { return [...]string{"optimal", "source", "dpor"}[a] }

// DefaultMaxEvents is how many steps an execution may have where nobody says
// otherwise.
const DefaultMaxEvents = 10_000

// Options say how to explore executions. The zero value means TSO and
// the optimal algorithm.
type Options struct {
	Model     memory.Model
	Algorithm Algorithm
	// MaxEvents bounds an execution, in steps; 0: DefaultMaxEvents.
	MaxEvents int
	// MaxExecutions bounds how many executions are explored, blocked and
	// redundant ones included; 0: no bound.
	MaxExecutions int64
	// MemoryLimit bounds what the exploration may hold, in bytes; 0: three
	// quarters of what the machine has free, or all of the Budget that it is a
	// part of, where that is not nil.
	MemoryLimit int64
	Budget      *states.Budget
	// Progress, where not nil, is called now and then with a line that says
	// how far the exploration is.
	Progress func(line string)
	// Found, where not nil, is told every final state that the filter of the
	// program lets pass, once for each execution that ends in it; the state
	// is valid during the call only. Properties are then disregarded, and an
	// assertion that fails only ends the runs that it fails in.
	Found func(*abstract.State)
}

// Explore explores the executions of p, which are its maximal traces, and
// checks its properties and assertions in them. No two of them have the same
// events in the same happens-before order, in so far as the algorithm sees to it;
// see [processes] and [trace] for what that is. Loops are followed up to
// MaxEvents, except those that only wait.
//
// The result counts as "executions" those that end in a final state, in a
// deadlock, or because assumptions fail, and as "blocked" those at whose end a
// thread stands still in a loop that only waits, or before an Atomic, having read
// what others have written over since. "redundant" are those that were given up
// because every event led to traces explored before, "cut" those that are longer
// than MaxEvents. It is Safe only where nothing was cut.
//
// The error is a [program.Diagnostic] for an input that cannot be explored; any
// other is an error inside Fencepost.
func Explore(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	start := time.Now()
	r, err := newExecutions(ctx, p, opts)
	if err != nil {
		return verdict.Early(ctx, p, cmp.Or(opts.Model, memory.TSO), err)
	}
	a := r.algorithm(opts.Algorithm)
	if a == nil {
		return nil, fmt.Errorf("there is no algorithm %d to explore executions", opts.Algorithm)
	}
	defer r.budget.Close()
	if err := r.run(a); err != nil {
		return nil, err
	}
	res, err := r.result()
	if err != nil {
		return nil, err
	}
	res.Engine, res.Elapsed = "executions", time.Since(start)
	return res, nil
}

// algorithm is one of that kind, nil where there is none.
func (r *executions) algorithm(a Algorithm) algorithm {
	switch a {
	case Optimal:
		return &optimal{source{r, true}}
	case Source:
		return &source{executions: r}
	case DPOR:
		return &dpor{r}
	}
	return nil
}

// An algorithm says which processes to go on with: NEXTEVENTS of the thesis'
// algorithm 4.1, whose traces are the stack of the exploration.
type algorithm interface {
	// enter is called when a node is on top of the stack for the first time,
	// after the event that leads to it.
	enter(n *node)
	// next is the process whose event is explored next from the node on top,
	// or -1 where there is none left. A node that waits for a pick is never
	// asked.
	next(n *node) int
	// ended is called when an execution is at its end, or is given up because
	// there is nothing to go on with that was not explored before.
	ended(givenUp bool)
}

// A node is a place in the execution that is explored: before event number i, or
// after the last. The fields of the algorithms are theirs.
type node struct {
	state *abstract.State
	pick  int   // the thread that has to pick, or -1
	ways  int64 // ... and how many ways it has
	taken int64 // how many events have been explored from here
	over  bool  // nothing can follow

	sleep     []sleeper
	backtrack []bool // by process: what is to be explored from here
	done      []bool // by process: what of this has been (dpor)
	enabled   []bool // by process (dpor)
	tree      wakeup // what is to be explored from here (optimal)
	loose     bool   // explored by source sets (optimal)
	held      int64  // bytes that its lists take
}

// executions is one exploration.
type executions struct {
	session
	*trace
	opts Options

	nodes    []*node // nodes[i] is before event i
	free     []*node
	scratch  event     // one that has not happened
	moved    footprint // of an event that would happen elsewhere
	sequence sequence  // in reversal
	sim      *abstract.State

	executions, blocked, redundant, cuts int64
	transitions, maxDepth                int64
	pieces, poll                         int64
	heldNodes, held                      int64 // bytes
	most                                 int64 // of the budget
	cut                                  bool  // the execution at hand is too long
	violated                             bool  // the schedule is a violation
}

func newExecutions(ctx context.Context, p *program.Program, opts Options) (*executions, error) {
	opts.Model = cmp.Or(opts.Model, memory.TSO)
	if opts.MaxEvents <= 0 {
		opts.MaxEvents = DefaultMaxEvents
	}
	s, ps, _, err := begin(ctx, p, opts.Model, 0, opts.Found)
	if err != nil {
		return nil, err
	}
	s.budget, s.pulse = states.Within(opts.Budget, opts.MemoryLimit), verdict.NewPulse(opts.Progress)
	return &executions{session: s, trace: newTrace(ps), opts: opts, sim: ps.x.NewState()}, nil
}

// halted is true where the exploration is over.
func (r *executions) halted() bool { return r.violated || r.stopped != "" || r.err != nil }

// run is the depth-first walk.
func (r *executions) run(a algorithm) error {
	for t := 0; t < r.threads && !r.halted(); t++ {
		r.advance(t)
	}
	if !r.halted() {
		r.checkForbid()
	}
	moved := true // whether the state is that of the top node
	if !r.halted() {
		r.enter(a)
	}
	for !r.halted() {
		n := r.nodes[len(r.nodes)-1]
		p, pick := -1, int64(-1)
		switch {
		case n.over:
		case n.pick < 0:
			p = a.next(n)
		case n.taken < n.ways:
			p, pick = n.pick, n.taken
		}
		if p < 0 {
			if n.taken == 0 && !n.over && r.another() {
				r.redundant++
				a.ended(true)
			}
			r.leave()
			moved = false
			if len(r.nodes) == 0 {
				break
			}
			continue
		}
		if !moved {
			r.s.Copy(n.state)
			r.cut = false
		}
		moved = true
		n.taken++
		r.push(p, pick)
		if r.halted() {
			break
		}
		r.enter(a)
	}
	return r.err
}

// enter puts a node on the stack for the state at hand.
func (r *executions) enter(a algorithm) {
	var n *node
	if k := len(r.free); k > 0 {
		n, r.free = r.free[k-1], r.free[:k-1]
	} else {
		n = &node{state: r.x.NewState(), backtrack: make([]bool, r.count()), done: make([]bool, r.count()), enabled: make([]bool, r.count())}
		// Beside the node its state: what a thread has there, the rest, and the values.
		r.heldNodes += int64(unsafe.Sizeof(*n)) + int64(8*cap(n.state.Vals)+56*r.threads+200+3*r.count())
	}
	n.state.Copy(r.s)
	n.pick, n.ways, n.taken = -1, 0, 0
	n.sleep, n.tree = n.sleep[:0], wakeup{}
	clear(n.backtrack)
	clear(n.done)
	r.nodes = append(r.nodes, n)
	for t := range r.threads {
		if st := &r.status[t]; st.kind == picking {
			n.pick, n.ways = t, st.ways
			break
		}
	}
	n.over = r.cut || n.pick < 0 && !r.anyEnabled()
	a.enter(n)
	r.weigh(n)
	if n.over {
		r.end()
		if !r.halted() {
			a.ended(false)
		}
	}
	if r.bytes()-r.budget.Used() > unaccounted {
		r.poll = 0 // in a long execution an event takes tens of kilobytes
	}
	r.work(1 + r.count()/16)
}

// unaccounted is how many bytes are held at most before the budget hears of them.
const unaccounted = 1 << 20

// weigh accounts for the lists of a node that grow: the buffers of its state, and what sleeps, with
// the words of each.
func (r *executions) weigh(n *node) {
	held := int64(cap(n.sleep)) * int64(unsafe.Sizeof(sleeper{})+2*unsafe.Sizeof(abstract.Access{}))
	for t := range n.state.Buf {
		held += int64(cap(n.state.Buf[t].Pairs)) * int64(unsafe.Sizeof(abstract.Pair{}))
	}
	r.heldNodes += held - n.held
	n.held = held
}

func (r *executions) anyEnabled() bool {
	for p := range r.count() {
		if r.enabled(r.s, p, r.status) {
			return true
		}
	}
	return false
}

// leave takes the top node off the stack, and the event that led to it.
func (r *executions) leave() {
	k := len(r.nodes) - 1
	r.free = append(r.free, r.nodes[k])
	r.nodes = r.nodes[:k]
	if k > 0 {
		r.undo()
	}
}

// push does the next event of process p, or the given pick.
func (r *executions) push(p int, pick int64) {
	r.transitions++
	e := r.grow()
	if pick >= 0 {
		r.begin(e, p)
		copy(e.clock, e.base)
		e.pick, e.foot = pick, footprint{thread: p, buffers: -1, words: e.foot.words[:0]}
		r.commit()
		st := &r.status[p]
		st.group, st.choice = r.way(r.s, p, pick)
		st.kind = ready
		if st.group.quiet && r.take(p, abstract.Event{Thread: p, Edge: st.group.edges[0], Choice: st.choice}) {
			r.advance(p)
		}
		return
	}
	r.prepare(e, p)
	t := e.foot.thread
	if e.out == abstract.Stray {
		r.err = r.x.StrayError(e.step)
		r.undoEvent()
		return
	}
	r.commit()
	if e.out == abstract.Disabled {
		st := &r.status[t]
		st.kind, st.attempt = still, int32(len(r.events)-1)
		return
	}
	if on := r.take(t, e.step); on && p < r.threads {
		if c := &r.edge(t, e.step.Edge).Cmd; r.pso && c.StoreFence() {
			r.status[t].epoch++
		}
		r.advance(t)
	}
	if !r.halted() {
		r.checkForbid()
	}
}

// undoEvent drops an event that was not committed.
func (r *executions) undoEvent() { r.trace.events = r.trace.events[:len(r.trace.events)-1] }

// take does a step of the program. It is false where the thread does not go on:
// an assertion fails, or the step was the last of a round of a loop that waits.
func (r *executions) take(t int, ev abstract.Event) bool {
	if ev.Edge != abstract.Flush && r.edge(t, ev.Edge).Cmd.Op == program.Assert {
		if _, out := r.x.Accesses(nil, r.s, ev); out == abstract.Failed && !r.counts(r.s, ev) {
			r.status[t].kind = still
			return false
		}
	}
	r.schedule = append(r.schedule, ev)
	switch r.x.Take(r.s, ev) {
	case abstract.Done:
		if ev.Edge == abstract.Flush || !r.waits[t][ev.Edge] {
			return true
		}
		r.status[t].kind = still
	case abstract.Failed:
		r.violated = true
	default:
		r.err = r.x.StrayError(ev)
	}
	return false
}

// advance takes thread t to where its next event is not quiet or is a pick.
func (r *executions) advance(t int) {
	for {
		st := &r.status[t]
		st.ways = r.ways(r.s, t)
		switch st.ways {
		case 0:
			st.kind = still
			return
		case 1:
			st.kind = ready
			st.group, st.choice = r.way(r.s, t, 0)
		default:
			st.kind = picking
		}
		if len(r.schedule) >= r.opts.MaxEvents {
			r.cut = true
			return
		}
		if st.kind == picking || !st.group.quiet ||
			!r.take(t, abstract.Event{Thread: t, Edge: st.group.edges[0], Choice: st.choice}) {
			return
		}
	}
}

func (r *executions) checkForbid() {
	r.violated = r.violated || r.Forbidden(r.s) != nil
}

// another is true where one more execution may be explored.
func (r *executions) another() bool {
	if n := r.executions + r.blocked + r.cuts + r.redundant; r.opts.MaxExecutions > 0 && n >= r.opts.MaxExecutions {
		r.stop("the limit on the number of executions", "allow more executions")
		return false
	}
	return true
}

// end judges the end of an execution.
func (r *executions) end() {
	r.maxDepth = max(r.maxDepth, int64(len(r.schedule)))
	if !r.another() {
		return
	}
	switch {
	case r.cut:
		r.cuts++
	case r.x.Final(r.s):
		r.executions++
		r.violated = r.Ending(r.s) != nil || r.violated
	default:
		stuck := r.stuck()
		if stuck && r.Deadlock(r.s) != nil {
			r.violated = true
		}
		if stuck && !r.stale() {
			r.executions++
		} else {
			r.blocked++
		}
	}
}

// stuck is true where the program has no step, not even one that goes round in a
// loop that waits.
func (r *executions) stuck() bool {
	r.sim.Copy(r.s)
	for t := range r.threads {
		if r.x.Flushes(r.s, t) > 0 {
			return false
		}
		for _, e := range r.x.Out(t, r.s.PC[t]) {
			for c := range r.x.Choices(t, e) {
				if r.work(1); r.halted() || r.x.Step(r.sim, abstract.Event{Thread: t, Edge: e, Choice: c}) != abstract.Disabled {
					return false
				}
			}
		}
	}
	return true
}

// stale is true where what an attempt has read was written over since.
func (r *executions) stale() bool {
	for t := range r.status {
		k := r.status[t].attempt
		if k < 0 || r.status[t].kind != still {
			continue
		}
		for _, w := range r.events[k].foot.words {
			if w.Cell < r.cells && r.written[w.Cell] > k {
				return true
			}
		}
	}
	return false
}

// account makes the budget what the exploration holds.
func (r *executions) account() {
	r.budget.Charge(r.bytes() - r.budget.Used())
	r.most = max(r.most, r.budget.Used())
}

// bytes is what the exploration holds.
func (r *executions) bytes() int64 {
	return r.heldNodes + r.held + r.trace.bytes() + 8*int64(cap(r.nodes)+cap(r.free))
}

// work counts n small pieces of work.
func (r *executions) work(n int) {
	if r.pieces += int64(n); r.pieces >= r.poll && !r.halted() {
		r.pause()
	}
}

// pause stops the exploration where it has to, and reports progress.
func (r *executions) pause() {
	r.poll = r.pieces + 4096
	r.account()
	if why, advice := verdict.Ended(r.ctx); why != "" {
		r.stop(why, advice)
		return
	}
	if r.budget.Over() {
		r.stop("the memory limit", "allow more memory")
		return
	}
	r.pulse.Beat("%s, %s blocked, depth %d", verdict.Number(r.executions, "execution"), verdict.Thousands(r.blocked), len(r.schedule))
}

// result is what the exploration found.
func (r *executions) result() (res *verdict.Result, err error) {
	r.account()
	stats := []verdict.Stat{
		{Name: "executions", Value: r.executions},
		{Name: "blocked", Value: r.blocked},
		{Name: "redundant", Value: r.redundant},
		{Name: "cut", Value: r.cuts},
		{Name: "transitions", Value: r.transitions},
		{Name: "depth", Value: r.maxDepth},
		{Name: "bytes", Value: r.most},
	}
	p := r.x.Program
	switch {
	case r.violated: // by the schedule at hand
		if res, err = r.replay.Convict(slices.Clone(r.schedule)); err != nil {
			return nil, err
		}
	case r.stopped != "":
		res = verdict.Unknown(p, r.opts.Model,
			fmt.Sprintf("no violation in %s; stopped by %s", verdict.Number(r.executions+r.blocked+r.cuts, "execution"), r.stopped))
		res.Advice = r.advice
	case r.cuts > 0:
		res = verdict.Unknown(p, r.opts.Model, fmt.Sprintf("no violation in %s of up to %s steps; %s are longer",
			verdict.Number(r.executions+r.blocked+r.cuts, "execution"), verdict.Thousands(int64(r.opts.MaxEvents)), verdict.Thousands(r.cuts)))
		res.Bound, res.BoundUnit = r.opts.MaxEvents, "steps"
		res.Advice = "allow longer executions, or search states"
	default:
		res = verdict.Safe(p, r.opts.Model, verdict.Exhaustive, nil)
	}
	res.Stats = stats
	return res, nil
}
