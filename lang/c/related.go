package c

import (
	"reflect"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What is asked of pointers that are compared or subtracted, and why, is in package lowered (related.go there).

// relate writes that x and y, which n compares or subtracts, point into one object.
func (l *lowerer) relate(n cc.Node, x, y value, compares bool) {
	if reflect.DeepEqual(x.e, y.e) {
		return
	}
	a, known := x.e.(program.Const)
	b, alsoKnown := y.e.(program.Const)
	if x.t.Elem.Kind != types.FunctionKind && known && alsoKnown && l.u.lowered.Related(int64(a), int64(b), compares) {
		return
	}
	says := "two pointers point into one object"
	if e, ok := n.(cc.ExpressionNode); ok {
		if _, p, q, ok := operands(e); ok && q != nil && sourceOf(p) != "" && sourceOf(q) != "" {
			says = sourceOf(p) + " and " + sourceOf(q) + " point into one object"
		}
	}
	if x.t.Elem.Kind == types.FunctionKind { // no two functions are one object
		holds := eq(x.e, y.e)
		if compares {
			holds = flowgraph.FoldAll(bin(program.LogicalOr, holds, bin(program.LogicalOr, eq(x.e, program.Const(0)), eq(y.e, program.Const(0)))))
		}
		l.assertThat(holds, n, says, lowered.RelatedText(compares, true))
		return
	}
	l.operate(&lowered.RelatedOp{X: x.e, Y: y.e, Compares: compares, Says: "check that " + says})
}

// relates is whether x op y asks that both are of one object.
func (l *lowerer) relates(op operator, x, y cc.ExpressionNode) bool {
	points := func(n cc.ExpressionNode) bool { return l.typeOf(n).Decay().Kind == types.PointerKind }
	return (op == subOp || op >= ltOp) && points(x) && points(y)
}
