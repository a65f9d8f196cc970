package cat

import (
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
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
	p.fail(t.Pos, "", "%s after %s, %s is expected", describe(t), after, want)
}

func (p *parser) file() *file {
	f := &file{}
	// The name is a word or a string, possibly with an architecture before it, and options
	// of herd after it.
	for i := 0; i < 4 && p.peek().Pos.Line == p.tokens[0].Pos.Line; i++ {
		t := p.peek()
		if t.Kind != tokenName && t.Kind != tokenString {
			break
		}
		if p.next(); i < 2 {
			f.name = t.Text
		}
	}
	for p.peek().Kind != tokenEOF {
		if s := p.statement(); s != nil {
			f.statements = append(f.statements, s)
		}
	}
	return f
}

// block is the statements up to one of the words, which is passed over.
func (p *parser) block(what string, ends ...string) (body []statement, end string) {
	p.enter()
	defer func() { p.depth-- }()
	for {
		for _, w := range ends {
			if p.accept(w) {
				return body, w
			}
		}
		if t := p.peek(); t.Kind == tokenEOF {
			p.unexpected(t, "'"+ends[len(ends)-1]+"'", what)
		}
		if s := p.statement(); s != nil {
			body = append(body, s)
		}
	}
}

// statement is nil for what has no meaning here.
func (p *parser) statement() statement {
	t := p.peek()
	switch {
	case p.accept("let"):
		s := &letStatement{rec: p.accept("rec")}
		s.bindings = p.bindings()
		if s.rec && p.accept("when") {
			s.when = p.axiom(p.peek())
		}
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
	case p.accept("catdep"): // the model computes dependencies, if it can
		return nil
	case p.accept("debug"):
		p.expr()
		return nil
	case p.accept("procedure"):
		p.accept("rec")
		name := p.name("'procedure'")
		s := &procedureStatement{place: place(name.Pos), name: name.Text}
		s.params, _ = p.params(name)
		p.expect("=", "the name '"+name.Text+"'")
		s.body, _ = p.block("the procedure '"+name.Text+"'", "end")
		return s
	case p.accept("call"):
		name := p.name("'call'")
		s := &callStatement{place: place(name.Pos), name: name.Text}
		if u := p.peek(); p.operandAt(p.at) && !u.Is("~") {
			if e, ok := p.application(token{Kind: tokenName, Text: name.Text, Pos: name.Pos}).(*applyExpr); ok {
				s.args = e.args
			}
		}
		if p.accept("as") {
			s.as = p.name("'as'").Text
		}
		return s
	case p.accept("if"):
		s := &ifStatement{cond: p.cond()}
		p.accept("then")
		end := ""
		if s.yes, end = p.block("'if'", "else", "end"); end == "else" {
			s.no, _ = p.block("'else'", "end")
		}
		return s
	case p.accept("forall"):
		name := p.name("'forall'")
		s := &forallStatement{place: place(name.Pos), name: name.Text}
		p.expect("in", "the name '"+name.Text+"'")
		s.in = p.expr()
		p.expect("do", "the expression")
		s.body, _ = p.block("'do'", "end")
		return s
	case p.accept("with"):
		name := p.name("'with'")
		p.expect("from", "the name '"+name.Text+"'")
		return &withStatement{place(name.Pos), name.Text, p.expr()}
	case p.accept("enum"):
		name := p.name("'enum'")
		s := &enumStatement{place: place(name.Pos), name: name.Text}
		p.expect("=", "the name '"+name.Text+"'")
		p.accept("||")
		for {
			tag := p.next()
			if !isTag(tag) {
				p.unexpected(tag, "a tag such as 'once", "an enumeration")
			}
			s.tags = append(s.tags, tag.Text[1:])
			if !p.accept("||") {
				return s
			}
		}
	case p.accept("instructions"), p.accept("default"), p.accept("events"):
		// What annotations instructions take, front ends know.
		p.name("'" + t.Text + "'")
		p.expect("[", "'"+t.Text+"'")
		for !p.accept("]") {
			if u := p.next(); u.Kind == tokenEOF {
				p.unexpected(u, "']'", "'['")
			}
		}
		return nil
	case p.accept("match"):
		p.at--
		return &matchStatement{p.match(true)}
	}
	return p.axiom(t)
}

// axiom reads a statement that begins with t and is none of the others.
func (p *parser) axiom(t token) *axiomStatement {
	s := &axiomStatement{axiom: Axiom{Source: p.src, Pos: t.Pos}}
	before := t.Text
	unless := false
	switch {
	case p.accept("flag"):
		s.axiom.Flag = true
	case p.accept("undefined_unless"), p.accept("assert"): // flagged if it does not hold
		s.axiom.Flag, unless = true, true
	}
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
	s.axiom.Negated = s.axiom.Negated != unless
	return s
}

var statementWords = []string{"let", "include", "acyclic", "irreflexive", "empty", "flag", "show", "unshow",
	"procedure", "call", "forall", "with", "enum", "undefined_unless"}

func (p *parser) name(after string) token {
	t := p.next()
	if t.Kind != tokenName || isTag(t) {
		p.unexpected(t, "a name", after)
	}
	return t
}

func (p *parser) bindings() []binding {
	var bs []binding
	for {
		after := p.tokens[p.at-1]
		var b binding
		if t := p.peek(); t.Is("(") {
			pat := p.pattern(describe(after))
			b = binding{place: place(t.Pos), name: pat.String(), tuple: &pat}
			p.expect("=", "the pattern")
		} else {
			name := p.name(describe(after))
			if slices.ContainsFunc(bs, func(b binding) bool { return b.name == name.Text }) {
				p.fail(name.Pos, "", "'%s' is defined twice", name.Text)
			}
			b = binding{place: place(name.Pos), name: name.Text}
			b.single = p.peek().Kind == tokenName
			b.params, b.function = p.params(name)
			p.expect("=", "the name '"+name.Text+"'")
		}
		b.body = p.expr()
		bs = append(bs, b)
		if !p.accept("and") {
			return bs
		}
	}
}

// params is the parameters of a function or procedure, if it has any.
func (p *parser) params(f token) ([]pattern, bool) {
	if t := p.peek(); t.Kind == tokenName && !isTag(t) {
		p.next()
		if u := p.peek(); u.Kind == tokenName {
			p.fail(u.Pos, "write "+f.Text+"("+t.Text+", "+u.Text+")", "a function of several arguments takes them in brackets")
		}
		return []pattern{{place: place(t.Pos), name: t.Text}}, true
	}
	if !p.peek().Is("(") {
		return nil, false
	}
	pat := p.pattern("'('")
	if pat.name != "" {
		return []pattern{pat}, true
	}
	var seen []string
	var check func(q pattern)
	check = func(q pattern) {
		if q.name != "" && q.name != "_" && slices.Contains(seen, q.name) {
			p.fail(q.pos(), "", "'%s' has two parameters of the name '%s'", f.Text, q.name)
		}
		seen = append(seen, q.name)
		for _, r := range q.parts {
			check(r)
		}
	}
	for _, q := range pat.parts {
		check(q)
	}
	return pat.parts, true
}

// pattern is a name, or a tuple of patterns in brackets.
func (p *parser) pattern(after string) pattern {
	t := p.peek()
	if p.accept("_") {
		return pattern{place: place(t.Pos), name: "_"}
	}
	if !p.accept("(") {
		return pattern{place: place(t.Pos), name: p.name(after).Text}
	}
	p.enter()
	defer func() { p.depth-- }()
	pat := pattern{place: place(t.Pos)}
	if p.accept(")") {
		return pat
	}
	for {
		q := p.pattern("'('")
		pat.parts = append(pat.parts, q)
		if p.accept(")") {
			if len(pat.parts) == 1 {
				return pat.parts[0]
			}
			return pat
		}
		p.expect(",", "the name '"+q.String()+"'")
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
	t := p.peek()
	switch {
	case p.accept("let"):
		e := &letExpr{place: place(t.Pos), rec: p.accept("rec")}
		e.bindings = p.bindings()
		p.expect("in", "the definitions")
		e.body = p.expr()
		return e
	case p.accept("fun"):
		e := &funExpr{place: place(t.Pos), param: p.pattern("'fun'")}
		p.expect("->", "the parameter")
		e.body = p.expr()
		return e
	case p.accept("try"):
		e := &tryExpr{place: place(t.Pos), x: p.expr()}
		p.expect("with", "the expression")
		e.otherwise = p.expr()
		return e
	case p.accept("if"):
		e := &ifExpr{place: place(t.Pos), cond: p.cond()}
		p.expect("then", "the condition")
		e.yes = p.expr()
		p.expect("else", "the expression")
		e.no = p.expr()
		return e
	case t.Is("match"):
		return p.match(false)
	}
	return p.binary(0)
}

// match is the cases of a tag or of a set of things; of a statement the bodies are
// statements.
func (p *parser) match(statements bool) *matchExpr {
	t := p.next()
	e := &matchExpr{place: place(t.Pos), x: p.expr()}
	p.expect("with", "the expression")
	p.accept("||")
	for {
		t := p.next()
		c := clause{place: place(t.Pos)}
		switch {
		case t.Is("_"):
			c.kind = caseAny
		case isTag(t):
			c.kind, c.tag = caseTag, t.Text[1:]
		case t.Is("{"):
			p.expect("}", "'{'")
			c.kind = caseEmpty
		case t.Kind == tokenName:
			p.expect("++", "the name '"+t.Text+"'")
			c.kind, c.head = caseMore, t.Text
			if c.rest = "_"; !p.accept("_") {
				c.rest = p.name("'++'").Text
			}
		default:
			p.unexpected(t, "a tag, {}, _ or x ++ xs", "'||'")
		}
		p.expect("->", "the case")
		if statements {
			var end string
			if c.statements, end = p.block("the case", "||", "end"); end == "end" {
				e.clauses = append(e.clauses, c)
				return e
			}
			e.clauses = append(e.clauses, c)
			continue
		}
		c.body = p.expr()
		e.clauses = append(e.clauses, c)
		if !p.accept("||") {
			p.expect("end", "the last case")
			return e
		}
	}
}

// cond is a condition.
func (p *parser) cond() cond {
	c := p.conjunction()
	for t := p.peek(); p.accept("||"); {
		c = cond{place: place(t.Pos), op: "||", subs: []cond{c, p.conjunction()}}
	}
	return c
}

func (p *parser) conjunction() cond {
	c := p.condition()
	for t := p.peek(); p.accept("&&"); {
		c = cond{place: place(t.Pos), op: "&&", subs: []cond{c, p.condition()}}
	}
	return c
}

func (p *parser) condition() cond {
	p.enter()
	defer func() { p.depth-- }()
	t := p.peek()
	switch {
	case t.Kind == tokenString:
		p.next()
		return cond{place: place(t.Pos), op: "variant"}
	case p.accept("not"):
		return cond{place: place(t.Pos), op: "not", subs: []cond{p.condition()}}
	case t.Is("(") && (p.tokens[p.at+1].Kind == tokenString || p.tokens[p.at+1].Is("not")):
		p.next()
		c := p.cond()
		p.expect(")", "the condition")
		return c
	}
	c := cond{place: place(t.Pos), x: p.binary(0)}
	op := p.next()
	if !op.Is("=") && !op.Is("subset") && !op.Is("in") {
		p.unexpected(op, "=, subset or in", "the expression")
	}
	c.op, c.y = op.Text, p.binary(0)
	return c
}

// The binary operators from the loosest to the tightest. All but the difference
// are associative, so they can all be read from left to right.
var binaryOps = []struct {
	sign string
	op   Op
}{{"|", Union}, {"++", appending}, {";", Sequence}, {`\`, Difference}, {"&", Intersection}, {"*", Product}}

func (p *parser) binary(level int) expr {
	if level == len(binaryOps) {
		return p.unary()
	}
	x := p.binary(level + 1)
	o := binaryOps[level]
	for p.peek().Is(o.sign) && (o.op != Product || p.operandAt(p.at+1)) {
		p.next()
		if o.op == appending { // to the right
			return &binaryExpr{place(x.pos()), o.op, x, p.binary(level)}
		}
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
	return t.Kind == tokenName || t.Is("(") || t.Is("[") || t.Is("{") || t.Is("_") || t.Is("0") || t.Is("begin")
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
		case t.Is("^") && p.tokens[p.at+1].Is("-1"): // herd7 reads it, too
			p.next()
			op = Inverse
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
		if p.accept("}") {
			return &emptyExpr{place(t.Pos)}
		}
		return &setExpr{place(t.Pos), p.list("}", "the elements")}
	case t.Is("_"):
		return &nameExpr{place(t.Pos), "_"}
	case t.Is("("):
		if p.accept(")") {
			return &tupleExpr{place(t.Pos), nil}
		}
		e := p.expr()
		if p.accept(",") {
			return &tupleExpr{place(t.Pos), append([]expr{e}, p.list(")", "the expressions")...)}
		}
		p.expect(")", "the expression")
		if f, ok := e.(*funExpr); ok && p.operandAt(p.at) && !p.peek().Is("~") {
			return p.applied(f)
		}
		return e
	case t.Is("begin"):
		e := p.expr()
		p.expect("end", "the expression")
		return e
	case t.Is("["):
		e := p.expr()
		p.expect("]", "the expression")
		return &unaryExpr{place(t.Pos), Identity, e}
	case isTag(t):
		return &tagExpr{place(t.Pos), t.Text[1:]}
	case t.Kind == tokenName:
		return p.application(t)
	}
	p.unexpected(t, "an expression", describe(before))
	return nil
}

// list is expressions with commas between them, and what ends them.
func (p *parser) list(end, after string) (es []expr) {
	for {
		es = append(es, p.expr())
		if p.accept(end) {
			return es
		}
		if !p.accept(",") {
			p.expect(end, after)
		}
	}
}

// application is a name, or a function with its arguments.
func (p *parser) application(name token) expr {
	e := expr(&nameExpr{place(name.Pos), name.Text})
	if p.operandAt(p.at) && !p.peek().Is("~") {
		return p.applied(e)
	}
	return e
}

// applied is f with its arguments, which follow: some in brackets, or one without, which
// binds tighter than any operator. What it gives may be a function again.
func (p *parser) applied(f expr) expr {
	for p.operandAt(p.at) && !p.peek().Is("~") {
		t := p.peek()
		a := &applyExpr{place: place(f.pos()), fun: f}
		switch {
		case p.accept("("):
			if !p.accept(")") {
				name := "the function"
				if n, ok := f.(*nameExpr); ok {
					name = "'" + n.name + "'"
				}
				a.args = p.list(")", "the arguments of "+name)
			}
		case t.Kind == tokenName && !isTag(t):
			p.next()
			a.args = []expr{&nameExpr{place(t.Pos), t.Text}}
		default:
			a.args = []expr{p.primary()}
		}
		f = a
	}
	return f
}
