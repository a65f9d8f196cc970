package c

import (
	"maps"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// printing are the functions that print their arguments or format them.
var printing = map[string]bool{
	"printf": true, "fprintf": true, "puts": true, "fputs": true, "perror": true, "syslog": true, "dprintf": true,
	"sprintf": true, "snprintf": true, "vsprintf": true, "vsnprintf": true, "strftime": true,
}

// formats are those that write the text to where their first argument points.
var formats = map[string]bool{"sprintf": true, "snprintf": true, "vsprintf": true, "vsnprintf": true, "strftime": true}

// textUses are how a program uses its variables that texts are in, or pointed to. A variable with a linkage stands here by its name.
type textUses struct {
	otherwise map[any]bool     // more is done with them than to print them and to format texts into them
	altered   map[any]bool     // or than to ask for their lengths and to store characters to them
	read      map[any]bool     // what is in them is formatted into others by calls that are not left out
	kept      map[cc.Node]any  // where texts that calls give are put; nil: they are printed
	ignored   map[cc.Node]bool // calls whose value nobody asks for
	asZero    map[cc.Node]bool // or of whose value no more is asked than whether it is 0
}

func textKey(d *cc.Declarator) any {
	if d.Linkage() != cc.None {
		return d.Name()
	}
	return d
}

// textIn is the variable that an argument is, or points into, and the offset that is added.
func textIn(n cc.ExpressionNode) (d *cc.Declarator, off cc.ExpressionNode) {
	if x, ok := unwrap(n).(*cc.AdditiveExpression); ok && x.Case == cc.AdditiveExpressionAdd {
		n, off = x.AdditiveExpression, x.MultiplicativeExpression
	}
	return identifier(n), off
}

// onlyPrinted is true of an array of a function that nothing is done with but to format texts
// into it and to print them: what is in it is nothing to us. It gives the size.
func (l *lowerer) onlyPrinted(n cc.ExpressionNode) (int64, bool) {
	d := identifier(n)
	if d == nil || d.Linkage() != cc.None {
		return 0, false
	}
	v, uses := l.frame.vars[d], l.u.textUses()
	if v == nil || v.obj == nil || v.t.kind != arrayKind || uses.otherwise[d] || uses.altered[d] || uses.read[d] {
		return 0, false
	}
	return v.t.size, true
}

// textUses goes through all functions once.
func (u *unit) textUses() *textUses {
	if u.texts != nil {
		return u.texts
	}
	t := &textUses{map[any]bool{}, map[any]bool{}, map[any]bool{}, map[cc.Node]any{}, map[cc.Node]bool{}, map[cc.Node]bool{}}
	u.texts = t
	goes := map[any][]any{} // where what is in a variable is formatted into
	call := func(n cc.ExpressionNode) *cc.PostfixExpression {
		if n == nil {
			return nil
		}
		x, ok := unwrap(n).(*cc.PostfixExpression)
		if !ok || x.Case != cc.PostfixExpressionCall {
			return nil
		}
		return x
	}
	var visit func(n cc.Node) bool
	// printed has the arguments of a call that prints them, or formats them to where the key says, if it is not left out.
	printed := func(args []cc.ExpressionNode, to any, left bool) {
		for _, a := range args {
			if c := call(a); c != nil {
				t.kept[c] = to
			}
			d, off := textIn(a)
			if d == nil {
				walk(a, visit)
				continue
			}
			if off != nil {
				walk(off, visit)
			}
			if to != nil {
				goes[to] = append(goes[to], textKey(d))
				t.read[textKey(d)] = t.read[textKey(d)] || !left
			}
		}
	}
	visit = func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.ExpressionStatement:
			if c := call(n.ExpressionList); c != nil {
				t.ignored[c] = true
			}
		case *cc.SelectionStatement:
			if c := call(n.ExpressionList); c != nil && n.Case != cc.SelectionStatementSwitch {
				t.asZero[c] = true
			}
		case *cc.EqualityExpression:
			if x, ok := unwrap(n.RelationalExpression).(*cc.PrimaryExpression); ok && x.Token.SrcStr() == "0" {
				if c := call(n.EqualityExpression); c != nil {
					t.asZero[c] = true
				}
			}
		case *cc.InitDeclarator:
			if n.Initializer != nil && n.Initializer.Case == cc.InitializerExpr {
				if c := call(n.Initializer.AssignmentExpression); c != nil {
					t.kept[c] = textKey(n.Declarator)
				}
			}
		case *cc.AssignmentExpression:
			if n.Case != cc.AssignmentExpressionAssign {
				break
			}
			if d := identifier(n.UnaryExpression); d != nil {
				if c := call(n.AssignmentExpression); c != nil {
					t.kept[c] = textKey(d)
				}
				walk(n.AssignmentExpression, visit)
				return false
			}
			if x, ok := unwrap(n.UnaryExpression).(*cc.PostfixExpression); ok && x.Case == cc.PostfixExpressionIndex {
				if d := identifier(x.PostfixExpression); d != nil {
					t.altered[textKey(d)] = true
					walk(x.ExpressionList, visit)
					walk(n.AssignmentExpression, visit)
					return false
				}
			}
		case *cc.UnaryExpression:
			if n.Case == cc.UnaryExpressionNot {
				if c := call(n.CastExpression); c != nil {
					t.asZero[c] = true
				}
			}
			return n.Case != cc.UnaryExpressionSizeofExpr
		case *cc.PostfixExpression:
			if n.Case != cc.PostfixExpressionCall || u.defined[called(n)] != nil {
				break
			}
			args := arguments(n)
			switch name := called(n); {
			case name == "strlen" && len(args) == 1 && identifier(args[0]) != nil:
				t.altered[textKey(identifier(args[0]))] = true
				return false
			case formats[name] && len(args) > 1:
				printed(args[:1], nil, true)
				if d, off := textIn(args[0]); d != nil {
					printed(args[1:], textKey(d), t.ignored[n] && off == nil && !asksVariables(args[1]))
				} else {
					for _, a := range args[1:] {
						walk(a, visit)
					}
				}
				return false
			case printing[name]:
				printed(args, nil, true)
				return false
			case (name == "ctime_r" || name == "asctime_r") && len(args) == 2:
				walk(args[0], visit)
				printed(args[1:], nil, true)
				return false
			}
		case *cc.PrimaryExpression:
			if d := resolved(n); n.Case == cc.PrimaryExpressionIdent && d != nil {
				t.otherwise[textKey(d)] = true
			}
		}
		return true
	}
	for _, f := range u.defined {
		walk(f.CompoundStatement, visit)
	}
	for _, marks := range []map[any]bool{t.otherwise, t.altered, t.read} {
		var spread func(key any)
		spread = func(key any) {
			for _, from := range goes[key] {
				if !marks[from] {
					marks[from] = true
					spread(from)
				}
			}
		}
		for key, is := range maps.Clone(marks) {
			if is {
				spread(key)
			}
		}
	}
	return t
}

// asksVariables is true of an expression that asks for more than sizes.
func asksVariables(n cc.Node) bool {
	found := false
	walk(n, func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.UnaryExpression:
			return n.Case != cc.UnaryExpressionSizeofExpr
		case *cc.PrimaryExpression:
			found = found || n.Case == cc.PrimaryExpressionIdent || n.Case == cc.PrimaryExpressionString
		}
		return !found
	})
	return found
}

// printer is a function that prints: what comes of it is nothing to us, but the strings that it prints are read,
// as far as their first characters. The format is the argument of that number; -1: the first argument is a string.
func printer(t *ctype, format int) builtin {
	return builtin{^0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		l.print(n, args, format)
		if t.kind == voidKind {
			return nothing
		}
		l.at(n)
		if format < 0 || format >= len(args) {
			return l.printed(n, nil, false)
		}
		return l.printed(n, args[format], true)
	}}
}

// print evaluates what a function prints.
func (l *lowerer) print(n cc.Node, args []cc.ExpressionNode, format int) {
	texts := map[int]bool{0: format < 0}
	if format >= 0 && format < len(args) {
		if s, ok := stringOf(args[format]); ok {
			for i, verb := range verbs(s) {
				texts[format+1+i] = verb == 's'
			}
		}
	}
	for i, a := range args {
		v := l.expr(a)
		if _, literal := stringOf(a); texts[i] && !literal && !l.ownArray(a) {
			l.at(n)
			l.peek(v)
		}
	}
}

// listPrinter prints what a list of arguments has, by the format that is the argument of that number.
func listPrinter(format int) builtin {
	return builtin{^(format + 1), func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		evaluateAll(l, args)
		l.at(n)
		return l.printed(n, args[format], true)
	}}
}

// verbs are the conversions of a format, one for each argument that it takes: s where that is a string, all of
// which may be read.
func verbs(format string) []byte {
	var all []byte
	for {
		_, rest, ok := strings.Cut(format, "%")
		if !ok || rest == "" {
			return all
		}
		i, verb := 0, byte('s')
		for i < len(rest)-1 && strings.IndexByte("-+ #0123456789.*hljztLq'", rest[i]) >= 0 {
			switch rest[i] {
			case '*':
				all = append(all, '*')
			case '.', 'l':
				verb = '.' // not all of it, or not of characters of one byte
			}
			i++
		}
		if rest[i] != 's' {
			verb = rest[i]
		}
		if verb != '%' {
			all = append(all, verb)
		}
		format = rest[i+1:]
	}
}

// ownArray is true of an array of the function: what is in it may be left out (see [unit.onlyPrinted]).
func (l *lowerer) ownArray(n cc.ExpressionNode) bool {
	d := identifier(n)
	v := l.frame.vars[d]
	return d != nil && v != nil && v.t.kind == arrayKind
}

// peek reads the first character of a string. There are libraries that print null pointers.
func (l *lowerer) peek(v value) {
	if v.t.kind != pointerKind || !v.t.elem.integer() || v.t.elem.size != 1 {
		return
	}
	some, end := l.node(), l.node()
	l.split(ne(v.e, program.Const(0)), some, end)
	l.cur = some
	l.load(l.pointee(v))
	l.land(end)
}
