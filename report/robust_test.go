package report

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang"
	robustness "github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func decided(t *testing.T, file string, decide func(context.Context, string) (*verdict.RobustResult, error)) *verdict.RobustResult {
	t.Helper()
	r, err := decide(context.Background(), file)
	if err != nil {
		t.Fatal(err)
	}
	r.Elapsed = 0
	return r
}

func robust(ctx context.Context, file string) (*verdict.RobustResult, error) {
	p, err := lang.Load(file, nil)
	if err != nil {
		return nil, err
	}
	return robustness.Check(ctx, p, robustness.Options{})
}

func trf(ctx context.Context, file string) (*verdict.RobustResult, error) {
	p, err := lang.Load(file, nil)
	if err != nil {
		return nil, err
	}
	return robustness.Races(ctx, p, robustness.Options{})
}

func TestRobust(t *testing.T) {
	const simple = "../examples/dekker-simple.imp"
	var b bytes.Buffer
	r := decided(t, simple, robust)
	if err := Robust(&b, r, Options{}); err != nil {
		t.Fatal(err)
	}
	const want = `NOT ROBUST  ../examples/dekker-simple.imp  under TSO (attacks, 0.00 s)

  attack  P0 delays store flag0 <- 1 (line 15) past load $1 <- flag1 (line 16)
`
	if got := b.String(); !strings.HasPrefix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	const cycle = `
  cycle  P0 W flag0=1 (1) -po-> P0 R flag1=0 (2) -fr-> P1 W flag1=1 (3) -po-> P1 R flag0=0 (5) -fr->
         P0 W flag0=1 (1)
`
	if got := b.String(); !strings.HasSuffix(got, cycle) {
		t.Errorf("got\n%s\nwant at its end\n%s", got, cycle)
	}

	for _, c := range []struct {
		file   string
		decide func(context.Context, string) (*verdict.RobustResult, error)
		want   string
	}{
		{simple, trf, "NOT TRIANGULAR-RACE FREE  "},
		{"../examples/spinlock.imp", trf, "TRIANGULAR-RACE FREE  "},
		{"../examples/spinlock.imp", robust, "ROBUST  "},
	} {
		r := decided(t, c.file, c.decide)
		b.Reset()
		if err := Robust(&b, r, Options{Quiet: true}); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !strings.HasPrefix(got, c.want) || strings.Count(got, "\n") != 1 {
			t.Errorf("%s: %q", c.file, got)
		}
	}

	b.Reset()
	unknown := verdict.RobustUnknown(r.Program(), verdict.RaceFreedom, "it is hard")
	unknown.Advice = "go on"
	if err := Robust(&b, unknown, Options{}); err != nil {
		t.Fatal(err)
	}
	if got, want := b.String(), "UNKNOWN  ../examples/dekker-simple.imp  under TSO (attacks, 0.00 s)\n\n  reason  it is hard\n  next    go on\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestJSONRobust(t *testing.T) {
	r := decided(t, "../examples/dekker-simple.imp", robust)
	var b bytes.Buffer
	if err := JSONRobust(&b, r, "f"); err != nil {
		t.Fatal(err)
	}
	var got struct {
		File, Property, Verdict string
		Witness                 struct {
			Run   []map[string]any
			Cycle []struct {
				From, To struct {
					Thread, Event string
					Step          int
				}
				Relation string
			}
			Attack struct {
				Thread    string
				StoreLine int `json:"store_line"`
			}
		}
		Stats map[string]int
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.File != "f" || got.Property != "robustness" || got.Verdict != "NOT ROBUST" || len(got.Stats) == 0 ||
		len(got.Witness.Run) != len(r.Evidence().Run.Steps) || got.Witness.Attack.Thread != "P0" || got.Witness.Attack.StoreLine != 15 {
		t.Errorf("%s", b.String())
	}
	n := len(got.Witness.Cycle)
	if n != 4 || got.Witness.Cycle[n-1].To != got.Witness.Cycle[0].From || got.Witness.Cycle[1].Relation != "fr" {
		t.Errorf("%+v", got.Witness.Cycle)
	}
}

func TestCycleDrawing(t *testing.T) {
	for _, f := range []string{"dekker-simple", "parker", "lamport-fast", "chase-lev", "cilk-the", "bakery"} {
		r := decided(t, "../examples/"+f+".imp", robust)
		d := CycleDrawing(r)
		d.All = true
		want := 0 // the accesses of a read-modify-write are one node
		for _, e := range r.Evidence().Cycle {
			if e.Kind != "block" {
				want++
			}
		}
		var b bytes.Buffer
		if err := DOT(&b, d); err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(b.String(), "penwidth"); got != want {
			t.Errorf("%s: %d bold arrows, want %d:\n%s", f, got, want, b.String())
		}
		stores := 0 // and the loads among the steps are events as well
		for _, s := range r.Evidence().Run.Steps {
			if strings.HasSuffix(s.Text, "(buffered)") {
				stores++
			}
		}
		if got := strings.Count(b.String(), ": W "); got < stores {
			t.Errorf("%s: %d writes of %d stores", f, got, stores)
		}
	}
	if CycleDrawing(decided(t, "../examples/spinlock.imp", robust)) != nil {
		t.Error("a cycle of a robust program")
	}
}
