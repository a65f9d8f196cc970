package encode

import (
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// Most models that are not as strong as another one are so on an execution of four accesses. Before a proof is tried, the
// two are asked about some of these: what violates coherence or tears a read-modify-write, and the critical cycles of
// two threads with one fence, or locked access, at most in each.

// shape makes an execution of accesses to two cells, or more threads.
type shape struct {
	memory.Graph
	init [2]int
}

func newShape() *shape {
	s := &shape{}
	for c := range s.init {
		s.init[c] = s.Add(memory.Event{Thread: memory.InitialThread, Kind: memory.Write, Addr: int64(c)})
	}
	return s
}

// access adds a read or a write of a cell.
func (s *shape) access(thread, cell int, k memory.Kind, locked bool) int {
	e := memory.Event{Thread: thread, Kind: k, Addr: int64(cell)}
	if locked {
		e.Tags, e.Block = program.NewTags(program.TagLocked), len(s.Events)
	}
	return s.Add(e)
}

func (s *shape) read(thread, cell, from int) {
	s.RF.Add(from, s.access(thread, cell, memory.Read, false))
}

func (s *shape) write(thread, cell int) int { return s.access(thread, cell, memory.Write, false) }

// order makes the order of the writes to a cell, after the first one.
func (s *shape) order(cell int, writes ...int) *memory.Graph {
	s.Order(append([]int{s.init[cell]}, writes...)...)
	return &s.Graph
}

// shapes are executions of programs of the class.
func shapes(class Class) (all []*memory.Graph) {
	all = append(incoherent(), wide()...)
	if class.Locked {
		for _, between := range []bool{true, false} {
			s := newShape()
			r := s.access(0, 0, memory.Read, true)
			w := s.access(0, 0, memory.Write, true)
			s.Events[w].Block = s.Events[r].Block
			s.RF.Add(s.init[0], r)
			s.RMW.Add(r, w)
			if other := s.write(1, 0); between {
				all = append(all, s.order(0, other, w))
			} else {
				all = append(all, s.order(0, w, other))
			}
		}
	}
	mids := append([]string{"", "first", "second"}, class.Fences.Names()...)
	if !class.Locked {
		mids = append([]string{""}, class.Fences.Names()...)
	}
	for _, mid := range mids {
		for _, other := range []string{"", mid} {
			for _, there := range communications {
				for _, back := range communications {
					all = append(all, critical([2]string{mid, other}, there, back))
				}
			}
		}
	}
	return all
}

// incoherent are executions of one cell that are not coherent.
func incoherent() (all []*memory.Graph) {
	s := newShape()
	first, second := s.write(0, 0), s.write(0, 0)
	all = append(all, s.order(0, second, first))

	s = newShape()
	r := s.access(0, 0, memory.Read, false)
	w := s.write(0, 0)
	s.RF.Add(w, r)
	all = append(all, s.order(0, w))

	s = newShape()
	w = s.write(0, 0)
	s.read(0, 0, s.init[0])
	all = append(all, s.order(0, w))

	s = newShape()
	w = s.write(1, 0)
	s.read(0, 0, w)
	s.read(0, 0, s.init[0])
	all = append(all, s.order(0, w))

	s = newShape()
	w = s.write(1, 0)
	own := s.write(0, 0)
	s.read(0, 0, w)
	all = append(all, s.order(0, w, own))

	s = newShape()
	w = s.write(1, 0)
	s.read(0, 0, w)
	own = s.write(0, 0)
	return append(all, s.order(0, own, w))
}

// wide are executions in which threads read what they have written themselves, and what others write in different orders.
func wide() (all []*memory.Graph) {
	s := newShape()
	w := [2]int{}
	for t := range w {
		w[t] = s.write(t, t)
		s.read(t, t, w[t])
		s.read(t, 1-t, s.init[1-t])
	}
	s.order(0, w[0])
	all = append(all, s.order(1, w[1]))

	s = newShape()
	w = [2]int{s.write(0, 0), s.write(1, 1)}
	for t := range w {
		s.read(2+t, t, w[t])
		s.read(2+t, 1-t, s.init[1-t])
	}
	s.order(0, w[0])
	return append(all, s.order(1, w[1]))
}

// communications are the kinds of two accesses of a cell, the first of which comes before the second in some order.
var communications = [][2]memory.Kind{{memory.Write, memory.Read}, {memory.Write, memory.Write}, {memory.Read, memory.Write}}

// critical is a cycle of two threads: from the second access of the first to the first one of the second, and back. mids say what is
// between the accesses of a thread, or which of them is locked.
func critical(mids [2]string, there, back [2]memory.Kind) *memory.Graph {
	s := newShape()
	kinds := [2][2]memory.Kind{{back[1], there[0]}, {there[1], back[0]}}
	var at [2][2]int
	for t, ks := range kinds {
		at[t][0] = s.access(t, t, ks[0], mids[t] == "first")
		if mid := mids[t]; mid != "" && mid != "first" && mid != "second" {
			s.Add(memory.Event{Thread: t, Kind: memory.Fence, Tags: program.NewTags(mid)})
		}
		at[t][1] = s.access(t, 1-t, ks[1], mids[t] == "second")
	}
	for t := range at {
		from, to := at[t][1], at[1-t][0]
		switch a, b := s.Events[from].Kind, s.Events[to].Kind; {
		case a == memory.Read:
			s.RF.Add(s.init[1-t], from)
			s.order(1-t, to)
		case b == memory.Read:
			s.RF.Add(from, to)
			s.order(1-t, from)
		default:
			s.order(1-t, from, to)
		}
	}
	return &s.Graph
}

// judged is a key for what a model says of the shapes of a class.
type judged struct{ Class }

// judgements are what a model says of the shapes of a class, one by one.
func judgements(d *memory.Definition, class Class) string {
	return memory.Note(d, judged{class}, func() (string, bool) {
		var said []byte
		for _, g := range shapes(class) {
			if d.Consistent(g) {
				said = append(said, '+')
			} else {
				said = append(said, '-')
			}
		}
		return string(said), true
	})
}
