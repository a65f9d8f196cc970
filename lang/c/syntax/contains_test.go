package syntax

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWords: the words of a text are those that a regular expression finds.
func TestWords(t *testing.T) {
	token := regexp.MustCompile(`(?ms)/\*.*?\*/|//[^\n]*|^[ \t]*#(?:\\.|[^\n])*|"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\S`)
	pieces := []string{"/*", "*/", "//", "\n", "\n", " ", "\t", "#", "#define", "\"", "'", "\\", "ab_1", "x", "7", "{", ";", "é", "\xff", "*", "/", "\r", "\f", "\v"}
	for seed := range uint64(20000) {
		rng := rand.New(rand.NewPCG(seed, 3))
		var b strings.Builder
		for range rng.IntN(24) {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		text := b.String()
		var got, want []string
		words(text, func(from, to int) { got = append(got, text[from:to]) })
		for _, w := range token.FindAllString(text, -1) {
			if c := strings.TrimLeft(w, " \t"); c[0] != '#' && !strings.HasPrefix(c, "/*") && !strings.HasPrefix(c, "//") {
				want = append(want, w)
			}
		}
		if !slices.Equal(got, want) {
			t.Fatalf("%q: %q, want %q", text, got, want)
		}
	}
}
