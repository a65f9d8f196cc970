package bmc_test

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// ownModels are models that a user might write.
var ownModels = map[string]string{
	// Everything goes but incoherence and torn exchanges.
	"coherent": `acyclic po-loc | rf | co | fr
		empty rmw & (fre; coe)
		let together(r) = block?; (r \ block); block?
		acyclic together(po-loc | rf | co | fr)`,
	// Dependencies count, as on weaker hardware; and a recursive definition.
	"weak": `let com = rf | co | fr
		acyclic po-loc | com
		let together(r) = block?; (r \ block); block?
		let ppo = addr | data | (ctrl & (R * W)) | (po; [MFENCE]; po) | (po & (X * M)) | (po & (M * X))
		let rec hb = ppo | rfe | (hb; hb)
		irreflexive hb
		acyclic together(ppo | rfe | fre | co)`,
}

// TestOwnModels compares bmc with the enumeration of executions under models
// that come from a file, where there is no operational semantics to fall back on.
func TestOwnModels(t *testing.T) {
	ctx := context.Background()
	opt := randprog.Options{Lock: -1, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}, AddrDep: 30, RMW: 3}
	for name, model := range ownModels {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), name+".cat")
			if err := os.WriteFile(file, []byte(model), 0o600); err != nil {
				t.Fatal(err)
			}
			m := memory.Model(file)
			def, err := memory.Load(m)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(60) {
				p := randprog.New(rand.New(rand.NewPCG(seed, 17)), opt)
				for i := range p.Properties { // memory at a moment is not supported
					if pr := &p.Properties[i]; pr.Kind == program.Forbid {
						pr.Kind = program.Exists
					}
				}
				var want []verdict.FinalState
				unsafe := false
				err := graphs.Enumerate(ctx, p, def, graphs.Options{}, func(_ *memory.Graph, s verdict.FinalState) bool {
					want = append(want, s)
					return true
				})
				if err != nil {
					t.Fatal(err)
				}
				verdict.SortFinalStates(want)
				want = slices.CompactFunc(want, func(a, b verdict.FinalState) bool { return reflect.DeepEqual(a, b) })
				got, r, err := bmc.FinalStates(ctx, p, bmc.Options{Model: m})
				if err != nil || !r.Safe() {
					t.Fatalf("seed %d: %v, %v\n%s", seed, r, err, enginetest.Text(p))
				}
				if len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d: bmc finds\n%v\nthe enumeration\n%v\n%s", seed, got, want, enginetest.Text(p))
				}
				env := func(s verdict.FinalState, cond program.Expr) int64 {
					rs, err := program.Analyse(p)
					if err != nil {
						t.Fatal(err)
					}
					return program.Eval(cond, &program.Env{
						Mem:       func(a int64) int64 { return s.Memory[rs.CellIndex(a)] },
						ThreadReg: func(t, r int) int64 { return s.Regs[t][r] },
						At: func(t int) program.StateID {
							out := p.Threads[t].Out()
							for q := range out {
								if len(out[q]) == 0 {
									return program.StateID(q)
								}
							}
							return -1
						},
					})
				}
				for i := range p.Properties {
					for _, s := range want {
						unsafe = unsafe || p.Properties[i].Violated(env(s, p.Properties[i].Cond))
					}
				}
				r, err = bmc.Check(ctx, p, bmc.Options{Model: m})
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
				}
				if (r.Unsafe()) != unsafe || r.Unsafe() && r.Execution() == nil {
					t.Fatalf("seed %d: %s, want unsafe %v\n%s", seed, r.Verdict(), unsafe, enginetest.Text(p))
				}
			}
		})
	}
}

// TestCoherenceIsAnOrder: coherence orders the stores to a cell whatever the model says of it. Three
// threads store, and three see two of the stores each, one after the other, so that there would be a
// cycle; the only axiom is about each of the three.
func TestCoherenceIsAnOrder(t *testing.T) {
	file := filepath.Join(t.TempDir(), "sees.cat")
	if err := os.WriteFile(file, []byte("irreflexive po; fr; rf as sees"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		sees [3][2]int64
		want verdict.Verdict
	}{
		{[3][2]int64{{1, 2}, {2, 3}, {3, 1}}, verdict.IsSafe},
		{[3][2]int64{{2, 1}, {3, 2}, {1, 3}}, verdict.IsSafe},
		{[3][2]int64{{1, 2}, {2, 3}, {1, 3}}, verdict.IsUnsafe},
	} {
		b := progtest.New(1)
		for v := range int64(3) {
			b.Thread().Store(progtest.X, program.Const(v+1))
		}
		var seen []program.Expr
		for i, vs := range tt.sees {
			b.Thread().Load("r", progtest.X).Load("s", progtest.X)
			for r, v := range vs {
				seen = append(seen, progtest.Eq(program.ThreadReg{Thread: 3 + i, Reg: r}, v))
			}
		}
		p := b.Property(program.Exists, progtest.And(seen...)).Build(t)
		r, err := bmc.Check(t.Context(), p, bmc.Options{Model: memory.Model(file)})
		if err != nil || r.Verdict() != tt.want {
			t.Errorf("%v: %v, %v, want %v", tt.sees, r, err, tt.want)
		}
	}
}
