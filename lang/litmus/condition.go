package litmus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A finalPart is what a test says about its final states.
type finalPart struct {
	at     program.Position
	kind   Kind
	cond   prop // nil where there is none
	filter prop // nil where there is none
	locs   []*location
	nodes  int
}

// A location is something that a final state has a value of.
type location struct {
	at     program.Position
	thread int
	reg    *register // of the thread; nil for a variable
	name   string    // of the variable, or of the register as herd7 prints it
	index  int       // of an element of it; -1 for all of it
	byName bool      // registers come in the order of their names
	v      *variable
}

// A prop is a condition on final states.
type prop interface {
	// text is the condition as herd7 prints it; above is the operator that it
	// is an operand of.
	text(above string) string
	// visit calls f for the locations in the condition.
	visit(f func(*location))
	expr(b *builder) program.Expr
}

type (
	truth   bool
	negProp struct{ x prop }
	binProp struct {
		op   string // /\ or \/ or =>
		x, y prop
	}
	// An atom says that a location has a value, or several for an array.
	atom struct {
		loc    *location
		vector bool
		values []constant
	}
	// A sameAtom says that two locations have the same value.
	sameAtom struct{ x, y *location }
	// A faultAtom says that an access has faulted, which none does here.
	faultAtom string
)

var finalWords = []string{"locations", "filter", "exists", "forall", "final", "observed", "Observed", "cases"}

// atFinal is true where the final part begins.
func (p *parser) atFinal() bool {
	if p.tok.Kind == tokenName && p.tok.Text == "not" { // which RISC-V and Power have as an instruction
		return strings.HasPrefix(strings.TrimLeft(p.src.Text[p.tok.Off+len("not"):], " \t\r\n("), "exists")
	}
	return p.tok.Is("~") || p.tok.Kind == tokenName && slices.Contains(finalWords, p.tok.Text)
}

func (p *parser) word(w string) bool {
	if p.tok.Kind != tokenName || p.tok.Text != w {
		return false
	}
	p.advance()
	return true
}

// finalPart reads what follows the program.
func (p *parser) finalPart() {
	f := &p.final
	f.kind = Required // as in herd7, where there is no condition
	if p.word("locations") {
		p.locationList(f)
	}
	if p.word("filter") {
		f.filter = p.prop(0, 0)
	}
	f.at = p.tok.Pos
	switch {
	case p.tok.Is("~") || p.tok.Kind == tokenName && p.tok.Text == "not":
		p.advance()
		if !p.word("exists") {
			p.fail(p.tok.Pos, "", "expected exists, found %s", p.tok.Describe())
		}
		f.kind, f.cond = Forbidden, p.prop(0, 0)
	case p.word("exists") || p.word("final"):
		f.kind, f.cond = Allowed, p.prop(0, 0)
	case p.word("forall"):
		f.cond = p.prop(0, 0)
	case p.tok.Is("("):
		f.kind, f.cond = Allowed, p.prop(0, 0)
	case p.tok.Kind == tokenName && slices.Contains(finalWords, p.tok.Text):
		p.fail(p.tok.Pos, "", "%q is not supported here", p.tok.Text)
	}
	p.accept(";")
	p.withModels()
	p.trailer()
	if p.tok.Kind != tokenEOF {
		p.fail(p.tok.Pos, "", "expected the end of the file, found %s", p.tok.Describe())
	}
}

// withModels reads what old tests say of single models: with tso: ~exists; cc: exists;
// It is not heeded.
func (p *parser) withModels() {
	at := p.tok.Pos
	if !p.word("with") {
		return
	}
	var models []string
	for p.tok.Kind == tokenName {
		models = append(models, p.advance().Text)
		p.expect(":", "such as: with tso: ~exists;")
		if p.accept("~") || p.word("not") || p.tok.Kind != tokenName || p.tok.Text != "forall" {
			if !p.word("exists") {
				p.fail(p.tok.Pos, "such as: with tso: ~exists;", "expected exists or forall, found %s", p.tok.Describe())
			}
		} else {
			p.advance()
		}
		if !p.accept(";") {
			break
		}
	}
	if len(models) > 20 {
		models = models[:20]
	}
	p.note(at, "what the test expects under single models (%s) is not compared: its own condition counts", strings.Join(models, ", "))
}

// trailer skips what is for the tool that the oldest tests were written for: << .. >>,
// once or more often.
func (p *parser) trailer() {
	for p.tok.Is("<<") {
		rest := p.lex.Rest()
		n := strings.Index(rest, ">>")
		if n < 0 {
			p.fail(p.tok.Pos, "", "this has no end: expected >>")
		}
		p.lex.Skip(n + len(">>"))
		p.advance()
	}
}

// note is something that the test says in vain, or that is not modelled.
func (p *parser) note(at program.Position, format string, args ...any) {
	s := fmt.Sprintf("line %d: ", at.Line) + fmt.Sprintf(format, args...)
	if len(p.notes) < maxNotes && !slices.Contains(p.notes, s) {
		p.notes = append(p.notes, s)
	}
}

const maxNotes = 50

func (p *parser) locationList(f *finalPart) {
	const hint = "a list is such as: locations [x; 0:rax; a[1];]"
	p.expect("[", hint)
	for !p.accept("]") {
		f.locs = append(f.locs, p.finalLocation())
		p.node(f.locs[len(f.locs)-1].at)
		// A type may follow. It is for the output of other tools.
		if p.tok.Kind == tokenName {
			if _, ok := ctypes[p.tok.Text]; ok {
				p.advance()
			}
		}
		p.accept("*")
		if !p.tok.Is("]") {
			p.expect(";", hint)
		}
	}
}

// node counts the nodes of conditions.
func (p *parser) node(at program.Position) {
	if p.final.nodes++; p.final.nodes > maxNodes {
		p.fail(at, "", "the condition is too large")
	}
}

// levels is the operators, those that bind least first.
var levels = []string{`\/`, `/\`, "=>"}

// prop reads a condition whose operators are of the level or above.
func (p *parser) prop(level, depth int) prop {
	if depth > maxDepth {
		p.fail(p.tok.Pos, "", "the condition is nested too deeply")
	}
	if level == len(levels) {
		return p.simpleProp(depth)
	}
	op := levels[level]
	x := p.prop(level+1, depth)
	for p.tok.Is(op) {
		p.node(p.tok.Pos)
		p.advance()
		if op == "=>" {
			return binProp{op, x, p.prop(level, depth+1)} // to the right
		}
		x = binProp{op, x, p.prop(level+1, depth)}
	}
	return x
}

func (p *parser) simpleProp(depth int) prop {
	p.node(p.tok.Pos)
	switch {
	case p.accept("("):
		x := p.prop(0, depth+1)
		p.expect(")", "")
		return x
	case p.tok.Is("~") || p.tok.Kind == tokenName && p.tok.Text == "not":
		p.advance()
		if depth++; depth > maxDepth {
			p.fail(p.tok.Pos, "", "the condition is nested too deeply")
		}
		return negProp{p.simpleProp(depth)}
	case p.tok.Kind == tokenName && strings.EqualFold(p.tok.Text, "fault"):
		return p.fault()
	case p.word("true"):
		return truth(true)
	case p.word("false"):
		return truth(false)
	}
	return p.atom()
}

// fault reads fault(P0,x), fault(P0:L0,x).
func (p *parser) fault() prop {
	start := p.advance()
	p.expect("(", "such as: fault(P0,x)")
	for depth := 1; depth > 0; {
		switch t := p.advance(); {
		case t.Kind == tokenEOF:
			p.fail(start.Pos, "", "expected )")
		case t.Is("("):
			depth++
		case t.Is(")"):
			depth--
		}
	}
	p.note(start.Pos, "no access faults here: what the condition says of faults is false")
	s := p.src.Text[start.Off:p.end]
	if len(s) > text.MaxWord {
		s = "fault(..)"
	}
	return faultAtom(s)
}

// atom reads 0:rax=1, x!=y, a[0]=1, [x]=[y].
func (p *parser) atom() prop {
	loc := p.finalLocation()
	negated := p.tok.Is("!=") || p.tok.Is("<>")
	if !negated && !p.tok.Is("=") && !p.tok.Is("==") {
		p.fail(p.tok.Pos, `conditions are such as: 0:rax=1 /\ (x=2 \/ y!=1)`, "expected =, found %s", p.tok.Describe())
	}
	p.advance()
	x := p.rightSide(loc)
	if negated {
		return negProp{x}
	}
	return x
}

func (p *parser) rightSide(loc *location) prop {
	switch t := p.tok; {
	case p.accept("{"):
		a := atom{loc: loc, vector: true}
		for {
			p.node(p.tok.Pos)
			a.values = append(a.values, p.constant())
			if !p.accept(",") {
				p.expect("}", "")
				return a
			}
		}
	case t.Is("["):
		return sameAtom{loc, p.finalLocation()}
	case p.accept("*"):
		y := p.finalLocation()
		return sameAtom{loc, y}
	case process(t) >= 0:
		return sameAtom{loc, p.finalLocation()}
	case t.Kind == tokenNumber:
		n := p.number("")
		if !p.accept(":") {
			return atom{loc: loc, values: []constant{{at: t.Pos, num: n}}}
		}
		y := &location{at: t.Pos, thread: int(max(-1, min(n, maxThreads)))}
		p.locationRegister(y)
		return sameAtom{loc, y}
	}
	return atom{loc: loc, values: []constant{p.constant()}}
}

// locationRegister reads the register of a location, whose thread is known.
func (p *parser) locationRegister(l *location) {
	r := p.register(l.thread)
	l.reg, l.name, l.byName = &r, p.spell(l.thread, r), p.arch == "C"
}

// finalLocation reads 0:rax, x, [x], a[1].
func (p *parser) finalLocation() *location {
	loc := &location{at: p.tok.Pos, index: -1}
	switch t := p.tok; {
	case t.Kind == tokenNumber || process(t) >= 0:
		var at token
		loc.thread, at = p.processNumber()
		loc.at = at.Pos
		p.locationRegister(loc)
	case p.accept("["):
		loc.name = p.ident("a variable", "").Text
		p.expect("]", "")
	default:
		loc.name = p.ident("a variable or a register", "").Text
		if p.accept("[") {
			loc.index = int(max(-1, min(p.number(""), maxElements)))
			if loc.index < 0 {
				p.fail(loc.at, "", "an index is not negative")
			}
			p.expect("]", "")
		}
	}
	return loc
}

// locations resolves what the final part names, and returns what is to be shown.
func (b *builder) locations() []*location {
	f := &b.final
	for _, l := range f.locs {
		b.resolve(l)
	}
	shown := slices.Clone(f.locs)
	if f.cond != nil {
		f.cond.visit(func(l *location) {
			b.resolve(l)
			shown = append(shown, l)
		})
	}
	if f.filter != nil {
		f.filter.visit(b.resolve)
	}
	slices.SortStableFunc(shown, compareLocations)
	return slices.CompactFunc(shown, func(x, y *location) bool { return compareLocations(x, y) == 0 })
}

// resolve finds the register or the variable of a location.
func (b *builder) resolve(l *location) {
	if l.reg != nil {
		b.registerOf(l.thread, *l.reg, l.at)
		return
	}
	switch l.v = b.known(l.name, l.at); {
	case l.index < 0:
	case !l.v.array && !l.v.typ.pointer:
		b.fail(l.at, "", "%s is not an array", l.name)
	case l.index >= l.v.elements:
		b.fail(l.at, "", "%s has %s", l.name, plural(l.v.elements, "element"))
	}
}

// compareLocations is the order of herd7: registers, variables, elements.
func compareLocations(x, y *location) int {
	rank := func(l *location) int {
		switch {
		case l.reg != nil:
			return 0
		case l.index < 0:
			return 1
		}
		return 2
	}
	if c := rank(x) - rank(y); c != 0 {
		return c
	}
	if x.reg == nil {
		if c := strings.Compare(x.name, y.name); c != 0 {
			return c
		}
		return x.index - y.index
	}
	if c := x.thread - y.thread; c != 0 {
		return c
	}
	if x.byName {
		return strings.Compare(x.name, y.name)
	}
	if c := int(x.reg.base) - int(y.reg.base); c != 0 {
		return c
	}
	return int(y.reg.part) - int(x.reg.part)
}

// whole is true of an array.
func (l *location) whole() bool { return l.reg == nil && l.v.array && l.index < 0 }

func (l *location) text() string {
	switch {
	case l.reg != nil:
		return strconv.Itoa(l.thread) + ":" + l.name
	case l.index >= 0:
		return fmt.Sprintf("%s[%d]", l.name, l.index)
	case l.v.array:
		return l.name
	}
	return "[" + l.name + "]"
}

func (c constant) text() string {
	switch {
	case c.name == "":
		return strconv.FormatInt(c.num, 10)
	case c.index > 0:
		return fmt.Sprintf("%s+%d", c.name, c.index)
	}
	return c.name
}

func (x truth) text(string) string { return strconv.FormatBool(bool(x)) }

func (x negProp) text(_ string) string { return "not (" + x.x.text("") + ")" }

func (x binProp) text(above string) string {
	s := x.x.text(x.op) + " " + x.op + " " + x.y.text(x.op)
	// An operand of a disjunction needs none for a conjunction.
	if above != "" && above != x.op && (above != `\/` || x.op == "=>") {
		return "(" + s + ")"
	}
	return s
}

func (x atom) text(_ string) string {
	switch {
	case !x.vector && x.loc.whole():
		return "[" + x.loc.name + "]=" + x.values[0].text()
	case !x.vector:
		return x.loc.text() + "=" + x.values[0].text()
	}
	parts := make([]string, len(x.values))
	for i, c := range x.values {
		parts[i] = c.text()
	}
	return x.loc.name + "={" + strings.Join(parts, ",") + "}"
}

func (x faultAtom) text(string) string { return string(x) }

func (x sameAtom) text(_ string) string { return x.x.text() + "=" + x.y.text() }

func (x truth) visit(func(*location))      {}
func (x faultAtom) visit(func(*location))  {}
func (x negProp) visit(f func(*location))  { x.x.visit(f) }
func (x binProp) visit(f func(*location))  { x.x.visit(f); x.y.visit(f) }
func (x atom) visit(f func(*location))     { f(x.loc) }
func (x sameAtom) visit(f func(*location)) { f(x.x); f(x.y) }

func (x faultAtom) expr(*builder) program.Expr { return program.Const(0) }
func (x truth) expr(*builder) program.Expr     { return program.Const(program.Bool(bool(x))) }
func (x negProp) expr(b *builder) program.Expr { return program.NotExpr(x.x.expr(b)) }

func (x binProp) expr(b *builder) program.Expr {
	l, r := x.x.expr(b), x.y.expr(b)
	switch x.op {
	case `/\`:
		return program.Binary{Op: program.LogicalAnd, X: l, Y: r}
	case "=>":
		l = program.NotExpr(l)
	}
	return program.Binary{Op: program.LogicalOr, X: l, Y: r}
}

func (x atom) expr(b *builder) program.Expr {
	n := 1
	if x.loc.whole() {
		n = x.loc.v.elements
	}
	switch {
	case !x.vector && x.loc.whole():
		b.note(x.loc.at, "%[1]s is an array, which equals no number: %[1]s={..} compares all elements, %[1]s[0] is one of them", x.loc.name)
		return program.Const(0)
	case x.vector && !x.loc.whole():
		b.fail(x.loc.at, "", "%s is not an array", x.loc.text())
	case len(x.values) != n:
		b.fail(x.loc.at, "", "%s has %s, not %d", x.loc.name, plural(n, "element"), len(x.values))
	}
	var e program.Expr
	for i, c := range x.values {
		eq := b.equals(x.loc, i, c)
		if e == nil {
			e = eq
		} else {
			e = program.Binary{Op: program.LogicalAnd, X: e, Y: eq}
		}
	}
	return e
}

func (x sameAtom) expr(b *builder) program.Expr {
	for _, l := range []*location{x.x, x.y} {
		if l.whole() {
			b.fail(l.at, "", "arrays cannot be compared")
		}
	}
	return program.Binary{Op: program.Eq, X: b.shown(x.x, 0), Y: b.shown(x.y, 0)}
}

// conditions makes the property of the condition, and what goes with it.
func (b *builder) conditions(t *Test) {
	f := &b.final
	cond := f.cond
	if cond == nil {
		cond = truth(true)
	}
	t.Kind = f.kind
	word := map[Kind]string{Allowed: "exists", Forbidden: "~exists", Required: "forall"}[f.kind]
	t.Condition = word + " (" + cond.text("") + ")"
	t.cond = cond.expr(b)
	if f.filter != nil {
		b.prog.Filter = f.filter.expr(b)
	}
	if f.cond == nil {
		return
	}
	pr := program.Property{Kind: program.Exists, Cond: t.cond, Text: t.Condition, Pos: f.at}
	switch f.kind {
	case Forbidden:
		pr.Kind, pr.Cond = program.Forall, program.NotExpr(t.cond)
	case Required:
		pr.Kind = program.Forall
	}
	if filter := b.prog.Filter; filter != nil {
		if pr.Kind == program.Exists {
			pr.Cond = program.Binary{Op: program.LogicalAnd, X: filter, Y: pr.Cond}
		} else {
			pr.Cond = program.Binary{Op: program.LogicalOr, X: program.NotExpr(filter), Y: pr.Cond}
		}
	}
	b.prog.Properties = []program.Property{pr}
}
