package explore

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A retrace is the search for one state among the successors of another.
type retrace struct {
	// target, where not 0, makes reach look for that state among the
	// successors instead of storing them.
	target states.Ref
	hit    bool
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
	// The root is the initial state itself, up to turns. The store need not have the words
	// of a state, so they come from the step before.
	var events []abstract.Event
	now := make([]int, s.x.Threads())
	for t := range now {
		now[t] = t
	}
	follow := func(evs []abstract.Event) {
		for _, ev := range evs {
			row := []int{ev.Edge}
			if s.rows != nil && ev.Edge != abstract.Flush {
				row = s.rows.Row(ev.Thread, ev.Edge)
			}
			ev.Thread = now[ev.Thread]
			for _, ev.Edge = range row {
				events = append(events, ev)
			}
		}
	}
	s.x.Initial(s.next)
	if s.rotation != nil { // as it was expanded: turns may change how threads that are alike are sorted
		s.rotation.Canonical(s.next)
	}
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
	r, err := replay.New(s.Asked(s.p), s.opts.Model, s.opts.Abstraction)
	if err != nil {
		return nil, err
	}
	return r.Convict(events)
}
