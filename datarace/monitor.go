package datarace

import (
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Monitor is a program that watches itself. At first it chooses a thread, and in a run of
// that thread one access, the first of a race to be. From then on it knows of every thread
// whether what the thread does happens after that access, by its control state. Of every cell
// through which threads synchronise it knows whether who acquires what is there now happens
// after it: a bit in another cell, which a release sets and a store that releases nothing
// clears. Acquire fences and release fences have a bit each in their thread. A conflicting
// access by a thread that does not know is the race, and an assertion fails.
//
// The other commands are as they were, so that a run of the monitor is a run of the program.
// What ends a run of the program by a failed assertion ends the thread: what others do later
// they could have done before.
type Monitor struct {
	Program *program.Program // without races if no assertion fails under SC
	// Trivial is whether no two accesses of the program could race: there are none to the same memory, or, where Ordered, locks and the
	// beginnings and ends of threads order them in every run.
	Trivial, Ordered bool
	conflicts        bool
	of               *program.Program
	ranges           *program.Ranges // of that
	known            *orderer        // what orders its accesses
	origin           [][]int         // by thread and edge of Program: the edge of the program that it takes, or -1
}

// NewMonitor writes the monitor for p, of which [Possible] has nothing to say. The error is a
// [program.Diagnostic], or ctx has ended.
func NewMonitor(ctx context.Context, p *program.Program) (*Monitor, error) {
	if err := Possible(p); err != nil {
		return nil, err
	}
	r, err := program.AnalyseContext(ctx, p)
	if err != nil {
		return nil, err
	}
	w := &writer{p: p, r: r, m: &Monitor{of: p, ranges: r, known: orderings(p, r)}}
	w.look()
	w.write()
	return w.m, nil
}

// A writer writes a monitor.
type writer struct {
	p *program.Program
	r *program.Ranges
	m *Monitor
	// suspects are the accesses that may be part of a race, messages those to cells through
	// which threads may synchronise.
	suspects, messages map[*program.Command]bool
	// Whether a thread has suspects, and fences that release or acquire.
	chosen             []bool
	releasing, gaining []bool
	// Cells of the monitor lie that far from those that they are about.
	toFirst, toMessage int64
	who, lock          int64 // the chosen thread, from 1; the bit of the lock
}

// everywhere calls f for every load and store of p that can be reached.
func everywhere(p *program.Program, r *program.Ranges, f func(thread, edge int, c *program.Command, cells []int)) {
	for ti, t := range p.Threads {
		for i := range t.Edges {
			t.Edges[i].Cmd.Accesses(func(c *program.Command) {
				if cells := r.Access[c]; len(cells) > 0 {
					f(ti, i, c, cells)
				}
			})
		}
	}
}

// look finds out what has to be watched.
func (w *writer) look() {
	n := len(w.p.Threads)
	w.chosen, w.releasing, w.gaining = make([]bool, n), make([]bool, n), make([]bool, n)
	for ti, t := range w.p.Threads {
		for i := range t.Edges {
			if c := &t.Edges[i].Cmd; c.Op == program.Fence {
				w.releasing[ti] = w.releasing[ti] || releases(c)
				w.gaining[ti] = w.gaining[ti] || acquires(c)
			}
		}
	}
	// By cell: which kinds of accesses each thread has, with what is known where, and who may release or acquire there.
	type access struct {
		thread int
		kind   kind
		where  where
	}
	type use struct {
		accesses   map[access]bool // whether one of those may be part of a race
		gives, has []bool
	}
	uses := make([]use, len(w.r.Cells))
	for i := range uses {
		uses[i] = use{map[access]bool{}, make([]bool, n), make([]bool, n)}
	}
	known := w.m.known
	everywhere(w.p, w.r, func(t, e int, c *program.Command, cells []int) {
		k := kindOf(c)
		for _, i := range cells {
			u := &uses[i]
			u.accesses[access{t, k, known.at(t, e, c, i)}] = false
			u.gives[t] = u.gives[t] || k == atomicWrite && (releases(c) || w.releasing[t])
			u.has[t] = u.has[t] || k == atomicRead && (acquires(c) || w.gaining[t])
		}
	})
	others := func(t int, f func(o int) bool) bool {
		for o := range n {
			if o != t && f(o) {
				return true
			}
		}
		return false
	}
	for i := range uses {
		for a := range uses[i].accesses {
			for b := range uses[i].accesses {
				if a.thread < b.thread && conflict(a.kind, b.kind) {
					w.m.conflicts = true
					if !between(a.thread, a.where, b.thread, b.where) {
						uses[i].accesses[a], uses[i].accesses[b] = true, true
					}
				}
			}
		}
	}
	w.suspects, w.messages = map[*program.Command]bool{}, map[*program.Command]bool{}
	everywhere(w.p, w.r, func(t, e int, c *program.Command, cells []int) {
		for _, i := range cells {
			u := &uses[i]
			if u.accesses[access{t, kindOf(c), known.at(t, e, c, i)}] {
				w.suspects[c], w.chosen[t] = true, true
			}
			for g := range n {
				if u.gives[g] && others(g, func(o int) bool { return u.has[o] }) {
					w.messages[c] = true
				}
			}
		}
	})
}

// write writes the monitor.
func (w *writer) write() {
	p := *w.p
	p.Arch, p.Properties, p.NoHang, p.Filter, p.Observe = program.X86, nil, false, nil, nil
	p.Memory, p.Threads = nil, nil
	w.m.Trivial = len(w.suspects) == 0
	w.m.Ordered = w.m.Trivial && w.m.conflicts
	top := int64(1)
	for _, c := range w.r.Cells {
		for top <= c.Addr+64 {
			top *= 2
		}
	}
	w.toMessage, w.toFirst = top, 2*top
	w.who, w.lock = 3*top, 3*top+1
	p.Memory = slices.Clone(w.r.Cells)
	p.Memory = append(p.Memory, w.cells(w.messages, w.toMessage, "known by ", program.BoolType)...)
	p.Memory = append(p.Memory, w.cells(w.suspects, w.toFirst, "first access to ", program.Type{Bits: 3})...)
	p.Memory = append(p.Memory, program.Cell{Addr: w.who, Name: "first thread", Type: program.Type{Bits: 16}},
		program.Cell{Addr: w.lock, Name: "known by the lock", Type: program.BoolType})

	var choices []int
	for t := range w.p.Threads {
		if w.chosen[t] {
			choices = append(choices, t)
		}
	}
	for t := range w.p.Threads {
		p.Threads = append(p.Threads, w.thread(t, choices))
	}
	if len(choices) > 1 {
		c := &program.Thread{Name: "choice", States: []program.State{{Name: "q0"}, {Name: "q1"}}}
		for _, t := range choices {
			c.Edges = append(c.Edges, program.Edge{From: 0, To: 1, Cmd: program.Command{Op: program.Store,
				Addr: program.Const(w.who), Value: program.Const(t + 1)}})
		}
		p.Threads = append(p.Threads, c)
	}
	w.m.Program = &p
}

// cells are those of the monitor for all cells that one of the accesses may be to.
func (w *writer) cells(of map[*program.Command]bool, offset int64, name string, t program.Type) []program.Cell {
	need := make([]bool, len(w.r.Cells))
	everywhere(w.p, w.r, func(_, _ int, c *program.Command, cells []int) {
		for _, i := range cells {
			need[i] = need[i] || of[c]
		}
	})
	var more []program.Cell
	for i, c := range w.r.Cells {
		if need[i] {
			more = append(more, program.Cell{Addr: c.Addr + offset, Name: name + c.Name, Type: t})
		}
	}
	return more
}

// A threadWriter writes a thread of the monitor. Its control states are those of the thread, twice:
// before and after the thread knows of the first access. So a loop that waits is one that
// waits still.
type threadWriter struct {
	*writer
	ti     int
	of     *program.Thread
	t      *program.Thread
	origin []int
	states map[place]program.StateID
	work   []place
	// Registers. mine: the first access is one of this thread. pending: who acquires by a fence now
	// happens after it; offered: who acquires what is stored now, and did not release by
	// itself, does. The others are for a moment.
	mine, pending, offered program.Reg
	known, bit, first, bad program.Reg
	chooses                bool
}

// A place is a control state, and whether the thread knows.
type place struct {
	q     program.StateID
	known bool
}

func (w *writer) thread(ti int, choices []int) *program.Thread {
	of := w.p.Threads[ti]
	t := &program.Thread{Name: of.Name, Regs: slices.Clone(of.Regs)}
	x := &threadWriter{writer: w, ti: ti, of: of, t: t, states: map[place]program.StateID{}, chooses: len(choices) > 1}
	x.mine, x.pending, x.offered = x.reg("mine", program.BoolType), x.reg("pending", program.BoolType), x.reg("offered", program.BoolType)
	x.known, x.bit, x.first, x.bad = x.reg("known", program.BoolType), x.reg("bit", program.BoolType),
		x.reg("first", program.Type{Bits: 3}), x.reg("bad", program.BoolType)
	if !x.chooses && w.chosen[ti] {
		t.Regs[x.mine].Init = 1
	}
	t.Initial = x.at(place{of.Initial, false})
	if s := of.States[of.Initial]; x.chooses && s.Kind != program.Unstarted {
		// Nobody does anything before the choice is made, so that it is no matter when.
		who := x.reg("who", program.Type{Bits: 16})
		q := x.state(program.State{Kind: program.Unstarted, Pos: s.Pos})
		next := x.state(program.State{Pos: s.Pos})
		x.edge(q, next, program.Start(int(who), w.who, program.Tags{}), program.Position{}, -1)
		x.edge(next, t.Initial, assign(x.mine, eq(who, ti+1)), program.Position{}, -1)
		t.Initial = q
	}
	out := of.Out()
	for len(x.work) > 0 {
		at := x.work[0]
		x.work = x.work[1:]
		for _, i := range out[at.q] {
			x.translate(i, at)
		}
	}
	w.m.origin = append(w.m.origin, x.origin)
	return t
}

func (x *threadWriter) reg(name string, typ program.Type) program.Reg {
	x.t.Regs = append(x.t.Regs, program.Register{Name: "race: " + name, Type: typ, Temp: true})
	return program.Reg(len(x.t.Regs) - 1)
}

func (x *threadWriter) state(s program.State) program.StateID {
	s.Name = fmt.Sprintf("m%d", len(x.t.States))
	x.t.States = append(x.t.States, s)
	return program.StateID(len(x.t.States) - 1)
}

// at is the control state for a place.
func (x *threadWriter) at(p place) program.StateID {
	q, ok := x.states[p]
	if !ok {
		s := x.of.States[p.q]
		s.Name += map[bool]string{false: "", true: "'"}[p.known]
		q = program.StateID(len(x.t.States))
		x.t.States = append(x.t.States, s)
		x.states[p] = q
		x.work = append(x.work, p)
	}
	return q
}

func (x *threadWriter) edge(from, to program.StateID, c program.Command, pos program.Position, origin int) {
	x.t.Edges = append(x.t.Edges, program.Edge{From: from, To: to, Cmd: c, Pos: pos})
	x.origin = append(x.origin, origin)
}

func assign(r program.Reg, v program.Expr) program.Command {
	return program.Command{Op: program.Assign, Reg: int(r), Value: v}
}

func check(v program.Expr) program.Command { return program.Command{Op: program.Check, Value: v} }

func load(r program.Reg, addr program.Expr, offset int64) program.Command {
	return program.Command{Op: program.Load, Reg: int(r), Addr: program.Fold(program.Binary{Op: program.Add, X: addr, Y: program.Const(offset)})}
}

func store(addr program.Expr, offset int64, v program.Expr) program.Command {
	return program.Command{Op: program.Store, Addr: program.Fold(program.Binary{Op: program.Add, X: addr, Y: program.Const(offset)}), Value: v}
}

// then goes from a state by commands, one after the other, and gives the state after them. The
// first one stands for the edge origin.
func (x *threadWriter) then(from program.StateID, e *program.Edge, origin int, cmds ...program.Command) program.StateID {
	for _, c := range cmds {
		to := x.state(program.State{Pos: e.Pos})
		x.edge(from, to, c, e.Pos, origin)
		from, origin = to, -1
	}
	return from
}

// learn goes from a state to the target of e: the thread knows where the register is 1.
func (x *threadWriter) learn(from program.StateID, e *program.Edge, r program.Reg) {
	x.edge(from, x.at(place{e.To, false}), check(program.NotExpr(r)), e.Pos, -1)
	x.edge(from, x.at(place{e.To, true}), check(r), e.Pos, -1)
}

// translate writes what the edge with the number i becomes at a place.
func (x *threadWriter) translate(i int, at place) {
	e := &x.of.Edges[i]
	c := &e.Cmd
	from, to := x.at(at), place{e.To, at.known}
	switch {
	case x.of.States[e.From].Kind == program.Unstarted:
		start := *c
		start.Body = untagged(c.Body)
		q := x.then(from, e, i, start)
		if x.chooses && x.chosen[x.ti] {
			who := x.reg("who", program.Type{Bits: 16})
			q = x.then(q, e, -1, load(who, program.Const(x.who), 0), assign(x.mine, eq(who, x.ti+1)))
		}
		if x.messages[&c.Body[0]] {
			q = x.then(q, e, -1, load(x.bit, c.Body[0].Addr, x.toMessage))
			x.learn(q, e, x.bit)
		} else {
			x.edge(q, x.at(to), program.Skip(), e.Pos, -1)
		}
	case c.Op == program.Fence:
		switch {
		case !at.known && acquires(c) && x.gaining[x.ti]:
			x.learn(x.then(from, e, i, program.Skip()), e, x.pending)
		case at.known && releases(c):
			x.edge(from, x.at(to), assign(x.offered, program.Const(1)), e.Pos, i)
		default:
			x.edge(from, x.at(to), program.Skip(), e.Pos, i)
		}
	case c.Op == program.Lock && !at.known:
		x.learn(x.then(from, e, i, *c, load(x.bit, program.Const(x.lock), 0)), e, x.bit)
	case c.Op == program.Unlock && at.known:
		q := x.then(from, e, -1, store(program.Const(x.lock), 0, program.Const(1)))
		x.edge(q, x.at(to), *c, e.Pos, i)
	case c.Op == program.Assert && c.Kind != program.Bound:
		x.edge(from, x.at(to), program.Command{Op: program.Check, Value: c.Value, Pos: c.Pos}, e.Pos, i)
	case c.Op == program.Load || c.Op == program.Store || c.Op == program.Atomic:
		x.accesses(i, at)
	default:
		x.edge(from, x.at(to), *c, e.Pos, i)
	}
}

func untagged(body []program.Command) []program.Command {
	body = slices.Clone(body)
	for i := range body {
		body[i].Tags = program.Tags{}
	}
	return body
}

// accesses writes the edges for one that accesses memory: those on which nothing is chosen, and
// one for every access that could be the first of a race.
func (x *threadWriter) accesses(i int, at place) {
	e := &x.of.Edges[i]
	from := x.at(at)
	if at.known {
		x.edge(from, x.at(place{e.To, true}), x.body(&e.Cmd, before, -1), e.Pos, i)
		return
	}
	if !x.mayLearn(&e.Cmd) {
		x.edge(from, x.at(place{e.To, false}), x.body(&e.Cmd, never, -1), e.Pos, i)
	} else {
		x.edge(from, x.at(place{e.To, false}), x.body(&e.Cmd, notNow, -1), e.Pos, i)
		x.edge(from, x.at(place{e.To, true}), x.body(&e.Cmd, now, -1), e.Pos, i)
	}
	accesses(&e.Cmd, func(k int, c *program.Command) {
		if x.suspects[c] && !updated(&e.Cmd, k) {
			x.edge(from, x.at(place{e.To, true}), x.body(&e.Cmd, never, k), e.Pos, i)
		}
	})
}

// accesses calls f for the loads and stores of a command, and their places in its body.
func accesses(c *program.Command, f func(k int, c *program.Command)) {
	if c.Op != program.Atomic {
		f(0, c)
		return
	}
	for k := range c.Body {
		if b := &c.Body[k]; b.Op == program.Load || b.Op == program.Store {
			f(k, b)
		}
	}
}

// mayLearn is whether a thread may learn of the first access by a command.
func (x *threadWriter) mayLearn(c *program.Command) bool {
	found := false
	accesses(c, func(_ int, b *program.Command) {
		found = found || x.messages[b] && kindOf(b) == atomicRead && acquires(b)
	})
	return found
}

// updated is whether the load c.Body[k] is the first half of a read-modify-write, whose store
// stands for both.
func updated(c *program.Command, k int) bool {
	for i := k + 1; i < len(c.Body); i++ {
		if a, b := &c.Body[k], &c.Body[i]; a.Op == program.Load && b.Op == program.Store && a.Addr == b.Addr && isPlain(a) == isPlain(b) {
			return true
		}
	}
	return false
}

// A learning is when a thread gets to know of the first access, seen from a step that it takes.
type learning uint8

const (
	never  learning = iota // not yet, and the step cannot tell
	notNow                 // not yet, and the step does not tell
	now                    // by this step
	before                 // it knows
)

// body is the command that does what c does and keeps account of it. The access with the number
// choose is the first of a race; -1: none is.
func (x *threadWriter) body(c *program.Command, when learning, choose int) program.Command {
	var out []program.Command
	emit := func(cs ...program.Command) { out = append(out, cs...) }
	body := c.Body
	if c.Op != program.Atomic {
		body = []program.Command{*c}
	}
	var known program.Expr = program.Const(0) // as far as the body has come
	switch {
	case choose >= 0: // the step is one event, whatever its parts are
		emit(check(x.mine))
		known = program.Const(1)
	case when == before:
		known = program.Const(1)
	}
	var failed program.Expr // where it is not 0, there is a race
	watch := func(k int, b *program.Command) {
		switch {
		case !x.suspects[b] || updated(c, k):
		case k == choose:
			emit(store(b.Addr, x.toFirst, program.Const(kindOf(b))))
		case choose < 0 && known != program.Const(1):
			emit(load(x.first, b.Addr, x.toFirst))
			found := conflicts(kindOf(b), x.first)
			if known != program.Const(0) {
				found = and(found, program.NotExpr(known))
			}
			if failed != nil {
				found = or(failed, found)
			}
			emit(assign(x.bad, found))
			failed = x.bad
		}
	}
	message := func(b *program.Command, rmw bool) {
		switch {
		case !x.messages[b] || kindOf(b) == none:
		case releases(b) && known == program.Const(1):
			emit(store(b.Addr, x.toMessage, program.Const(1)))
		default:
			var v program.Expr = program.Const(0)
			switch {
			case releases(b):
				v = known
			case !isPlain(b) && x.releasing[x.ti] && when == before:
				v = x.offered
			}
			if rmw && v == program.Const(0) {
				return // what was there goes on
			}
			if rmw {
				emit(load(x.bit, b.Addr, x.toMessage))
				v = or(v, x.bit)
			}
			emit(store(b.Addr, x.toMessage, v))
		}
	}
	for k := range body {
		b := body[k]
		of := &b // the key in the maps
		if of = c; c.Op == program.Atomic {
			of = &c.Body[k]
		}
		switch b.Op {
		case program.Load:
			if x.messages[of] && kindOf(of) == atomicRead && known != program.Const(1) {
				switch {
				case acquires(of):
					emit(load(x.bit, b.Addr, x.toMessage))
					if known == program.Const(0) {
						emit(assign(x.known, x.bit))
					} else {
						emit(assign(x.known, or(x.known, x.bit)))
					}
					known = x.known
				case !acquires(of) && x.gaining[x.ti]:
					emit(load(x.bit, b.Addr, x.toMessage), assign(x.pending, or(x.pending, x.bit)))
				}
			}
			watch(k, of)
			b.Tags = program.Tags{}
			emit(b)
		case program.Store:
			watch(k, of)
			b.Tags = program.Tags{}
			emit(b)
			message(of, updates(body, k))
		case program.Assert:
			if b.Kind != program.Bound {
				b = program.Command{Op: program.Check, Value: b.Value, Pos: b.Pos}
			}
			emit(b)
		default:
			emit(b)
		}
	}
	switch when {
	case notNow:
		emit(check(program.NotExpr(x.known)))
	case now:
		emit(check(x.known))
	}
	if failed != nil {
		emit(program.Command{Op: program.Assert, Value: program.NotExpr(x.bad), Text: "there is no data race", Pos: c.Pos})
	}
	if len(out) == 1 && c.Op != program.Atomic {
		return out[0]
	}
	return program.Command{Op: program.Atomic, Text: c.Text, Body: out, Pos: c.Pos}
}

// conflicts is whether an access of kind k is in conflict with a first one whose kind is in r.
func conflicts(k kind, r program.Reg) program.Expr {
	switch k {
	case atomicRead:
		return eq(r, int(plainWrite))
	case atomicWrite:
		return program.Binary{Op: program.Ge, X: r, Y: program.Const(plainRead)}
	case plainRead:
		return or(eq(r, int(atomicWrite)), eq(r, int(plainWrite)))
	}
	return program.Binary{Op: program.Ne, X: r, Y: program.Const(0)}
}

func eq(x program.Expr, k int) program.Expr {
	return program.Binary{Op: program.Eq, X: x, Y: program.Const(k)}
}
func or(x, y program.Expr) program.Expr { return program.Binary{Op: program.LogicalOr, X: x, Y: y} }
func and(x, y program.Expr) program.Expr {
	return program.Binary{Op: program.LogicalAnd, X: x, Y: y}
}
