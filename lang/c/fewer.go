package c

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
func (u *lowered) fewerByThresholds() {
	if u.opts.Speculation != target.NoSpeculation || !u.choosesWidely() {
		return
	}
	if p, r, err := u.values(nil); err == nil {
		u.choose(choices.ByThresholds(p, r, u.leastValues()))
	}
}

// compareEarly lets main compare what it chooses, and keeps where others look, before it stores that.
func (u *lowered) compareEarly() {
	if u.opts.Speculation != target.NoSpeculation || u.opts.Kernel || !u.choosesWidely() {
		return
	}
	starts := map[int64]bool{}
	for _, t := range u.threads[1:] {
		if t.first || t.start == nil {
			return
		}
		starts[t.start.base] = true
	}
	p, r, err := u.values(nil)
	if err != nil {
		return
	}
	// Before what may have ended by then, and what is const, there are assertions.
	freed, dies, fixed := u.freed(p.Threads, r), u.mayDie(r), u.fixedCells()
	early := flowgraph.Early{
		G: u.threads[0].g,
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
			if i < 0 || starts[a] || dies[r.CellIndex(a)] || c.Tags.Has(flowgraph.FreeTag) || c.Op == program.Store && fixed[a] && !c.Tags.Has(firstTag) {
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
func (u *lowered) sample() {
	if !u.choosesWidely() {
		return
	}
	if p, r, err := u.values(nil); err == nil {
		all, sampled := choices.Independent(p, r, u.leastValues())
		u.choose(all)
		u.sampled = u.sampled || sampled
	}
}

func (u *lowered) choosesWidely() bool {
	return slices.ContainsFunc(u.threads, func(t *loweredThread) bool {
		return slices.ContainsFunc(t.g.Edges, func(e flowgraph.Edge) bool { return e.Op == nil && choices.Wide(&e.Cmd) })
	})
}

// leastValues is how many values of a choice stay: two where it has to be seen that something changes.
func (u *lowered) leastValues() int {
	if u.opts.Signals {
		return 2
	}
	return 1
}

// choose makes choices what they are to be.
func (u *lowered) choose(all []choices.Choice) {
	for _, c := range all {
		t := u.threads[c.Thread]
		t.g.ChooseOf(t.origin[c.Edge], c.Values)
	}
}
