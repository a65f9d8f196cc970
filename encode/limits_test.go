package encode

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/polled"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// mixed is a model in the style of those for accesses of mixed sizes: everything is in
// fixpoints.
const mixed = `let ca = fr | co
	let obs = rfe | fre | coe
	let rec lob = po \ ([W]; po; [R]) | [W]; po; [MFENCE]; po; [R] | [W]; po; [R & X] | [W & X]; po; [R] | lob; lob; lob
	let rec ob = obs; si | lob | ob; lob; ob
	acyclic po-loc | ca | rf as internal
	irreflexive ob as external`

// work does all that there is to a formula, four bounds of it, and says how it ends.
func work(ctx context.Context, t *testing.T, p *program.Program, opts Options) error {
	t.Helper()
	opts.Finals = true
	f := newFormula(t, p, opts)
	for range 4 {
		if err := f.Extend(ctx); err != nil {
			return err
		}
		for _, ask := range []func(context.Context) (*Query, error){f.Violations, f.Faults, f.Unwinding} {
			if _, err := ask(ctx); err != nil {
				return err
			}
		}
		if _, err := f.Finals(ctx, false); err != nil {
			return err
		}
	}
	return nil
}

// TestLimits ends the work on formulas at their n-th poll, and by the memory that they
// take.
func TestLimits(t *testing.T) {
	own, err := memory.Define("mixed.cat", mixed, nil)
	if err != nil {
		t.Fatal(err)
	}
	opt := randprog.Options{Lock: -1, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 3}, StoreLoop: 2, Deadlock: -1}
	tooLarge := 0
	for seed := range uint64(8) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 23)), opt)
		for i := range p.Properties { // memory at a moment is not supported by the one
			if pr := &p.Properties[i]; pr.Kind == program.Forbid {
				pr.Kind = program.Exists
			}
		}
		for _, opts := range []Options{{Model: memory.TSO}, {Model: "mixed.cat", Definition: own}} {
			opts.MemoryLimit = 1 << 24
			all := polled.EndAt(t.Context(), 1<<40)
			if err := work(all, t, p, opts); err != nil && !errors.Is(err, ErrTooLarge) {
				t.Fatal(err)
			}
			for _, n := range polled.Samples(all.Polls()-1, 20) {
				ctx := polled.EndAt(t.Context(), n)
				if err := work(ctx, t, p, opts); err != context.Canceled || ctx.Polls() > n {
					t.Errorf("seed %d, %s, ends at poll %d: %v after %d", seed, opts.Model, n, err, ctx.Polls())
				}
			}
			opts.MemoryLimit = 1 << 12
			switch err := work(t.Context(), t, p, opts); {
			case errors.Is(err, ErrTooLarge):
				tooLarge++
			case err != nil:
				t.Errorf("seed %d, %s, 4 kB: %v", seed, opts.Model, err)
			}
		}
	}
	if tooLarge < 8 {
		t.Errorf("4 kB are too little for %d of 16 formulas", tooLarge)
	}
}

// TestLimitOfTime lets the clock end the work.
func TestLimitOfTime(t *testing.T) {
	own, err := memory.Define("mixed.cat", mixed, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, opts := range []Options{{Model: memory.TSO}, {Model: "mixed.cat", Definition: own}} {
		p := enginetest.Example(t, "dekker.imp", 0)
		p.Properties = nil
		const limit = 300 * time.Millisecond
		start := time.Now()
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		f := newFormula(t, p, opts)
		var err error
		for err == nil {
			err = f.Extend(ctx)
		}
		cancel()
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took > limit+time.Second {
			t.Errorf("%s: %v after %v", opts.Model, err, took)
		}
	}
}
