package program

import "math/bits"

// Live adds to the sets, one a control state, the registers that some command reads later
// before one writes it, and those of the sets that are so: what is live for its own sake.
func (t *Thread) Live(live []RegSet) {
	memory := make([]int, len(t.States)+1+len(t.Edges))
	first, in := memory[:len(t.States)+1], memory[len(t.States)+1:] // the edges to q are in[first[q]:first[q+1]]
	for i := range t.Edges {
		first[t.Edges[i].To]++
	}
	end := 0
	for q, n := range first {
		end += n
		first[q] = end
	}
	for i := len(t.Edges) - 1; i >= 0; i-- {
		to := t.Edges[i].To
		first[to]--
		in[first[to]] = i
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
		for _, i := range in[first[q]:first[q+1]] {
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

// members adds the registers of the set to rs.
func (s RegSet) members(rs []int) []int {
	for w, x := range s {
		for ; x != 0; x &= x - 1 {
			rs = append(rs, 64*w+bits.TrailingZeros64(x))
		}
	}
	return rs
}
