// Package crosscheck runs every way to decide a program that there is, under every
// memory model, and holds the answers against each other. Two that contradict each
// other are a defect in Fencepost.
//
// A program and options come in, a [Comparison] goes out: a [Row] for each method
// and model, and the contradictions among the rows.
package crosscheck

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/refine"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Kind is the question that a row answers.
type Kind string

// The kinds.
const (
	// Property: is a property of the program violated?
	Property Kind = "property"
	// States: in which states can the program end?
	States Kind = "states"
	// Robustness: is the program robust against TSO?
	Robustness Kind = "robustness"
)

// A Claim is an answer as far as another can contradict it.
type Claim string

// The claims. Violated and Fault may both be true of a program.
const (
	None      Claim = "UNKNOWN"
	Safe      Claim = "SAFE"
	Violated  Claim = "UNSAFE"
	Fault     Claim = "FAULT"
	Complete  Claim = "COMPLETE" // the final states are all there are
	Robust    Claim = "ROBUST"
	NotRobust Claim = "NOT ROBUST"
)

// An Answer is what a method says of a program.
type Answer struct {
	Claim    Claim
	Argument string // for Safe, Robust and Complete: why; may be empty
	Reason   string // for None: how far it got
	// Violation is that of Violated and of Fault; may be nil.
	Violation *verdict.Violation
	// Finals is the final states that were found, temporaries 0, each once.
	Finals []verdict.FinalState
	Stats  []verdict.Stat
}

// A Row is the answer of one method under one model.
type Row struct {
	Model  memory.Model
	Method *Method
	Answer
	// Err is an error inside Fencepost; the Claim is then None.
	Err     error
	Elapsed time.Duration
	Agrees  Agreement
}

// Stat is the figure of that name, and whether the method gives it.
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

// A Comparison is the rows about one program, by model and in the order of the
// methods.
type Comparison struct {
	Program *program.Program
	Rows    []Row
	// Contradictions is the rows that cannot all be right.
	Contradictions []Contradiction
	// Stopped is true where the context ended before all methods had their turn.
	Stopped bool
}

// Fault is the diagnostic for a program that can be at fault, or nil.
func (c *Comparison) Fault() *program.Diagnostic {
	for i := range c.Rows {
		if v := c.Rows[i].Violation; c.Rows[i].Claim == Fault && v != nil {
			return c.Program.Diagnose(v.Pos, v.Text+" can be reached", "")
		}
	}
	return nil
}

// Options say what to compare. The zero value means every method under every
// built-in model, without limit of time.
type Options struct {
	Models  []memory.Model
	Methods []Method      // nil: [Methods]
	Timeout time.Duration // for each row; 0: none
	// Options are those of the engines; model and engine are set here.
	refine.Options
}

// Run answers every question by every method that applies. It gives an error only
// where no method can take the program, a [program.Diagnostic].
func Run(ctx context.Context, p *program.Program, opts Options) (*Comparison, error) {
	if opts.Methods == nil {
		opts.Methods = Methods()
	}
	if opts.Models == nil {
		opts.Models = memory.Models()
	}
	c := &Comparison{Program: p}
	var refused *program.Diagnostic
	taken := false
	for _, m := range opts.Models {
		for i := range opts.Methods {
			if !opts.Methods[i].Applies(m) {
				continue
			}
			if ctx.Err() != nil {
				c.Stopped = true
				break
			}
			r := Row{Model: m, Method: &opts.Methods[i]}
			r.answer(ctx, p, opts)
			var diag *program.Diagnostic
			if errors.As(r.Err, &diag) {
				refused = diag
				r.Reason, r.Err = diag.Msg, nil
			} else {
				taken = true
			}
			c.Rows = append(c.Rows, r)
		}
	}
	if !taken && refused != nil {
		return nil, refused
	}
	c.Stopped = c.Stopped || ctx.Err() != nil
	c.judge()
	return c, nil
}

// answer asks the method of r.
func (r *Row) answer(ctx context.Context, p *program.Program, opts Options) {
	start := time.Now()
	if opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opts.Timeout)
		defer cancel()
	}
	defer func() {
		if v := recover(); v != nil {
			r.Err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
		if r.Err != nil {
			r.Answer = Answer{}
		}
		if r.Claim == "" {
			r.Claim = None
		}
		r.Elapsed = time.Since(start)
	}()
	o := opts.Options
	o.Model = r.Model
	if show := o.Progress; show != nil {
		o.Progress = func(line string) { show(fmt.Sprintf("%s, %s: %s", r.Model, r.Method.Name, line)) }
	}
	r.Answer, r.Err = r.Method.Run(ctx, p, o)
}
