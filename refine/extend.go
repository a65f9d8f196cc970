package refine

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Path is a sequence of edges of one thread, each leaving where the one before
// it leads. What an [Oracle] returns starts with a store, ends with a load and has
// no fence.
type Path struct {
	Thread int
	Edges  []int
}

// An extension is a program with the store buffering along some paths made
// explicit, so that it happens under SC (thesis 3.1). It remembers what its edges
// stand for.
type extension struct {
	p *program.Program
	// origin is, by thread and edge, the edge of the original program that the
	// step stands for, or -1. A store in memory stands for a flush as well.
	origin [][]int
}

func newExtension(p *program.Program) *extension {
	x := &extension{p: p}
	for _, t := range p.Threads {
		own := make([]int, len(t.Edges))
		for e := range own {
			own[e] = e
		}
		x.origin = append(x.origin, own)
	}
	return x
}

// schedule is the run of the original program under TSO that a run of the
// extension under SC stands for.
func (x *extension) schedule(run []abstract.Event) []abstract.Event {
	var evs []abstract.Event
	for _, ev := range run {
		if o := x.origin[ev.Thread][ev.Edge]; o >= 0 {
			evs = append(evs, abstract.Event{Thread: ev.Thread, Edge: o, Choice: ev.Choice})
		}
		if x.p.Threads[ev.Thread].Edges[ev.Edge].Cmd.Op == program.Store {
			evs = append(evs, abstract.Event{Thread: ev.Thread, Edge: abstract.Flush})
		}
	}
	return evs
}

// extend is the extension R (+) iota of the thesis, section 3.1 and appendix A,
// where iota is path = inst_1 ... inst_n. Fresh states qbar_1, ..., qbar_n follow
// the path. A store is kept in auxiliary registers; a load takes the newest value
// kept for its address, or else reads memory. Beside the path itself (A.1 to A.8)
// there are the ways out:
//
//	from qbar_n           all stores kept go to memory, on to dst(inst_n) (A.9, A.10)
//	from qbar_i, i < n    they do, and an edge other than inst_(i+1) is taken (A.11 to A.13)
//	from qbar_1, and from qbar_i where inst_i is a load, i < n: the first store goes to
//	                      memory, a fence, the others go, on to dst(inst_i) (A.14 to A.17)
//
// The last is printed with src(inst_i), where the load would be done twice and the
// delay past it lost. inst_1 is removed: whoever comes to its source gets on the
// path. Where the path comes by there again and leaves it by inst_1, that is to get
// on the path anew, so that there is no copy of inst_1, even if there are loops.
//
// Invariant (I-0 to I-3 of the thesis): an original state is reachable under TSO
// before just if it is after. A fresh state counts as the original one that it
// stands for where a property asks for a thread's control state.
func (x *extension) extend(path Path) (*extension, error) {
	r, err := program.Analyse(x.p)
	if err != nil {
		return nil, err
	}
	old := x.p.Threads[path.Thread]
	b := &extender{
		p: x.p, r: r, thread: path.Thread, old: old, was: x.origin[path.Thread],
		t: &program.Thread{Name: old.Name, Initial: old.Initial, Regs: slices.Clone(old.Regs), States: slices.Clone(old.States)},
	}
	first := path.Edges[0]
	for e := range old.Edges {
		if e != first {
			b.t.Edges = append(b.t.Edges, old.Edges[e])
			b.origin = append(b.origin, b.was[e])
		}
	}
	b.follow(path.Edges)
	n := &extension{origin: slices.Clone(x.origin)}
	n.origin[path.Thread] = b.origin
	q := *x.p
	q.Threads = slices.Clone(x.p.Threads)
	q.Threads[path.Thread] = b.t
	q.Properties = slices.Clone(x.p.Properties)
	for i := range q.Properties {
		q.Properties[i].Cond = b.at(q.Properties[i].Cond)
	}
	n.p = &q
	return n, nil
}

type extender struct {
	p      *program.Program
	r      *program.Ranges
	thread int
	old, t *program.Thread
	was    []int // origin of the edges of old
	origin []int // of those of t
	under  []program.StateID
	kept   []keptStore
}

// A keptStore is a store on the path: where its address and value are.
type keptStore struct {
	addr, value program.Expr
	pos         program.Position
}

// state makes a fresh state that stands for q.
func (b *extender) state(q program.StateID) program.StateID {
	if int(q) >= len(b.old.States) {
		q = b.under[int(q)-len(b.old.States)]
	}
	id := program.StateID(len(b.t.States))
	b.t.States = append(b.t.States, program.State{Name: fmt.Sprintf("%s~%d", b.old.States[q].Name, id), Pos: b.old.States[q].Pos})
	b.under = append(b.under, q)
	return id
}

func (b *extender) edge(from, to program.StateID, c program.Command, origin int, pos program.Position) {
	b.t.Edges = append(b.t.Edges, program.Edge{From: from, To: to, Cmd: c, Pos: pos})
	b.origin = append(b.origin, origin)
}

func (b *extender) register(prefix string, typ program.Type) int {
	i := len(b.t.Regs)
	b.t.Regs = append(b.t.Regs, program.Register{Name: fmt.Sprintf("%s~%d", prefix, i), Type: typ, Temp: true})
	return i
}

func (b *extender) follow(path []int) {
	at := b.old.Edges[path[0]].From
	for i, e := range path {
		inst := &b.old.Edges[e]
		next := b.state(inst.To)
		switch inst.Cmd.Op {
		case program.Store:
			b.store(at, next, inst, b.was[e])
		case program.Load:
			b.load(at, next, inst, b.was[e])
		default:
			b.edge(at, next, inst.Cmd, b.was[e], inst.Pos)
		}
		at = next
		if i == len(path)-1 {
			b.flush(at, inst.To, 0)
			return
		}
		b.leave(at, path[i+1], path[0])
		if i == 0 || inst.Cmd.Op == program.Load {
			mid, fenced := b.state(inst.To), b.state(inst.To)
			b.write(at, mid, b.kept[0])
			b.edge(mid, fenced, program.Command{Op: program.Fence}, -1, inst.Pos)
			b.flush(fenced, inst.To, 1)
		}
	}
}

// store keeps a store: (A.1). What is constant needs no register.
func (b *extender) store(from, to program.StateID, inst *program.Edge, origin int) {
	c := &inst.Cmd
	k := keptStore{program.Fold(c.Addr), c.Value, inst.Pos}
	if _, ok := k.addr.(program.Const); !ok {
		ar := b.register("ar", program.Int64Type)
		mid := b.state(inst.To)
		b.edge(from, mid, program.Command{Op: program.Assign, Reg: ar, Value: c.Addr}, origin, inst.Pos)
		from, origin = mid, -1
		k.addr = program.Reg(ar)
	}
	// The buffer holds values of the types of the cells.
	types := map[program.Type][]int{}
	var order []program.Type
	for _, i := range b.r.Access[c] {
		typ := b.r.Cells[i].Type
		if types[typ] == nil {
			order = append(order, typ)
		}
		types[typ] = append(types[typ], i)
	}
	if v, ok := program.Fold(c.Value).(program.Const); ok && len(order) == 1 {
		k.value = program.Const(order[0].Wrap(int64(v)))
		b.edge(from, to, program.Skip(), origin, inst.Pos)
		b.kept = append(b.kept, k)
		return
	}
	typ := program.Int64Type
	if len(order) == 1 {
		typ = order[0]
	}
	vr := b.register("vr", typ)
	k.value = program.Reg(vr)
	b.kept = append(b.kept, k)
	if len(order) <= 1 {
		b.edge(from, to, program.Command{Op: program.Assign, Reg: vr, Value: c.Value}, origin, inst.Pos)
		return
	}
	for _, typ := range order {
		var here program.Expr = program.Const(0)
		for _, i := range types[typ] {
			here = program.Binary{Op: program.LogicalOr, X: here, Y: program.Binary{Op: program.Eq, X: k.addr, Y: program.Const(b.r.Cells[i].Addr)}}
		}
		mid := b.state(inst.To)
		b.edge(from, mid, program.Command{Op: program.Check, Value: here}, origin, inst.Pos)
		b.edge(mid, to, program.Command{Op: program.Assign, Reg: vr, Value: wrapExpr(c.Value, typ)}, -1, inst.Pos)
	}
}

// wrapExpr is [program.Type.Wrap] as an expression.
func wrapExpr(e program.Expr, t program.Type) program.Expr {
	if t.Bits >= 64 {
		return e
	}
	e = program.Binary{Op: program.BitAnd, X: e, Y: program.Const(1<<t.Bits - 1)}
	if t.Signed {
		sign := program.Const(1 << (t.Bits - 1))
		e = program.Binary{Op: program.Sub, X: program.Binary{Op: program.BitXor, X: e, Y: sign}, Y: sign}
	}
	return e
}

// load takes the newest value that is kept for the address, or reads memory:
// (A.2) to (A.8).
func (b *extender) load(from, to program.StateID, inst *program.Edge, origin int) {
	c := &inst.Cmd
	for j := len(b.kept) - 1; j >= 0; j-- {
		k := &b.kept[j]
		take := program.Command{Op: program.Assign, Reg: c.Reg, Value: k.value}
		x, okx := k.addr.(program.Const)
		y, oky := program.Fold(c.Addr).(program.Const)
		if okx && oky {
			if x == y {
				b.edge(from, to, take, origin, inst.Pos)
				return
			}
			continue
		}
		same := program.Binary{Op: program.Eq, X: k.addr, Y: c.Addr}
		hit, miss := b.state(inst.From), b.state(inst.From)
		b.edge(from, hit, program.Command{Op: program.Check, Value: same}, -1, inst.Pos)
		b.edge(hit, to, take, origin, inst.Pos)
		b.edge(from, miss, program.Command{Op: program.Check, Value: program.NotExpr(same)}, -1, inst.Pos)
		from = miss
	}
	b.edge(from, to, *c, origin, inst.Pos)
}

func (b *extender) write(from, to program.StateID, k keptStore) {
	b.edge(from, to, program.Command{Op: program.Store, Addr: k.addr, Value: k.value}, -1, k.pos)
}

// flush writes what is kept, but for the first skip stores, to memory.
func (b *extender) flush(from, to program.StateID, skip int) {
	rest := b.kept[skip:]
	if len(rest) == 0 {
		b.edge(from, to, program.Skip(), -1, program.Position{})
		return
	}
	for i, k := range rest {
		next := to
		if i < len(rest)-1 {
			next = b.state(to)
		}
		b.write(from, next, k)
		from = next
	}
}

// leave adds the ways to leave the path at a state of it by other edges than the
// next one of the path.
func (b *extender) leave(at program.StateID, next, first int) {
	source := b.old.Edges[next].From
	var flushed program.StateID = -1
	for d := range b.old.Edges {
		e := &b.old.Edges[d]
		if e.From != source || d == next {
			continue
		}
		if d == first {
			b.flush(at, source, 0)
			continue
		}
		if flushed < 0 {
			flushed = b.state(source)
			b.flush(at, flushed, 0)
		}
		b.edge(flushed, e.To, e.Cmd, b.was[d], e.Pos)
	}
}

// at makes a condition see the fresh states as what they stand for.
func (b *extender) at(e program.Expr) program.Expr {
	switch e := e.(type) {
	case program.Unary:
		return program.Unary{Op: e.Op, X: b.at(e.X)}
	case program.Binary:
		return program.Binary{Op: e.Op, X: b.at(e.X), Y: b.at(e.Y)}
	case program.At:
		if e.Thread != b.thread {
			return e
		}
		e.States = slices.Clone(e.States)
		for i, q := range b.under {
			if slices.Contains(e.States, q) {
				e.States = append(e.States, program.StateID(len(b.old.States)+i))
			}
		}
		return e
	}
	return e
}
