package c

import (
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A futex is a word that threads wait at by FUTEX_WAIT, which does nothing where the word is not what the caller
// takes it for, and are woken by FUTEX_WAKE (futex(2) of the Linux manual; U. Drepper, "Futexes are tricky", 2011).
// To look at the word and to go to sleep is one step. A wait may end by itself, as the manual says, so
// where runs are looked at for what fails nothing need be known of who sleeps: the call is a load.
// Where they are looked at for who waits for ever, a thread that sleeps stands in a cell of its own, with
// the address that it waits at, which a wake clears; and nobody counts on it that a wait ends by itself. In the kernel
// both have a full barrier, and so they have here under the models of processors; under those of C11 it is relaxed, as no text
// says more.

// Numbers of Linux on x86-64.
const (
	sysFutex  = 202
	futexWait = 0
	futexWake = 1
	// The last two are told by a mask, too.
	futexWaitBitset = 9
	futexWakeBitset = 10
	futexPrivate    = 128
	futexRealtime   = 256
	matchAny        = 0xffffffff

	eagain    = 11
	etimedout = 110
)

// otherCalls are system calls without arguments that are functions as well.
var otherCalls = map[int64]string{24: "sched_yield", 39: "getpid", 186: "gettid"}

// syscall is the function of that name, of which the call of futexes is known.
func syscall(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	k, ok := l.u.handedOn(args[0])
	if name := otherCalls[k]; ok && name != "" {
		return builtins()[name].do(l, n, nil)
	}
	if !ok || k != sysFutex {
		l.u.refuse(n, "a system call other than futex")
	}
	if len(args) < 4 {
		l.u.fail(n, "", "too few arguments")
	}
	op, ok := l.u.handedOn(args[2])
	if !ok {
		return l.anyFutex(n, args)
	}
	op &^= futexPrivate | futexRealtime
	if op == futexWaitBitset || op == futexWakeBitset {
		if len(args) < 7 {
			l.u.fail(n, "", "too few arguments")
		}
		if mask, ok := l.u.handedOn(args[6]); !ok || uint32(mask) != matchAny {
			l.u.refuse(n, "a futex operation with a mask")
		}
	}
	p := l.futexAt(args[1])
	switch op {
	case futexWait, futexWaitBitset:
		p = l.futexWord(n, p)
		v := l.kept(l.convert(l.expr(args[3]), p.t))
		timed := l.limit(args)
		l.at(n)
		return l.futexWaits(n, p, v, timed)
	case futexWake, futexWakeBitset:
		count := l.convert(l.expr(args[3]), types.Int)
		l.at(n)
		return l.futexWakes(n, p, count)
	}
	l.u.refuse(n, "this operation on futexes")
	panic("unreachable")
}

// futexAt is the place of a futex.
func (l *lowerer) futexAt(arg cc.ExpressionNode) place {
	p := l.target(arg)
	if p.t.Kind == types.VoidKind && p.addr != nil {
		p.t = types.UnsignedInt
	}
	return p
}

// futexWord is a place that is a word, to wait at.
func (l *lowerer) futexWord(n cc.Node, p place) place {
	if !p.t.Integer() || p.t.Size != 4 || p.parts != nil || p.addr == nil {
		l.u.refuse(n, "a futex of "+p.t.Name)
	}
	p.t = p.t.Plain()
	return p
}

// anyFutex is an operation that is computed, as where a variable says whether other processes know of the futex.
func (l *lowerer) anyFutex(n cc.Node, args []cc.ExpressionNode) value {
	p := l.futexWord(n, l.futexAt(args[1]))
	op := l.convert(l.expr(args[2]), types.Int).e
	op = l.kept(value{t: types.Int, e: flowgraph.Fold(bin(program.BitAnd, op, program.Const(^(futexPrivate | futexRealtime))))}).e
	v := l.kept(l.convert(l.expr(args[3]), p.t))
	timed := l.limit(args)
	l.at(n)
	if l.dryness > 0 {
		l.emitted = true
		return number(types.Long, 0)
	}
	r, end := l.temp(types.Long), l.node()
	for _, one := range []struct {
		op int64
		do func() value
	}{
		{futexWait, func() value { return l.futexWaits(n, p, v, timed) }},
		{futexWake, func() value { return l.futexWakes(n, p, l.convert(v, types.Int)) }},
	} {
		yes, no := l.node(), l.node()
		l.split(eq(op, program.Const(one.op)), yes, no)
		l.cur = yes
		l.assign(r, one.do().e)
		l.jump(end)
		l.cur = no
	}
	l.operate(&flowgraph.Bound{What: "not modelled: this operation on futexes"})
	l.land(end)
	return value{t: types.Long, e: program.Reg(r)}
}

// limit is whether a call has a limit of time, which it may be given by a pointer that may be null.
func (l *lowerer) limit(args []cc.ExpressionNode) program.Expr {
	if len(args) <= 4 || l.null(args[4]) {
		return program.Const(0)
	}
	return ne(l.kept(l.expr(args[4])).e, program.Const(0))
}

// futexWaits is FUTEX_WAIT.
func (l *lowerer) futexWaits(n cc.Node, p place, v value, timed program.Expr) value {
	if l.dryness > 0 {
		l.emitted = true
		return number(types.Long, 0)
	}
	if l.u.opts.Signals && !l.u.opts.Mapping.x86() {
		l.u.refuse(n, "futexes, where it is asked under this model who waits for ever")
	}
	w, r, e := l.temp(p.t), l.temp(types.Long), l.temp(types.Int)
	end := l.node()
	way := func(is program.Expr, result, errno int64) {
		l.edge(l.cur, end, atomicOp("futex wait", l.loadOp(p, w, relaxed), checkOp(is),
			program.Command{Op: program.Assign, Reg: r, Value: program.Const(result)},
			program.Command{Op: program.Assign, Reg: e, Value: program.Const(errno)}))
	}
	as := eq(program.Reg(w), v.e)
	way(as, 0, 0)
	way(ne(program.Reg(w), v.e), -1, eagain)
	timed = flowgraph.Fold(timed)
	if timed != program.Const(0) {
		way(bin(program.LogicalAnd, timed, as), -1, etimedout)
	}
	if l.u.opts.Signals {
		asleep, woken, a := l.sleeps(l.thread), l.node(), l.temp(types.UnsignedLong)
		if !slices.Contains(l.u.operations.Sleepers, l.thread) {
			l.u.operations.Sleepers = append(l.u.operations.Sleepers, l.thread)
		}
		sleep := l.node()
		l.edge(l.cur, sleep, atomicOp("futex wait", l.loadOp(p, w, relaxed), checkOp(as), l.storeOp(asleep, p.addr, relaxed)))
		l.edge(sleep, woken, atomicOp("futex wait", l.loadOp(asleep, a, relaxed), checkOp(eq(program.Reg(a), program.Const(0))),
			program.Command{Op: program.Assign, Reg: r, Value: program.Const(0)},
			program.Command{Op: program.Assign, Reg: e, Value: program.Const(0)}))
		if timed != program.Const(0) { // and then it has taken no wake
			l.edge(sleep, woken, atomicOp("futex wait", l.loadOp(asleep, a, relaxed), checkOp(timed), checkOp(ne(program.Reg(a), program.Const(0))), l.storeOp(asleep, program.Const(0), relaxed),
				program.Command{Op: program.Assign, Reg: r, Value: program.Const(-1)},
				program.Command{Op: program.Assign, Reg: e, Value: program.Const(etimedout)}))
		}
		l.edge(woken, end, program.Skip())
	}
	l.cur = end
	if l.u.usesErrno() {
		failed, on := l.node(), l.node()
		l.split(ne(program.Reg(e), program.Const(0)), failed, on)
		l.cur = failed
		l.setErrno(program.Reg(e))
		l.land(on)
	}
	return value{t: types.Long, e: program.Reg(r)}
}

// sleeps is the cell with the futex that a thread waits at; 0: it does not.
func (l *lowerer) sleeps(thread int) place {
	return element(l.u.operations.Sleeping(), types.UnsignedLong, program.Const(thread))
}

// futexWakes is FUTEX_WAKE. How many were woken may be any number up to the one asked for, as who waits
// may have been woken before.
func (l *lowerer) futexWakes(n cc.Node, p place, count value) value {
	if l.dryness > 0 {
		l.emitted = true
		return number(types.Long, 0)
	}
	if k, ok := count.e.(program.Const); ok {
		return l.futexWakesUpTo(p, int64(k))
	}
	k := l.kept(count).e
	r, end := l.temp(types.Long), l.node()
	for _, one := range []struct {
		is program.Expr
		k  int64
	}{{bin(program.Lt, k, program.Const(1)), 0}, {eq(k, program.Const(1)), 1}, {bin(program.Lt, program.Const(maxThreads-1), k), maxThreads}} {
		yes, no := l.node(), l.node()
		l.split(one.is, yes, no)
		l.cur = yes
		l.assign(r, l.futexWakesUpTo(p, one.k).e)
		l.jump(end)
		l.cur = no
	}
	l.at(n)
	l.emit(lowered.BoundOf("a wake of as many as this is not modelled"))
	l.assign(r, program.Const(0))
	l.land(end)
	return value{t: types.Long, e: program.Reg(r)}
}

// futexWakesUpTo is FUTEX_WAKE of so many.
func (l *lowerer) futexWakesUpTo(p place, k int64) value {
	if k <= 0 {
		return number(types.Long, 0)
	}
	if l.u.opts.Signals {
		l.operate(&operations.Signal{Cond: p.addr, All: k >= maxThreads, Futex: true, Count: k})
	} else {
		// A step of its own, and a barrier: a locked instruction on a word that nobody else looks at.
		l.emit(program.Command{Op: program.Fence, Tags: program.NewTags(target.OrderTag[seqCst])})
	}
	return l.havoc(types.Long, 0, min(k, maxThreads))
}
