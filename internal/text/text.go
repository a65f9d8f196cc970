// Package text is what the front ends share in reading a text: a [Scanner] that
// knows where it is, and failures that carry a diagnostic up through a recursive
// descent. A source goes in; which tokens it consists of is the business of the
// languages.
package text

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/program"
)

// MaxWord bounds names and numbers, in bytes, so that messages stay readable.
const MaxWord = 100

// A Failure carries the one error that is reported up through the recursive
// descent, as a panic; the parser recovers it.
type Failure struct{ *program.Diagnostic }

// Fail panics with a [Failure].
func Fail(src *program.Source, pos program.Position, hint, format string, args ...any) {
	panic(Failure{&program.Diagnostic{Source: src, Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint}})
}

// DidYouMean is a hint that names the known name nearest to what was written,
// or "" where none is near.
func DidYouMean(name string, known []string) string {
	if k := suggest.Nearest(name, known); k != "" {
		return fmt.Sprintf("did you mean %s?", k)
	}
	return ""
}

// A Scanner is a place in a source. Reading from it moves it on.
type Scanner struct {
	Source *program.Source
	// Text is what there is to read; it begins where the source does and may
	// end before it.
	Text string
	Off  int // in bytes
	line int
	bol  int // where the line begins
}

// NewScanner is the beginning of a source. It fails where that is not text.
func NewScanner(src *program.Source) Scanner {
	s := Scanner{Source: src, Text: src.Text, line: 1}
	for i, r := range s.Text {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(s.Text[i:]); n == 1 {
				s.FailAt(i, "the file is not UTF-8 text")
			}
		}
		if r == 0 {
			s.FailAt(i, "the file holds a NUL byte: it is not text")
		}
	}
	const byteOrderMark = "\ufeff"
	if strings.HasPrefix(s.Text, byteOrderMark) {
		s.Off = len(byteOrderMark)
	}
	return s
}

// Within is the text between two offsets of a source that has been scanned
// before. Lines are counted from the first of them.
func Within(src *program.Source, from, to int) Scanner {
	return Scanner{Source: src, Text: src.Text[:to], Off: from, line: 1}
}

// FailAt is an error at any offset.
func (s *Scanner) FailAt(off int, format string, args ...any) {
	before := s.Text[:off]
	bol := strings.LastIndexByte(before, '\n') + 1
	pos := program.Position{Line: 1 + strings.Count(before, "\n"), Col: off - bol + 1}
	Fail(s.Source, pos, "", format, args...)
}

// Rest is the text from here on.
func (s *Scanner) Rest() string { return s.Text[s.Off:] }

// Pos is where the scanner is.
func (s *Scanner) Pos() program.Position {
	return program.Position{Line: s.line, Col: s.Off - s.bol + 1}
}

// Skip moves on by n bytes and counts the lines.
func (s *Scanner) Skip(n int) {
	for end := s.Off + n; s.Off < end; {
		s.Off++
		if s.Text[s.Off-1] == '\n' {
			s.line++
			s.bol = s.Off
		}
	}
}

// Symbol is the first of the symbols that the text goes on with. Where there is
// none it fails, with a hint about the character that stands there.
func (s *Scanner) Symbol(symbols []string, hint func(rune) string) string {
	rest := s.Rest()
	for _, sym := range symbols {
		if sym[0] == rest[0] && strings.HasPrefix(rest, sym) {
			return sym
		}
	}
	r, _ := utf8.DecodeRuneInString(s.Rest())
	Fail(s.Source, s.Pos(), hint(r), "unexpected character %q", r)
	return ""
}

// Token moves on past word, which the text goes on with and which is not too
// long for a token.
func (s *Scanner) Token(word string) {
	if len(word) > MaxWord {
		Fail(s.Source, s.Pos(), "", "a name or number of more than %d characters", MaxWord)
	}
	s.Off += len(word)
}

// Span is the length of the prefix of s whose bytes satisfy f.
func Span(s string, f func(byte) bool) int {
	n := 0
	for n < len(s) && f(s[n]) {
		n++
	}
	return n
}

// Letters is the length of the prefix of s that consists of letters and digits.
func Letters(s string) int {
	n := 0
	for n < len(s) && (IsLetter(s[n]) || IsDigit(s[n])) {
		n++
	}
	return n
}

// Blanks is the length of the white space at the beginning of s.
func Blanks(s string) int {
	n := 0
	for n < len(s) && (s[n] == ' ' || s[n] == '\t' || s[n] == '\r' || s[n] == '\n') {
		n++
	}
	return n
}

// LineLength is the length of the rest of the line at the beginning of s.
func LineLength(s string) int {
	if n := strings.IndexByte(s, '\n'); n >= 0 {
		return n
	}
	return len(s)
}

// IsLetter is true of what names begin with.
func IsLetter(c byte) bool { return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// IsDigit is true of what numbers begin with.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// Recover, deferred, makes an error of a [Failure].
func Recover(err *error) {
	switch x := recover().(type) {
	case nil:
	case Failure:
		*err = x.Diagnostic
	default:
		panic(x)
	}
}
