package c

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
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
		if !g.dropPointless(seed%4 == 0) {
			continue
		}
		dropped++
		_, was := before.components(before.out())
		_, is := g.components(g.out())
		cyclic := func(b bool) bool { return b }
		if slices.ContainsFunc(was, cyclic) && !slices.ContainsFunc(is, cyclic) {
			loops++
		}
		if s := differ(before, g, 5); s != "" {
			t.Fatalf("seed %d: %s\n%v\n%v", seed, s, before.edges, g.edges)
		}
	}
	t.Logf("%d graphs, of %d there is less, %d have no loop any more", n, dropped, loops)
	if dropped < n/10 || loops < n/100 {
		t.Errorf("of %d graphs there is less, %d have no loop any more", dropped, loops)
	}
}

func (g *graph) copied() *graph {
	h := *g
	h.nodes, h.edges = slices.Clone(g.nodes), slices.Clone(g.edges)
	return &h
}

// randomGraph has loops that count, or nearly so, and stores that tell what registers hold.
func randomGraph(rng *rand.Rand) *graph {
	g := &graph{end: -1, gaveUp: -1, result: -1}
	for range 2 + rng.IntN(3) {
		typ := program.Type{Bits: uint8(1 + rng.IntN(4)), Signed: rng.IntN(2) == 0}
		g.regs = append(g.regs, program.Register{Type: typ, Init: typ.Wrap(rng.Int64N(9) - 4)})
	}
	reg := func() int { return rng.IntN(len(g.regs)) }
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
		to := g.node(program.Position{})
		g.edge(from, to, program.Command{Op: program.Assign, Reg: r, Value: x}, program.Position{})
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
		g.edge(from, yes, program.Command{Op: program.Check, Value: c}, program.Position{})
		g.edge(from, no, program.Command{Op: program.Check, Value: program.NotExpr(c)}, program.Position{})
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
			to := g.node(program.Position{})
			g.edge(from, to, program.Command{Op: program.Havoc, Reg: reg(), Lo: -1, Hi: int64(rng.IntN(3))}, program.Position{})
			return to
		case k == 7:
			r := reg()
			return assign(from, r, program.Binary{Op: program.Shl, X: program.Reg(r), Y: program.Const(1)})
		case k == 8:
			to := g.node(program.Position{})
			x := program.Expr(program.Const(7))
			if rng.IntN(3) == 0 {
				x = program.Reg(reg())
			}
			g.edge(from, to, program.Command{Op: program.Store, Addr: program.Const(8), Value: x}, program.Position{})
			return to
		case k == 9:
			to := g.node(program.Position{})
			g.edge(from, to, program.Command{Op: program.Check, Value: condition()}, program.Position{})
			return to
		case k < 12: // if
			yes, no := g.node(program.Position{}), g.node(program.Position{})
			branch(from, yes, no)
			end := block(yes, depth+1)
			other := block(no, depth+1)
			g.edge(other, end, program.Skip(), program.Position{})
			return end
		case k < 14: // while
			body, end := g.node(program.Position{}), g.node(program.Position{})
			branch(from, body, end)
			last := block(body, depth+1)
			if rng.IntN(3) > 0 {
				last = step(last)
			}
			g.edge(last, from, program.Skip(), program.Position{})
			return end
		default: // do
			head := g.node(program.Position{})
			g.edge(from, head, program.Skip(), program.Position{})
			last := step(block(head, depth+1))
			end := g.node(program.Position{})
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
	at := g.node(program.Position{})
	for range 2 + rng.IntN(4) {
		at = statement(at, 0)
	}
	for range rng.IntN(2) { // and a jump
		if e := &g.edges[rng.IntN(len(g.edges))]; e.cmd.Op != program.Check {
			e.to = rng.IntN(len(g.nodes))
		}
	}
	last := g.node(program.Position{})
	g.edge(at, last, program.Command{Op: program.Store, Addr: program.Const(8), Value: program.Const(99)}, program.Position{})
	g.end = last
	return g
}

// A moment is where a thread is, and what its registers hold.
type moment struct {
	node int
	regs [4]int64
}

// silent is what is reached from the moments without a store, and whether one may go on like that for ever; and by what is
// stored then, what comes next.
func (g *graph) silent(out [][]int, from map[moment]bool) (after map[int64]map[moment]bool, ends, forever bool) {
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
		ends = ends || m.node == g.end
		for _, i := range out[m.node] {
			c := &g.edges[i].cmd
			to := m
			to.node = g.edges[i].to
			eval := func() int64 {
				return program.Eval(c.Value, &program.Env{Reg: func(r program.Reg) int64 { return m.regs[r] }})
			}
			var all []moment
			switch c.Op {
			case program.Assign:
				to.regs[c.Reg] = g.regs[c.Reg].Type.Wrap(eval())
				all = []moment{to}
			case program.Havoc:
				for v := c.Lo; v <= c.Hi; v++ {
					to.regs[c.Reg] = g.regs[c.Reg].Type.Wrap(v)
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
func differ(a, b *graph, stores int) string {
	var compare func(x, y map[moment]bool, trace []int64) string
	aOut, bOut := a.out(), b.out()
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
	start := func(g *graph) map[moment]bool {
		m := moment{node: g.start}
		for r := range g.regs {
			m.regs[r] = g.regs[r].Init
		}
		return map[moment]bool{m: true}
	}
	return compare(start(a), start(b), nil)
}

// TestLoopsThatEnd: which loops without effect are taken to end.
func TestLoopsThatEnd(t *testing.T) {
	const ends, stays = true, false
	for text, want := range map[string]bool{
		`for (int i = 0; i < n; i++) ;`:                                           ends,
		`for (unsigned long i = 0; i < m; i++) ;`:                                 ends,
		`for (unsigned long i = 0; i <= m; i++) ;`:                                stays, // of the largest number
		`for (unsigned long i = 0; i < m; i += 2) ;`:                              stays,
		`for (unsigned long i = 0; i < u; i += 2) ;`:                              ends,
		`for (unsigned i = 0; i <= u; i++) ;`:                                     stays,
		`for (unsigned i = 0; i < u; i++) sched_yield();`:                         ends,
		`for (int i = 0; i < u; i++) __asm__ __volatile__("pause" ::: "memory");`: ends,
		`for (volatile int i = 0; i < n; i++) ;`:                                  ends,
		`for (unsigned char i = 0; i < n; i++) ;`:                                 stays,
		`for (unsigned char i = 1; i < 255; i++) ;`:                               ends,
		`while (m--) ;`:                                             ends,
		`while (--u) usleep(1);`:                                    ends,
		`while (u) u -= 2;`:                                         stays,
		`while (u > 1) u -= 2;`:                                     ends,
		`while (u >= 1) u -= 2;`:                                    stays,
		`while (m > 1) m -= 2;`:                                     ends,
		`while (m >= 1) m -= 2;`:                                    stays,
		`for (int i = 0; i < n; i++) n++;`:                          stays,
		`for (int i = 0; i < n; i++) if (rand()) i--;`:              stays,
		`while (rand()) ;`:                                          stays,
		`for (int i = 0; i < n; i++) for (int k = 0; k < i; k++) ;`: ends,
		`for (int i = 0; i < n; i++) while (rand()) ;`:              stays,
		`for (int i = 0; i < n; i++) { if (rand()) continue; for (u = i; u--;) if (u) m++; }`:  ends,
		`for (int i = 0; i < n; i++) { int x; for (x = 0; x < 5; x++) ; u = x; } assert(u<9);`: stays,
		`for (int i = 0; i < n; i++) shared;`:                                                  stays,
		`for (int i = 0; i < n; i++) assert(i < 100);`:                                         stays,
	} {
		text = `#include <assert.h>
			#include <pthread.h>
			#include <sched.h>
			#include <stdlib.h>
			#include <unistd.h>
			extern int __VERIFIER_nondet_int(void);
			extern unsigned __VERIFIER_nondet_uint(void);
			extern unsigned long __VERIFIER_nondet_ulong(void);
			volatile int shared;
			void *f(void *a) { shared++; return 0; }
			int main(void) {
				pthread_t t;
				pthread_create(&t, 0, f, 0);
				int n = __VERIFIER_nondet_int();
				unsigned u = __VERIFIER_nondet_uint();
				unsigned long m = __VERIFIER_nondet_ulong();
				` + text + ` shared++; return 0; }`
		p, err := Parse(&program.Source{Name: "main.c", Text: text}, Options{})
		if err != nil {
			t.Fatal(text, err)
		}
		if circles := flow.Circling(p.Threads[0], func(int) bool { return true }); slices.Contains(circles, true) == want {
			t.Errorf("%s: there is a loop: %v", text, want)
		}
	}
}
