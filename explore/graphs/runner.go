package graphs

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// advance goes on with a thread from its control state, and may guess how; false: all that comes of it is done.
func (u *unfolder) advance(s *unfolding, k int, guess bool) bool {
	t, r := &u.threads[k], &s.threads[k]
	out := t.out[r.pc]
	kind := t.States[r.pc].Kind
	if kind == program.GivenUp {
		r.ended, s.stuck = true, true
		return u.judge != nil
	}
	if len(out) == 0 {
		r.ended = true
		return true
	}
	if r.first == none {
		if c := common(t, out); c != nil {
			if kind == program.Unstarted {
				n := s.clone() // one in which nobody starts the thread
				n.unstarted = append(n.unstarted, u.cellAt(t.StartCell(r.pc)))
				n.threads[k].ended = true
				u.visit([]child{{0, n, (*unfolder).run}, {1, s, func(u *unfolder, s *unfolding) {
					u.begin(s, k, c)
					u.run(s)
				}}})
				return false
			}
			u.begin(s, k, c)
			return true
		}
	}
	first, owed := r.first, len(s.owed)
	var before *unfolding
	if u.judge != nil && kind != program.Unstarted && (guess || slices.ContainsFunc(out, func(e int) bool { return t.Edges[e].Cmd.Op == program.Atomic })) {
		before = s.clone()
	}
	var ways []*unfolding
	for i, e := range out {
		// A round of waiting makes no difference, other than that an assertion may fail in it.
		waits := t.loops.Wait[e] && u.skipWaits
		if waits && !(u.judge != nil && asserts(&t.Edges[e].Cmd)) {
			continue
		}
		n := s
		if i < len(out)-1 || u.judge != nil {
			n = s.clone()
		}
		if cond := u.unwritten(n, k, &t.Edges[e].Cmd); cond != nil {
			n.owed, n.threads[k].waits = append(n.owed, cond), cond
			ways = append(ways, n)
			continue
		}
		before := len(ways)
		wait := u.command(n, k, &t.Edges[e].Cmd, first, guess, func(n *unfolding) {
			o := &n.threads[k]
			if waits && !o.ended {
				o.pc, o.ended, n.stuck = t.Edges[e].To, true, true
			}
			if o.ended {
				ways = append(ways, n)
				return
			}
			if t.loops.Back[e] {
				if o.rounds == u.backEdges {
					u.cutAt(n)
					if u.judge != nil {
						o.pc, o.ended, n.stuck, n.cut = t.Edges[e].To, true, true, true
						ways = append(ways, n)
					}
					return
				}
				o.rounds++
			}
			o.pc, o.first = t.Edges[e].To, none
			ways = append(ways, n)
		})
		if wait != nil {
			// Nothing has been done to s: conditions come first on all ways, or copies were made.
			ways = ways[:before]
			s.threads[k].waits = wait
			return true
		}
	}
	if before != nil && len(ways) > 0 && before.standsStill(k, ways, owed) {
		ways = append(ways, before)
	}
	if len(ways) == 1 && ways[0] == s {
		return true
	}
	if len(ways) == 0 && u.judge != nil { // it stands still
		r = &s.threads[k]
		r.ended, s.stuck = true, true
		return true
	}
	var all []child
	for i, n := range ways {
		if u.over() {
			return false
		}
		if first == none || !u.drops(n, false) {
			all = append(all, child{int32(i), n, (*unfolder).run})
		}
	}
	u.visit(all)
	return false
}

// begin adds the read that all ways on of a thread begin with.
func (u *unfolder) begin(s *unfolding, k int, c *program.Command) {
	r := &s.threads[k]
	s.block++
	r.first = u.add(s, k, c, &bodyState{block: s.block}, memory.Event{Kind: memory.Read})
	h := &s.holes[r.first]
	h.hidden = true
	// A thread with one way on takes it, whatever is read.
	if t := &u.threads[k]; len(t.out[r.pc]) > 1 || t.States[r.pc].Kind == program.Unstarted {
		r.waits = program.Reg(r.first)
	}
}

// standsStill makes s one in which its thread k takes none of the ways on, each of which owes conditions from the given one on; false: one of
// them is always there. Of what is read on the way itself s knows nothing: then the thread stands still, although it may be able to go on.
func (s *unfolding) standsStill(k int, ways []*unfolding, from int) bool {
	var nots []program.Expr
	inside := false
	for i, n := range ways {
		if len(n.owed) <= from {
			return false
		}
		all := n.owed[from]
		for _, e := range n.owed[from+1:] {
			all = program.Binary{Op: program.LogicalAnd, X: all, Y: e}
		}
		not := program.NotExpr(all)
		for o := range nots { // as of a compare-and-swap, which fails or does not
			if (reflect.DeepEqual(nots[o], all) || reflect.DeepEqual(program.NotExpr(nots[o]), not)) && s.alike(all, ways[o], ways[i]) {
				return false
			}
		}
		nots = append(nots, not)
		program.Walk(all, func(e program.Expr) {
			r, ok := e.(program.Reg)
			inside = inside || ok && int(r) >= len(s.holes)
		})
	}
	t := &s.threads[k]
	if !inside {
		s.owed = append(s.owed, nots...)
	} else if t.first != none {
		// what it would have read first does not matter
		h := &s.holes[t.first]
		h.settled, h.delayed = true, false
	}
	t.ended, s.stuck = true, true
	return true
}

// alike is whether what e is over has been read from the same places by two that have come of s.
func (s *unfolding) alike(e program.Expr, n, o *unfolding) bool {
	same := true
	program.Walk(e, func(e program.Expr) {
		if r, ok := e.(program.Reg); ok && int(r) >= len(s.holes) {
			same = same && int(r) < len(n.holes) && int(r) < len(o.holes) && reflect.DeepEqual(n.holes[r].addr, o.holes[r].addr)
		}
	})
	return same
}

// asserts is whether an assertion may fail in a command.
func asserts(c *program.Command) bool {
	return c.Op == program.Assert || slices.ContainsFunc(c.Body, func(b program.Command) bool { return b.Op == program.Assert })
}

// cutAt takes note that s goes on beyond the bound, unless no execution gets there.
func (u *unfolder) cutAt(s *unfolding) { u.cut = u.cut || !u.refuted(s, true) }

// common is the load that all of several ways on begin with, or nil.
func common(t *thread, out []int) *program.Command {
	var c *program.Command
	for _, e := range out {
		cmd := &t.Edges[e].Cmd
		if cmd.Op != program.Atomic || len(cmd.Body) == 0 || cmd.Body[0].Op != program.Load {
			return nil
		}
		b := &cmd.Body[0]
		if c == nil {
			c = b
		} else if !reflect.DeepEqual(c.Addr, b.Addr) || c.Part != b.Part {
			return nil
		}
	}
	return c
}

// bodyState is what is known of an atomic block that is being executed.
type bodyState struct {
	block int
	ctrl  []dependency
	loads []int
	all   []int // its accesses
	guess bool  // conditions that are not known are owed
	begin int   // how many events there were before it, but for the read that all ways begin with
	first int
}

func (b *bodyState) clone() *bodyState {
	c := *b
	c.loads, c.all = slices.Clip(b.loads), slices.Clip(b.all)
	return &c
}

// command executes c in all the ways that there are, and calls then for each. What it returns is
// a condition that has to be known before; then nobody was called.
func (u *unfolder) command(s *unfolding, k int, c *program.Command, first int, guess bool, then func(*unfolding)) (wait program.Expr) {
	t, r := &u.threads[k], &s.threads[k]
	switch c.Op {
	case program.Check:
		e := s.over(c.Value, k)
		v, known := s.know(e)
		if c.Pick && !known { // which nothing waits for
			s.owed = append(s.owed, e)
			then(s)
			return nil
		}
		if !known {
			return e
		}
		if v == 0 {
			return nil
		}
		if !c.Pick {
			r.ctrl = union(r.ctrl, s.dependsOn(c.Value, k))
		}
		then(s)
	case program.Atomic:
		b := &bodyState{begin: len(s.holes), first: first, guess: guess}
		if first != none {
			b.block = s.holes[first].Block
		} else {
			s.block++
			b.block = s.block
		}
		// Whether it has to wait is seen on a copy.
		probe := u.sequence(s.clone(), k, c.Body, b.clone(), func(*unfolding, *bodyState) {})
		if probe != nil {
			return probe
		}
		accesses := false
		c.Accesses(func(*program.Command) { accesses = true })
		if !accesses && !u.p.Arch.Picks() { // nothing is left of it but the fence
			u.add(s, k, c, b, memory.Event{Kind: memory.Fence})
		}
		forks := t.Forks(r.pc)
		u.sequence(s, k, c.Body, b, func(n *unfolding, b *bodyState) {
			if forks {
				n.threads[k].ctrl = union(n.threads[k].ctrl, b.ctrl)
			}
			then(n)
		})
	default:
		u.simple(s, k, c, nil, then)
	}
	return nil
}

// unwritten is the condition that what has been read is a mark where that is what c checks, and it is not known yet; else
// nil. A mark is there at first, unless one is stored: it can be waited for without anything that would come later.
func (u *unfolder) unwritten(s *unfolding, k int, c *program.Command) program.Expr {
	if c.Op != program.Check || !c.Pick || u.marks() {
		return nil
	}
	b, ok := c.Value.(program.Binary)
	if !ok || b.Op != program.Eq {
		return nil
	}
	r, ok := b.X.(program.Reg)
	if !ok || u.threads[k].Regs[r].Mark == 0 || b.Y != program.Const(u.threads[k].Regs[r].Mark) {
		return nil
	}
	e := s.over(c.Value, k)
	if _, known := s.know(e); known {
		return nil
	}
	return e
}

// marks is whether a store may be of a mark.
func (u *unfolder) marks() bool {
	if u.marked != nil {
		return *u.marked
	}
	found := false
	r, err := u.analysed()
	for ti, t := range u.p.Threads {
		for i := range t.Edges {
			t.Edges[i].Cmd.Accesses(func(c *program.Command) {
				if err != nil || c.Op != program.Store {
					return
				}
				for _, i := range r.Access[c] {
					if r.Cells[i].Members.Marked() { // which of its bits would be one is not looked at
						found = true
					}
					if m := r.Cells[i].Mark; m != 0 && !found {
						found = r.Value(ti, c.Value).Has(m)
					}
				}
			})
		}
	}
	found = found || err != nil
	u.marked = &found
	return found
}

// sequence executes the commands of an atomic block.
func (u *unfolder) sequence(s *unfolding, k int, body []program.Command, b *bodyState, then func(*unfolding, *bodyState)) (wait program.Expr) {
	if len(body) == 0 || s.threads[k].ended {
		then(s, b)
		return nil
	}
	c := &body[0]
	switch {
	case c.Op == program.Load && b.first != none:
		r := b.first
		b.first = none
		u.loads(s, k, c, b, r)
		// It is what this way says it is.
		h := &s.holes[r]
		ct := u.text(c, &u.threads[k], true)
		h.cmd, h.hidden, h.Text, h.Tags, h.Pos = c, false, ct.text, ct.tags, c.Pos
		return u.sequence(s, k, body[1:], b, then)
	case c.Op == program.Check:
		e := s.over(c.Value, k)
		v, known := s.know(e)
		if known && v == 0 {
			return nil
		}
		if !known {
			own := b.guess
			program.Walk(e, func(e program.Expr) {
				if r, ok := e.(program.Reg); ok {
					own = own || int(r) >= b.begin
				}
			})
			if !own {
				return e
			}
			s.owed = append(s.owed, e)
		}
		deps := s.dependsOn(c.Value, k)
		b.ctrl = union(b.ctrl, deps)
		for _, d := range deps {
			for _, r := range b.loads {
				if !slices.Contains(b.loads, d.read) {
					h := &s.holes[r]
					h.casdep = append(slices.Clip(h.casdep), d.read)
				}
			}
		}
		return u.sequence(s, k, body[1:], b, then)
	}
	u.simple(s, k, c, b, func(n *unfolding) {
		nb := b
		if n != s {
			nb = b.clone()
		}
		if w := u.sequence(n, k, body[1:], nb, then); w != nil {
			wait = w
		}
	})
	return wait
}

// maxChoices is how many values a choice may have.
const maxChoices = 1 << 16

// simple executes what has nothing to wait for.
func (u *unfolder) simple(s *unfolding, k int, c *program.Command, b *bodyState, then func(*unfolding)) {
	t, r := &u.threads[k], &s.threads[k]
	switch c.Op {
	case program.Assert:
		e := s.over(c.Value, k)
		v, known := s.know(e)
		if u.judge != nil && (!known || v == 0) {
			n := s.clone()
			if !known {
				n.owed = append(n.owed, program.NotExpr(e))
			}
			n.threads[k].ended, n.stuck, n.failed, n.failer = true, true, c, k
			then(n)
		}
		if known && v == 0 {
			return
		}
		if !known {
			s.owed = append(s.owed, e)
		}
	case program.Assign:
		v, deps := cast(s.over(c.Value, k), t.Regs[c.Reg].Type), s.dependsOn(c.Value, k)
		if n := len(r.events); c.Part && n > 0 {
			deps = union(deps, []dependency{{read: r.events[n-1]}})
		}
		if c.Pick {
			deps = picks(deps)
		}
		r.regs[c.Reg], r.deps[c.Reg] = v, u.result(deps, b)
	case program.Havoc:
		// All ways are there at once.
		if n := uint64(c.Hi - c.Lo); n >= maxChoices || int64(n) > (u.limit-u.held)/s.bytes() {
			u.stop(&choiceError{fmt.Sprintf("%s, line %d", c.Format(u.p, t.Thread), c.Pos.Line)})
			return
		}
		for v := c.Lo; ; v++ {
			n := s.clone()
			n.threads[k].regs[c.Reg], n.threads[k].deps[c.Reg] = program.Const(t.Regs[c.Reg].Type.Wrap(v)), u.result(nil, b)
			then(n)
			if v == c.Hi || u.over() {
				return
			}
		}
	case program.Load:
		u.loads(s, k, c, b, u.add(s, k, c, b, memory.Event{Kind: memory.Read}))
	case program.Store:
		w := u.add(s, k, c, b, memory.Event{Kind: memory.Write})
		h := &s.holes[w]
		h.value, h.data = s.over(c.Value, k), s.dependsOn(c.Value, k)
		if b != nil {
			h.block = b.all
			b.all = append(slices.Clip(b.all), w)
		}
	case program.Fence:
		u.add(s, k, c, nil, memory.Event{Kind: memory.Fence})
	}
	then(s)
}

// loads gives what the event r reads to the register of a load.
func (u *unfolder) loads(s *unfolding, k int, c *program.Command, b *bodyState, r int) {
	if b != nil {
		b.all = append(slices.Clip(b.all), r)
		b.loads = append(slices.Clip(b.loads), r)
	}
	o := &s.threads[k]
	o.regs[c.Reg] = cast(program.Reg(r), u.threads[k].Regs[c.Reg].Type)
	if v, known := s.know(o.regs[c.Reg]); known {
		o.regs[c.Reg] = program.Const(v)
	}
	o.deps[c.Reg] = u.result([]dependency{{read: r}}, b)
}

// result is what a register depends on that is given a value which depends on deps.
func (u *unfolder) result(deps []dependency, b *bodyState) []dependency {
	switch {
	case b == nil:
		return deps
	case u.p.Arch.Picks():
		return union(deps, picks(b.ctrl))
	}
	return union(deps, b.ctrl)
}

// dependsOn is what the value of e depends on.
func (s *unfolding) dependsOn(e program.Expr, k int) []dependency {
	var on []dependency
	program.Walk(e, func(x program.Expr) {
		if r, ok := x.(program.Reg); ok {
			on = union(on, s.threads[k].deps[r])
		}
	})
	return on
}

// add puts an event of a thread at the end of what there is of it.
func (u *unfolder) add(s *unfolding, k int, c *program.Command, b *bodyState, e memory.Event) int {
	t, r := &u.threads[k], &s.threads[k]
	ct := u.text(c, t, b != nil)
	e.Thread, e.Text, e.Tags, e.Pos = t.index, ct.text, ct.tags, c.Pos
	e.Part, e.Index = c.Part, len(r.events)
	h := hole{Event: e, cell: none, source: none, linked: none, exclusive: none, cmd: c, ctrl: r.ctrl}
	if b != nil {
		h.Block = b.block
		h.ctrl = union(h.ctrl, b.ctrl)
	}
	n := len(s.holes)
	if b == nil && c.Exclusive(u.p.Arch) {
		if !c.Part {
			r.linked, r.exclusive = r.exclusive, h.Index
		}
		h.linked, h.exclusive = r.linked, r.exclusive
	}
	if e.Kind != memory.Fence {
		h.addr, h.addrs = s.over(c.Addr, k), s.dependsOn(c.Addr, k)
	}
	s.holes = append(s.holes, h)
	r.events = append(r.events, n)
	return n
}
