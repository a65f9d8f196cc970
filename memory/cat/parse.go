package cat

import (
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// expr is an expression as the source has it.
type expr interface{ pos() program.Position }

// place is where an expression begins.
type place program.Position

func (p place) pos() program.Position { return program.Position(p) }

type (
	nameExpr struct {
		place
		name string
	}
	emptyExpr struct{ place }
	unaryExpr struct {
		place
		op Op // Complement, Inverse, Plus, Star, Optional, Identity
		x  expr
	}
	binaryExpr struct {
		place
		op   Op
		x, y expr
	}
	applyExpr struct {
		place
		fun  string
		args []expr
	}
	letExpr struct {
		place
		bindings []binding
		body     expr
	}
)

// binding is "name = body" or "name(params) = body".
type binding struct {
	place
	name     string
	function bool
	params   []string
	body     expr
}

// statement is a part of a model.
type statement any

type (
	letStatement struct {
		rec      bool
		bindings []binding
	}
	axiomStatement struct {
		axiom Axiom // but for the term
		body  expr
	}
	includeStatement struct {
		place
		file string
	}
)

// maxDepth bounds how deep brackets and prefix operators nest.
const maxDepth = 500

type parser struct {
	src    *program.Source
	tokens []token
	at     int
	depth  int
}

// file is what one file says.
type file struct {
	name       string
	statements []statement
}

func parseFile(src *program.Source) (f *file, err error) {
	tokens, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := &parser{src: src, tokens: tokens}
	defer text.Recover(&err)
	return p.file(), nil
}

// parseExpr reads a text that is an expression.
func parseExpr(src *program.Source) (e expr, err error) {
	tokens, err := lex(src)
	if err != nil {
		return nil, err
	}
	// An expression is read after some token.
	p := &parser{src: src, tokens: append([]token{{}}, tokens...), at: 1}
	defer text.Recover(&err)
	return p.expr(), nil
}

func (p *parser) fail(pos program.Position, hint, format string, args ...any) {
	text.Fail(p.src, pos, hint, format, args...)
}

func (p *parser) peek() token { return p.tokens[p.at] }

func (p *parser) next() token {
	t := p.tokens[p.at]
	if t.Kind != tokenEOF {
		p.at++
	}
	return t
}

func (p *parser) accept(text string) bool {
	if p.peek().Is(text) {
		p.at++
		return true
	}
	return false
}

func (p *parser) expect(text, after string) {
	if t := p.peek(); !p.accept(text) {
		p.unexpected(t, "'"+text+"'", after)
	}
}

// unexpected complains about t where something else had to be.
func (p *parser) unexpected(t token, want, after string) {
	p.refuseForeign(t)
	p.fail(t.Pos, "", "%s after %s, %s is expected", describe(t), after, want)
}

func (p *parser) refuseForeign(t token) {
	what := foreign[t.Text]
	switch {
	case t.Is("++"):
		what = "sets of sets"
	case t.Is("||") || t.Is("->"):
		what = "pattern matching"
	case t.Kind != tokenKeyword || what == "":
		return
	}
	p.fail(t.Pos, "models are made of let, include, acyclic, irreflexive, empty, flag, show and unshow",
		"'%s' (%s) is not supported", t.Text, what)
}

func (p *parser) file() *file {
	f := &file{}
	// The name is a word or a string, possibly with an architecture before it.
	for i := 0; i < 2 && p.peek().Pos.Line == p.tokens[0].Pos.Line; i++ {
		if k := p.peek().Kind; k == tokenName || k == tokenString {
			f.name = p.next().Text
		}
	}
	for p.peek().Kind != tokenEOF {
		if s := p.statement(); s != nil {
			f.statements = append(f.statements, s)
		}
	}
	return f
}

// statement is nil for what has no meaning here.
func (p *parser) statement() statement {
	t := p.peek()
	switch {
	case p.accept("let"):
		s := &letStatement{rec: p.accept("rec")}
		s.bindings = p.bindings()
		p.accept("in")
		return s
	case p.accept("include"):
		f := p.next()
		if f.Kind != tokenString {
			p.unexpected(f, "the name of a file in double quotes", "'include'")
		}
		return &includeStatement{place(f.Pos), f.Text}
	case p.accept("show"):
		// Only drawings of herd care.
		for {
			p.expr()
			if p.accept("as") {
				p.name("'as'")
			}
			if !p.accept(",") {
				return nil
			}
		}
	case p.accept("unshow"):
		for {
			p.name("'unshow'")
			if !p.accept(",") {
				return nil
			}
		}
	}
	s := &axiomStatement{axiom: Axiom{Source: p.src, Pos: t.Pos}}
	before := t.Text
	s.axiom.Flag = p.accept("flag")
	if s.axiom.Negated = p.accept("~"); s.axiom.Negated {
		before = "~"
	}
	test := p.next()
	switch {
	case test.Is("acyclic"):
		s.axiom.Test = Acyclic
	case test.Is("irreflexive"):
		s.axiom.Test = Irreflexive
	case test.Is("empty"):
		s.axiom.Test = IsEmpty
	case s.axiom.Flag || s.axiom.Negated:
		p.unexpected(test, "acyclic, irreflexive or empty", "'"+before+"'")
	default:
		p.refuseForeign(test)
		hint := ""
		if test.Kind == tokenName {
			if k := suggest.Nearest(test.Text, statementWords); k != "" {
				hint = "did you mean '" + k + "'?"
			}
		}
		p.fail(test.Pos, hint, "%s does not begin a definition or an axiom", describe(test))
	}
	s.body = p.expr()
	s.axiom.Text = strings.Join(strings.Fields(p.src.Text[t.Off:p.tokens[p.at-1].End]), " ")
	s.axiom.Name = s.axiom.Text
	if p.accept("as") {
		s.axiom.Name = p.name("'as'").Text
	}
	return s
}

var statementWords = []string{"let", "include", "acyclic", "irreflexive", "empty", "flag", "show", "unshow"}

func (p *parser) name(after string) token {
	t := p.next()
	if t.Kind != tokenName {
		p.unexpected(t, "a name", after)
	}
	return t
}

func (p *parser) bindings() []binding {
	var bs []binding
	for {
		after := p.tokens[p.at-1]
		if t := p.peek(); t.Is("(") {
			p.fail(t.Pos, "give each part a definition of its own", "patterns are not supported")
		}
		name := p.name(describe(after))
		if slices.ContainsFunc(bs, func(b binding) bool { return b.name == name.Text }) {
			p.fail(name.Pos, "", "'%s' is defined twice", name.Text)
		}
		b := binding{place: place(name.Pos), name: name.Text}
		b.params, b.function = p.params(name)
		p.expect("=", "the name '"+name.Text+"'")
		b.body = p.expr()
		bs = append(bs, b)
		if !p.accept("and") {
			return bs
		}
	}
}

// params is the parameters of a function, if it is one.
func (p *parser) params(f token) ([]string, bool) {
	if t := p.peek(); t.Kind == tokenName {
		p.next()
		if u := p.peek(); u.Kind == tokenName {
			p.fail(u.Pos, "write "+f.Text+"("+t.Text+", "+u.Text+")", "a function of several arguments takes them in brackets")
		}
		return []string{t.Text}, true
	}
	if !p.accept("(") {
		return nil, false
	}
	var names []string
	for {
		t := p.name("'('")
		if slices.Contains(names, t.Text) {
			p.fail(t.Pos, "", "'%s' has two parameters of the name '%s'", f.Text, t.Text)
		}
		names = append(names, t.Text)
		if p.accept(")") {
			return names, true
		}
		p.expect(",", "the name '"+t.Text+"'")
	}
}

// enter counts a level of nesting; the caller leaves it by p.depth--.
func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail(p.peek().Pos, "", "the expression is nested too deeply")
	}
}

func (p *parser) expr() expr {
	p.enter()
	defer func() { p.depth-- }()
	if t := p.peek(); p.accept("let") {
		if r := p.peek(); r.Is("rec") {
			p.fail(r.Pos, "define it before", "recursive definitions within an expression are not supported")
		}
		e := &letExpr{place: place(t.Pos), bindings: p.bindings()}
		p.expect("in", "the definitions")
		e.body = p.expr()
		return e
	}
	return p.binary(0)
}

// The binary operators from the loosest to the tightest. All but the difference
// are associative, so they can all be read from left to right.
var binaryOps = []struct {
	sign string
	op   Op
}{{"|", Union}, {";", Sequence}, {`\`, Difference}, {"&", Intersection}, {"*", Product}}

func (p *parser) binary(level int) expr {
	if level == len(binaryOps) {
		return p.unary()
	}
	x := p.binary(level + 1)
	o := binaryOps[level]
	for p.peek().Is(o.sign) && (o.op != Product || p.operandAt(p.at+1)) {
		p.next()
		x = &binaryExpr{place(x.pos()), o.op, x, p.binary(level + 1)}
	}
	return x
}

// operandAt is true where an operand begins at token i. It tells the product
// from the closure.
func (p *parser) operandAt(i int) bool {
	t := p.tokens[i]
	if t.Is("~") { // a complement, unless an axiom begins here
		u := p.tokens[i+1]
		return !u.Is("acyclic") && !u.Is("irreflexive") && !u.Is("empty")
	}
	return t.Kind == tokenName || t.Is("(") || t.Is("[") || t.Is("{") || t.Is("_") || t.Is("0")
}

func (p *parser) unary() expr {
	t := p.peek()
	if p.accept("~") {
		p.enter()
		defer func() { p.depth-- }()
		return &unaryExpr{place(t.Pos), Complement, p.unary()}
	}
	x := p.primary()
	for {
		var op Op
		switch t := p.peek(); {
		case t.Is("^-1"):
			op = Inverse
		case t.Is("^+") || t.Is("+"):
			op = Plus
		case t.Is("^*") || t.Is("*") && !p.operandAt(p.at+1):
			op = Star
		case t.Is("?"):
			op = Optional
		case t.Is("^"):
			p.fail(t.Pos, "", "after '^', one of -1, + and * is expected")
		default:
			return x
		}
		p.next()
		x = &unaryExpr{place(x.pos()), op, x}
	}
}

func (p *parser) primary() expr {
	before := p.tokens[p.at-1] // an expression begins no statement
	t := p.next()
	switch {
	case t.Is("0"):
		return &emptyExpr{place(t.Pos)}
	case t.Is("{"):
		p.expect("}", "'{'")
		return &emptyExpr{place(t.Pos)}
	case t.Is("_"):
		return &nameExpr{place(t.Pos), "_"}
	case t.Is("("):
		e := p.expr()
		p.expect(")", "the expression")
		return e
	case t.Is("["):
		e := p.expr()
		p.expect("]", "the expression")
		return &unaryExpr{place(t.Pos), Identity, e}
	case t.Kind == tokenName:
		return p.application(t)
	}
	p.unexpected(t, "an expression", describe(before))
	return nil
}

// application is a name, or a function with its arguments.
func (p *parser) application(name token) expr {
	t := p.peek()
	var args []expr
	switch {
	case p.accept("("):
		args = append(args, p.expr())
		for p.accept(",") {
			args = append(args, p.expr())
		}
		p.expect(")", "the arguments of '"+name.Text+"'")
	case p.operandAt(p.at) && !t.Is("~"):
		// One argument without brackets, which binds tighter than
		// any operator.
		if t.Kind == tokenName {
			p.next()
			args = []expr{&nameExpr{place(t.Pos), t.Text}}
		} else {
			args = []expr{p.primary()}
		}
	default:
		return &nameExpr{place(name.Pos), name.Text}
	}
	return &applyExpr{place(name.Pos), name.Text, args}
}
