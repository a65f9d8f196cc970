package suite

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A known test is one of the directory that FENCEPOST_CORPUS names, with what is
// known of it.
type known struct {
	File  string
	Holds bool // the condition is satisfied as the test asks for
	Herd7 *struct {
		States      []string
		Observation string
	}
}

// Tests of all architectures come out as they are known to, under the model of their
// architecture; where herd7's final states are known, in exactly these. Of the kernel's it is
// every fifth, unless FENCEPOST_CORPUS_ALL is set.
func TestCorpus(t *testing.T) {
	root := os.Getenv("FENCEPOST_CORPUS")
	if root == "" {
		t.Skip("FENCEPOST_CORPUS does not name a directory with litmus tests in it")
	}
	for dir, model := range map[string]memory.Model{
		"litmus-aarch64": "armv8", "litmus-riscv": "riscv", "litmus-ppc": "power", "litmus-c11": "rc11", "litmus-lkmm": "lkmm",
	} {
		t.Run(dir, func(t *testing.T) {
			if _, err := memory.Parse(string(model)); err != nil {
				t.Fatal(err)
			}
			againstCorpus(t, filepath.Join(root, dir), model)
		})
	}
}

func againstCorpus(t *testing.T, dir string, model memory.Model) {
	f, err := os.Open(filepath.Join(dir, "expected.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// Those of the kernel take the most time by far.
	step := 1
	switch {
	case testing.Short():
		step = 10
	case os.Getenv("FENCEPOST_CORPUS_ALL") != "":
	case model == "lkmm":
		step = 5
	}
	var tests []known
	var files []File
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<22)
	for i := 0; s.Scan(); i++ {
		if i%step != 0 {
			continue
		}
		var k known
		if err := json.Unmarshal(s.Bytes(), &k); err != nil {
			t.Fatal(err)
		}
		tests = append(tests, k)
		files = append(files, File{Path: filepath.Join(dir, k.File), Rel: k.File})
	}
	n, good, start := 0, 0, time.Now()
	err = Run(context.Background(), slices.Values(files), Options{Model: model, Timeout: time.Minute}, func(f File, l *verdict.Litmus) error {
		k := tests[n]
		n++
		switch holds := l.Ok != (litmus.Kind(l.Kind) == litmus.Forbidden); {
		case l.Err != nil:
			t.Errorf("%v", l.Err)
		case l.Incomplete != "":
			t.Errorf("%s: %s", k.File, l.Incomplete)
		case holds != k.Holds:
			t.Errorf("%s: %s, want %v", k.File, l.Observation, k.Holds)
		case k.Herd7 != nil && len(k.Herd7.States) > 0 && (!slices.Equal(l.States, k.Herd7.States) || l.Observation != k.Herd7.Observation):
			t.Errorf("%s: got %s %q\nwant %s %q", k.File, l.Observation, l.States, k.Herd7.Observation, k.Herd7.States)
		default:
			good++
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d of %d in %v", good, n, time.Since(start).Round(time.Millisecond))
}
