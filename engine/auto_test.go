package engine

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/evidence"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestRace: the members side by side, which most programs are too small for, come to
// the answer of explicit search, and wherever they are stopped to none that is another.
func TestRace(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(enginetest.Examples(), "*.imp"))
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	winners := map[string]int{}
	for _, file := range files {
		p, err := lang.Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range memory.Operational() {
			known, err := explore.All(t.Context(), p, explore.Options{Model: m, MaxStates: 400})
			if err != nil || !known.Conclusive() {
				continue
			}
			for _, limit := range []time.Duration{time.Minute, 10 * time.Millisecond, time.Millisecond, 100 * time.Microsecond, 0} {
				ctx, cancel := context.WithTimeout(t.Context(), limit)
				r, err := newRace(p, Options{Model: m, MemoryLimit: 1 << 30}.WithDefaults(), stage{engines: members(p, m)}).run(ctx)
				cancel()
				switch {
				case err != nil:
					t.Errorf("%s under %s, %v: %v", filepath.Base(file), m, limit, err)
				case r.Verdict() == verdict.IsUnknown && (r.Reason() == "" || limit == time.Minute),
					r.Verdict() != verdict.IsUnknown && r.Verdict() != known.Verdict():
					t.Errorf("%s under %s, %v: %s (%s), want %s", filepath.Base(file), m, limit, r.Verdict(), r.Reason(), known.Verdict())
				}
				if err == nil && r.Conclusive() {
					winners[r.Engine]++
				}
			}
		}
	}
	t.Log(winners)
	if len(winners) < 2 {
		t.Error("it is always the same who wins")
	}
}

// TestCertifiedRace: where a certificate is wanted, a proof without one is not the end,
// but it is an answer if there is no other.
func TestCertifiedRace(t *testing.T) {
	for _, test := range []struct {
		file  string
		n     int64
		model memory.Model
		proof bool
	}{
		{"clh-lock.imp", 3, memory.TSO, true}, // of which lazy search is done soon
		{"dekker.imp", 0, memory.SC, true},
		{"dekker-fenced.imp", 0, memory.PSO, false},
	} {
		p := enginetest.Example(t, test.file, test.n)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		r, err := Check(ctx, p, Options{Model: test.model, Certify: true})
		cancel()
		if err != nil || !r.Safe() || evidence.Possible(r) != test.proof {
			t.Errorf("%s under %s: %v, %v", test.file, test.model, r, err)
		}
	}
}

// TestSearchUnderSCGoesOn: the violation is one under SC behind many states, and nothing else is of
// use: under TSO there is no end of states, and the way is too long to unroll.
func TestSearchUnderSCGoesOn(t *testing.T) {
	p, err := lang.Load("testdata/seqlock-wrap.imp", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []memory.Model{memory.SC, memory.TSO} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		r, err := Check(ctx, p, Options{Model: m})
		cancel()
		if err != nil || !r.Unsafe() || r.Model() != m {
			t.Errorf("under %s: %v, %v", m, r, err)
		}
	}
}

// TestLongSteps: a violation behind many states, but few long steps away, is found in the head start of the search
// by such steps, however fast the others are, so that the run is the same every time.
func TestLongSteps(t *testing.T) {
	for _, test := range []struct {
		file string
		n    int64
	}{{"dijkstra.imp", 3}, {"burns.imp", 5}} {
		for range 3 {
			r, err := Check(t.Context(), enginetest.Example(t, test.file, test.n), Options{})
			if err != nil || !r.Unsafe() || r.Engine != string(byPrefixes) {
				t.Errorf("%s: %v, %v, want it from %s", test.file, r, err, byPrefixes)
			}
		}
	}
}

// TestManyChoices: a search that finds few states and tries many events has its milestone, too.
func TestManyChoices(t *testing.T) {
	text := `program Choice
process P
  local n, s, i;
begin
  n := any(0..2000000000);
  assume n < 10;
  for i := 0 to n do s := s + i od;
  assert s != 45
end
`
	p, err := lang.Parse(&program.Source{Name: "choice.imp", Text: text}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range memory.Operational() {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		r, err := Check(ctx, p, Options{Model: m})
		cancel()
		if err != nil || !r.Unsafe() {
			t.Errorf("under %s: %v, %v", m, r, err)
		}
	}
}
