package c

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/program"
)

// The order of two accesses may make a difference for other threads where it makes none for their own: in f(atomic_load(&a), atomic_load(&b)) GCC loads b
// first, and who stores to b and then to a may be seen to have done the second alone. Which accesses others can tell the order of is known once the
// values are, so the program is read from left to right at first. Accesses have a tag for each of the parts, in no order, that they are in. Where two parts of
// an expression have accesses that other threads observe, who may run at the same time, the program is read once more, and has all orders of these. Plain
// accesses are told apart by what is between them in their own thread, or is in functions, and orders them for others: two that no function makes are not.

// A part is one of the parts, in no order, of an expression that is being evaluated.
type part struct {
	n             cc.ExpressionNode
	group, number int
	event         int // accesses so far, and calls
	calls         int // how many calls it is in now
}

const (
	// partTag is how the tag of an access begins in a part: behind it are the numbers of the group, the part, the access or call, and of its kind.
	partTag = flowgraph.AccessTag + "part:"
	// lockedTag marks the accesses of read-modify-writes.
	lockedTag = flowgraph.AccessTag + "locked"
	// aloneTag marks the accesses of main while no other thread runs.
	aloneTag = flowgraph.AccessTag + "alone"
)

// An eventKind is of which others an event may be in another order, for threads that observe them.
type eventKind byte

const (
	beside  eventKind = iota // of those that order: this is plain, and in no function that is called
	inCalls                  // of such as well: plain in a function, or volatile
	orders                   // of all: atomic, a lock, a fence
)

// An observedPart is known of a part that others can tell the order of.
type observedPart struct {
	several bool // accesses or calls of it, between which those of other parts may come
	busy    bool // it has several, be they observed or not
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
	p := &part{n: n, group: g, number: number}
	l.parts = append(slices.Clone(around), p)
	before := l.reached[l.cur]
	eval()
	if p.event > 1 {
		l.u.busy[n] = true
	}
	if before && !l.reached[l.cur] { // others may have been evaluated before it
		l.u.sureEvents = append(l.u.sureEvents, partEvent{group: g, part: number, number: p.event, kind: orders})
	}
}

// running notes that threads begin to run, or have come to their ends: which accesses are before that makes a difference.
func (l *lowerer) running() {
	if l.dryness > 0 {
		return
	}
	for _, p := range l.parts {
		l.u.sureEvents = append(l.u.sureEvents, partEvent{group: p.group, part: p.number, number: p.event, kind: orders})
		if p.calls == 0 {
			p.event++
		}
	}
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

// manyEvents is true of a part that others observe, and of which they, or these and other parts together, can tell apart more than one event.
func (u *unit) manyEvents(n cc.ExpressionNode, contested bool) bool {
	o := u.known.observed[n]
	return o.several || contested && o.busy
}

// inCall notes that a function is called, until what it gives is called.
func (l *lowerer) inCall() (done func()) {
	parts := slices.Clone(l.parts)
	for _, p := range parts {
		p.calls++
	}
	return func() {
		for _, p := range parts {
			if p.calls--; p.calls == 0 {
				p.event++
			}
		}
	}
}

// tagged is c with tags for the parts that it is in, if others may observe it.
func (l *lowerer) tagged(c program.Command) program.Command {
	if c.Tags.Has(flowgraph.ShadowTag) || c.Tags.Has(lowered.LifeTag) { // which no thread makes
		return c
	}
	switch c.Op {
	case program.Load, program.Store, program.Fence:
		kind := beside
		switch {
		case c.Op == program.Fence || !c.Tags.Has(target.OrderTag[plain]):
			kind = orders
		case l.volatile:
			kind = inCalls
		}
		c.Tags = l.partTags(c.Tags, kind)
	case program.Atomic:
		c.Body = slices.Clone(c.Body)
		for i := range c.Body {
			if b := &c.Body[i]; b.Op == program.Load || b.Op == program.Store {
				if b.Tags = l.partTags(b.Tags, orders); strings.Contains(b.Tags.String(), partTag) {
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

// partTags is t with the tags of an access of that kind, if it is in no function that is called.
func (l *lowerer) partTags(t program.Tags, kind eventKind) program.Tags {
	var names []string
	for _, p := range l.parts {
		e := partEvent{group: p.group, part: p.number, number: p.event, kind: kind}
		if p.calls > 0 {
			e.kind = max(kind, inCalls)
		}
		names = append(names, fmt.Sprintf("%s%d:%d:%d:%d", partTag, e.group, e.part, e.number, e.kind))
		if !l.reached[l.cur] {
			l.u.lostEvents = append(l.u.lostEvents, e)
		}
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

// A partEvent is one of a part: accesses between which others may come have different numbers.
type partEvent struct {
	group, part, number int
	kind                eventKind
}

// taggedParts are the events that an access is of.
func taggedParts(t program.Tags) (all []partEvent) {
	if !strings.Contains(t.String(), partTag) {
		return nil
	}
	for _, name := range t.Names() {
		if rest, ok := strings.CutPrefix(name, partTag); ok {
			all = append(all, parsePart(rest))
		}
	}
	return all
}

func parsePart(s string) partEvent {
	var k [4]int
	for i := range k {
		var number string
		number, s, _ = strings.Cut(s, ":")
		k[i], _ = strconv.Atoi(number)
	}
	return partEvent{k[0], k[1], k[2], eventKind(k[3])}
}

// groupEvents are events of a group, by part.
type groupEvents struct {
	parts   map[int]map[int]bool
	calls   map[int]bool // parts with events that are more than beside others
	ordered bool         // one of them orders others
}

func (g *groupEvents) add(e partEvent) {
	if g.parts == nil {
		g.parts, g.calls = map[int]map[int]bool{}, map[int]bool{}
	}
	if g.parts[e.part] == nil {
		g.parts[e.part] = map[int]bool{}
	}
	g.parts[e.part][e.number] = true
	if e.kind >= inCalls {
		g.calls[e.part] = true
	}
	g.ordered = g.ordered || e.kind == orders
}

// matter is true of a group of which others can tell the order, if they observe its events.
func (g *groupEvents) matter() bool { return len(g.calls) > 1 || len(g.parts) > 1 && g.ordered }

// without is t without the tags that drop is true of.
func without(t program.Tags, drop func(name string) bool) program.Tags {
	return program.NewTags(slices.DeleteFunc(t.Names(), drop)...)
}

// findParts leaves the tags of groups alone of which two parts have accesses, and are read from left to right so far, and marks what main does
// alone, where there are such groups.
func (u *unit) findParts() {
	if !u.tagged && len(u.sureEvents) == 0 {
		return
	}
	seen, ordered := make([]groupEvents, len(u.parts)), make([]groupEvents, len(u.parts))
	for _, t := range u.threads {
		eachTagged(t.Graph, func(_ *flowgraph.Edge, c *program.Command) {
			for _, e := range taggedParts(c.Tags) {
				if seen[e.group].add(e); e.kind > beside {
					ordered[e.group].add(e)
				}
			}
		})
	}
	sure := map[int]bool{} // groups that main is not alone in
	if len(u.threads) > 1 {
		for _, e := range u.sureEvents {
			sure[e.group] = true
			seen[e.group].add(e)
			ordered[e.group].add(e)
		}
	}
	for _, e := range u.lostEvents {
		if sure[e.group] && e.kind > beside {
			ordered[e.group].add(e)
		}
	}
	for g := range sure {
		if ordered[g].matter() {
			u.find(&ordered[g], g)
		}
	}
	keep := make([]bool, len(u.parts))
	u.tagged = false
	for g := range seen {
		open := false
		for k := range seen[g].parts {
			_, known := u.known.observed[u.parts[g][k]]
			open = open || !known
		}
		keep[g] = open && seen[g].matter() && len(u.threads) > 1
		u.tagged = u.tagged || keep[g]
	}
	for _, t := range u.threads {
		eachTagged(t.Graph, func(_ *flowgraph.Edge, c *program.Command) {
			if es := taggedParts(c.Tags); slices.ContainsFunc(es, func(e partEvent) bool { return !keep[e.group] }) {
				c.Tags = without(c.Tags, func(name string) bool {
					rest, ok := strings.CutPrefix(name, partTag)
					return ok && !keep[parsePart(rest).group]
				})
			}
		})
	}
	if !u.tagged {
		u.dropTags()
		return
	}
	running := u.operations.Running()
	g := u.threads[0].Graph
	eachTagged(g, func(e *flowgraph.Edge, c *program.Command) {
		if running[e.From] == 0 && !slices.ContainsFunc(taggedParts(c.Tags), func(e partEvent) bool { return sure[e.group] }) {
			c.Tags = c.Tags.With(aloneTag)
		}
	})
}

// find adds the parts of a group that have events to those that others can tell the order of.
func (u *unit) find(es *groupEvents, group int) {
	if u.toldApart == nil {
		u.toldApart = map[cc.ExpressionNode]observedPart{}
	}
	for number, of := range es.parts {
		if !es.ordered && !es.calls[number] {
			continue
		}
		n := u.parts[group][number]
		u.toldApart[n] = observedPart{several: u.toldApart[n].several || len(of) > 1, busy: u.busy[n]}
	}
}

// dropTags takes the tags off all accesses.
func (u *unit) dropTags() {
	for _, t := range u.threads {
		eachTagged(t.Graph, func(_ *flowgraph.Edge, c *program.Command) {
			if s := c.Tags.String(); strings.Contains(s, partTag) || strings.Contains(s, aloneTag) || strings.Contains(s, lockedTag) {
				c.Tags = without(c.Tags, func(name string) bool {
					return strings.HasPrefix(name, partTag) || name == aloneTag || name == lockedTag
				})
			}
		})
	}
	u.tagged = false
}

// observe finds the parts of which others can tell the order, and tells whether there are such; the tags are no more then. Where the values are not known,
// r is nil, and everything may be observed.
func (u *unit) observe(p *program.Program, r *program.Ranges) bool {
	if u.tagged {
		u.observeAccesses(p, r)
		u.dropTags()
	}
	found := maps.Clone(u.known.observed)
	if found == nil {
		found = map[cc.ExpressionNode]observedPart{}
	}
	for n, o := range u.toldApart {
		found[n] = observedPart{several: found[n].several || o.several, busy: found[n].busy || o.busy}
	}
	if maps.Equal(found, u.known.observed) || len(found) == 0 {
		return false
	}
	u.orders = found
	return true
}

func (u *unit) observeAccesses(p *program.Program, r *program.Ranges) {
	each := func(f func(ti int, c *program.Command, reached bool)) {
		for ti, t := range p.Threads {
			for i := range t.Edges {
				e := &t.Edges[i]
				reached := r == nil || r.Reachable[ti][e.From]
				if e.Cmd.Op == program.Fence {
					f(ti, &e.Cmd, reached)
				}
				e.Cmd.Accesses(func(c *program.Command) { f(ti, c, reached) })
			}
		}
	}
	var readers, writers []operations.ThreadSet
	if r != nil {
		readers, writers = make([]operations.ThreadSet, len(r.Cells)), make([]operations.ThreadSet, len(r.Cells))
		each(func(ti int, c *program.Command, reached bool) {
			if c.Tags.Has(aloneTag) || !reached {
				return
			}
			for _, i := range r.Access[c] {
				if c.Op == program.Store {
					writers[i] |= operations.Only(ti)
				} else {
					readers[i] |= operations.Only(ti)
				}
			}
		})
	}
	observed := func(ti int, c *program.Command) bool {
		if r == nil || c.Op == program.Fence || c.Tags.Has(lockedTag) { // which orders what is beside it
			return true
		}
		for _, i := range r.Access[c] {
			others := writers[i]
			if c.Op == program.Store {
				others |= readers[i]
			}
			if others&^operations.Only(ti) != 0 {
				return true
			}
		}
		return false
	}
	type key struct{ thread, group int }
	events, reaches, all := map[key]*groupEvents{}, map[key]*groupEvents{}, map[key]*groupEvents{}
	add := func(to map[key]*groupEvents, ti int, e partEvent) {
		at := key{ti, e.group}
		if to[at] == nil {
			to[at] = &groupEvents{}
		}
		to[at].add(e)
	}
	each(func(ti int, c *program.Command, reached bool) {
		parts := taggedParts(c.Tags)
		if parts == nil || c.Tags.Has(aloneTag) {
			return
		}
		seen := reached && observed(ti, c)
		for _, e := range parts {
			if seen {
				add(events, ti, e)
			}
			if reached {
				add(reaches, ti, e)
			}
			add(all, ti, e)
		}
	})
	for at, es := range events {
		if es.matter() {
			u.find(es, at.group)
		}
	}
	for at, es := range all {
		// A part may wait forever, and others never be evaluated, from left to right.
		if here := reaches[at]; here != nil && len(here.parts) < len(es.parts) && es.matter() {
			u.find(es, at.group)
		}
	}
}
