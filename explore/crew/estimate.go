package crew

import "slices"

// An Estimate is how many executions there seem to be, without exploring them: from random walks through the tree, each of which
// multiplies the numbers of children where it goes by (Knuth, "Estimating the efficiency of backtrack programs", 1975). The expectation
// is right, since one path leads to each execution, but the spread may be large.
type Estimate struct {
	Walks int
	// Executions and Blocked are means over the walks, and the quartiles those of
	// executions and blocked ones together.
	Executions, Blocked  float64
	Lower, Median, Upper float64
	// Largest is the part of the sum that the walk with the largest number has: where it is not small,
	// the mean is not to be trusted.
	Largest float64
}

// Estimated sums up walks: what of each counts for executions, and what for others.
func Estimated(walks [][2]float64) *Estimate {
	e := &Estimate{Walks: len(walks)}
	var all []float64
	for _, w := range walks {
		e.Executions += w[0]
		e.Blocked += w[1]
		all = append(all, w[0]+w[1])
	}
	slices.Sort(all)
	sum, k := e.Executions+e.Blocked, float64(len(all))
	e.Executions, e.Blocked = e.Executions/k, e.Blocked/k
	e.Lower, e.Median, e.Upper = all[len(all)/4], all[len(all)/2], all[3*len(all)/4]
	if sum > 0 {
		e.Largest = all[len(all)-1] / sum
	}
	return e
}
