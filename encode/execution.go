package encode

import (
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Execution is the execution that the model of the last Solve stands for, which
// must have answered Sat in a relational formula, and what it violates.
func (q *Query) Execution() (*memory.Graph, *verdict.Violation, error) {
	f := q.f
	var violation *verdict.Violation
	for i := range q.targets {
		switch t := &q.targets[i]; {
		case violation != nil || !f.s.Value(t.lit):
		case t.property != nil:
			violation = &verdict.Violation{Property: t.property, Text: t.property.Text, Pos: t.property.Pos}
		case t.assertion != nil:
			c := t.assertion.cmd
			violation = &verdict.Violation{Kind: c.Kind, Text: c.Text, Pos: c.Pos}
		}
	}
	if violation == nil {
		return nil, nil, fmt.Errorf("encode: the model has nothing that was asked for")
	}
	g, _ := f.newRelational().graph()
	return g.Sorted(), violation, nil
}

// graph is the execution in the solver's model, and the number that each point
// has in it; -1 for those that are not executed.
func (a *relational) graph() (*memory.Graph, []int) {
	f := a.f
	g := &memory.Graph{Picks: f.p.Arch.Picks()}
	number := make([]int, len(a.points))
	blocks := map[*item]int{}
	for i, p := range a.points {
		number[i] = -1
		if f.s.Value(p.guard) {
			number[i] = g.Add(a.graphEvent(p, blocks))
		}
	}
	for name, r := range map[string]*memory.Relation{
		"rf": &g.RF, "co": &g.CO, "rmw": &g.RMW, "addr": &g.Addr, "data": &g.Data, "ctrl": &g.Ctrl, "casdep": &g.CasDep, "po": &g.PO,
		"pick-addr": &g.PickAddr, "pick-data": &g.PickData, "pick-ctrl": &g.PickCtrl,
	} {
		if strings.HasPrefix(name, "pick") && !g.Picks {
			continue
		}
		*r = memory.NewRelation(len(g.Events))
		lits := a.Relation(name)
		for i := range a.points {
			for j := range a.points {
				if f.s.Value(lits[i*len(a.points)+j]) {
					r.Add(number[i], number[j])
				}
			}
		}
	}
	for i := range g.Events {
		g.Events[i].Index = 0
		for j := range g.Events {
			if g.PO.Has(j, i) {
				g.Events[i].Index++
			}
		}
	}
	return g, number
}

// graphEvent is the event of an executed point.
func (a *relational) graphEvent(p *point, blocks map[*item]int) memory.Event {
	f := a.f
	e := memory.Event{Thread: p.thread, Tags: p.tags()}
	switch {
	case p.initial():
		c := f.ranges.Cells[p.cell]
		return memory.Event{Thread: memory.InitialThread, Kind: memory.Write, Addr: c.Addr, Value: c.Init, Loc: c.Name}
	case p.ev == nil:
		e.Kind = memory.Fence
	default:
		if e.Kind = memory.Read; p.ev.write {
			e.Kind = memory.Write
		}
		e.Part = p.ev.whole != p.ev
		e.Addr, e.Value = f.eval(p.ev.addr), f.eval(p.ev.value)
		if c := f.ranges.CellIndex(e.Addr); c >= 0 {
			e.Loc = f.ranges.Cells[c].Name
		}
	}
	if p.item.kind == atomicItem {
		if blocks[p.item] == 0 {
			blocks[p.item] = len(blocks) + 1
		}
		e.Block = blocks[p.item]
	}
	return e
}
