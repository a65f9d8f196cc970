package cat

import (
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// The tokens of the language.
type token = text.Token

const (
	tokenEOF     = text.EOF
	tokenName    = text.Name
	tokenKeyword = text.Keyword
	tokenString  = text.String
	tokenSymbol  = text.Symbol
)

// describe is the token as an error message calls it; what is from a model stands
// between single quotes in these.
func describe(t token) string {
	switch t.Kind {
	case tokenEOF, tokenString:
		return t.Describe()
	case tokenName:
		if isTag(t) {
			return "the tag " + t.Text
		}
		return "the name '" + t.Text + "'"
	}
	return "'" + t.Text + "'"
}

var keywords = words("let rec and in as acyclic irreflexive empty flag include show unshow " +
	"if then else end begin match with try fun from forall do when procedure call enum instructions default " +
	"undefined_unless assert debug catdep subset not events")

func words(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}
	return m
}

// symbols are the tokens that are not words, longer ones first.
var symbols = []string{
	"^-1", "^+", "^*", "||", "++", "->", "&&", "-1",
	"|", "&", `\`, ";", "*", "+", "?", "~", "^", "=", ",", "(", ")", "[", "]", "{", "}", "_", "0",
}

var syntax = text.Syntax{
	Lines: []string{"#", "//"},
	Open:  "(*", Close: "*)", Nest: true,
	Name:    nameLength,
	Strings: true,
	Keyword: func(s string) bool { return keywords[s] },
	Symbols: symbols,
	Hint: func(r rune) string {
		if r == '\'' {
			return "a tag is a name with a ' before it"
		}
		return ""
	},
	Other: [2]string{"/*", "*/"},
}

// lex cuts the source into tokens; the last one is the end of the file.
func lex(src *program.Source) (tokens []token, err error) {
	defer text.Recover(&err)
	l := text.NewLexer(src, &syntax)
	for {
		t := l.Next()
		tokens = append(tokens, t)
		if t.Kind == tokenEOF {
			return tokens, nil
		}
	}
}

// nameLength is how many bytes of s are a name, or a tag: a name with a prime before it.
func nameLength(s string) int {
	if strings.HasPrefix(s, "'") {
		if n := plainNameLength(s[1:]); n > 0 {
			return 1 + n
		}
		return 0
	}
	return plainNameLength(s)
}

// isTag is true of a name with a prime before it.
func isTag(t token) bool { return t.Kind == tokenName && t.Text[0] == '\'' }

// plainNameLength is how many bytes of s are a name: letters and digits with '_',
// '.' and '-' among them, possibly with '_' before and a prime after them.
func plainNameLength(s string) int {
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
