package program

// A RegSet is a set of registers of one thread, a bit each.
type RegSet []uint64

// NewRegSet is the empty set over n registers.
func NewRegSet(n int) RegSet { return make(RegSet, (n+63)/64) }

// Has is true where r is in the set.
func (s RegSet) Has(r int) bool { return s[r/64]>>(r%64)&1 != 0 }

// Add puts r into the set.
func (s RegSet) Add(r int) { s[r/64] |= 1 << (r % 64) }

// Remove takes r out of the set.
func (s RegSet) Remove(r int) { s[r/64] &^= 1 << (r % 64) }

// union adds all of o and reports whether that changed s.
func (s RegSet) union(o RegSet) bool {
	changed := false
	for i := range s {
		n := s[i] | o[i]
		changed = changed || n != s[i]
		s[i] = n
	}
	return changed
}

// Live is, for every control state of a thread, the registers whose value may
// still be read: by a later command before it is written, by a property, or by
// the filter on final states.
// With keepFinal, all registers of the source are live where the thread ends,
// as whoever lists final states needs it.
//
// A register that is not live may hold anything: searches set it to its initial
// value, so that states that differ in nothing else are one.
func Live(p *Program, thread int, keepFinal bool) []RegSet {
	t := p.Threads[thread]
	out := t.Out()
	live := make([]RegSet, len(t.States))
	for q := range live {
		live[q] = NewRegSet(len(t.Regs))
	}
	observe := func(q int, cond Expr) {
		Walk(cond, func(e Expr) {
			if r, ok := e.(ThreadReg); ok && r.Thread == thread {
				live[q].Add(r.Reg)
			}
		})
	}
	for q := range live {
		final := len(out[q]) == 0 || t.States[q].Kind == Unstarted
		for i := range p.Properties {
			if pr := &p.Properties[i]; !pr.Final() || final {
				observe(q, pr.Cond)
			}
		}
		if final {
			observe(q, p.Filter)
		}
		if final && keepFinal {
			for r := range t.Regs {
				if !t.Regs[r].Temp {
					live[q].Add(r)
				}
			}
		}
	}
	before := NewRegSet(len(t.Regs))
	for changed := true; changed; {
		changed = false
		for i := len(t.Edges) - 1; i >= 0; i-- {
			e := &t.Edges[i]
			copy(before, live[e.To])
			e.Cmd.Writes(before.Remove)
			e.Cmd.Reads(before.Add)
			changed = live[e.From].union(before) || changed
		}
	}
	return live
}
