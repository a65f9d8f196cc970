package program

import (
	"slices"
	"sort"
	"strings"
)

// A Site is a place in a source at which a front end can put a fence in or take
// one out, or make an exchange of a store.
type Site struct {
	// Edits is what to do to the text.
	Edits []Edit
	// Statement is what stands next to the site, or at it, on one line; the
	// site is after it unless Before is true. Pos is where it begins.
	Statement string
	Before    bool
	Pos       Position
	// Thread is the thread that the site is in; -1: whichever has the
	// statement, as the text of a process may be that of several.
	Thread int
	// State and Edge are, of automata, the place of the fence: the control
	// state at which it stands, for who comes by that edge or, where that is
	// -1, by any. In other languages State is -1.
	State StateID
	Edge  int
}

// A Strengthening is a site, and one of the things that can be put there: a fence of
// some kind, or an access that orders more.
type Strengthening struct {
	Site
	// What is written there, such as DMB ISH or LDAR.
	What string
	// Instead is true where it stands for the statement, and not after or before it.
	Instead bool
	// Place is the same number for those of which one at most is wanted.
	Place int
	// Orders is a bit for each kind of pairs that it keeps in order. Of two at one place
	// the one that has the bits of the other does what that does, and one that has those
	// of several does what they do together.
	Orders uint
	// Cost is what it costs unless somebody says otherwise.
	Cost int
}

// An Edit replaces the bytes From..To of a text.
type Edit struct {
	From, To int
	Text     string
	// Row is true of a line of a table. Several that are put at one place
	// become one where each is blank where the others are not.
	Row bool
}

// A Revision is a text after edits.
type Revision struct {
	old, Text string
	edits     []Edit
	at        []int // where each begins in Text
}

// Revise makes edits, which must not overlap; several may insert at one place,
// in their order.
func Revise(text string, edits []Edit) *Revision {
	r := &Revision{old: text, edits: slices.Clone(edits)}
	slices.SortStableFunc(r.edits, func(a, b Edit) int { return a.From - b.From })
	for i := 0; i+1 < len(r.edits); {
		a, b := r.edits[i], r.edits[i+1]
		if row, ok := overlay(a.Text, b.Text); ok && a.Row && b.Row && a.From == b.From && a.To == b.To {
			r.edits[i].Text = row
			r.edits = slices.Delete(r.edits, i+1, i+2)
			continue
		}
		i++
	}
	var b strings.Builder
	end := 0
	for _, e := range r.edits {
		b.WriteString(text[end:e.From])
		r.at = append(r.at, b.Len())
		b.WriteString(e.Text)
		end = e.To
	}
	b.WriteString(text[end:])
	r.Text = b.String()
	return r
}

// overlay puts two rows into one.
func overlay(a, b string) (string, bool) {
	if len(a) != len(b) {
		return "", false
	}
	row := []byte(a)
	for i := range row {
		if row[i] == ' ' {
			row[i] = b[i]
		} else if b[i] != ' ' && b[i] != row[i] {
			return "", false
		}
	}
	return string(row), true
}

// Old is the position in the old text of one in the new. What was put in has the
// place where it was put, and what stands in another file stays there.
func (r *Revision) Old(p Position) Position {
	if !p.IsValid() || p.File != "" {
		return p
	}
	return position(r.old, r.Offset(p))
}

// Offset is the place in the old text, in bytes, of a position in the new.
func (r *Revision) Offset(p Position) int {
	at := Offset(r.Text, p)
	i := sort.Search(len(r.at), func(i int) bool { return r.at[i] > at }) - 1
	if i < 0 {
		return at
	}
	into := at - r.at[i]
	if into < len(r.edits[i].Text) {
		return r.edits[i].From
	}
	return r.edits[i].To + into - len(r.edits[i].Text)
}

// Inserted is the edit, by its place in the old text, that put in what is at p;
// it is false where that was there before.
func (r *Revision) Inserted(p Position) bool {
	if p.File != "" {
		return false
	}
	at := Offset(r.Text, p)
	i := sort.Search(len(r.at), func(i int) bool { return r.at[i] > at }) - 1
	return i >= 0 && at < r.at[i]+len(r.edits[i].Text)
}

// Offset is the place of p in text, in bytes.
func Offset(text string, p Position) int {
	at := 0
	for line := 1; line < p.Line; line++ {
		i := strings.IndexByte(text[at:], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return min(at+max(p.Col-1, 0), len(text))
}

func position(text string, offset int) Position {
	before := text[:min(offset, len(text))]
	bol := strings.LastIndexByte(before, '\n') + 1
	return Position{Line: 1 + strings.Count(before, "\n"), Col: offset - bol + 1}
}

// Relocate changes every position in p by f.
func (p *Program) Relocate(f func(Position) Position) {
	for _, t := range p.Threads {
		for i := range t.States {
			t.States[i].Pos = f(t.States[i].Pos)
		}
		for i := range t.Edges {
			t.Edges[i].Pos = f(t.Edges[i].Pos)
		}
	}
	p.eachCommand(func(_ *Thread, c *Command) { c.Pos = f(c.Pos) })
	for i := range p.Properties {
		p.Properties[i].Pos = f(p.Properties[i].Pos)
	}
}
