package program

import "math/bits"

// Live adds to the sets, one a control state, the registers that some command reads later
// before one writes it, and those of the sets that are so: what is live for its own sake.
func (t *Thread) Live(live []RegSet) {
	in := make([][]int, len(t.States))
	for i := range t.Edges {
		in[t.Edges[i].To] = append(in[t.Edges[i].To], i)
	}
	queued := make([]bool, len(t.States))
	work := make([]StateID, len(t.States))
	for q := range t.States {
		work[q], queued[q] = StateID(q), true
	}
	before := NewRegSet(len(t.Regs))
	for len(work) > 0 {
		q := work[len(work)-1]
		work, queued[q] = work[:len(work)-1], false
		for _, i := range in[q] {
			e := &t.Edges[i]
			copy(before, live[q])
			e.Cmd.Writes(before.Remove)
			e.Cmd.Reads(before.Add)
			if live[e.From].Union(before) && !queued[e.From] {
				work, queued[e.From] = append(work, e.From), true
			}
		}
	}
}

// members are the registers of the set.
func (s RegSet) members() []int {
	var rs []int
	for w, x := range s {
		for ; x != 0; x &= x - 1 {
			rs = append(rs, 64*w+bits.TrailingZeros64(x))
		}
	}
	return rs
}
