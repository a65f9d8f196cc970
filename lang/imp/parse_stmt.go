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
		return &simpleStmt{program.Fence}
	case "lock":
		p.advance()
		return &simpleStmt{program.Lock}
	case "unlock":
		p.advance()
		return &simpleStmt{program.Unlock}
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
		return &assertStmt{cond, oneLine(p.src, open.Off, p.last.End)}
	case "if":
		return p.ifStatement()
	case "while":
		p.advance()
		cond := p.expr()
		p.expect("do")
		body := p.statements()
		p.closing("od", open)
		return &whileStmt{cond, body}
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
	case "cas", "xchg", "fetch_add":
		return &rmwStmt{p.rmw()}
	case "local":
		p.unexpected("a statement", "local declarations stand before begin or first in the body")
	case "any", "true", "false", "not":
		p.unexpected("a statement", "an expression is not a statement")
	}
	p.unexpected("a statement", "")
	panic("unreachable")
}

// assignment = ref ":=" expr .
func (p *parser) assignment() action {
	first := p.tok
	target := p.ref()
	if !p.tok.Is(":=") {
		switch {
		case p.tok.Is("=") || p.tok.Is("=="):
			p.unexpected(`":="`, "an assignment is written := ; = compares")
		case p.tok.Is("@") || p.tok.Is("."):
			p.unexpected(`":="`, "a process sees only its own registers and the shared variables")
		case target.index != nil:
			p.unexpected(`":="`, "")
		}
		const words = "skip if elif else fi while for od goto choose end fence lock unlock atomic await assume assert cas xchg fetch_add"
		p.unexpected(fmt.Sprintf(`":=", "[" or ":" after %q`, first.Text), text.DidYouMean(first.Text, strings.Fields(words)))
	}
	p.advance()
	return &assignStmt{target, p.expr()}
}

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
