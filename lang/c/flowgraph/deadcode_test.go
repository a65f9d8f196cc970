package flowgraph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestDropPointless compares random graphs before and after by what they do: in which orders they may store what,
// and whether they may go round for ever. Registers are small, so that all of it is found out.
func TestDropPointless(t *testing.T) {
	n := 30000
	if testing.Short() {
		n = 10000
	}
	dropped, loops := 0, 0
	for seed := range n {
		rng := rand.New(rand.NewPCG(uint64(seed), 7))
		g := randomGraph(rng)
		before := g.copied()
		if !g.DropPointless(seed%4 == 0) {
			continue
		}
		dropped++
		_, was := before.Components(before.Out())
		_, is := g.Components(g.Out())
		cyclic := func(b bool) bool { return b }
		if slices.ContainsFunc(was, cyclic) && !slices.ContainsFunc(is, cyclic) {
			loops++
		}
		if s := differ(before, g, 5); s != "" {
			t.Fatalf("seed %d: %s\n%v\n%v", seed, s, before.Edges, g.Edges)
		}
	}
	t.Logf("%d graphs, of %d there is less, %d have no loop any more", n, dropped, loops)
	if dropped < n/10 || loops < n/100 {
		t.Errorf("of %d graphs there is less, %d have no loop any more", dropped, loops)
	}
}

func (g *Graph) copied() *Graph {
	h := *g
	h.Nodes, h.Edges = slices.Clone(g.Nodes), slices.Clone(g.Edges)
	return &h
}

// randomGraph has loops that count, or nearly so, and stores that tell what registers hold.
func randomGraph(rng *rand.Rand) *Graph {
	g := &Graph{End: -1, GaveUp: -1, Result: -1}
	for range 2 + rng.IntN(3) {
		typ := program.Type{Bits: uint8(1 + rng.IntN(4)), Signed: rng.IntN(2) == 0}
		g.Regs = append(g.Regs, program.Register{Type: typ, Init: typ.Wrap(rng.Int64N(9) - 4)})
	}
	reg := func() int { return rng.IntN(len(g.Regs)) }
	small := func() program.Expr { return program.Const(rng.Int64N(12) - 3) }
	atom := func() program.Expr {
		if rng.IntN(3) == 0 {
			return small()
		}
		return program.Reg(reg())
	}
	condition := func() program.Expr {
		x := atom()
		if rng.IntN(4) == 0 {
			x = program.Unary{Op: program.Cast(program.Type{Bits: uint8(1 + rng.IntN(4)), Signed: rng.IntN(2) == 0}), X: x}
		}
		ops := []program.BinaryOp{program.Lt, program.Le, program.Gt, program.Ge, program.Ne, program.Ne, program.Eq, program.ULt, program.ULe}
		return program.Binary{Op: ops[rng.IntN(len(ops))], X: x, Y: atom()}
	}
	var block func(from, depth int) int
	assign := func(from, r int, x program.Expr) int {
		to := g.Node(program.Position{})
		g.Add(from, to, program.Command{Op: program.Assign, Reg: r, Value: x}, program.Position{})
		return to
	}
	step := func(from int) int {
		r := reg()
		k := []int64{1, 1, 1, -1, -1, 2, 3, -2}[rng.IntN(8)]
		if rng.IntN(3) == 0 { // by way of another register, perhaps a narrower one
			other := reg()
			from = assign(from, other, program.Reg(r))
			x := program.Expr(program.Reg(other))
			if rng.IntN(3) == 0 {
				x = program.Unary{Op: program.Cast(program.Type{Bits: uint8(1 + rng.IntN(4)), Signed: rng.IntN(2) == 0}), X: x}
			}
			return assign(from, r, program.Binary{Op: program.Sub, X: x, Y: program.Const(k)})
		}
		return assign(from, r, program.Binary{Op: program.Add, X: program.Reg(r), Y: program.Const(k)})
	}
	branch := func(from int, yes, no int) {
		c := condition()
		g.Add(from, yes, program.Command{Op: program.Check, Value: c}, program.Position{})
		g.Add(from, no, program.Command{Op: program.Check, Value: program.NotExpr(c)}, program.Position{})
	}
	statement := func(from, depth int) int {
		k := rng.IntN(16)
		if depth > 2 && k > 9 {
			k = rng.IntN(9)
		}
		switch {
		case k < 2:
			return assign(from, reg(), atom())
		case k < 6:
			return step(from)
		case k == 6:
			to := g.Node(program.Position{})
			g.Add(from, to, program.Command{Op: program.Havoc, Reg: reg(), Lo: -1, Hi: int64(rng.IntN(3))}, program.Position{})
			return to
		case k == 7:
			r := reg()
			return assign(from, r, program.Binary{Op: program.Shl, X: program.Reg(r), Y: program.Const(1)})
		case k == 8:
			to := g.Node(program.Position{})
			x := program.Expr(program.Const(7))
			if rng.IntN(3) == 0 {
				x = program.Reg(reg())
			}
			g.Add(from, to, program.Command{Op: program.Store, Addr: program.Const(8), Value: x}, program.Position{})
			return to
		case k == 9:
			to := g.Node(program.Position{})
			g.Add(from, to, program.Command{Op: program.Check, Value: condition()}, program.Position{})
			return to
		case k < 12: // if
			yes, no := g.Node(program.Position{}), g.Node(program.Position{})
			branch(from, yes, no)
			end := block(yes, depth+1)
			other := block(no, depth+1)
			g.Add(other, end, program.Skip(), program.Position{})
			return end
		case k < 14: // while
			body, end := g.Node(program.Position{}), g.Node(program.Position{})
			branch(from, body, end)
			last := block(body, depth+1)
			if rng.IntN(3) > 0 {
				last = step(last)
			}
			g.Add(last, from, program.Skip(), program.Position{})
			return end
		default: // do
			head := g.Node(program.Position{})
			g.Add(from, head, program.Skip(), program.Position{})
			last := step(block(head, depth+1))
			end := g.Node(program.Position{})
			branch(last, head, end)
			return end
		}
	}
	block = func(from, depth int) int {
		for range rng.IntN(4 - depth) {
			from = statement(from, depth)
		}
		return from
	}
	at := g.Node(program.Position{})
	for range 2 + rng.IntN(4) {
		at = statement(at, 0)
	}
	for range rng.IntN(2) { // and a jump
		if e := &g.Edges[rng.IntN(len(g.Edges))]; e.Cmd.Op != program.Check {
			e.To = rng.IntN(len(g.Nodes))
		}
	}
	last := g.Node(program.Position{})
	g.Add(at, last, program.Command{Op: program.Store, Addr: program.Const(8), Value: program.Const(99)}, program.Position{})
	g.End = last
	return g
}

// A moment is where a thread is, and what its registers hold.
type moment struct {
	node int
	regs [4]int64
}

// silent is what is reached from the moments without a store, and whether one may go on like that for ever; and by what is
// stored then, what comes next.
func (g *Graph) silent(out [][]int, from map[moment]bool) (after map[int64]map[moment]bool, ends, forever bool) {
	after = map[int64]map[moment]bool{}
	next := map[moment][]moment{}
	work := []moment{}
	for m := range from {
		work = append(work, m)
		next[m] = nil
	}
	for len(work) > 0 {
		m := work[len(work)-1]
		work = work[:len(work)-1]
		ends = ends || m.node == g.End
		for _, i := range out[m.node] {
			c := &g.Edges[i].Cmd
			to := m
			to.node = g.Edges[i].To
			eval := func() int64 {
				return program.Eval(c.Value, &program.Env{Reg: func(r program.Reg) int64 { return m.regs[r] }})
			}
			var all []moment
			switch c.Op {
			case program.Assign:
				to.regs[c.Reg] = g.Regs[c.Reg].Type.Wrap(eval())
				all = []moment{to}
			case program.Havoc:
				for v := c.Lo; v <= c.Hi; v++ {
					to.regs[c.Reg] = g.Regs[c.Reg].Type.Wrap(v)
					all = append(all, to)
				}
			case program.Check:
				if eval() != 0 {
					all = []moment{to}
				}
			case program.Store:
				v := eval()
				if after[v] == nil {
					after[v] = map[moment]bool{}
				}
				after[v][to] = true
			default:
				panic(fmt.Sprint(c.Op))
			}
			for _, n := range all {
				next[m] = append(next[m], n)
				if _, seen := next[n]; !seen {
					next[n] = nil
					work = append(work, n)
				}
			}
		}
	}
	// What has no way back goes, again and again: a cycle is left, or nothing.
	in, before := map[moment]int{}, []moment{}
	for _, ns := range next {
		for _, n := range ns {
			in[n]++
		}
	}
	for m := range next {
		if in[m] == 0 {
			before = append(before, m)
		}
	}
	left := len(next)
	for ; len(before) > 0; left-- {
		m := before[len(before)-1]
		before = before[:len(before)-1]
		for _, n := range next[m] {
			if in[n]--; in[n] == 0 {
				before = append(before, n)
			}
		}
	}
	return after, ends, left > 0
}

// differ says in what two graphs do, up to so many stores, they differ.
func differ(a, b *Graph, stores int) string {
	var compare func(x, y map[moment]bool, trace []int64) string
	aOut, bOut := a.Out(), b.Out()
	compare = func(x, y map[moment]bool, trace []int64) string {
		xa, xe, xf := a.silent(aOut, x)
		ya, ye, yf := b.silent(bOut, y)
		if xe != ye || xf != yf || len(xa) != len(ya) {
			return fmt.Sprintf("after %v: ends %v %v, for ever %v %v, stores %d %d", trace, xe, ye, xf, yf, len(xa), len(ya))
		}
		for v := range xa {
			if ya[v] == nil {
				return fmt.Sprintf("after %v only one stores %d", trace, v)
			}
			if len(trace) < stores {
				if s := compare(xa[v], ya[v], append(slices.Clone(trace), v)); s != "" {
					return s
				}
			}
		}
		return ""
	}
	start := func(g *Graph) map[moment]bool {
		m := moment{node: g.Start}
		for r := range g.Regs {
			m.regs[r] = g.Regs[r].Init
		}
		return map[moment]bool{m: true}
	}
	return compare(start(a), start(b), nil)
}
