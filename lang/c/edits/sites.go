// Package edits says where, and by which edits, the text of a C program can be made to order more or less: the text goes
// in, and [program.Site]s and [program.Strengthening]s come out, which bear edits of it. Where [Sites] are takes
// the tree of the program; the rest is looked for in the text alone.
package edits

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
	"github.com/fencepost-verifier/fencepost/program"
)

// Sites are where a fence can be put into a program of C: before every
// statement and declaration of a block of its functions, and at the end of the block. What
// a macro or another file has, or a statement expression, has none; nor has what the
// preprocessor leaves out.
func Sites(src *program.Source, opts syntax.Options) []program.Site {
	t, err := syntax.Read(src, opts)
	if err != nil {
		return nil
	}
	e := &editor{src: src, fence: fenceFor(src.Text)}
	for unit := t.TranslationUnit; unit != nil; unit = unit.TranslationUnit {
		if f := unit.ExternalDeclaration.FunctionDefinition; f != nil {
			syntax.Walk(f.CompoundStatement, e.visit)
		}
	}
	t.Keep()
	return e.sites
}

// fenceFor is a full fence in words that the program knows.
func fenceFor(text string) string {
	if strings.Contains(text, "stdatomic.h") {
		return "atomic_thread_fence(memory_order_seq_cst);"
	}
	if kernelHeader.MatchString(text) {
		return "smp_mb();"
	}
	return "__sync_synchronize();"
}

// kernelHeader finds the headers that have smp_mb.
var kernelHeader = text.NewPattern(`(?m)^\s*#\s*include\s*[<"](fencepost\.h|(linux/(atomic|bitops|bug|compiler|kernel|list|llist|mutex|rculist|rcupdate|slab|spinlock)|asm/(atomic|barrier))\.h)[>"]`)

// An editor finds the sites of a program.
type editor struct {
	src   *program.Source
	fence string
	sites []program.Site
}

func (e *editor) visit(n cc.Node) bool {
	switch n := n.(type) {
	case *cc.PrimaryExpression:
		return n.Case != cc.PrimaryExpressionStmt
	case *cc.CompoundStatement:
		e.block(n)
	}
	return true
}

// offset is where a token stands in the text, if it does: what a macro stands for is at the
// place of the macro.
func (e *editor) offset(n cc.Node) (int, program.Position, bool) {
	p := n.Position()
	pos := program.Position{Line: p.Line, Col: p.Column}
	if p.Filename != e.src.Name {
		return 0, pos, false
	}
	return program.Offset(e.src.Text, pos), pos, true
}

func (e *editor) block(n *cc.CompoundStatement) {
	open, _, ok1 := e.offset(n.Token)
	end, endPos, ok2 := e.offset(n.Token2)
	text := e.src.Text
	if !ok1 || !ok2 || end >= len(text) || text[open] != '{' || text[end] != '}' {
		return
	}
	before := program.Site{Thread: -1, State: -1, Statement: "{", Pos: program.Position{}}
	last := -1
	for l := n.BlockItemList; l != nil; l = l.BlockItemList {
		off, pos, ok := e.offset(l.BlockItem)
		if !ok || off <= open || off >= end || off == last || beginsWithAttribute(l.BlockItem) {
			continue
		}
		at := program.Site{Thread: -1, State: -1, Statement: e.statement(off), Before: true, Pos: pos}
		if last >= 0 {
			at = before
		}
		at.Edits = e.insert(off, off)
		e.sites = append(e.sites, at)
		before = program.Site{Thread: -1, State: -1, Statement: e.statement(off), Pos: pos}
		last = off
	}
	at := before
	if last < 0 {
		at = program.Site{Thread: -1, State: -1, Statement: "}", Before: true, Pos: endPos}
		last = end
	}
	at.Edits = e.insert(end, last)
	e.sites = append(e.sites, at)
}

// beginsWithAttribute is true of a declaration of which the parser does not know where it begins.
func beginsWithAttribute(n *cc.BlockItem) bool {
	return n.Case == cc.BlockItemDecl && n.Declaration != nil && n.Declaration.DeclarationSpecifiers != nil &&
		n.Declaration.DeclarationSpecifiers.AttributeSpecifierList != nil
}

// insert puts a fence at off: into a line of its own, indented as what is at like, where
// off begins one.
func (e *editor) insert(off, like int) []program.Edit {
	text := e.src.Text
	if _, ok := e.indent(off); !ok {
		fence := e.fence + " "
		if off > 0 && afterName.MatchString(text[off-1:off]) { // of a macro
			fence = " " + fence
		}
		return []program.Edit{{From: off, To: off, Text: fence}}
	}
	lead, _ := e.indent(like)
	if like == off && text[off] == '}' {
		lead += "\t"
	}
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	bol := strings.LastIndexByte(text[:off], '\n') + 1
	return []program.Edit{{From: bol, To: bol, Text: lead + e.fence + newline}}
}

// indent is the white space at the beginning of the line of off; it is true of what is
// first there.
func (e *editor) indent(off int) (string, bool) {
	text := e.src.Text
	bol := strings.LastIndexByte(text[:off], '\n') + 1
	lead := text[bol:off]
	rest := strings.TrimLeft(lead, " \t")
	return lead[:len(lead)-len(rest)], rest == ""
}

// maxStatement bounds what is shown of a statement.
const maxStatement = 48

// statement is the statement at off, or its beginning, on one line.
func (e *editor) statement(off int) string {
	line, _, _ := strings.Cut(e.src.Text[off:], "\n")
	line, _, _ = strings.Cut(line, "//")
	s := strings.Join(strings.Fields(line), " ")
	if len(s) > maxStatement {
		return strings.ToValidUTF8(s[:maxStatement], "") + " …"
	}
	return s
}

var fullFence = text.NewPattern(`\b(?:atomic_thread_fence\s*\(\s*memory_order_seq_cst\s*\)|__atomic_thread_fence\s*\(\s*__ATOMIC_SEQ_CST\s*\)|__sync_synchronize\s*\(\s*\)|smp_mb\s*\(\s*\))`)

var (
	afterName  = text.NewPattern(`\w$`)
	isDefining = text.NewPattern(`#[ \t]*define[ \t]+$`)
)

// Fences are the full fences in the text of a program, with the edits that take them out.
// Which of them are compiled is not looked at.
func Fences(src *program.Source) []program.Site {
	var sites []program.Site
	e := &editor{src: src}
	line, bol := 1, 0
	for _, m := range fullFence.FindAllStringIndex(src.Text, -1) {
		line += strings.Count(src.Text[bol:m[0]], "\n")
		bol = m[0]
		before := strings.LastIndexByte(src.Text[:m[0]], '\n')
		if isDefining.MatchString(src.Text[before+1 : m[0]]) {
			continue // a macro of that name
		}
		sites = append(sites, program.Site{Thread: -1, State: -1, Statement: e.statement(m[0]),
			Pos: program.Position{Line: line, Col: m[0] - before}, Edits: []program.Edit{e.removal(m[0], m[1])}})
	}
	return sites
}

// removal takes the fence out, with its line where it is a statement by itself there.
func (e *editor) removal(from, to int) program.Edit {
	text := e.src.Text
	before := strings.TrimRight(text[:from], " \t\r\n")
	rest := strings.TrimLeft(text[to:], " \t")
	_, first := e.indent(from)
	if first && before != "" && strings.ContainsAny(before[len(before)-1:], ";{}") && strings.HasPrefix(rest, ";") {
		if rest := strings.TrimLeft(rest[1:], " \t\r"); strings.HasPrefix(rest, "\n") {
			return program.Edit{From: strings.LastIndexByte(text[:from], '\n') + 1, To: len(text) - len(rest) + 1}
		}
	}
	return program.Edit{From: from, To: to, Text: "(void)0"}
}
