package fencepost

import (
	"context"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/refine"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An EngineName names an engine: "bmc" or, of a family, "coherence:2".
type EngineName = engine.Name

// Auto is the portfolio of engines.
const Auto = engine.Auto

// An Engine is a way to answer questions.
type Engine = engine.Engine

// An EngineOption is an option that not every engine heeds, by the name of its flag.
type EngineOption = engine.Option

// Options that commands speak of: how many cores an engine may use, and which SAT solver.
const (
	WorkersOption = engine.Workers
	SolverOption  = engine.Solver
)

// A Question is what an engine can be asked.
type Question = verdict.Question

// The questions.
const (
	AskSafety      = verdict.Safety
	AskFinalStates = verdict.FinalStates
	AskRobustness  = verdict.Robustness
	AskRaceFreedom = verdict.RaceFreedom
	AskCount       = verdict.Count
)

// A Refinement is a round of the engine "cegar".
type Refinement = refine.Refinement

// A SpillFile is a file for states that there is no memory for.
type SpillFile = states.SpillFile

// Engines lists the engines, of each family those that lists show.
func Engines() []Engine { return engine.Engines() }

// Families lists the engines, each family once.
func Families() []Engine { return engine.Families() }

// LookupEngine is the engine of that name.
func LookupEngine(name EngineName) (*Engine, error) { return engine.Lookup(name) }

// EngineNames lists the names of the engines of which f is true, each family once, as people are
// told of them.
func EngineNames(f func(*Engine) bool) []string { return engine.Names(f) }

// EnginesTaking lists those that heed an option; there are none where nothing depends on the
// engine.
func EnginesTaking(o EngineOption) []string { return engine.Taking(o) }

// Solvers lists the SAT solvers that there are here and now, the default first.
func Solvers() []string { return solver.Available() }

// TrySolver is nil where the SAT solver of that name can be had.
func TrySolver(name string) error {
	sv, err := solver.New(name)
	if err != nil {
		return err
	}
	return sv.Close()
}

// Because says what has ended ctx, as reasons do: "by the time limit".
func Because(ctx context.Context) string { return verdict.Because(ctx) }

// DefaultMemoryLimit is what an engine may hold, in bytes, where nothing else is said.
func DefaultMemoryLimit() int64 { return states.DefaultMemoryLimit() }
