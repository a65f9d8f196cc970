// Package randprog makes random programs for property tests. In goes a source
// of randomness and the shape of the programs wanted, out comes a
// [program.Program] that passes [program.Sanity]; equal seeds and options give
// equal programs.
//
// The programs are small on purpose: an exhaustive search has to get through
// them. Addresses stay within the declared cells whatever the registers hold,
// and values are finite even in loops without a bound.
package randprog

import (
	"fmt"
	"math/rand/v2"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Range is the numbers from Min to Max, both included.
type Range struct{ Min, Max int }

// Options is the shape of the programs. Every zero field stands for the default
// that its comment gives.
type Options struct {
	Threads   Range // how many, at least 1; default 2..3
	Addresses Range // how many cells are declared, at least 1; default 2..3
	Commands  Range // how many a thread has, about; default 3..6
	Values    int   // constants are 0..Values; default 3

	// How often a construct is chosen, relative to the others; a negative
	// number means never.
	Load, Store int // default 6
	Fence       int // default 1
	RMW         int // compare-and-swap, exchange, fetch-and-add; default 2
	Atomic      int // blocks of several accesses, mostly with a check inside; default 1
	Assign      int // default 1
	Havoc       int // default 1
	Branch      int // two ways that join again, possibly nested; default 2
	Lock        int // lock, some commands, unlock; default 1
	Assert      int // default never
	Assume      int // a condition without which the thread gives up; default never
	CountLoop   int // a loop with a counter; default never
	WaitLoop    int // a loop that loads until it sees a value; default never
	// StoreLoop is for loops that store as often as they like; default never.
	// Without them every thread stores boundedly often; without WaitLoop and
	// StoreLoop every run ends.
	StoreLoop int

	MaxIterations int // of a CountLoop; default 2

	// Per cent; a negative number means never.
	AddrDep int // addresses that depend on a register; default 20
	DataDep int // values that depend on a register; default 50
	// Unsigned is for operators on unsigned numbers of 64 bits, and some registers and
	// cells for them; default never.
	Unsigned int
	Start    int // threads, but for the first, that another one may start; default never
	// Ring is for programs in which every thread first loads from a cell of its own and
	// then stores to that of the next one, with or without a dependency, and values may
	// be large; default never. They need a cell for every thread.
	Ring int

	// How often a property is of a kind, relative to the others and to none
	// at all; a negative number means never.
	NoProperty, Forbid, Exists, Forall int // default 1
	Deadlock                           int // default never

	// Plain makes every register and cell an int32 that starts at 0.
	Plain bool
}

func (o Options) withDefaults() Options {
	dRange := func(r *Range, lo, hi int) {
		if *r == (Range{}) {
			*r = Range{lo, hi}
		}
	}
	dInt := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
		*v = max(*v, 0)
	}
	dRange(&o.Threads, 2, 3)
	dRange(&o.Addresses, 2, 3)
	dRange(&o.Commands, 3, 6)
	dInt(&o.Values, 3)
	for _, d := range []struct {
		field *int
		def   int
	}{
		{&o.Load, 6}, {&o.Store, 6}, {&o.Fence, 1}, {&o.RMW, 2}, {&o.Atomic, 1}, {&o.Assign, 1},
		{&o.Havoc, 1}, {&o.Branch, 2}, {&o.Lock, 1}, {&o.Assert, 0}, {&o.Assume, 0}, {&o.CountLoop, 0},
		{&o.WaitLoop, 0}, {&o.StoreLoop, 0}, {&o.MaxIterations, 2}, {&o.AddrDep, 20}, {&o.DataDep, 50}, {&o.Start, 0}, {&o.Unsigned, 0}, {&o.Ring, 0},
		{&o.NoProperty, 1}, {&o.Forbid, 1}, {&o.Exists, 1}, {&o.Forall, 1}, {&o.Deadlock, 0},
	} {
		dInt(d.field, d.def)
	}
	o.MaxIterations = max(o.MaxIterations, 1)
	return o
}

// New makes a program.
func New(rng *rand.Rand, opt Options) *program.Program {
	g := &gen{rng: rng, opt: opt.withDefaults()}
	g.p = &program.Program{Name: "random", Default: program.Int32Type}
	g.memory()
	n, cells := g.between(g.opt.Threads), len(g.p.Memory)
	g.starts = make([][]int64, n)
	g.awaits = make([]int64, n)
	for i := range n {
		if i > 0 && g.chance(g.opt.Start) {
			// Mostly it is one that comes before it who starts it, else nobody.
			addr := g.p.Memory[len(g.p.Memory)-1].Addr + 1
			g.awaits[i] = addr
			g.p.Memory = append(g.p.Memory, program.Cell{Addr: addr, Name: fmt.Sprintf("start%d", i), Type: program.BoolType})
			if g.chance(85) {
				by := g.rng.IntN(i)
				g.starts[by] = append(g.starts[by], addr)
			}
		}
	}
	// Without the option nothing is drawn: the other programs stay as they are.
	g.ring = g.opt.Ring > 0 && n <= cells && g.chance(g.opt.Ring)
	if g.ring {
		g.large = []program.Const{1, program.Const(g.opt.Values), program.Const(g.rng.IntN(1 << 20))}
	}
	for i := range n {
		g.thread(fmt.Sprintf("P%d", i))
	}
	if g.ring && g.chance(70) {
		g.agreement()
	} else {
		g.property()
	}
	return g.p
}

// The registers of a thread: general ones, then those with one purpose.
const (
	general  = 3       // r0, r1, r2
	casOld   = general // what a compare-and-swap loaded
	firstNew = general + 1
)

type gen struct {
	rng *rand.Rand
	opt Options
	p   *program.Program
	t   *program.Thread
	cur program.StateID
	// starts is, by thread, the cells by which it starts others; awaits is the cell
	// that it waits for at its beginning, 0: none.
	starts [][]int64
	awaits []int64
	// endless is true within a loop without a bound: values must not grow
	// there, or the program would have no end of states.
	endless bool
	// ring: see [Options.Ring]; large is the constants of such a program.
	ring  bool
	large []program.Const
}

// context says what may be nested where the generator is.
type context struct {
	depth  int
	locked bool // lock and what implies it are excluded
	loop   bool // loops are excluded
}

func (g *gen) between(r Range) int { return r.Min + g.rng.IntN(r.Max-r.Min+1) }

func (g *gen) chance(percent int) bool { return g.rng.IntN(100) < percent }

// pick is an index, as often as its weight says.
func (g *gen) pick(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	if sum == 0 {
		return 0
	}
	n := g.rng.IntN(sum)
	for i, w := range weights {
		if n < w {
			return i
		}
		n -= w
	}
	panic("unreachable")
}

// typed is a type for a register or a cell, with an initial value.
func (g *gen) typed() (program.Type, int64) {
	if g.opt.Plain {
		return program.Int32Type, 0
	}
	typ := []program.Type{program.Int32Type, program.Int8Type, program.BoolType, program.Uint64Type}[g.pick(6, 2, 1, g.opt.Unsigned/25)]
	if g.chance(80) {
		return typ, 0
	}
	return typ, typ.Wrap(int64(g.rng.IntN(g.opt.Values + 1)))
}

func (g *gen) memory() {
	// Engines should not rely on memory beginning at 0.
	base := []int64{0, 1, 100}[g.pick(3, 1, 1)]
	for i := range g.between(g.opt.Addresses) {
		name := fmt.Sprintf("m%d", i)
		if i < 6 {
			name = "xyzuvw"[i : i+1]
		}
		typ, init := g.typed()
		g.p.Memory = append(g.p.Memory, program.Cell{Addr: base + int64(i), Name: name, Type: typ, Init: init})
	}
}

func (g *gen) thread(name string) {
	g.t = &program.Thread{Name: name}
	g.p.Threads = append(g.p.Threads, g.t)
	for i := range general {
		typ, init := g.typed()
		g.t.Regs = append(g.t.Regs, program.Register{Name: fmt.Sprintf("r%d", i), Type: typ, Init: init})
	}
	g.t.Regs = append(g.t.Regs, program.Register{Name: "old", Type: program.Int32Type, Temp: true})
	g.cur = g.state()
	me := len(g.p.Threads) - 1
	if addr := g.awaits[me]; addr > 0 {
		g.t.States[g.cur].Kind = program.Unstarted
		g.emit(program.Start(general, addr, program.Tags{}))
	}
	late := g.chance(50)
	start := func(now bool) {
		for _, addr := range g.starts[me] {
			if now {
				g.emit(program.Command{Op: program.Store, Addr: program.Const(addr), Value: program.Const(1)})
			}
		}
	}
	start(!late)
	if g.ring {
		g.pass(me)
	}
	g.block(g.between(g.opt.Commands), context{})
	start(late)
	for _, l := range []string{"a", "b"} {
		s := &g.t.States[g.rng.IntN(len(g.t.States))]
		s.Labels = append(s.Labels, l)
	}
}

func (g *gen) state() program.StateID {
	q := len(g.t.States)
	g.t.States = append(g.t.States, program.State{Name: fmt.Sprintf("q%d", q)})
	return program.StateID(q)
}

func (g *gen) edge(from, to program.StateID, c program.Command) {
	g.t.Edges = append(g.t.Edges, program.Edge{From: from, To: to, Cmd: c})
}

// emit appends c to the thread.
func (g *gen) emit(c program.Command) {
	from := g.cur
	g.cur = g.state()
	g.edge(from, g.cur, c)
}

// block appends about n commands.
func (g *gen) block(n int, ctx context) {
	for n > 0 {
		n -= g.construct(n, ctx)
	}
}

// construct appends one construct, of up to about n commands, and says how many
// it took.
func (g *gen) construct(n int, ctx context) int {
	o := &g.opt
	unless := func(excluded bool, weight int) int {
		if excluded {
			return 0
		}
		return weight
	}
	locked, deep := ctx.locked, ctx.depth >= 2
	noLoop := ctx.loop || locked
	switch g.pick(o.Load, o.Store, o.Fence, o.Assign, o.Havoc, o.Assert,
		unless(locked, o.RMW), unless(locked, o.Atomic),
		unless(deep, o.Branch), unless(locked || n < 2, o.Lock),
		unless(noLoop, o.CountLoop), unless(noLoop, o.WaitLoop), unless(noLoop, o.StoreLoop), unless(locked, o.Assume)) {
	case 0:
		g.emit(g.load(g.reg()))
	case 1:
		g.emit(g.store())
	case 2:
		g.emit(program.Command{Op: program.Fence})
	case 3:
		g.emit(program.Command{Op: program.Assign, Reg: g.reg(), Value: g.value()})
	case 4:
		lo := int64(g.rng.IntN(2))
		g.emit(program.Command{Op: program.Havoc, Reg: g.reg(), Lo: lo, Hi: lo + int64(g.rng.IntN(2))})
	case 5:
		c := g.condition()
		g.emit(program.Command{Op: program.Assert, Value: c, Text: "assert " + program.FormatExpr(c, g.t)})
	case 6:
		g.rmw()
	case 7:
		g.atomic()
		return 2
	case 8:
		return g.branch(n, ctx)
	case 9:
		return g.lock(n, ctx)
	case 10:
		return g.countLoop(n, ctx)
	case 11:
		g.waitLoop()
	case 12:
		return g.storeLoop(n, ctx)
	case 13:
		g.assume()
	}
	return 1
}

// assume appends a condition without which the thread gives up.
func (g *gen) assume() {
	c, from, end := g.condition(), g.cur, g.state()
	g.t.States[end].Kind = program.GivenUp
	g.edge(from, end, program.Command{Op: program.Check, Value: program.NotExpr(c)})
	g.emit(program.Command{Op: program.Check, Value: c})
}

// reg is one of the general registers.
func (g *gen) reg() int { return g.rng.IntN(general) }

// otherReg is a general register that is not r.
func (g *gen) otherReg(r int) int { return (r + 1 + g.rng.IntN(general-1)) % general }

func (g *gen) constant() program.Const {
	if g.ring && g.chance(60) {
		return g.large[g.rng.IntN(len(g.large))]
	}
	return program.Const(g.rng.IntN(g.opt.Values + 1))
}

// addr is an address that reads register r at most.
func (g *gen) addr(r int) program.Expr {
	cells := g.p.Memory
	if len(cells) > 1 && g.chance(g.opt.AddrDep) {
		base := cells[g.rng.IntN(len(cells)-1)].Addr
		offset := program.Binary{Op: program.BitAnd, X: program.Reg(r), Y: program.Const(1)}
		return program.Binary{Op: program.Add, X: program.Const(base), Y: offset}
	}
	return program.Const(cells[g.rng.IntN(len(cells))].Addr)
}

func (g *gen) value() program.Expr { return g.valueOf(g.reg(), g.reg()) }

// valueOf is a value that reads registers r and s at most.
func (g *gen) valueOf(r, s int) program.Expr {
	if !g.chance(g.opt.DataDep) {
		return g.constant()
	}
	var e program.Expr = program.Reg(r)
	switch g.pick(3, 4, 1, 1, 1) {
	case 1:
		e = program.Binary{Op: program.Add, X: e, Y: g.constant()}
	case 2:
		e = program.Binary{Op: g.operator(), X: e, Y: g.constant()}
	case 3:
		e = program.Binary{Op: g.operator(), X: e, Y: program.Reg(s)}
	case 4:
		ops := []program.UnaryOp{program.Neg, program.Complement, program.LogicalNot,
			program.Cast(program.Int8Type), program.Cast(program.Type{Bits: 2})}
		e = program.Unary{Op: ops[g.rng.IntN(len(ops))], X: e}
	}
	if g.endless {
		e = program.Binary{Op: program.BitAnd, X: e, Y: program.Const(3)}
	}
	return e
}

var comparisons = []program.BinaryOp{program.Eq, program.Eq, program.Ne, program.Lt, program.Le, program.Gt, program.Ge}

var (
	signed = []program.BinaryOp{program.Add, program.Sub, program.Mul, program.Div, program.Rem, program.BitAnd, program.BitOr,
		program.BitXor, program.Shl, program.Shr, program.Eq, program.Ne, program.Lt, program.Le, program.Gt, program.Ge,
		program.LogicalAnd, program.LogicalOr}
	unsigned = []program.BinaryOp{program.UDiv, program.URem, program.UShr, program.ULt, program.ULe}
)

// operator is any.
func (g *gen) operator() program.BinaryOp {
	if g.chance(g.opt.Unsigned) {
		return unsigned[g.rng.IntN(len(unsigned))]
	}
	return signed[g.rng.IntN(len(signed))]
}

func (g *gen) compare(x program.Expr) program.Expr {
	if g.chance(g.opt.Unsigned / 4) {
		op := []program.BinaryOp{program.ULt, program.ULe}[g.rng.IntN(2)]
		if g.chance(50) {
			return program.Binary{Op: op, X: g.constant(), Y: x}
		}
		return program.Binary{Op: op, X: x, Y: g.constant()}
	}
	return program.Binary{Op: comparisons[g.rng.IntN(len(comparisons))], X: x, Y: g.constant()}
}

// condition is over the general registers.
func (g *gen) condition() program.Expr {
	c := g.compare(program.Reg(g.reg()))
	switch g.pick(6, 1, 1, 1) {
	case 1:
		return program.Reg(g.reg())
	case 2:
		return g.join(c, g.compare(program.Reg(g.reg())))
	case 3:
		return program.Binary{Op: program.Eq, X: program.Reg(g.reg()), Y: program.Reg(g.reg())}
	}
	return c
}

// join is x and y, or x or y.
func (g *gen) join(x, y program.Expr) program.Expr {
	return program.Binary{Op: program.LogicalAnd + program.BinaryOp(g.rng.IntN(2)), X: x, Y: y}
}

func (g *gen) load(r int) program.Command {
	return program.Command{Op: program.Load, Reg: r, Addr: g.addr(g.reg())}
}

func (g *gen) store() program.Command {
	return program.Command{Op: program.Store, Addr: g.addr(g.reg()), Value: g.value()}
}

func (g *gen) rmw() {
	written := g.reg()
	free := g.otherReg(written)
	addr, value := g.addr(free), g.valueOf(free, free)
	kind := g.pick(2, 1, 1)
	if kind == 2 && g.endless {
		kind = 1 // adding up would never end
	}
	switch kind {
	case 0:
		success, failure := program.CompareAndSwap(written, casOld, addr, g.constant(), value, program.Position{})
		from := g.cur
		g.emit(success)
		if g.chance(50) {
			g.edge(from, g.cur, failure)
			return
		}
		failed := g.state()
		g.edge(from, failed, failure)
		g.edge(failed, g.cur, g.store())
	case 1:
		g.emit(program.Exchange(written, addr, value, program.Position{}))
	case 2:
		g.emit(program.FetchAdd(written, addr, g.constant(), program.Position{}))
	}
}

// atomic appends a block that loads and stores. Where a check stands between
// the two, there is mostly another block for when it fails.
func (g *gen) atomic() {
	r := g.reg()
	before := []program.Command{g.load(r)}
	if g.chance(30) {
		before = append(before, program.Command{Op: program.Assign, Reg: g.reg(), Value: g.value()})
	}
	after := []program.Command{g.store()}
	if g.chance(50) {
		after = append(after, []program.Command{g.load(g.reg()), g.store()}[g.rng.IntN(2)])
	}
	block := func(parts ...[]program.Command) program.Command {
		c := program.Command{Op: program.Atomic}
		for _, p := range parts {
			c.Body = append(c.Body, p...)
		}
		return c
	}
	from := g.cur
	if g.chance(25) {
		g.emit(block(before, after))
		return
	}
	cond := g.compare(program.Reg(r))
	holds := []program.Command{{Op: program.Check, Value: cond}}
	fails := []program.Command{{Op: program.Check, Value: program.NotExpr(cond)}}
	if g.chance(20) {
		g.emit(block(holds, before, after)) // on what the register held before
	} else {
		g.emit(block(before, holds, after))
	}
	switch g.pick(5, 2, 3) {
	case 0:
		g.edge(from, g.cur, block(before, fails))
	case 1:
		g.edge(from, g.cur, program.Skip())
	}
}

// branch appends two ways to go, each of which may be empty.
func (g *gen) branch(n int, ctx context) int {
	ctx.depth++
	cond := g.condition()
	then := program.Command{Op: program.Check, Value: cond}
	other := program.Command{Op: program.Check, Value: program.NotExpr(cond)}
	switch g.pick(6, 1, 1, 1) {
	case 1:
		other = program.Skip()
	case 2:
		then, other = program.Skip(), program.Skip()
	case 3:
		other.Value = g.condition() // perhaps both, perhaps neither
	}
	from := g.cur
	g.emit(then)
	k := g.rng.IntN(min(n, 3))
	g.block(k, ctx)
	join := g.cur
	l := g.rng.IntN(min(n, 3))
	if l == 0 {
		g.edge(from, join, other)
		return k + 1
	}
	g.cur = from
	g.emit(other)
	g.block(l, ctx)
	g.edge(g.cur, join, program.Skip())
	g.cur = join
	return k + l + 1
}

func (g *gen) lock(n int, ctx context) int {
	ctx.locked = true
	k := 1 + g.rng.IntN(min(n, 3))
	g.emit(program.Command{Op: program.Lock})
	g.block(k, ctx)
	g.emit(program.Command{Op: program.Unlock})
	return k + 1
}

// countLoop appends
//
//	i := 0; while i < N do ...; i := i + 1 od
func (g *gen) countLoop(n int, ctx context) int {
	ctx.loop = true
	i := g.newReg("i")
	bound := program.Const(1 + g.rng.IntN(g.opt.MaxIterations))
	g.emit(program.Command{Op: program.Assign, Reg: i, Value: program.Const(0)})
	head := g.cur
	g.emit(program.Command{Op: program.Check, Value: program.Binary{Op: program.Lt, X: program.Reg(i), Y: bound}})
	k := 1 + g.rng.IntN(min(n, 2))
	g.block(k, ctx)
	g.edge(g.cur, head, program.Command{Op: program.Assign, Reg: i,
		Value: program.Binary{Op: program.Add, X: program.Reg(i), Y: program.Const(1)}})
	g.cur = head
	g.emit(program.Command{Op: program.Check, Value: program.Binary{Op: program.Ge, X: program.Reg(i), Y: bound}})
	return k + 1
}

func (g *gen) newReg(prefix string) int {
	i := len(g.t.Regs)
	g.t.Regs = append(g.t.Regs, program.Register{Name: fmt.Sprintf("%s%d", prefix, i-firstNew), Type: program.Int32Type})
	return i
}

// waitLoop appends
//
//	r := x; while not c do r := x od
//
// where assertions are wanted sometimes with one that ends a round.
func (g *gen) waitLoop() {
	// The address must not change with what is loaded.
	r := g.reg()
	load := program.Command{Op: program.Load, Reg: r, Addr: g.addr(g.otherReg(r))}
	cond := g.compare(program.Reg(r))
	head := g.cur
	g.emit(load)
	again := program.Command{Op: program.Check, Value: program.NotExpr(cond)}
	if g.opt.Assert > 0 && g.chance(40) {
		c := g.condition()
		claim := program.Command{Op: program.Assert, Value: c, Text: "assert " + program.FormatExpr(c, g.t)}
		if g.chance(30) {
			again = program.Command{Op: program.Atomic, Body: []program.Command{again, claim}}
		} else {
			to := g.state()
			g.edge(g.cur, to, again)
			g.edge(to, head, claim)
			g.emit(program.Command{Op: program.Check, Value: cond})
			return
		}
	}
	g.edge(g.cur, head, again)
	g.emit(program.Command{Op: program.Check, Value: cond})
}

// storeLoop appends a loop with a store in it, which ends by choice or when a
// value is seen.
func (g *gen) storeLoop(n int, ctx context) int {
	ctx.loop = true
	defer func(was bool) { g.endless = was }(g.endless)
	g.endless = true
	again, leave := program.Skip(), program.Skip()
	k := g.rng.IntN(min(n, 3))
	head := g.cur
	if g.chance(50) {
		r := g.reg()
		cond := g.compare(program.Reg(r))
		again = program.Command{Op: program.Check, Value: cond}
		leave = program.Command{Op: program.Check, Value: program.NotExpr(cond)}
		g.emit(g.load(r))
	}
	choice := g.cur
	g.emit(again)
	g.block(k, ctx)
	g.edge(g.cur, head, g.store())
	g.cur = choice
	g.emit(leave)
	return k + 1
}

// pass appends a load from the cell of thread i and a store to that of the next one
// that depends on it by data, by address, by control, or not at all.
func (g *gen) pass(i int) {
	cell := func(i int) program.Expr { return program.Const(g.p.Memory[i].Addr) }
	next := cell((i + 1) % len(g.awaits))
	r := g.reg()
	g.emit(program.Command{Op: program.Load, Reg: r, Addr: cell(i)})
	var v program.Expr = g.constant()
	switch g.pick(4, 2, 1, 1, 3, 1) {
	case 0:
		v = program.Reg(r)
	case 1:
		v = program.Binary{Op: program.Add, X: program.Reg(r), Y: g.constant()}
	case 2: // a dependency that is none
		v = program.Binary{Op: program.BitOr, X: v, Y: program.Binary{Op: program.BitXor, X: program.Reg(r), Y: program.Reg(r)}}
	case 3:
		next = program.Binary{Op: program.Add, X: next, Y: program.Binary{Op: program.BitAnd, X: program.Reg(r), Y: program.Const(0)}}
	case 4:
		from := g.cur
		cond := program.Binary{Op: program.Eq, X: program.Reg(r), Y: g.constant()}
		g.emit(program.Command{Op: program.Check, Value: cond})
		g.emit(program.Command{Op: program.Store, Addr: next, Value: v})
		g.edge(from, g.cur, program.Command{Op: program.Check, Value: program.NotExpr(cond)})
		return
	}
	g.emit(program.Command{Op: program.Store, Addr: next, Value: v})
}

// agreement asks whether registers of all threads can end with the same value.
func (g *gen) agreement() {
	v := g.constant()
	var cond program.Expr
	for i, t := range g.p.Threads {
		r := g.reg()
		var e program.Expr = program.Binary{Op: program.Eq, Y: v,
			X: program.ThreadReg{Thread: i, Reg: r, Name: fmt.Sprintf("%d:%s", i, t.Regs[r].Name)}}
		if cond != nil {
			e = program.Binary{Op: program.LogicalAnd, X: cond, Y: e}
		}
		cond = e
	}
	g.p.Properties = append(g.p.Properties, program.Property{Kind: program.Exists, Cond: cond, Text: cond.String()})
}

func (g *gen) property() {
	kind := []program.PropertyKind{0, program.Forbid, program.Exists, program.Forall, program.Deadlock}
	o := &g.opt
	n := g.pick(o.NoProperty, o.Forbid, o.Exists, o.Forall, o.Deadlock)
	if n == 0 {
		return
	}
	pr := program.Property{Kind: kind[n]}
	if pr.Kind != program.Deadlock {
		pr.Cond = g.term(pr.Kind)
		for range 1 + g.rng.IntN(2) {
			pr.Cond = g.join(pr.Cond, g.term(pr.Kind))
		}
		pr.Text = pr.Cond.String()
	}
	g.p.Properties = append(g.p.Properties, pr)
}

// term is a condition on a cell, a register or, in a Forbid, a label.
func (g *gen) term(kind program.PropertyKind) program.Expr {
	ti := g.rng.IntN(len(g.p.Threads))
	t := g.p.Threads[ti]
	if kind == program.Forbid && g.chance(50) {
		label := "ab"[g.rng.IntN(2):][:1]
		return program.At{Thread: ti, States: t.At(label), Name: t.Name + "@" + label}
	}
	if g.chance(50) {
		c := g.p.Memory[g.rng.IntN(len(g.p.Memory))]
		return g.compare(program.Mem{Addr: c.Addr, Name: c.Name})
	}
	r := g.reg()
	return g.compare(program.ThreadReg{Thread: ti, Reg: r, Name: fmt.Sprintf("%d:%s", ti, t.Regs[r].Name)})
}
