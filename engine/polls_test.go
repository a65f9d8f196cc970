package engine

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/polled"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// polls makes the test denser: go test ./engine -run Polls -polls 30
var polls = flag.Int("polls", 1, "how many polls a context ends at, for each engine, example and model")

// TestPolls: wherever the context ends, nobody claims what is not so, and who does not
// know says why. Every engine answers every question that it does under every model,
// about small examples, with a context that ends at its first poll, at its second, ...
// What is so is what explicit search says or, where that has no such answer, the engine
// itself with all the time that it wants.
func TestPolls(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(enginetest.Examples(), "*.imp"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	most := *polls
	if testing.Short() {
		most = min(most, 3)
	}
	for _, m := range append(memory.Operational(), "../cmd/fencepost/testdata/coherence.cat") {
		t.Run(filepath.Base(string(m)), func(t *testing.T) {
			t.Parallel()
			answers := map[string]int{}
			for _, file := range files {
				p, err := lang.Load(file, nil)
				if err != nil {
					t.Fatal(err)
				}
				p.NoHang = false // which engines know nothing of
				searched := m
				if !builtin(m) { // nobody searches its states, but the program is small
					searched = memory.TSO
				}
				known, err := explore.All(t.Context(), p, explore.Options{Model: searched, MaxStates: 400})
				if err != nil || !known.Conclusive() {
					continue
				}
				for _, e := range Engines() {
					for q, ask := range asks(p, Options{Model: m, Engine: e.Name, MemoryLimit: 1 << 28}) {
						if !e.Answers(q, m) {
							continue
						}
						want, n := ask(t, 1<<30) // how often it polls, or does so for a while
						some := polled.Samples(n, most)
						if want == "UNKNOWN" { // after all the time that there is, which each of the late ones would take again
							some = append(polled.Samples(n/4, most), n)
						}
						// The last one is after all polls: the answer must be the one that was wanted.
						for _, i := range append(some, n+1) {
							got, _ := ask(t, i)
							if got != "UNKNOWN" && want != "UNKNOWN" && got != want {
								t.Errorf("%s, %s, %s under %s, ends at poll %d of %d: %s, want %s", filepath.Base(file), e.Name, q, m, i, n, got, want)
							}
							if q == verdict.Safety && got != "UNKNOWN" && want == "UNKNOWN" && searched == m && got != known.Verdict().String() {
								t.Errorf("%s, %s under %s, ends at poll %d of %d: %s, want %s", filepath.Base(file), e.Name, m, i, n, got, known.Verdict())
							}
							if q == verdict.FinalStates && got != "UNKNOWN" {
								got = "COMPLETE"
							}
							answers[string(q)+" "+got]++
						}
					}
				}
			}
			t.Log(answers)
			if answers["property UNKNOWN"] < 50 || answers["property SAFE"]+answers["property UNSAFE"] < 5 || answers["states UNKNOWN"] < 10 {
				t.Error("hardly anything was tested")
			}
		})
	}
}

// asks puts questions to an engine, with a context that ends at its n-th poll. The
// answer is UNKNOWN where there is none; polls is how often the context was asked.
func asks(p *program.Program, opts Options) map[verdict.Question]func(t *testing.T, n int) (answer string, polls int) {
	ask := func(f func(ctx context.Context) (answer, reason string, err error)) func(*testing.T, int) (string, int) {
		return func(t *testing.T, n int) (string, int) {
			t.Helper()
			parent, cancel := context.WithTimeout(context.Background(), 15*time.Millisecond)
			defer cancel()
			ctx := polled.EndAt(parent, n)
			answer, reason, err := f(ctx)
			if refused := (*program.Diagnostic)(nil); errors.As(err, &refused) {
				reason = refused.Msg
			} else if err != nil {
				t.Errorf("%s, %s under %s: %v", p.Name, opts.Engine, opts.Model, err)
			}
			if answer == "UNKNOWN" && reason == "" {
				t.Errorf("%s, %s under %s: UNKNOWN without a reason", p.Name, opts.Engine, opts.Model)
			}
			return answer, ctx.Polls()
		}
	}
	return map[verdict.Question]func(*testing.T, int) (string, int){
		verdict.Safety: ask(func(ctx context.Context) (string, string, error) {
			r, err := Check(ctx, p, opts)
			if err != nil {
				return "UNKNOWN", "", err
			}
			return r.Verdict().String(), r.Reason(), nil
		}),
		verdict.FinalStates: ask(func(ctx context.Context) (string, string, error) {
			states, r, err := FinalStates(ctx, p, opts)
			if err != nil || !r.Safe() {
				return "UNKNOWN", r.Reason(), err
			}
			return fmt.Sprint(states), "", nil
		}),
		verdict.Robustness: ask(func(ctx context.Context) (string, string, error) {
			r, err := Robust(ctx, p, opts)
			if err != nil {
				return "UNKNOWN", "", err
			}
			return r.Word(), r.Reason(), nil
		}),
	}
}
