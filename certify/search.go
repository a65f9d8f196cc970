package certify

import (
	"encoding/binary"
	"fmt"
)

// A search makes the set of all states that can be reached with certain buffers: the least
// one that has the initial state and is closed under every step. A certificate need not list
// it. It says which buffers, and how many states there are, so that a search without an end
// has one.
type search struct {
	*reader
	m           *machine
	safe        bool // nothing is to be violated
	robust      *attack
	known       map[string]struct{} // the states, packed
	list        []string
	room        int64 // bytes for the states; 0: no bound
	most        int   // states
	numbers     []int64
	key         []byte
	at          int // the number of the state at hand, from 1
	transitions int64
}

// search checks that the buffers of that name lead to at most so many states. Robustness is
// that of a search without buffers.
func (r *reader) search(model, buffer string, safe bool, most int, room int64) (*Accepted, int) {
	name := buffer
	if buffer == "robust" {
		name = "none"
	}
	m := newMachine(r.p, name)
	if buffer == "robust" && r.p.Wide() {
		refuse("stores of several cells that are late are not looked for")
	}
	if m.none != (model == "sc" || buffer == "robust") || model == "sc" && buffer == "robust" {
		refuse("buffers %s do not enclose those of %s", buffer, model)
	}
	c := &search{reader: r, m: m, safe: safe, most: most, room: room, known: map[string]struct{}{}}
	if buffer == "robust" {
		c.robust = newAttack(m, safe)
	}
	c.reach()
	for c.at < len(c.list) {
		r.goOn()
		c.at++
		c.expand(c.unpack(c.list[c.at-1]))
	}
	n, shows := len(c.list), Safe
	because := fmt.Sprintf("all %d states of the abstraction %s, which %d steps lead to, violate nothing", n, buffer, c.transitions)
	if buffer == "none" {
		because = fmt.Sprintf("all %d states, which %d steps lead to, violate nothing", n, c.transitions)
	}
	if c.robust != nil {
		because = fmt.Sprintf("no thread can delay a store so that others notice, in any of %d states", n)
	}
	if c.robust != nil && safe {
		because = "nothing is violated under sc, and " + because
	}
	if !safe {
		shows = Robust
	}
	return &Accepted{Model: model, Buffer: buffer, Shows: shows, Because: because}, n
}

// reach adds the state of the machine to those that are known.
func (c *search) reach() {
	c.numbers, c.key = c.m.numbers(c.numbers[:0]), c.key[:0]
	for _, n := range c.numbers {
		c.key = binary.AppendVarint(c.key, n)
	}
	if _, ok := c.known[string(c.key)]; ok {
		return
	}
	if c.room > 0 {
		if c.room -= int64(2*len(c.key) + 100); c.room <= 0 {
			refuse("the states take too much memory")
		}
	}
	if len(c.list) == c.most {
		c.violated("there are more than %d states", c.most)
	}
	key := string(c.key)
	c.known[key] = struct{}{}
	c.list = append(c.list, key)
}

func (c *search) unpack(key string) (numbers []int64) {
	for b := []byte(key); len(b) > 0; {
		v, n := binary.Varint(b)
		numbers, b = append(numbers, v), b[n:]
	}
	return numbers
}

// violated refuses what the state at hand has or leads to.
func (c *search) violated(format string, args ...any) {
	refuse("certificate: state %d: %w", c.at, fmt.Errorf(format, args...))
}

// expand checks the state at hand, and adds those that steps lead to.
func (c *search) expand(numbers []int64) {
	m := c.m
	start := func() { m.put(numbers) }
	start()
	if c.safe && (c.robust == nil || c.robust.phase() == calm) {
		for i := range c.p.Properties {
			if m.violates(&c.p.Properties[i]) {
				c.violated("it violates a property")
			}
		}
	}
	for t := range c.p.Threads {
		step := func() outcome { return m.step(t) }
		if c.robust != nil {
			step = func() outcome { return c.robust.step(t) }
		}
		m.each(start, step, func(o outcome) {
			if o == disabled {
				return
			}
			c.transitions++
			if o == failed && c.safe {
				c.violated("an assertion fails")
			} else if o == failed {
				return // the run is over
			}
			if c.robust != nil && c.robust.succeeds() {
				c.violated("thread %s can delay a store so that others notice", c.p.Threads[m.get(c.robust.by)-1].Name)
			}
			c.reach()
		})
	}
}
