package engine

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/refine"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A race is the members of the portfolio at work on one program. They begin in stages, and share
// the processors by their weights.
type race struct {
	p     *program.Program
	opts  Options
	shape atomic.Pointer[Shape]
	turns *turns
	board *board

	cancel context.CancelFunc
	done   chan struct{} // closed when nobody is at work any more
	mu     sync.Mutex    // of what follows

	// Everybody has a part of the memory, and who leaves leaves it to the others.
	memory  *states.Budget
	share   int64 // of each, in the beginning
	budgets map[*states.Budget]bool

	stages  []stage
	stage   int           // that has begun last
	proofs  bool          // they count
	leader  atomic.Int32  // the stage, while what others find waits for its leader; else noLeader
	resume  chan struct{} // closed when the search under SC may go on, by goOn
	goOn    func()
	running int
	held    []*answer // of those beside the leaders, until the head starts are over
	answers []answer
	winner  *answer
	failure error
	looking sync.WaitGroup // who completes the shape
	panic   any            // of his
}

// A stage is engines that begin together. The first of them leads: the next stage begins when it
// is at its milestone, or has ended without a conclusion. What the others find, and earlier leaders, waits for the last
// stage to begin, or for the end, so that a leader that finds something on its way to the milestone does
// so every time, however fast the others are. A proof does not wait for so long: then there is nothing to be found.
type stage struct {
	engines   []Engine
	milestone int64 // states; 0: none
	proofs    int64 // states of the leader from which on proofs count; 0: as what else is found
}

// An answer is what an engine of a race came to.
type answer struct {
	engine Engine
	result *verdict.Result
	err    error
}

// members are the engines that race about p.
func members(p *program.Program, m memory.Model) []Engine {
	s := shapeOf(p, m)
	return slices.DeleteFunc(Engines(), func(e Engine) bool { return e.Weight == nil || e.Weight(s, Work{}) == 0 || s.Wide && !e.joins(m) })
}

func newRace(p *program.Program, opts Options, stages ...stage) *race {
	opts.Workers, opts.Compact, opts.Spill = 1, false, nil
	if opts.MemoryLimit == 0 {
		opts.MemoryLimit = states.DefaultMemoryLimit()
	}
	r := &race{p: p, opts: opts, board: newBoard(opts.Progress), turns: newTurns(runtime.GOMAXPROCS(0)),
		memory: states.NewBudget(opts.MemoryLimit), budgets: map[*states.Budget]bool{},
		done: make(chan struct{}), stages: stages, stage: -1, resume: make(chan struct{})}
	r.shape.Store(shapeOf(p, opts.Model))
	r.goOn = sync.OnceFunc(func() { close(r.resume) })
	return r
}

// run is the whole of it. All who have begun are waited for, the losers too: they hold memory, and
// an answer that contradicts the winner's must not go unnoticed.
func (r *race) run(ctx context.Context) (*verdict.Result, error) {
	ctx, r.cancel = context.WithCancel(ctx)
	defer func() {
		if r.looking.Wait(); r.panic != nil {
			panic(r.panic)
		}
	}()
	defer r.cancel()
	n := int64(0)
	for _, st := range r.stages {
		n += int64(len(st.engines))
	}
	r.share = r.opts.MemoryLimit / n
	r.mu.Lock()
	r.advance(ctx)
	r.mu.Unlock()
	<-r.done
	switch {
	case r.failure != nil: // even where another has won: it is a defect
		return nil, r.failure
	case r.winner != nil:
		return r.winner.result, nil
	}
	if r.stage < len(r.stages)-1 && len(r.stages[r.stage+1].engines) > 0 {
		next := r.stages[r.stage+1].engines
		r.answers = append(r.answers, answer{engine: next[0], result: verdict.Unknown(r.p, r.opts.Model, "not begun, stopped "+verdict.Because(ctx))})
	}
	return neither(r.p, r.opts, r.answers), nil
}

// noLeader is no stage, and not what those have who do not lead.
const noLeader = -2

// reached notes that the leader of a stage is at a milestone. Members tell such things themselves: a
// goroutine that has to be woken for it waits for a processor behind those who are at work.
func (r *race) reached(ctx context.Context, stage int, early bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.proofs = r.proofs || early
	if stage == r.stage && !early {
		r.advance(ctx)
	}
	r.release()
}

// left notes that one has left, with an answer; stage is the one that he led, or -1.
func (r *race) left(ctx context.Context, stage int, a *answer, b *states.Budget) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
	r.bequeath(b)
	if stage == r.stage { // the head start is over
		r.judge(a)
		r.advance(ctx)
	} else {
		r.held = append(r.held, a)
	}
	r.release()
	if r.running == 0 {
		close(r.done)
	}
}

// release has the answers judged that need not wait any more.
func (r *race) release() {
	all := r.stage >= len(r.stages)-1 || r.running == 0
	r.held = slices.DeleteFunc(r.held, func(a *answer) bool {
		counts := all || r.proofs && a.err == nil && a.result.Safe()
		if counts {
			r.judge(a)
		}
		return counts
	})
}

// advance begins the next stage, unless the race is decided. The lock is held, by it and by what it calls.
func (r *race) advance(ctx context.Context) {
	if ctx.Err() != nil && r.stage >= 0 { // somebody is to say that there was no time
		return
	}
	r.stage++
	r.leader.Store(int32(r.stage))
	if r.stage >= len(r.stages)-1 {
		r.leader.Store(noLeader)
	}
	if r.stage == len(r.stages)-1 {
		r.goOn()
	}
	if r.stage >= len(r.stages) {
		return
	}
	if r.stage == 1 || len(r.stages) == 1 { // it is more than a little that there is to do
		r.looking.Go(func() {
			defer func() { r.panic = recover() }()
			s := r.shape.Load().look(ctx, r.p)
			if r.shape.Store(s); s.Robust { // there is no more to know of the states under TSO than of those under SC
				r.goOn()
			}
		})
	}
	st := r.stages[r.stage]
	for i, e := range st.engines {
		opts, leads := r.opts, -1
		opts.Progress = r.board.of(e.Name)
		if i == 0 {
			leads = r.stage
			for _, n := range []int64{st.proofs, st.milestone} {
				if n > 0 {
					opts.milestones = append(opts.milestones, n)
				}
			}
			left := len(opts.milestones)
			opts.reached = func() {
				left--
				r.reached(ctx, leads, left > 0)
			}
		}
		opts.Budget = r.memory.Child(r.share)
		opts.MemoryLimit = r.share
		r.budgets[opts.Budget] = true
		var ahead atomic.Int64
		opts.ahead = func(processors int) { ahead.Store(int64(processors)) }
		t := r.turns.join(ctx, func(w Work) float64 {
			w.Leads, w.Ahead = leads == int(r.leader.Load()), ahead.Load() > 0
			return e.Weight(r.shape.Load(), w)
		}, func() int { return int(ahead.Load()) })
		r.running++
		go func() {
			a := ask(t, r.p, opts, e)
			r.board.leave(e.Name)
			r.left(ctx, leads, &a, opts.Budget)
			t.leave()
		}()
	}
}

// bequeath gives the part of one that has left to the others.
func (r *race) bequeath(b *states.Budget) {
	b.Close()
	delete(r.budgets, b)
	for heir := range r.budgets {
		heir.Raise(b.Limit() / int64(len(r.budgets)))
	}
}

// judge takes note of an answer, and ends the race where that is one.
func (r *race) judge(a *answer) {
	r.answers = append(r.answers, *a)
	switch {
	case a.err != nil:
		if r.failure == nil {
			r.failure = fmt.Errorf("%s: %w", a.engine.Name, a.err)
		}
		r.cancel()
	case !a.result.Conclusive():
	case r.winner != nil && r.winner.result.Safe() != a.result.Safe():
		r.failure = fmt.Errorf("the engines disagree: %s says %s, %s says %s",
			r.winner.engine.Name, r.winner.result.Verdict(), a.engine.Name, a.result.Verdict())
		r.cancel()
	case r.winner == nil || !r.opts.enough(r.winner.result):
		if r.winner = a; r.opts.enough(a.result) {
			r.cancel()
		}
	}
}

// ask is one member's part in a race.
func ask(ctx context.Context, p *program.Program, opts Options, e Engine) (a answer) {
	a.engine = e
	defer func() {
		if x := recover(); x != nil {
			a.err = fmt.Errorf("panic: %v\n%s", x, debug.Stack())
		}
	}()
	opts.Engine = e.Name
	if a.result, a.err = e.decide(ctx, e.Sees(p), opts); a.err == nil {
		a.result.Engine = cmp.Or(a.result.Engine, string(e.Name))
		advise(a.result, verdict.Safety, opts.Model)
	}
	return a
}

// underSC names the member that searches under SC for an answer about a model that lazy search
// is not for. It is no engine that can be asked for.
const underSC Name = "explicit under sc"

// searchSC is the member that searches under SC. It waits at its milestone, and in any case before
// anything else, until the search under the model in question has had its head start, too, unless
// store buffers are seen to make no difference. Where
// lazy search is among the members, this is its beginning.
func (r *race) searchSC(lazies []Engine) Engine {
	e := Engine{Name: underSC, Weight: func(*Shape, Work) float64 { return 0.15 }}
	var lazy *Engine
	if len(lazies) > 0 {
		lazy = &lazies[0]
		e.Name, e.Weight = lazy.Name, lazy.Weight
	}
	e.Check = func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
		start := time.Now()
		told := false
		first := opts.explore()
		first.Model = memory.SC
		first.Reached = func() {
			told = true
			opts.reached()
			ctx.(*turn).rest(r.resume)
		}
		found, err := explore.Check(ctx, p, first)
		if err != nil {
			return nil, err
		}
		if found.Argument() == verdict.NoProperty {
			none := verdict.Safe(p, opts.Model, verdict.NoProperty, nil)
			none.Effort = found.Effort
			return none, nil
		}
		// A deadlock under SC need not be one where a store can still be buffered.
		if v := found.Violation(); v != nil && (v.Property == nil || v.Property.Kind != program.Deadlock) {
			return buffered(p, found, opts.Model)
		}
		if lazy != nil && found.Safe() {
			if !told {
				first.Reached()
			}
			goOn := opts.refine()
			goOn.UnderSC = found
			res, err := refine.Lazy(ctx, p, goOn)
			if err == nil {
				res.Engine, res.Elapsed = string(lazy.Name), time.Since(start)
			}
			return res, err
		}
		// What is known of SC is no answer about another model.
		reason := "there is no violation under sc"
		switch {
		case found.Unsafe():
			reason = "there is a deadlock under sc"
		case !found.Conclusive():
			reason = "the search under sc: " + found.Reason()
		}
		res := verdict.Unknown(p, opts.Model, reason)
		res.Stats, res.Advice = found.Stats, found.Advice
		return res, nil
	}
	return e
}
