package replay

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Historian builds the happens-before relation of runs: program order, reads-from,
// coherence and from-reads. A store that is still in its buffer comes after all stores to its
// cell that are in memory, since it will be there some day; between two that are in the buffers
// of different threads nothing is said.
type Historian struct {
	x    *abstract.System
	s    *abstract.State
	done int // events of the last run that happened

	access  []verdict.Access
	locked  []bool  // by access: it is one of an atomic command
	unit    []int   // by access: the event that it is part of
	part    []bool  // by access: it is of the same wide access as the one before it
	source  []int   // by access: the write that a read read from, or -1
	flushed []int   // by access: the step at which a write was put into memory, or -1
	writes  [][]int // by cell, in coherence order
	units   int
	pending [][]int // by thread: writes in the buffer, oldest first
	section []int   // by thread: the unit of the locked section, or -1
	fences  []fence
}

// A fence is one that a run has, and the number of the accesses before it.
type fence struct{ thread, step, after int }

// NewHistorian is one for runs of x, whose store buffers lose nothing.
func NewHistorian(x *abstract.System) *Historian { return &Historian{x: x, s: x.NewState()} }

// Program is the program whose runs they are.
func (h *Historian) Program() *program.Program { return h.x.Program }

// Done is how many events of the last schedule happened.
func (h *Historian) Done() int { return h.done }

// Record runs the schedule. It is false where some event is not possible, but
// for flushes at the end that a lock holds up: the stores then count as the
// last in coherence.
func (h *Historian) Record(evs []abstract.Event) bool {
	n := len(h.x.Program.Threads)
	h.access, h.unit, h.source = h.access[:0], h.unit[:0], h.source[:0]
	h.part = h.part[:0]
	h.locked, h.flushed, h.fences = h.locked[:0], h.flushed[:0], h.fences[:0]
	h.writes = make([][]int, len(h.x.Ranges.Cells))
	h.units, h.pending, h.section = 0, make([][]int, n), slices.Repeat([]int{-1}, n)
	h.x.Initial(h.s)
	for i, ev := range evs {
		h.done = i
		if ev.Edge == abstract.Flush {
			if h.x.Flushes(h.s, ev.Thread) <= int(ev.Choice) {
				return h.tail(evs[i:])
			}
			for _, p := range h.x.Group(h.s, ev.Thread, int(ev.Choice)) {
				h.flush(i, ev.Thread, p.Cell)
			}
			h.x.Step(h.s, ev)
			continue
		}
		e := &h.x.Program.Threads[ev.Thread].Edges[ev.Edge]
		if e.From != h.s.PC[ev.Thread] || h.x.Enabled(h.s, ev.Thread, ev.Edge) != abstract.Done {
			return false
		}
		h.event(i, ev, &e.Cmd)
		if out := h.x.Step(h.s, ev); out != abstract.Done && (out != abstract.Failed || i < len(evs)-1) {
			return false
		}
	}
	h.done = len(evs)
	return true
}

// tail takes what the buffers hold as flushed.
func (h *Historian) tail(evs []abstract.Event) bool {
	for _, ev := range evs {
		if ev.Edge != abstract.Flush || len(h.pending[ev.Thread]) == 0 {
			return false
		}
		h.flush(-1, ev.Thread, h.access[h.pending[ev.Thread][0]].Cell)
	}
	return true
}

// flush puts the oldest write to the cell from the buffer of thread t into memory.
func (h *Historian) flush(step, t, cell int) {
	i := slices.IndexFunc(h.pending[t], func(w int) bool { return h.access[w].Cell == cell })
	w := h.pending[t][i]
	h.pending[t] = slices.Delete(h.pending[t], i, i+1)
	h.writes[cell] = append(h.writes[cell], w)
	h.flushed[w] = step
}

// event records the accesses of an edge that is about to be taken.
func (h *Historian) event(step int, ev abstract.Event, c *program.Command) {
	t := ev.Thread
	switch c.Op {
	case program.Lock:
		h.section[t] = h.units
		h.units++
		return
	case program.Unlock:
		h.section[t] = -1
		return
	case program.Fence:
		h.fences = append(h.fences, fence{t, step, len(h.access)})
	}
	u := h.section[t]
	if u < 0 {
		u = h.units
		h.units++
	}
	regs := slices.Clone(h.s.Regs[t])
	choice := ev.Choice
	locked := c.Op == program.Atomic && !c.Wide
	one := func(b *program.Command) {
		set := func(v int64) { regs[b.Reg] = h.x.Program.Threads[t].Regs[b.Reg].Type.Wrap(v) }
		switch b.Op {
		case program.Assign:
			set(program.EvalRegs(b.Value, regs))
		case program.Havoc:
			radix := b.Hi - b.Lo + 1
			set(b.Lo + choice%radix)
			choice /= radix
		case program.Load:
			set(h.read(step, t, u, h.x.Ranges.CellIndex(program.EvalRegs(b.Addr, regs)), locked))
		case program.Store:
			h.write(step, t, u, h.x.Ranges.CellIndex(program.EvalRegs(b.Addr, regs)), program.EvalRegs(b.Value, regs), locked)
		}
	}
	if c.Op != program.Atomic {
		one(c)
		return
	}
	first := len(h.access)
	for i := range c.Body {
		one(&c.Body[i])
	}
	for i := first + 1; c.Wide && i < len(h.access); i++ {
		h.part[i] = true
	}
}

func (h *Historian) add(a verdict.Access, unit, source int, locked bool) int {
	h.access = append(h.access, a)
	h.unit = append(h.unit, unit)
	h.source = append(h.source, source)
	h.locked = append(h.locked, locked)
	h.part = append(h.part, false)
	h.flushed = append(h.flushed, -1)
	return len(h.access) - 1
}

func (h *Historian) read(step, t, unit, cell int, locked bool) int64 {
	if cell < 0 {
		return 0
	}
	src := -1
	if ws := h.writes[cell]; len(ws) > 0 {
		src = ws[len(ws)-1]
	}
	for _, w := range h.pending[t] {
		if h.access[w].Cell == cell {
			src = w
		}
	}
	v := h.x.Ranges.Cells[cell].Init
	if src >= 0 {
		v = h.access[src].Value
	}
	h.add(verdict.Access{Thread: t, Step: step, Cell: cell, Value: v}, unit, src, locked)
	return v
}

func (h *Historian) write(step, t, unit, cell int, v int64, locked bool) {
	if cell < 0 {
		return
	}
	a := verdict.Access{Thread: t, Step: step, Write: true, Cell: cell, Value: h.x.Ranges.Cells[cell].Type.Wrap(v)}
	w := h.add(a, unit, -1, locked)
	if locked || h.x.Buffer.Immediate() {
		h.writes[cell] = append(h.writes[cell], w)
		h.flushed[w] = step
	} else {
		h.pending[t] = append(h.pending[t], w)
	}
}

// buffered is the writes to a cell that thread t has in its buffer; those of all threads where
// t is -1.
func (h *Historian) buffered(t, cell int) (ws []int) {
	for u, pending := range h.pending {
		for _, w := range pending {
			if h.access[w].Cell == cell && (t < 0 || t == u) {
				ws = append(ws, w)
			}
		}
	}
	return ws
}

// edges calls f for the pairs of the happens-before relation.
func (h *Historian) edges(f func(from, to int, kind string)) {
	place := make([]int, len(h.access)) // of a write in the coherence order; -1: in a buffer
	for i := range place {
		place[i] = -1
	}
	for _, ws := range h.writes {
		for i, w := range ws {
			place[w] = i
		}
	}
	// after is the writes that come after w in coherence, which may be -1 for the initial one.
	after := func(w, cell int) []int {
		if w >= 0 && place[w] < 0 {
			own := h.buffered(h.access[w].Thread, cell)
			return own[slices.Index(own, w)+1:]
		}
		from := 0
		if w >= 0 {
			from = place[w] + 1
		}
		return slices.Concat(h.writes[cell][from:], h.buffered(-1, cell))
	}
	for i := range h.access {
		a := &h.access[i]
		for j := i + 1; j < len(h.access); j++ {
			if h.access[j].Thread == a.Thread {
				f(i, j, "po")
			}
		}
		if a.Write {
			for _, w := range after(i, a.Cell) {
				f(i, w, "co")
			}
			continue
		}
		src := h.source[i]
		if src >= 0 {
			f(src, i, "rf")
		}
		for _, w := range after(src, a.Cell) {
			f(i, w, "fr")
		}
	}
}
