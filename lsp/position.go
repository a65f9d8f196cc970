package lsp

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A position counts lines from 0, and in a line units of UTF-16, also from 0.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type span struct {
	Start position `json:"start"`
	End   position `json:"end"`
}

type location struct {
	URI   string `json:"uri"`
	Range span   `json:"range"`
}

// line is line n, from 0, without its end.
func (d *document) line(n int) string {
	text := d.text
	for ; n > 0; n-- {
		_, rest, ok := strings.Cut(text, "\n")
		if !ok {
			return ""
		}
		text = rest
	}
	text, _, _ = strings.Cut(text, "\n")
	return strings.TrimSuffix(text, "\r")
}

// units is how many units of UTF-16 a text has.
func units(s string) int {
	n := 0
	for _, r := range s {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// column is the byte of a line that a character is at.
func column(line string, character int) int {
	n := 0
	for i, r := range line {
		if n >= character {
			return i
		}
		n += max(utf16.RuneLen(r), 1)
	}
	return len(line)
}

// elsewhere is the word, or the character, at a place of a file that a program includes.
func elsewhere(src *program.Source, pos program.Position) location {
	pos.File = ""
	d := &document{name: src.Name, text: src.Text}
	return location{fileURI(src.Name), d.at(pos)}
}

// at is the word, or the character, at a place of the source.
func (d *document) at(pos program.Position) span {
	if !pos.IsValid() || pos.File != "" {
		return span{}
	}
	line := d.line(pos.Line - 1)
	from := min(max(pos.Col-1, 0), len(line))
	n := text.Letters(line[from:])
	if n == 0 && from < len(line) {
		_, n = utf8.DecodeRuneInString(line[from:])
	}
	start := position{pos.Line - 1, units(line[:from])}
	return span{start, position{start.Line, start.Character + units(line[from:from+n])}}
}

// word is the word at a position of the editor, and where it is.
func (d *document) word(p position) (word string, where span) {
	line := d.line(p.Line)
	i := column(line, p.Character)
	from := i
	for from > 0 && (text.IsLetter(line[from-1]) || text.IsDigit(line[from-1])) {
		from--
	}
	to := i + text.Letters(line[i:])
	return line[from:to], span{position{p.Line, units(line[:from])}, position{p.Line, units(line[:to])}}
}

// all is the whole text.
func (d *document) all() span {
	n := strings.Count(d.text, "\n")
	return span{End: position{n, units(d.line(n))}}
}
