package solver

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/inter"
	"github.com/go-air/gini/z"
)

// giniBackend is gini v1.0.4 within the part of it that works:
//
//   - Once the clauses alone are unsatisfiable, a further solve may end the
//     process. So every core that it finds is excluded by a clause, which makes
//     it notice in time, and after an empty core it is never called again.
//   - Try leaves a deadline behind that spoils later solves. So there is only
//     GoSolve with Stop, and its result is always received, or its goroutine
//     would stay.
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
	b.g.Assume(b.ass...)
	switch result(ctx, b.g.GoSolve()) {
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

// result waits for run, and stops it when ctx ends.
//
// gini can either be waited for or be stopped, not both at once, so run is
// polled: busily while it is young, because most incremental queries take
// microseconds, then at intervals that grow with its age, so that the delay
// stays small against what was waited for.
//
// On a platform without threads (js) gini runs to its end before ctx is
// looked at again.
func result(ctx context.Context, run inter.Solve) int {
	if ctx.Done() == nil {
		return run.Wait()
	}
	const busy = 50 * time.Microsecond
	var timer *time.Timer
	for start := time.Now(); ; {
		if r, done := run.Test(); done {
			return r
		}
		age := time.Since(start)
		if age < busy {
			runtime.Gosched()
			continue
		}
		pause := min(max(age/16, busy), 5*time.Millisecond)
		if timer == nil {
			timer = time.NewTimer(pause)
			defer timer.Stop()
		} else {
			timer.Reset(pause)
		}
		select {
		case <-timer.C:
		case <-ctx.Done():
			return run.Stop()
		}
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
