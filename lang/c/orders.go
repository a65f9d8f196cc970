package c

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A memory order is a constant where it is written down, or where a function is called with one and hands it on, as
// wrappers of atomics do. Any other is computed (a variable, c ? x : y), and then there is one way for each
// order that it may be: C11 means the order that the argument has, whatever compilers make of it.

// ordersOf says which arguments of a builtin are memory orders, of so many arguments.
func ordersOf(name string, args int) []int {
	var orders []int
	switch name {
	case "__fp_fence", "__fp_kernel_fence":
		orders = []int{0}
	case "__fp_load", "__fp_test_and_set", "__fp_clear":
		orders = []int{1}
	case "__fp_store":
		orders = []int{2}
	case "__fp_cmpxchg":
		orders = []int{3}
	case "__fp_cas", "__fp_cas_weak", "__fp_cas_maybe":
		orders = []int{3, 4}
	default:
		if name == "__fp_exchange" || strings.HasPrefix(name, "__fp_") && (strings.Contains(name, "fetch_") || strings.HasSuffix(name, "_fetch")) {
			orders = []int{args - 1}
		}
	}
	return slices.DeleteFunc(orders, func(at int) bool { return at < 0 || at >= args }) // a call may have too few
}

// memoryOrder is the order that an argument names.
func (l *lowerer) memoryOrder(n cc.ExpressionNode) int {
	if k, ok := l.orders[n]; ok {
		return k
	}
	k, ok := l.u.handedOn(n)
	if !ok && l.dryness > 0 {
		return seqCst
	}
	if !ok || k < 0 || k > seqCst {
		l.u.fail(n, "", "this is no memory order")
	}
	return int(k)
}

// ordered calls a builtin, in each of the ways that its memory orders may be.
func (l *lowerer) ordered(b builtin, n *cc.PostfixExpression, args []cc.ExpressionNode, orders []int) value {
	for i, at := range orders {
		if _, ok := l.u.handedOn(args[at]); !ok && l.dryness == 0 {
			return l.eachOrder(args[at], func() value { return l.ordered(b, n, args, orders[i+1:]) })
		}
	}
	return b.do(l, n, args)
}

// eachOrder is what call gives, with an argument that is any order.
func (l *lowerer) eachOrder(n cc.ExpressionNode, call func() value) value {
	v := l.kept(l.convert(l.expr(n), types.Int))
	end := l.node()
	var t *types.Type
	var result *handed
	for k := relaxed; k <= seqCst; k++ {
		yes, no := l.node(), l.node()
		l.split(eq(v.e, program.Const(k)), yes, no)
		l.cur = yes
		before, nested := l.orders[n]
		if l.orders == nil {
			l.orders = map[cc.ExpressionNode]int{}
		}
		l.orders[n] = k
		w := call()
		if delete(l.orders, n); nested {
			l.orders[n] = before
		}
		if t == nil {
			t = w.t
			result = l.handedIn(t)
		}
		l.hand(result, w)
		l.jump(end)
		l.cur = no
	}
	l.at(n)
	l.emit(lowered.BoundOf("what is no memory order is not modelled"))
	for _, r := range result.regs {
		l.assign(r, program.Const(0))
	}
	l.land(end)
	return result.value(t)
}

// handedOn is a constant, or a parameter that is one in this call.
func (u *unit) handedOn(n cc.ExpressionNode) (int64, bool) {
	u.cur.handing++
	k, ok := u.constantMaybe(n)
	u.cur.handing--
	return k, ok
}
