package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A signal that a thread raises itself runs the function that the program has set for it at once, as a call. Signals that come from
// elsewhere are not modelled: whoever waits for what such a function does is not known to wait for ever.

const (
	sigabrt, sigkill, sigstop = 6, 9, 19
	lastSignal                = 64
	// What a signal does for which there is no function, and flags of sigaction: see signal.h.
	signalDefault, signalIgnored = 0, 1
	infoFlag, resetFlag          = 4, 1 << 31
	restartFlag                  = 1 << 28
)

var handlerType = types.PointerTo(&types.Type{Kind: types.FunctionKind, Align: 1, Elem: types.Void, Params: []*types.Type{types.Int}, Prototype: true, Name: "void (...)"})

// signalHandler is where the function for a signal is; false where none can be set.
func (l *lowerer) signalHandler(n cc.Node, sig cc.ExpressionNode) (place, int64, bool) {
	k, ok := l.u.constantMaybe(sig)
	if !ok {
		l.u.refuse(n, "a signal that is computed")
	}
	if k < 1 || k > lastSignal || k == sigkill || k == sigstop {
		return place{}, k, false
	}
	return element(l.u.operations.Helper("signal", types.ArrayOf(types.VoidPointer, lastSignal+1)), types.VoidPointer, program.Const(k)), k, true
}

// noSignal is what functions give for a signal that there is not, or that nothing can be set for.
func (l *lowerer) noSignal(t *types.Type) value {
	l.setErrno(program.Const(einval))
	return number(t, -1)
}

// outside is what a program may wait for that none of its threads does.
func (u *unit) outside() string {
	if u.handles {
		return "a signal may come from outside, for which there is a function"
	}
	return ""
}

// setSignal is signal, which gives what was there.
func setSignal(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	f := l.convert(l.expr(args[1]), types.VoidPointer)
	l.at(n)
	at, _, ok := l.signalHandler(n, args[0])
	if !ok {
		return l.noSignal(types.VoidPointer)
	}
	if k, known := f.e.(program.Const); !known || k != signalDefault && k != signalIgnored {
		l.u.handles = true
	}
	old := l.kept(l.loadAs(at, relaxed))
	l.storeAs(at, f, relaxed)
	return old
}

// setAction is sigaction.
func setAction(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	at, _, ok := l.signalHandler(n, args[0])
	if !ok {
		evaluateAll(l, args[1:])
		l.at(n)
		return l.noSignal(types.Int)
	}
	// The function stands in a union with the headers of GNU.
	handler := func(p place) place {
		if p.t.Aggregate() && p.t.Find("__sigaction_handler") != nil {
			p = l.selectMember(n, p, "__sigaction_handler")
		}
		if !p.t.Aggregate() || p.t.Find("sa_handler") == nil {
			l.u.refuse(n, "a signal that "+p.t.Name+" is for")
		}
		return l.selectMember(n, p, "sa_handler")
	}
	old := l.kept(l.loadAs(at, relaxed))
	if !l.null(args[1]) {
		p := l.target(args[1])
		l.at(n)
		l.u.handles = true
		f := l.load(handler(p))
		if l.u.names("raise", "pthread_kill") {
			flags := l.load(l.selectMember(n, p, "sa_flags"))
			other, end := l.node(), l.node()
			l.split(ne(bin(program.BitAnd, flags.e, program.Const(infoFlag|resetFlag)), program.Const(0)), other, end)
			l.cur = other
			l.operate(&flowgraph.Bound{What: "not modelled: a function for a signal that is given more, or is there once"})
			l.land(end)
		}
		l.storeAs(at, l.convert(f, types.VoidPointer), relaxed)
	}
	if !l.null(args[2]) {
		p := l.target(args[2])
		l.at(n)
		for _, s := range l.u.flatten(p.t.Plain(), "", 0, nil) {
			if s.Type.Integer() {
				l.storeAs(place{t: s.Type.Plain(), addr: plus(p.addr, s.Off)}, l.choice(s.Type.Plain()), plain)
			}
		}
		flags := l.selectMember(n, p, "sa_flags")
		l.store(flags, l.convert(value{t: types.Int, e: bin(program.Mul, l.havoc(types.Bool, 0, 1).e, program.Const(restartFlag))}, flags.t.Plain()))
		h := handler(p)
		l.store(h, l.convert(old, h.t.Plain()))
	}
	return number(types.Int, 0)
}

// raise is the function of that name.
func raise(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	return l.raises(n, args[0])
}

// raises runs what is there for a signal. SIGABRT is what abort raises.
func (l *lowerer) raises(n *cc.PostfixExpression, sig cc.ExpressionNode) value {
	if !l.u.names("signal", "sigaction") {
		if k, ok := l.u.constantMaybe(sig); !ok || k != sigabrt {
			l.u.refuse(n, "a signal other than SIGABRT that is raised")
		}
		return abort(l, n, nil)
	}
	if l.handling > 0 {
		l.u.refuse(n, "a signal that is raised in the function for a signal")
	}
	if l.u.names("sigprocmask", "pthread_sigmask") {
		l.u.refuse(n, "a signal that may be blocked")
	}
	l.at(n)
	at, k, ok := l.signalHandler(n, sig)
	if !ok {
		l.u.refuse(n, "this signal that is raised")
	}
	h := l.kept(l.loadAs(at, relaxed))
	set, unset, call, end := l.node(), l.node(), l.node(), l.node()
	l.split(eq(h.e, program.Const(signalDefault)), unset, set)
	l.cur = unset
	if k == sigabrt {
		abort(l, n, nil)
	} else {
		l.operate(&flowgraph.Bound{What: "not modelled: a signal other than SIGABRT that is raised, and that nothing is set for"})
	}
	l.jump(end)
	l.cur = set
	l.split(eq(h.e, program.Const(signalIgnored)), end, call)
	l.cur = call
	l.handling++
	l.throughPointer(n, value{t: handlerType, e: h.e}, []value{number(types.Int, k)})
	l.handling--
	l.land(end)
	return number(types.Int, 0)
}

// signalBuiltins are the functions that this file knows.
func signalBuiltins() map[string]builtin {
	return map[string]builtin{
		"signal": {2, setSignal}, "sigaction": {3, setAction}, "raise": {1, raise},
		// Signal 0 asks whether a thread is there.
		"pthread_kill": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			if call, ok := unwrap(args[0]).(*cc.PostfixExpression); ok && call.Case == cc.PostfixExpressionCall && called(call) == "pthread_self" {
				if k, ok := l.u.constantMaybe(args[1]); !ok || k != 0 {
					return l.raises(n, args[1])
				}
			}
			if k, ok := l.u.constantMaybe(args[1]); !ok || k != 0 {
				l.u.refuse(n, "a signal other than SIGABRT that is raised")
			}
			id := l.needs(n, args[0])
			if id.e == l.self() || l.dryness > 0 {
				return number(types.Int, 0)
			}
			// Of one that has ended, and that nobody has waited for, some systems say that there is none.
			r, end, from := l.temp(types.Int), l.node(), l.cur
			l.operate(&flowgraph.Asks{ID: id.e})
			l.assign(r, program.Const(0))
			l.jump(end)
			l.cur = from
			l.operate(&flowgraph.Asks{ID: id.e, Ended: true})
			l.assign(r, bin(program.Mul, l.havoc(types.Int, 0, 1).e, program.Const(esrch)))
			l.land(end)
			return value{t: types.Int, e: program.Reg(r)}
		}},
	}
}
