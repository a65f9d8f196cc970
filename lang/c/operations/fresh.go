package operations

import (
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/program"
)

// What malloc gives is known to nobody but the thread that has called it, until that puts the address somewhere
// where others find it: publishes it. What has been written until then nobody reads unwritten, where stores come to
// memory in their order.
//
// Under the models of C11 that is so where the thread does nothing in between that releases: an access has to come
// after malloc in happens-before, or is a violation already (lowered/births.go), and what orders the two has to begin
// behind the stores then. Elsewhere nothing is known.
//
// The address is followed by data dependence, so that what is computed from it is taken for it, whatever that is.
// So this looks at the graphs while malloc is an operation in them, and no constant.

const (
	// maxFresh is how many bytes an object may have of which it is known what is written first.
	maxFresh = 1 << 10
	// maxFollowed bounds how many steps are taken to find out.
	maxFollowed = 1 << 12
)

// A fresh is what is known of a new object at a node: the registers that have something to do with its address,
// with how far they are from its beginning where that is known; and which of its bytes have been written.
type fresh struct {
	from    map[int]offset
	written []bool
}

// An offset is how far a pointer is from the beginning of an object.
type offset struct {
	bytes int64
	known bool
}

// of is what e has to do with the object.
func (f *fresh) of(e program.Expr) (o offset, some bool) {
	if r, ok := e.(program.Reg); ok {
		o, some = f.from[int(r)]
		return o, some
	}
	if b, ok := e.(program.Binary); ok && b.Op == program.Add {
		if k, ok := b.Y.(program.Const); ok {
			o, some = f.of(b.X)
			o.bytes += int64(k)
			return o, some
		}
	}
	program.Walk(e, func(x program.Expr) {
		if r, ok := x.(program.Reg); ok {
			if _, ok := f.from[int(r)]; ok {
				some = true
			}
		}
	})
	return offset{}, some
}

// set notes what a register holds.
func (f *fresh) set(r int, o offset, some bool) {
	if delete(f.from, r); some {
		f.from[r] = o
	}
}

// meet makes f what is known of both, and tells whether that is less than it was.
func (f *fresh) meet(g *fresh) (less bool) {
	for r, o := range g.from {
		if was, ok := f.from[r]; !ok || was.known && was != o {
			o.known = o.known && ok && was == o
			f.from[r], less = o, true
		}
	}
	for r, o := range f.from {
		if _, ok := g.from[r]; !ok && o.known {
			f.from[r], less = offset{}, true
		}
	}
	for i, w := range f.written {
		if w && !g.written[i] {
			f.written[i], less = false, true
		}
	}
	return less
}

func (f *fresh) clone() *fresh { return &fresh{maps.Clone(f.from), slices.Clone(f.written)} }

// ordered is whether it is of use what has been written before an object is published.
func (u *Unit) ordered() bool { return u.lowered.Options.Ordered || u.lowered.Options.Orders }

// writtenFirst says which bytes of the object that edge i makes are written before anybody else knows of it, and
// before they are read; nil: none.
func (u *Unit) writtenFirst(g *flowgraph.Graph, i int, out [][]int, bytes int64) []bool {
	if !u.ordered() || bytes < 0 || bytes > maxFresh {
		return nil
	}
	op := g.Edges[i].Op.(*Alloc)
	at := map[int]*fresh{g.Edges[i].To: {map[int]offset{op.Reg: {0, true}}, make([]bool, bytes)}}
	var sure []bool // nil: it has not been published
	publish := func(f *fresh) {
		if sure == nil {
			sure = slices.Clone(f.written)
		}
		for k, w := range f.written {
			sure[k] = sure[k] && w
		}
	}
	w := &publishing{u: u, g: g, made: i, publish: publish, read: make([]bool, bytes)}
	work := []int{g.Edges[i].To}
	for steps := 0; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		if q == g.End && g.Result >= 0 {
			if _, some := at[q].from[g.Result]; some {
				publish(at[q])
			}
		}
		for _, k := range out[q] {
			if steps++; steps > maxFollowed {
				return nil
			}
			f := at[q].clone()
			if !w.edge(k, f) {
				continue
			}
			to := g.Edges[k].To
			if at[to] == nil {
				at[to] = f
			} else if !at[to].meet(f) {
				continue
			}
			work = append(work, to)
		}
	}
	for k := range sure {
		sure[k] = sure[k] && !w.read[k]
	}
	return sure
}

// A publishing follows one object.
type publishing struct {
	u       *Unit
	g       *flowgraph.Graph
	made    int // the edge that makes it
	publish func(*fresh)
	read    []bool // what is read before it is written
}

// edge takes f along an edge; it is false where the object has been published there.
func (w *publishing) edge(i int, f *fresh) bool {
	e := &w.g.Edges[i]
	if e.Op == nil {
		return w.command(&e.Cmd, f)
	}
	some := i == w.made
	e.Reads(func(r int) { _, is := f.from[r]; some = some || is })
	switch e.Op.(type) {
	case lowered.Condition, *Init:
		return true
	}
	if _, copies := e.Op.(*Copy); some || !w.u.lowered.Options.Ordered && !copies {
		w.publish(f)
		return false
	}
	e.Writes(func(r int) { f.set(r, offset{}, false) })
	return true
}

func (w *publishing) command(c *program.Command, f *fresh) bool {
	switch c.Op {
	case program.Assign:
		o, some := f.of(c.Value)
		if t := w.g.Regs[c.Reg].Type; t.Bits < 64 {
			o.known = false
		}
		f.set(c.Reg, o, some)
	case program.Havoc:
		f.set(c.Reg, offset{}, false)
	case program.Load:
		w.loads(c, f)
		f.set(c.Reg, offset{}, false)
	case program.Store:
		if _, some := f.of(c.Value); some || !w.u.lowered.Options.Ordered && w.releases(c) {
			w.publish(f)
			return false
		}
		o, _ := f.of(c.Addr)
		if t := lowered.Accessed(c.Tags); o.known && t != nil && 0 <= o.bytes && o.bytes+t.Size <= int64(len(f.written)) {
			for k := range t.Size {
				f.written[o.bytes+k] = true
			}
		}
	case program.Fence, program.Lock, program.Unlock:
		if !w.u.lowered.Options.Ordered {
			w.publish(f)
			return false
		}
	case program.Atomic:
		some := false
		c.Reads(func(r int) { _, is := f.from[r]; some = some || is })
		releases := false
		for i := range c.Body {
			releases = releases || w.releases(&c.Body[i])
		}
		if some || !w.u.lowered.Options.Ordered && releases {
			w.publish(f)
			return false
		}
		c.Writes(func(r int) { f.set(r, offset{}, false) })
	}
	return true
}

// loads notes what a load reads that has not been written.
func (w *publishing) loads(c *program.Command, f *fresh) {
	o, some := f.of(c.Addr)
	if !some || c.Tags.Has(flowgraph.FreeTag) || c.Tags.Has(lowered.KeptTag) {
		return
	}
	t := lowered.Accessed(c.Tags)
	for k := range w.read {
		if !f.written[k] && (!o.known || t == nil || o.bytes <= int64(k) && int64(k) < o.bytes+t.Size) {
			w.read[k] = true
		}
	}
}

// releases is true of a store that others may synchronise with.
func (w *publishing) releases(c *program.Command) bool {
	o := target.OrderOf(c.Tags)
	return c.Op == program.Store && (o == target.Release || o == target.AcqRel || o == target.SeqCst)
}

// publications notes, of what a thread allocates, what is written first.
func (u *Unit) publications(g *flowgraph.Graph) {
	if !u.ordered() || u.lowered.Options.Uninitialised {
		return
	}
	var out [][]int
	for i := range g.Edges {
		op, ok := g.Edges[i].Op.(*Alloc)
		if !ok || op.Site.Zero {
			continue
		}
		if out == nil {
			out = g.Out()
		}
		bytes, known := op.Size.(program.Const)
		if !known {
			bytes = program.Const(slices.Max(u.sizes(op)))
		}
		op.first = u.writtenFirst(g, i, out, int64(bytes))
	}
}
