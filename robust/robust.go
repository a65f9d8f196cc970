// Package robust decides whether buffering stores makes a difference to a program: whether
// it is robust against TSO (thesis 2.3.3, 3.1.2; Bouajjani, Derevenetc, Meyer, "Checking and
// Enforcing Robustness against TSO", ESOP 2013), or free of triangular races. It searches for
// a witness attack by attack in one instrumented transition system ([Check], [Races]), or
// asks a SAT solver ([Unrolled]). Programs go in, a [verdict.RobustResult] comes out.
//
// Lazy TSO reachability and the synthesis of fences ask for witnesses, one by one: see
// [Search].
package robust

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Options say how to search.
type Options struct {
	// MemoryLimit bounds what the searches may hold, in bytes; 0: three quarters of
	// what the machine has free.
	MemoryLimit int64
	// Progress, where not nil, is called now and then with a line that says how
	// far the searches are. Calls do not overlap.
	Progress func(line string)
	// Pending makes computations count that end with stores in the buffers,
	// as stores that come last. That makes a difference only where a thread
	// holds the lock for ever. By the definition of the thesis they do not
	// count; but a property may look at them.
	Pending bool
}

// Check decides whether p is robust against TSO. It speaks of all computations
// of p and of no property. Loops are no obstacle: where the data are finite, so
// is the search. When ctx ends first the verdict is Unknown. An error is a
// [program.Diagnostic] for an input that has no meaning, and anything else is an
// error inside Fencepost.
//
// A program that can be at fault under SC, by a division by zero say, has no meaning
// either. The search says so where it comes by a fault; it does not look for one.
func Check(ctx context.Context, p *program.Program, opts Options) (*verdict.RobustResult, error) {
	return decide(ctx, p, verdict.Robustness, opts)
}

// unwide is why nothing is said of a program.
const unwide = "attacks are not looked for in programs with accesses of several sizes to one cell"

func decide(ctx context.Context, p *program.Program, about verdict.Question, opts Options) (*verdict.RobustResult, error) {
	start := time.Now()
	if p.Wide() {
		return verdict.RobustUnknown(p, about, unwide), nil
	}
	r, err := program.AnalyseContext(ctx, p)
	if err != nil {
		return verdict.RobustEarly(ctx, p, about, err)
	}
	s, err := NewSearch(p, r, about, opts)
	if err != nil {
		return nil, err
	}
	w, err := s.Find(ctx)
	if err != nil {
		return nil, err
	}
	var res *verdict.RobustResult
	if w != nil {
		e, err := w.evidence(r)
		if err != nil {
			return nil, err
		}
		res = verdict.NotRobust(p, about, e)
	} else if reason, advice := s.Gap(ctx); reason != "" {
		res = verdict.RobustUnknown(p, about, reason)
		res.Advice = advice
	} else {
		res = verdict.Robust(p, about)
	}
	res.Stats = s.stats()
	res.Elapsed = time.Since(start)
	return res, nil
}

// A Search looks for witnesses in one program.
type Search struct {
	p       *program.Program
	opts    Options
	x       *abstract.System
	race    bool      // look for triangular races
	threats []*threat // by thread; nil where nobody has asked yet

	states, searches atomic.Int64
	incomplete       bool
	budget           *states.Budget
	progress         sync.Mutex
	pulse            verdict.Pulse
}

// NewSearch looks in p, whose ranges are r, for witnesses against what about names:
// [verdict.Robustness] or [verdict.RaceFreedom].
func NewSearch(p *program.Program, r *program.Ranges, about verdict.Question, opts Options) (*Search, error) {
	sys, err := abstract.New(p, r, shadow{}, 0)
	if err != nil {
		return nil, err
	}
	return &Search{p: p, opts: opts, x: sys, budget: states.NewBudget(opts.MemoryLimit), race: about == verdict.RaceFreedom, threats: make([]*threat, len(p.Threads))}, nil
}

// threat is what a thread could do to robustness. Where ctx ends before all of that is known, a witness may be missed.
func (x *Search) threat(ctx context.Context, thread int) *threat {
	if th := x.threats[thread]; th != nil {
		return th
	}
	th := newThreat(ctx, x.p, x.x.Ranges, thread, x.race)
	if ctx.Err() != nil {
		x.incomplete = true
		return th
	}
	x.threats[thread] = th
	return th
}

// Find is a witness whose attacker is one of the threads, or any where none is named;
// nil where there is none, or, as [Search.Gap] tells, none was found.
func (x *Search) Find(ctx context.Context, threads ...int) (*Witness, error) {
	if len(threads) == 0 {
		for t := range x.p.Threads {
			threads = append(threads, t)
		}
	}
	var threats []*threat
	for _, t := range threads {
		threats = append(threats, x.threat(ctx, t))
	}
	return x.search(ctx, threats)
}

// Delay is the edges of a thread from its first delayed store to its last load, in
// some witness; nil where there is none, or none was found. In the delay the thread
// takes at most so many rounds, which are edges for which counts is true, and bounded
// is whether that kept it from anything. Less than 0 rounds are no bound.
func (x *Search) Delay(ctx context.Context, thread, rounds int, counts func(edge int) bool) (path []int, bounded bool, err error) {
	th := x.threat(ctx, thread)
	th.rounds, th.counts, th.bounded = rounds, counts, false
	if rounds < 0 {
		th.counts = nil
	}
	w, err := x.search(ctx, []*threat{th})
	if w == nil || err != nil {
		return nil, th.bounded, err
	}
	for _, m := range w.moves {
		if m.Thread == thread && (len(path) > 0 || m.kind == delayMove) {
			path = append(path, m.Edge)
		}
	}
	return path, th.bounded, nil
}

// Decides is true of a program of which a violation under TSO, if it is robust, is
// one under SC: no property but of final states looks at memory. In a computation
// with stores in buffers, control states and registers are those of one that
// flushes them; memory is not. And that they can be flushed takes that no other
// thread holds the lock, so in a program with locks no property but of final
// states may look at several threads at once.
func Decides(p *program.Program) bool {
	locks := flow.Locks(p)
	ok := true
	for i := range p.Properties {
		if pr := &p.Properties[i]; !pr.Final() {
			ok = ok && !locks
			program.Walk(pr.Cond, func(e program.Expr) {
				if _, mem := e.(program.Mem); mem {
					ok = false
				}
			})
		}
	}
	return ok
}

// stats is what it took.
func (x *Search) stats() []verdict.Stat {
	attacks, pruned := 0, 0
	for ti, t := range x.p.Threads {
		if x.race { // attacks are not what it looks for
			break
		}
		if x.threats[ti] == nil { // it was not found out in time
			continue
		}
		stores, loads := 0, 0
		for i := range t.Edges {
			switch t.Edges[i].Cmd.Op {
			case program.Store:
				stores++
			case program.Load:
				loads++
			}
		}
		attacks += stores * loads
		distinct := map[verdict.Attack]bool{}
		for _, a := range x.threats[ti].attacks {
			distinct[a] = true
		}
		pruned += stores*loads - len(distinct)
	}
	return []verdict.Stat{
		{Name: "attacks", Value: int64(attacks)},
		{Name: "attacks pruned", Value: int64(pruned)},
		{Name: "searches", Value: x.searches.Load()},
		{Name: "states", Value: x.states.Load()},
	}
}

// Gap is why a witness may have been missed, and what may help; "" where nothing was
// left out.
func (x *Search) Gap(ctx context.Context) (reason, advice string) {
	if !x.incomplete {
		return "", ""
	}
	reason = fmt.Sprintf("no witness among %d states", x.states.Load())
	if ctx.Err() != nil {
		return reason + "; stopped " + verdict.Because(ctx), "allow more time"
	}
	return reason + "; stopped by the memory limit", "allow more memory"
}

// A Witness is what a search has found: the threads' moves under the
// instrumented semantics.
type Witness struct {
	p        *program.Program
	race     bool
	attacker int
	moves    []witnessMove
}

// firstRound is how many states a search may store before the others get their
// turn; each further round allows more.
const (
	firstRound  = 1 << 12
	roundGrowth = 8
)

// search looks for a witness by one of the threats. Witnesses rarely need more
// than two threads, so every attacker is first tried with each other thread on
// its own while the rest does not move: such a witness is one of the whole
// program. Searches that do not end in a round are resumed in the next with a
// larger allowance, so that a search without an end does not keep others from
// finding something. The outcome does not depend on the timing: of the
// witnesses of a round, that of the first search counts.
func (x *Search) search(ctx context.Context, threats []*threat) (*Witness, error) {
	var pairs, whole []*witnessSearch
	for _, th := range threats {
		if len(th.targets) == 0 || x.symmetric(threats, th) {
			continue
		}
		active := []int{th.thread}
		for t := range x.p.Threads {
			if th.relevant[t] && t != th.thread {
				active = append(active, t)
			}
		}
		whole = append(whole, &witnessSearch{threat: th, active: active})
		if len(active) > 2 {
			for _, t := range active[1:] {
				if th.with(x.x.Ranges, t) {
					pairs = append(pairs, &witnessSearch{threat: th, active: []int{th.thread, t}})
				}
			}
		}
	}
	pending := pairs
	for limit := firstRound; ; limit *= roundGrowth {
		if w, err := x.round(ctx, pending, limit); w != nil || err != nil {
			return w, err
		}
		if limit == firstRound {
			// The pairs had their chance: what is left of them is in
			// the searches of the whole.
			for _, s := range pairs {
				s.release()
			}
			pending = whole
			if w, err := x.round(ctx, pending, limit); w != nil || err != nil {
				return w, err
			}
		}
		pending = slices.DeleteFunc(pending, func(s *witnessSearch) bool { return s.x == nil })
		if len(pending) == 0 {
			return nil, nil
		}
		if ctx.Err() != nil || x.incomplete || x.budget.Over() {
			x.incomplete = true
			return nil, nil
		}
	}
}

// symmetric is true of a threat whose thread runs the same automaton as that of
// an earlier one: exchanging the two is an automorphism of the program.
func (x *Search) symmetric(threats []*threat, th *threat) bool {
	for _, o := range threats {
		if o.thread == th.thread {
			return false
		}
		if sameAutomaton(x.p.Threads[o.thread], x.p.Threads[th.thread]) {
			return true
		}
	}
	return false
}

// round resumes every search until it is over or holds limit states. Those that
// are over are released: their x is nil.
func (x *Search) round(ctx context.Context, searches []*witnessSearch, limit int) (*Witness, error) {
	// What comes after the first that is done is called off.
	contexts := make([]context.Context, len(searches))
	cancels := make([]context.CancelFunc, len(searches))
	for i := range searches {
		contexts[i], cancels[i] = context.WithCancel(ctx)
		defer cancels[i]()
	}
	var (
		mu    sync.Mutex
		next  int
		best  = len(searches) // the first search that came to a witness or an error
		found *Witness
		fail  error
		wg    sync.WaitGroup
	)
	work := func() {
		defer wg.Done()
		for {
			mu.Lock()
			i := next
			next++
			stop := i >= best
			mu.Unlock()
			if stop {
				return
			}
			w, err := x.resume(contexts[i], searches[i], limit)
			mu.Lock()
			if (w != nil || err != nil) && i < best {
				best, found, fail = i, w, err
				for _, cancel := range cancels[i:] {
					cancel()
				}
			}
			mu.Unlock()
		}
	}
	workers := min(runtime.GOMAXPROCS(0), len(searches))
	for range workers {
		wg.Add(1)
		go work()
	}
	wg.Wait()
	return found, fail
}

// resume runs s up to limit states.
func (x *Search) resume(ctx context.Context, s *witnessSearch, limit int) (w *Witness, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	if s.seen == nil {
		*s = *newWitnessSearch(x.x, s.threat, s.active, x.opts.Pending, x.race, x.budget.Child(0))
		x.searches.Add(1)
	}
	over := false
	for !over && s.seen.Len() <= limit && ctx.Err() == nil && !x.budget.Over() {
		had := s.seen.Len()
		over = s.run(ctx, min(limit, had+1<<15))
		x.states.Add(int64(s.seen.Len() - had))
		x.show()
	}
	switch {
	case s.stray != nil:
		return nil, s.stray
	case s.fault != nil:
		return nil, s.fault
	case s.found:
		w = &Witness{x.p, x.race, s.threat.thread, s.moves()}
		if w.moves == nil {
			return nil, fmt.Errorf("internal error: the way to a witness is lost")
		}
	case s.full:
		x.progress.Lock()
		x.incomplete = true
		x.progress.Unlock()
	}
	if s.bounded {
		x.progress.Lock()
		s.threat.bounded = true
		x.progress.Unlock()
	}
	if over {
		s.release()
	}
	return w, nil
}

// release lets go of what a search holds, which is over then.
func (s *witnessSearch) release() {
	if s.budget != nil {
		s.budget.Close()
	}
	s.x, s.seen, s.budget = nil, nil, nil
}

func (x *Search) show() {
	x.progress.Lock()
	defer x.progress.Unlock()
	x.pulse.Tell = x.opts.Progress
	x.pulse.Beat("robustness: %d states", x.states.Load())
}
