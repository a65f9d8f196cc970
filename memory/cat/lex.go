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
		return "the name '" + t.Text + "'"
	}
	return "'" + t.Text + "'"
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

var syntax = text.Syntax{
	Lines: []string{"#", "//"},
	Open:  "(*", Close: "*)", Nest: true,
	Name:    nameLength,
	Strings: true,
	Keyword: func(s string) bool { return keywords[s] || foreign[s] != "" },
	Symbols: symbols,
	Hint: func(r rune) string {
		if r == '\'' {
			return "tags are not supported"
		}
		return ""
	},
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
