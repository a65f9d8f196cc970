package report

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// A column of a table. Its cells are one line each; they are wrapped to the
// width that the column gets.
type column struct {
	title string
	cells []string
	right bool // aligned
	min   int  // the column is given at least that, unless it needs less
	lines int  // of a cell, at most; 0: maxLines
	steps bool // its cells have places to break at; it gives way before others do
	spare int  // where there is too little room, the columns with the largest go first; 0: it stays
	ditto bool // a cell of several lines that says what the one above says is a ditto mark
	width int
}

const (
	gap      = "  " // between columns
	maxLines = 3
	// glue is a space at which wrap breaks only if it must. oneLine lets none
	// through, so that no text has one by chance.
	glue = "\u00a0"
)

// spared is the columns that there is room for: those that can be spared go, rather than that the
// others become too narrow to be read.
func spared(cols []*column, width int) []*column {
	for {
		total, last := len(gap)*(len(cols)-1), -1
		for i, c := range cols {
			n := length(c.title)
			for _, s := range c.cells {
				n = max(n, length(s))
			}
			if c.steps {
				n = min(n, max(c.min, length(c.title)))
			}
			total += n
			if c.spare > 0 && (last < 0 || c.spare >= cols[last].spare) {
				last = i
			}
		}
		if total <= width || last < 0 {
			return cols
		}
		cols = slices.Delete(slices.Clone(cols), last, last+1)
	}
}

// fit gives every column its width such that the table has at most width
// columns of text. It reports whether that can be.
func fit(cols []*column, width int) bool {
	total := len(gap) * (len(cols) - 1)
	for _, c := range cols {
		c.width = length(c.title)
		for _, s := range c.cells {
			c.width = max(c.width, length(s))
		}
		c.width = min(c.width, width)
		total += c.width
	}
	// What is too much is taken from the widest, so that short columns stay
	// whole; and as long as that is enough, without breaking a word.
	for _, least := range []func(*column) int{(*column).comfortable, func(c *column) int { return c.min }} {
		for total > width {
			var widest *column
			for _, c := range cols {
				if c.width > least(c) && (widest == nil || c.width > widest.width) {
					widest = c
				}
			}
			if widest == nil {
				break
			}
			widest.width--
			total--
		}
	}
	return total <= width
}

// comfortable is the width at which the column is as good as at its full one.
func (c *column) comfortable() int {
	if !c.steps {
		return c.width
	}
	n := max(c.min, length(c.title))
	for _, s := range c.cells {
		for w := range strings.SplitSeq(s, " ") {
			n = max(n, length(w))
		}
	}
	return n
}

func writeTable(b *strings.Builder, cols []*column) {
	rows := 0
	titles := make([][]string, len(cols))
	for i, c := range cols {
		rows = max(rows, len(c.cells))
		titles[i] = []string{shorten(c.title, c.width)}
	}
	writeRow(b, cols, titles)
	cells := make([][]string, len(cols))
	for r := range rows {
		for i, c := range cols {
			cells[i] = wrap(c.cells[r], c.width, cmp.Or(c.lines, maxLines))
			if c.ditto && r > 0 && len(cells[i]) > 1 && c.cells[r] == c.cells[r-1] {
				cells[i] = []string{"\""}
			}
		}
		writeRow(b, cols, cells)
	}
}

// writeUsed writes the columns that have something in them, as wide as fits.
func writeUsed(b *strings.Builder, cols []*column, width int) {
	cols = slices.DeleteFunc(cols, func(c *column) bool { return strings.Join(c.cells, "") == "" })
	fit(cols, width)
	writeTable(b, cols)
}

func writeRow(b *strings.Builder, cols []*column, cells [][]string) {
	height := 1
	for _, lines := range cells {
		height = max(height, len(lines))
	}
	for n := range height {
		var line strings.Builder
		for i, c := range cols {
			s := ""
			if n < len(cells[i]) {
				s = cells[i][n]
			}
			if i > 0 {
				line.WriteString(gap)
			}
			if c.right {
				line.WriteString(strings.Repeat(" ", max(c.width-length(s), 0)) + s)
			} else {
				line.WriteString(pad(s, c.width))
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}

// wrap breaks s at spaces into lines of at most width; a word that is longer
// is shortened. With limit > 0, an ellipsis stands for the lines beyond it.
func wrap(s string, width, limit int) []string {
	if s == "" {
		return nil
	}
	var lines []string
	line := ""
	for _, word := range words(s, width) {
		word = shorten(strings.ReplaceAll(word, glue, " "), width)
		switch {
		case line == "":
			line = word
		case length(line)+1+length(word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	if limit > 0 && len(lines) > limit {
		last := lines[limit-1]
		if length(last)+2 <= width {
			last += " …"
		} else {
			last = string([]rune(last)[:max(width-1, 0)]) + "…"
		}
		lines = append(lines[:limit-1], last)
	}
	return lines
}

// words splits s at spaces, and at glue where the words would be too long.
func words(s string, width int) []string {
	var ws []string
	for w := range strings.SplitSeq(s, " ") {
		if length(w) > width {
			ws = append(ws, strings.Split(w, glue)...)
		} else {
			ws = append(ws, w)
		}
	}
	return ws
}

// shorten cuts s to width, from its middle: long names often differ in their
// ends only.
func shorten(s string, width int) string {
	n := length(s)
	if n <= width {
		return s
	}
	if width < 3 {
		return strings.Repeat("…", max(width, 0))
	}
	rs := []rune(s)
	tail := (width - 1) / 2
	head := width - 1 - tail
	return string(rs[:head]) + "…" + string(rs[n-tail:])
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(width-length(s), 0))
}

func length(s string) int { return utf8.RuneCountInString(s) }
