package reduce

import (
	"math/bits"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// A turning is the search for wheels: what may be in one is put together by what the commands of the program do with
// it, and what does not turn is left out, until nothing changes.
type turning struct {
	p     *program.Program
	r     *program.Ranges
	nodes []turnNode // the cells, then the registers, by thread
	base  []int      // by thread: its first register
}

// A turnNode is a cell or a register.
type turnNode struct {
	t         program.Type
	candidate bool
	parent    int   // in what has been put together
	fixed     bool  // of a root: it does not turn
	unit      int64 // of a root
}

func newTurning(task *Task) *turning {
	w := &turning{p: task.System.Program, r: task.System.Ranges}
	for i, c := range w.r.Cells {
		w.nodes = append(w.nodes, turnNode{t: c.Type, candidate: full(w.r.Cell[i], c.Type)})
	}
	for t, th := range w.p.Threads {
		w.base = append(w.base, len(w.nodes))
		for k, reg := range th.Regs {
			w.nodes = append(w.nodes, turnNode{t: reg.Type, candidate: full(w.r.Reg[t][k], reg.Type)})
		}
	}
	look := func(cond program.Expr) {
		program.Walk(cond, func(e program.Expr) {
			switch e := e.(type) {
			case program.Mem:
				if i := w.r.CellIndex(e.Addr); i >= 0 {
					w.nodes[i].candidate = false
				}
			case program.ThreadReg:
				w.nodes[w.base[e.Thread]+e.Reg].candidate = false
			}
		})
	}
	look(w.p.Filter)
	for _, props := range [][]program.Property{w.p.Properties, task.Props} {
		for i := range props {
			look(props[i].Cond)
		}
	}
	return w
}

// full is true of a set that is all of a type.
func full(s program.ValueSet, t program.Type) bool {
	if t.Bits < 63 {
		return t.Bits > 1 && s.Size() == 1<<t.Bits
	}
	spans := 0
	s.Spans(func(lo, hi int64) { spans++ })
	return spans == 1 && s.Min() == t.Min() && s.Max() == t.Max() && s.Has(t.Min()+1)
}

func (w *turning) begin() {
	for i := range w.nodes {
		w.nodes[i].parent, w.nodes[i].fixed, w.nodes[i].unit = i, false, 1
	}
}

// drop leaves out what does not turn, and tells whether there was anything.
func (w *turning) drop() (dropped bool) {
	for i := range w.nodes {
		if w.nodes[i].candidate && w.root(i).fixed {
			w.nodes[i].candidate = false
			dropped = true
		}
	}
	return dropped
}

func (w *turning) find(i int) int {
	for w.nodes[i].parent != i {
		w.nodes[i].parent = w.nodes[w.nodes[i].parent].parent
		i = w.nodes[i].parent
	}
	return i
}

func (w *turning) root(i int) *turnNode { return &w.nodes[w.find(i)] }

func (w *turning) fix(i int) { w.root(i).fixed = true }

// join puts two nodes together.
func (w *turning) join(i, j int) {
	a, b := w.find(i), w.find(j)
	if a == b {
		return
	}
	x, y := &w.nodes[a], &w.nodes[b]
	x.fixed = x.fixed || y.fixed || x.t.Bits != y.t.Bits
	x.unit = max(x.unit, y.unit)
	y.parent = a
}

// A turned says what turns do to the value of an expression.
type turned struct {
	how  turns
	node int          // of the wheel
	t    program.Type // exact: the type whose value it is
}

type turns uint8

const (
	stays     turns = iota // it is the same
	exact                  // it turns with the wheel, as a value of the type
	modulo                 // it turns with the wheel, modulo two to the bits of the wheel
	staysThen              // it is the same, modulo these
)

// expr says what turns do to e, an expression of thread t.
func (w *turning) expr(t int, e program.Expr) turned {
	switch e := e.(type) {
	case program.Const:
		return turned{}
	case program.Reg:
		if i := w.base[t] + int(e); w.nodes[i].candidate {
			return turned{exact, i, w.nodes[i].t}
		}
		return turned{}
	case program.Unary:
		return w.unary(e, w.expr(t, e.X))
	case program.Binary:
		return w.binary(e, w.expr(t, e.X), w.expr(t, e.Y))
	}
	return turned{}
}

// lowest is what is known of a number below 2^n that only the lowest bits of x decide.
func (w *turning) lowest(x turned, n int) turned {
	wheel := w.root(x.node)
	if n > int(wheel.t.Bits) || 1<<n > maxUnit {
		return w.rest(x)
	}
	if x.how != staysThen {
		wheel.unit = max(wheel.unit, 1<<n)
	}
	return turned{}
}

// rest is what is known of a value that is computed from these in a way that is not understood.
func (w *turning) rest(xs ...turned) turned {
	for _, x := range xs {
		if x.how != stays {
			w.fix(x.node)
		}
	}
	return turned{}
}

func (w *turning) unary(e program.Unary, x turned) turned {
	to, cast := e.Op.Cast()
	if x.how == stays {
		return turned{}
	}
	if !cast {
		return w.rest(x)
	}
	n := w.nodes[x.node].t.Bits
	switch {
	case x.how == exact && to.Min() <= x.t.Min() && to.Max() >= x.t.Max():
		return x // it is the same number
	case x.how == staysThen && to.Bits <= n:
		return turned{}
	case x.how != staysThen && to.Bits == n:
		return turned{exact, x.node, to}
	case to.Bits < n && to.Bits <= 16:
		return w.lowest(x, int(to.Bits))
	}
	return w.rest(x)
}

func (w *turning) binary(e program.Binary, x, y turned) turned {
	if x.how == stays && y.how == stays {
		return turned{}
	}
	turning := func(x turned) bool { return x.how == exact || x.how == modulo }
	k, constant := e.Y.(program.Const)
	switch e.Op {
	case program.Add, program.Sub:
		switch {
		case y.how == stays:
			return w.moved(x)
		case x.how == stays && (e.Op == program.Add || y.how == staysThen):
			return w.moved(y)
		case e.Op == program.Sub && turning(x) && turning(y):
			w.join(x.node, y.node)
			if w.nodes[x.node].t.Bits == 64 {
				return turned{}
			}
			return turned{how: staysThen, node: x.node}
		}
	case program.Eq, program.Ne:
		if x.how == exact && y.how == exact && (x.t == y.t || x.t.Bits == 64 && y.t.Bits == 64) {
			w.join(x.node, y.node)
			return turned{}
		}
	case program.BitAnd:
		if l, ok := e.X.(program.Const); ok {
			x, k, constant = y, l, true
		}
		if constant && k >= 0 && k < maxUnit {
			return w.lowest(x, bits.Len64(uint64(k)))
		}
	case program.Rem, program.URem:
		// Of what is not below 0 the one is the other.
		natural := x.how == exact && !x.t.Signed && (x.t.Bits < 64 || e.Op == program.URem)
		if constant && natural && k > 0 && k <= maxUnit && k&(k-1) == 0 {
			return w.lowest(x, bits.Len64(uint64(k))-1)
		}
	}
	return w.rest(x, y)
}

// moved is what is known of x and something added to it that stays.
func (w *turning) moved(x turned) turned {
	if x.how == exact {
		if x.how = modulo; x.t.Bits == 64 {
			x.how = exact // numbers have no more bits
		}
	}
	return x
}

// stay fixes what e turns with.
func (w *turning) stay(t int, e program.Expr) {
	if e != nil {
		w.rest(w.expr(t, e))
	}
}

// into says that a value comes to be in one of the nodes.
func (w *turning) into(x turned, nodes []int) {
	for _, i := range nodes {
		switch {
		case x.how == staysThen && w.nodes[i].t.Bits <= w.nodes[x.node].t.Bits:
			w.fix(i)
		case x.how == stays || x.how == staysThen || !w.nodes[i].candidate:
			w.rest(x)
			w.fix(i)
		default:
			w.join(x.node, i)
		}
	}
	if len(nodes) == 0 {
		w.rest(x) // nobody gets there
	}
}

func (w *turning) command(t int, c *program.Command) {
	reg := func() []int { return []int{w.base[t] + c.Reg} }
	switch c.Op {
	case program.Check, program.Assert:
		w.stay(t, c.Value)
	case program.Assign:
		w.into(w.expr(t, c.Value), reg())
	case program.Havoc:
		w.fix(reg()[0])
	case program.Load:
		w.stay(t, c.Addr)
		if len(w.r.Access[c]) == 0 {
			w.fix(reg()[0])
		}
		for _, i := range w.r.Access[c] {
			x := turned{}
			if w.nodes[i].candidate {
				x = turned{exact, i, w.nodes[i].t}
			}
			w.into(x, reg())
		}
	case program.Store:
		w.stay(t, c.Addr)
		w.into(w.expr(t, c.Value), w.r.Access[c])
	case program.Atomic:
		for i := range c.Body {
			w.command(t, &c.Body[i])
		}
	}
}

// rotation is the wheels that were found; nil where there are none.
func (w *turning) rotation(live [][]program.RegSet) *Rotation {
	byRoot := map[int][]int{}
	for i := range w.r.Cells {
		if w.nodes[i].candidate {
			byRoot[w.find(i)] = append(byRoot[w.find(i)], i)
		}
	}
	y := &Rotation{}
	for i := range w.r.Cells {
		if cells := byRoot[w.find(i)]; len(cells) > 0 && cells[0] == i {
			y.wheels = append(y.wheels, w.wheel(cells, live))
		}
	}
	if len(y.wheels) == 0 {
		return nil
	}
	return y
}

func (w *turning) wheel(cells []int, live [][]program.RegSet) wheel {
	root := w.find(cells[0])
	x := wheel{unit: w.nodes[root].unit, anchor: cells[0], cells: cells, member: make([]bool, len(w.r.Cells))}
	for i, c := range w.r.Cells {
		x.types = append(x.types, c.Type)
		x.member[i] = slices.Contains(cells, i)
	}
	for t, th := range w.p.Threads {
		x.live, x.regs = append(x.live, make([][]int, len(th.States))), append(x.regs, nil)
		for k, reg := range th.Regs {
			x.regs[t] = append(x.regs[t], reg.Type)
			if i := w.base[t] + k; !w.nodes[i].candidate || w.find(i) != root {
				continue
			}
			for q := range th.States {
				if live[t][q].Has(k) {
					x.live[t][q] = append(x.live[t][q], k)
				}
			}
		}
	}
	return x
}
