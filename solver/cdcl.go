package solver

import (
	"context"
	"errors"

	"github.com/fencepost-verifier/fencepost/solver/cdcl"
)

// cdclBackend is the solver of package cdcl, or several of them.
type cdclBackend struct {
	member                   // the first
	others       []*member   // that are asked where it takes long; see crew.go
	winner       *member     // that gave the last answer
	trace        *cdcl.Trace // nil: no proofs are kept
	limit        int64       // of memory, in bytes; 0: none
	jobs         int         // how many members there may be; 0 is 1
	alone, round work
}

// member is one solver, and how much of the log it has.
type member struct {
	s      *cdcl.Solver
	fed    int // literals and
	edges  int // edges of the log that s has
	wishes int // likewise, and
	follow int
	clause []cdcl.Lit
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

// feed gives m what of the log it does not have; not all of it where ctx ends before.
func (m *member) feed(ctx context.Context, cnf *clauseLog) bool {
	if m.s == nil {
		m.s = cdcl.New()
	}
	for m.s.Vars() < cnf.vars {
		m.s.NewVar()
	}
	for m.s.Nodes() < cnf.nodes {
		m.s.NewNode()
	}
	m.clause = m.clause[:0]
	for i := m.fed; i < len(cnf.lits); i++ {
		if l := cnf.lits[i]; l != 0 {
			m.clause = append(m.clause, cdcl.FromDimacs(int(l)))
			continue
		}
		m.s.AddClause(m.clause)
		m.clause = m.clause[:0]
		m.fed = i + 1
		if m.fed&0xfff == 0 && ctx.Err() != nil {
			return false
		}
	}
	for ; m.edges < len(cnf.edges); m.edges++ {
		e := &cnf.edges[m.edges]
		m.s.AddEdge(e.from, e.to, cdcl.FromDimacs(int(e.lit)))
	}
	for ; m.follow < len(cnf.follow); m.follow++ {
		m.s.Follow(cdcl.FromDimacs(int(cnf.follow[m.follow])))
	}
	for ; m.wishes < len(cnf.prefer); m.wishes++ {
		m.s.Prefer(cdcl.FromDimacs(int(cnf.prefer[m.wishes])))
	}
	return true
}

func (b *cdclBackend) solve(ctx context.Context, cnf *clauseLog, assumptions []Lit) (Status, error) {
	if !b.feed(ctx, cnf) {
		return Unknown, nil
	}
	ass := make([]cdcl.Lit, len(assumptions))
	for i, a := range assumptions {
		ass[i] = cdcl.FromDimacs(int(a))
	}
	b.winner = &b.member
	b.s.Limit = b.limit
	var status cdcl.Status
	if b.jobs > 1 && b.trace == nil {
		status = b.together(ctx, cnf, ass)
	} else {
		status = b.s.Solve(ctx, ass)
	}
	switch status {
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
		if b.winner.s.Value(cdcl.FromDimacs(int(l))) {
			m.set(l)
		}
	}
}

func (b *cdclBackend) core(dst []Lit) []Lit {
	for _, l := range b.winner.s.Core() {
		dst = append(dst, Lit(l.Dimacs()))
	}
	return dst
}

func (b *cdclBackend) conflicts() int64 {
	if b.s == nil {
		return 0
	}
	n := b.s.Stats().Conflicts
	for _, m := range b.others {
		n += m.s.Stats().Conflicts
	}
	return n
}

func (b *cdclBackend) close() error {
	b.s, b.others, b.winner = nil, nil, nil
	return nil
}

// knowsOrders makes it an orderer.
func (b *cdclBackend) knowsOrders() {}
