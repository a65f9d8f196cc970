package c

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/program"
)

// The order of two accesses may make a difference for other threads where it makes none for their own: in f(atomic_load(&a), atomic_load(&b)) GCC loads b
// first, and who stores to b and then to a may be seen to have done the second alone. Which accesses others can tell the order of is known once the
// values are, so the program is read from left to right at first. Accesses that are atomic or volatile, and all those of functions that are called, have a
// tag for each of the parts, in no order, that they are in. Where two parts of an expression have accesses that other threads observe, who may run at the
// same time, the program is read once more, and has all orders of these.

// A part is one of the parts, in no order, of an expression that is being evaluated.
type part struct {
	n             cc.ExpressionNode
	group, number int
	event         int // accesses so far, and calls
	calls         int // how many calls it is in now
}

const (
	// partTag is how the tag of an access begins in a part: behind it are the numbers of the group, the part, and the access or call.
	partTag = flowgraph.AccessTag + "part:"
	// lockedTag marks the accesses of read-modify-writes.
	lockedTag = flowgraph.AccessTag + "locked"
	// aloneTag marks the accesses of main while no other thread runs.
	aloneTag = flowgraph.AccessTag + "alone"
)

// An observedPart is known of a part that others can tell the order of.
type observedPart struct {
	several bool // accesses or calls of it, between which those of other parts may come
}

// inPart evaluates the part n of those that first is the first one of.
func (l *lowerer) inPart(first, n cc.ExpressionNode, eval func()) {
	if !l.evaluates() {
		eval()
		return
	}
	g, known := l.u.groups[first]
	if !known {
		g = len(l.u.groups)
		l.u.groups[first] = g
		l.u.parts = append(l.u.parts, nil)
	}
	number := slices.Index(l.u.parts[g], n)
	if number < 0 {
		number = len(l.u.parts[g])
		l.u.parts[g] = append(l.u.parts[g], n)
	}
	around := l.parts
	defer func() { l.parts = around }() // what cannot be evaluated may matter to nobody
	l.parts = append(slices.Clone(around), &part{n: n, group: g, number: number})
	eval()
}

// partsOfCall notes that args are parts in no order, wherever they will be evaluated.
func (l *lowerer) partsOfCall(args []cc.ExpressionNode) {
	if len(args) > 1 && l.u.partOf[args[0]] == nil {
		for _, a := range args {
			l.u.partOf[a] = args[0]
		}
	}
}

// listedWith is the first of the parts that n has been noted to be one of; nil of what is none, or is evaluated as one by now.
func (l *lowerer) listedWith(n cc.ExpressionNode) cc.ExpressionNode {
	if len(l.u.partOf) == 0 || len(l.parts) > 0 && l.parts[len(l.parts)-1].n == n || !l.evaluates() {
		return nil
	}
	return l.u.partOf[n]
}

// operand evaluates one of the operands of op.
func (l *lowerer) operand(op, n cc.ExpressionNode) (v value) {
	first := l.u.settled[op]
	if first == nil {
		return l.expr(n)
	}
	leaf := unwrap(n)
	for {
		_, x, y, ok := operands(leaf)
		if ok && y != nil {
			return l.expr(n)
		}
		if !ok {
			break
		}
		leaf = unwrap(x)
	}
	l.inPart(first, leaf, func() { v = l.expr(n) })
	return v
}

// observed are those of the parts that other threads can tell the order of; none, or several.
func (u *unit) observed(parts []cc.ExpressionNode) (observed []int) {
	if len(u.known.observed) == 0 {
		return nil
	}
	for i, p := range parts {
		if _, ok := u.known.observed[p]; ok {
			observed = append(observed, i)
		}
	}
	if len(observed) < 2 {
		return nil
	}
	return observed
}

// inCall notes that a function is called, until what it gives is called.
func (l *lowerer) inCall() (done func()) {
	parts := slices.Clone(l.parts)
	for _, p := range parts {
		if p.calls == 0 {
			p.event++
		}
		p.calls++
	}
	return func() {
		for _, p := range parts {
			p.calls--
		}
	}
}

// tagged is c with tags for the parts that it is in, if others may observe it.
func (l *lowerer) tagged(c program.Command) program.Command {
	switch c.Op {
	case program.Load, program.Store, program.Fence:
		c.Tags = l.partTags(c.Tags, c.Op == program.Fence || !c.Tags.Has(target.OrderTag[plain]) || l.volatile)
	case program.Atomic:
		c.Body = slices.Clone(c.Body)
		for i := range c.Body {
			if b := &c.Body[i]; b.Op == program.Load || b.Op == program.Store {
				if b.Tags = l.partTags(b.Tags, true); strings.Contains(b.Tags.String(), partTag) {
					b.Tags = b.Tags.With(lockedTag)
				}
			}
		}
	default:
		return c
	}
	for _, p := range l.parts {
		if p.calls == 0 {
			p.event++
		}
	}
	return c
}

func (l *lowerer) partTags(t program.Tags, always bool) program.Tags {
	var names []string
	for _, p := range l.parts {
		if always || p.calls > 0 {
			names = append(names, fmt.Sprintf("%s%d:%d:%d", partTag, p.group, p.number, p.event))
		}
	}
	if names == nil {
		return t
	}
	l.u.tagged = true
	return t.With(names...)
}

// eachTagged calls f for the commands of a thread's graph that may have such tags.
func eachTagged(g *flowgraph.Graph, f func(e *flowgraph.Edge, c *program.Command)) {
	for i := range g.Edges {
		e := &g.Edges[i]
		switch e.Cmd.Op {
		case program.Load, program.Store, program.Fence:
			f(e, &e.Cmd)
		case program.Atomic:
			e.Cmd.Body = slices.Clone(e.Cmd.Body)
			for k := range e.Cmd.Body {
				f(e, &e.Cmd.Body[k])
			}
		}
	}
}

// taggedParts are the groups, parts and events of an access.
func taggedParts(t program.Tags) (all [][3]int) {
	if !strings.Contains(t.String(), partTag) {
		return nil
	}
	for _, name := range t.Names() {
		var k [3]int
		if n, _ := fmt.Sscanf(name, partTag+"%d:%d:%d", &k[0], &k[1], &k[2]); n == 3 {
			all = append(all, k)
		}
	}
	return all
}

// without is t without the tags that drop is true of.
func without(t program.Tags, drop func(name string) bool) program.Tags {
	return program.NewTags(slices.DeleteFunc(t.Names(), drop)...)
}

// findParts leaves the tags of groups alone of which two parts have accesses, and are read from left to right so far, and marks what main does
// alone, where there are such groups.
func (u *unit) findParts() {
	if !u.tagged {
		return
	}
	seen := make([]map[int]bool, len(u.parts))
	for _, t := range u.threads {
		eachTagged(t.g, func(_ *flowgraph.Edge, c *program.Command) {
			for _, k := range taggedParts(c.Tags) {
				if seen[k[0]] == nil {
					seen[k[0]] = map[int]bool{}
				}
				seen[k[0]][k[1]] = true
			}
		})
	}
	drop := map[string]bool{}
	u.tagged = false
	for g, parts := range seen {
		open := 0
		for k := range parts {
			if _, known := u.known.observed[u.parts[g][k]]; !known {
				open++
			}
		}
		if len(parts) < 2 || open == 0 || len(u.threads) == 1 {
			drop[fmt.Sprintf("%s%d", partTag, g)] = true
		} else {
			u.tagged = true
		}
	}
	u.dropTags(func(name string) bool {
		group, _, _ := strings.Cut(strings.TrimPrefix(name, partTag), ":")
		return strings.HasPrefix(name, partTag) && drop[partTag+group]
	})
	if !u.tagged {
		return
	}
	running := (&runningThreads{u: u, after: map[int]threadSet{}}).at(0)
	g := u.threads[0].g
	eachTagged(g, func(e *flowgraph.Edge, c *program.Command) {
		if running[e.From] == 0 {
			c.Tags = c.Tags.With(aloneTag)
		}
	})
}

// dropTags takes tags off all accesses.
func (u *unit) dropTags(drop func(name string) bool) {
	for _, t := range u.threads {
		eachTagged(t.g, func(_ *flowgraph.Edge, c *program.Command) {
			if s := c.Tags.String(); strings.Contains(s, partTag) || strings.Contains(s, aloneTag) || strings.Contains(s, lockedTag) {
				c.Tags = without(c.Tags, drop)
			}
		})
	}
}

// observe finds the parts of which others can tell the order, and tells whether there are such; the tags are no more then.
func (u *unit) observe(p *program.Program, r *program.Ranges) bool {
	if !u.tagged {
		return false
	}
	readers, writers := make([]threadSet, len(r.Cells)), make([]threadSet, len(r.Cells))
	each := func(f func(ti int, c *program.Command)) {
		for ti, t := range p.Threads {
			for i := range t.Edges {
				e := &t.Edges[i]
				if !r.Reachable[ti][e.From] {
					continue
				}
				if e.Cmd.Op == program.Fence {
					f(ti, &e.Cmd)
				}
				e.Cmd.Accesses(func(c *program.Command) { f(ti, c) })
			}
		}
	}
	each(func(ti int, c *program.Command) {
		if c.Tags.Has(aloneTag) {
			return
		}
		for _, i := range r.Access[c] {
			if c.Op == program.Store {
				writers[i] |= only(ti)
			} else {
				readers[i] |= only(ti)
			}
		}
	})
	type key struct{ thread, group int }
	events := map[key]map[int]map[int]bool{} // by part
	each(func(ti int, c *program.Command) {
		parts := taggedParts(c.Tags)
		if parts == nil || c.Tags.Has(aloneTag) {
			return
		}
		observed := c.Op == program.Fence || c.Tags.Has(lockedTag) // which orders what is beside it
		for _, i := range r.Access[c] {
			others := writers[i]
			if c.Op == program.Store {
				others |= readers[i]
			}
			observed = observed || others&^only(ti) != 0
		}
		if !observed {
			return
		}
		for _, k := range parts {
			at := key{ti, k[0]}
			if events[at] == nil {
				events[at] = map[int]map[int]bool{}
			}
			if events[at][k[1]] == nil {
				events[at][k[1]] = map[int]bool{}
			}
			events[at][k[1]][k[2]] = true
		}
	})
	found := maps.Clone(u.known.observed)
	if found == nil {
		found = map[cc.ExpressionNode]observedPart{}
	}
	for at, parts := range events {
		if len(parts) < 2 {
			continue
		}
		for number, es := range parts {
			n := u.parts[at.group][number]
			found[n] = observedPart{several: found[n].several || len(es) > 1}
		}
	}
	u.tagged = false
	u.dropTags(func(name string) bool {
		return strings.HasPrefix(name, partTag) || name == aloneTag || name == lockedTag
	})
	if maps.Equal(found, u.known.observed) {
		return false
	}
	u.found.observed = found
	return true
}
