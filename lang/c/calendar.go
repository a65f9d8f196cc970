package c

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What a calendar makes of a time is a free choice, of what there are: where a thread is on earth, and what people there make of their
// clocks, is not known. So it may be printed, and that is all: a program that decides by it would seem to do what it cannot, as to find one time
// at two dates.

// calendarRanges are what the members of a date are from and to; they may choose a name that is printed.
var calendarRanges = map[string][2]int64{
	"tm_sec": {0, 60}, "tm_min": {0, 59}, "tm_hour": {0, 23}, "tm_mday": {1, 31}, "tm_mon": {0, 11}, "tm_wday": {0, 6}, "tm_yday": {0, 365}, "tm_isdst": {0, 1},
	"tm_gmtoff": {-86400, 86400}, "__tm_gmtoff": {-86400, 86400},
}

const (
	// Years are counted from 1900. A number of seconds up to mostSeconds is in one of up to lastYear, wherever that is.
	mostSeconds         = 1 << 33
	firstYear, lastYear = 69, 343
	// What is in a year that is an int.
	leastTime, mostTime = -67768040609740800, 67768036191676799
	// What is in a year of four digits, wherever that is.
	leastDate, mostDate = -30610137600, 253402214400
)

// dateCells are the members of a date.
func (l *lowerer) dateCells(n cc.Node, p place) []lowered.Scalar {
	if !p.t.Aggregate() || p.t.Find("tm_sec") == nil || p.t.Find("tm_year") == nil {
		l.u.refuse(n, "a date that is "+p.t.Name)
	}
	return l.u.flatten(p.t.Plain(), "", 0, nil)
}

// writeDate is what a calendar makes of a time: any date that it could be.
func (l *lowerer) writeDate(n cc.Node, p place, time program.Expr) {
	for _, s := range l.dateCells(n, p) {
		name := s.Name[strings.LastIndex(s.Name, ".")+1:]
		var v value
		switch r, known := calendarRanges[name]; {
		case name == "tm_year":
			y := l.temp(types.Int)
			near, far, end := l.node(), l.node(), l.node()
			l.split(bin(program.ULe, time, program.Const(mostSeconds)), near, far)
			l.cur = near
			l.assign(y, l.havoc(types.Int, firstYear, lastYear).e)
			l.jump(end)
			l.cur = far
			l.assign(y, l.choice(types.Int).e)
			l.land(end)
			v = value{t: types.Int, e: program.Reg(y)}
		case known:
			v = l.havoc(s.Type.Plain(), r[0], r[1])
		case s.Type.Kind == types.PointerKind && !l.u.selects(name): // the name of a zone, which nobody asks for
			v = l.load(l.literal("UTC"))
		default:
			l.u.refuse(n, "a date with "+name)
		}
		l.storeAs(place{t: s.Type.Plain(), addr: plus(p.addr, s.Off)}, l.convert(v, s.Type.Plain()), plain)
	}
}

// makesDates is true of a program in which a calendar makes dates of times.
func (u *unit) makesDates() bool {
	return u.names("localtime", "gmtime", "localtime_r", "gmtime_r")
}

// onlyPrintsDates refuses programs that do more with what a date has than to print and to set it.
func (l *lowerer) onlyPrintsDates(n cc.Node) {
	uses := l.u.textUses()
	decides := false
	var visit func(n cc.Node) bool
	// printed has the arguments of a call that prints them. By a date they may choose what is printed.
	printed := func(args []cc.ExpressionNode) (dates bool) {
		for _, a := range args {
			has := false
			walk(a, func(n cc.Node) bool {
				x, ok := n.(cc.ExpressionNode)
				has = has || ok && dateMember(x)
				return !has
			})
			if has && hasEffects(a) {
				decides = true
			}
			if !has {
				walk(a, visit)
			}
			dates = dates || has
		}
		return dates
	}
	visit = func(n cc.Node) bool {
		switch x := n.(type) {
		case *cc.AssignmentExpression:
			if x.Case == cc.AssignmentExpressionAssign && dateMember(x.UnaryExpression) {
				walk(x.AssignmentExpression, visit)
				return false
			}
		case *cc.PostfixExpression:
			if name := called(x); x.Case == cc.PostfixExpressionCall && printing[name] && l.u.defined[name] == nil {
				args := arguments(x)
				if printed(args) && formats[name] && (!uses.ignored[x] || !uses.onlyPrints(args[0])) {
					decides = true
				}
				return false
			}
			decides = decides || dateMember(x)
		}
		return !decides
	}
	for _, f := range l.u.defined {
		walk(f.CompoundStatement, visit)
	}
	if decides {
		l.u.refuse(n, decidingDate)
	}
}

const decidingDate = "a date that decides of more than what is printed"

// onlyPrints is true of an argument that is, or points into, a text that is printed and no more.
func (t *textUses) onlyPrints(arg cc.ExpressionNode) bool {
	d, _ := textIn(arg)
	return d != nil && !t.otherwise[textKey(d)] && !t.altered[textKey(d)]
}

// onlyPrintsText refuses the text of a date that is more than printed. All of these have one length, which may be asked for.
func (l *lowerer) onlyPrintsText(n *cc.PostfixExpression, args []cc.ExpressionNode) {
	uses := l.u.textUses()
	to, kept := uses.kept[n]
	if len(args) == 2 {
		d, _ := textIn(args[1])
		if d == nil || uses.otherwise[textKey(d)] {
			l.u.refuse(n, decidingDate)
		}
	}
	if !kept && !uses.ignored[n] || to != nil && uses.otherwise[to] {
		l.u.refuse(n, decidingDate)
	}
}

// holdsDate is true of a date, and of what one is in.
func holdsDate(t *types.Type) bool {
	switch {
	case t.Kind == types.ArrayKind:
		return holdsDate(t.Elem)
	case !t.Aggregate():
		return false
	case t.Find("tm_year") != nil:
		return true
	}
	return slices.ContainsFunc(t.Fields, func(f types.Field) bool { return holdsDate(f.Type) })
}

// keepsDates refuses a conversion by which a pointer to dates would become one to something else. Where one is handed on as a
// pointer to void, none of these must become one to bytes or numbers.
func (l *lowerer) keepsDates(from, to *types.Type) {
	if from.Kind != types.PointerKind || to.Kind != types.PointerKind || !l.u.makesDates() {
		return
	}
	switch {
	case holdsDate(from.Elem) && to.Elem.Kind == types.VoidKind:
		l.u.dateAsVoid = true
	case holdsDate(from.Elem) && !holdsDate(to.Elem):
		l.u.refuseHere(decidingDate)
	case from.Elem.Kind == types.VoidKind && to.Elem.Integer():
		l.u.voidAsBytes = true
	}
	if l.u.dateAsVoid && l.u.voidAsBytes {
		l.u.refuseHere(decidingDate)
	}
}

// keepsFrom refuses arguments that point to dates, for what goes by their bytes.
func (l *lowerer) keepsFrom(n cc.Node, args ...cc.ExpressionNode) {
	if l.u.makesDates() && slices.ContainsFunc(args, func(a cc.ExpressionNode) bool { t := l.strippedType(a); return t != nil && holdsDate(t) }) {
		l.u.refuse(n, decidingDate)
	}
}

// dateMember is true of a member of a date.
func dateMember(n cc.ExpressionNode) bool {
	x, ok := unwrap(n).(*cc.PostfixExpression)
	return ok && (x.Case == cc.PostfixExpressionSelect || x.Case == cc.PostfixExpressionPSelect) && strings.HasPrefix(x.Token2.SrcStr(), "tm_")
}

// selects is true of a program whose functions select a member of this name.
func (u *unit) selects(name string) bool {
	found := false
	for _, f := range u.defined {
		walk(f.CompoundStatement, func(n cc.Node) bool {
			if x, ok := n.(*cc.PostfixExpression); ok && (x.Case == cc.PostfixExpressionSelect || x.Case == cc.PostfixExpressionPSelect) {
				found = found || x.Token2.SrcStr() == name
			}
			return !found
		})
	}
	return found
}

// readDate reads a date, and asserts, where all is true, that it is one that asctime is for.
func (l *lowerer) readDate(n cc.Node, p place, all bool) {
	is := program.Expr(program.Const(1))
	for _, s := range l.dateCells(n, p) {
		name := s.Name[strings.LastIndex(s.Name, ".")+1:]
		r, known := calendarRanges[name]
		if name == "tm_year" {
			r, known = [2]int64{1000 - 1900, 9999 - 1900}, true
		}
		if !known || strings.HasSuffix(name, "gmtoff") || strings.HasSuffix(name, "dst") || strings.HasSuffix(name, "yday") {
			continue
		}
		v := l.loadAs(place{t: s.Type.Plain(), addr: plus(p.addr, s.Off)}, plain)
		is = flowgraph.Fold(bin(program.LogicalAnd, is, bin(program.LogicalAnd, bin(program.Le, program.Const(r[0]), v.e), bin(program.Le, v.e, program.Const(r[1])))))
	}
	if all {
		l.assert(is, "a date that has no text of 26 characters")
	}
}

// dateText writes a date as asctime does. Nobody asks for its characters.
func (l *lowerer) dateText(to program.Expr) {
	for i := range int64(26) {
		c := int64('0')
		switch i {
		case 24:
			c = '\n'
		case 25:
			c = 0
		}
		l.storeAs(place{t: types.Char, addr: plus(to, i)}, number(types.Char, c), plain)
	}
}

// dateTarget is [lowerer.libraryTarget], where the argument may be a 0, too.
func (l *lowerer) dateTarget(n cc.Node, arg cc.ExpressionNode) place {
	if addressed(arg) != nil {
		return l.libraryTarget(n, arg)
	}
	return l.pointee(l.libraryPointer(n, arg))
}

// timeAt is the time that an argument points to.
func (l *lowerer) timeAt(n cc.Node, arg cc.ExpressionNode) value {
	p := l.dateTarget(n, arg)
	l.at(n)
	return l.kept(l.convert(l.load(p), types.Long))
}

// lengths are the fewest and the most characters that a conversion of strftime gives, for a date; where there is another language, or
// a zone, that is not known.
var lengths = map[byte][2]int64{
	'H': {2, 2}, 'I': {2, 2}, 'M': {2, 2}, 'S': {2, 2}, 'd': {2, 2}, 'e': {2, 2}, 'm': {2, 2}, 'y': {2, 2}, 'g': {2, 2}, 'U': {2, 2}, 'V': {2, 2}, 'W': {2, 2},
	'j': {3, 3}, 'Y': {1, 11}, 'C': {1, 9}, 'G': {1, 11}, 'F': {7, 17}, 'T': {8, 8}, 'R': {5, 5}, 'D': {8, 8}, 'u': {1, 1}, 'w': {1, 1}, 's': {1, 20},
	'n': {1, 1}, 't': {1, 1}, '%': {1, 1}, 'k': {2, 2}, 'l': {2, 2}, 'z': {0, 5},
}

// englishLengths are those that are known where nobody says that there is another language.
var englishLengths = map[byte][2]int64{
	'a': {3, 3}, 'b': {3, 3}, 'h': {3, 3}, 'A': {6, 9}, 'B': {3, 9}, 'p': {2, 2}, 'P': {2, 2}, 'c': {20, 32}, 'x': {8, 8}, 'X': {8, 8}, 'r': {11, 11},
}

// dateLength is how long at least and at most what strftime writes is; most is below 0 where that is not known.
func (l *lowerer) dateLength(format string) (least, most int64) {
	format, _, _ = strings.Cut(format, "\x00")
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			least, most = least+1, most+1
			continue
		}
		i++
		if i == len(format) {
			return 0, -1
		}
		r, known := lengths[format[i]]
		if !known && !l.u.names("setlocale") {
			r, known = englishLengths[format[i]]
		}
		if !known {
			return 0, -1
		}
		least, most = least+r[0], most+r[1]
	}
	return least, most
}

// formatTime is strftime. Where not all dates have words that are as long, nobody must ask how long these are.
func formatTime(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	to := l.convert(l.expr(args[0]), types.VoidPointer).e
	max := l.kept(l.size(args[1]))
	text, literal := l.literalText(args[2])
	l.readsText(n, args[2])
	p := l.dateTarget(n, args[3])
	l.at(n)
	l.readDate(n, p, false)
	uses := l.u.textUses()
	if !uses.onlyPrints(args[0]) {
		l.u.refuse(n, "a date in words that are more than printed")
	}
	if size, ok := l.onlyPrinted(args[0]); ok && l.idle == n && bounded(max.e, size) {
		return number(types.UnsignedLong, 0)
	}
	r := l.temp(types.UnsignedLong)
	least, most := l.dateLength(text)
	known := literal && most >= 0
	room, constant := max.e.(program.Const)
	if decided := known && (least == most || uses.asZero[n] && least > 0 && constant && most < int64(room)); l.idle != n && !decided {
		l.u.refuse(n, "the length of a date in words")
	}
	if known {
		l.assign(r, l.havoc(types.UnsignedLong, least, most).e)
	} else {
		l.assign(r, l.atMost(max).e)
	}
	fits, over, end := l.node(), l.node(), l.node()
	l.split(bin(program.ULt, program.Reg(r), max.e), fits, over)
	l.cur = fits
	done := l.node()
	w := l.walkString()
	w.leaveIf(eq(program.Reg(w.i), program.Reg(r)), done)
	l.storeAs(w.place(value{e: to}, types.Char), number(types.Char, '0'), plain)
	w.next()
	l.cur = done
	l.storeAs(w.place(value{e: to}, types.Char), number(types.Char, 0), plain)
	l.jump(end)
	l.cur = over
	l.readChars(to, max, func() value { return number(types.Char, '0') }) // anything
	l.assign(r, program.Const(0))
	l.land(end)
	return value{t: types.UnsignedLong, e: program.Reg(r)}
}

// calendarBuiltins are the functions that this file knows.
func calendarBuiltins() map[string]builtin {
	m := map[string]builtin{"strftime": {4, formatTime}}
	// broken writes a date to where it is told, or, without a place, to the one of all threads, and gives where that is; or null, where a year is
	// none.
	broken := func(place bool) func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		return func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.onlyPrintsDates(n)
			t := l.timeAt(n, args[0])
			var to value
			if place {
				to = l.kept(l.libraryPointer(n, args[1]))
			} else {
				to = l.sharedDate(n)
			}
			l.at(n)
			r := l.temp(types.VoidPointer)
			good, bad, end := l.node(), l.node(), l.node()
			l.split(flowgraph.Fold(bin(program.LogicalAnd, bin(program.Le, program.Const(leastTime), t.e), bin(program.Le, t.e, program.Const(mostTime)))), good, bad)
			l.cur = bad
			l.assign(r, program.Const(0))
			l.setErrno(program.Const(75)) // EOVERFLOW
			l.jump(end)
			l.cur = good
			l.writeDate(n, l.pointee(to), t.e)
			l.assign(r, to.e)
			l.land(end)
			return value{t: to.t, e: program.Reg(r)}
		}
	}
	m["localtime"], m["gmtime"] = builtin{1, broken(false)}, builtin{1, broken(false)}
	m["localtime_r"], m["gmtime_r"] = builtin{2, broken(true)}, builtin{2, broken(true)}
	// text is the text of a date, or of that of a time.
	text := func(time, place bool) func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		return func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.onlyPrintsText(n, args)
			if time {
				t := l.timeAt(n, args[0])
				l.assert(flowgraph.Fold(bin(program.LogicalAnd, bin(program.Le, program.Const(leastDate), t.e), bin(program.Le, t.e, program.Const(mostDate)))), "a time that has no text of 26 characters")
			} else {
				p := l.dateTarget(n, args[0])
				l.at(n)
				l.readDate(n, p, true)
			}
			to := program.Expr(program.Const(l.u.operations.Helper("asctime", types.ArrayOf(types.Char, 26)).Base))
			if place {
				to = l.kept(l.convert(l.expr(args[1]), types.VoidPointer)).e
				l.at(n)
			}
			l.dateText(to)
			return value{t: types.PointerTo(types.Char), e: to}
		}
	}
	m["ctime"], m["asctime"] = builtin{1, text(true, false)}, builtin{1, text(false, false)}
	m["ctime_r"], m["asctime_r"] = builtin{2, text(true, true)}, builtin{2, text(false, true)}
	for _, name := range []string{"mktime", "timelocal", "timegm"} {
		m[name] = builtin{1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			l.u.refuse(n, "the time of a date")
			panic("unreachable")
		}}
	}
	return m
}

// sharedDate is the date that localtime and gmtime write to, as what the function n calls is declared to give it.
func (l *lowerer) sharedDate(n *cc.PostfixExpression) value {
	x := l.u.globals[called(n)]
	if x == nil || x.t.Kind != types.FunctionKind || x.t.Elem.Kind != types.PointerKind || !x.t.Elem.Elem.Aggregate() {
		l.u.refuse(n, called(n)+" without time.h")
	}
	t := x.t.Elem.Elem.Plain()
	return value{t: types.PointerTo(t), e: program.Const(l.u.operations.Helper("localtime", t).Base)}
}
