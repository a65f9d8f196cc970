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

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/refine"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// says is a method that gives an answer by model.
func says(name string, kind Kind, answers map[memory.Model]Answer) Method {
	return Method{Name: name, Kind: kind,
		Applies: func(m memory.Model) bool { _, ok := answers[m]; return ok },
		Run: func(_ context.Context, _ *program.Program, opts refine.Options) (Answer, error) {
			return answers[opts.Model], nil
		}}
}

func ends(claim Claim, values ...int64) Answer {
	a := Answer{Claim: claim}
	for _, v := range values {
		a.Finals = append(a.Finals, verdict.FinalState{Memory: []int64{v}})
	}
	return a
}

func TestJudge(t *testing.T) {
	const sc, tso, pso = memory.SC, memory.TSO, memory.PSO
	type by = map[memory.Model]Answer
	stuck := Answer{Claim: Violated, Violation: &verdict.Violation{Property: &program.Property{Kind: program.Deadlock}}}
	safe, unsafe, fault, unknown := Answer{Claim: Safe}, Answer{Claim: Violated}, Answer{Claim: Fault}, Answer{Claim: None}
	tests := []struct {
		name    string
		methods []Method
		want    []Agreement // in the order of the rows: by model, then by method
		texts   []string    // of the contradictions
	}{
		{"all agree", []Method{says("a", Property, by{sc: safe, tso: unsafe, pso: unsafe}), says("b", Property, by{sc: safe, tso: unsafe})},
			[]Agreement{Reference, Agrees, Reference, Agrees, Nothing}, nil},
		{"one model", []Method{says("a", Property, by{tso: safe}), says("b", Property, by{tso: unsafe}), says("c", Property, by{tso: safe})},
			[]Agreement{Differs, Differs, Differs},
			[]string{"a under TSO says SAFE, b under TSO says UNSAFE: a violation that is there and is not",
				"b under TSO says UNSAFE, c under TSO says SAFE: a violation that is there and is not"}},
		{"no answer of the first", []Method{says("a", Property, by{tso: unknown}), says("b", Property, by{tso: safe}), says("c", Property, by{tso: safe})},
			[]Agreement{Nothing, Reference, Agrees}, nil},
		{"across models", []Method{says("a", Property, by{sc: unsafe, pso: unknown}), says("b", Property, by{pso: safe})},
			[]Agreement{Differs, Nothing, Differs},
			[]string{"a under SC says UNSAFE, b under PSO says SAFE, which has the same runs and more: a violation that is there and is not"}},
		{"more violations with more runs", []Method{says("a", Property, by{sc: safe, tso: unsafe})},
			[]Agreement{Nothing, Nothing}, nil},
		{"a deadlock is not of every model", []Method{says("a", Property, by{sc: stuck, tso: safe})},
			[]Agreement{Nothing, Nothing}, nil},
		{"but of one", []Method{says("a", Property, by{sc: stuck}), says("b", Property, by{sc: safe})},
			[]Agreement{Differs, Differs}, []string{"a under SC says UNSAFE, b under SC says SAFE: a violation that is there and is not"}},
		{"fault and violation", []Method{says("a", Property, by{tso: unsafe}), says("b", Property, by{tso: fault})},
			[]Agreement{Reference, Nothing}, nil},
		{"fault and safe", []Method{says("a", Property, by{tso: safe}), says("b", Property, by{tso: fault})},
			[]Agreement{Differs, Differs}, []string{"a under TSO says SAFE, b under TSO says FAULT: a violation that is there and is not"}},
		{"states", []Method{says("a", States, by{sc: ends(Complete, 1), tso: ends(Complete, 1, 2)}), says("b", States, by{sc: ends(Complete, 1), tso: ends(None, 2)})},
			[]Agreement{Reference, Agrees, Nothing, Nothing}, nil},
		{"states that differ", []Method{says("a", States, by{tso: ends(Complete, 1, 2)}), says("b", States, by{tso: ends(Complete, 1)})},
			[]Agreement{Differs, Differs}, []string{"a under TSO says 2 final states, b under TSO says 1 final state: a final state is missing"}},
		{"a part is too much", []Method{says("a", States, by{tso: ends(Complete, 1)}), says("b", States, by{tso: ends(None, 3)})},
			[]Agreement{Differs, Differs}, []string{"a under TSO says 1 final state, b under TSO says at least 1 final state: a final state is missing"}},
		{"fewer states with more runs", []Method{says("a", States, by{sc: ends(Complete, 1, 2), tso: ends(Complete, 1)})},
			[]Agreement{Differs, Differs}, []string{"a under SC says 2 final states, a under TSO says 1 final state, which has the same runs and more: a final state is missing"}},
		{"robustness", []Method{says("a", Robustness, by{tso: {Claim: Robust}}), says("b", Robustness, by{tso: {Claim: NotRobust}})},
			[]Agreement{Differs, Differs}, []string{"a under TSO says ROBUST, b under TSO says NOT ROBUST: it cannot be both"}},
		{"robust with other states", []Method{says("a", States, by{sc: ends(Complete, 1), tso: ends(None, 2)}), says("b", Robustness, by{tso: {Claim: Robust}})},
			[]Agreement{Differs, Differs, Differs}, []string{"a under SC says 1 final state, a under TSO says at least 1 final state, b under TSO says ROBUST: under TSO there is a final state that is none of SC"}},
		{"not robust with other states", []Method{says("a", States, by{sc: ends(Complete, 1), tso: ends(Complete, 1, 2)}), says("b", Robustness, by{tso: {Claim: NotRobust}})},
			[]Agreement{Nothing, Nothing, Nothing}, nil},
	}
	for _, tt := range tests {
		c, err := Run(context.Background(), &program.Program{}, Options{Methods: tt.methods})
		if err != nil {
			t.Fatal(err)
		}
		var got []Agreement
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
	method := func(name string, run func(context.Context, *program.Program, refine.Options) (Answer, error)) Method {
		return Method{Name: name, Kind: Property, Applies: tso, Run: run}
	}
	fails := method("fails", func(context.Context, *program.Program, refine.Options) (Answer, error) {
		return Answer{Claim: Safe}, errors.New("no luck")
	})
	refuses := method("refuses", func(_ context.Context, p *program.Program, _ refine.Options) (Answer, error) {
		return Answer{}, p.Diagnose(program.Position{Line: 1, Col: 1}, "too large", "")
	})
	c, err := Run(context.Background(), p, Options{Timeout: time.Millisecond, Methods: []Method{
		fails, refuses,
		method("panics", func(context.Context, *program.Program, refine.Options) (Answer, error) { panic("oh") }),
		method("waits", func(ctx context.Context, _ *program.Program, _ refine.Options) (Answer, error) {
			<-ctx.Done()
			return Answer{Reason: "no time"}, nil
		}),
		method("decides", func(context.Context, *program.Program, refine.Options) (Answer, error) {
			return Answer{Claim: Safe}, nil
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
		got = append(got, fmt.Sprintf("%s %s %q %q", r.Method.Name, r.Claim, r.Reason, text))
	}
	want := []string{`fails UNKNOWN "" "no luck"`, `refuses UNKNOWN "too large" ""`, `panics UNKNOWN "" "panic: oh"`, `waits UNKNOWN "no time" ""`, `decides SAFE "" ""`}
	if !slices.Equal(got, want) || c.Stopped {
		t.Errorf("got %q\nwant %q", got, want)
	}

	var diag *program.Diagnostic
	if _, err := Run(context.Background(), p, Options{Methods: []Method{refuses}}); !errors.As(err, &diag) {
		t.Errorf("refused by all: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if c, err := Run(ctx, p, Options{Methods: []Method{fails}}); err != nil || !c.Stopped || len(c.Rows) > 0 {
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
		{"everything", randprog.Options{Assert: 1, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}}, 60},
		{"moments", randprog.Options{Forbid: 6, Lock: 3, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}}, 60},
		{"starts", randprog.Options{Start: 60, Assume: 3, Unsigned: 30, Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 1, Max: 3}}, 60},
		{"starts and deadlock", randprog.Options{Start: 60, Assume: 3, Lock: 2, Deadlock: 6, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 1, Max: 4}}, 60},
		{"deadlock", randprog.Options{Deadlock: 4, Lock: 3, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}}, 30},
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
						t.Errorf("seed %d: %s: %v", seed, r.Method.Name, r.Err)
					}
					if r.Agrees == Agrees {
						agree[string(r.Kind())+" "+r.Method.Name]++
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
			for _, m := range Methods() {
				// Explicit search is the reference; abstractions need not know.
				if name := string(m.Kind) + " " + m.Name; agree[name] == 0 && m.Name != string(refine.Explicit) && name != "robustness robust" {
					t.Errorf("%s never agrees", name)
				}
			}
		})
	}
}
