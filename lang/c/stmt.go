package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

func (l *lowerer) compound(n *cc.CompoundStatement) { l.block(n, false) }

// block lowers a block; where it is an expression, the last of its items is its value.
func (l *lowerer) block(n *cc.CompoundStatement, expression bool) value {
	declares := false
	for items := n.BlockItemList; items != nil; items = items.BlockItemList {
		declares = declares || items.BlockItem.Case == cc.BlockItemDecl
	}
	if !declares && !holdsLiteral(n) {
		return l.items(n, expression)
	}
	around := l.openScope()
	v := l.items(n, expression)
	l.closeScope(around)
	return v
}

// holdsLiteral is true of what has a compound literal in it, which is there until its block is left.
func holdsLiteral(n cc.Node) bool {
	found := false
	walk(n, func(n cc.Node) bool {
		x, ok := n.(*cc.PostfixExpression)
		found = found || ok && x.Case == cc.PostfixExpressionComplit
		return !found
	})
	return found
}

// inExpression lowers by f something that has the expression n, if any, with what there is until it has been evaluated: the array of a structure that
// is a value, of which there may be a pointer (C11, 6.2.4p8).
func (l *lowerer) inExpression(n cc.Node, f func()) {
	found := false
	walk(n, func(n cc.Node) bool {
		x, ok := n.(*cc.PostfixExpression)
		found = found || ok && x.Case == cc.PostfixExpressionSelect && !denotes(x)
		return !found
	})
	l.inScope(found && !holdsLiteral(n), f)
}

// substatement lowers a statement that is a part of another one, and so a block (C11, 6.8.4 and 6.8.5).
func (l *lowerer) substatement(n *cc.Statement) {
	l.inScope(n.Case != cc.StatementCompound && holdsLiteral(n), func() { l.statement(n) })
}

// inScope lowers something that is a block of its own, if it is.
func (l *lowerer) inScope(own bool, do func()) {
	if !own {
		do()
		return
	}
	around := l.openScope()
	do()
	l.closeScope(around)
}

// items lowers the items of a block.
func (l *lowerer) items(n *cc.CompoundStatement, expression bool) value {
	v := value{t: types.Void}
	stay := len(l.frame.guards)
	for items := n.BlockItemList; items != nil; items = items.BlockItemList {
		switch item := items.BlockItem; item.Case {
		case cc.BlockItemDecl:
			l.at(item)
			if r := l.attempt(item.Declaration, func() { l.declaration(item.Declaration) }); r != nil {
				l.miss(item.Declaration, r)
			}
		case cc.BlockItemStmt:
			s := item.Statement
			if expression && items.BlockItemList == nil && s.Case == cc.StatementExpr &&
				s.ExpressionStatement.ExpressionList != nil {
				e := s.ExpressionStatement.ExpressionList
				if l.typeOf(e).Kind == types.VoidKind {
					l.effect(e)
				} else {
					v = l.expr(e)
				}
				continue
			}
			l.statement(s)
		case cc.BlockItemFuncDef:
			if r := l.attempt(item, func() { l.nest(item) }); r != nil {
				l.u.refused[item.Declarator] = r
			}
		}
	}
	if len(l.frame.guards) > stay {
		if v.t.Scalar() {
			v = l.kept(v)
		}
		l.leaveGuards(n, stay)
		l.frame.guards = l.frame.guards[:stay]
	}
	return v
}

// miss notes the variables of a declaration in which something is not modelled: nor is what they
// are used for, where nobody gets to.
func (l *lowerer) miss(n *cc.Declaration, r *program.Diagnostic) {
	for id := n.InitDeclaratorList; id != nil; id = id.InitDeclaratorList {
		if d := id.InitDeclarator.Declarator; l.frame.vars[d] == nil {
			l.u.refused[d] = r
		}
	}
}

// declaration lowers a declaration in a function.
func (l *lowerer) declaration(n *cc.Declaration) {
	l.u.declare(n, func(x *declared) {
		if x.spec.typedef {
			return
		}
		l.at(x.d)
		name := x.d.Name()
		if name == "__func__" {
			return // made where it is used
		}
		switch {
		case x.t.HasVarying() && (x.spec.static || x.spec.extern || x.spec.thread):
			l.u.refuse(x.d, types.VaryingSize)
		case x.t.Kind == types.FunctionKind && x.spec.auto:
			l.u.refuse(x.d, "a declaration of a function inside a function before it")
		case x.t.Kind == types.FunctionKind:
			if l.u.globals[name] == nil && l.u.defined[name] == nil {
				l.u.globals[name] = x
			}
			return
		case x.spec.extern:
			if l.u.globals[name] == nil {
				l.u.globals[name] = x
			}
			return
		case x.spec.thread:
			l.localThread(x)
			return
		case x.spec.static:
			if l.u.statics[x.d] == nil {
				l.complete(x)
				o := l.u.object(l.frame.name+"."+name, x.t)
				o.Fix(name)
				l.u.statics[x.d] = o
				if x.init != nil {
					l.u.static(o, x.init)
				} else {
					o.MayBeOther()
				}
			}
			return
		}
		if l.varying(x) {
			return
		}
		l.complete(x)
		if l.frame.name == "" { // a type is asked for at file scope
			l.u.refuse(x.d, "a variable here")
		}
		if x.cleanup != nil {
			l.frame.escapes[x.d] = true
		}
		v := l.define(l.frame, x.d, x.t)
		if x.cleanup != nil {
			defer l.guardVariable(x, v)
		}
		if x.init == nil {
			l.unset(v)
			return
		}
		l.inExpression(x.init, func() {
			if v.obj != nil {
				l.fill(v.obj, x.t, l.initializer(x.t, x.init))
				return
			}
			is := l.zero(x.t.Plain())
			if e := l.single(x.init); e != zeroNode {
				l.sequenced(e)
				is = l.coerce(x.d, l.expr(e), x.t)
			}
			l.store(place{t: x.t.Plain(), reg: v.reg}, is)
		})
	})
}

// complete sees to it that an object of the type can be made.
func (l *lowerer) complete(x *declared) {
	switch {
	case x.t.Varies():
		l.u.refuse(x.d, types.VaryingSize)
	case x.t.Incomplete():
		l.u.fail(x.d, "", "%s has a type without a size", x.d.Name())
	}
}

// localThread is a thread-local variable of a function.
func (l *lowerer) localThread(x *declared) {
	o := l.locals[x.d]
	if o == nil {
		l.complete(x)
		o = l.mortal(x.d.Name(), x.t, wholeLife)
		o.Fix(x.d.Name())
		l.locals[x.d] = o
		if x.init != nil {
			l.u.static(o, x.init)
		}
	}
	l.frame.vars[x.d] = &variable{name: x.d.Name(), t: x.t, obj: o}
}

func (l *lowerer) statement(n *cc.Statement) {
	l.attempt(n, func() { l.oneStatement(n) })
}

func (l *lowerer) oneStatement(n *cc.Statement) {
	if l.depth++; l.depth > maxDepth {
		l.u.fail(n, "", "nested too deep")
	}
	defer func() { l.depth-- }()
	l.at(n)
	switch n.Case {
	case cc.StatementLabeled:
		l.labeled(n.LabeledStatement)
	case cc.StatementCompound:
		l.compound(n.CompoundStatement)
	case cc.StatementExpr:
		if e := n.ExpressionStatement.ExpressionList; e != nil && !l.goesRound(e) {
			l.inExpression(e, func() { l.effect(e) })
		}
	case cc.StatementSelection:
		l.inScope(holdsLiteral(n.SelectionStatement.ExpressionList), func() { l.selection(n.SelectionStatement) })
	case cc.StatementIteration:
		x := n.IterationStatement
		l.inScope(holdsLiteral(x.ExpressionList) || holdsLiteral(x.ExpressionList2) || holdsLiteral(x.ExpressionList3), func() { l.iteration(x) })
	case cc.StatementJump:
		l.jumping(n.JumpStatement)
	case cc.StatementAsm:
		l.assembly(n.AsmStatement)
	}
}

// label is the node of a label.
func (l *lowerer) label(name string) int {
	q, ok := l.frame.labels[name]
	if !ok {
		q = l.node()
		l.reached[q] = true
		l.frame.labels[name] = q
	}
	return q
}

func (l *lowerer) labeled(n *cc.LabeledStatement) {
	switch n.Case {
	case cc.LabeledStatementLabel:
		name := n.Token.SrcStr()
		q := l.label(name)
		l.scopes[q] = l.scope
		l.frame.guarded[q] = len(l.frame.guards)
		l.land(q)
		if l.asynchronous(name, n.Statement) {
			return
		}
	default:
		if len(l.frame.switches) == 0 {
			l.u.fail(n, "", "a case outside a switch")
		}
		sw := l.frame.switches[len(l.frame.switches)-1]
		q := l.node()
		l.reached[q] = true
		switch n.Case {
		case cc.LabeledStatementCaseLabel:
			k := l.u.constant(n.ConstantExpression)
			sw.add(l, n, caseOf{k, k, q})
		case cc.LabeledStatementRange:
			sw.add(l, n, caseOf{l.u.constant(n.ConstantExpression), l.u.constant(n.ConstantExpression2), q})
		case cc.LabeledStatementDefault:
			if sw.other >= 0 {
				l.u.fail(n, "", "a second default")
			}
			sw.other = q
		}
		l.land(q)
	}
	l.statement(n.Statement)
}

// A switching is a switch that is being read.
type switching struct {
	t     *types.Type
	cases []caseOf
	other int // of default; -1: there is none
}

type caseOf struct {
	lo, hi int64
	to     int
}

func (s *switching) add(l *lowerer, n cc.Node, c caseOf) {
	c.lo, c.hi = s.t.Word().Wrap(c.lo), s.t.Word().Wrap(c.hi)
	below := func(x, y int64) bool { return x <= y }
	if !s.t.Signed {
		below = func(x, y int64) bool { return uint64(x) <= uint64(y) }
	}
	if !below(c.lo, c.hi) {
		return // nothing is between them
	}
	for _, o := range s.cases {
		if below(c.lo, o.hi) && below(o.lo, c.hi) {
			l.u.fail(n, "", "a second case %d", c.lo)
		}
	}
	s.cases = append(s.cases, c)
}

func (l *lowerer) selection(n *cc.SelectionStatement) {
	switch n.Case {
	case cc.SelectionStatementIf:
		yes, end := l.node(), l.node()
		l.branch(n.ExpressionList, yes, end)
		l.cur = yes
		l.substatement(n.Statement)
		l.land(end)
	case cc.SelectionStatementIfElse:
		yes, no, end := l.node(), l.node(), l.node()
		l.branch(n.ExpressionList, yes, no)
		l.cur = yes
		l.substatement(n.Statement)
		l.jump(end)
		l.cur = no
		l.substatement(n.Statement2)
		l.land(end)
	default:
		l.sequenced(n.ExpressionList)
		v := l.expr(n.ExpressionList)
		if v.t.TwoWords {
			l.u.refuse(n, "a switch on "+v.t.Name)
		}
		if !v.t.Integer() {
			l.u.fail(n, "", "%s cannot be switched on", v.t.Name)
		}
		v = l.convert(v, v.t.Promoted())
		from, here := l.cur, l.u.here
		sw := &switching{t: v.t, other: -1}
		l.frame.switches = append(l.frame.switches, sw)
		end := l.node()
		l.frame.breaks = append(l.frame.breaks, end)
		l.frame.guarded[end] = len(l.frame.guards)
		l.cur = l.node()
		l.substatement(n.Statement)
		l.land(end)
		l.frame.breaks = l.frame.breaks[:len(l.frame.breaks)-1]
		l.frame.switches = l.frame.switches[:len(l.frame.switches)-1]
		l.u.here = here
		l.dispatch(from, v, sw, end)
	}
}

// dispatch writes the checks of a switch.
func (l *lowerer) dispatch(from int, v value, sw *switching, end int) {
	none := program.Expr(program.Const(1))
	below := program.Le
	if !sw.t.Signed {
		below = program.ULe
	}
	for _, c := range sw.cases {
		in := bin(program.Eq, v.e, program.Const(c.lo))
		if c.hi != c.lo {
			in = bin(program.LogicalAnd, bin(below, program.Const(c.lo), v.e), bin(below, v.e, program.Const(c.hi)))
		}
		in = flowgraph.FoldAll(in)
		if in != program.Const(0) {
			l.edge(from, c.to, program.Command{Op: program.Check, Value: in})
		}
		none = flowgraph.Fold(bin(program.LogicalAnd, none, flowgraph.Fold(program.NotExpr(in))))
	}
	if sw.other >= 0 {
		end = sw.other
	}
	if none != program.Const(0) {
		l.edge(from, end, program.Command{Op: program.Check, Value: none})
	}
}

func (l *lowerer) iteration(n *cc.IterationStatement) {
	end := l.node()
	around := l.scope
	if n.Case == cc.IterationStatementForDecl {
		l.openScope()
	}
	head, body, next := l.node(), l.node(), l.node()
	f := l.frame
	run := func() {
		f.breaks, f.continues = append(f.breaks, end), append(f.continues, next)
		f.guarded[end], f.guarded[next] = len(f.guards), len(f.guards)
		l.cur = body
		l.substatement(n.Statement)
		f.breaks, f.continues = f.breaks[:len(f.breaks)-1], f.continues[:len(f.continues)-1]
		l.land(next)
	}
	cond := n.ExpressionList
	switch n.Case {
	case cc.IterationStatementWhile:
		l.land(head)
		l.branch(cond, body, end)
		futile := l.futileWait(cond, n.Statement)
		run()
		if futile && l.dryness == 0 {
			l.branch(cond, l.giveUp(), end)
			break
		}
		l.jump(head)
	case cc.IterationStatementDo:
		l.land(head)
		l.jump(body)
		run()
		l.branch(cond, head, end)
	default:
		after := n.ExpressionList3
		if n.Case == cc.IterationStatementForDecl {
			guards := len(f.guards)
			l.declaration(n.Declaration)
			if len(f.guards) > guards {
				l.u.refuse(n, "the attribute cleanup here")
			}
			cond, after = n.ExpressionList, n.ExpressionList2
		} else {
			if n.ExpressionList != nil {
				l.effect(n.ExpressionList)
			}
			cond = n.ExpressionList2
		}
		l.land(head)
		if cond != nil {
			l.branch(cond, body, end)
		} else {
			l.jump(body)
		}
		run()
		if after != nil {
			l.effect(after)
		}
		l.jump(head)
	}
	l.scope = around
	l.cur = end
}

// leaveTo goes to a node outside of the block.
func (l *lowerer) leaveTo(n cc.Node, q int) {
	l.leaveGuards(n, l.frame.guarded[q])
	l.jump(q)
}

func (l *lowerer) jumping(n *cc.JumpStatement) {
	f := l.frame
	switch n.Case {
	case cc.JumpStatementGoto:
		q := l.label(n.Token2.SrcStr())
		if stay, known := f.guarded[q]; known {
			l.leaveGuards(n, stay)
		} else if len(f.guards) > 0 {
			l.u.refuse(n, "a goto on where variables have the attribute cleanup")
		}
		l.jump(q)
	case cc.JumpStatementContinue:
		if len(f.continues) == 0 {
			l.u.fail(n, "", "continue outside a loop")
		}
		l.leaveTo(n, f.continues[len(f.continues)-1])
	case cc.JumpStatementBreak:
		if len(f.breaks) == 0 {
			l.u.fail(n, "", "break outside a loop or switch")
		}
		l.leaveTo(n, f.breaks[len(f.breaks)-1])
	case cc.JumpStatementReturn:
		if e := n.ExpressionList; e != nil {
			if l.goesRound(e) {
				return
			}
			if f.rtype.Kind == types.VoidKind {
				l.effect(e)
			} else {
				l.sequenced(e)
				v := l.expr(e)
				l.at(n)
				if f.site = v.site; v.site != nil && f.rtype.Kind == types.PointerKind && f.rtype.Elem.Kind != types.VoidKind {
					l.convert(v, f.rtype)
				}
				v = l.coerce(n, v, f.rtype)
				l.comes(f.from, v)
				l.hand(f.result, v)
			}
		} else {
			l.noValue(f)
		}
		l.leaveGuards(n, 0)
		l.jump(f.exit)
	default:
		l.gotoAddress(n, n.ExpressionList)
	}
}
