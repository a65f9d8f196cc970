package litmus

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/program"
)

// Addresses of instructions of Arm: those that calls leave in a register, and those of labels,
// which a test takes by P0:L or label:"P0:L" in its initial state, or by ADR. They are numbers, as
// herd7 has them.

// codeAddress is the address of a label.
type codeAddress struct {
	thread int
	label  token
}

// instructionAddress is that of the i-th instruction of a thread.
func instructionAddress(thread, i int) int64 { return int64(10000*(thread+1) + 4*i) }

// codeAddress reads what follows the name of a thread, or the word label if thread is negative.
func (p *parser) codeAddress(first token, thread int) *codeAddress {
	if p.tags != program.AArch64 {
		p.fail(first.Pos, "", "addresses of instructions are not supported")
	}
	p.expect(":", "")
	if thread >= 0 {
		return &codeAddress{thread, p.ident("a label", "")}
	}
	const hint = "the address of a label is such as label:\"P0:L1\""
	t := p.advance()
	name, label, ok := strings.Cut(strings.Trim(t.Text, `"`), ":")
	of := t
	of.Kind, of.Text = tokenName, name
	if n := process(of); ok && n >= 0 {
		of.Text = label
		return &codeAddress{n, of}
	}
	p.fail(t.Pos, hint, "expected a thread and a label in quotes")
	return nil
}

// codeAt is the address.
func (b *builder) codeAt(c *codeAddress) int64 {
	if c.thread >= len(b.threads) {
		b.fail(c.label.Pos, "", "the test has no thread %d: it has %s", c.thread, plural(len(b.threads), "thread"))
	}
	th := b.threads[c.thread]
	i, ok := th.labels[c.label.Text]
	if !ok {
		var names []string
		for l := range th.labels {
			names = append(names, l)
		}
		b.fail(c.label.Pos, suggest.OneOf(c.label.Text, names, "labels of the thread"), "the thread has no label %s", c.label.Text)
	}
	return instructionAddress(c.thread, i)
}

// labelled is whether an instruction of a thread bears a label whose address the test may take.
func (b *builder) labelled(thread, i int) bool {
	return b.takesLabels() && slices.ContainsFunc(b.threads[thread].labelAt, func(l token) bool { return b.threads[thread].labels[l.Text] == i })
}

// takesLabels is whether the test takes addresses of labels.
func (b *builder) takesLabels() bool {
	for _, d := range b.decls {
		if slices.ContainsFunc(d.init, func(c constant) bool { return c.code != nil }) {
			return true
		}
	}
	for _, th := range b.threads {
		for _, in := range th.code {
			if o, ok := in.(*op); ok && slices.ContainsFunc(o.addressed, func(v token) bool { _, ok := th.labels[v.Text]; return ok }) {
				return true
			}
		}
	}
	return false
}

// labels is what addresses of instructions are shown as: nil where none can be in a register.
func (b *builder) labels() map[int64]string {
	calls := false
	for _, th := range b.threads {
		for _, in := range th.code {
			o, ok := in.(*op)
			calls = calls || ok && o.call != nil
		}
	}
	if !calls && !b.takesLabels() {
		return nil
	}
	shown := map[int64]string{}
	for t, th := range b.threads {
		for _, l := range slices.Backward(th.labelAt) {
			shown[instructionAddress(t, th.labels[l.Text])] = `label:"P` + strconv.Itoa(t) + ":" + l.Text + `"`
		}
	}
	return shown
}

// compareLabels is the order in which herd7 shows addresses of labels, after other values.
func (t *Test) compareLabels(v, w int64) int { return cmp.Compare(t.labels[v], t.labels[w]) }
