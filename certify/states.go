package certify

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// states checks a certificate that is a set of states. It contains the initial one,
// is closed under every step, and none of its states and steps violates anything.
type states struct {
	*reader
	m    *machine
	dead dead
	// coherent is true where contents of buffers have a queue and a set.
	coherent    bool
	known       map[string]struct{} // the states, as key has them
	list        []string
	key         []byte
	here        []int64 // the state at hand
	transitions int64
}

// barrier stands between queue and set.
var barrier = [2]int64{-1, 0}

func (r *reader) states(model, buffer, line string) (*Accepted, error) {
	c := &states{reader: r, m: &machine{p: r.p}, known: map[string]struct{}{}, coherent: strings.HasPrefix(buffer, "coherence")}
	if model != "tso" || buffer == "none" {
		return nil, r.wrong("sets of states are for tso, not %s with buffers %s", model, buffer)
	}
	err := c.m.setBuffer(buffer)
	if addrs, ok := numbers(line, "cells"); err == nil && !ok {
		err = errors.New("want the cells")
	} else if err == nil {
		err = c.m.setCells(addrs)
	}
	if err != nil {
		return nil, r.wrong("%w", err)
	}
	c.dead = newDead(r.p)
	count := 0
	for {
		line, err := r.next()
		if err != nil {
			return nil, err
		}
		if ns, ok := numbers(line, "states"); ok && len(ns) == 1 {
			count = int(ns[0])
			break
		}
		if err := c.dead.read(r.p, line); err != nil {
			return nil, r.wrong("%w", err)
		}
	}
	if err := c.dead.check(r.p); err != nil {
		return nil, err
	}
	if err := c.read(count); err != nil {
		return nil, err
	}
	if err := c.check(); err != nil {
		return nil, err
	}
	return &Accepted{Model: model, Buffer: buffer, Because: fmt.Sprintf(
		"%d states of the abstraction %s are closed under %d steps, and violate nothing", count, buffer, c.transitions)}, nil
}

// read reads the states: first what they are made of, then each.
func (c *states) read(count int) error {
	first, lines := c.line, []string{}
	pairs := make([]map[pair]bool, len(c.p.Threads))
	for t := range pairs {
		pairs[t] = map[pair]bool{}
	}
	for range count {
		line, err := c.next()
		if err != nil {
			return err
		}
		parts, ok := c.parts(line)
		if !ok {
			return c.wrong("want a state")
		}
		for t := range pairs {
			queue, set := c.contents(parts, t)
			for _, p := range slices.Concat(queue, set) {
				if p.cell < 0 || c.m.queued && len(set) > 0 {
					return c.wrong("a buffer is not as its stores make it")
				}
				pairs[t][p] = true
			}
			if c.m.queued {
				c.m.queue = max(c.m.queue, len(queue))
			} else if len(queue) > c.m.queue {
				return c.wrong("a queue is too long")
			}
		}
		lines = append(lines, line)
	}
	if line, err := c.next(); err != nil || line != "end" {
		return c.wrong(`want "end"`)
	}
	if err := c.over(); err != nil {
		return err
	}
	for t := range pairs {
		var list []pair
		for p := range pairs[t] {
			list = append(list, p)
		}
		slices.SortFunc(list, comparePairs)
		c.m.pairs = append(c.m.pairs, list)
	}
	c.m.layOut()
	for x := range c.m.known {
		c.m.known[x] = true
	}
	c.here = make([]int64, c.m.vars)
	for i, line := range lines {
		c.line = first + 1 + i
		parts, _ := c.parts(line)
		if err := c.state(parts); err != nil {
			return c.wrong("%w", err)
		}
		key := string(c.pack(c.here))
		if _, twice := c.known[key]; twice {
			return c.wrong("the state is there already")
		}
		c.known[key] = struct{}{}
		c.list = append(c.list, key)
		lines[i] = ""
	}
	return nil
}

func comparePairs(a, b pair) int {
	if a.cell != b.cell {
		return a.cell - b.cell
	}
	if a.value < b.value {
		return -1
	}
	return 1
}

// parts is the parts of a state, each of the length that it must have.
func (c *states) parts(line string) ([][]int64, bool) {
	text, ok := strings.CutPrefix(line, "s")
	parts := strings.Split(text, "|")
	n := len(c.p.Threads)
	if !ok || len(parts) != 2*n+2 {
		return nil, false
	}
	all := make([][]int64, len(parts))
	for i := range parts {
		if all[i], ok = numbers(parts[i], ""); !ok {
			return nil, false
		}
	}
	for t, th := range c.p.Threads {
		if len(all[t]) != 1+len(th.Regs) || !within(all[t][0], len(th.States)) || len(all[n+1+t])%2 != 0 {
			return nil, false
		}
		for i, cell := range all[n+1+t] {
			if i%2 == 0 && !within(cell, len(c.m.cells)) && cell != barrier[0] {
				return nil, false
			}
		}
	}
	return all, len(all[n]) == len(c.m.cells) && len(all[2*n+1]) == 1 && within(all[2*n+1][0]+1, n+1)
}

// contents is the queue and the set of thread t.
func (c *states) contents(parts [][]int64, t int) (queue, set []pair) {
	ns := parts[len(c.p.Threads)+1+t]
	inSet := !c.m.queued && !c.coherent
	for i := 0; i < len(ns); i += 2 {
		switch {
		case !inSet && ns[i] == barrier[0]:
			inSet = true
		case inSet:
			set = append(set, pair{int(ns[i]), ns[i+1]})
		default:
			queue = append(queue, pair{int(ns[i]), ns[i+1]})
		}
	}
	return queue, set
}

// state is the state of parts, in here. A buffer whose contents are in another order than
// that of the format is refused, and so two texts are two states.
func (c *states) state(parts [][]int64) error {
	m, n := c.m, len(c.p.Threads)
	clear(c.here)
	for i, v := range parts[n] {
		c.here[m.mem[i]] = v
	}
	c.here[m.lock] = parts[2*n+1][0]
	for t := range c.p.Threads {
		c.here[m.pc[t]] = parts[t][0]
		for r, v := range parts[t][1:] {
			c.here[m.reg[t][r]] = v
		}
		number := func(p pair) int { return slices.Index(m.pairs[t], p) }
		queue, set := c.contents(parts, t)
		for i, p := range queue {
			c.here[m.place[t][i]] = int64(number(p)) + 1
		}
		for _, p := range set {
			i := number(p)
			if c.here[m.count[t][i]]++; m.limit > 0 && c.here[m.count[t][i]] > m.limit {
				return errors.New("a buffer counts a pair too often")
			}
			c.here[m.last[t][p.cell]] = int64(i) + 1
		}
		if !slices.Equal(c.text(t), parts[n+1+t]) {
			return errors.New("a buffer is not as its stores make it")
		}
	}
	return nil
}

// text is the buffer of thread t in here as the format has it.
func (c *states) text(t int) (ns []int64) {
	m := c.m
	put := func(p pair) { ns = append(ns, int64(p.cell), p.value) }
	for _, x := range m.place[t] {
		if i := c.here[x]; i > 0 {
			put(m.pairs[t][i-1])
		}
	}
	start := len(ns)
	var last pair
	for i, p := range m.pairs[t] {
		if m.queued {
			break
		}
		k := c.here[m.last[t][p.cell]]
		n := c.here[m.count[t][i]]
		if k == int64(i+1) {
			n, last = n-1, p
		}
		for range n {
			put(p)
		}
		if i+1 == len(m.pairs[t]) || m.pairs[t][i+1].cell != p.cell {
			if k > 0 {
				put(last)
			}
		}
	}
	if c.coherent && len(ns) > start {
		ns = slices.Insert(ns, start, barrier[:]...)
	}
	return ns
}

func (c *states) pack(v []int64) []byte {
	c.key = c.key[:0]
	for _, x := range v {
		c.key = binary.AppendVarint(c.key, x)
	}
	return c.key
}

func (c *states) unpack(key string) {
	b := []byte(key)
	for i := range c.here {
		v, n := binary.Varint(b)
		c.here[i], b = v, b[n:]
	}
}

// contains is whether what the machine has come to by a step of thread t, with dead
// registers at their initial values, is one of the states.
func (c *states) contains(t int) bool {
	c.dead.reset(c.m, t)
	_, ok := c.known[string(c.pack(c.m.value))]
	return ok
}

// check takes every step from every state.
func (c *states) check() error {
	copy(c.m.value, c.m.initial())
	for t := range c.p.Threads {
		c.dead.reset(c.m, t)
	}
	if _, ok := c.known[string(c.pack(c.m.value))]; !ok {
		return errors.New("certificate: the initial state is not in the set")
	}
	for i, key := range c.list {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		c.unpack(key)
		if err := c.expand(); err != nil {
			return fmt.Errorf("certificate, state %d: %w", i+1, err)
		}
	}
	return nil
}

// expand checks the state here and its successors.
func (c *states) expand() error {
	m := c.m
	start := func() { copy(m.value, c.here) }
	start()
	for i := range c.p.Properties {
		if m.violates(&c.p.Properties[i]) {
			return errors.New("it violates a property")
		}
	}
	stuck := !m.final()
	for t, th := range c.p.Threads {
		stuck = stuck && th.States[c.here[m.pc[t]]].Kind != program.GivenUp
	}
	for t, th := range c.p.Threads {
		err := m.each(start, func() outcome { return m.single(t) }, func(o outcome) error {
			if o == disabled {
				return nil
			}
			c.transitions++
			stuck = false
			switch {
			case o == failed:
				return errors.New("an assertion fails")
			case o == stray || !c.contains(t):
				return fmt.Errorf("a step of thread %s leads out of the set", th.Name)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if stuck && slices.ContainsFunc(c.p.Properties, func(pr program.Property) bool { return pr.Kind == program.Deadlock }) {
		return errors.New("it is a deadlock")
	}
	return nil
}

// dead is, by thread and control state, the registers that hold their initial values there.
type dead [][]program.RegSet

func newDead(p *program.Program) (d dead) {
	for _, t := range p.Threads {
		sets := make([]program.RegSet, len(t.States))
		for q := range sets {
			sets[q] = program.NewRegSet(len(t.Regs))
		}
		d = append(d, sets)
	}
	return d
}

// read reads a line of the certificate.
func (d dead) read(p *program.Program, line string) error {
	ns, ok := numbers(line, "dead")
	if !ok || len(ns) < 3 || !within(ns[0], len(d)) || !within(ns[1], len(d[ns[0]])) {
		return errors.New(`want "dead" with a thread, a control state and registers, or what comes next`)
	}
	for _, r := range ns[2:] {
		if !within(r, len(p.Threads[ns[0]].Regs)) {
			return errors.New("no such register")
		}
		d[ns[0]][ns[1]].Add(int(r))
	}
	return nil
}

// reset gives the dead registers of thread t, where it is, their initial values.
func (d dead) reset(m *machine, t int) {
	q := m.value[m.pc[t]]
	for r, x := range m.reg[t] {
		if d[t][q].Has(r) {
			m.set(x, m.p.Threads[t].Regs[r].Init)
		}
	}
}

// check sees to it that registers said to be dead are read by nobody before they are
// written.
func (d dead) check(p *program.Program) error {
	for ti, t := range p.Threads {
		out := t.Out()
		for q := range t.States {
			wrong := func(r int) error {
				return fmt.Errorf("certificate: register %s of thread %s is not dead in control state %d", t.Regs[r].Name, t.Name, q)
			}
			ends := len(out[q]) == 0 || t.States[q].Kind == program.Unstarted
			var err error
			look := func(e program.Expr) {
				if r, ok := e.(program.ThreadReg); ok && r.Thread == ti && d[ti][q].Has(r.Reg) {
					err = wrong(r.Reg)
				}
			}
			for i := range p.Properties {
				if pr := &p.Properties[i]; !pr.Final() || ends {
					program.Walk(pr.Cond, look)
				}
			}
			if ends {
				program.Walk(p.Filter, look)
			}
			if err != nil {
				return err
			}
			for _, i := range out[q] {
				e := &t.Edges[i]
				read, written := program.NewRegSet(len(t.Regs)), program.NewRegSet(len(t.Regs))
				e.Cmd.Reads(read.Add)
				e.Cmd.Writes(written.Add)
				for r := range t.Regs {
					if d[ti][q].Has(r) && (read.Has(r) || !written.Has(r) && !d[ti][e.To].Has(r)) {
						return wrong(r)
					}
				}
			}
		}
	}
	return nil
}

func within(n int64, size int) bool { return n >= 0 && n < int64(size) }

// numbers is those of a line behind a word.
func numbers(line, word string) ([]int64, bool) {
	text, ok := strings.CutPrefix(line, word)
	if !ok {
		return nil, false
	}
	var ns []int64
	for f := range strings.FieldsSeq(text) {
		n, ok := parseNumber(f)
		if !ok {
			return nil, false
		}
		ns = append(ns, n)
	}
	return ns, true
}

// parseNumber reads a number in the one way to write it: without a plus sign and leading zeros.
func parseNumber(s string) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && strconv.FormatInt(n, 10) == s
}
