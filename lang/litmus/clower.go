package litmus

import (
	"strconv"

	"github.com/fencepost-verifier/fencepost/program"
)

// A cLowering makes the automaton of a thread in C.
type cLowering struct {
	assembly
	*builder
	c      *cTest
	t      int
	f      *cFunction
	thread *program.Thread
	temps  []int
	used   int // of temps, in the statement
	end    int
	// breaks and continues are where these lead, from the loops around.
	breaks, continues []int
}

func (c *cTest) lower(b *builder, t int) {
	l := &cLowering{builder: b, c: c, t: t, f: c.functions[t], thread: b.prog.Threads[t]}
	l.at = l.f.at
	l.cur = l.State(l.at)
	first := l.cur
	l.end = l.State(l.at)
	l.stmts(l.f.body)
	l.bind(l.cur, l.end)
	l.Finish(l.thread, first, l.end)
}

func (l *cLowering) stmts(ss []cStmt) {
	for _, s := range ss {
		l.at, l.used = s.where(), 0
		l.stmt(s)
	}
}

func (l *cLowering) stmt(s cStmt) {
	switch s := s.(type) {
	case cDo:
		l.value(s.x)
	case cIf:
		yes, no, done := l.State(s.at), l.State(s.at), l.State(s.at)
		l.branch(l.value(s.cond), yes, no)
		l.cur = yes
		l.stmts(s.yes)
		l.bind(l.cur, done)
		l.cur = no
		l.stmts(s.no)
		l.bind(l.cur, done)
		l.cur = done
	case cLoop:
		l.loop(s)
	case cLeave:
		switch {
		case s.kind == "return":
			l.bind(l.cur, l.end)
		case len(l.breaks) == 0:
			l.fail(s.at, "", "%s stands in no loop", s.kind)
		case s.kind == "break":
			l.bind(l.cur, l.breaks[len(l.breaks)-1])
		default:
			l.bind(l.cur, l.continues[len(l.continues)-1])
		}
		l.cur = l.State(s.at) // which nothing leads to
	}
}

func (l *cLowering) loop(s cLoop) {
	head, body, done := l.State(s.at), l.State(s.at), l.State(s.at)
	switch {
	case s.first:
		l.bind(l.cur, body)
	case pure(s.cond):
		// Whether to begin is asked at another place than whether to go on, so that a body which
		// reads what is asked about only waits.
		l.used = 0
		l.branch(l.value(s.cond), body, done)
	default:
		l.bind(l.cur, head)
	}
	l.breaks, l.continues = append(l.breaks, done), append(l.continues, head)
	l.cur = body
	l.stmts(s.body)
	l.breaks, l.continues = l.breaks[:len(l.breaks)-1], l.continues[:len(l.continues)-1]
	l.bind(l.cur, head)
	l.cur, l.at, l.used = head, s.at, 0
	l.branch(l.value(s.cond), body, done)
	l.cur = done
}

// pure is whether nothing but registers is read to know what x is, and some are.
func pure(x cExpr) bool {
	reads := false
	var only func(x cExpr) bool
	only = func(x cExpr) bool {
		switch x := x.(type) {
		case cNumber:
			return true
		case cRegister:
			reads = true
			return true
		case cUnary:
			return only(x.x)
		case cBinary:
			return only(x.x) && only(x.y)
		}
		return false
	}
	return only(x) && reads
}

// branch goes on at yes or at no.
func (l *cLowering) branch(cond program.Expr, yes, no int) {
	if k, ok := cond.(program.Const); ok {
		to := yes
		if k == 0 {
			to = no
		}
		l.edge(l.cur, to, program.Skip())
		return
	}
	if b, ok := cond.(program.Binary); !ok || !b.Op.Bool() {
		cond = program.Binary{Op: program.Ne, X: cond, Y: program.Const(0)}
	}
	l.edge(l.cur, yes, program.Command{Op: program.Check, Value: cond})
	l.edge(l.cur, no, program.Command{Op: program.Check, Value: program.NotExpr(cond)})
}

// temp is a register for a value of the statement.
func (l *cLowering) temp() int {
	if l.used == len(l.temps) {
		l.thread.Regs = append(l.thread.Regs, program.Register{Name: "$" + strconv.Itoa(l.used+1), Type: program.Int64Type, Temp: true})
		l.temps = append(l.temps, len(l.thread.Regs)-1)
	}
	l.used++
	return l.temps[l.used-1]
}

func (l *cLowering) register(index int) int { return l.regs[l.t][index].index }

// stride is how many bytes lie between what a pointer points to and the next.
func (l *cLowering) stride(x cExpr) int64 {
	switch x := x.(type) {
	case cAddress:
		return l.vars.byName[x.name].stride()
	case cRegister:
		if t := l.f.locals[x.index].typ; t.pointer > 0 {
			return int64(t.target().value().Bits) / 8
		}
	case cCast:
		if x.typ.pointer > 0 {
			return int64(x.typ.target().value().Bits) / 8
		}
	case cBinary:
		if s := l.stride(x.x); x.op == program.Add || x.op == program.Sub {
			return s
		}
	}
	return 1
}

// value computes an expression. What it reads and writes happens here.
func (l *cLowering) value(x cExpr) program.Expr {
	switch x := x.(type) {
	case cNumber:
		return program.Const(x.n)
	case cAddress:
		return program.Const(l.vars.byName[x.name].addr)
	case cRegister:
		return program.Reg(l.register(x.index))
	case cDeref:
		r := l.temp()
		l.load(r, l.value(x.x))
		return program.Reg(r)
	case cCast:
		v := l.value(x.x)
		if t := x.typ.value(); x.typ.pointer == 0 && t.Bits < 32 {
			v = program.Fold(program.Unary{Op: program.Cast(t), X: v})
		}
		return v
	case cUnary:
		return program.Fold(program.Unary{Op: x.op, X: l.value(x.x)})
	case cBinary:
		return l.binary(x)
	case cAssign:
		return l.assignTo(x)
	case cChoice:
		return l.choice(l.value(x.cond), x.x, x.y)
	case cCall:
		return l.call(x, -1)
	case cOrder:
		l.c.fail(x.at, "an order is an argument of a function", "a memory order is no value here")
	}
	panic("unknown expression")
}

func (l *cLowering) binary(x cBinary) program.Expr {
	a := l.value(x.x)
	if (x.op == program.LogicalAnd || x.op == program.LogicalOr) && impure(x.y) {
		one := cNumber{cNode{x.at}, 1}
		if x.op == program.LogicalOr {
			return l.choice(a, one, cUnary{cNode{x.at}, program.LogicalNot, cUnary{cNode{x.at}, program.LogicalNot, x.y}})
		}
		return l.choice(a, cUnary{cNode{x.at}, program.LogicalNot, cUnary{cNode{x.at}, program.LogicalNot, x.y}}, cNumber{cNode{x.at}, 0})
	}
	b := l.value(x.y)
	if x.op == program.Add || x.op == program.Sub {
		if s := l.stride(x.x); s > 1 {
			b = binary(program.Mul, b, program.Const(s))
		}
	}
	return binary(x.op, a, b)
}

// impure is true of an expression that reads or writes memory or registers.
func impure(x cExpr) bool {
	switch x := x.(type) {
	case cDeref, cAssign, cCall, cChoice:
		return true
	case cCast:
		return impure(x.x)
	case cUnary:
		return impure(x.x)
	case cBinary:
		return impure(x.x) || impure(x.y)
	}
	return false
}

// choice computes one of two expressions.
func (l *cLowering) choice(cond program.Expr, x, y cExpr) program.Expr {
	r := l.temp()
	yes, no, done := l.State(l.at), l.State(l.at), l.State(l.at)
	l.branch(cond, yes, no)
	l.cur = yes
	l.step(program.Command{Op: program.Assign, Reg: r, Value: l.value(x)})
	l.bind(l.cur, done)
	l.cur = no
	l.step(program.Command{Op: program.Assign, Reg: r, Value: l.value(y)})
	l.bind(l.cur, done)
	l.cur = done
	return program.Reg(r)
}

func (l *cLowering) assignTo(x cAssign) program.Expr {
	if r, ok := x.x.(cRegister); ok {
		index := l.register(r.index)
		switch y := x.y.(type) {
		case cDeref:
			l.load(index, l.value(y.x))
			return program.Reg(index)
		case cCall:
			if v := l.call(y, index); v != program.Expr(program.Reg(index)) {
				l.step(program.Command{Op: program.Assign, Reg: index, Value: v})
			}
			return program.Reg(index)
		case cCast:
			if call, ok := y.x.(cCall); ok && (y.typ.pointer > 0 || y.typ.typ.Bits >= 32) {
				return l.assignTo(cAssign{x.cNode, x.x, call})
			}
		}
		l.step(program.Command{Op: program.Assign, Reg: index, Value: l.value(x.y)})
		return program.Reg(index)
	}
	at, ok := lvalue(x.x)
	var tags []string
	if call, is := x.x.(cCall); is && call.name.Text == "ACCESS_ONCE" {
		at, ok = lvalue(call.args[0])
		tags = []string{"Once"}
	}
	if !ok {
		l.fail(x.x.where(), "", "this cannot be assigned to")
	}
	addr := l.value(at)
	v := l.value(x.y)
	l.store(addr, v, tags...)
	return v
}

// guard is what asserts that an address is one of a cell; nil where it is.
func (l *cLowering) guard(addr program.Expr) *program.Command {
	if k, ok := addr.(program.Const); ok {
		if v := l.vars.at(int64(k)); v == nil || (int64(k)-v.addr)%v.stride() != 0 {
			l.fail(l.at, "", "this is not the address of a variable")
		}
		return nil
	}
	var spans []span
	for _, v := range l.vars.sorted {
		spans = append(spans, v.span())
	}
	return &program.Command{Op: program.Assert, Kind: program.Fault, Value: l.within(addr, spans, 8), Text: "the pointer is not the address of a variable"}
}

func (l *cLowering) load(r int, addr program.Expr, tags ...string) {
	if g := l.guard(addr); g != nil {
		l.step(*g)
	}
	l.step(program.Command{Op: program.Load, Reg: r, Addr: addr, Tags: program.NewTags(tags...)})
}

func (l *cLowering) store(addr, v program.Expr, tags ...string) {
	if g := l.guard(addr); g != nil {
		l.step(*g)
	}
	l.step(program.Command{Op: program.Store, Addr: addr, Value: v, Tags: program.NewTags(tags...)})
}

func (l *cLowering) fence(tag string) {
	l.step(program.Command{Op: program.Fence, Tags: program.NewTags(tag)})
}

// call does what a function does. What it returns goes to the register dst, where that
// is not -1, or wherever the expression says.
func (l *cLowering) call(x cCall, dst int) program.Expr {
	f, _ := function(x)
	tags := f.tags
	if f.order > 0 {
		tags = []string{l.c.orderOf(x.args[f.order])}
	}
	address := func() program.Expr {
		if f.lvalue {
			if a, ok := lvalue(x.args[0]); ok {
				return l.value(a)
			}
		}
		return l.value(x.args[0])
	}
	result := func() int {
		if dst >= 0 {
			return dst
		}
		return l.temp()
	}
	switch f.kind {
	case callFence:
		tag := ""
		if f.kernel {
			tag = f.tags[0]
		} else {
			tag = l.c.orderOf(x.args[0])
		}
		l.fence(tag)
	case callLoad:
		addr := address()
		r := result()
		l.load(r, addr, tags...)
		return program.Reg(r)
	case callStore:
		addr := address()
		var v program.Expr = program.Const(0)
		if len(x.args) > 1 && f.order != 1 {
			v = l.value(x.args[1])
		}
		l.store(addr, v, tags...)
		if f.mb {
			l.fence("Mb")
		}
	case callUpdate:
		return l.update(f, x, tags)
	case callCompare:
		addr, old, v := l.value(x.args[0]), l.value(x.args[1]), l.value(x.args[2])
		r := l.temp()
		l.compare(f, x, addr, r, tags, []string{"Once"}, old, program.Eq, v, nil, nil)
		return program.Reg(r)
	case callUnless:
		return l.unless(f, x, tags)
	case callCompareC:
		return l.compareC(f, x, tags)
	case callLock, callUnlockWait:
		l.step(l.atomic(x, l.value(x.args[0]), func(addr program.Expr) []program.Command {
			r := l.temp()
			return []program.Command{
				{Op: program.Load, Reg: r, Addr: addr, Tags: program.NewTags("Acquire", "LKR")},
				{Op: program.Check, Value: program.Binary{Op: program.Eq, X: program.Reg(r), Y: program.Const(0)}},
				{Op: program.Store, Addr: addr, Value: program.Const(1), Tags: program.NewTags("Once", "LKW")},
			}
		}))
		if f.kind == callUnlockWait {
			l.store(l.value(x.args[0]), program.Const(0), "Release", "UL")
		}
	case callUnlock:
		l.store(l.value(x.args[0]), program.Const(0), "Release", "UL")
	case callTryLock:
		addr, ok := l.value(x.args[0]), l.temp()
		l.compare(f, x, addr, ok, []string{"Acquire", "LKR"}, []string{"Once", "LF"}, program.Const(0), program.Eq, program.Const(1), []string{"Once", "LKW"}, nil)
		return binary(program.Eq, program.Reg(ok), program.Const(0))
	case callIsLocked:
		addr, r := l.value(x.args[0]), l.temp()
		l.load(r, addr, "Once", "RL")
		return program.Reg(r)
	}
	return program.Const(0)
}

// atomic is one command of what f makes, after a check of the address.
func (l *cLowering) atomic(x cCall, addr program.Expr, f func(addr program.Expr) []program.Command) program.Command {
	var body []program.Command
	if g := l.guard(addr); g != nil {
		body = append(body, *g)
	}
	return program.Command{Op: program.Atomic, Text: x.name.Text, Body: append(body, f(addr)...)}
}

// update is a function that reads and writes in any case.
func (l *cLowering) update(f cFunctionInfo, x cCall, tags []string) program.Expr {
	at, by := 0, 1
	if f.first && f.args == 2 {
		at, by = 1, 0
	}
	var v program.Expr = program.Const(f.by)
	var addr program.Expr
	if f.args == 1 || f.order == 1 {
		addr = l.value(x.args[0])
	} else if at == 0 {
		addr = l.value(x.args[at])
		v = l.value(x.args[by])
	} else {
		v = l.value(x.args[by])
		addr = l.value(x.args[at])
	}
	if f.mb && !f.void {
		l.fence("Mb")
	}
	r := l.temp()
	var old program.Expr = program.Reg(r)
	next := v
	switch f.opName {
	case "xchg":
	case "andnot":
		next = binary(program.BitAnd, old, program.Unary{Op: program.Complement, X: v})
	default:
		next = binary(f.op, old, v)
	}
	l.step(l.atomic(x, addr, func(addr program.Expr) []program.Command {
		read, write := tags, tags
		if f.kernel {
			read, write = kernelTags(tags)
		}
		return []program.Command{
			{Op: program.Load, Reg: r, Addr: addr, Tags: program.NewTags(read...)},
			{Op: program.Store, Addr: addr, Value: next, Tags: program.NewTags(write...)},
		}
	}))
	if f.mb && !f.void {
		l.fence("Mb")
	}
	switch {
	case f.void:
		return program.Const(0)
	case f.old:
		return old
	case f.test:
		return binary(program.Eq, next, program.Const(0))
	case f.negative:
		return binary(program.Lt, next, program.Const(0))
	}
	return next
}

// kernelTags is what the two accesses of a read-modify-write of the kernel bear.
func kernelTags(tags []string) (read, write []string) {
	switch tags[0] {
	case "Acquire":
		return tags, []string{"Once"}
	case "Release":
		return []string{"Once"}, tags
	}
	if len(tags) > 1 { // Noreturn
		return tags, []string{"Once"}
	}
	return tags, tags
}

// compare is a read and, where its value relates to expected as op says, a write. Both
// ways lead on, after more has been done where it does not. failed are the tags of the
// read alone.
func (l *cLowering) compare(f cFunctionInfo, x cCall, addr program.Expr, r int, tags, failed []string, expected program.Expr, op program.BinaryOp, v program.Expr, write []string, otherwise func()) {
	from, yes, no, done := l.cur, l.State(l.at), l.State(l.at), l.State(l.at)
	read := tags
	if write == nil {
		if read, write = tags, tags; f.kernel {
			read, write = kernelTags(tags)
		}
	}
	// The full fences are there only where it succeeds.
	l.cur = from
	if f.mb {
		l.fence("Mb")
	}
	l.edge(l.cur, yes, l.atomic(x, addr, func(addr program.Expr) []program.Command {
		return []program.Command{
			{Op: program.Load, Reg: r, Addr: addr, Tags: program.NewTags(read...)},
			{Op: program.Check, Value: binary(op, program.Reg(r), expected)},
			{Op: program.Store, Addr: addr, Value: v, Tags: program.NewTags(write...)},
		}
	}))
	l.cur = yes
	if f.mb {
		l.fence("Mb")
	}
	l.bind(l.cur, done)
	l.edge(from, no, l.atomic(x, addr, func(addr program.Expr) []program.Command {
		body := []program.Command{{Op: program.Load, Reg: r, Addr: addr, Tags: program.NewTags(failed...)}}
		if !f.weak {
			body = append(body, program.Command{Op: program.Check, Value: program.NotExpr(binary(op, program.Reg(r), expected))})
		}
		return body
	}))
	l.cur = no
	if otherwise != nil {
		otherwise()
	}
	l.bind(l.cur, done)
	l.cur = done
}

// unless is atomic_add_unless and its kin.
func (l *cLowering) unless(f cFunctionInfo, x cCall, tags []string) program.Expr {
	addr := l.value(x.args[0])
	var by, not program.Expr = program.Const(1), program.Const(0)
	if f.args == 3 {
		by, not = l.value(x.args[1]), l.value(x.args[2])
	}
	r := l.temp()
	l.compare(f, x, addr, r, tags, []string{"Once"}, not, program.Ne, binary(program.Add, program.Reg(r), by), nil, nil)
	if f.old {
		return program.Reg(r)
	}
	return binary(program.Ne, program.Reg(r), not)
}

// compareC is compare and exchange of C11.
func (l *cLowering) compareC(f cFunctionInfo, x cCall, tags []string) program.Expr {
	addr := l.value(x.args[0])
	local, isLocal := x.args[1].(cPlace)
	var place program.Expr
	if !isLocal {
		place = l.value(x.args[1])
	}
	failed := tags
	if f.kernel {
		failed = []string{"Once"}
	}
	if f.second > 0 {
		failed = []string{l.c.orderOf(x.args[f.second])}
	}
	expected, r, ok := l.temp(), l.temp(), l.temp()
	v := l.value(x.args[2])
	if isLocal {
		l.step(program.Command{Op: program.Assign, Reg: expected, Value: program.Reg(l.register(local.index))})
	} else {
		l.load(expected, place)
	}
	l.step(program.Command{Op: program.Assign, Reg: ok, Value: program.Const(1)})
	l.compare(f, x, addr, r, tags, failed, program.Reg(expected), program.Eq, v, nil, func() {
		if isLocal {
			l.step(program.Command{Op: program.Assign, Reg: l.register(local.index), Value: program.Reg(r)})
		} else {
			l.store(place, program.Reg(r))
		}
		l.step(program.Command{Op: program.Assign, Reg: ok, Value: program.Const(0)})
	})
	return program.Reg(ok)
}
