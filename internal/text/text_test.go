package text_test

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// failure is the message and the place of the Failure that f panics with.
func failure(f func()) (msg string, pos program.Position) {
	defer func() {
		if f, ok := recover().(text.Failure); ok {
			msg, pos = f.Msg, f.Pos
		}
	}()
	f()
	return "", program.Position{}
}

func TestNewScanner(t *testing.T) {
	tests := []struct {
		text, msg string
		pos       program.Position
	}{
		{"x := 1", "", program.Position{}},
		{"\ufeffx", "", program.Position{}},
		{"a\nb\xff", "the file is not UTF-8 text", program.Position{Line: 2, Col: 2}},
		{"a\x00", "the file holds a NUL byte: it is not text", program.Position{Line: 1, Col: 2}},
	}
	for _, tt := range tests {
		if msg, pos := failure(func() { text.NewScanner(&program.Source{Text: tt.text}) }); msg != tt.msg || pos != tt.pos {
			t.Errorf("%q: %q at %v, want %q at %v", tt.text, msg, pos, tt.msg, tt.pos)
		}
	}
}

func TestScanner(t *testing.T) {
	s := text.NewScanner(&program.Source{Text: "ab1 \n <= €"})
	s.Token(s.Rest()[:text.Letters(s.Rest())])
	s.Skip(text.Blanks(s.Rest()))
	if want := (program.Position{Line: 2, Col: 2}); s.Pos() != want {
		t.Errorf("at %v, want %v", s.Pos(), want)
	}
	none := func(rune) string { return "" }
	if sym := s.Symbol([]string{"<=", "<"}, none); sym != "<=" {
		t.Errorf("symbol %q", sym)
	}
	s.Skip(3)
	if msg, _ := failure(func() { s.Symbol([]string{"<"}, none) }); msg != "unexpected character '€'" {
		t.Errorf("no symbol: %q", msg)
	}
}
