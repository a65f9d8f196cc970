package flowgraph

import (
	"math"

	"github.com/fencepost-verifier/fencepost/program"
)

// bounded looks at registers that hold nothing but choices, and of which more is asked than how they compare
// with constants: where comparisons have left few values by then, these have to be told apart, and
// no others.
func (g *Graph) bounded(uses []use) {
	var out [][]int
	one := make([]use, len(uses)) // of a single command
	for r := range uses {
		u := &uses[r]
		if u.other = u.other || u.somehow && u.loaded; !u.somehow || u.other {
			continue
		}
		if out == nil {
			out = g.Out()
		}
		spans := g.spans(r, out)
		u.other = spans == nil
		for i := range g.Edges {
			e := &g.Edges[i]
			if u.other || e.Op != nil || spans[e.From].none() {
				continue
			}
			one[r] = use{}
			if g.countUses(&e.Cmd, one); !one[r].somehow {
				continue
			}
			s := spans[e.From]
			u.other = s.hi-s.lo < 0 || s.hi-s.lo >= few
			u.compare(s.lo)
			u.compare(s.hi)
		}
	}
}

// A span is the values from lo to hi.
type span struct{ lo, hi int64 }

func (s span) none() bool { return s.lo > s.hi }

// spans is, by node, between what values a register is that holds nothing but choices; nil where it takes
// too long to find out.
func (g *Graph) spans(r int, out [][]int) []span {
	spans := make([]span, len(g.Nodes))
	for q := range spans {
		spans[q] = span{0, -1}
	}
	spans[g.Start] = span{g.Regs[r].Init, g.Regs[r].Init}
	steps := 64 * (len(g.Edges) + 1)
	for work := []int{g.Start}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[q] {
			if steps--; steps < 0 {
				return nil
			}
			s, e := spans[q], &g.Edges[i]
			switch {
			case e.Op != nil:
			case e.Cmd.Op == program.Havoc && e.Cmd.Reg == r:
				s = span{e.Cmd.Lo, e.Cmd.Hi}
			case e.Cmd.Op == program.Check:
				s = g.where(e.Cmd.Value, r, s)
			}
			t := spans[e.To]
			if s.none() || !t.none() && t.lo <= s.lo && s.hi <= t.hi {
				continue
			}
			if !t.none() {
				s = span{min(s.lo, t.lo), max(s.hi, t.hi)}
			}
			spans[e.To] = s
			work = append(work, e.To)
		}
	}
	return spans
}

// where is the part of s, the values of register r, in which e is true; it may be more than that.
func (g *Graph) where(e program.Expr, r int, s span) span {
	if !Reads(e, r) {
		return s
	}
	regs := make([]program.ValueSet, len(g.Regs))
	for i := range regs {
		regs[i] = program.Interval(math.MinInt64, math.MaxInt64)
	}
	regs[r] = program.Interval(s.lo, s.hi)
	if !program.Refine(e, regs) || regs[r].Empty() {
		return span{0, -1}
	}
	return span{regs[r].Min(), regs[r].Max()}
}
