package datarace

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// What a thread holds and whom it has waited for often hangs on what it knows: that the index of a loop over threads has come to its end, or that
// a try to take a lock has succeeded. So its control flow is unfolded by the constants that it computes of itself, as in a partial evaluation: of registers, and of cells
// that no other thread accesses.

// An unfolded is the control flow of a thread whose nodes are control states with constants.
type unfolded struct {
	initial int
	edges   []step
	out     [][]int // by node: edges
	of      [][]int // by edge of the thread: the edges that it has become
}

// A step is an edge from a node to another one, or to -1 where an assertion fails.
type step struct {
	from, to, edge int
	known          constants // before it
}

// constants are values of registers and of cells, as far as they are known. The cells are shared, and never written.
type constants struct {
	regs, cells map[int]int64
	cellsKey    string // of the cells
}

const (
	mostNodes = 1 << 13 // of a thread
	mostKinds = 256     // of constants at a control state
	mostCells = 256     // that are followed
)

// unfold unfolds a thread. Where there would be too many nodes at a state, nothing is known.
func (o *orderer) unfold(ti int) *unfolded {
	t := o.p.Threads[ti]
	live := program.NewRegSets(len(t.States), len(t.Regs))
	t.Live(live)
	x := &unfolder{orderer: o, ti: ti, t: t, own: map[int]bool{}}
	first := constants{regs: map[int]int64{}, cells: map[int]int64{}}
	for i := range o.r.Cells {
		if o.r.Readers[i][ti] && o.r.Private(i) == ti && len(x.own) < mostCells {
			x.own[i] = true
			first.cells[i] = o.r.Cells[i].Init
		}
	}
	first.cellsKey = key(first.cells)
	for r := range t.Regs {
		first.regs[r] = t.Regs[r].Init
	}
	u := &unfolded{of: make([][]int, len(t.Edges))}
	type node struct {
		q     program.StateID
		known constants
	}
	var nodes []node
	byKey, kinds := map[string]int{}, make([]int, len(t.States))
	at := func(q program.StateID, k constants) int {
		regs := map[int]int64{}
		for r, v := range k.regs {
			if live[q].Has(r) {
				regs[r] = v
			}
		}
		k.regs = regs
		if kinds[q] >= mostKinds || len(nodes) >= mostNodes {
			k = constants{}
		}
		key := string(binary.AppendVarint(nil, int64(q))) + key(k.regs) + "." + k.cellsKey
		n, ok := byKey[key]
		if !ok {
			n = len(nodes)
			byKey[key] = n
			kinds[q]++
			nodes, u.out = append(nodes, node{q, k}), append(u.out, nil)
		}
		return n
	}
	u.initial = at(t.Initial, first)
	out := t.Out()
	for n := 0; n < len(nodes); n++ {
		for _, e := range out[nodes[n].q] {
			after, ends, ok := x.after(&t.Edges[e].Cmd, nodes[n].known)
			if !ok {
				continue
			}
			to := -1
			if !ends {
				to = at(t.Edges[e].To, after)
			}
			u.out[n], u.of[e] = append(u.out[n], len(u.edges)), append(u.of[e], len(u.edges))
			u.edges = append(u.edges, step{n, to, e, nodes[n].known})
		}
	}
	return u
}

func key(values map[int]int64) string {
	b := make([]byte, 0, 4*len(values))
	for _, r := range slices.Sorted(maps.Keys(values)) {
		b = binary.AppendVarint(binary.AppendVarint(b, int64(r)), values[r])
	}
	return string(b)
}

// eval is the value of e, where that is known.
func (k constants) eval(e program.Expr) (int64, bool) {
	switch e := e.(type) {
	case program.Const:
		return int64(e), true
	case program.Reg:
		v, ok := k.regs[int(e)]
		return v, ok
	case program.Unary:
		v, ok := k.eval(e.X)
		return program.EvalUnary(e.Op, v), ok
	case program.Binary:
		x, okX := k.eval(e.X)
		y, okY := k.eval(e.Y)
		if okX && okY {
			return program.EvalBinary(e.Op, x, y), true
		}
	}
	return 0, false
}

type unfolder struct {
	*orderer
	ti  int
	t   *program.Thread
	own map[int]bool // the cells that are followed
}

// after are the constants after a command; whether it ends the thread, by an assertion; and false where it cannot be taken.
func (x *unfolder) after(c *program.Command, before constants) (k constants, ends, ok bool) {
	k = before
	k.regs = maps.Clone(before.regs)
	if k.regs == nil {
		k.regs = map[int]int64{}
	}
	body := c.Body
	if c.Op != program.Atomic {
		body = []program.Command{*c}
	}
	for i := range body {
		b := &body[i]
		cells := x.r.Access[c]
		if c.Op == program.Atomic {
			cells = x.r.Access[b]
		}
		switch b.Op {
		case program.Check, program.Assert:
			if v, known := k.eval(b.Value); known && v == 0 {
				return k, true, b.Op == program.Assert
			}
			k.learn(b.Value)
		case program.Assign:
			v, known := k.eval(b.Value)
			k.set(x.t, b.Reg, v, known)
		case program.Havoc:
			delete(k.regs, b.Reg)
		case program.Load:
			addr, known := k.eval(b.Addr)
			v, ok := int64(0), false
			if known {
				v, ok = k.cells[x.r.CellIndex(addr)]
			}
			k.set(x.t, b.Reg, v, ok)
		case program.Store:
			addr, known := k.eval(b.Addr)
			v, ok := k.eval(b.Value)
			x.store(&k, cells, addr, known, v, ok)
		}
	}
	return k, false, true
}

// store takes in that v, or what is not known, is stored at addr, or at any of the cells.
func (x *unfolder) store(k *constants, cells []int, addr int64, at bool, v int64, known bool) {
	copied := false
	for _, i := range cells {
		if !x.own[i] || at && x.r.Cells[i].Addr != addr {
			continue
		}
		if !copied {
			k.cells, copied = maps.Clone(k.cells), true
		}
		delete(k.cells, i)
		if at && known {
			if k.cells == nil {
				k.cells = map[int]int64{}
			}
			k.cells[i] = x.r.Cells[i].Type.Wrap(v)
		}
	}
	if copied {
		k.cellsKey = key(k.cells)
	}
}

func (k *constants) set(t *program.Thread, reg int, v int64, known bool) {
	delete(k.regs, reg)
	if known {
		k.regs[reg] = t.Regs[reg].Type.Wrap(v)
	}
}

// learn takes in that a condition holds.
func (k *constants) learn(e program.Expr) {
	b, ok := e.(program.Binary)
	if !ok {
		return
	}
	if b.Op == program.LogicalAnd {
		k.learn(b.X)
		k.learn(b.Y)
	}
	r, isReg := b.X.(program.Reg)
	if v, isConst := b.Y.(program.Const); isReg && isConst && b.Op == program.Eq {
		k.regs[int(r)] = int64(v)
	}
}

// flow goes through the control flow. What holds at a node is what holds after all edges, or after some, that lead there.
func (u *unfolded) flow(must bool, after func(edge int, set uint64) uint64) []uint64 {
	at := make([]uint64, len(u.out))
	for n := range at {
		if must && n != u.initial {
			at[n] = all
		}
	}
	work, seen := []int{u.initial}, make([]bool, len(u.out))
	seen[u.initial] = true
	for len(work) > 0 {
		n := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range u.out[n] {
			s := &u.edges[i]
			if s.to < 0 {
				continue
			}
			set := after(i, at[n])
			if must {
				set &= at[s.to]
			} else {
				set |= at[s.to]
			}
			if set != at[s.to] || !seen[s.to] {
				at[s.to], seen[s.to] = set, true
				work = append(work, s.to)
			}
		}
	}
	return at
}
