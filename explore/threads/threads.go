// Package threads runs one thread of a program at a time, from a point at which it
// was left. What a thread does on its own, it does at once; it stops where its next
// step has to do with others, or where it can go on in several ways: whoever runs it
// decides what a load gives and which way is taken.
//
// Ranges of a program come in, and a [Thread] for each of its threads goes out. What
// is known of a thread on its way is a [State], plain data that is cheap to copy; why
// it stands is a [Stop].
package threads

import (
	"math"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// A Kind is why a thread stops.
type Kind uint8

const (
	// Ended: the thread has come to its end.
	Ended Kind = iota
	// GivenUp: an assumption has failed.
	GivenUp
	// Stuck: no edge is enabled, nor will one be, unless what an Atomic has read
	// before it were something else.
	Stuck
	// Waiting: it could only go round once more in a loop that only waits.
	Waiting
	// Cut: it has taken all the steps or rounds that are allowed.
	Cut
	// Failed: an assertion has failed, Stop.Cmd.
	Failed
	// Choice: there are Stop.Ways ways to go on; see [Thread.Choose].
	Choice
	// Load: it wants to know what is in Stop.Cell; see [Thread.Read].
	Load
	// Store: it stores Stop.Value to Stop.Cell; see [Thread.Pass].
	Store
	// Fence: a fence; see [Thread.Pass].
	Fence
	// Lock, Unlock: the one lock; see [Thread.Pass].
	Lock
	Unlock
)

// Stands is true of a thread that goes no further.
func (k Kind) Stands() bool { return k <= Failed }

// A Stop is where and why a thread stops. It is a function of the state that
// [Thread.Run] leaves.
type Stop struct {
	Kind   Kind
	Atomic bool // Load, Store, Fence: by an Atomic
	// Half is true of the Load of an Atomic that may store after it to the same cell,
	// and of the Store of one that has loaded.
	Half bool
	// Inside is true of what happens at once with the event of the thread before it: of an
	// access of an Atomic that has others before it, of a part of an access but for the first, and of all that
	// a thread does while it has the lock.
	Inside bool
	Block  bool  // Load, Store: of an Atomic that has more accesses than those of a read-modify-write
	Edge   int32 // one of the edges that the thread is about to take; -1 where it stands
	Cell   int32 // Load, Store: index into Ranges.Cells; -1: outside of them
	Value  int64 // Store
	Ways   int64 // Choice
	// Cmd is the Load, Store, Fence, Lock or Unlock itself, which may be one in a body;
	// of an Atomic without accesses, the Atomic; the Assert that has failed.
	Cmd *program.Command
}

// A State is a point on the way of a thread.
type State struct {
	PC     program.StateID
	Rounds int32 // back edges taken
	Steps  int32 // edges taken
	pick   int32 // 1 + the group that is to be taken, in the order of the control state; 0: not decided
	edge   int32 // of the Atomic whose store is yet to come, or that has just failed an assertion
	stand  Kind  // Stuck, Waiting, Failed: it goes no further; Store: the store of an Atomic is to come
	choice int64 // the values of the Havocs of the group
	cell   int32 // of the store that is to come
	value  int64
	failed *program.Command
	Regs   []int64 // by register
	locked bool    // it has the lock
	// Of an Atomic with several accesses: what those before the next one have loaded, how many
	// of them are stores, and 1 + the edge where it is decided on.
	loaded []int64
	stored int32
	way    int32
	quiet  []int64 // see quiet.go
	own    []int64 // cells of its own that it has stored to, each with what it has stored last
}

// Open is true where the thread has done a part of what happens at once, so that it is no matter
// what it has stored until the rest is done.
func (s *State) Open() bool { return s.locked || s.stored > 0 }

// Copy makes s a copy of o; the registers go to where those of s are, or to a new
// place where there are none.
func (s *State) Copy(o *State) {
	regs, loaded, quiet, own := s.Regs, s.loaded, s.quiet, s.own
	*s = *o
	s.Regs, s.loaded = append(regs[:0], o.Regs...), append(loaded[:0], o.loaded...)
	s.quiet, s.own = append(quiet[:0], o.quiet...), append(own[:0], o.own...)
}

// A Thread is a thread of a program, ready to be run. Several may run it side by side.
type Thread struct {
	*program.Thread
	Index int
	// MaxRounds bounds back edges, and MaxSteps edges.
	MaxRounds, MaxSteps int32
	// Loops says where the thread runs in circles.
	Loops *flow.Loops
	// Quiet makes the thread wait that has gone round a loop and has changed nothing.
	Quiet bool

	ranges *program.Ranges
	arch   program.Arch
	states [][]group // by control state
	edges  []edge
	heads  [][]int32 // by control state, of those to which a loop goes back that does not only wait: the registers that are live there
	// Log, where not nil, is told every step when it is complete: the edge, and its
	// choice as [abstract.Event] has it. The state is the one after it, good until
	// Log returns.
	Log func(s *State, edge int32, choice int64)
}

// A group is edges that leave one control state and are taken together: a single one, or
// Atomics of which at most one is enabled.
type group struct {
	edges []int32
	op    program.Op
	ways  int64
	wait  bool // taken only for what it asserts
	many  bool // one of them has several accesses, which are no read-modify-write
}

type edge struct {
	action
	to   program.StateID
	back bool
	wait bool
	body []action
	many bool // the body has several accesses, which are no read-modify-write
}

type action struct {
	op    program.Op
	reg   int
	typ   program.Type // of the register
	cell  int32        // Load, Store: the cell where the address is constant, else -1
	addr  func(regs []int64) int64
	value func(regs []int64) int64
	lo    int64
	ways  int64 // Havoc: how many values; 0: too many to be numbered
	cmd   *program.Command
}

// New makes the threads of p ready, whose ranges are r. live says which registers are
// live, by thread, for the loops that only wait: see [flow.Live]. The error is a
// [program.Diagnostic] where a command has more outcomes than can be numbered, or a
// body has accesses that are not those of a read-modify-write.
func New(p *program.Program, r *program.Ranges, live func(thread int) []program.RegSet) ([]*Thread, error) {
	var all []*Thread
	for i, pt := range p.Threads {
		alive := live(i)
		t := &Thread{Thread: pt, Index: i, MaxRounds: math.MaxInt32, MaxSteps: math.MaxInt32,
			ranges: r, arch: p.Arch, Loops: flow.FindLoops(pt, alive)}
		t.findHeads(alive)
		for k := range pt.Edges {
			e, ok := t.compile(&pt.Edges[k], k)
			if !ok && r.Reachable[i][pt.Edges[k].From] {
				return nil, p.TooManyOutcomes(pt.Edges[k].Cmd.Pos)
			}
			t.edges = append(t.edges, e)
		}
		for _, out := range pt.Out() {
			t.states = append(t.states, t.groups(out))
		}
		all = append(all, t)
	}
	return all, nil
}

func (t *Thread) compile(e *program.Edge, k int) (edge, bool) {
	out := edge{action: t.action(&e.Cmd), to: e.To, back: t.Loops.Back[k], wait: t.Loops.Wait[k]}
	out.many = severalAccesses(&e.Cmd)
	out.action.ways = max(out.action.ways, program.Bool(e.Cmd.Op != program.Havoc))
	ok := out.action.ways > 0
	for i := range e.Cmd.Body {
		a := t.action(&e.Cmd.Body[i])
		out.body = append(out.body, a)
		if a.op == program.Havoc {
			ok = ok && a.ways > 0 && out.action.ways <= math.MaxInt64/a.ways
			out.action.ways *= a.ways
		}
	}
	return out, ok
}

func (t *Thread) action(c *program.Command) action {
	a := action{op: c.Op, reg: c.Reg, cell: -1, cmd: c}
	switch c.Op {
	case program.Assign, program.Havoc, program.Load:
		a.typ = t.Regs[c.Reg].Type
	}
	if c.Op == program.Havoc {
		a.lo = c.Lo
		if n := uint64(c.Hi) - uint64(c.Lo); n < math.MaxInt64 {
			a.ways = int64(n) + 1
		}
	}
	if c.Value != nil {
		a.value = abstract.Function(c.Value)
	}
	if c.Addr != nil {
		a.addr = abstract.Function(c.Addr)
		if k, ok := program.Fold(c.Addr).(program.Const); ok {
			a.cell = int32(t.ranges.CellIndex(int64(k)))
		}
	}
	return a
}

// groups are the groups of a control state.
func (t *Thread) groups(out []int) (all []group) {
next:
	for _, e := range out {
		a := &t.edges[e]
		if a.wait && !a.cmd.Asserts() {
			continue
		}
		if a.op == program.Atomic && a.ways == 1 && !a.wait {
			for i := range all {
				if all[i].op == program.Atomic && all[i].ways == 1 && !all[i].wait && t.excludes(e, all[i].edges) {
					all[i].edges = append(all[i].edges, int32(e))
					all[i].many = all[i].many || a.many
					continue next
				}
			}
		}
		all = append(all, group{[]int32{int32(e)}, a.op, a.ways, a.wait, a.many})
	}
	for i := range all {
		for _, e := range all[i].edges {
			t.edges[e].many = all[i].many
		}
	}
	return all
}

// excludes is true where e is disabled wherever one of the others is enabled.
func (t *Thread) excludes(e int, others []int32) bool {
	for _, o := range others {
		if !flow.Exclude(&t.Edges[e].Cmd, &t.Edges[o].Cmd) {
			return false
		}
	}
	return true
}

// Start makes s the beginning of the thread.
func (t *Thread) Start(s *State) {
	regs := s.Regs[:0]
	for r := range t.Regs {
		regs = append(regs, t.Regs[r].Init)
	}
	*s = State{PC: t.Initial, edge: -1, Regs: regs}
}

// Run takes the thread to its next stop. scratch is room for its registers.
func (t *Thread) Run(s *State, scratch []int64) Stop {
	for {
		switch s.stand {
		case Store:
			e := &t.edges[s.edge]
			return Stop{Kind: Store, Atomic: true, Half: true, Inside: s.locked, Edge: s.edge, Cell: s.cell, Value: s.value, Cmd: e.store()}
		case Ended:
		default:
			return Stop{Kind: s.stand, Edge: -1, Cell: -1, Cmd: s.failed}
		}
		g, n := t.ahead(s)
		switch {
		case n > 1:
			return Stop{Kind: Choice, Edge: g.edges[0], Cell: -1, Ways: n, Inside: s.locked}
		case n == 0:
			return Stop{Kind: t.still(s), Edge: -1, Cell: -1}
		}
		if stop, over := t.step(s, g, scratch); over {
			return stop
		}
	}
}

// ahead is the group that comes next and the number of ways there are.
func (t *Thread) ahead(s *State) (*group, int64) {
	gs := t.states[s.PC]
	if s.pick > 0 {
		return &gs[s.pick-1], 1
	}
	var first *group
	n := int64(0)
	for i := range gs {
		k := t.ways(s, &gs[i])
		if k > 0 && first == nil {
			first = &gs[i]
		}
		if n > math.MaxInt64-k {
			return first, math.MaxInt64
		}
		n += k
	}
	return first, n
}

func (t *Thread) ways(s *State, g *group) int64 {
	if g.op == program.Check && t.edges[g.edges[0]].value(s.Regs) == 0 {
		return 0
	}
	return g.ways
}

// still is why a thread stands that has no way to go on.
func (t *Thread) still(s *State) Kind {
	switch {
	case t.States[s.PC].Kind == program.GivenUp:
		return GivenUp
	case len(t.states[s.PC]) > 0:
	default:
		return t.waits(s)
	}
	if t.waits(s) == Waiting {
		return Waiting
	}
	return Stuck
}

// waits is Waiting where an edge that closes a loop that only waits can be taken.
func (t *Thread) waits(s *State) Kind {
	kind := Ended
	for e := range t.Edges {
		if t.Edges[e].From == s.PC {
			if a := &t.edges[e]; a.wait && (a.op != program.Check || a.value(s.Regs) != 0) {
				return Waiting
			}
			kind = Stuck
		}
	}
	return kind
}

// Choose takes one of the ways of a [Choice], numbered from 0.
func (t *Thread) Choose(s *State, way int64) {
	s.quiet = s.quiet[:0] // it could go another way the next time
	if g, n := t.ahead(s); n == 1 && g.many {
		t.decide(s, g, way)
		return
	}
	gs := t.states[s.PC]
	for i := range gs {
		n := t.ways(s, &gs[i])
		if way < n {
			s.pick, s.choice = int32(i+1), way
			return
		}
		way -= n
	}
	panic("threads: there is no such way")
}

// move ends a step along edge e.
func (t *Thread) move(s *State, e int32, wait bool) {
	choice := s.choice
	x := &t.edges[e]
	s.PC, s.pick, s.choice, s.edge = x.to, 0, 0, -1
	s.Steps++
	if x.back {
		s.Rounds++
	}
	switch {
	case s.stand == Failed:
	case wait, t.Quiet && t.again(s):
		s.stand = Waiting
	case s.Steps > t.MaxSteps || s.Rounds > t.MaxRounds:
		s.stand = Cut
	}
	if t.Log != nil {
		t.Log(s, e, choice)
	}
}

// step takes the thread along g, unless it has to stop there.
func (t *Thread) step(s *State, g *group, scratch []int64) (Stop, bool) {
	k := g.edges[0]
	e := &t.edges[k]
	stop := Stop{Edge: k, Cell: -1, Cmd: e.cmd, Inside: s.locked}
	switch g.op {
	case program.Check:
	case program.Assign:
		s.Regs[e.reg] = e.typ.Wrap(e.value(s.Regs))
	case program.Havoc:
		s.Regs[e.reg] = e.typ.Wrap(e.lo + s.choice)
	case program.Assert:
		if e.value(s.Regs) == 0 {
			s.stand, s.failed = Failed, e.cmd
		}
	case program.Load:
		stop.Kind, stop.Cell, stop.Inside = Load, t.cell(&e.action, s.Regs), s.locked || e.cmd.Part
		return stop, true
	case program.Store:
		stop.Kind, stop.Cell, stop.Inside = Store, t.cell(&e.action, s.Regs), s.locked || e.cmd.Part
		stop.Value = t.wrap(stop.Cell, e.value(s.Regs))
		return stop, true
	case program.Fence:
		stop.Kind = Fence
		return stop, true
	case program.Lock, program.Unlock:
		if s.locked == (g.op == program.Lock) { // nobody will ever let it go on
			s.stand = Stuck
			return Stop{}, false
		}
		if stop.Kind = Lock; g.op == program.Unlock {
			stop.Kind = Unlock
		}
		return stop, true
	case program.Atomic:
		if g.many {
			return t.block(s, g, scratch)
		}
		return t.atomic(s, g, scratch)
	}
	t.move(s, k, g.wait)
	return Stop{}, false
}

func (t *Thread) cell(a *action, regs []int64) int32 {
	if a.cell >= 0 {
		return a.cell
	}
	return int32(t.ranges.CellIndex(a.addr(regs)))
}

func (t *Thread) wrap(cell int32, v int64) int64 {
	if cell < 0 {
		return v
	}
	return t.ranges.Cells[cell].Type.Wrap(v)
}

// Pass goes past a [Store], [Fence], [Lock] or [Unlock]: it has happened.
func (t *Thread) Pass(s *State, stop *Stop, scratch []int64) {
	if stop.Kind != Fence && !t.keeps(s, stop) {
		s.quiet = s.quiet[:0]
	}
	switch {
	case stop.Kind == Lock:
		s.locked = true
	case stop.Kind == Unlock:
		s.locked = false
	case stop.Atomic && t.edges[stop.Edge].many:
		s.stored++
		return
	}
	if stop.Atomic && !stop.Half { // nothing has been executed of it
		t.apply(s, stop.Edge, nil)
		return
	}
	if s.stand == Store {
		if s.stand = Ended; s.failed != nil {
			s.stand = Failed
		}
	}
	t.move(s, stop.Edge, t.edges[stop.Edge].wait)
}

// Read goes past a [Load]: it has given v. It returns the command that has loaded, of
// several that could have.
func (t *Thread) Read(s *State, stop *Stop, v int64, scratch []int64) *program.Command {
	if !stop.Atomic {
		e := &t.edges[stop.Edge]
		s.Regs[e.reg] = e.typ.Wrap(v)
		t.move(s, stop.Edge, e.wait)
		return stop.Cmd
	}
	if t.edges[stop.Edge].many {
		s.loaded = append(s.loaded, v)
		return stop.Cmd
	}
	g, _ := t.ahead(s)
	for _, e := range g.edges {
		if b := t.body(&t.edges[e], append(scratch[:0], s.Regs...), s.choice, &v); b.ok {
			t.apply(s, e, &v)
			return b.load.cmd
		}
	}
	s.stand = Stuck
	if t.waits(s) == Waiting {
		s.stand = Waiting
	}
	return stop.Cmd
}
