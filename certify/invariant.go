package certify

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// invariant checks a certificate that is an invariant: clauses over bits of the state. They
// hold initially; every step from a state in which they hold leads to such a state; in no such
// state is a property violated, and in no step from it does an assertion fail or something
// happen for which there are no bits.
//
// Steps are made from all states at once: a step asks for some variables, and for each
// choice of their values (the guard) it sets others. A clause that has bits of these must
// follow from the clauses and the guard, by unit propagation.
type invariant struct {
	*steps
	logic   logic
	bits    []bit
	named   map[string]int32
	ofVar   [][]int32 // by variable: its bits
	clauses [][]int32
	uses    [][]int32 // by variable: the clauses that have bits of it
	base    int       // of the trail: what follows from the clauses alone
	guard   []int32
	doing   string                           // what is checked
	lack    func(c *invariant, goal []int32) // see check
}

// A bit of a variable is that it has the value n, or, as one of its digits, bit n of it.
type bit struct {
	name  string
	x     int
	digit bool
	n     int64
}

func (b *bit) of(v int64) int32 {
	if b.digit && v>>b.n&1 != 0 || !b.digit && v == b.n {
		return 0
	}
	return 1
}

// A variable has up to so many values that are listed, or digits.
const (
	maxFew    = 64
	maxDigits = 10
)

func (r *reader) invariant(model, buffer, line string, lack func(*invariant, []int32)) *Accepted {
	c := &invariant{steps: r.newSteps(model, buffer, line), named: map[string]int32{}, lack: lack}
	if !c.m.immediate && c.m.limit != 1 {
		r.wrong("no invariants are for buffers %s", buffer)
	}
	fields, last := c.fields()
	c.layOut(fields)
	c.declared()
	c.read(last)
	c.check()
	return &Accepted{Model: model, Buffer: buffer, Shows: Safe, Because: fmt.Sprintf(
		"%d clauses over the states of the abstraction %s hold initially and are kept by every step, and leave no violation", len(c.clauses), buffer)}
}

// A field is the values of a register or cell. Where they are a range they have digits.
type field struct {
	values []int64
	digits int
}

// fields reads what states are made of: those by the words before. It returns the line after.
func (c *invariant) fields() (map[string]field, string) {
	fields := map[string]field{}
	for {
		line := c.next()
		if c.declare(line) {
			continue
		}
		if strings.HasPrefix(line, "clause") || strings.HasPrefix(line, "end ") {
			return fields, line
		}
		key, text, ranged := strings.Cut(line, " from ")
		if !ranged {
			key, text, _ = strings.Cut(line, " of ")
		}
		word, rest, _ := strings.Cut(key, " ")
		of, ok := numbers(rest)
		ns, ok2 := numbers(text)
		f := field{values: ns}
		switch {
		case !ok || !ok2 || len(ns) == 0 || fields[key].values != nil:
			c.wrong("%q is not what states are made of", line)
		case word == "cell" && len(of) == 1:
			if _, ok := c.m.index[of[0]]; !ok {
				c.m.addCell(of[0])
			}
		case word != "reg" || len(of) != 2 || !within(of[0], len(c.p.Threads)) || !within(of[1], len(c.p.Threads[of[0]].Regs)):
			c.wrong("%q is not what states are made of", line)
		}
		if ranged {
			// From 0, to -1, or of both signs alike: so the digits tell values apart.
			n := 1
			for n < maxDigits && len(ns) == 2 && ns[1]-ns[0] != 1<<n-1 {
				n++
			}
			if len(ns) != 2 || ns[1]-ns[0] != 1<<n-1 || ns[0] != 0 && ns[1] != -1 && ns[0] != -1<<(n-1) {
				c.wrong("a variable has more than %d digits, or no such ones", maxDigits)
			}
			f = field{digits: n}
			for v, last := ns[0], ns[1]; v <= last; v++ {
				f.values = append(f.values, v)
			}
		} else if len(ns) > maxFew {
			c.wrong("a variable has more than %d values", maxFew)
		}
		fields[key] = f
	}
}

// layOut makes the domains and bits of all variables, and the clauses that say which bits
// make a state.
func (c *invariant) layOut(fields map[string]field) {
	m := c.m
	n := len(m.value)
	c.domains, c.ofVar, c.uses = make([][]int64, n), make([][]int32, n), make([][]int32, n)
	lay := func(x int, key, name string) {
		f := fields[key]
		c.domains[x] = f.values
		switch {
		case f.digits > 0:
			for i := range f.digits {
				c.bit(fmt.Sprintf("%s:%d", name, i), x, true, int64(i))
			}
		case len(f.values) == 2:
			v := max(f.values[0], f.values[1])
			c.bit(fmt.Sprintf("%s=%d", name, v), x, false, v)
		case len(f.values) > 2:
			for _, v := range f.values {
				c.bit(fmt.Sprintf("%s=%d", name, v), x, false, v)
			}
			c.one(c.ofVar[x], true)
		}
	}
	for i, x := range m.mem {
		lay(x, fmt.Sprintf("cell %d", m.cells[i].Addr), fmt.Sprintf("[%d]", m.cells[i].Addr))
	}
	for ti, t := range c.p.Threads {
		for q := range t.States {
			if c.cut[ti][q] {
				c.bit(fmt.Sprintf("t%d@%d", ti, q), m.pc[ti], false, int64(q))
				c.domains[m.pc[ti]] = append(c.domains[m.pc[ti]], int64(q))
			}
		}
		c.one(c.ofVar[m.pc[ti]], true)
		for r, x := range m.reg[ti] {
			lay(x, fmt.Sprintf("reg %d %d", ti, r), fmt.Sprintf("t%d.r%d", ti, r))
		}
		c.layOutBuffer(ti)
	}
	if c.locks {
		c.domains[m.lock] = []int64{-1}
		for ti := range c.p.Threads {
			c.bit(fmt.Sprintf("t%d!", ti), m.lock, false, int64(ti))
			c.domains[m.lock] = append(c.domains[m.lock], int64(ti))
		}
		c.one(c.ofVar[m.lock], false)
	}
}

func (c *invariant) layOutBuffer(ti int) {
	m := c.m
	for i, p := range m.pairs[ti] {
		name := fmt.Sprintf("[%d]=%d", m.cells[p.cell].Addr, p.value)
		for k, x := range m.place[ti] {
			c.bit(fmt.Sprintf("t%d#%d:%s", ti, k, name), x, false, int64(i+1))
		}
		c.bit(fmt.Sprintf("t%d:%s", ti, name), m.count[ti][i], false, 1)
		c.bit(fmt.Sprintf("t%d>%s", ti, name), m.last[ti][p.cell], false, int64(i+1))
		c.domains[m.count[ti][i]] = []int64{0, 1}
		// What is last is there, and where something is, something is last.
		in := c.ofVar[m.count[ti][i]][0]
		c.clause(in, c.bitOf(m.last[ti][p.cell], int64(i+1))^1)
	}
	for i, p := range m.pairs[ti] {
		c.clause(append(slices.Clone(c.ofVar[m.last[ti][p.cell]]), c.ofVar[m.count[ti][i]][0]^1)...)
	}
	for _, x := range slices.Concat(m.place[ti], m.last[ti]) {
		c.one(c.ofVar[x], false)
		c.domains[x] = []int64{0}
		for _, b := range c.ofVar[x] {
			c.domains[x] = append(c.domains[x], c.bits[b>>1].n)
		}
	}
	for k, x := range m.place[ti] {
		if k > 0 { // no place is taken before the one in front of it
			for _, b := range c.ofVar[x] {
				c.clause(append(slices.Clone(c.ofVar[m.place[ti][k-1]]), b^1)...)
			}
		}
	}
}

func (c *invariant) bit(name string, x int, digit bool, n int64) {
	b := int32(len(c.bits)) << 1
	c.bits = append(c.bits, bit{name, x, digit, n})
	c.named[name] = b
	c.ofVar[x] = append(c.ofVar[x], b)
	c.logic.grow(len(c.bits))
}

// bitOf is the bit that says that x has a value.
func (c *invariant) bitOf(x int, v int64) int32 {
	for _, b := range c.ofVar[x] {
		if c.bits[b>>1].n == v {
			return b
		}
	}
	return -1
}

// one says that exactly or at most one of the bits is true.
func (c *invariant) one(bits []int32, exactly bool) {
	for i := range bits {
		for j := range i {
			c.clause(bits[i]^1, bits[j]^1)
		}
	}
	if exactly {
		c.clause(bits...)
	}
}

func (c *invariant) clause(lits ...int32) {
	n := int32(len(c.clauses))
	c.clauses = append(c.clauses, slices.Clone(lits))
	for _, l := range lits {
		if x := c.bits[l>>1].x; !slices.Contains(c.uses[x], n) {
			c.uses[x] = append(c.uses[x], n)
		}
	}
	c.logic.add(lits)
}

// read reads the clauses and lemmas.
func (c *invariant) read(line string) {
	for n, lemmas := 0, false; ; {
		word, rest, _ := strings.Cut(line, " ")
		if word == "end" {
			if rest != strconv.Itoa(n) {
				c.wrong("there were %d clauses, not %s", n, rest)
			}
			c.over()
			return
		}
		var lits []int32
		for name := range strings.FieldsSeq(rest) {
			bare, negated := strings.CutPrefix(name, "!")
			l, ok := c.named[bare]
			if !ok {
				c.wrong("states have no bit %q", bare)
			}
			if negated {
				l ^= 1
			}
			lits = append(lits, l)
		}
		switch {
		case word == "clause" && !lemmas:
			n++
			c.clause(lits...)
		case word == "lemma":
			if lemmas = true; !c.logic.follows(lits) {
				c.wrong("the lemma does not follow")
			}
			c.logic.add(lits)
		default:
			c.wrong("%q instead of a clause or the end", line)
		}
		line = c.next()
	}
}

// check makes all steps, and asks for all violations.
func (c *invariant) check() {
	m := c.m
	for n, clause := range c.clauses {
		if !slices.ContainsFunc(clause, func(l int32) bool { b := &c.bits[l>>1]; return b.of(c.start[b.x]) == l&1 }) {
			refuse("certificate: clause %d does not hold initially: %s", n+1, c.names(clause))
		}
	}
	c.base = len(c.logic.trail)
	m.learn = func(x int) bool {
		for _, b := range c.ofVar[x] {
			l := b ^ c.bits[b>>1].of(m.value[x])
			c.guard = append(c.guard, l)
			if !c.logic.assume(l) {
				return false
			}
		}
		return true
	}
	runs := 0
	begin := func() {
		if runs++; runs&0xff == 0 {
			c.goOn()
		}
		c.guard = c.guard[:0]
		c.logic.undo(c.base)
	}
	for i := range c.p.Properties {
		pr := &c.p.Properties[i]
		c.doing = pr.String()
		m.each(begin, func() outcome { return m.judge(pr) }, func(o outcome) {
			if o == failed {
				c.implied("there is a violation")
			}
		})
	}
	for t, th := range c.p.Threads {
		c.doing = "thread " + th.Name
		m.each(begin, func() outcome { return c.step(t) }, c.after)
	}
	c.checkLate()
}

// implied refuses what lits say unless it follows from the guard.
func (c *invariant) implied(what string, lits ...int32) {
	if c.logic.follows(lits) {
		return
	}
	goal := slices.Clone(lits)
	for _, l := range c.guard {
		goal = append(goal, l^1)
	}
	if c.lack != nil {
		c.lack(c, goal)
		return
	}
	refuse("certificate: %s: %s: unit propagation does not show %s", c.doing, what, c.names(goal))
}

// names is a clause as the certificate has it.
func (c *invariant) names(lits []int32) string {
	var b strings.Builder
	for i, l := range lits {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString("!"[:l&1] + c.bits[l>>1].name)
	}
	return b.String()
}

// after looks at what a step has set.
func (c *invariant) after(o outcome) {
	m := c.m
	if o == disabled {
		return
	}
	if c.notes(); o == failed {
		c.implied("an assertion fails")
		return
	}
	set := map[int32]bool{} // clauses
	for _, x := range m.touched {
		if o == stray || m.written[x] && !slices.Contains(c.domains[x], m.value[x]) {
			c.implied("a step leads to where there are no bits")
			return
		}
		if m.written[x] {
			for _, n := range c.uses[x] {
				set[n] = true
			}
		}
	}
clauses:
	for n := range set {
		var rest []int32
		for _, l := range c.clauses[n] {
			b := &c.bits[l>>1]
			if !m.written[b.x] {
				rest = append(rest, l)
			} else if b.of(m.value[b.x]) == l&1 {
				continue clauses
			}
		}
		c.implied("a step leads out of "+c.names(c.clauses[n]), rest...)
	}
}
