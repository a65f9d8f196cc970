// Package suite runs litmus tests, one or many thousands: files and options come
// in, a [verdict.Litmus] for every test goes out. The tests run side by side, and
// the results come in the order of the files.
package suite

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Options say how to run tests. The zero value means the model of each test's
// architecture, [engine.Auto], a test for every
// processor at a time, no limits.
type Options struct {
	Model   memory.Model
	Engine  engine.Name   // one that lists final states
	Workers int           // tests at a time
	Timeout time.Duration // for each test
	// Unroll bounds how many back edges a thread takes; 0:
	// 2 in [engine.Graphs], and in [engine.BMC] as many as it takes.
	Unroll int
	Solver string // of BMC
	// MemoryLimit bounds what the tests may hold together, in bytes; 0: three
	// quarters of what the machine has free.
	MemoryLimit int64
	// Witnesses asks for an execution of every test.
	Witnesses bool
	// Expected is what the tests are compared with; may be nil.
	Expected *Expected
}

// A UsageError says that options do not go together.
type UsageError struct{ Msg string }

func (e *UsageError) Error() string { return e.Msg }

// queue is how many tests may wait for one before them that takes long.
const queue = 256

// Run runs the tests and calls yield with what they came to, in the order of
// files. An error of yield ends it. When ctx ends, the tests that have begun
// are incomplete, and the others do not begin.
//
// The error is one of yield, a [UsageError], or the [program.Diagnostic] of a
// model that cannot be read.
func Run(ctx context.Context, files iter.Seq[File], opts Options, yield func(File, *verdict.Litmus) error) error {
	r, err := newRunner(opts)
	if err != nil {
		return err
	}
	return runAll(ctx, files, []*runner{r}, func(f File, ls []*verdict.Litmus) error { return yield(f, ls[0]) })
}

// RunModels is [Run] under each of several models. What yield is told has their order.
func RunModels(ctx context.Context, files iter.Seq[File], opts Options, models []memory.Model, yield func(File, []*verdict.Litmus) error) error {
	var rs []*runner
	for _, m := range models {
		opts.Model = m
		r, err := newRunner(opts)
		if err != nil {
			return err
		}
		rs = append(rs, r)
	}
	return runAll(ctx, files, rs, yield)
}

func runAll(ctx context.Context, files iter.Seq[File], rs []*runner, yield func(File, []*verdict.Litmus) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	next, stop := iter.Pull(files)
	defer stop()
	q := &line{next: next, yield: yield, cancel: cancel}
	q.room.L = &q.mu
	var wg sync.WaitGroup
	for range rs[0].opts.Workers {
		wg.Go(func() {
			for {
				j := q.take(ctx)
				if j == nil {
					return
				}
				f := j.file
				if f.Path == "-" && f.Err == nil { // which can be read once
					f.Source, f.Err = source(f)
				}
				for _, r := range rs {
					j.results = append(j.results, r.run(ctx, f))
				}
				q.done(j)
			}
		})
	}
	wg.Wait()
	if q.panicked != nil {
		panic(q.panicked)
	}
	return q.err
}

// A line is tests in order. Whoever works takes the next one, and whoever has done one hands over what is done
// so far: nobody waits for another, which with tests of a tenth of a millisecond takes longer than they do.
type line struct {
	mu       sync.Mutex
	room     sync.Cond // of who waits until fewer are before him
	next     func() (File, bool)
	yield    func(File, []*verdict.Litmus) error
	cancel   func()
	jobs     []*job // taken and not handed over, as the files came
	handing  bool   // somebody hands over
	over     bool   // there are no more to be taken
	err      error
	panicked any // by yield
}

// A job is a test that is worked on.
type job struct {
	file    File
	results []*verdict.Litmus
	done    bool
}

// take is the next test; nil where there is none.
func (q *line) take(ctx context.Context) *job {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.jobs) >= queue && !q.over {
		q.room.Wait()
	}
	if q.over || ctx.Err() != nil {
		return nil
	}
	f, ok := q.next()
	if !ok {
		q.over = true
		return nil
	}
	j := &job{file: f}
	q.jobs = append(q.jobs, j)
	return j
}

// done hands over what is done of those before all others, unless somebody is at it.
func (q *line) done(j *job) {
	q.mu.Lock()
	defer q.mu.Unlock()
	j.done = true
	if q.handing {
		return
	}
	q.handing = true
	for len(q.jobs) > 0 && q.jobs[0].done {
		first := q.jobs[0]
		q.jobs = q.jobs[1:]
		q.room.Signal()
		if q.err == nil && q.panicked == nil {
			q.hand(first)
		}
	}
	q.handing = false
}

// hand calls yield, while others may go on.
func (q *line) hand(j *job) {
	q.mu.Unlock()
	var err error
	var panicked any
	func() {
		defer func() { panicked = recover() }()
		err = q.yield(j.file, j.results)
	}()
	q.mu.Lock()
	if q.err, q.panicked = err, panicked; err != nil || panicked != nil {
		q.over = true
		q.cancel()
		q.room.Broadcast()
	}
}

// A runner runs one test after the other, on any number of goroutines.
type runner struct {
	opts Options
	auto bool     // the engine is what suits the test
	defs sync.Map // by architecture: the definition of the model, or an error
}

// modelFor is the model that a program is run under.
func (r *runner) modelFor(p *program.Program) memory.Model {
	return cmp.Or(r.opts.Model, memory.Default(p.Arch))
}

// definition is what a model says of programs of an architecture.
func (r *runner) definition(m memory.Model, a program.Arch) (*memory.Definition, error) {
	if d, ok := r.defs.Load(a); ok {
		if err, ok := d.(error); ok {
			return nil, err
		}
		return d.(*memory.Definition), nil
	}
	d, err := memory.LoadFor(m, a)
	if err != nil {
		err = modelError(m, err)
		r.defs.Store(a, err)
		return nil, err
	}
	r.defs.Store(a, d)
	return d, nil
}

// engineFor is the engine for a program under a model.
func (r *runner) engineFor(p *program.Program, m memory.Model) engine.Name {
	switch {
	case !r.auto:
		return r.opts.Engine
	case engine.AxiomsOnly(p, m):
		return engine.Graphs
	}
	return engine.Explicit
}

func newRunner(opts Options) (*runner, error) {
	opts.Engine = cmp.Or(opts.Engine, engine.Auto)
	r := &runner{auto: opts.Engine == engine.Auto}
	if !r.auto {
		e, err := engine.Lookup(opts.Engine)
		if err == nil {
			err = e.Refusal(verdict.FinalStates, cmp.Or(opts.Model, memory.TSO))
		}
		if err != nil {
			return nil, &UsageError{err.Error()}
		}
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if opts.MemoryLimit == 0 {
		opts.MemoryLimit = states.DefaultMemoryLimit()
	}
	opts.MemoryLimit /= int64(opts.Workers)
	r.opts = opts
	if opts.Model != "" && !builtin(opts.Model) {
		d, err := memory.Load(opts.Model)
		if err != nil {
			return nil, modelError(opts.Model, err)
		}
		r.defs.Store(d.Arch, d)
	}
	return r, nil
}

// modelError is err as the diagnostic of a file with a model.
func modelError(m memory.Model, err error) error {
	var d *program.Diagnostic
	if errors.As(err, &d) {
		return err
	}
	return lang.Unreadable(string(m), err)
}

func builtin(m memory.Model) bool { return m.Operational() }

// errForeign is in the errors of tests for whose architecture the model is not.
var errForeign = errors.New("the model is for another architecture")

// A Panic is a panic inside a test.
type Panic struct {
	Value any
	Stack []byte
}

func (p *Panic) Error() string { return fmt.Sprint(p.Value) }

// run is one test, whatever happens to it.
func (r *runner) run(ctx context.Context, f File) (l *verdict.Litmus) {
	defer func() {
		if v := recover(); v != nil {
			l = &verdict.Litmus{File: f.Path, Err: &Panic{v, debug.Stack()}}
		}
	}()
	start := time.Now()
	if r.opts.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, r.opts.Timeout)
		defer cancel()
	}
	l, err := r.test(ctx, f)
	if err != nil {
		return &verdict.Litmus{File: f.Path, Err: err, Foreign: errors.Is(err, errForeign)}
	}
	l.Elapsed = time.Since(start)
	if r.opts.Expected != nil {
		l.Differences = r.opts.Expected.compare(f, l)
	}
	return l
}

// stopped says why ctx ended.
func stopped(ctx context.Context) string {
	if errors.Is(context.Cause(ctx), context.DeadlineExceeded) {
		return "stopped by the time limit"
	}
	return "stopped from outside"
}
