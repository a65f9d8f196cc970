package c

import (
	"fmt"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// maxKeys bounds how many keys for values of their own threads can have.
const maxKeys = 16

// keyNames are the functions on keys: those of POSIX, and of C11.
var keyNames = map[string]string{
	"pthread_key_create": "create", "tss_create": "create",
	"pthread_key_delete": "delete", "tss_delete": "delete",
	"pthread_getspecific": "get", "tss_get": "get",
	"pthread_setspecific": "set", "tss_set": "set",
}

// specific is the place of the value that this thread has for a key.
func (l *lowerer) specific(key program.Expr) place {
	if l.keys == nil {
		l.keys = l.object("specific", types.ArrayOf(types.VoidPointer, maxKeys))
	}
	return element(l.keys, types.VoidPointer, key)
}

// element is an element of an array of ours.
func element(o *lowered.Object, t *types.Type, i program.Expr) place {
	return place{t: t, addr: plus(flowgraph.Fold(bin(program.Mul, i, program.Const(t.Size))), o.Base), lo: o.Base, hi: o.Base + o.Size}
}

// destructors is the array of the functions that keys have been made with.
func (u *unit) destructors() *lowered.Object {
	return u.operations.Helper("destructor", types.ArrayOf(types.VoidPointer, maxKeys))
}

// destroys is true of a program that makes a key with a function for its values.
func (u *unit) destroys() bool {
	if u.destroying != nil {
		return *u.destroying
	}
	found := false
	for _, f := range u.defined {
		walk(f.CompoundStatement, func(n cc.Node) bool {
			if x, ok := n.(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionCall && keyNames[called(x)] == "create" {
				args := arguments(x)
				found = found || len(args) == 2 && !u.cur.null(args[1])
			}
			return !found
		})
	}
	u.destroying = &found
	return found
}

// destructorRounds is PTHREAD_DESTRUCTOR_ITERATIONS, and TSS_DTOR_ITERATIONS.
const destructorRounds = 4

// destroy calls, at the end of a thread, the functions for the values that it still has, in any order; and again for those that are there
// after that, for as many rounds as the library goes through (POSIX, pthread_key_create). Where it goes past a value, to come back to it later in the
// round, it does so once without calling anything.
func (l *lowerer) destroy(n cc.Node) {
	dtor := &types.Type{Kind: types.FunctionKind, Align: 1, Elem: types.Void, Params: []*types.Type{types.VoidPointer}, Prototype: true, Name: "void (...)"}
	register := func(name string) int { return l.register(name, program.Int32Type, true) }
	k, round, called := register("key"), register("round"), register("called in this round")
	done, past, since := register("called"), register("gone past"), register("called since")
	set := func(reg int, v int64) { l.assign(reg, program.Const(v)) }
	is := func(reg int) program.Expr { return ne(program.Reg(reg), program.Const(0)) }
	begin, pass, head, body, next, over, end := l.node(), l.node(), l.node(), l.node(), l.node(), l.node(), l.node()
	set(round, 0)
	l.land(begin)
	set(called, 0)
	set(done, 0)
	set(since, 1)
	l.land(pass)
	set(k, 0)
	set(past, 0)
	forced := register("at once")
	l.assign(forced, flowgraph.Fold(eq(program.Reg(since), program.Const(0))))
	set(since, 0)
	l.land(head)
	l.split(bin(program.Lt, program.Reg(k), program.Const(maxKeys)), body, over)
	l.cur = body
	here, bit := l.specific(program.Reg(k)), bin(program.Shl, program.Const(1), program.Reg(k))
	v := l.loadAs(here, plain)
	f := l.loadAs(element(l.u.destructors(), types.VoidPointer, program.Reg(k)), acquire)
	some, call, later := l.node(), l.node(), l.node()
	isDone := ne(bin(program.BitAnd, program.Reg(done), bit), program.Const(0))
	l.split(flowgraph.Fold(bin(program.LogicalAnd, bin(program.LogicalAnd, ne(v.e, program.Const(0)), ne(f.e, program.Const(0))), program.NotExpr(isDone))), some, next)
	l.cur = some
	if l.u.manyKeys() {
		may := l.node()
		l.split(is(forced), call, may)
		l.cur = may
		l.split(l.havoc(types.Bool, 0, 1).e, later, call)
		l.cur = later
		set(past, 1)
		l.jump(next)
	} else {
		l.jump(call)
	}
	l.cur = call
	l.storeAs(here, number(types.VoidPointer, 0), plain)
	l.assign(done, bin(program.BitOr, program.Reg(done), bit))
	set(called, 1)
	set(since, 1)
	set(forced, 0)
	l.throughPointer(n, value{t: types.PointerTo(dtor), e: f.e}, []value{v})
	l.land(next)
	l.assign(k, plus(program.Reg(k), 1))
	l.jump(head)
	l.cur = over
	all := l.node()
	l.split(is(past), pass, all)
	l.cur = all
	l.assign(round, plus(program.Reg(round), 1))
	l.split(flowgraph.Fold(bin(program.LogicalAnd, is(called), bin(program.Lt, program.Reg(round), program.Const(destructorRounds)))), begin, end)
	l.cur = end
}

// manyKeys is whether the program may make more than one key: it does so in two places, or in a loop, or in a function other than main that is
// not called once.
func (u *unit) manyKeys() bool {
	sites, elsewhere := 0, false
	once := map[string]bool{"main": true}
	for _, f := range u.defined {
		walk(f.CompoundStatement, func(n cc.Node) bool {
			if x, ok := n.(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionCall && (called(x) == "pthread_once" || called(x) == "call_once") {
				if args := arguments(x); len(args) == 2 {
					once[strings.Trim(cc.NodeSource(args[1]), " &")] = true
				}
			}
			return true
		})
	}
	for name, f := range u.defined {
		loops := 0
		var look func(n cc.Node) bool
		look = func(n cc.Node) bool {
			switch x := n.(type) {
			case *cc.IterationStatement:
				if loops == 0 {
					loops++
					walk(x, look)
					loops--
					return false
				}
			case *cc.JumpStatement:
				elsewhere = elsewhere || x.Case == cc.JumpStatementGoto || x.Case == cc.JumpStatementGotoExpr
			case *cc.PostfixExpression:
				if x.Case == cc.PostfixExpressionCall && keyNames[called(x)] == "create" {
					sites++
					elsewhere = elsewhere || loops > 0 || !once[name]
				}
			}
			return true
		}
		walk(f.CompoundStatement, look)
	}
	return sites > 1 || elsewhere
}

// keyBuiltins are the functions on keys.
func keyBuiltins() map[string]builtin {
	create := builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		to := l.target(args[0])
		l.at(n)
		count := l.u.operations.Helper("keys", types.Int)
		p := place{t: types.Int, addr: program.Const(count.Base)}
		k := l.temp(types.Int)
		l.rmw("key", p, k, plus(program.Reg(k), 1), acqRel)
		// Threads may try to make it, one of which does: all that is known of the count is that there is one.
		some, more := l.node(), l.node()
		l.split(flowgraph.Between(program.Reg(k), 0, maxKeys-1), some, more)
		l.cur = more
		l.operate(&flowgraph.Bound{What: fmt.Sprintf("there are more than %d keys", maxKeys)})
		l.land(some)
		if !l.null(args[1]) {
			f := l.convert(l.expr(args[1]), types.VoidPointer)
			l.storeAs(element(l.u.destructors(), types.VoidPointer, program.Reg(k)), f, release)
		}
		l.store(to, l.convert(value{t: types.Int, e: program.Reg(k)}, to.t.Plain()))
		return number(types.Int, 0)
	}}
	get := builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		k := l.convert(l.expr(args[0]), types.UnsignedInt)
		l.at(n)
		return l.loadAs(l.specific(k.e), plain)
	}}
	set := builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		k := l.convert(l.expr(args[0]), types.UnsignedInt)
		v := l.convert(l.expr(args[1]), types.VoidPointer)
		l.at(n)
		l.storeAs(l.specific(k.e), v, plain)
		return number(types.Int, 0)
	}}
	// Of a key that is no more nothing is destroyed.
	remove := builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		k := l.convert(l.expr(args[0]), types.UnsignedInt)
		l.at(n)
		if l.u.destroys() {
			l.storeAs(element(l.u.destructors(), types.VoidPointer, k.e), number(types.VoidPointer, 0), release)
		}
		return number(types.Int, 0)
	}}
	m := map[string]builtin{}
	for name, what := range keyNames {
		m[name] = map[string]builtin{"create": create, "get": get, "set": set, "delete": remove}[what]
	}
	return m
}
