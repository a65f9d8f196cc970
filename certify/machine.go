package certify

import (
	"math"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// A machine performs the steps of a program, from docs/certificates.md and the thesis'
// figures 2.19, 3.6, 3.8, 3.10 and C.1. Its state is variables with numbers as values: of
// every thread the control state, the registers and what is in its buffer; the cells; the
// lock.
//
// A variable need not be known. When a step asks for its value, it is one of those of the
// domain: like all that is left open, that is a choice, and [machine.each] repeats a
// step until all choices were made. So one step of one thread is enumerated from a state,
// or from all states at once that agree in what the step asks for.
//
// An open machine gets what it lacks: a cell that is accessed, a pair that is stored, a place
// in a queue. Its variables are known, and new ones are 0.
type machine struct {
	p     *program.Program
	cells []program.Cell
	index map[int64]int // cells by address
	pairs [][]pair      // by thread: what its buffer can hold
	out   [][][]int     // edges by thread and control state
	open  bool

	immediate bool // no buffers
	queue     int  // places of the queue in a buffer that has more than the queue
	queued    bool // there is nothing but the queue
	limit     int64

	// Numbers of variables, by thread where there are two brackets.
	pc             []int
	reg            [][]int
	mem            []int
	lock           int
	place          [][]int // of the queue, oldest first: 0 for none, or a pair and 1
	count          [][]int // by pair: how often it is in the set behind the queue
	last           [][]int // by cell: 0 for none, or the pair of the set that came last and 1
	value          []int64
	known, written []bool
	asked          []bool  // it was known before it was written, or is known
	before         []int64 // what it was then
	touched        []int   // variables that are known or written and were not at first

	// Where variables are not known.
	domain func(x int) []int64
	learn  func(x int) bool // of a variable that it has its value; false: that cannot be
	dead   bool             // it could not
	script []int            // the choices that were made
	sizes  []int            // out of how many
	at     int
	noted  []access
}

// A pair is a store in a buffer: cell, by its place in the list of cells, and value. One of several cells
// is several pairs, all but the first of which are parts.
type pair struct {
	cell  int
	value int64
	part  bool
}

// An access is one to a cell. It is late where the thread goes on after another one.
type access struct {
	thread, cell int
	write, late  bool
}

// An outcome is what became of a step.
type outcome uint8

const (
	disabled outcome = iota
	done
	failed // an assertion fails in it
	stray  // it accesses what is no cell, or stores what no buffer has
)

// setBuffer says what the buffers of that name are.
func (m *machine) setBuffer(name string) {
	number := func(prefix string) int64 {
		digits, found := strings.CutPrefix(name, prefix)
		n, ok := parseNumber(digits)
		if !found || !ok || n < 0 || n > math.MaxInt32 {
			return -1
		}
		return n
	}
	switch {
	case name == "none":
		m.immediate = true
	case name == "fifo":
		m.queued = true
	case name == "set":
		m.limit = 1
	case name == "multiset":
	case number("multiset:") > 0:
		m.limit = number("multiset:")
	case number("coherence:") >= 0 && number("coherence:") <= 64:
		m.queue, m.limit = int(number("coherence:")), 1
	default:
		refuse("buffers %q do not enclose those of tso", name)
	}
}

// newMachine is one with the cells that p declares, and buffers of that name.
func newMachine(p *program.Program, buffer string, open bool) *machine {
	n := len(p.Threads)
	m := &machine{p: p, open: open, index: map[int64]int{}, pairs: make([][]pair, n), place: make([][]int, n), count: make([][]int, n), last: make([][]int, n)}
	m.setBuffer(buffer)
	if p.Wide() && !m.immediate && !(m.queued && open) {
		refuse("buffers %s have no room for stores of several cells", buffer)
	}
	for _, t := range p.Threads {
		m.out = append(m.out, t.Out())
		m.pc = append(m.pc, m.grow(int64(t.Initial)))
		var regs []int
		for _, r := range t.Regs {
			regs = append(regs, m.grow(r.Init))
		}
		m.reg = append(m.reg, regs)
	}
	m.lock = m.grow(-1)
	for _, c := range p.Memory {
		m.addCell(c.Addr)
	}
	return m
}

// grow makes a variable, whose initial value it is.
func (m *machine) grow(init int64) int {
	m.value, m.known, m.written = append(m.value, init), append(m.known, m.open), append(m.written, false)
	m.asked, m.before = append(m.asked, m.open), append(m.before, init)
	return len(m.value) - 1
}

func (m *machine) addCell(addr int64) int {
	c := program.Cell{Addr: addr, Type: m.p.Default}
	if k := m.p.CellAt(addr); k >= 0 {
		c = m.p.Memory[k]
	}
	m.index[addr] = len(m.cells)
	m.cells = append(m.cells, c)
	m.mem = append(m.mem, m.grow(c.Init))
	for t := range m.last {
		if !m.immediate && !m.queued {
			m.last[t] = append(m.last[t], m.grow(0))
		}
	}
	return len(m.cells) - 1
}

// addPair makes the buffer of thread t one that can hold a pair. Before the first one it is
// always empty.
func (m *machine) addPair(t int, p pair) {
	for len(m.pairs[t]) == 0 && len(m.place[t]) < m.queue {
		m.place[t] = append(m.place[t], m.grow(0))
	}
	m.pairs[t] = append(m.pairs[t], p)
	if !m.queued {
		m.count[t] = append(m.count[t], m.grow(0))
	}
}

// cell is the number of the cell with an address.
func (m *machine) cell(addr int64) (int, bool) {
	i, ok := m.index[addr]
	if !ok && m.open {
		return m.addCell(addr), true
	}
	return i, ok
}

// each calls step as often as it has ways to choose, with nothing known but what start
// sets, and then f with what became of it.
func (m *machine) each(start func(), step func() outcome, f func(outcome)) {
	m.script, m.sizes = m.script[:0], m.sizes[:0]
	for {
		for _, x := range m.touched {
			m.known[x], m.written[x], m.asked[x] = false, false, false
		}
		m.touched, m.noted, m.at, m.dead = m.touched[:0], m.noted[:0], 0, false
		start()
		if o := step(); !m.dead {
			f(o)
		}
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
	if n <= 1 || m.dead {
		return 0
	}
	if m.at == len(m.script) {
		m.script, m.sizes = append(m.script, 0), append(m.sizes, n)
	}
	m.at++
	return m.script[m.at-1]
}

func (m *machine) get(x int) int64 {
	if !m.known[x] {
		domain := m.domain(x)
		m.touch(x)
		m.known[x] = true
		m.value[x] = domain[m.choose(len(domain))]
		m.asked[x], m.before[x] = true, m.value[x]
		m.dead = m.dead || !m.learn(x)
	}
	return m.value[x]
}

func (m *machine) set(x int, v int64) {
	m.touch(x)
	m.value[x], m.known[x], m.written[x] = v, true, true
}

func (m *machine) touch(x int) {
	if !m.known[x] && !m.written[x] {
		m.touched = append(m.touched, x)
	}
}

// eval is an expression over the registers of thread t.
func (m *machine) eval(t int, e program.Expr) int64 {
	return program.Eval(e, &program.Env{Reg: func(r program.Reg) int64 { return m.get(m.reg[t][r]) }})
}

// free is whether no other thread holds the lock.
func (m *machine) free(t int) bool {
	l := m.get(m.lock)
	return l < 0 || l == int64(t)
}

func (m *machine) empty(t int) bool { return m.fresh(t) && m.noSet(t) }

// fresh is whether the queue is empty, which has no gaps.
func (m *machine) fresh(t int) bool { return len(m.place[t]) == 0 || m.get(m.place[t][0]) == 0 }

func (m *machine) noSet(t int) bool {
	for _, x := range m.count[t] {
		if m.get(x) != 0 {
			return false
		}
	}
	return true
}

// buffer is what a store does to the buffer: rules LS, LS-Q and LS-S.
func (m *machine) buffer(t, cell int, v int64, part bool) outcome {
	i := slices.Index(m.pairs[t], pair{cell, v, part})
	if i < 0 {
		if !m.open {
			return stray
		}
		i = len(m.pairs[t])
		m.addPair(t, pair{cell, v, part})
	}
	if m.noSet(t) {
		for _, x := range m.place[t] {
			if m.get(x) == 0 {
				m.set(x, int64(i+1))
				return done
			}
		}
	}
	if m.queued && !m.open {
		return stray // there is no place for it
	}
	if m.queued {
		m.place[t] = append(m.place[t], m.grow(0))
		m.set(m.place[t][len(m.place[t])-1], int64(i+1))
		return done
	}
	n := m.get(m.count[t][i]) + 1
	if m.limit > 0 {
		n = min(n, m.limit)
	}
	m.set(m.count[t][i], n)
	m.set(m.last[t][cell], int64(i+1))
	return done
}

// read is what thread t reads: rules RB and RM.
func (m *machine) read(t, cell int) int64 {
	if len(m.pairs[t]) > 0 {
		if !m.queued {
			if i := m.get(m.last[t][cell]); i > 0 {
				return m.pairs[t][i-1].value
			}
		}
		for k := len(m.place[t]) - 1; k >= 0; k-- {
			if i := m.get(m.place[t][k]); i > 0 && m.pairs[t][i-1].cell == cell {
				return m.pairs[t][i-1].value
			}
		}
	}
	return m.get(m.mem[cell])
}

// flush is one of the flushes of thread t: rules WM, WM-Q, WM-SND and WM-SD.
func (m *machine) flush(t int) outcome {
	if len(m.pairs[t]) == 0 || !m.free(t) {
		return disabled
	}
	var p pair
	if fresh := m.fresh(t); fresh && m.queued {
		return disabled
	} else if !fresh {
		for p = m.oldest(t); !m.fresh(t) && m.pairs[t][m.get(m.place[t][0])-1].part; p = m.oldest(t) {
			m.note(t, p.cell, true, false)
			m.set(m.mem[p.cell], p.value)
		}
	} else {
		i := m.choose(len(m.pairs[t]))
		p = m.pairs[t][i]
		n, last := m.get(m.count[t][i]), m.last[t][p.cell]
		if n == 0 {
			return disabled
		}
		if m.choose(2) == 0 { // it stays: there may be more of it
			if m.limit == 0 || n < m.limit {
				return disabled
			}
		} else {
			// What came last goes last.
			isLast := m.get(last) == int64(i+1)
			for j, q := range m.pairs[t] {
				if isLast && n == 1 && j != i && q.cell == p.cell && m.get(m.count[t][j]) > 0 {
					return disabled
				}
			}
			if m.set(m.count[t][i], n-1); isLast && n == 1 {
				m.set(last, 0)
			}
		}
	}
	m.note(t, p.cell, true, false)
	m.set(m.mem[p.cell], p.value)
	return done
}

// oldest takes the oldest pair out of the queue of thread t.
func (m *machine) oldest(t int) pair {
	xs := m.place[t]
	p := m.pairs[t][m.get(xs[0])-1]
	for k, x := range xs {
		next := int64(0)
		if k+1 < len(xs) {
			next = m.get(xs[k+1])
		}
		m.set(x, next)
	}
	return p
}

func (m *machine) note(t, cell int, write, late bool) {
	m.noted = append(m.noted, access{t, cell, write, late})
}

// single is a step of thread t: one edge, or a flush, which is none of its edges.
func (m *machine) single(t int) (o outcome, edge bool) {
	out := m.out[t][m.get(m.pc[t])]
	n := len(out)
	if len(m.pairs[t]) > 0 {
		n++
	}
	if n == 0 {
		return disabled, false
	}
	if i := m.choose(n); i < len(out) {
		return m.take(t, out[i], false), true
	}
	return m.flush(t), false
}

// take is an edge of thread t.
func (m *machine) take(t, e int, late bool) outcome {
	edge := &m.p.Threads[t].Edges[e]
	c := &edge.Cmd
	o := done
	switch c.Op {
	case program.Load, program.Store:
		if (c.Op == program.Load || m.immediate) && !m.free(t) {
			return disabled
		}
		o = m.access(t, c, done, how{buffered: !m.immediate, late: late})
	case program.Fence:
		if c.FullFence() && !m.empty(t) {
			return disabled
		}
	case program.Lock, program.Unlock:
		holder, next := int64(-1), int64(t)
		if c.Op == program.Unlock {
			holder, next = next, holder
		}
		if !m.empty(t) || m.get(m.lock) != holder {
			return disabled
		}
		m.set(m.lock, next)
	case program.Atomic:
		if c.Wide && !m.immediate {
			o = m.wide(t, c)
			break
		}
		if !m.empty(t) || !m.free(t) {
			return disabled
		}
		for i := range c.Body {
			if o = m.inside(t, &c.Body[i], o); o == disabled || o == stray {
				return o
			}
		}
	default:
		o = m.inside(t, c, done)
	}
	if o == done {
		m.set(m.pc[t], int64(edge.To))
	}
	return o
}

// wide is a load or a store of several cells: all of them at once, which need not be in memory.
func (m *machine) wide(t int, c *program.Command) outcome {
	part := false
	for i := range c.Body {
		b := &c.Body[i]
		if b.Op == program.Assign {
			m.assign(t, b.Reg, m.eval(t, b.Value))
			continue
		}
		if b.Op == program.Load && !m.free(t) {
			return disabled
		}
		if o := m.access(t, b, done, how{buffered: true, part: part}); o != done {
			return o
		}
		part = part || b.Op == program.Store
	}
	return done
}

func (m *machine) assign(t, reg int, v int64) {
	m.set(m.reg[t][reg], m.p.Threads[t].Regs[reg].Type.Wrap(v))
}

// inside is a command by itself, or in an atomic block, where o is what became of those
// before it.
func (m *machine) inside(t int, c *program.Command, o outcome) outcome {
	switch c.Op {
	case program.Check:
		if m.eval(t, c.Value) == 0 {
			return disabled
		}
	case program.Assert:
		if m.eval(t, c.Value) == 0 {
			return failed
		}
	case program.Assign:
		m.assign(t, c.Reg, m.eval(t, c.Value))
	case program.Havoc:
		if n := uint64(c.Hi) - uint64(c.Lo); n >= maxChoices {
			refuse("a free choice of thread %s has too many values", m.p.Threads[t].Name)
		} else {
			m.assign(t, c.Reg, c.Lo+int64(m.choose(int(n)+1)))
		}
	case program.Load, program.Store:
		return m.access(t, c, o, how{})
	}
	return o
}

// how an access is made: by the buffer, or not; after another one of a step; as a part, but the first, of one of several cells.
type how struct{ buffered, late, part bool }

// access is a load or a store, where o is what became of the commands before it in an atomic block. After an
// assertion that failed, which may be what guards it, it may go anywhere.
func (m *machine) access(t int, c *program.Command, o outcome, by how) outcome {
	cell, ok := m.cell(m.eval(t, c.Addr))
	load := c.Op == program.Load
	switch {
	case !ok && o != failed:
		return stray
	case !ok && load:
		m.assign(t, c.Reg, 0)
	case !ok:
	case load && by.buffered:
		m.note(t, cell, false, by.late)
		m.assign(t, c.Reg, m.read(t, cell))
	case load:
		m.note(t, cell, false, by.late)
		m.assign(t, c.Reg, m.get(m.mem[cell]))
	case by.buffered:
		return m.buffer(t, cell, m.cells[cell].Type.Wrap(m.eval(t, c.Value)), by.part)
	default:
		m.note(t, cell, true, by.late)
		m.set(m.mem[cell], m.cells[cell].Type.Wrap(m.eval(t, c.Value)))
	}
	return o
}

// maxChoices bounds the values of one free choice.
const maxChoices = 1 << 20

// stuck is whether there is no step, of a state that is no end. What is tried is taken back.
// An atomic block with a free choice in it may be stuck, whatever was chosen.
func (m *machine) stuck() bool {
	for t, th := range m.p.Threads {
		q := m.get(m.pc[t])
		if th.States[q].Kind == program.GivenUp || len(m.pairs[t]) > 0 && m.free(t) && !m.empty(t) {
			return false
		}
		for _, e := range m.out[t][q] {
			c := &th.Edges[e].Cmd
			if c.Op == program.Havoc {
				return false
			}
			if slices.ContainsFunc(c.Body, func(c program.Command) bool { return c.Op == program.Havoc }) {
				continue
			}
			kept := slices.Clone(m.value)
			o := m.take(t, e, false)
			clear(m.value[copy(m.value, kept):])
			for _, x := range m.touched {
				m.value[x], m.known[x], m.written[x] = m.before[x], m.asked[x], false
			}
			if o != disabled {
				return false
			}
		}
	}
	return !m.final()
}

// final is whether all threads are at their ends and all buffers are empty.
func (m *machine) final() bool {
	for ti, t := range m.p.Threads {
		q := program.StateID(m.get(m.pc[ti]))
		switch t.States[q].Kind {
		case program.Unstarted:
			if m.content(t.StartCell(q)) != 0 {
				return false
			}
		case program.GivenUp:
			return false
		default:
			if len(m.out[ti][q]) > 0 {
				return false
			}
		}
		if !m.empty(ti) {
			return false
		}
	}
	return true
}

// content is what is at an address. Nobody stores where no cell is.
func (m *machine) content(addr int64) int64 {
	if i, ok := m.index[addr]; ok {
		return m.get(m.mem[i])
	}
	if i := m.p.CellAt(addr); i >= 0 {
		return m.p.Memory[i].Init
	}
	return 0
}

// violates is whether the state violates a property.
func (m *machine) violates(pr *program.Property) bool {
	switch pr.Kind {
	case program.Forbid:
		return m.condition(pr.Cond) != 0
	case program.Deadlock:
		return m.stuck()
	}
	return m.final() && (m.p.Filter == nil || m.condition(m.p.Filter) != 0) && pr.Violated(m.condition(pr.Cond))
}

// judge is whether the state violates a property, as an outcome.
func (m *machine) judge(pr *program.Property) outcome {
	if m.violates(pr) {
		return failed
	}
	return disabled
}

// condition is an expression over the state. What a conjunction does not depend on is
// not asked for.
func (m *machine) condition(e program.Expr) int64 {
	if b, ok := e.(program.Binary); ok {
		x := m.condition(b.X)
		if b.Op == program.LogicalAnd && x == 0 || b.Op == program.LogicalOr && x != 0 {
			return program.Bool(x != 0)
		}
		return program.EvalBinary(b.Op, x, m.condition(b.Y))
	}
	if u, ok := e.(program.Unary); ok {
		return program.EvalUnary(u.Op, m.condition(u.X))
	}
	return program.Eval(e, &program.Env{
		Mem:       m.content,
		ThreadReg: func(t, r int) int64 { return m.get(m.reg[t][r]) },
		At:        func(t int) program.StateID { return program.StateID(m.get(m.pc[t])) },
	})
}
