package fences

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Place is where a fence stands or could stand.
type Place struct {
	Means  verdict.Means
	Thread int
	// Source: it is a fence that the program has, on Edge.
	Source bool
	// State is where an Mfence stands: whoever arrives there executes it
	// first, or, where Edge is not negative, whoever arrives by that edge.
	State program.StateID
	// Edge is, of an Xchg, the store.
	Edge int
	// Where says in words where the place is, such as "after store x <- 1",
	// and Pos is the place in the source of the command that it names.
	Where string
	Pos   program.Position
	Cost  int
	// Prevents is a run that this fence prevents, and no other of its set;
	// nil where all sets were asked for.
	Prevents *verdict.Run
}

// At is the place of an mfence at a control state.
func At(thread int, q program.StateID) Place { return Place{Thread: thread, State: q, Edge: -1} }

// key is what makes it the same place.
func (p *Place) key() Place {
	return Place{Means: p.Means, Source: p.Source, Thread: p.Thread, State: p.State, Edge: p.Edge}
}

// Insert is p with fences at the places. Edges keep their numbers; new
// ones come after them.
func Insert(p *program.Program, places []Place) *program.Program {
	q := *p
	q.Threads = slices.Clone(p.Threads)
	for ti, t := range p.Threads {
		mine := slices.DeleteFunc(slices.Clone(places), func(x Place) bool { return x.Thread != ti })
		if len(mine) == 0 {
			continue
		}
		n := *t
		n.States, n.Edges, n.Regs = slices.Clone(t.States), slices.Clone(t.Edges), slices.Clone(t.Regs)
		for _, x := range mine {
			switch {
			case x.Source:
				n.Edges[x.Edge].Cmd = program.Command{Op: program.Fence, Pos: n.Edges[x.Edge].Cmd.Pos}
			case x.Means == verdict.Mfence:
				stop := program.StateID(len(n.States))
				n.States = append(n.States, program.State{Name: freshState(&n, x.State), Pos: t.States[x.State].Pos})
				for i := range n.Edges {
					if n.Edges[i].To == x.State && (x.Edge < 0 || x.Edge == i) {
						n.Edges[i].To = stop
					}
				}
				n.Edges = append(n.Edges, program.Edge{From: stop, To: x.State, Pos: x.Pos,
					Cmd: program.Command{Op: program.Fence, Pos: x.Pos}})
			case n.Edges[x.Edge].Cmd.Wide:
				c := &n.Edges[x.Edge].Cmd
				c.Body = slices.Clone(c.Body)
				c.Wide, c.Text = false, "xchg"
			default:
				c := &n.Edges[x.Edge].Cmd
				old := len(n.Regs)
				n.Regs = append(n.Regs, program.Register{Name: fmt.Sprintf("xchg%d", old), Type: program.Int64Type, Temp: true})
				*c = program.Exchange(old, c.Addr, c.Value, c.Pos)
			}
		}
		q.Threads[ti] = &n
	}
	return &q
}

func freshState(t *program.Thread, q program.StateID) string {
	name := t.States[q].Name + "_fence"
	for slices.ContainsFunc(t.States, func(s program.State) bool { return s.Name == name }) {
		name += "_"
	}
	return name
}

// A stay is a thread's stay at a control state, from an edge to the next, with
// stores in its buffer all the while. Had there been a fence, the run would have
// been another.
type stay struct {
	thread int
	in     int // the edge by which it arrives
	at     program.StateID
	out    int // the edge by which it leaves; -1: the run ends
}

// stays lists the stays of a run of x, whose program is p with fences added: a
// fence at a place that is in none of them can be executed along the run without
// a change. An added fence empties the buffer, and who stands before one has not
// arrived yet.
func stays(p *program.Program, x *abstract.System, run []abstract.Event) []stay {
	type visit struct {
		stay
		open, drained bool
	}
	now := make([]visit, len(p.Threads))
	var list []stay
	leave := func(t, edge int) {
		if v := &now[t]; v.open && !v.drained {
			v.out = edge
			list = append(list, v.stay)
		}
		now[t].open = false
	}
	s := x.NewState()
	x.Initial(s)
	for _, ev := range run {
		x.Step(s, ev)
		t := ev.Thread
		edges := p.Threads[t].Edges
		empty := s.Buf[t].Empty()
		if ev.Edge < 0 || ev.Edge >= len(edges) {
			now[t].drained = now[t].drained || empty
			continue
		}
		leave(t, ev.Edge)
		now[t] = visit{stay: stay{t, ev.Edge, edges[ev.Edge].To, -1}, open: true, drained: empty}
	}
	for t := range now {
		if int(s.PC[t]) < len(p.Threads[t].States) {
			leave(t, -1)
		}
	}
	return list
}

// fencedRanges is what the ranges r of p are of q, which is p with fences
// inserted: under SC nothing changes, and ranges hold for every model.
func fencedRanges(p *program.Program, r *program.Ranges, q *program.Program) *program.Ranges {
	n := *r
	n.Reachable, n.Reg = slices.Clone(r.Reachable), slices.Clone(r.Reg)
	n.Access = make(map[*program.Command][]int, len(r.Access))
	for ti, t := range p.Threads {
		u := q.Threads[ti]
		reachable := slices.Repeat([]bool{true}, len(u.States))
		copy(reachable, r.Reachable[ti])
		n.Reachable[ti] = reachable
		n.Reg[ti] = slices.Clone(r.Reg[ti])
		for i := range t.Edges {
			old, new := &t.Edges[i].Cmd, &u.Edges[i].Cmd
			cells := r.Access[old]
			switch {
			case old.Op == program.Store && new.Op == program.Atomic: // an exchange
				var lo, hi int64
				for _, c := range cells {
					lo, hi = min(lo, r.Cell[c].Min()), max(hi, r.Cell[c].Max())
				}
				n.Reg[ti] = append(n.Reg[ti], program.Interval(lo, hi))
				for j := range new.Body {
					n.Access[&new.Body[j]] = cells
				}
				for _, c := range cells {
					n.Readers = slices.Clone(n.Readers)
					n.Readers[c] = slices.Clone(n.Readers[c])
					n.Readers[c][ti] = true
				}
			case cells != nil:
				n.Access[new] = cells
			}
			for j := range old.Body {
				if cells := r.Access[&old.Body[j]]; cells != nil {
					n.Access[&new.Body[j]] = cells
				}
			}
		}
	}
	return &n
}

// A placer knows the places of a program and which of them would prevent a run.
type placer struct {
	p      *program.Program
	opts   *Options
	depth  [][]int
	places []Place
	index  map[Place]int
	reps   [][]program.StateID // by thread and state: an equivalent place
	in     [][][]int           // by thread and state: the edges that lead there
}

func newPlacer(p *program.Program, opts *Options) *placer {
	x := &placer{p: p, opts: opts, index: map[Place]int{}}
	for _, t := range p.Threads {
		x.depth = append(x.depth, LoopDepth(t))
		in := entering(t)
		x.in = append(x.in, in)
		x.reps = append(x.reps, representatives(t, in))
	}
	return x
}

// entering is, by control state, the edges that lead there.
func entering(t *program.Thread) [][]int {
	in := make([][]int, len(t.States))
	for i := range t.Edges {
		in[t.Edges[i].To] = append(in[t.Edges[i].To], i)
	}
	return in
}

// representatives maps a control state to the first one of a chain of local
// steps that leads to it and nowhere else: fences there have the same effect.
func representatives(t *program.Thread, in [][]int) []program.StateID {
	out := t.Out()
	reps := make([]program.StateID, len(t.States))
	for q := range reps {
		r := program.StateID(q)
		for range t.States {
			if len(in[r]) != 1 || r == t.Initial || len(t.States[r].Labels) > 0 {
				break
			}
			e := &t.Edges[in[r][0]]
			local := e.Cmd.Op == program.Check || e.Cmd.Op == program.Assign || e.Cmd.Op == program.Havoc
			if !local || len(out[e.From]) != 1 || e.From == t.Initial {
				break
			}
			r = e.From
		}
		reps[q] = r
	}
	return reps
}

// LoopDepth is, by control state, how many loops it is in: strongly connected
// parts of the automaton, and those of what is left of a part without the states
// by which it is entered.
func LoopDepth(t *program.Thread) []int {
	depth := make([]int, len(t.States))
	all := make([]bool, len(t.States))
	for q := range all {
		all[q] = true
	}
	var nest func(in []bool)
	nest = func(in []bool) {
		for _, part := range components(t, in) {
			inside := make([]bool, len(t.States))
			for _, q := range part {
				inside[q] = true
				depth[q]++
			}
			rest := slices.Clone(inside)
			entered := false
			for i := range t.Edges {
				if e := &t.Edges[i]; inside[e.To] && !inside[e.From] {
					rest[e.To], entered = false, true
				}
			}
			if inside[t.Initial] {
				rest[t.Initial], entered = false, true
			}
			if entered {
				nest(rest)
			}
		}
	}
	nest(all)
	return depth
}

// components are the strongly connected parts, with a cycle each, of the states
// in.
func components(t *program.Thread, in []bool) [][]program.StateID {
	n := len(t.States)
	reach := func(from program.StateID, forward bool) []bool {
		seen := make([]bool, n)
		work := []program.StateID{from}
		for len(work) > 0 {
			q := work[len(work)-1]
			work = work[:len(work)-1]
			for i := range t.Edges {
				a, b := t.Edges[i].From, t.Edges[i].To
				if !forward {
					a, b = b, a
				}
				if a == q && in[a] && in[b] && !seen[b] {
					seen[b] = true
					work = append(work, b)
				}
			}
		}
		return seen
	}
	done := make([]bool, n)
	var parts [][]program.StateID
	for q := range t.States {
		if !in[q] || done[q] {
			continue
		}
		fwd := reach(program.StateID(q), true)
		if !fwd[q] {
			continue
		}
		bwd := reach(program.StateID(q), false)
		var part []program.StateID
		for r := range t.States {
			if fwd[r] && bwd[r] {
				done[r] = true
				part = append(part, program.StateID(r))
			}
		}
		parts = append(parts, part)
	}
	return parts
}

// number is the number of a place, by which hitting sets know it.
func (x *placer) number(pl Place) int {
	k := pl.key()
	if i, ok := x.index[k]; ok {
		return i
	}
	depth := x.depth[pl.Thread]
	t := x.p.Threads[pl.Thread]
	name := func(how string, e *program.Edge) {
		pl.Where, pl.Pos = how+" "+e.Cmd.Format(x.p, t), e.Pos
		if !pl.Pos.IsValid() {
			pl.Pos = e.Cmd.Pos
		}
	}
	loops := 0
	switch {
	case !pl.Source && pl.Means == verdict.Mfence && pl.Edge < 0:
		loops = depth[pl.State]
		if in := x.in[pl.Thread][pl.State]; len(in) == 1 {
			name("after", &t.Edges[in[0]])
		} else if out := slices.IndexFunc(t.Edges, func(e program.Edge) bool { return e.From == pl.State }); out >= 0 {
			name("before", &t.Edges[out])
		}
	case pl.Source:
		e := &t.Edges[pl.Edge]
		loops = min(depth[e.From], depth[e.To])
		name("at", &program.Edge{Pos: e.Pos, Cmd: program.Command{Op: program.Fence, Pos: e.Cmd.Pos}})
	default:
		e := &t.Edges[pl.Edge]
		loops = min(depth[e.From], depth[e.To])
		if name("after", e); pl.Means == verdict.Xchg {
			name("at", e)
		}
	}
	pl.Cost = x.opts.cost(pl, loops)
	i := len(x.places)
	x.index[k] = i
	x.places = append(x.places, pl)
	return i
}

// watched is true of a control state that a property looks at. A run that ends
// there needs the thread to be there; elsewhere it may as well stand before a
// fence.
func (x *placer) watched(thread int, q program.StateID) bool {
	found := false
	for i := range x.p.Properties {
		if x.opts.Goal != verdict.Safety {
			break
		}
		program.Walk(x.p.Properties[i].Cond, func(e program.Expr) {
			if a, ok := e.(program.At); ok && a.Thread == thread && slices.Contains(a.States, q) {
				found = true
			}
		})
	}
	return found
}

// prevent lists the places any of which would prevent the run.
func (x *placer) prevent(sys *abstract.System, run []abstract.Event, fences [][]bool) []int {
	var set []int
	for _, s := range stays(x.p, sys, run) {
		t := x.p.Threads[s.thread]
		if s.out < 0 && !x.watched(s.thread, s.at) {
			continue
		}
		switch {
		case fences != nil:
			if s.out >= 0 && fences[s.thread][s.out] {
				set = append(set, x.number(Place{Source: true, Thread: s.thread, Edge: s.out}))
			}
		case x.opts.Means == verdict.Xchg:
			if t.Edges[s.in].Cmd.Enters() {
				set = append(set, x.number(Place{Means: verdict.Xchg, Thread: s.thread, Edge: s.in}))
			}
		default:
			set = append(set, x.number(At(s.thread, x.reps[s.thread][s.at])))
			if len(x.in[s.thread][s.at]) > 1 {
				set = append(set, x.number(Place{Thread: s.thread, State: s.at, Edge: s.in}))
			}
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}
