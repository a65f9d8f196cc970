package litmus

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/program"
)

// A thread is a column of the table.
type thread struct {
	at     program.Position
	code   []instruction
	labels map[string]int // the instruction that a label stands before
	// labelAt is where the labels stand, in the order of the text.
	labelAt []token
}

// table reads the program, whose instructions read reads, their first word taken: a row with the names of the threads, and rows with
// an instruction, labels or nothing for each.
func (p *parser) table(read func(thread int, first token) instruction) {
	const hint = "the program begins with the names of its threads: P0 | P1 ;"
	p.accept(";")
	for first := true; first || p.accept("|"); first = false {
		t := p.ident("the name of a thread, such as P0", hint)
		switch n := process(t); {
		case n < 0:
			p.fail(t.Pos, hint, "%q is not the name of a thread", t.Text)
		case n != len(p.threads):
			p.fail(t.Pos, "", "the threads are named P0, P1, .. in this order: expected P%d, found %s", len(p.threads), t.Text)
		case n >= maxThreads:
			p.fail(t.Pos, "", "a test has up to %d threads", maxThreads)
		}
		p.threads = append(p.threads, &thread{at: t.Pos, labels: map[string]int{}})
	}
	p.expect(";", "a row ends with a semicolon")
	for p.tok.Kind != tokenEOF && !p.atFinal() {
		p.row(read)
	}
	for _, th := range p.threads {
		p.targets(th)
	}
}

func (p *parser) row(read func(int, token) instruction) {
	at := p.tok.Pos
	for i := range p.threads {
		p.cell(i, read)
		if i < len(p.threads)-1 {
			if p.tok.Is(";") {
				p.fail(p.tok.Pos, "a cell may be empty, but there is one for each thread",
					"this row has %s, the test %s", plural(i+1, "cell"), plural(len(p.threads), "thread"))
			}
			p.expect("|", rowHint)
		}
	}
	if p.tok.Is("|") {
		p.fail(p.tok.Pos, "", "this row has more cells than the test has threads")
	}
	if p.tok.Pos == at && !p.tok.Is(";") {
		p.fail(at, "", "unexpected %s", p.tok.Describe())
	}
	p.expect(";", rowHint)
}

const rowHint = "cells are separated by |, and a row ends with ;"

func (p *parser) atEndOfCell() bool {
	return p.tok.Is("|") || p.tok.Is(";") || p.tok.Kind == tokenEOF
}

// endOfCell expects an instruction to end here.
func (p *parser) endOfCell() {
	if !p.atEndOfCell() {
		p.fail(p.tok.Pos, rowHint, "expected |, found %s", p.tok.Describe())
	}
}

// cell reads labels and perhaps an instruction.
func (p *parser) cell(i int, read func(int, token) instruction) {
	th := p.threads[i]
	for p.tok.Kind == tokenName {
		t := p.advance()
		if !p.accept(":") {
			if len(th.code) == maxInstructions {
				p.fail(t.Pos, "", "a thread has up to %d instructions", maxInstructions)
			}
			th.code = append(th.code, read(i, t))
			return
		}
		if _, ok := th.labels[t.Text]; ok {
			p.fail(t.Pos, "", "the label %s stands twice in the thread", t.Text)
		}
		th.labels[t.Text] = len(th.code)
		th.labelAt = append(th.labelAt, t)
	}
}

// targets resolves the labels that jumps name.
func (p *parser) targets(th *thread) {
	for i, in := range th.code {
		in := in.common()
		if in.skip != nil {
			if in.target = i + *in.skip; in.target < 0 || in.target > len(th.code) {
				p.fail(in.at, "", "the jump leads out of the thread, which has %s", plural(len(th.code), "instruction"))
			}
		}
		if in.label.Text == "" {
			continue
		}
		to, ok := th.labels[in.label.Text]
		if !ok {
			var names []string
			for l := range th.labels {
				names = append(names, l)
			}
			p.fail(in.label.Pos, suggest.OneOf(in.label.Text, names, "labels of the thread"),
				"the thread has no label %s", in.label.Text)
		}
		in.target = to
	}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
