package c

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
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
func (u *unit) findWaits() {
	u.waitsKnown = u.opts.Signals
	for i, t := range u.threads {
		for k := range t.g.Edges {
			op, ok := t.g.Edges[k].Op.(*waitOp)
			if !ok || op.step != begins {
				continue
			}
			u.allWaits = append(u.allWaits, wait{i, t.g.Edges[k].Pos, op})
			if u.waits[i] == 0 {
				u.waits[i] = 1 << len(u.waits)
			}
		}
	}
}

// knowWaits finds out whether it matters who waits.
func (u *unit) knowWaits() {
	u.mixes = map[[2]int]bool{}
	if u.opts.Races {
		return
	}
	for _, x := range u.allWaits {
		for _, y := range u.allWaits {
			if pair := [2]int{x.thread, y.thread}; x.thread != y.thread && !u.mixes[pair] && !x.op.agrees(y.op) {
				u.mixes[pair] = true
			}
		}
	}
	u.ends = len(u.allWaits) > 0 && u.endsUnderWaits()
	if u.known.agree {
		u.mixes = nil
	}
	u.waitsKnown = u.waitsKnown || len(u.mixes) > 0 || u.ends && !u.known.stays
	u.doubtful = u.doubtful || u.waitsKnown && !u.opts.Signals
	if u.waitsKnown && len(u.waits) > maxWaiting {
		u.here = u.allWaits[len(u.allWaits)-1].pos
		u.refuseHere(fmt.Sprintf("more than %d threads that wait for conditions", maxWaiting))
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

// initialisesCondition is before c is initialised.
func (l *lowerer) initialisesCondition(n cc.Node, c place) {
	if l.u.names("pthread_cond_wait", "pthread_cond_timedwait", "pthread_cond_clockwait", "cnd_wait", "cnd_timedwait") {
		l.operate(&initOp{cond: l.mutexMember(n, c, "__waiting").addr})
	}
}

// initialises is what a thread does first that initialises a condition. Nothing may have been written to that.
func (u *unit) initialises(g *flowgraph.Graph, op *initOp) program.Command {
	if len(u.allWaits) == 0 || !u.waitsKnown || u.known.stays {
		return program.Skip()
	}
	l := &lowerer{u: u, g: g}
	c := l.loadOp(place{t: types.Int, addr: op.cond}, l.temp(types.Int), relaxed)
	c.Tags = c.Tags.With(touchTag, initTag, keptTag)
	return c
}

// unwaitedYet is what must hold of the condition that c initialises: what is there counts only if somebody may wait for it.
func (g *guarding) unwaitedYet(t *program.Thread, c *program.Command, set program.ValueSet) []program.Command {
	var waited []int64
	for _, a := range g.inside(set, c) {
		if slices.ContainsFunc(g.conditions, func(set program.ValueSet) bool { return set.Has(a) }) && g.p.CellAt(a) >= 0 {
			waited = append(waited, a)
		}
	}
	if len(waited) == 0 {
		return nil
	}
	g.u.found.stays = false
	t.Regs = append(t.Regs, program.Register{Name: fmt.Sprintf("waiting%d", len(t.Regs)), Type: program.Int32Type, Temp: true})
	r := len(t.Regs) - 1
	none := bin(program.Le, program.Reg(r), program.Const(0))                                               // or it has been destroyed
	free := bin(program.LogicalOr, none, bin(program.Le, program.Const(1<<len(g.u.waits)), program.Reg(r))) // or overwritten
	return []program.Command{
		{Op: program.Load, Reg: r, Addr: c.Addr, Tags: c.Tags},
		{Op: program.Assert, Value: flowgraph.Fold(bin(program.LogicalOr, program.NotExpr(flowgraph.Among(c.Addr, waited, set)), free)), Text: "a condition is initialised while a thread waits for it"},
	}
}

// endsUnderWaits is whether memory may be given back, a condition initialised, or a block left, beside a thread that may wait for a condition there. It marks where that
// cannot be.
func (u *unit) endsUnderWaits() (ends bool) {
	at := func(o *object) func(w wait) bool {
		return func(w wait) bool {
			base, addr := constantPart(w.op.cond)
			if base == nil {
				return o != nil && o.base <= addr && addr < o.base+o.size
			}
			return true
		}
	}
	mortals := u.mortals()
	for i, t := range u.threads {
		for k := range t.g.Edges {
			e := &t.g.Edges[k]
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
			case c.Op == program.Store && c.Tags.Has(lifeTag) && c.Value == program.Const(0) && mortals[c.Addr] != nil:
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
				e.Cmd.Tags = e.Cmd.Tags.With(unwaitedTag)
			}
		}
	}
	return ends
}

// waitTag marks the store by which a thread begins to wait for a condition, and withTag the one that tells with which mutex.
// unwaitedTag marks the end of an object that nobody can wait in, and initTag a load where a condition is initialised.
const (
	waitTag     = flowgraph.AccessTag + "wait"
	withTag     = flowgraph.AccessTag + "with"
	unwaitedTag = flowgraph.AccessTag + "unwaited"
	initTag     = flowgraph.AccessTag + "init"
)

// beginEdges writes that a thread begins to wait: it notes that in the condition, and, where others may wait with another mutex, which one
// it does with, in a cell of its own.
func (u *unit) beginEdges(g *flowgraph.Graph, op *waitOp, from, to int, pos program.Position) {
	l := &lowerer{u: u, g: g}
	waiting, w := place{t: types.Int, addr: op.cond}, l.temp(types.Int)
	load, store := l.loadOp(waiting, w, relaxed), l.storeOp(waiting, bin(program.BitOr, program.Reg(w), program.Const(u.waits[op.thread])), relaxed)
	store.Tags = store.Tags.With(waitTag)
	with := func(thread int) place {
		return element(l.u.helper("waits with", types.ArrayOf(types.UnsignedLong, maxThreads)), types.UnsignedLong, program.Const(thread))
	}
	waits := func(thread int) program.Expr {
		return bin(program.BitAnd, program.Reg(w), program.Const(u.waits[thread]))
	}
	others := []int{}
	for _, j := range slices.Sorted(maps.Keys(u.waits)) {
		if u.mixes[[2]int{op.thread, j}] {
			others = append(others, j)
		}
	}
	mine := l.storeOp(with(op.thread), op.mutex, relaxed)
	mine.Tags = mine.Tags.With(withTag)
	same := func(r int) program.Command {
		return program.Command{Op: program.Assert, Value: eq(program.Reg(r), op.mutex), Text: "two threads wait for a condition with two mutexes"}
	}
	if len(others) == 0 {
		g.Add(from, to, atomicOp("wait", load, store), pos)
		return
	}
	if u.opts.NoBlocks {
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

// findConditions finds the conditions that threads wait for, where it matters who does, and with what.
func (g *guarding) findConditions() {
	if !g.u.waitsKnown {
		return
	}
	mutexes := make([][]program.ValueSet, len(g.p.Threads))
	conditions := make([][]program.ValueSet, len(g.p.Threads))
	for ti, t := range g.p.Threads {
		for i := range t.Edges {
			t.Edges[i].Cmd.Accesses(func(c *program.Command) {
				if set := g.r.Address[c]; c.Tags.Has(waitTag) && !set.Empty() {
					conditions[ti] = append(conditions[ti], set)
				}
				if c.Op == program.Store && c.Tags.Has(withTag) && g.r.Reachable[ti][t.Edges[i].From] {
					mutexes[ti] = append(mutexes[ti], g.r.Value(ti, c.Value))
				}
			})
		}
		g.conditions = append(g.conditions, conditions[ti]...)
	}
	for pair := range g.u.mixes {
		i, j := pair[0], pair[1]
		one := slices.Concat(mutexes[i], mutexes[j])
		single := len(mutexes[i]) > 0 && len(mutexes[j]) > 0 && !slices.ContainsFunc(one, func(set program.ValueSet) bool { return set.Size() != 1 || set.Min() != one[0].Min() })
		if !single && meet(conditions[i], conditions[j]) {
			g.u.found.agree = false
		}
	}
}

// meet is true of sets with a value that is in one on either side.
func meet(some, others []program.ValueSet) bool {
	for _, s := range some {
		few, ok := s.Few()
		for _, o := range others {
			if !ok || slices.ContainsFunc(few, o.Has) {
				return true
			}
		}
	}
	return false
}

// unwaited looks at the conditions in one of these objects, which addr is the beginning of: nobody may wait for them when the object goes.
func (g *guarding) unwaited(t *program.Thread, addr program.Expr, slots []slot) (cmds []program.Command) {
	having := map[int64][]int64{} // by the distance of a condition from the beginning, the objects that have one there
	var bases []int64
	for _, s := range slots {
		bases = append(bases, s.base)
		for _, c := range s.o.cells {
			if slices.ContainsFunc(g.conditions, func(set program.ValueSet) bool { return set.Has(s.base + c.off) }) && g.p.CellAt(s.base+c.off) >= 0 {
				having[c.off] = append(having[c.off], s.base)
			}
		}
	}
	if len(having) > 0 {
		g.u.found.stays = false
	}
	for _, off := range slices.Sorted(maps.Keys(having)) {
		t.Regs = append(t.Regs, program.Register{Name: fmt.Sprintf("waiting%d", len(t.Regs)), Type: program.Int32Type, Temp: true})
		r := len(t.Regs) - 1
		where, is := plus(addr, off), program.Expr(program.Const(1))
		if len(having[off]) < len(bases) {
			is = flowgraph.Among(addr, having[off], program.Values(bases...))
			where = flowgraph.Fold(bin(program.Add, bin(program.Mul, is, plus(where, -g.always())), program.Const(g.always())))
		}
		free := bin(program.LogicalOr, eq(program.Reg(r), program.Const(0)), eq(program.Reg(r), program.Const(destroyed)))
		cmds = append(cmds,
			program.Command{Op: program.Load, Reg: r, Addr: where, Tags: tags(relaxed, types.Int).With(carefulTag)},
			program.Command{Op: program.Assert, Value: flowgraph.Fold(bin(program.LogicalOr, program.NotExpr(is), free)), Text: "the memory of a condition is given back while a thread waits for it"})
	}
	return cmds
}
