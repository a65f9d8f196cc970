package explore

import (
	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/reduce"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/program"
)

// An expansion is one state on the way to its successors.
type expansion struct {
	cur, next *abstract.State
	sel       reduce.Selection // what to explore in cur
	// The favourite threads of cur and next (see [reduce.Favouring]), -1 for none.
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

	dirty   bool // next is not equal to cur
	fertile bool // cur has a successor
	choked  bool // cur has a store that is disabled for the capacity
}

// A cursor is how far the events of a state have been tried.
type cursor struct {
	reduce.Cursor
	all bool // nothing in the selection is enabled: all events are tried
}

// load makes a state that the store has the words of the one that is expanded.
// It tells how many words the state takes, 0 where they cannot be read.
func (s *search) load(id states.Ref) int {
	head, words := s.store.Record(id)
	if words == nil {
		s.err = s.failure()
		return 0
	}
	return s.open(id, states.DepthOf(head), words)
}

// open makes a state the one that is expanded. It tells how many words the state
// takes.
func (s *search) open(id states.Ref, depth uint32, words []uint64) int {
	s.parent, s.depth, s.from = id, depth, 0
	n := s.unpack(words)
	s.old = append(s.old[:0], words[:n]...)
	s.enter()
	return n
}

// enter begins the expansion of cur.
func (s *search) enter() {
	s.dirty, s.fertile, s.choked = true, false, false
	var full bool
	s.sel, full = s.red.Choose(s.cur, s.favourite)
	s.full = s.full || full
}

// unpack makes cur the state that words begin with, and favourite the one behind
// it. It tells how many words that were.
func (s *search) unpack(words []uint64) int {
	n := s.layout.Unpack(words, s.cur)
	s.favourite = -1
	if s.favours != nil {
		s.favourite = int(words[n]) - 1
		n++
	}
	return n
}

// expand visits the successors of a state that the store has the words of, or
// finds that it has none. It tells how many words the state takes.
func (s *search) expand(id states.Ref) int {
	n := s.load(id)
	s.rest(cursor{})
	return n
}

// visit is expand for a state with these words.
func (s *search) visit(id states.Ref, depth uint32, words []uint64) int {
	n := s.open(id, depth, words)
	s.rest(cursor{})
	return n
}

// rest tries the events of cur from c on.
func (s *search) rest(c cursor) {
	for !s.done() {
		ev, rest, ok := s.candidate(&c)
		if !ok {
			break
		}
		s.try(ev, rest)
	}
	s.leave()
}

// candidate is the next event of cur to try, with what follows in the same step, and
// moves c on. There are no more where ok is false.
func (s *search) candidate(c *cursor) (ev abstract.Event, rest []abstract.Event, ok bool) {
	for {
		ev, rest, ok = s.sel.Next(s.x, s.cur, &c.Cursor)
		if ok || s.fertile || s.sel.All() {
			return ev, rest, ok
		}
		s.sel = reduce.Selection{}
		*c = cursor{all: true}
	}
}

// leave ends the expansion of cur, whose events have all been tried.
func (s *search) leave() {
	if !s.fertile && !s.choked && !s.done() && s.target == 0 {
		s.terminal(s.parent)
	}
}

// try performs an event on a copy of cur, goes on from there for as long as the
// reduced set is a single event, and hands over to reach. The states on the way
// have one successor each and are not stored: their chains end (see persistentSets),
// their events are invisible, and failing assertions are noticed here. rest is what
// follows in the same step.
func (s *search) try(ev abstract.Event, rest []abstract.Event) {
	if s.dirty {
		s.again()
		s.dirty = false
	}
	if s.tries++; s.tries >= s.poll && s.target == 0 {
		s.look()
	}
	out := s.x.Step(s.next, ev)
	switch out {
	case abstract.Disabled:
		return
	case abstract.Full:
		s.full, s.choked = true, true
		return
	}
	s.dirty, s.fertile = true, true
	s.trace = s.trace[:0]
	for {
		s.trace = append(s.trace, ev)
		s.transitions++
		if ev.Edge >= 0 {
			for _, r := range s.dead[ev.Thread][ev.Edge] {
				s.next.Vals[r.At] = r.Value
			}
		}
		if out != abstract.Done {
			s.abnormal(ev, out)
			return
		}
		if len(rest) > 0 {
			ev, rest = rest[0], rest[1:]
			out = s.x.Take(s.next, ev)
			continue
		}
		s.nextFavourite = -1
		if s.favours != nil && s.favours.Favours(ev) {
			s.nextFavourite = ev.Thread
		}
		var full, more bool
		ev, full, more = s.red.Chain(s.next)
		s.full = s.full || full
		if !more {
			break
		}
		out = s.x.Take(s.next, ev)
	}
	s.reach()
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
	changes := s.circles != nil && s.changesMemory()
	if s.symmetry != nil && s.symmetry.Canonical(s.next, s.perm) {
		s.from = 0
	}
	if s.rotation != nil && s.rotation.Canonical(s.next) {
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
	if out != states.Refused && s.circles != nil {
		if s.parent == 0 {
			s.circles.root = id
		} else {
			s.keep(id, changes)
		}
	}
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
		if len(s.milestones) > 0 && s.states >= s.milestones[0] {
			s.pass()
		}
	}
	s.fresh = id
	s.maxDepth = max(s.maxDepth, depth)
	if s.out != nil && !s.out.push(id, depth, s.words) {
		s.outOfMemory()
		return
	}
	if s.Forbidden(s.next) != nil || s.hang != nil && s.hang.At(s.next) {
		s.violated, s.at = true, id
	}
}

// abnormal deals with the events after which a run does not go on.
func (s *search) abnormal(ev abstract.Event, out abstract.Outcome) {
	switch {
	case out != abstract.Failed:
		s.err = s.x.StrayError(ev)
	case s.target != 0:
	case s.hang != nil && s.next.Failed.Kind != program.Fault:
		if s.circles != nil {
			s.keep(0, false)
		}
		s.bounded = s.bounded || s.next.Failed.Kind == program.Bound
	case !s.Lists() || s.next.Failed.Kind != program.Assertion:
		s.violated, s.at = true, 0
	}
}

// terminal judges cur, from which no event leads on.
func (s *search) terminal(id states.Ref) {
	if !s.x.Final(s.cur) {
		if s.Deadlock(s.cur) != nil {
			s.violated, s.at = true, id
		}
		return
	}
	if s.Ending(s.cur) != nil {
		s.violated, s.at = true, id
	}
}
