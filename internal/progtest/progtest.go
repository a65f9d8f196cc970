// Package progtest is for tests: it makes programs by hand, command by command, and
// has a few that many tests want.
package progtest

import (
	"fmt"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Builder makes a program. Its cells are x, y, z, w, u, v at addresses 0..5, and
// m6, m7, ... after these.
type Builder struct {
	Program *program.Program
}

// The addresses of the first cells.
const X, Y, Z, W, U, V = program.Const(0), program.Const(1), program.Const(2), program.Const(3), program.Const(4), program.Const(5)

// New is a program with so many cells and no threads.
func New(cells int) *Builder {
	b := &Builder{Program: &program.Program{Name: "test", Default: program.Int32Type}}
	for i := range cells {
		name := fmt.Sprintf("m%d", i)
		if i < 6 {
			name = "xyzwuv"[i : i+1]
		}
		b.Program.Memory = append(b.Program.Memory, program.Cell{Addr: int64(i), Name: name, Type: program.Int32Type})
	}
	return b
}

// A Thread appends commands at the control state Cur, and goes on to the state after
// them.
type Thread struct {
	Thread *program.Thread
	Cur    program.StateID
}

// Thread adds a thread.
func (b *Builder) Thread() *Thread {
	t := &program.Thread{Name: fmt.Sprintf("P%d", len(b.Program.Threads))}
	b.Program.Threads = append(b.Program.Threads, t)
	tb := &Thread{Thread: t}
	tb.Cur = tb.State()
	return tb
}

// Property adds a property.
func (b *Builder) Property(kind program.PropertyKind, cond program.Expr) *Builder {
	b.Program.Properties = append(b.Program.Properties, program.Property{Kind: kind, Cond: cond})
	return b
}

// At is "thread t is at that label".
func (b *Builder) At(t int, label string) program.Expr {
	return program.At{Thread: t, States: b.Program.Threads[t].At(label), Name: fmt.Sprintf("P%d@%s", t, label)}
}

// Build is the program, which must be sane.
func (b *Builder) Build(t testing.TB) *program.Program {
	t.Helper()
	if err := program.Sanity(b.Program); err != nil {
		t.Fatal(err)
	}
	return b.Program
}

// State adds a control state.
func (tb *Thread) State() program.StateID {
	q := len(tb.Thread.States)
	tb.Thread.States = append(tb.Thread.States, program.State{Name: fmt.Sprintf("q%d", q)})
	return program.StateID(q)
}

// Edge adds an edge between two states.
func (tb *Thread) Edge(from, to program.StateID, c program.Command) {
	tb.Thread.Edges = append(tb.Thread.Edges, program.Edge{From: from, To: to, Cmd: c})
}

// Emit appends any command.
func (tb *Thread) Emit(c program.Command) *Thread {
	to := tb.State()
	tb.Edge(tb.Cur, to, c)
	tb.Cur = to
	return tb
}

// Reg is the register of that name, a new one where there is none.
func (tb *Thread) Reg(name string) program.Reg {
	for i := range tb.Thread.Regs {
		if tb.Thread.Regs[i].Name == name {
			return program.Reg(i)
		}
	}
	tb.Thread.Regs = append(tb.Thread.Regs, program.Register{Name: name, Type: program.Int32Type})
	return program.Reg(len(tb.Thread.Regs) - 1)
}

// Label puts a label on Cur.
func (tb *Thread) Label(l string) *Thread {
	s := &tb.Thread.States[tb.Cur]
	s.Labels = append(s.Labels, l)
	return tb
}

// Load appends a load.
func (tb *Thread) Load(r string, addr program.Expr) *Thread {
	return tb.Emit(program.Command{Op: program.Load, Reg: int(tb.Reg(r)), Addr: addr})
}

// Store appends a store.
func (tb *Thread) Store(addr program.Expr, v program.Expr) *Thread {
	return tb.Emit(program.Command{Op: program.Store, Addr: addr, Value: v})
}

// Assign appends an assignment.
func (tb *Thread) Assign(r string, v program.Expr) *Thread {
	return tb.Emit(program.Command{Op: program.Assign, Reg: int(tb.Reg(r)), Value: v})
}

// Havoc appends a free choice.
func (tb *Thread) Havoc(r string, lo, hi int64) *Thread {
	return tb.Emit(program.Command{Op: program.Havoc, Reg: int(tb.Reg(r)), Lo: lo, Hi: hi})
}

// Op appends a command without operands.
func (tb *Thread) Op(op program.Op) *Thread {
	return tb.Emit(program.Command{Op: op})
}

// Fence appends a full fence.
func (tb *Thread) Fence() *Thread { return tb.Op(program.Fence) }

// Skip appends a command that does nothing.
func (tb *Thread) Skip() *Thread { return tb.Emit(program.Skip()) }

// Check appends a check.
func (tb *Thread) Check(e program.Expr) *Thread {
	return tb.Emit(program.Command{Op: program.Check, Value: e})
}

// Assert appends an assertion.
func (tb *Thread) Assert(e program.Expr) *Thread {
	return tb.Emit(program.Command{Op: program.Assert, Value: e})
}

// Atomic appends an atomic block.
func (tb *Thread) Atomic(body ...program.Command) *Thread {
	return tb.Emit(program.Command{Op: program.Atomic, Body: body})
}

// Spin is "while true do skip od", or with a command of that kind.
func (tb *Thread) Spin(c program.Command) *Thread {
	tb.Edge(tb.Cur, tb.Cur, c)
	return tb
}

// While is "while cond do body od"; load, run before every test, may be nil.
func (tb *Thread) While(load func(), cond program.Expr, body func()) *Thread {
	head := tb.Cur
	if load != nil {
		load()
	}
	test := tb.Cur
	tb.Check(cond)
	if body != nil {
		body()
	}
	tb.Edge(tb.Cur, head, program.Skip())
	tb.Cur = test
	return tb.Check(program.NotExpr(cond))
}

// Eq is e = k.
func Eq(e program.Expr, k int64) program.Expr {
	return program.Binary{Op: program.Eq, X: e, Y: program.Const(k)}
}

// And is the conjunction.
func And(e ...program.Expr) program.Expr {
	c := e[0]
	for _, d := range e[1:] {
		c = program.Binary{Op: program.LogicalAnd, X: c, Y: d}
	}
	return c
}

// Or is the disjunction.
func Or(c, d program.Expr) program.Expr {
	return program.Binary{Op: program.LogicalOr, X: c, Y: d}
}

// Peterson is Peterson's mutual exclusion for two threads that come back for
// ever. fenced puts a fence after the store to turn.
func Peterson(t testing.TB, fenced bool) *program.Program {
	b := New(3) // x, y: flags; z: turn
	for i := range 2 {
		mine, other := program.Const(i), program.Const(1-i)
		tb := b.Thread()
		head := tb.Cur
		tb.Store(mine, program.Const(1)).Store(Z, program.Const(1-i))
		if fenced {
			tb.Fence()
		}
		wait := tb.Cur
		tb.Load("f", other)
		seen := tb.Cur
		tb.Check(tb.Reg("f")).Load("t", Z)
		tb.Edge(tb.Cur, wait, program.Command{Op: program.Check, Value: Eq(tb.Reg("t"), int64(1-i))})
		enter := tb.State()
		tb.Edge(tb.Cur, enter, program.Command{Op: program.Check, Value: Eq(tb.Reg("t"), int64(i))})
		tb.Edge(seen, enter, program.Command{Op: program.Check, Value: Eq(tb.Reg("f"), 0)})
		tb.Cur = enter
		tb.Label("cs").Skip()
		tb.Edge(tb.Cur, head, program.Command{Op: program.Store, Addr: mine, Value: program.Const(0)})
	}
	return b.Property(program.Forbid, And(b.At(0, "cs"), b.At(1, "cs"))).Build(t)
}

// Filter is the filter lock (Peterson's algorithm for n threads), once through
// or, with loop, for ever, and with a fence after every store to a victim.
func Filter(t testing.TB, n int, loop bool) *program.Program {
	b := New(2 * n) // level[i] at i, victim[l] at n + l
	for i := range n {
		tb := b.Thread()
		head := tb.Cur
		for l := 1; l < n; l++ {
			tb.Store(program.Const(i), program.Const(l)).Store(program.Const(n+l), program.Const(i)).Fence()
			wait := tb.Cur
			next := tb.State()
			tb.Load("v", program.Const(n+l))
			test := tb.Cur
			tb.Edge(test, next, program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: tb.Reg("v"), Y: program.Const(i)}})
			tb.Check(Eq(tb.Reg("v"), int64(i)))
			for k := range n {
				if k == i {
					continue
				}
				tb.Load("l", program.Const(k))
				tb.Edge(tb.Cur, wait, program.Command{Op: program.Check, Value: program.Binary{Op: program.Ge, X: tb.Reg("l"), Y: program.Const(l)}})
				tb.Check(program.Binary{Op: program.Lt, X: tb.Reg("l"), Y: program.Const(l)})
			}
			tb.Edge(tb.Cur, next, program.Skip())
			tb.Cur = next
		}
		tb.Label("cs").Skip()
		if loop {
			tb.Edge(tb.Cur, head, program.Command{Op: program.Store, Addr: program.Const(i), Value: program.Const(0)})
		} else {
			tb.Store(program.Const(i), program.Const(0))
		}
	}
	for i := range n {
		for j := range i {
			b.Property(program.Forbid, And(b.At(i, "cs"), b.At(j, "cs")))
		}
	}
	return b.Build(t)
}

// Figure42 is the program of thesis figure 4.2 with the goal encoding of section
// 4.2.1: x counts the threads at their goal, y is 1 once all are.
func Figure42(t testing.TB) *program.Program {
	b := New(2)
	for range 2 {
		tb := b.Thread()
		r, n := tb.Reg("r"), tb.Reg("n")
		tb.Assign("r", program.Binary{Op: program.Sub, X: program.Const(1), Y: r}).Check(Eq(r, 1))
		tb.Atomic(
			program.Command{Op: program.Load, Reg: int(n), Addr: X},
			program.Command{Op: program.Store, Addr: X, Value: program.Binary{Op: program.Add, X: n, Y: program.Const(1)}})
		tb.Spin(program.Command{Op: program.Atomic, Body: []program.Command{
			{Op: program.Load, Reg: int(n), Addr: X},
			{Op: program.Check, Value: Eq(n, 2)},
			{Op: program.Store, Addr: Y, Value: program.Const(1)}}})
		tb.Thread.Regs[n].Temp = true
	}
	return b.Property(program.Forbid, Eq(program.Mem{Addr: 1, Name: "y"}, 1)).Build(t)
}
