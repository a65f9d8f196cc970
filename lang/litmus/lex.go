package litmus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// The tokens of the language: the initial state, the program and the condition have the
// same ones; the header is cut otherwise.
type token = text.Token

const (
	tokenEOF    = text.EOF
	tokenName   = text.Name
	tokenNumber = text.Number
	tokenSymbol = text.Symbol
)

// symbols are the tokens that are not words, longer ones first.
var symbols = []string{
	`/\`, `\/`, "=>", "==", "!=", "<>", "<<",
	"=", "~", "(", ")", "[", "]", "{", "}", ";", ":", ",", "|", "$", "%", "*", "&", "+", "-",
}

var syntax = text.Syntax{
	Lines: []string{"//", "#"},
	Open:  "(*", Close: "*)", Nest: true,
	Name: func(s string) int {
		if text.IsDigit(s[0]) {
			return 0
		}
		return text.Span(s, func(c byte) bool { return text.IsLetter(c) || text.IsDigit(c) || c == '.' })
	},
	Numbers: true,
	Symbols: symbols,
	Hint:    symbolHint,
}

// hashSyntax is that of assemblers that write immediate operands with #.
var hashSyntax = func() text.Syntax {
	s := syntax
	s.Lines = []string{"//"}
	s.Strings = true // label:"P0:L1"
	s.Symbols = append(slices.Clone(symbols), "#", "!")
	return s
}()

func newLexer(src *program.Source) *text.Lexer { return text.NewLexer(src, &syntax) }

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

// numberOf is the value of a number token with its sign. What is too large for
// 64 bits signed, but not for 64 bits, is the number with the same bits.
func numberOf(t token, negative bool) (int64, error) {
	digits := t.Text
	if len(digits) > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X') {
		digits = "0x" + digits[2:]
	} else {
		// A leading zero does not make a number octal.
		digits = strings.TrimLeft(digits[:len(digits)-1], "0") + digits[len(digits)-1:]
	}
	v, err := t.Value(digits)
	switch {
	case err != nil:
		return 0, err
	case strings.Contains(digits, "_"):
		return 0, fmt.Errorf("%q is not a number", t.Text)
	case negative && v > 1<<63:
		return 0, fmt.Errorf("%s does not fit into 64 bits", t.Text)
	case negative:
		return int64(-v), nil
	}
	return int64(v), nil
}
