package litmus

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/internal/text"
)

// header reads what comes before the initial state: the title, the quoted text
// below it, and lines such as Cycle=Rfe Fre, which are for people and other
// tools.
func (p *parser) header() {
	l := p.lex
	for l.Blank() {
	}
	p.archAt = l.Pos()
	rest := l.Rest()
	name := rest[:text.Letters(rest)]
	// A word of a program, as in "program P" or "int x;".
	program := name != "" && 'a' <= name[0] && name[0] <= 'z' && !slices.ContainsFunc(architectureNames(), func(a string) bool { return strings.EqualFold(a, name) })
	switch {
	case len(name) > text.MaxWord || name == "" || program:
		p.fail(p.archAt, "the first line is such as: X86_64 SB; programs are for fencepost check and fencepost states", "this is no litmus test: it does not begin with an architecture")
	case !slices.Contains(architectureNames(), name):
		p.fail(p.archAt, suggest.OneOf(name, architectureNames(), "architectures that can be read"), "the architecture %s is not supported", name)
	}
	p.architecture = architectures[slices.Index(architectureNames(), name)]
	p.arch, l.Syntax = name, p.architecture.syntax
	p.dialect = p.speak(p)
	l.Skip(len(name))
	l.Skip(spaces(l.Rest()))
	rest = l.Rest()
	p.name = rest[:text.Span(rest, func(c byte) bool { return c > ' ' && c != '{' && c != '"' && c != ';' })]
	if p.name == "" {
		p.fail(l.Pos(), "the first line is such as: X86_64 SB", "the test has no name")
	}
	l.Skip(len(p.name))
	if p.name == "--" {
		p.name = strings.TrimSuffix(filepath.Base(p.src.Name), filepath.Ext(p.src.Name))
	}
	// herd7 calls such a test by what is before it.
	if short := strings.TrimSuffix(p.name, ".litmus"); short != "" {
		p.name = short
	}
	p.doc()
	p.info()
}

// spaces is the length of the white space at the beginning of s, within a line.
func spaces(s string) int {
	return text.Span(s, func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' })
}

// doc reads the quoted text, on the line of the title or the one below.
func (p *parser) doc() {
	l := p.lex
	rest := l.Rest()
	n := spaces(rest)
	if n < len(rest) && rest[n] == '\n' {
		n++
		n += spaces(rest[n:])
	}
	if n == len(rest) || rest[n] != '"' {
		return
	}
	end := strings.IndexByte(rest[n+1:], '"')
	if end < 0 {
		l.FailAt(l.Off+n, `this text has no end: expected "`)
	}
	p.docText = rest[n+1 : n+1+end]
	l.Skip(n + end + 2)
}

// info skips everything up to the brace of the initial state.
func (p *parser) info() {
	l := p.lex
	for {
		rest := l.Rest()
		n := text.LineLength(rest)
		switch {
		case rest == "":
			p.fail(l.Pos(), "it stands between braces before the program: { x=0; }", "the test has no initial state")
		case strings.HasPrefix(rest, "(*"):
			l.Comment()
		case rest[0] == '{':
			l.Skip(1)
			return
		case rest[0] <= ' ':
			l.Skip(1)
		case isInfo(rest[:n]):
			l.Skip(n)
		default:
			// The brace may stand on the line of something else.
			l.Skip(max(1, text.Span(rest[:n], func(c byte) bool { return c != '{' })))
		}
	}
}

// isInfo is true of a line such as Cycle=Rfe Fre.
func isInfo(line string) bool {
	if line == "" || !text.IsLetter(line[0]) {
		return false
	}
	n := text.Span(line, func(c byte) bool { return text.IsLetter(c) || text.IsDigit(c) || c == '-' || c == '.' || c == '/' })
	return strings.HasPrefix(strings.TrimLeft(line[n:], " \t"), "=")
}
