package syntax

import (
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// The parser takes the u8 before a string for a part of it, and knows no other prefix than L.

// literalPattern is a comment, a literal without its prefix, or a word.
var literalPattern = text.NewPattern(`(?s)/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|[A-Za-z_0-9]+`)

// prefixed calls f for the literals of a text with one of these prefixes, given where that begins.
func prefixed(text string, prefixes string, f func(at int, prefix string)) {
	last := []int{0, 0}
	for _, at := range literalPattern.FindAllStringIndex(text, -1) {
		if word := text[last[0]:last[1]]; last[1] == at[0] && strings.Contains(" "+prefixes+" ", " "+word+text[at[0]:at[0]+1]+" ") {
			f(last[0], word)
		}
		last = at
	}
}

// plainStrings is a text without the prefix u8, which makes no difference to strings.
func plainStrings(text string) string {
	if !strings.Contains(text, `u8"`) {
		return text
	}
	b := []byte(text)
	prefixed(text, `u8"`, func(at int, prefix string) { copy(b[at:], "  ") })
	return string(b)
}

// otherCharacters finds a literal of char16_t or char32_t.
func otherCharacters(src *program.Source) (d *program.Diagnostic) {
	const prefixes = `u" U" u' U' u8'`
	if !slices.ContainsFunc(strings.Fields(prefixes), func(p string) bool { return strings.Contains(src.Text, p) }) {
		return nil
	}
	prefixed(src.Text, prefixes, func(at int, prefix string) {
		if d == nil {
			d = &program.Diagnostic{Source: src, Msg: "not modelled: a literal with the prefix " + prefix,
				Pos: positionOf(src.Text, at)}
		}
	})
	return d
}
