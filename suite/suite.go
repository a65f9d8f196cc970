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
	return runAll(ctx, files, opts, []*runner{r}, func(f File, ls []*verdict.Litmus) error { return yield(f, ls[0]) })
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
	return runAll(ctx, files, opts, rs, yield)
}

func runAll(ctx context.Context, files iter.Seq[File], opts Options, rs []*runner, yield func(File, []*verdict.Litmus) error) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	type job struct {
		file   File
		result chan []*verdict.Litmus
	}
	order := make(chan job, queue) // as the files came
	work := make(chan job)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() {
		defer close(order)
		defer close(work)
		for f := range files {
			j := job{f, make(chan []*verdict.Litmus, 1)}
			// A job that is in order is worked on, so that nobody waits
			// for it in vain.
			if ctx.Err() != nil {
				return
			}
			select {
			case order <- j:
				work <- j
			case <-ctx.Done():
				return
			}
		}
	})
	for range rs[0].opts.Workers {
		wg.Go(func() {
			for j := range work {
				f := j.file
				if f.Path == "-" && f.Err == nil { // which can be read once
					f.Source, f.Err = source(f)
				}
				var ls []*verdict.Litmus
				for _, r := range rs {
					ls = append(ls, r.run(ctx, f))
				}
				j.result <- ls
			}
		})
	}
	for j := range order {
		if err == nil {
			if err = yield(j.file, <-j.result); err != nil {
				cancel()
			}
		}
	}
	return err
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
