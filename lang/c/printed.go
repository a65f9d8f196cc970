package c

import (
	"maps"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// printing are the functions that print their arguments or format them.
var printing = map[string]bool{
	"printf": true, "fprintf": true, "puts": true, "fputs": true, "perror": true, "syslog": true, "dprintf": true,
	"sprintf": true, "snprintf": true, "vsprintf": true, "vsnprintf": true, "strftime": true,
}

// formats are those that write the text to where their first argument points.
var formats = map[string]bool{"sprintf": true, "snprintf": true, "vsprintf": true, "vsnprintf": true, "strftime": true}

// filling are those that put there what they read from a file, and which of their arguments says where, from 1 on.
var filling = map[string]int{"fgets": 1, "fread": 1, "read": 2}

// textUses are how a program uses its variables that texts are in, or pointed to. A variable with a linkage stands here by its name.
type textUses struct {
	otherwise map[any]bool     // more is done with them than to print them and to format texts into them
	altered   map[any]bool     // or than to ask for their lengths and to store characters to them
	read      map[any]bool     // what is in them is formatted into others by calls that are not left out
	within    map[any]bool     // they are printed, or formatted into others, from some place in them on
	formatted map[any]bool     // a text is formatted into them
	filled    map[any]bool     // or what is read from a file is put there
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
	if v == nil || v.obj == nil || v.obj.Twin != nil || v.t.Kind != types.ArrayKind || uses.otherwise[d] || uses.altered[d] || uses.read[d] || uses.filled[d] || uses.within[d] {
		return 0, false
	}
	return v.t.Size, true
}

// unknownChar is a character that is read from a file into what an argument is. Where it is only printed it is one
// that does not end a text, which is as far as any is read.
func (l *lowerer) unknownChar(arg cc.ExpressionNode) func() value {
	return func() value {
		if l.isAsked(arg) {
			return l.choice(types.Char)
		}
		return number(types.Char, '0')
	}
}

// isAsked is false of an array, or a place in one, whose characters are printed, and nothing else is done with them.
func (l *lowerer) isAsked(arg cc.ExpressionNode) bool {
	uses := l.u.textUses()
	d, _ := textIn(arg)
	if d == nil || uses.otherwise[textKey(d)] || uses.altered[textKey(d)] || uses.read[textKey(d)] {
		return true
	}
	if v := l.frame.vars[d]; v != nil {
		return v.t.Kind != types.ArrayKind
	}
	x := l.u.globals[d.Name()]
	return x == nil || d.Linkage() == cc.None || x.t.Kind != types.ArrayKind
}

// isChosen is true of what is read from a file, where it is asked for: there are as many texts as it takes.
func (l *lowerer) isChosen(arg cc.ExpressionNode) bool {
	d, _ := textIn(arg)
	return d != nil && l.u.textUses().filled[textKey(d)] && l.isAsked(arg)
}

// textUses goes through all functions once.
func (u *unit) textUses() *textUses {
	if u.texts != nil {
		return u.texts
	}
	t := &textUses{map[any]bool{}, map[any]bool{}, map[any]bool{}, map[any]bool{}, map[any]bool{}, map[any]bool{}, map[cc.Node]any{}, map[cc.Node]bool{}, map[cc.Node]bool{}}
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
	printed := func(args []cc.ExpressionNode, to any, left, reads bool) {
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
				t.within[textKey(d)] = t.within[textKey(d)] || reads
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
				printed(args[:1], nil, true, false)
				if d, off := textIn(args[0]); d != nil {
					t.formatted[textKey(d)] = true
					printed(args[1:], textKey(d), t.ignored[n] && off == nil && !asksVariables(args[1]), true)
				} else {
					for _, a := range args[1:] {
						walk(a, visit)
					}
				}
				return false
			case printing[name], name == "write", name == "fwrite":
				printed(args, nil, true, true)
				return false
			case filling[name] > 0 && len(args) >= filling[name]:
				printed(args, nil, true, false)
				if d, _ := textIn(args[filling[name]-1]); d != nil {
					t.filled[textKey(d)] = true
				}
				return false
			case (name == "ctime_r" || name == "asctime_r") && len(args) == 2:
				walk(args[0], visit)
				printed(args[1:], nil, true, false)
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
	for _, x := range u.globals {
		if x.init != nil {
			walk(x.init, visit)
		}
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

// printer is a function that prints: what comes of it is nothing to us, but the strings that it prints are read.
// The format is the argument of that number, or there is none.
func printer(t *types.Type, format int) builtin {
	return builtin{^0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		l.print(n, args, format)
		if t.Kind == types.VoidKind {
			return nothing
		}
		l.at(n)
		if format < 0 || format >= len(args) {
			return l.printed(n, nil, false)
		}
		return l.printed(n, args[format], true)
	}}
}

// What the first argument of a function is that has no format.
const (
	aText      = -1
	textOrNull = -2
)

// print evaluates what a function prints. There are libraries that print null pointers by %s.
func (l *lowerer) print(n cc.Node, args []cc.ExpressionNode, format int) {
	texts := map[int]conversion{}
	switch {
	case format < 0:
		texts[0] = conversion{'s', wholeText}
	case format < len(args):
		if s, ok := l.literalText(args[format]); ok {
			for i, c := range conversions(s) {
				texts[format+1+i] = c
			}
		} else {
			texts[format] = conversion{'s', wholeText}
		}
		l.onlyPrints(args[format], args[format+1:])
	}
	values := l.inAnyOrder(n, args, func(i int) value { return l.expr(args[i]) })
	l.at(n)
	for i, a := range args {
		c := texts[i]
		if _, literal := l.literalText(a); c.verb != 's' || literal || l.leftOut(a) {
			continue
		}
		var most program.Expr
		switch {
		case l.isChosen(a):
			most = program.Const(1) // of these it is the first character
		case c.most >= 0:
			most = program.Const(c.most)
		case c.most == askedText && i > 0: // one below 0 is none
			most = flowgraph.Fold(l.convert(l.convert(values[i-1], types.Int), types.UnsignedLong).e)
		}
		l.readText(values[i], most, format != aText)
	}
}

// onlyPrints refuses a format that stores how much has been printed. Where it is no literal it may do so if there is an
// argument that points to a number: what is printed has no use for one, but as %p, which wants a pointer to void.
func (l *lowerer) onlyPrints(format cc.ExpressionNode, args []cc.ExpressionNode) {
	text, known := l.literalText(format)
	if !known {
		if !slices.ContainsFunc(args, func(a cc.ExpressionNode) bool {
			t := l.u.typeof(a)
			return (t.Kind == types.PointerKind || t.Kind == types.ArrayKind) && t.Elem.Integer() && t.Elem.Size > 1
		}) {
			return
		}
		l.u.refuse(format, "a format that is no literal, with what %n may store to")
	}
	if slices.ContainsFunc(conversions(text), func(c conversion) bool { return c.verb == 'n' }) {
		l.u.refuse(format, "the conversion %n")
	}
}

// listPrinter prints what a list of arguments has, by the format that is the argument of that number.
func listPrinter(format int) builtin {
	return builtin{format + 2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		l.onlyPrints(args[format], nil)
		evaluateAll(l, args[:format+1])
		l.begunList(n, args[format+1])
		l.at(n)
		return l.printed(n, args[format], true)
	}}
}

// A conversion of a format takes one argument: s is a string, of which no more than so many bytes are read.
type conversion struct {
	verb byte
	most int64
}

const (
	wholeText = -1 // all bytes up to a 0
	askedText = -2 // as many as the argument before says
)

// conversions are those of a format, one for each argument that it takes.
func conversions(format string) []conversion {
	var all []conversion
	for {
		_, rest, ok := strings.Cut(format, "%")
		if !ok || rest == "" {
			return all
		}
		c := conversion{most: wholeText}
		wide, i, at := false, 0, numbered(rest)
		if at > 0 { // %2$s is the second one
			i = strings.IndexByte(rest, '$') + 1
		}
		for i < len(rest)-1 && strings.IndexByte("-+ #0123456789.*hljztLq'", rest[i]) >= 0 {
			switch {
			case rest[i] == '*':
				all = append(all, conversion{verb: '*'})
				if c.most != wholeText {
					c.most = askedText
				}
			case rest[i] == '.':
				c.most = 0
			case c.most >= 0 && '0' <= rest[i] && rest[i] <= '9':
				c.most = min(c.most*10+int64(rest[i]-'0'), lowered.MaxObject)
			case rest[i] == 'l':
				wide = true // characters of more than one byte
			}
			i++
		}
		if c.verb = rest[i]; c.verb == 's' && wide {
			c.verb = 'S'
		}
		switch {
		case at > 0:
			all = append(all, make([]conversion, max(0, at-len(all)))...)
			if all[at-1].verb != 's' || c.verb == 's' && c.most == wholeText {
				all[at-1] = c
			}
		case c.verb != '%':
			all = append(all, c)
		}
		format = rest[i+1:]
	}
}

// numbered is the number before a $ that a conversion begins with, or 0.
func numbered(s string) int {
	n := 0
	for i := range min(len(s), 4) {
		switch {
		case '0' <= s[i] && s[i] <= '9':
			n = n*10 + int(s[i]-'0')
		case s[i] == '$':
			return n
		default:
			return 0
		}
	}
	return 0
}

// leftOut is true of an array of the function that formatting into it may be left out of (see [lowerer.onlyPrinted]): there is a text in it.
func (l *lowerer) leftOut(n cc.ExpressionNode) bool {
	_, ok := l.onlyPrinted(n)
	return ok && l.u.textUses().formatted[identifier(n)]
}

// readText reads a string up to its end, or no more than so many bytes; where it may be null, that is read as well.
func (l *lowerer) readText(v value, most program.Expr, orNull bool) {
	if v.t.Kind != types.PointerKind || v.t.Elem.Kind != types.VoidKind && v.t.Elem.Size != 1 {
		return
	}
	if _, literal := l.u.textAt(v); literal {
		return
	}
	end := l.node()
	if orNull {
		some := l.node()
		l.split(ne(v.e, program.Const(0)), some, end)
		l.cur = some
	}
	if most != nil {
		first := l.node()
		l.split(ne(most, program.Const(0)), first, end)
		l.cur = first
	}
	c := l.temp(types.Char)
	load := l.loadOp(place{t: types.Char, addr: v.e}, c, plain)
	load.Tags = load.Tags.With(lowered.PrintedTag)
	l.emit(load)
	more := l.node()
	l.split(ne(program.Reg(c), program.Const(0)), more, end)
	l.cur = more
	w := l.walkString()
	if most != nil {
		w.leaveIf(eq(plus(program.Reg(w.i), 1), most), end)
	}
	w.leaveIf(eq(w.char(value{e: plus(v.e, 1)}, types.Char), program.Const(0)), end)
	w.next()
	l.cur = end
}

// readBytes reads size bytes from p on, which is what an argument points to. They need not be initialised.
func (l *lowerer) readBytes(n *cc.PostfixExpression, arg cc.ExpressionNode, p, size value) {
	if p.t.Aggregate() {
		l.u.fail(arg, "", "%s where a pointer is wanted", p.t.Name)
	}
	if l.dryness > 0 || !l.fewBytes(n, size) {
		return
	}
	if _, literal := l.u.textAt(p); literal {
		l.assert(bin(program.ULe, size.e, program.Const(l.u.lowered.ObjectOf(p.e).Size)), "%s of more bytes than there are", called(n))
		return
	}
	t := l.strippedType(arg)
	if t == nil || t.Incomplete() || t.Kind == types.VoidKind {
		t = types.Char
	}
	l.careless++
	defer func() { l.careless-- }()
	if byElements(size, t) {
		l.wholeElements(size, t)
		scalars := l.u.flatten(t.Plain(), "", 0, nil)
		l.overElements(size, t, false, func(off program.Expr) {
			for _, s := range scalars {
				l.loadAs(at(p.e, off, s), plain)
			}
		})
		return
	}
	for _, s := range l.span(n, t, l.bytes(arg, size, t)) {
		l.loadAs(place{t: s.Type.Plain(), addr: plus(p.e, s.Off)}, plain)
	}
}
