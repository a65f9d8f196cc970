package certify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// A diagram checks a certificate that is a set of states as a decision diagram: it has the
// initial state, no step leads out of it, and no state or step in it violates anything.
//
// A state is a vector of values, one at each level, which stands for a place of the machine. What has
// no level has its initial value. Steps of a thread are made from all states at once that agree in
// what the step looks at: a rule says of some levels which values become which. At each node it is
// checked that the vectors of the node are still vectors of it by the rules whose highest
// level is that of the node; what is above does not change.
type diagram struct {
	*reader
	m      *machine
	start  []int64     // the initial state
	values []int64     // and the variables of it
	levels []level     // the lowest first, from 1
	of     map[int]int // by place: its level
	nodes  []node      // 0: the empty set; 1: the end of all vectors
	parts  []part      // of rules; 0: nothing more
	known  map[part]int32
	rules  []map[int32]bool // by their highest level
	memo   map[[3]int32]bool
}

// A level stands for a place.
type level struct {
	place   int
	values  [][]int64
	number  map[string]int32 // of values
	options [][]int64        // what there is to choose from
	chosen  int              // and what was
	views   []int            // by value: the option that looks like it
}

type node struct {
	level  int
	values []int64
	to     []int32
}

// A part of a rule: at a level, one value becomes another; and what happens at lower levels. It becomes -1, which no vector
// has, where the step must not be possible.
type part struct{ level, from, to, rest int32 }

func (r *reader) diagram(model, buffer string) *Accepted {
	m := newMachine(r.p, buffer)
	if m.none != (model == "sc") {
		r.wrong("buffers %s do not enclose those of %s", buffer, model)
	}
	c := &diagram{
		reader: r, m: m, start: m.numbers(nil), values: slices.Clone(m.value),
		levels: []level{{place: len(m.threads)}}, of: map[int]int{}, nodes: make([]node, 2),
		parts: make([]part, 1), known: map[part]int32{}, memo: map[[3]int32]bool{},
	}
	m.load = c.load
	c.read()
	c.makeRules()
	c.check()
	for i := range r.p.Properties {
		c.property(&r.p.Properties[i])
	}
	return &Accepted{Model: model, Buffer: buffer, Shows: Safe, Because: fmt.Sprintf(
		"the states of a diagram of %d nodes are closed under every step of the abstraction %s, and violate nothing", len(c.nodes)-2, buffer)}
}

// read reads levels and nodes, up to the end.
func (c *diagram) read() {
	threads := len(c.p.Threads)
	for {
		word, rest, _ := strings.Cut(c.next(), " ")
		ns, ok := numbers(rest)
		c.want(ok && len(ns) > 0)
		switch word {
		case "thread":
			c.want(len(ns) == 1 && within(ns[0], threads))
			c.level(int(ns[0]), nil)
		case "local":
			c.local(ns)
		case "lock":
			c.level(threads+lock, ns)
		case "cell":
			c.level(threads+c.m.cell(ns[0]), ns[1:])
		case "node":
			c.node(ns)
		case "end":
			top := len(c.nodes) - 1
			c.want(len(ns) == 1 && ns[0] == int64(top) && c.nodes[top].level == len(c.levels)-1)
			c.over()
			return
		default:
			c.want(false)
		}
	}
}

// want refuses the line at hand unless it is as it should be.
func (c *diagram) want(ok bool) {
	if !ok {
		c.wrong("it is no part of a diagram, or not here")
	}
}

// level adds a level for a place that has none, with values of a variable.
func (c *diagram) level(place int, values []int64) {
	c.want(c.of[place] == 0)
	c.of[place] = len(c.levels)
	c.levels = append(c.levels, level{place: place, number: map[string]int32{}})
	for _, v := range values {
		c.add([]int64{v})
	}
}

// local adds a value to the last level, which is that of a thread.
func (c *diagram) local(ns []int64) {
	t := c.levels[len(c.levels)-1].place
	c.want(t < len(c.p.Threads))
	stores := len(ns) - 1 - len(c.p.Threads[t].Regs)
	c.want(within(ns[0], len(c.p.Threads[t].States)) && stores >= 0 && stores%4 == 0)
	c.add(ns)
}

// add adds a value to the last level, unless it is there already.
func (c *diagram) add(value []int64) {
	l := &c.levels[len(c.levels)-1]
	key := fmt.Sprint(value)
	_, ok := l.number[key]
	c.want(!ok)
	l.number[key] = int32(len(l.values))
	l.values = append(l.values, value)
}

// node adds a node: a level, and values that ascend, each with the node that it leads to.
func (c *diagram) node(ns []int64) {
	c.want(len(ns) >= 3 && len(ns)%2 == 1 && ns[0] >= 1 && within(ns[0], len(c.levels)))
	n := node{level: int(ns[0])}
	for i := 1; i < len(ns); i += 2 {
		v, to := ns[i], ns[i+1]
		c.want(within(v, len(c.levels[n.level].values)) && (i == 1 || v > ns[i-2]))
		c.want(to >= 1 && within(to, len(c.nodes)) && c.nodes[to].level == n.level-1)
		n.values, n.to = append(n.values, v), append(n.to, int32(to))
	}
	c.nodes = append(c.nodes, n)
}

// load puts into a place of the machine what is chosen for it; see [machine].
func (c *diagram) load(place int) {
	k := c.of[place]
	if k == 0 {
		return
	}
	l := &c.levels[k]
	if !c.m.known[place] {
		l.chosen = c.m.choose(len(l.options))
	}
	if value := l.options[l.chosen]; place < len(c.m.threads) {
		c.m.threads[place].put(value)
	} else {
		c.m.value[place-len(c.m.threads)] = value[0]
	}
}

// now is the number of the value that the machine has at a level; -1: it is not listed.
func (c *diagram) now(l *level) int32 {
	var value []int64
	if x := l.place - len(c.m.threads); x < 0 {
		value = c.m.threads[l.place].numbers(nil)
	} else {
		value = c.m.value[x : x+1]
	}
	if n, ok := l.number[fmt.Sprint(value)]; ok {
		return n
	}
	return -1
}

// makeRules makes all steps.
func (c *diagram) makeRules() {
	m := c.m
	for k := range c.levels {
		c.levels[k].options = c.levels[k].values
		c.rules = append(c.rules, map[int32]bool{})
	}
	for t, th := range c.p.Threads {
		if c.of[t] == 0 {
			refuse("certificate: there is no level for thread %s", th.Name)
		}
		l := &c.levels[c.of[t]]
		for i := range l.values {
			begin := func() {
				c.goOn()
				m.put(c.start)
				l.chosen, m.known[t] = i, true
				c.load(t)
			}
			m.each(begin, func() outcome { return m.step(t) }, func(o outcome) {
				if o != disabled {
					c.rule(o)
				}
			})
		}
	}
}

// rule notes what a step has made of the machine.
func (c *diagram) rule(o outcome) {
	wrong := o == failed
	for x, v := range c.m.value {
		if c.of[len(c.m.threads)+x] == 0 {
			wrong = wrong || x < len(c.values) && v != c.values[x] || x >= len(c.values) && v != 0
		}
	}
	rest, top := int32(0), 0
	for k := 1; k < len(c.levels); k++ {
		l := &c.levels[k]
		if !c.m.known[l.place] {
			continue
		}
		p := part{int32(k), int32(l.chosen), c.now(l), rest}
		if wrong {
			p.to = -1
		}
		if c.known[p] == 0 {
			c.known[p] = int32(len(c.parts))
			c.parts = append(c.parts, p)
		}
		rest, top = c.known[p], k
	}
	c.rules[top][rest] = true
}

// check checks the initial state, and the rules at all nodes.
func (c *diagram) check() {
	c.m.put(c.start)
	n := int32(len(c.nodes) - 1)
	for k := len(c.levels) - 1; k > 0; k-- {
		if n = c.follow(n, c.now(&c.levels[k])); n == 0 {
			refuse("certificate: the initial state is not in the set")
		}
	}
	for n := int32(2); int(n) < len(c.nodes); n++ {
		c.goOn()
		for first := range c.rules[c.nodes[n].level] {
			if c.escapes(n, n, first) {
				refuse("certificate: node %d: a step leads out of the set, or an assertion fails", n)
			}
		}
	}
}

// follow is where a value leads from a node; 0: nowhere.
func (c *diagram) follow(n, v int32) int32 {
	if i, ok := slices.BinarySearch(c.nodes[n].values, int64(v)); ok {
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
	if r := c.parts[p]; p != 0 && int(r.level) == c.nodes[n].level {
		return c.escapes(c.follow(n, r.from), c.follow(m, r.to), r.rest)
	}
	key := [3]int32{n, m, p}
	if out, ok := c.memo[key]; ok {
		return out
	}
	out := false
	for i, v := range c.nodes[n].values {
		out = out || c.escapes(c.nodes[n].to[i], c.follow(m, int32(v)), p)
	}
	c.memo[key] = out
	return out
}

// property checks that no state violates a property. Of what looks alike to it one is tried.
func (c *diagram) property(pr *program.Property) {
	for k := range c.levels {
		l := &c.levels[k]
		l.options, l.views = nil, nil
		numbers := map[string]int{}
		for _, v := range l.values {
			if l.place < len(c.p.Threads) {
				v = c.view(pr, l.place, v)
			}
			key := fmt.Sprint(v)
			if _, ok := numbers[key]; !ok {
				numbers[key] = len(l.options)
				l.options = append(l.options, v)
			}
			l.views = append(l.views, numbers[key])
		}
	}
	begin := func() {
		c.goOn()
		c.m.put(c.start)
	}
	violates := func() outcome {
		if c.m.violates(pr) {
			return failed
		}
		return disabled
	}
	c.m.each(begin, violates, func(o outcome) {
		if o == failed && c.meets(int32(len(c.nodes)-1), map[int32]bool{}) {
			refuse("certificate: a state violates %s", pr.String())
		}
	})
}

// view is a local state of thread t that looks to a property like the one given. A deadlock depends on all of it.
func (c *diagram) view(pr *program.Property, t int, ns []int64) []int64 {
	if pr.Kind == program.Deadlock {
		return ns
	}
	th := c.p.Threads[t]
	view := make([]int64, 1+len(th.Regs))
	pc, alike := program.StateID(ns[0]), slices.Repeat([]bool{true}, len(th.States))
	look := func(e program.Expr) {
		switch e := e.(type) {
		case program.ThreadReg:
			if e.Thread == t {
				view[1+e.Reg] = ns[1+e.Reg]
			}
		case program.At:
			for q := range alike {
				same := slices.Contains(e.States, program.StateID(q)) == slices.Contains(e.States, pc)
				alike[q] = alike[q] && (e.Thread != t || same)
			}
		}
	}
	program.Walk(pr.Cond, look)
	program.Walk(c.p.Filter, look)
	if view[0] = int64(slices.Index(alike, true)); pr.Final() {
		view[0] = ns[0]
		view = append(view, ns[len(view):min(len(view)+4, len(ns))]...) // whether the buffer is empty
	}
	return view
}

// meets is whether n has a vector that looks like what is known of the machine.
func (c *diagram) meets(n int32, memo map[int32]bool) bool {
	if n == 1 {
		return true
	}
	if met, ok := memo[n]; ok {
		return met
	}
	met := false
	l := &c.levels[c.nodes[n].level]
	for i, v := range c.nodes[n].values {
		fits := !c.m.known[l.place] || l.views[v] == l.chosen
		met = met || fits && c.meets(c.nodes[n].to[i], memo)
	}
	memo[n] = met
	return met
}
