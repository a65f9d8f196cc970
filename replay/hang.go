package replay

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Hang tells of states in which a program hangs for ever: the store buffers are empty,
// every thread has come to its end, stands still, or goes in circles in which it changes
// nothing but its registers, and comes to the same again and again; and one of them waits: it
// stands, or there is a way out of the loop that it is in. However fair the machine is, nothing
// will ever change.
//
// It has room for the states that it tries, and is for one goroutine at a time.
type Hang struct {
	x         *abstract.System
	now, next *abstract.State
	try       *abstract.State
	regs      []int64  // of the thread, where it may come to be again
	exits     [][]bool // by thread, and edge that closes a loop: whether there is a way out of it
	loops     []*flow.Loops
}

// NewHang tells of states of x.
func NewHang(x *abstract.System) *Hang {
	h := &Hang{x: x, now: x.NewState(), next: x.NewState(), try: x.NewState()}
	for t, th := range x.Program.Threads {
		l := flow.FindLoops(th, flow.Live(x.Program, t, true))
		exits := make([]bool, len(th.Edges))
		for e := range exits {
			exits[e] = l.Back[e] && exit(th, e)
		}
		h.loops, h.exits = append(h.loops, l), append(h.exits, exits)
	}
	return h
}

// At is true where the program hangs in s.
func (h *Hang) At(s *abstract.State) bool { return h.waits(s, nil) }

// Waits is what every thread that has not come to its end waits for, where the program
// hangs in s.
func (h *Hang) Waits(s *abstract.State) (waits []verdict.Wait) {
	h.waits(s, &waits)
	return waits
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
		stays, waits := h.circles(s, t, list)
		if !stays {
			return false
		}
		any = any || waits
	}
	return any
}

// mostSteps is how many steps a thread may take until it has come to where it was.
const mostSteps = 1 << 12

// circles is whether thread t, alone, can only come to where it was, or nowhere, and if so
// whether it waits.
func (h *Hang) circles(s *abstract.State, t int, list *[]verdict.Wait) (stays, waits bool) {
	h.now.Copy(s)
	// Brent's way to notice a circle: the place to come back to moves on by powers of two.
	home, power, lap := h.now.PC[t], 1, 0
	h.regs = append(h.regs[:0], h.now.Regs[t]...)
	for range mostSteps {
		switch h.step(s, t) {
		case 0:
			if list != nil {
				w := verdict.Wait{Thread: t, Pos: h.pos(t), Stands: true}
				h.reads(s, t, &w)
				*list = append(*list, w)
			}
			return true, true
		case 1:
		default:
			return false, false
		}
		lap++
		if h.now.PC[t] == home && slices.Equal(h.now.Regs[t], h.regs) {
			w, waits := h.circle(s, t, lap)
			if waits && list != nil {
				*list = append(*list, w)
			}
			return true, waits
		}
		if lap == power {
			home, power, lap = h.now.PC[t], 2*power, 0
			h.regs = append(h.regs[:0], h.now.Regs[t]...)
		}
	}
	return false, false
}

// step takes thread t one step further in now, and tells in how many ways it could go: 2
// where there are several, or where it changes more than its registers.
func (h *Hang) step(s *abstract.State, t int) (ways int) {
	for _, e := range h.x.Out(t, h.now.PC[t]) {
		h.try.Copy(h.now)
		out := h.x.Step(h.try, abstract.Event{Thread: t, Edge: e})
		if out == abstract.Disabled {
			continue
		}
		if ways++; ways > 1 || out != abstract.Done || h.x.Choices(t, e) > 1 || h.x.Ended(h.try, t) ||
			h.try.Lock != s.Lock || !h.try.Buf[t].Empty() || !slices.Equal(h.try.Mem, s.Mem) {
			return 2
		}
		h.next, h.try = h.try, h.next
	}
	if ways == 1 {
		h.now, h.next = h.next, h.now
	}
	return ways
}

// pos is the place of the first command that leads on from where thread t is.
func (h *Hang) pos(t int) program.Position {
	for _, e := range h.x.Out(t, h.now.PC[t]) {
		if p := h.x.Program.Threads[t].Edges[e].Cmd.Pos; p.IsValid() {
			return p
		}
	}
	return program.Position{}
}

// circle goes round once more, to see what the thread reads, and whether it waits.
func (h *Hang) circle(s *abstract.State, t, laps int) (w verdict.Wait, waits bool) {
	w = verdict.Wait{Thread: t, Pos: h.pos(t)}
	th := h.x.Program.Threads[t]
	largest := -1
	for range laps {
		h.reads(s, t, &w)
		from := h.now.PC[t]
		h.step(s, t)
		for _, e := range h.x.Out(t, from) {
			if h.loops[t].Back[e] && th.Edges[e].To == h.now.PC[t] {
				if n := len(body(th, e)); n > largest {
					largest, waits = n, h.exits[t][e]
				}
			}
		}
	}
	return w, waits
}

// body is the control states of the loop that edge e closes: those from which its end can be
// reached without its head.
func body(t *program.Thread, e int) map[program.StateID]bool {
	head, tail := t.Edges[e].To, t.Edges[e].From
	in := map[program.StateID]bool{head: true, tail: true}
	for work := []program.StateID{tail}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		if q == head {
			continue
		}
		for i := range t.Edges {
			if from := t.Edges[i].From; t.Edges[i].To == q && !in[from] {
				in[from] = true
				work = append(work, from)
			}
		}
	}
	return in
}

// exit is whether there is a way out of the loop that edge e closes.
func exit(t *program.Thread, e int) bool {
	in := body(t, e)
	for i := range t.Edges {
		if in[t.Edges[i].From] && !in[t.Edges[i].To] {
			return true
		}
	}
	return false
}

// reads notes what thread t reads next.
func (h *Hang) reads(s *abstract.State, t int, w *verdict.Wait) {
	for _, e := range h.x.Out(t, h.now.PC[t]) {
		if h.x.Enabled(h.now, t, e) != abstract.Done {
			continue
		}
		accesses, _ := h.x.Accesses(nil, h.now, abstract.Event{Thread: t, Edge: e})
		for _, a := range accesses {
			if p := (verdict.Pair{Cell: a.Cell, Value: s.Mem[a.Cell]}); !a.Store && !slices.Contains(w.Reads, p) {
				w.Reads = append(w.Reads, p)
			}
		}
	}
}

// ConvictHang replays a schedule that leads p under m to a state in which it hangs for
// ever, and gives the answer that it is the evidence for.
func ConvictHang(p *program.Program, m memory.Model, schedule []abstract.Event) (*verdict.Result, error) {
	r, err := New(p, m, nil)
	if err != nil {
		return nil, err
	}
	run, err := r.Trace(schedule)
	if err != nil {
		return nil, fmt.Errorf("internal error: the run that was found does not replay: %w", err)
	}
	waits := NewHang(r.x).Waits(r.s)
	if run.Violation != nil || len(waits) == 0 {
		return nil, errors.New("internal error: the run that was found does not hang")
	}
	run.Violation = &verdict.Violation{Hang: &verdict.Hang{Waits: waits}, Text: "nothing can go on", Pos: waits[0].Pos}
	return verdict.ConvictHang(run), nil
}
