package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// A refusal is what reading panics with at a construct that is not modelled. It ends the
// statement: where that is executed, nothing is known of what follows.
type refusal struct{ *program.Diagnostic }

// refuse panics with a [refusal].
func (u *unit) refuse(n cc.Node, what string) { u.refuseWith(n, "", "not modelled: %s", what) }

// refuseHere is refuse at what is being read.
func (u *unit) refuseHere(what string) { u.refuse(nil, what) }

func (u *unit) refuseWith(n cc.Node, hint, format string, args ...any) {
	panic(refusal{u.diagnose(n, hint, format, args...)})
}

// attempt lowers the statement n by f. Where something in it is not modelled, an operation takes
// its place that ends what is looked at; what that was is given, or nil.
func (l *lowerer) attempt(n cc.Node, f func()) *program.Diagnostic {
	r := l.try(n, f)
	if r != nil {
		l.at(n)
		l.operate(&flowgraph.Bound{What: r.Msg})
		l.u.refusals[refusalKey{r.Msg, l.pos()}] = r
	}
	return r
}

// try lowers n by f, and takes back what that has written where something is not modelled. It
// gives what that was, or nil.
func (l *lowerer) try(n cc.Node, f func()) (refused *program.Diagnostic) {
	f0, cur, scope, edges, u := l.frame, l.cur, l.scope, len(l.g.Edges), l.u.cur
	depth, choosing, dry, emitted, constOnly, static, inlined, careless := l.depth, l.choosing, l.dryness, l.emitted, l.constOnly, l.staticInit, l.inlined, l.careless
	cleanups, ending, guards := l.cleanups, l.ending, f0.guards
	breaks, continues, switches := f0.breaks, f0.continues, f0.switches
	defer func() {
		x := recover()
		if x == nil {
			return
		}
		r, ok := x.(refusal)
		if !ok || hasLabels(n) {
			panic(x) // somebody may jump to what would be missing
		}
		l.frame, l.cur, l.scope, l.g.Edges, l.u.cur = f0, cur, scope, l.g.Edges[:edges], u
		l.depth, l.choosing, l.dryness, l.emitted, l.constOnly, l.staticInit, l.inlined, l.careless = depth, choosing, dry, emitted, constOnly, static, inlined, careless
		l.cleanups, l.ending, f0.guards = cleanups, ending, guards
		f0.breaks, f0.continues, f0.switches = breaks, continues, switches
		refused = r.Diagnostic
	}()
	f()
	return nil
}

// hasEffects is true of an expression that may do more than to have a value.
func hasEffects(n cc.Node) bool {
	found := false
	walk(n, func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.AssignmentExpression:
			found = found || n.Case != cc.AssignmentExpressionCond
		case *cc.PostfixExpression:
			found = found || n.Case == cc.PostfixExpressionCall || n.Case == cc.PostfixExpressionInc || n.Case == cc.PostfixExpressionDec
		case *cc.UnaryExpression:
			found = found || n.Case == cc.UnaryExpressionInc || n.Case == cc.UnaryExpressionDec
		case *cc.PrimaryExpression:
			found = found || n.Case == cc.PrimaryExpressionStmt
		}
		return !found
	})
	return found
}

// A refusalKey is what is known of a refusal where it stands in a graph.
type refusalKey struct {
	msg string
	pos program.Position
}

// hasLabels is true of a statement with labels, or cases, in it.
func hasLabels(n cc.Node) bool {
	found := false
	walk(n, func(n cc.Node) bool {
		_, label := n.(*cc.LabeledStatement)
		found = found || label
		return !found
	})
	return found
}

// insist fails where a thread comes to what is not modelled whatever the others do.
func (u *unit) insist() {
	for _, t := range u.threads {
		out := t.Graph.Out()
		for q, n := t.Graph.Start, 0; len(out[q]) == 1 && n < len(t.Graph.Nodes); n++ {
			e := &t.Graph.Edges[out[q][0]]
			if d := u.refusals[refusalKey{e.Cmd.Text, e.Pos}]; d != nil && e.Cmd.Op == program.Assert && e.Cmd.Kind == program.Bound {
				panic(refusal{d})
			}
			if e.Cmd.Op == program.Check || e.Cmd.Op == program.Assert || e.Cmd.Op == program.Atomic {
				break
			}
			q = e.To
		}
	}
}
