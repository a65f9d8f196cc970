package solver

import (
	"context"
	"errors"

	"github.com/fencepost-verifier/fencepost/solver/cdcl"
)

// cdclBackend is the solver of package cdcl.
type cdclBackend struct {
	s      *cdcl.Solver
	trace  *cdcl.Trace // nil: no proofs are kept
	limit  int64       // of memory, in bytes; 0: none
	fed    int         // literals and
	edges  int         // edges of the log that s has
	wishes int         // likewise, and
	follow int
	clause []cdcl.Lit
	ass    []cdcl.Lit
}

// ErrMemory is wrapped by the error that says that a solver would take more memory than it may.
var ErrMemory = errors.New("the SAT solver would take too much memory")

// LimitMemory bounds what s may hold, with what it learns, in bytes, if it is our own: where
// that is not enough Solve fails with an error that wraps [ErrMemory]. 0: no bound but 4 GB of
// clauses.
func LimitMemory(s Solver, bytes int64) {
	if c, ok := s.(*checked); ok {
		if b, ok := c.b.(*cdclBackend); ok {
			b.limit = bytes
		}
	}
}

func (b *cdclBackend) solve(ctx context.Context, cnf *clauseLog, assumptions []Lit) (Status, error) {
	if b.s == nil {
		b.s = cdcl.New()
	}
	for b.s.Vars() < cnf.vars {
		b.s.NewVar()
	}
	for b.s.Nodes() < cnf.nodes {
		b.s.NewNode()
	}
	b.clause = b.clause[:0]
	for i := b.fed; i < len(cnf.lits); i++ {
		if l := cnf.lits[i]; l != 0 {
			b.clause = append(b.clause, cdcl.FromDimacs(int(l)))
			continue
		}
		b.s.AddClause(b.clause)
		b.clause = b.clause[:0]
		b.fed = i + 1
		if b.fed&0xfff == 0 && ctx.Err() != nil {
			return Unknown, nil
		}
	}
	for ; b.edges < len(cnf.edges); b.edges++ {
		e := &cnf.edges[b.edges]
		b.s.AddEdge(e.from, e.to, cdcl.FromDimacs(int(e.lit)))
	}
	for ; b.follow < len(cnf.follow); b.follow++ {
		b.s.Follow(cdcl.FromDimacs(int(cnf.follow[b.follow])))
	}
	for ; b.wishes < len(cnf.prefer); b.wishes++ {
		b.s.Prefer(cdcl.FromDimacs(int(cnf.prefer[b.wishes])))
	}
	b.ass = b.ass[:0]
	for _, a := range assumptions {
		b.ass = append(b.ass, cdcl.FromDimacs(int(a)))
	}
	b.s.Limit = b.limit
	switch b.s.Solve(ctx, b.ass) {
	case cdcl.Sat:
		return Sat, nil
	case cdcl.Unsat:
		return Unsat, nil
	}
	if b.s.Full() {
		return Unknown, ErrMemory
	}
	return Unknown, nil
}

func (b *cdclBackend) model(m model) {
	for l := Lit(1); int(l) <= len(m)/2; l++ {
		if b.s.Value(cdcl.FromDimacs(int(l))) {
			m.set(l)
		}
	}
}

func (b *cdclBackend) core(dst []Lit) []Lit {
	for _, l := range b.s.Core() {
		dst = append(dst, Lit(l.Dimacs()))
	}
	return dst
}

func (b *cdclBackend) conflicts() int64 {
	if b.s == nil {
		return 0
	}
	return b.s.Stats().Conflicts
}

func (b *cdclBackend) close() error {
	b.s = nil
	return nil
}

// knowsOrders makes it an orderer.
func (b *cdclBackend) knowsOrders() {}
