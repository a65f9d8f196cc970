package litmus

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/lang/text"
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

// symbols are the tokens that are not words, longer ones first.
var symbols = []string{
	`/\`, `\/`, "=>", "==", "!=", "<>", "<<",
	"=", "~", "(", ")", "[", "]", "{", "}", ";", ":", ",", "|", "$", "%", "*", "&", "+", "-",
}

// A lexer cuts all but the header of a source into tokens. The initial state,
// the program and the condition have the same ones.
type lexer struct{ text.Scanner }

func newLexer(src *program.Source) *lexer { return &lexer{text.NewScanner(src)} }

// next is the token after white space and comments.
func (l *lexer) next() token {
	for l.blank() {
	}
	t := token{pos: l.Pos(), off: l.Off}
	rest := l.Rest()
	switch {
	case rest == "":
		t.kind = tokenEOF
	case text.IsLetter(rest[0]) || rest[0] == '.':
		t.kind = tokenName
		t.text = rest[:text.Span(rest, func(c byte) bool { return text.IsLetter(c) || text.IsDigit(c) || c == '.' })]
	case text.IsDigit(rest[0]):
		t.kind = tokenNumber
		t.text = rest[:text.Letters(rest)]
	default:
		t.kind = tokenSymbol
		t.text = l.Symbol(symbols, symbolHint)
	}
	l.Token(t.text)
	return t
}

// blank skips white space or a comment and reports whether there was some.
// Comments nest.
func (l *lexer) blank() bool {
	rest := l.Rest()
	n := text.Blanks(rest)
	switch {
	case n > 0:
		l.Skip(n)
	case strings.HasPrefix(rest, "//") || strings.HasPrefix(rest, "#"):
		l.Skip(text.LineLength(rest))
	case strings.HasPrefix(rest, "(*"):
		l.comment()
	default:
		return false
	}
	return true
}

func (l *lexer) comment() {
	start, depth := l.Off, 0
	for {
		rest := l.Rest()
		switch {
		case rest == "":
			l.FailAt(start, "this comment has no end: expected *)")
		case strings.HasPrefix(rest, "(*"):
			depth++
			l.Skip(2)
		case strings.HasPrefix(rest, "*)"):
			depth--
			l.Skip(2)
		default:
			l.Skip(1)
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
