package text_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

var testSyntax = text.Syntax{
	Lines: []string{"//", "#"}, Open: "(*", Close: "*)", Nest: true,
	Name:    func(s string) int { return text.Span(s, text.IsLetter) },
	Numbers: true, Strings: true,
	Keyword: func(s string) bool { return s == "let" },
	Symbols: []string{":=", ":", "="},
	Hint: func(r rune) string {
		if r == '≠' {
			return "write !="
		}
		return ""
	},
}

func TestLexer(t *testing.T) {
	flat := testSyntax
	flat.Nest, flat.Strings = false, false
	for _, test := range []struct {
		text   string
		syntax *text.Syntax
		want   string // the tokens, or the error
	}{
		{"", &testSyntax, ""},
		{" // c", &testSyntax, ""},
		{"let ab := 0x1f // c\n# d\n:= (* e (* f\n*) *) =\"a b\"", &testSyntax,
			`let(k 1:1) ab(n 1:5) :=(y 1:8) 0x1f(# 1:11) :=(y 3:1) =(y 4:7) a b(" 4:8)`},
		{"(* (* *) =", &flat, "=(y 1:10)"},
		{"x\n  (* (* *)", &testSyntax, "2:3: this comment has no end: expected *); comments nest: every (* needs a *) of its own"},
		{"(* ", &flat, "1:1: this comment has no end: expected *)"},
		{"\"a\n\"", &testSyntax, "1:1: the string does not end on its line"},
		{"\"a\"", &flat, "1:1: unexpected character '\"'"},
		{"a ≠", &testSyntax, "1:3: unexpected character '≠'; write !="},
		{strings.Repeat("a", text.MaxWord+1), &testSyntax, "1:1: a name or number of more than 100 characters"},
		{"\"" + strings.Repeat("a", 3) + "\"", &testSyntax, `aaa(" 1:1)`},
	} {
		var got []string
		err := func() (err error) {
			defer text.Recover(&err)
			l := text.NewLexer(&program.Source{Name: "x", Text: test.text}, test.syntax)
			for {
				tok := l.Next()
				if tok.Kind == text.EOF {
					if again := l.Next(); again != tok {
						t.Errorf("%q: %v behind the end", test.text, again)
					}
					return nil
				}
				if s := test.text[tok.Off:tok.End]; tok.Kind == text.String && s != `"`+tok.Text+`"` || tok.Kind != text.String && s != tok.Text {
					t.Errorf("%q is at %q", tok.Text, s)
				}
				got = append(got, fmt.Sprintf("%s(%c %d:%d)", tok.Text, "en#k\"y"[tok.Kind], tok.Pos.Line, tok.Pos.Col))
			}
		}()
		s := strings.Join(got, " ")
		if d, ok := err.(*program.Diagnostic); ok {
			s = fmt.Sprintf("%d:%d: %s", d.Pos.Line, d.Pos.Col, d.Msg)
			if d.Hint != "" {
				s += "; " + d.Hint
			}
		}
		if s != test.want {
			t.Errorf("%q:\n got %s\nwant %s", test.text, s, test.want)
		}
	}
}

func TestTokens(t *testing.T) {
	for _, test := range []struct {
		t    text.Token
		want string
	}{
		{text.Token{}, "the end of the file"}, {text.Token{Kind: text.Name, Text: "x"}, `the name "x"`}, {text.Token{Kind: text.Number, Text: "7"}, "the number 7"},
		{text.Token{Kind: text.String, Text: "7"}, "a string"}, {text.Token{Kind: text.Symbol, Text: ":="}, `":="`}, {text.Token{Kind: text.Keyword, Text: "let"}, `"let"`},
	} {
		if got := test.t.Describe(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
		if test.t.Is(test.t.Text) != (test.t.Kind == text.Symbol || test.t.Kind == text.Keyword) || test.t.Is("?") {
			t.Errorf("%v is %v", test.t, test.t.Is(test.t.Text))
		}
	}
	for digits, want := range map[string]string{
		"17": "17 <nil>", "0x1F": "31 <nil>", "18446744073709551615": "18446744073709551615 <nil>",
		"18446744073709551616": "0 18446744073709551616 does not fit into 64 bits", "1a": `0 "1a" is not a number`,
	} {
		v, err := text.Token{Kind: text.Number, Text: digits}.Value(digits)
		if got := fmt.Sprint(v, " ", err); got != want {
			t.Errorf("%s: %s, want %s", digits, got, want)
		}
	}
	defer func() {
		if recover() != "other" {
			t.Error("a panic that is none of ours got lost")
		}
	}()
	var err error
	defer text.Recover(&err)
	panic("other")
}
