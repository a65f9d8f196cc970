// Package refine decides programs under TSO by refining what it takes for one: abstractions of
// the store buffers, which grow finer where a counterexample asks for it ([CEGAR],
// [Inductive]), and search under SC in a program into which the buffering that matters is
// written ([Lazy]). Beside them is the abstraction, under any of the models with store buffers, from values that do not matter ([Localize]). A program and options come in, a [verdict.Result] goes out.
package refine

import (
	"math"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Options say how to refine.
type Options struct {
	// MemoryLimit bounds what a search may hold, in bytes; 0: three quarters of what
	// the machine has free.
	MemoryLimit int64
	// Budget, where not nil, is what the searches share with others, in the place of
	// MemoryLimit.
	Budget *states.Budget
	// Progress, where not nil, is called now and then with a line that says how far
	// it is.
	Progress func(line string)
	// Refined, where not nil, is told every round of [CEGAR].
	Refined func(*Refinement)
	// Solver names the SAT back end of [Inductive]; "": our own.
	Solver string
	// Oracle is that of [Lazy]; nil: [NewRobustnessOracle].
	Oracle Oracle
	// UnderSC, where not nil, is the answer of a search of the program under SC, which
	// [Lazy] then does not begin again.
	UnderSC *verdict.Result
}

// explore is options for a search of states, under TSO or with other buffers in the
// place of its.
func (o Options) explore(b abstract.Buffer) explore.Options {
	x := explore.Options{Model: memory.TSO, Abstraction: b, MemoryLimit: o.MemoryLimit, Budget: o.Budget, Progress: o.Progress}
	if o.Budget != nil {
		x.MemoryLimit = math.MaxInt64
	}
	return x
}

// unknown is an answer that is none.
func unknown(p *program.Program, m memory.Model, reason, advice string) *verdict.Result {
	r := verdict.Unknown(p, m, reason)
	r.Advice = advice
	return r
}
