package imp

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// Limits on what is read, far beyond what people write.
const (
	maxNesting  = 1000 // of statements and parentheses
	maxOperands = 2000 // of one expression
)

// A parser reads a file by recursive descent with one token of lookahead, and
// a second one where a label may begin.
type parser struct {
	reading
	include Include         // nil: there is nothing to include but what the source knows of
	within  []string        // the files that are being read, each one included by the one before it
	entered map[string]bool // the files that have been included
	size    int             // of them, in bytes
	consts  map[string]bool
	lists   []list // of statements outside of atomic blocks
	// inProperty changes what & and | mean and allows P@label and P.r.
	inProperty bool
	nesting    int
	operands   int // of the expression being read
}

func (p *parser) fail(pos program.Position, hint, format string, args ...any) {
	text.Fail(p.src, pos, hint, format, args...)
}

// newParser begins to read a text.
func newParser(src *program.Source, include Include) *parser {
	return &parser{reading: reading{src: src, tree: src, lex: newLexer(src)}, include: include,
		within: []string{filepath.Clean(src.Name)}, entered: map[string]bool{}, consts: map[string]bool{}}
}

// next is the next token of the file.
func (p *parser) next() token {
	t := p.lex.Next()
	t.Pos.File = p.file
	return t
}

func (p *parser) advance() token {
	p.last = p.tok
	if len(p.ahead) > 0 {
		p.tok, p.ahead = p.ahead[0], p.ahead[1:]
	} else {
		p.tok = p.next()
	}
	return p.last
}

func (p *parser) peek() token {
	if len(p.ahead) == 0 {
		p.ahead = append(p.ahead, p.next())
	}
	return p.ahead[0]
}

// accept advances past the token where it is text.
func (p *parser) accept(text string) bool {
	if p.tok.Is(text) {
		p.advance()
		return true
	}
	return false
}

// acceptWord is accept for a word that is special in one place only, and a name
// elsewhere.
func (p *parser) acceptWord(text string) bool {
	if p.tok.Kind == tokenName && p.tok.Text == text {
		p.advance()
		return true
	}
	return false
}

func (p *parser) expect(text string) token {
	if !p.tok.Is(text) {
		p.unexpected(fmt.Sprintf("%q", text), "")
	}
	return p.advance()
}

// unexpected is the error that the token is not what was expected.
func (p *parser) unexpected(expected, hint string) {
	p.fail(p.tok.Pos, hint, "expected %s, found %s", expected, p.tok.Describe())
}

// closing expects the word that ends what open began.
func (p *parser) closing(word string, open token) token {
	if !p.tok.Is(word) {
		expected := fmt.Sprintf(" or %q", word)
		if open.Is("choose") {
			expected = `, "[]"` + expected
		}
		switch p.last.Text {
		case ";", "begin", "then", "else", "do", "choose", "[]":
			expected = "a statement" + expected
		default:
			expected = `";"` + expected
		}
		p.unexpected(expected, fmt.Sprintf("%q closes the %q at %s", word, open.Text, spot(open.Pos)))
	}
	return p.advance()
}

func (p *parser) name(what string) token {
	if p.tok.Kind == tokenKeyword {
		p.unexpected(what, fmt.Sprintf("%q is a word of the language", p.tok.Text))
	}
	if p.tok.Kind != tokenName {
		p.unexpected(what, "")
	}
	return p.advance()
}

// label = name | digit { digit } .
func (p *parser) label(what string) label {
	if p.tok.Kind == tokenNumber {
		t := p.advance()
		if text.Span(t.Text, text.IsDigit) < len(t.Text) {
			p.fail(t.Pos, "", "a label is a name or a decimal number, not %s", t.Text)
		}
		return label{t.Pos, t.Text}
	}
	t := p.name(what)
	return label{t.Pos, t.Text}
}

// enter and leave count the nesting, which bounds every recursion.
func (p *parser) enter() {
	if p.nesting++; p.nesting > maxNesting {
		p.fail(p.tok.Pos, "", "nested more than %d levels deep", maxNesting)
	}
}

func (p *parser) leave() { p.nesting-- }

// itemWords begin what a file consists of.
const itemWords = "const variables process procedure forbid exists forall include"

// program = "program" name [";"] items .
func (p *parser) program() *file {
	p.advance()
	if p.tok.Kind == tokenEOF {
		p.fail(p.tok.Pos, "a program begins with: program Name", "the file is empty")
	}
	f := &file{at: p.tok.Pos}
	if !p.tok.Is("program") && p.tok.Kind == tokenKeyword && slices.Contains(strings.Fields(itemWords), p.tok.Text) {
		p.unexpected(`"program"`, "a program begins with: program Name; this may be a file that programs include, which is not checked by itself")
	}
	p.expect("program")
	f.name = p.name("the name of the program").Text
	p.accept(";")
	p.items(f)
	return f
}

// fragment is what a file has that programs include.
func (p *parser) fragment() *file {
	p.advance()
	f := &file{at: p.tok.Pos}
	p.items(f)
	return f
}

// items = { const | variables | process | procedure | property | included } .
func (p *parser) items(f *file) {
	for p.tok.Kind != tokenEOF {
		switch {
		case p.tok.Is("include"):
			p.included(f)
		case p.tok.Is("const"):
			f.consts = append(f.consts, p.constants()...)
		case p.tok.Is("variables"):
			p.advance()
			f.vars = append(f.vars, p.variables(true)...)
		case p.tok.Is("process"):
			f.procs = append(f.procs, p.process())
		case p.tok.Is("procedure"):
			f.subs = append(f.subs, p.procedure())
		case p.tok.Is("forbid"), p.tok.Is("exists"), p.tok.Is("forall"),
			p.tok.Is("~"), p.tok.Is("!"), p.tok.Is("not"):
			f.props = append(f.props, p.property())
		default:
			hint := foreignWord(p.tok.Text, p.peek())
			if hint == "" {
				hint = text.DidYouMean(p.tok.Text, strings.Fields(itemWords))
			}
			p.unexpected("const, variables, process, procedure, forbid, exists, forall, include or the end of the file", hint)
		}
	}
}

// constants = "const" name "=" expr { "," name "=" expr } [";"] .
func (p *parser) constants() []*constant {
	p.advance()
	var cs []*constant
	for {
		n := p.name("the name of the constant")
		p.expect("=")
		cs = append(cs, &constant{at: n.Pos, name: n.Text, value: p.expr()})
		p.consts[n.Text] = true
		if !p.accept(",") {
			p.accept(";")
			return cs
		}
	}
}

var types = map[string]program.Type{
	"bool": program.BoolType, "int8": program.Int8Type, "int16": program.Int16Type,
	"int32": program.Int32Type, "int64": program.Int64Type,
	"uint8": {Bits: 8}, "uint16": {Bits: 16}, "uint32": {Bits: 32}, "uint64": program.Uint64Type,
}

const typeWords = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64"

// typeOf is the type that stands here, or an int32 where none does.
func (p *parser) typeOf() program.Type {
	t, ok := types[p.tok.Text]
	if !ok || p.tok.Kind != tokenKeyword {
		return program.Int32Type
	}
	p.advance()
	return t
}

// variables = group { "," group } [";"] ; where shared is true a ";" may also
// stand between groups.
func (p *parser) variables(shared bool) []*variables {
	gs := []*variables{p.group()}
	for {
		switch {
		case p.accept(","):
		case p.accept(";"):
			if _, typ := types[p.tok.Text]; !shared || p.tok.Kind != tokenName && !typ {
				return gs
			}
		default:
			if p.tok.Kind == tokenName {
				// The name before it may be a word of the language, mistyped; or this one is, at the end of the list.
				hint := foreignWord(p.last.Text, p.tok)
				if hint == "" {
					hint = foreignWord(p.tok.Text, p.peek())
				}
				if hint == "" {
					hint = text.DidYouMean(p.last.Text, strings.Fields(itemWords+" begin "+typeWords))
				}
				if hint == "" {
					hint = text.DidYouMean(p.tok.Text, strings.Fields(itemWords+" begin"))
				}
				if hint == "" {
					hint = "the types are " + typeWords
				}
				p.unexpected(`"," or ";"`, hint)
			}
			return gs
		}
		gs = append(gs, p.group())
	}
}

// group = [type] variable { "=" variable } [ "=" ( expr | "{" expr { "," expr } "}" ) ] .
// variable = name { "[" expr "]" } .
//
// After "=", a name is one more variable of the chain unless it is a constant.
func (p *parser) group() *variables {
	g := &variables{at: p.tok.Pos}
	g.typ = p.typeOf()
	for {
		n := p.name("the name of a variable")
		v := variable{at: n.Pos, name: n.Text}
		for p.accept("[") {
			v.sizes = append(v.sizes, p.expr())
			p.expect("]")
		}
		g.vars = append(g.vars, v)
		switch {
		case !p.accept("="):
			if len(g.vars) > 1 {
				p.unexpected(fmt.Sprintf(`"=" and the initial value of %s`, v.name), "")
			}
			return g
		case p.accept("{"):
			g.list = []expr{p.initial()}
			for p.accept(",") {
				g.list = append(g.list, p.initial())
			}
			p.expect("}")
			return g
		case p.tok.Kind != tokenName || p.consts[p.tok.Text]:
			g.init = p.initial()
			if p.tok.Is("=") {
				p.unexpected(`"," or ";"`, "an initial value ends the chain, and so does the name of a constant")
			}
			return g
		}
	}
}

// initial is an initial value: an expression without comparisons, or else
// x = N = 0 would compare the constant N.
func (p *parser) initial() expr {
	p.operands = 0
	p.enter()
	defer p.leave()
	return p.level(comparisons + 1)
}

// process = "process" name [ "[" name "in" expr ".." expr "]" ] { local }
// "begin" { local } statements "end" [";"] .
func (p *parser) process() *process {
	p.advance()
	n := p.name("the name of the process")
	pr := &process{at: n.Pos, name: n.Text}
	if p.accept("[") {
		param := p.name("the name of the index")
		pr.param, pr.paramAt = param.Text, param.Pos
		p.expect("in")
		pr.lo = p.expr()
		p.expect("..")
		pr.hi = p.expr()
		p.expect("]")
		if !p.consts[pr.param] {
			// In the locals of the process it may begin an initial value.
			p.consts[pr.param] = true
			defer delete(p.consts, pr.param)
		}
	}
	pr.locals, pr.body, pr.end = p.body()
	return pr
}

// body = { local } "begin" { local } statements "end" [";"] .
func (p *parser) body() (locals []*variables, ss []*stmt, end program.Position) {
	declarations := func() {
		for p.tok.Is("local") {
			p.advance()
			locals = append(locals, p.variables(false)...)
		}
	}
	declarations()
	begin := p.expect("begin")
	declarations()
	ss = p.statements()
	end = p.closing("end", begin).Pos
	p.accept(";")
	return locals, ss, end
}

// procedure = "procedure" name "(" [ param { "," param } ] ")" body .
// param = "var" name | [type] name .
func (p *parser) procedure() *procedure {
	p.advance()
	n := p.name("the name of the procedure")
	pr := &procedure{at: n.Pos, name: n.Text}
	p.expect("(")
	for !p.tok.Is(")") {
		if len(pr.params) > 0 {
			p.expect(",")
		}
		// A parameter may be called var.
		isVar := p.tok.Kind == tokenName && p.tok.Text == "var" && p.peek().Kind == tokenName && p.acceptWord("var")
		typ := p.typeOf()
		n := p.name("the name of a parameter")
		pr.params = append(pr.params, param{n.Pos, n.Text, typ, isVar})
	}
	p.advance()
	pr.locals, pr.body, pr.end = p.body()
	return pr
}

// property = "forbid" ( "deadlock" | "hang" | condition ) | [not] "exists" condition
// | "forall" condition .
// condition = expr [ "for" ( expr | "all" [ "where" expr ] ) ] [";"] .
func (p *parser) property() *property {
	from := p.tok
	pr := &property{at: p.tok.Pos}
	switch p.advance().Text {
	case "forbid":
		pr.kind = program.Forbid
		if p.accept("deadlock") {
			pr.kind = program.Deadlock
		}
		pr.hang = p.tok.Kind == tokenName && p.tok.Text == "hang" && slices.Contains([]string{"", ";", "forbid", "exists", "forall", "~", "not", "!"}, p.peek().Text)
	case "exists":
		pr.kind = program.Exists
	case "forall":
		pr.kind = program.Forall
	default:
		p.expect("exists")
		pr.kind = program.Exists
	}
	if pr.kind != program.Deadlock {
		p.inProperty = true
		pr.cond = p.expr()
		if p.accept("for") {
			if pr.all = p.acceptWord("all"); !pr.all || p.acceptWord("where") {
				pr.filter = p.expr()
			}
		}
		p.inProperty = false
	}
	pr.text = oneLine(p.src, from.Off, p.last.End)
	p.accept(";")
	return pr
}
