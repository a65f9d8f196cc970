package explain_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/explain"
	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// weakModels are models under which reads may be satisfied by what comes later.
var weakModels = map[string]string{
	"coherent": `let com = rf | co | fr
		acyclic po-loc | com
		empty rmw & (fre; coe)
		let together(r) = block?; (r \ block); block?
		acyclic together(po-loc | com)`,
	"dependencies": `let com = rf | co | fr
		acyclic po-loc | com
		empty rmw & (fre; coe)
		let together(r) = block?; (r \ block); block?
		let ppo = addr | data | (ctrl & (R * W)) | (po; [MFENCE]; po)
		acyclic together(ppo | rfe | fre | co)`,
	"anything": `empty block & ~block`,
	"talkative": `let com = rf | co | fr
		acyclic po-loc | com
		empty block & ~block
		~empty rfe & (W \ I) * R`,
}

// model writes a model into a file and names it.
func model(t *testing.T, text string) memory.Model {
	t.Helper()
	file := filepath.Join(t.TempDir(), "own.cat")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return memory.Model(file)
}

// finals is the final states by the enumeration of executions, and whether that is all of
// them; ok is false where there is no time for it.
func finals(t *testing.T, p *program.Program, m memory.Model, limit time.Duration) (fs []verdict.FinalState, all, ok bool) {
	t.Helper()
	def, err := memory.LoadFor(m, p.Arch)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	seen := map[string]bool{}
	err = graphs.Enumerate(ctx, p, def, graphs.Options{BackEdges: rounds}, func(_ *memory.Graph, s verdict.FinalState) bool {
		if !seen[s.Key()] {
			seen[s.Key()] = true
			fs = append(fs, s)
		}
		return true
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, false, false
	case err != nil && err != graphs.ErrCut:
		t.Fatal(err)
	}
	verdict.SortFinalStates(fs)
	return fs, err == nil, true
}

// rounds is how often loops go round.
const rounds = 3

// without is what is in x and not in y.
func without(x, y []string) []string {
	return slices.DeleteFunc(slices.Clone(x), func(k string) bool { return slices.Contains(y, k) })
}

func keys(fs []verdict.FinalState) (ks []string) {
	for _, s := range fs {
		ks = append(ks, s.Key())
	}
	return ks
}

// agreed holds bmc, the enumeration of executions and explain against each other, and
// reports whether there was time for all, and whether the property can be had.
func agreed(t *testing.T, p *program.Program, m memory.Model, limit time.Duration) (done, allowed bool) {
	t.Helper()
	want, all, ok := finals(t, p, m, limit)
	if !ok {
		return false, false
	}
	got, r, err := bmc.FinalStates(t.Context(), p, bmc.Options{Model: m, Unroll: rounds + 1})
	if err != nil {
		t.Fatalf("bmc: %v\n%s", err, enginetest.Text(p))
	}
	if all && len(without(keys(got), keys(want))) > 0 || r.Safe() && len(without(keys(want), keys(got))) > 0 {
		t.Fatalf("bmc finds (%s)\n%v\nthe enumeration (all: %v)\n%v\n%s", r.Verdict(), got, all, want, enginetest.Text(p))
	}
	if !all || !r.Safe() {
		return false, false
	}
	if len(p.Properties) == 0 || !p.Properties[0].Final() {
		return true, false
	}
	pr := &p.Properties[0]
	ranges, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range want {
		allowed = allowed || pr.Violated(program.Eval(pr.Cond, s.Env(ranges.CellIndex)))
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	e, err := explain.Outcome(ctx, p, explain.Options{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	if e.Verdict != verdict.IsUnknown && (e.Verdict == verdict.IsUnsafe) != allowed {
		t.Fatalf("explain: %s, want allowed %v\n%s", e.Verdict, allowed, enginetest.Text(p))
	}
	if r, err = bmc.Check(t.Context(), p, bmc.Options{Model: m}); err != nil || r.Unsafe() != allowed || r.Safe() == allowed {
		t.Fatalf("bmc: %v, %v, want allowed %v\n%s", r, err, allowed, enginetest.Text(p))
	}
	return true, allowed
}

// TestGrounded has values that could only come out of thin air, and others that
// justify each other through control dependencies, which is for the model to judge.
func TestGrounded(t *testing.T) {
	const pass = header + "process A local r begin r := x; y := r end\nprocess B local r begin r := y; x := r end\n"
	const control = header + "process A local r begin r := x; if r = 1 then y := 1 fi end\n"
	for _, tt := range []struct {
		name, text       string
		allowed, ordered bool // under coherence, and where dependencies count
	}{
		{"the value of a third", pass + "process C begin x := 2 end\nexists A.r = 2 & B.r = 0 & y = 2", true, true},
		{"no value of anybody", pass + "process C begin x := 2 end\nexists A.r = 3 & B.r = 3", false, false},
		{"from each other", pass + "process C begin x := 2 end\nexists A.r = 2 & B.r = 2 & x = 2 & y = 2", true, true},
		{"control", control + "process B local r begin r := y; if r = 1 then x := 1 fi end\nexists A.r = 1 & B.r = 1", true, false},
		{"control and data", control + "process B local r begin r := y; x := r end\nexists A.r = 1 & B.r = 1", true, false},
		{"control and data that adds", control + "process B local r begin r := y; x := r + 1 end\nexists A.r = 1 & B.r = 1", false, false},
		{"a dependency that is none", header + "process A local r begin r := x; y := 1 + r * 0 end\nprocess B local r begin r := y; x := 1 + r * 0 end\nexists A.r = 1 & B.r = 1", false, false},
		{"two conditions", header + "process A local r, s begin r := x; s := y; if r = s and r > 0 then x := 5; y := 5 fi end\nexists A.r = 5", true, false},
		// Values that only come up in a round to which they lead.
		{"a loop", header + "process A local r, k begin r := x; k := 0; while r = 1 do k := 1; r := 2 od; y := k end\n" +
			"process B local s begin s := y; x := s end\nexists x = 1", true, false},
		{"a value of a later round", header + "process A begin while y != 3 do skip od; x := 1 end\n" +
			"process B local k, r begin while k < 3 do k := k + 1; r := x; r := x; y := k od end\nexists B.r = 1", true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := enginetest.Parse(t, "p.imp", tt.text)
			for name, want := range map[string]bool{"anything": tt.allowed, "dependencies": tt.ordered} {
				if done, allowed := agreed(t, p, model(t, weakModels[name]), time.Minute); !done || allowed != want {
					t.Errorf("%s: done %v, allowed %v, want %v", name, done, allowed, want)
				}
			}
		})
	}
}

// programs makes the test longer: go test ./explain -run Agree -programs 200
var programs = flag.Int("programs", 40, "random programs of each shape, under each model")

// TestAgree compares the three on random programs, many of them with values that go
// round.
func TestAgree(t *testing.T) {
	const limit = 300 * time.Millisecond // for a program; those with more executions would be most of the time
	three := randprog.Range{Min: 3, Max: 3}
	for shape, opt := range map[string]randprog.Options{
		"ring": {Threads: three, Addresses: three, Commands: randprog.Range{Min: 1, Max: 1}, Values: 1000, Ring: 100, Lock: -1, Havoc: -1, Branch: 1, Forbid: -1},
		"loops": {Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 1, Max: 2},
			Values: 2, Ring: 60, Lock: -1, Havoc: -1, RMW: -1, CountLoop: 4, WaitLoop: 6, StoreLoop: 4, Forbid: -1, Atomic: -1},
		"pair": {Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 1, Max: 2}, Values: 300, Ring: 100, Lock: -1, Branch: 6, Forbid: -1, Atomic: 3},
	} {
		for name, text := range weakModels {
			t.Run(shape+"/"+name, func(t *testing.T) {
				t.Parallel()
				m := model(t, text)
				compared, found := 0, 0
				n := uint64(*programs)
				if testing.Short() {
					n = min(n, 8)
				}
				for seed := range n {
					p := randprog.New(rand.New(rand.NewPCG(seed, 19)), opt)
					done, allowed := agreed(t, p, m, limit)
					if done {
						compared++
					}
					if allowed {
						found++
					}
				}
				t.Logf("%d of %d programs compared, the property can be had in %d", compared, n, found)
			})
		}
	}
}
