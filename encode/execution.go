package encode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Execution is the execution that the model of the last Solve stands for, which
// must have answered Sat in a relational formula or with [Options.Graphs], and what it violates.
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
	g, _, err := f.newRelational().graph()
	if err != nil {
		return nil, nil, err
	}
	return g.Sorted(), violation, nil
}

// graph is the execution in the solver's model, and the number that each point
// has in it; -1 for those that are not executed.
func (a *relational) graph() (*memory.Graph, []int, error) {
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
	var err error
	if f.relational() {
		a.evaluate(g, number)
	} else {
		err = a.relate(g, number)
	}
	for i := range g.Events {
		g.Events[i].Index = 0
		for j := range g.Events {
			if g.PO.Has(j, i) {
				g.Events[i].Index++
			}
		}
	}
	return g, number, err
}

// evaluate gives the graph its relations, as the literals in the solver's model have them.
func (a *relational) evaluate(g *memory.Graph, number []int) {
	f := a.f
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
}

// relate gives the graph program order, what reads from what, the order of the writes, and read-modify-writes, as the order in the solver's
// model has them. The direct encoding has no literals for most of that.
func (a *relational) relate(g *memory.Graph, number []int) error {
	precedes, err := a.f.linear()
	if err != nil {
		return err
	}
	g.PO = memory.NewRelation(len(g.Events))
	for i, x := range a.points {
		for j, y := range a.points {
			n, m := number[i], number[j]
			if n < 0 || m < 0 || i == j || y.initial() {
				continue
			}
			same := x.item == y.item
			if !x.initial() && x.thread == y.thread && (same && x.ev.index < y.ev.index || !same && y.item.past.has(x.item.id)) {
				g.PO.Add(n, m)
			}
			if g.Events[n].Addr != g.Events[m].Addr || g.Events[n].Kind == memory.Fence || g.Events[m].Kind == memory.Fence {
				continue
			}
			switch {
			case x.write() && y.write() && (x.initial() || same && x.ev.index < y.ev.index || !same && precedes(x.item, y.item)):
				g.CO.Add(n, m)
			case x.write() && y.read() && slices.ContainsFunc(y.ev.rf, func(s source) bool { return s.w == x.ev && a.f.s.Value(s.lit) }):
				g.RF.Add(n, m)
			}
		}
	}
	a.pair(g, number)
	return nil
}

// pair gives the graph its read-modify-writes: a read and the first write after it in its block that is to the same address.
func (a *relational) pair(g *memory.Graph, number []int) {
	for i, x := range a.points {
		if number[i] < 0 || !x.read() || x.item.kind != atomicItem {
			continue
		}
		first := -1
		for j, y := range a.points {
			if number[j] >= 0 && y.ev != nil && y.write() && y.item == x.item && y.ev.index > x.ev.index && g.Events[number[j]].Addr == g.Events[number[i]].Addr &&
				(first < 0 || y.ev.index < a.points[first].ev.index) {
				first = j
			}
		}
		if first >= 0 {
			g.RMW.Add(number[i], number[first])
		}
	}
}

// graphEvent is the event of an executed point.
func (a *relational) graphEvent(p *point, blocks map[*item]int) memory.Event {
	f := a.f
	e := memory.Event{Thread: p.thread, Tags: p.tags()}
	switch {
	case p.initial():
		c := f.ranges.Cells[p.cell]
		return memory.Event{Thread: memory.InitialThread, Kind: memory.Write, Addr: c.Addr, Value: c.Init, Loc: c.Name, Mark: c.Mark, Members: c.Members}
	case p.ev == nil:
		e.Kind = memory.Fence
	default:
		if e.Kind = memory.Read; p.ev.write {
			e.Kind = memory.Write
		}
		e.Part = p.ev.whole != p.ev
		e.Addr, e.Value = f.eval(p.ev.addr), f.eval(p.ev.value)
		if c := f.ranges.CellIndex(e.Addr); c >= 0 {
			cell := &f.ranges.Cells[c]
			e.Loc, e.Mark, e.Members = cell.Name, cell.Mark, cell.Members
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
