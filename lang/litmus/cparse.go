package litmus

import (
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

type (
	// A cExpr is an expression of C.
	cExpr interface{ where() program.Position }

	cNode struct{ at program.Position }

	cNumber struct {
		cNode
		n int64
	}
	// cAddress is a parameter: the address of a variable.
	cAddress struct {
		cNode
		name string
		typ  cType // of the variable
	}
	cRegister struct {
		cNode
		index int
	}
	// cPlace is the address of a local variable, which calls take alone.
	cPlace struct {
		cNode
		index int
	}
	cDeref struct {
		cNode
		x cExpr
	}
	cCast struct {
		cNode
		typ cType
		x   cExpr
	}
	cUnary struct {
		cNode
		op program.UnaryOp
		x  cExpr
	}
	cBinary struct {
		cNode
		op   program.BinaryOp
		x, y cExpr
	}
	cCall struct {
		cNode
		name token
		args []cExpr
		// operand is the operator of __atomic_op and its kin.
		text string
	}
	// cOrder is a memory order: an argument, and no value.
	cOrder struct {
		cNode
		name token
	}
	// cAssign is also an expression; its value is that of y.
	cAssign struct {
		cNode
		x, y cExpr
	}
	cChoice struct {
		cNode
		cond, x, y cExpr
	}
)

func (n cNode) where() program.Position { return n.at }

type (
	// A cStmt is a statement.
	cStmt interface{ where() program.Position }

	cDo struct { // an expression
		cNode
		x cExpr
	}
	cIf struct {
		cNode
		cond    cExpr
		yes, no []cStmt
	}
	cLoop struct {
		cNode
		cond  cExpr
		body  []cStmt
		first bool // the body comes before the condition
	}
	cLeave struct {
		cNode
		kind string // break, continue, return
	}
)

const maxNesting = 200

// deeper counts how deep the text is nested.
func (c *cTest) deeper() {
	if c.depth++; c.depth > maxNesting {
		c.fail(c.tok.Pos, "", "the program is nested too deeply")
	}
}

func (c *cTest) block() (ss []cStmt) {
	c.expect("{", "")
	for !c.tok.Is("}") {
		if c.tok.Kind == tokenEOF {
			c.fail(c.tok.Pos, "", "expected }, found the end of the file")
		}
		i := len(c.sites)
		c.sites = append(c.sites, cSite{thread: len(c.threads) - 1, from: c.tok})
		ss = append(ss, c.stmt()...)
		c.sites[i].end = c.end
	}
	c.expect("}", "")
	return ss
}

// body is a statement as a list.
func (c *cTest) body() (ss []cStmt) {
	c.deeper()
	if c.tok.Is("{") {
		ss = c.block()
	} else {
		ss = c.stmt()
	}
	c.depth--
	return ss
}

// stmt reads a statement, which may be several: the declaration of many variables.
func (c *cTest) stmt() []cStmt {
	at := c.tok.Pos
	switch {
	case c.accept(";"):
		return nil
	case c.tok.Is("{"):
		return c.body()
	case c.refuseType(), c.atType():
		return c.declaration()
	case c.tok.Kind != tokenName:
	case c.tok.Text == "if":
		c.advance()
		s := cIf{cNode: cNode{at}}
		c.expect("(", "")
		s.cond = c.expr()
		c.expect(")", "")
		s.yes = c.body()
		if c.tok.Kind == tokenName && c.tok.Text == "else" {
			c.advance()
			s.no = c.body()
		}
		return []cStmt{s}
	case c.tok.Text == "while":
		c.advance()
		s := cLoop{cNode: cNode{at}}
		c.expect("(", "")
		s.cond = c.expr()
		c.expect(")", "")
		s.body = c.body()
		return []cStmt{s}
	case c.tok.Text == "do":
		c.advance()
		s := cLoop{cNode: cNode{at}, first: true}
		s.body = c.body()
		if c.tok.Text != "while" {
			c.fail(c.tok.Pos, "", "expected while, found %s", c.tok.Describe())
		}
		c.advance()
		c.expect("(", "")
		s.cond = c.expr()
		c.expect(")", "")
		c.expect(";", "")
		return []cStmt{s}
	case c.tok.Text == "for":
		return c.forLoop(at)
	case c.tok.Text == "break" || c.tok.Text == "continue" || c.tok.Text == "return":
		kind := c.advance().Text
		c.expect(";", "threads return no value")
		return []cStmt{cLeave{cNode{at}, kind}}
	case c.tok.Text == "goto" || c.tok.Text == "switch" || c.tok.Text == "asm" || c.tok.Text == "__asm__":
		c.fail(at, instead[map[string]string{"goto": "jumps are not supported", "switch": "switch is not supported"}[c.tok.Text]], "%s is not supported", c.tok.Text)
	}
	if c.tok.Kind == tokenName && slices.Contains(finalWords, c.tok.Text) {
		c.fail(at, "a function or a block is not closed", "expected }, found %s", c.tok.Describe())
	}
	s := cDo{cNode{at}, c.expr()}
	c.expect(";", "")
	return []cStmt{s}
}

func (c *cTest) forLoop(at program.Position) (ss []cStmt) {
	c.advance()
	c.expect("(", "")
	c.deeper()
	ss = c.stmt()
	c.depth--
	s := cLoop{cNode: cNode{at}, cond: cNumber{cNode{at}, 1}}
	if !c.tok.Is(";") {
		s.cond = c.expr()
	}
	c.expect(";", "")
	var step []cStmt
	if !c.tok.Is(")") {
		step = []cStmt{cDo{cNode{c.tok.Pos}, c.expr()}}
	}
	c.expect(")", "")
	s.body = append(c.body(), step...)
	for _, x := range s.body {
		if l, ok := x.(cLeave); ok && l.kind == "continue" {
			c.fail(l.at, "write the loop with while", "continue in a for loop is not supported")
		}
	}
	return append(ss, s)
}

// declaration reads int r0 = 1, *r1;
func (c *cTest) declaration() (ss []cStmt) {
	typ := c.typeName("a type")
	for {
		for c.accept("*") {
			typ.pointer++
		}
		t := c.ident("the name of a local variable", "")
		if c.param(t.Text) != nil {
			c.fail(t.Pos, "", "%s is a parameter: a local variable cannot have its name", t.Text)
		}
		if c.tok.Is("[") {
			c.fail(c.tok.Pos, "use a local variable for each element", "local arrays are not supported")
		}
		l := c.local(t.Text)
		if !l.declared || typ.value().Bits > l.typ.value().Bits {
			l.typ = typ
		}
		l.declared, l.used = true, true
		if c.accept("=") {
			ss = append(ss, cDo{cNode{t.Pos}, cAssign{cNode{t.Pos}, c.name(t), c.assignment()}})
		}
		if !c.accept(",") {
			break
		}
		typ.pointer = 0
	}
	c.expect(";", "")
	return ss
}

func (c *cTest) param(name string) *cParam {
	for _, p := range c.in.params {
		if p.name.Text == name {
			return p
		}
	}
	return nil
}

// name is what a name means that is not called.
func (c *cTest) name(t token) cExpr {
	if p := c.param(t.Text); p != nil {
		return cAddress{cNode{t.Pos}, t.Text, p.typ}
	}
	l := c.local(t.Text)
	l.used = true
	for i, x := range c.in.locals {
		if x == l {
			return cRegister{cNode{t.Pos}, i}
		}
	}
	panic("no such local variable")
}

func (c *cTest) expr() cExpr {
	x := c.assignment()
	if c.tok.Is(",") {
		c.fail(c.tok.Pos, "write a statement for each side", "the operator , is not supported")
	}
	return x
}

var compound = map[string]program.BinaryOp{
	"+=": program.Add, "-=": program.Sub, "&=": program.BitAnd, "|=": program.BitOr, "^=": program.BitXor, "<<=": program.Shl, ">>=": program.Shr,
}

func (c *cTest) assignment() (x cExpr) {
	c.deeper()
	x = c.conditional()
	if t := c.tok; c.accept("=") {
		x = cAssign{cNode{t.Pos}, x, c.assignment()}
	} else if t.Kind == tokenSymbol && strings.HasSuffix(t.Text, "=") {
		if op, ok := compound[t.Text]; ok {
			c.advance()
			x = cAssign{cNode{t.Pos}, x, cBinary{cNode{t.Pos}, op, x, c.assignment()}}
		}
	}
	c.depth--
	return x
}

func (c *cTest) conditional() cExpr {
	x := c.binary(0)
	if at := c.tok.Pos; c.accept("?") {
		y := c.expr()
		c.expect(":", "")
		return cChoice{cNode{at}, x, y, c.conditional2()}
	}
	return x
}

func (c *cTest) conditional2() (x cExpr) {
	c.deeper()
	x = c.conditional()
	c.depth--
	return x
}

// cBinaries is the binary operators, with how tightly they bind.
var cBinaries = map[string]struct {
	level int
	op    program.BinaryOp
}{
	"||": {1, program.LogicalOr}, "&&": {2, program.LogicalAnd}, "|": {3, program.BitOr}, "^": {4, program.BitXor}, "&": {5, program.BitAnd},
	"==": {6, program.Eq}, "!=": {6, program.Ne}, "<": {7, program.Lt}, "<=": {7, program.Le}, ">": {7, program.Gt}, ">=": {7, program.Ge},
	"<<": {8, program.Shl}, ">>": {8, program.Shr}, "+": {9, program.Add}, "-": {9, program.Sub}, "*": {10, program.Mul},
}

// binary reads an expression of operators that bind at least so tightly.
func (c *cTest) binary(level int) cExpr {
	x := c.unary()
	for n := 0; c.tok.Kind == tokenSymbol; n++ {
		o, ok := cBinaries[c.tok.Text]
		if !ok || o.level < level {
			break
		}
		if n > maxNesting {
			c.fail(c.tok.Pos, "", "the expression is too long")
		}
		at := c.advance().Pos
		x = cBinary{cNode{at}, o.op, x, c.binary(o.level + 1)}
	}
	if c.tok.Is("/") || c.tok.Is("%") {
		c.fail(c.tok.Pos, instead["division is not supported"], "division is not supported")
	}
	return x
}

func (c *cTest) unary() (x cExpr) {
	c.deeper()
	x = c.unaryOf()
	c.depth--
	return x
}

func (c *cTest) unaryOf() cExpr {
	t := c.tok
	node := cNode{t.Pos}
	switch {
	case c.accept("*"):
		return cDeref{node, c.unary()}
	case c.accept("&"):
		switch x := c.unary().(type) {
		case cDeref:
			return x.x
		case cAddress:
			c.fail(t.Pos, x.name+" is the address already", "the address of a parameter is not supported")
		case cRegister:
			if c.expects {
				return cPlace{node, x.index}
			}
		}
		c.fail(t.Pos, "take the address of a local variable", "the address of this is not supported")
	case c.accept("!"):
		return cUnary{node, program.LogicalNot, c.unary()}
	case c.accept("~"):
		return cUnary{node, program.Complement, c.unary()}
	case c.accept("-"):
		return cUnary{node, program.Neg, c.unary()}
	case c.accept("+"):
		return c.unary()
	case c.tok.Is("++") || c.tok.Is("--"):
		op := map[string]program.BinaryOp{"++": program.Add, "--": program.Sub}[c.advance().Text]
		x := c.unary()
		return cAssign{node, x, cBinary{node, op, x, cNumber{node, 1}}}
	case c.accept("("):
		if c.atType() {
			typ := c.typeName("a type")
			c.expect(")", "")
			return cCast{node, typ, c.unary()}
		}
		x := c.expr()
		c.expect(")", "")
		return c.postfix(x)
	case t.Kind == tokenNumber:
		c.advance()
		n, err := numberOf(token{Kind: t.Kind, Text: strings.TrimRight(t.Text, "uUlL"), Pos: t.Pos}, false)
		if err != nil {
			c.fail(t.Pos, "", "%v", err)
		}
		return cNumber{node, n}
	case t.Kind == tokenName:
		c.advance()
		if c.tok.Is("(") {
			return c.call(t)
		}
		if strings.HasPrefix(t.Text, "memory_order_") || strings.HasPrefix(t.Text, "mo_") {
			return cOrder{node, t}
		}
		if t.Text == "NULL" {
			return cNumber{node, 0}
		}
		return c.postfix(c.name(t))
	}
	c.fail(t.Pos, "", "expected an expression, found %s", t.Describe())
	return nil
}

// postfix reads what follows an operand: [1], ++.
func (c *cTest) postfix(x cExpr) cExpr {
	for n := 0; ; n++ {
		at := c.tok.Pos
		switch {
		case n > maxNesting:
			c.fail(at, "", "the expression is too long")
		case c.accept("["):
			i := c.expr()
			c.expect("]", "")
			x = cDeref{cNode{at}, cBinary{cNode{at}, program.Add, x, i}}
		case c.tok.Is("++") || c.tok.Is("--"):
			op := map[string]program.BinaryOp{"++": program.Add, "--": program.Sub}[c.advance().Text]
			back := map[program.BinaryOp]program.BinaryOp{program.Add: program.Sub, program.Sub: program.Add}[op]
			return cBinary{cNode{at}, back, cAssign{cNode{at}, x, cBinary{cNode{at}, op, x, cNumber{cNode{at}, 1}}}, cNumber{cNode{at}, 1}}
		case c.tok.Is("->") || c.tok.Is("."):
			c.fail(at, "use a variable for each member", "structures are not supported")
		case c.tok.Is("("):
			c.fail(at, "call the function by its name", "calls through pointers are not supported")
		default:
			return x
		}
	}
}

func (c *cTest) call(name token) cExpr {
	x := cCall{cNode: cNode{name.Pos}, name: name}
	from := name.Off
	c.expect("(", "")
	for !c.accept(")") {
		f, _ := cFunctions()[name.Text]
		c.expects = f.kind == callCompareC && len(x.args) == 1
		x.args = append(x.args, c.assignment())
		c.expects = false
		if !c.tok.Is(")") {
			c.expect(",", "")
		}
	}
	x.text = c.src.Text[from:c.end]
	c.checkCall(x)
	c.calls = append(c.calls, cCalled{len(c.threads) - 1, x})
	return c.postfix(x)
}
