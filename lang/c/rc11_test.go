package c_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/explore/trust"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestLibraryOfC11 has barriers, conditions and locks under models of C11. A program that orders all it does by
// them has no race under SC, and then no other executions under RC11 and RA: it has the verdicts of SC.
func TestLibraryOfC11(t *testing.T) {
	t.Parallel()
	expected := regexp.MustCompile(`\b(sc|race|deadlock) (SAFE|UNSAFE)\b`)
	asked := map[string]int{}
	for _, pattern := range []string{"barrier*.c", "cond*.c", "mutex*.c", "rwlock*.c"} {
		files, err := filepath.Glob(filepath.Join("testdata/verdicts", pattern))
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]string{}
			for _, m := range expected.FindAllStringSubmatch(string(text), -1) {
				want[m[1]] = m[2]
			}
			if want["race"] == "UNSAFE" {
				delete(want, "sc")
				delete(want, "deadlock")
			}
			for what, answer := range want {
				for _, m := range []memory.Model{memory.RC11, memory.RA} {
					ask := trust.Explore
					switch what {
					case "race":
						ask = trust.Races
						if m == memory.RA {
							continue // under which everything is ordered that is read
						}
					case "deadlock":
						ask = trust.Hangs
					}
					p, err := c.Parse(&program.Source{Name: file, Text: string(text)}, c.Options{Mapping: c.Orders, NoBlocks: true, Signals: what == "deadlock"})
					if err != nil {
						t.Fatal(err)
					}
					r, err := ask(t.Context(), p, trust.Options{Model: m, MaxRounds: 3, MaxGraphs: 2000})
					if err != nil {
						if !strings.Contains(err.Error(), "block") {
							t.Errorf("%s, %s, %s: %v", file, what, m, err)
						}
						asked["refused "+filepath.Base(file)]++
						continue
					}
					asked[what+" "+r.Verdict().String()]++
					if r.Verdict() != verdict.IsUnknown && r.Verdict().String() != answer {
						t.Errorf("%s, %s, %s: %s, want %s", file, what, m, r.Verdict(), answer)
					}
				}
			}
		}
	}
	t.Log(asked)
	for _, what := range []string{"sc SAFE", "sc UNSAFE", "race SAFE", "race UNSAFE", "deadlock SAFE", "deadlock UNSAFE"} {
		if asked[what] == 0 {
			t.Errorf("nothing was %s", what)
		}
	}
}

// TestSeveralCells: what models of C11 have no words for is said in words of C.
func TestSeveralCells(t *testing.T) {
	p := read(t, "main.c", `#include <pthread.h>
#include <stdatomic.h>
struct p { long a, b, c; };
_Atomic struct p x;
static void *f(void *arg) { struct p v = { 1, 1, 1 }; atomic_store(&x, v); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); struct p v = atomic_load(&x); return v.a + v.b + v.c; }
`, c.Options{Mapping: c.Orders, NoBlocks: true})
	_, err := engine.Check(t.Context(), p, engine.Options{Model: memory.RC11})
	if err == nil || !strings.Contains(err.Error(), "more than 8 bytes") {
		t.Errorf("%v", err)
	}
}
