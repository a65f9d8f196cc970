// Package refine decides programs: it runs the engines, alone or side by side,
// and sees to it that every answer carries its evidence. A program and options
// come in, a [verdict.Result] goes out.
package refine

import (
	"context"
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// An Engine is a way to decide a program.
type Engine string

// The engines.
const (
	// Auto searches under SC first, then runs the others side by side and
	// takes the first conclusive answer.
	Auto Engine = "auto"
	// Explicit searches the states one by one.
	Explicit Engine = "explicit"
	// BMC unrolls the threads and asks a SAT solver.
	BMC Engine = "bmc"
)

// Engines lists the engines.
func Engines() []Engine { return []Engine{Auto, Explicit, BMC} }

// ParseEngine is the engine of that name.
func ParseEngine(name string) (Engine, error) {
	for _, e := range Engines() {
		if string(e) == name {
			return e, nil
		}
	}
	return "", fmt.Errorf("unknown engine %q (known: auto, explicit, bmc)", name)
}

// Options say how to decide. The zero value means TSO, Auto, breadth-first
// search, no bounds, gini.
type Options struct {
	Model  memory.Model
	Engine Engine
	// DepthFirst makes the explicit search depth-first.
	DepthFirst bool
	// NoReduction switches the partial-order reduction of the explicit
	// search off.
	NoReduction bool
	// Unroll bounds how many back edges a thread takes in bmc; 0: raise the
	// bound for as long as it takes.
	Unroll int
	// Buffer bounds the store buffers of the explicit search, in pairs; 0: no
	// bound.
	Buffer int
	// Solver names the SAT back end; "": gini.
	Solver string
	// MemoryLimit bounds what an engine may hold, in bytes; 0: three
	// quarters of what the machine has free.
	MemoryLimit int64
	// Progress, where not nil, is called now and then with a line that says
	// how far the engine is. Calls do not overlap.
	Progress func(line string)

	// relational makes bmc follow the text of the model even where it has a
	// shorter way.
	relational bool
}

func (o Options) withDefaults() Options {
	if o.Model == "" {
		o.Model = memory.TSO
	}
	if o.Engine == "" {
		o.Engine = Auto
	}
	if o.MemoryLimit == 0 {
		o.MemoryLimit = explore.DefaultMemoryLimit()
	}
	return o
}

func (o Options) explore() explore.Options {
	return explore.Options{
		Model:       o.Model,
		DepthFirst:  o.DepthFirst,
		NoReduction: o.NoReduction,
		Buffer:      o.Buffer,
		MemoryLimit: o.MemoryLimit,
		Progress:    o.Progress,
	}
}

// Check decides p. When ctx ends first the result is Unknown and says how far
// the engines got. The error is a [program.Diagnostic] for an input that has no
// meaning, and anything else is an error inside Fencepost.
func Check(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	opts = opts.withDefaults()
	switch opts.Engine {
	case Auto:
		return checkAuto(ctx, p, opts)
	case Explicit:
		return explore.Check(ctx, p, opts.explore())
	case BMC:
		return checkBMC(ctx, p, opts)
	}
	return nil, fmt.Errorf("unknown engine %q", opts.Engine)
}

// FinalStates lists the states in which p can end, each once, in ascending
// order of the memory and then the registers; temporaries are left out of
// consideration and are 0. The result says whether the list is complete
// (Verdict Safe) or not (Unknown, with the reason). Auto means Explicit, or BMC
// where the model is not built in.
func FinalStates(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
	opts = opts.withDefaults()
	if opts.Engine == Auto && !slices.Contains(memory.Models(), opts.Model) {
		opts.Engine = BMC
	}
	switch opts.Engine {
	case Auto, Explicit:
		return explore.FinalStates(ctx, p, opts.explore())
	case BMC:
		return finalStatesBMC(ctx, p, opts)
	}
	return nil, nil, fmt.Errorf("unknown engine %q", opts.Engine)
}
