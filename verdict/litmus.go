package verdict

import (
	"time"

	"github.com/fencepost-verifier/fencepost/memory"
)

// A Litmus is what a litmus test came to under one model.
type Litmus struct {
	File string
	// Err says why the test did not run. Then there is nothing else but File and Foreign:
	// that the model is about another architecture than the test.
	Err     error
	Foreign bool

	Name      string
	Kind      string // Allowed, Forbidden or Required
	Condition string
	Model     memory.Model
	Engine    string
	// States is the final states, as herd7 prints them and in its order.
	States []string
	// Positive and Negative are in how many final states the condition holds
	// and in how many it does not. Where Executions is set, executions are
	// counted in place of states, as herd7 does.
	Positive, Negative int
	Executions         bool
	Observation        string // Never, Sometimes or Always
	Ok                 bool   // the test has what its Kind asks for
	// Incomplete says why States need not be all there are. Then Observation
	// and Ok speak of those that were found.
	Incomplete string
	// Differences is how all that differs from what was expected, a line each.
	Differences []string
	// Notes says what of the test does not count, and Flags which flags of the model some
	// execution raises, such as a data race, which is undefined behaviour.
	Notes, Flags []string
	Elapsed      time.Duration
	// Witness is an execution, where one was asked for: one that the test
	// asks about if there is such a one, which Asked says, else any.
	Witness *memory.Graph
	Asked   bool
}

// Verdict is Ok, No, or Unknown.
func (l *Litmus) Verdict() string {
	switch {
	case l.Err != nil || l.Incomplete != "":
		return "Unknown"
	case l.Ok:
		return "Ok"
	}
	return "No"
}
