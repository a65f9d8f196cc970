package verdict

import (
	"time"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// An Apart is what there is to say about the difference of two models: the smallest test
// that tells them apart, or up to which size there is none.
type Apart struct {
	A, B memory.Model
	Arch program.Arch
	// Test is nil where none was found.
	Test *ApartTest
	// Done is the size up to which no test tells them apart, and Size the one that was
	// looked at last.
	Done, Size int
	Tests      int // that were looked at
	// Incomplete says why larger tests were not looked at that were asked for; else empty.
	Incomplete string
	Elapsed    time.Duration
}

// An ApartTest is a test on which two models differ.
type ApartTest struct {
	Name, Cycle   string
	Size, Threads int
	Text          string // as herd7 reads it
	// Outcome is a final state that one of the models allows and the other forbids, as a
	// condition.
	Outcome         string
	Allows, Forbids memory.Model
}
