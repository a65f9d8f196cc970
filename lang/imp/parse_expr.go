package imp

import (
	"fmt"
	"math"

	"github.com/fencepost-verifier/fencepost/program"
)

// expr is an expression that is not part of another one.
func (p *parser) expr() expr {
	p.operands = 0
	return p.subexpr()
}

func (p *parser) subexpr() expr {
	p.enter()
	defer p.leave()
	return p.level(0)
}

// levels are the binary operators from the loosest to the tightest; those of
// one level associate to the left, comparisons not at all.
var levels = [...]map[string]program.BinaryOp{
	{"or": program.LogicalOr, "||": program.LogicalOr},
	{"and": program.LogicalAnd, "&&": program.LogicalAnd},
	{"=": program.Eq, "==": program.Eq, "!=": program.Ne,
		"<": program.Lt, "<=": program.Le, ">": program.Gt, ">=": program.Ge},
	{"|": program.BitOr},
	{"^": program.BitXor},
	{"&": program.BitAnd},
	{"<<": program.Shl, ">>": program.Shr},
	{"+": program.Add, "-": program.Sub},
	{"*": program.Mul, "/": program.Div, "%": program.Rem},
}

const comparisons = 2 // the level of = and its like

// operator is the operator of a level that the token is.
func (p *parser) operator(level int) (program.BinaryOp, bool) {
	if p.tok.kind != tokenSymbol && p.tok.kind != tokenKeyword {
		return 0, false
	}
	if p.inProperty {
		switch p.tok.text {
		case "|":
			return program.LogicalOr, level == 0
		case "&":
			return program.LogicalAnd, level == 1
		}
	}
	op, ok := levels[level][p.tok.text]
	return op, ok
}

func (p *parser) level(level int) expr {
	if level == len(levels) {
		return p.unary()
	}
	negated := p.tok.is("not") || p.tok.is("!")
	x := p.level(level + 1)
	for {
		op, ok := p.operator(level)
		if !ok {
			return x
		}
		t := p.advance()
		if level == comparisons && negated {
			p.fail(t.pos, "write not (a = b), or (not a) = b", "it is not clear what %q negates here", "not")
		}
		x = &binary{t.pos, op, x, p.level(level + 1)}
		p.operand()
		if level == comparisons {
			if _, again := p.operator(level); again {
				p.unexpected("the end of the comparison", "comparisons do not chain: write a < b and b < c")
			}
		}
	}
}

// operand counts what bounds the recursion over the tree of an expression.
func (p *parser) operand() {
	if p.operands++; p.operands > maxOperands {
		p.fail(p.tok.pos, "", "more than %d operands in one expression", maxOperands)
	}
}

func (p *parser) unary() expr {
	p.operand()
	t := p.tok
	op := program.LogicalNot
	switch {
	case t.is("-"):
		op = program.Neg
	case t.is("~"):
		op = program.Complement
	case t.is("not"), t.is("!"):
	default:
		return p.primary()
	}
	p.advance()
	if op == program.Neg && p.tok.kind == tokenNumber {
		// The smallest integer has no positive counterpart.
		if v, err := p.tok.number(); err == nil && v == 1<<63 {
			p.advance()
			return &number{t.pos, math.MinInt64}
		}
	}
	p.enter()
	defer p.leave()
	return &unary{t.pos, op, p.unary()}
}

func (p *parser) primary() expr {
	t := p.tok
	switch {
	case t.kind == tokenNumber:
		v, err := t.number()
		if err == nil && v > math.MaxInt64 {
			err = fmt.Errorf("%s does not fit into 64 bits with a sign", t.text)
		}
		if err != nil {
			p.fail(t.pos, "", "%v", err)
		}
		p.advance()
		return &number{t.pos, int64(v)}
	case t.is("true"), t.is("false"):
		p.advance()
		return &number{t.pos, program.Bool(t.text == "true")}
	case t.is("("):
		p.advance()
		x := p.subexpr()
		if !p.tok.is(")") {
			p.unexpected(fmt.Sprintf(`an operator or ")" for the "(" at %d:%d`, t.pos.Line, t.pos.Col), "")
		}
		p.advance()
		return x
	case t.is("any"):
		p.advance()
		p.expect("(")
		c := &choice{at: t.pos, lo: p.subexpr()}
		p.expect("..")
		c.hi = p.subexpr()
		p.expect(")")
		return c
	case t.is("cas"), t.is("xchg"), t.is("fetch_add"):
		return p.rmw()
	case t.kind == tokenName && (p.inProperty || !p.peek().is("@") && !p.peek().is(".")):
		r := p.ref()
		switch {
		case p.inProperty && p.accept("@"):
			return &location{r, p.label("a label of " + r.name)}
		case p.inProperty && p.accept("."):
			return &remote{r, p.ref()}
		}
		return r
	case t.kind == tokenName:
		p.fail(t.pos, "P@label and P.register are for properties", "a process sees only its own registers and the shared variables")
	}
	hint := ""
	if t.is(";") || t.is("then") || t.is("do") || t.is("od") || t.is("fi") || t.is("end") || t.is("[]") || t.is("to") {
		hint = "the expression before it is not complete"
	}
	p.unexpected("an expression", hint)
	panic("unreachable")
}

// rmw = "cas" "(" ref "," expr "," expr ")" | ( "xchg" | "fetch_add" ) "(" ref "," expr ")" .
func (p *parser) rmw() *rmw {
	t := p.advance()
	p.expect("(")
	r := &rmw{at: t.pos, op: t.text, target: p.ref()}
	n := 1
	if t.text == "cas" {
		n = 2
	}
	for range n {
		p.expect(",")
		r.args = append(r.args, p.subexpr())
	}
	p.expect(")")
	return r
}

// ref = name [ "[" expr "]" ] .
func (p *parser) ref() *ref {
	n := p.name("a variable")
	r := &ref{at: n.pos, name: n.text}
	if p.accept("[") {
		r.index = p.subexpr()
		p.expect("]")
	}
	return r
}
