package verdict

import (
	"io"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Refutation is a formula that an answer rests on: that it has no model has a proof.
type Refutation struct {
	// Program is what the formula stands for: that of the answer or, where that is not to
	// be judged beyond its bounds, [program.Program.Cut] of it.
	Program *program.Program
	Bound   int    // unrollings
	Name    string // a word: "violation" or "unwinding"
	Says    string // what it says that there is no model
	// Assumed says what the literals mean that the formula has as its last clauses, in
	// their order.
	Assumed []string
	Proof   Refuted
}

// Refuted is a formula and the proof that it has no model, as the texts that package
// certify/proof reads.
type Refuted interface {
	// Axioms is how many clauses the formula has, but for lemmas, with those of what is
	// assumed, which come last.
	Axioms() int
	WriteFormula(io.Writer) error
	WriteOrder(io.Writer) error
	WriteDerivation(io.Writer) error
}
