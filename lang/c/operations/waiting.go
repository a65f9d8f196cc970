package operations

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What nobody may do with a condition that threads wait for (POSIX, pthread_cond_destroy, pthread_cond_init and pthread_cond_wait): to destroy it, to
// initialise it again, to give back the memory that it is in, or to wait for it with another mutex. Each needs to know who waits, which makes
// programs larger; so it is known only where something of the kind may happen as far as the graphs show. Most programs that give back
// memory beside threads that wait, or whose conditions and mutexes are found by pointers, do nothing of the kind, which is seen when the values
// of the pointers are known ([lowered.Findings]).

// maxWaiting is how many threads may wait for conditions, where it matters who does.
const maxWaiting = 31

// A wait is where a thread begins to wait for a condition.
type wait struct {
	thread int
	pos    program.Position
	op     *Wait
}

// findWaits finds out which threads wait for conditions, and gives each of them a bit.
func (u *Unit) findWaits() {
	u.lowered.WaitsKnown = u.lowered.Options.Signals
	for i, t := range u.lowered.Threads {
		for k := range t.Graph.Edges {
			op, ok := t.Graph.Edges[k].Op.(*Wait)
			if !ok || op.Step != Begins {
				continue
			}
			u.allWaits = append(u.allWaits, wait{i, t.Graph.Edges[k].Pos, op})
			if u.lowered.Waits[i] == 0 {
				u.lowered.Waits[i] = 1 << len(u.lowered.Waits)
			}
		}
	}
}

// knowWaits finds out whether it matters who waits.
func (u *Unit) knowWaits() {
	u.lowered.Mixes = map[[2]int]bool{}
	if u.races {
		return
	}
	for _, x := range u.allWaits {
		for _, y := range u.allWaits {
			if pair := [2]int{x.thread, y.thread}; x.thread != y.thread && !u.lowered.Mixes[pair] && !x.op.agrees(y.op) {
				u.lowered.Mixes[pair] = true
			}
		}
	}
	u.Ends = len(u.allWaits) > 0 && u.endsUnderWaits()
	if u.Known.Agree {
		u.lowered.Mixes = nil
	}
	u.lowered.WaitsKnown = u.lowered.WaitsKnown || len(u.lowered.Mixes) > 0 || u.Ends && !u.Known.Stays
	u.lowered.Doubtful = u.lowered.Doubtful || u.lowered.WaitsKnown && !u.lowered.Options.Signals
	if u.lowered.WaitsKnown && len(u.lowered.Waits) > maxWaiting {
		u.lowering.At(u.allWaits[len(u.allWaits)-1].pos)
		u.lowering.Refuse(fmt.Sprintf("more than %d threads that wait for conditions", maxWaiting))
	}
}

// agrees is true of waits that are for different conditions, or with the same mutex.
func (op *Wait) agrees(o *Wait) bool {
	c, k := ConstantPart(op.Cond)
	m, i := ConstantPart(op.Mutex)
	d, l := ConstantPart(o.Cond)
	n, j := ConstantPart(o.Mutex)
	if c == nil && d == nil && k != l || m == nil && n == nil && i == j {
		return true
	}
	// The mutex lies as far from the condition in both.
	return reflect.DeepEqual(c, m) && reflect.DeepEqual(d, n) && i-k == j-l
}

// ConstantPart divides an address into what is known and what is not, which is nil where all of it is.
func ConstantPart(e program.Expr) (base program.Expr, known int64) {
	switch e := e.(type) {
	case program.Const:
		return nil, int64(e)
	case program.Binary:
		if k, ok := e.Y.(program.Const); ok && e.Op == program.Add {
			base, known = ConstantPart(e.X)
			return base, known + int64(k)
		}
	}
	return e, 0
}

// An Init is where a condition is initialised, which nobody may wait for then.
type Init struct {
	flowgraph.None
	Cond program.Expr
}

// Operands implements [flowgraph.Op].
func (op *Init) Operands() []program.Expr { return []program.Expr{op.Cond} }

// With implements [flowgraph.Op].
func (op *Init) With(x []program.Expr, _ int) flowgraph.Op { return &Init{Cond: x[0]} }

// initialises is what a thread does first that initialises a condition. Nothing may have been written to that.
func (u *Unit) initialises(g *flowgraph.Graph, op *Init) program.Command {
	if len(u.allWaits) == 0 || !u.lowered.WaitsKnown || u.Known.Stays {
		return program.Skip()
	}
	l := &writing{u, g}
	c := l.loadOp(cell{t: types.Int, addr: op.Cond}, l.temp(types.Int), target.Relaxed)
	c.Tags = c.Tags.With(lowered.TouchTag, lowered.InitTag, lowered.KeptTag)
	return c
}

// endsUnderWaits is whether memory may be given back, a condition initialised, or a block left, beside a thread that may wait for a condition there. It marks where that
// cannot be.
func (u *Unit) endsUnderWaits() (ends bool) {
	at := func(o *lowered.Object) func(w wait) bool {
		return func(w wait) bool {
			base, addr := ConstantPart(w.op.Cond)
			if base == nil {
				return o != nil && o.Base <= addr && addr < o.Base+o.Size
			}
			return true
		}
	}
	mortals := u.lowered.Mortals()
	for i, t := range u.lowered.Threads {
		for k := range t.Graph.Edges {
			e := &t.Graph.Edges[k]
			var there func(wait) bool
			switch c := &e.Cmd; {
			case e.Op != nil:
				switch op := e.Op.(type) {
				case *Init:
					there = func(w wait) bool {
						base, addr := ConstantPart(w.op.Cond)
						mine, where := ConstantPart(op.Cond)
						return base != nil || mine != nil || addr == where
					}
				case *Unmap, *Leave:
					there = at(nil)
				case *Hazard:
					if op.What != Protects {
						there = at(nil)
					}
				}
			case c.Op == program.Load && c.Tags.Has(flowgraph.FreeTag):
				there = at(nil)
			case c.Op == program.Store && c.Tags.Has(lowered.LifeTag) && c.Value == program.Const(0) && mortals[c.Addr] != nil:
				there = at(mortals[c.Addr])
			}
			if there == nil {
				continue
			}
			waits := slices.ContainsFunc(u.allWaits, func(w wait) bool { return w.thread != i && there(w) })
			if waits {
				beside := u.beside(i, k)
				waits = slices.ContainsFunc(u.allWaits, func(w wait) bool { return beside[w.thread] && there(w) })
			}
			ends = ends || waits
			if _, initialises := e.Op.(*Init); initialises && !waits {
				e.Op, e.Cmd = nil, program.Skip()
				e.Cmd.Pos = e.Pos
			} else if !waits && e.Op == nil {
				e.Cmd.Tags = e.Cmd.Tags.With(lowered.UnwaitedTag)
			}
		}
	}
	return ends
}

// beginEdges writes that a thread begins to wait: it notes that in the condition, and, where others may wait with another mutex, which one
// it does with, in a cell of its own.
func (u *Unit) beginEdges(g *flowgraph.Graph, op *Wait, from, to int, pos program.Position) {
	l := &writing{u, g}
	waiting, w := cell{t: types.Int, addr: op.Cond}, l.temp(types.Int)
	load, store := l.loadOp(waiting, w, target.Relaxed), l.storeOp(waiting, bin(program.BitOr, program.Reg(w), program.Const(u.lowered.Waits[op.Thread])), target.Relaxed)
	store.Tags = store.Tags.With(lowered.WaitTag)
	with := func(thread int) cell {
		return cellIn(u.Helper("waits with", types.ArrayOf(types.UnsignedLong, flowgraph.MaxThreads)), types.UnsignedLong, thread)
	}
	waits := func(thread int) program.Expr {
		return bin(program.BitAnd, program.Reg(w), program.Const(u.lowered.Waits[thread]))
	}
	others := []int{}
	for _, j := range slices.Sorted(maps.Keys(u.lowered.Waits)) {
		if u.lowered.Mixes[[2]int{op.Thread, j}] {
			others = append(others, j)
		}
	}
	mine := l.storeOp(with(op.Thread), op.Mutex, target.Relaxed)
	mine.Tags = mine.Tags.With(lowered.WithTag)
	same := func(r int) program.Command {
		return program.Command{Op: program.Assert, Value: eq(program.Reg(r), op.Mutex), Text: "two threads wait for a condition with two mutexes"}
	}
	if len(others) == 0 {
		g.Add(from, to, atomicOp("wait", load, store), pos)
		return
	}
	if u.lowered.Options.NoBlocks {
		next := g.Node(pos)
		g.Add(from, next, mine, pos)
		from, next = next, g.Node(pos)
		g.Add(from, next, atomicOp("wait", load, store), pos)
		for _, j := range others {
			yes, known, on := g.Node(pos), g.Node(pos), g.Node(pos)
			r := l.temp(types.UnsignedLong)
			g.Add(next, on, checkOp(eq(waits(j), program.Const(0))), pos)
			g.Add(next, yes, checkOp(ne(waits(j), program.Const(0))), pos)
			g.Add(yes, known, l.loadOp(with(j), r, target.Relaxed), pos)
			g.Add(known, on, same(r), pos)
			next = on
		}
		g.Add(next, to, program.Skip(), pos)
		return
	}
	body := []program.Command{load}
	for _, j := range others {
		r := l.temp(types.UnsignedLong)
		is := same(r)
		is.Value = bin(program.LogicalOr, eq(waits(j), program.Const(0)), is.Value)
		body = append(body, l.loadOp(with(j), r, target.Relaxed), is)
	}
	g.Add(from, to, atomicOp("wait", append(body, mine, store)...), pos)
}
