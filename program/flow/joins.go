package flow

import "github.com/fencepost-verifier/fencepost/program"

// Joins is, for every control state of thread i, the first one that every way on comes
// through, where what a branch there decides about is decided: its immediate
// post-dominator. It is -1 where there is none, and everywhere unless p is of the kernel's
// C, in which an access depends on a branch just if it is in an arm of it.
func Joins(p *program.Program, i int) []program.StateID {
	t := p.Threads[i]
	n := len(t.States)
	joins := make([]program.StateID, n)
	for q := range joins {
		joins[q] = -1
	}
	if p.Arch != program.LKMM {
		return joins
	}
	// after[q] is the states that every way from q to an end comes through.
	words := (n + 63) / 64
	after := make([][]uint64, n)
	out := t.Out()
	for q := range after {
		after[q] = make([]uint64, words)
		for w := range after[q] {
			if len(out[q]) > 0 {
				after[q][w] = ^uint64(0)
			}
		}
		after[q][q/64] |= 1 << (q % 64)
	}
	for changed := true; changed; {
		changed = false
		for q := n - 1; q >= 0; q-- {
			if len(out[q]) == 0 {
				continue
			}
			for w := range words {
				all := ^uint64(0)
				for _, e := range out[q] {
					all &= after[t.Edges[e].To][w]
				}
				if w == q/64 {
					all |= 1 << (q % 64)
				}
				if all != after[q][w] {
					after[q][w], changed = all, true
				}
			}
		}
	}
	has := func(q, r int) bool { return after[q][r/64]>>(r%64)&1 != 0 }
	for q := range joins {
		if len(out[q]) < 2 {
			continue
		}
		// The nearest one comes before all others.
		for r := range n {
			if r != q && has(q, r) && (joins[q] < 0 || has(r, int(joins[q]))) && !(joins[q] >= 0 && has(int(joins[q]), r)) {
				joins[q] = program.StateID(r)
			}
		}
	}
	return joins
}
