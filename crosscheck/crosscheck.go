// Package crosscheck asks every engine everything that it answers, under every memory model, and
// holds the answers against each other. Two that contradict each other are a defect in
// Fencepost.
//
// A program and options come in, a [verdict.Comparison] goes out: a [verdict.Row] for each
// model, question and engine, and the contradictions among the rows.
package crosscheck

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Options say what to compare. The zero value means every engine under every
// built-in model, without limit of time.
type Options struct {
	Models  []memory.Model
	Engines []engine.Engine // nil: [Engines]
	Timeout time.Duration   // for each row; 0: none
	// Options are those of the engines; model and engine are set here.
	engine.Options
}

// Engines is what there is, the portfolio last: an explicit search is to be the first,
// so that it is what others are compared with.
func Engines() []engine.Engine {
	all := engine.Engines()
	slices.SortStableFunc(all, func(a, b engine.Engine) int { return last(a) - last(b) })
	return all
}

func last(e engine.Engine) int { return int(program.Bool(e.Name == engine.Auto)) }

// questions are those whose answers can be held against each other.
var questions = []verdict.Question{verdict.Safety, verdict.FinalStates, verdict.Robustness}

// asks is whether e has something of its own to say: the portfolio leaves all but
// properties to others.
func asks(e *engine.Engine, q verdict.Question, m memory.Model) bool {
	return e.Answers(q, m) && (e.Name != engine.Auto || q == verdict.Safety)
}

// Run answers every question by every engine that does. It gives an error only
// where none can take the program, a [program.Diagnostic].
func Run(ctx context.Context, p *program.Program, opts Options) (*verdict.Comparison, error) {
	if opts.Engines == nil {
		opts.Engines = Engines()
	}
	if opts.Models == nil {
		opts.Models = memory.Operational()
		if p.Arch != program.X86 {
			opts.Models = memory.ModelsFor(p.Arch)
		}
	}
	for _, m := range opts.Models {
		if err := m.Takes(p); err != nil {
			return nil, err
		}
	}
	c := &verdict.Comparison{Program: p}
	var refused *program.Diagnostic
	taken := false
	for _, m := range opts.Models {
		for _, q := range questions {
			for i := range opts.Engines {
				e := &opts.Engines[i]
				if !asks(e, q, m) || e.Refuses(p, q, m) != nil {
					continue
				}
				if ctx.Err() != nil {
					c.Stopped = true
					break
				}
				r := answer(ctx, p, e, q, m, opts)
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
	}
	if !taken && refused != nil {
		return nil, refused
	}
	c.Stopped = c.Stopped || ctx.Err() != nil
	judge(c)
	return c, nil
}

// answer asks e about q under m.
func answer(ctx context.Context, p *program.Program, e *engine.Engine, q verdict.Question, m memory.Model, opts Options) (r verdict.Row) {
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
			r = verdict.Row{Claim: verdict.ClaimsNothing, Err: r.Err}
		}
		r.Model, r.Engine, r.Question, r.Elapsed = m, string(e.Name), q, time.Since(start)
	}()
	o := opts.Options
	o.Model, o.Engine = m, e.Name
	o = o.WithDefaults()
	if show := o.Progress; show != nil {
		o.Progress = func(line string) {
			show(fmt.Sprintf("%s, %s: %s", m, e.Name, strings.TrimPrefix(line, string(e.Name)+": ")))
		}
	}
	switch q {
	case verdict.Safety:
		var res *verdict.Result
		if res, r.Err = e.Check(ctx, e.Sees(p), o); r.Err == nil {
			r.Argument = string(res.Argument())
			says(&r, res)
		}
	case verdict.FinalStates:
		var res *verdict.Result
		if r.Finals, res, r.Err = e.FinalStates(ctx, e.Sees(p), o); r.Err == nil {
			if says(&r, res); res.Safe() {
				r.Claim = verdict.ClaimsComplete
			}
		}
	case verdict.Robustness:
		var res *verdict.RobustResult
		if res, r.Err = e.Robust(ctx, p, o); r.Err == nil {
			r.Claim, r.Reason, r.Stats = verdict.Claim(res.Word()), res.Reason(), res.Stats
		}
	}
	return r
}

// says takes note of a result.
func says(r *verdict.Row, res *verdict.Result) {
	r.Claim, r.Reason, r.Violation, r.Stats = verdict.ClaimsNothing, res.Reason(), res.Violation(), res.Stats
	switch {
	case res.Fault():
		r.Claim = verdict.ClaimsFault
	case res.Safe():
		r.Claim = verdict.ClaimsSafe
	case res.Unsafe():
		r.Claim = verdict.ClaimsViolated
	}
}
