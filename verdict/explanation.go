package verdict

import (
	"time"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// An Explanation says why a model allows or forbids that a program ends as a
// property asks about: for an exists that its condition holds, for a forall that
// it does not.
type Explanation struct {
	Program  *program.Program
	Model    memory.Model
	Property *program.Property
	// Verdict is IsUnsafe where some execution ends so, IsSafe where none does,
	// and else IsUnknown, with the Reason. Where there is a Reason besides IsSafe, it
	// is why there is no Graph to show.
	Verdict Verdict
	Reason  string
	// Graph is an execution that ends so. For IsSafe it is one that breaks as
	// few rules of the model as any, in as few steps; nil where not even
	// without rules the program ends so.
	Graph *memory.Graph
	// Violations is the rules that Graph breaks: empty for IsUnsafe.
	Violations []memory.Violation
	// Result has the run of the operational semantics that goes with IsUnsafe,
	// for a model that is built in. Else nil.
	Result *Result
	// Candidates is how many executions that end so were looked at.
	Candidates int
	Elapsed    time.Duration
}
