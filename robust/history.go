package robust

import (
	"errors"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Schedule is the run under TSO that the moves describe: who is not the
// attacker, or not delaying yet, flushes every store at once. The delayed stores
// are flushed at the end if flush says so.
func (w *Witness) Schedule(flush bool) []abstract.Event {
	var evs []abstract.Event
	delays, buffered := false, 0
	for _, m := range w.moves {
		evs = append(evs, m.Event)
		store := w.p.Threads[m.Thread].Edges[m.Edge].Cmd.Op == program.Store
		delays = delays || m.kind == delayMove
		switch {
		case !store:
		case delays && m.Thread == w.attacker:
			buffered++
		default:
			evs = append(evs, abstract.Event{Thread: m.Thread, Edge: abstract.Flush})
		}
	}
	for range buffered {
		if !flush {
			break
		}
		evs = append(evs, abstract.Event{Thread: w.attacker, Edge: abstract.Flush})
	}
	return evs
}

// evidence replays the witness under TSO and finds the cycle in its
// happens-before relation.
func (w *Witness) evidence(r *program.Ranges) (*verdict.RobustEvidence, error) {
	if w.race {
		run, err := trace(w.p, w.Schedule(false))
		if err != nil {
			return nil, fmt.Errorf("internal error: the race found does not replay: %w", err)
		}
		return &verdict.RobustEvidence{Attack: w.attack(), Run: run}, nil
	}
	h, err := newHistorian(w.p, r)
	if err != nil {
		return nil, err
	}
	w.shrink(h)
	e, err := h.evidence(w.Schedule(true))
	if err != nil {
		return nil, fmt.Errorf("internal error: the witness found %w", err)
	}
	e.Attack = w.attack()
	return e, nil
}

func (w *Witness) attack() *verdict.Attack {
	a := &verdict.Attack{Thread: w.attacker}
	for _, m := range w.moves {
		switch m.kind {
		case delayMove:
			a.Store = m.Edge
		case closeMove:
			a.Load = m.Edge
		}
	}
	return a
}

// shrink leaves out last moves of threads where the cycle does not need them.
func (w *Witness) shrink(h *historian) {
	budget := 1 << 26 // pairs of events to look at
	for again := true; again; {
		again = false
		for t := range h.x.Program.Threads {
			for ; budget > 0; budget -= len(w.moves) * len(w.moves) {
				last := -1
				for i, m := range w.moves {
					if m.Thread == t {
						last = i
					}
				}
				if last < 0 || w.moves[last].kind != plainMove {
					break
				}
				shorter := *w
				shorter.moves = slices.Delete(slices.Clone(w.moves), last, last+1)
				if !h.cyclic(shorter.Schedule(true)) {
					break
				}
				w.moves, again = shorter.moves, true
			}
		}
	}
}

// trace executes a schedule under TSO that need not violate anything.
func trace(p *program.Program, evs []abstract.Event) (*verdict.Run, error) {
	r, err := replay.New(p, memory.TSO, nil)
	if err != nil {
		return nil, err
	}
	return r.Trace(evs)
}

// A historian builds the happens-before relation of runs under TSO.
type historian struct {
	x    *abstract.System
	s    *abstract.State
	done int // events of the last run that happened

	access  []verdict.Access
	unit    []int   // by access: the event that it is part of
	source  []int   // by access: the write that a read read from, or -1
	writes  [][]int // by cell, in coherence order
	units   int
	pending [][]int // by thread: writes in the buffer
	section []int   // by thread: the unit of the locked section, or -1
}

func newHistorian(p *program.Program, r *program.Ranges) (*historian, error) {
	x, err := abstract.New(p, r, abstract.FIFO{}, 0)
	if err != nil {
		return nil, err
	}
	return &historian{x: x, s: x.NewState()}, nil
}

// evidence is the cycle in the happens-before relation of a run, and the run. The error
// says what of the run is wrong.
func (h *historian) evidence(evs []abstract.Event) (*verdict.RobustEvidence, error) {
	e := &verdict.RobustEvidence{Cycle: h.cycle(evs)}
	if e.Cycle == nil {
		return nil, errors.New("has no happens-before cycle")
	}
	var err error
	if e.Run, err = trace(h.x.Program, evs[:h.done]); err != nil {
		return nil, fmt.Errorf("does not replay: %w", err)
	}
	h.execution(e)
	return e, nil
}

// record runs the schedule. It is false where some event is not possible, but
// for flushes at the end that a lock holds up: the stores then count as the
// last in coherence.
func (h *historian) record(evs []abstract.Event) bool {
	n := len(h.x.Program.Threads)
	h.access, h.unit, h.source = h.access[:0], h.unit[:0], h.source[:0]
	h.writes = make([][]int, len(h.x.Ranges.Cells))
	h.units, h.pending, h.section = 0, make([][]int, n), slices.Repeat([]int{-1}, n)
	h.x.Initial(h.s)
	for i, ev := range evs {
		h.done = i
		if ev.Edge == abstract.Flush {
			if h.x.Flushes(h.s, ev.Thread) == 0 {
				return h.tail(evs[i:])
			}
			h.flush(ev.Thread)
			h.x.Step(h.s, ev)
			continue
		}
		e := &h.x.Program.Threads[ev.Thread].Edges[ev.Edge]
		if e.From != h.s.PC[ev.Thread] || h.x.Enabled(h.s, ev.Thread, ev.Edge) != abstract.Done {
			return false
		}
		h.event(i, ev, &e.Cmd)
		if h.x.Step(h.s, ev) != abstract.Done {
			return false
		}
	}
	h.done = len(evs)
	return true
}

// tail takes what the buffers hold as flushed.
func (h *historian) tail(evs []abstract.Event) bool {
	for _, ev := range evs {
		if ev.Edge != abstract.Flush || len(h.pending[ev.Thread]) == 0 {
			return false
		}
		h.flush(ev.Thread)
	}
	return true
}

func (h *historian) flush(t int) {
	w := h.pending[t][0]
	h.pending[t] = h.pending[t][1:]
	c := h.access[w].Cell
	h.writes[c] = append(h.writes[c], w)
}

// event records the accesses of an edge that is about to be taken.
func (h *historian) event(step int, ev abstract.Event, c *program.Command) {
	t := ev.Thread
	switch c.Op {
	case program.Lock:
		h.section[t] = h.units
		h.units++
		return
	case program.Unlock:
		h.section[t] = -1
		return
	}
	u := h.section[t]
	if u < 0 {
		u = h.units
		h.units++
	}
	regs := slices.Clone(h.s.Regs[t])
	choice := ev.Choice
	one := func(b *program.Command) {
		set := func(v int64) { regs[b.Reg] = h.x.Program.Threads[t].Regs[b.Reg].Type.Wrap(v) }
		switch b.Op {
		case program.Assign:
			set(evalRegs(b.Value, regs))
		case program.Havoc:
			radix := b.Hi - b.Lo + 1
			set(b.Lo + choice%radix)
			choice /= radix
		case program.Load:
			set(h.read(step, t, u, h.x.Ranges.CellIndex(evalRegs(b.Addr, regs))))
		case program.Store:
			h.write(step, t, u, h.x.Ranges.CellIndex(evalRegs(b.Addr, regs)), evalRegs(b.Value, regs), c.Op == program.Atomic)
		}
	}
	if c.Op != program.Atomic {
		one(c)
		return
	}
	for i := range c.Body {
		one(&c.Body[i])
	}
}

func (h *historian) add(a verdict.Access, unit, source int) int {
	h.access = append(h.access, a)
	h.unit = append(h.unit, unit)
	h.source = append(h.source, source)
	return len(h.access) - 1
}

func (h *historian) read(step, t, unit, cell int) int64 {
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
	h.add(verdict.Access{Thread: t, Step: step, Cell: cell, Value: v}, unit, src)
	return v
}

func (h *historian) write(step, t, unit, cell int, v int64, now bool) {
	if cell < 0 {
		return
	}
	w := h.add(verdict.Access{Thread: t, Step: step, Write: true, Cell: cell, Value: h.x.Ranges.Cells[cell].Type.Wrap(v)}, unit, -1)
	if now {
		h.writes[cell] = append(h.writes[cell], w)
	} else {
		h.pending[t] = append(h.pending[t], w)
	}
}

// edges calls f for the pairs of the happens-before relation.
func (h *historian) edges(f func(from, to int, kind string)) {
	place := make([]int, len(h.access)) // of a write in the coherence order
	for _, ws := range h.writes {
		for i, w := range ws {
			place[w] = i
		}
	}
	for i := range h.access {
		a := &h.access[i]
		for j := i + 1; j < len(h.access); j++ {
			if h.access[j].Thread == a.Thread {
				f(i, j, "po")
			}
		}
		ws := h.writes[a.Cell]
		if a.Write {
			for _, w := range ws[min(place[i]+1, len(ws)):] {
				f(i, w, "co")
			}
			continue
		}
		from := 0
		if src := h.source[i]; src >= 0 {
			f(src, i, "rf")
			from = place[src] + 1
		}
		for _, w := range ws[min(from, len(ws)):] {
			f(i, w, "fr")
		}
	}
}

// pair is two units of the relation.
type pair struct{ from, to int }

// execution makes a graph of the last run, which is that of res, with the events in
// the order of the threads.
func (h *historian) execution(res *verdict.RobustEvidence) {
	g, event := &memory.Graph{}, make([]int, len(h.access))
	add := func(e memory.Event, a verdict.Access) int {
		c := &h.x.Ranges.Cells[a.Cell]
		e.Thread, e.Addr, e.Value, e.Loc = a.Thread, c.Addr, a.Value, c.Name
		if a.Write {
			e.Kind = memory.Write
		}
		res.Accesses = append(res.Accesses, a)
		return g.Add(e)
	}
	initial := map[int]int{} // by cell
	for _, a := range h.access {
		if _, ok := initial[a.Cell]; !ok {
			initial[a.Cell] = add(memory.Event{}, verdict.Access{
				Thread: memory.InitialThread, Step: -1, Write: true, Cell: a.Cell, Value: h.x.Ranges.Cells[a.Cell].Init})
		}
	}
	for t := range h.x.Program.Threads {
		for i, a := range h.access {
			if a.Thread == t {
				s := &res.Run.Steps[a.Step]
				event[i] = add(memory.Event{Text: s.Text, Pos: s.Pos, Block: h.unit[i] + 1}, a)
			}
		}
	}
	for i, a := range h.access {
		switch src := h.source[i]; {
		case a.Write:
		case src < 0:
			g.RF.Add(initial[a.Cell], event[i])
		default:
			g.RF.Add(event[src], event[i])
		}
	}
	for cell, ws := range h.writes {
		if first, ok := initial[cell]; ok {
			order := []int{first}
			for _, w := range ws {
				order = append(order, event[w])
			}
			g.Order(order...)
		}
	}
	res.Execution = g
}

// relate is the relation between events of the last run, of which some have
// several accesses: by event its successors, and an example for every pair.
func (h *historian) relate() (succ [][]int, via map[pair]verdict.CycleEdge) {
	via = map[pair]verdict.CycleEdge{}
	succ = make([][]int, h.units)
	h.edges(func(i, j int, kind string) {
		p := pair{h.unit[i], h.unit[j]}
		if p.from == p.to {
			return
		}
		if _, ok := via[p]; !ok {
			via[p] = verdict.CycleEdge{From: h.access[i], To: h.access[j], Kind: kind}
			succ[p.from] = append(succ[p.from], p.to)
		}
	})
	return succ, via
}

// cyclic is whether the happens-before relation of a run has a cycle; it has none
// where the run is impossible.
func (h *historian) cyclic(evs []abstract.Event) bool {
	if !h.record(evs) {
		return false
	}
	succ, _ := h.relate()
	before := make([]int, len(succ)) // predecessors that are left
	for _, vs := range succ {
		for _, v := range vs {
			before[v]++
		}
	}
	var work []int
	for u, n := range before {
		if n == 0 {
			work = append(work, u)
		}
	}
	done := 0
	for ; done < len(work); done++ {
		for _, v := range succ[work[done]] {
			if before[v]--; before[v] == 0 {
				work = append(work, v)
			}
		}
	}
	return done < len(succ)
}

// cycle is a shortest cycle in the happens-before relation of a run, or nil where
// there is none or the run is impossible.
func (h *historian) cycle(evs []abstract.Event) []verdict.CycleEdge {
	if !h.record(evs) {
		return nil
	}
	succ, via := h.relate()
	var best []int
	for start := range succ {
		if path := shortestCycle(succ, start); path != nil && (best == nil || len(path) < len(best)) {
			best = path
		}
	}
	var cycle []verdict.CycleEdge
	for i, u := range best {
		e := via[pair{u, best[(i+1)%len(best)]}]
		if len(cycle) > 0 {
			if last := cycle[len(cycle)-1].To; last != e.From {
				cycle = append(cycle, verdict.CycleEdge{From: last, To: e.From, Kind: "block"})
			}
		}
		cycle = append(cycle, e)
	}
	if len(cycle) > 0 {
		if last := cycle[len(cycle)-1].To; last != cycle[0].From {
			cycle = append(cycle, verdict.CycleEdge{From: last, To: cycle[0].From, Kind: "block"})
		}
	}
	return cycle
}

// shortestCycle is the nodes of a shortest cycle through start, start first, or
// nil.
func shortestCycle(succ [][]int, start int) []int {
	parent := map[int]int{}
	queue := []int{start}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for _, v := range succ[u] {
			if v == start {
				path := []int{u}
				for u != start {
					u = parent[u]
					path = append(path, u)
				}
				slices.Reverse(path)
				return path
			}
			if _, ok := parent[v]; !ok {
				parent[v] = u
				queue = append(queue, v)
			}
		}
	}
	return nil
}
