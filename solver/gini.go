package solver

import (
	"context"
	"fmt"
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

// giniBackend is gini v1.0.4 within the part of it that works:
//
//   - Once the clauses alone are unsatisfiable, a further solve may end the
//     process. So every core that it finds is excluded by a clause, which makes
//     it notice in time, and after an empty core it is never called again.
//   - Its own Try leaves a deadline behind that spoils later solves. So there is
//     only GoSolve, whose control can wait or stop without that; its result is
//     always received, or its goroutine would stay.
//   - Activation literals collide with variables that did not come from Lit, and
//     their clauses can panic. So there are none, and all variables come
//     from Lit.
//   - Its DIMACS reader and writer lose clauses or add some. The log has its own.
type giniBackend struct {
	g   *gini.Gini
	fed int // literals of the log that g has
	why []z.Lit
	ass []z.Lit
}

func (b *giniBackend) solve(ctx context.Context, cnf *clauseLog, assumptions []Lit) (Status, error) {
	if b.g == nil {
		b.g = gini.New()
	}
	b.why = b.why[:0]
	for int(b.g.MaxVar()) < cnf.vars {
		want := int(b.g.MaxVar()) + 1
		if got := b.g.Lit().Dimacs(); got != want {
			return Unknown, fmt.Errorf("variable %d became %d", want, got)
		}
	}
	for b.fed < len(cnf.lits) {
		if ctx.Err() != nil {
			return Unknown, nil
		}
		// A block may end within a clause: its rest comes first in the next.
		block := cnf.lits[b.fed:min(b.fed+1<<16, len(cnf.lits))]
		for _, l := range block {
			b.g.Add(z.Dimacs2Lit(int(l)))
		}
		b.fed += len(block)
	}
	b.ass = b.ass[:0]
	for _, a := range assumptions {
		b.ass = append(b.ass, z.Dimacs2Lit(int(a)))
	}
	switch b.search(ctx) {
	case 1:
		return Sat, nil
	case -1:
		b.why = b.g.Why(b.why)
		if len(b.why) > 0 {
			for _, m := range b.why {
				b.g.Add(m.Not())
			}
			b.g.Add(z.LitNull)
		}
		return Unsat, nil
	}
	return Unknown, nil
}

// young is how long a query is just waited for. Most incremental ones take
// microseconds; to poll them would cost more than they do, above all where other
// goroutines want the processors.
const young = 20 * time.Millisecond

// search solves under b.ass, and stops when ctx ends.
//
// gini can either be waited for or be stopped, not both at once. So a query that
// is not over soon is stopped, asked again (it keeps what it has learnt), and
// polled from then on, at intervals that grow with its age, so that the delay
// stays small against what was waited for.
//
// On a platform without threads (js) gini runs to its end before ctx is
// looked at again.
func (b *giniBackend) search(ctx context.Context) int {
	b.g.Assume(b.ass...)
	if ctx.Done() == nil {
		return b.g.GoSolve().Wait()
	}
	if r := b.g.GoSolve().Try(young); r != 0 || ctx.Err() != nil {
		return r
	}
	b.g.Assume(b.ass...)
	run, start := b.g.GoSolve(), time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
		case <-ctx.Done():
			return run.Stop()
		}
		if r, done := run.Test(); done {
			return r
		}
		timer.Reset(min(max(time.Since(start)/16, young/100), 5*time.Millisecond))
	}
}

func (b *giniBackend) model(m model) {
	for l := Lit(1); int(l) <= len(m)/2; l++ {
		if b.g.Value(z.Dimacs2Lit(int(l))) {
			m.set(l)
		}
	}
}

func (b *giniBackend) core(dst []Lit) []Lit {
	for _, m := range b.why {
		dst = append(dst, Lit(m.Dimacs()))
	}
	return dst
}

func (b *giniBackend) conflicts() int64 { return -1 }

func (b *giniBackend) close() error {
	b.g = nil
	return nil
}
