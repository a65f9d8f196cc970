package datarace

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Which accesses may be in conflict where two threads stand at them, and which of the two stops (see [Adjacency]).

// A class is what an access is where meetings are concerned.
type class uint8

const (
	bookLoad class = iota // without an order: it keeps books
	bookStore
	plainLoad
	plainStore
	looseLoad // it does not acquire
	looseStore
	syncLoad
	syncStore
)

func classOf(c *program.Command) class {
	k := kindOf(c)
	switch {
	case k == none && c.Op == program.Load:
		return bookLoad
	case k == none:
		return bookStore
	case k == plainRead:
		return plainLoad
	case k == plainWrite:
		return plainStore
	case k == atomicRead && acquires(c):
		return syncLoad
	case k == atomicRead:
		return looseLoad
	case releases(c):
		return syncStore
	}
	return looseStore
}

func (c class) stores() bool { return c%2 == 1 }
func (c class) plain() bool  { return c == plainLoad || c == plainStore }

// races is whether accesses of these classes are a race where nothing orders them.
func races(a, b class) bool {
	return (a.stores() || b.stores()) && (a.plain() || b.plain()) && a > bookStore && b > bookStore
}

// leaks is whether a load of class l that reads from a store of class s need not happen after it.
func leaks(s, l class) bool { return s.stores() && !l.stores() && !(s == syncStore && l == syncLoad) }

// An encounter is what is asked of an access to a cell: many are alike.
type encounter struct {
	thread int
	class  class
	where  where
	values string // by value that is stored to the cell: 1 where it stores that, or would go on if it read that
}

// look finds out what has to be watched, and whether that is all.
func (w *adjacent) look() bool {
	if len(w.p.Threads) > most || slices.ContainsFunc(w.p.Threads, func(t *program.Thread) bool {
		return slices.ContainsFunc(t.Edges, func(e program.Edge) bool { return e.Cmd.Op == program.Lock })
	}) {
		return false
	}
	onCells := func(f func(thread, edge int, c *program.Command, cell int)) {
		everywhere(w.p, w.r, func(t, e int, c *program.Command, cells []int) {
			for _, i := range cells {
				f(t, e, c, i)
			}
		})
	}
	stored := make([]uint64, len(w.r.Cells)) // by which threads
	w.stores = make([]numbers, len(w.r.Cells))
	onCells(func(t, e int, c *program.Command, i int) {
		if c.Op == program.Store {
			stored[i] |= 1 << t
			w.stores[i].add(w.values(t, e, c, i))
		}
	})
	uses := make([]map[encounter]uint, len(w.r.Cells)) // with the classes of those that they may meet
	for i := range uses {
		uses[i] = map[encounter]uint{}
	}
	onCells(func(t, e int, c *program.Command, i int) { uses[i][w.encounter(t, e, c, i)] = 0 })
	marks := make([]map[encounter]bool, len(w.r.Cells))
	for i := range uses {
		marks[i] = map[encounter]bool{}
		for a := range uses[i] {
			for b := range uses[i] {
				if a.thread == b.thread || between(a.thread, a.where, b.thread, b.where) {
					continue
				}
				if races(a.class, b.class) {
					uses[i][a] |= 1 << b.class
					marks[i][a] = true
				}
				if leaks(a.class, b.class) && (w.stores[i].any || common(a.values, b.values)) {
					uses[i][b] |= 1 << a.class
					marks[i][a] = true
				}
			}
		}
	}
	w.against, w.marking, w.foreign = map[*program.Command]uint{}, map[*program.Command]bool{}, map[*program.Command]bool{}
	onCells(func(t, e int, c *program.Command, i int) {
		m := w.encounter(t, e, c, i)
		w.against[c] |= uses[i][m]
		w.marking[c] = w.marking[c] || marks[i][m]
		w.foreign[c] = w.foreign[c] || c.Op == program.Load && stored[i]&^(1<<t) != 0
	})
	good := true
	for _, t := range w.p.Threads {
		for ei := range t.Edges {
			good = good && w.step(t, &t.Edges[ei])
		}
	}
	return good
}

// numbers are values that stores may have.
type numbers struct {
	vs  []int64
	any bool // others, too
}

// mostValues is how many values of stores to a cell are told apart: each of the threads may have a number of its own there, as in a mutex that it has.
const mostValues = most + 2

func (n *numbers) add(o numbers) {
	for _, v := range o.vs {
		if !slices.Contains(n.vs, v) {
			n.vs = append(n.vs, v)
		}
	}
	n.any = n.any || o.any || len(n.vs) > mostValues
}

// values are what a store to the cell i may store.
func (w *adjacent) values(t, e int, c *program.Command, i int) (n numbers) {
	vs, few := w.r.Value(t, c.Value).Few()
	if step := &w.p.Threads[t].Edges[e].Cmd; !few || changes(step, len(step.Body), c.Value) {
		return numbers{any: true}
	}
	for _, v := range vs {
		n.add(numbers{vs: []int64{w.r.Cells[i].Type.Wrap(v)}})
	}
	return n
}

// encounter is what is asked of the access c of an edge to the cell i.
func (w *adjacent) encounter(t, e int, c *program.Command, i int) encounter {
	m := encounter{thread: t, class: classOf(c), where: w.known.at(t, e, c, i)}
	if w.stores[i].any {
		return m
	}
	var own []int64
	if m.class.stores() {
		own = w.values(t, e, c, i).vs
	}
	yes := make([]byte, len(w.stores[i].vs))
	for k, v := range w.stores[i].vs {
		yes[k] = byte(program.Bool(slices.Contains(own, v) || !m.class.stores() && w.accepts(t, e, c, v)))
	}
	m.values = string(yes)
	return m
}

// common is whether some value is among those of both.
func common(a, b string) bool {
	for k := range len(a) {
		if a[k] != 0 && b[k] != 0 {
			return true
		}
	}
	return false
}

// accepts is whether the step of a load may go on if the load reads v.
func (w *adjacent) accepts(t, e int, l *program.Command, v int64) bool {
	k := constants{regs: map[int]int64{}}
	yes := true
	each(&w.p.Threads[t].Edges[e].Cmd, func(c *program.Command) {
		switch c.Op {
		case program.Check, program.Assert:
			if v, known := k.eval(c.Value); known && v == 0 {
				yes = false
			}
		case program.Assign:
			v, known := k.eval(c.Value)
			k.set(w.p.Threads[t], c.Reg, v, known)
		case program.Havoc, program.Load:
			k.set(w.p.Threads[t], c.Reg, v, c == l)
		}
	})
	return yes
}

// step finds out which accesses of a step have to set marks, and whether it is as a whole before or after another one: not if it acquires what others store
// after it has released. Those that set marks have to know where, too, without having stored anything; and nobody stops at the beginning of a thread.
func (w *adjacent) step(t *program.Thread, e *program.Edge) bool {
	good, released, reads := true, false, false
	stored := map[int]bool{}
	e.Cmd.Accesses(func(c *program.Command) {
		k := classOf(c)
		if released && k == syncLoad && w.foreign[c] || t.States[e.From].Kind == program.Unstarted && (w.against[c] != 0 || w.marking[c]) {
			good = false
		}
		released = released || k == syncStore
		if c.Op == program.Load && !reads {
			w.marking[c] = false // who stores marks, and this one looks
		}
		for _, i := range w.r.Access[c] {
			switch {
			case c.Op == program.Store:
				stored[i] = true
			case stored[i]:
				good = false
			}
		}
		reads = reads || w.foreign[c]
	})
	return good
}
