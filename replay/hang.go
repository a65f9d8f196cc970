package replay

import (
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Hang tells of states in which a program hangs for ever. Mostly they are such: the store buffers are empty,
// every thread has come to its end, stands still, or goes in circles in which it changes
// nothing but its registers, whatever it chooses, and comes to the same again and again; and one
// of them waits: it stands, or there is a way out of the loop that it is in. However fair the
// machine is, nothing will ever change.
//
// A store of what memory has already is no change, in whichever model. It is enough to look at
// threads whose stores come to memory at once: as long as no store brings anything new, all that
// is ever buffered is what memory has, whoever has stored it and however late it comes there, so
// that every thread reads, and does, the same as with empty buffers.
//
// It has room for the states that it tries, and is for one goroutine at a time.
type Hang struct {
	// GaveUp is whether some thread had more to do by itself than was looked at: that
	// no state has been found to hang says nothing then.
	GaveUp bool

	x     *abstract.System
	try   *abstract.State
	loops []loops // by thread
	alone alone
}

// loops is, by the edges of a thread that close a loop, how many control states the loop has,
// and whether there is a way out of it. Other edges have 0.
type loops struct {
	size []int
	exit []bool
}

// NewHang tells of states of x.
func NewHang(x *abstract.System) *Hang {
	h := &Hang{x: x, try: x.NewState()}
	for t, th := range x.Program.Threads {
		found := flow.FindLoops(th, flow.Live(x.Program, t, true))
		l := loops{make([]int, len(th.Edges)), make([]bool, len(th.Edges))}
		for e := range th.Edges {
			if found.Back[e] {
				in := flow.Body(th, e)
				l.size[e], l.exit[e] = len(in), flow.Exit(th, in)
			}
		}
		h.loops = append(h.loops, l)
	}
	return h
}

// At is true where the program hangs in s, with every thread by itself: none changes anything. Other ways to hang
// are seen of many states only; see [Circle].
func (h *Hang) At(s *abstract.State) bool { return h.waits(s, nil) }

// Violation is that the program hangs in s, with what every thread that has not come to its
// end waits for; nil where it does not hang.
func (h *Hang) Violation(s *abstract.State) *verdict.Violation {
	var waits []verdict.Wait
	if !h.waits(s, &waits) {
		// What was noted is of threads before the one that goes on.
		if waits = h.circle(s); len(waits) == 0 {
			return nil
		}
	}
	return &verdict.Violation{
		Hang: &verdict.Hang{Waits: waits, Cells: h.x.Ranges.Cells},
		Text: "nothing can go on",
		Pos:  waits[0].Pos,
	}
}

func (h *Hang) waits(s *abstract.State, list *[]verdict.Wait) bool {
	x := h.x
	for t := range s.PC {
		if x.Flushes(s, t) > 0 || !s.Buf[t].Empty() {
			return false
		}
	}
	if x.GivenUp(s) {
		return false
	}
	any := false
	for t := range s.PC {
		if x.Ended(s, t) {
			continue
		}
		if !h.stays(s, t) {
			return false
		}
		if knot, waits := h.knot(t); waits {
			any = true
			if list != nil {
				*list = append(*list, h.wait(s, t, knot))
			}
		}
	}
	return any
}

// mostSteps is how many steps of a thread are looked at until it has come to where it was.
const mostSteps = 1 << 12

// alone is what one thread can do while nothing else happens: the places that it can come to.
type alone struct {
	places []private
	ids    map[string]int
	key    []byte
}

// A private place is the part of a state that is a thread's own.
type private struct {
	pc    program.StateID
	regs  []int64
	steps []stride
}

// A stride leads to another place by an edge.
type stride struct{ edge, to int }

// add is the number of the place of thread t in s.
func (a *alone) add(s *abstract.State, t int) int {
	a.key = binary.AppendVarint(a.key[:0], int64(s.PC[t]))
	for _, r := range s.Regs[t] {
		a.key = binary.AppendVarint(a.key, r)
	}
	id, ok := a.ids[string(a.key)]
	if !ok {
		id = len(a.places)
		a.ids[string(a.key)] = id
		a.places = append(a.places, private{pc: s.PC[t], regs: slices.Clone(s.Regs[t])})
	}
	return id
}

// stays is whether thread t, alone, changes nothing but its registers whatever it does, and
// neither comes to its end nor fails nor gives up. What it can do is in h.alone then.
func (h *Hang) stays(s *abstract.State, t int) bool {
	a := &h.alone
	a.places, a.ids = a.places[:0], map[string]int{}
	a.add(s, t)
	left := mostSteps
	if h.GaveUp {
		left /= 16 // there will be no proof
	}
	// One way first, until it leads to where it has been: mostly it leads on, and out.
	for i := 0; i == len(a.places)-1 && left > 0; i++ {
		for _, e := range h.x.Out(t, a.places[i].pc) {
			left--
			if out := h.step(s, t, i, e, 0); out == abstract.Done {
				a.add(h.try, t)
				break
			} else if out != abstract.Disabled {
				return false
			}
		}
	}
	for i := 0; i < len(a.places); i++ {
		for _, e := range h.x.Out(t, a.places[i].pc) {
			for c := range h.x.Choices(t, e) {
				if left--; left < 0 {
					h.GaveUp = true
					return false
				}
				if out := h.step(s, t, i, e, c); out == abstract.Done {
					to := a.add(h.try, t)
					a.places[i].steps = append(a.places[i].steps, stride{e, to})
				} else if out != abstract.Disabled {
					return false
				}
			}
		}
	}
	return true
}

// step takes thread t from place i by an edge, in h.try, and what it stores to memory. The outcome is Done where that changes
// nothing but the thread's place, Disabled where there is no such step, and something else otherwise.
func (h *Hang) step(s *abstract.State, t, i, e int, choice int64) abstract.Outcome {
	h.put(s, t, i)
	out := h.x.Step(h.try, abstract.Event{Thread: t, Edge: e, Choice: choice})
	if out == abstract.Done && (h.x.Ended(h.try, t) || h.x.GivenUp(h.try) ||
		h.try.Lock != s.Lock || !slices.Equal(h.try.Mem, s.Mem) || !h.drain(s, t)) {
		return abstract.Failed
	}
	return out
}

// drain flushes the buffer of t in h.try, and is whether every flush leaves memory as it is in s.
func (h *Hang) drain(s *abstract.State, t int) bool {
	for n := len(h.try.Buf[t].Pairs); !h.try.Buf[t].Empty(); n-- {
		if n == 0 || h.x.Flushes(h.try, t) == 0 {
			return false
		}
		h.x.Take(h.try, abstract.Event{Thread: t, Edge: abstract.Flush})
		if !slices.Equal(h.try.Mem, s.Mem) {
			return false
		}
	}
	return true
}

// put makes h.try the state s with thread t at the place i.
func (h *Hang) put(s *abstract.State, t, i int) {
	h.try.Copy(s)
	h.try.PC[t] = h.alone.places[i].pc
	copy(h.try.Regs[t], h.alone.places[i].regs)
}

// knot is places of thread t that it stays at once it is there, and in which it waits; not waits where
// there are none: then all that it ends up in are loops without a way out.
func (h *Hang) knot(t int) (places []int, waits bool) {
	for _, k := range h.alone.knots() {
		largest := 0
		for _, i := range k {
			for _, s := range h.alone.places[i].steps {
				if n := h.loops[t].size[s.edge]; n > largest {
					largest, waits = n, h.loops[t].exit[s.edge]
				}
			}
		}
		if waits || largest == 0 {
			return k, true
		}
	}
	return nil, false
}

// knots are those of the places.
func (a *alone) knots() [][]int {
	out := make([][]int32, len(a.places))
	for i := range a.places {
		for _, s := range a.places[i].steps {
			out[i] = append(out[i], int32(s.to))
		}
	}
	return Knots(out)
}

// wait is what thread t waits for in s, where it is in a knot.
func (h *Hang) wait(s *abstract.State, t int, knot []int) verdict.Wait {
	slices.Sort(knot) // in the order in which it comes there
	w := verdict.Wait{Thread: t, Stands: len(h.alone.places[knot[0]].steps) == 0}
	for _, i := range knot {
		h.put(s, t, i)
		if !w.Pos.IsValid() {
			w.Pos = h.pos(t)
		}
		h.reads(s, t, &w)
	}
	return w
}

// pos is the place of the first command that leads on from where thread t is.
func (h *Hang) pos(t int) program.Position {
	for _, e := range h.x.Out(t, h.try.PC[t]) {
		if p := h.x.Program.Threads[t].Edges[e].Cmd.Pos; p.IsValid() {
			return p
		}
	}
	return program.Position{}
}

// reads notes what thread t reads next.
func (h *Hang) reads(s *abstract.State, t int, w *verdict.Wait) {
	for _, e := range h.x.Out(t, h.try.PC[t]) {
		if h.x.Enabled(h.try, t, e) != abstract.Done {
			continue
		}
		accesses, _ := h.x.Accesses(nil, h.try, abstract.Event{Thread: t, Edge: e})
		for _, a := range accesses {
			if p := (verdict.Pair{Cell: a.Cell, Value: s.Mem[a.Cell]}); !a.Store && !slices.Contains(w.Reads, p) {
				w.Reads = append(w.Reads, p)
			}
		}
	}
}

// ConvictHang replays a schedule that leads p under m to a state in which it hangs for
// ever, and gives the answer that it is the evidence for: Unknown where there are too many states to see that it hangs.
func ConvictHang(p *program.Program, m memory.Model, schedule []abstract.Event) (*verdict.Result, error) {
	r, err := New(p, m, nil)
	if err != nil {
		return nil, err
	}
	run, err := r.Trace(schedule)
	if err != nil {
		return nil, fmt.Errorf("internal error: the run that was found does not replay: %w", err)
	}
	err = r.judgeHang(run)
	if err != nil && err != errLong {
		if way := NewHang(r.x).into(r.s); len(way) > 0 {
			if run, err = r.Trace(append(slices.Clip(schedule), way...)); err != nil {
				return nil, fmt.Errorf("internal error: the run that was found cannot be followed to where it hangs: %w", err)
			}
			err = r.judgeHang(run)
		}
	}
	switch {
	case err == errLong:
		return verdict.HangUnknown(p, m, fmt.Sprintf("after %d steps a thread waits for ever, it seems, but others do so much that it is not seen in a run", len(schedule))), nil
	case err != nil:
		return nil, fmt.Errorf("internal error: the run that was found does not hang: %w", err)
	}
	return verdict.ConvictHang(run), nil
}
