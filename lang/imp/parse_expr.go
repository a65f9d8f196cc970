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
	if p.tok.Kind != tokenSymbol && p.tok.Kind != tokenKeyword {
		return 0, false
	}
	if p.inProperty {
		switch p.tok.Text {
		case "|":
			return program.LogicalOr, level == 0
		case "&":
			return program.LogicalAnd, level == 1
		}
	}
	op, ok := levels[level][p.tok.Text]
	return op, ok
}

func (p *parser) level(level int) expr {
	if level == len(levels) {
		return p.unary()
	}
	negated := p.tok.Is("not") || p.tok.Is("!")
	x := p.level(level + 1)
	for {
		op, ok := p.operator(level)
		if !ok {
			return x
		}
		t := p.advance()
		if level == comparisons && negated {
			p.fail(t.Pos, "write not (a = b), or (not a) = b", "it is not clear what %q negates here", "not")
		}
		x = &binary{t.Pos, op, x, p.level(level + 1)}
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
		p.fail(p.tok.Pos, "", "more than %d operands and operators in one expression", maxOperands)
	}
}

func (p *parser) unary() expr {
	p.operand()
	t := p.tok
	op := program.LogicalNot
	switch {
	case t.Is("-"):
		op = program.Neg
	case t.Is("~"):
		op = program.Complement
	case t.Is("not"), t.Is("!"):
	default:
		return p.primary()
	}
	p.advance()
	if op == program.Neg && p.tok.Kind == tokenNumber {
		// The smallest integer has no positive counterpart.
		if v, err := numberOf(p.tok); err == nil && v == 1<<63 {
			p.advance()
			return &number{at: t.Pos, value: math.MinInt64}
		}
	}
	p.enter()
	defer p.leave()
	return &unary{t.Pos, op, p.unary()}
}

func (p *parser) primary() expr {
	t := p.tok
	switch {
	case t.Kind == tokenNumber:
		v, err := numberOf(t)
		if err != nil {
			p.fail(t.Pos, "", "%v", err)
		}
		p.advance()
		return &number{t.Pos, int64(v), v > math.MaxInt64}
	case t.Is("true"), t.Is("false"):
		p.advance()
		return &number{at: t.Pos, value: program.Bool(t.Text == "true")}
	case t.Is("("):
		p.advance()
		x := p.subexpr()
		if !p.tok.Is(")") {
			p.unexpected(fmt.Sprintf(`an operator or ")" for the "(" at %s`, spot(t.Pos)), "")
		}
		p.advance()
		return x
	case t.Is("any"):
		p.advance()
		p.expect("(")
		c := &choice{at: t.Pos, lo: p.subexpr()}
		p.expect("..")
		c.hi = p.subexpr()
		p.expect(")")
		return c
	case t.Is("cas"), t.Is("xchg"), isFetch(t):
		return p.rmw()
	case t.Kind == tokenName && (p.inProperty || !p.peek().Is("@") && !p.peek().Is(".")):
		if p.peek().Is("(") {
			p.advance()
			p.unexpected("an operator", callAlone)
		}
		r := p.ref()
		switch {
		case p.inProperty && p.accept("@"):
			l := p.label("a label of " + r.name)
			if p.accept(".") { // of a procedure
				l.name += "." + p.label("a label of "+l.name).name
			}
			return &location{r, l}
		case p.inProperty && p.accept("."):
			return &remote{r, p.ref()}
		}
		return r
	case t.Kind == tokenName:
		p.fail(t.Pos, "P@label and P.register are for properties", "a process sees only its own registers and the shared variables")
	}
	hint := ""
	if t.Is(";") || t.Is("then") || t.Is("do") || t.Is("od") || t.Is("fi") || t.Is("end") || t.Is("[]") || t.Is("to") {
		hint = "the expression before it is not complete"
	}
	p.unexpected("an expression", hint)
	panic("unreachable")
}

// rmw = "cas" "(" ref "," expr "," expr ")" | ( "xchg" | "fetch_add" | .. ) "(" ref "," expr ")" .
func (p *parser) rmw() *rmw {
	t := p.advance()
	p.expect("(")
	r := &rmw{at: t.Pos, op: t.Text, target: p.ref()}
	n := 1
	if t.Text == "cas" {
		n = 2
	}
	for range n {
		p.expect(",")
		r.args = append(r.args, p.subexpr())
	}
	p.expect(")")
	return r
}

// ref = name { "[" expr "]" } .
func (p *parser) ref() *ref {
	n := p.name("a variable")
	r := &ref{at: n.Pos, name: n.Text}
	for p.accept("[") {
		r.index = append(r.index, p.subexpr())
		p.expect("]")
	}
	return r
}
