package verdict

import "github.com/fencepost-verifier/fencepost/memory"

// A SavedRun is what a file says of a run: claims, until it is replayed.
type SavedRun struct {
	File     string // the program, as the user named it
	Program  string // its fingerprint, see [program.Fingerprint]; "": not said
	Model    memory.Model
	Property Question // that was asked about, "" for [Safety]
	Text     string   // what it violates; "": not said
	Steps    []SavedStep
}

// A SavedStep is one of its steps.
type SavedStep struct {
	Thread string
	Edge   int // as in [Step]
	Choice int64
	Memory map[string]int64 // after the step
}

// A Moment is where a run that is stepped through stands.
type Moment struct {
	Done, Of int // steps of the saved run; Done is -1 where another step was chosen
	Memory   []Named
	Threads  []ThreadMoment
	Steps    []Possible
	Ends     string // what is violated here; "": nothing
}

// A ThreadMoment is where a thread stands.
type ThreadMoment struct {
	Name, At string
	Regs     []Named
	Buffer   []Named // oldest first
	// Next is the cell that it could load from next, an index; -1: none. Values is what it could
	// read there under each model in a run in which all threads have done and read the same as in
	// this one; nil where nobody has found out.
	Next   int
	Values map[memory.Model][]int64
}

// A Possible is a step that is enabled.
type Possible struct {
	Thread, Text string
	Saved        bool // the saved run goes on with it
}

// A Named is a value and whose it is.
type Named struct {
	Name  string
	Value int64
}
