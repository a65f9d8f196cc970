package c

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// With CBMC, a statement with a label __CPROVER_ASYNC_n is executed by a new thread, which has copies of the local variables around
// it, as they are then.

// An async is such a statement: what a function is whose parameters are these variables.
type async struct {
	def    *cc.FunctionDefinition
	name   string
	locals []parameter
}

// asynchronous starts the statement after a label of CBMC's as a thread.
func (l *lowerer) asynchronous(label string, s *cc.Statement) bool {
	if !strings.HasPrefix(label, "__CPROVER_ASYNC_") {
		return false
	}
	l.at(s)
	none := number(types.VoidPointer, 0)
	if s.Case == cc.StatementExpr {
		// A call of a function that makes nothing of what others could change is that of a thread's function.
		call, _ := unwrap(s.ExpressionStatement.ExpressionList).(*cc.PostfixExpression)
		if call != nil && call.Case == cc.PostfixExpressionCall && l.u.defined[called(call)] != nil {
			args := arguments(call)
			fn := value{t: types.VoidPointer, e: program.Const(l.u.function(called(call)))}
			if len(args) == 0 {
				l.create(call, nil, nil, fn, none)
				return true
			}
			if _, ok := l.u.constantMaybe(args[0]); ok && len(args) == 1 {
				l.create(call, nil, nil, fn, l.convert(l.expr(args[0]), types.VoidPointer))
				return true
			}
		}
	}
	body := l.u.asyncs[s]
	if body == nil {
		body = l.async(label, s)
		l.u.asyncs[s] = body
	}
	var copies []program.Expr
	for _, p := range body.locals {
		v := l.frame.vars[p.d]
		if v == nil || v.obj != nil || v.t.HasVarying() || v.fn != "" {
			l.u.refuse(s, "a copy of "+p.d.Name()+", which is an array, a structure or has an address, after "+label)
		}
		l.careless++
		copies = append(copies, l.loadAs(l.variable(s, p.d), plain).e)
		l.careless--
	}
	if l.dryness > 0 {
		l.emitted = true
		return true
	}
	r := l.temp(types.UnsignedLong)
	l.operate(&flowgraph.Reserve{Reg: r})
	l.operate(&operations.Start{ID: program.Reg(r), Fn: none.e, Arg: none.e, Legacy: l.legacy(), Body: body, Copies: copies})
	return true
}

// async finds out which variables around the statement it is about.
func (l *lowerer) async(label string, s *cc.Statement) *async {
	def := *l.frame.def
	end := *def.CompoundStatement
	end.BlockItemList = &cc.BlockItemList{BlockItem: &cc.BlockItem{Case: cc.BlockItemStmt, Statement: s}}
	def.CompoundStatement = &end
	a := &async{def: &def, name: l.frame.name + " " + strings.TrimPrefix(label, "__CPROVER_")}
	walk(s, func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.PrimaryExpression:
			d := identifier(n)
			v := l.frame.vars[d]
			if d == nil || v == nil || slices.ContainsFunc(a.locals, func(p parameter) bool { return p.d == d }) {
				break
			}
			a.locals = append(a.locals, parameter{d, v.t})
		case *cc.JumpStatement:
			if n.Case == cc.JumpStatementReturn || n.Case == cc.JumpStatementGoto || n.Case == cc.JumpStatementGotoExpr {
				l.u.refuse(n, "a way out of the statement after "+label)
			}
		}
		return true
	})
	l.u.params[&def] = a.locals
	return a
}
