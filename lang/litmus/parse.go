package litmus

import (
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A parser is a recursive descent over the tokens of a test. It collects what
// the test says; build makes a program of that.
type parser struct {
	src *program.Source
	lex *text.Lexer
	tok token // the next token
	end int   // where the last one ends in the text

	architecture
	dialect
	arch    string
	archAt  program.Position
	name    string
	docText string
	decls   []*decl
	threads []*thread
	final   finalPart
	notes   []string
}

// Bounds on tests, far beyond what can be verified.
const (
	maxThreads      = 100
	maxInstructions = 10_000
	maxVariables    = 500
	maxElements     = 1000 // of one array
	maxCells        = 4000
	maxNodes        = 5000 // of a condition
	maxDepth        = 1000 // of the parentheses in one
	maxWork         = 1 << 20
)

func (p *parser) fail(pos program.Position, hint, format string, args ...any) {
	text.Fail(p.src, pos, hint, format, args...)
}

// advance takes the next token.
func (p *parser) advance() token {
	t := p.tok
	p.end = t.Off + len(t.Text)
	p.tok = p.lex.Next()
	return t
}

// accept takes the symbol if it is next.
func (p *parser) accept(symbol string) bool {
	if !p.tok.Is(symbol) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(symbol, hint string) token {
	if !p.tok.Is(symbol) {
		p.fail(p.tok.Pos, hint, "expected %s, found %s", symbol, p.tok.Describe())
	}
	return p.advance()
}

func (p *parser) ident(what, hint string) token {
	if p.tok.Kind != tokenName {
		p.fail(p.tok.Pos, hint, "expected %s, found %s", what, p.tok.Describe())
	}
	return p.advance()
}

// number reads a number, perhaps with a minus.
func (p *parser) number(hint string) int64 {
	pos := p.tok.Pos
	negative := p.accept("-")
	if p.tok.Kind != tokenNumber {
		p.fail(p.tok.Pos, hint, "expected a number, found %s", p.tok.Describe())
	}
	v, err := numberOf(p.tok, negative)
	if err != nil {
		p.fail(pos, "", "%v", err)
	}
	p.advance()
	return v
}

// process is the number in a name such as P0, or -1.
func process(t token) int {
	if t.Kind != tokenName || len(t.Text) < 2 || len(t.Text) > 4 || t.Text[0] != 'P' {
		return -1
	}
	n := 0
	for _, c := range []byte(t.Text[1:]) {
		if !text.IsDigit(c) {
			return -1
		}
		n = 10*n + int(c-'0')
	}
	return n
}

// exampleRegister is the name of some register.
func (p *parser) exampleRegister() string { return p.spell(0, register{exampleBase, part(p.wordBits)}) }

// exampleBase is a register that all processors have.
const exampleBase = 2

// processNumber reads P0 or 0, before a colon and a register.
func (p *parser) processNumber() (int, token) {
	t := p.tok
	n := process(t)
	if n >= 0 {
		p.advance()
	} else {
		v := p.number("")
		n = int(max(-1, min(v, maxThreads)))
	}
	p.expect(":", "a register is written 0:"+p.exampleRegister())
	return n, t
}

// register reads the name of a register of a thread, with or without a percent sign.
func (p *parser) register(thread int) register {
	p.accept("%")
	t := p.ident("a register", "")
	r, ok := p.find(thread, t.Text)
	if !ok {
		p.fail(t.Pos, p.hint(thread, t.Text), "%s is not a register of %s", t.Text, p.arch)
	}
	return r
}

// variableName refuses what cannot be told from a register in the program.
func (p *parser) variableName(t token) string {
	if p.taken(t.Text) {
		p.fail(t.Pos, "", "%s is the name of a register: a variable cannot have it", t.Text)
	}
	return t.Text
}
