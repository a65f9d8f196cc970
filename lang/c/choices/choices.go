// Package choices says which of the values that a program chooses freely have to be tried: a program and what its values can be
// go in, and [Choice]s of fewer values come out, after which there are no other verdicts. What is compared within a thread
// package flowgraph knows of; here are choices that are computed with (thresholds.go), and such that get into memory (independence.go).
package choices

import "github.com/fencepost-verifier/fencepost/program"

// A Choice is an edge at which a thread chooses, and values that are enough for it to choose from.
type Choice struct {
	Thread, Edge int
	Values       []int64 // they ascend
}

// manyValues is how many values of a choice are too many to try, or to list final states of.
const manyValues = 1 << 10

// Wide is true of a choice of so many values that it is looked at.
func Wide(c *program.Command) bool {
	return c.Op == program.Havoc && uint64(c.Hi)-uint64(c.Lo) >= manyValues
}
