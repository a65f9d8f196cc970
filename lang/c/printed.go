package c

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// printing are the functions that print their arguments or format them.
var printing = map[string]bool{
	"printf": true, "fprintf": true, "puts": true, "fputs": true, "perror": true, "syslog": true, "dprintf": true,
	"sprintf": true, "snprintf": true, "vsprintf": true, "vsnprintf": true, "strftime": true,
}

// onlyPrinted is true of an array of a function that nothing is done with but to format texts
// into it and to print them: what is in it is nothing to us. It gives the size.
func (u *unit) onlyPrinted(f *frame, n cc.ExpressionNode) (int64, bool) {
	d := identifier(n)
	if d == nil || f.def == nil {
		return 0, false
	}
	v := f.vars[d]
	if v == nil || v.obj == nil || v.t.kind != arrayKind || u.usedOtherwise(f.def)[d] {
		return 0, false
	}
	return v.t.size, true
}

// usedOtherwise are the variables of a function that are mentioned otherwise than to be printed
// or formatted into.
func (u *unit) usedOtherwise(def *cc.FunctionDefinition) map[*cc.Declarator]bool {
	if m, ok := u.otherwise[def]; ok {
		return m
	}
	m := map[*cc.Declarator]bool{}
	var visit func(n cc.Node) bool
	visit = func(n cc.Node) bool {
		switch n := n.(type) {
		case *cc.UnaryExpression:
			return n.Case != cc.UnaryExpressionSizeofExpr
		case *cc.PostfixExpression:
			if n.Case == cc.PostfixExpressionCall && printing[called(n)] && u.defined[called(n)] == nil {
				for _, a := range arguments(n) {
					if identifier(a) == nil {
						walk(a, visit)
					}
				}
				return false
			}
		case *cc.PrimaryExpression:
			if n.Case == cc.PrimaryExpressionIdent {
				m[resolved(n)] = true
			}
		}
		return true
	}
	walk(def.CompoundStatement, visit)
	u.otherwise[def] = m
	return m
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
