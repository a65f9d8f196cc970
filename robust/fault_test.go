package robust_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestRobustFault: a fault that the searches come by is one under SC, and is said to
// be a mistake in the program. One that only TSO has is none: the program is then
// not robust.
func TestRobustFault(t *testing.T) {
	tests := []struct {
		name, text string
		want       string // how the error begins; "": there is none
		verdict    verdict.Verdict
	}{
		{"under sc", `program Fault
variables x = 0, y = 0
process P
  local r
begin
  x := 1; r := y; r := 7 / r
end
process Q
  local r
begin
  y := 1; r := x
end
`, "fault.imp:6:26: division by zero can be reached", verdict.IsUnknown},
		{"under tso only", `program Fault
variables x = 0, y = 0, d = 1
process P
  local r, s
begin
  x := 1; r := y; d := r; fence; s := d
end
process Q
  local r, s
begin
  y := 1; r := x; s := d; r := 7 / (r + s)
end
`, "", verdict.IsUnsafe},
	}
	for _, tt := range tests {
		p, err := lang.Parse(&program.Source{Name: "fault.imp", Text: tt.text}, nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := robust.Check(context.Background(), p, robust.Options{})
		switch {
		case tt.want != "":
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("%s: %v", tt.name, err)
			}
		case err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case r.Verdict() != tt.verdict:
			t.Errorf("%s: %s", tt.name, r.Verdict())
		}
	}
}

// TestRobustFaultRandom: likewise for random programs.
func TestRobustFaultRandom(t *testing.T) {
	faults, only := 0, 0
	for seed := range uint64(3000) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 29)), randprog.Options{Assert: 2, Threads: randprog.Range{Min: 2, Max: 2},
			Commands: randprog.Range{Min: 3, Max: 5}, NoProperty: 1, Forbid: -1, Exists: -1, Forall: -1})
		plain, err := robust.Check(context.Background(), p, robust.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
		}
		for _, th := range p.Threads {
			for i := range th.Edges {
				c := &th.Edges[i].Cmd
				if c.Op == program.Assert {
					c.Kind = program.Fault
				}
				for j := range c.Body {
					if c.Body[j].Op == program.Assert {
						c.Body[j].Kind = program.Fault
					}
				}
			}
		}
		sc, err := explore.Check(context.Background(), p, explore.Options{Model: memory.SC})
		if err != nil {
			t.Fatal(err)
		}
		r, err := robust.Check(context.Background(), p, robust.Options{})
		var diag *program.Diagnostic
		switch {
		case errors.As(err, &diag):
			faults++
			if !sc.Fault() {
				t.Fatalf("seed %d: %v, but not under sc\n%s", seed, err, enginetest.Text(p))
			}
		case err != nil:
			t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
		case r.Verdict() != plain.Verdict():
			t.Fatalf("seed %d: %s, was %s\n%s", seed, r.Verdict(), plain.Verdict(), enginetest.Text(p))
		case !sc.Fault():
			tso, err := explore.Check(context.Background(), p, explore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if tso.Fault() {
				only++
				if r.Verdict() != verdict.IsUnsafe {
					t.Fatalf("seed %d: %s, with a fault under tso only\n%s", seed, r.Verdict(), enginetest.Text(p))
				}
			}
		}
	}
	t.Logf("%d at fault, %d under tso only", faults, only)
	if faults == 0 {
		t.Error("no program is at fault")
	}
}
