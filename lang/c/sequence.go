package c

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What C does not sequence (C11, 6.5 and annex C): two changes of one object in an expression, or a change and a use of what it was, none of
// which comes before the other, as in i = i++, f(i, i++) or a[0] = a[j]++. That is undefined. Which accesses are in no order is known from the
// expression ([lowerer.sequenceOf]). Of two that may be of one object (see apart.go) each notes its address where it is evaluated, and the one that comes
// second asserts that the other one's is another (accessed). Of calls, which are made in some order, indeterminate.go has all orders.

// A sequence is what is known of an expression: what it reads, what it changes, and which of the changes may come after its value is known.
type sequence struct {
	reads, changes, late []cc.ExpressionNode // places, unwrapped
}

// A rival is an access that another one is in no order with.
type rival struct {
	n    cc.ExpressionNode
	size int64 // in bytes; 0: that of the other one, which is the same variable
}

// sequenced begins an expression: none of what is in no order in it has been evaluated.
func (l *lowerer) sequenced(n cc.ExpressionNode) {
	if n == nil || l.dryness > 0 {
		return
	}
	contested, known := l.u.sequences[n]
	if !known {
		outer := l.contested
		l.contested = nil
		l.sequenceOf(n)
		contested, l.contested = l.contested, outer
		l.u.sequences[n] = contested
	}
	for _, n := range contested {
		l.at(n)
		l.assign(l.noted(n), program.Const(0))
	}
}

// noted is the register for the address of a place that is accessed in no order with another one; it is 0 until that is evaluated.
func (l *lowerer) noted(n cc.ExpressionNode) int {
	if l.frame.noted == nil {
		l.frame.noted = map[cc.ExpressionNode]int{}
	}
	r, ok := l.frame.noted[n]
	if !ok {
		r = l.temp(types.VoidPointer)
		l.frame.noted[n] = r
	}
	return r
}

// accessed asserts that what n denotes, which is accessed now, is none of what has been accessed in no order with it.
func (l *lowerer) accessed(n cc.ExpressionNode, p place) {
	n = unwrap(n)
	rivals := l.u.rivals[n]
	if rivals == nil || l.dryness > 0 {
		return
	}
	here := p.addr
	if here == nil {
		here = program.Const(1) // a register has no address, and its rivals are itself
	}
	differs := program.Expr(program.Const(1))
	for _, r := range rivals {
		there := program.Reg(l.noted(r.n))
		apart := ne(there, here)
		if r.size != 0 && r.size != p.t.Size {
			apart = bin(program.LogicalOr, bin(program.ULe, plus(there, r.size), here), bin(program.ULe, plus(here, p.t.Size), there))
		}
		differs = bin(program.LogicalAnd, differs, apart)
	}
	l.at(n)
	l.assertThat(flowgraph.Fold(differs), n, "%s is in an order with the rest", sourceOf(n)+" is changed and used in one expression, in no order")
	l.assign(l.noted(n), here)
}

// sequenceOf looks at an expression, and notes the accesses in it that are in no order.
func (l *lowerer) sequenceOf(n cc.Node) *sequence {
	s := &sequence{}
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
			if resolved(x) != nil {
				s.reads = append(s.reads, x)
			}
		case cc.PrimaryExpressionGeneric:
			return l.sequenceOf(l.generic(x.GenericSelection))
		case cc.PrimaryExpressionStmt:
			return l.statements(x.CompoundStatement)
		}
		return s
	case *cc.ExpressionList:
		for ; x != nil; x = x.ExpressionList {
			s.then(l.sequenceOf(x.AssignmentExpression))
		}
		return s
	case *cc.LogicalAndExpression:
		if x.Case == cc.LogicalAndExpressionLAnd {
			return l.sequenceOf(x.LogicalAndExpression).then(l.sequenceOf(x.InclusiveOrExpression))
		}
	case *cc.LogicalOrExpression:
		if x.Case == cc.LogicalOrExpressionLOr {
			return l.sequenceOf(x.LogicalOrExpression).then(l.sequenceOf(x.LogicalAndExpression))
		}
	case *cc.ConditionalExpression:
		if x.Case == cc.ConditionalExpressionCond {
			s = l.sequenceOf(x.LogicalOrExpression)
			yes, no := &sequence{}, l.sequenceOf(x.ConditionalExpression)
			if x.ExpressionList != nil {
				yes = l.sequenceOf(x.ExpressionList)
			}
			return s.then(yes.and(no)) // of which there is one
		}
	case *cc.AssignmentExpression:
		if x.Case != cc.AssignmentExpressionCond {
			return l.changed(x.UnaryExpression, x.Case != cc.AssignmentExpressionAssign, l.sequenceOf(x.AssignmentExpression))
		}
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionInc, cc.PostfixExpressionDec:
			return l.changed(x.PostfixExpression, true, s)
		case cc.PostfixExpressionComplit, cc.PostfixExpressionIndex, cc.PostfixExpressionPSelect:
			return l.read(x)
		case cc.PostfixExpressionSelect:
			if denotes(x) {
				return l.read(x)
			}
		case cc.PostfixExpressionCall:
			switch called(x) {
			case "__fp_constant_p", "__ccgo__types_compatible_p", "__builtin_object_size", "__builtin_dynamic_object_size": // which evaluate nothing
				return s
			}
			l.beside(s, l.sequenceOf(x.PostfixExpression))
			for a := x.ArgumentExpressionList; a != nil; a = a.ArgumentExpressionList {
				l.beside(s, l.sequenceOf(a.AssignmentExpression))
			}
			s.late = nil // the arguments come before the call
			return s
		}
	case *cc.CastExpression:
		if e, ok := expected(x); ok {
			s = l.sequenceOf(e)
			s.late = nil
			return s
		}
	case *cc.UnaryExpression:
		switch x.Case {
		case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
			return l.changed(x.UnaryExpression, true, s)
		case cc.UnaryExpressionAddrof:
			return l.approach(x.CastExpression)
		case cc.UnaryExpressionDeref:
			if _, ok := disguise(x.CastExpression); ok {
				return l.sequenceOf(x.CastExpression)
			}
			return l.read(x)
		case cc.UnaryExpressionSizeofType: // the sizes of its arrays are evaluated where they are not constant
			walk(x.TypeName, func(n cc.Node) bool {
				if d, ok := n.(*cc.DirectAbstractDeclarator); ok && d.AssignmentExpression != nil {
					l.beside(s, l.sequenceOf(d.AssignmentExpression))
				}
				return true
			})
			return s
		case cc.UnaryExpressionSizeofExpr, cc.UnaryExpressionAlignofExpr, cc.UnaryExpressionAlignofType, cc.UnaryExpressionLabelAddr:
			return s
		}
	}
	l.abreast(s, n)
	return s
}

// statements is what those in an expression have: they are in an order, but not with what is beside them. Their own variables are theirs alone, and
// are not there yet: nothing is known of a place that is named by one of them.
func (l *lowerer) statements(n *cc.CompoundStatement) *sequence {
	s := &sequence{}
	outer := l.unborn
	l.unborn = maps.Clone(outer)
	defer func() { l.unborn = outer }()
	if l.unborn == nil {
		l.unborn = map[*cc.Declarator]bool{}
	}
	add := func(x cc.ExpressionNode) bool {
		s.and(l.sequenceOf(x))
		return false
	}
	walk(n, func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.TypeName, *cc.DeclarationSpecifiers:
			return false
		case *cc.Declaration:
			l.unborn[x.Declarator] = x.Case == cc.DeclarationAuto
		case *cc.InitDeclarator:
			l.unborn[x.Declarator] = true
			walk(x.Initializer, func(n cc.Node) bool {
				if i, ok := n.(*cc.Initializer); ok && i.AssignmentExpression != nil {
					return add(i.AssignmentExpression)
				}
				return true
			})
			return false
		}
		if x, ok := n.(cc.ExpressionNode); ok {
			return add(x)
		}
		return true
	})
	s.reads, s.changes, s.late = slices.DeleteFunc(s.reads, l.early), slices.DeleteFunc(s.changes, l.early), nil
	return s
}

// early is true of a place that is named by a variable that is not there yet.
func (l *lowerer) early(n cc.ExpressionNode) bool {
	is := false
	if len(l.unborn) > 0 {
		walk(n, func(n cc.Node) bool {
			if x, ok := n.(*cc.PrimaryExpression); ok && x.Case == cc.PrimaryExpressionIdent {
				is = is || l.unborn[resolved(x)]
			}
			return !is
		})
	}
	return is
}

// expected is the argument of __builtin_expect, which our header writes as a cast: all of it comes before the value, as of a call.
func expected(n *cc.CastExpression) (cc.ExpressionNode, bool) {
	if n.Case != cc.CastExpressionCast || strings.TrimSpace(cc.NodeSource(n.TypeName)) != "__fp_expected" {
		return nil, false
	}
	return n.CastExpression, true
}

// abreast adds the operands of n, which are in no order.
func (l *lowerer) abreast(s *sequence, n cc.Node) {
	for m := range syntax.Children(n) {
		if m, ok := m.(cc.ExpressionNode); ok {
			l.beside(s, l.sequenceOf(m))
		}
	}
}

// approach is what comes before it is known which place n denotes.
func (l *lowerer) approach(n cc.ExpressionNode) *sequence {
	s := &sequence{}
	switch x := unwrap(n).(type) {
	case *cc.PrimaryExpression:
		switch x.Case {
		case cc.PrimaryExpressionIdent:
			return s
		case cc.PrimaryExpressionGeneric:
			return l.approach(l.generic(x.GenericSelection))
		}
	case *cc.PostfixExpression:
		switch x.Case {
		case cc.PostfixExpressionSelect:
			return l.approach(x.PostfixExpression)
		case cc.PostfixExpressionPSelect:
			return l.sequenceOf(x.PostfixExpression)
		case cc.PostfixExpressionIndex:
			l.abreast(s, x)
			return s
		case cc.PostfixExpressionComplit: // in an order, though it is not known in which
			for i := x.InitializerList; i != nil; i = i.InitializerList {
				l.listed(i.Initializer, s)
			}
			return s
		}
	case *cc.UnaryExpression:
		if x.Case == cc.UnaryExpressionDeref {
			return l.sequenceOf(x.CastExpression)
		}
	}
	return l.sequenceOf(n)
}

// read is what n has that denotes a place and is asked for what is in it.
func (l *lowerer) read(n cc.ExpressionNode) *sequence {
	s := l.approach(n)
	own := []cc.ExpressionNode{n}
	l.contest(s.late, own)
	s.reads = append(s.reads, n)
	return s
}

// listed adds what an initialiser has. Its parts are looked at where they are evaluated.
func (l *lowerer) listed(n *cc.Initializer, s *sequence) {
	if n.AssignmentExpression != nil {
		s.and(l.sequenceOf(n.AssignmentExpression))
	}
	for i := n.InitializerList; i != nil; i = i.InitializerList {
		l.listed(i.Initializer, s)
	}
}

// changed is what an increment or an assignment to the place n has, which is read as well, or not. The values of both sides
// come before the change, but not all that these change.
func (l *lowerer) changed(n cc.ExpressionNode, reads bool, right *sequence) *sequence {
	s := l.approach(n)
	own := []cc.ExpressionNode{unwrap(n)}
	l.contest(s.late, own)
	if reads {
		l.contest(right.changes, own)
	} else {
		l.contest(right.late, own)
	}
	l.beside(s, right)
	s.changes, s.late = append(s.changes, own...), append(s.late, own...)
	return s
}

// then adds what comes after all of s.
func (s *sequence) then(o *sequence) *sequence {
	s.late = nil
	return s.and(o)
}

// and adds what is in an order with s.
func (s *sequence) and(o *sequence) *sequence {
	s.reads = append(s.reads, o.reads...)
	s.changes = append(s.changes, o.changes...)
	s.late = append(s.late, o.late...)
	return s
}

// beside adds what is in no order with s.
func (l *lowerer) beside(s, o *sequence) {
	l.contest(s.changes, o.changes)
	l.contest(s.changes, o.reads)
	l.contest(o.changes, s.reads)
	s.and(o)
}

// contest notes which of the accesses, all of the first to some of the second in no order, may be of one object.
func (l *lowerer) contest(some, others []cc.ExpressionNode) {
	for _, a := range some {
		for _, b := range others {
			if x, y, apart := l.apart(a, b); !apart {
				l.u.rivals[a] = withOne(l.u.rivals[a], rival{b, y})
				l.u.rivals[b] = withOne(l.u.rivals[b], rival{a, x})
				l.contested = withOne(withOne(l.contested, a), b)
			}
		}
	}
}

// withOne adds x, if it is not there: a part of an expression is looked at for itself as well.
func withOne[T comparable](s []T, x T) []T {
	if slices.Contains(s, x) {
		return s
	}
	return append(s, x)
}
