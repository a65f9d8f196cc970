package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What atexit is given is called where the program ends: by exit, or where main returns; the last
// one first. The functions stand in an array of ours, with their number beside it.

// endCalls is how many calls of atexit the text has; each may register a function.
func (u *unit) endCalls() int64 {
	if u.atexits >= 0 {
		return u.atexits
	}
	u.atexits = 0
	for _, f := range u.defined {
		walk(f.CompoundStatement, func(n cc.Node) bool {
			if x, ok := n.(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionCall && called(x) == "atexit" && u.defined["atexit"] == nil {
				u.atexits++
			}
			return true
		})
	}
	return u.atexits
}

// callsAtEnd is whether functions of the program are called when main has returned, which do not find there what main had.
func (u *unit) callsAtEnd() bool { return u.endCalls() > 0 || len(u.hooks("destructor")) > 0 }

// endFunctions are where the functions stand, and how many they are.
func (u *unit) endFunctions() (functions *lowered.Object, count place) {
	functions = u.operations.Helper("atexit", types.ArrayOf(types.VoidPointer, u.endCalls()))
	n := u.operations.Helper("number of atexit", types.Int)
	return functions, place{t: types.Int, addr: program.Const(n.Base)}
}

// atexit registers a function.
func atexit(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	f := l.convert(l.expr(args[0]), types.VoidPointer)
	l.at(n)
	if l.dryness > 0 {
		l.emitted = true
		return number(types.Int, 0)
	}
	functions, count := l.u.endFunctions()
	k := l.temp(types.Int)
	l.rmw("atexit", count, k, plus(program.Reg(k), 1), acqRel)
	room, none := l.node(), l.node()
	l.split(bin(program.Lt, program.Reg(k), program.Const(l.u.endCalls())), room, none)
	l.cur = none
	l.operate(&flowgraph.Bound{What: "a call of atexit is executed again"})
	l.jump(room)
	l.cur = room
	l.storeAs(element(functions, types.VoidPointer, program.Reg(k)), f, release)
	return number(types.Int, 0)
}

// exits calls what has been registered, and then what is always called after main.
func (l *lowerer) exits(n cc.Node) {
	if l.dryness > 0 {
		return
	}
	defer l.destruct()
	if l.u.endCalls() == 0 {
		return
	}
	functions, count := l.u.endFunctions()
	ft := types.PointerTo(&types.Type{Kind: types.FunctionKind, Align: 1, Elem: types.Void, Prototype: true, Name: "void (void)"})
	end := l.node()
	for range l.u.endCalls() {
		call := l.node()
		k := l.loadAs(count, acquire) // what is called may register more
		l.split(bin(program.Lt, program.Const(0), k.e), call, end)
		l.cur = call
		last := plus(k.e, -1)
		l.storeAs(count, value{t: types.Int, e: last}, release)
		f := l.loadAs(element(functions, types.VoidPointer, last), acquire)
		l.throughPointer(n, value{t: ft, e: f.e}, nil)
	}
	more := l.node()
	k := l.loadAs(count, acquire)
	l.split(bin(program.Lt, program.Const(0), k.e), more, end)
	l.cur = more
	l.operate(&flowgraph.Bound{What: "a call of atexit is executed again"})
	l.jump(end)
	l.cur = end
}
