package explore

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/replay"
)

// circles is, of a search for hangs, all steps between states, for programs that may hang in states that
// are many (see [replay.Circle]). When all states are stored, these are the components of the graph of
// states that no step leads out of.
type circles struct {
	steps []step
	root  states.Ref
}

// A step leads from one state to another; to 0 where it fails, or the run ends by it.
type step struct {
	from, to states.Ref
	edge     int32
	thread   uint16
	changes  bool // memory, or who has the lock
}

const stepBytes = 24

// keep keeps the step from cur by the last event of the trace; where that is not possible the search ends.
func (s *search) keep(to states.Ref, changes bool) {
	c := s.circles
	if len(c.steps) == cap(c.steps) {
		n := max(1024, 2*cap(c.steps))
		more := int64(n-cap(c.steps)) * stepBytes
		if !s.budget.Take(more) {
			s.outOfMemory()
			return
		}
		c.steps = slices.Grow(c.steps, n-len(c.steps))
	}
	ev := s.trace[len(s.trace)-1]
	c.steps = append(c.steps, step{s.parent, to, int32(ev.Edge), uint16(ev.Thread), changes})
}

// changesMemory is whether next has another memory than cur, or the lock is somebody else's.
func (s *search) changesMemory() bool {
	return s.next.Lock != s.cur.Lock || !slices.Equal(s.next.Mem, s.cur.Mem)
}

// hangs is a state of a circle in which the program hangs; 0: there is none, or no memory to find out. The search is over.
func (c *circles) hangs(s *search) states.Ref {
	const byState, byStep = 120, 12 // bytes of what follows
	if !s.budget.Take(byState*s.states + byStep*int64(len(c.steps))) {
		s.outOfMemory()
		return 0
	}
	ids := map[states.Ref]int32{}
	var refs []states.Ref
	id := func(r states.Ref) int32 {
		i, ok := ids[r]
		if !ok {
			i = int32(len(refs))
			ids[r] = i
			refs = append(refs, r)
		}
		return i
	}
	id(c.root)
	var out [][]int32
	for _, p := range c.steps {
		from, to := id(p.from), id(p.to)
		for len(out) < len(refs) {
			out = append(out, nil)
		}
		out[from] = append(out[from], to)
	}
	knots := replay.Knots(out)
	in := make([]int32, len(refs)) // from 1
	for k, knot := range knots {
		for _, i := range knot {
			in[i] = int32(k) + 1
		}
	}
	all := make([]*replay.Circle, len(knots))
	for _, p := range c.steps {
		k := in[ids[p.from]]
		if k == 0 {
			continue
		}
		if all[k-1] == nil {
			all[k-1] = s.hang.NewCircle()
		}
		all[k-1].Step(abstract.Event{Thread: int(p.thread), Edge: int(p.edge)}, p.changes)
	}
	for k, knot := range knots {
		if r := refs[knot[0]]; all[k] != nil && r != 0 { // else the run is at its end there
			_, words := s.store.Record(r)
			if words == nil {
				s.err = s.failure()
				return 0
			}
			if s.unpack(words); len(all[k].Waits(s.cur)) > 0 {
				return r
			}
		}
	}
	return 0
}
