package c

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

// A loop that does nothing but to wait for a condition variable while something holds,
//
//	while (!ready) pthread_cond_wait(&c, &m);
//
// may be left as soon as a wait ends by itself at the right moment: a thread that wakes up in vain and waits
// again has done nothing, and the run in which it went on waiting is as good. So it wakes up once,
// and where that is in vain it is not followed further. Where executions are explored one by one each round
// would be one more. Only what fails is looked for: who hangs is another question. While it is awake in vain it
// has the mutex, and who only tries to take one can tell; where a program does, all rounds are followed.

// futileWait is true of the body of such a loop.
func (l *lowerer) futileWait(cond cc.ExpressionNode, body *cc.Statement) bool {
	if !l.u.opts.NoFutileWaits || cond == nil || !l.u.readsOnly(cond, 0) {
		return false
	}
	for body.Case == cc.StatementCompound {
		items := body.CompoundStatement.BlockItemList
		if items == nil || items.BlockItemList != nil || items.BlockItem.Case != cc.BlockItemStmt {
			return false
		}
		body = items.BlockItem.Statement
	}
	if body.Case != cc.StatementExpr || body.ExpressionStatement.ExpressionList == nil {
		return false
	}
	n := unwrap(body.ExpressionStatement.ExpressionList)
	if x, ok := n.(*cc.AssignmentExpression); ok && x.Case == cc.AssignmentExpressionAssign { // x = wait(...)
		d := identifier(x.UnaryExpression)
		if d == nil || l.frame.vars[d] == nil || l.frame.vars[d].obj != nil {
			return false
		}
		n = unwrap(x.AssignmentExpression)
	}
	call, ok := n.(*cc.PostfixExpression)
	if !ok || call.Case != cc.PostfixExpressionCall {
		return false
	}
	switch name := called(call); name {
	case "pthread_cond_wait", "cnd_wait", "pthread_cond_timedwait", "cnd_timedwait":
		return l.u.defined[name] == nil && (call.ArgumentExpressionList == nil || l.u.readsOnly(call.ArgumentExpressionList, 0)) && !l.u.tries()
	}
	return false
}

// tries is true of a program that tries to take mutexes.
func (u *unit) tries() bool {
	return u.names("pthread_mutex_trylock", "mtx_trylock", "pthread_mutex_timedlock", "pthread_mutex_clocklock", "mtx_timedlock")
}

// names is true of a program whose functions name one of these.
func (u *unit) names(these ...string) bool {
	key := strings.Join(these, " ")
	if u.named == nil {
		u.named = map[string]bool{}
	}
	found, known := u.named[key]
	if known {
		return found
	}
	for _, f := range u.defined {
		walk(f.CompoundStatement, func(n cc.Node) bool {
			if x, ok := n.(*cc.PrimaryExpression); ok && x.Case == cc.PrimaryExpressionIdent {
				found = found || slices.Contains(these, x.Token.SrcStr())
			}
			return !found
		})
	}
	u.named[key] = found
	return found
}

// readsOnly is true of an expression whose evaluation changes nothing: it reads, and calls functions that
// only read.
func (u *unit) readsOnly(n cc.Node, depth int) bool {
	ok := depth < 8
	walk(n, func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.AssignmentExpression:
			ok = ok && x.Case == cc.AssignmentExpressionCond
		case *cc.UnaryExpression:
			ok = ok && x.Case != cc.UnaryExpressionInc && x.Case != cc.UnaryExpressionDec
		case *cc.AsmStatement, *cc.IterationStatement:
			ok = false
		case *cc.PostfixExpression:
			switch {
			case x.Case == cc.PostfixExpressionInc, x.Case == cc.PostfixExpressionDec:
				ok = false
			case x.Case == cc.PostfixExpressionCall:
				name := called(x)
				f := u.defined[name]
				ok = ok && (strings.HasPrefix(name, "__fp_load") ||
					f != nil && !stubborn[name] && !sectionFunction(name) && u.readsOnly(f.CompoundStatement, depth+1))
			}
		}
		return ok
	})
	return ok
}
