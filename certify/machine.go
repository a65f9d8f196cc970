package certify

import (
	"math"

	"github.com/fencepost-verifier/fencepost/certify/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A machine performs the steps of a program, from docs/certificates.md and the thesis'
// figures 2.19 and C.1. Its buffers are in buffer.go.
//
// Its state is in places: threads, and behind them variables. Not all need be known. When a step
// looks at a place that is not, load puts something there. That is a choice, like all that is left
// open, and [machine.each] repeats a step until all choices were made. So one step of one thread is
// enumerated from a state, or from all states at once that agree in what the step looks at.
type machine struct {
	state
	buffers
	p     *program.Program
	out   [][][]int     // edges by thread and control state
	live  [][][]bool    // see newLive
	cells map[int64]int // variables by address
	late  *attack       // what a search for delays has beside it

	known  []bool          // by place
	load   func(place int) // nil: all is known
	start  func()          // makes the state that steps are from
	script []int           // the choices to make
	sizes  []int           // out of how many
	at     int             // how many were made in this step
	noted  []access        // to memory, in this step
}

// An access is one to the cell that is a variable, loaded or stored to.
type access struct {
	cell int
	how  int64
}

// An outcome is what became of a step.
type outcome uint8

const (
	disabled outcome = iota
	done
	failed // an assertion fails in it
)

// The first variable is the lock: 0 where it is free, t + 1 where thread t holds it.
const lock = 0

// newMachine is one in the initial state, with buffers of a name that enclose those of a model.
func newMachine(p *program.Program, model, buffer string) *machine {
	m := &machine{p: p, buffers: newBuffers(buffer), live: newLive(p), cells: map[int64]int{}, known: make([]bool, len(p.Threads))}
	if m.none != (model == "sc") || p.Wide() && (m.queue < math.MaxInt || buffer == Robust) {
		text.Refuse("buffers %s do not enclose those of %s, or have no room for stores of several cells", buffer, model)
	}
	for _, t := range p.Threads {
		l := local{pc: int(t.Initial)}
		for _, r := range t.Regs {
			l.regs = append(l.regs, r.Init)
		}
		m.threads, m.out = append(m.threads, l), append(m.out, t.Out())
	}
	m.grow() // the lock
	for _, c := range p.Memory {
		m.set(m.cell(c.Addr), c.Init)
	}
	return m
}

// grow makes a variable, which is 0 at first.
func (m *machine) grow() int {
	m.value, m.known = append(m.value, 0), append(m.known, false)
	return len(m.value) - 1
}

// cell is the variable for an address.
func (m *machine) cell(addr int64) int {
	if _, ok := m.cells[addr]; !ok {
		m.cells[addr] = m.grow()
	}
	return m.cells[addr]
}

// each calls step as often as it has ways to choose, each time after start, and then f with what
// became of it.
func (m *machine) each(start func(), step func() outcome, f func(outcome)) {
	m.start, m.script, m.sizes = start, m.script[:0], m.sizes[:0]
	for {
		clear(m.known)
		m.noted, m.at = m.noted[:0], 0
		start()
		f(step())
		n := len(m.script) - 1
		for ; n >= 0 && m.script[n]+1 == m.sizes[n]; n-- {
		}
		if n < 0 {
			return
		}
		m.script, m.sizes = m.script[:n+1], m.sizes[:n+1]
		m.script[n]++
	}
}

// choose is one of the numbers below n.
func (m *machine) choose(n int) int {
	if m.at == len(m.script) {
		m.script, m.sizes = append(m.script, 0), append(m.sizes, n)
	}
	m.at++
	return m.script[m.at-1]
}

func (m *machine) know(place int) {
	if m.load != nil && !m.known[place] {
		m.load(place)
		m.known[place] = true
	}
}

func (m *machine) local(t int) *local {
	m.know(t)
	return &m.threads[t]
}

func (m *machine) get(x int) int64 {
	m.know(len(m.threads) + x)
	return m.value[x]
}

func (m *machine) set(x int, v int64) {
	m.know(len(m.threads) + x)
	m.value[x] = v
}

// write puts a store into memory.
func (m *machine) write(s store) {
	x := m.cell(s.addr)
	m.noted = append(m.noted, access{x, stored})
	m.set(x, s.value)
}

// free is whether no other thread holds the lock.
func (m *machine) free(t int) bool {
	l := m.get(lock)
	return l == 0 || l == int64(t+1)
}

// eval is an expression over the registers of thread t.
func (m *machine) eval(t int, e program.Expr) int64 {
	return program.EvalRegs(e, m.local(t).regs)
}

// step is a step of thread t: one edge, or a flush.
func (m *machine) step(t int) outcome {
	if m.late != nil {
		return m.late.step(t)
	}
	l := m.local(t)
	out := m.out[t][l.pc]
	if len(l.buffer) > 0 && m.choose(2) == 1 {
		return m.flush(t)
	}
	if len(out) == 0 {
		return disabled
	}
	return m.take(t, out[m.choose(len(out))])
}

// take is an edge of thread t.
func (m *machine) take(t, e int) outcome {
	l, edge := m.local(t), &m.p.Threads[t].Edges[e]
	o := m.command(t, &edge.Cmd, !m.none)
	if o == done {
		l.pc = int(edge.To)
		for r, reg := range m.p.Threads[t].Regs {
			if !m.live[t][l.pc][r] { // states that differ in nothing else are one
				l.regs[r] = reg.Init
			}
		}
	}
	return o
}

// command is one by itself, or in a block. Stores go to the buffer if buffered is true.
func (m *machine) command(t int, c *program.Command, buffered bool) outcome {
	l, th, block := m.local(t), m.p.Threads[t], c.Op == program.Atomic && !c.Wide
	if (block || c.FullFence() || c.Op == program.Lock || c.Op == program.Unlock) && len(l.buffer) > 0 {
		return disabled
	}
	if (block || c.Op == program.Load || c.Op == program.Store && !buffered) && !m.free(t) {
		return disabled
	}
	assign := func(v int64) { l.regs[c.Reg] = th.Regs[c.Reg].Type.Wrap(v) }
	switch c.Op {
	case program.Lock, program.Unlock:
		holder, next := int64(0), int64(t+1)
		if c.Op == program.Unlock {
			holder, next = next, holder
		}
		if m.get(lock) != holder {
			return disabled
		}
		m.set(lock, next)
	case program.Atomic:
		return m.body(t, c, buffered && c.Wide)
	case program.Check:
		if m.eval(t, c.Value) == 0 {
			return disabled
		}
	case program.Assert:
		if m.eval(t, c.Value) == 0 {
			return failed
		}
	case program.Assign:
		assign(m.eval(t, c.Value))
	case program.Havoc:
		n := uint64(c.Hi) - uint64(c.Lo)
		if n >= maxChoices {
			text.Refuse("a free choice of thread %s has too many values", th.Name)
		}
		assign(c.Lo + int64(m.choose(int(n)+1)))
	case program.Load:
		assign(m.read(t, m.eval(t, c.Addr)))
	case program.Store:
		addr, typ := m.eval(t, c.Addr), m.p.Default
		if i := m.p.CellAt(addr); i >= 0 {
			typ = m.p.Memory[i].Type
		}
		s := store{addr: addr, value: typ.Wrap(m.eval(t, c.Value))}
		if !buffered {
			m.write(s)
			break
		}
		l.buffer = m.add(l.buffer, s)
	}
	return done
}

// body is the commands of an atomic block, or of an access of several cells, which is buffered as a whole.
func (m *machine) body(t int, c *program.Command, buffered bool) outcome {
	l, all := m.local(t), done
	first := len(l.buffer)
	for i := range c.Body {
		o := m.command(t, &c.Body[i], buffered)
		if o == disabled {
			return disabled
		}
		all = max(all, o) // failed if one is
	}
	for i := first + 1; i < len(l.buffer); i++ {
		l.buffer[i].mark = 1
	}
	return all
}

// maxChoices bounds the values of one free choice.
const maxChoices = 1 << 20
