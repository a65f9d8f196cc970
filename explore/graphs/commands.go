package graphs

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// command executes c in all the ways that there are, and calls then for each. s
// is its own to change.
func (x *enumeration) command(s *partial, c *program.Command, then func(*partial)) {
	t := &x.threads[s.run]
	regs := s.regs[s.run]
	switch c.Op {
	case program.Check:
		if s.eval(c.Value) == 0 {
			return
		}
		if s.body != nil {
			deps := s.dependsOn(c.Value)
			s.body.ctrl = union(s.body.ctrl, deps)
			for _, d := range deps {
				for _, r := range s.body.loads {
					if !slices.Contains(s.body.loads, d.read) {
						s.g.CasDep.Add(d.read, r)
					}
				}
			}
		} else if !c.Pick {
			s.decide(s.dependsOn(c.Value), t.joins[s.pc])
		}
		then(s)
	case program.Assert:
		if s.eval(c.Value) != 0 {
			then(s)
		}
	case program.Assign:
		v, deps := t.Regs[c.Reg].Type.Wrap(s.eval(c.Value)), s.dependsOn(c.Value)
		if n := len(s.g.Events) - 1; c.Part && s.g.Events[n].Thread == t.index {
			deps = union(deps, []dependency{{read: n}})
		}
		if c.Pick {
			deps = picks(deps)
		}
		regs[c.Reg], s.deps[c.Reg] = v, x.result(s, deps)
		then(s)
	case program.Havoc:
		for v := c.Lo; ; v++ {
			n := x.clone(s)
			n.regs[n.run][c.Reg], n.deps[c.Reg] = t.Regs[c.Reg].Type.Wrap(v), x.result(n, nil)
			then(n)
			x.release(n)
			if v == c.Hi || x.over() {
				return
			}
		}
	case program.Load:
		x.load(s, c, then)
	case program.Store:
		x.store(s, c, then)
	case program.Fence:
		x.fence(s, c, s.section)
		then(s)
	case program.Lock:
		if s.section != 0 {
			return
		}
		s.block++
		s.section = s.block
		x.fence(s, c, s.section)
		then(s)
	case program.Unlock:
		if s.section == 0 {
			return
		}
		x.fence(s, c, s.section)
		s.section = 0
		then(s)
	case program.Atomic:
		s.body = &atomicBody{block: s.section}
		if s.section == 0 {
			s.block++
			s.body.block = s.block
		}
		accesses := false
		c.Accesses(func(*program.Command) { accesses = true })
		if !accesses && !x.p.Arch.Picks() { // nothing is left of it but the fence
			x.fence(s, c, s.body.block)
		}
		forks, join := t.Forks(s.pc), t.joins[s.pc]
		x.sequence(s, c.Body, func(n *partial) {
			if forks { // what was checked decides where the thread goes on
				n.decide(n.body.ctrl, join)
			}
			n.body = nil
			then(n)
		})
	}
}

// decide notes that a check on the reads has decided how the thread goes on, as far as the
// state until.
func (s *partial) decide(on []dependency, until program.StateID) {
	for _, r := range on {
		if d := (decision{r, until}); !slices.Contains(s.ctrl, d) {
			s.ctrl = append(slices.Clip(s.ctrl), d)
		}
	}
}

// decided forgets what has decided how to come to where the thread is.
func (s *partial) decided() {
	if slices.ContainsFunc(s.ctrl, func(d decision) bool { return d.until == s.pc }) {
		s.ctrl = slices.DeleteFunc(slices.Clone(s.ctrl), func(d decision) bool { return d.until == s.pc })
	}
}

// controls is what that which comes now depends on.
func (s *partial) controls() []dependency {
	var on []dependency
	for _, d := range s.ctrl {
		if !slices.Contains(on, d.on) {
			on = append(on, d.on)
		}
	}
	return on
}

// sequence executes the commands of an atomic block.
func (x *enumeration) sequence(s *partial, body []program.Command, then func(*partial)) {
	if len(body) == 0 {
		then(s)
		return
	}
	x.command(s, &body[0], func(n *partial) { x.sequence(n, body[1:], then) })
}

// result is what a register depends on that is given a value which depends on
// deps: where a check in an atomic block decided about it, on that as well.
func (x *enumeration) result(s *partial, deps []dependency) []dependency {
	switch {
	case s.body == nil:
		return deps
	case x.p.Arch.Picks():
		return union(deps, picks(s.body.ctrl))
	}
	return union(deps, s.body.ctrl)
}

// picks is deps of what is no more than picked by what depends on them.
func picks(deps []dependency) (out []dependency) {
	for _, d := range deps {
		out = union(out, []dependency{{d.read, true}})
	}
	return out
}

// note adds to a relation, or to that of what is picked, what the event e depends on.
func note(deps []dependency, e int, plain, picked memory.Relation) {
	for _, d := range deps {
		if d.picked {
			picked.Add(d.read, e)
		} else {
			plain.Add(d.read, e)
		}
	}
}

// add puts an event of the running thread into the graph.
func (x *enumeration) add(s *partial, c *program.Command, e memory.Event) int {
	t := &x.threads[s.run]
	ct := x.text(c, t, s.body != nil)
	e.Thread, e.Text, e.Tags, e.Pos = t.index, ct.text, ct.tags, c.Pos
	e.Part = c.Part
	ctrl := s.controls()
	if s.body != nil {
		e.Block = s.body.block
		ctrl = union(ctrl, s.body.ctrl)
	} else if e.Kind != memory.Fence {
		e.Block = s.section
	}
	n := s.g.Add(e)
	if s.body == nil && c.Exclusive(x.p.Arch) {
		if !c.Part {
			s.linked, s.exclusive = s.exclusive, n
		}
		if r := s.linkedAt(e.Addr); e.Kind == memory.Write && r >= 0 {
			s.g.RMW.Add(r, n)
		}
	}
	note(ctrl, n, s.g.Ctrl, s.g.PickCtrl)
	return n
}

// linkedAt is the read of that cell of the exclusive access before the last, or -1.
func (s *partial) linkedAt(addr int64) int {
	for r := s.linked; r >= 0 && r < s.exclusive && (r == s.linked || s.g.Events[r].Part); r++ {
		if e := &s.g.Events[r]; e.Kind == memory.Read && e.Addr == addr {
			return r
		}
	}
	return -1
}

func (x *enumeration) fence(s *partial, c *program.Command, block int) {
	x.add(s, c, memory.Event{Kind: memory.Fence, Block: block})
}

// access is the cell of a load or a store, or -1: only a guess that is wrong, or an assertion that
// failed before, leads to an address where there is none, or to a cell that no thread was found to access when
// values were: such a guess takes what is computed from itself.
func (x *enumeration) access(s *partial, c *program.Command) int {
	cell := x.cellAt(s.eval(c.Addr))
	if cell >= 0 && !x.accessed[cell] {
		return -1
	}
	return cell
}

func (x *enumeration) load(s *partial, c *program.Command, then func(*partial)) {
	cell := x.access(s, c)
	if cell < 0 {
		return
	}
	read := func(v int64) (*partial, int) {
		n := x.clone(s)
		r := x.add(n, c, memory.Event{
			Kind: memory.Read, Addr: x.cells[cell].Addr, Value: v, Loc: x.cells[cell].Name, Mark: x.cells[cell].Mark, Members: x.cells[cell].Members})
		note(n.dependsOn(c.Addr), r, n.g.Addr, n.g.PickAddr)
		if n.body != nil {
			n.body.reads = append(n.body.reads, r)
			n.body.loads = append(slices.Clip(n.body.loads), r)
		}
		n.regs[n.run][c.Reg] = x.threads[n.run].Regs[c.Reg].Type.Wrap(v)
		n.deps[c.Reg] = x.result(n, []dependency{{read: r}})
		return n, r
	}
	for _, w := range s.order[cell] {
		if x.over() {
			return
		}
		n, r := read(s.g.Events[w].Value)
		n.g.RF.Add(w, r)
		if !x.refuter.Refutes(n.g, false) {
			x.follow(n, then)
		}
		x.release(n)
	}
	for _, v := range x.values[s.run+x.first][cell] {
		if x.over() {
			return
		}
		if x.cut && !slices.Contains(x.within[s.run+x.first][cell], v) {
			continue // it can only lead to another cut
		}
		n, r := read(v)
		n.open = append(n.open, openRead{r, cell, v})
		x.follow(n, then)
		x.release(n)
	}
}

func (x *enumeration) store(s *partial, c *program.Command, then func(*partial)) {
	cell := x.access(s, c)
	if cell < 0 {
		return
	}
	where := x.cells[cell]
	v := where.Type.Wrap(s.eval(c.Value))
	w := x.add(s, c, memory.Event{Kind: memory.Write, Addr: where.Addr, Value: v, Loc: where.Name, Mark: where.Mark, Members: where.Members})
	note(s.dependsOn(c.Addr), w, s.g.Addr, s.g.PickAddr)
	note(s.dependsOn(c.Value), w, s.g.Data, s.g.PickData)
	if s.body != nil {
		s.body.reads = slices.DeleteFunc(s.body.reads, func(r int) bool {
			if s.g.Events[r].Addr == where.Addr {
				s.g.RMW.Add(r, w)
				return true
			}
			return false
		})
	}
	for at := len(s.order[cell]); at >= 1 && !x.over(); at-- {
		n := x.clone(s)
		n.order[cell] = slices.Insert(slices.Clone(n.order[cell]), at, w)
		if x.locks[cell] && takenTwice(n.g, n.order[cell], x.threads[n.run].index) {
			x.release(n)
			continue
		}
		for i, o := range n.order[cell] {
			if i < at {
				n.g.CO.Add(o, w)
			} else if i > at {
				n.g.CO.Add(w, o)
			}
		}
		if !x.refuter.Refutes(n.g, false) {
			x.follow(n, func(n *partial) { x.serve(n, w, cell, 0, then) })
		}
		x.release(n)
	}
}

// serve lets any of the open reads from the i-th on read from w.
func (x *enumeration) serve(s *partial, w, cell, i int, then func(*partial)) {
	for ; i < len(s.open) && !x.over(); i++ {
		o := s.open[i]
		if o.cell != cell || o.value != s.g.Events[w].Value || computes(s.g, o.event, w) {
			continue
		}
		n := x.clone(s)
		n.open = slices.Delete(n.open, i, i+1)
		n.g.RF.Add(w, o.event)
		if !x.refuter.Refutes(n.g, false) {
			x.follow(n, func(n *partial) { x.serve(n, w, cell, i, then) })
		}
		x.release(n)
	}
	then(s)
}

// computes is whether what the read r gives is needed to know the value or the address
// of the access e.
func computes(g *memory.Graph, r, e int) bool {
	seen := make([]bool, len(g.Events))
	var from func(i int) bool
	from = func(i int) bool {
		if i == e {
			return true
		}
		seen[i] = true
		value := []memory.Relation{g.RF, g.Addr, g.Data}
		if g.Picks {
			value = append(value, g.PickAddr, g.PickData)
		}
		for _, rel := range value {
			found := false
			rel.After(i, func(j int) { found = found || !seen[j] && from(j) })
			if found {
				return true
			}
		}
		return false
	}
	return from(r)
}
