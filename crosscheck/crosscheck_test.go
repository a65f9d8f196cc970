package crosscheck

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// sayings is what an engine answers to a question, by model.
type sayings struct {
	name     string
	question verdict.Question
	answers  map[memory.Model]verdict.Row
}

func ends(claim verdict.Claim, values ...int64) verdict.Row {
	r := verdict.Row{Claim: claim}
	for _, v := range values {
		r.Finals = append(r.Finals, verdict.FinalState{Memory: []int64{v}})
	}
	return r
}

func TestJudge(t *testing.T) {
	const sc, tso, pso = memory.SC, memory.TSO, memory.PSO
	type by = map[memory.Model]verdict.Row
	stuck := verdict.Row{Claim: verdict.ClaimsViolated, Violation: &verdict.Violation{Property: &program.Property{Kind: program.Deadlock}}}
	safe, unsafe := verdict.Row{Claim: verdict.ClaimsSafe}, verdict.Row{Claim: verdict.ClaimsViolated}
	fault, unknown := verdict.Row{Claim: verdict.ClaimsFault}, verdict.Row{Claim: verdict.ClaimsNothing}
	robust, not := verdict.Row{Claim: verdict.ClaimsRobust}, verdict.Row{Claim: verdict.ClaimsNotRobust}
	tests := []struct {
		name    string
		engines []sayings
		want    []verdict.Agreement // in the order of the rows: by model, then by engine
		texts   []string            // of the contradictions
	}{
		{"all agree", []sayings{{"a", verdict.Safety, by{sc: safe, tso: unsafe, pso: unsafe}}, {"b", verdict.Safety, by{sc: safe, tso: unsafe}}},
			[]verdict.Agreement{verdict.Reference, verdict.Agrees, verdict.Reference, verdict.Agrees, verdict.Nothing}, nil},
		{"one model", []sayings{{"a", verdict.Safety, by{tso: safe}}, {"b", verdict.Safety, by{tso: unsafe}}, {"c", verdict.Safety, by{tso: safe}}},
			[]verdict.Agreement{verdict.Differs, verdict.Differs, verdict.Differs},
			[]string{"a under TSO says SAFE, b under TSO says UNSAFE: a violation that is there and is not",
				"b under TSO says UNSAFE, c under TSO says SAFE: a violation that is there and is not"}},
		{"no answer of the first", []sayings{{"a", verdict.Safety, by{tso: unknown}}, {"b", verdict.Safety, by{tso: safe}}, {"c", verdict.Safety, by{tso: safe}}},
			[]verdict.Agreement{verdict.Nothing, verdict.Reference, verdict.Agrees}, nil},
		{"across models", []sayings{{"a", verdict.Safety, by{sc: unsafe, pso: unknown}}, {"b", verdict.Safety, by{pso: safe}}},
			[]verdict.Agreement{verdict.Differs, verdict.Nothing, verdict.Differs},
			[]string{"a under SC says UNSAFE, b under PSO says SAFE, which has the same runs and more: a violation that is there and is not"}},
		{"more violations with more runs", []sayings{{"a", verdict.Safety, by{sc: safe, tso: unsafe}}},
			[]verdict.Agreement{verdict.Nothing, verdict.Nothing}, nil},
		{"a deadlock is not of every model", []sayings{{"a", verdict.Safety, by{sc: stuck, tso: safe}}},
			[]verdict.Agreement{verdict.Nothing, verdict.Nothing}, nil},
		{"but of one", []sayings{{"a", verdict.Safety, by{sc: stuck}}, {"b", verdict.Safety, by{sc: safe}}},
			[]verdict.Agreement{verdict.Differs, verdict.Differs}, []string{"a under SC says UNSAFE, b under SC says SAFE: a violation that is there and is not"}},
		{"fault and violation", []sayings{{"a", verdict.Safety, by{tso: unsafe}}, {"b", verdict.Safety, by{tso: fault}}},
			[]verdict.Agreement{verdict.Reference, verdict.Nothing}, nil},
		{"fault and safe", []sayings{{"a", verdict.Safety, by{tso: safe}}, {"b", verdict.Safety, by{tso: fault}}},
			[]verdict.Agreement{verdict.Differs, verdict.Differs}, []string{"a under TSO says SAFE, b under TSO says FAULT: a violation that is there and is not"}},
		{"states", []sayings{{"a", verdict.FinalStates, by{sc: ends(verdict.ClaimsComplete, 1), tso: ends(verdict.ClaimsComplete, 1, 2)}}, {"b", verdict.FinalStates, by{sc: ends(verdict.ClaimsComplete, 1), tso: ends(verdict.ClaimsNothing, 2)}}},
			[]verdict.Agreement{verdict.Reference, verdict.Agrees, verdict.Nothing, verdict.Nothing}, nil},
		{"states that differ", []sayings{{"a", verdict.FinalStates, by{tso: ends(verdict.ClaimsComplete, 1, 2)}}, {"b", verdict.FinalStates, by{tso: ends(verdict.ClaimsComplete, 1)}}},
			[]verdict.Agreement{verdict.Differs, verdict.Differs}, []string{"a under TSO says 2 final states, b under TSO says 1 final state: a final state is missing"}},
		{"a part is too much", []sayings{{"a", verdict.FinalStates, by{tso: ends(verdict.ClaimsComplete, 1)}}, {"b", verdict.FinalStates, by{tso: ends(verdict.ClaimsNothing, 3)}}},
			[]verdict.Agreement{verdict.Differs, verdict.Differs}, []string{"a under TSO says 1 final state, b under TSO says at least 1 final state: a final state is missing"}},
		{"fewer states with more runs", []sayings{{"a", verdict.FinalStates, by{sc: ends(verdict.ClaimsComplete, 1, 2), tso: ends(verdict.ClaimsComplete, 1)}}},
			[]verdict.Agreement{verdict.Differs, verdict.Differs}, []string{"a under SC says 2 final states, a under TSO says 1 final state, which has the same runs and more: a final state is missing"}},
		{"robustness", []sayings{{"a", verdict.Robustness, by{tso: robust}}, {"b", verdict.Robustness, by{tso: not}}},
			[]verdict.Agreement{verdict.Differs, verdict.Differs}, []string{"a under TSO says ROBUST, b under TSO says NOT ROBUST: it cannot be both"}},
		{"robust with other states", []sayings{{"a", verdict.FinalStates, by{sc: ends(verdict.ClaimsComplete, 1), tso: ends(verdict.ClaimsNothing, 2)}}, {"b", verdict.Robustness, by{tso: robust}}},
			[]verdict.Agreement{verdict.Differs, verdict.Differs, verdict.Differs}, []string{"a under SC says 1 final state, a under TSO says at least 1 final state, b under TSO says ROBUST: under TSO there is a final state that is none of SC"}},
		{"not robust with other states", []sayings{{"a", verdict.FinalStates, by{sc: ends(verdict.ClaimsComplete, 1), tso: ends(verdict.ClaimsComplete, 1, 2)}}, {"b", verdict.Robustness, by{tso: not}}},
			[]verdict.Agreement{verdict.Nothing, verdict.Nothing, verdict.Nothing}, nil},
	}
	for _, tt := range tests {
		c := &verdict.Comparison{}
		for _, m := range memory.Operational() {
			for _, e := range tt.engines {
				if r, ok := e.answers[m]; ok {
					r.Model, r.Engine, r.Question = m, e.name, e.question
					c.Rows = append(c.Rows, r)
				}
			}
		}
		judge(c)
		var got []verdict.Agreement
		for i := range c.Rows {
			got = append(got, c.Rows[i].Agrees)
		}
		var texts []string
		for _, x := range c.Contradictions {
			texts = append(texts, x.Text)
		}
		if !slices.Equal(got, tt.want) || !slices.Equal(texts, tt.texts) {
			t.Errorf("%s: %v, %q\nwant %v, %q", tt.name, got, texts, tt.want, tt.texts)
		}
	}
}

// TestRows: a method that fails, panics or takes too long does not keep the others
// from their turn.
func TestRows(t *testing.T) {
	p := &program.Program{Name: "p", Source: &program.Source{Name: "p.imp", Text: "x"}}
	check := func(name engine.Name, run func(context.Context, *program.Program, engine.Options) (*verdict.Result, error)) engine.Engine {
		return engine.Engine{Name: name, Models: func(m memory.Model) bool { return m == memory.TSO }, Check: run}
	}
	fails := check("fails", func(_ context.Context, p *program.Program, _ engine.Options) (*verdict.Result, error) {
		return verdict.Safe(p, memory.TSO, verdict.Exhaustive, nil), errors.New("no luck")
	})
	refuses := check("refuses", func(_ context.Context, p *program.Program, _ engine.Options) (*verdict.Result, error) {
		return nil, p.Diagnose(program.Position{Line: 1, Col: 1}, "too large", "")
	})
	c, err := Run(context.Background(), p, Options{Timeout: time.Millisecond, Engines: []engine.Engine{
		fails, refuses,
		check("panics", func(context.Context, *program.Program, engine.Options) (*verdict.Result, error) { panic("oh") }),
		check("waits", func(ctx context.Context, p *program.Program, _ engine.Options) (*verdict.Result, error) {
			<-ctx.Done()
			return verdict.Unknown(p, memory.TSO, "no time"), nil
		}),
		check("decides", func(_ context.Context, p *program.Program, opts engine.Options) (*verdict.Result, error) {
			if opts.MemoryLimit == 0 || opts.Engine != "decides" {
				return nil, errors.New("no limit of memory")
			}
			return verdict.Safe(p, memory.TSO, verdict.Exhaustive, nil), nil
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range c.Rows {
		r := &c.Rows[i]
		text := ""
		if r.Err != nil {
			text, _, _ = strings.Cut(r.Err.Error(), "\n")
		}
		got = append(got, fmt.Sprintf("%s %s %q %q", r.Engine, r.Claim, r.Reason, text))
	}
	want := []string{`fails UNKNOWN "" "no luck"`, `refuses UNKNOWN "too large" ""`, `panics UNKNOWN "" "panic: oh"`, `waits UNKNOWN "no time" ""`, `decides SAFE "" ""`}
	if !slices.Equal(got, want) || c.Stopped {
		t.Errorf("got %q\nwant %q", got, want)
	}

	var diag *program.Diagnostic
	if _, err := Run(context.Background(), p, Options{Engines: []engine.Engine{refuses}}); !errors.As(err, &diag) {
		t.Errorf("refused by all: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if c, err := Run(ctx, p, Options{Engines: []engine.Engine{fails}}); err != nil || !c.Stopped || len(c.Rows) > 0 {
		t.Errorf("interrupted: %+v, %v", c, err)
	}
}

// TestAgree: the methods that there are agree on random programs.
func TestAgree(t *testing.T) {
	for _, sh := range []struct {
		name string
		opt  randprog.Options
		n    uint64
	}{
		{"everything", randprog.Options{Assert: 1, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}}, 20},
		{"moments", randprog.Options{Forbid: 6, Lock: 3, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}}, 20},
		{"starts", randprog.Options{Start: 60, Assume: 3, Unsigned: 30, Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 3}}, 20},
		{"starts and deadlock", randprog.Options{Start: 60, Assume: 3, Lock: 2, Deadlock: 6, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 1, Max: 4}}, 20},
		{"deadlock", randprog.Options{Deadlock: 4, Lock: 3, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}}, 20},
		{"sections", randprog.Options{Load: 6, Store: 6, Lock: 12, Atomic: 2, RMW: 1, Fence: -1, Assign: -1, Havoc: -1, Branch: -1, DataDep: -1, AddrDep: -1, Values: 2, Plain: true,
			Threads: randprog.Range{Min: 3, Max: 3}, Commands: randprog.Range{Min: 1, Max: 3}}, 15},
	} {
		t.Run(sh.name, func(t *testing.T) {
			t.Parallel()
			agree := map[string]int{}
			for seed := range sh.n {
				p := randprog.New(rand.New(rand.NewPCG(seed, 61)), sh.opt)
				c, err := Run(context.Background(), p, Options{Timeout: 2 * time.Second})
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
				for i := range c.Rows {
					r := &c.Rows[i]
					if r.Err != nil {
						t.Errorf("seed %d: %s: %v", seed, r.Engine, r.Err)
					}
					if r.Agrees == verdict.Agrees {
						agree[string(r.Question)+" "+r.Engine]++
					}
				}
				for _, x := range c.Contradictions {
					t.Errorf("seed %d: %s", seed, x.Text)
				}
				if t.Failed() {
					var b strings.Builder
					program.Print(&b, p)
					t.Fatal(b.String())
				}
			}
			t.Log(agree)
			for _, e := range Engines() {
				for _, q := range questions {
					// Explicit search is the reference; abstractions need not know. These programs have few values, and more than one must be many.
					name := string(q) + " " + string(e.Name)
					if asks(&e, q, memory.TSO) && agree[name] == 0 && e.Name != engine.Explicit && e.Name != engine.Localize && name != "robustness robust" {
						t.Errorf("%s never agrees", name)
					}
				}
			}
		})
	}
}
