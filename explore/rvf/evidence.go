package rvf

import (
	"math"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/program"
)

// attend has a thread watched for a property that forbids something of it alone: its
// place, and its registers. Every execution of a class has the same there.
func (x *exploration) attend(pr *program.Property) bool {
	thread, ok := -1, true
	program.Walk(pr.Cond, func(e program.Expr) {
		t := -1
		switch e := e.(type) {
		case program.At:
			t = e.Thread
		case program.ThreadReg:
			t = e.Thread
		case program.Mem:
			ok = false
		}
		if t >= 0 {
			ok = ok && (thread < 0 || thread == t)
			thread = t
		}
	})
	if !ok || thread < 0 {
		return false
	}
	x.watched[thread] = append(x.watched[thread], pr.Cond)
	th := x.threads[thread]
	th.Log = func(s *threads.State, _ int32, _ int64) {
		if !x.seen {
			x.seen = x.forbidden(thread, s)
		}
	}
	var first threads.State
	th.Start(&first)
	th.Log(&first, -1, 0)
	return true
}

func (x *exploration) forbidden(thread int, s *threads.State) bool {
	for _, cond := range x.watched[thread] {
		if program.Eval(cond, &program.Env{
			ThreadReg: func(_, reg int) int64 { return s.Regs[reg] },
			At:        func(int) program.StateID { return s.PC },
		}) != 0 {
			return true
		}
	}
	return false
}

// state is the state that s ends in.
func (x *exploration) state(s []int32) *abstract.State {
	st := x.sys.NewState()
	x.sys.Initial(st)
	for t := range x.threads {
		st.PC[t] = x.states[t].PC
		copy(st.Regs[t], x.states[t].Regs)
	}
	for _, id := range s {
		if e := &x.events[id]; e.write {
			st.Mem[e.cell] = e.value
		}
	}
	return st
}

// convict makes s, and what the threads do behind it on their own, t first, the run that violates
// something.
func (x *exploration) convict(s []int32, t int) {
	x.violated, x.schedule = true, x.run(s, t)
}

// stray is called where thread t accesses what is no memory at the end of s.
func (x *exploration) stray(s []int32, t int) {
	sys := x.sys
	st := sys.NewState()
	sys.Initial(st)
	for _, ev := range x.run(s, t) {
		sys.Step(st, ev)
	}
	ev := abstract.Event{Thread: t, Edge: int(x.stops[t].Edge)}
	if sys.Step(st, ev); x.err == nil {
		x.err = sys.StrayError(ev)
	}
}

// run is the steps of s, and what the threads do on their own, up to the first that
// violates something; what thread last does comes first. What a thread does on its own it does right before its next event,
// since a fence there waits for the flushes before that; but behind a section at once.
func (x *exploration) run(s []int32, last int) []abstract.Event {
	r := &rerun{exploration: x, st: x.sys.NewState(), picked: make([]int, len(x.threads))}
	x.sys.Initial(r.st)
	logs := make([]func(*threads.State, int32, int64), len(x.threads))
	for t, th := range x.threads {
		logs[t] = th.Log
		r.now = append(r.now, threads.State{})
		th.Start(&r.now[t])
		r.over = r.over || x.forbidden(t, &r.now[t])
		th.Log = func(st *threads.State, edge int32, choice int64) {
			r.step(abstract.Event{Thread: t, Edge: int(edge), Choice: choice})
			r.over = r.over || x.forbidden(t, st)
		}
	}
	defer func() {
		for t, th := range x.threads {
			th.Log = logs[t]
		}
	}()
	for i, id := range s {
		e := &x.events[id]
		t := int(e.thread)
		switch {
		case t == x.observer():
			continue
		case t > x.observer():
			r.flush(int(x.owner[t]), int(e.cell))
			continue
		}
		stop := r.advance(t, math.MaxInt32)
		if e.read {
			x.threads[t].Read(&r.now[t], &stop, e.value, x.scratch)
		} else {
			x.threads[t].Pass(&r.now[t], &stop, x.scratch)
		}
		if e.write && !stop.Atomic && x.buffered() { // in a section
			r.flush(t, int(e.cell))
		}
		if (i+1 == len(s) || x.events[s[i+1]].unit != e.unit) && (stop.Inside || stop.Atomic) {
			r.advance(t, 0)
		}
	}
	r.advance(last, x.states[last].Steps)
	for t := range x.threads {
		r.advance(t, x.states[t].Steps)
	}
	return r.all
}

// A rerun is the making of a run.
type rerun struct {
	*exploration
	all    []abstract.Event
	over   bool // it has violated something
	st     *abstract.State
	now    []threads.State
	picked []int
}

func (r *rerun) step(ev abstract.Event) {
	if !r.over {
		r.all = append(r.all, ev)
		r.sys.Step(r.st, ev)
	}
}

// flush flushes the oldest store to cell by thread t.
func (r *rerun) flush(t, cell int) {
	if r.over {
		return
	}
	for i := range r.sys.Flushes(r.st, t) {
		if r.sys.Buffer.Flushed(&r.st.Buf[t], i).Cell == cell {
			r.step(abstract.Event{Thread: t, Edge: abstract.Flush, Choice: int64(i)})
			return
		}
	}
}

// advance takes t to its next access, or to where it would take the lock after that many
// steps.
func (r *rerun) advance(t int, steps int32) threads.Stop {
	th := r.threads[t]
	for {
		stop := th.Run(&r.now[t], r.scratch)
		switch stop.Kind {
		case threads.Fence, threads.Lock, threads.Unlock:
			if stop.Kind == threads.Lock && r.now[t].Steps >= steps {
				return stop
			}
			th.Pass(&r.now[t], &stop, r.scratch)
		case threads.Choice:
			if r.picked[t] == len(r.picks[t]) {
				return stop
			}
			th.Choose(&r.now[t], r.picks[t][r.picked[t]])
			r.picked[t]++
		default:
			r.over = r.over || stop.Kind == threads.Failed
			return stop
		}
	}
}
