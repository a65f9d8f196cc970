package replay

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// pair is two units of the relation.
type pair struct{ from, to int }

// relate is the relation between events of the last run, of which some have
// several accesses: by event its successors, and an example for every pair.
func (h *Historian) relate() (succ [][]int, via map[pair]verdict.CycleEdge) {
	via = map[pair]verdict.CycleEdge{}
	succ = make([][]int, h.units)
	h.edges(func(i, j int, kind string) {
		p := pair{h.unit[i], h.unit[j]}
		if p.from == p.to {
			return
		}
		if _, ok := via[p]; !ok {
			via[p] = verdict.CycleEdge{From: h.access[i], To: h.access[j], Kind: kind}
			succ[p.from] = append(succ[p.from], p.to)
		}
	})
	return succ, via
}

// Cyclic is whether the happens-before relation of the run that was recorded has a cycle, so
// that no run under SC has the same.
func (h *Historian) Cyclic() bool {
	succ, _ := h.relate()
	before := make([]int, len(succ)) // predecessors that are left
	for _, vs := range succ {
		for _, v := range vs {
			before[v]++
		}
	}
	var work []int
	for u, n := range before {
		if n == 0 {
			work = append(work, u)
		}
	}
	done := 0
	for ; done < len(work); done++ {
		for _, v := range succ[work[done]] {
			if before[v]--; before[v] == 0 {
				work = append(work, v)
			}
		}
	}
	return done < len(succ)
}

// Cycle is a shortest cycle in the happens-before relation of the run that was recorded, or nil
// where there is none.
func (h *Historian) Cycle() []verdict.CycleEdge {
	succ, via := h.relate()
	var best []int
	for start := range succ {
		if path := shortestCycle(succ, start); path != nil && (best == nil || len(path) < len(best)) {
			best = path
		}
	}
	var cycle []verdict.CycleEdge
	for i, u := range best {
		e := via[pair{u, best[(i+1)%len(best)]}]
		if len(cycle) > 0 {
			if last := cycle[len(cycle)-1].To; last != e.From {
				cycle = append(cycle, verdict.CycleEdge{From: last, To: e.From, Kind: h.within(last)})
			}
		}
		cycle = append(cycle, e)
	}
	if len(cycle) > 0 {
		if last := cycle[len(cycle)-1].To; last != cycle[0].From {
			cycle = append(cycle, verdict.CycleEdge{From: last, To: cycle[0].From, Kind: h.within(last)})
		}
	}
	return cycle
}

// within is what the accesses that happen at once with a are to each other: parts of one, or of one block.
func (h *Historian) within(a verdict.Access) string {
	u := h.unit[slices.Index(h.access, a)]
	for i, part := range h.part {
		if part && h.unit[i] == u {
			return "part"
		}
	}
	return "block"
}

// shortestCycle is the nodes of a shortest cycle through start, start first, or
// nil.
func shortestCycle(succ [][]int, start int) []int {
	parent := map[int]int{}
	queue := []int{start}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		for _, v := range succ[u] {
			if v == start {
				path := []int{u}
				for u != start {
					u = parent[u]
					path = append(path, u)
				}
				slices.Reverse(path)
				return path
			}
			if _, ok := parent[v]; !ok {
				parent[v] = u
				queue = append(queue, v)
			}
		}
	}
	return nil
}
