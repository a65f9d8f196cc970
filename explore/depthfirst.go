package explore

import (
	"github.com/fencepost-verifier/fencepost/explore/reduce"
	"github.com/fencepost-verifier/fencepost/explore/states"
)

// A frame is a state on the stack of the depth-first search, and how far its
// events have been tried.
type frame struct {
	cursor
	id uint32 // in the first arena
}

// depthFirst is algorithm 2.3, its recursion unrolled into a stack. An event is
// performed when its turn comes, and a new state is expanded at once: it is at
// hand then, and only after a return a state has to be unpacked again. States
// with nothing left to try are not on the stack. It may leave the rest to several
// workers, which are not lazy: a state counts as visited when it is found, and
// all its events are tried before the next one is taken from the pile.
func (s *search) depthFirst() {
	var c cursor
	s.load(s.fresh)
	for {
		ev, prefix, ok := s.candidate(&c)
		if !ok {
			s.leave()
			if len(s.stack) == 0 || s.done() {
				return
			}
			top := s.stack[len(s.stack)-1]
			s.stack = s.stack[:len(s.stack)-1]
			c = s.resume(top)
			continue
		}
		s.fresh = 0
		s.try(ev, prefix)
		if s.done() {
			return
		}
		if s.fresh == 0 {
			continue
		}
		rest := c
		if _, _, more := s.candidate(&rest); more {
			if s.stack, ok = states.Grow(s.budget, s.stack, 1); !ok {
				s.outOfMemory()
				return
			}
			s.stack = append(s.stack, frame{cursor: c, id: uint32(s.parent)})
		}
		if s.ripe() {
			s.level = append(s.level, s.fresh)
			return
		}
		s.descend()
		c = cursor{}
	}
}

// resume makes the state of a frame the one that is expanded, from the cursor on.
func (s *search) resume(f frame) cursor {
	s.load(states.Ref(f.id))
	s.fertile = true
	if f.all {
		s.sel = reduce.Selection{}
	}
	return f.cursor
}

// descend makes next, a new state, the one that is expanded. What was cur still
// differs from it by trace only, and is next now.
func (s *search) descend() {
	s.cur, s.next = s.next, s.cur
	s.old, s.words = s.words, s.old
	if s.from != 0 {
		s.from = s.fresh
	}
	s.parent, s.favourite = s.fresh, s.nextFavourite
	s.depth += uint32(len(s.trace))
	s.enter()
}
