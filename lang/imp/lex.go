package imp

import (
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// The tokens of the language. A number's text is as the source has it: that is what a
// label needs.
type token = text.Token

const (
	tokenEOF     = text.EOF
	tokenName    = text.Name
	tokenNumber  = text.Number
	tokenKeyword = text.Keyword
	tokenSymbol  = text.Symbol
	tokenString  = text.String
)

var keywords = map[string]bool{}

func init() {
	for _, k := range strings.Fields(`
		program include const variables process procedure in local begin end
		if then elif else fi while for to do od goto choose
		break continue return
		skip fence sfence lock unlock atomic await assume assert
		true false and or not any
		cas xchg fetch_add fetch_sub fetch_or fetch_and fetch_xor
		int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool
		forbid exists forall deadlock`) {
		keywords[k] = true
	}
}

// symbols are the tokens that are not words, longer ones first. The empty
// brackets are one token: they separate the branches of a choose, and a name
// may stand before them.
var symbols = []string{
	"<<=", ">>=",
	":=", "==", "!=", "<=", ">=", "<<", ">>", "..", "[]", "||", "&&",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=",
	":", ";", ",", ".", "@", "(", ")", "[", "]", "{", "}",
	"=", "<", ">", "|", "^", "&", "+", "-", "*", "/", "%", "~", "!",
}

var syntax = text.Syntax{
	Lines: []string{"//"},
	Open:  "/*", Close: "*/",
	Name: func(s string) int {
		if !text.IsLetter(s[0]) {
			return 0
		}
		return text.Letters(s)
	},
	Numbers: true,
	Strings: true,
	Keyword: func(s string) bool { return keywords[s] },
	Symbols: symbols,
	Hint:    symbolHint,
}

func newLexer(src *program.Source) *text.Lexer { return text.NewLexer(src, &syntax) }

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

// numberOf is the value of a number token. It is unsigned so that the smallest
// integer can be written: the caller knows of a minus sign.
func numberOf(t token) (uint64, error) {
	if len(t.Text) > 1 && t.Text[0] == '0' && !strings.ContainsRune("xXbB", rune(t.Text[1])) {
		return 0, fmt.Errorf("%q is not a number: only 0x and 0b go before the digits", t.Text)
	}
	return t.Value(t.Text)
}

// oneLine is the text between two offsets without comments and line ends.
func oneLine(src *program.Source, from, to int) string {
	l := &text.Lexer{Scanner: text.Within(src, from, to), Syntax: &syntax}
	var b strings.Builder
	for end := from; ; {
		t := l.Next()
		if t.Kind == tokenEOF {
			return b.String()
		}
		if t.Off > end {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
		end = t.End
	}
}
