package trust

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// lines calls f for each line of a list of programs of the corpus.
func lines[L any](t *testing.T, list string, f func(dir string, l L)) {
	root := os.Getenv("FENCEPOST_CORPUS")
	if root == "" {
		t.Skip("FENCEPOST_CORPUS is not set")
	}
	dir := filepath.Join(root, "c")
	file, err := os.Open(filepath.Join(dir, list))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for s := bufio.NewScanner(file); s.Scan(); {
		var l L
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		f(dir, l)
	}
}

// TestWrong finds, under RC11, the kind of error that GenMC finds in programs of its tests that are
// wrong.
func TestWrong(t *testing.T) {
	counts := map[string]int{}
	lines(t, "genmc-wrong.jsonl", func(dir string, l struct{ File, Error string }) {
		p, err := lang.Load(filepath.Join(dir, l.File), nil, lang.C{Orders: true, Signals: strings.HasPrefix(l.Error, "Liveness"), Uninitialised: strings.Contains(l.Error, "uninitialized")})
		if err != nil {
			t.Errorf("%s: %v", l.File, err)
			return
		}
		ask, kind := Explore, "assertion or memory"
		switch {
		case strings.HasPrefix(l.Error, "Non-Atomic race"):
			ask, kind = Races, "race"
		case strings.HasPrefix(l.Error, "Liveness"):
			ask, kind = Hangs, "hang"
		}
		res, err := ask(context.Background(), p, Options{Model: memory.RC11, MaxRounds: 6})
		switch {
		case err != nil:
			t.Errorf("%s: %v", l.File, err)
		case !res.Unsafe():
			t.Errorf("%s: %s, while GenMC says %s", l.File, res.Verdict(), l.Error)
		default:
			counts[kind]++
		}
	})
	t.Log(counts)
}

// TestDat3M compares verdicts with those of Dat3M, where exploring comes to one in time.
func TestDat3M(t *testing.T) {
	counts, limit := map[string]int{}, int64(12_000)
	if testing.Short() {
		limit = 500
	}
	lines(t, "dat3m.jsonl", func(dir string, l struct {
		File, Variant string
		Verdicts      map[string]string
	}) {
		for name, want := range l.Verdicts {
			m, ok := map[string]memory.Model{"TSO": memory.TSO, "RC11": memory.RC11}[name]
			if !ok || want == "UNKNOWN" {
				continue
			}
			c := lang.C{Orders: m == memory.RC11}
			if i := strings.LastIndexByte(l.Variant, '-'); i >= 0 && l.Variant != "chase-lev" {
				// The files have ACQ2RX where the variants say acq2rx_lock.
				c.Macros = []string{strings.ToUpper(strings.TrimSuffix(strings.TrimSuffix(l.Variant[i+1:], "_unlock"), "_lock"))}
			}
			p, err := lang.Load(filepath.Join(dir, l.File), nil, c)
			if err != nil {
				t.Errorf("%s: %v", l.Variant, err)
				continue
			}
			res, err := Explore(context.Background(), p, Options{Model: m, MaxRounds: 20, MaxGraphs: limit})
			if err != nil {
				t.Errorf("%s, %s: %v", l.Variant, m, err)
				continue
			}
			got := map[verdict.Verdict]string{verdict.IsSafe: "PASS", verdict.IsUnsafe: "FAIL"}[res.Verdict()]
			counts[got]++
			if got != "" && got != want {
				t.Errorf("%s, %s: %s, want %s", l.Variant, m, res.Verdict(), want)
			}
		}
	})
	t.Log(counts)
	if !testing.Short() && counts["PASS"]+counts["FAIL"] < 12 {
		t.Error("hardly anything was decided")
	}
}
