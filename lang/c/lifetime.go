package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Local variables are there as long as their blocks are executed. An object of one has a cell
// that is 1 while it is there; stores to it stand where control enters and leaves the block.
// Package lowered has them go again where there is nothing to tell.
//
// Blocks are told apart by the nodes of the flow graph, so that it makes no difference how one
// is left: by its end, by break, goto or return.

// Scopes with a meaning of their own. All others are blocks, in the order in which they begin.
const (
	nowhere    = -1 // a node that has no end: nothing that comes there counts
	afterwards = 0  // the thread has ended
	wholeLife  = 1  // the thread runs
)

// openScope begins a block and gives the one around it.
func (l *lowerer) openScope() (around int) {
	around = l.scope
	l.parents = append(l.parents, around)
	l.scope = len(l.parents) - 1
	l.land(l.node())
	return around
}

// closeScope ends a block.
func (l *lowerer) closeScope(around int) {
	l.scope = around
	l.land(l.node())
}

// node makes a node of the block that is being read.
func (l *lowerer) node() int {
	q := l.g.Node(l.pos())
	l.scopes = append(l.scopes[:q], l.scope)
	l.reached = append(l.reached[:q], false)
	return q
}

// endsProgram is true of a thread whose end is that of the program: main, where it cannot end without that, and nothing is called then.
func (l *lowerer) endsProgram() bool { return l.thread == 0 && l.result < 0 && !l.u.callsAtEnd() }

// mortal makes an object that is there until the block ends that is being read.
func (l *lowerer) mortal(name string, t *types.Type, scope int) *lowered.Object {
	if scope == wholeLife && l.endsProgram() {
		return l.object(name, t)
	}
	o := l.u.newObject(l.name+"."+name, t)
	o.Thread, o.Scope, o.Dies = l.thread, scope, true
	o.Who = name + ", a local variable of " + l.name
	if f := l.frame.name; f != "" && f != l.name && scope != wholeLife {
		o.Who = name + ", a local variable of " + f + " in " + l.name
	}
	l.u.lowered.Align = l.u.alignment()
	l.u.lowered.PlaceAlone(o)
	l.mortals = append(l.mortals, o)
	return o
}

// onStack makes an object that has been allocated be there until a block ends.
func (l *lowerer) onStack(p value, scope int, name string) {
	if p.site == nil {
		return
	}
	if p.site.Stack = true; scope == wholeLife && l.endsProgram() {
		return
	}
	p.site.Dies, p.site.Who = true, name+", of "+l.name
	if f := l.frame.name; f != "" && f != l.name {
		p.site.Who = name + ", of " + f + " in " + l.name
	}
	l.stacked[scope] = append(l.stacked[scope], p.site)
}

// markLives writes the stores that tell of local variables.
func (l *lowerer) markLives() {
	l.noteEarlier()
	l.noteNamed()
	if regs := l.skippable[wholeLife]; len(regs) > 0 {
		start := l.g.Start
		l.g.Start = l.node()
		l.scopes[l.g.Start] = wholeLife
		at := l.g.Start
		for i, r := range regs {
			to := start
			if i < len(regs)-1 {
				to = l.node()
				l.scopes[to] = wholeLife
			}
			l.g.Add(at, to, lowered.Anything(r, l.skipped[r]), l.g.Nodes[start])
			at = to
		}
	}
	if len(l.mortals)+len(l.skippable)+len(l.stacked) == 0 {
		return
	}
	in := map[int][]*lowered.Object{}
	for _, o := range l.mortals {
		in[o.Scope] = append(in[o.Scope], o)
	}
	depth := make([]int, len(l.parents))
	for s := wholeLife + 1; s < len(l.parents); s++ {
		depth[s] = depth[l.parents[s]] + 1
	}
	g := l.g
	for i := range len(g.Edges) {
		from, to := l.scopes[g.Edges[i].From], l.scopes[g.Edges[i].To]
		if from == to || to == nowhere {
			continue
		}
		var dead, born []*lowered.Object
		var unset []int
		var left []*operations.Site
		// The thread's whole life is in no block, and what comes after it is in none either.
		for a, b := from, to; a != b; {
			switch {
			case b == afterwards || a != afterwards && depth[a] >= depth[b]:
				dead, left = append(dead, in[a]...), append(left, l.stacked[a]...)
				a = l.parents[a]
			default:
				born = append(born, in[b]...)
				if b != wholeLife {
					unset = append(unset, l.skippable[b]...)
				}
				b = l.parents[b]
			}
		}
		for _, r := range unset {
			next := g.Node(g.Edges[i].Pos)
			g.Add(next, g.Edges[i].To, lowered.Anything(r, l.skipped[r]), g.Edges[i].Pos)
			g.Edges[i].To, i = next, len(g.Edges)-1
		}
		for _, s := range left {
			next := g.Node(g.Edges[i].Pos)
			g.Operate(next, g.Edges[i].To, &operations.Leave{Site: s}, g.Edges[i].Pos)
			g.Edges[i].To, i = next, len(g.Edges)-1
		}
		for k, list := range [][]*lowered.Object{dead, born} {
			for _, o := range list {
				if k == 1 && o.Second {
					continue
				}
				next := g.Node(g.Edges[i].Pos)
				if k == 1 && o.Twin != nil {
					to := g.Edges[i].To
					g.Edges[i].To = g.Node(g.Edges[i].Pos)
					o.Twin.Appears(g, g.Edges[i].To, next, o, g.Edges[i].Pos)
					g.Add(next, to, program.Skip(), g.Edges[i].Pos)
					i = len(g.Edges) - 1
					continue
				}
				mark := program.Command{Op: program.Store, Addr: program.Const(o.LiveAddr()), Value: program.Const(k), Tags: lowered.LifeTags}
				g.Add(next, g.Edges[i].To, mark, g.Edges[i].Pos)
				g.Edges[i].To, i = next, len(g.Edges)-1
			}
		}
	}
}
