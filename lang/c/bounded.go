package c

import (
	"math"

	"github.com/fencepost-verifier/fencepost/program"
)

// bounded looks at registers that hold nothing but choices, and of which more is asked than how they compare
// with constants: where comparisons have left few values by then, these have to be told apart, and
// no others.
func (g *graph) bounded(uses []use) {
	var out [][]int
	one := make([]use, len(uses)) // of a single command
	for r := range uses {
		u := &uses[r]
		if u.other = u.other || u.somehow && u.loaded; !u.somehow || u.other {
			continue
		}
		if out == nil {
			out = g.out()
		}
		spans := g.spans(r, out)
		u.other = spans == nil
		for i := range g.edges {
			e := &g.edges[i]
			if u.other || e.op != nil || spans[e.from].none() {
				continue
			}
			one[r] = use{}
			if g.countUses(&e.cmd, one); !one[r].somehow {
				continue
			}
			s := spans[e.from]
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
func (g *graph) spans(r int, out [][]int) []span {
	spans := make([]span, len(g.nodes))
	for q := range spans {
		spans[q] = span{0, -1}
	}
	spans[g.start] = span{g.regs[r].Init, g.regs[r].Init}
	steps := 64 * (len(g.edges) + 1)
	for work := []int{g.start}; len(work) > 0; {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		for _, i := range out[q] {
			if steps--; steps < 0 {
				return nil
			}
			s, e := spans[q], &g.edges[i]
			switch {
			case e.op != nil:
			case e.cmd.Op == program.Havoc && e.cmd.Reg == r:
				s = span{e.cmd.Lo, e.cmd.Hi}
			case e.cmd.Op == program.Check:
				s = g.where(e.cmd.Value, r, s)
			}
			t := spans[e.to]
			if s.none() || !t.none() && t.lo <= s.lo && s.hi <= t.hi {
				continue
			}
			if !t.none() {
				s = span{min(s.lo, t.lo), max(s.hi, t.hi)}
			}
			spans[e.to] = s
			work = append(work, e.to)
		}
	}
	return spans
}

// where is the part of s, the values of register r, in which e is true; it may be more than that.
func (g *graph) where(e program.Expr, r int, s span) span {
	if !reads(e, r) {
		return s
	}
	regs := make([]program.ValueSet, len(g.regs))
	for i := range regs {
		regs[i] = program.Interval(math.MinInt64, math.MaxInt64)
	}
	regs[r] = program.Interval(s.lo, s.hi)
	if !program.Refine(e, regs) || regs[r].Empty() {
		return span{0, -1}
	}
	return span{regs[r].Min(), regs[r].Max()}
}
