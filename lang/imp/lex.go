package imp

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
	tokenKeyword
	tokenSymbol
)

// A token is a word of the source. Text is as the source has it; for a number
// that is what a label needs.
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
		return fmt.Sprintf("the name %q", t.text)
	case tokenNumber:
		return "the number " + t.text
	}
	return fmt.Sprintf("%q", t.text)
}

// maxWord bounds names and numbers, so that messages stay readable.
const maxWord = 100

var keywords = map[string]bool{}

func init() {
	for _, k := range strings.Fields(`
		program const variables process in local begin end
		if then elif else fi while for to do od goto choose
		skip fence lock unlock atomic await assume assert
		true false and or not any cas xchg fetch_add
		int8 int16 int32 int64 bool
		forbid exists forall deadlock`) {
		keywords[k] = true
	}
}

// symbols are the tokens that are not words, longer ones first. The empty
// brackets are one token: they separate the branches of a choose, and a name
// may stand before them.
var symbols = []string{
	":=", "==", "!=", "<=", ">=", "<<", ">>", "..", "[]", "||", "&&",
	":", ";", ",", ".", "@", "(", ")", "[", "]", "{", "}",
	"=", "<", ">", "|", "^", "&", "+", "-", "*", "/", "%", "~", "!",
}

// A lexer cuts a source into tokens.
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

// fail is an error at an offset before which the lexer need not have been.
func (l *lexer) fail(off int, format string, args ...any) {
	before := l.text[:off]
	bol := strings.LastIndexByte(before, '\n') + 1
	pos := program.Position{Line: 1 + strings.Count(before, "\n"), Col: off - bol + 1}
	fail(l.src, pos, "", format, args...)
}

// next is the token after white space and comments.
func (l *lexer) next() token {
	l.blank()
	t := token{pos: program.Position{Line: l.line, Col: l.off - l.bol + 1}, off: l.off}
	rest := l.text[l.off:]
	switch {
	case rest == "":
		t.kind = tokenEOF
	case isLetter(rest[0]):
		t.text = rest[:span(rest, func(c byte) bool { return isLetter(c) || isDigit(c) })]
		t.kind = tokenName
		if keywords[t.text] {
			t.kind = tokenKeyword
		}
	case isDigit(rest[0]):
		t.text = rest[:span(rest, func(c byte) bool { return isLetter(c) || isDigit(c) })]
		t.kind = tokenNumber
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
	t.end = l.off
	return t
}

// blank skips white space and comments.
func (l *lexer) blank() {
	for l.off < len(l.text) {
		rest := l.text[l.off:]
		switch {
		case rest[0] == '\n':
			l.newline(l.off)
			l.off++
		case rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r':
			l.off++
		case strings.HasPrefix(rest, "//"):
			n := strings.IndexByte(rest, '\n')
			if n < 0 {
				n = len(rest)
			}
			l.off += n
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest[2:], "*/")
			if n < 0 {
				l.fail(l.off, "this comment has no end: expected */")
			}
			end := l.off + 2 + n + 2
			for ; l.off < end; l.off++ {
				if l.text[l.off] == '\n' {
					l.newline(l.off)
				}
			}
		default:
			return
		}
	}
}

func (l *lexer) newline(off int) {
	l.line++
	l.bol = off + 1
}

// symbolHint knows what people write for lack of the ASCII form.
func symbolHint(r rune) string {
	switch r {
	case '≠':
		return "not equal is written !="
	case '≤':
		return "at most is written <="
	case '≥':
		return "at least is written >="
	case '¬':
		return "negation is written not"
	case '∧':
		return "conjunction is written and"
	case '∨':
		return "disjunction is written or"
	case '#':
		return "a comment begins with //"
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

// number is the value of a number token. It is unsigned so that the smallest
// integer can be written: the caller knows of a minus sign.
func (t token) number() (uint64, error) {
	if len(t.text) > 1 && t.text[0] == '0' && !strings.ContainsRune("xXbB", rune(t.text[1])) {
		return 0, fmt.Errorf("%q is not a number: only 0x and 0b go before the digits", t.text)
	}
	v, err := strconv.ParseUint(t.text, 0, 64)
	if err == nil {
		return v, nil
	}
	if err.(*strconv.NumError).Err == strconv.ErrRange {
		return 0, fmt.Errorf("%s does not fit into 64 bits", t.text)
	}
	return 0, fmt.Errorf("%q is not a number", t.text)
}

// oneLine is the text between two offsets without comments and line ends.
func oneLine(src *program.Source, from, to int) string {
	l := &lexer{src: src, text: src.Text[:to], off: from, line: 1}
	var b strings.Builder
	for end := from; ; {
		t := l.next()
		if t.kind == tokenEOF {
			return b.String()
		}
		if t.off > end {
			b.WriteByte(' ')
		}
		b.WriteString(t.text)
		end = t.end
	}
}
