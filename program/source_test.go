package program

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLongLine: of a line that is too long for people, a part around the caret is shown.
func TestLongLine(t *testing.T) {
	line := strings.Repeat("é(", 100_000) + "!" + strings.Repeat("x", 100_000)
	for _, col := range []int{1, 3, 91, 300_001, 300_005, 350_000, 400_001} {
		d := &Diagnostic{Source: &Source{Name: "f", Text: line}, Pos: Position{Line: 1, Col: col}, Msg: "m"}
		text := d.Error()
		if len(text) > 1000 || !utf8.ValidString(text) {
			t.Fatalf("column %d: %d bytes", col, len(text))
		}
		lines := strings.Split(text, "\n")
		shown, caret := []rune(lines[1]), len([]rune(lines[2]))-1
		want, _ := utf8.DecodeRuneInString(line[min(col-1, len(line)):])
		if col <= len(line) && shown[caret] != want {
			t.Errorf("column %d: the caret is under %q, not %q\n%s", col, shown[caret], want, text)
		}
	}
}
