package explain_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/explain"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func explained(t *testing.T, name, text string, opts explain.Options) (*verdict.Explanation, error) {
	t.Helper()
	return explain.Outcome(context.Background(), enginetest.Parse(t, name, text), opts)
}

const header = "program P\nvariables x = y = 0\n"

func TestExplain(t *testing.T) {
	const sb = header + "process A local r begin x := 1; r := y end\nprocess B local r begin y := 1; r := x end\n"
	const corr = header + "process A begin x := 1 end\nprocess B local r, s begin r := x; s := x end\n"
	const inc = header + "process A local a begin a := fetch_add(x, 1) end\nprocess B local b begin b := fetch_add(x, 1) end\n"
	tests := []struct {
		text  string
		model memory.Model
		want  verdict.Verdict
		axiom string // of the only violation; "" for none
		steps int
	}{
		{sb + "exists A.r = 0 & B.r = 0", memory.SC, verdict.IsSafe, "happens-before", 4},
		{sb + "exists A.r = 0 & B.r = 0", memory.TSO, verdict.IsUnsafe, "", 0},
		{sb + "forall A.r = 1 | B.r = 1", memory.TSO, verdict.IsUnsafe, "", 0},
		{sb + "forall A.r = 1 | B.r = 1", memory.SC, verdict.IsSafe, "happens-before", 4},
		{corr + "exists B.r = 1 & B.s = 0", memory.PSO, verdict.IsSafe, "", 0}, // coherence, and what follows from it
		{sb + "exists A.r = 7", memory.PSO, verdict.IsSafe, "", 0},             // no candidate
		{inc + "exists x = 1", memory.TSO, verdict.IsSafe, "", 0},
	}
	for _, tt := range tests {
		e, err := explained(t, "p.imp", tt.text, explain.Options{Model: tt.model})
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		if e.Verdict != tt.want {
			t.Errorf("%s under %s: %s %s, want %s", tt.text, tt.model, e.Verdict, e.Reason, tt.want)
		}
		if tt.axiom != "" && (len(e.Violations) != 1 || e.Violations[0].Axiom.Name != tt.axiom || steps(&e.Violations[0]) != tt.steps) {
			t.Errorf("%s under %s: violations %+v", tt.text, tt.model, e.Violations)
		}
		sound(t, tt.text, e)
	}
}

func steps(v *memory.Violation) (n int) {
	for _, p := range v.Paths {
		n += len(p)
	}
	return n
}

// sound tests what holds of every explanation.
func sound(t *testing.T, name string, e *verdict.Explanation) {
	t.Helper()
	switch {
	case e.Verdict == verdict.IsUnsafe && (e.Graph == nil || len(e.Violations) > 0 || e.Result == nil || e.Result.Run() == nil):
		t.Errorf("%s: allowed without an execution and a run", name)
	case e.Verdict == verdict.IsSafe && (e.Graph == nil) != (len(e.Violations) == 0):
		t.Errorf("%s: forbidden, but the execution is consistent", name)
	case e.Verdict == verdict.IsUnknown && e.Reason == "":
		t.Errorf("%s: unknown without a reason", name)
	}
}

func TestExplainUnknown(t *testing.T) {
	const loop = header + "process A begin while x < 5 do x := x + 1 od end\nexists x = 7"
	if e, err := explained(t, "p.imp", loop, explain.Options{Unroll: 1}); err != nil || e.Verdict != verdict.IsUnknown || e.Reason == "" {
		t.Errorf("%+v, %v", e, err)
	}
	for _, text := range []string{
		header + "process A begin x := 1 end",
		header + "process A begin a: x := 1 end\nforbid A@a",
	} {
		var d *program.Diagnostic
		if _, err := explained(t, "p.imp", text, explain.Options{}); !errors.As(err, &d) {
			t.Errorf("%s: error %v", text, err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Nanosecond)
	defer cancel()
	p := enginetest.Parse(t, "p.imp", header+"process A begin x := 1 end\nexists x = 1")
	if e, err := explain.Outcome(ctx, p, explain.Options{}); err != nil || e.Verdict != verdict.IsUnknown || e.Reason == "" {
		t.Errorf("%+v, %v", e, err)
	}
}

// What herd7 finds is allowed is what is explained to be.
func TestExplainCorpus(t *testing.T) {
	dir := os.Getenv("FENCEPOST_CORPUS")
	if dir == "" {
		t.Skip("FENCEPOST_CORPUS does not name a directory with litmus-x86 in it")
	}
	dir = filepath.Join(dir, "litmus-x86")
	f, err := os.Open(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for n := 0; s.Scan(); n++ {
		if n%5 > 0 { // it is slow for all of them
			continue
		}
		var h struct {
			File, Kind string
			SC, TSO    struct{ Observation string }
		}
		if err := json.Unmarshal(s.Bytes(), &h); err != nil {
			t.Fatal(err)
		}
		p, err := lang.Load(filepath.Join(dir, h.File), nil)
		if err != nil {
			t.Fatal(err)
		}
		for m, observed := range map[memory.Model]string{memory.SC: h.SC.Observation, memory.TSO: h.TSO.Observation} {
			e, err := explain.Outcome(context.Background(), p, explain.Options{Model: m})
			if err != nil {
				t.Errorf("%s, %s: %v", h.File, m, err)
				continue
			}
			want := verdict.IsUnsafe
			if h.Kind == "Required" && observed == "Always" || h.Kind != "Required" && observed == "Never" {
				want = verdict.IsSafe
			}
			if e.Verdict != want {
				t.Errorf("%s, %s: %s, want %s", h.File, m, e.Verdict, want)
			}
			sound(t, h.File, e)
		}
	}
}
