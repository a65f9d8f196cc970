package cat

import (
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

type tokenKind uint8

const (
	tokenEOF tokenKind = iota
	tokenName
	tokenKeyword
	tokenString // text is what stands between the quotes
	tokenSymbol
)

// A token is a word of the source.
type token struct {
	kind     tokenKind
	text     string
	pos      program.Position
	off, end int // the bytes of the source that it takes up
}

func (t token) is(text string) bool {
	return t.text == text && (t.kind == tokenKeyword || t.kind == tokenSymbol)
}

// describe is the token as an error message calls it.
func (t token) describe() string {
	switch t.kind {
	case tokenEOF:
		return "the end of the file"
	case tokenName:
		return "the name '" + t.text + "'"
	case tokenString:
		return "a string"
	}
	return "'" + t.text + "'"
}

var keywords = map[string]bool{
	"let": true, "rec": true, "and": true, "in": true, "as": true,
	"acyclic": true, "irreflexive": true, "empty": true,
	"flag": true, "include": true, "show": true, "unshow": true,
}

// foreign are the words of cat that begin what this package does not read.
var foreign = map[string]string{
	"if": "conditionals", "then": "conditionals", "else": "conditionals",
	"match": "pattern matching", "with": "pattern matching", "enum": "enumerations",
	"fun": "anonymous functions", "procedure": "procedures", "call": "procedures",
	"forall": "iteration", "do": "iteration", "from": "iteration", "yield": "iteration",
	"try": "alternatives for names that may not exist", "when": "conditional fixpoints",
	"instructions": "declarations of instructions", "default": "declarations of instructions",
	"undefined_unless": "axioms about undefined behaviour", "debug": "debugging output",
	"begin": "brackets in words", "end": "brackets in words",
	"subset": "conditionals", "compat": "compatibility models",
}

// symbols are the tokens that are not words, longer ones first.
var symbols = []string{
	"^-1", "^+", "^*", "||", "++", "->",
	"|", "&", `\`, ";", "*", "+", "?", "~", "^", "=", ",", "(", ")", "[", "]", "{", "}", "_", "0",
}

type lexer struct {
	src  *program.Source
	text string
	off  int
	line int
	bol  int // where the line begins
}

func (l *lexer) pos() program.Position {
	return program.Position{Line: l.line, Col: l.off - l.bol + 1}
}

func (l *lexer) newline(at int) {
	l.line++
	l.bol = at + 1
}

// lex cuts the source into tokens; the last one is the end of the file.
func lex(src *program.Source) ([]token, error) {
	l := &lexer{src: src, text: src.Text, line: 1}
	var tokens []token
	for {
		t, err := l.next()
		if err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
		if t.kind == tokenEOF {
			return tokens, nil
		}
	}
}

func (l *lexer) next() (token, error) {
	if err := l.skip(); err != nil {
		return token{}, err
	}
	t := token{pos: l.pos(), off: l.off, end: l.off}
	if l.off == len(l.text) {
		return t, nil
	}
	rest := l.text[l.off:]
	switch n := nameLength(rest); {
	case n > 0:
		t.kind, t.text = tokenName, rest[:n]
		if keywords[t.text] || foreign[t.text] != "" {
			t.kind = tokenKeyword
		}
		l.off += n
	case rest[0] == '"':
		n := strings.IndexAny(rest[1:], "\"\n")
		if n < 0 || rest[1+n] == '\n' {
			return token{}, l.errorf(t.pos, "", "the string does not end on its line")
		}
		t.kind, t.text = tokenString, rest[1:1+n]
		l.off += n + 2
	case rest[0] == '\'':
		return token{}, l.errorf(t.pos, "", "tags are not supported")
	default:
		for _, s := range symbols {
			if strings.HasPrefix(rest, s) {
				t.kind, t.text = tokenSymbol, s
				l.off += len(s)
				break
			}
		}
		if t.kind != tokenSymbol {
			for _, r := range rest {
				return token{}, l.errorf(t.pos, "", "%q has no meaning here", r)
			}
		}
	}
	t.end = l.off
	return t, nil
}

// nameLength is how many bytes of s are a name: letters and digits with '_',
// '.' and '-' among them, possibly with '_' before and a prime after them.
func nameLength(s string) int {
	letter := func(i int) bool {
		return i < len(s) && (s[i]|0x20 >= 'a' && s[i]|0x20 <= 'z')
	}
	n := 0
	if strings.HasPrefix(s, "_") {
		n++
	}
	if !letter(n) {
		return 0
	}
	for letter(n) || n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '_' || s[n] == '.' || s[n] == '-') {
		n++
	}
	if n < len(s) && s[n] == '\'' {
		n++
	}
	return n
}

// skip passes over space and comments.
func (l *lexer) skip() error {
	for l.off < len(l.text) {
		rest := l.text[l.off:]
		switch {
		case rest[0] == '\n':
			l.newline(l.off)
			l.off++
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			l.off++
		case rest[0] == '#' || strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			l.off += n
		case strings.HasPrefix(rest, "(*"):
			if err := l.comment(); err != nil {
				return err
			}
		default:
			return nil
		}
	}
	return nil
}

// comment passes over a comment and those nested in it.
func (l *lexer) comment() error {
	start := l.pos()
	depth := 0
	for l.off < len(l.text) {
		rest := l.text[l.off:]
		switch {
		case strings.HasPrefix(rest, "(*"):
			depth++
			l.off += 2
		case strings.HasPrefix(rest, "*)"):
			depth--
			l.off += 2
			if depth == 0 {
				return nil
			}
		default:
			if rest[0] == '\n' {
				l.newline(l.off)
			}
			l.off++
		}
	}
	return l.errorf(start, "comments nest: every '(*' needs a '*)' of its own", "the comment does not end")
}

func (l *lexer) errorf(pos program.Position, hint, format string, args ...any) error {
	return &program.Diagnostic{Source: l.src, Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint}
}
