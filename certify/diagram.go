package certify

import (
	"fmt"
	"slices"
	"strings"
)

// A diagram checks a certificate that is a set of states as a decision diagram: it has the
// initial state, no step leads out of it, and no state or step in it violates anything.
//
// A state is a vector with a place at each level: what is known of a thread, a cell, or the
// lock. Steps of a thread are made from all states at once that agree in what the step asks for: a
// rule says of some levels which values become which. At each node it is
// checked that the vectors of the node are still vectors of it by the rules whose highest
// level is that of the node; what is above does not change.
type diagram struct {
	*steps
	levels []level // the lowest first
	of     []int   // by variable: its level, from 1
	nodes  []node  // 0: the empty set; 1: the end of all vectors
	parts  []part  // of rules; 0: nothing more
	known  map[part]int32
	rules  [][]rule // by level
	ruled  map[rule]bool
	memo   map[[3]int32]bool
}

// A level stands for some variables. Its values are the lists of what they may be.
type level struct {
	thread int // -1: none
	vars   []int
	values [][]int64
	number map[string]int32
}

type node struct {
	level  int
	values []int64
	to     []int32
}

// A part of a rule: at a level, one value becomes another; and what happens at lower levels.
type part struct{ level, from, to, rest int32 }

// A rule that is wrong must not be possible.
type rule struct {
	first int32
	wrong bool
}

func (r *reader) diagram(model, buffer, kind string) *Accepted {
	c := &diagram{steps: r.newSteps(model, buffer, "steps "+kind), nodes: make([]node, 2), parts: make([]part, 1), known: map[part]int32{}, ruled: map[rule]bool{}, memo: map[[3]int32]bool{}}
	if c.early {
		r.wrong("there are no such steps in diagrams")
	}
	line := c.readLevels()
	c.declared()
	c.readNodes(line)
	c.makeRules()
	c.check()
	return &Accepted{Model: model, Buffer: buffer, Shows: Safe, Because: fmt.Sprintf(
		"the states of a diagram of %d nodes are closed under every step of the abstraction %s, and violate nothing", len(c.nodes)-2, buffer)}
}

// readLevels reads what states are made of, and returns the line after.
func (c *diagram) readLevels() string {
	m := c.m
	for {
		line := c.next()
		if c.declare(line) && len(c.levels) == 0 {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		ns, ok := numbers(rest)
		thread := ok && len(ns) > 0 && within(ns[0], len(c.p.Threads))
		switch {
		case word == "node":
			return line
		case word == "address" && ok && len(ns) == 1 && len(c.levels) == 0:
			if _, ok := m.index[ns[0]]; !ok {
				m.addCell(ns[0])
			}
			continue
		case word == "queue" && thread && len(ns) == 2 && m.queued && len(c.levels) == 0:
			if ns[1] <= maxQueue {
				for range ns[1] {
					m.place[ns[0]] = append(m.place[ns[0]], m.grow(0))
				}
				continue
			}
		case word == "lock" && line == word:
			l := level{thread: -1, vars: []int{m.lock}}
			for t := -1; t < len(c.p.Threads); t++ {
				l.values = append(l.values, []int64{int64(t)})
			}
			if c.level(l) {
				continue
			}
		case word == "cell" && ok && len(ns) > 1:
			i, ok := m.index[ns[0]]
			if !ok {
				break
			}
			l := level{thread: -1, vars: []int{m.mem[i]}}
			for _, v := range ns[1:] {
				l.values = append(l.values, []int64{v})
			}
			if c.level(l) {
				continue
			}
		case word == "thread" && thread && len(ns) == 2:
			t := int(ns[0])
			l := level{thread: t, vars: slices.Concat([]int{m.pc[t]}, m.reg[t], m.place[t], m.count[t], m.last[t])}
			for range ns[1] {
				text, ok := strings.CutPrefix(c.next(), "local ")
				v, ok2 := numbers(text)
				if !ok || !ok2 || !c.local(t, &l, v) {
					c.wrong("want a local state of thread %d", t)
				}
			}
			if c.level(l) {
				continue
			}
		}
		c.wrong("%q is not what states are made of, or it is there already", line)
	}
}

// maxQueue bounds the places of a queue.
const maxQueue = 1 << 10

// local adds a local state, whose last variables are 0 where v is too short. It is false
// where the machine could not work with it.
func (c *diagram) local(t int, l *level, v []int64) bool {
	regs := 1 + len(c.m.reg[t])
	if len(v) < regs || len(v) > len(l.vars) || !within(v[0], len(c.p.Threads[t].States)) {
		return false
	}
	v = append(v, make([]int64, len(l.vars)-len(v))...)
	for i, n := range v[regs:] {
		x := l.vars[regs+i]
		if n < 0 || !slices.Contains(c.m.count[t], x) && n > int64(len(c.m.pairs[t])) {
			return false
		}
	}
	l.values = append(l.values, v)
	return true
}

// level adds a level. It is false where that is there already, or a value twice.
func (c *diagram) level(l level) bool {
	c.levels = append(c.levels, l)
	this := &c.levels[len(c.levels)-1]
	this.number = map[string]int32{}
	for len(c.of) < len(c.m.value) {
		c.of, c.domains = append(c.of, 0), append(c.domains, nil)
	}
	for k, x := range l.vars {
		if c.of[x] != 0 {
			return false
		}
		c.of[x] = len(c.levels)
		for _, v := range l.values {
			if !slices.Contains(c.domains[x], v[k]) {
				c.domains[x] = append(c.domains[x], v[k])
			}
		}
	}
	for i, v := range l.values {
		this.number[fmt.Sprint(v)] = int32(i)
	}
	return len(this.number) == len(l.values)
}

// readNodes reads the nodes, from a line on.
func (c *diagram) readNodes(line string) {
	for {
		word, rest, _ := strings.Cut(line, " ")
		ns, ok := numbers(rest)
		top := len(c.nodes) - 1
		if word == "end" && ok && len(ns) == 1 && ns[0] == int64(top) && c.nodes[top].level == len(c.levels) {
			c.over()
			return
		}
		if word != "node" || !ok || len(ns) < 3 || len(ns)%2 == 0 || ns[0] < 1 || !within(ns[0]-1, len(c.levels)) {
			c.wrong("want a node, or the end after %d of the highest level", top)
		}
		n := node{level: int(ns[0])}
		for i := 1; i < len(ns); i += 2 {
			v, to := ns[i], ns[i+1]
			if !within(v, len(c.levels[n.level-1].values)) || i > 1 && v <= ns[i-2] || to < 1 || !within(to, len(c.nodes)) || c.nodes[to].level != n.level-1 {
				c.wrong("no value %d that leads to a node %d, or not in order", v, to)
			}
			n.values, n.to = append(n.values, v), append(n.to, int32(to))
		}
		c.nodes = append(c.nodes, n)
		line = c.next()
	}
}

// makeRules makes all steps.
func (c *diagram) makeRules() {
	m := c.m
	c.rules = make([][]rule, len(c.levels)+1)
	m.learn = func(int) bool { return true }
	runs := 0
	for t := range c.p.Threads {
		k := c.of[m.pc[t]]
		if k == 0 {
			refuse("certificate: there is no level for thread %d", t)
		}
		l := &c.levels[k-1]
		for _, v := range l.values {
			begin := func() {
				for i, x := range l.vars {
					m.touch(x)
					m.value[x], m.before[x], m.known[x], m.asked[x] = v[i], v[i], true, true
				}
			}
			step := func() outcome {
				o := c.step(t)
				for _, x := range m.touched {
					if !m.asked[x] && o != disabled { // it was anything
						m.before[x], m.asked[x] = c.domains[x][m.choose(len(c.domains[x]))], true
					}
				}
				return o
			}
			m.each(begin, step, func(o outcome) {
				if runs++; runs&0xff == 0 {
					c.goOn()
				}
				if o != disabled {
					c.notes()
					c.rule(o)
				}
			})
		}
	}
	c.checkLate()
}

// rule notes what a step has made of the machine.
func (c *diagram) rule(o outcome) {
	r := rule{wrong: o != done}
	var seen []int
	for _, x := range c.m.touched {
		if k := c.of[x]; k == 0 {
			r.wrong = r.wrong || c.m.value[x] != c.start[x]
		} else if !slices.Contains(seen, k) {
			seen = append(seen, k)
		}
	}
	slices.Sort(seen)
	for _, k := range seen {
		l := &c.levels[k-1]
		from, to := make([]int64, len(l.vars)), make([]int64, len(l.vars))
		for i, x := range l.vars {
			from[i], to[i] = c.m.before[x], c.m.value[x]
		}
		a, ok := l.number[fmt.Sprint(from)]
		b, ok2 := l.number[fmt.Sprint(to)]
		r.wrong = r.wrong || !ok || !ok2
		p := part{int32(k), a, b, r.first}
		if c.known[p] == 0 {
			c.known[p] = int32(len(c.parts))
			c.parts = append(c.parts, p)
		}
		r.first = c.known[p]
	}
	if k := seen[len(seen)-1]; !c.ruled[r] {
		c.ruled[r] = true
		c.rules[k] = append(c.rules[k], r)
	}
}

// check checks the initial state, the rules at all nodes, and the properties.
func (c *diagram) check() {
	n := int32(len(c.nodes) - 1)
	for k := len(c.levels); k > 0; k-- {
		l := &c.levels[k-1]
		var v []int64
		for _, x := range l.vars {
			v = append(v, c.start[x])
		}
		i, ok := l.number[fmt.Sprint(v)]
		if n = c.follow(n, int64(i)); !ok || n == 0 {
			refuse("certificate: the initial state is not in the set")
		}
	}
	for i := range c.nodes[2:] {
		n := int32(i + 2)
		c.goOn()
		for _, r := range c.rules[c.nodes[n].level] {
			m := n
			if r.wrong {
				m = 0
			}
			if c.escapes(n, m, r.first) {
				refuse("certificate: node %d: a step leads out of the set, or an assertion fails", n)
			}
		}
	}
	m := c.m
	for i := range c.p.Properties {
		pr := &c.p.Properties[i]
		m.each(c.goOn, func() outcome { return m.judge(pr) }, func(o outcome) {
			if o == failed && c.meets(int32(len(c.nodes)-1), map[int32]bool{}) {
				refuse("certificate: a state violates %s", pr.String())
			}
		})
	}
}

// follow is where a value leads from a node; 0: nowhere.
func (c *diagram) follow(n int32, v int64) int32 {
	if i, ok := slices.BinarySearch(c.nodes[n].values, v); ok {
		return c.nodes[n].to[i]
	}
	return 0
}

// escapes is whether a rule makes of some vector of n one that m has not.
func (c *diagram) escapes(n, m, p int32) bool {
	switch {
	case n == 0 || p == 0 && n == m:
		return false
	case n == 1:
		return m == 0
	}
	key := [3]int32{n, m, p}
	if out, ok := c.memo[key]; ok {
		return out
	}
	out := false
	for i, v := range c.nodes[n].values {
		to, rest := v, p
		if r := c.parts[p]; p != 0 && int(r.level) == c.nodes[n].level {
			if v != int64(r.from) {
				continue
			}
			to, rest = int64(r.to), r.rest
		}
		out = out || c.escapes(c.nodes[n].to[i], c.follow(m, to), rest)
	}
	c.memo[key] = out
	return out
}

// meets is whether n has a vector that agrees with what is known of the machine.
func (c *diagram) meets(n int32, memo map[int32]bool) bool {
	if n == 1 {
		return true
	}
	if met, ok := memo[n]; ok {
		return met
	}
	met := false
	l := &c.levels[c.nodes[n].level-1]
	for i, v := range c.nodes[n].values {
		fits := true
		for k, x := range l.vars {
			fits = fits && (!c.m.known[x] || c.m.value[x] == l.values[v][k])
		}
		met = met || fits && c.meets(c.nodes[n].to[i], memo)
	}
	memo[n] = met
	return met
}
