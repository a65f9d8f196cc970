package rvf

import (
	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// Events stand in rows: those of a row happen in their order. Every thread has a row, and
// after them the observer. Under TSO each thread has another one, for the flushes of its
// buffer, and under PSO one for each cell. With that, the models are partial orders: a
// flush comes after its store, and what waits for an empty buffer after the flushes
// before it; and the only other thing to know about a buffer is that a thread reads from
// it what is still to be flushed.

// rows makes the rows, which are empty.
func (x *exploration) rows() {
	for t := range len(x.threads) + 1 {
		x.owner = append(x.owner, int32(t))
	}
	for t := range x.threads {
		switch x.opts.Model {
		case memory.TSO:
			x.owner = append(x.owner, int32(t))
		case memory.PSO:
			for range x.init {
				x.owner = append(x.owner, int32(t))
			}
		}
	}
	x.of = make([][]int32, len(x.owner))
	x.drain = make([]bool, len(x.threads))
	x.fence = make([]int32, len(x.threads))
}

// buffer is the row of the flushes to cell by thread t.
func (x *exploration) buffer(t int, cell int32) int {
	if x.opts.Model == memory.PSO {
		return x.observer() + 1 + t*len(x.init) + int(cell)
	}
	return x.observer() + 1 + t
}

// buffered is true under the models with buffers.
func (x *exploration) buffered() bool { return x.opts.Model != memory.SC }

// bufferable refuses what waits for a buffer without being seen to.
func (x *exploration) bufferable() error {
	if !x.buffered() || x.p.Arch == program.X86 {
		return nil
	}
	for _, t := range x.p.Threads {
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			if c.Op != program.Atomic {
				continue
			}
			accesses := 0
			for k := range c.Body {
				accesses += int(program.Bool(c.Body[k].Op == program.Load || c.Body[k].Op == program.Store))
			}
			if accesses == 0 {
				return x.p.Diagnose(c.Pos, "rvf knows no atomic block without accesses under "+string(x.opts.Model), "use another way to explore")
			}
		}
	}
	return nil
}

// store adds what a Store of thread t does to the events at hand; in a section it is in
// memory at once, as what an Atomic stores is. It returns the events.
func (x *exploration) store(t int, stop *threads.Stop, half bool, unit int32) []int32 {
	e := event{cell: stop.Cell, write: true, half: half, unit: unit, value: stop.Value}
	if stop.Atomic || unit > 0 || !x.buffered() {
		if stop.Atomic {
			x.drains(t)
		}
		return []int32{x.add(t, e)}
	}
	issue := e
	issue.write = false
	id := x.add(t, issue)
	e.after = x.fence[t]
	return []int32{id, x.add(x.buffer(t, stop.Cell), e)}
}

// drains has the next event of thread t wait for its buffers.
func (x *exploration) drains(t int) {
	if x.buffered() {
		x.drain[t] = true
	}
}

// passFence goes past a fence.
func (x *exploration) passFence(t int, stop *threads.Stop) {
	switch {
	case stop.Atomic || stop.Cmd.FullFence():
		x.drains(t)
	case stop.Cmd.StoreFence() && x.buffered():
		x.fence[t] = int32(len(x.events))
	}
}

// last is the last write to cell by thread t among the events at hand, or initial.
func (x *exploration) last(t int, cell int32) int32 {
	w := int32(initial)
	for u, es := range x.of {
		if int(x.owner[u]) != t {
			continue
		}
		for i := len(es) - 1; i >= 0 && es[i] > w; i-- {
			if e := &x.events[es[i]]; e.write && e.cell == cell {
				w = es[i]
			}
		}
	}
	return w
}
