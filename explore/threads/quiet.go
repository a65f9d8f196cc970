package threads

import "github.com/fencepost-verifier/fencepost/program"

// A loop that does more than to wait may have rounds that change nothing: who takes from a queue that is
// empty has looked at it, and tries again. A thread that comes to the head of a loop with all as it was when it was there
// before, and has stored nothing since, could do without the round in between. What it has read there orders it after
// others and orders nobody else, so that a graph without these reads is one that the model allows if the graph with
// them is, and goes on in the same way. So the thread stands there as in a loop that only
// waits (compare "saturation" of spinning reads: Kokologiannakis, Ren, Vafeiadis, "Dynamic partial order reductions for spinloops",
// FMCAD 2021; here nothing is decided before the round has been gone).
//
// Nor does it change anything to store to a cell that nobody else accesses what is there already, as who keeps a copy of an index that
// others move: what has been read of such a store can be read of the one before. Additions do count, which may be left without an order (trust/additions.go).
//
// A round in which the thread has chosen is none of these: the next time it may choose something else.

// findHeads finds what is live at the heads of loops.
func (t *Thread) findHeads(live []program.RegSet) {
	t.heads = make([][]int32, len(t.States))
	for e := range t.Edges {
		if q := t.Edges[e].To; t.Loops.Back[e] && !t.Loops.Wait[e] && t.heads[q] == nil {
			regs := []int32{}
			for r := range t.Regs {
				if live[q].Has(r) {
					regs = append(regs, int32(r))
				}
			}
			t.heads[q] = regs
		}
	}
}

// again is whether the thread has been at this head of a loop, with the same in all registers that are live there, and
// has changed nothing since. What s.quiet has of each head it has come to since then is the control state and these registers.
func (t *Thread) again(s *State) bool {
	regs := t.heads[s.PC]
	if regs == nil || s.Open() {
		return false
	}
	for i := 0; i < len(s.quiet); {
		q := program.StateID(s.quiet[i])
		n := len(t.heads[q])
		if q != s.PC {
			i += 1 + n
			continue
		}
		was, same := s.quiet[i+1:i+1+n], true
		for k, r := range regs {
			same = same && was[k] == s.Regs[r]
			was[k] = s.Regs[r]
		}
		return same
	}
	s.quiet = append(s.quiet, int64(s.PC))
	for _, r := range regs {
		s.quiet = append(s.quiet, s.Regs[r])
	}
	return false
}

// keeps is whether the thread stores to a cell of its own what it has stored there before. A read-modify-write does not, whatever it
// stores, but is what has been stored last.
func (t *Thread) keeps(s *State, stop *Stop) bool {
	if !t.Quiet || stop.Kind != Store || stop.Cell < 0 || t.ranges.Private(int(stop.Cell)) != t.Index {
		return false
	}
	for i := 0; i < len(s.own); i += 2 {
		if s.own[i] == int64(stop.Cell) {
			same := s.own[i+1] == stop.Value && !stop.Half
			s.own[i+1] = stop.Value
			return same
		}
	}
	s.own = append(s.own, int64(stop.Cell), stop.Value)
	return false
}
