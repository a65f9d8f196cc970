package explore

// A frame is a state on the stack of the depth-first search, and how far its
// events have been tried.
type frame struct {
	cursor
	id uint32
}

const frameBytes = 32

// depthFirst is algorithm 2.3, its recursion unrolled into a stack. An event is
// performed when its turn comes, and a new state is expanded at once: it is at
// hand then, and only after a return a state has to be unpacked again. States
// with nothing left to try are not on the stack.
func (s *search) depthFirst() {
	var c cursor
	s.load(s.fresh)
	for {
		ev, ok := s.candidate(&c)
		if !ok {
			s.leave()
			if len(s.stack) == 0 || s.done() {
				return
			}
			top := s.stack[len(s.stack)-1]
			s.stack = s.stack[:len(s.stack)-1]
			s.load(top.id)
			s.fertile = true
			if c = top.cursor; c.all {
				s.sel = selection{}
			}
			continue
		}
		s.fresh = 0
		s.try(ev)
		if s.done() {
			return
		}
		if s.fresh == 0 {
			continue
		}
		rest := c
		if _, more := s.candidate(&rest); more {
			s.stack = append(s.stack, frame{cursor: c, id: s.parent})
		}
		s.cur, s.next = s.next, s.cur
		s.parent, s.favourite = s.fresh, s.nextFavourite
		s.depth += uint32(len(s.trace))
		s.enter()
		c = cursor{}
	}
}
