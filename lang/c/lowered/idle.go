package lowered

import (
	"reflect"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// A loop that takes a lock by an exchange,
//
//	while (atomic_exchange(&lock, 1)) ;
//
// writes in each round in vain what it has read. A run without that round is as good: nobody can tell its
// store from the one that it has read from, which orders less than both. So the exchange waits until it
// reads something else. Where executions are explored one by one each round would be one more.

// maxIdle bounds how long a round may be.
const maxIdle = 64

// skipIdle lets exchanges wait that would be repeated.
func (u *Unit) skipIdle() {
	if !u.Options.NoFutileWaits {
		return
	}
	for _, t := range u.Threads {
		out, live := t.Graph.Out(), t.Graph.Live()
		for i := range t.Graph.Edges {
			e := &t.Graph.Edges[i]
			if k, ok := exchanged(e); ok && idles(t.Graph, e, k, out, live) {
				b := e.Cmd.Body
				e.Cmd.Body = []program.Command{b[0], checkOp(ne(program.Reg(b[0].Reg), program.Const(k))), b[1]}
				e.Cmd.Body[1].Pos = e.Pos
			}
		}
	}
}

// splitWaits gives each way to the end of a round an end of its own, where that does nothing but to ask
// whether there is another round: so a round that has changed nothing is told from one that has, and is
// a wait.
func (u *Unit) splitWaits() {
	if !u.Options.NoFutileWaits {
		return
	}
	for _, t := range u.Threads {
		g := t.Graph
		out, before := g.Out(), make([][]int, len(g.Nodes))
		for i := range g.Edges {
			before[g.Edges[i].To] = append(before[g.Edges[i].To], i)
		}
		comp, cyclic := g.Components(out)
		for q := range before {
			if len(before[q]) < 2 || len(before[q]) > maxEnds || q == g.Start || comp[q] < 0 || !cyclic[comp[q]] || !asks(g, out[q]) {
				continue
			}
			for _, i := range before[q][1:] {
				end := g.Node(g.Nodes[q])
				g.Edges[i].To = end
				for _, k := range out[q] {
					g.Add(end, g.Edges[k].To, g.Edges[k].Cmd, g.Edges[k].Pos)
				}
			}
		}
	}
}

// maxEnds bounds how many ends of a round are told apart.
const maxEnds = 4

// asks is true of the edges of a node that are all checks, and not more than two.
func asks(g *flowgraph.Graph, out []int) bool {
	for _, i := range out {
		if g.Edges[i].Op != nil || g.Edges[i].Cmd.Op != program.Check {
			return false
		}
	}
	return len(out) == 1 || len(out) == 2
}

// exchanged is the constant that e exchanges a cell for.
func exchanged(e *flowgraph.Edge) (int64, bool) {
	b := e.Cmd.Body
	if e.Op != nil || e.Cmd.Op != program.Atomic || len(b) != 2 || b[0].Op != program.Load || b[1].Op != program.Store || !reflect.DeepEqual(b[0].Addr, b[1].Addr) {
		return 0, false
	}
	uses := false
	program.Walk(b[0].Addr, func(x program.Expr) { uses = uses || x == program.Reg(b[0].Reg) })
	k, ok := b[1].Value.(program.Const)
	return int64(k), ok && !uses
}

// idles is true where e, once it has loaded k, is come back to, and nothing that counts has changed.
func idles(g *flowgraph.Graph, e *flowgraph.Edge, k int64, out [][]int, live []program.RegSet) bool {
	env := map[int]program.Expr{e.Cmd.Body[0].Reg: program.Const(k)}
	q := e.To
	for range maxIdle {
		if q == e.From {
			for r := range env {
				if live[q].Has(r) {
					return false
				}
			}
			return true
		}
		var next *flowgraph.Edge
		for _, i := range out[q] {
			x := &g.Edges[i]
			switch {
			case x.Op != nil:
				return false
			case x.Cmd.Op == program.Check:
				c, ok := known(x.Cmd.Value, env).(program.Const)
				if !ok || c != 0 && next != nil {
					return false
				}
				if c != 0 {
					next = x
				}
			case x.Cmd.Op == program.Assign && len(out[q]) == 1:
				env[x.Cmd.Reg] = known(x.Cmd.Value, env)
				if _, ok := env[x.Cmd.Reg].(program.Const); !ok {
					env[x.Cmd.Reg] = nil
				}
				next = x
			default:
				return false
			}
		}
		if next == nil {
			return false
		}
		q = next.To
	}
	return false
}

// known is e with what is known of the registers; nil where a part of it is not.
func known(e program.Expr, env map[int]program.Expr) program.Expr {
	for r, v := range env {
		uses := false
		program.Walk(e, func(x program.Expr) { uses = uses || x == program.Reg(r) })
		if uses && v == nil {
			return nil
		}
		if uses {
			e = flowgraph.Replace(e, r, v)
		}
	}
	return flowgraph.FoldAll(e)
}
