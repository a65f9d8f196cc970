package traces

// dpor is stateless dynamic partial-order reduction: thesis algorithm 4.4, after
// Flanagan and Godefroid, "Dynamic partial-order reduction for model checking
// software", POPL 2005. There are no sleep sets, so that traces are explored
// more than once.
//
// The printed rule looks for the last event that accesses what the next event of
// a process accesses. That event may be one of the same process, or may happen
// before in another way, and hide one that does race. So the events asked for are
// those in a race, as the paper has it, and all of them: a load of an own store
// races with a flush of another thread beside the flush of that store.
type dpor struct{ *executions }

func (a *dpor) enter(n *node) {
	if n.pick >= 0 {
		return
	}
	for p := range a.count() {
		n.enabled[p] = a.enabled(a.s, p, a.status)
	}
	first := -1
	for p := range a.count() {
		switch {
		case n.enabled[p]:
			if first < 0 {
				first = p
			}
			a.prepare(&a.scratch, p)
			for _, k := range a.scratch.races {
				a.add(int(k), p)
			}
		default:
			if k := a.pending(&a.scratch, p); k >= 0 {
				a.add(k, p)
			}
		}
	}
	if first >= 0 {
		n.backtrack[first] = true
	}
}

// add makes process p, or, where it is not enabled, every process explored from
// before event k.
func (a *dpor) add(k, p int) {
	n := a.nodes[k]
	if n.enabled[p] {
		n.backtrack[p] = true
		return
	}
	for q, b := range n.enabled {
		n.backtrack[q] = n.backtrack[q] || b
	}
}

func (a *dpor) next(n *node) int {
	for p, b := range n.backtrack {
		if b && !n.done[p] {
			n.done[p] = true
			return p
		}
	}
	return -1
}

func (a *dpor) ended(bool) {}
