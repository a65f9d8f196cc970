package explore

import (
	"math"
	"sync"

	"github.com/fencepost-verifier/fencepost/explore/states"
)

// manyStates is how many states a search has to have stored before it goes on
// with several workers.
const manyStates = 20_000

// ripe is true where the rest of the search is better left to several workers,
// or where a flat store is not enough: the arena is so full that it takes another
// one to go on, or the memory so full that it takes a file.
func (s *search) ripe() bool {
	if many := s.opts.early; many > 0 || s.opts.Workers > 1 {
		if many == 0 {
			many = manyStates
		}
		if s.states >= many && len(s.milestones) == 0 && s.budget.Used()+4*states.Smallest <= s.budget.Limit() {
			return true
		}
	}
	return s.store.(*states.Flat).HalfFull() ||
		s.opts.Spill != nil && s.budget.Used() > s.budget.Limit()/2
}

// parallel goes on from the states in level and later, which have not been
// expanded, and those on the stack, of which the rest is tried here, with the
// workers that the options allow.
func (s *search) parallel() {
	h, ok := s.store.(*states.Flat).Shards(s.opts.Spill, s.unpack)
	if h != nil {
		s.store = h
	}
	if !ok {
		s.outOfMemory()
		return
	}
	level, next := pile{budget: s.budget}, pile{budget: s.budget}
	s.out = &level
	for _, f := range s.stack {
		if c := s.resume(f); s.err == nil {
			s.rest(c)
		}
		if s.done() {
			return
		}
	}
	for _, p := range []struct {
		refs []states.Ref
		pile *pile
	}{{s.level, &level}, {s.later, &next}} {
		for _, id := range p.refs {
			head, _ := h.Record(id)
			if !p.pile.push(id, states.DepthOf(head), nil) {
				s.outOfMemory()
				return
			}
		}
	}
	states.Drop(s.budget, s.stack)
	states.Drop(s.budget, s.level)
	states.Drop(s.budget, s.later)
	s.stack, s.level, s.later = nil, nil, nil
	s.crew(max(s.opts.Workers, 1), level.batches, next.batches)
}

// aloneBelow is how large a level has to be, in words of its batches, for more
// than one worker.
const aloneBelow = 128

// crew expands the states of level, and those of next and what is found, with n
// workers. Depth-first, each worker expands what it found last, and takes from
// others when it has nothing left. Breadth-first, they expand the states of one
// level before they go to the next one, so that a violation is as near to the
// initial state as that of a search on one core.
func (s *search) crew(n int, level, next []batch) {
	var workers []*search
	found := make([]pile, n) // breadth-first: what is on the next level
	for i := range n {
		w := s.job.worker()
		w.store = s.store
		if i > 0 {
			h, ok := s.store.(*states.Hand).Hand()
			if !ok {
				break // no more than there are arenas
			}
			w.store = h
		}
		w.mine = pile{budget: s.budget, whole: s.opts.Compact}
		w.out = &w.mine
		if !s.opts.DepthFirst {
			found[i] = w.mine
			w.out = &found[i]
		}
		workers = append(workers, w)
	}
	n = len(workers)
	if s.opts.DepthFirst {
		level = append(level, next...)
	} else {
		found[0].batches = next
	}
	if s.opts.MaxStates == 0 {
		s.total.Add(s.states - s.told)
		s.told = s.states
	}
	for len(level) > 0 && !s.halt.Load() {
		_, head, _ := level[0].last(workers[0].mine.whole)
		s.depth = states.DepthOf(head)
		active := n
		if words := 0; !s.opts.DepthFirst {
			for _, b := range level {
				words += len(b)
			}
			if words < aloneBelow {
				active = 1
			}
		}
		p := newPool(active, level)
		var wg sync.WaitGroup
		for _, w := range workers[1:active] {
			wg.Go(func() { w.work(p) })
		}
		workers[0].work(p)
		wg.Wait()
		level = nil
		for i := range found {
			level = append(level, found[i].batches...)
			found[i].batches = found[i].batches[:0]
		}
	}
	nearest := uint32(math.MaxUint32)
	for _, w := range workers {
		s.states += w.states
		s.transitions += w.transitions
		s.maxDepth = max(s.maxDepth, w.maxDepth)
		s.full = s.full || w.full
		s.bounded = s.bounded || w.bounded
		s.gaveUp = s.gaveUp || w.gaveUp || w.hang != nil && w.hang.GaveUp
		if w.circles != nil {
			s.circles.steps = append(s.circles.steps, w.circles.steps...)
			w.circles.steps = nil
		}
		if s.err == nil {
			s.err = w.err
		}
		if s.stopped == "" {
			s.stopped, s.advice = w.stopped, w.advice
		}
		if w.violated && w.distance() < nearest {
			nearest = w.distance()
			s.violated, s.at = true, w.at
			s.parent, s.trace = w.parent, w.trace
		}
	}
}

// distance is how many steps away from the initial state the violation is.
func (s *search) distance() uint32 {
	if s.at == s.parent { // cur itself
		return s.depth
	}
	return s.depth + uint32(len(s.trace))
}

// work expands states until there are none left or the search is over.
func (s *search) work(p *pool) {
	for {
		if s.halt.Load() {
			p.close()
			return
		}
		if p.hungry.Load() > 0 {
			if b, ok := s.mine.split(); ok {
				p.put(b)
			}
		}
		id, depth, words, ok := s.mine.pop()
		if !ok {
			b, ok := p.take()
			if !ok {
				return
			}
			s.mine.batches = append(s.mine.batches, b)
			continue
		}
		if s.mine.whole {
			s.visit(id, depth, words)
		} else {
			s.expand(id)
		}
		if s.done() {
			s.halt.Store(true)
		}
	}
}
