package program

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// A Source is a text that a program came from.
type Source struct {
	Name string // as the user gave it
	Text string
	// Included are the texts that it includes, in the order of the lines that name them; nil
	// where its language does not say.
	Included []*Source
}

// File is the source of a place: s, or a text that is included; nil where there is none.
func (s *Source) File(p Position) *Source {
	if p.File == "" || s == nil {
		return s
	}
	for _, in := range s.Included {
		if in.Name == p.File {
			return in
		}
		if found := in.File(p); found != nil {
			return found
		}
	}
	return nil
}

// Line is line n (from 1) without its end, or "" where there is none.
func (s *Source) Line(n int) string {
	if s == nil || n < 1 {
		return ""
	}
	rest := s.Text
	for ; n > 1; n-- {
		i := strings.IndexByte(rest, '\n')
		if i < 0 {
			return ""
		}
		rest = rest[i+1:]
	}
	if i := strings.IndexByte(rest, '\n'); i >= 0 {
		rest = rest[:i]
	}
	return strings.TrimSuffix(rest, "\r")
}

// A Position is a place in a source. Line and Col count from 1, Col in bytes;
// the zero Position is no place.
type Position struct {
	Line, Col int
	// File is the name of a file that the source includes, where the place is in one; else "".
	File string
}

// Where is the place as messages name it: "line 7", or "line 7 of node.h".
func (p Position) Where() string {
	if p.File != "" {
		return fmt.Sprintf("line %d of %s", p.Line, path.Base(p.File))
	}
	return fmt.Sprintf("line %d", p.Line)
}

// IsValid is true of a real place.
func (p Position) IsValid() bool { return p.Line > 0 }

// A Diagnostic is an error in an input, at a place where there is one.
type Diagnostic struct {
	Source *Source // never nil; its Text may be empty
	Pos    Position
	Msg    string
	Hint   string // what to do about it; may be empty
	Cause  error  // what it is a case of, for [errors.Is]; may be nil
}

// ErrOutcomes is the cause of errors about a command with more outcomes than can be tried one by one. There is
// nothing wrong with the program: those who ask a solver may decide it.
var ErrOutcomes = errors.New("more outcomes than can be tried one by one")

// Unwrap is the cause.
func (d *Diagnostic) Unwrap() error { return d.Cause }

// Error is the whole message, with the source line and a caret under the
// column where there is a line to show.
func (d *Diagnostic) Error() string {
	var b strings.Builder
	b.WriteString(d.Source.Name)
	if d.Pos.IsValid() {
		fmt.Fprintf(&b, ":%d:%d", d.Pos.Line, max(d.Pos.Col, 1))
	}
	b.WriteString(": ")
	b.WriteString(d.Msg)
	if line := d.Source.Line(d.Pos.Line); line != "" || d.Pos.IsValid() && d.Source.Text != "" {
		line, col := window(line, d.Pos.Col)
		fmt.Fprintf(&b, "\n  %s\n  %s^", clean(line), caretPad(line, col))
	}
	if d.Hint != "" {
		b.WriteString("\n  " + d.Hint)
	}
	return b.String()
}

// widest is how many bytes of a line a diagnostic shows.
const widest = 160

// window is the part of a line around a column, and where the column is in it.
func window(line string, col int) (string, int) {
	if len(line) <= widest {
		return line, col
	}
	const cut = "..."
	from := min(max(col-1-widest/2, 0), max(len(line)-widest, 0))
	to := min(from+widest, len(line))
	for from > 0 && from < len(line) && !utf8.RuneStart(line[from]) {
		from--
	}
	for to < len(line) && !utf8.RuneStart(line[to]) {
		to++
	}
	part := line[from:to]
	if to < len(line) {
		part += cut
	}
	if from > 0 {
		return cut + part, col - from + len(cut)
	}
	return part, col
}

// clean replaces what would disturb a terminal or the caret's column.
func clean(line string) string {
	return strings.Map(func(r rune) rune {
		if r == '\t' || r >= ' ' && r != 0x7f {
			return r
		}
		return utf8.RuneError
	}, line)
}

// caretPad is the space before the caret: tabs stay tabs so that the caret
// lands under its column whatever a tab's width is.
func caretPad(line string, col int) string {
	var b strings.Builder
	for i, r := range line {
		if i >= col-1 {
			break
		}
		if r == '\t' {
			b.WriteByte('\t')
		} else {
			b.WriteByte(' ')
		}
	}
	for i := len(line); i < col-1 && i < len(line)+1; i++ {
		b.WriteByte(' ')
	}
	return b.String()
}
