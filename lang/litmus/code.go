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
	return b.takesAddresses() && slices.ContainsFunc(b.threads[thread].labelAt, func(l token) bool { return b.threads[thread].labels[l.Text] == i })
}

// takesAddresses is whether the test takes addresses of labels.
func (p *parser) takesAddresses() bool {
	for t := range p.threads {
		if p.addressTaken(t) {
			return true
		}
	}
	return false
}

// addressTaken is whether the test takes addresses of labels of a thread.
func (p *parser) addressTaken(thread int) bool {
	for _, d := range p.decls {
		if slices.ContainsFunc(d.init, func(c constant) bool { return c.code != nil && c.code.thread == thread }) {
			return true
		}
	}
	th := p.threads[thread]
	return slices.ContainsFunc(th.code, func(in instruction) bool {
		o, ok := in.(*op)
		return ok && slices.ContainsFunc(o.addressed, func(v token) bool { _, ok := th.labels[v.Text]; return ok })
	})
}

// codeOf is what a thread may execute: its column and, where it goes on at addresses in registers,
// those of other threads whose labels the test takes the addresses of. Each column ends with an instruction
// that ends the thread, then.
func (r *risc) codeOf(thread int) []*op {
	if r.code == nil {
		r.code = make([][]*op, len(r.threads))
	}
	code := r.code[thread]
	if code != nil {
		return code
	}
	own := r.threads[thread].code
	columns := []int{thread}
	if slices.ContainsFunc(own, func(in instruction) bool { return in.(*op).back != nil }) {
		for u := range r.threads {
			if u != thread && r.addressTaken(u) {
				columns = append(columns, u)
			}
		}
	}
	code = make([]*op, 0, len(own))
	for _, u := range columns {
		first := len(code)
		for _, in := range r.threads[u].code {
			o := *in.(*op)
			o.target += first
			code = append(code, &o)
		}
		if len(columns) > 1 {
			code = append(code, &op{head: head{at: r.threads[u].at}, home: u, nth: len(r.threads[u].code), jump: true, end: true})
		}
	}
	r.code[thread] = code
	return code
}

// place is the column in which the i-th instruction that a thread may execute stands, and its number there.
func (r *risc) place(thread, i int) (home, at int) {
	code := r.codeOf(thread)
	if i == len(code) { // its end
		return thread, i
	}
	return code[i].home, code[i].nth
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
	if !calls && !b.takesAddresses() {
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
