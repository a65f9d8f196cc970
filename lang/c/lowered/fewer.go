package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/choices"
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/program"
)

// Programs choose freely from more values than can be tried. Package [choices] says of which that makes a difference.

// fewerByThresholds makes choices that stay in registers as small as what follows from them. Under models with speculation
// values come about in other ways.
func (u *Unit) fewerByThresholds() {
	if u.Options.Speculation != target.NoSpeculation || !u.choosesWidely() {
		return
	}
	if p, r, err := u.values(nil); err == nil {
		u.choose(choices.ByThresholds(p, r, u.leastValues()))
	}
}

// compareEarly lets main compare what it chooses, and keeps where others look, before it stores that.
func (u *Unit) compareEarly() {
	if u.Options.Speculation != target.NoSpeculation || u.Options.Kernel || !u.choosesWidely() {
		return
	}
	starts := map[int64]bool{}
	for _, t := range u.Threads[1:] {
		if t.First || t.Start == nil {
			return
		}
		starts[t.Start.Base] = true
	}
	p, r, err := u.values(nil)
	if err != nil {
		return
	}
	// Before what may have ended by then, and what is const, there are assertions.
	freed, dies, fixed := u.freed(p.Threads, r), u.mayDie(r), u.fixedCells()
	early := flowgraph.Early{
		G: u.Threads[0].Graph,
		Begins: func(c *program.Command) (begins bool) {
			c.Accesses(func(c *program.Command) {
				a, known := c.Addr.(program.Const)
				begins = begins || c.Op == program.Store && known && starts[int64(a)]
			})
			return begins
		},
		Cell: func(c *program.Command) *program.Cell {
			a := int64(c.Addr.(program.Const))
			i := p.CellAt(a)
			if i < 0 || starts[a] || dies[r.CellIndex(a)] || c.Tags.Has(flowgraph.FreeTag) || c.Op == program.Store && fixed[a] && !c.Tags.Has(FirstTag) {
				return nil
			}
			if lo, hi, ok := flowgraph.Within(c.Tags); ok && (a < lo || a >= hi) {
				return nil
			}
			return &p.Memory[i]
		},
		Frees: func(c *program.Command) (frees bool) {
			c.Accesses(func(c *program.Command) { frees = frees || c.Tags.Has(flowgraph.FreeTag) })
			return frees
		},
		Freed: func(c *program.Cell) bool { return freed[r.CellIndex(c.Addr)] },
		Wide:  choices.Wide,
	}
	u.sampled = early.Compare() || u.sampled
}

// sample makes choices of as many values as can be told apart, wherever they get to.
func (u *Unit) sample() {
	if !u.choosesWidely() {
		return
	}
	if p, r, err := u.values(nil); err == nil {
		all, sampled := choices.Independent(p, r, u.leastValues())
		u.choose(all)
		u.sampled = u.sampled || sampled
	}
}

func (u *Unit) choosesWidely() bool {
	return slices.ContainsFunc(u.Threads, func(t *Thread) bool {
		return slices.ContainsFunc(t.Graph.Edges, func(e flowgraph.Edge) bool { return e.Op == nil && choices.Wide(&e.Cmd) })
	})
}

// leastValues is how many values of a choice stay: two where it has to be seen that something changes.
func (u *Unit) leastValues() int {
	if u.Options.Signals {
		return 2
	}
	return 1
}

// choose makes choices what they are to be.
func (u *Unit) choose(all []choices.Choice) {
	for _, c := range all {
		t := u.Threads[c.Thread]
		t.Graph.ChooseOf(t.origin[c.Edge], c.Values)
	}
}
