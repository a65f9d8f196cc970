package refine

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"sort"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
)

// known is what the corpus says of a program, by the tool Trencher; a null is a
// question that the tool did not answer.
type known struct {
	Robust  *bool    `json:"robust"`
	Seconds *float64 `json:"robust_seconds"`
	Fences  *int     `json:"robustness_fences"`
	TRF     *bool    `json:"triangular_race_free"`
	TRFence *int     `json:"trf_fences"`
}

// eachKnown runs f on the programs of the corpus that tell about robustness.
func eachKnown(t *testing.T, f func(t *testing.T, p *program.Program, k known)) {
	corpus := os.Getenv("FENCEPOST_CORPUS")
	if corpus == "" {
		t.Skip("FENCEPOST_CORPUS is not set: it names a directory with trencher/ and persist/")
	}
	for _, dir := range []string{"trencher", "persist"} {
		text, err := os.ReadFile(filepath.Join(corpus, dir, "expected.json"))
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]known{}
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		var names []string
		for name := range all {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			t.Run(dir+"/"+name, func(t *testing.T) {
				p, err := lang.Load(filepath.Join(corpus, dir, name), nil)
				if err != nil {
					t.Fatal(err)
				}
				f(t, p, all[name])
			})
		}
	}
}

func TestRobustCorpus(t *testing.T) {
	eachKnown(t, func(t *testing.T, p *program.Program, k known) {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		r, err := Robust(ctx, p, Options{MemoryLimit: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		theirs := "no answer"
		if k.Robust != nil {
			theirs = time.Duration(*k.Seconds * float64(time.Second)).String()
			if (r.Verdict == IsRobust) != *k.Robust || r.Verdict == RobustnessUnknown {
				t.Errorf("%s (%s)", r.Verdict, r.Reason)
			}
		} else if r.Verdict == RobustnessUnknown {
			t.Errorf("no answer either: %s", r.Reason)
		}
		t.Logf("%s in %s (%d states, %d of %d attacks pruned); Trencher: %s", r.Verdict, r.Elapsed.Round(10*time.Microsecond),
			r.Stat("states"), r.Stat("attacks pruned"), r.Stat("attacks"), theirs)
	})
}
