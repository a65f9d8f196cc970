package c

import (
	"reflect"

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
func (u *unit) skipIdle() {
	if !u.opts.NoFutileWaits {
		return
	}
	for _, t := range u.threads {
		out, live := t.g.out(), t.g.live()
		for i := range t.g.edges {
			e := &t.g.edges[i]
			if k, ok := exchanged(e); ok && t.g.idles(e, k, out, live) {
				b := e.cmd.Body
				e.cmd.Body = []program.Command{b[0], checkOp(ne(program.Reg(b[0].Reg), program.Const(k))), b[1]}
				e.cmd.Body[1].Pos = e.pos
			}
		}
	}
}

// splitWaits gives each way to the end of a round an end of its own, where that does nothing but to ask
// whether there is another round: so a round that has changed nothing is told from one that has, and is
// a wait.
func (u *unit) splitWaits() {
	if !u.opts.NoFutileWaits {
		return
	}
	for _, t := range u.threads {
		g := t.g
		out, before := g.out(), make([][]int, len(g.nodes))
		for i := range g.edges {
			before[g.edges[i].to] = append(before[g.edges[i].to], i)
		}
		comp, cyclic := g.components(out)
		for q := range before {
			if len(before[q]) < 2 || len(before[q]) > maxEnds || q == g.start || comp[q] < 0 || !cyclic[comp[q]] || !g.asks(out[q]) {
				continue
			}
			for _, i := range before[q][1:] {
				end := g.node(g.nodes[q])
				g.edges[i].to = end
				for _, k := range out[q] {
					g.edge(end, g.edges[k].to, g.edges[k].cmd, g.edges[k].pos)
				}
			}
		}
	}
}

// maxEnds bounds how many ends of a round are told apart.
const maxEnds = 4

// asks is true of the edges of a node that are all checks, and not more than two.
func (g *graph) asks(out []int) bool {
	for _, i := range out {
		if g.edges[i].op != nil || g.edges[i].cmd.Op != program.Check {
			return false
		}
	}
	return len(out) == 1 || len(out) == 2
}

// exchanged is the constant that e exchanges a cell for.
func exchanged(e *edge) (int64, bool) {
	b := e.cmd.Body
	if e.op != nil || e.cmd.Op != program.Atomic || len(b) != 2 || b[0].Op != program.Load || b[1].Op != program.Store || !reflect.DeepEqual(b[0].Addr, b[1].Addr) {
		return 0, false
	}
	uses := false
	program.Walk(b[0].Addr, func(x program.Expr) { uses = uses || x == program.Reg(b[0].Reg) })
	k, ok := b[1].Value.(program.Const)
	return int64(k), ok && !uses
}

// idles is true where e, once it has loaded k, is come back to, and nothing that counts has changed.
func (g *graph) idles(e *edge, k int64, out [][]int, live []program.RegSet) bool {
	env := map[int]program.Expr{e.cmd.Body[0].Reg: program.Const(k)}
	q := e.to
	for range maxIdle {
		if q == e.from {
			for r := range env {
				if live[q].Has(r) {
					return false
				}
			}
			return true
		}
		var next *edge
		for _, i := range out[q] {
			x := &g.edges[i]
			switch {
			case x.op != nil:
				return false
			case x.cmd.Op == program.Check:
				c, ok := known(x.cmd.Value, env).(program.Const)
				if !ok || c != 0 && next != nil {
					return false
				}
				if c != 0 {
					next = x
				}
			case x.cmd.Op == program.Assign && len(out[q]) == 1:
				env[x.cmd.Reg] = known(x.cmd.Value, env)
				if _, ok := env[x.cmd.Reg].(program.Const); !ok {
					env[x.cmd.Reg] = nil
				}
				next = x
			default:
				return false
			}
		}
		if next == nil {
			return false
		}
		q = next.to
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
			e = replace(e, r, v)
		}
	}
	return foldAll(e)
}
