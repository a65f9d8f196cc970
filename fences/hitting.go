package fences

import "slices"

// hitting is a weighted hitting set problem that grows: choose elements of least
// total weight such that every set has one of them, and no forbidden set is
// chosen as a whole. Elements are numbers from 0, weights positive.
type hitting struct {
	weights   []int
	sets      [][]int
	forbidden [][]int
	// above is, by element, those that count as it for what is forbidden; nil: itself.
	above [][]int
	// exclusive is pairs of which one at most is chosen.
	exclusive [][2]int

	best     []int
	bestCost int
	found    bool
}

// solve is an optimal choice in ascending order, or false where there is none.
// Branch and bound: some set that is not hit yet has to be hit by one of its
// elements; sets that share no element each cost at least their cheapest one.
func (h *hitting) solve() ([]int, bool) {
	h.found = false
	h.branch(make([]int8, len(h.weights)), nil, 0)
	slices.Sort(h.best)
	return h.best, h.found
}

// The state of an element in a branch.
const (
	undecided = iota
	chosen
	excluded
)

func (h *hitting) branch(state []int8, picked []int, cost int) {
	for _, f := range h.forbidden {
		if !slices.ContainsFunc(f, func(e int) bool { return !h.counts(state, e) }) {
			return
		}
	}
	for _, x := range h.exclusive {
		if state[x[0]] == chosen && state[x[1]] == chosen {
			return
		}
	}
	// The set with the fewest elements left, and the bound.
	var next []int
	bound := cost
	blocked := map[int]bool{}
	for _, s := range h.sets {
		hit := false
		var left []int
		for _, e := range s {
			hit = hit || state[e] == chosen
			if state[e] == undecided {
				left = append(left, e)
			}
		}
		if hit {
			continue
		}
		if len(left) == 0 {
			return
		}
		if next == nil || len(left) < len(next) {
			next = left
		}
		if !slices.ContainsFunc(left, func(e int) bool { return blocked[e] }) {
			cheapest := h.weights[left[0]]
			for _, e := range left {
				blocked[e] = true
				cheapest = min(cheapest, h.weights[e])
			}
			bound += cheapest
		}
	}
	if h.found && bound >= h.bestCost {
		return
	}
	if next == nil {
		h.best, h.bestCost, h.found = slices.Clone(picked), cost, true
		return
	}
	// Cheap elements first, then those that hit many sets.
	hits := map[int]int{}
	for _, s := range h.sets {
		if !slices.ContainsFunc(s, func(e int) bool { return state[e] == chosen }) {
			for _, e := range s {
				hits[e]++
			}
		}
	}
	slices.SortStableFunc(next, func(a, b int) int {
		if h.weights[a] != h.weights[b] {
			return h.weights[a] - h.weights[b]
		}
		return hits[b] - hits[a]
	})
	for _, e := range next {
		state[e] = chosen
		h.branch(state, append(picked, e), cost+h.weights[e])
		state[e] = excluded
	}
	for _, e := range next {
		state[e] = undecided
	}
}

// counts is whether an element is chosen, or one that counts as it.
func (h *hitting) counts(state []int8, e int) bool {
	return state[e] == chosen || h.above != nil && slices.ContainsFunc(h.above[e], func(o int) bool { return state[o] == chosen })
}
