package explore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A search is one search. Its states are packed by the layout and live in the
// arena; visited finds them again.
type search struct {
	ctx    context.Context
	opts   Options
	x      *abstract.System
	layout *layout
	red    nextEvents
	vector *cartesian  // of cur; nil where the reduction is another
	dead   [][][]reset // by thread and edge: what the edge leaves dead
	local  [][]bool    // by thread and edge: which make their thread the favourite; nil: none
	forbid []abstract.Condition

	symmetry *symmetry // nil: none is made use of
	note     string    // about the symmetry

	finals []finalCondition
	filter abstract.Condition // what makes a final state count; may be nil
	locked bool               // whether Deadlock is a property
	// found, where not nil, is told every final state, once or more. The
	// properties and assertions of the program are then none of the search's
	// business, faults are.
	found func(s *abstract.State)

	arena   arena
	visited visited
	stack   []frame // depth-first: what is still to be expanded
	fresh   uint32  // the state that was stored last

	cur, next *abstract.State
	sel       selection // what to explore in cur
	// The favourite threads of cur and next (see localFirst), -1 for none.
	favourite, nextFavourite int

	words  []uint64         // next, packed, with its favourite behind where there are favourites
	trace  []abstract.Event // from cur to next
	parent uint32           // of next
	depth  uint32           // of cur

	states, transitions int64
	maxDepth            uint32
	tries, poll         int64 // events tried; when to look at the clock
	held                int64 // bytes held beside the states
	limit               int64 // bytes
	progress            time.Time
	full                bool   // a store was disabled for the capacity
	stopped             string // why the search ended early
	advice              string
	err                 error

	// violated: there is a violation, in the state with id at, or, where at is
	// 0, at the end of trace from parent: an assertion that fails.
	violated bool
	at       uint32

	dirty   bool // next is not equal to cur
	fertile bool // cur has a successor
	choked  bool // cur has a store that is disabled for the capacity

	// target, where not nil, makes reach look for the state with these words
	// among the successors instead of storing them.
	target []uint64
	hit    bool
}

type finalCondition struct {
	cond   abstract.Condition
	forall bool
}

func newSearch(ctx context.Context, p *program.Program, opts Options, found func(*abstract.State)) (*search, error) {
	x, err := system(p, opts.Model, opts.Abstraction, opts.Buffer)
	if err != nil {
		return nil, err
	}
	s := &search{
		ctx: ctx, opts: opts, x: x, found: found,
		layout:  newLayout(x),
		visited: newVisited(),
		cur:     x.NewState(), next: x.NewState(),
		limit:    opts.MemoryLimit,
		progress: time.Now(),
	}
	if s.limit <= 0 {
		s.limit = DefaultMemoryLimit()
	}
	props := p.Properties
	if found != nil {
		props = nil
	}
	for i := range props {
		switch pr := &props[i]; pr.Kind {
		case program.Forbid:
			s.forbid = append(s.forbid, x.Condition(pr.Cond))
		case program.Deadlock:
			s.locked = true
		default:
			s.finals = append(s.finals, finalCondition{x.Condition(pr.Cond), pr.Kind == program.Forall})
		}
	}
	if p.Filter != nil {
		s.filter = x.Condition(p.Filter)
	}
	live := *p
	live.Properties = props
	s.dead = deadAfter(&live, found != nil, !opts.NoLive)
	s.reduce(props)
	if opts.Symmetry {
		var why string
		s.symmetry, why = newSymmetry(s, props)
		s.note = s.symmetry.note(p, why)
	}
	return s, nil
}

// run searches until everything is visited, a violation is found or the search
// has to stop.
func (s *search) run() error {
	s.x.Initial(s.next)
	s.trace = s.trace[:0]
	s.nextFavourite = -1
	s.reach()
	if s.opts.DepthFirst && !s.done() {
		s.depthFirst()
	} else {
		s.breadthFirst()
	}
	return s.err
}

// done is true where the search is over.
func (s *search) done() bool {
	return s.violated || s.hit || s.stopped != "" || s.err != nil
}

// breadthFirst is algorithm 2.4. The records lie in the arena in the order in
// which they were found, so the arena is the queue.
func (s *search) breadthFirst() {
	for id := s.arena.from(0); id != 0 && !s.done(); {
		n := s.expand(id)
		id = s.arena.from(int64(id) + 1 + int64(n))
	}
}

// reach stores next if it is new.
func (s *search) reach() {
	if s.symmetry != nil {
		s.symmetry.canonical(s.next)
	}
	var ok bool
	if s.words, ok = s.layout.pack(s.words, s.next); !ok {
		s.err = s.layout.outside(s.x, s.next)
		return
	}
	if s.local != nil {
		s.words = append(s.words, uint64(s.nextFavourite+1))
	}
	if s.target != nil {
		s.hit = slices.Equal(s.words, s.target)
		return
	}
	if s.visited.crowded() && !s.grow() {
		return
	}
	hash := hashWords(s.words)
	slot, found := s.visited.find(&s.arena, hash, s.words)
	if found || s.local != nil && s.favoured(true) {
		return
	}
	if s.opts.MaxStates > 0 && s.states >= s.opts.MaxStates {
		s.stop("the limit on the number of states", "allow more states")
		return
	}
	id, ok := s.arena.alloc(1 + len(s.words))
	if !ok {
		s.outOfMemory()
		return
	}
	depth := s.depth + uint32(len(s.trace))
	s.maxDepth = max(s.maxDepth, depth)
	rec := s.arena.record(id)
	rec[0] = header(s.parent, depth)
	copy(rec[1:], s.words)
	if s.local == nil || !s.favoured(false) {
		s.states++
	}
	s.visited.put(slot, hash, id)
	s.fresh = id
	for _, cond := range s.forbid {
		if cond(s.next) != 0 {
			s.violated, s.at = true, id
			return
		}
	}
}

// bytes is what the search holds.
func (s *search) bytes() int64 {
	return s.arena.bytes() + s.visited.bytes() + frameBytes*int64(cap(s.stack)) + s.held
}

// grow doubles the table if there is memory for the old and the new one.
func (s *search) grow() bool {
	if !s.visited.canGrow() || s.bytes()+2*s.visited.bytes() > s.limit {
		s.outOfMemory()
		return false
	}
	s.visited.grow()
	return true
}

func (s *search) stop(why, advice string) { s.stopped, s.advice = why, advice }

func (s *search) outOfMemory() {
	s.stop("the memory limit", "allow more memory")
}

// look is done now and then: it stops the search where it has to, and reports
// progress.
func (s *search) look() {
	s.poll = s.tries + 1024
	if err := s.ctx.Err(); err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			s.stop("the time limit", "allow more time")
		} else {
			s.stop("an interrupt", "")
		}
		return
	}
	if s.bytes() > s.limit {
		s.outOfMemory()
		return
	}
	if s.opts.Progress == nil {
		return
	}
	if now := time.Now(); now.Sub(s.progress) >= 200*time.Millisecond {
		s.progress = now
		s.opts.Progress(fmt.Sprintf("%s states, depth %d, %d MB", thousands(s.states), s.maxDepth, s.bytes()>>20))
	}
}

// report fills in what the search found, a violation apart.
func (s *search) report(res *verdict.Result) {
	res.Stats = []verdict.Stat{
		{Name: "states", Value: s.states},
		{Name: "transitions", Value: s.transitions},
		{Name: "depth", Value: int64(s.maxDepth)},
		{Name: "bytes", Value: s.bytes()},
	}
	if s.opts.Symmetry {
		res.Notes = append(res.Notes, s.note)
		if s.symmetry != nil {
			res.Stats = append(res.Stats, verdict.Stat{Name: "symmetric orders", Value: s.symmetry.orders()})
		}
	}
	switch {
	case s.violated:
	case s.stopped != "":
		res.Verdict = verdict.Unknown
		res.Reason = fmt.Sprintf("no violation among %s states (depth up to %d); stopped by %s",
			thousands(s.states), s.maxDepth, s.stopped)
		res.Advice = s.advice
		if s.storesForEver() {
			res.Advice = "a thread may store without end: bound the store buffers"
		}
		if s.opts.Reduction == NoReduction && !s.opts.DepthFirst && s.depth > 0 {
			res.Bound, res.BoundUnit = int(s.depth)-1, "steps"
		}
	case s.full && s.opts.Buffer == 0:
		res.Verdict = verdict.Unknown
		m := s.opts.Abstraction.(abstract.Multiset)
		res.Bound, res.BoundUnit = m.Max, Counts
		res.Reason = fmt.Sprintf("no violation where no store is buffered more than %d times", m.Max)
	case s.full:
		res.Verdict = verdict.Unknown
		res.Bound, res.BoundUnit = s.x.Capacity, "buffered stores"
		res.Reason = fmt.Sprintf("no violation with store buffers of up to %d stores", s.x.Capacity)
		res.Advice = "allow more buffered stores"
	default:
		res.Verdict, res.Argument = verdict.Safe, verdict.Exhaustive
		if s.opts.Abstraction != nil {
			res.Argument = verdict.Closed
		}
	}
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
			if t.Edges[i].Cmd.Op == program.Store && onUnfencedCycle(t, &t.Edges[i]) {
				return true
			}
		}
	}
	return false
}

// onUnfencedCycle is true where edges that need no empty buffer lead from the
// end of e back to its source.
func onUnfencedCycle(t *program.Thread, e *program.Edge) bool {
	out := t.Out()
	seen := make([]bool, len(t.States))
	seen[e.To] = true
	for work := []program.StateID{e.To}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		if q == e.From {
			return true
		}
		for _, i := range out[q] {
			switch c := &t.Edges[i].Cmd; c.Op {
			case program.Lock, program.Unlock, program.Atomic:
				continue
			case program.Fence:
				if c.Fence == program.FullFence {
					continue
				}
			}
			if to := t.Edges[i].To; !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return false
}

// thousands prints n with commas.
func thousands(n int64) string {
	t := fmt.Sprint(n)
	for i := len(t) - 3; i > 0 && t[i-1] != '-'; i -= 3 {
		t = t[:i] + "," + t[i:]
	}
	return t
}

// path is the events from the initial state to the state with that id, followed
// by end. The search keeps only parents: the events between a state and its
// parent are found by expanding the parent once more. Where states are stored
// with their threads exchanged, so are the threads of their events: now counts
// which thread of the run the thread of a state is.
func (s *search) path(id uint32, end []abstract.Event) ([]abstract.Event, error) {
	var ids []uint32
	for ; id != 0; id = parentOf(s.arena.record(id)[0]) {
		ids = append(ids, id)
	}
	slices.Reverse(ids)
	// The root is the initial state itself.
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
	for i := 1; i < len(ids); i++ {
		n := s.load(ids[i])
		s.target, s.hit = s.arena.record(ids[i])[1:1+n], false
		s.expand(ids[i-1])
		if !s.hit {
			return nil, fmt.Errorf("internal error: a state is not among the successors of its parent")
		}
		follow(s.trace)
		if s.symmetry != nil {
			was := slices.Clone(now)
			for t, u := range s.symmetry.perm {
				now[t] = was[u]
			}
		}
	}
	follow(end)
	return events, nil
}

// evidence turns the violation that was found into a replayed run.
func (s *search) evidence(res *verdict.Result) error {
	last, end := s.at, []abstract.Event(nil)
	if last == 0 {
		last, end = s.parent, slices.Clone(s.trace)
	}
	s.violated, s.stopped = false, ""
	events, err := s.path(last, end)
	if err != nil {
		return err
	}
	p := s.x.Program
	if s.found != nil { // final states: a property is no end of a run
		q := *p
		q.Properties = nil
		p = &q
	}
	r, err := newReplayer(p, s.opts.Model, s.opts.Abstraction)
	if err != nil {
		return err
	}
	run, violation, err := r.replay(r.shorten(events))
	if err != nil {
		return fmt.Errorf("internal error: the run that was found does not replay: %w", err)
	}
	if s.opts.Abstraction != nil {
		res.Verdict = verdict.Unknown
		res.Candidate = &verdict.Candidate{Run: run, Violation: violation}
		res.Reason = candidateReason(res)
		res.Advice = "a finer abstraction"
		return nil
	}
	res.Run, res.Violation = run, violation
	res.Verdict = verdict.Unsafe
	if violation.Kind == program.Fault {
		res.Verdict = verdict.Unknown
		res.Reason = "the program is at fault: " + violation.Text
	}
	return nil
}
