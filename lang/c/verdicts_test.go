package c_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestVerdicts checks small programs, one thing each, whose verdicts were worked out by hand:
// what they state, under each model; data races; deadlocks.
func TestVerdicts(t *testing.T) {
	files, err := filepath.Glob("testdata/verdicts/*.c")
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), err)
	}
	expected := regexp.MustCompile(`\b(sc|tso|pso|race|deadlock) (SAFE|UNSAFE)\b`)
	for i, file := range files {
		if testing.Short() && i%3 != 0 {
			continue
		}
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := expected.FindAllStringSubmatch(string(text), -1)
			if len(want) != 5 {
				t.Fatalf("%d verdicts are expected", len(want))
			}
			if d := want[4]; !strings.Contains(string(text), "nondet") {
				// Who is stuck hangs. (The search for who hangs has every number for one that is not known.)
				want = append(want, []string{"", "liveness", d[2]})
			}
			programs := map[string]*program.Program{}
			for _, w := range want {
				opts, ask := c.Options{}, engine.Check
				model := memory.SC
				switch w[1] {
				case "race":
					opts.Mapping, opts.Races, ask = c.Orders, true, engine.DataRaces
				case "deadlock", "liveness":
					opts.Signals, ask = true, engine.Deadlocks
					if w[1] == "liveness" {
						ask = engine.Hangs
					}
				default:
					model = memory.Model(w[1])
				}
				how := fmt.Sprint(opts.Mapping, opts.Signals)
				p := programs[how]
				if p == nil {
					if p, err = c.Parse(&program.Source{Name: file, Text: string(text)}, opts); err != nil {
						t.Fatal(err)
					}
					if err := program.Sanity(p); err != nil {
						t.Fatal(err)
					}
					programs[how] = p
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				r, err := ask(ctx, p, engine.Options{Model: model})
				cancel()
				if err != nil {
					t.Errorf("%s: %v", w[1], err)
				} else if r.Verdict().String() != w[2] {
					t.Errorf("%s: %v, want %s: %s", w[1], r.Verdict(), w[2], r.Reason())
				} else if race := r.About() == verdict.DataRaces; race != (w[1] == "race") {
					t.Errorf("%s: an answer about %s", w[1], r.About())
				}
			}
		})
	}
}
