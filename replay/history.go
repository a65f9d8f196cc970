package replay

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// most is how many accesses a run may have whose history is told: relations between events
// take the square of that.
const most = 400

// History tells what the steps of a run of a program do to one another; nil where the run is
// that of an abstraction, or has too many accesses to be looked at as a graph.
func History(run *verdict.Run) (*verdict.History, error) {
	if run == nil || run.Abstraction != "" {
		return nil, nil
	}
	x, err := abstract.Compile(run.Program, run.Model, nil, 0)
	if err != nil {
		return nil, err
	}
	h := NewHistorian(x)
	evs := Schedule(run)
	if !h.Record(evs) || h.done != len(evs) {
		return nil, fmt.Errorf("internal error: the run does not replay from step %d", h.done+1)
	}
	if len(h.access) > most {
		return nil, nil
	}
	hist := &verdict.History{Parts: -1}
	var accesses []verdict.Access
	var event []int
	hist.Graph, accesses, event = h.execution(run)
	for _, a := range accesses {
		hist.Step, hist.Flush = append(hist.Step, a.Step), append(hist.Flush, -1)
	}
	for i, e := range event {
		hist.Flush[e] = h.flushed[i]
	}
	if h.Cyclic() {
		hist.Parts = h.parting(evs)
		for _, c := range h.Cycle() {
			hist.Cycle = append(hist.Cycle, memory.Step{From: slices.Index(accesses, c.From), Relation: c.Kind, To: slices.Index(accesses, c.To)})
		}
	}
	return hist, nil
}

// parting is the first step with which a run has a cycle, and leaves that part of it recorded.
// The relation only grows.
func (h *Historian) parting(evs []abstract.Event) int {
	low, high := 0, len(evs) // no cycle in the first low steps, one in the first high
	for high-low > 1 {
		mid := (low + high) / 2
		if h.Record(evs[:mid]); h.Cyclic() {
			high = mid
		} else {
			low = mid
		}
	}
	h.Record(evs[:high])
	return high - 1
}

// Execution is the graph of the run that was recorded, with the events in the order of the
// threads, and by event the access that it is. An initial write has [memory.InitialThread], and
// a fence no cell.
func (h *Historian) Execution(run *verdict.Run) (*memory.Graph, []verdict.Access) {
	g, accesses, _ := h.execution(run)
	return g, accesses
}

// execution gives also the event that each access is.
func (h *Historian) execution(run *verdict.Run) (g *memory.Graph, accesses []verdict.Access, event []int) {
	g, event = &memory.Graph{}, make([]int, len(h.access))
	add := func(e memory.Event, a verdict.Access) int {
		e.Thread = a.Thread
		if a.Cell >= 0 {
			c := &h.x.Ranges.Cells[a.Cell]
			e.Addr, e.Value, e.Loc, e.Mark, e.Members = c.Addr, a.Value, c.Name, c.Mark, c.Members
		}
		if a.Write {
			e.Kind = memory.Write
		}
		accesses = append(accesses, a)
		return g.Add(e)
	}
	initial := map[int]int{} // by cell
	for _, a := range h.access {
		if _, ok := initial[a.Cell]; !ok {
			initial[a.Cell] = add(memory.Event{}, verdict.Access{
				Thread: memory.InitialThread, Step: -1, Write: true, Cell: a.Cell, Value: h.x.Ranges.Cells[a.Cell].Init})
		}
	}
	for t, th := range h.x.Program.Threads {
		fences := slices.DeleteFunc(slices.Clone(h.fences), func(f fence) bool { return f.thread != t })
		upTo := func(access int) {
			for ; len(fences) > 0 && fences[0].after <= access; fences = fences[1:] {
				s := &run.Steps[fences[0].step]
				c := &th.Edges[s.Edge].Cmd
				add(memory.Event{Kind: memory.Fence, Tags: c.EventTags(run.Program.Arch, false), Text: s.Text, Pos: s.Pos},
					verdict.Access{Thread: t, Step: fences[0].step, Cell: -1})
			}
		}
		for i, a := range h.access {
			if a.Thread == t {
				upTo(i)
				s := &run.Steps[a.Step]
				event[i] = add(memory.Event{Text: s.Text, Pos: s.Pos, Block: h.unit[i] + 1, Part: h.part[i]}, a)
			}
		}
		upTo(len(h.access))
	}
	h.relations(g, initial, event)
	return g, accesses, event
}

// relations adds to the graph of a run what its events have to do with one another, given the
// events by cell of initial writes, and by access.
func (h *Historian) relations(g *memory.Graph, initial map[int]int, event []int) {
	for i, a := range h.access {
		switch src := h.source[i]; {
		case a.Write:
		case src < 0:
			g.RF.Add(initial[a.Cell], event[i])
		default:
			g.RF.Add(event[src], event[i])
		}
		if i > 0 && a.Write && h.locked[i] {
			if r := h.access[i-1]; !r.Write && r.Step == a.Step && r.Cell == a.Cell {
				g.RMW.Add(event[i-1], event[i])
			}
		}
	}
	for cell, first := range initial {
		order := []int{first}
		for _, w := range h.writes[cell] {
			order = append(order, event[w])
		}
		for t := range h.x.Program.Threads {
			late := order[:len(order):len(order)]
			for _, w := range h.buffered(t, cell) {
				late = append(late, event[w])
			}
			g.Order(late...)
		}
	}
}
