package certify

import (
	"encoding/binary"
	"fmt"

	"github.com/fencepost-verifier/fencepost/certify/text"
)

// A search makes the set of all states that can be reached with certain buffers: the least
// one that has the initial state and is closed under every step. A certificate need not list
// it. It says which buffers, and how many states there are, so that a search without an end
// has one.
type search struct {
	*reader
	m           *machine
	safe        bool                // nothing is to be violated
	known       map[string]struct{} // the states, packed
	list        []string
	more        func(bytes int) // may refuse one more, of so many bytes
	numbers     []int64
	key         []byte
	at          int // the number of the state at hand, from 1
	transitions int64
}

// search searches the states with the buffers of that name, unless more refuses one.
func (r *reader) search(model, buffer, shows string, more func(bytes int)) *Accepted {
	m, safe := newMachine(r.p, model, buffer), shows == Safe
	if buffer == Robust {
		m.late = newAttack(m, safe)
	}
	c := &search{reader: r, m: m, safe: safe, more: more, known: map[string]struct{}{}}
	c.reach()
	for c.at < len(c.list) {
		r.GoOn()
		c.at++
		c.expand()
	}
	because := fmt.Sprintf("all %d states (buffer %s), which %d steps lead to, violate nothing", c.at, buffer, c.transitions)
	if m.late != nil {
		because = fmt.Sprintf("no thread can delay a store so that others notice, in any of %d states", c.at)
		if safe {
			because = "nothing is violated under sc, and " + because
		}
	}
	return &Accepted{Model: model, Buffer: buffer, Shows: shows, Because: because}
}

// expand checks the state at hand, and adds those that steps lead to.
func (c *search) expand() {
	m, numbers := c.m, []int64(nil)
	for b := []byte(c.list[c.at-1]); len(b) > 0; {
		v, n := binary.Varint(b)
		numbers, b = append(numbers, v), b[n:]
	}
	start := func() { m.putAll(numbers) }
	for i := 0; i < len(c.p.Properties) && c.safe; i++ {
		pr := &c.p.Properties[i]
		m.each(start, func() outcome { return m.judge(pr) }, func(o outcome) {
			if o == failed {
				text.Refuse("certificate: state %d violates %s", c.at, pr.String())
			}
		})
	}
	for t := range c.p.Threads {
		m.each(start, func() outcome { return m.step(t) }, func(o outcome) {
			if o == failed && c.safe {
				text.Refuse("certificate: state %d: an assertion fails", c.at)
			}
			if o == done { // with another outcome the run is over
				c.transitions++
				c.reach()
			}
		})
	}
}

// reach adds the state of the machine to those that are known.
func (c *search) reach() {
	c.numbers, c.key = c.m.all(c.numbers[:0]), c.key[:0]
	for _, n := range c.numbers {
		c.key = binary.AppendVarint(c.key, n)
	}
	if _, ok := c.known[string(c.key)]; ok {
		return
	}
	c.more(len(c.key))
	key := string(c.key)
	c.known[key] = struct{}{}
	c.list = append(c.list, key)
}
