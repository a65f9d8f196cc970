package litmus

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fencepost-verifier/fencepost/program"
)

type tokenKind uint8

const (
	tokenEOF tokenKind = iota
	tokenName
	tokenNumber
	tokenSymbol
)

// A token is a word of the source. Text is as the source has it.
type token struct {
	kind tokenKind
	text string
	pos  program.Position
	off  int
}

func (t token) is(symbol string) bool { return t.kind == tokenSymbol && t.text == symbol }

// describe is the token as an error message calls it.
func (t token) describe() string {
	if t.kind == tokenEOF {
		return "the end of the file"
	}
	return fmt.Sprintf("%q", t.text)
}

// maxWord bounds names and numbers, so that messages stay readable.
const maxWord = 100

// symbols are the tokens that are not words, longer ones first.
var symbols = []string{
	`/\`, `\/`, "=>", "==", "!=", "<>", "<<",
	"=", "~", "(", ")", "[", "]", "{", "}", ";", ":", ",", "|", "$", "%", "*", "&", "+", "-",
}

// A lexer cuts all but the header of a source into tokens. The initial state,
// the program and the condition have the same ones.
type lexer struct {
	src  *program.Source
	text string
	off  int
	line int
	bol  int // where the line begins
}

// newLexer refuses what is not text.
func newLexer(src *program.Source) *lexer {
	l := &lexer{src: src, text: src.Text, line: 1}
	for i, r := range l.text {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(l.text[i:]); n == 1 {
				l.fail(i, "the file is not UTF-8 text")
			}
		}
		if r == 0 {
			l.fail(i, "the file holds a NUL byte: it is not text")
		}
	}
	const byteOrderMark = "\ufeff"
	if strings.HasPrefix(l.text, byteOrderMark) {
		l.off = len(byteOrderMark)
	}
	return l
}

// fail is an error at any offset.
func (l *lexer) fail(off int, format string, args ...any) {
	before := l.text[:off]
	bol := strings.LastIndexByte(before, '\n') + 1
	pos := program.Position{Line: 1 + strings.Count(before, "\n"), Col: off - bol + 1}
	fail(l.src, pos, "", format, args...)
}

func (l *lexer) pos() program.Position {
	return program.Position{Line: l.line, Col: l.off - l.bol + 1}
}

// skip moves on by n bytes and counts the lines.
func (l *lexer) skip(n int) {
	for end := l.off + n; l.off < end; {
		l.off++
		if l.text[l.off-1] == '\n' {
			l.line++
			l.bol = l.off
		}
	}
}

// next is the token after white space and comments.
func (l *lexer) next() token {
	for l.blank() {
	}
	t := token{pos: l.pos(), off: l.off}
	rest := l.text[l.off:]
	switch {
	case rest == "":
		t.kind = tokenEOF
	case isLetter(rest[0]) || rest[0] == '.':
		t.kind = tokenName
		t.text = rest[:span(rest, func(c byte) bool { return isLetter(c) || isDigit(c) || c == '.' })]
	case isDigit(rest[0]):
		t.kind = tokenNumber
		t.text = rest[:span(rest, func(c byte) bool { return isLetter(c) || isDigit(c) })]
	default:
		t.kind = tokenSymbol
		for _, s := range symbols {
			if strings.HasPrefix(rest, s) {
				t.text = s
				break
			}
		}
		if t.text == "" {
			r, _ := utf8.DecodeRuneInString(rest)
			fail(l.src, t.pos, symbolHint(r), "unexpected character %q", r)
		}
	}
	if len(t.text) > maxWord {
		fail(l.src, t.pos, "", "a name or number of more than %d characters", maxWord)
	}
	l.off += len(t.text)
	return t
}

// blank skips white space or a comment and reports whether there was some.
// Comments nest.
func (l *lexer) blank() bool {
	rest := l.text[l.off:]
	n := span(rest, func(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' })
	switch {
	case n > 0:
		l.skip(n)
	case strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "#"):
		l.skip(lineLength(rest))
	case strings.HasPrefix(rest, "(*"):
		l.comment()
	default:
		return false
	}
	return true
}

func (l *lexer) comment() {
	start, depth := l.off, 0
	for {
		rest := l.text[l.off:]
		switch {
		case rest == "":
			l.fail(start, "this comment has no end: expected *)")
		case strings.HasPrefix(rest, "(*"):
			depth++
			l.skip(2)
		case strings.HasPrefix(rest, "*)"):
			depth--
			l.skip(2)
		default:
			l.skip(1)
		}
		if depth == 0 {
			return
		}
	}
}

// symbolHint knows what people write for lack of the ASCII form.
func symbolHint(r rune) string {
	switch r {
	case '≠':
		return "not equal is written !="
	case '¬', '!':
		return "negation is written not or ~"
	case '∧':
		return `conjunction is written /\`
	case '∨':
		return `disjunction is written \/`
	}
	return ""
}

func isLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }

// span is the length of the prefix of s whose bytes satisfy f.
func span(s string, f func(byte) bool) int {
	n := 0
	for n < len(s) && f(s[n]) {
		n++
	}
	return n
}

// lineLength is the length of the rest of the line at the beginning of s.
func lineLength(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}

// number is the value of a number token with its sign. What is too large for
// 64 bits signed, but not for 64 bits, is the number with the same bits.
func (t token) number(negative bool) (int64, error) {
	text := t.text
	if len(text) > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') {
		text = "0x" + text[2:]
	} else {
		// A leading zero does not make a number octal.
		text = strings.TrimLeft(text[:len(text)-1], "0") + text[len(text)-1:]
	}
	v, err := strconv.ParseUint(text, 0, 64)
	switch {
	case err == nil && negative && v > 1<<63, err != nil && err.(*strconv.NumError).Err == strconv.ErrRange:
		return 0, fmt.Errorf("%s does not fit into 64 bits", t.text)
	case err != nil || strings.Contains(text, "_"):
		return 0, fmt.Errorf("%q is not a number", t.text)
	case negative:
		return int64(-v), nil
	}
	return int64(v), nil
}
