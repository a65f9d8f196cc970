package lowered

import (
	"fmt"
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Nobody may give back a condition that threads wait for, initialise it, or wait for it with another mutex than others do. What becomes of
// that is known when the values of pointers are.

// Destroyed is what a cell holds of something that has been destroyed: the owner of a mutex, the writer of a read-write lock,
// who waits for a condition, the count of a semaphore.
const Destroyed = -1

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
	g.u.Found.Stays = false
	t.Regs = append(t.Regs, program.Register{Name: fmt.Sprintf("waiting%d", len(t.Regs)), Type: program.Int32Type, Temp: true})
	r := len(t.Regs) - 1
	none := bin(program.Le, program.Reg(r), program.Const(0))                                               // or it has been destroyed
	free := bin(program.LogicalOr, none, bin(program.Le, program.Const(1<<len(g.u.Waits)), program.Reg(r))) // or overwritten
	return []program.Command{
		{Op: program.Load, Reg: r, Addr: c.Addr, Tags: c.Tags},
		{Op: program.Assert, Value: flowgraph.Fold(bin(program.LogicalOr, program.NotExpr(flowgraph.Among(c.Addr, waited, set)), free)), Text: "a condition is initialised while a thread waits for it"},
	}
}

// WaitTag marks the store by which a thread begins to wait for a condition, and WithTag the one that tells with which mutex.
// UnwaitedTag marks the end of an object that nobody can wait in, and InitTag a load where a condition is initialised.
const (
	WaitTag     = flowgraph.AccessTag + "wait"
	WithTag     = flowgraph.AccessTag + "with"
	UnwaitedTag = flowgraph.AccessTag + "unwaited"
	InitTag     = flowgraph.AccessTag + "init"
)

// findConditions finds the conditions that threads wait for, where it matters who does, and with what.
func (g *guarding) findConditions() {
	if !g.u.WaitsKnown {
		return
	}
	mutexes := make([][]program.ValueSet, len(g.p.Threads))
	conditions := make([][]program.ValueSet, len(g.p.Threads))
	for ti, t := range g.p.Threads {
		for i := range t.Edges {
			t.Edges[i].Cmd.Accesses(func(c *program.Command) {
				if set := g.r.Address[c]; c.Tags.Has(WaitTag) && !set.Empty() {
					conditions[ti] = append(conditions[ti], set)
				}
				if c.Op == program.Store && c.Tags.Has(WithTag) && g.r.Reachable[ti][t.Edges[i].From] {
					mutexes[ti] = append(mutexes[ti], g.r.Value(ti, c.Value))
				}
			})
		}
		g.conditions = append(g.conditions, conditions[ti]...)
	}
	for pair := range g.u.Mixes {
		i, j := pair[0], pair[1]
		one := slices.Concat(mutexes[i], mutexes[j])
		single := len(mutexes[i]) > 0 && len(mutexes[j]) > 0 && !slices.ContainsFunc(one, func(set program.ValueSet) bool { return set.Size() != 1 || set.Min() != one[0].Min() })
		if !single && meet(conditions[i], conditions[j]) {
			g.u.Found.Agree = false
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
		for _, c := range s.o.Cells {
			if slices.ContainsFunc(g.conditions, func(set program.ValueSet) bool { return set.Has(s.base + c.Off) }) && g.p.CellAt(s.base+c.Off) >= 0 {
				having[c.Off] = append(having[c.Off], s.base)
			}
		}
	}
	if len(having) > 0 {
		g.u.Found.Stays = false
	}
	for _, off := range slices.Sorted(maps.Keys(having)) {
		t.Regs = append(t.Regs, program.Register{Name: fmt.Sprintf("waiting%d", len(t.Regs)), Type: program.Int32Type, Temp: true})
		r := len(t.Regs) - 1
		where, is := plus(addr, off), program.Expr(program.Const(1))
		if len(having[off]) < len(bases) {
			is = flowgraph.Among(addr, having[off], program.Values(bases...))
			where = flowgraph.Fold(bin(program.Add, bin(program.Mul, is, plus(where, -g.always())), program.Const(g.always())))
		}
		free := bin(program.LogicalOr, eq(program.Reg(r), program.Const(0)), eq(program.Reg(r), program.Const(Destroyed)))
		cmds = append(cmds,
			program.Command{Op: program.Load, Reg: r, Addr: where, Tags: Tags(target.Relaxed, types.Int).With(CarefulTag)},
			program.Command{Op: program.Assert, Value: flowgraph.Fold(bin(program.LogicalOr, program.NotExpr(is), free)), Text: "the memory of a condition is given back while a thread waits for it"})
	}
	return cmds
}
