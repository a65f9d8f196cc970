package text

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Kind says what a [Token] is.
type Kind uint8

const (
	EOF Kind = iota
	Name
	Number
	Keyword
	String // Text is what stands between the quotes
	Symbol
)

// A Token is a word of the source. Text is as the source has it; for a number, too, whose
// value is [Token.Value].
type Token struct {
	Kind     Kind
	Text     string
	Pos      program.Position
	Off, End int // the bytes of the source that it takes up
}

// Is is true of a keyword or a symbol.
func (t Token) Is(text string) bool {
	return t.Text == text && (t.Kind == Keyword || t.Kind == Symbol)
}

// Describe is the token as an error message calls it.
func (t Token) Describe() string {
	switch t.Kind {
	case EOF:
		return "the end of the file"
	case Name:
		return fmt.Sprintf("the name %q", t.Text)
	case Number:
		return "the number " + t.Text
	case String:
		return "a string"
	}
	return fmt.Sprintf("%q", t.Text)
}

// Value is the value of digits, with 0x before them or whatever else strconv knows. The
// error says what is wrong with them.
func (t Token) Value(digits string) (uint64, error) {
	v, err := strconv.ParseUint(digits, 0, 64)
	switch {
	case err == nil:
		return v, nil
	case err.(*strconv.NumError).Err == strconv.ErrRange:
		return 0, fmt.Errorf("%s does not fit into 64 bits", t.Text)
	}
	return 0, fmt.Errorf("%q is not a number", t.Text)
}

// A Syntax says which tokens a language has.
type Syntax struct {
	// Lines are what comments begin with that end with their line, and Open and Close
	// are around the others, which may nest.
	Lines       []string
	Open, Close string
	Nest        bool
	// Other is around comments as well, which do not nest; may be empty.
	Other [2]string
	// Name is the length of the name at the beginning of a text; 0: there is none. A
	// number begins with a digit, where Numbers is true, and goes on with letters, too.
	Name    func(string) int
	Numbers bool
	// Strings stand between quotes, on one line.
	Strings bool
	// Keyword is true of names that are not; nil: of none.
	Keyword func(string) bool
	// Symbols are the tokens that are not words, longer ones first.
	Symbols []string
	// Hint knows what people write for lack of a symbol.
	Hint func(rune) string
}

// A Lexer cuts a source into tokens. What is wrong with it is a [Failure].
type Lexer struct {
	Scanner
	Syntax *Syntax
}

// NewLexer is at the beginning of a source.
func NewLexer(src *program.Source, s *Syntax) *Lexer { return &Lexer{NewScanner(src), s} }

// Next is the token after white space and comments. At the end of the source it is EOF,
// again and again.
func (l *Lexer) Next() Token {
	for l.Blank() {
	}
	t := Token{Pos: l.Pos(), Off: l.Off}
	rest := l.Rest()
	if rest == "" {
		t.End = l.Off
		return t
	}
	if n := l.Syntax.Name(rest); n > 0 {
		t.Kind, t.Text = Name, rest[:n]
		if l.Syntax.Keyword != nil && l.Syntax.Keyword(t.Text) {
			t.Kind = Keyword
		}
	} else if l.Syntax.Numbers && IsDigit(rest[0]) {
		t.Kind, t.Text = Number, rest[:Letters(rest)]
	} else if l.Syntax.Strings && rest[0] == '"' {
		n := strings.IndexAny(rest[1:], "\"\n")
		if n < 0 || rest[1+n] == '\n' {
			Fail(l.Source, t.Pos, "", "the string does not end on its line")
		}
		t.Kind, t.Text = String, rest[1:1+n]
		l.Off += n + 2
		t.End = l.Off
		return t
	} else {
		t.Kind, t.Text = Symbol, l.Symbol(l.Syntax.Symbols, l.Syntax.Hint)
	}
	l.Token(t.Text)
	t.End = l.Off
	return t
}

// Blank skips white space or a comment and reports whether there was some.
func (l *Lexer) Blank() bool {
	rest := l.Rest()
	if n := Blanks(rest); n > 0 {
		l.Skip(n)
		return true
	}
	for _, line := range l.Syntax.Lines {
		if strings.HasPrefix(rest, line) {
			l.Skip(LineLength(rest))
			return true
		}
	}
	if other := l.Syntax.Other; other[0] != "" && strings.HasPrefix(rest, other[0]) {
		n := strings.Index(rest[len(other[0]):], other[1])
		if n < 0 {
			Fail(l.Source, l.Pos(), "", "this comment has no end: expected %s", other[1])
		}
		l.Skip(len(other[0]) + n + len(other[1]))
		return true
	}
	if !strings.HasPrefix(rest, l.Syntax.Open) {
		return false
	}
	l.Comment()
	return true
}

// Comment skips the comment that begins here, which is not one of a line.
func (l *Lexer) Comment() {
	start, hint := l.Pos(), ""
	for depth := 0; ; {
		switch rest := l.Rest(); {
		case rest == "":
			Fail(l.Source, start, hint, "this comment has no end: expected %s", l.Syntax.Close)
		case strings.HasPrefix(rest, l.Syntax.Open) && (depth == 0 || l.Syntax.Nest):
			if depth++; depth > 1 {
				hint = fmt.Sprintf("comments nest: every %s needs a %s of its own", l.Syntax.Open, l.Syntax.Close)
			}
			l.Skip(len(l.Syntax.Open))
		case strings.HasPrefix(rest, l.Syntax.Close):
			depth--
			l.Skip(len(l.Syntax.Close))
		default:
			l.Skip(1)
		}
		if depth == 0 {
			return
		}
	}
}

// Back goes back to the beginning of a token, which was the last one to be read.
func (l *Lexer) Back(t Token) {
	l.Off, l.line, l.bol = t.Off, t.Pos.Line, t.Off-t.Pos.Col+1
}
