package refine

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
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Robustness is what [Robust] has to say about a program.
type Robustness uint8

const (
	// RobustnessUnknown: neither was shown. Reason says how far it got.
	RobustnessUnknown Robustness = iota
	// IsRobust: the happens-before relations of the program's computations
	// under TSO are those of its computations under SC (thesis 2.3.3). So
	// the two reach the same states with empty buffers.
	//
	// A computation ends with empty buffers. In a program in which a thread
	// may take the lock and never give it back, other threads' stores may
	// be held up, and what such a thread sees then is not spoken of.
	IsRobust
	// NotRobust: Run is a computation under TSO whose happens-before
	// relation has a cycle, and so is that of no computation under SC.
	NotRobust
)

func (r Robustness) String() string { return [...]string{"UNKNOWN", "ROBUST", "NOT ROBUST"}[r] }

// A RobustResult is the answer of [Robust] or [TRF].
type RobustResult struct {
	Program *program.Program
	Verdict Robustness
	Reason  string  // RobustnessUnknown: how far it got and why it stopped
	Advice  string  // what to try next; may be empty
	Attack  *Attack // of the run; nil where the engine knows none
	// Run is the witness, replayed under TSO. Of [TRF] it is a run under SC
	// up to the race.
	Run *verdict.Run
	// Cycle is the happens-before cycle of the run, from event to event and
	// back to the first.
	Cycle []CycleEdge
	// Execution is all accesses of the run that Cycle is in, with those that
	// are not in it; Accesses is the same by event. Initial writes have no
	// Access: their Thread is [memory.InitialThread].
	Execution *memory.Graph
	Accesses  []Access
	Elapsed   time.Duration
	Stats     []verdict.Stat
}

// Stat is the figure of that name, or 0.
func (r *RobustResult) Stat(name string) int64 {
	for _, s := range r.Stats {
		if s.Name == name {
			return s.Value
		}
	}
	return 0
}

// Robust decides whether p is robust against TSO. It speaks of all computations
// of p and of no property. Loops are no obstacle: where the data are finite, so
// is the search. With the engine BMC, the threads are unrolled and a SAT solver
// looks for the cycle; there is no attack then. When ctx ends first the verdict is
// RobustnessUnknown. An error is a [program.Diagnostic] for an input that has no
// meaning, and anything else is an error inside Fencepost.
//
// A program that can be at fault under SC, by a division by zero say, has no meaning
// either. The search says so where it comes by a fault; it does not look for one, and
// the engine BMC does not see any.
func Robust(ctx context.Context, p *program.Program, opts Options) (*RobustResult, error) {
	if opts.Engine == BMC {
		return robustBMC(ctx, p, opts)
	}
	start := time.Now()
	x, err := newRobustness(p, opts)
	if err != nil {
		return nil, err
	}
	x.findThreats()
	res := &RobustResult{Program: p}
	w, err := x.search(ctx, x.threats)
	if err != nil {
		return nil, err
	}
	x.conclude(ctx, res)
	if w != nil {
		res.Verdict, res.Reason, res.Advice = NotRobust, "", ""
		if err := w.evidence(x.x.Ranges, p, res); err != nil {
			return nil, err
		}
	}
	res.Elapsed = time.Since(start)
	return res, nil
}

// robustness is what the searches for witnesses in one program share.
type robustness struct {
	p       *program.Program
	opts    Options
	x       *abstract.System
	threats []*threat
	// prefixes makes computations count that end with stores in the buffers,
	// as stores that come last. That makes a difference only where a thread
	// holds the lock for ever. By the definition of the thesis they do not
	// count; but a property may look at them.
	prefixes bool
	race     bool // look for triangular races

	states, searches atomic.Int64
	attacks, pruned  int
	incomplete       bool
	memory           atomic.Int64 // bytes held by searches that are not over
	progress         sync.Mutex
	shown            time.Time
}

func newRobustness(p *program.Program, opts Options) (*robustness, error) {
	r, err := program.Analyse(p)
	if err != nil {
		return nil, err
	}
	return newRobustnessOf(p, r, opts.withDefaults())
}

func newRobustnessOf(p *program.Program, r *program.Ranges, opts Options) (*robustness, error) {
	sys, err := abstract.New(p, r, shadow{}, 0)
	if err != nil {
		return nil, err
	}
	return &robustness{p: p, opts: opts, x: sys}, nil
}

// findThreats lists what every thread could do to robustness.
func (x *robustness) findThreats() {
	p := x.p
	x.threats = threats(p, x.x.Ranges)
	for ti, t := range p.Threads {
		stores, loads := 0, 0
		for i := range t.Edges {
			switch t.Edges[i].Cmd.Op {
			case program.Store:
				stores++
			case program.Load:
				loads++
			}
		}
		x.attacks += stores * loads
		distinct := map[Attack]bool{}
		for _, a := range x.threats[ti].attacks {
			distinct[a] = true
		}
		x.pruned += stores*loads - len(distinct)
	}
}

// robustnessDecides is true where a violation under TSO of a robust program is
// one under SC: no property but of final states looks at memory. In a computation
// with stores in buffers, control states and registers are those of one that
// flushes them; memory is not. And that they can be flushed takes that no other
// thread holds the lock, so in a program with locks no property but of final
// states may look at several threads at once.
func robustnessDecides(p *program.Program) bool {
	locks := false
	for _, t := range p.Threads {
		locks = locks || slices.ContainsFunc(t.Edges, func(e program.Edge) bool { return e.Cmd.Op == program.Lock })
	}
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

// conclude says what it means that no witness was found.
func (x *robustness) conclude(ctx context.Context, res *RobustResult) {
	res.Stats = []verdict.Stat{
		{Name: "attacks", Value: int64(x.attacks)},
		{Name: "attacks pruned", Value: int64(x.pruned)},
		{Name: "searches", Value: x.searches.Load()},
		{Name: "states", Value: x.states.Load()},
	}
	if !x.incomplete {
		res.Verdict = IsRobust
		return
	}
	res.Reason = fmt.Sprintf("no witness among %d states", x.states.Load())
	if ctx.Err() != nil {
		res.Reason += "; stopped " + because(ctx)
		res.Advice = "allow more time"
	} else {
		res.Reason += "; stopped by the memory limit"
		res.Advice = "allow more memory"
	}
}

// A witness is what a search has found: the threads' moves under the
// instrumented semantics.
type witness struct {
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
func (x *robustness) search(ctx context.Context, threats []*threat) (*witness, error) {
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
				if th.with(x.x.Program, x.x.Ranges, t) {
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
			x.memory.Store(0)
			pending = whole
			if w, err := x.round(ctx, pending, limit); w != nil || err != nil {
				return w, err
			}
		}
		pending = slices.DeleteFunc(pending, func(s *witnessSearch) bool { return s.x == nil })
		if len(pending) == 0 {
			return nil, nil
		}
		if ctx.Err() != nil || x.incomplete || x.outOfMemory() {
			x.incomplete = true
			return nil, nil
		}
	}
}

// symmetric is true of a threat whose thread runs the same automaton as that of
// an earlier one: exchanging the two is an automorphism of the program.
func (x *robustness) symmetric(threats []*threat, th *threat) bool {
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
func (x *robustness) round(ctx context.Context, searches []*witnessSearch, limit int) (*witness, error) {
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
		found *witness
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
func (x *robustness) resume(ctx context.Context, s *witnessSearch, limit int) (w *witness, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	if s.seen == nil {
		*s = *newWitnessSearch(x.x, s.threat, s.active, x.prefixes, x.race)
		x.searches.Add(1)
	}
	over := false
	for !over && len(s.seen.order) <= limit && ctx.Err() == nil && !x.outOfMemory() {
		had, held := len(s.seen.order), s.seen.bytes()
		over = s.run(ctx, min(limit, had+1<<15))
		x.states.Add(int64(len(s.seen.order) - had))
		x.memory.Add(s.seen.bytes() - held)
		x.show()
	}
	switch {
	case s.stray != nil:
		return nil, s.stray
	case s.fault != nil:
		return nil, s.fault
	case s.found:
		w = &witness{attacker: s.threat.thread, moves: s.moves()}
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
		x.memory.Add(-s.seen.bytes())
		s.x, s.seen = nil, nil
	}
	return w, nil
}

func (x *robustness) outOfMemory() bool { return x.memory.Load() > x.opts.MemoryLimit }

func (x *robustness) show() {
	x.progress.Lock()
	defer x.progress.Unlock()
	if x.opts.Progress != nil && time.Since(x.shown) > 200*time.Millisecond {
		x.shown = time.Now()
		x.opts.Progress(fmt.Sprintf("robustness: %d states", x.states.Load()))
	}
}
