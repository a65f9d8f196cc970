package c

import (
	"maps"
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A pointer leads into the array that it has been made of, however far it is moved (C11, 6.5.6p8), and whichever way it has come to its value. What it is
// said of in elements.go is expressions, and variables that get their value once; a variable that is moved, or gets several values, has registers beside it
// that tell which array it has come from by now. They get what is known of each value that it gets, which of a value from memory, of a cast, or of a number
// is nothing. So have conditional expressions, and what functions give.
//
// A variable has them only where its function says of some value of it that it may be a pointer to an array: others, as those that go along a list, have none.

// An origin is the registers that tell which array a pointer leads into.
type origin struct {
	base int // where the array begins
	room int // one more than how large it is, in bytes; 0: nothing is known of it
	tail int // its beginning, where it may go on behind its end (see [elementOf])
}

func (l *lowerer) origin() *origin {
	return &origin{base: l.temp(types.Long), room: l.temp(types.Long), tail: l.temp(types.Long)}
}

// of is what a pointer is made of that has come from there.
func (o *origin) of(e program.Expr) *elementOf {
	if o == nil {
		return nil
	}
	return &elementOf{size: plus(program.Reg(o.room), -1), base: program.Reg(o.base), off: bin(program.Sub, e, program.Reg(o.base)), tail: program.Reg(o.tail), from: o}
}

// cameFrom is what a variable is a pointer to an element of, whatever its value is by now.
func (l *lowerer) cameFrom(p place) *elementOf {
	if p.addr != nil {
		return nil
	}
	return l.origins[p.reg].of(program.Reg(p.reg))
}

// comes writes that a pointer comes from where v does, before it gets that value.
func (l *lowerer) comes(o *origin, v value) {
	if o == nil || l.dryness > 0 {
		return
	}
	of := v.of.widened()
	if of != nil && (of.size == program.Const(v.t.Elem.Size) || v.span.Hi > v.span.Lo) {
		if _, known := of.base.(program.Const); known { // of one element: the rest may come behind it; else the span is the innermost one
			of = nil
		}
	}
	switch {
	case of != nil && of.from == o:
		return
	case of == nil && v.span.Hi > v.span.Lo:
		of = &elementOf{size: program.Const(v.span.Hi - v.span.Lo), base: program.Const(v.span.Lo), tail: program.Const(0)}
	case of == nil:
		of = &elementOf{size: program.Const(-1), base: program.Const(0), tail: program.Const(0)}
	}
	l.assign(o.base, of.base)
	l.assign(o.room, plus(of.size, 1))
	l.assign(o.tail, of.tail)
}

// leading are the variables and parameters of a function among whose values may be pointers to arrays; given are those parameters that have such a one when it is called.
func (u *unit) leading(def *cc.FunctionDefinition, given map[*cc.Declarator]bool) map[*cc.Declarator]bool {
	m, known := u.leads[def]
	if known && len(given) == 0 {
		return m
	}
	m = maps.Clone(given)
	if len(given) == 0 {
		m = map[*cc.Declarator]bool{}
		u.leads[def] = m // as far as it calls itself
	}
	values := map[*cc.Declarator][]cc.ExpressionNode{}
	give := func(d *cc.Declarator, n *cc.Initializer) {
		if n != nil && n.Case == cc.InitializerExpr {
			values[d] = append(values[d], n.AssignmentExpression)
		}
	}
	addressed := map[*cc.Declarator]bool{}
	assembly := false
	walk(def.CompoundStatement, func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.InitDeclarator:
			give(n.Declarator, n.Initializer)
		case *cc.Declaration:
			if n.Case == cc.DeclarationAuto {
				give(n.Declarator, n.Initializer)
			}
		case *cc.AssignmentExpression:
			if d := identifier(n.UnaryExpression); n.Case == cc.AssignmentExpressionAssign && d != nil {
				values[d] = append(values[d], n.AssignmentExpression)
			}
		case *cc.UnaryExpression:
			if n.Case == cc.UnaryExpressionAddrof {
				addressed[identifier(n.CastExpression)] = true
			}
		case *cc.AsmStatement: // what it writes is not known here
			assembly = true
		}
		return true
	})
	for more := true; more; {
		more = false
		for d, xs := range values {
			if !m[d] && !addressed[d] && slices.ContainsFunc(xs, func(x cc.ExpressionNode) bool { return u.mayLead(x, m) }) {
				m[d], more = true, true
			}
		}
	}
	maps.DeleteFunc(m, func(d *cc.Declarator, _ bool) bool { return assembly || addressed[d] })
	return m
}

// mayLead is whether an expression may be a pointer to an array, where the variables do that are listed.
func (u *unit) mayLead(x cc.Node, vars map[*cc.Declarator]bool) bool {
	found := false
	walk(x, func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.TypeName:
			return false
		case *cc.UnaryExpression:
			switch n.Case {
			case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionAlignofExpr:
				return false
			case cc.UnaryExpressionDeref:
				found = found || isArray(n)
			}
		case *cc.PrimaryExpression:
			found = found || n.Case == cc.PrimaryExpressionIdent && (vars[identifier(n)] || isArray(n))
		case *cc.PostfixExpression:
			if n.Case == cc.PostfixExpressionCall {
				found = found || u.givesLeading(called(n))
			} else {
				found = found || isArray(n)
			}
		}
		return !found
	})
	return found
}

// isArray is true of an expression that becomes a pointer to an array.
func isArray(n cc.ExpressionNode) bool {
	t := n.Type()
	if t == nil {
		return false
	}
	whole := t.Undecay()
	return whole != nil && whole.Kind() == cc.Array
}

// givesLeading is whether a function may give a pointer to an array, whatever it is called with.
func (u *unit) givesLeading(name string) bool {
	def := u.defined[name]
	if def == nil || u.definedType(def).Elem.Kind != types.PointerKind {
		return false
	}
	gives, known := u.leadsBack[def]
	if !known {
		u.leadsBack[def] = false // as far as it calls itself
		gives = u.returnsLeading(def, nil)
		u.leadsBack[def] = gives
	}
	return gives
}

// returnsLeading is the same of a function that is called with such parameters.
func (u *unit) returnsLeading(def *cc.FunctionDefinition, given map[*cc.Declarator]bool) bool {
	found := false
	vars := u.leading(def, given)
	walk(def.CompoundStatement, func(n cc.Node) bool {
		if x, ok := n.(*cc.JumpStatement); ok && x.Case == cc.JumpStatementReturn && x.ExpressionList != nil {
			found = found || u.mayLead(x.ExpressionList, vars)
		}
		return !found
	})
	return found
}
