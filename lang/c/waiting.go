package c

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// What nobody may do with a condition that threads wait for (POSIX, pthread_cond_destroy, pthread_cond_init and pthread_cond_wait): to destroy it, to
// initialise it again, to give back the memory that it is in, or to wait for it with another mutex. Each needs to know who waits, which makes
// programs larger; so it is known only where something of the kind may happen as far as the graphs show. Most programs that give back
// memory beside threads that wait, or whose conditions and mutexes are found by pointers, do nothing of the kind, which is seen when the values
// of the pointers are known (findings.go).

// maxWaiting is how many threads may wait for conditions, where it matters who does.
const maxWaiting = 31

// A wait is where a thread begins to wait for a condition.
type wait struct {
	thread int
	pos    program.Position
	op     *waitOp
}

// findWaits finds out which threads wait for conditions, and gives each of them a bit.
func (u *operated) findWaits() {
	u.lowered.WaitsKnown = u.lowered.Options.Signals
	for i, t := range u.lowered.Threads {
		for k := range t.Graph.Edges {
			op, ok := t.Graph.Edges[k].Op.(*waitOp)
			if !ok || op.step != begins {
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
func (u *operated) knowWaits() {
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
	u.ends = len(u.allWaits) > 0 && u.endsUnderWaits()
	if u.known.Agree {
		u.lowered.Mixes = nil
	}
	u.lowered.WaitsKnown = u.lowered.WaitsKnown || len(u.lowered.Mixes) > 0 || u.ends && !u.known.Stays
	u.lowered.Doubtful = u.lowered.Doubtful || u.lowered.WaitsKnown && !u.lowered.Options.Signals
	if u.lowered.WaitsKnown && len(u.lowered.Waits) > maxWaiting {
		u.lowering.At(u.allWaits[len(u.allWaits)-1].pos)
		u.lowering.Refuse(fmt.Sprintf("more than %d threads that wait for conditions", maxWaiting))
	}
}

// agrees is true of waits that are for different conditions, or with the same mutex.
func (op *waitOp) agrees(o *waitOp) bool {
	c, k := constantPart(op.cond)
	m, i := constantPart(op.mutex)
	d, l := constantPart(o.cond)
	n, j := constantPart(o.mutex)
	if c == nil && d == nil && k != l || m == nil && n == nil && i == j {
		return true
	}
	// The mutex lies as far from the condition in both.
	return reflect.DeepEqual(c, m) && reflect.DeepEqual(d, n) && i-k == j-l
}

// constantPart divides an address into what is known and what is not, which is nil where all of it is.
func constantPart(e program.Expr) (base program.Expr, known int64) {
	switch e := e.(type) {
	case program.Const:
		return nil, int64(e)
	case program.Binary:
		if k, ok := e.Y.(program.Const); ok && e.Op == program.Add {
			base, known = constantPart(e.X)
			return base, known + int64(k)
		}
	}
	return e, 0
}

// An initOp is where a condition is initialised, which nobody may wait for then.
type initOp struct {
	flowgraph.None
	cond program.Expr
}

// Operands implements [flowgraph.Op].
func (op *initOp) Operands() []program.Expr { return []program.Expr{op.cond} }

// With implements [flowgraph.Op].
func (op *initOp) With(x []program.Expr, _ int) flowgraph.Op { return &initOp{cond: x[0]} }

// initialises is what a thread does first that initialises a condition. Nothing may have been written to that.
func (u *operated) initialises(g *flowgraph.Graph, op *initOp) program.Command {
	if len(u.allWaits) == 0 || !u.lowered.WaitsKnown || u.known.Stays {
		return program.Skip()
	}
	l := &writing{u, g}
	c := l.loadOp(cell{t: types.Int, addr: op.cond}, l.temp(types.Int), relaxed)
	c.Tags = c.Tags.With(lowered.TouchTag, lowered.InitTag, lowered.KeptTag)
	return c
}

// endsUnderWaits is whether memory may be given back, a condition initialised, or a block left, beside a thread that may wait for a condition there. It marks where that
// cannot be.
func (u *operated) endsUnderWaits() (ends bool) {
	at := func(o *lowered.Object) func(w wait) bool {
		return func(w wait) bool {
			base, addr := constantPart(w.op.cond)
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
				case *initOp:
					there = func(w wait) bool {
						base, addr := constantPart(w.op.cond)
						mine, where := constantPart(op.cond)
						return base != nil || mine != nil || addr == where
					}
				case *unmapOp, *leaveOp:
					there = at(nil)
				case *hazardOp:
					if op.what != protects {
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
			if _, initialises := e.Op.(*initOp); initialises && !waits {
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
func (u *operated) beginEdges(g *flowgraph.Graph, op *waitOp, from, to int, pos program.Position) {
	l := &writing{u, g}
	waiting, w := cell{t: types.Int, addr: op.cond}, l.temp(types.Int)
	load, store := l.loadOp(waiting, w, relaxed), l.storeOp(waiting, bin(program.BitOr, program.Reg(w), program.Const(u.lowered.Waits[op.thread])), relaxed)
	store.Tags = store.Tags.With(lowered.WaitTag)
	with := func(thread int) cell {
		return cellIn(u.helper("waits with", types.ArrayOf(types.UnsignedLong, maxThreads)), types.UnsignedLong, thread)
	}
	waits := func(thread int) program.Expr {
		return bin(program.BitAnd, program.Reg(w), program.Const(u.lowered.Waits[thread]))
	}
	others := []int{}
	for _, j := range slices.Sorted(maps.Keys(u.lowered.Waits)) {
		if u.lowered.Mixes[[2]int{op.thread, j}] {
			others = append(others, j)
		}
	}
	mine := l.storeOp(with(op.thread), op.mutex, relaxed)
	mine.Tags = mine.Tags.With(lowered.WithTag)
	same := func(r int) program.Command {
		return program.Command{Op: program.Assert, Value: eq(program.Reg(r), op.mutex), Text: "two threads wait for a condition with two mutexes"}
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
			g.Add(yes, known, l.loadOp(with(j), r, relaxed), pos)
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
		body = append(body, l.loadOp(with(j), r, relaxed), is)
	}
	g.Add(from, to, atomicOp("wait", append(body, mine, store)...), pos)
}
