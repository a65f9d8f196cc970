package c

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
)

// quiet lists the variables at file scope that main alone writes, before or after it
// has made threads, and whose address is not taken: what main has written to them last
// is what they hold. The numbers of threads that main makes are such.
func (u *unit) quiet() map[string]bool {
	if strings.Contains(u.src.Text, "__CPROVER_ASYNC") || len(u.nests) > 0 {
		return nil
	}
	bad := map[string]bool{}
	// Functions that are mentioned otherwise than to be called may run in threads, and
	// so may those that they call.
	threads := map[string]bool{}
	calls := map[string][]string{}
	writes := map[string][]string{} // by function
	for name, def := range u.defined {
		u.mentions(def, func(v string, how mention) {
			switch {
			case how == calledMention:
				calls[name] = append(calls[name], v)
			case u.defined[v] != nil:
				threads[v] = true
			case how == writtenMention:
				writes[name] = append(writes[name], v)
			case how == escapingMention:
				bad[v] = true
			}
		})
	}
	for _, x := range u.globals {
		if x.init != nil {
			walk(x.init, func(n cc.Node) bool {
				if p, ok := n.(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent {
					bad[p.Token.SrcStr()] = true
					threads[p.Token.SrcStr()] = true
				}
				return true
			})
		}
	}
	work := []string{}
	for name := range threads {
		work = append(work, name)
	}
	for len(work) > 0 {
		name := work[len(work)-1]
		work = work[:len(work)-1]
		for _, v := range writes[name] {
			bad[v] = true
		}
		for _, f := range calls[name] {
			if !threads[f] {
				threads[f] = true
				work = append(work, f)
			}
		}
	}
	good := map[string]bool{}
	for name, x := range u.globals {
		if !bad[name] && x.t.Kind != types.FunctionKind && !x.spec.thread && !x.t.Atomic {
			good[name] = true
		}
	}
	return good
}

// A mention is how a name is used.
type mention uint8

const (
	readMention mention = iota
	writtenMention
	calledMention
	escapingMention // its address is taken
)

// mentions calls f for the names that a function uses.
func (u *unit) mentions(def *cc.FunctionDefinition, f func(string, mention)) {
	// base is the variable that an lvalue is a part of, where that is plain to see.
	base := func(n cc.ExpressionNode) string {
		for {
			switch x := unwrap(n).(type) {
			case *cc.PostfixExpression:
				if x.Case == cc.PostfixExpressionIndex || x.Case == cc.PostfixExpressionSelect {
					n = x.PostfixExpression
					continue
				}
			case *cc.PrimaryExpression:
				if x.Case == cc.PrimaryExpressionIdent {
					return x.Token.SrcStr()
				}
			}
			return ""
		}
	}
	var visit func(n cc.Node) bool
	visit = func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.TypeName, *cc.TypeSpecifier:
			return false
		case *cc.AsmStatement:
			walk(x.Asm, func(n cc.Node) bool {
				if p, ok := n.(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent {
					f(p.Token.SrcStr(), escapingMention)
				}
				return true
			})
			return false
		case *cc.AssignmentExpression:
			if x.Case != cc.AssignmentExpressionCond {
				if v := base(x.UnaryExpression); v != "" {
					f(v, writtenMention)
				}
			}
		case *cc.UnaryExpression:
			switch x.Case {
			case cc.UnaryExpressionAddrof:
				if v := base(x.CastExpression); v != "" {
					f(v, escapingMention)
				}
			case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
				if v := base(x.UnaryExpression); v != "" {
					f(v, writtenMention)
				}
			case cc.UnaryExpressionSizeofExpr:
				return false
			}
		case *cc.PostfixExpression:
			switch x.Case {
			case cc.PostfixExpressionInc, cc.PostfixExpressionDec:
				if v := base(x.PostfixExpression); v != "" {
					f(v, writtenMention)
				}
			case cc.PostfixExpressionIndex:
				// The name of an array that is indexed at once does not escape, where no element is, or has in it, an array that becomes a pointer.
				if p, ok := unwrap(x.PostfixExpression).(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent {
					if g := u.globals[p.Token.SrcStr()]; g != nil && g.t.Kind == types.ArrayKind && !hasArrays(g.t.Elem) {
						walk(x.ExpressionList, visit)
						return false
					}
				}
			case cc.PostfixExpressionCall:
				if v := called(x); v != "" {
					f(v, calledMention)
					if scans(v) && u.defined[v] == nil {
						for _, a := range arguments(x) {
							if y := addressed(a); y != nil && base(y) != "" {
								f(base(y), writtenMention)
							} else {
								walk(a, visit)
							}
						}
						return false
					}
					if x.ArgumentExpressionList != nil {
						walk(x.ArgumentExpressionList, visit)
					}
					return false
				}
			}
		case *cc.PrimaryExpression:
			if x.Case == cc.PrimaryExpressionIdent {
				v := x.Token.SrcStr()
				how := readMention
				if g := u.globals[v]; u.defined[v] != nil || g != nil && (g.t.Kind == types.ArrayKind || g.t.Aggregate()) {
					how = escapingMention
				}
				f(v, how)
			}
		}
		return true
	}
	walk(def.CompoundStatement, visit)
}

// hasArrays is true of an array, and of what has one in it.
func hasArrays(t *types.Type) bool {
	return t.Kind == types.ArrayKind || slices.ContainsFunc(t.Fields, func(f types.Field) bool { return hasArrays(f.Type) })
}

// track notes the cells of quiet variables for the graph of main.
func (u *unit) track(g *flowgraph.Graph) {
	g.Tracked = map[int64]flowgraph.Tracked{}
	for name := range u.quiet() {
		x := u.globals[name]
		if x.obj == nil {
			continue
		}
		for _, s := range x.obj.Cells {
			if u.lowered.Reals[x.obj.Base+s.Off] {
				continue
			}
			w := s.Type.Word()
			g.Tracked[x.obj.Base+s.Off] = flowgraph.Tracked{Type: w, Init: w.Wrap(x.obj.Init[s.Off])}
		}
	}
}
