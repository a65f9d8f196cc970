package certify

import (
	"cmp"
	"slices"

	"github.com/fencepost-verifier/fencepost/certify/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// An attack is what a search without buffers has beside it to find out whether buffers
// matter: whether there is a run under TSO with a cycle of happens-before. If there is one,
// there is one in which a single thread delays stores (Bouajjani, Derevenetc, Meyer, "Checking and
// Enforcing Robustness against TSO", ESOP 2013), of this form.
//
//   - calm: everybody runs under SC, up to a store of a thread, which is delayed.
//   - delaying: only that thread runs, without fences, and what it stores stays in its buffer,
//     up to a load of a cell to which it did not store since. It does no more.
//   - closing: the memory is as it was before the store. The others run under SC, but do only
//     what happens after the load: a thread joins when it stores to a cell that was loaded, or
//     accesses one that was stored to, by the load or one that has joined.
//
// The attack succeeds when the cell of the first delayed store is accessed by one that has joined: the
// store comes after it in memory, and so after the load, before which it was in the program.
//
// Where none does, every run has the happens-before relation of one under SC, and so its
// control states and registers, and at the end its memory.
type attack struct {
	m          *machine
	stage      int         // a variable: which of these
	by, target int         // variables: who delays, from 1, and the cell of its first store
	joined     []int       // variables, by thread
	marks      map[int]int // variables, by cell: what has been done to it that happens after the load
}

const (
	calm = iota
	delaying
	closing
)

// What happens after the load: nothing, loads, or a store.
const (
	loaded = 1 + iota
	stored
)

// newAttack refuses what the argument is not about. Where a run is over although a store is
// still delayed (before an assertion that fails, in the moment that a property speaks of) the memory is another.
func newAttack(m *machine, safe bool) *attack {
	for i := range m.p.Properties {
		pr := &m.p.Properties[i]
		ok := pr.Kind != program.Deadlock
		program.Walk(pr.Cond, func(e program.Expr) {
			_, mem := e.(program.Mem)
			ok = ok && (pr.Final() || !mem)
		})
		if safe && !ok {
			text.Refuse("that the program is robust says nothing of %q", pr.String())
		}
	}
	a := &attack{m: m, stage: m.grow(), by: m.grow(), target: m.grow(), marks: map[int]int{}}
	for range m.p.Threads {
		a.joined = append(a.joined, m.grow())
	}
	return a
}

func (a *attack) mark(cell int) int {
	if _, ok := a.marks[cell]; !ok {
		a.marks[cell] = a.m.grow()
	}
	return a.marks[cell]
}

func (a *attack) phase() int64 { return a.m.get(a.stage) }

// step is a step of thread t.
func (a *attack) step(t int) outcome {
	m, l := a.m, a.m.local(t)
	out := m.out[t][l.pc]
	phase, mine := a.phase(), m.get(a.by) == int64(t+1)
	if len(out) == 0 || phase == delaying && !mine || phase == closing && mine {
		return disabled
	}
	e := out[m.choose(len(out))]
	op := m.p.Threads[t].Edges[e].Cmd.Op
	if op == program.Lock || op == program.Unlock {
		text.Refuse("there are no certificates of robustness for programs with locks")
	}
	begins := phase == calm && op == program.Store && m.choose(2) == 1
	ends := phase == delaying && op == program.Load && m.choose(2) == 1
	m.none = phase != delaying && !begins
	o := m.take(t, e)
	switch {
	case o != done && phase != calm || ends && len(m.noted) == 0: // it loads what it has stored
		return disabled
	case phase == closing:
		return a.follow(t)
	case ends:
		m.set(a.stage, closing)
		m.set(a.mark(m.noted[0].cell), loaded)
		clear(l.regs) // all that it holds is forgotten
		l.pc, l.buffer = 0, nil
	case begins:
		m.set(a.stage, delaying)
		m.set(a.by, int64(t+1))
		m.set(a.target, int64(m.cell(l.buffer[0].addr)))
	case phase == delaying && op == program.Store: // only the last store to a cell matters
		n := len(l.buffer) - 1
		last := l.buffer[n]
		l.buffer = append(slices.DeleteFunc(l.buffer[:n], func(s store) bool { return s.addr == last.addr }), last)
		slices.SortFunc(l.buffer, func(x, y store) int { return cmp.Compare(x.addr, y.addr) })
	}
	return o
}

// follow is that thread t has made the accesses that were noted: those of one command, which
// happen together.
func (a *attack) follow(t int) outcome {
	m := a.m
	for _, n := range m.noted {
		if k := m.get(a.mark(n.cell)); k == stored || k == loaded && n.how == stored {
			m.set(a.joined[t], 1)
		}
	}
	if m.get(a.joined[t]) == 0 {
		return disabled
	}
	for _, n := range m.noted {
		if n.cell == int(m.get(a.target)) {
			by := m.get(a.by) - 1
			text.Refuse("certificate: thread %s can delay a store so that others notice", m.p.Threads[by].Name)
		}
		m.set(a.mark(n.cell), max(m.get(a.mark(n.cell)), n.how))
	}
	return done
}
