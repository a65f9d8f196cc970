package engine

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// wideShapes are kinds of programs without loops, so that axioms have all their executions.
var wideShapes = []randprog.Options{
	{Threads: randprog.Two, Commands: randprog.Range{Min: 2, Max: 4}, Values: 2, Havoc: -1, Lock: -1},
	{Threads: randprog.Three, Commands: randprog.Range{Min: 1, Max: 2}, Values: 1, Havoc: -1, Lock: -1, AddrDep: -1, Branch: -1},
	{Threads: randprog.Two, Addresses: randprog.Range{Min: 3, Max: 4}, Commands: randprog.Range{Min: 2, Max: 4}, Values: 2, Fence: 2, Assert: 1, Lock: -1, Havoc: -1},
}

// TestWide: of programs with accesses of several cells, search through states finds what the axioms say, which
// bmc and graphs go by, and each run replays. Under SC every engine says the same.
func TestWide(t *testing.T) {
	n := uint64(8)
	if *programs > 0 {
		n = uint64(*programs)
	}
	for i, shape := range wideShapes {
		for _, m := range memory.Operational() {
			t.Run(fmt.Sprint(i, "/", m), func(t *testing.T) {
				t.Parallel()
				decided, unsafe := 0, 0
				for seed := range n {
					p := randprog.New(rand.New(rand.NewPCG(seed, 41)), shape)
					if !randprog.Widen(rand.New(rand.NewPCG(seed, 42)), p) {
						continue
					}
					if _, whole := p.Joined(); !whole {
						t.Fatalf("seed %d: parts are left", seed)
					}
					v := agreeWide(t, p, m, seed%4 == 0)
					if t.Failed() {
						t.Fatalf("seed %d:\n%s", seed, enginetest.Text(p))
					}
					decided += int(program.Bool(v != verdict.IsUnknown))
					unsafe += int(program.Bool(v == verdict.IsUnsafe))
				}
				t.Logf("%d programs decided, %d unsafe", decided, unsafe)
			})
		}
	}
}

// TestWideOrder: two stores of several cells that have one in common keep their order under PSO, although nobody else
// has to do with that cell.
func TestWideOrder(t *testing.T) {
	b := progtest.New(3)
	part := func(addr program.Expr) program.Command {
		return program.Command{Op: program.Store, Addr: addr, Value: program.Const(1), Part: true}
	}
	b.Thread().Store(progtest.X, program.Const(1)).Emit(part(progtest.Y)).Store(progtest.Y, program.Const(1)).Emit(part(progtest.Z))
	b.Thread().Load("r", progtest.Z).Load("s", progtest.X)
	p := b.Build(t)
	if agreeWide(t, p, memory.PSO, false); t.Failed() {
		t.Log(enginetest.Text(p))
	}
	fs, _, err := FinalStates(t.Context(), p, Options{Model: memory.PSO, Engine: BMC})
	if err != nil || len(fs) != 3 {
		t.Errorf("%d final states, want 3: %v, %v", len(fs), fs, err)
	}
}

// agreeWide asks those who can decide p, all of them or those that are sure to come to an end, and gives the verdict.
func agreeWide(t *testing.T, p *program.Program, m memory.Model, all bool) verdict.Verdict {
	t.Helper()
	ctx := context.Background()
	var first []verdict.FinalState
	bare := *p
	bare.Properties = nil // axioms do not know of moments
	for i, e := range []Name{Explicit, Graphs, BMC} {
		fs, r, err := FinalStates(ctx, &bare, Options{Model: m, Engine: e})
		if err != nil {
			t.Errorf("%s: %v", e, err)
			return verdict.IsUnknown
		}
		if !r.Safe() {
			t.Errorf("%s: final states: %s", e, r.Reason())
			return verdict.IsUnknown
		}
		if i == 0 {
			first = fs
		} else if len(fs)+len(first) > 0 && !reflect.DeepEqual(fs, first) {
			t.Errorf("%s: final states of %s\n%v\nof explicit search\n%v", m, e, fs, first)
		}
	}
	engines := []Name{Explicit, "explicit:none", "explicit:cartesian", "explicit:local", Auto, BMC, Graphs}
	if m == memory.SC {
		engines = append(engines, "executions:optimal", "rvf", "explicit:dpor")
		if all {
			engines = append(engines, IC3, KInduction, Saturation)
		}
	}
	answer := verdict.IsUnknown
	for _, e := range engines {
		limited, cancel := ctx, context.CancelFunc(func() {})
		if e == IC3 || e == KInduction || e == Saturation { // which may not come to an end
			limited, cancel = context.WithTimeout(ctx, 300*time.Millisecond)
		}
		r, err := Check(limited, p, Options{Model: m, Engine: e})
		cancel()
		var refused *program.Diagnostic
		switch {
		case e == "rvf" && errors.As(err, &refused): // which knows of no moments either
		case err != nil:
			t.Errorf("%s: %v", e, err)
		case r.Run() != nil:
			if err := enginetest.Replays(p, r); err != nil {
				t.Errorf("%s: %v", e, err)
			}
			fallthrough
		case r.Conclusive():
			if answer == verdict.IsUnknown {
				answer = r.Verdict()
			} else if answer != r.Verdict() {
				t.Errorf("%s says %s, others %s", e, r.Verdict(), answer)
			}
		case slices.Contains([]Name{Explicit, "explicit:none", "explicit:cartesian", "explicit:local", Auto}, e):
			t.Errorf("%s: %s", e, r.Reason())
		}
	}
	return answer
}
