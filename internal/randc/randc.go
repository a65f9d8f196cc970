// Package randc makes random C programs of one thread for differential tests: what
// a front end makes of them has to end with the results that a compiler's program
// has. In goes a source of randomness and the constructs wanted, out comes a
// [Program]; equal seeds and options give equal programs.
//
// The programs have no undefined and no unspecified behaviour, but for what the
// compilers of today define: integers wrap around when told to (-fwrapv), negative
// numbers are shifted and converted in two's complement. Divisors are not 0, shifts
// stay below the width, indices within the array, and of two operands that are not
// sequenced neither changes what the other one reads. All loops end.
package randc

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"strings"
)

// Options says which constructs there may be beside scalars, expressions, control
// flow and calls.
type Options struct {
	Arrays   bool // with indices that are computed
	Structs  bool // and unions
	Bits     bool // bit-fields
	Pointers bool // into arrays, to scalars and to structures
	Atomics  bool // objects that are _Atomic, with plain operators
}

// All is every construct.
var All = Options{Arrays: true, Structs: true, Bits: true, Pointers: true, Atomics: true}

// A Program is text at file scope: a function that is called Name and, in order, the
// variables of type unsigned long that hold the results after its call.
type Program struct {
	Name    string
	Text    string
	Results []string
}

// Types is the text that programs rely on; it comes before them, once.
const Types = `typedef signed char i8; typedef unsigned char u8; typedef short i16; typedef unsigned short u16;
typedef int i32; typedef unsigned u32; typedef long i64; typedef unsigned long u64;
`

// New makes a program whose names at file scope begin with prefix.
func New(rng *rand.Rand, prefix string, opts Options) Program {
	g := &gen{rng: rng, prefix: prefix, opts: opts}
	g.program()
	return Program{Name: prefix + "run", Text: g.b.String(), Results: g.results}
}

// A typ is an integer type.
type typ struct {
	names  []string // ways to write it
	bits   int
	signed bool
	rank   int
}

func (t *typ) String() string { return t.names[0] }

var (
	boolT  = &typ{[]string{"_Bool"}, 1, false, 0}
	charT  = &typ{[]string{"char"}, 8, true, 1}
	scharT = &typ{[]string{"signed char", "i8"}, 8, true, 1}
	ucharT = &typ{[]string{"unsigned char", "u8"}, 8, false, 1}
	shortT = &typ{[]string{"short", "i16", "short int"}, 16, true, 2}
	ushrtT = &typ{[]string{"unsigned short", "u16"}, 16, false, 2}
	intT   = &typ{[]string{"int", "i32", "signed"}, 32, true, 3}
	uintT  = &typ{[]string{"unsigned", "u32", "unsigned int"}, 32, false, 3}
	longT  = &typ{[]string{"long", "i64", "long int"}, 64, true, 4}
	ulongT = &typ{[]string{"unsigned long", "u64"}, 64, false, 4}
	llongT = &typ{[]string{"long long"}, 64, true, 5}
	ullngT = &typ{[]string{"unsigned long long"}, 64, false, 5}
)

var types = []*typ{boolT, charT, scharT, ucharT, shortT, ushrtT, intT, intT, intT, uintT, uintT, longT, longT, ulongT, ulongT, llongT, ullngT}

func promote(t *typ) *typ {
	if t.rank < intT.rank {
		return intT
	}
	return t
}

func usual(x, y *typ) *typ {
	x, y = promote(x), promote(y)
	if x.signed == y.signed {
		if x.rank >= y.rank {
			return x
		}
		return y
	}
	if x.signed {
		x, y = y, x
	}
	switch { // x is unsigned
	case x.rank >= y.rank:
		return x
	case y.bits > x.bits:
		return y
	case y == longT:
		return ulongT
	}
	return ullngT
}

// A set is a set of objects.
type set map[string]bool

func (s set) add(o set) {
	maps.Copy(s, o)
}

func (s set) meets(o set) bool {
	for k := range o {
		if s[k] {
			return true
		}
	}
	return false
}

func union(ss ...set) set {
	u := set{}
	for _, s := range ss {
		u.add(s)
	}
	return u
}

// An expr is an expression in parentheses where it needs some, and what it reads and
// writes.
type expr struct {
	s             string
	t             *typ
	reads, writes set
}

// A context is what surrounds an expression: what it must neither read nor write.
type context struct {
	noRead, noWrite set
	depth           int
	pure            bool // no effects
}

func (c context) deeper() context { c.depth--; return c }

// beside is the context of an operand that is not sequenced with e.
func (c context) beside(e expr) context {
	c.noRead = union(c.noRead, e.writes)
	c.noWrite = union(c.noWrite, e.reads, e.writes)
	c.depth--
	return c
}

// A variable is something that can be named.
type variable struct {
	name   string
	obj    string // the object that it is or lies in
	t      *typ
	konst  bool
	atomic bool
	local  bool
	global bool
	len    int       // an array; else 0
	width  int       // a bit-field; else 0
	rec    *record   // a structure; else nil
	ptr    set       // a pointer: the objects that it may point to; else nil
	into   *variable // a pointer into this array
}

// A record is a structure or a union.
type record struct {
	name    string
	union   bool
	members []variable // names without what they lie in
}

// A function is one that can be called.
type function struct {
	name   string
	result *typ // nil: void
	params []*typ
	array  *typ // the first parameter points to an array of 4 of these; else nil
	pure   bool
	reads  bool
}

type gen struct {
	rng     *rand.Rand
	prefix  string
	opts    Options
	b       strings.Builder
	indent  int
	vars    []variable // in scope
	records []*record
	enums   []string
	funcs   []function
	results []string
	ids     int
	loops   int  // nested
	inLoop  bool // continue is allowed
	inBreak bool
	labels  []string // to jump forward to
	globals []variable
	noGlob  bool // in a function that may neither read nor write globals
	constG  bool // in one that may not write them
	noCalls bool
	named   int // results that are declared
}

func (g *gen) p(percent int) bool { return g.rng.IntN(100) < percent }

func pick[T any](g *gen, xs []T) T { return xs[g.rng.IntN(len(xs))] }

func (g *gen) id(kind string) string {
	g.ids++
	return fmt.Sprintf("%s%d", kind, g.ids)
}

func (g *gen) line(format string, args ...any) {
	g.b.WriteString(strings.Repeat("\t", g.indent))
	fmt.Fprintf(&g.b, format, args...)
	g.b.WriteByte('\n')
}

func (g *gen) typ() *typ           { return pick(g, types) }
func (g *gen) write(t *typ) string { return pick(g, t.names) }

// program writes globals, functions, and the function that is run.
func (g *gen) program() {
	if g.p(40) {
		g.enum()
	}
	if g.opts.Structs {
		for range g.rng.IntN(3) {
			g.record()
		}
	}
	for range 2 + g.rng.IntN(4) {
		g.global()
	}
	for range g.rng.IntN(4) {
		g.function()
	}
	g.line("static void %srun(void) {", g.prefix)
	at := g.b.Len()
	g.body(3+g.rng.IntN(4), func() {
		for _, v := range g.vars {
			g.record1(v)
		}
	})
	g.line("}")
	text := g.b.String()
	var decl strings.Builder
	for _, r := range g.results {
		fmt.Fprintf(&decl, "static u64 %s;\n", r)
	}
	start := strings.LastIndex(text[:at], "static void ")
	g.b.Reset()
	g.b.WriteString(text[:start] + decl.String() + text[start:])
}

// record1 stores the value of v in results.
func (g *gen) record1(v variable) {
	out := func(e string) {
		if len(g.results) >= 60 {
			return
		}
		name := fmt.Sprintf("%so%d", g.prefix, len(g.results))
		g.results = append(g.results, name)
		g.line("%s = (u64)%s;", name, e)
	}
	switch {
	case v.ptr != nil:
		if v.into != nil {
			out(fmt.Sprintf("(%s - %s)", v.name, v.into.name))
		}
	case v.rec != nil && v.len > 0:
		for i := range v.len {
			for _, m := range v.rec.members {
				g.record1(g.member(variable{name: fmt.Sprintf("%s[%d]", v.name, i), obj: v.obj}, m))
			}
			if v.rec.union {
				continue
			}
		}
	case v.rec != nil:
		for _, m := range v.rec.members {
			g.record1(g.member(v, m))
		}
	case v.len > 0:
		for i := range v.len {
			out(fmt.Sprintf("%s[%d]", v.name, i))
		}
	default:
		out(v.name)
	}
}

func (g *gen) member(of, m variable) variable {
	m.name = of.name + "." + m.name
	m.obj, m.local, m.global, m.konst = of.obj, of.local, of.global, m.konst || of.konst
	return m
}

func (g *gen) enum() {
	name := g.prefix + g.id("e")
	var es []string
	for i := range 2 + g.rng.IntN(3) {
		n := fmt.Sprintf("%s%c", strings.ToUpper(name), 'A'+i)
		g.enums = append(g.enums, n)
		if g.p(50) {
			n += fmt.Sprintf(" = %d", g.rng.IntN(300)-100)
		}
		es = append(es, n)
	}
	g.line("enum %s { %s };", name, strings.Join(es, ", "))
}

func (g *gen) record() {
	r := &record{name: "struct " + g.prefix + g.id("s")}
	if g.p(25) {
		r.union = true
		r.name = "union " + strings.Fields(r.name)[1]
	}
	g.line("%s {", r.name)
	sized := map[int][]*typ{8: {scharT, ucharT, charT}, 16: {shortT, ushrtT}, 32: {intT, uintT}, 64: {longT, ulongT, ullngT}}
	size := pick(g, []int{8, 16, 32, 64})
	bits := g.opts.Bits && !r.union && g.p(40)
	units := pick(g, [][]*typ{{intT, uintT}, {ucharT, scharT}, {shortT, ushrtT}, {boolT}, {boolT, scharT, ushrtT, intT, uintT, longT, ulongT}})
	mixed := r.union && g.p(50) // members that share a part of their bytes
	for i := range 1 + g.rng.IntN(4) {
		m := variable{name: fmt.Sprintf("m%d", i), t: g.typ()}
		if r.union {
			if mixed {
				size = pick(g, []int{8, 16, 32, 64})
			}
			m.t = pick(g, sized[size])
		}
		switch {
		case mixed && g.opts.Arrays && g.p(25):
			m.t, m.len = pick(g, sized[8]), pick(g, []int{2, 4, 8})
			g.line("\t%s %s[%d];", g.write(m.t), m.name, m.len)
		case bits && (i == 0 || g.p(60)):
			m.t = pick(g, units)
			m.width = 1 + g.rng.IntN(m.t.bits)
			if m.t.bits > 32 { // wider ones have types of their own in GCC
				m.width = 1 + g.rng.IntN(31)
			}
			g.line("\t%s %s : %d;", g.write(m.t), m.name, m.width)
			if g.p(15) {
				g.line("\t%s : %d;", g.write(m.t), g.rng.IntN(m.t.bits))
			}
		case bits:
			m.t = pick(g, []*typ{longT, ulongT, intT, charT, ushrtT})
			if g.p(30) {
				g.line("\t%s : 0;", g.write(units[0]))
			}
			g.line("\t%s %s;", g.write(m.t), m.name)
		case !r.union && g.opts.Arrays && g.p(20):
			m.len = pick(g, []int{2, 4})
			g.line("\t%s %s[%d];", g.write(m.t), m.name, m.len)
		case !r.union && len(g.records) > 0 && g.p(25):
			m.rec = pick(g, g.records)
			m.t = nil
			g.line("\t%s %s;", m.rec.name, m.name)
		default:
			g.line("\t%s %s;", g.write(m.t), m.name)
		}
		r.members = append(r.members, m)
	}
	g.line("};")
	g.records = append(g.records, r)
}

// initial is an initialiser in braces.
func (g *gen) initial(v variable, element func(t *typ) string) string {
	var es []string
	switch {
	case v.rec != nil && v.len > 0:
		w := v
		w.len = 0
		for range g.rng.IntN(v.len + 1) {
			es = append(es, g.initial(w, element))
		}
	case v.len > 0:
		for i := range g.rng.IntN(v.len + 1) {
			if g.p(25) {
				es = append(es, fmt.Sprintf("[%d] = %s", i+g.rng.IntN(v.len-i), element(v.t)))
				break
			}
			es = append(es, element(v.t))
		}
	case v.rec != nil:
		n := 1 + g.rng.IntN(len(v.rec.members))
		if v.rec.union {
			n = 1
		}
		designated := g.p(40)
		for _, m := range v.rec.members[:n] {
			if designated {
				m = pick(g, v.rec.members)
			}
			e := ""
			if m.len > 0 || m.rec != nil {
				e = g.initial(m, element)
			} else {
				e = element(m.t)
			}
			if designated {
				e = "." + m.name + " = " + e
			}
			es = append(es, e)
			if designated {
				break
			}
		}
	default:
		return element(v.t)
	}
	if len(es) == 0 {
		return "{ 0 }"
	}
	return "{ " + strings.Join(es, ", ") + " }"
}

// global declares a variable at file scope.
func (g *gen) global() {
	v := g.object(g.prefix + g.id("g"))
	v.global = true
	g.declare("static ", v, func(t *typ) string { return g.constant(2).s })
	g.vars = append(g.vars, v)
	g.globals = append(g.globals, v)
}

// object chooses what a new variable is.
func (g *gen) object(name string) variable {
	v := variable{name: name, obj: name, t: g.typ()}
	switch {
	case g.opts.Structs && len(g.records) > 0 && g.p(30):
		v.rec, v.t = pick(g, g.records), nil
		if g.opts.Arrays && g.p(30) {
			v.len = 2
		}
	case g.opts.Arrays && g.p(30):
		v.len = pick(g, []int{2, 4, 8})
	case g.opts.Atomics && g.p(20):
		v.atomic = true
	}
	return v
}

func (g *gen) declare(storage string, v variable, element func(t *typ) string) {
	t := ""
	if v.t != nil {
		t = g.write(v.t)
		switch {
		case v.atomic && g.p(50):
			t = "_Atomic(" + t + ")"
		case v.atomic:
			t = "_Atomic " + t
		case v.konst:
			t = "const " + t
		case g.p(10):
			t = "volatile " + t
		}
	} else {
		t = v.rec.name
	}
	dim := ""
	if v.len > 0 {
		dim = fmt.Sprintf("[%d]", v.len)
	}
	init := ""
	if storage != "static " || g.p(70) {
		init = " = " + g.initial(v, element)
	}
	g.line("%s%s %s%s%s;", storage, t, v.name, dim, init)
}

// literal is an integer or character constant.
func (g *gen) literal() expr {
	bits := pick(g, []int{2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64})
	v := g.rng.Uint64()
	switch g.rng.IntN(3) {
	case 0:
		v &= 7
	case 1:
		if bits < 64 {
			v &= 1<<bits - 1
		}
	default: // at a border
		v = 1<<(bits-1) + g.rng.Uint64N(3) - 1
	}
	if g.p(8) && len(g.enums) > 0 {
		return expr{s: pick(g, g.enums), t: intT}
	}
	if g.p(8) {
		return expr{s: pick(g, []string{"'a'", "'\\0'", "'\\xff'", "'\\n'", "'\\377'", "'0'", "'\\''"}), t: intT}
	}
	base := pick(g, []string{"%d", "%d", "0x%x", "0%o", "0X%X"})
	suffix := pick(g, []string{"", "", "", "u", "l", "ul", "LL", "ull", "U", "lu"})
	unsigned := strings.ContainsAny(suffix, "uU")
	if base == "%d" && !unsigned && v > 1<<63-1 {
		v >>= 1
	}
	ladder := []*typ{intT, uintT, longT, ulongT}
	switch strings.ToLower(strings.Trim(suffix, "uU")) {
	case "l":
		ladder = []*typ{longT, ulongT}
	case "ll":
		ladder = []*typ{llongT, ullngT}
	}
	for _, t := range ladder {
		if t.signed && unsigned || !t.signed && !unsigned && base == "%d" {
			continue
		}
		top := uint64(1)<<(t.bits-1) - 1
		if !t.signed {
			top = top<<1 | 1
		}
		if v <= top {
			return expr{s: fmt.Sprintf(base, v) + suffix, t: t}
		}
	}
	panic("randc: a number without a type")
}

// constant is a constant expression.
func (g *gen) constant(depth int) expr {
	return g.expr(context{depth: depth, pure: true, noRead: nil, noWrite: nil}.constant())
}

// constant marks the context of a constant expression by a depth far below 0.
func (c context) constant() context { c.noRead = set{"*": true}; return c }

func (c context) isConstant() bool { return c.noRead["*"] }
