package c

import (
	"reflect"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// What C does not sequence (C11, 6.5 and annex C): two changes of one variable in an expression, or a change and a use of what it was, none of
// which comes before the other, as in i = i++ or f(i, i++). That is undefined, and an assertion that fails where such an expression is
// come to says so. It is looked at for variables by their names; what else two parts of an expression may have in common is not known here, and the parts
// are evaluated from left to right, though another order may be as good.

// A sequence is what is known of an expression: the variables that it reads and changes, and the changes that may come
// after its value is known.
type sequence struct {
	reads, changes, late map[*cc.Declarator]bool
	clash                *cc.Declarator // one that is changed and used in no order; nil: none
}

func newSequence() *sequence {
	return &sequence{map[*cc.Declarator]bool{}, map[*cc.Declarator]bool{}, map[*cc.Declarator]bool{}, nil}
}

// sequenced asserts, where an expression is evaluated, that all of it is in an order.
func (l *lowerer) sequenced(n cc.ExpressionNode) {
	if n == nil || l.dryness > 0 {
		return
	}
	d, known := l.u.sequences[n]
	if !known {
		d = sequenceOf(n).clash
		l.u.sequences[n] = d
	}
	if d != nil {
		l.at(n)
		l.assertThat(program.Const(0), n, "%s is in an order", d.Name()+" is changed and used in one expression, in no order")
	}
}

// sequenceOf looks at an expression.
func sequenceOf(n cc.Node) *sequence {
	s := newSequence()
	if x, ok := n.(cc.ExpressionNode); ok {
		n = unwrap(x)
	}
	if v := reflect.ValueOf(n); !v.IsValid() || v.Kind() != reflect.Pointer || v.IsNil() {
		return s
	}
	switch x := n.(type) {
	case *cc.PrimaryExpression:
		if x.Case == cc.PrimaryExpressionIdent {
			if d := resolved(x); d != nil {
				s.reads[d] = true
			}
		}
		return s // nor is looked into statements in expressions, which are in an order
	case *cc.ExpressionList:
		for first := true; x != nil; x = x.ExpressionList {
			o := sequenceOf(x.AssignmentExpression)
			if !first { // it may not be come to
				o.clash = nil
			}
			s.then(o)
			first = false
		}
		return s
	// What may not be evaluated says nothing.
	case *cc.LogicalAndExpression:
		if x.Case == cc.LogicalAndExpressionLAnd {
			return sequenceOf(x.LogicalAndExpression).settled()
		}
	case *cc.LogicalOrExpression:
		if x.Case == cc.LogicalOrExpressionLOr {
			return sequenceOf(x.LogicalOrExpression).settled()
		}
	case *cc.ConditionalExpression:
		if x.Case == cc.ConditionalExpressionCond {
			return sequenceOf(x.LogicalOrExpression).settled()
		}
	case *cc.AssignmentExpression:
		if x.Case != cc.AssignmentExpressionCond {
			s.beside(changed(x.UnaryExpression, x.Case != cc.AssignmentExpressionAssign))
			right := sequenceOf(x.AssignmentExpression)
			if d := identifier(x.UnaryExpression); d != nil {
				// The value of the right side comes before the change, and so does what made it.
				delete(s.late, d)
				delete(s.changes, d)
				late := right.late[d]
				s.beside(right)
				if late && s.clash == nil {
					s.clash = d
				}
				s.changes[d], s.late[d] = true, true
				return s
			}
			s.beside(right)
			return s
		}
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionInc, cc.PostfixExpressionDec:
			return changed(x.PostfixExpression, true)
		case cc.PostfixExpressionComplit:
			return s
		case cc.PostfixExpressionSelect: // which is not all of what it is a member of
			inner := sequenceOf(x.PostfixExpression)
			clear(inner.reads)
			return inner
		case cc.PostfixExpressionCall:
			switch called(x) {
			case "__fp_constant_p", "__builtin_object_size", "__builtin_dynamic_object_size": // which evaluate nothing
				return s
			}
			s.beside(sequenceOf(x.PostfixExpression))
			for a := x.ArgumentExpressionList; a != nil; a = a.ArgumentExpressionList {
				s.beside(sequenceOf(a.AssignmentExpression))
			}
			return s.settled() // the arguments come before the call
		}
	case *cc.UnaryExpression:
		switch x.Case {
		case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
			return changed(x.UnaryExpression, true)
		case cc.UnaryExpressionAddrof:
			inner := sequenceOf(x.CastExpression)
			if d := identifier(x.CastExpression); d != nil {
				delete(inner.reads, d)
			}
			return inner
		case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionSizeofType, cc.UnaryExpressionAlignofExpr, cc.UnaryExpressionAlignofType, cc.UnaryExpressionLabelAddr:
			return s
		}
	}
	v := reflect.ValueOf(n).Elem()
	for _, i := range mayBeNodes(v.Type()) {
		if f := v.Field(i); !f.IsNil() {
			if m, ok := f.Interface().(cc.ExpressionNode); ok {
				s.beside(sequenceOf(m))
			}
		}
	}
	return s
}

// changed is what is known of the place of an increment or an assignment, which is read as well, or not.
func changed(n cc.ExpressionNode, reads bool) *sequence {
	s := sequenceOf(n)
	if d := identifier(n); d != nil {
		if !reads {
			delete(s.reads, d)
		}
		s.changes[d], s.late[d] = true, true
	}
	return s
}

// settled is s where a sequence point follows.
func (s *sequence) settled() *sequence {
	clear(s.late)
	return s
}

// then adds what comes after all of s.
func (s *sequence) then(o *sequence) {
	join(s.reads, o.reads)
	join(s.changes, o.changes)
	s.late = o.late
	if s.clash == nil {
		s.clash = o.clash
	}
}

// beside adds what is in no order with s.
func (s *sequence) beside(o *sequence) {
	if s.clash == nil {
		s.clash = o.clash
	}
	for d := range o.changes {
		if s.clash == nil && (s.reads[d] || s.changes[d]) {
			s.clash = d
		}
	}
	for d := range s.changes {
		if s.clash == nil && o.reads[d] {
			s.clash = d
		}
	}
	join(s.reads, o.reads)
	join(s.changes, o.changes)
	join(s.late, o.late)
}

func join(to, from map[*cc.Declarator]bool) {
	for d := range from {
		to[d] = true
	}
}
