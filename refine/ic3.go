package refine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/symbolic"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// symbolic is the method of an engine of package symbolic, and the buffers that
// it names; nil where it is to choose. The names are "ic3", "kinduction" and
// "saturation", alone or followed by a colon and the name of the buffers.
func (e Engine) symbolic() (method Engine, b abstract.Buffer, ok bool) {
	name, buffer, named := strings.Cut(string(e), ":")
	method = Engine(name)
	if method != IC3 && method != KInduction && method != Saturation {
		return "", nil, false
	}
	if !named {
		return method, nil, true
	}
	b, err := abstract.ParseBuffer(buffer)
	if err != nil {
		return "", nil, false
	}
	return method, b, symbolic.Supports(b) || method == Saturation && symbolic.Saturates(b)
}

// checkSymbolic looks for an inductive invariant, or a k for which the program
// is k-inductive: of the program itself under SC; under TSO of the abstraction
// that the engine names. Where it names none it begins with the set abstraction
// and goes on, as [CheckCEGAR] does, to partial coherence with queues that are
// long enough for the counterexamples so far to be gone; a counterexample that is
// a run of the program is the answer. A proof is checked anew, by a fresh solver,
// before the program is called safe.
func checkSymbolic(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	start := time.Now()
	method, b, _ := opts.Engine.symbolic()
	r := &verdict.Result{Program: p, Model: opts.Model, Engine: string(opts.Engine)}
	defer func() { r.Elapsed = time.Since(start) }()
	named := b != nil
	switch {
	case opts.Model == memory.SC && !named:
		b = abstract.None{}
	case opts.Model == memory.TSO && !named:
		b = abstract.Set{}
	case opts.Model == memory.SC:
		// Every abstraction has the runs in which nothing stays buffered.
	case opts.Model != memory.TSO || b.Immediate():
		r.Reason = fmt.Sprintf("%s is no abstraction of the memory model %s", abstract.Name(b), opts.Model)
		if !named {
			r.Reason = fmt.Sprintf("no abstraction of the memory model %s", opts.Model)
		}
		return r, nil
	}
	l := &loop{ctx: ctx, p: p, opts: opts}
	for {
		name := abstract.Name(b)
		found, err := prove(ctx, p, method, b, opts)
		if errors.Is(err, symbolic.ErrUnsupported) {
			r.Reason, r.Advice = err.Error(), "--engine cegar or explicit"
			return r, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", opts.Engine, err)
		}
		r.Stats = []verdict.Stat{{Name: map[Engine]string{IC3: "frames", KInduction: "k"}[method], Value: int64(found.Depth)}, {Name: "queries", Value: found.Queries}}
		switch {
		case found.Invariant != nil:
			r.Verdict, r.Argument, r.Proof = verdict.Safe, verdict.InductiveInvariant, found.Invariant
			if found.Invariant.K > 1 {
				r.Argument = verdict.KInductive
			}
			if !b.Immediate() {
				r.Abstraction = name
			}
			return r, nil
		case found.Trace == nil:
			r.Reason, r.Advice = fmt.Sprintf("%s: %s", name, found.Reason), "a longer --timeout"
			return r, nil
		}
		done, err := l.candidate(r, b, found)
		var unfinished *unfinishedError
		switch {
		case errors.As(err, &unfinished):
			r.Reason = fmt.Sprintf("%s: %v", name, err)
			return r, nil
		case err != nil:
			return nil, err
		case done:
			return r, nil
		}
		k, _ := b.(abstract.Coherence)
		if b, err = l.finer(k.K, func(k int) abstract.Buffer { return abstract.Coherence{K: k} }); err != nil {
			if errors.As(err, &unfinished) {
				r.Reason = fmt.Sprintf("%s: %v", name, err)
				return r, nil
			}
			return nil, err
		}
		if named {
			r.Reason = fmt.Sprintf("the abstraction %s has a violation that the program has not", name)
			r.Advice = fmt.Sprintf("--engine %s:%s", method, abstract.Name(b))
			return r, nil
		}
	}
}

// prove runs the method on one abstraction, and checks what it proves.
func prove(ctx context.Context, p *program.Program, method Engine, b abstract.Buffer, opts Options) (*symbolic.Result, error) {
	y, err := symbolic.New(p, b, symbolic.Options{})
	if err != nil {
		return nil, err
	}
	search := symbolic.Search{Solver: opts.Solver}
	if opts.Progress != nil {
		search.Progress = func(line string) { opts.Progress(abstract.Name(b) + ": " + line) }
	}
	var found *symbolic.Result
	if method == IC3 {
		found, err = symbolic.IC3(ctx, y, search)
	} else {
		search.SimplePath = true
		found, err = symbolic.KInduction(ctx, y, search)
	}
	if err != nil || found.Invariant == nil {
		return found, err
	}
	if err := symbolic.Check(ctx, found.Invariant, p); err != nil {
		if ctx.Err() == nil {
			return nil, fmt.Errorf("internal error: %w", err)
		}
		return &symbolic.Result{Reason: "a proof was found, but there was no time to check it", Depth: found.Depth, Queries: found.Queries}, nil
	}
	return found, nil
}

// candidate looks into a counterexample of the abstraction. Where it is one of
// the program, r says so and the work is done; otherwise it is kept.
func (l *loop) candidate(r *verdict.Result, b abstract.Buffer, found *symbolic.Result) (done bool, err error) {
	var run *verdict.Run
	var violation *verdict.Violation
	if l.opts.Model == memory.SC && b.Immediate() {
		if run, violation, err = explore.Replay(l.p, memory.SC, found.Trace); err != nil {
			return false, fmt.Errorf("a run found by %s does not replay: %w", l.opts.Engine, err)
		}
	} else {
		if l.opts.Model == memory.SC {
			r.Reason = fmt.Sprintf("the abstraction %s has a violation, which the program need not have", abstract.Name(b))
			r.Advice = "an engine that does not abstract"
			return true, nil
		}
		abstractRun := &verdict.Run{}
		for _, ev := range found.Trace {
			abstractRun.Steps = append(abstractRun.Steps, verdict.Step{Thread: ev.Thread, Edge: ev.Edge, Choice: ev.Choice})
		}
		ip := newInstructionPath(l.p, abstractRun)
		if run, violation, err = ip.concrete(l.ctx, l.opts.explore()); err != nil {
			return false, err
		}
		if run == nil {
			l.kept = append(l.kept, ip)
			return false, nil
		}
	}
	r.Run, r.Violation = run, violation
	if violation.Kind == program.Fault {
		r.Reason = "the program is at fault: " + violation.Text
	} else {
		r.Verdict = verdict.Unsafe
	}
	return true, nil
}
