package imp

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// Format is the source as it is usually laid out: two blanks of indentation for every
// begin, then, do and their like, one blank between words, comments behind the code of neighbouring lines
// below each other. Lines stay as they are divided. The error, a
// [*program.Diagnostic], says where it is no program, nor a file that programs include; what its names
// mean does not matter.
func Format(src *program.Source, include ...Include) (formatted string, err error) {
	defer text.Recover(&err)
	tree(src, last(include))
	f := &formatter{src: src}
	f.read()
	for len(f.items) > 0 {
		f.line()
	}
	return f.print(), nil
}

// An item is a token or a comment.
type item struct {
	token
	comment  bool
	newlines int  // between the item before it and this one
	spaced   bool // something is between them
}

// A formatted line is its code with the indentation, and the comment behind it.
type formattedLine struct {
	blank         bool // an empty line is before it
	code, comment string
}

type formatter struct {
	src   *program.Source
	items []item // that are left
	lines []formattedLine

	open   []string // the words that are open, such as begin and then
	header bool     // between process and its begin
	prev   item     // the last token that is no comment
	unary  bool     // which is an operator with one operand
	tight  bool     // which is an operator without blanks
	shift  int      // how far the current item of the file has moved to the right
}

// read cuts the source into items.
func (f *formatter) read() {
	lex := newLexer(f.src)
	end := lex.Off
	for {
		t := lex.Next()
		gap := f.src.Text[end:t.Off]
		if t.Kind == tokenEOF {
			gap = strings.TrimRight(gap, " \t\r\n")
		}
		newlines, spaced := f.comments(gap, end)
		if t.Kind == tokenEOF {
			return
		}
		f.items = append(f.items, item{token: t, newlines: newlines, spaced: spaced})
		end = t.End
	}
}

// comments adds the comments between two tokens. It returns how many lines end behind the
// last one, and whether anything is there at all.
func (f *formatter) comments(gap string, off int) (newlines int, spaced bool) {
	spaced = gap != ""
	for gap != "" {
		n := text.Blanks(gap)
		newlines += strings.Count(gap[:n], "\n")
		gap, off = gap[n:], off+n
		if gap == "" {
			break
		}
		if strings.HasPrefix(gap, "/*") {
			n = strings.Index(gap[2:], "*/") + 4
		} else {
			n = text.LineLength(gap)
		}
		words := strings.TrimRight(gap[:n], " \t\r")
		bol := strings.LastIndexByte(f.src.Text[:off], '\n') + 1
		f.items = append(f.items, item{token: token{Text: words, Off: off, Pos: program.Position{Col: off - bol + 1}},
			comment: true, newlines: newlines, spaced: true})
		gap, off, newlines = gap[n:], off+n, 0
	}
	return newlines, spaced
}

var closers = []string{"end", "fi", "od", "elif", "else", "[]"}

// line lays out the next line.
func (f *formatter) line() {
	n := 1
	for n < len(f.items) && f.items[n].newlines == 0 {
		n++
	}
	items := f.items[:n]
	f.items = f.items[n:]
	line := formattedLine{blank: items[0].newlines > 1}

	indent := 2 * f.depth(items)
	from := f.column(items[0])
	if f.begins(items) {
		f.shift = indent - from
	} else {
		indent = max(from+f.shift, 2)
	}
	if last := items[n-1]; n > 1 && last.comment {
		line.comment = last.Text
		items = items[:n-1]
	}
	var b strings.Builder
	b.WriteString(strings.Repeat(" ", indent))
	for i, it := range items {
		if i > 0 && (it.comment || items[i-1].comment || f.space(it, following(items, i))) {
			b.WriteByte(' ')
		}
		b.WriteString(f.text(it))
		if !it.comment {
			f.pass(it)
		}
	}
	line.code = b.String()
	f.lines = append(f.lines, line)
}

func following(items []item, i int) item {
	if i+1 < len(items) {
		return items[i+1]
	}
	return item{spaced: true}
}

// text is what the source has: for a string with its quotes.
func (f *formatter) text(it item) string {
	if it.comment {
		return it.Text
	}
	return f.src.Text[it.Off:it.End]
}

// column is how far an item is from the beginning of its line; a tab counts as two blanks.
func (f *formatter) column(it item) int {
	lead := f.src.Text[it.Off-it.Pos.Col+1 : it.Off]
	return len(lead) + strings.Count(lead, "\t")
}

// first is the first token of a line, or of those to come.
func (f *formatter) first(items []item) (item, bool) {
	for _, list := range [][]item{items, f.items} {
		for _, it := range list {
			if !it.comment {
				return it, true
			}
		}
	}
	return item{}, false
}

// depth is the indentation of a line that begins a statement or declaration.
func (f *formatter) depth(items []item) int {
	first, ok := f.first(items)
	d := len(f.open)
	switch {
	case !ok:
	case f.header && first.Is("local"):
		d++
	case !items[0].comment && first.Kind != tokenName && slices.Contains(closers, first.Text):
		d--
	}
	return max(d, 0)
}

// begins is true of a line that does not go on with what the line before it has begun.
func (f *formatter) begins(items []item) bool {
	first, ok := f.first(items)
	switch {
	case !ok, f.prev.Text == "":
		return true
	case first.Kind == tokenKeyword && (slices.Contains(closers, first.Text) || first.Is("local") || first.Is("begin") && f.header), first.Is("[]"):
		return true
	case len(f.open) == 0:
		if first.Is("~") || first.Is("!") || first.Is("not") { // before exists, or within a condition
			return operand(f.prev) || f.prev.Is(";") || f.prev.Is("end")
		}
		return first.Kind == tokenKeyword && slices.Contains(strings.Fields(itemWords), first.Text)
	case f.prev.Is(":"), f.prev.Is(";"):
		return true
	}
	return f.prev.Kind == tokenKeyword && slices.Contains(strings.Fields("begin then else do choose"), f.prev.Text) || f.prev.Is("[]")
}

// pass notes what a token opens and closes.
func (f *formatter) pass(t item) {
	pop := func() {
		if n := len(f.open); n > 0 {
			f.open = f.open[:n-1]
		}
	}
	if t.Kind == tokenKeyword || t.Is("[]") {
		switch t.Text {
		case "process", "procedure":
			f.header = true
		case "begin", "then", "do", "choose":
			f.open = append(f.open, t.Text)
			f.header = false
		case "else", "[]":
			pop()
			f.open = append(f.open, t.Text)
		case "elif", "end", "fi", "od":
			pop()
		}
	}
	f.unary = t.Is("~") || t.Is("!") || t.Is("-") && !operand(f.prev)
	f.prev = t
}

// operand is true of a token after which an operator has a left operand.
func operand(t item) bool {
	switch t.Kind {
	case tokenName, tokenNumber:
		return true
	case tokenKeyword:
		return t.Text == "true" || t.Text == "false"
	}
	return t.Is(")") || t.Is("]")
}

// arithmetic are the operators that may stand without blanks, as in a[i-1].
const arithmetic = "+ - * / % ^ << >>"

// space is whether a blank is before a token that follows f.prev on its line; next comes
// behind the token.
func (f *formatter) space(t, next item) bool {
	prev := f.prev
	switch {
	case t.Kind == tokenSymbol && strings.Contains("; , ) ] : @ . .. }", t.Text),
		prev.Kind == tokenSymbol && strings.Contains("( [ { @ . ..", prev.Text) && prev.Text != "",
		f.unary:
		return false
	case t.Is("("):
		return !(prev.Kind == tokenName || prev.Kind == tokenKeyword && (prev.Text == "any" || prev.Text == "cas" || prev.Text == "xchg" || isFetch(prev.token)))
	case t.Is("["):
		return prev.Kind != tokenName && !prev.Is("]")
	case operand(prev) && isArithmetic(t):
		f.tight = !t.spaced && !next.spaced
		return !f.tight
	case isArithmetic(prev):
		return !f.tight
	}
	return true
}

func isArithmetic(t item) bool {
	return t.Kind == tokenSymbol && slices.Contains(strings.Fields(arithmetic), t.Text)
}

// print puts the lines together.
func (f *formatter) print() string {
	// Comments stand below each other in lines that follow one another.
	for i := 0; i < len(f.lines); {
		j, width := i, 0
		for ; j < len(f.lines) && f.lines[j].comment != "" && (j == i || !f.lines[j].blank); j++ {
			width = max(width, utf8.RuneCountInString(f.lines[j].code))
		}
		for ; i < j; i++ {
			l := &f.lines[i]
			l.code += strings.Repeat(" ", width-utf8.RuneCountInString(l.code)+2) + l.comment
		}
		if j < len(f.lines) && f.lines[j].comment == "" {
			i++
		}
	}
	var b strings.Builder
	for i, l := range f.lines {
		if l.blank && i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.code + "\n")
	}
	return b.String()
}
