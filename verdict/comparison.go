package verdict

import (
	"time"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Claim is an answer as far as another can contradict it.
type Claim string

// The claims. Violated and Fault may both be true of a program.
const (
	ClaimsNothing   Claim = "UNKNOWN"
	ClaimsSafe      Claim = "SAFE"
	ClaimsViolated  Claim = "UNSAFE"
	ClaimsFault     Claim = "FAULT"
	ClaimsComplete  Claim = "COMPLETE" // the final states are all there are
	ClaimsRobust    Claim = "ROBUST"
	ClaimsNotRobust Claim = "NOT ROBUST"
)

// A Row is the answer of one engine to one question under one model, in a
// [Comparison].
type Row struct {
	Model    memory.Model
	Engine   string
	Question Question

	Claim    Claim
	Argument string // for a claim that is good news: why; may be empty
	Reason   string // for ClaimsNothing: how far it got
	// Violation is that of ClaimsViolated and of ClaimsFault; may be nil.
	Violation *Violation
	// Finals is the final states that were found, temporaries 0, each once.
	Finals []FinalState
	Stats  []Stat
	// Err is an error inside Fencepost; nothing is claimed then.
	Err     error
	Elapsed time.Duration
	Agrees  Agreement
}

// Stat is the figure of that name, and whether the engine gives it.
func (r *Row) Stat(name string) (int64, bool) {
	for _, s := range r.Stats {
		if s.Name == name {
			return s.Value, true
		}
	}
	return 0, false
}

// An Agreement is how a row stands to the others.
type Agreement uint8

// The agreements.
const (
	// Nothing: the row claims nothing, or nobody else does.
	Nothing Agreement = iota
	// Reference: the first claim of its kind under its model, by explicit search
	// if that has one.
	Reference
	// Agrees: the claim is that of the reference.
	Agrees
	// Differs: the claim contradicts another.
	Differs
)

func (a Agreement) String() string {
	return [...]string{"–", "reference", "agrees", "differs"}[a]
}

// A Comparison is what engines say about one program: by model, by question, and in
// the order of the engines.
type Comparison struct {
	Program *program.Program
	Rows    []Row
	// Contradictions is the rows that cannot all be right.
	Contradictions []Contradiction
	// Stopped is true where the context ended before all engines had their turn.
	Stopped bool
}

// A Contradiction is answers that cannot all be right.
type Contradiction struct {
	Rows []int // indices into the rows, ascending
	Text string
}

// Fault is the diagnostic for a program that can be at fault, or nil.
func (c *Comparison) Fault() *program.Diagnostic {
	for i := range c.Rows {
		if v := c.Rows[i].Violation; c.Rows[i].Claim == ClaimsFault && v != nil {
			return c.Program.Diagnose(v.Pos, v.Text+" can be reached", "")
		}
	}
	return nil
}
