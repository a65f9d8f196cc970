package imp

import (
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// statements = [ statement ] { ";" [ statement ] } .
func (p *parser) statements() []*stmt {
	p.enter()
	defer p.leave()
	var ss []*stmt
	defer func() { p.lists = append(p.lists, list{ss, p.last, p.tok}) }()
	for {
		for p.accept(";") {
		}
		if p.atListEnd() {
			return ss
		}
		ss = append(ss, p.statement())
		if !p.tok.Is(";") {
			// What follows is the caller's to name: it knows which word
			// closes the list.
			return ss
		}
	}
}

// atListEnd is true of what can follow a statement list, and of what cannot
// begin a statement for sure.
func (p *parser) atListEnd() bool {
	switch p.tok.Kind {
	case tokenEOF:
		return true
	case tokenName, tokenNumber:
		return false
	}
	switch p.tok.Text {
	case "end", "fi", "od", "else", "elif", "[]", "then", "do", "process", "forbid", "exists", "forall", "variables", "const", "program":
		return true
	}
	return false
}

// statement = { label ":" } action .
func (p *parser) statement() *stmt {
	s := &stmt{at: p.tok.Pos, off: p.tok.Off}
	for (p.tok.Kind == tokenName || p.tok.Kind == tokenNumber) && p.peek().Is(":") {
		s.labels = append(s.labels, p.label("a label"))
		p.advance()
	}
	if len(s.labels) > 0 && (p.atListEnd() || p.tok.Is(";")) {
		p.unexpected("a statement after the label "+s.labels[len(s.labels)-1].name, "skip is the statement that does nothing")
	}
	s.doOff = p.tok.Off
	s.do = p.action()
	s.end = p.last.End
	return s
}

func (p *parser) action() action {
	open := p.tok
	if open.Kind == tokenName {
		if p.peek().Is("(") {
			return p.call(nil)
		}
		return p.assignment()
	}
	if open.Kind == tokenKeyword && p.peek().Is(":") {
		p.name("a statement") // which says that the word cannot be a label
	}
	if open.Kind != tokenKeyword {
		p.unexpected("a statement", "")
	}
	switch open.Text {
	case "skip":
		p.advance()
		return &skipStmt{}
	case "fence":
		p.advance()
		return &simpleStmt{op: program.Fence}
	case "sfence":
		p.advance()
		return &simpleStmt{program.Fence, program.NewTags(program.TagSFence)}
	case "lock":
		p.advance()
		return &simpleStmt{op: program.Lock}
	case "unlock":
		p.advance()
		return &simpleStmt{op: program.Unlock}
	case "break", "continue":
		p.advance()
		return &leaveStmt{word: open.Text}
	case "return":
		p.advance()
		s := &leaveStmt{word: open.Text}
		if !p.tok.Is(";") && !p.atListEnd() {
			s.value = p.expr()
		}
		return s
	case "goto":
		p.advance()
		return &gotoStmt{p.label("a label")}
	case "await":
		p.advance()
		return &awaitStmt{p.expr()}
	case "assume":
		p.advance()
		return &assumeStmt{p.expr()}
	case "assert":
		p.advance()
		cond := p.expr()
		s := &assertStmt{cond, oneLine(p.src, open.Off, p.last.End)}
		if p.accept(",") {
			if p.tok.Kind != tokenString {
				p.unexpected("a message in quotes", "")
			}
			s.text = fmt.Sprintf("%s (%s)", p.advance().Text, s.text)
		}
		return s
	case "if":
		return p.ifStatement()
	case "while":
		p.advance()
		cond := p.expr()
		p.expect("do")
		body := p.statements()
		p.closing("od", open)
		return &whileStmt{cond: cond, body: body}
	case "for":
		p.advance()
		v := p.ref()
		p.expect(":=")
		from := p.expr()
		p.expect("to")
		to := p.expr()
		p.expect("do")
		body := p.statements()
		p.closing("od", open)
		return &forStmt{v, from, to, body}
	case "choose":
		p.advance()
		c := &chooseStmt{[][]*stmt{p.statements()}}
		for p.accept("[]") {
			c.branches = append(c.branches, p.statements())
		}
		p.closing("end", open)
		return c
	case "atomic":
		p.advance()
		p.expect("begin")
		outside := len(p.lists)
		body := p.statements()
		p.lists = p.lists[:outside] // no place for a fence
		p.closing("end", open)
		return &atomicStmt{body}
	case "cas", "xchg", "fetch_add", "fetch_sub", "fetch_or", "fetch_and", "fetch_xor":
		return &rmwStmt{p.rmw()}
	case "local":
		p.unexpected("a statement", "local declarations stand before begin or first in the body")
	case "any", "true", "false", "not":
		p.unexpected("a statement", "an expression is not a statement")
	}
	p.unexpected("a statement", "")
	panic("unreachable")
}

// updates are the assignments x += e, which is x := x + (e) word for word.
var updates = map[string]program.BinaryOp{
	"+=": program.Add, "-=": program.Sub, "*=": program.Mul, "/=": program.Div, "%=": program.Rem,
	"&=": program.BitAnd, "|=": program.BitOr, "^=": program.BitXor, "<<=": program.Shl, ">>=": program.Shr,
}

// assignment = ref ( ":=" ( expr | call ) | update expr ) .
func (p *parser) assignment() action {
	first := p.tok
	target := p.ref()
	if op, ok := updates[p.tok.Text]; ok && p.tok.Kind == tokenSymbol {
		at := p.advance().Pos
		return &assignStmt{target, &binary{at, op, target, p.expr()}}
	}
	if !p.tok.Is(":=") {
		if hint := foreignWord(first.Text, p.tok); hint != "" {
			p.unexpected(`":="`, hint)
		}
		switch {
		case p.tok.Is("=") || p.tok.Is("=="):
			p.unexpected(`":="`, "an assignment is written := ; = compares")
		case p.tok.Is("@") || p.tok.Is("."):
			p.unexpected(`":="`, "a process sees only its own registers and the shared variables")
		case target.index != nil:
			p.unexpected(`":="`, "")
		}
		const words = "skip if elif else fi while for od goto break continue return choose end fence sfence lock unlock atomic await assume assert cas xchg fetch_add fetch_sub fetch_or fetch_and fetch_xor"
		p.unexpected(fmt.Sprintf(`":=", "[" or ":" after %q`, first.Text), text.DidYouMean(first.Text, strings.Fields(words)))
	}
	p.advance()
	if p.tok.Kind == tokenName && p.peek().Is("(") {
		return p.call(target)
	}
	return &assignStmt{target, p.expr()}
}

// call = name "(" [ expr { "," expr } ] ")" .
func (p *parser) call(result *ref) action {
	n := p.name("the name of a procedure")
	p.expect("(")
	c := &callStmt{at: n.Pos, name: n.Text, result: result}
	for !p.tok.Is(")") {
		if len(c.args) > 0 {
			p.expect(",")
		}
		c.args = append(c.args, p.expr())
	}
	p.advance()
	if p.tok.Kind == tokenSymbol && !p.tok.Is(";") && !p.tok.Is("[]") {
		p.unexpected(`";"`, callAlone)
	}
	return c
}

const callAlone = "a call is a statement, or all that stands on the right of :="

// ifStatement = "if" expr "then" statements { "elif" expr "then" statements }
// [ "else" statements ] "fi" .
func (p *parser) ifStatement() action {
	open := p.tok
	s := &ifStmt{}
	for {
		p.advance()
		cond := p.expr()
		p.expect("then")
		s.arms = append(s.arms, arm{cond, p.statements()})
		if !p.tok.Is("elif") {
			break
		}
	}
	if p.accept("else") {
		s.els = p.statements()
	}
	p.closing("fi", open)
	return s
}
