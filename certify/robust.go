package certify

import "github.com/fencepost-verifier/fencepost/program"

// An attack is what a search without buffers has beside it to find out whether buffers
// matter: whether there is a run under TSO with a cycle of happens-before. If there is one,
// there is one in which a single thread delays stores (Bouajjani, Derevenetc, Meyer, "Checking and
// Enforcing Robustness against TSO", ESOP 2013), of this form.
//
//   - calm: everybody runs under SC, up to a store of a thread, which is delayed.
//   - delaying: only that thread runs, without fences, on a copy of the memory that it has
//     for itself, up to a load of a cell to which it did not store since. It does no more.
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
	m                *machine
	stage            int   // a variable: which of these
	by, target       int   // who delays, and the cell of its first store, both from 1
	saved, own, mark []int // by cell: what is in memory; whether the thread has stored to it; see below
	joined           []int // by thread
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
		pr, ok := &m.p.Properties[i], true
		if !pr.Final() {
			program.Walk(pr.Cond, func(e program.Expr) {
				_, mem := e.(program.Mem)
				ok = ok && !mem
			})
		}
		if safe && (!ok || pr.Kind == program.Deadlock) {
			refuse("that the program is robust says nothing of %q", pr.String())
		}
	}
	for _, t := range m.p.Threads {
		for i := range t.Edges {
			if op := t.Edges[i].Cmd.Op; op == program.Lock || op == program.Unlock {
				refuse("there are no certificates of robustness for programs with locks")
			}
		}
	}
	a := &attack{m: m, stage: m.grow(0), by: m.grow(0), target: m.grow(0)}
	for range m.p.Threads {
		a.joined = append(a.joined, m.grow(0))
	}
	return a
}

func (a *attack) phase() int64 { return a.m.value[a.stage] }

// fit makes variables for cells that are new.
func (a *attack) fit() {
	for len(a.mark) < len(a.m.cells) {
		a.saved, a.own, a.mark = append(a.saved, a.m.grow(0)), append(a.own, a.m.grow(0)), append(a.mark, a.m.grow(0))
	}
}

func (a *attack) succeeds() bool {
	return a.phase() == closing && a.m.value[a.mark[a.m.value[a.target]-1]] != 0
}

// step is a step of thread t.
func (a *attack) step(t int) outcome {
	m, v := a.m, a.m.value
	out := m.out[t][v[m.pc[t]]]
	phase, mine := v[a.stage], v[a.by] == int64(t+1)
	if len(out) == 0 || phase == delaying && !mine || phase == closing && mine {
		return disabled
	}
	e := out[m.choose(len(out))]
	c := &m.p.Threads[t].Edges[e].Cmd
	turn := phase == calm && c.Op == program.Store || phase == delaying && c.Op == program.Load
	turn = turn && m.choose(2) == 1
	if phase == delaying && (c.FullFence() || c.Op == program.Atomic) {
		return disabled
	}
	memory := make([]int64, len(m.mem))
	for i, x := range m.mem {
		memory[i] = v[x]
	}
	o := m.take(t, e, false)
	a.fit()
	switch {
	case o != done && phase != calm:
		return disabled
	case o != done:
	case phase == closing:
		return a.follow(t)
	case turn && phase == calm:
		m.set(a.stage, delaying)
		m.set(a.by, int64(t+1))
		m.set(a.target, int64(m.noted[0].cell+1))
		for i, b := range memory {
			m.set(a.saved[i], b)
		}
		m.set(a.own[m.noted[0].cell], 1)
	case turn:
		if m.value[a.own[m.noted[0].cell]] != 0 {
			return disabled
		}
		a.close(t, m.noted[0].cell)
	case phase == delaying && c.Op == program.Store:
		m.set(a.own[m.noted[0].cell], 1)
	}
	return o
}

// close ends what thread t does with the load of a cell.
func (a *attack) close(t, cell int) {
	m := a.m
	m.set(a.stage, closing)
	m.set(a.mark[cell], loaded)
	for i, x := range m.mem {
		m.set(x, m.value[a.saved[i]])
		m.set(a.saved[i], 0)
		m.set(a.own[i], 0)
	}
	m.set(m.pc[t], 0) // all that it holds is forgotten
	for _, x := range m.reg[t] {
		m.set(x, 0)
	}
}

// follow is that thread t has made the accesses that were noted: those of one command, which
// happen together.
func (a *attack) follow(t int) outcome {
	m := a.m
	for _, n := range m.noted {
		k := m.value[a.mark[n.cell]]
		if k == stored || k == loaded && n.write {
			m.set(a.joined[t], 1)
		}
	}
	if m.value[a.joined[t]] == 0 {
		return disabled
	}
	for _, n := range m.noted {
		if n.write {
			m.set(a.mark[n.cell], stored)
		} else if m.value[a.mark[n.cell]] == 0 {
			m.set(a.mark[n.cell], loaded)
		}
	}
	return done
}
