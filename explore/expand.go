package explore

import (
	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
)

// expand visits a state that the store has the words of.
func (s *search) expand(id ref) int {
	head, words := s.store.record(id)
	if words == nil {
		s.err = s.failure()
		return 0
	}
	return s.visit(id, depthOf(head), words)
}

// visit visits the successors of a state, or finds that it has none. It tells
// how many words the state takes.
func (s *search) visit(id ref, depth uint32, words []uint64) int {
	s.parent, s.depth, s.from = id, depth, 0
	n := s.layout.unpack(words, s.cur)
	s.old = append(s.old[:0], words[:n]...)
	s.dirty, s.fertile, s.choked = true, false, false
	set, ev, full := s.red.choose(s.cur)
	s.full = s.full || full
	switch set {
	case oneEvent:
		s.try(ev)
	case oneThread:
		s.edges(ev.Thread)
	default:
		for t := range s.cur.PC {
			s.edges(t)
			for i := 0; i < s.x.Flushes(s.cur, t); i++ {
				s.try(abstract.Event{Thread: t, Edge: abstract.Flush, Choice: int64(i)})
			}
		}
	}
	if !s.fertile && !s.choked && !s.done() && s.target == 0 {
		s.terminal(id)
	}
	return n
}

// edges tries the edges of thread t.
func (s *search) edges(t int) {
	for _, e := range s.x.Out(t, s.cur.PC[t]) {
		for c := range s.x.Choices(t, e) {
			if s.done() {
				return
			}
			s.try(abstract.Event{Thread: t, Edge: e, Choice: c})
		}
	}
}

// try performs an event on a copy of cur, goes on from there for as long as the
// reduced set is a single event, and hands over to reach. The states on the way
// have one successor each and are not stored: their chains end (see persistentSets),
// their events are invisible, and failing assertions are noticed here.
func (s *search) try(ev abstract.Event) {
	if s.done() {
		return
	}
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
				s.next.Vals[r.at] = r.value
			}
		}
		if out != abstract.Done {
			s.abnormal(ev, out)
			return
		}
		set, e, full := s.red.choose(s.next)
		s.full = s.full || full
		if set != oneEvent {
			break
		}
		ev = e
		out = s.x.Take(s.next, ev)
	}
	s.reach()
}

// abnormal deals with the events after which a run does not go on.
func (s *search) abnormal(ev abstract.Event, out abstract.Outcome) {
	switch {
	case out != abstract.Failed:
		s.err = s.x.StrayError(ev)
	case s.target != 0:
	case s.found == nil || s.next.Failed.Kind == program.Fault:
		s.violated, s.at = true, 0
	}
}

// terminal judges cur, from which no event leads on.
func (s *search) terminal(id ref) {
	if !s.x.Final(s.cur) {
		if s.locked {
			s.violated, s.at = true, id
		}
		return
	}
	if s.filter != nil && s.filter(s.cur) == 0 {
		return
	}
	if s.found != nil {
		s.found(s.cur)
	}
	for _, f := range s.finals {
		if (f.cond(s.cur) != 0) != f.forall {
			s.violated, s.at = true, id
			return
		}
	}
}
