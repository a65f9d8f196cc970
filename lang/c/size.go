package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// varyingBytes is the size of a type int[n].
func (l *lowerer) varyingBytes(n *cc.TypeName) (value, bool) {
	t := l.u.maker.typeName(n)
	if t.kind != arrayKind || t.name != varyingSize || n.AbstractDeclarator == nil || n.AbstractDeclarator.Pointer != nil {
		return value{}, false
	}
	d := n.AbstractDeclarator.DirectAbstractDeclarator
	if d == nil || d.Case != cc.DirectAbstractDeclaratorArr || d.DirectAbstractDeclarator != nil || d.AssignmentExpression == nil {
		return value{}, false
	}
	if hasEffects(d.AssignmentExpression) {
		l.u.refuse(d, "a size with an effect")
	}
	k := l.convert(l.expr(d.AssignmentExpression), ulongType)
	return value{t: ulongType, e: flowgraph.Fold(bin(program.Mul, k.e, program.Const(t.elem.size)))}, true
}

// varying declares an array whose size is computed. It is allocated; what the size is has to be
// known when constants have been propagated.
func (l *lowerer) varying(x *declared) bool {
	if x.t.kind != arrayKind || x.t.name != varyingSize || x.init != nil {
		return false
	}
	dd := x.d.DirectDeclarator
	if dd.Case != cc.DirectDeclaratorArr || dd.DirectDeclarator.Case != cc.DirectDeclaratorIdent || dd.AssignmentExpression == nil {
		return false
	}
	elem := x.t.elem.plain()
	l.sequenced(dd.AssignmentExpression)
	n := l.convert(l.expr(dd.AssignmentExpression), ulongType)
	l.at(x.d)
	bytes := value{t: ulongType, e: flowgraph.Fold(bin(program.Mul, n.e, program.Const(elem.size)))}
	p := l.allocation(x.d, bytes, false, elem)
	l.onStack(p, l.scope, x.d.Name())
	v := &variable{name: x.d.Name(), t: arrayOf(x.t.elem, -1), varying: true,
		reg: l.register(x.d.Name(), program.Uint64Type, false), bytes: l.temp(ulongType)}
	l.frame.vars[x.d] = v
	l.assign(v.reg, p.e)
	l.assign(v.bytes, bytes.e)
	return true
}
