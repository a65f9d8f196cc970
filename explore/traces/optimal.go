package traces

// optimal is optimal dynamic partial-order reduction: Abdulla, Aronis, Jonsson,
// Sagonas, "Optimal dynamic partial order reduction", POPL 2014, algorithm 2. A
// wakeup tree at each node prescribes not only the process that begins, but all
// the events that it takes to get to a trace that is new, so that no exploration
// is given up midway.
//
// Races are reversed at the end of an execution only, since what the events after
// a race do decides whether what sleeps would wake up.
//
// Picks need care. A sequence says what its threads have picked, since what comes
// after a pick depends on it, but all picks have to be explored. The other ones
// are not prescribed anything, and then there may be processes that sleep and are
// woken up by nothing. From such a node on source sets take over, until nothing
// sleeps any more: no trace is explored twice there either, but some explorations
// may be redundant. Programs without picks have no such nodes.
type optimal struct{ source }

// branchBytes is about what a branch of a wakeup tree takes.
const branchBytes = 144

func (a *optimal) enter(n *node) {
	a.inheritSleep(n)
	if k := len(a.events) - 1; k >= 0 {
		before, e := a.nodes[k], &a.events[k]
		for i, c := range before.tree.children {
			if c.proc == e.proc && c.pick == e.pick && (before.pick >= 0 || i == 0) {
				n.tree, c.wakeup = c.wakeup, wakeup{}
				if before.pick >= 0 { // next is not asked
					a.held -= branchBytes
				}
			}
		}
	}
	n.loose = len(n.tree.children) == 0 && len(n.sleep) > 0
	a.reverseNew()
	if n.loose {
		a.first(n)
	}
}

func (a *optimal) next(n *node) int {
	if n.loose {
		return a.source.next(n)
	}
	switch {
	case n.taken > 0:
		a.putToSleep(n)
		n.tree.children = n.tree.children[1:]
		a.held -= branchBytes
	case len(n.tree.children) == 0:
		n.tree.children = []*branch{{proc: a.awake(n), pick: -1}}
		a.held += branchBytes
	}
	if len(n.tree.children) == 0 {
		return -1
	}
	return n.tree.children[0].proc
}

func (a *optimal) reverse(i int, e *event) {
	n := a.nodes[i]
	if n.loose {
		a.source.reverse(i, e)
		return
	}
	v := a.reversal(i, e)
	for k := range n.sleep {
		if z := &n.sleep[k]; a.halted() || v.weakInitial(z.proc, &z.foot, nil) {
			return
		}
	}
	a.held += branchBytes * int64(n.tree.insert(v))
}

func (a *optimal) ended(givenUp bool) {
	if givenUp {
		a.source.ended(true)
		return
	}
	for k := range a.events {
		for _, i := range a.events[k].races {
			if a.halted() {
				return
			}
			a.reverse(int(i), &a.events[k])
		}
	}
	a.eachPending(a.reverse)
}
