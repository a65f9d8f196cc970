package randc

import (
	"fmt"
)

// expr is any expression.
func (g *gen) expr(c context) expr {
	if c.depth <= 0 {
		return g.leaf(c)
	}
	switch n := g.rng.IntN(100); {
	case n < 12:
		return g.leaf(c)
	case n < 45:
		return g.arithmetic(c)
	case n < 55:
		return g.comparison(c)
	case n < 62:
		return g.logical(c)
	case n < 72:
		return g.unary(c)
	case n < 82:
		return g.cast(c)
	case n < 88:
		return g.ternary(c)
	case n < 90:
		return g.enquiry(c)
	}
	if c.isConstant() {
		return g.arithmetic(c)
	}
	switch n := g.rng.IntN(100); {
	case n < 25 && !c.pure:
		return g.assignment(c)
	case n < 45 && !c.pure:
		return g.increment(c)
	case n < 60:
		return g.comma(c)
	case n < 80:
		return g.call(c)
	case n < 85:
		e := g.expr(c.deeper())
		return expr{fmt.Sprintf("({ __typeof__(%s) t_ = %s; t_; })", g.leaf(context{noRead: set{"*": true}}).s, e.s), nil, e.reads, e.writes}.as(g, c)
	}
	return g.arithmetic(c)
}

// as gives an expression whose type was not followed one.
func (e expr) as(g *gen, c context) expr {
	t := g.typ()
	e.s, e.t = fmt.Sprintf("(%s)%s", g.write(t), e.s), t
	return e
}

// leaf is a constant or the value of a variable.
func (g *gen) leaf(c context) expr {
	if !c.isConstant() && g.p(75) {
		if e, ok := g.value(c); ok {
			return e
		}
	}
	return g.literal()
}

// value is the value of an lvalue.
func (g *gen) value(c context) (expr, bool) {
	for range 4 {
		if v, ok := g.lvalue(c, false); ok {
			t := v.t
			if v.width > 0 {
				t = promotedBits(v)
			}
			return expr{v.s, t, v.reads, v.writes}, true
		}
	}
	return expr{}, false
}

func promotedBits(v lvalue) *typ {
	if v.width < 32 || v.t.signed {
		return intT
	}
	return v.t
}

// arithmetic is x op y.
func (g *gen) arithmetic(c context) expr {
	x := g.expr(c.deeper())
	y := g.expr(c.beside(x))
	s, t := g.operate(pick(g, []string{"+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>", "+", "-", "*"}), x, y)
	return expr{"(" + s + ")", t, union(x.reads, y.reads), union(x.writes, y.writes)}
}

// operate is x op y such that it is defined.
func (g *gen) operate(op string, x, y expr) (string, *typ) {
	r := g.operand(op, x.t, y)
	t := usual(x.t, r.t)
	if op == "<<" || op == ">>" {
		t = promote(x.t)
	}
	return x.s + " " + op + " " + r.s, t
}

// operand is y made fit to stand on the right of op.
func (g *gen) operand(op string, x *typ, y expr) expr {
	switch op {
	case "/", "%":
		switch g.rng.IntN(3) {
		case 0:
			y.s = fmt.Sprintf("(%s | %d)", y.s, 1<<g.rng.IntN(5)|1)
			y.t = usual(y.t, intT)
			if y.t.signed && usual(x, y.t).signed { // never -1
				y.s = fmt.Sprintf("(%s & %d)", y.s, 0x7fff)
			}
			y.s = fmt.Sprintf("(%s | 1)", y.s)
		case 1:
			y.s = fmt.Sprintf("((%s & %d) + 1)", y.s, 1<<g.rng.IntN(10)-1)
			y.t = usual(y.t, intT)
		default:
			y.s = fmt.Sprintf("(-2 - (int)(%s & %d))", y.s, 1<<g.rng.IntN(6)-1)
			y.t = intT
		}
	case "<<", ">>":
		y.s = fmt.Sprintf("(%s & %d)", y.s, promote(x).bits-1)
		y.t = usual(y.t, intT)
	}
	return y
}

func (g *gen) comparison(c context) expr {
	if !c.isConstant() && g.opts.Pointers && g.p(20) {
		if e, ok := g.pointerComparison(c); ok {
			return e
		}
	}
	x := g.expr(c.deeper())
	y := g.expr(c.beside(x))
	op := pick(g, []string{"==", "!=", "<", ">", "<=", ">="})
	return expr{"(" + x.s + " " + op + " " + y.s + ")", intT, union(x.reads, y.reads), union(x.writes, y.writes)}
}

// logical is x && y or x || y: y comes after x.
func (g *gen) logical(c context) expr {
	x := g.expr(c.deeper())
	y := g.expr(c.deeper())
	op := pick(g, []string{"&&", "||"})
	return expr{"(" + x.s + " " + op + " " + y.s + ")", intT, union(x.reads, y.reads), union(x.writes, y.writes)}
}

func (g *gen) unary(c context) expr {
	x := g.expr(c.deeper())
	op := pick(g, []string{"-", "~", "!", "+"})
	t := promote(x.t)
	if op == "!" {
		t = intT
	}
	return expr{"(" + op + x.s + ")", t, x.reads, x.writes}
}

func (g *gen) cast(c context) expr {
	x := g.expr(c.deeper())
	t := g.typ()
	return expr{fmt.Sprintf("((%s)%s)", g.write(t), x.s), t, x.reads, x.writes}
}

func (g *gen) ternary(c context) expr {
	x := g.expr(c.deeper())
	y, z := g.expr(c.deeper()), g.expr(c.deeper())
	return expr{fmt.Sprintf("(%s ? %s : %s)", x.s, y.s, z.s), usual(y.t, z.t), union(x.reads, y.reads, z.reads), union(x.writes, y.writes, z.writes)}
}

func (g *gen) comma(c context) expr {
	// GCC 12.2 stops with an internal error at (_Bool)(1, 2).
	x, ok := g.value(c.deeper())
	switch {
	case !c.pure && g.p(50):
		x = g.assignment(c.deeper())
	case !c.pure && g.p(50):
		x = g.increment(c.deeper())
	case !ok:
		return g.arithmetic(c)
	}
	y := g.expr(c.deeper())
	return expr{"(" + x.s + ", " + y.s + ")", y.t, union(x.reads, y.reads), union(x.writes, y.writes)}
}

// enquiry asks for the size or the type of an expression, which is not evaluated.
func (g *gen) enquiry(c context) expr {
	x := g.expr(context{depth: 2, noRead: c.noRead, pure: true})
	if g.p(50) {
		// The value of a bit-field is asked for as an operand.
		return expr{fmt.Sprintf("sizeof(%s + 0)", x.s), ulongT, nil, nil}
	}
	return expr{fmt.Sprintf("_Generic((%s) + 0, int: 1, unsigned: 2, long: 3, unsigned long: 4, long long: 5, unsigned long long: 6)", x.s), intT, nil, nil}
}

// assignment is x = y or x op= y as a value.
func (g *gen) assignment(c context) expr {
	s, t, reads, writes := g.assign(c)
	if s == "" {
		return g.leaf(c)
	}
	return expr{"(" + s + ")", t, reads, writes}
}

func (g *gen) assign(c context) (string, *typ, set, set) {
	x, ok := g.lvalue(c, true)
	if !ok {
		return "", nil, nil, nil
	}
	// The value is computed first, but effects on it are not sequenced with those in it.
	d := c.deeper()
	d.noWrite = union(d.noWrite, x.objs, x.reads, x.writes)
	d.noRead = union(d.noRead, x.writes)
	y := g.expr(d)
	op := pick(g, []string{"", "", "", "+", "-", "*", "&", "|", "^", "/", "%", "<<", ">>"})
	t := x.t
	if x.width > 0 {
		t = promotedBits(x)
	}
	if op != "" {
		y = g.operand(op, t, y)
		if x.width > 0 && (op == "/" || op == "%") {
			y.s, y.t = "3", intT
		}
	}
	return fmt.Sprintf("%s %s= %s", x.s, op, y.s), t, union(x.reads, y.reads), union(x.writes, y.writes, x.objs)
}

// increment is x++ and its kin.
func (g *gen) increment(c context) expr {
	x, ok := g.lvalue(c, true)
	if !ok {
		return g.leaf(c)
	}
	t := x.t
	if x.width > 0 {
		t = promotedBits(x)
	}
	op := pick(g, []string{"++", "--"})
	if t == boolT {
		op = "++"
	}
	s := x.s + op
	if g.p(50) {
		s = op + x.s
	}
	return expr{"(" + s + ")", t, x.reads, union(x.writes, x.objs)}
}

// call calls a function that changes nothing.
func (g *gen) call(c context) expr {
	var fs []function
	for _, f := range g.funcs {
		if f.pure && f.array == nil && f.result != nil && (!f.reads || !g.noGlob && !c.noRead.meets(g.globalSet())) {
			fs = append(fs, f)
		}
	}
	if len(fs) == 0 || g.noCalls {
		return g.arithmetic(c)
	}
	f := pick(g, fs)
	s := f.name + "("
	reads, writes := set{}, set{}
	if f.reads {
		reads = g.globalSet()
	}
	d := c.deeper()
	d.depth = min(d.depth, 1)
	d.noWrite = union(d.noWrite, reads)
	for i := range f.params {
		if i > 0 {
			s += ", "
		}
		a := g.expr(d)
		d = d.beside(a)
		s += a.s
		reads.add(a.reads)
		writes.add(a.writes)
	}
	return expr{s + ")", f.result, reads, writes}
}

func (g *gen) globalSet() set {
	s := set{}
	for _, v := range g.globals {
		s[v.obj] = true
	}
	return s
}

// An lvalue is a scalar that can be read, and, where asked for, written.
type lvalue struct {
	s             string
	t             *typ
	width         int
	reads, writes set // of the expression; reads has objs
	objs          set // what it may be
}

// lvalue is a scalar that c allows to be read and, with write, to be written.
func (g *gen) lvalue(c context, write bool) (lvalue, bool) {
	if len(g.vars) == 0 {
		return lvalue{}, false
	}
	v := pick(g, g.vars)
	if g.noGlob && v.global || write && (v.konst || g.constG && v.global) {
		return lvalue{}, false
	}
	l := lvalue{s: v.name, reads: set{}, writes: set{}, objs: set{v.obj: true}}
	allowed := func(objs set) bool {
		return !c.noRead.meets(objs) && !(write && c.noWrite.meets(objs))
	}
	if v.ptr != nil {
		if c.noRead[v.obj] {
			return lvalue{}, false
		}
		l.reads[v.obj] = true
		l.objs = v.ptr
		if !allowed(l.objs) {
			return lvalue{}, false
		}
		switch {
		case v.into != nil && v.into.len > 0 && g.p(50):
			i := g.index(c, v.into.len, l.objs, &l)
			l.s = fmt.Sprintf("%s[%s - (%s - %s)]", v.name, i, v.name, v.into.name)
		case g.p(50) && v.rec != nil:
			l.s = v.name + "[0]"
		default:
			l.s = "(*" + v.name + ")"
		}
		v.len = 0
	}
	if !allowed(l.objs) {
		return lvalue{}, false
	}
	for {
		if v.len > 0 {
			i := g.index(c, v.len, l.objs, &l)
			l.s = fmt.Sprintf("%s[%s]", l.s, i)
			if g.p(5) {
				l.s = fmt.Sprintf("(*(&%s))", l.s)
			}
		}
		if v.rec == nil {
			break
		}
		v = pick(g, v.rec.members)
		l.s += "." + v.name
	}
	l.t, l.width = v.t, v.width
	l.reads.add(l.objs)
	return l, true
}

// index is an index of an array of n elements, whose evaluation does not change objs, nor what other indices of l read, and does not read what they change.
func (g *gen) index(c context, n int, objs set, l *lvalue) string {
	if g.p(35) {
		return fmt.Sprint(g.rng.IntN(n))
	}
	d := c
	d.depth = min(c.depth-1, 1)
	d.noRead = union(c.noRead, l.writes)
	d.noWrite = union(c.noWrite, objs, l.reads, l.writes)
	e := g.expr(d)
	l.reads.add(e.reads)
	l.writes.add(e.writes)
	return fmt.Sprintf("(%s & %d)", e.s, n-1)
}

// pointerComparison compares a pointer with one into the same array.
func (g *gen) pointerComparison(c context) (expr, bool) {
	for _, v := range g.vars {
		if v.into == nil || v.into.len == 0 || c.noRead[v.obj] || g.p(50) {
			continue
		}
		l := &lvalue{reads: set{v.obj: true}, writes: set{}}
		op := pick(g, []string{"==", "!=", "<", ">", "<=", ">="})
		s := fmt.Sprintf("(%s %s &%s[%s])", v.name, op, v.into.name, g.index(c, v.into.len, set{v.obj: true}, l))
		if g.p(30) {
			return expr{fmt.Sprintf("(%s - %s)", v.name, v.into.name), longT, l.reads, nil}, true
		}
		return expr{s, intT, l.reads, l.writes}, true
	}
	return expr{}, false
}
