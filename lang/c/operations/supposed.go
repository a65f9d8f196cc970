package operations

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Where the sizes of objects depend on what is chosen freely, main is rehearsed once for each of a few values of that. If all these rehearsals come to
// their ends, the sizes that they have seen are those that are looked for, and no others. That is a guess, too: the program compares.

// maxSupposed is the largest number that a choice is supposed to be, if loops are not unrolled further, and maxSupposedSteps bounds the steps of all rehearsals together.
const maxSupposed, maxSupposedSteps = 8, 1 << 16

// maxTold bounds how many values more a choice may have, which the program tells apart.
const maxTold = 8

// A supposing is the choices of a rehearsal, in the order in which what is chosen is first asked for: which of its values each of them has, of how many.
type supposing struct {
	taken, of []int
	n         int
	opened    map[int]program.Command // by register, the choices that nobody has asked for
	told      map[int][]int64         // see toldApart
	most      int64                   // the largest number that a choice is supposed to be
}

// open is a choice.
func (f *supposing) open(c *program.Command) {
	if f != nil {
		f.opened[c.Reg] = *c
	}
}

// close is another value of a register.
func (f *supposing) close(r int) {
	if f != nil {
		delete(f.opened, r)
	}
}

// suppose gives a register that has been chosen freely, and is asked for, its value.
func (x *rehearsal) suppose(r int) bool {
	if x.free == nil {
		return false
	}
	c, open := x.free.opened[r]
	if open {
		x.set(r, x.free.next(c), true)
	}
	return open
}

// next is the value of a choice, a small one or one that it is compared with.
func (f *supposing) next(c program.Command) int64 {
	lo, hi := max(c.Lo, 0), min(c.Hi, f.most)
	if c.Lo <= c.Hi && uint64(c.Hi)-uint64(c.Lo) <= uint64(f.most) {
		lo, hi = c.Lo, c.Hi
	}
	var told []int64
	for _, v := range f.told[c.Reg] {
		if c.Lo <= v && v <= c.Hi && (v < lo || v > hi) && len(told) < maxTold {
			told = append(told, v)
		}
	}
	few := max(hi-lo+1, 0)
	if few == 0 && len(told) == 0 {
		told = []int64{c.Lo}
	}
	if f.n == len(f.taken) {
		f.taken, f.of = append(f.taken, 0), append(f.of, int(few)+len(told))
	}
	f.n++
	if k := int64(f.taken[f.n-1]); k >= few {
		return told[k-few]
	} else {
		return lo + k
	}
}

// toldApart are values that registers are compared with, and those beside them.
func toldApart(g *flowgraph.Graph) map[int][]int64 {
	told := map[int][]int64{}
	note := func(r int, values ...int64) {
		for _, v := range values {
			if !slices.Contains(told[r], v) {
				told[r] = append(told[r], v)
			}
		}
	}
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Op != nil || e.Cmd.Op != program.Check {
			continue
		}
		program.Walk(e.Cmd.Value, func(x program.Expr) {
			b, ok := x.(program.Binary)
			if !ok {
				return
			}
			k, constant := b.Y.(program.Const)
			if !constant {
				k, constant = b.X.(program.Const)
			}
			if !constant {
				return
			}
			readsOf(b, func(r int) { note(r, int64(k)-1, int64(k), int64(k)+1) })
		})
	}
	for range 2 { // what is chosen, given back and assigned
		for i := range g.Edges {
			if e := &g.Edges[i]; e.Op == nil && e.Cmd.Op == program.Assign {
				if r, copied := e.Cmd.Value.(program.Reg); copied {
					note(int(r), told[e.Cmd.Reg]...)
				}
			}
		}
	}
	return told
}

// more goes on to the next choices, if there are any.
func (f *supposing) more() bool {
	k := f.n - 1
	for k >= 0 && f.taken[k] == f.of[k]-1 {
		k--
	}
	if k < 0 {
		return false
	}
	f.taken, f.of, f.n = f.taken[:k+1], f.of[:k+1], 0
	f.taken[k]++
	return true
}

// makesOfUnknownSize is whether an edge makes an object whose size is not known.
func makesOfUnknownSize(e flowgraph.Edge) bool {
	op, ok := e.Op.(*Alloc)
	if !ok {
		return false
	}
	_, known := op.Size.(program.Const)
	return !known
}

// makesSeveral is whether a graph makes several objects whose sizes are not known: so many, of all sizes that are looked for elsewhere, take long.
func makesSeveral(g *flowgraph.Graph) bool {
	comp, cyclic := g.Components(g.Out())
	n := 0
	for _, e := range g.Edges {
		if makesOfUnknownSize(e) {
			if n++; n > 1 || comp[e.From] >= 0 && cyclic[comp[e.From]] && comp[e.From] == comp[e.To] {
				return true
			}
		}
	}
	return false
}

// supposed are the sizes of the objects that edges make, in a first rehearsal, or in those with choices where all of these come to their ends; only is
// whether there may well be no others.
func (u *Unit) supposed(x *rehearsal) (sizes map[int][]int64, only bool) {
	whole := func(x *rehearsal) bool { return x.over && !x.missed && !x.beside }
	if x.over || x.beside || !slices.ContainsFunc(x.g.Edges, makesOfUnknownSize) {
		return x.sizes, whole(x)
	}
	sizes = map[int][]int64{}
	free := &supposing{opened: map[int]program.Command{}, told: toldApart(x.g), most: max(maxSupposed, int64(u.unroll))}
	for steps := 0; ; {
		clear(free.opened)
		y := u.rehearse(x.g, free)
		for i, more := range y.sizes {
			for _, n := range more {
				if !slices.Contains(sizes[i], n) {
					sizes[i] = append(sizes[i], n)
				}
			}
			if len(sizes[i]) > maxForeseen {
				return x.sizes, false
			}
		}
		if steps += y.steps; !whole(y) || steps > maxSupposedSteps {
			return x.sizes, false
		}
		if !free.more() {
			return sizes, makesSeveral(x.g)
		}
	}
}
