package refine

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/symbolic"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Method is a way to prove by induction.
type Method string

// The methods.
const (
	IC3        Method = "ic3"        // looks for an inductive invariant
	KInduction Method = "kinduction" // looks for a k for which the program is k-inductive
)

// Inductive looks for an inductive invariant, or a k for which p is k-inductive: under
// SC of p itself, under TSO of the abstraction with the buffers b. Where b is nil it
// begins with the set abstraction and goes on, as [CEGAR] does, to partial coherence
// with queues that are long enough for the counterexamples so far to be gone; a
// counterexample that is a run of the program is the answer. A proof is checked anew,
// by a fresh solver, before the program is called safe.
//
// Under SC, too, b may be an abstraction: each has the runs in which nothing stays
// buffered.
func Inductive(ctx context.Context, p *program.Program, m memory.Model, method Method, b abstract.Buffer, opts Options) (*verdict.Result, error) {
	if m != memory.SC && (m != memory.TSO || b != nil && b.Immediate()) {
		return nil, fmt.Errorf("%s: buffers %s are no abstraction of the memory model %s", method, abstract.Name(b), m)
	}
	start := time.Now()
	l := &induction{loop: loop{ctx: ctx, p: p, opts: opts}, model: m, method: method}
	r, err := l.run(b)
	var unfinished *unfinishedError
	if errors.As(err, &unfinished) {
		r, err = verdict.Unknown(p, m, unfinished.Error()), nil
	}
	if err != nil {
		return nil, err
	}
	r.Stats, r.Elapsed = l.stats, time.Since(start)
	return r, nil
}

// induction is the loop, with induction in place of search.
type induction struct {
	loop
	model  memory.Model
	method Method
	stats  []verdict.Stat // of the last abstraction
}

func (l *induction) run(b abstract.Buffer) (*verdict.Result, error) {
	named := b != nil
	switch {
	case named:
	case l.model == memory.SC:
		b = abstract.None{}
	default:
		b = abstract.Set{}
	}
	for {
		name := abstract.Name(b)
		found, err := l.prove(b)
		if errors.Is(err, symbolic.ErrUnsupported) {
			r := verdict.Unknown(l.p, l.model, err.Error())
			r.Instead.Engines = []string{"cegar", "explicit"}
			return r, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.method, err)
		}
		l.stats = []verdict.Stat{{Name: map[Method]string{IC3: "frames", KInduction: "k"}[l.method], Value: int64(found.Depth)}, {Name: "queries", Value: found.Queries}}
		switch {
		case found.Invariant != nil:
			why := verdict.InductiveInvariant
			if found.Invariant.K > 1 {
				why = verdict.KInductive
			}
			r := verdict.Safe(l.p, l.model, why, found.Invariant)
			if !b.Immediate() {
				r.Abstraction = name
			}
			return r, nil
		case found.Trace == nil:
			return unknown(l.p, l.model, fmt.Sprintf("%s: %s", name, found.Reason), "a longer --timeout"), nil
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
			r := verdict.Unknown(l.p, l.model, fmt.Sprintf("the abstraction %s has a violation that the program has not", name))
			r.Instead.Engines = []string{fmt.Sprintf("%s:%s", l.method, abstract.Name(b))}
			return r, nil
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
func (l *induction) prove(b abstract.Buffer) (*symbolic.Result, error) {
	y, err := symbolic.New(l.ctx, l.p, b, symbolic.Options{MemoryLimit: l.opts.MemoryLimit / 4})
	if err != nil && l.ctx.Err() != nil {
		return &symbolic.Result{Reason: "still building the circuit of the steps; stopped " + verdict.Because(l.ctx)}, nil
	}
	if err != nil {
		return nil, err
	}
	// The circuit is there all the time, and each has its share of the garbage.
	search := symbolic.Search{Solver: l.opts.Solver, MemoryLimit: l.opts.MemoryLimit / 4 * 3}
	if l.opts.Progress != nil {
		search.Progress = func(line string) { l.opts.Progress(abstract.Name(b) + ": " + line) }
	}
	var found *symbolic.Result
	if l.method == IC3 {
		found, err = symbolic.IC3(l.ctx, y, search)
	} else {
		search.SimplePath = true
		found, err = symbolic.KInduction(l.ctx, y, search)
	}
	if err != nil || found.Invariant == nil {
		return found, err
	}
	if err := symbolic.Check(l.ctx, found.Invariant, l.p); err != nil {
		if l.ctx.Err() == nil {
			return nil, fmt.Errorf("internal error: %w", err)
		}
		return &symbolic.Result{Reason: "a proof was found, but there was no time to check it", Depth: found.Depth, Queries: found.Queries}, nil
	}
	return found, nil
}

// candidate looks into a counterexample of the abstraction. Where it is one of
// the program, there is an answer; otherwise it is kept.
func (l *induction) candidate(b abstract.Buffer, found *symbolic.Result) (*verdict.Result, error) {
	switch {
	case l.model == memory.SC && b.Immediate():
		r, err := replay.Convict(l.p, memory.SC, found.Trace)
		if err != nil {
			return nil, fmt.Errorf("a run found by %s does not replay: %w", l.method, err)
		}
		return r, nil
	case l.model == memory.SC:
		return unknown(l.p, l.model, fmt.Sprintf("the abstraction %s has a violation, which the program need not have", abstract.Name(b)),
			"an engine that does not abstract"), nil
	}
	ip := newInstructionPath(l.p, found.Trace)
	r, err := ip.concrete(l.ctx, l.opts)
	if r == nil && err == nil {
		l.kept = append(l.kept, ip)
	}
	return r, err
}
