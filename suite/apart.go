package suite

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/lang/litmus/cycles"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// ApartOptions say which tests two models are compared on.
type ApartOptions struct {
	// Arch is whose tests they are, by name; "": the first one that both models are for.
	Arch string
	// Size is up to which size of tests to go.
	Size        int
	Workers     int   // tests at a time; 0: one for every processor
	MemoryLimit int64 // of them together, in bytes; 0: three quarters of what is free
	// Progress is told the size that is being looked at, and how many tests have been; may
	// be nil.
	Progress func(size, tests int)
}

// Apart looks for the smallest test that tells two models apart: a final state that one of
// them allows and the other does not. The tests are those of package cycles. The error is a
// [UsageError] or the [program.Diagnostic] of a model; when ctx ends, the comparison says how
// far it got.
func Apart(ctx context.Context, a, b memory.Model, opts ApartOptions) (*verdict.Apart, error) {
	start := time.Now()
	for _, m := range []memory.Model{a, b} {
		if m.Certifies() {
			return nil, &UsageError{fmt.Sprintf("%s is more than axioms on single executions, so that it is not compared", m)}
		}
	}
	x := &apart{models: [2]memory.Model{a, b}}
	arch, err := x.load(opts.Arch)
	if err != nil {
		return nil, err
	}
	if opts.Workers <= 0 {
		opts.Workers = runtime.GOMAXPROCS(0)
	}
	if x.limit = opts.MemoryLimit; x.limit == 0 {
		x.limit = states.DefaultMemoryLimit()
	}
	x.limit /= int64(opts.Workers)
	r := &verdict.Apart{A: a, B: b, Arch: arch}
	for size := 2; size <= opts.Size && r.Test == nil; size++ {
		r.Size = size
		if err = x.search(ctx, arch, size, opts, r); err != nil {
			break
		}
		if r.Test == nil {
			r.Done = size
		}
	}
	if ctx.Err() != nil && r.Test == nil {
		r.Incomplete, err = stopped(ctx), nil
	}
	r.Elapsed = time.Since(start)
	return r, err
}

// apart compares two models.
type apart struct {
	models [2]memory.Model
	defs   [2]*memory.Definition
	limit  int64
}

// load loads the models for an architecture that both are for.
func (x *apart) load(want string) (program.Arch, error) {
	var first error
	var names []string
	for _, a := range program.Archs() {
		names = append(names, a.String())
		if want != "" && !strings.EqualFold(want, a.String()) {
			continue
		}
		ok := true
		for i, m := range x.models {
			d, err := memory.LoadFor(m, a)
			if err != nil {
				if first == nil || want != "" {
					first = modelError(m, err)
				}
				ok = false
				break
			}
			x.defs[i] = d
		}
		if ok {
			return a, nil
		}
	}
	switch {
	case first == nil:
		return "", &UsageError{fmt.Sprintf("unknown architecture %q (known: %s)", want, strings.Join(names, ", "))}
	case want != "":
		return "", first
	}
	for _, m := range x.models { // a model that is wrong says so itself
		if _, err := memory.Load(m); err != nil {
			return "", modelError(m, err)
		}
	}
	return "", &UsageError{fmt.Sprintf("there is no architecture that both %s and %s are about", x.models[0], x.models[1])}
}

// chunk is how many tests are looked at together; the first one of a chunk is shown.
const chunk = 128

// search looks at the tests of a size.
func (x *apart) search(ctx context.Context, arch program.Arch, size int, opts ApartOptions, r *verdict.Apart) (err error) {
	var batch []*cycles.Cycle
	flush := func() bool {
		err = x.batch(ctx, batch, opts.Workers, r)
		r.Tests += len(batch)
		batch = batch[:0]
		if opts.Progress != nil {
			opts.Progress(size, r.Tests)
		}
		return err == nil && r.Test == nil
	}
	cycles.All(cycles.For(arch), size, func(c *cycles.Cycle) bool {
		batch = append(batch, c)
		return len(batch) < chunk || flush()
	})
	if len(batch) > 0 && err == nil && r.Test == nil {
		flush()
	}
	return err
}

// batch looks at tests side by side and keeps the first that tells the models apart.
func (x *apart) batch(ctx context.Context, cs []*cycles.Cycle, workers int, r *verdict.Apart) error {
	found := make([]*verdict.ApartTest, len(cs))
	errs := make([]error, len(cs))
	next := make(chan int)
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for i := range next {
				found[i], errs[i] = x.test(ctx, cs[i])
			}
		})
	}
	for i := range cs {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	for i := range cs {
		if errs[i] != nil {
			return errs[i]
		}
		if found[i] != nil {
			r.Test = found[i]
			return nil
		}
	}
	return nil
}

// test is a test by which the models differ, or nil.
func (x *apart) test(ctx context.Context, c *cycles.Cycle) (*verdict.ApartTest, error) {
	t := c.Text()
	out, err := x.outcomes(ctx, t.Name, t.String())
	if err != nil || slices.Equal(out[0].States, out[1].States) {
		return nil, err
	}
	if out[0].Observation == out[1].Observation || out[0].Observation != "Never" && out[1].Observation != "Never" {
		// The states differ, but not in what the cycle asks about.
		state := difference(out[0].States, out[1].States)
		if state == "" {
			state = difference(out[1].States, out[0].States)
		}
		t.Condition = conjunction(state)
		if out, err = x.outcomes(ctx, t.Name, t.String()); err != nil {
			return nil, err
		}
	}
	a := &verdict.ApartTest{Name: t.Name, Cycle: t.Cycle, Size: c.Size(), Threads: c.Threads(), Outcome: strings.Join(t.Condition, ` /\ `), Text: t.String(),
		Allows: x.models[0], Forbids: x.models[1]}
	switch {
	case out[0].Observation != "Never" && out[1].Observation == "Never":
	case out[1].Observation != "Never" && out[0].Observation == "Never":
		a.Allows, a.Forbids = a.Forbids, a.Allows
	default:
		return nil, fmt.Errorf("internal error: %s tells the models apart, but its condition does not", t.Name)
	}
	return a, nil
}

// difference is the first of as that is not in bs.
func difference(as, bs []string) string {
	for _, s := range as {
		if !slices.Contains(bs, s) {
			return s
		}
	}
	return ""
}

// conjunction makes a condition of a state such as 0:X0=1; [x]=2;
func conjunction(state string) (cond []string) {
	for s := range strings.SplitSeq(state, ";") {
		if s = strings.TrimSpace(s); s != "" {
			cond = append(cond, s)
		}
	}
	return cond
}

// outcomes is what a test comes to under each of the models.
func (x *apart) outcomes(ctx context.Context, name, text string) (out [2]litmus.Outcome, err error) {
	for i, d := range x.defs {
		t, err := litmus.ParseTest(&program.Source{Name: name + Extension, Text: text})
		if err != nil {
			return out, fmt.Errorf("internal error: a test that was generated cannot be read: %w", err)
		}
		finals, err := graphs.FinalStates(ctx, t.Program, d, graphs.Options{Bare: true, MemoryLimit: x.limit}, func(*memory.Graph, verdict.FinalState) bool { return true })
		if err != nil {
			return out, err
		}
		out[i] = t.Outcome(finals)
	}
	return out, nil
}
