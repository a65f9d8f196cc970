package litmus

import (
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// Sites are where a fence can be put into a test that [Parse] accepts: in a row
// of its own after every instruction.
func Sites(src *program.Source) []program.Site {
	var sites []program.Site
	eachInstruction(src, func(thread int, in *instr) {
		if row, ok := rowAfter(src.Text, in.at, thread, "mfence"); ok {
			sites = append(sites, program.Site{Thread: thread, State: -1, Statement: cellText(src.Text, in.at), Pos: in.at,
				Edits: []program.Edit{row}})
		}
	})
	return sites
}

// rowAfter puts a fence into a row of its own after that of the instruction at pos. It is
// false where that row is not a line of its own.
func rowAfter(text string, pos program.Position, thread int, fence string) (program.Edit, bool) {
	bol := strings.LastIndexByte(text[:program.Offset(text, pos)], '\n') + 1
	eol := len(text)
	if i := strings.IndexByte(text[bol:], '\n'); i >= 0 {
		eol = bol + i
	}
	row, ok := fenceRow(text[bol:eol], thread, fence)
	return program.Edit{From: eol, To: eol, Text: "\n" + row, Row: true}, ok
}

// fenceRow is a row that is blank but for a fence in a cell, with the cells of
// the row that is given. It is false where that row is not a line of its own.
func fenceRow(line string, thread int, fence string) (string, bool) {
	line = strings.TrimSuffix(line, "\r")
	body, rest, ok := strings.Cut(line, ";")
	rest = strings.TrimSpace(rest)
	comment := strings.HasPrefix(rest, "(*") && strings.Index(rest, "*)") == len(rest)-2
	if !ok || rest != "" && !comment {
		return "", false
	}
	cells := strings.Split(body, "|")
	if thread >= len(cells) {
		return "", false
	}
	for i, c := range cells {
		lead := c[:len(c)-len(strings.TrimLeft(c, " \t"))]
		width := len([]rune(c))
		cells[i] = strings.Repeat(" ", width)
		if i == thread {
			if strings.TrimSpace(c) == "" {
				lead = " "
			}
			cells[i] = lead + fence + strings.Repeat(" ", max(width-len(lead)-len(fence), 1))
		}
	}
	return strings.Join(cells, "|") + ";", true
}

// Fences are the fences of a test, with the edits that take them out.
func Fences(src *program.Source) []program.Site {
	var sites []program.Site
	eachInstruction(src, func(thread int, in *instr) {
		if in.op == opFence && in.fence == program.TagMFence {
			at := program.Offset(src.Text, in.at)
			sites = append(sites, program.Site{Thread: thread, State: -1, Statement: cellText(src.Text, in.at), Pos: in.at,
				Edits: []program.Edit{{From: at, To: at + len("mfence"), Text: "      "}}})
		}
	})
	return sites
}

// eachInstruction calls f for the instructions of a test for x86 that can be read; of others
// the fences are not placed.
func eachInstruction(src *program.Source, f func(thread int, in *instr)) {
	p := &parser{src: src, lex: newLexer(src)}
	p.header()
	p.initialState()
	p.dialect.program()
	for t, th := range p.threads {
		for _, in := range th.code {
			if in, ok := in.(*instr); ok {
				f(t, in)
			}
		}
	}
}

// cellText is the rest of the cell from an instruction on.
func cellText(text string, pos program.Position) string {
	rest := text[program.Offset(text, pos):]
	if i := strings.IndexAny(rest, "|;\n"); i >= 0 {
		rest = rest[:i]
	}
	return strings.TrimSpace(rest)
}
