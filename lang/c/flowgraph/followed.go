package flowgraph

import "github.com/fencepost-verifier/fencepost/program"

// A counter that begins anywhere (`for (i = first(); i < 10; i++)`) is a register that holds more than choices. So a choice is followed to where something
// else is put into its register: what is done with it up to there is all that becomes of it. What it is counted up to is no choice any more.

// maxFollowed bounds how many steps the choices of a graph are followed, all together.
const maxFollowed = 1 << 18

// A following follows the choices of a graph.
type following struct {
	g     *Graph
	out   [][]int
	live  []program.RegSet
	steps int
}

func (g *Graph) follow() *following {
	return &following{g: g, out: g.Out(), live: g.Live(), steps: maxFollowed}
}

// use is what is done with the choice of an edge.
func (f *following) use(edge int) *use {
	g, u := f.g, &use{}
	r := g.Edges[edge].Cmd.Reg
	spans, ok := f.spans(edge)
	if !ok {
		u.other = true
		return u
	}
	one := make([]use, len(g.Regs)) // of a single command
	for q, s := range spans {
		for _, i := range f.out[q] {
			e := &g.Edges[i]
			if e.Op != nil {
				continue
			}
			clear(one)
			g.countUses(&e.Cmd, one)
			w := &one[r]
			if u.other = u.other || w.other; w.compared {
				u.compare(w.lo)
				u.compare(w.hi)
			}
			if u.mask |= w.mask; w.masked {
				u.masked = true
			}
			if w.somehow {
				u.other = u.other || s.hi-s.lo < 0 || s.hi-s.lo >= few
				u.compare(s.lo)
				u.compare(s.hi)
			}
		}
	}
	return u
}

// spans is, by node, between what values the choice of an edge is, where it is in its register and may be read; false where something reads it of
// which that is not enough to know, or it takes too long to find out.
func (f *following) spans(edge int) (map[int]span, bool) {
	g := f.g
	c := &g.Edges[edge].Cmd
	spans := map[int]span{}
	var work []int
	reach := func(q int, s span) {
		t, known := spans[q]
		if s.none() || !f.live[q].Has(c.Reg) || known && t.lo <= s.lo && s.hi <= t.hi {
			return
		}
		if known {
			s = span{min(s.lo, t.lo), max(s.hi, t.hi)}
		}
		spans[q] = s
		work = append(work, q)
	}
	for reach(g.Edges[edge].To, span{c.Lo, c.Hi}); len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range f.out[q] {
			if f.steps--; f.steps < 0 {
				return nil, false
			}
			s, e := spans[q], &g.Edges[i]
			reads, writes := false, false
			e.Writes(func(w int) { writes = writes || w == c.Reg })
			e.Reads(func(w int) { reads = reads || w == c.Reg })
			switch {
			case e.Op != nil && (reads || writes):
				return nil, false
			case writes:
				continue
			case e.Op == nil && e.Cmd.Op == program.Check:
				s = g.where(e.Cmd.Value, c.Reg, s)
			}
			reach(e.To, s)
		}
	}
	return spans, true
}
