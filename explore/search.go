package explore

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/reduce"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A job is what the workers of a search share.
type job struct {
	ctx    context.Context
	opts   Options
	x      *abstract.System
	layout *states.Layout
	props  []program.Property
	dead   [][][]flow.Reset // by thread and edge: what the edge leaves dead
	writes [][]bool         // by thread and edge: whether it may write memory, not a buffer

	reduction reduce.Reduction // whose forks the workers have
	favours   reduce.Favouring // the reduction, where there are favourites; else nil
	symmetry  *reduce.Symmetry // nil: none is made use of
	note      string           // about the symmetry

	*replay.Judge // tells of one final state at a time

	budget *states.Budget
	halt   atomic.Bool  // the search is over for all workers
	passed atomic.Bool  // the milestone has been
	total  atomic.Int64 // states stored, as far as the workers have told

	start    time.Time
	mu       sync.Mutex // held to report progress
	progress time.Time
}

// A search is one search, or one worker of it. Its states are packed by the
// layout and live in the store.
type search struct {
	*job
	red   reduce.Reduction
	store states.Set

	// What is still to be expanded, on one core:
	stack        []frame      // depth-first, what has been begun; the last one is found last
	level, later []states.Ref // where others go on: what has not been begun, and what is on the next level
	fresh        states.Ref   // the state that was stored last

	mine pile  // else: what this worker is to expand
	out  *pile // where new states go, where not nil

	cur, next *abstract.State
	sel       reduce.Selection // what to explore in cur
	// The favourite threads of cur and next (see localFirst), -1 for none.
	favourite, nextFavourite int

	// from: next differs from that state where an event of trace may have
	// changed something, and nowhere else; 0: anything.
	from   states.Ref
	old    []uint64         // cur, packed
	words  []uint64         // next, packed, with its favourite behind where there are favourites
	perm   []int            // by thread of next: which it was after trace, before symmetry
	trace  []abstract.Event // from cur to next
	parent states.Ref       // of next
	depth  uint32           // of cur

	states, transitions int64
	maxDepth            uint32
	tries, poll         int64  // events tried; when to look at the clock
	told                int64  // how many of the states are in job.total
	milestone           int64  // on one core: that of the options
	full                bool   // a store was disabled for the capacity
	halted              bool   // another worker has ended the search
	stopped             string // why the search ended early
	advice              string
	err                 error

	// violated: there is a violation, in the state with id at, or, where at is
	// 0, at the end of trace from parent: an assertion that fails.
	violated bool
	at       states.Ref

	dirty   bool // next is not equal to cur
	fertile bool // cur has a successor
	choked  bool // cur has a store that is disabled for the capacity

	// target, where not 0, makes reach look for that state among the
	// successors instead of storing them.
	target states.Ref
	hit    bool
}

func newSearch(ctx context.Context, p *program.Program, opts Options, found func(*abstract.State)) (*search, error) {
	opts.Model = cmp.Or(opts.Model, memory.TSO)
	if opts.Reduction == "" || opts.Reduction == DynamicPOR {
		opts.Reduction = Persistent
	}
	start := time.Now()
	x, err := abstract.CompileContext(ctx, p, opts.Model, opts.Abstraction, opts.Buffer)
	if err != nil {
		return nil, err
	}
	j := &job{ctx: ctx, opts: opts, x: x, layout: states.NewLayout(x), start: start, progress: start}
	if j.budget = states.NewBudget(opts.MemoryLimit); opts.Budget != nil {
		j.budget = opts.Budget.Child(opts.MemoryLimit)
	}
	if j.Judge = replay.NewJudge(x, p.Properties); found != nil {
		var mu sync.Mutex
		j.Judge = replay.NewLister(x, func(s *abstract.State) {
			mu.Lock()
			defer mu.Unlock()
			found(s)
		})
	}
	asked := j.Asked(p)
	j.props = asked.Properties
	for _, t := range p.Threads {
		writes := make([]bool, len(t.Edges))
		for i := range t.Edges {
			op := t.Edges[i].Cmd.Op
			writes[i] = op == program.Atomic || op == program.Store && x.Buffer.Immediate()
		}
		j.writes = append(j.writes, writes)
	}
	if j.dead = flow.NoneDead(p); !opts.NoLive {
		j.dead = flow.Dead(asked, found != nil)
	}
	task := &reduce.Task{System: x, Props: j.props, Dead: j.dead}
	var ok bool
	if j.reduction, ok = reduce.New(opts.Reduction, task); !ok {
		return nil, fmt.Errorf("there is no reduction %q", opts.Reduction)
	}
	if j.favours, ok = j.reduction.(reduce.Favouring); ok {
		j.opts.Workers = 1
	}
	s := j.worker()
	s.milestone = opts.Milestone
	if opts.Symmetry {
		var why string
		if why = s.asymmetric(); why == "" {
			j.symmetry, why = reduce.NewSymmetry(task, j.reduction)
		}
		j.note = j.symmetry.Note(p, why)
	}
	if opts.Compact {
		if h, ok := states.NewShards(j.budget, rand.Uint64(), true, opts.Spill); ok {
			s.store = h
		} else {
			s.outOfMemory()
		}
	} else {
		s.store = states.NewFlat(j.budget)
	}
	return s, nil
}

// worker is a search, or a part of one, that has done nothing yet.
func (j *job) worker() *search {
	return &search{job: j, red: j.reduction.Fork(), cur: j.x.NewState(), next: j.x.NewState(), perm: make([]int, j.x.Threads())}
}

// asymmetric is why the search can make no use of symmetries; "" where it can.
func (s *search) asymmetric() string {
	switch {
	case s.Lists():
		return "final states are listed one by one"
	case s.favours != nil:
		return "the reduction has a favourite thread"
	case s.opts.Abstraction != nil || s.opts.Model == memory.PSO:
		return "the store buffers are neither those of sc nor those of tso"
	}
	return ""
}

// run searches until everything is visited, a violation is found or the search
// has to stop.
func (s *search) run() error {
	s.x.Initial(s.next)
	s.trace = s.trace[:0]
	s.nextFavourite = -1
	if s.opts.Compact {
		s.compact()
		return s.err
	}
	s.reach()
	if s.opts.DepthFirst && !s.done() {
		s.depthFirst()
	} else {
		s.breadthFirst()
	}
	if !s.done() && len(s.level)+len(s.later) > 0 {
		s.parallel()
	}
	return s.err
}

// failure is why the store does not work, if it does not.
func (s *search) failure() error {
	if h, ok := s.store.(*states.Hand); ok {
		return h.Failure()
	}
	return nil
}

// close frees what the operating system knows of, and hands the memory back.
func (s *search) close(err *error) {
	if h, ok := s.store.(*states.Hand); ok {
		if e := h.Close(); *err == nil {
			*err = e
		}
	}
	s.budget.Close()
}

// done is true where the search is over.
func (s *search) done() bool {
	return s.violated || s.hit || s.stopped != "" || s.err != nil || s.halted
}

// breadthFirst is algorithm 2.4. The records lie in the arena in the order in
// which they were found, so the arena is the queue. It may leave the rest to
// several workers: in level what is left of the level that it is at (the states
// found from those of the level before), and in later the next one.
func (s *search) breadthFirst() {
	f := s.store.(*states.Flat)
	level := f.End()
	for id := f.From(0); id != 0 && !s.done(); {
		if int64(id) >= level {
			level = f.End()
		}
		if s.ripe() {
			for id != 0 {
				list := &s.later
				if int64(id) < level {
					list = &s.level
				}
				var ok bool
				if *list, ok = states.Grow(s.budget, *list, 1); !ok {
					s.outOfMemory()
					return
				}
				*list = append(*list, id)
				_, words := f.Record(id)
				id = f.From(int64(id) + 1 + int64(s.unpack(words)))
			}
			return
		}
		n := s.expand(id)
		id = f.From(int64(id) + 1 + int64(n))
	}
}

// again makes next equal to cur.
func (s *search) again() {
	if s.from != s.parent || s.from == 0 {
		s.next.Copy(s.cur)
		s.from = s.parent
		return
	}
	// Nothing else differs.
	last, memory := -1, false
	for _, ev := range s.trace {
		t := ev.Thread
		memory = memory || ev.Edge == abstract.Flush || s.writes[t][ev.Edge]
		if t == last {
			continue
		}
		last = t
		s.next.PC[t] = s.cur.PC[t]
		copy(s.next.Regs[t], s.cur.Regs[t])
		if s.layout.Buffered() {
			s.next.Buf[t].Copy(&s.cur.Buf[t])
		}
	}
	if memory {
		copy(s.next.Mem, s.cur.Mem)
	}
	s.next.Lock = s.cur.Lock
}

// reach stores next if it is new.
func (s *search) reach() {
	if s.symmetry != nil && s.symmetry.Canonical(s.next, s.perm) {
		s.from = 0
	}
	var ok bool
	if s.from == s.parent && s.parent != 0 {
		s.words, ok = s.layout.Repack(s.words, s.old, s.next, s.cur, s.trace)
	} else {
		s.words, ok = s.layout.Pack(s.words, s.next)
	}
	if !ok {
		s.err = s.layout.Outside(s.x, s.next)
		return
	}
	if s.favours != nil {
		s.words = append(s.words, uint64(s.nextFavourite+1))
	}
	if s.target != 0 {
		s.hit = s.store.Find(s.words) == s.target
		return
	}
	if s.favours != nil && s.favoured(true) {
		return
	}
	depth := s.depth + uint32(len(s.trace))
	id, out := s.store.Add(s.words, s.parent, depth)
	switch out {
	case states.Known:
		return
	case states.Refused:
		s.outOfMemory()
		return
	}
	if s.favours == nil || !s.favoured(false) {
		if s.opts.MaxStates > 0 && s.total.Add(1) > s.opts.MaxStates {
			// It is stored, but does not count.
			s.stop("the limit on the number of states", "allow more states")
			return
		}
		s.states++
		if s.states == s.milestone {
			s.pass()
		}
	}
	s.fresh = id
	s.maxDepth = max(s.maxDepth, depth)
	if s.out != nil && !s.out.push(id, depth, s.words) {
		s.outOfMemory()
		return
	}
	if s.Forbidden(s.next) != nil {
		s.violated, s.at = true, id
	}
}

// triesPerState is how many events a search tries, for each of the states until its milestone,
// before it is there anyway: where a choice has a million ways few states are much work.
const triesPerState = 32

// pass tells whoever waits for it that the search is at its milestone.
func (j *job) pass() {
	if j.opts.Reached != nil && j.passed.CompareAndSwap(false, true) {
		j.opts.Reached()
	}
}

// bytes is what the search holds.
func (s *search) bytes() int64 { return s.budget.Used() }

func (s *search) stop(why, advice string) { s.stopped, s.advice = why, advice }

func (s *search) outOfMemory() {
	if s.err = s.failure(); s.err == nil {
		s.stop("the memory limit", "allow more memory")
	}
}

// look is done now and then: it stops the search where it has to, and reports
// progress.
func (s *search) look() {
	s.poll = s.tries + 1024
	if why, advice := verdict.Ended(s.ctx); why != "" {
		s.stop(why, advice)
		return
	}
	if s.halt.Load() {
		s.halted = true
		return
	}
	for s.budget.Over() {
		if !s.budget.Relieve() {
			s.outOfMemory()
			return
		}
	}
	if s.opts.MaxStates == 0 {
		s.total.Add(s.states - s.told)
		s.told = s.states
	}
	if s.opts.Milestone > 0 && (s.total.Load() >= s.opts.Milestone || s.tries >= triesPerState*s.opts.Milestone) {
		s.pass()
	}
	if s.opts.Progress == nil || !s.mu.TryLock() {
		return
	}
	defer s.mu.Unlock()
	if now := time.Now(); now.Sub(s.progress) >= 200*time.Millisecond {
		s.progress = now
		s.opts.Progress(fmt.Sprintf("%s states, depth %d, %d MB", verdict.Thousands(s.total.Load()), s.maxDepth, s.bytes()>>20))
	}
}

// result is what the search found: of what, where it found none, says what.
func (s *search) result(what string) (*verdict.Result, error) {
	stats := []verdict.Stat{ // before the evidence is sought
		{Name: "states", Value: s.states},
		{Name: "transitions", Value: s.transitions},
		{Name: "depth", Value: int64(s.maxDepth)},
		{Name: "bytes", Value: s.bytes()},
	}
	var res *verdict.Result
	if s.violated {
		var err error
		if res, err = s.evidence(); err != nil {
			return nil, err
		}
	} else {
		res = s.outcome(what)
	}
	res.Engine, res.Abstraction, res.Stats = "explicit", abstract.Name(s.opts.Abstraction), stats
	res.Elapsed = time.Since(s.start)
	if s.opts.Symmetry {
		res.Notes = append(res.Notes, s.note)
		if s.symmetry != nil {
			res.Stats = append(res.Stats, verdict.Stat{Name: "symmetric orders", Value: s.symmetry.Orders()})
		}
	}
	return res, nil
}

// outcome is the answer of a search that found no violation.
func (s *search) outcome(what string) *verdict.Result {
	unknown := func(reason string, args ...any) *verdict.Result {
		if reason = fmt.Sprintf(reason, args...); s.opts.Compact {
			reason += "; " + s.doubt()
		}
		return verdict.Unknown(s.x.Program, s.opts.Model, reason)
	}
	var res *verdict.Result
	switch {
	case s.stopped != "" && s.Lists():
		res = unknown("not all final states: %s came after %s states", s.stopped, verdict.Thousands(s.states))
		res.Advice = s.advice
	case s.stopped != "":
		res = unknown("no violation among %s states (depth up to %d); stopped by %s", verdict.Thousands(s.states), s.maxDepth, s.stopped)
		res.Advice = s.advice
	case s.full && s.opts.Buffer == 0:
		max := s.opts.Abstraction.(abstract.Multiset).Max
		res = unknown("no violation where no store is buffered more than %d times", max)
		res.Bound, res.BoundUnit = max, Counts
	case s.full:
		res = unknown("%s with store buffers of up to %s stores", what, verdict.Thousands(int64(s.x.Capacity)))
		res.Bound, res.BoundUnit = s.x.Capacity, "buffered stores"
		res.Advice = "allow more buffered stores"
	case s.opts.Compact:
		res = unknown("%s among %s states", what, verdict.Thousands(s.states))
		res.Advice = "search without fingerprints for a proof"
	case s.opts.Abstraction != nil:
		res = verdict.Safe(s.x.Program, s.opts.Model, verdict.Closed, nil)
	default:
		res = verdict.Safe(s.x.Program, s.opts.Model, verdict.Exhaustive, nil)
	}
	if s.stopped != "" {
		if s.storesForEver() {
			res.Advice = "a thread may store without end: bound the store buffers"
		}
		if s.opts.Reduction == NoReduction && !s.opts.DepthFirst && s.depth > 0 {
			res.Bound, res.BoundUnit = int(s.depth)-1, "steps"
		}
	}
	if s.opts.Compact { // not complete up to any bound
		res.Bound, res.BoundUnit = 0, ""
	}
	return res
}

// storesForEver is true where nothing bounds a store buffer: under TSO without a
// capacity, where some loop stores and does not have to empty the buffer. It is a
// guess from the automata, for advice only.
func (s *search) storesForEver() bool {
	if s.x.Buffer.Immediate() || s.x.Capacity > 0 {
		return false
	}
	for _, t := range s.x.Program.Threads {
		for i := range t.Edges {
			if t.Edges[i].Cmd.Op == program.Store && flow.Again(t, &t.Edges[i], keepsBuffer) {
				return true
			}
		}
	}
	return false
}

// keepsBuffer is true of a command that need not wait for an empty buffer.
func keepsBuffer(c *program.Command) bool {
	switch c.Op {
	case program.Lock, program.Unlock, program.Atomic:
		return false
	case program.Fence:
		return !c.FullFence()
	}
	return true
}

// path is the events from the initial state to the state with that id, followed
// by end. The search keeps only parents: the events between a state and its
// parent are found by expanding the parent once more. Where states are stored
// with their threads exchanged, so are the threads of their events: now counts
// which thread of the run the thread of a state is.
func (s *search) path(id states.Ref, end []abstract.Event) ([]abstract.Event, error) {
	var ids []states.Ref
	for id != 0 {
		ids = append(ids, id)
		head, _ := s.store.Record(id)
		id = states.ParentOf(head)
	}
	if err := s.failure(); err != nil {
		return nil, err
	}
	slices.Reverse(ids)
	defer func() { s.target = 0 }()
	// The root is the initial state itself. The store need not have the words
	// of a state, so they come from the step before.
	var events []abstract.Event
	now := make([]int, s.x.Threads())
	for t := range now {
		now[t] = t
	}
	follow := func(evs []abstract.Event) {
		for _, ev := range evs {
			ev.Thread = now[ev.Thread]
			events = append(events, ev)
		}
	}
	s.x.Initial(s.next)
	s.words, _ = s.layout.Pack(s.words, s.next)
	if s.favours != nil {
		s.words = append(s.words, 0)
	}
	for i := 1; i < len(ids); i++ {
		s.target, s.hit = ids[i], false
		s.visit(ids[i-1], 0, slices.Clone(s.words))
		if err := s.failure(); err != nil {
			return nil, err
		}
		if !s.hit {
			return nil, fmt.Errorf("internal error: a state is not among the successors of its parent")
		}
		follow(s.trace)
		if s.symmetry != nil {
			was := slices.Clone(now)
			for t, u := range s.perm {
				now[t] = was[u]
			}
		}
	}
	follow(end)
	return events, nil
}

// evidence is the answer that the violation that was found leads to.
func (s *search) evidence() (*verdict.Result, error) {
	last, end := s.at, []abstract.Event(nil)
	if last == 0 {
		last, end = s.parent, slices.Clone(s.trace)
	}
	s.violated, s.stopped = false, ""
	events, err := s.path(last, end)
	if err != nil {
		return nil, err
	}
	r, err := replay.New(s.Asked(s.x.Program), s.opts.Model, s.opts.Abstraction)
	if err != nil {
		return nil, err
	}
	return r.Convict(events)
}
