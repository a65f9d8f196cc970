package c

import (
	"reflect"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// What C does not sequence (C11, 6.5 and annex C): two changes of one variable in an expression, or a change and a use of what it was, none of
// which comes before the other, as in i = i++ or f(i, i++). That is undefined, and an assertion that fails where such an expression is
// come to says so. It is looked at for variables by their names; what else two parts of an expression may have in common is not known here, and the parts
// are evaluated from left to right, though another order may be as good. What is evaluated in one case only, as in (c && i++) + i, fails
// where it is come to; two such parts are not held against each other.

// A sequence is what is known of an expression: the variables that it reads and changes, the changes that may come
// after its value is known, and the parts of it that are evaluated in one case only.
type sequence struct {
	reads, changes, late map[*cc.Declarator]bool
	arms                 []arm
	clash                *cc.Declarator // one that is changed and used in no order; nil: none
}

// An arm is what is evaluated in one case only.
type arm struct {
	at cc.ExpressionNode
	*sequence
}

func newSequence() *sequence {
	return &sequence{reads: map[*cc.Declarator]bool{}, changes: map[*cc.Declarator]bool{}, late: map[*cc.Declarator]bool{}}
}

// sequenced asserts, where an expression is evaluated, that all of it is in an order, with what is evaluated beside it.
func (l *lowerer) sequenced(n cc.ExpressionNode) {
	if n == nil || l.dryness > 0 {
		return
	}
	d, known := l.u.sequences[n]
	if !known {
		d = l.sequenceOf(n).clash
		l.u.sequences[n] = d
	}
	if d == nil {
		d = l.u.besides[n]
	}
	if d != nil {
		l.at(n)
		l.assertThat(program.Const(0), n, "%s is in an order", d.Name()+" is changed and used in one expression, in no order")
	}
}

// sequenceOf looks at an expression. Of an arm it notes what it is in no order with.
func (l *lowerer) sequenceOf(n cc.Node) *sequence {
	s := newSequence()
	if x, ok := n.(cc.ExpressionNode); ok {
		n = unwrap(x)
	}
	if v := reflect.ValueOf(n); !v.IsValid() || v.Kind() != reflect.Pointer || v.IsNil() {
		return s
	}
	switch x := n.(type) {
	case *cc.PrimaryExpression:
		switch x.Case {
		case cc.PrimaryExpressionIdent:
			if d := resolved(x); d != nil {
				s.reads[d] = true
			}
		case cc.PrimaryExpressionGeneric:
			return l.sequenceOf(l.generic(x.GenericSelection))
		}
		return s // nor is looked into statements in expressions, which are in an order
	case *cc.ExpressionList:
		for first := true; x != nil; x = x.ExpressionList {
			o := l.sequenceOf(x.AssignmentExpression)
			if !first { // it may not be come to
				o.clash = nil
			}
			s.then(o)
			first = false
		}
		return s
	case *cc.LogicalAndExpression:
		if x.Case == cc.LogicalAndExpressionLAnd {
			return l.sequenceOf(x.LogicalAndExpression).settled().or(l, x.InclusiveOrExpression)
		}
	case *cc.LogicalOrExpression:
		if x.Case == cc.LogicalOrExpressionLOr {
			return l.sequenceOf(x.LogicalOrExpression).settled().or(l, x.LogicalAndExpression)
		}
	case *cc.ConditionalExpression:
		if x.Case == cc.ConditionalExpressionCond {
			s = l.sequenceOf(x.LogicalOrExpression).settled()
			if x.ExpressionList != nil {
				s.or(l, x.ExpressionList)
			}
			return s.or(l, x.ConditionalExpression)
		}
	case *cc.AssignmentExpression:
		if x.Case != cc.AssignmentExpressionCond {
			s.beside(l, l.changed(x.UnaryExpression, x.Case != cc.AssignmentExpressionAssign))
			right := l.sequenceOf(x.AssignmentExpression)
			d := identifier(x.UnaryExpression)
			if d == nil {
				s.beside(l, right)
				return s
			}
			// The value of the right side comes before the change, and so does what made it.
			delete(s.late, d)
			delete(s.changes, d)
			late := right.late[d]
			s.beside(l, right)
			if late && s.clash == nil {
				s.clash = d
			}
			for _, a := range right.arms {
				if a.late[d] {
					l.u.besides[a.at] = d
				}
			}
			s.changes[d], s.late[d] = true, true
			return s
		}
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionInc, cc.PostfixExpressionDec:
			return l.changed(x.PostfixExpression, true)
		case cc.PostfixExpressionComplit: // in an order, though it is not known in which
			for i := x.InitializerList; i != nil; i = i.InitializerList {
				l.listed(i.Initializer, s)
			}
			return s
		case cc.PostfixExpressionSelect: // which is not all of what it is a member of
			return l.sequenceOf(x.PostfixExpression).without(identifier(x.PostfixExpression))
		case cc.PostfixExpressionCall:
			switch called(x) {
			case "__fp_constant_p", "__builtin_object_size", "__builtin_dynamic_object_size": // which evaluate nothing
				return s
			}
			s.beside(l, l.sequenceOf(x.PostfixExpression))
			for a := x.ArgumentExpressionList; a != nil; a = a.ArgumentExpressionList {
				s.beside(l, l.sequenceOf(a.AssignmentExpression))
			}
			return s.settled() // the arguments come before the call
		}
	case *cc.UnaryExpression:
		switch x.Case {
		case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
			return l.changed(x.UnaryExpression, true)
		case cc.UnaryExpressionAddrof:
			return l.sequenceOf(x.CastExpression).without(identifier(x.CastExpression))
		case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionSizeofType, cc.UnaryExpressionAlignofExpr, cc.UnaryExpressionAlignofType, cc.UnaryExpressionLabelAddr:
			return s
		}
	}
	v := reflect.ValueOf(n).Elem()
	for _, i := range mayBeNodes(v.Type()) {
		if f := v.Field(i); !f.IsNil() {
			if m, ok := f.Interface().(cc.ExpressionNode); ok {
				s.beside(l, l.sequenceOf(m))
			}
		}
	}
	return s
}

// listed adds what an initialiser has. Its parts are looked at where they are evaluated.
func (l *lowerer) listed(n *cc.Initializer, s *sequence) {
	if n.AssignmentExpression != nil {
		s.add(l.sequenceOf(n.AssignmentExpression))
	}
	for i := n.InitializerList; i != nil; i = i.InitializerList {
		l.listed(i.Initializer, s)
	}
}

// changed is what is known of the place of an increment or an assignment, which is read as well, or not.
func (l *lowerer) changed(n cc.ExpressionNode, reads bool) *sequence {
	s := l.sequenceOf(n)
	if d := identifier(n); d != nil {
		if !reads {
			delete(s.reads, d)
		}
		s.changes[d], s.late[d] = true, true
	}
	return s
}

// without is s where a variable is not read.
func (s *sequence) without(d *cc.Declarator) *sequence {
	delete(s.reads, d)
	return s
}

// settled is s where a sequence point follows.
func (s *sequence) settled() *sequence {
	clear(s.late)
	for _, a := range s.arms {
		clear(a.late)
	}
	return s
}

// or adds what may come after all of s.
func (s *sequence) or(l *lowerer, n cc.ExpressionNode) *sequence {
	o := l.sequenceOf(n)
	s.arms = append(append(s.arms, arm{n, o}), o.arms...)
	return s
}

// then adds what comes after all of s.
func (s *sequence) then(o *sequence) {
	s.settled()
	if s.clash == nil {
		s.clash = o.clash
	}
	s.add(o)
}

// add adds what is in an order with s.
func (s *sequence) add(o *sequence) {
	join(s.reads, o.reads)
	join(s.changes, o.changes)
	join(s.late, o.late)
	s.arms = append(s.arms, o.arms...)
}

// beside adds what is in no order with s.
func (s *sequence) beside(l *lowerer, o *sequence) {
	if s.clash == nil {
		if s.clash = o.clash; s.clash == nil {
			s.clash = s.against(o)
		}
	}
	for _, pair := range [][2]*sequence{{s, o}, {o, s}} {
		for _, a := range pair[0].arms {
			if d := a.against(pair[1]); d != nil {
				l.u.besides[a.at] = d
			}
		}
	}
	s.add(o)
}

// against is a variable that one of the two changes, and the other one changes or reads, the first by name; nil: there is none.
func (s *sequence) against(o *sequence) (d *cc.Declarator) {
	for c := range o.changes {
		if (s.reads[c] || s.changes[c]) && (d == nil || c.Name() < d.Name()) {
			d = c
		}
	}
	for c := range s.changes {
		if o.reads[c] && (d == nil || c.Name() < d.Name()) {
			d = c
		}
	}
	return d
}

func join(to, from map[*cc.Declarator]bool) {
	for d := range from {
		to[d] = true
	}
}
