package abstract

import (
	"fmt"
	"math"

	"github.com/fencepost-verifier/fencepost/program"
)

// An Event is one step: thread Thread takes edge Edge of its automaton with
// outcome Choice (see [System.Choices]), or, where Edge is [Flush], flush
// number Choice of its buffer.
type Event struct {
	Thread int
	Edge   int
	Choice int64
}

// Flush is the Edge of an event that flushes.
const Flush = -1

// An Outcome is what became of an event.
type Outcome uint8

const (
	// Disabled: the event cannot happen; the state is as it was.
	Disabled Outcome = iota
	// Full: the event is a store that the capacity forbids; the state is as
	// it was.
	Full
	// Done: the event happened.
	Done
	// Failed: the event happened, and the assertion State.Failed was 0 in it.
	// The run ends here.
	Failed
	// Stray: the event accesses an address that the analysis of the program
	// ruled out. That is an error in the analysis or in the front end; the
	// state is void.
	Stray
)

// A System is the transition system of a program under one kind of buffer. It
// is immutable: several searches may use it side by side.
type System struct {
	Program *program.Program
	Ranges  *program.Ranges
	Buffer  Buffer
	// Capacity is how many stores a buffer holds before others are disabled;
	// 0: no bound.
	Capacity int

	immediate bool
	fifo      bool    // Buffer is FIFO: spare the calls through the interface
	grouped   Grouped // Buffer, where stores may be of several cells; else nil
	bounded   Bounded
	threads   []thread
	cellTypes []program.Type
	dense     []int32 // cell by address - base, -1 for none; nil: use Ranges.CellIndex
	base      int64
	regs      int // of all threads
	maxRegs   int
}

type thread struct {
	out   [][]int             // edges by control state
	kinds []program.StateKind // by control state
	edges []edge
}

type edge struct {
	action
	to      program.StateID
	choices int64
	body    []action
}

// action is a compiled command other than Atomic.
type action struct {
	op    program.Op
	reg   int
	typ   program.Type // of reg
	cell  int          // Load, Store: the cell where the address is constant, else -1
	addr  expr         // Load, Store: where the address is not constant
	value expr
	lo    int64 // Havoc
	radix int64 // Havoc: the number of values
	cmd   *program.Command
	// Of a Fence: whether it waits for an empty buffer, or puts a barrier in it.
	full, barrier bool
}

// New compiles p, whose ranges are r. The error is a [program.Diagnostic] where
// a command has more outcomes than can be numbered. Stores of several cells, which are joined
// ([program.Program.Joined]), need a buffer that is [Grouped], or none.
func New(p *program.Program, r *program.Ranges, b Buffer, capacity int) (*System, error) {
	x := &System{Program: p, Ranges: r, Buffer: b, Capacity: capacity, immediate: b.Immediate()}
	_, x.fifo = b.(FIFO)
	x.bounded, _ = b.(Bounded)
	x.grouped, _ = b.(Grouped)
	x.cellTypes = make([]program.Type, len(r.Cells))
	for i, c := range r.Cells {
		x.cellTypes[i] = c.Type
	}
	if x.grouped == nil && !x.immediate && p.Wide() {
		return nil, fmt.Errorf("internal error: the store buffers %s have no room for a store of several cells", Name(b))
	}
	x.index()
	for ti, t := range p.Threads {
		x.regs += len(t.Regs)
		x.maxRegs = max(x.maxRegs, len(t.Regs))
		th := thread{out: t.Out(), edges: make([]edge, len(t.Edges))}
		for q := range t.States {
			th.kinds = append(th.kinds, t.States[q].Kind)
		}
		for i := range t.Edges {
			e, ok := x.edge(t, &t.Edges[i])
			if !ok && r.Reachable[ti][t.Edges[i].From] {
				return nil, p.TooManyOutcomes(t.Edges[i].Cmd.Pos)
			}
			th.edges[i] = e
		}
		x.threads = append(x.threads, th)
	}
	return x, nil
}

// index prepares the lookup of cells by address: a table where the addresses
// lie close together.
func (x *System) index() {
	cells := x.Ranges.Cells
	if len(cells) == 0 {
		return
	}
	x.base = cells[0].Addr
	span := uint64(cells[len(cells)-1].Addr) - uint64(x.base)
	if span > uint64(16*len(cells)+1024) {
		return
	}
	x.dense = make([]int32, span+1)
	for i := range x.dense {
		x.dense[i] = -1
	}
	for i, c := range cells {
		x.dense[c.Addr-x.base] = int32(i)
	}
}

func (x *System) cellAt(addr int64) int {
	if x.dense != nil {
		if i := uint64(addr) - uint64(x.base); i < uint64(len(x.dense)) {
			return int(x.dense[i])
		}
		return -1
	}
	return x.Ranges.CellIndex(addr)
}

// edge compiles e; it fails where there are more outcomes than can be numbered.
func (x *System) edge(t *program.Thread, e *program.Edge) (edge, bool) {
	c := &e.Cmd
	out := edge{action: x.action(t, c), to: e.To, choices: 1}
	if c.Wide && !x.immediate {
		out.op = wideOp(c)
	}
	ok := true
	choose := func(a *action) {
		if a.op == program.Havoc {
			ok = ok && a.radix > 0 && out.choices <= math.MaxInt64/a.radix
			out.choices *= a.radix
		}
	}
	choose(&out.action)
	for i := range c.Body {
		out.body = append(out.body, x.action(t, &c.Body[i]))
		choose(&out.body[i])
	}
	return out, ok
}

func (x *System) action(t *program.Thread, c *program.Command) action {
	a := action{op: c.Op, reg: c.Reg, cell: -1, cmd: c, full: c.FullFence(), barrier: c.StoreFence()}
	switch c.Op {
	case program.Assign, program.Havoc, program.Load:
		a.typ = t.Regs[c.Reg].Type
	}
	if c.Op == program.Havoc {
		a.lo = c.Lo
		// Too many values to be numbered leave 0.
		if n := uint64(c.Hi) - uint64(c.Lo); n < math.MaxInt64 {
			a.radix = int64(n) + 1
		}
	}
	if c.Value != nil {
		a.value = compile(c.Value)
	}
	if c.Addr != nil {
		if k, ok := program.Fold(c.Addr).(program.Const); ok {
			a.cell = x.cellAt(int64(k))
		}
		a.addr = compile(c.Addr)
	}
	return a
}

// NewState is a state with the layout of the system, to be filled by
// [System.Initial] or [State.Copy].
func (x *System) NewState() *State {
	n := len(x.threads)
	s := &State{
		PC:    make([]program.StateID, n),
		Regs:  make([][]int64, n),
		Buf:   make([]Contents, n),
		Lock:  -1,
		Vals:  make([]int64, x.regs+len(x.cellTypes)),
		saved: make([]int64, x.maxRegs),
	}
	at := 0
	for t, th := range x.Program.Threads {
		s.Regs[t] = s.Vals[at : at+len(th.Regs) : at+len(th.Regs)]
		at += len(th.Regs)
	}
	s.Mem = s.Vals[at:]
	return s
}

// Initial makes s the initial state.
func (x *System) Initial(s *State) {
	for t, th := range x.Program.Threads {
		s.PC[t] = th.Initial
		for r := range th.Regs {
			s.Regs[t][r] = th.Regs[r].Init
		}
		s.Buf[t].Pairs = s.Buf[t].Pairs[:0]
	}
	for i, c := range x.Ranges.Cells {
		s.Mem[i] = c.Init
	}
	s.Lock = -1
}

// Threads is the number of threads.
func (x *System) Threads() int { return len(x.threads) }

// Out is the edges that leave control state q of thread t, in their order.
func (x *System) Out(t int, q program.StateID) []int { return x.threads[t].out[q] }

// Choices is how many outcomes an edge has, numbered from 0: for Havoc its
// values, ascending; for Atomic the combinations of the values of its Havocs as
// mixed radix numbers, the first Havoc the least significant digit. Else 1.
func (x *System) Choices(t, e int) int64 { return x.threads[t].edges[e].choices }

// Flushes is how many flushes thread t can perform in s (rule WM).
func (x *System) Flushes(s *State, t int) int {
	if x.immediate || s.Buf[t].Empty() || s.Lock >= 0 && s.Lock != t {
		return 0
	}
	return x.Buffer.Flushes(&s.Buf[t])
}

// Final is true where every thread has come to its end and every buffer is empty.
func (x *System) Final(s *State) bool {
	for t := range x.threads {
		if !x.Ended(s, t) || !s.Buf[t].Empty() {
			return false
		}
	}
	return true
}

// Ended is true where thread t has come to its end: at a control state without edges,
// or one at which it has not been started.
func (x *System) Ended(s *State, t int) bool {
	switch q := s.PC[t]; x.threads[t].kinds[q] {
	case program.Unstarted:
		return s.Mem[x.cellAt(x.Program.Threads[t].StartCell(q))] == 0
	case program.GivenUp:
		return false
	default:
		return len(x.threads[t].out[q]) == 0
	}
}

// GivenUp is true where some thread has given up.
func (x *System) GivenUp(s *State) bool {
	for t := range x.threads {
		if x.threads[t].kinds[s.PC[t]] == program.GivenUp {
			return true
		}
	}
	return false
}

// Enabled is Done where edge e of thread t is enabled in s, else Disabled or
// Full; of an Atomic it sees only the guards on buffer and lock, not whether
// the checks inside hold. Thread t must be at the source of e.
func (x *System) Enabled(s *State, t, e int) Outcome {
	a := &x.threads[t].edges[e]
	ok := true
	switch a.op {
	case program.Check:
		ok = a.value(s.Regs[t]) != 0
	case program.Load:
		ok = s.Lock < 0 || s.Lock == t
	case program.Store:
		if x.immediate {
			ok = s.Lock < 0 || s.Lock == t
		} else if x.Capacity > 0 && x.held(&s.Buf[t]) >= x.Capacity {
			return Full
		} else if x.bounded != nil {
			if c := x.cellOf(&a.action, s.Regs[t]); c >= 0 &&
				x.bounded.Full(&s.Buf[t], Pair{Cell: c, Value: x.cellTypes[c].Wrap(a.value(s.Regs[t]))}) {
				return Full
			}
		}
	case program.Fence:
		// The others wait for nothing.
		ok = !a.full || s.Buf[t].Empty()
	case program.Lock:
		ok = s.Buf[t].Empty() && s.Lock < 0
	case program.Unlock:
		ok = s.Buf[t].Empty() && s.Lock == t
	case program.Atomic:
		ok = s.Buf[t].Empty() && (s.Lock < 0 || s.Lock == t)
	case wideLoad:
		ok = s.Lock < 0 || s.Lock == t
	case wideStore:
		if x.Capacity > 0 && x.held(&s.Buf[t]) >= x.Capacity {
			return Full
		}
	}
	if !ok {
		return Disabled
	}
	return Done
}

// Step performs ev in place (thesis fig. 2.19 and C.1). The thread must be at
// the source of the edge, the choice within [System.Choices], the number of a
// flush within [System.Flushes].
func (x *System) Step(s *State, ev Event) Outcome {
	if ev.Edge != Flush {
		if o := x.Enabled(s, ev.Thread, ev.Edge); o != Done {
			return o
		}
	}
	return x.Take(s, ev)
}

// Take is Step for an event of which [System.Enabled] has said that it is
// enabled, or a flush.
func (x *System) Take(s *State, ev Event) Outcome {
	t := ev.Thread
	if ev.Edge == Flush {
		b := &s.Buf[t]
		if x.grouped != nil {
			for _, p := range x.grouped.Group(b, int(ev.Choice)) {
				s.Mem[p.Cell] = p.Value
			}
		} else {
			p := x.Buffer.Flushed(b, int(ev.Choice))
			s.Mem[p.Cell] = p.Value
		}
		x.Buffer.Flush(b, int(ev.Choice))
		return Done
	}
	e := &x.threads[t].edges[ev.Edge]
	out := Done
	regs := s.Regs[t]
	switch e.op {
	case program.Assign:
		regs[e.reg] = e.typ.Wrap(e.value(regs))
	case program.Havoc:
		regs[e.reg] = e.typ.Wrap(e.lo + ev.Choice)
	case program.Load:
		c := x.cellOf(&e.action, regs)
		if c < 0 {
			return Stray
		}
		regs[e.reg] = e.typ.Wrap(x.read(s, t, c))
	case program.Store:
		c := x.cellOf(&e.action, regs)
		if c < 0 {
			return Stray
		}
		v := x.cellTypes[c].Wrap(e.value(regs))
		if x.immediate {
			s.Mem[c] = v
		} else if x.fifo {
			s.Buf[t].Pairs = append(s.Buf[t].Pairs, Pair{Cell: c, Value: v})
		} else {
			x.Buffer.Add(&s.Buf[t], Pair{Cell: c, Value: v})
		}
	case program.Fence:
		if e.barrier {
			x.Buffer.Barrier(&s.Buf[t])
		}
	case program.Assert:
		if e.value(regs) == 0 {
			s.Failed = e.cmd
			out = Failed
		}
	case program.Lock:
		s.Lock = t
	case program.Unlock:
		s.Lock = -1
	case program.Atomic:
		if out = x.atomic(s, t, e, ev.Choice, nil); out == Disabled || out == Stray {
			return out
		}
	case wideLoad, wideStore:
		if out = x.wide(s, t, e); out == Stray {
			return out
		}
	}
	s.PC[t] = e.to
	return out
}

// read is what thread t reads from cell c: rules RB and RM.
func (x *System) read(s *State, t, c int) int64 {
	if x.fifo {
		for i := len(s.Buf[t].Pairs) - 1; i >= 0; i-- {
			if s.Buf[t].Pairs[i].Cell == c {
				return s.Buf[t].Pairs[i].Value
			}
		}
		return s.Mem[c]
	}
	if v, ok := x.Buffer.Last(&s.Buf[t], c); ok {
		return v
	}
	return s.Mem[c]
}

func (x *System) cellOf(a *action, regs []int64) int {
	if a.cell >= 0 {
		return a.cell
	}
	return x.cellAt(a.addr(regs))
}

// atomic executes the body of an Atomic, all of it or nothing. The buffer is
// empty, so its accesses are to memory. An assertion that fails inside counts
// only once the whole body has been executed; the addresses after it may be any
// (the assertion may be what guards them), and what is not a cell reads as 0.
// note, where not nil, is told every access.
func (x *System) atomic(s *State, t int, e *edge, choice int64, note func(cell int, write bool)) Outcome {
	regs := s.Regs[t]
	copy(s.saved, regs)
	s.writes = s.writes[:0]
	out := Done
	for i := range e.body {
		a := &e.body[i]
		switch a.op {
		case program.Check:
			if a.value(regs) == 0 {
				s.undo(t)
				return Disabled
			}
		case program.Assign:
			regs[a.reg] = a.typ.Wrap(a.value(regs))
		case program.Havoc:
			regs[a.reg] = a.typ.Wrap(a.lo + choice%a.radix)
			choice /= a.radix
		case program.Load, program.Store:
			c := x.cellOf(a, regs)
			if c >= 0 && note != nil {
				note(c, a.op == program.Store)
			}
			switch {
			case c < 0 && out != Failed:
				return Stray
			case c < 0 && a.op == program.Load:
				regs[a.reg] = 0
			case c < 0:
			case a.op == program.Load:
				regs[a.reg] = a.typ.Wrap(s.Mem[c])
			default:
				s.writes = append(s.writes, Pair{Cell: c, Value: s.Mem[c]})
				s.Mem[c] = x.cellTypes[c].Wrap(a.value(regs))
			}
		case program.Assert:
			if a.value(regs) == 0 && out != Failed {
				s.Failed = a.cmd
				out = Failed
			}
		}
	}
	return out
}

// Probe tells what [System.Step] would make of edge ev.Edge, and leaves s as it
// is, State.Failed apart. note is told the cells that the event reads and writes,
// the buffer of the thread disregarded; where a check in an Atomic fails, those
// up to there, on which it depends that the event is disabled.
func (x *System) Probe(s *State, ev Event, note func(cell int, write bool)) Outcome {
	t := ev.Thread
	if o := x.Enabled(s, t, ev.Edge); o != Done {
		return o
	}
	switch e := &x.threads[t].edges[ev.Edge]; e.op {
	case program.Assert:
		if e.value(s.Regs[t]) == 0 {
			return Failed
		}
	case program.Load, program.Store:
		c := x.cellOf(&e.action, s.Regs[t])
		if c < 0 {
			return Stray
		}
		note(c, e.op == program.Store)
	case program.Atomic:
		out := x.atomic(s, t, e, ev.Choice, note)
		if out != Disabled {
			s.undo(t)
		}
		return out
	case wideLoad, wideStore:
		return x.looksWide(s, t, e, note)
	}
	return Done
}

// Stuck is true where no event is enabled in s.
func (x *System) Stuck(s *State) bool {
	try := x.NewState()
	try.Copy(s)
	for t := range s.PC {
		if x.Flushes(s, t) > 0 {
			return false
		}
		for _, e := range x.Out(t, s.PC[t]) {
			for c := range x.Choices(t, e) {
				if x.Step(try, Event{Thread: t, Edge: e, Choice: c}) != Disabled {
					return false
				}
			}
		}
	}
	return true
}

// CellName is what the source calls cell i, or its address in brackets.
func (x *System) CellName(i int) string {
	c := &x.Ranges.Cells[i]
	if c.Name != "" {
		return c.Name
	}
	return fmt.Sprintf("[%d]", c.Addr)
}

// An Astray is the error of an access to an address that the analysis ruled out: a mistake, but in a program
// that is an abstraction of one.
type Astray struct{ msg string }

func (e *Astray) Error() string { return e.msg }

// StrayError describes an event whose outcome was [Stray]; it is an [Astray].
func (x *System) StrayError(ev Event) error {
	t := x.Program.Threads[ev.Thread]
	return &Astray{fmt.Sprintf("internal error: edge %d of thread %s (%s) accesses an address that the analysis ruled out",
		ev.Edge, t.Name, t.Edges[ev.Edge].Cmd.Format(x.Program, t))}
}
