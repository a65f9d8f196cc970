package encode

import (
	"context"
	"slices"

	"github.com/fencepost-verifier/fencepost/memory"
)

// Raised asks for an execution that comes to its end in a state which the filter lets pass, and
// raises a flag of the definition that is not among those which are known. The query is nil where all are
// known. The formula must have been made with [Options.Flags].
func (f *Formula) Raised(ctx context.Context, known []string) (*Query, error) {
	unknown := false
	q, err := f.query(ctx, func(q *Query) {
		end := f.finalMoment()
		done := end.reached()
		if f.p.Filter != nil {
			done = f.And(done, f.NonZero(end.eval(f.p.Filter)))
		}
		for _, fl := range f.flags {
			if !slices.Contains(known, fl.name) {
				unknown = true
				q.add(target{lit: f.And(done, fl.lit)})
			}
		}
	})
	if err != nil || !unknown {
		return nil, err
	}
	return q, nil
}

// Graph is the execution that the model of the last Solve stands for, which must have answered Sat
// in a relational formula.
func (q *Query) Graph() (*memory.Graph, error) {
	g, _, err := q.f.newRelational().graph()
	if err != nil {
		return nil, err
	}
	return g.Sorted(), nil
}
