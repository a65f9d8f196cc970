package replay

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// maxShown bounds the steps that are offered: a free choice can have very many outcomes.
const maxShown = 64

// A Stepper goes through a run, forwards and backwards, and leaves it where somebody wants
// another step.
type Stepper struct {
	r     *Replayer
	saved []abstract.Event
	trail []abstract.Event
	s     *abstract.State
	ended *verdict.Violation // an assertion has failed
}

// NewStepper is at the beginning of a run of p under m.
func NewStepper(p *program.Program, m memory.Model, saved []abstract.Event) (*Stepper, error) {
	r, err := New(p, m, nil)
	if err != nil {
		return nil, err
	}
	w := &Stepper{r: r, saved: saved, s: r.x.NewState()}
	w.rewind(0)
	return w, nil
}

// rewind goes to where so many steps of the trail are done.
func (w *Stepper) rewind(n int) {
	trail := w.trail[:n]
	w.trail, w.ended = nil, nil
	w.r.x.Initial(w.s)
	for _, ev := range trail {
		w.take(ev) // which was possible before
	}
}

// Back takes the last step back. It is false at the beginning.
func (w *Stepper) Back() bool {
	if len(w.trail) == 0 {
		return false
	}
	w.rewind(len(w.trail) - 1)
	return true
}

// onPath is whether the steps so far are those of the saved run.
func (w *Stepper) onPath() bool {
	return len(w.trail) <= len(w.saved) && slices.Equal(w.trail, w.saved[:len(w.trail)])
}

// Forward takes the next step of the saved run. It is false where there is none.
func (w *Stepper) Forward() (bool, error) {
	if !w.onPath() || len(w.trail) == len(w.saved) {
		return false, nil
	}
	return true, w.take(w.saved[len(w.trail)])
}

// Choose takes step n of those of [Stepper.Moment].
func (w *Stepper) Choose(n int) error {
	events := w.enabled()
	if n < 0 || n >= len(events) {
		return fmt.Errorf("there is no step %d here", n+1)
	}
	return w.take(events[n])
}

func (w *Stepper) take(ev abstract.Event) error {
	if w.ended != nil {
		return fmt.Errorf("the run has ended")
	}
	x := w.r.x
	before := x.NewState()
	before.Copy(w.s)
	out, err := step(x, w.s, ev)
	if err != nil {
		w.s.Copy(before)
		return err
	}
	w.trail = append(w.trail, ev)
	if out == abstract.Failed {
		w.ended = assertion(x, ev, w.s.Failed)
	}
	return nil
}

// enabled lists the events that are enabled.
func (w *Stepper) enabled() (events []abstract.Event) {
	if w.ended != nil {
		return nil
	}
	x, try := w.r.x, w.r.x.NewState()
	for t := range w.s.PC {
		for _, e := range x.Out(t, w.s.PC[t]) {
			for c := range x.Choices(t, e) {
				if len(events) == maxShown {
					return events
				}
				ev := abstract.Event{Thread: t, Edge: e, Choice: c}
				try.Copy(w.s)
				if _, err := step(x, try, ev); err == nil {
					events = append(events, ev)
				}
			}
		}
		for i := range x.Flushes(w.s, t) {
			events = append(events, abstract.Event{Thread: t, Edge: abstract.Flush, Choice: int64(i)})
		}
	}
	return events
}

// Moment says where the run stands.
func (w *Stepper) Moment() *verdict.Moment {
	x := w.r.x
	m := &verdict.Moment{Done: -1, Of: len(w.saved)}
	if w.onPath() {
		m.Done = len(w.trail)
	}
	for i, v := range w.s.Mem {
		m.Memory = append(m.Memory, verdict.Named{Name: x.CellName(i), Value: v})
	}
	for t, th := range x.Program.Threads {
		tm := verdict.ThreadMoment{Name: th.Name, At: th.States[w.s.PC[t]].Name, Next: w.next(t)}
		for r, reg := range th.Regs {
			if !reg.Temp {
				tm.Regs = append(tm.Regs, verdict.Named{Name: reg.Name, Value: w.s.Regs[t][r]})
			}
		}
		for _, p := range w.s.Buf[t].Pairs {
			if p.Cell != abstract.Barrier {
				tm.Buffer = append(tm.Buffer, verdict.Named{Name: x.CellName(p.Cell), Value: p.Value})
			}
		}
		m.Threads = append(m.Threads, tm)
	}
	for _, ev := range w.enabled() {
		try := x.NewState()
		try.Copy(w.s)
		out := x.Step(try, ev)
		saved := w.onPath() && len(w.trail) < len(w.saved) && w.saved[len(w.trail)] == ev
		m.Steps = append(m.Steps, verdict.Possible{Thread: x.Program.Threads[ev.Thread].Name, Text: describe(x, w.s, try, ev, out == abstract.Failed).Text, Saved: saved})
	}
	switch pr := w.r.Violated(w.s); {
	case w.ended != nil:
		m.Ends = w.ended.Text
	case pr != nil:
		m.Ends = pr.String()
	}
	return m
}

// next is the cell that thread t could load from next; -1: none.
func (w *Stepper) next(t int) int {
	if w.ended != nil {
		return -1
	}
	for _, e := range w.r.x.Out(t, w.s.PC[t]) {
		if w.r.x.Program.Threads[t].Edges[e].Cmd.Op == program.Load {
			if a, _ := w.r.x.Accesses(nil, w.s, abstract.Event{Thread: t, Edge: e}); len(a) == 1 {
				return a[0].Cell
			}
		}
	}
	return -1
}

// Run is the steps so far.
func (w *Stepper) Run() (*verdict.Run, error) {
	r, err := New(w.r.x.Program, w.r.model, nil)
	if err != nil {
		return nil, err
	}
	return r.Trace(w.trail)
}
