package c

import (
	"fmt"
	"slices"
	"strings"

	"modernc.org/cc/v4"
)

var (
	makesThread = map[string]bool{"pthread_create": true, "thrd_create": true, "__VERIFIER_spawn": true, "__VERIFIER_spawn_symmetric": true}
	joinsThread = map[string]bool{"pthread_join": true, "thrd_join": true, "__VERIFIER_join": true}
)

// joinsAll is true where the text shows that main waits for all threads that it makes, and every thread for those that it
// makes: in loops that are as long as the loops that make them, whatever happens.
func (u *unit) joinsAll() bool {
	if u.files.mention("__CPROVER_ASYNC_") {
		return false
	}
	direct, taken := u.functionUses()
	for name, f := range u.defined {
		if direct[name] && !taken[name] && name != "main" {
			continue // it is part of who calls it
		}
		b := threadBalance{u: u, made: map[string]int{}, joined: map[string]map[string]bool{}}
		// Where main ends nobody destroys anything any more; another thread that ends before its end waits for nobody.
		b.function(f, "", name == "main" || !u.names("pthread_exit", "thrd_exit", "pthread_cancel"))
		for loops, made := range b.made {
			if made > len(b.joined[loops]) {
				return false
			}
		}
		if b.lost {
			return false
		}
	}
	return true
}

// functionUses are the functions that are called by their names, and those that something else is done with: they may be called by
// whoever has their address.
func (u *unit) functionUses() (direct, otherwise map[string]bool) {
	byName, taken := map[string]bool{}, map[string]bool{}
	var look func(n cc.Node) bool
	look = func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.PostfixExpression:
			if x.Case == cc.PostfixExpressionCall && called(x) != "" {
				byName[called(x)] = true
				walk(x.ArgumentExpressionList, look)
				return false
			}
		case *cc.PrimaryExpression:
			if x.Case == cc.PrimaryExpressionIdent {
				taken[otherName(x.Token.SrcStr())] = true
			}
		}
		return true
	}
	for _, f := range u.defined {
		walk(f.CompoundStatement, look)
	}
	for _, g := range u.globals {
		if g.init != nil {
			walk(g.init, look)
		}
	}
	return byName, taken
}

// A threadBalance is how many threads a function makes and waits for, by the loops that it does so in.
type threadBalance struct {
	u        *unit
	made     map[string]int
	joined   map[string]map[string]bool // by the text that says which
	changing []map[string]*assignments  // by the loops around: what changes there
	visited  int
	inside   []*cc.FunctionDefinition
	lost     bool // there is no telling
}

const mostVisited = 5_000

// function is a call. sure is whether it is done, as often as the loops around it say.
func (b *threadBalance) function(f *cc.FunctionDefinition, loops string, sure bool) {
	b.visited++
	if len(b.inside) > 30 || b.visited > mostVisited {
		b.lost = true
		return
	}
	b.inside = append(b.inside, f)
	b.visit(f.CompoundStatement, loops, sure && !leaves(f, f == b.u.defined["main"]))
	b.inside = b.inside[:len(b.inside)-1]
}

// leaves is true of a function that may end before its end, but for main: nobody is there then.
func leaves(f *cc.FunctionDefinition, main bool) (is bool) {
	for l := f.CompoundStatement.BlockItemList; l != nil && !main; l = l.BlockItemList {
		simple := false // the last statement, and a return
		if item := l.BlockItem; l.BlockItemList == nil && item.Case == cc.BlockItemStmt {
			simple = item.Statement.Case == cc.StatementJump
		}
		is = is || !simple && jumps(l.BlockItem, cc.JumpStatementReturn)
	}
	return is || jumps(f.CompoundStatement, cc.JumpStatementGoto, cc.JumpStatementGotoExpr)
}

// joins is a join, of another thread in every round of the loops around it.
func (b *threadBalance) joins(call *cc.PostfixExpression, loops string) {
	args := arguments(call)
	if len(args) == 0 {
		return
	}
	names := namesIn(args[0])
	same := slices.ContainsFunc(b.changing, func(changes map[string]*assignments) bool { // in all rounds of a loop
		for name := range names {
			if changes[name] != nil {
				return false
			}
		}
		return true
	})
	if same || names["pthread_self"] || names["thrd_current"] {
		return
	}
	if b.joined[loops] == nil {
		b.joined[loops] = map[string]bool{}
	}
	b.joined[loops][cc.NodeSource(args[0])] = true
}

// jumps is true where there is such a statement.
func jumps(n cc.Node, cases ...cc.JumpStatementCase) (is bool) {
	walk(n, func(n cc.Node) bool {
		j, ok := n.(*cc.JumpStatement)
		is = is || ok && slices.Contains(cases, j.Case)
		return !is
	})
	return is
}

// visit goes through a part of a function.
func (b *threadBalance) visit(n cc.Node, loops string, sure bool) {
	walk(n, func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.UnaryExpression:
			return x.Case != cc.UnaryExpressionSizeofExpr // which nobody evaluates
		case *cc.SelectionStatement:
			b.visit(x.ExpressionList, loops, sure)
			b.visit(x.Statement, loops, false)
			b.visit(x.Statement2, loops, false)
			return false
		case *cc.ConditionalExpression:
			if x.Case == cc.ConditionalExpressionCond {
				b.visit(x.LogicalOrExpression, loops, sure)
				b.visit(x.ExpressionList, loops, false)
				b.visit(x.ConditionalExpression, loops, false)
				return false
			}
		case *cc.LogicalAndExpression:
			if x.Case == cc.LogicalAndExpressionLAnd {
				b.visit(x.LogicalAndExpression, loops, sure)
				b.visit(x.InclusiveOrExpression, loops, false)
				return false
			}
		case *cc.LogicalOrExpression:
			if x.Case == cc.LogicalOrExpressionLOr {
				b.visit(x.LogicalOrExpression, loops, sure)
				b.visit(x.LogicalAndExpression, loops, false)
				return false
			}
		case *cc.IterationStatement:
			inside := loops + "; " + b.loop(x)
			b.visit(x.Declaration, loops, sure)
			b.changing = append(b.changing, b.u.settings(x))
			defer func() { b.changing = b.changing[:len(b.changing)-1] }()
			b.visit(x.ExpressionList, inside, sure)
			b.visit(x.ExpressionList2, inside, sure)
			b.visit(x.ExpressionList3, inside, sure)
			b.visit(x.Statement, inside, sure && !jumps(x.Statement, cc.JumpStatementBreak, cc.JumpStatementContinue))
			return false
		case *cc.PostfixExpression:
			if x.Case == cc.PostfixExpressionCall {
				name := called(x)
				f := b.u.defined[name]
				switch {
				case f != nil:
					b.function(f, loops, sure)
				case makesThread[name]:
					b.made[loops]++
				case joinsThread[name] && sure:
					b.joins(x, loops)
				}
			}
		}
		return true
	})
}

// loop is a name for a loop: two with the same name go round as often.
func (b *threadBalance) loop(x *cc.IterationStatement) string {
	from, until, next := cc.Node(x.ExpressionList), x.ExpressionList2, x.ExpressionList3
	switch x.Case {
	case cc.IterationStatementForDecl:
		from, until, next = x.Declaration, x.ExpressionList, x.ExpressionList2
	case cc.IterationStatementFor:
	default:
		until = nil
	}
	itself := fmt.Sprint(x.Position())
	if until == nil || next == nil {
		return itself
	}
	u := b.u
	counters, inBody := u.settings(next), u.settings(x.Statement)
	begins := u.settings(from)
	for name := range counters {
		if x.Case == cc.IterationStatementFor && (begins[name] == nil || u.declarations(name) != 1) {
			return itself // what it begins with is not known, or what it counts in
		}
		if _, set := inBody[name]; set || u.globals[name] != nil || u.assignments(name) == nil || u.assignments(name).address {
			return itself
		}
	}
	header := []cc.Node{from, until, next}
	for _, n := range header {
		if !plainNames(n) {
			return itself
		}
		for name := range namesIn(n) {
			if counters[name] == nil && !b.stays(name, x) {
				return itself
			}
		}
	}
	var text []string
	for _, n := range header {
		text = append(text, strings.Trim(strings.Join(strings.Fields(cc.NodeSource(n)), " "), "; "))
	}
	return strings.Join(text, "; ")
}

// stays is true of a variable that is the same in all loops that this is said of.
func (b *threadBalance) stays(name string, x *cc.IterationStatement) bool {
	set := b.u.assignments(name)
	switch {
	case set == nil:
		return b.u.globals[name] != nil && b.u.declarations(name) == 1 || b.inMain() && b.u.declarations(name) <= 1
	case set.address || set.elsewhere || !b.inMain() || b.u.declarations(name) != 1:
		return false
	}
	return set.loops <= b.u.loopsBefore(x)
}

// inMain is true where main itself is looked at, and what it calls is not.
func (b *threadBalance) inMain() bool {
	return len(b.inside) == 1 && b.inside[0] == b.u.defined["main"]
}

// plainNames is true of what looks into nothing and calls nothing.
func plainNames(n cc.Node) bool {
	plain := true
	walk(n, func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.PostfixExpression:
			plain = plain && (x.Case == cc.PostfixExpressionInc || x.Case == cc.PostfixExpressionDec)
		case *cc.UnaryExpression:
			plain = plain && x.Case != cc.UnaryExpressionDeref && x.Case != cc.UnaryExpressionAddrof
		}
		return plain
	})
	return plain
}

// namesIn are the names in an expression.
func namesIn(n cc.Node) map[string]bool {
	names := map[string]bool{}
	walk(n, func(n cc.Node) bool {
		if p, ok := n.(*cc.PrimaryExpression); ok && p.Case == cc.PrimaryExpressionIdent {
			names[p.Token.SrcStr()] = true
		}
		return true
	})
	return names
}

// Assignments are those in the text to something of one name.
type assignments struct {
	address   bool // which is taken: others may assign to it
	elsewhere bool // not in main, or in a loop
	loops     int  // how many loops begin before the last one, in the text of the function
}

// settings are the assignments in n, by name.
func (u *unit) settings(n cc.Node) map[string]*assignments {
	names := map[string]*assignments{}
	depth, begun := 0, 0
	note := func(n cc.ExpressionNode, address bool) {
		p, ok := unwrap(n).(*cc.PrimaryExpression)
		if !ok || p.Case != cc.PrimaryExpressionIdent {
			return
		}
		name := p.Token.SrcStr()
		if names[name] == nil {
			names[name] = &assignments{}
		}
		a := names[name]
		a.address, a.elsewhere, a.loops = a.address || address, a.elsewhere || depth > 0, begun
	}
	var look func(n cc.Node)
	look = func(n cc.Node) {
		walk(n, func(m cc.Node) bool {
			switch x := m.(type) {
			case *cc.IterationStatement:
				if m != n {
					depth, begun = depth+1, begun+1
					look(x)
					depth--
					return false
				}
			case *cc.AssignmentExpression:
				if x.Case != cc.AssignmentExpressionCond {
					note(x.UnaryExpression, false)
				}
			case *cc.PostfixExpression:
				if x.Case == cc.PostfixExpressionInc || x.Case == cc.PostfixExpressionDec {
					note(x.PostfixExpression, false)
				}
			case *cc.UnaryExpression:
				switch x.Case {
				case cc.UnaryExpressionInc, cc.UnaryExpressionDec:
					note(x.UnaryExpression, false)
				case cc.UnaryExpressionAddrof:
					note(x.CastExpression, true)
				}
			}
			return true
		})
	}
	look(n)
	return names
}

// loopsBefore is how many loops of main begin before this one.
func (u *unit) loopsBefore(x *cc.IterationStatement) int {
	k, found := 0, false
	walk(u.defined["main"], func(n cc.Node) bool {
		if l, ok := n.(*cc.IterationStatement); ok && !found {
			if found = l == x; !found {
				k++
			}
		}
		return !found
	})
	return k
}

// assignments are those of the whole text to this name, but for those that its declaration makes; nil: there are none.
func (u *unit) assignments(name string) *assignments {
	if u.assignedNames == nil {
		u.assignedNames = map[string]*assignments{}
		for where, f := range u.defined {
			for name, a := range u.settings(f) {
				a.elsewhere = a.elsewhere || where != "main"
				if b := u.assignedNames[name]; b != nil {
					a.address, a.elsewhere, a.loops = a.address || b.address, a.elsewhere || b.elsewhere, max(a.loops, b.loops)
				}
				u.assignedNames[name] = a
			}
		}
	}
	return u.assignedNames[name]
}

// declarations is how many variables of the text have this name.
func (u *unit) declarations(name string) int {
	if u.declaredNames == nil {
		u.declaredNames = map[string]int{}
		for _, x := range u.globals {
			u.declaredNames[x.d.Name()]++
		}
		for _, f := range u.defined {
			walk(f, func(n cc.Node) bool {
				if d, ok := n.(*cc.Declarator); ok {
					u.declaredNames[d.Name()]++
				}
				return true
			})
		}
	}
	return u.declaredNames[name]
}
