package explore

import "github.com/fencepost-verifier/fencepost/explore/states"

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
