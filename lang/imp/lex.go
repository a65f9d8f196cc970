package imp

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
	case text.IsLetter(rest[0]):
		t.text = rest[:text.Letters(rest)]
		t.kind = tokenName
		if keywords[t.text] {
			t.kind = tokenKeyword
		}
	case text.IsDigit(rest[0]):
		t.text = rest[:text.Letters(rest)]
		t.kind = tokenNumber
	default:
		t.kind = tokenSymbol
		t.text = l.Symbol(symbols, symbolHint)
	}
	l.Token(t.text)
	t.end = l.Off
	return t
}

// blank skips white space or a comment and reports whether there was some.
func (l *lexer) blank() bool {
	rest := l.Rest()
	n := text.Blanks(rest)
	switch {
	case n > 0:
	case strings.HasPrefix(rest, "//"):
		n = text.LineLength(rest)
	case strings.HasPrefix(rest, "/*"):
		end := strings.Index(rest[2:], "*/")
		if end < 0 {
			l.FailAt(l.Off, "this comment has no end: expected */")
		}
		n = 2 + end + 2
	default:
		return false
	}
	l.Skip(n)
	return true
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
	l := &lexer{text.Within(src, from, to)}
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
