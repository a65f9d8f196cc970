package imp

import (
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// Sites are where a fence can be put into a program that [Parse] has read: before
// and after every statement outside of atomic blocks, and behind labels that a
// goto names. There are none in the files that it includes.
func Sites(src *program.Source) []program.Site {
	e := newEditor(src)
	var sites []program.Site
	for _, l := range e.lists {
		for i, s := range l.stmts {
			at := program.Site{Thread: -1, State: -1, Statement: e.statement(s), Before: true, Pos: s.at}
			if i > 0 {
				prev := l.stmts[i-1]
				at.Statement, at.Before, at.Pos = e.statement(prev), false, prev.at
			}
			at.Edits = e.before(l, i)
			sites = append(sites, at)
			if e.isTarget(s) {
				sites = append(sites, program.Site{Thread: -1, State: -1, Statement: e.statement(s), Before: true, Pos: s.at,
					Edits: []program.Edit{{From: s.doOff, To: s.doOff, Text: "fence; "}}})
			}
		}
		if n := len(l.stmts); n > 0 {
			last := l.stmts[n-1]
			sites = append(sites, program.Site{Thread: -1, State: -1, Statement: e.statement(last), Pos: last.at, Edits: e.atEnd(l)})
		} else {
			sites = append(sites, program.Site{Thread: -1, State: -1, Statement: l.close.Text, Before: true, Pos: l.close.Pos, Edits: e.intoEmpty(l)})
		}
	}
	return sites
}

// Fences are the fences of a program, with the edits that take them out.
func Fences(src *program.Source) []program.Site {
	e := newEditor(src)
	var sites []program.Site
	for _, l := range e.lists {
		for _, s := range l.stmts {
			if do, ok := s.do.(*simpleStmt); ok && do.op == program.Fence && do.tags == (program.Tags{}) {
				sites = append(sites, program.Site{Thread: -1, State: -1, Statement: e.statement(s), Pos: s.at, Edits: e.removal(s)})
			}
		}
	}
	return sites
}

// Exchanges are the assignments of a program outside of atomic blocks, with the
// edits that make exchanges of them.
func Exchanges(src *program.Source) []program.Site {
	e := newEditor(src)
	var sites []program.Site
	for _, l := range e.lists {
		for _, s := range l.stmts {
			if _, ok := s.do.(*assignStmt); ok {
				place, value, plain := strings.Cut(e.text[s.doOff:s.end], ":=")
				if !plain {
					continue // x += 1 reads x as well
				}
				sites = append(sites, program.Site{Thread: -1, State: -1, Statement: e.statement(s), Pos: s.at, Edits: []program.Edit{{
					From: s.doOff, To: s.end, Text: "xchg(" + strings.TrimSpace(place) + ", " + strings.TrimSpace(value) + ")"}}})
			}
		}
	}
	return sites
}

// An editor knows where the statements of a program stand.
type editor struct {
	text    string
	lists   []list
	targets map[string]bool // labels that a goto names, of any process
	newline string
}

func newEditor(src *program.Source) *editor {
	p := newParser(src, nil)
	p.program()
	e := &editor{text: src.Text, lists: p.lists, targets: map[string]bool{}, newline: "\n"}
	if strings.Contains(src.Text, "\r\n") {
		e.newline = "\r\n"
	}
	for _, l := range e.lists {
		for _, s := range l.stmts {
			if g, ok := s.do.(*gotoStmt); ok {
				e.targets[g.to.name] = true
			}
		}
	}
	return e
}

func (e *editor) isTarget(s *stmt) bool {
	for _, l := range s.labels {
		if e.targets[l.name] {
			return true
		}
	}
	return false
}

// maxStatement bounds what is shown of a statement.
const maxStatement = 48

// statement is the statement, or its beginning, on one line.
func (e *editor) statement(s *stmt) string {
	line, rest, more := strings.Cut(e.text[s.doOff:s.end], "\n")
	line, _, comment := strings.Cut(line, "//")
	text := strings.Join(strings.Fields(line), " ")
	switch {
	case len(text) > maxStatement:
		return strings.ToValidUTF8(text[:maxStatement], "") + " …"
	case more && rest != "" || comment:
		return text + " …"
	}
	return text
}

// indent is the white space before what is first in its line; it is false of
// what is not.
func (e *editor) indent(off int) (string, bool) {
	lead := e.text[e.bol(off):off]
	return lead, strings.TrimLeft(lead, " \t") == ""
}

// bol is where the line begins.
func (e *editor) bol(off int) int { return strings.LastIndexByte(e.text[:off], '\n') + 1 }

// listIndent is how a list is indented: labels may stand further to the left.
func (e *editor) listIndent(l list, i int) string {
	own, _ := e.indent(l.stmts[i].off)
	if len(l.stmts[i].labels) == 0 {
		return own
	}
	for _, s := range l.stmts {
		if lead, first := e.indent(s.off); first && len(s.labels) == 0 {
			return lead
		}
	}
	return own
}

// before puts a fence before statement i of a list: into a line of its own
// where the statement begins one.
func (e *editor) before(l list, i int) []program.Edit {
	off := l.stmts[i].off
	if _, first := e.indent(off); !first {
		return []program.Edit{{From: off, To: off, Text: "fence; "}}
	}
	bol := e.bol(off)
	return []program.Edit{{From: bol, To: bol, Text: e.listIndent(l, i) + "fence;" + e.newline}}
}

// atEnd puts a fence after the last statement of a list.
func (e *editor) atEnd(l list) []program.Edit {
	n := len(l.stmts) - 1
	last := l.stmts[n]
	var edits []program.Edit
	end := last.end
	separated := l.last.Is(";")
	if separated {
		end = l.last.End
	}
	_, lastFirst := e.indent(last.off)
	_, closeFirst := e.indent(l.close.Off)
	switch {
	case lastFirst && closeFirst:
		if !separated {
			edits = append(edits, program.Edit{From: end, To: end, Text: ";"})
		}
		bol := e.bol(l.close.Off)
		return append(edits, program.Edit{From: bol, To: bol, Text: e.listIndent(l, n) + "fence" + e.newline})
	case separated:
		return []program.Edit{{From: end, To: end, Text: " fence;"}}
	}
	return []program.Edit{{From: end, To: end, Text: "; fence"}}
}

func (e *editor) intoEmpty(l list) []program.Edit {
	off := l.close.Off
	return []program.Edit{{From: off, To: off, Text: "fence "}}
}

// removal takes a fence out, with its line where there is nothing else on that.
func (e *editor) removal(s *stmt) []program.Edit {
	if len(s.labels) > 0 {
		return []program.Edit{{From: s.doOff, To: s.end, Text: "skip"}}
	}
	from, to := s.off, s.end
	if rest := strings.TrimLeft(e.text[to:], " \t\r\n"); strings.HasPrefix(rest, ";") {
		to = len(e.text) - len(rest) + 1
	}
	if _, first := e.indent(from); first {
		if rest := strings.TrimLeft(e.text[to:], " \t\r"); strings.HasPrefix(rest, "\n") {
			return []program.Edit{{From: e.bol(from), To: len(e.text) - len(rest) + 1}}
		}
	}
	for to < len(e.text) && e.text[to] == ' ' {
		to++
	}
	return []program.Edit{{From: from, To: to}}
}
