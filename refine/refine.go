// Package refine decides programs: it runs the engines, alone or side by side,
// and sees to it that every answer carries its evidence. A program and options
// come in, a [verdict.Result] goes out.
package refine

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
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
	// Set searches the set abstraction of TSO, as Coherence does those of
	// partial coherence.
	Set Engine = "set"
	// Multiset decides the multiset abstraction of TSO.
	Multiset Engine = "multiset"
	// CEGAR refines abstractions of TSO until one is a proof or its
	// counterexample a run of the program.
	CEGAR Engine = "cegar"
	// IC3 looks for an inductive invariant of an abstraction. It chooses the
	// abstraction, or it is named as in "ic3:set".
	IC3 Engine = "ic3"
	// KInduction looks for a k for which an abstraction is k-inductive,
	// likewise.
	KInduction Engine = "kinduction"
	// Saturation computes the set of reachable states as a decision diagram,
	// of the store buffers of TSO or of an abstraction, which may be named.
	Saturation Engine = "saturation"
	// Lazy is lazy TSO reachability: search under SC in a program into which
	// the buffering that matters is written.
	Lazy Engine = "lazy"
)

// Coherence is the engine "coherence:K", which searches the partial coherence
// abstraction of TSO with queues of k stores.
func Coherence(k int) Engine { return Engine(abstract.Name(abstract.Coherence{K: k})) }

// coherence is the k of such an engine.
func (e Engine) coherence() (k int, ok bool) {
	b, err := abstract.ParseBuffer(string(e))
	c, ok := b.(abstract.Coherence)
	return c.K, ok && err == nil
}

// Engines lists the engines, of those of the partial coherence abstractions the
// first few.
func Engines() []Engine {
	return []Engine{Auto, Explicit, BMC, Lazy, IC3, KInduction, Saturation, CEGAR, Multiset, Set, Coherence(1), Coherence(2), Coherence(3), Coherence(4)}
}

// ParseEngine is the engine of that name.
func ParseEngine(name string) (Engine, error) {
	for _, e := range Engines() {
		if string(e) == name {
			return e, nil
		}
	}
	if k, ok := Engine(name).coherence(); ok {
		return Coherence(k), nil
	}
	if _, _, ok := Engine(name).symbolic(); ok {
		return Engine(name), nil
	}
	return "", fmt.Errorf("unknown engine %q (known: auto, explicit, bmc, lazy, ic3, kinduction, saturation, cegar, multiset, set, coherence:K, and ic3:, kinduction: or saturation: with none, set or coherence:K)", name)
}

// Options say how to decide. The zero value means TSO, Auto, breadth-first
// search, no bounds, gini.
type Options struct {
	Model  memory.Model
	Engine Engine
	// DepthFirst makes the explicit search depth-first.
	DepthFirst bool
	// Reduction is the partial-order reduction of the explicit search; "" is
	// its default.
	Reduction explore.Reduction
	// Symmetry makes the explicit search make use of threads that are alike.
	Symmetry bool
	// Workers is how many cores the engine Explicit uses, where nothing else is
	// at work beside it; 0: all.
	Workers int
	// Compact makes that engine store fingerprints, and Spill gives it files
	// for states; see [explore.Options].
	Compact bool
	Spill   func() (explore.SpillFile, error)
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
	// Refined, where not nil, is told every round of [CheckCEGAR]. Calls do
	// not overlap.
	Refined func(*Refinement)

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
		Reduction:   o.Reduction,
		Symmetry:    o.Symmetry,
		Buffer:      o.Buffer,
		MemoryLimit: o.MemoryLimit,
		Progress:    o.Progress,
	}
}

// alone is for an explicit search that has the machine to itself.
func (o Options) alone() explore.Options {
	x := o.explore()
	x.Workers, x.Compact, x.Spill = o.Workers, o.Compact, o.Spill
	if x.Workers == 0 {
		x.Workers = runtime.GOMAXPROCS(0)
	}
	return x
}

// Check decides p. When ctx ends first the result is Unknown and says how far
// the engines got. The error is a [program.Diagnostic] for an input that has no
// meaning, and anything else is an error inside Fencepost.
func Check(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	opts = opts.withDefaults()
	_, coherent := opts.Engine.coherence()
	if opts.Model != memory.TSO && (coherent || slices.Contains([]Engine{CEGAR, Multiset, Set}, opts.Engine)) {
		return unknown(p, opts, "the abstractions are of the store buffers of tso", "another engine"), nil
	}
	if opts.Engine == Explicit && !slices.Contains(memory.Models(), opts.Model) {
		return graphsOnly(p, opts), nil
	}
	switch opts.Engine {
	case Auto:
		return checkAuto(ctx, p, opts)
	case Explicit:
		return explore.Check(ctx, p, opts.alone())
	case BMC:
		return checkBMC(ctx, p, opts)
	case CEGAR:
		return CheckCEGAR(ctx, p, opts)
	case Lazy:
		return CheckLazy(ctx, p, opts)
	case Multiset:
		return explore.CheckMultiset(ctx, p, opts.explore())
	case Set:
		return checkAbstraction(ctx, p, opts, abstract.Set{})
	}
	if method, _, ok := opts.Engine.symbolic(); ok {
		if method == Saturation {
			return checkSaturation(ctx, p, opts)
		}
		return checkSymbolic(ctx, p, opts)
	}
	if k, ok := opts.Engine.coherence(); ok {
		return checkAbstraction(ctx, p, opts, abstract.Coherence{K: k})
	}
	return nil, fmt.Errorf("unknown engine %q", opts.Engine)
}

// graphsOnly is what the explicit engine has to say under a model that is given by
// a text.
func graphsOnly(p *program.Program, opts Options) *verdict.Result {
	return unknown(p, opts, "the model speaks of graphs: it has no states to search", "--engine bmc")
}

// unknown is an answer of the engine in opts that is none.
func unknown(p *program.Program, opts Options, reason, advice string) *verdict.Result {
	r := verdict.Unknown(p, opts.Model, reason)
	r.Engine, r.Advice = string(opts.Engine), advice
	return r
}

// checkAbstraction searches one abstraction.
func checkAbstraction(ctx context.Context, p *program.Program, opts Options, b abstract.Buffer) (*verdict.Result, error) {
	o := opts.explore()
	o.Abstraction, o.Buffer = b, 0
	r, err := explore.Check(ctx, p, o)
	if err != nil {
		return nil, err
	}
	r.Engine = string(opts.Engine)
	return r, nil
}

// FinalStates lists the states in which p can end, each once, in ascending
// order of the memory and then the registers; temporaries are left out of
// consideration and are 0. The result says whether the list is complete
// (Verdict Safe) or not (Unknown, with the reason). Auto means Explicit, or BMC
// where the model is not built in.
func FinalStates(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
	opts = opts.withDefaults()
	if !slices.Contains(memory.Models(), opts.Model) {
		switch opts.Engine {
		case Auto:
			opts.Engine = BMC
		case Explicit:
			return nil, graphsOnly(p, opts), nil
		}
	}
	switch opts.Engine {
	case Auto, Explicit:
		return explore.FinalStates(ctx, p, opts.alone())
	case BMC:
		return finalStatesBMC(ctx, p, opts)
	}
	if _, err := ParseEngine(string(opts.Engine)); err != nil {
		return nil, nil, err
	}
	return nil, unknown(p, opts, fmt.Sprintf("the engine %s does not list final states", opts.Engine), "explicit or bmc"), nil
}
