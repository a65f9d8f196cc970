package c

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
)

// A function that ends by a call of itself, as tree insertion does, needs no copy for every round: the call assigns the parameters
// and jumps back (G. L. Steele, "Debunking the expensive procedure call myth", 1977). So recursion that has no bound is a loop,
// which is proved without one. That is so only where nobody can tell one round's variables from those of the next: where none of
// them is in memory that something may point to.

// A rounds is how a function goes on in place of calling itself.
type rounds struct {
	calls   map[*cc.PostfixExpression]bool // those that nothing comes after
	changed map[*cc.Declarator]bool        // the parameters that are not what they were
}

// rounds is what it is for a function; no calls: all of them are calls.
func (u *unit) rounds(name string, def *cc.FunctionDefinition) *rounds {
	r := u.rounding[def]
	if r == nil {
		r = &rounds{calls: map[*cc.PostfixExpression]bool{}, changed: map[*cc.Declarator]bool{}}
		u.rounding[def] = r
		r.items(def.CompoundStatement, u.definedType(def).Elem.Kind == types.VoidKind)
		u.sameVariables(name, def, r)
	}
	return r
}

// items finds the calls at the ends of a block; it is last where nothing comes after the block and the function has no value.
func (r *rounds) items(n *cc.CompoundStatement, last bool) {
	for list := n.BlockItemList; list != nil; list = list.BlockItemList {
		if list.BlockItem.Case != cc.BlockItemStmt {
			continue
		}
		ends := last
		if next := list.BlockItemList; next != nil {
			s := next.BlockItem.Statement
			ends = next.BlockItem.Case == cc.BlockItemStmt && s.Case == cc.StatementJump &&
				s.JumpStatement.Case == cc.JumpStatementReturn && s.JumpStatement.ExpressionList == nil
		}
		r.statement(list.BlockItem.Statement, ends)
	}
}

func (r *rounds) statement(n *cc.Statement, last bool) {
	switch n.Case {
	case cc.StatementLabeled:
		r.statement(n.LabeledStatement.Statement, last)
	case cc.StatementCompound:
		r.items(n.CompoundStatement, last)
	case cc.StatementSelection:
		s := n.SelectionStatement
		last = last && s.Case != cc.SelectionStatementSwitch
		r.statement(s.Statement, last)
		if s.Statement2 != nil {
			r.statement(s.Statement2, last)
		}
	case cc.StatementIteration:
		r.statement(n.IterationStatement.Statement, false)
	case cc.StatementExpr:
		if last {
			r.call(n.ExpressionStatement.ExpressionList)
		}
	case cc.StatementJump:
		if n.JumpStatement.Case == cc.JumpStatementReturn {
			r.call(n.JumpStatement.ExpressionList)
		}
	}
}

func (r *rounds) call(n cc.ExpressionNode) {
	if x, ok := unwrap(n).(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionCall {
		r.calls[x] = true
	}
}

// tells are the functions that have to do with the end of the one that calls them.
var tells = map[string]bool{
	"alloca": true, "__builtin_alloca": true, "__fp_cleanup_push": true, "__pthread_register_cancel": true,
}

// sameVariables leaves the calls of the function itself, and none where its variables may be told apart.
func (u *unit) sameVariables(name string, def *cc.FunctionDefinition, r *rounds) {
	params, ft := u.parameters(def), u.definedType(def)
	for x := range r.calls {
		args := arguments(x)
		d := identifier(x.PostfixExpression)
		if called(x) != name || d == nil || d.Type().Kind() != cc.Function || len(args) != len(params) {
			delete(r.calls, x)
			continue
		}
		for i, p := range params {
			if identifier(args[i]) != p.d {
				r.changed[p.d] = true
			}
		}
	}
	if len(r.calls) == 0 {
		return
	}
	told := ft.Variadic || sectionFunction(name) || u.makesThreads(name)
	for _, p := range params {
		told = told || p.d == nil || !p.t.Integer() && p.t.Kind != types.PointerKind || p.t.Atomic || u.escapes(def)[p.d]
	}
	walk(def.CompoundStatement, func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.BlockItem:
			told = told || n.Case == cc.BlockItemFuncDef
		case *cc.LabeledStatement:
			told = told || n.Case == cc.LabeledStatementLabel
		case *cc.AttributeValue:
			told = told || strings.Contains(cc.NodeSource(n), "cleanup")
		case *cc.PostfixExpression:
			told = told || n.Case == cc.PostfixExpressionComplit || tells[called(n)]
		case *cc.InitDeclarator:
			kind := n.Declarator.Type().Kind()
			told = told || !n.Declarator.IsStatic() && (kind == cc.Array || kind == cc.Struct || kind == cc.Union || u.escapes(def)[n.Declarator])
		}
		return !told
	})
	if told {
		clear(r.calls)
	}
}

// goesRound writes a call as the next round; it is false of other expressions.
func (l *lowerer) goesRound(n cc.ExpressionNode) bool {
	x, ok := unwrap(n).(*cc.PostfixExpression)
	f := l.frame
	if !ok || f.again == nil || !f.again.calls[x] {
		return false
	}
	l.sequenced(n)
	args := l.evaluate(x, f.name, arguments(x))
	l.at(x)
	params := l.u.parameters(f.def)
	for i, p := range params {
		if args[i] = l.coerce(x, args[i], p.t.Plain()); f.again.changed[p.d] {
			site, of := args[i].site, l.keptElement(args[i].of.widened())
			args[i] = l.kept(args[i]) // parameters are assigned when all arguments are known
			args[i].site, args[i].of = site, of
		}
	}
	for i, p := range params {
		if f.again.changed[p.d] {
			l.init(f, p.d, args[i])
		}
	}
	l.jump(f.round)
	return true
}
