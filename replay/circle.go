package replay

import (
	"encoding/binary"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Circle is what happens in states that the program never leaves once it is there, whatever is done:
// threads may store, and take locks and give them back, and none of it ever lets a thread out that
// waits. In such states the program hangs where every thread has come to its end, waits (it has no
// step, or never takes a way out that its loop has), or is in a loop without a way out and changes
// nothing in memory; and one waits. A thread that is in a loop without a way out and changes memory goes on for ever,
// as it should.
type Circle struct {
	h       *Hang
	taken   [][]bool // by thread and edge
	changes []bool   // by thread: some step of it changes memory, or who has the lock
}

// NewCircle returns what happens where nothing has happened yet.
func (h *Hang) NewCircle() *Circle {
	c := &Circle{h: h, changes: make([]bool, len(h.loops))}
	for _, l := range h.loops {
		c.taken = append(c.taken, make([]bool, len(l.size)))
	}
	return c
}

// Step adds an event, which leads from one of the states to one of them, and whether it changes memory or who
// has the lock.
func (c *Circle) Step(ev abstract.Event, changes bool) {
	if ev.Edge >= 0 {
		c.taken[ev.Thread][ev.Edge] = true
	}
	c.changes[ev.Thread] = c.changes[ev.Thread] || changes
}

// Waits lists the threads that wait, once all steps are added, where the program hangs in the states, one of which is s; no
// threads: it does not.
func (c *Circle) Waits(s *abstract.State) (waits []int) {
	if c.h.x.GivenUp(s) {
		return nil
	}
	for t, l := range c.h.loops {
		if c.h.x.Ended(s, t) {
			continue
		}
		largest, exit := 0, false
		for e, taken := range c.taken[t] {
			if taken && l.size[e] > largest {
				largest, exit = l.size[e], l.exit[e]
			}
		}
		switch {
		case largest == 0 || exit:
			waits = append(waits, t)
		case c.changes[t]:
			return nil
		}
	}
	return waits
}

// Changing is whether p has a loop with a step in it that may change memory or who has a lock. Where there is
// none, a program that hangs does so with every thread by itself, which [Hang.At] sees.
func Changing(p *program.Program) bool {
	for _, t := range p.Threads {
		out := t.Out()
		for i := range t.Edges {
			if e := &t.Edges[i]; changes(&e.Cmd) && reaches(t, out, e.To, e.From) {
				return true
			}
		}
	}
	return false
}

func changes(c *program.Command) bool {
	switch c.Op {
	case program.Store, program.Lock, program.Unlock:
		return true
	case program.Atomic:
		return slices.ContainsFunc(c.Body, func(b program.Command) bool { return changes(&b) })
	}
	return false
}

// reaches is whether control state b of t can be reached from a.
func reaches(t *program.Thread, out [][]int, a, b program.StateID) bool {
	seen := make([]bool, len(out))
	seen[a] = true
	for work := []program.StateID{a}; len(work) > 0; {
		q := work[len(work)-1]
		if work = work[:len(work)-1]; q == b {
			return true
		}
		for _, e := range out[q] {
			if to := t.Edges[e].To; !seen[to] {
				seen[to] = true
				work = append(work, to)
			}
		}
	}
	return false
}

// mostReached is how many states are looked at that can be reached from where a run ends.
const mostReached = 1 << 15

// circle is the waits where s is in a circle in which the program hangs; nil where it is in none,
// where a step may fail, or where there are too many states: then GaveUp is set.
func (h *Hang) circle(s *abstract.State) (waits []verdict.Wait) {
	reached, steps, ok := h.reachable(s)
	if !ok {
		return nil
	}
	knots := Knots(ends(len(reached), steps))
	if len(knots) != 1 || len(knots[0]) != len(reached) {
		return nil // it can be left for ever
	}
	c := h.NewCircle()
	for _, p := range steps {
		c.Step(p.ev, p.changes)
	}
	for _, t := range c.Waits(s) {
		w := verdict.Wait{Thread: t, Stands: !slices.Contains(c.taken[t], true)}
		for _, q := range reached {
			h.try.Copy(q)
			if !w.Pos.IsValid() {
				w.Pos = h.pos(t)
			}
			h.reads(q, t, &w)
		}
		waits = append(waits, w)
	}
	return waits
}

// into is a way from s into a circle: a run that was found where registers that matter no more have other values, and
// counters stand elsewhere, may end a few steps before one. It is empty where there is none, or too much to look at.
func (h *Hang) into(s *abstract.State) (way []abstract.Event) {
	reached, steps, ok := h.reachable(s)
	if !ok {
		return nil
	}
	from := make([]int, len(reached)) // the first step to a state, from 1
	for i, p := range steps {
		if p.to > 0 && from[p.to] == 0 {
			from[p.to] = i + 1
		}
	}
	at := slices.Min(Knots(ends(len(reached), steps))[0]) // the first that was reached
	for at > 0 {
		p := steps[from[at]-1]
		way = append(way, p.ev)
		at = int(p.from)
	}
	slices.Reverse(way)
	return way
}

// ends has, by state, where the steps lead that begin there.
func ends(n int, steps []passage) [][]int32 {
	out := make([][]int32, n)
	for _, p := range steps {
		out[p.from] = append(out[p.from], p.to)
	}
	return out
}

// A passage is a step between states that have numbers.
type passage struct {
	from, to int32
	ev       abstract.Event
	changes  bool // memory, or who has the lock
}

// reachable is the states that can be reached from s, itself the first, and the steps between them; not ok where a step
// fails, or there are too many.
func (h *Hang) reachable(s *abstract.State) (reached []*abstract.State, steps []passage, ok bool) {
	x := h.x
	ids := map[string]int32{}
	var key []byte
	add := func(q *abstract.State) int32 {
		key = appendState(key[:0], q)
		id, ok := ids[string(key)]
		if !ok {
			id = int32(len(reached))
			ids[string(key)] = id
			copied := x.NewState()
			copied.Copy(q)
			reached = append(reached, copied)
		}
		return id
	}
	add(s)
	var events []abstract.Event
	for i := 0; i < len(reached); i++ {
		if len(reached) > mostReached {
			h.GaveUp = true
			return nil, nil, false
		}
		q := reached[i]
		events = events[:0]
		for t := range q.PC {
			for f := range x.Flushes(q, t) {
				events = append(events, abstract.Event{Thread: t, Edge: abstract.Flush, Choice: int64(f)})
			}
			for _, e := range x.Out(t, q.PC[t]) {
				if x.Choices(t, e) > mostReached {
					h.GaveUp = true
					return nil, nil, false
				}
				for choice := range x.Choices(t, e) {
					events = append(events, abstract.Event{Thread: t, Edge: e, Choice: choice})
				}
			}
		}
		for _, ev := range events {
			h.try.Copy(q)
			switch x.Step(h.try, ev) {
			case abstract.Done:
				changes := h.try.Lock != q.Lock || !slices.Equal(h.try.Mem, q.Mem)
				steps = append(steps, passage{int32(i), add(h.try), ev, changes})
			case abstract.Disabled:
			default:
				return nil, nil, false
			}
		}
	}
	return reached, steps, true
}

// appendState appends s as bytes.
func appendState(b []byte, s *abstract.State) []byte {
	for _, pc := range s.PC {
		b = binary.AppendVarint(b, int64(pc))
	}
	for _, v := range s.Vals {
		b = binary.AppendVarint(b, v)
	}
	b = binary.AppendVarint(b, int64(s.Lock))
	for t := range s.Buf {
		b = binary.AppendVarint(b, int64(len(s.Buf[t].Pairs)))
		for _, p := range s.Buf[t].Pairs {
			b = append(binary.AppendVarint(binary.AppendVarint(b, int64(p.Cell)), p.Value), byte(program.Bool(p.Part)))
		}
	}
	return b
}
