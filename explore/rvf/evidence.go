package rvf

import (
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

// convict makes s, and what the threads do behind it on their own, the run that violates
// something.
func (x *exploration) convict(s []int32) {
	x.violated, x.schedule = true, x.run(s)
}

// stray is called where thread t accesses what is no memory at the end of s.
func (x *exploration) stray(s []int32, t int) {
	sys := x.sys
	st := sys.NewState()
	sys.Initial(st)
	for _, ev := range x.run(s) {
		sys.Step(st, ev)
	}
	ev := abstract.Event{Thread: t, Edge: int(x.stops[t].Edge)}
	if sys.Step(st, ev); x.err == nil {
		x.err = sys.StrayError(ev)
	}
}

// run is the steps of s, and what the threads do on their own, up to the first that
// violates something.
func (x *exploration) run(s []int32) (all []abstract.Event) {
	over := false
	picked := make([]int, len(x.threads))
	var now []threads.State
	var logs []func(*threads.State, int32, int64)
	for t, th := range x.threads {
		now = append(now, threads.State{})
		logs = append(logs, th.Log)
		th.Start(&now[t])
		over = over || x.forbidden(t, &now[t])
		th.Log = func(st *threads.State, edge int32, choice int64) {
			if !over {
				all = append(all, abstract.Event{Thread: t, Edge: int(edge), Choice: choice})
				over = x.forbidden(t, st)
			}
		}
	}
	defer func() {
		for t, th := range x.threads {
			th.Log = logs[t]
		}
	}()
	// advance takes t to its next access.
	advance := func(t int) threads.Stop {
		for {
			stop := x.threads[t].Run(&now[t], x.scratch)
			switch stop.Kind {
			case threads.Fence:
				x.threads[t].Pass(&now[t], &stop, x.scratch)
			case threads.Choice:
				if picked[t] == len(x.picks[t]) {
					return stop
				}
				x.threads[t].Choose(&now[t], x.picks[t][picked[t]])
				picked[t]++
			default:
				over = over || stop.Kind == threads.Failed
				return stop
			}
		}
	}
	for t := range x.threads {
		advance(t)
	}
	for _, id := range s {
		e := &x.events[id]
		t := int(e.thread)
		if t == x.observer() {
			break
		}
		stop := advance(t)
		if e.write {
			x.threads[t].Pass(&now[t], &stop, x.scratch)
		} else {
			x.threads[t].Read(&now[t], &stop, e.value, x.scratch)
		}
		if !(e.half && !e.write) { // the write of a read-modify-write follows at once
			advance(t)
		}
	}
	return all
}
