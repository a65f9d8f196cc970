package c

import (
	"fmt"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
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
		l.keys = l.object("specific", arrayOf(voidPtr, maxKeys))
	}
	return element(l.keys, voidPtr, key)
}

// element is an element of an array of ours.
func element(o *object, t *ctype, i program.Expr) place {
	return place{t: t, addr: plus(flowgraph.Fold(bin(program.Mul, i, program.Const(t.size))), o.base), lo: o.base, hi: o.base + o.size}
}

// destructors is the array of the functions that keys have been made with.
func (u *unit) destructors() *object {
	return u.helper("destructor", arrayOf(voidPtr, maxKeys))
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

// destroy calls, at the end of a thread, the functions for the values that it still has.
func (l *lowerer) destroy(n cc.Node) {
	dtor := &ctype{kind: functionKind, align: 1, elem: voidType, params: []*ctype{voidPtr}, proto: true, name: "void (...)"}
	k := l.register("key", program.Int32Type, true)
	l.assign(k, program.Const(0))
	head, body, next, end := l.node(), l.node(), l.node(), l.node()
	l.land(head)
	l.split(bin(program.Lt, program.Reg(k), program.Const(maxKeys)), body, end)
	l.cur = body
	here := l.specific(program.Reg(k))
	v := l.loadAs(here, plain)
	f := l.loadAs(element(l.u.destructors(), voidPtr, program.Reg(k)), acquire)
	call := l.node()
	l.split(flowgraph.Fold(bin(program.LogicalAnd, ne(v.e, program.Const(0)), ne(f.e, program.Const(0)))), call, next)
	l.cur = call
	l.storeAs(here, number(voidPtr, 0), plain)
	l.throughPointer(n, value{t: pointerTo(dtor), e: f.e}, []value{v})
	l.land(next)
	l.assign(k, plus(program.Reg(k), 1))
	l.jump(head)
	l.cur = end
}

// keyBuiltins are the functions on keys.
func keyBuiltins() map[string]builtin {
	create := builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		to := l.target(args[0])
		l.at(n)
		count := l.u.helper("keys", intType)
		p := place{t: intType, addr: program.Const(count.base)}
		k := l.temp(intType)
		l.rmw("key", p, k, plus(program.Reg(k), 1), acqRel)
		// Threads may try to make it, one of which does: all that is known of the count is that there is one.
		some, more := l.node(), l.node()
		l.split(between(program.Reg(k), 0, maxKeys-1), some, more)
		l.cur = more
		l.operate(&flowgraph.Bound{What: fmt.Sprintf("there are more than %d keys", maxKeys)})
		l.land(some)
		if !l.null(args[1]) {
			f := l.convert(l.expr(args[1]), voidPtr)
			l.storeAs(element(l.u.destructors(), voidPtr, program.Reg(k)), f, release)
		}
		l.store(to, l.convert(value{t: intType, e: program.Reg(k)}, to.t.plain()))
		return number(intType, 0)
	}}
	get := builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		k := l.convert(l.expr(args[0]), uintType)
		l.at(n)
		return l.loadAs(l.specific(k.e), plain)
	}}
	set := builtin{2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		k := l.convert(l.expr(args[0]), uintType)
		v := l.convert(l.expr(args[1]), voidPtr)
		l.at(n)
		l.storeAs(l.specific(k.e), v, plain)
		return number(intType, 0)
	}}
	// Of a key that is no more nothing is destroyed.
	remove := builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		k := l.convert(l.expr(args[0]), uintType)
		l.at(n)
		if l.u.destroys() {
			l.storeAs(element(l.u.destructors(), voidPtr, k.e), number(voidPtr, 0), release)
		}
		return number(intType, 0)
	}}
	m := map[string]builtin{}
	for name, what := range keyNames {
		m[name] = map[string]builtin{"create": create, "get": get, "set": set, "delete": remove}[what]
	}
	return m
}
