package c

import (
	"fmt"
	"maps"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Calls in an expression are made one after the other, but C does not say in which order (C11, 6.5.2.2p10: they are indeterminately sequenced): in
// pop() - pop(), n + next(), a[i] = next() or f(next(), next()) a compiler may begin with either side, and GCC and Clang begin with different ones. Where one
// side changes by a call what the other one reads or changes (effects.go), all orders are runs of the program, as if it chose one. Those of what several
// threads can tell, and this one cannot, are not told apart: two loads of different objects are made from left to right.

// maxContested is of how many parts, of which several call something, all orders are written out: 3 of them are written 12 times.
const maxContested = 3

// contestants are those of the parts, in no order, that another one contests.
func (l *lowerer) contestants(parts ...cc.ExpressionNode) []int {
	if len(parts) < 2 || !l.evaluates() {
		return nil
	}
	calls := false
	for _, p := range parts {
		calls = calls || l.u.calling(p)
	}
	if !calls {
		return nil
	}
	var contested []int
	for i, p := range parts {
		for j, q := range parts {
			if i != j && l.u.contest(l.u.effectsOf(evaluation{n: p}), l.u.effectsOf(evaluation{n: q})) > 0 {
				contested = append(contested, i)
				break
			}
		}
	}
	return contested
}

// calling is true of an expression in which something is called, be it where a variable is no more.
func (u *unit) calling(n cc.ExpressionNode) bool {
	is, ok := u.callsIn[n]
	if !ok {
		walk(n, func(n cc.Node) bool {
			switch x := n.(type) {
			case *cc.PostfixExpression:
				is = is || x.Case == cc.PostfixExpressionCall
			case *cc.AttributeValue:
				is = is || x.ArgumentExpressionList != nil
			}
			return !is
		})
		u.callsIn[n] = is
	}
	return is
}

// contest counts the events of some that make a difference for others, or the other way round, by a call. What both do by themselves, in no
// order, is undefined, and found otherwise.
func (u *unit) contest(some, others *effects) int {
	n := 0
	for _, e := range some.events {
		if u.contests(u.touchesOf(e), others.all) {
			n++
		}
	}
	return n
}

func (u *unit) contests(some, others map[touch]bool) bool {
	for x := range some {
		for y := range others {
			if (x.changes || y.changes) && (x.called || y.called) && !u.apartTouches(x, y) {
				return true
			}
		}
	}
	return false
}

// several is true of parts of which one has several events that others contest: these may be between them, which is not written out. That is so
// of two others only if it matters which of them comes first.
func (u *unit) several(parts ...evaluation) bool {
	for i, p := range parts {
		for j, q := range parts {
			if i == j {
				continue
			}
			if u.contest(u.effectsOf(p), u.effectsOf(q)) > 1 {
				return true
			}
			for k, r := range parts[:j] {
				if k != i && u.contest(u.effectsOf(q), u.effectsOf(r)) > 0 && u.contest(u.effectsOf(p), &effects{all: union(u.effectsOf(q).all, u.effectsOf(r).all)}) > 1 {
					return true
				}
			}
		}
	}
	return false
}

func union(a, b map[touch]bool) map[touch]bool {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// inAnyOrder evaluates the parts of n, those first that nobody contests.
func (l *lowerer) inAnyOrder(n cc.Node, parts []cc.ExpressionNode, eval func(i int) value) []value {
	values := make([]value, len(parts))
	is := make([]bool, len(parts))
	contested := l.contestants(parts...)
	var calls []int
	for _, i := range contested {
		if is[i] = true; l.u.calling(parts[i]) {
			calls = append(calls, i)
		}
	}
	var each []evaluation
	for _, i := range contested {
		each = append(each, evaluation{n: parts[i]})
	}
	if l.u.several(each...) {
		l.unordered(n)
	}
	if len(calls) > 1 && len(contested) > maxContested {
		l.unordered(n)
		contested, calls = nil, nil
		clear(is)
	}
	for i := range values {
		if !is[i] {
			values[i] = eval(i)
		}
	}
	switch len(calls) {
	case 0:
	case 1:
		l.aroundCall(n, parts, contested, calls[0], eval, values)
	default:
		l.inAllOrders(n, parts, contested, eval, values)
	}
	return values
}

// aroundCall evaluates one part that calls something, and each of those that contest it, which call nothing, before or after it. Others than
// inAllOrders it writes the call once.
func (l *lowerer) aroundCall(n cc.Node, parts []cc.ExpressionNode, contested []int, call int, eval func(i int) value, values []value) {
	first := make([]value, len(parts)) // 1: before the call
	regs := make([][]int, len(parts))
	evaluateWhere := func(i int, holds program.Expr, says string) {
		l.at(n)
		yes, end := l.node(), l.node()
		l.edge(l.cur, yes, program.Command{Op: program.Check, Value: holds, Says: says})
		l.edge(l.cur, end, program.Command{Op: program.Check, Value: program.NotExpr(holds)})
		l.cur = yes
		v := eval(i)
		if regs[i] == nil {
			regs[i] = l.registersOf(v.t)
		}
		l.assignAll(regs[i], v)
		values[i] = l.fromRegs(v.t, regs[i])
		l.land(end)
	}
	for _, i := range contested {
		if i != call {
			l.at(n)
			first[i] = l.havoc(types.Bool, 0, 1)
			evaluateWhere(i, first[i].e, fmt.Sprintf("evaluate %s before %s", sourceOf(parts[i]), sourceOf(parts[call])))
		}
	}
	values[call] = eval(call)
	for _, i := range contested {
		if i != call {
			evaluateWhere(i, program.NotExpr(first[i].e), fmt.Sprintf("evaluate %s after %s", sourceOf(parts[i]), sourceOf(parts[call])))
		}
	}
	l.at(n)
}

// inAllOrders evaluates the parts that are contested, in all orders: it goes through the sets of those that have been evaluated.
func (l *lowerer) inAllOrders(n cc.Node, parts []cc.ExpressionNode, contested []int, eval func(i int) value, values []value) {
	regs := make([][]int, len(parts))
	after := map[int]int{0: l.cur} // where one goes on, by set
	for set := range 1<<len(contested) - 1 {
		l.cur = after[set]
		var left []int
		var says []string
		for k, i := range contested {
			if set&(1<<k) == 0 {
				left, says = append(left, k), append(says, fmt.Sprintf("evaluate %s next", sourceOf(parts[i])))
			}
		}
		l.at(n)
		for j, at := range l.chosenOf(says) {
			k := left[j]
			i := contested[k]
			l.cur = at
			v := eval(i)
			if regs[i] == nil {
				regs[i] = l.registersOf(v.t)
			}
			l.assignAll(regs[i], v)
			values[i] = l.fromRegs(v.t, regs[i])
			next := set | 1<<k
			if _, ok := after[next]; !ok {
				after[next] = l.node()
			}
			l.edge(l.cur, after[next], program.Skip())
		}
	}
	l.cur = after[1<<len(contested)-1]
	l.at(n)
}

// chosenOf goes one of several ways, of which says has a word for each, and gives where they begin.
func (l *lowerer) chosenOf(says []string) []int {
	if len(says) == 1 {
		return []int{l.cur}
	}
	which := l.havoc(types.Int, 0, int64(len(says)-1))
	from, ways := l.cur, make([]int, len(says))
	for i := range ways {
		ways[i] = l.node()
		l.edge(from, ways[i], program.Command{Op: program.Check, Value: bin(program.Eq, which.e, program.Const(int64(i))), Says: says[i]})
	}
	return ways
}

// registersOf are registers for a value of type t; none of what is not modelled.
func (l *lowerer) registersOf(t *types.Type) []int {
	regs := []int{}
	switch {
	case t.Aggregate():
		for _, s := range l.u.flatten(t, "", 0, nil) {
			regs = append(regs, l.temp(s.t))
		}
	case t.Scalar() && t.Kind != types.FloatKind:
		regs = append(regs, l.temp(t))
	}
	return regs
}

// unordered says that not all orders of what is called in n are looked at.
func (l *lowerer) unordered(n cc.Node) {
	l.at(n)
	what := sourceOf(n)
	if what == "" {
		what = "this expression"
	}
	l.operate(&flowgraph.Bound{What: "the order of the calls in " + what + " makes a difference, and C leaves it open"})
}

// calculated is n, an operation that has more than one operand of which the order makes a difference; it is false of others.
func (l *lowerer) calculated(n cc.ExpressionNode) (v value, ok bool) {
	if l.u.settled[n] || !l.evaluates() {
		return value{}, false
	}
	operations, leaves := leavesOf(n)
	if l.contestants(leaves...) == nil {
		for _, n := range operations {
			l.u.settled[n] = true
		}
		return value{}, false
	}
	values := l.inAnyOrder(n, leaves, func(i int) value { return l.expr(leaves[i]) })
	var combine func(n cc.ExpressionNode) value
	combine = func(n cc.ExpressionNode) value {
		n = unwrap(n)
		op, x, y, ok := operands(n)
		switch {
		case !ok:
			v := values[0]
			values = values[1:]
			return v
		case y == nil:
			return combine(x)
		}
		a := combine(x)
		b := combine(y)
		l.at(n)
		return l.binary(n, op, a, b)
	}
	return combine(n), true
}

// leavesOf are the operands, in no order, of n and of those of its operands that are operations, which it gives as well.
func leavesOf(n cc.ExpressionNode) (operations, leaves []cc.ExpressionNode) {
	var visit func(n cc.ExpressionNode)
	visit = func(n cc.ExpressionNode) {
		n = unwrap(n)
		_, x, y, ok := operands(n)
		switch {
		case !ok:
			leaves = append(leaves, n)
		case y == nil:
			visit(x)
		default:
			operations = append(operations, n)
			visit(x)
			visit(y)
		}
	}
	visit(n)
	return operations, leaves
}

// evaluates is true where what is read is evaluated, and more than a constant.
func (l *lowerer) evaluates() bool { return l.dryness+l.constOnly+l.staticInit == 0 }

// inOneOrder notes that the parts of n are evaluated in one order, if another one makes a difference.
func (l *lowerer) inOneOrder(n cc.Node, parts ...cc.ExpressionNode) {
	if l.contestants(parts...) != nil {
		l.unordered(n)
	}
}

// An assignmentOrder is in which order the parts of an assignment are evaluated.
type assignmentOrder byte

const (
	anyOrder   assignmentOrder = iota // as none makes a difference; what the place has is read last
	placeFirst                        // and what it has is read
	valueFirst
)

// assignedInAnyOrder is an assignment. What is on its sides is in no order; so is what the place has, where that is read as well.
func (l *lowerer) assignedInAnyOrder(n *cc.AssignmentExpression, used bool) value {
	if !l.contestsAssignment(n) {
		return l.assigned(n, anyOrder, used)
	}
	if l.u.several(evaluation{n.UnaryExpression, n.Case == cc.AssignmentExpressionAssign}, evaluation{n: n.AssignmentExpression}) {
		l.unordered(n)
	}
	left, right := sourceOf(n.UnaryExpression), sourceOf(n.AssignmentExpression)
	orders, says := []assignmentOrder{placeFirst, valueFirst}, []string{"evaluate " + left + " first", "evaluate " + right + " first"}
	if n.Case != cc.AssignmentExpressionAssign {
		orders, says = append(orders, anyOrder), append(says, "evaluate "+right+" before "+left+" is read")
	}
	var regs []int
	var t *types.Type
	end := l.node()
	for i, at := range l.chosenOf(says) {
		l.cur = at
		v := l.assigned(n, orders[i], used)
		if used {
			if regs == nil {
				regs, t = l.registersOf(v.t), v.t
			}
			l.assignAll(regs, v)
		}
		l.edge(l.cur, end, program.Skip())
	}
	l.cur = end
	if !used {
		return nothing
	}
	return l.fromRegs(t, regs)
}

// contestsAssignment is whether the sides of an assignment contest each other.
func (l *lowerer) contestsAssignment(n *cc.AssignmentExpression) bool {
	if !l.evaluates() || !l.u.calling(n.UnaryExpression) && !l.u.calling(n.AssignmentExpression) {
		return false
	}
	left, right := l.u.effectsOf(evaluation{n.UnaryExpression, n.Case == cc.AssignmentExpressionAssign}), l.u.effectsOf(evaluation{n: n.AssignmentExpression})
	return l.u.contest(left, right) > 0
}
