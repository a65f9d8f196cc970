package refine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
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
	l := &loop{ctx: ctx, p: p, opts: opts}
	r, err := l.symbolic()
	var unfinished *unfinishedError
	if errors.As(err, &unfinished) {
		r, err = unknown(p, opts, unfinished.Error(), ""), nil
	}
	if err != nil {
		return nil, err
	}
	r.Engine, r.Stats, r.Elapsed = string(opts.Engine), l.stats, time.Since(start)
	return r, nil
}

func (l *loop) symbolic() (*verdict.Result, error) {
	ctx, p, opts := l.ctx, l.p, l.opts
	method, b, _ := opts.Engine.symbolic()
	named := b != nil
	switch {
	case opts.Model == memory.SC && !named:
		b = abstract.None{}
	case opts.Model == memory.TSO && !named:
		b = abstract.Set{}
	case opts.Model == memory.SC:
		// Every abstraction has the runs in which nothing stays buffered.
	case opts.Model != memory.TSO && !named:
		return unknown(p, opts, fmt.Sprintf("no abstraction of the memory model %s", opts.Model), ""), nil
	case opts.Model != memory.TSO || b.Immediate():
		return unknown(p, opts, fmt.Sprintf("%s is no abstraction of the memory model %s", abstract.Name(b), opts.Model), ""), nil
	}
	for {
		name := abstract.Name(b)
		found, err := prove(ctx, p, method, b, opts)
		if errors.Is(err, symbolic.ErrUnsupported) {
			return unknown(p, opts, err.Error(), "--engine cegar or explicit"), nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", opts.Engine, err)
		}
		l.stats = []verdict.Stat{{Name: map[Engine]string{IC3: "frames", KInduction: "k"}[method], Value: int64(found.Depth)}, {Name: "queries", Value: found.Queries}}
		switch {
		case found.Invariant != nil:
			why := verdict.InductiveInvariant
			if found.Invariant.K > 1 {
				why = verdict.KInductive
			}
			r := verdict.Safe(p, opts.Model, why, found.Invariant)
			if !b.Immediate() {
				r.Abstraction = name
			}
			return r, nil
		case found.Trace == nil:
			return unknown(p, opts, fmt.Sprintf("%s: %s", name, found.Reason), "a longer --timeout"), nil
		}
		r, err := l.candidate(b, found)
		if err != nil || r != nil {
			return r, inAbstraction(name, err)
		}
		k, _ := b.(abstract.Coherence)
		if b, err = l.finer(k.K, func(k int) abstract.Buffer { return abstract.Coherence{K: k} }); err != nil {
			return nil, inAbstraction(name, err)
		}
		if named {
			return unknown(p, opts, fmt.Sprintf("the abstraction %s has a violation that the program has not", name),
				fmt.Sprintf("--engine %s:%s", method, abstract.Name(b))), nil
		}
	}
}

// inAbstraction says of an analysis that was not finished which abstraction it was of.
func inAbstraction(name string, err error) error {
	var unfinished *unfinishedError
	if errors.As(err, &unfinished) {
		return &unfinishedError{reason: unfinished.reason, of: name}
	}
	return err
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
// the program, there is an answer; otherwise it is kept.
func (l *loop) candidate(b abstract.Buffer, found *symbolic.Result) (*verdict.Result, error) {
	switch {
	case l.opts.Model == memory.SC && b.Immediate():
		r, err := replay.Convict(l.p, memory.SC, found.Trace)
		if err != nil {
			return nil, fmt.Errorf("a run found by %s does not replay: %w", l.opts.Engine, err)
		}
		return r, nil
	case l.opts.Model == memory.SC:
		return unknown(l.p, l.opts, fmt.Sprintf("the abstraction %s has a violation, which the program need not have", abstract.Name(b)),
			"an engine that does not abstract"), nil
	}
	ip := newInstructionPath(l.p, found.Trace)
	r, err := ip.concrete(l.ctx, l.opts.explore())
	if r == nil && err == nil {
		l.kept = append(l.kept, ip)
	}
	return r, err
}
