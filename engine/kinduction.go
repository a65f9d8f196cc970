package engine

import "github.com/fencepost-verifier/fencepost/refine"

// KInduction looks for a k for which an abstraction is k-inductive. It chooses the
// abstraction, or it is named, as for IC3.
const KInduction Name = "kinduction"

func kinductionEngine() Engine {
	return inductive(refine.KInduction, "looks for a k for which an abstraction is k-inductive; likewise")
}
