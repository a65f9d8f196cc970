// Package examples_test checks every example against the verdicts that its
// comment promises.
package examples_test

import (
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/explore/traces"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// patience bounds one check. A row that expects UNKNOWN takes all of its own.
const (
	patience        = time.Minute
	unknownPatience = 2 * time.Second
)

// check decides the program in file.
func check(t *testing.T, file string, defines map[string]int64, model memory.Model, limit time.Duration) verdict.Verdict {
	t.Helper()
	return checkProgram(t, load(t, file, defines), model, limit)
}

func load(t *testing.T, file string, defines map[string]int64) *program.Program {
	t.Helper()
	p, err := lang.Load(file, defines)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func checkProgram(t *testing.T, p *program.Program, model memory.Model, limit time.Duration) verdict.Verdict {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	r, err := engine.Check(ctx, p, engine.Options{Model: model})
	if err != nil {
		t.Fatal(err)
	}
	return r.Verdict()
}

type defines = map[string]int64

// The verdicts that a row can expect.
const (
	safe    = "SAFE"
	unsafe  = "UNSAFE"
	unknown = "UNKNOWN" // it is safe, but neither searching nor unrolling shows it
	long    = ""        // not worth waiting for
)

// Rows without defines come first: they are what the comment of the file
// promises.
var rows = []struct {
	file    string
	defines defines
	sc, tso string
}{
	{"automata/store-buffer.asm", nil, safe, unsafe},
	{"bakery.imp", nil, safe, unsafe},
	{"bakery-fenced.imp", nil, safe, safe},
	{"burns.imp", nil, safe, unsafe},
	{"burns.imp", defines{"N": 3}, safe, unsafe},
	{"burns-fenced.imp", nil, safe, safe},
	{"burns-fenced.imp", defines{"N": 3}, safe, safe},
	{"chase-lev.imp", nil, safe, unsafe},
	{"chase-lev-fenced.imp", nil, safe, safe},
	{"cilk-the.imp", nil, safe, unsafe},
	{"cilk-the-fenced.imp", nil, safe, safe},
	{"clh-lock.imp", nil, safe, safe},
	{"clh-lock.imp", defines{"N": 3}, safe, safe},
	{"counts/ainc.imp", nil, safe, safe},
	{"counts/casrot.imp", nil, safe, safe},
	{"counts/lastzero.imp", nil, safe, safe},
	{"counts/readers.imp", nil, safe, safe},
	{"dekker.imp", nil, safe, unsafe},
	{"dekker-fenced.imp", nil, safe, safe},
	{"dekker-simple.imp", nil, safe, unsafe},
	{"dekker-simple-fenced.imp", nil, safe, safe},
	{"dijkstra.imp", nil, safe, unsafe},
	{"dijkstra-fenced.imp", nil, safe, safe},
	{"lamport-fast.imp", nil, safe, unsafe},
	{"lamport-fast.imp", defines{"N": 3}, safe, unsafe},
	{"lamport-fast-fenced.imp", nil, safe, safe},
	{"lock-free-stack.imp", nil, safe, safe},
	{"lock-free-stack.imp", defines{"N": 3}, safe, safe},
	{"mcs-lock.imp", nil, safe, safe},
	{"mcs-lock.imp", defines{"N": 3}, safe, safe},
	{"message-passing.imp", nil, safe, safe},
	{"nbw.imp", nil, safe, unsafe},
	{"nbw-fenced.imp", nil, safe, safe},
	{"order-and-counts.imp", nil, safe, safe},
	{"parker.imp", nil, safe, unsafe},
	{"parker-fenced.imp", nil, safe, safe},
	{"peterson.imp", nil, safe, unsafe},
	{"peterson-fenced.imp", nil, safe, safe},
	{"peterson-n.imp", nil, safe, unsafe},
	{"peterson-n-fenced.imp", nil, safe, safe},
	{"peterson-n-fenced.imp", defines{"N": 3}, safe, safe},
	{"sb-ring.imp", nil, safe, unsafe},
	{"sb-ring.imp", defines{"N": 4}, safe, unsafe},
	{"sb-ring-fenced.imp", nil, safe, safe},
	{"sb-ring-fenced.imp", defines{"N": 4}, safe, safe},
	{"seqlock.imp", nil, safe, safe},
	{"spinlock.imp", nil, safe, safe},
	{"spinlock.imp", defines{"N": 4}, safe, safe},
	{"szymanski.imp", nil, safe, unsafe},
	{"szymanski-fenced.imp", nil, safe, safe},
	{"szymanski-n.imp", nil, safe, unsafe},
	{"szymanski-n.imp", defines{"N": 3}, safe, unsafe},
	{"szymanski-n-fenced.imp", nil, safe, safe},
	{"szymanski-n-fenced.imp", defines{"N": 3}, safe, safe},
	{"ticket-lock.imp", nil, safe, safe},
	{"ticket-lock-hasty.imp", nil, unsafe, unsafe},
	{"ticket-lock-once.imp", nil, safe, safe},
	{"ticket-lock-once.imp", defines{"N": 3}, safe, safe},
	{"turn.imp", nil, safe, safe},
	{"thesis/fig3.3.imp", nil, safe, safe},
	{"thesis/fig3.7.imp", nil, safe, safe},
	{"thesis/fig4.2.imp", nil, unsafe, unsafe},
	{"thesis/fig4.5.imp", nil, unsafe, unsafe},
	{"thesis/fig5.3.imp", nil, safe, unsafe},
	{"thesis/fig5.3.imp", defines{"N": 50}, safe, unsafe},
	{"thesis/fig5.4.imp", nil, safe, unsafe},
	{"thesis/fig5.4.imp", defines{"N": 10}, safe, unsafe},
	{"thesis/fig5.4-fence.imp", nil, safe, unsafe},
	{"thesis/fig5.4-fence.imp", defines{"N": 5}, safe, unsafe},
	{"thesis/fig5.10.imp", nil, safe, unsafe},
	{"thesis/fig5.10.imp", defines{"ROUNDS": 10}, safe, unsafe},
	{"thesis/fig5.12.imp", nil, safe, safe},
	{"thesis/fig5.12.imp", defines{"N": 3}, safe, safe},
}

// files lists the examples, but for litmus tests, which are for the command's own.
func files(t *testing.T) []string {
	var paths []string
	err := filepath.WalkDir(".", func(path string, _ fs.DirEntry, err error) error {
		if slices.Contains(lang.Extensions(), filepath.Ext(path)) && filepath.Dir(path) != "litmus" {
			paths = append(paths, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func TestEveryExampleHasARow(t *testing.T) {
	listed := map[string]bool{"c/lock-with-waiters.c": true} // TestLivenessOfC
	for _, r := range rows {
		listed[r.file] = true
	}
	for _, r := range cRows {
		listed[r.file] = true
	}
	for _, f := range files(t) {
		if !listed[f] {
			t.Errorf("%s has no row in the table of this test", f)
		}
		delete(listed, f)
	}
	for f := range maps.Keys(listed) {
		t.Errorf("%s does not exist", f)
	}
}

func TestExamplesParse(t *testing.T) {
	for _, r := range rows {
		p, err := lang.Load(r.file, r.defines)
		if err != nil {
			t.Error(err)
			continue
		}
		if err := program.Sanity(p); err != nil {
			t.Errorf("%s: %v", r.file, err)
		}
	}
}

// TestExecutionCounts compares the numbers of executions that the files in counts
// promise with what the exploration of executions finds.
func TestExecutionCounts(t *testing.T) {
	sum := func(n int64) int64 { // casrot
		k := int64(1)
		for i := int64(2); i <= n; i++ {
			term := i - 1
			for range n - i {
				term *= i
			}
			k += term
		}
		return k
	}
	factorial := func(n int64) int64 {
		k := int64(1)
		for i := int64(2); i <= n; i++ {
			k *= i
		}
		return k
	}
	for file, want := range map[string]func(n int64) int64{
		"counts/ainc.imp":     factorial,
		"counts/casrot.imp":   sum,
		"counts/lastzero.imp": func(n int64) int64 { return (n + 3) << n / 4 },
		"counts/readers.imp":  func(n int64) int64 { return 1 << n },
	} {
		for n := int64(2); n <= 7; n++ {
			p, err := lang.Load(file, defines{"N": n})
			if err != nil {
				t.Fatal(err)
			}
			r, err := traces.Explore(t.Context(), p, traces.Options{Model: memory.SC})
			if err != nil {
				t.Fatal(err)
			}
			if got := r.Stat("executions"); got != want(n) || r.Stat("blocked") > 0 || !r.Safe() {
				t.Errorf("%s, N = %d: %v, %d executions, %d blocked, want %d", file, n, r.Verdict(), got, r.Stat("blocked"), want(n))
			}
		}
	}
}

// TestComments compares what the files say with what the table expects.
func TestComments(t *testing.T) {
	promise := regexp.MustCompile(`(?m)^(?://|#) (SC|TSO): +(SAFE|UNSAFE)\b`)
	for _, r := range rows {
		if r.defines != nil {
			continue
		}
		text, err := os.ReadFile(r.file)
		if err != nil {
			t.Error(err)
			continue
		}
		said := map[string]string{}
		for _, m := range promise.FindAllStringSubmatch(string(text), -1) {
			said[m[1]] = m[2]
		}
		for model, want := range map[string]string{"SC": r.sc, "TSO": r.tso} {
			if want == unknown || want == long {
				want = ""
			}
			if said[model] != want {
				t.Errorf("%s: the comment says %q for %s, the table %q", r.file, said[model], model, want)
			}
		}
	}
}

func TestVerdicts(t *testing.T) {
	for _, r := range rows {
		for model, want := range map[memory.Model]string{memory.SC: r.sc, memory.TSO: r.tso} {
			if want == long {
				continue
			}
			t.Run(r.file+"/"+string(model), func(t *testing.T) {
				limit := patience
				if want == unknown {
					limit = unknownPatience
				}
				if got := check(t, r.file, r.defines, model, limit); got.String() != want {
					t.Errorf("with %v: %v, want %s", r.defines, got, want)
				}
			})
		}
	}
}

// TestEveryFenceIsNeeded takes the fences of the repaired programs away one by
// one: each time the program must become unsafe under TSO.
func TestEveryFenceIsNeeded(t *testing.T) {
	fence := regexp.MustCompile(`(?m)^ *fence;?$`)
	for _, f := range files(t) {
		if !strings.HasSuffix(f, "-fenced.imp") {
			continue
		}
		t.Run(f, func(t *testing.T) {
			text, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			places := fence.FindAllIndex(text, -1)
			if len(places) == 0 {
				t.Error("no fence")
			}
			for _, at := range places {
				without := slices.Concat(text[:at[0]], text[at[1]:])
				file := filepath.Join(t.TempDir(), "without.imp")
				if err := os.WriteFile(file, without, 0o600); err != nil {
					t.Fatal(err)
				}
				if got := check(t, file, nil, memory.TSO, patience); got != verdict.IsUnsafe {
					t.Errorf("without the fence in line %d: %v, want UNSAFE", 1+strings.Count(string(text[:at[0]]), "\n"), got)
				}
			}
		})
	}
}
