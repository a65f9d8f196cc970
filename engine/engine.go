// Package engine has every way to answer a question about a program, behind one interface:
// an [Engine] says what it is called, which questions it answers under which models, which
// options it heeds, and how to run it with these and a budget, which is the context and
// [Options.MemoryLimit].
//
// Each engine is a file of its own here, named after it, and a line in [registry]; what it
// does is the business of the room that it calls. From the registry come the names on the
// command line, the comparison of all engines, the members of the portfolio ([Auto]) and the
// table in docs/engines.md.
//
// A program and options go in ([Check], [FinalStates], [Robust]), and answers with their
// evidence come out.
package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/explore/trust"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/refine"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Name names an engine: "bmc" or, of a family, "coherence:2".
type Name string

// An Engine is a way to answer questions about programs.
type Engine struct {
	Name Name
	Doc  string // what it does, in a few words
	// Family is not nil for engines that have a parameter in their names.
	Family *Family
	// Models is whether the engine is for a model.
	Models func(memory.Model) bool
	// Wide is whether it knows accesses of several cells under a model; nil: under SC, and whoever judges by axioms.
	Wide func(memory.Model) bool
	// Options are those that the engine heeds, beside the model, the memory limit
	// and Progress.
	Options []Option
	// Certificates is whether a proof under a model can be written down; nil: none
	// can. Some proofs of such an engine cannot all the same.
	Certificates func(memory.Model) bool
	// Weight is the engine's part of the processors when the portfolio is at work on
	// a program of that shape, and the engine is so far; 0 at first, or nil: it does not
	// take part.
	Weight func(s *Shape, w Work) float64

	// How it answers the questions; nil: it does not. When ctx ends first the result
	// is Unknown and says how far it got. An error is a [program.Diagnostic] for an
	// input that has no meaning, and anything else is an error inside Fencepost.
	Check       func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error)
	FinalStates func(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error)
	Robust      func(ctx context.Context, p *program.Program, opts Options) (*verdict.RobustResult, error)
	Count       *Counting
}

// Work is how far a member of the portfolio is.
type Work struct {
	Time time.Duration // that it has worked
	// Leads is whether what the others find waits for it.
	Leads bool
	// Ahead is whether the engine has told that what most often keeps it from an answer is behind it.
	Ahead bool
}

// A Family is engines whose names have a parameter behind a colon.
type Family struct {
	Param  string   // what it is, such as "K"
	Listed []string // parameters that lists show
	Bare   bool     // the name without a parameter is an engine, too
	// Of is the engine with that parameter, if there is one.
	Of func(param string) (Engine, bool)
}

// A Counting is how an engine explores all that there is, even where nothing could be
// violated, and counts.
type Counting struct {
	What string // "states" or "executions": what it meets once
	By   string // the name of its reduction
	Run  func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error)
	// Estimate tells how many there seem to be, without exploring them; nil: it cannot. The
	// estimate is nil where nothing is known, and the result says why.
	Estimate func(ctx context.Context, p *program.Program, opts Options) (*trust.Estimate, *verdict.Result, error)
}

// An Option is one of [Options], by the name of its flag.
type Option string

// The options that not every engine heeds.
const (
	Order     Option = "search"
	Reduction Option = "por"
	Symmetry  Option = "symmetry"
	Workers   Option = "jobs"
	Compact   Option = "compact"
	Spill     Option = "spill"
	Buffer    Option = "buffer"
	Live      Option = "live"
	MaxEvents Option = "events"
	Unroll    Option = "unroll"
	Solver    Option = "solver"
	Refined   Option = "verbose"
	Proofs    Option = "proof"
	Estimate  Option = "estimate"

	Equivalence Option = "equivalence"
	Commute     Option = "commute"
)

// Options say how to answer. The zero value means TSO, Auto, breadth-first
// search, no bounds, our own SAT solver.
type Options struct {
	Model  memory.Model
	Engine Name
	// DepthFirst makes the explicit search depth-first.
	DepthFirst bool
	// Reduction is the partial-order reduction of the explicit search; "" is
	// its default.
	Reduction explore.Reduction
	// Symmetry makes the explicit search, or that through graphs, make use of threads that are alike.
	Symmetry bool
	// Workers is how many cores the explicit search, that through graphs, or the SAT solver of bmc uses, where
	// nothing else is at work beside it; 0: all (bmc: four at most).
	Workers int
	// Compact makes it store fingerprints, and Spill gives it files for states; see
	// [explore.Options].
	Compact bool
	Spill   func() (states.SpillFile, error)
	// NoLive makes it keep the values of dead registers.
	NoLive bool
	// Buffer bounds its store buffers, in pairs; 0: no bound.
	Buffer int
	// MaxEvents bounds executions, in steps; 0: [traces.DefaultMaxEvents].
	MaxEvents int
	// Unroll bounds how many back edges a thread takes in bmc; 0: raise the
	// bound for as long as it takes.
	Unroll int
	// AnyCoherence counts executions up to what reads from what, and not up to the order of
	// stores to one cell as well (graphs).
	AnyCoherence bool
	// Commute counts executions once that differ in nothing but the order of additions whose results nobody
	// reads (graphs).
	Commute bool
	// Solver names the SAT back end; "": our own.
	Solver string
	// Observed lets FinalStates list one state of all that differ in nothing that the program
	// observes, and none that its filter does not let pass (bmc).
	Observed bool
	// Proofs makes an answer carry the formulas that it rests on, with proofs that they have
	// no model; see [verdict.Effort].
	Proofs bool
	// MemoryLimit bounds what an engine may hold, in bytes; 0: three
	// quarters of what the machine has free.
	MemoryLimit int64
	// Budget, where not nil, is the part of an engine's memory that the portfolio can
	// change while it works: the limit of those that know of it, in the place of MemoryLimit.
	Budget *states.Budget
	// Progress, where not nil, is called now and then with a line that says
	// how far the engine is. Calls do not overlap.
	Progress func(line string)
	// Certify makes the portfolio prefer proofs that can be written down.
	Certify bool
	// Refined, where not nil, is told every round of the engine CEGAR. Calls do
	// not overlap.
	Refined func(*refine.Refinement)

	// Bounds on graphs, and along dependencies on the events of all parts of them, in the beginning of the portfolio's work.
	maxGraphs, maxEvents int64
	// At so many states an explicit search tells the portfolio, each time, and goes on.
	milestones []int64
	reached    func()
	// An engine tells the portfolio that it is ahead, as [Work] has it, and on how many processors it
	// goes on; 0: it is not. nil: nobody wants to know.
	ahead func(processors int)
	// symmetric is whether searches make use of threads that are alike, where Symmetry does not say so.
	symmetric explore.Symmetric
}

// WithDefaults is what the functions of an [Engine] are to be given.
func (o Options) WithDefaults() Options {
	o.Model = cmp.Or(o.Model, memory.TSO)
	o.Engine = cmp.Or(o.Engine, Auto)
	if o.MemoryLimit == 0 { // to ask the machine takes as long as a small search
		o.MemoryLimit = states.DefaultMemoryLimit()
	}
	return o
}

// explore is for a search beside others.
func (o Options) explore() explore.Options {
	x := explore.Options{
		Model:       o.Model,
		DepthFirst:  o.DepthFirst,
		Reduction:   o.Reduction,
		Symmetry:    o.symmetric,
		NoLive:      o.NoLive,
		Buffer:      o.Buffer,
		MemoryLimit: o.MemoryLimit,
		Progress:    o.Progress,
		Budget:      o.Budget,
		Milestones:  o.milestones,
		Reached:     o.reached,
	}
	if o.Symmetry {
		x.Symmetry = explore.Symmetry
	}
	if o.Budget != nil {
		x.MemoryLimit = math.MaxInt64
	}
	return x
}

// alone is for a search that has the machine to itself.
func (o Options) alone() explore.Options {
	x := o.explore()
	x.Workers, x.Compact, x.Spill = cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), o.Compact, o.Spill
	return x
}

// everywhere is true of models that judge executions one by one, by axioms.
func everywhere(m memory.Model) bool { return !m.Certifies() }
func always(memory.Model) bool       { return true }
func builtin(m memory.Model) bool    { return m.Operational() }
func tso(m memory.Model) bool        { return m == memory.TSO }
func scTSO(m memory.Model) bool      { return m == memory.SC || m == memory.TSO }

// Engines lists the engines, of each family those that lists show.
func Engines() []Engine {
	var all []Engine
	for _, e := range registry() {
		if e.Family == nil || e.Family.Bare {
			all = append(all, e)
		}
		if e.Family != nil {
			for _, param := range e.Family.Listed {
				if member, ok := e.Family.Of(param); ok {
					all = append(all, member)
				}
			}
		}
	}
	return all
}

// Families lists the engines, each family once.
func Families() []Engine { return slices.Clone(registry()) }

// Names lists the engines of which f is true, each family once, as people are told of
// them.
func Names(f func(*Engine) bool) (names []string) {
	for _, e := range registry() {
		if f(&e) {
			names = append(names, e.Title())
		}
	}
	return names
}

// For lists the engines that answer q under m, likewise.
func For(q verdict.Question, m memory.Model) []string {
	return Names(func(e *Engine) bool { return e.Answers(q, m) })
}

// Taking lists those that heed an option; there are none where nothing depends on the
// engine.
func Taking(o Option) []string {
	return Names(func(e *Engine) bool { return e.Takes(o) })
}

// Lookup is the engine of that name.
func Lookup(name Name) (*Engine, error) {
	for _, e := range registry() {
		if e.Name == name && (e.Family == nil || e.Family.Bare) {
			return &e, nil
		}
		if param, ok := strings.CutPrefix(string(name), string(e.Name)+":"); ok && e.Family != nil {
			if member, ok := e.Family.Of(param); ok {
				return &member, nil
			}
		}
	}
	return nil, fmt.Errorf("unknown engine %q", name)
}

// Title is the name as people are told of it: "bmc", "coherence:K".
func (e *Engine) Title() string {
	if e.Family == nil || e.Family.Bare {
		return string(e.Name)
	}
	return fmt.Sprintf("%s:%s", e.Name, e.Family.Param)
}

// asked says what a question is about, in messages.
var asked = map[verdict.Question]string{
	verdict.Safety:      "decide properties",
	verdict.FinalStates: "list final states",
	verdict.Robustness:  "decide robustness",
	verdict.Count:       "count states or executions",
}

// Knows is whether the engine answers q, under some model.
func (e *Engine) Knows(q verdict.Question) bool {
	switch q {
	case verdict.Safety:
		return e.Check != nil
	case verdict.FinalStates:
		return e.FinalStates != nil
	case verdict.Robustness:
		return e.Robust != nil
	case verdict.Count:
		return e.Count != nil
	}
	return false
}

// Answers is whether the engine answers q under m. Robustness is against TSO.
func (e *Engine) Answers(q verdict.Question, m memory.Model) bool {
	return e.Knows(q) && e.Models(m) && (q != verdict.Robustness || m == memory.TSO)
}

// Takes is whether the engine heeds an option; the portfolio, those of its members.
func (e *Engine) Takes(o Option) bool {
	return e.some(func(e *Engine) bool { return slices.Contains(e.Options, o) })
}

// Certifies is whether some proof under m can be written down.
func (e *Engine) Certifies(m memory.Model) bool {
	return e.some(func(e *Engine) bool { return e.Certificates != nil && e.Certificates(m) })
}

// some is whether f is true of the engine or, of the portfolio, of some member.
func (e *Engine) some(f func(*Engine) bool) bool {
	if e.Name != Auto {
		return f(e)
	}
	return slices.ContainsFunc(registry(), func(m Engine) bool { return m.Weight != nil && f(&m) })
}

// Refusal is why the engine does not answer q under m; nil where it does.
func (e *Engine) Refusal(q verdict.Question, m memory.Model) error {
	switch {
	case e.Answers(q, m):
		return nil
	case !e.Knows(q):
		return fmt.Errorf("%s does not %s; there are %s", e.Name, asked[q], strings.Join(For(q, m), ", "))
	}
	return fmt.Errorf("%s is not for the memory model %s; there are %s", e.Name, m, strings.Join(For(q, m), ", "))
}

// AxiomsOnly is whether only the axioms of m tell what p does: m has no operational
// semantics, or p has instructions that it does not know.
func AxiomsOnly(p *program.Program, m memory.Model) bool {
	switch {
	case !builtin(m):
		return true
	case p.Arch == program.X86:
		_, whole := p.Joined()
		return !whole
	}
	return m != memory.SC || p.Exclusives() || p.Parts()
}

// judges is true of an engine that takes any model, by its axioms.
func (e *Engine) judges() bool { return e.Models != nil && e.Models("any.cat") }

// joins is whether the engine knows accesses of several cells under m. Under SC they are atomic blocks.
func (e *Engine) joins(m memory.Model) bool {
	return e.judges() || m == memory.SC || e.Wide != nil && e.Wide(m)
}

// Sees is p as the engine takes it: who goes through states takes accesses of several cells as one step.
func (e *Engine) Sees(p *program.Program) *program.Program {
	switch {
	case !p.Wide():
	case e.judges():
		p = p.Separated()
	default:
		p, _ = p.Joined()
	}
	return p
}

// Refuses is why the engine does not answer q about p under m; nil where it does.
func (e *Engine) Refuses(p *program.Program, q verdict.Question, m memory.Model) error {
	err := e.Refusal(q, m)
	if err == nil && !AxiomsOnly(p, m) && p.Wide() {
		able := Names(func(e *Engine) bool { return e.Answers(q, m) && e.joins(m) })
		switch {
		case q == verdict.Robustness:
			return fmt.Errorf("%s does not know %s", e.Name, several)
		case !e.joins(m):
			return fmt.Errorf("%s does not know %s under the memory model %s; there are %s", e.Name, several, m, strings.Join(able, ", "))
		}
	}
	if err == nil && AxiomsOnly(p, m) && (q == verdict.Robustness || !e.Models("any.cat")) {
		others := For(q, "any.cat")
		if q == verdict.Robustness || len(others) == 0 { // which is against TSO
			return fmt.Errorf("%s does not know %s", e.Name, unknownTo(p))
		}
		err = fmt.Errorf("%s does not know %s under the memory model %s; there are %s", e.Name, unknownTo(p), m, strings.Join(others, ", "))
	}
	return err
}

// several is what programs have in which accesses of several sizes meet, in messages.
const several = "accesses of several sizes to one cell"

// unknownTo is what of p engines with store buffers do not know.
func unknownTo(p *program.Program) string {
	if p.Arch == program.X86 {
		return several
	}
	return fmt.Sprintf("the instructions of %s", p.Arch)
}

// unknown is an answer of the engine that is none.
func (e *Engine) unknown(p *program.Program, m memory.Model, why error) *verdict.Result {
	r := verdict.Unknown(p, m, why.Error())
	r.Engine = string(e.Name)
	return r
}

// Check decides the properties of p. When ctx ends first the result is Unknown and
// says how far the engines got. The error is a [program.Diagnostic] for an input that
// has no meaning, and anything else is an error inside Fencepost.
func Check(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	opts.Model = cmp.Or(opts.Model, memory.Default(p.Arch))
	opts = opts.WithDefaults()
	e, err := Lookup(opts.Engine)
	if err != nil {
		return nil, err
	}
	if err := opts.Model.Takes(p); err != nil {
		return nil, err
	}
	if err := e.Refuses(p, verdict.Safety, opts.Model); err != nil {
		return e.unknown(p, opts.Model, err), nil
	}
	r, err := e.upToBounds(ctx, e.Sees(p), opts)
	if err != nil {
		return nil, err
	}
	if e.Name != Auto { // it says who found the answer
		r.Engine = string(e.Name)
	}
	if r.Safe() && p.Arch == program.C11 && (opts.Model == memory.RC11 || opts.Model == memory.RA || opts.Model.Certifies()) {
		note := fmt.Sprintf("with a data race a program has no meaning under %s; --property race looks for them", opts.Model)
		if !slices.Contains(r.Notes, note) { // the portfolio asks again
			r.Notes = append(r.Notes, note)
		}
	}
	advise(r, verdict.Safety, opts.Model)
	return unhanging(ctx, p, opts, r)
}

// decide is Check, with UNKNOWN for programs that are nothing for the engine.
func (e *Engine) decide(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	r, err := e.Check(ctx, p, opts)
	var d *program.Diagnostic
	if errors.Is(err, program.ErrOutcomes) && errors.As(err, &d) {
		r = verdict.Unknown(p, opts.Model, fmt.Sprintf("line %d: %s", d.Pos.Line, d.Msg))
		r.Advice = d.Hint
		r.Instead.Engines = []string{string(BMC)}
		return r, nil
	}
	return r, err
}

// upToBounds looks for violations where p ends at its bounds, and, where there are
// none, whether a bound can be met at all.
func (e *Engine) upToBounds(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	check := func(p *program.Program) (*verdict.Result, error) { return e.decide(program.Sharing(ctx, p), p, opts) }
	if !p.HasBounds() {
		return check(p)
	}
	first, err := check(p.Cut())
	if err != nil || !first.Safe() {
		return first, err
	}
	second, err := check(p)
	if err != nil || second.Safe() {
		return second, err
	}
	r := verdict.Unknown(p, opts.Model, "no violation up to a bound of what is modelled: "+second.Reason())
	r.Effort = second.Effort
	if v := second.Violation(); v != nil && v.Kind == program.Bound {
		r = verdict.Unknown(p, opts.Model, "no violation up to a bound: "+v.Text)
		// What is said of the run that meets the bound is not about this answer.
		r.Effort = second.Effort
		r.Instead = verdict.Instead{}
		if moves(v.Text) {
			r.Advice = "a higher bound, by --unroll"
		}
	}
	r.Refutations = first.Refutations
	return r, nil
}

// moves is whether --unroll moves the bound that text is about, and not what is not modelled, or is so large that it is one however high that is.
func moves(text string) bool {
	return !strings.Contains(text, "not modelled") && !strings.Contains(text, "leaves it open") && !strings.Contains(text, "too large")
}

// errSampled is why there is no list of final states.
var errSampled = errors.New("there are more than 1,000 values that a free choice can put into memory")

// FinalStates lists the states in which p can end, each once, in ascending
// order of the memory and then the registers; temporaries are left out of
// consideration and are 0. The result says whether the list is complete
// (Verdict Safe) or not (Unknown, with the reason).
func FinalStates(ctx context.Context, p *program.Program, opts Options) ([]verdict.FinalState, *verdict.Result, error) {
	opts.Model = cmp.Or(opts.Model, memory.Default(p.Arch))
	opts = opts.WithDefaults()
	e, err := Lookup(opts.Engine)
	if err != nil {
		return nil, nil, err
	}
	if err := opts.Model.Takes(p); err != nil {
		return nil, nil, err
	}
	if err := e.Refuses(p, verdict.FinalStates, opts.Model); err != nil {
		return nil, e.unknown(p, opts.Model, err), nil
	}
	if p.Sampled {
		return nil, e.unknown(p, opts.Model, errSampled), nil
	}
	ctx = program.Sharing(ctx, p)
	if r := endless(ctx, p, opts.Model); r != nil {
		r.Engine = string(e.Name)
		return nil, r, nil
	}
	states, r, err := e.FinalStates(ctx, e.Sees(p), opts)
	if err != nil {
		return nil, nil, err
	}
	if e.Name != Auto {
		r.Engine = string(e.Name)
	}
	advise(r, verdict.FinalStates, opts.Model)
	return states, r, nil
}

// advise sees to it that nobody is told to try what does not answer q under m.
func advise(r *verdict.Result, q verdict.Question, m memory.Model) {
	r.Instead.Engines = slices.DeleteFunc(r.Instead.Engines, func(name string) bool {
		e, err := Lookup(Name(name))
		return err != nil || !e.Answers(q, m)
	})
}

// Robust decides whether p is robust against TSO; the model in opts is of no matter.
func Robust(ctx context.Context, p *program.Program, opts Options) (*verdict.RobustResult, error) {
	opts.Model = memory.TSO
	opts = opts.WithDefaults()
	e, err := Lookup(opts.Engine)
	if err != nil {
		return nil, err
	}
	if err := e.Refuses(p, verdict.Robustness, opts.Model); err != nil {
		return verdict.RobustUnknown(p, verdict.Robustness, err.Error()), nil
	}
	r, err := e.Robust(program.Sharing(ctx, p), p, opts)
	if err == nil && e.Name != Auto {
		r.Engine = string(e.Name)
	}
	return r, err
}
