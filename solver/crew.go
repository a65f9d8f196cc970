package solver

import (
	"context"
	"sync"

	"github.com/fencepost-verifier/fencepost/solver/cdcl"
)

// UseJobs lets s, if it is our own, work at a question with up to n solvers side by side, which
// tell each other what they learn. Answers are the same in every run: they exchange lemmas after so
// much work, in a fixed order, and of several answers that of the first is taken. There is one solver only where
// proofs are kept ([KeepProofs]), since what one has learnt from another has no derivation there, and where
// there is no memory for more.
func UseJobs(s Solver, n int) {
	if c, ok := own(s); ok {
		if b, ok := c.b.(*cdclBackend); ok {
			b.jobs, b.alone, b.round = n, aloneWork, roundWork
		}
	}
}

// work is what a member does before it pauses.
type work struct{ propagations, conflicts int64 }

var (
	aloneWork = work{500_000, 100} // of the first before the others begin: a tenth of a second, perhaps
	roundWork = work{300_000, 50}  // between two exchanges
)

// sharedGlue is the most levels that a lemma spans which members exchange. Of 2, 3, 5, 8, 12, 20 and no
// bound at all, 8 to 20 needed the fewest propagations, and without a bound these took longer.
const sharedGlue = 12

// together is Solve with several members. The first works alone for a while: most questions are
// answered by then. Then they go on in rounds, and exchange lemmas after each.
func (b *cdclBackend) together(ctx context.Context, cnf *clauseLog, ass []cdcl.Lit) cdcl.Status {
	b.s.Pause(b.alone.propagations, b.alone.conflicts)
	if status := b.s.Solve(ctx, ass); !b.s.Paused() {
		return status
	}
	if b.limit > 0 && b.s.Bytes()*int64(b.jobs) > b.limit/2 {
		return b.dismiss(ctx, ass)
	}
	if !b.gather(ctx, cnf) {
		return cdcl.Unknown
	}
	members := append([]*member{&b.member}, b.others...)
	answers := make([]cdcl.Status, len(members))
	panics := make([]any, len(members))
	for ctx.Err() == nil {
		exchange(members)
		var wg sync.WaitGroup
		for i, m := range members {
			wg.Go(func() {
				defer func() { panics[i] = recover() }()
				answers[i] = m.s.Solve(ctx, ass)
			})
		}
		wg.Wait()
		for i, m := range members {
			switch {
			case panics[i] != nil:
				panic(panics[i])
			case answers[i] != cdcl.Unknown:
				b.winner = m
				return answers[i]
			}
		}
		bytes, full := int64(0), false
		for _, m := range members {
			bytes, full = bytes+m.s.Bytes(), full || m.s.Full()
		}
		if full || b.limit > 0 && bytes > b.limit {
			return b.dismiss(ctx, ass)
		}
	}
	return cdcl.Unknown
}

// dismiss sends the others away, for there is not the memory for them, and the first goes on alone.
func (b *cdclBackend) dismiss(ctx context.Context, ass []cdcl.Lit) cdcl.Status {
	b.others = nil
	b.s.ShareNothing()
	b.s.Pause(0, 0)
	return b.s.Solve(ctx, ass)
}

// gather makes the others at the first time, and gives them what they do not have of the log.
func (b *cdclBackend) gather(ctx context.Context, cnf *clauseLog) bool {
	fresh := b.others == nil
	for len(b.others) < b.jobs-1 {
		b.others = append(b.others, new(member))
	}
	for i, m := range append([]*member{&b.member}, b.others...) {
		if !m.feed(ctx, cnf) {
			return false
		}
		if fresh && i > 0 {
			m.s.Vary(i)
		}
		m.s.Share(sharedGlue)
		m.s.Pause(b.round.propagations, b.round.conflicts)
		if i > 0 { // the first may have to go on alone
			m.s.Limit = b.limit / int64(b.jobs)
		}
	}
	return true
}

// exchange gives each member what the others have learnt.
func exchange(members []*member) {
	lemmas := make([][]cdcl.Lemma, len(members))
	for i, m := range members {
		lemmas[i] = m.s.Shared()
	}
	for i, m := range members {
		for k, from := range lemmas {
			if k == i {
				continue
			}
			for _, l := range from {
				m.s.Take(l)
			}
		}
	}
}
