package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A pointer that has been made of an array leads into that array, or right behind it, however far it is moved (C11, 6.5.6p8): not to the next
// member of the structure that the array is in, though that is where the address is. Which array that is goes along with the value of the
// pointer as long as it is an expression, or in a variable without an address that gets a pointer once and is moved from then on; accesses
// by such pointers are accesses to elements of the array. Rows of an array are one with it: programs go through all of them by one pointer.

// spanOf is the array that a place is, which is a member; empty: it is none, or one of which more is known by its size than that.
func (u *unit) spanOf(p place) lowered.Interval {
	a, known := p.addr.(program.Const)
	if !known || p.t.Kind != types.ArrayKind || p.t.Len <= 1 || p.inside != nil { // of one element: the rest may come behind it
		return lowered.Interval{}
	}
	if o := u.lowered.ObjectAt(int64(a)); o == nil || o.Type.HasUnion() {
		return lowered.Interval{}
	}
	return lowered.Interval{Lo: int64(a), Hi: int64(a) + p.t.Size}
}

// walkers are the variables and parameters of a function that get a value at most once, and are moved from there.
func (u *unit) walkers(def *cc.FunctionDefinition) map[*cc.Declarator]bool {
	if m, ok := u.walking[def]; ok {
		return m
	}
	given := map[*cc.Declarator]int{}
	for _, p := range u.parameters(def) {
		given[p.d]++
	}
	walk(def.CompoundStatement, func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.InitDeclarator:
			if n.Case == cc.InitDeclaratorInit {
				given[n.Declarator]++
			} else {
				given[n.Declarator] += 0
			}
		case *cc.Declaration:
			if n.Case == cc.DeclarationAuto {
				given[n.Declarator]++
			}
		case *cc.AssignmentExpression:
			if d := identifier(n.UnaryExpression); n.Case == cc.AssignmentExpressionAssign && d != nil && !moves(n.AssignmentExpression, d) {
				given[d]++
			}
		case *cc.UnaryExpression:
			if n.Case == cc.UnaryExpressionAddrof {
				given[identifier(n.CastExpression)] += 2
			}
		case *cc.AsmStatement:
			given[nil] = -1
		}
		return true
	})
	m := map[*cc.Declarator]bool{}
	if given[nil] >= 0 { // what assembly writes is not known here
		for d, k := range given {
			m[d] = d != nil && k <= 1
		}
	}
	u.walking[def] = m
	return m
}

// moves is true of d + k and d - k.
func moves(n cc.ExpressionNode, d *cc.Declarator) bool {
	x, ok := unwrap(n).(*cc.AdditiveExpression)
	return ok && x.Case != cc.AdditiveExpressionMul && identifier(x.AdditiveExpression) == d
}
