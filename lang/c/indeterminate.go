package c

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Calls in an expression are made one after the other, but C does not say in which order (C11, 6.5.2.2p10: they are indeterminately sequenced): in
// pop() - pop(), n + next(), a[i] = next() or f(next(), next()) a compiler may begin with either side, and GCC and Clang begin with different ones. Where one
// side changes by a call what the other one reads or changes (effects.go), all orders are runs of the program, as if it chose one. Those of what several
// threads can tell, and this one cannot, are not told apart: two loads of different objects are made from left to right.

// Bounds on what is written out; beyond them there is one order, and no proof.
const (
	maxContested = 3  // parts that contest each other, of which several call something: 3 of them are written 12 times
	maxObserved  = 4  // parts of which others can tell the order, if none of them calls what is written in its place
	maxAround    = 32 // parts without calls that one call contests
	maxChoosing  = 3  // expressions inside of each other, by calls
)

// siblings are parts of an expression that are in no order: how many, and the first two of them, which are in no others.
type siblings struct {
	first, second cc.ExpressionNode
	n             int
}

func siblingsOf(parts []cc.ExpressionNode) siblings {
	return siblings{parts[0], parts[1], len(parts)}
}

// contestants are those of the parts, in no order, that another one contests.
func (l *lowerer) contestants(parts ...cc.ExpressionNode) []int {
	if len(parts) < 2 || !l.evaluates() {
		return nil
	}
	key := siblingsOf(parts)
	contested, known := l.u.contestants[key]
	if !known {
		if slices.ContainsFunc(parts, l.u.calling) {
			contested = l.u.contestantsOf(parts)
		}
		l.u.contestants[key] = contested
	}
	if observed := l.u.observed(parts); observed != nil {
		contested = append(observed, contested...)
		slices.Sort(contested)
		contested = slices.Compact(contested)
	}
	return contested
}

func (u *unit) contestantsOf(parts []cc.ExpressionNode) []int {
	times := touches{}
	for _, p := range parts {
		for t := range u.effectsOf(evaluation{n: p}).all {
			times[t]++
		}
	}
	var contested []int
	for i, p := range parts {
		own := u.effectsOf(evaluation{n: p}).all
		if u.contests(own, times, func(t touch) bool { return times[t] > 1 || own[t] == 0 }) {
			contested = append(contested, i)
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

// inlining is true of an expression in which a function of the program may be called.
func (u *unit) inlining(n cc.ExpressionNode) (is bool) {
	walk(n, func(n cc.Node) bool {
		if x, ok := n.(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionCall {
			name := called(x)
			is = is || name == "" || u.defined[name] != nil
		}
		return !is
	})
	return is
}

// contest counts the events of some that make a difference for others, or the other way round, by a call. What both do by themselves, in no
// order, is undefined, and found otherwise.
func (u *unit) contest(some, others *effects) int {
	n := 0
	for _, e := range some.events {
		if u.contests(u.touchesOf(e), others.all, func(touch) bool { return true }) {
			n++
		}
	}
	return n
}

// contests is whether one of some makes a difference for one of others that counts.
func (u *unit) contests(some, others touches, counts func(touch) bool) bool {
	for x := range some {
		for y := range others {
			if (x.changes || y.changes) && (x.called || y.called) && counts(y) && !u.apartTouches(x, y) {
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

func union(a, b touches) touches {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// inAnyOrder evaluates the parts of n, those first that nobody contests.
func (l *lowerer) inAnyOrder(n cc.Node, parts []cc.ExpressionNode, eval func(i int) value) []value {
	if len(parts) > 1 {
		evaluate := eval
		eval = func(i int) (v value) {
			l.inPart(parts[0], parts[i], func() { v = evaluate(i) })
			return v
		}
	}
	values := make([]value, len(parts))
	is := make([]bool, len(parts))
	contested := l.contestants(parts...)
	observed := l.u.observed(parts)
	var calls []int
	for _, i := range contested {
		if is[i] = true; l.u.calling(parts[i]) || observed != nil { // what others observe is as good as a call
			calls = append(calls, i)
		}
	}
	name := l.sameFunction(parts, contested)
	unordered := l.choosing >= maxChoosing && len(calls) > 0 && name == ""
	switch {
	case unordered:
	case len(calls) == 1: // what contests a call, and calls nothing, contests nothing else
		unordered = len(contested) > maxAround
		for _, i := range contested {
			unordered = unordered || i != calls[0] && l.u.several(evaluation{n: parts[i]}, evaluation{n: parts[calls[0]]})
		}
	case len(contested) > maxContested && (observed == nil || len(contested) > maxObserved || slices.ContainsFunc(parts, l.u.inlining)):
		unordered = true
	case slices.ContainsFunc(observed, func(i int) bool {
		return l.u.manyEvents(parts[i], slices.Contains(l.u.contestants[siblingsOf(parts)], i))
	}):
		unordered = true
	default:
		var each []evaluation
		for _, i := range contested {
			each = append(each, evaluation{n: parts[i]})
		}
		unordered = l.u.several(each...)
	}
	if unordered {
		l.unordered(n)
		calls = nil
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
		if name == "" || !l.inTurns(n, name, parts, contested, values) {
			l.inAllOrders(n, parts, contested, eval, values)
		}
	}
	return values
}

// sameFunction is the function of which all that is contested are calls with numbers and pointers, and make a difference for each other, or "".
func (l *lowerer) sameFunction(parts []cc.ExpressionNode, contested []int) string {
	name := ""
	for k, i := range contested {
		call, ok := unwrap(parts[i]).(*cc.PostfixExpression)
		if !ok || call.Case != cc.PostfixExpressionCall {
			return ""
		}
		this := called(call)
		def := l.u.defined[this]
		if d := identifier(call.PostfixExpression); def == nil || stubborn[this] || d == nil || d.Type().Kind() != cc.Function || sectionFunction(this) {
			return ""
		}
		params := l.u.parameters(def)
		if t := l.u.definedType(def).Elem; k > 0 && this != name || len(arguments(call)) != len(params) || t.Aggregate() || t.Kind == types.FloatKind ||
			slices.ContainsFunc(params, func(p parameter) bool { return !p.t.Scalar() || p.t.Kind == types.FloatKind }) {
			return ""
		}
		name = this
	}
	if name == "" {
		return ""
	}
	if calls := l.u.callTouches(l.u.defined[name]); !l.u.contests(calls, calls, func(touch) bool { return true }) { // it is their arguments
		return ""
	}
	return name
}

// inTurns evaluates parts that are calls of one function: what they are called with is known beforehand, and which of them is called first is chosen with
// it, so that none is written twice, as functions that call themselves twice would be at each depth. It is false, and does nothing, of
// calls with constants, which say how often such functions do.
func (l *lowerer) inTurns(n cc.Node, name string, parts []cc.ExpressionNode, contested []int, values []value) bool {
	params := l.u.parameters(l.u.defined[name])
	constant := len(params) > 0
	for _, i := range contested {
		for _, a := range arguments(unwrap(parts[i]).(*cc.PostfixExpression)) {
			if constant = constant && !hasEffects(a) && l.pure(a); constant {
				_, constant = l.decided(flowgraph.Fold(l.expr(a).e)).(program.Const)
			}
		}
	}
	if constant {
		return false
	}
	args := make([][]int, len(contested)) // by part, and then by turn
	for k, i := range contested {
		call := unwrap(parts[i]).(*cc.PostfixExpression)
		for j, v := range l.evaluate(call, name, arguments(call)) {
			r := l.temp(params[j].t)
			l.assign(r, l.coerce(parts[i], v, params[j].t.Plain()).e)
			args[k] = append(args[k], r)
		}
	}
	turns := permutations(len(contested))
	var says []string
	for _, t := range turns {
		says = append(says, fmt.Sprintf("evaluate %s first", partSource(parts, contested[t[0]])))
	}
	which := l.havoc(types.Int, 0, int64(len(turns)-1))
	choose := func(says []string, do func(turn []int)) {
		from, end := l.cur, l.node()
		for w, turn := range turns {
			at := l.node()
			c := program.Command{Op: program.Check, Value: bin(program.Eq, which.e, program.Const(int64(w)))}
			if says != nil {
				c.Says = says[w]
			}
			l.edge(from, at, c)
			l.cur = at
			do(turn)
			l.edge(l.cur, end, program.Skip())
		}
		l.cur = end
	}
	given := make([][]value, len(contested)) // by turn
	for k := range given {
		for _, p := range params {
			given[k] = append(given[k], value{t: p.t.Plain(), e: program.Reg(l.temp(p.t))})
		}
	}
	choose(says, func(turn []int) {
		for k, part := range turn {
			for j, r := range args[part] {
				l.assign(int(given[k][j].e.(program.Reg)), program.Reg(r))
			}
		}
	})
	results := make([]value, len(contested))
	for k := range results {
		results[k] = l.callDefined(n, name, given[k])
		if results[k].t.Scalar() {
			results[k] = l.kept(results[k])
		}
		l.at(n)
	}
	said := make([]*handed, len(contested))
	for k := range said {
		said[k] = l.handedIn(results[k].t)
	}
	choose(nil, func(turn []int) {
		for k, part := range turn {
			l.hand(said[part], results[k])
		}
	})
	for k, i := range contested {
		values[i] = said[k].value(results[k].t)
	}
	return true
}

// partSource is how one of several parts is written, or where it stands among them.
func partSource(parts []cc.ExpressionNode, i int) string {
	return cmp.Or(sourceOf(parts[i]), fmt.Sprintf("part %d", i+1))
}

// permutations are the orders of n things.
func permutations(n int) [][]int {
	if n == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for _, p := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(p), at, n-1))
		}
	}
	return all
}

// aroundCall evaluates one part that calls something, and each of those that contest it, which call nothing, before or after it. Others than
// inAllOrders it writes the call once.
func (l *lowerer) aroundCall(n cc.Node, parts []cc.ExpressionNode, contested []int, call int, eval func(i int) value, values []value) {
	first := make([]value, len(parts)) // 1: before the call
	said := make([]*handed, len(parts))
	evaluateWhere := func(i int, holds program.Expr, says string) {
		l.at(n)
		yes, end := l.node(), l.node()
		l.edge(l.cur, yes, program.Command{Op: program.Check, Value: holds, Says: says})
		l.edge(l.cur, end, program.Command{Op: program.Check, Value: program.NotExpr(holds)})
		l.cur = yes
		v := eval(i)
		if said[i] == nil {
			said[i] = l.handedIn(v.t)
		}
		l.hand(said[i], v)
		values[i] = said[i].value(v.t)
		l.land(end)
	}
	for _, i := range contested {
		if i != call {
			l.at(n)
			first[i] = l.havoc(types.Bool, 0, 1)
			evaluateWhere(i, first[i].e, fmt.Sprintf("evaluate %s before %s", partSource(parts, i), partSource(parts, call)))
		}
	}
	values[call] = eval(call)
	for _, i := range contested {
		if i != call {
			evaluateWhere(i, program.NotExpr(first[i].e), fmt.Sprintf("evaluate %s after %s", partSource(parts, i), partSource(parts, call)))
		}
	}
	l.at(n)
}

// inAllOrders evaluates the parts that are contested, in all orders: it goes through the sets of those that have been evaluated.
func (l *lowerer) inAllOrders(n cc.Node, parts []cc.ExpressionNode, contested []int, eval func(i int) value, values []value) {
	l.choosing++
	defer func() { l.choosing-- }()
	said := make([]*handed, len(parts))
	after := map[int]int{0: l.cur} // where one goes on, by set
	for set := range 1<<len(contested) - 1 {
		l.cur = after[set]
		var left []int
		var says []string
		for k, i := range contested {
			if set&(1<<k) == 0 {
				left, says = append(left, k), append(says, fmt.Sprintf("evaluate %s next", partSource(parts, i)))
			}
		}
		l.at(n)
		for j, at := range l.chosenOf(says) {
			k := left[j]
			i := contested[k]
			l.cur = at
			v := eval(i)
			if said[i] == nil {
				said[i] = l.handedIn(v.t)
			}
			l.hand(said[i], v)
			values[i] = said[i].value(v.t)
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
	if l.u.settled[n] != nil || !l.evaluates() {
		return value{}, false
	}
	operations, leaves := leavesOf(n)
	if l.contestants(leaves...) == nil {
		for _, n := range operations {
			l.u.settled[n] = leaves[0]
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
	if l.choosing >= maxChoosing || l.u.manyEvents(n.UnaryExpression, l.contestedSides(n)) || l.u.manyEvents(n.AssignmentExpression, l.contestedSides(n)) || l.u.several(evaluation{n.UnaryExpression, n.Case == cc.AssignmentExpressionAssign}, evaluation{n: n.AssignmentExpression}) {
		l.unordered(n)
		return l.assigned(n, anyOrder, used)
	}
	l.choosing++
	defer func() { l.choosing-- }()
	left, right := cmp.Or(sourceOf(n.UnaryExpression), "the left side"), cmp.Or(sourceOf(n.AssignmentExpression), "the right side")
	orders, says := []assignmentOrder{placeFirst, valueFirst}, []string{"evaluate " + left + " first", "evaluate " + right + " first"}
	if n.Case != cc.AssignmentExpressionAssign {
		orders, says = append(orders, anyOrder), append(says, "evaluate "+right+" before "+left+" is read")
	}
	var said *handed
	var t *types.Type
	end := l.node()
	for i, at := range l.chosenOf(says) {
		l.cur = at
		v := l.assigned(n, orders[i], used)
		if used {
			if said == nil {
				said, t = l.handedIn(v.t), v.t
			}
			l.hand(said, v)
		}
		l.edge(l.cur, end, program.Skip())
	}
	l.cur = end
	if !used {
		return nothing
	}
	return said.value(t)
}

// contestsAssignment is whether the sides of an assignment contest each other.
func (l *lowerer) contestsAssignment(n *cc.AssignmentExpression) bool {
	if l.evaluates() && l.u.observed([]cc.ExpressionNode{n.UnaryExpression, n.AssignmentExpression}) != nil {
		return true
	}
	return l.contestedSides(n)
}

// contestedSides is the same, but for what other threads observe.
func (l *lowerer) contestedSides(n *cc.AssignmentExpression) bool {
	if !l.evaluates() || !l.u.calling(n.UnaryExpression) && !l.u.calling(n.AssignmentExpression) {
		return false
	}
	left, right := l.u.effectsOf(evaluation{n.UnaryExpression, n.Case == cc.AssignmentExpressionAssign}), l.u.effectsOf(evaluation{n: n.AssignmentExpression})
	return l.u.contest(left, right) > 0
}
