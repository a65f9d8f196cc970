package c

import (
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A label whose address is taken, as GCC has it, is an object without cells; a goto to an address
// is one to the label of this function that has it.

// labelKey is a label of a function.
type labelKey struct {
	def  *cc.FunctionDefinition
	name string
}

// labelAddress is && before a label.
func (l *lowerer) labelAddress(n *cc.UnaryExpression) value {
	if l.frame.def == nil {
		l.u.fail(n, "", "a label outside a function")
	}
	return number(types.VoidPointer, l.u.labelObject(labelKey{l.frame.def, n.Token2.SrcStr()}).Base)
}

func (u *unit) labelObject(k labelKey) *lowered.Object {
	o := u.labels[k]
	if o == nil {
		o = u.object("&&"+k.name, types.Void)
		u.labels[k] = o
	}
	return o
}

// gotoAddress is goto *n.
func (l *lowerer) gotoAddress(n cc.Node, to cc.ExpressionNode) {
	l.sequenced(to)
	v := l.expr(to)
	l.at(n)
	if len(l.frame.guards) > 0 {
		l.u.refuse(n, "a goto where variables have the attribute cleanup")
	}
	if v.t.Kind != types.PointerKind {
		l.u.fail(n, "", "%s is no pointer", v.t.Name)
	}
	var names []string
	walk(l.frame.def.CompoundStatement, func(n cc.Node) bool {
		if x, ok := n.(*cc.UnaryExpression); ok && x.Case == cc.UnaryExpressionLabelAddr && !slices.Contains(names, x.Token2.SrcStr()) {
			names = append(names, x.Token2.SrcStr())
		}
		return true
	})
	for _, name := range names {
		next := l.node()
		l.split(eq(v.e, program.Const(l.u.labelObject(labelKey{l.frame.def, name}).Base)), l.label(name), next)
		l.cur = next
	}
	l.assert(program.Const(0), "a goto to what is no label")
	l.dead(l.giveUp())
}
