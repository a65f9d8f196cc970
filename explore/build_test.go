package explore

import (
	"fmt"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// builder makes programs by hand. Cells are x, y, z, w, u, v at addresses 0..5.
type builder struct {
	p *program.Program
}

const x, y, z, w, u, v = program.Const(0), program.Const(1), program.Const(2), program.Const(3), program.Const(4), program.Const(5)

func newProgram(cells int) *builder {
	b := &builder{p: &program.Program{Name: "test", Default: program.Int32Type}}
	for i := range cells {
		name := fmt.Sprintf("m%d", i)
		if i < 6 {
			name = "xyzwuv"[i : i+1]
		}
		b.p.Memory = append(b.p.Memory, program.Cell{Addr: int64(i), Name: name, Type: program.Int32Type})
	}
	return b
}

// threadBuilder appends commands at cur.
type threadBuilder struct {
	t   *program.Thread
	cur program.StateID
}

func (b *builder) thread() *threadBuilder {
	t := &program.Thread{Name: fmt.Sprintf("P%d", len(b.p.Threads))}
	b.p.Threads = append(b.p.Threads, t)
	tb := &threadBuilder{t: t}
	tb.cur = tb.state()
	return tb
}

func (b *builder) property(kind program.PropertyKind, cond program.Expr) *builder {
	b.p.Properties = append(b.p.Properties, program.Property{Kind: kind, Cond: cond})
	return b
}

// at is "thread t is at that label".
func (b *builder) at(t int, label string) program.Expr {
	return program.At{Thread: t, States: b.p.Threads[t].At(label), Name: fmt.Sprintf("P%d@%s", t, label)}
}

func (b *builder) build(t testing.TB) *program.Program {
	t.Helper()
	if err := program.Sanity(b.p); err != nil {
		t.Fatal(err)
	}
	return b.p
}

func (tb *threadBuilder) state() program.StateID {
	q := len(tb.t.States)
	tb.t.States = append(tb.t.States, program.State{Name: fmt.Sprintf("q%d", q)})
	return program.StateID(q)
}

func (tb *threadBuilder) edge(from, to program.StateID, c program.Command) {
	tb.t.Edges = append(tb.t.Edges, program.Edge{From: from, To: to, Cmd: c})
}

func (tb *threadBuilder) emit(c program.Command) *threadBuilder {
	to := tb.state()
	tb.edge(tb.cur, to, c)
	tb.cur = to
	return tb
}

// reg is the register of that name, a new one where there is none.
func (tb *threadBuilder) reg(name string) program.Reg {
	for i := range tb.t.Regs {
		if tb.t.Regs[i].Name == name {
			return program.Reg(i)
		}
	}
	tb.t.Regs = append(tb.t.Regs, program.Register{Name: name, Type: program.Int32Type})
	return program.Reg(len(tb.t.Regs) - 1)
}

func (tb *threadBuilder) label(l string) *threadBuilder {
	s := &tb.t.States[tb.cur]
	s.Labels = append(s.Labels, l)
	return tb
}

func (tb *threadBuilder) load(r string, addr program.Expr) *threadBuilder {
	return tb.emit(program.Command{Op: program.Load, Reg: int(tb.reg(r)), Addr: addr})
}

func (tb *threadBuilder) store(addr program.Expr, v program.Expr) *threadBuilder {
	return tb.emit(program.Command{Op: program.Store, Addr: addr, Value: v})
}

func (tb *threadBuilder) assign(r string, v program.Expr) *threadBuilder {
	return tb.emit(program.Command{Op: program.Assign, Reg: int(tb.reg(r)), Value: v})
}

func (tb *threadBuilder) havoc(r string, lo, hi int64) *threadBuilder {
	return tb.emit(program.Command{Op: program.Havoc, Reg: int(tb.reg(r)), Lo: lo, Hi: hi})
}

func (tb *threadBuilder) op(op program.Op) *threadBuilder {
	return tb.emit(program.Command{Op: op})
}

func (tb *threadBuilder) fence() *threadBuilder { return tb.op(program.Fence) }
func (tb *threadBuilder) skip() *threadBuilder  { return tb.emit(program.Skip()) }

func (tb *threadBuilder) check(e program.Expr) *threadBuilder {
	return tb.emit(program.Command{Op: program.Check, Value: e})
}

func (tb *threadBuilder) assert(e program.Expr) *threadBuilder {
	return tb.emit(program.Command{Op: program.Assert, Value: e})
}

func (tb *threadBuilder) atomic(body ...program.Command) *threadBuilder {
	return tb.emit(program.Command{Op: program.Atomic, Body: body})
}

// spin is "while true do skip od", or with a command of that kind.
func (tb *threadBuilder) spin(c program.Command) *threadBuilder {
	tb.edge(tb.cur, tb.cur, c)
	return tb
}

// while is "while cond do body od"; load, run before every test, may be nil.
func (tb *threadBuilder) while(load func(), cond program.Expr, body func()) *threadBuilder {
	head := tb.cur
	if load != nil {
		load()
	}
	test := tb.cur
	tb.check(cond)
	if body != nil {
		body()
	}
	tb.edge(tb.cur, head, program.Skip())
	tb.cur = test
	return tb.check(program.NotExpr(cond))
}

func eq(e program.Expr, k int64) program.Expr {
	return program.Binary{Op: program.Eq, X: e, Y: program.Const(k)}
}

func and(e ...program.Expr) program.Expr {
	c := e[0]
	for _, d := range e[1:] {
		c = program.Binary{Op: program.LogicalAnd, X: c, Y: d}
	}
	return c
}

func or(c, d program.Expr) program.Expr {
	return program.Binary{Op: program.LogicalOr, X: c, Y: d}
}

// peterson is Peterson's mutual exclusion for two threads that come back for
// ever. fenced puts a fence after the store to turn.
func peterson(t testing.TB, fenced bool) *program.Program {
	b := newProgram(3) // x, y: flags; z: turn
	for i := range 2 {
		mine, other := program.Const(i), program.Const(1-i)
		tb := b.thread()
		head := tb.cur
		tb.store(mine, program.Const(1)).store(z, program.Const(1-i))
		if fenced {
			tb.fence()
		}
		wait := tb.cur
		tb.load("f", other)
		seen := tb.cur
		tb.check(tb.reg("f")).load("t", z)
		tb.edge(tb.cur, wait, program.Command{Op: program.Check, Value: eq(tb.reg("t"), int64(1-i))})
		enter := tb.state()
		tb.edge(tb.cur, enter, program.Command{Op: program.Check, Value: eq(tb.reg("t"), int64(i))})
		tb.edge(seen, enter, program.Command{Op: program.Check, Value: eq(tb.reg("f"), 0)})
		tb.cur = enter
		tb.label("cs").skip()
		tb.edge(tb.cur, head, program.Command{Op: program.Store, Addr: mine, Value: program.Const(0)})
	}
	return b.property(program.Forbid, and(b.at(0, "cs"), b.at(1, "cs"))).build(t)
}

// filter is the filter lock (Peterson's algorithm for n threads), once through
// or, with loop, for ever, and with a fence after every store to a victim.
func filter(t testing.TB, n int, loop bool) *program.Program {
	b := newProgram(2 * n) // level[i] at i, victim[l] at n + l
	for i := range n {
		tb := b.thread()
		head := tb.cur
		for l := 1; l < n; l++ {
			tb.store(program.Const(i), program.Const(l)).store(program.Const(n+l), program.Const(i)).fence()
			wait := tb.cur
			next := tb.state()
			tb.load("v", program.Const(n+l))
			test := tb.cur
			tb.edge(test, next, program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: tb.reg("v"), Y: program.Const(i)}})
			tb.check(eq(tb.reg("v"), int64(i)))
			for k := range n {
				if k == i {
					continue
				}
				tb.load("l", program.Const(k))
				tb.edge(tb.cur, wait, program.Command{Op: program.Check, Value: program.Binary{Op: program.Ge, X: tb.reg("l"), Y: program.Const(l)}})
				tb.check(program.Binary{Op: program.Lt, X: tb.reg("l"), Y: program.Const(l)})
			}
			tb.edge(tb.cur, next, program.Skip())
			tb.cur = next
		}
		tb.label("cs").skip()
		if loop {
			tb.edge(tb.cur, head, program.Command{Op: program.Store, Addr: program.Const(i), Value: program.Const(0)})
		} else {
			tb.store(program.Const(i), program.Const(0))
		}
	}
	for i := range n {
		for j := range i {
			b.property(program.Forbid, and(b.at(i, "cs"), b.at(j, "cs")))
		}
	}
	return b.build(t)
}
