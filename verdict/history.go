package verdict

import "github.com/fencepost-verifier/fencepost/memory"

// A History is what the steps of a run have to do with one another: its events as an execution
// graph, and where they are among the steps.
type History struct {
	// Graph has the accesses and fences of the run, initial writes first. A store that is
	// still in a buffer at the end comes last in coherence.
	Graph *memory.Graph
	Step  []int // by event: the step that it is part of; -1 for an initial write
	// Flush is, by event, the step with which a write comes to memory, which is its own
	// where it goes there at once; -1 for what stays in the buffer, and for what is no write
	// of the run.
	Flush []int
	// Parts is the step from which on no run under SC has done the same: the happens-before
	// relation of what has happened has a cycle there, and before it has none. -1: a run
	// under SC does the same to the end.
	Parts int
	// Cycle is a shortest cycle at that step.
	Cycle []memory.Step
}
