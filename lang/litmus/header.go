package litmus

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// header reads what comes before the initial state: the title, the quoted text
// below it, and lines such as Cycle=Rfe Fre, which are for people and other
// tools.
func (p *parser) header() {
	l := p.lex
	for l.blank() {
	}
	p.archAt = l.pos()
	rest := l.text[l.off:]
	p.arch = rest[:span(rest, func(c byte) bool { return isLetter(c) || isDigit(c) })]
	switch {
	case len(p.arch) > maxWord || p.arch == "":
		p.fail(p.archAt, "the first line is such as: X86_64 SB", "this is no litmus test: it does not begin with an architecture")
	case !slices.Contains(architectures, p.arch):
		p.fail(p.archAt, program.OneOf(p.arch, architectures, "architectures that can be read"), "the architecture %s is not supported", p.arch)
	}
	l.skip(len(p.arch))
	l.skip(spaces(l.text[l.off:]))
	rest = l.text[l.off:]
	p.name = rest[:span(rest, func(c byte) bool { return c > ' ' && c != '{' && c != '"' && c != ';' })]
	if p.name == "" {
		p.fail(l.pos(), "the first line is such as: X86_64 SB", "the test has no name")
	}
	l.skip(len(p.name))
	if p.name == "--" {
		p.name = strings.TrimSuffix(filepath.Base(p.src.Name), filepath.Ext(p.src.Name))
	}
	p.doc()
	p.info()
}

// spaces is the length of the white space at the beginning of s, within a line.
func spaces(s string) int {
	return span(s, func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' })
}

// doc reads the quoted text, on the line of the title or the one below.
func (p *parser) doc() {
	l := p.lex
	rest := l.text[l.off:]
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
		l.fail(l.off+n, `this text has no end: expected "`)
	}
	p.docText = rest[n+1 : n+1+end]
	l.skip(n + end + 2)
}

// info skips everything up to the brace of the initial state.
func (p *parser) info() {
	l := p.lex
	for {
		rest := l.text[l.off:]
		n := lineLength(rest)
		switch {
		case rest == "":
			p.fail(l.pos(), "it stands between braces before the program: { x=0; }", "the test has no initial state")
		case strings.HasPrefix(rest, "(*"):
			l.comment()
		case rest[0] == '{':
			l.skip(1)
			return
		case rest[0] <= ' ':
			l.skip(1)
		case isInfo(rest[:n]):
			l.skip(n)
		default:
			// The brace may stand on the line of something else.
			l.skip(max(1, span(rest[:n], func(c byte) bool { return c != '{' })))
		}
	}
}

// isInfo is true of a line such as Cycle=Rfe Fre.
func isInfo(line string) bool {
	if line == "" || !isLetter(line[0]) {
		return false
	}
	n := span(line, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' || c == '.' || c == '/' })
	return strings.HasPrefix(strings.TrimLeft(line[n:], " \t"), "=")
}
