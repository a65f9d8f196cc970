package explore

import (
	"context"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Counts is the unit of the bound of an [abstract.Multiset] that does not
// saturate.
const Counts = "copies of a buffered store"

// CheckMultiset decides whether the multiset abstraction of p has a violation
// (thesis 3.2.2 and appendix B), by expand, enlarge and check (Geeraerts, Raskin
// and Van Begin 2006): for c = 1, 2, ... it searches the multisets with counts up
// to c, whose violations are violations, and those with counts that saturate at
// c, which are a proof where they have none.
//
// One of the two answers in the end, over finite data. A violation needs only so
// many copies of a store. And where there is none, the states from which none
// can be reached are closed downwards in the well-quasi-order of appendix B: a
// finite union of sets in which each count is either bounded or any number. For
// c larger than all these bounds, a count of "c or more" is any number, and the
// union has no other states than its image with saturated counts.
//
// Safe names the abstraction that is the proof, such as "multiset:2"; a violation
// makes the result Unknown, with a candidate, of the abstraction "multiset".
func CheckMultiset(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
	start := time.Now()
	opts.Buffer, opts.Compact = 0, false
	for c := 1; ; c++ {
		opts.Abstraction = abstract.Multiset{Max: c}
		r, err := Check(ctx, p, opts)
		if err == nil && r.BoundUnit == Counts {
			opts.Abstraction = abstract.Multiset{Max: c, Saturate: true}
			r, err = Check(ctx, p, opts)
			if err == nil && r.Candidate() != nil {
				continue
			}
		}
		switch {
		case err != nil:
			return nil, err
		case r.Safe() && r.Abstraction == abstract.Name(abstract.Multiset{Max: c}):
			// No count grew beyond the bound, so with one more it may
			// saturate.
			r.Abstraction = abstract.Name(abstract.Multiset{Max: c + 1, Saturate: true})
		case r.Candidate() != nil:
			run := *r.Candidate()
			run.Abstraction = abstract.Name(abstract.Multiset{})
			found := verdict.Suspect(&run)
			found.Stats, found.Notes = r.Stats, r.Notes
			r = found
		}
		r.Engine = "multiset"
		r.Elapsed = time.Since(start)
		return r, nil
	}
}
