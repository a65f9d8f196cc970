package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A function that comes to its end without a value may be that of a thread, as most are whose threads nobody asks for one. Who waits for the
// thread and asks all the same has no value then, and may not read what is in the variable that was to take it (C11, 6.9.1). Such a thread
// says so in memory before it ends, and a variable that a wait writes to has a register beside it (see uninitialised.go) that tells whether
// there is something in it. What is in memory has none: there nothing is looked at further, unless nobody reads it.

// noThreadValue is what is wrong where somebody asks for the value of such a thread.
const noThreadValue = "the value of a thread is used, whose function has come to its end without one"

// valueless is true of a program in which a function that could be one of a thread may come to its end without a value.
func (u *unit) valueless() bool {
	if u.lacksValues == nil {
		lacks := false
		for name, def := range u.defined {
			lacks = lacks || name != "main" && u.definedType(def).Elem.Scalar() && len(u.parameters(def)) <= 1 && goesOn(def.CompoundStatement)
		}
		u.lacksValues = &lacks
	}
	return *u.lacksValues
}

// goesOn is whether control may come to the end of a block, as far as its last statement tells.
func goesOn(n *cc.CompoundStatement) bool {
	list := n.BlockItemList
	for list != nil && list.BlockItemList != nil {
		list = list.BlockItemList
	}
	return list == nil || list.BlockItem.Case != cc.BlockItemStmt || leads(list.BlockItem.Statement)
}

// leads is whether control may come to the end of a statement.
func leads(s *cc.Statement) bool {
	switch s.Case {
	case cc.StatementLabeled:
		return leads(s.LabeledStatement.Statement)
	case cc.StatementCompound:
		return goesOn(s.CompoundStatement)
	case cc.StatementSelection:
		x := s.SelectionStatement
		return x.Case != cc.SelectionStatementIfElse || leads(x.Statement) || leads(x.Statement2)
	case cc.StatementExpr:
		call, ok := unwrap(s.ExpressionStatement.ExpressionList).(*cc.PostfixExpression)
		if ok && call.Case == cc.PostfixExpressionCall {
			switch called(call) {
			case "pthread_exit", "thrd_exit", "exit", "_exit", "abort", "__builtin_unreachable", "reach_error":
				return false
			}
		}
	case cc.StatementJump:
		return false
	}
	return true
}

// gave is the register that tells whether the thread id has ended with a value; nil: all do.
func (l *lowerer) gave(id value) program.Expr {
	if !l.u.valueless() {
		return nil
	}
	is := l.temp(types.Bool)
	l.operate(&operations.Outcome{ID: id.e, Reg: is})
	return program.Reg(is)
}

// putOutcome puts v, which may be the value of a thread, into p.
func (l *lowerer) putOutcome(p place, v value) {
	if v.gave != nil && p.addr != nil && !l.shadows(p) {
		bound := lowered.BoundOf(lowered.NoValueBound)
		bound.Value = v.gave
		l.emit(bound)
	}
	l.storeAs(p, l.convert(v, p.t.Plain()), plain)
	switch {
	case v.gave == nil:
	case p.addr == nil && p.shadow > 0:
		l.assign(p.shadow-1, v.gave)
	case l.shadows(p):
		for _, c := range l.cells(p) {
			l.emit(program.Command{Op: program.Store, Addr: plus(c.addr, lowered.ShadowOffset), Value: v.gave, Tags: lowered.ShadowTags(c.t)})
		}
	case p.addr != nil && p.parts == nil:
		if c := &l.g.Edges[len(l.g.Edges)-1].Cmd; c.Op == program.Store {
			c.Tags = c.Tags.With(lowered.ValuelessTag)
		}
	}
}

// joinedInto are the variables of a function whose addresses waits for threads are given.
func (u *unit) joinedInto(def *cc.FunctionDefinition) map[*cc.Declarator]bool {
	if m, ok := u.joining[def]; ok {
		return m
	}
	m := map[*cc.Declarator]bool{}
	walk(def.CompoundStatement, func(n cc.Node) bool {
		if x, ok := n.(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionCall && joins[called(x)] {
			for _, a := range arguments(x) {
				if v := joinTarget(a); v != nil {
					m[identifier(v)] = true
				}
			}
		}
		return true
	})
	u.joining[def] = m
	return m
}

// joins are the functions that wait for a thread and give its value.
var joins = map[string]bool{"pthread_join": true, "thrd_join": true, "pthread_tryjoin_np": true, "pthread_timedjoin_np": true, "pthread_clockjoin_np": true}

// joinTarget is the variable of which an argument is the address, cast to that of a pointer where the variable is as large as one; nil: it is none.
func joinTarget(n cc.ExpressionNode) cc.ExpressionNode {
	x := addressed(n)
	if c, ok := unwrap(n).(*cc.CastExpression); ok && c.Case == cc.CastExpressionCast {
		if x = addressed(c.CastExpression); x != nil && identifier(x) != nil {
			if t := identifier(x).Type(); t.Size() != 8 || t.Kind() != cc.Ptr && t.Kind() != cc.Long && t.Kind() != cc.ULong && t.Kind() != cc.LongLong && t.Kind() != cc.ULongLong {
				return nil
			}
		}
	}
	if x == nil || identifier(x) == nil {
		return nil
	}
	return x
}
