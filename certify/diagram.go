package certify

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/certify/text"
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
	first  []int64          // the variables in the initial state
	levels []level          // the lowest first, from 1
	of     map[int]int      // by place: its level
	nodes  []node           // 0: the empty set; 1: the end of all vectors
	parts  map[part]*part   // one for all that are alike
	rules  []map[*part]bool // by their highest level
	memo   map[question]bool
}

// A level stands for a place.
type level struct {
	place   int
	values  [][]int64
	number  map[string]int32 // of values, from 1; 0: it is not listed
	options [][]int32        // what there is to choose from: values that look alike
	chosen  int              // and what was
}

// A node leads to others, by the number of a value.
type node struct {
	level int
	to    map[int32]int32
}

// A part of a rule: at a level, one value becomes another; and what happens at lower levels. It becomes -1, which no vector
// has, where the step must not be possible.
type part struct {
	level, from, to int32
	rest            *part
}

// A question is whether a rule makes of some vector of n one that m has not; see escapes.
type question struct {
	n, m int32
	rule *part
}

func (r *reader) diagram(model, buffer string) *Accepted {
	m := newMachine(r.p, model, buffer)
	start := m.all(nil)
	c := &diagram{
		reader: r, m: m, first: slices.Clone(m.value),
		levels: []level{{place: len(m.threads)}}, of: map[int]int{}, nodes: make([]node, 2),
	}
	m.load = c.load
	c.read()
	begin := func() {
		r.GoOn()
		m.putAll(start)
	}
	c.choose(nil)
	for t, th := range r.p.Threads {
		if c.of[t] == 0 {
			text.Refuse("certificate: there is no level for thread %s", th.Name)
		}
		m.each(begin, func() outcome { return m.step(t) }, c.rule)
	}
	c.check("a step leads out of the set, or an assertion fails")
	for i := range r.p.Properties {
		pr := &r.p.Properties[i]
		c.choose(pr)
		m.each(begin, func() outcome { return m.judge(pr) }, c.rule)
		c.check("a state violates " + pr.String())
	}
	m.putAll(start)
	n := int32(len(c.nodes) - 1)
	for k := len(c.levels) - 1; k > 0; k-- {
		n = c.nodes[n].to[c.now(&c.levels[k])]
	}
	if n == 0 {
		text.Refuse("certificate: the initial state is not in the set")
	}
	return &Accepted{Model: model, Buffer: buffer, Shows: Safe, Because: fmt.Sprintf(
		"the states of a diagram of %d nodes are closed under every step of the abstraction %s, and violate nothing", len(c.nodes)-2, buffer)}
}

// read reads levels and nodes, up to the end.
func (c *diagram) read() {
	for threads := len(c.p.Threads); ; {
		words := c.Next()
		c.want(len(words) > 1)
		ns := c.Numbers(words[1:])
		switch words[0] {
		case "thread":
			c.want(len(ns) == 1 && within(ns[0], threads))
			c.level(int(ns[0]), nil)
		case "local":
			t := c.levels[len(c.levels)-1].place
			c.want(t < threads)
			stores := len(ns) - 1 - len(c.p.Threads[t].Regs)
			c.want(within(ns[0], len(c.p.Threads[t].States)) && stores >= 0 && stores%4 == 0)
			c.value(ns)
		case "lock":
			c.level(threads+lock, ns)
		case "cell":
			c.level(threads+c.m.cell(ns[0]), ns[1:])
		case "node":
			c.node(ns)
		case "end":
			top := len(c.nodes) - 1
			c.want(len(ns) == 1 && ns[0] == int64(top) && c.nodes[top].level == len(c.levels)-1 && c.Next() == nil)
			return
		default:
			c.want(false)
		}
	}
}

// want refuses the line at hand unless it is as it should be.
func (c *diagram) want(ok bool) {
	if !ok {
		c.Refuse("it is no part of a diagram, or not here")
	}
}

// level adds a level for a place that has none, with values of a variable.
func (c *diagram) level(place int, values []int64) {
	c.want(c.of[place] == 0)
	c.of[place] = len(c.levels)
	c.levels = append(c.levels, level{place: place, number: map[string]int32{}})
	for _, v := range values {
		c.value([]int64{v})
	}
}

// value adds a value to the last level, unless it is there already.
func (c *diagram) value(value []int64) {
	l := &c.levels[len(c.levels)-1]
	key := fmt.Sprint(value)
	c.want(l.number[key] == 0)
	l.values = append(l.values, value)
	l.number[key] = int32(len(l.values))
}

// node adds a node: a level, and values, each with the node that it leads to.
func (c *diagram) node(ns []int64) {
	c.want(len(ns) >= 3 && len(ns)%2 == 1 && ns[0] >= 1 && within(ns[0], len(c.levels)))
	n := node{int(ns[0]), map[int32]int32{}}
	for i := 1; i < len(ns); i += 2 {
		v, to := ns[i], ns[i+1]
		c.want(within(v, len(c.levels[n.level].values)) && n.to[int32(v)] == 0)
		c.want(to >= 1 && within(to, len(c.nodes)) && c.nodes[to].level == n.level-1)
		n.to[int32(v)] = int32(to)
	}
	c.nodes = append(c.nodes, n)
}

// load puts into a place of the machine what is chosen for it; see [machine].
func (c *diagram) load(place int) {
	if k := c.of[place]; k > 0 {
		l := &c.levels[k]
		if !c.m.known[place] {
			l.chosen = c.m.choose(len(l.options))
		}
		c.m.put(place, l.values[l.options[l.chosen][0]])
	}
}

// now is the number of the value that the machine has at a level; -1: it is not listed.
func (c *diagram) now(l *level) int32 {
	return l.number[fmt.Sprint(c.m.numbers(l.place, nil))] - 1
}

// rule notes what a step has made of the machine.
func (c *diagram) rule(o outcome) {
	if o == disabled {
		return
	}
	wrong := o == failed
	c.first = append(c.first, make([]int64, len(c.m.value)-len(c.first))...) // of new variables, too
	for x, v := range c.m.value {
		wrong = wrong || v != c.first[x] && c.of[len(c.m.threads)+x] == 0
	}
	var rest *part
	for k := 1; k < len(c.levels); k++ {
		l := &c.levels[k]
		if !c.m.known[l.place] {
			continue
		}
		p := part{int32(k), int32(l.chosen), c.now(l), rest}
		if wrong {
			p.to = -1
		}
		if c.parts[p] == nil {
			c.parts[p] = &p
		}
		rest = c.parts[p]
	}
	c.rules[rest.level][rest] = true
}

// check checks the rules at all nodes.
func (c *diagram) check(wrong string) {
	for n := int32(2); int(n) < len(c.nodes); n++ {
		c.GoOn()
		for first := range c.rules[c.nodes[n].level] {
			if c.escapes(n, n, first) {
				text.Refuse("certificate: node %d: %s", n, wrong)
			}
		}
	}
}

// escapes is whether a rule makes of some vector of n one that m has not.
func (c *diagram) escapes(n, m int32, p *part) bool {
	switch {
	case n == 0 || p == nil && n == m:
		return false
	case n == 1:
		return m == 0
	}
	if p != nil && int(p.level) == c.nodes[n].level {
		return slices.ContainsFunc(c.levels[p.level].options[p.from], func(from int32) bool {
			return c.escapes(c.nodes[n].to[from], c.nodes[m].to[p.to], p.rest)
		})
	}
	key := question{n, m, p}
	if out, ok := c.memo[key]; ok {
		return out
	}
	out := false
	for v, to := range c.nodes[n].to {
		out = out || c.escapes(to, c.nodes[m].to[v], p)
	}
	c.memo[key] = out
	return out
}

// choose makes what there is to choose from for a property; or, if that is nil, for steps, to which no two values look alike.
func (c *diagram) choose(pr *program.Property) {
	c.parts, c.rules, c.memo = map[part]*part{}, make([]map[*part]bool, len(c.levels)), map[question]bool{}
	for k := range c.levels {
		l := &c.levels[k]
		l.options, c.rules[k] = nil, map[*part]bool{}
		option := map[string]int{}
		for v, value := range l.values {
			view := fmt.Sprint(c.view(pr, l.place, value))
			if option[view] == 0 {
				l.options = append(l.options, nil)
				option[view] = len(l.options)
			}
			o := &l.options[option[view]-1]
			*o = append(*o, int32(v))
		}
	}
}

// view is what a property can tell of the value of a place.
func (c *diagram) view(pr *program.Property, place int, value []int64) (view []int64) {
	if pr == nil || place >= len(c.p.Threads) || pr.Kind == program.Deadlock {
		return value
	}
	if pr.Final() {
		view = append(view, value[0], int64(len(value))) // whether the buffer is empty
	}
	look := func(e program.Expr) {
		if r, ok := e.(program.ThreadReg); ok && r.Thread == place {
			view = append(view, value[1+r.Reg])
		}
		if at, ok := e.(program.At); ok && at.Thread == place {
			view = append(view, program.Bool(slices.Contains(at.States, program.StateID(value[0]))))
		}
	}
	program.Walk(pr.Cond, look)
	program.Walk(c.p.Filter, look)
	return view
}

func within(n int64, size int) bool { return n >= 0 && n < int64(size) }
