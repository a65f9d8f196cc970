package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// The errors that functions of the library give.
const (
	eperm   = 1
	esrch   = 3
	ebusy   = 16
	enomem  = 12
	einval  = 22
	edeadlk = 35
	// Those of C11.
	thrdBusy, thrdError, thrdTimedout = 1, 2, 4
)

// create starts a thread at the function fn with the argument arg; where detached is not nil it is whether nobody waits for it.
func (l *lowerer) create(n cc.Node, id cc.ExpressionNode, detached program.Expr, fn, arg value) {
	if l.dryness > 0 {
		l.emitted = true
		return
	}
	var p place
	known := id != nil && !l.null(id)
	if known {
		p = l.target(id) // if that fails there is no thread
		l.at(n)
		if p.t.Const {
			l.assignable(n, p)
		}
	}
	r := l.temp(types.UnsignedLong)
	l.beginning(fn.e, func(fn program.Expr) {
		l.operate(&flowgraph.Reserve{Reg: r})
		if known {
			l.storeAs(p, l.convert(value{t: types.UnsignedLong, e: program.Reg(r)}, p.t.Plain()), plain)
		}
		l.operate(&operations.Start{ID: program.Reg(r), Fn: fn, Arg: arg.e, Legacy: l.legacy()})
		if detached != nil {
			yes, end := l.node(), l.node()
			l.split(detached, yes, end)
			l.cur = yes
			l.operate(&flowgraph.Detach{ID: program.Reg(r)})
			l.land(end)
		}
	})
}

// beginning makes a thread that begins with the function fn, by start: where that is computed, one way for each function that
// it can be.
func (l *lowerer) beginning(fn program.Expr, start func(fn program.Expr)) {
	if _, ok := fn.(program.Const); ok {
		start(fn)
		return
	}
	l.anyFunction()
	end := l.node()
	for id, name := range l.u.fnName {
		t := l.functionType(name)
		if t == nil || len(t.Params) > 1 || t.Elem.Aggregate() || l.u.defined[name] == nil {
			continue
		}
		is, next := l.node(), l.node()
		at := program.Const(int64(id+1) * 16)
		l.split(eq(fn, at), is, next)
		l.cur = is
		start(at)
		l.jump(end)
		l.cur = next
	}
	l.assert(program.Const(0), "a thread that begins with no function")
	l.land(end)
}

// spawn is GenMC's way to start a thread, whose number is the value.
func spawn(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	fn, arg := l.threadFunction(args[0]), l.convert(l.expr(args[1]), types.VoidPointer)
	for _, a := range args[2:] {
		l.effect(a)
	}
	l.at(n)
	if l.dryness > 0 {
		l.emitted = true
		return number(types.UnsignedLong, 0)
	}
	r := l.temp(types.UnsignedLong)
	l.beginning(fn.e, func(fn program.Expr) {
		l.operate(&flowgraph.Reserve{Reg: r})
		l.operate(&operations.Start{ID: program.Reg(r), Fn: fn, Arg: arg.e, Legacy: l.legacy()})
	})
	return value{t: types.UnsignedLong, e: program.Reg(r)}
}

// joined waits for the end of a thread and gives what it ends with.
func (l *lowerer) joined(n cc.Node, id value) value {
	if l.dryness > 0 {
		l.emitted = true
		return number(types.VoidPointer, 0)
	}
	r := l.temp(types.VoidPointer)
	l.operate(&flowgraph.Exists{ID: id.e})
	l.joinsOther(id)
	if l.mayBeCancelled() {
		l.operate(&flowgraph.Claim{ID: id.e})
		l.waitsCancelled(n, func() { l.operate(&flowgraph.Claim{ID: id.e, NoMore: true}) })
	}
	l.operate(&flowgraph.Join{ID: id.e, Reg: r, Claimed: l.mayBeCancelled()})
	return value{t: types.VoidPointer, e: program.Reg(r), gave: l.gave(id)}
}

// join waits for the end of a thread.
func (l *lowerer) join(n cc.Node, id value, to cc.ExpressionNode) {
	if l.dryness > 0 {
		l.emitted = true
		return
	}
	put := l.outcome(n, to, types.VoidPointer)
	put(l.joined(n, id))
}

// joinIfEnded waits for the end of a thread that has ended; where it has not, which it finds out at any time, otherwise says what it gives, in a register.
func (l *lowerer) joinIfEnded(n cc.Node, id value, to cc.ExpressionNode, otherwise func(r int)) value {
	if l.dryness > 0 {
		l.emitted = true
		return number(types.Int, 0)
	}
	put := l.outcome(n, to, types.VoidPointer)
	r, joined := l.temp(types.Int), l.temp(types.VoidPointer)
	end := l.node()
	l.operate(&flowgraph.Exists{ID: id.e})
	from := l.cur
	if l.u.opts.Mapping.x86() { // who finds that it has not ended has done no more than a plain load
		has := l.temp(types.Bool)
		l.operate(&flowgraph.Looks{ID: id.e, Reg: has})
		ended := l.node()
		from = l.node()
		l.split(program.Reg(has), ended, from)
		l.cur = ended
	}
	l.operate(&flowgraph.Join{ID: id.e, Reg: joined, Tries: true})
	put(value{t: types.VoidPointer, e: program.Reg(joined), gave: l.gave(id)})
	l.assign(r, program.Const(0))
	l.jump(end)
	if l.cur = from; !l.u.opts.Mapping.x86() {
		l.operate(&flowgraph.Asks{ID: id.e})
	}
	otherwise(r)
	l.land(end)
	return value{t: types.Int, e: program.Reg(r)}
}

// joinLimited waits for the end of a thread with a limit, and wrong is not 0 where that is no time.
func (l *lowerer) joinLimited(n cc.Node, id value, to cc.ExpressionNode, wrong program.Expr) value {
	if l.dryness == 0 {
		l.joinsOther(id)
		l.waitsCancelled(n, nil)
	}
	return l.joinIfEnded(n, id, to, func(r int) {
		no, late, end := l.node(), l.node(), l.node()
		l.split(wrong, no, late)
		l.cur = no
		l.assign(r, program.Const(einval))
		l.jump(end)
		l.cur = late
		l.assign(r, program.Const(etimedout))
		l.land(end)
	})
}

// outcome is a function that puts something where an argument points to, which is evaluated now, and may be null. Where
// it is a pointer to void it is one to elem.
func (l *lowerer) outcome(n cc.Node, arg cc.ExpressionNode, elem *types.Type) func(value) {
	switch {
	case arg == nil || l.null(arg):
		return func(value) {}
	case addressed(arg) != nil:
		p := l.target(arg)
		l.at(n)
		return func(v value) { l.putOutcome(p, v) }
	case joinTarget(arg) != nil:
		if p := l.lvalue(joinTarget(arg)); p.addr == nil { // else the cast counts
			l.at(n)
			return func(v value) { l.putOutcome(p, v) }
		}
	}
	to := l.expr(arg)
	l.at(n)
	if to.t.Kind != types.PointerKind || to.t.Elem.Kind == types.VoidKind {
		to = l.convert(to, types.PointerTo(elem))
	}
	to = l.kept(to)
	return func(v value) {
		given, end := l.node(), l.node()
		l.split(ne(to.e, program.Const(0)), given, end)
		l.cur = given
		l.putOutcome(l.pointee(to), v)
		l.land(end)
	}
}

// joinsOther asserts that it is not the thread itself that it waits for.
func (l *lowerer) joinsOther(id value) {
	l.assert(ne(id.e, l.self()), "a thread waits for its own end")
}

// self is the number of the thread.
func (l *lowerer) self() program.Expr { return program.Const(l.thread + 1) }

// A mutex is an object of ours with these members.
func (l *lowerer) mutexMember(n cc.Node, p place, name string) place {
	if !p.t.Aggregate() || p.t.Find(name) == nil {
		l.u.fail(n, "", "%s is no object for this operation", p.t.Name)
	}
	m := l.selectMember(n, p, name)
	m.trusted = true
	return m
}

// libraryTarget is the place that an argument of the call n points to: a pointer to void is one to what
// the function is for.
func (l *lowerer) libraryTarget(n cc.Node, arg cc.ExpressionNode) place {
	p := l.target(arg)
	if p.t.Kind == types.FunctionKind {
		l.u.fail(arg, "", "%s is no object", p.t.Name)
	}
	if t := l.u.parameterFor(n, arg); p.t.Kind == types.VoidKind && t != nil && t.Kind == types.PointerKind {
		return place{t: t.Elem.Plain(), addr: p.addr}
	}
	return p
}

// libraryPointer is an argument of the call n, likewise.
func (l *lowerer) libraryPointer(n cc.Node, arg cc.ExpressionNode) value {
	v := l.expr(arg)
	if t := l.u.parameterFor(n, arg); t != nil && t.Kind == types.PointerKind && (v.t.Kind != types.PointerKind || v.t.Elem.Kind == types.VoidKind) {
		v = l.convert(v, types.PointerTo(t.Elem.Plain()))
	}
	return v
}

// parameterFor is the type of the parameter that an argument of the call n is for; nil: it is not known.
func (u *unit) parameterFor(n cc.Node, arg cc.ExpressionNode) *types.Type {
	call, ok := n.(*cc.PostfixExpression)
	if !ok {
		return nil
	}
	if f := u.globals[called(call)]; f != nil && f.t.Kind == types.FunctionKind {
		for i, a := range arguments(call) {
			if a == arg && i < len(f.t.Params) {
				return f.t.Params[i]
			}
		}
	}
	return nil
}

func (l *lowerer) loadOp(p place, reg, ord int) program.Command {
	return program.Command{Op: program.Load, Reg: reg, Addr: p.addr, Tags: l.copied(p, p.tags(ord))}
}

func (l *lowerer) storeOp(p place, e program.Expr, ord int) program.Command {
	return program.Command{Op: program.Store, Addr: p.addr, Value: e, Tags: p.tags(ord)}
}

func checkOp(e program.Expr) program.Command { return program.Command{Op: program.Check, Value: e} }

func atomicOp(text string, body ...program.Command) program.Command {
	return program.Command{Op: program.Atomic, Text: text, Body: body}
}

// threadFunction is the function that a thread is to begin with.
func (l *lowerer) threadFunction(n cc.ExpressionNode) value {
	fn := l.expr(n)
	if fn.e == nil && fn.t.Kind != types.FunctionKind {
		l.u.fail(n, "", "%s where a function is wanted", fn.t.Name)
	}
	return fn
}

// looksFirst is before a step that can do what is wanted, or find out that it cannot. As the C library of GNU has it on x86, who sees by a
// plain load that it is so goes to failed at once: only what is done is a locked instruction. The condition is on what is loaded, and then is what
// is done on the way.
func (l *lowerer) looksFirst(look program.Command, is program.Expr, failed int, then ...program.Command) {
	if !l.u.opts.Mapping.x86() {
		return
	}
	l.emit(look)
	at, on := l.node(), l.node()
	l.split(is, at, on)
	l.cur = at
	for _, c := range then {
		l.emit(c)
	}
	l.jump(failed)
	l.cur = on
}

func eq(x, y program.Expr) program.Expr { return bin(program.Eq, x, y) }
func ne(x, y program.Expr) program.Expr { return bin(program.Ne, x, y) }

// lock takes a mutex. Where busy is not 0 it need not wait, and gives that where the mutex is taken; one
// that checks errors gives held where this thread has it.
func (l *lowerer) lock(n cc.Node, arg cc.ExpressionNode, held, busy int64) value {
	try := busy != 0
	m := l.libraryTarget(n, arg)
	l.at(n)
	owner := l.mutexMember(n, m, "__owner")
	depth, hasDepth := place{}, m.t.Find("__depth") != nil
	old := l.temp(owner.t)
	result := l.temp(types.Int)
	end := l.node()
	l.initialised(owner)
	if call, ok := n.(*cc.PostfixExpression); ok && called(call) == "mtx_timedlock" {
		kind := l.load(l.mutexMember(n, m, "__kind"))
		l.assert(ne(bin(program.BitAnd, kind.e, program.Const(timedKind)), program.Const(0)), "a lock with a limit of a mutex that was not made for that by mtx_timed")
	}
	from := l.cur
	me := l.self()
	take := func(more ...program.Command) program.Command {
		return atomicOp("lock", append([]program.Command{
			l.loadOp(owner, old, acquire),
			checkOp(eq(program.Reg(old), program.Const(0))),
			l.storeOp(owner, me, acquire)}, more...)...)
	}
	set := func(k int64) program.Command {
		return program.Command{Op: program.Assign, Reg: result, Value: program.Const(k)}
	}
	if hasDepth && l.u.specialMutexes() {
		depth = l.mutexMember(n, m, "__depth")
		k := l.kindOf(n, m)
		d := l.temp(types.Int)
		normal, special := l.node(), l.node()
		l.split(isNormal(k), normal, special)
		l.usesMutex(special, owner)
		// A recursive mutex counts, which only who holds it does; one that checks errors says that it is
		// held. On x86 who has it finds that by a plain load.
		counted, deeper, holds, checks := l.node(), l.node(), l.node(), l.node()
		mine, counts := eq(program.Reg(old), me), eq(k, program.Const(recursiveKind))
		if l.u.opts.Mapping.x86() {
			l.cur = special
			l.looksFirst(l.loadOp(owner, old, relaxed), mine, holds)
			special = l.cur
			l.cur = holds
			l.split(counts, counted, checks)
		} else {
			l.edge(special, counted, atomicOp("lock", l.loadOp(owner, old, acquire), checkOp(mine), checkOp(counts)))
			l.edge(special, checks, atomicOp("lock", l.loadOp(owner, old, acquire), checkOp(mine), checkOp(program.NotExpr(counts))))
		}
		l.edge(checks, end, set(held))
		l.edge(counted, deeper, l.loadOp(depth, d, plain))
		again := l.node()
		l.edge(deeper, again, l.storeOp(depth, bin(program.Add, program.Reg(d), program.Const(1)), plain))
		l.edge(again, end, set(0))
		l.edge(special, end, take(set(0)))
		if try {
			l.edge(special, end, atomicOp("trylock", l.loadOp(owner, old, relaxed),
				checkOp(ne(program.Reg(old), program.Const(0))), checkOp(ne(program.Reg(old), me)), set(busy)))
		}
		from = normal
	}
	l.usesMutex(from, owner)
	l.edge(from, end, take(set(0)))
	if try {
		l.edge(from, end, atomicOp("trylock", l.loadOp(owner, old, relaxed),
			checkOp(ne(program.Reg(old), program.Const(0))), set(busy)))
	}
	l.cur = end
	if !try && !l.u.specialMutexes() {
		return number(types.Int, 0)
	}
	return value{t: types.Int, e: program.Reg(result)}
}

// timedKind is a bit of the kind of a mutex of C11 that may be locked with a limit of time, where anybody does so.
const timedKind = 4

// kindOf is the kind of a mutex, apart from that.
func (l *lowerer) kindOf(n cc.Node, m place) program.Expr {
	return l.kept(value{t: types.Int, e: flowgraph.Fold(bin(program.BitAnd, l.load(l.mutexMember(n, m, "__kind")).e, program.Const(timedKind-1)))}).e
}

// isNormal is whether a mutex of this kind neither counts nor checks: it is the usual one, or PTHREAD_MUTEX_ADAPTIVE_NP.
func isNormal(kind program.Expr) program.Expr {
	return flowgraph.Fold(bin(program.LogicalOr, eq(kind, program.Const(0)), eq(kind, program.Const(3))))
}

// unlock gives a mutex back.
func (l *lowerer) unlock(n cc.Node, arg cc.ExpressionNode) value {
	m := l.libraryTarget(n, arg)
	l.at(n)
	return l.unlockPlace(n, m)
}

func (l *lowerer) unlockPlace(n cc.Node, m place) value {
	owner := l.mutexMember(n, m, "__owner")
	old := l.temp(owner.t)
	me := l.self()
	held := program.Command{Op: program.Assert, Value: eq(program.Reg(old), me), Text: "unlock of a mutex that this thread does not hold"}
	spins := m.t.Find("__depth") == nil
	if spins && l.u.opts.Mapping.x86() { // a plain move, after what was stored before
		l.emit(l.loadOp(owner, old, relaxed))
		l.emit(held)
		l.emit(program.Command{Op: program.Fence, Tags: program.NewTags(target.OrderTag[release], program.TagSFence)})
		l.emit(l.storeOp(owner, program.Const(0), release))
		return number(types.Int, 0)
	}
	if spins || !l.u.specialMutexes() {
		l.emit(atomicOp("unlock", l.loadOp(owner, old, relaxed), held, l.storeOp(owner, program.Const(0), release)))
		return number(types.Int, 0)
	}
	// One that counts or checks errors says that it is not held by this thread.
	normal, special, mine, end := l.node(), l.node(), l.node(), l.node()
	result := l.temp(types.Int)
	l.split(isNormal(l.kindOf(n, m)), normal, special)
	l.edge(normal, mine, atomicOp("unlock", l.loadOp(owner, old, relaxed), held))
	l.usesMutex(special, owner)
	if l.u.opts.Mapping.x86() {
		l.cur = special
		l.looksFirst(l.loadOp(owner, old, relaxed), flowgraph.Fold(program.NotExpr(held.Value)), end, setTo(result, eperm))
		l.jump(mine)
	} else {
		l.edge(special, mine, atomicOp("unlock", l.loadOp(owner, old, relaxed), checkOp(held.Value)))
		l.edge(special, end, atomicOp("unlock", l.loadOp(owner, old, relaxed), checkOp(flowgraph.Fold(program.NotExpr(held.Value))), setTo(result, eperm)))
	}
	l.cur = mine
	l.assign(result, program.Const(0))
	d := l.load(l.mutexMember(n, m, "__depth"))
	last, back := l.node(), l.node()
	l.split(eq(d.e, program.Const(0)), last, back)
	l.edge(last, end, atomicOp("unlock", l.storeOp(owner, program.Const(0), release)))
	l.edge(back, end, l.storeOp(l.mutexMember(n, m, "__depth"), bin(program.Sub, d.e, program.Const(1)), plain))
	l.cur = end
	return value{t: types.Int, e: program.Reg(result)}
}

// waitsWith asserts that the thread has the mutex, of any kind, once.
func (l *lowerer) waitsWith(n cc.Node, m place) {
	if l.u.specialMutexes() {
		owner := l.load(l.mutexMember(n, m, "__owner"))
		l.assert(eq(owner.e, l.self()), "a wait with a mutex that this thread does not hold")
		d := l.load(l.mutexMember(n, m, "__depth"))
		l.assert(eq(d.e, program.Const(0)), "a wait with a mutex that is taken more than once")
	}
}

// lockPlace takes a normal mutex.
func (l *lowerer) lockPlace(n cc.Node, m place) {
	owner := l.mutexMember(n, m, "__owner")
	old := l.temp(owner.t)
	l.usesMutex(l.cur, owner)
	l.emit(atomicOp("lock", l.loadOp(owner, old, acquire), checkOp(eq(program.Reg(old), program.Const(0))),
		l.storeOp(owner, l.self(), acquire)))
}

// zeroPlace sets an object to what its static initialiser makes of it.
func (l *lowerer) zeroPlace(p place) {
	for _, c := range l.cells(p) {
		l.initialises(c)
		l.emit(l.storeOp(c, program.Const(0), plain))
	}
}

// onPlace is a function that does something to what its first argument points to.
func onPlace(args int, f func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode)) builtin {
	return builtin{args, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		p := l.libraryTarget(n, args[0])
		l.at(n)
		f(l, n, p, args)
		return number(types.Int, 0)
	}}
}

// threadBuiltins are the functions that this file knows.
func threadBuiltins() map[string]builtin {
	mutexInit := onPlace(2, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
		l.renewing(n, p.addr, p.t)
		l.zeroPlace(p)
		if !l.null(args[1]) {
			v := l.libraryPointer(n, args[1])
			if v.t.Kind == types.PointerKind && v.t.Elem.Find("__kind") != nil {
				// A pointer may be null here, too: that is the usual kind.
				given, end := l.node(), l.node()
				l.edge(l.cur, given, checkOp(ne(v.e, program.Const(0))))
				l.edge(l.cur, end, checkOp(eq(v.e, program.Const(0))))
				l.cur = given
				k := l.load(l.selectMember(n, l.pointee(v), "__kind"))
				l.store(l.mutexMember(n, p, "__kind"), k)
				l.land(end)
			}
		}
	})
	mtxInit := onPlace(2, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
		l.renewing(n, p.addr, p.t)
		l.zeroPlace(p)
		k := l.convert(l.expr(args[1]), types.Int)
		kind := bin(program.BitAnd, k.e, program.Const(1))
		if l.u.names("mtx_timedlock") {
			kind = bin(program.BitOr, kind, bin(program.Shl, bin(program.BitAnd, k.e, program.Const(2)), program.Const(1)))
		}
		l.store(l.mutexMember(n, p, "__kind"), l.convert(value{t: types.Int, e: flowgraph.Fold(kind)}, types.Int))
	})
	zero := onPlace(^1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
		evaluateAll(l, args[1:])
		l.renewing(n, p.addr, p.t)
		l.zeroPlace(p)
	})
	conditionInit := onPlace(^1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
		evaluateAll(l, args[1:])
		l.initialisesCondition(n, p)
		l.zeroPlace(p)
	})
	destroy := onPlace(1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
		l.destroyMutex(n, p)
	})
	lock := builtin{^1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		return l.lock(n, args[0], edeadlk, 0)
	}}
	unlock := builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		return l.unlock(n, args[0])
	}}
	try := func(busy int64) builtin {
		return builtin{^1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.lock(n, args[0], busy, busy)
		}}
	}
	// A lock with a limit of time is given up where it is taken: who can have it at once has it, whatever the limit.
	timedLock := func(which int, timedOut, bad int64) builtin {
		return limited(which, timedOut, bad, false, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.lock(n, args[0], edeadlk, timedOut)
		})
	}
	reading := func(held, busy int64) builtin {
		return builtin{^1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.readLock(n, args[0], held, busy)
		}}
	}
	writing := func(held, busy int64) builtin {
		return builtin{^1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.writeLock(n, args[0], held, busy)
		}}
	}
	timedRead := func(which int) builtin {
		return limited(which, etimedout, einval, true, reading(edeadlk, etimedout).do)
	}
	timedWrite := func(which int) builtin {
		return limited(which, etimedout, einval, true, writing(edeadlk, etimedout).do)
	}
	// A wait for the end of a thread with a limit: without one it is like any other.
	timedJoin := func(which int) builtin {
		return builtin{which + 1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			id := l.kept(l.convert(l.expr(args[0]), types.UnsignedLong))
			evaluateAll(l, args[2:which])
			l.at(n)
			if l.null(args[which]) {
				l.join(n, id, args[1])
				return number(types.Int, 0)
			}
			if addressed(args[which]) != nil {
				return l.joinLimited(n, id, args[1], l.badTime(n, args[which], false))
			}
			limit := l.kept(l.libraryPointer(n, args[which]))
			if limit.t.Kind != types.PointerKind || !l.namesTime(limit.t.Elem) {
				l.u.refuse(args[which], "a time that is "+limit.t.Name)
			}
			r := l.temp(types.Int)
			none, some, end := l.node(), l.node(), l.node()
			l.split(eq(limit.e, program.Const(0)), none, some)
			l.cur = none
			l.join(n, id, args[1])
			l.assign(r, program.Const(0))
			l.jump(end)
			l.cur = some
			l.assign(r, l.joinLimited(n, id, args[1], l.badTimeAt(n, l.pointee(limit), false)).e)
			l.land(end)
			return value{t: types.Int, e: program.Reg(r)}
		}}
	}
	return map[string]builtin{
		"pthread_create": {4, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			detached := l.detached(n, args[1])
			fn, arg := l.threadFunction(args[2]), l.expr(args[3])
			l.keepsDates(arg.t, types.VoidPointer)
			arg = l.convert(arg, types.VoidPointer)
			l.at(n)
			l.create(n, args[0], detached, fn, arg)
			return number(types.Int, 0)
		}},
		"thrd_create": {3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			fn, arg := l.threadFunction(args[1]), l.expr(args[2])
			l.keepsDates(arg.t, types.VoidPointer)
			arg = l.convert(arg, types.VoidPointer)
			l.at(n)
			l.create(n, args[0], nil, fn, arg)
			return number(types.Int, 0)
		}},
		"__VERIFIER_spawn":           {^2, spawn},
		"__VERIFIER_spawn_symmetric": {^2, spawn},
		"__VERIFIER_join": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			id := l.convert(l.expr(args[0]), types.UnsignedLong)
			l.at(n)
			v := l.joined(n, id)
			if v.gave != nil && l.idle != n {
				l.assert(v.gave, noThreadValue)
			}
			return v
		}},
		"pthread_join": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			id := l.convert(l.expr(args[0]), types.UnsignedLong)
			l.at(n)
			l.join(n, id, args[1])
			return number(types.Int, 0)
		}},
		"thrd_join": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			id := l.convert(l.expr(args[0]), types.UnsignedLong)
			l.at(n)
			l.join(n, id, args[1])
			return number(types.Int, 0)
		}},
		"pthread_exit": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.leave(n, l.convert(l.expr(args[0]), types.VoidPointer))
			return nothing
		}},
		"thrd_exit": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.leave(n, l.convert(l.expr(args[0]), types.Int))
			return nothing
		}},
		"pthread_self": {0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return value{t: types.UnsignedLong, e: l.self()}
		}},
		"thrd_current": {0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return value{t: types.UnsignedLong, e: l.self()}
		}},
		"__VERIFIER_tid": {0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.convert(value{t: types.UnsignedLong, e: l.self()}, types.UnsignedInt)
		}},
		"pthread_equal":             {2, equalThreads},
		"thrd_equal":                {2, equalThreads},
		"pthread_mutexattr_init":    zero,
		"pthread_mutexattr_settype": setOneOf("__kind", 3),
		"pthread_mutexattr_gettype": onPlace(2, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
			kind := l.load(l.mutexMember(n, p, "__kind"))
			to := l.target(args[1])
			l.at(n)
			l.store(to, l.convert(kind, to.t.Plain()))
		}),
		"pthread_mutex_init": mutexInit, "mtx_init": mtxInit,
		"pthread_mutex_destroy": destroy,
		"mtx_destroy": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			destroy.do(l, n, args)
			return nothing
		}},
		"pthread_mutex_lock": lock, "mtx_lock": lock,
		"pthread_mutex_unlock": unlock, "mtx_unlock": unlock,
		"pthread_mutex_timedlock": timedLock(1, etimedout, einval), "mtx_timedlock": timedLock(1, thrdTimedout, thrdError),
		"pthread_mutex_clocklock": onClock(1, waitingBy, timedLock(2, etimedout, einval)),
		"pthread_mutex_trylock":   try(ebusy), "mtx_trylock": try(thrdBusy),
		"pthread_spin_init": zero, "pthread_spin_destroy": destroy,
		"pthread_spin_lock": lock, "pthread_spin_unlock": unlock, "pthread_spin_trylock": try(ebusy),
		"pthread_cond_init": conditionInit, "cnd_init": conditionInit,
		"pthread_rwlock_init": zero, "pthread_rwlock_destroy": onPlace(1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) { l.destroyRWLock(n, p) }),
		"pthread_rwlock_rdlock": reading(edeadlk, 0), "pthread_rwlock_tryrdlock": reading(ebusy, ebusy),
		"pthread_rwlock_wrlock": writing(edeadlk, 0), "pthread_rwlock_trywrlock": writing(ebusy, ebusy),
		"pthread_rwlock_unlock":      {1, rwUnlock},
		"pthread_rwlock_timedrdlock": timedRead(1), "pthread_rwlock_clockrdlock": onClock(1, waitingBy, timedRead(2)),
		"pthread_rwlock_timedwrlock": timedWrite(1), "pthread_rwlock_clockwrlock": onClock(1, waitingBy, timedWrite(2)),
		"pthread_tryjoin_np": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			id := l.kept(l.convert(l.expr(args[0]), types.UnsignedLong))
			l.at(n)
			return l.joinIfEnded(n, id, args[1], func(r int) { l.assign(r, program.Const(ebusy)) })
		}},
		"pthread_timedjoin_np": timedJoin(2), "pthread_clockjoin_np": onClock(2, waitingBy, timedJoin(3)),
		"pthread_barrier_init": {3, initialiseBarrier},
		"pthread_barrier_destroy": onPlace(1, func(l *lowerer, n *cc.PostfixExpression, p place, args []cc.ExpressionNode) {
			need := l.mutexMember(n, p, "__need")
			l.assert(ne(l.load(need).e, program.Const(0)), "a barrier is destroyed that is not initialised")
			const waited = "a barrier is destroyed while threads wait at it"
			if waiting := l.mutexMember(n, p, "__waiting"); l.u.opts.Mapping.x86() {
				w := l.temp(types.Int)
				l.emit(atomicOp("destroy", l.loadOp(waiting, w, acquire), // who may go on is waited for
					program.Command{Op: program.Assert, Value: bin(program.Le, program.Reg(w), program.Const(0)), Text: waited},
					checkOp(eq(program.Reg(w), program.Const(0)))))
			} else {
				s := l.kept(l.loadAs(waiting, relaxed))
				l.assert(eq(bin(program.BitAnd, s.e, program.Const(roundUnit-1)), program.Const(0)), waited)
				if l.u.known.renewed {
					l.allHaveLeft(s.e, l.kept(l.load(need)).e, l.mutexMember(n, p, "__left"))
				}
			}
			l.storeAs(need, number(types.UnsignedInt, 0), plain)
		}),
		"pthread_barrier_wait": {1, barrierWait},
		"pthread_once":         {2, callOnce},
		"call_once":            {2, callOnce},
	}
}

func equalThreads(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	x, y := l.convert(l.expr(args[0]), types.UnsignedLong), l.convert(l.expr(args[1]), types.UnsignedLong)
	return l.compare(n, eqOp, x, y)
}

// leave ends the thread.
func (l *lowerer) leave(n cc.Node, v value) {
	if l.dryness > 0 {
		l.emitted = true
		return
	}
	v = l.kept(v)
	l.cleanUp(n)
	if l.result >= 0 {
		l.assign(l.result, v.e)
	}
	if l.thread == 0 && (l.u.endCalls() > 0 || len(l.u.hooks("destructor")) > 0) {
		l.operate(&flowgraph.Bound{What: "not modelled: main ends before others, and who ends last calls what atexit was given"})
	}
	l.dead(l.exit)
}

// initialiseBarrier is pthread_barrier_init, which fails for no threads, and for more than the C library of GNU counts.
func initialiseBarrier(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	p := l.libraryTarget(n, args[0])
	evaluateAll(l, args[1:2])
	k := l.kept(l.convert(l.expr(args[2]), types.UnsignedInt))
	l.at(n)
	need, r := l.mutexMember(n, p, "__need"), l.temp(types.Int)
	some, none, end := l.node(), l.node(), l.node()
	l.split(flowgraph.Between(k.e, 1, 1<<31-1), some, none)
	l.cur = none
	l.assign(r, program.Const(einval))
	l.jump(end)
	l.cur = some
	l.assert(flowgraph.Fold(noCount(l.load(need).e)), "a barrier is initialised twice")
	l.storeAs(need, l.convert(k, types.Int), plain)
	begun := []string{"__waiting"}
	switch {
	case l.u.opts.Mapping.x86():
	case l.u.known.renewed:
		begun = append(begun, "__round", "__left")
	case l.u.lasts(p.addr): // in others it goes on from where it was: threads that have yet to leave may look at what is in it
		l.barrierGoesOn(l.mutexMember(n, p, "__waiting"), l.mutexMember(n, p, "__round"))
		begun = nil
	default:
		begun = append(begun, "__round")
		l.mayRenew()
	}
	for _, name := range begun {
		l.storeAs(l.mutexMember(n, p, name), number(types.Int, 0), plain)
	}
	l.assign(r, program.Const(0))
	l.land(end)
	return value{t: types.Int, e: program.Reg(r)}
}

// barrierWait waits for the others. What is in the barrier is how many have come, or, below 0, how many have yet to go on since the last one
// came. Until they have, nobody comes for the next time: more threads than it is for may use a barrier, and who has not noticed yet that he may
// go on must not wait for the next ones. Nobody can tell, since they may go on at once.
func barrierWait(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	p := l.libraryTarget(n, args[0])
	l.at(n)
	need, waiting := l.mutexMember(n, p, "__need"), l.mutexMember(n, p, "__waiting")
	if !l.u.opts.Mapping.x86() {
		return l.barrierInSteps(need, waiting, l.mutexMember(n, p, "__round"), l.mutexMember(n, p, "__left"))
	}
	k, w, result := l.temp(types.UnsignedInt), l.temp(types.Int), l.temp(types.Int)
	come := plus(program.Reg(w), 1)
	stay, end := l.node(), l.node()
	arrive := func(to int, is, then program.Expr, more ...program.Command) {
		l.edge(l.cur, to, atomicOp("barrier", append([]program.Command{l.loadOp(need, k, acqRel),
			{Op: program.Assert, Value: ne(program.Reg(k), program.Const(0)), Text: "a barrier that is not initialised"},
			l.loadOp(waiting, w, acqRel), checkOp(bin(program.Le, program.Const(0), program.Reg(w))), checkOp(is),
			l.storeOp(waiting, then, acqRel)}, more...)...))
	}
	full := bin(program.Ge, come, program.Reg(k))
	arrive(end, full, bin(program.Sub, program.Const(1), program.Reg(k)), setTo(result, serialThread))
	arrive(stay, program.NotExpr(full), come)
	l.edge(stay, end, atomicOp("barrier", l.loadOp(waiting, w, acqRel), checkOp(bin(program.Lt, program.Reg(w), program.Const(0))),
		l.storeOp(waiting, come, acqRel), setTo(result, 0)))
	l.cur = end
	return value{t: types.Int, e: program.Reg(result)}
}

// serialThread is PTHREAD_BARRIER_SERIAL_THREAD.
const serialThread = -1

// roundUnit is what the number of times that all have come to a barrier is counted by, above how many have come since; half of all numbers
// that are told apart.
const (
	roundUnit  = 1 << 16
	halfRounds = 1 << 15
)

// barrierInSteps is barrierWait for models that have no words for several accesses at once. waiting holds how many have come, and above that
// how often all have; round, how often somebody who came last has said so. Others wait until that is more than how often all had come before
// them: whoever said so has seen all who came before him come. left is how many of the others have
// gone on, where that is asked for.
func (l *lowerer) barrierInSteps(need, waiting, round, left place) value {
	k := l.load(need)
	l.assert(ne(k.e, program.Const(0)), "a barrier that is not initialised")
	s, now, result := l.temp(types.UnsignedInt), l.temp(types.UnsignedInt), l.temp(types.Int)
	come := plus(bin(program.BitAnd, program.Reg(s), program.Const(roundUnit-1)), 1)
	before := bin(program.Shr, program.Reg(s), program.Const(16))
	arrive := func(to int, is, then program.Expr) {
		l.edge(l.cur, to, atomicOp("barrier", l.loadOp(waiting, s, acqRel), checkOp(is), l.storeOp(waiting, then, acqRel)))
	}
	stay, told, last, end := l.node(), l.node(), l.node(), l.node()
	arrive(stay, bin(program.Lt, come, k.e), plus(program.Reg(s), 1))
	arrive(last, eq(come, k.e), wrap(bin(program.Mul, plus(before, 1), program.Const(roundUnit)), types.UnsignedInt))
	passed := bin(program.BitAnd, plus(bin(program.Sub, program.Reg(now), before), -1), program.Const(roundUnit-1))
	look := l.loadOp(round, now, acquire)
	look.Tags = look.Tags.With(lowered.CarefulTag) // who has gone on already may have destroyed it
	l.edge(stay, told, atomicOp("barrier", look, checkOp(bin(program.Lt, passed, program.Const(halfRounds))), setTo(result, 0)))
	l.cur = told
	if l.u.known.renewed {
		l.rmw("barrier", left, now, wrap(plus(program.Reg(now), 1), types.UnsignedInt), acqRel)
	}
	l.jump(end)
	l.cur = last
	l.rmw("barrier", round, now, wrap(plus(program.Reg(now), 1), types.UnsignedInt), acqRel)
	l.assign(result, program.Const(serialThread))
	l.land(end)
	return value{t: types.Int, e: program.Reg(result)}
}

// mayRenew notes that a barrier is initialised whose memory does not tell whether it has been one. If that may happen to it again once it has been
// destroyed, who has yet to leave must not look at what is in it then: in such programs, who destroys one waits for them, as the C library of GNU
// does.
func (l *lowerer) mayRenew() {
	if l.dryness > 0 || !l.u.names("pthread_barrier_destroy") {
		return
	}
	again := false // here
	for f := l.frame; f != nil; f = f.up {
		again = again || len(f.continues) > 0 || len(f.labels) > 0
	}
	l.u.renewed = l.u.renewed || again || l.u.renewable
	l.u.renewable = true
}

// allHaveLeft waits until all have left a barrier for need threads who waited in it; waiting is what is in it (see barrierInSteps). Who came last has
// accessed it for the last time before any of them goes on, and is not counted: the order of two who leave would be two executions.
func (l *lowerer) allHaveLeft(waiting, need program.Expr, left place) {
	gone := l.temp(types.UnsignedInt)
	come := bin(program.Mul, bin(program.Shr, waiting, program.Const(16)), plus(need, -1))
	stay := bin(program.BitAnd, bin(program.Sub, come, program.Reg(gone)), program.Const(roundUnit-1))
	l.emit(atomicOp("destroy", l.loadOp(left, gone, acquire), checkOp(eq(stay, program.Const(0)))))
}

// barrierGoesOn is about what is in a barrier that is initialised: it stays, if nobody waits and it is what barriers leave, or 0. Else something
// else has been there, as another member of a union.
func (l *lowerer) barrierGoesOn(waiting, round place) {
	const late = 1 << 10 // how many threads, at most, have yet to say that all have come
	s, now := l.loadAs(waiting, relaxed), l.loadAs(round, relaxed)
	behind := bin(program.BitAnd, bin(program.Sub, bin(program.Shr, s.e, program.Const(16)), now.e), program.Const(roundUnit-1))
	left := bin(program.LogicalAnd, eq(bin(program.BitAnd, s.e, program.Const(roundUnit-1)), program.Const(0)), bin(program.Lt, behind, program.Const(late)))
	anew, end := l.node(), l.node()
	l.split(left, end, anew)
	l.cur = anew
	l.storeAs(waiting, number(types.Int, 0), plain)
	l.storeAs(round, number(types.Int, 0), plain)
	l.land(end)
}

// callOnce calls a function the first time.
func callOnce(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	p := l.libraryTarget(n, args[0])
	f := l.expr(args[1])
	l.at(n)
	if f.t.Kind != types.PointerKind || f.t.Elem.Kind != types.FunctionKind {
		l.u.fail(n, "", "%s cannot be called", f.t.Name)
	}
	state := l.mutexMember(n, p, "__state")
	s := l.temp(types.Int)
	first, wait, end := l.node(), l.node(), l.node()
	l.looksFirst(l.loadOp(state, s, acquire), eq(program.Reg(s), program.Const(2)), end)
	begin := l.cur
	l.edge(begin, first, atomicOp("once", l.loadOp(state, s, acquire), checkOp(eq(program.Reg(s), program.Const(0))),
		l.storeOp(state, program.Const(1), acquire)))
	l.edge(begin, wait, atomicOp("once", l.loadOp(state, s, acquire), checkOp(ne(program.Reg(s), program.Const(0)))))
	l.edge(wait, end, atomicOp("once", l.loadOp(state, s, acquire), checkOp(eq(program.Reg(s), program.Const(2)))))
	l.cur = first
	// Who ends in the function, as one who is cancelled, has not called it.
	if l.u.names("pthread_exit", "thrd_exit", "pthread_cancel") {
		l.edge(wait, begin, atomicOp("once", l.loadOp(state, s, acquire), checkOp(eq(program.Reg(s), program.Const(0)))))
	}
	around := l.cleanups
	l.cleanups = append(around[:len(around):len(around)], cleanup{do: func() { l.emit(atomicOp("once", l.storeOp(state, program.Const(0), release))) }})
	l.throughPointer(n, f, nil)
	l.cleanups = around
	l.emit(atomicOp("once", l.storeOp(state, program.Const(2), release)))
	l.land(end)
	return number(types.Int, 0)
}
