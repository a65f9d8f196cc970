package litmus_test

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A herdResult is what herd7 says of a test under a model.
type herdResult struct {
	States      []string
	Observation string
	Verdict     string
}

type herdTest struct {
	File, Name, Condition string
	Kind                  litmus.Kind
	SC, TSO               herdResult
}

// corpus reads the list of the tests in the directory that FENCEPOST_CORPUS
// names.
func corpus(t *testing.T) (dir string, tests []herdTest) {
	t.Helper()
	dir = os.Getenv("FENCEPOST_CORPUS")
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
	for s.Scan() {
		var h herdTest
		if err := json.Unmarshal(s.Bytes(), &h); err != nil {
			t.Fatal(err)
		}
		tests = append(tests, h)
	}
	if err := s.Err(); err != nil {
		t.Fatal(err)
	}
	if len(tests) == 0 {
		t.Fatal("no tests")
	}
	return dir, tests
}

// finalStates is the states in which p ends: found by search, or, where parts of an access have no order
// and others come in between, among executions.
func finalStates(t *testing.T, p *program.Program, m memory.Model) []verdict.FinalState {
	t.Helper()
	if _, whole := p.Joined(); !whole {
		def, err := memory.LoadFor(m, p.Arch)
		if err != nil {
			t.Fatal(err)
		}
		all, err := graphs.FinalStates(context.Background(), p, def, graphs.Options{}, func(*memory.Graph, verdict.FinalState) bool { return true })
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	all, res, err := explore.FinalStates(context.Background(), p, explore.Options{Model: m})
	if err != nil {
		t.Fatal(err)
	}
	if !res.Safe() {
		t.Fatalf("%v: %s", res.Verdict(), res.Reason())
	}
	return all
}

// All tests of the corpus end as herd7 says.
func TestCorpus(t *testing.T) {
	dir, tests := corpus(t)
	var wg sync.WaitGroup
	work := make(chan herdTest)
	for range 8 {
		wg.Go(func() {
			for h := range work {
				t.Run(h.File, func(t *testing.T) { againstHerd(t, dir, h) })
			}
		})
	}
	for _, h := range tests {
		work <- h
	}
	close(work)
	wg.Wait()
	t.Logf("%d tests", len(tests))
}

func againstHerd(t *testing.T, dir string, h herdTest) {
	text, err := os.ReadFile(filepath.Join(dir, h.File))
	if err != nil {
		t.Fatal(err)
	}
	test, err := litmus.ParseTest(&program.Source{Name: h.File, Text: string(text)})
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Sanity(test.Program); err != nil {
		t.Fatal(err)
	}
	if test.Name != h.Name || test.Kind != h.Kind || test.Condition != h.Condition {
		t.Errorf("got %s %s %s\nwant %s %s %s", test.Name, test.Kind, test.Condition, h.Name, h.Kind, h.Condition)
	}
	for _, m := range []struct {
		model memory.Model
		want  herdResult
	}{{memory.SC, h.SC}, {memory.TSO, h.TSO}} {
		o := test.Outcome(finalStates(t, test.Program, m.model))
		verdict := "No"
		if o.Ok {
			verdict = "Ok"
		}
		if !slices.Equal(o.States, m.want.States) || o.Observation != m.want.Observation || verdict != m.want.Verdict {
			t.Errorf("%s: got %q %s %s\nwant %q %s %s", m.model, o.States, o.Observation, verdict,
				m.want.States, m.want.Observation, m.want.Verdict)
		}
	}
}
