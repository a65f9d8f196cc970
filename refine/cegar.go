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
	"github.com/fencepost-verifier/fencepost/replay"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Cause is why a run of an abstraction is none of the program (thesis 3.2.1).
type Cause string

// The causes.
const (
	// Counts: a store reached memory more often than it was performed. The
	// instructions of the run would have none if the abstraction counted.
	Counts Cause = "counts"
	// Order: stores reached memory in another order than they were performed
	// in. With counts alone, the instructions would still have a run.
	Order Cause = "order"
)

// A Refinement is one round of [CEGAR].
type Refinement struct {
	// Abstraction is the one that was searched, and States how many states
	// that took.
	Abstraction string
	States      int64
	// Safe: it proves the program.
	Safe bool
	// Candidate is the violation that it has otherwise; nil where the search
	// had to stop, for the Reason.
	Candidate *verdict.Run
	Reason    string
	// Real: the program has the violation as well.
	Real bool
	// Cause is why it has not, and Next the coarsest abstraction of the next
	// kind in which no counterexample so far is possible.
	Cause Cause
	Next  string

	full bool // it was stopped by nothing but the bound on its counts
}

// String is a line for people.
func (r *Refinement) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d states, ", r.Abstraction, r.States)
	switch {
	case r.Safe:
		b.WriteString("closed and without a violation")
	case r.Candidate == nil:
		b.WriteString(r.Reason)
	default:
		fmt.Fprintf(&b, "a counterexample of %d steps, ", len(r.Candidate.Steps))
		switch {
		case r.Real:
			b.WriteString("which is a run of the program")
		default:
			fmt.Fprintf(&b, "spurious: the %s of the stores is lost", map[Cause]string{Counts: "number", Order: "order"}[r.Cause])
		}
	}
	if r.Next != "" {
		fmt.Fprintf(&b, "; next: %s", r.Next)
	}
	return b.String()
}

// CEGAR decides p under TSO by abstractions of the
// store buffers that grow finer where a counterexample asks for it (thesis
// algorithm 3.2): the multiset abstraction first, then partial coherence with
// queues of k pairs.
//
// A counterexample is one for the program if TSO has a run with the same
// instructions in the same order, thread by thread. If not, it is kept, and the
// next k is the smallest for which none of those kept, reduced to their
// instructions, is possible. As k grows, the loop ends where the program has a
// violation. In general it need not.
//
// The multiset abstraction is searched with counts up to c and with counts that
// saturate at c, for growing c (see [explore.CheckMultiset]), where c grows in
// the same manner: to where no counterexample kept is possible. This phase ends
// with a proof, a violation, a lost order, or too little memory.
func CEGAR(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	start := time.Now()
	l := &loop{ctx: ctx, p: p, opts: opts}
	r, err := l.run()
	var unfinished *unfinishedError
	if errors.As(err, &unfinished) {
		r, err = verdict.Unknown(p, memory.TSO, unfinished.Error()), nil
	}
	if err != nil {
		return nil, err
	}
	r.Elapsed = time.Since(start)
	r.Stats = append(r.Stats, verdict.Stat{Name: "refinements", Value: int64(max(l.rounds-1, 0))})
	return r, nil
}

// A loop is the state of algorithm 3.2.
type loop struct {
	ctx    context.Context
	p      *program.Program
	opts   Options
	kept   []*instructionPath // spurious
	rounds int
}

func (l *loop) run() (*verdict.Result, error) {
	b := abstract.Buffer(abstract.Multiset{Max: 1})
	for {
		l.rounds++
		note, r, err := l.round(b)
		if err == nil && r == nil {
			if b, err = l.next(b, note); err == nil {
				note.Next = abstract.Name(b)
			}
		}
		if note != nil && l.opts.Refined != nil {
			l.opts.Refined(note)
		}
		if r != nil || err != nil {
			return r, err
		}
	}
}

// round searches one abstraction. There is a result where it is a proof, its
// counterexample a violation, or nothing is left to try.
func (l *loop) round(b abstract.Buffer) (*Refinement, *verdict.Result, error) {
	r, err := explore.Check(l.ctx, l.p, l.opts.explore(b))
	if err != nil {
		return nil, nil, err
	}
	note := &Refinement{Abstraction: r.Abstraction, States: r.Stat("states"), Safe: r.Safe(),
		Candidate: r.Candidate(), Reason: r.Reason(), full: r.BoundUnit == explore.Counts}
	m, multiset := b.(abstract.Multiset)
	switch {
	case note.Safe:
		if multiset && !m.Saturate {
			// No count came to the bound and beyond, so with one more
			// it may saturate.
			r.Abstraction = abstract.Name(abstract.Multiset{Max: m.Max + 1, Saturate: true})
		}
		return note, r, nil
	case r.Candidate() == nil && multiset && l.ctx.Err() == nil:
		return note, nil, nil
	case r.Candidate() == nil:
		stopped := verdict.Unknown(l.p, memory.TSO, note.String())
		stopped.Effort = r.Effort
		return note, stopped, nil
	}
	ip := newInstructionPath(l.p, replay.Schedule(r.Candidate()))
	real, err := ip.concrete(l.ctx, l.opts)
	if err != nil {
		return note, nil, err
	}
	if real != nil {
		note.Real = true
		real.Effort = r.Effort
		real.Advice = ""
		return note, real, nil
	}
	l.kept = append(l.kept, ip)
	note.Cause = Counts
	k, _ := b.(abstract.Coherence)
	possible, err := ip.under(l.ctx, l.opts, abstract.Coherence{K: k.K, Counting: true})
	if possible {
		note.Cause = Order
	}
	return note, nil, err
}

// next is the abstraction after b, in which no counterexample so far is
// possible.
func (l *loop) next(b abstract.Buffer, note *Refinement) (abstract.Buffer, error) {
	k := 0
	switch b := b.(type) {
	case abstract.Coherence:
		k = b.K
	case abstract.Multiset:
		switch {
		case note.full:
			return abstract.Multiset{Max: b.Max, Saturate: true}, nil
		case note.Cause == Counts:
			b, err := l.finer(b.Max, func(c int) abstract.Buffer { return abstract.Multiset{Max: c, Saturate: true} })
			if err != nil {
				return nil, err
			}
			return abstract.Multiset{Max: b.(abstract.Multiset).Max}, nil
		}
	}
	return l.finer(k, func(k int) abstract.Buffer { return abstract.Coherence{K: k} })
}

// finer is the first of the buffers at(size + 1), at(size + 2), ... in which none
// of the kept counterexamples is possible. There is one: where a queue or a count
// has room for all stores of a path, nothing is lost that would make it possible.
func (l *loop) finer(size int, at func(size int) abstract.Buffer) (abstract.Buffer, error) {
	for {
		size++
		possible := false
		for i := len(l.kept) - 1; i >= 0 && !possible; i-- {
			if size > l.kept[i].stores {
				continue
			}
			var err error
			if possible, err = l.kept[i].under(l.ctx, l.opts, at(size)); err != nil {
				return nil, err
			}
		}
		if !possible {
			return at(size), nil
		}
	}
}
