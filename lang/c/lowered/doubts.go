package lowered

import (
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Which cells may be read before anything has been written to them: of those that several threads access, the ones
// that somebody reads where it is not sure that they have been written. Sure is what the thread itself has written on
// all ways to where it reads; what who made the thread had written by then; and what a thread has written to its end
// that was waited for. All of that happens before the read, so that no model has it read what was there at first.
// What malloc gives may have been written before anybody else knew of it ([Object.First]).

// A doubting is the search for them in one program.
type doubting struct {
	u *Unit
	p *program.Program
	r *program.Ranges
	// index is, by cell, the number of those that are asked about, or -1, and n how many these are.
	index []int
	n     int
	enter []program.RegSet      // by thread: what is written when it begins; nil: nobody begins it
	leave []program.RegSet      // and when it ends, if it does
	start map[int64]int         // the threads by the cells through which they are started
	ended map[int64]int         // and by those that tell that they have ended
	found map[int64]*types.Type // the cells that are in doubt
	own   []bool                // of the cells, those that become a register which knows whether it is written, or are noted (noted.go)
	asked asked
}

// asked is about which cells of a program is asked.
type asked int

const (
	notOwn  asked = iota // those that do not become registers, and are not noted
	noted                // those that are
	allOfIt              // all of them
)

// doubts are the cells of p that may be read before they are written, of those that are asked about, with their types.
func (u *Unit) doubts(p *program.Program, r *program.Ranges, asked asked) map[int64]*types.Type {
	d := &doubting{u: u, p: p, r: r, asked: asked, index: slices.Repeat([]int{-1}, len(r.Cells)), found: map[int64]*types.Type{}, own: make([]bool, len(r.Cells))}
	copied, owner := d.copied(), u.owners(p, r)
	unset, again := u.unsetAtFirst(), map[int64]bool{}
	for _, t := range u.Threads {
		maps.Copy(again, forgotten(t))
	}
	written := program.RegSet{}
	for _, o := range u.Objects {
		for k := range o.Count {
			for _, s := range o.Cells {
				a := o.Base + k*o.Stride + s.Off
				i := r.CellIndex(a)
				// What one thread alone accesses becomes a register (promote), but in what malloc may not have given yet. Where the
				// addresses are not known by which it is written, and there is no room for a mark, it is noted.
				wide, isNoted := s.Type.Word().Bits == bits64, false
				if i >= 0 {
					isNoted = !o.born && owner[i] == nobody && r.Private(i) >= 0 && wide && !copied[i]
					d.own[i] = !o.born && owner[i] != nobody || isNoted
				}
				if unset[a] == nil || u.written[a] && !again[a] || i < 0 || !slices.Contains(r.Readers[i], true) || u.spared(o, k, s) ||
					asked == notOwn && d.own[i] && !copied[i] || asked == noted && !isNoted ||
					asked == allOfIt && !d.own[i] && s.Type.Kind != types.PointerKind && wide { // whose mark is a number that is not there else
					continue
				}
				if d.index[i] = d.n; d.n%64 == 0 {
					written = append(written, 0)
				}
				if u.written[a] {
					written.Add(d.n)
				}
				d.n++
			}
		}
	}
	if d.n == 0 {
		return nil
	}
	d.solve(written)
	for i, k := range d.index {
		if a := r.Cells[i].Addr; k >= 0 && d.found[a] != nil {
			d.found[a] = unset[a]
		}
	}
	return d.found
}

// copied marks the cells that are copied.
func (d *doubting) copied() []bool {
	cells := make([]bool, len(d.r.Cells))
	for _, t := range d.p.Threads {
		for i := range t.Edges {
			t.Edges[i].Cmd.Accesses(func(c *program.Command) {
				if c.Op == program.Load && c.Tags.Has(CopiedTag) {
					for _, i := range d.r.Access[c] {
						cells[i] = true
					}
				}
			})
		}
	}
	return cells
}

// spared is true of a cell of what malloc gives that is written before others know of it. Where that takes malloc to
// happen before what others do it does not hold of what main has made before there were other threads, and has not
// written yet.
func (u *Unit) spared(o *Object, k int64, s Scalar) bool {
	if u.blank[o.Base+k*o.Stride+s.Off] || int64(len(o.First)) < s.Off+s.Size || slices.Contains(o.First[s.Off:s.Off+s.Size], false) {
		return false
	}
	u.reliesOnOrder = u.reliesOnOrder || u.Options.Ordered
	return u.Options.Ordered || o.born && u.initial[o.LiveAddr()+k*o.Stride] == 0
}

// solve finds out what is sure to be written where, as the greatest solution, given what main has written before there
// were other threads.
func (d *doubting) solve(written program.RegSet) {
	n := len(d.u.Threads)
	d.enter, d.leave = make([]program.RegSet, n), make([]program.RegSet, n)
	d.start, d.ended = map[int64]int{}, map[int64]int{}
	for i, t := range d.u.Threads {
		if t.First {
			d.enter[i] = slices.Clone(written)
		}
		if t.Start != nil {
			d.start[t.Start.Base] = i
		}
		for k := range d.p.Threads[i].Edges {
			if c := &d.p.Threads[i].Edges[k].Cmd; c.Op == program.Atomic && c.Text == EndText {
				if a, ok := c.Body[0].Addr.(program.Const); ok {
					d.ended[int64(a)] = i
				}
			}
		}
	}
	for again := true; again; {
		again = false
		for i := range n {
			if d.enter[i] != nil {
				again = d.thread(i, nil) || again
			}
		}
	}
	for i := range n {
		if d.enter[i] != nil {
			live := d.u.Threads[i].Graph.Live()
			d.thread(i, func(e int, w program.RegSet) { d.look(i, e, w, live) })
		}
	}
}

// lower makes to what is in both; nil is everything. It tells whether that is less.
func lower(to *program.RegSet, w program.RegSet) (less bool) {
	if *to == nil {
		*to = slices.Clone(w)
		return true
	}
	for k := range w {
		if (*to)[k]&^w[k] != 0 {
			(*to)[k] &= w[k]
			less = true
		}
	}
	return less
}

// thread goes through a thread, and calls seen for each edge with what has been written before it; it tells whether
// less is known of when threads begin and end.
func (d *doubting) thread(ti int, seen func(edge int, written program.RegSet)) (less bool) {
	t := d.p.Threads[ti]
	out := t.Out()
	at := make([]program.RegSet, len(t.States))
	at[t.Initial] = slices.Clone(d.enter[ti])
	w := program.NewRegSet(d.n)
	queued := make([]bool, len(t.States))
	for work := []program.StateID{t.Initial}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		queued[q] = false
		for _, i := range out[q] {
			e := &t.Edges[i]
			if !mayFollow(d.r, ti, e) {
				continue
			}
			copy(w, at[q])
			d.step(&e.Cmd, w)
			if lower(&at[e.To], w) && !queued[e.To] {
				work, queued[e.To] = append(work, e.To), true
			}
		}
	}
	for i := range t.Edges {
		e := &t.Edges[i]
		if at[e.From] == nil {
			continue
		}
		if e.Cmd.Op == program.Atomic && len(e.Cmd.Body) > 0 {
			a, _ := e.Cmd.Body[0].Addr.(program.Const)
			if k, ok := d.start[int64(a)]; ok && e.Cmd.Text == CreateText {
				less = lower(&d.enter[k], at[e.From]) || less
			}
			if k, ok := d.ended[int64(a)]; ok && e.Cmd.Text == EndText {
				less = lower(&d.leave[k], at[e.From]) || less
			}
		}
		if seen != nil {
			seen(i, at[e.From])
		}
	}
	return less
}

// step adds what a command writes.
func (d *doubting) step(c *program.Command, w program.RegSet) {
	if c.Op == program.Atomic && c.Text == JoinText {
		a, _ := c.Body[0].Addr.(program.Const)
		if k, ok := d.ended[int64(a)]; ok {
			if d.leave[k] != nil {
				w.Union(d.leave[k])
				return
			}
			for i := range d.n { // it does not end, as far as is known by now
				w.Add(i)
			}
		}
		return
	}
	c.Accesses(func(c *program.Command) {
		cells := d.r.Access[c]
		if c.Op != program.Store || len(cells) != 1 || d.index[cells[0]] < 0 || d.r.Address[c].Size() != 1 || !flowgraph.FitsTag(wordOf(&d.r.Cells[cells[0]]), c.Tags) {
			return
		}
		if k := d.index[cells[0]]; c.Tags.Has(UnsetTag) {
			w.Remove(k)
		} else {
			w.Add(k)
		}
	})
}

// look notes the cells that an edge of a thread of p may read before they are written.
func (d *doubting) look(ti, edge int, w program.RegSet, live []program.RegSet) {
	t := d.u.Threads[ti]
	gi := t.origin[edge]
	if gi < 0 {
		return
	}
	c := &d.p.Threads[ti].Edges[edge].Cmd
	body := []program.Command{*c}
	if c.Op == program.Atomic {
		body = c.Body
	}
	for k := range body {
		b := c
		if c.Op == program.Atomic {
			b = &body[k]
		}
		if b.Op != program.Load || !counts(b) || !live[t.Graph.Edges[gi].To].Has(b.Reg) && !flowgraph.ReadAfter(body[k+1:], b.Reg) {
			continue
		}
		for _, i := range d.r.Access[b] {
			if x := d.index[i]; x >= 0 && !w.Has(x) && (d.asked != notOwn || !d.own[i] || b.Tags.Has(CopiedTag)) && flowgraph.FitsTag(wordOf(&d.r.Cells[i]), b.Tags) {
				d.found[d.r.Cells[i].Addr] = types.Void // its own in the end
			}
		}
	}
}

// counts is true of a load of which it matters whether what it reads has been written.
func counts(c *program.Command) bool { return !c.Tags.Has(KeptTag) && Accessed(c.Tags) != nil }
