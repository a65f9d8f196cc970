package symbolic

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/encode/circuit"
	"github.com/fencepost-verifier/fencepost/solver"
)

// contents is the buffer of a thread as literals, in the order of its
// bufferLayout. It is treated as a value: changes make copies.
type contents struct {
	in, last []solver.Lit
	queue    [][]solver.Lit
}

func (b *builder) contents(l *bufferLayout) contents {
	c := contents{in: b.curs(l.in), last: b.curs(l.last)}
	for _, s := range l.queue {
		c.queue = append(c.queue, b.curs(s))
	}
	return c
}

func (c *contents) clone() contents {
	d := contents{in: slices.Clone(c.in), last: slices.Clone(c.last), queue: slices.Clone(c.queue)}
	for i := range d.queue {
		d.queue[i] = slices.Clone(d.queue[i])
	}
	return d
}

// empty is where nothing is buffered.
func (b *builder) empty(c *contents) solver.Lit {
	full := b.OrAll(c.in...)
	if len(c.queue) > 0 {
		full = b.Or(full, b.OrAll(c.queue[0]...))
	}
	return -full
}

// newest is the value that the own thread reads from a cell, and whether there
// is one: rule RB.
func (b *builder) newest(l *bufferLayout, c *contents, cell int) (circuit.Vector, solver.Lit) {
	is := l.byCell[cell]
	values := make([]int64, len(is))
	pick := func(lits []solver.Lit) []solver.Lit {
		out := make([]solver.Lit, len(is))
		for k, i := range is {
			out[k] = lits[i]
		}
		return out
	}
	for k, i := range is {
		values[k] = l.pairs[i].Value
	}
	has := b.False()
	v := b.Vec(0)
	// Oldest first, the set last.
	for _, lits := range append(slices.Clone(c.queue), c.last) {
		here := pick(lits)
		or := b.OrAll(here...)
		v = b.IteVec(or, b.decode(here, values), v)
		has = b.Or(has, or)
	}
	return v, has
}

// add is rule LS where at, and nothing elsewhere. It also says whether the pair
// is one that the layout has, as it is in every state that can be reached.
func (b *builder) add(l *bufferLayout, c *contents, cell int, at solver.Lit, v circuit.Vector) (contents, solver.Lit) {
	d := c.clone()
	hit := make([]solver.Lit, len(l.pairs))
	for i, p := range l.pairs {
		hit[i] = b.False()
		if p.Cell == cell {
			hit[i] = b.And(at, b.EqVec(v, b.Vec(p.Value)))
		}
	}
	toSet := b.True
	if k := len(c.queue); k > 0 {
		room := b.And(-b.OrAll(c.in...), -b.OrAll(c.queue[k-1]...))
		toSet = -room
		for s := range k {
			// The first free slot.
			here := b.AndAll(at, room, -b.OrAll(c.queue[s]...))
			if s > 0 {
				here = b.And(here, b.OrAll(c.queue[s-1]...))
			}
			for i := range hit {
				d.queue[s][i] = b.Ite(here, hit[i], c.queue[s][i])
			}
		}
	}
	for i, p := range l.pairs {
		if p.Cell != cell {
			continue
		}
		d.in[i] = b.Or(c.in[i], b.And(toSet, hit[i]))
		d.last[i] = b.Ite(b.And(toSet, at), hit[i], c.last[i])
	}
	return d, b.Or(-at, b.OrAll(hit...))
}

// flush is rule WM: whether the flush that the inputs choose is possible, whether
// it is of pair i, and the buffer that remains.
func (b *builder) flush(l *bufferLayout, c *contents) (legal solver.Lit, of []solver.Lit, rest contents) {
	rest = c.clone()
	of = make([]solver.Lit, len(l.pairs))
	queued := b.False()
	if len(c.queue) > 0 {
		queued = b.OrAll(c.queue[0]...)
	}
	fromSet := b.False()
	for i, p := range l.pairs {
		alone := b.True
		for _, j := range l.byCell[p.Cell] {
			if j != i {
				alone = b.And(alone, -c.in[j])
			}
		}
		chosen := b.AndAll(-queued, b.in.pair[i], c.in[i])
		takes := b.And(chosen, b.in.takes)
		may := b.And(chosen, b.Or(-b.in.takes, b.Or(-c.last[i], alone)))
		fromSet = b.Or(fromSet, may)
		of[i] = chosen
		rest.in[i] = b.And(c.in[i], -takes)
		rest.last[i] = b.And(c.last[i], -takes)
	}
	for s := range c.queue {
		for i := range l.pairs {
			behind := b.False()
			if s+1 < len(c.queue) {
				behind = c.queue[s+1][i]
			}
			// The chosen set flush is impossible where there is a queue, so
			// no other case matters.
			rest.queue[s][i] = b.Ite(queued, behind, c.queue[s][i])
			if s == 0 {
				of[i] = b.Or(of[i], c.queue[0][i])
			}
		}
	}
	return b.Or(queued, fromSet), of, rest
}

func (b *builder) iteContents(sel solver.Lit, x, y *contents) contents {
	z := contents{in: b.iteAll(sel, x.in, y.in), last: b.iteAll(sel, x.last, y.last)}
	for i := range x.queue {
		z.queue = append(z.queue, b.iteAll(sel, x.queue[i], y.queue[i]))
	}
	return z
}

func (b *builder) iteAll(sel solver.Lit, x, y []solver.Lit) []solver.Lit {
	z := make([]solver.Lit, len(x))
	for i := range z {
		z[i] = b.Ite(sel, x[i], y[i])
	}
	return z
}

// fill sets the bits of the state that hold the contents; false where a pair
// has no bit.
func (l *bufferLayout) fill(state []bool, c *abstract.Contents) bool {
	index := func(p abstract.Pair) int { return slices.Index(l.pairs, p) }
	set := c.Pairs
	if len(l.queue) > 0 {
		n := 0
		for n < len(set) && set[n].Cell != abstract.Barrier {
			i := index(set[n])
			if i < 0 {
				return false
			}
			state[l.queue[n][i]] = true
			n++
		}
		set = set[n:]
	}
	if len(set) > 0 && set[0].Cell == abstract.Barrier {
		set = set[1:]
	}
	for k, p := range set {
		i := index(p)
		if i < 0 {
			return false
		}
		state[l.in[i]] = true
		if k+1 == len(set) || set[k+1].Cell != p.Cell {
			state[l.last[i]] = true
		}
	}
	return true
}
