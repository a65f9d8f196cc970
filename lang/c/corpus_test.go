package c_test

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var (
	corpusAll   = flag.Bool("corpus.all", false, "check every program of the corpus, not a sample")
	corpusLimit = flag.Duration("corpus.limit", time.Second, "time for a program of the corpus")
	corpusSet   = flag.String("corpus.set", "", "the one set of the corpus to check")
)

// A corpusCase is a program of others whose verdict under a model is known.
type corpusCase struct {
	set, file string
	opts      c.Options
	relaxed   bool // every memory order is replaced by the weakest one
	model     memory.Model
	want      string
	// What is asked; nil: what the program states.
	ask func(context.Context, *program.Program, engine.Options) (*verdict.Result, error)
}

// corpus reads what FENCEPOST_CORPUS has of C programs.
func corpus(t *testing.T) []corpusCase {
	root := os.Getenv("FENCEPOST_CORPUS")
	if root == "" {
		t.Skip("FENCEPOST_CORPUS is not set")
	}
	dir := filepath.Join(root, "c")
	var cases []corpusCase
	add := func(set, file string, defines []string, m, want string) {
		x := corpusCase{set: set, file: filepath.Join(dir, file), model: memory.Model(m), want: want}
		for _, d := range defines {
			switch {
			case strings.HasPrefix(d, "-D"):
				x.opts.Defines = append(x.opts.Defines, d[2:])
			case strings.HasPrefix(d, "-I"):
				x.opts.Include = append(x.opts.Include, filepath.Join(dir, "genmc", strings.TrimPrefix(d[2:], "./tests/")))
			}
		}
		cases = append(cases, x)
	}
	type line struct {
		File     string
		Model    string
		Defines  []string
		Variant  string
		Verdicts map[string]string
		TSO, SC  string
		Error    string
		Category string
		Ref      []string `json:"reference"`
		Relaxed  map[string]struct{ Verdict string }
	}
	for _, set := range []string{"cbmc-wmm", "dat3m", "genmc", "genmc-wrong", "nidhugg"} {
		f, err := os.Open(filepath.Join(dir, set+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for s := bufio.NewScanner(f); s.Scan(); {
			var l line
			if err := json.Unmarshal(s.Bytes(), &l); err != nil {
				t.Fatal(err)
			}
			switch set {
			case "cbmc-wmm":
				add(set, l.File, nil, "sc", l.SC)
				add(set, l.File, nil, "tso", l.TSO)
			case "dat3m":
				var d []string
				if i := strings.LastIndexByte(l.Variant, '-'); i >= 0 && l.Variant != "chase-lev" {
					d = []string{"-D" + strings.ToUpper(l.Variant[i+1:])}
				}
				add(set, l.File, d, "tso", map[string]string{"PASS": "SAFE", "FAIL": "UNSAFE", "UNKNOWN": "SAFE"}[l.Verdicts["TSO"]])
			case "genmc":
				if l.Model == "sc.mo" {
					add(set, l.File, l.Defines, "sc", "SAFE")
				}
			case "genmc-wrong":
				// What is not initialised is another question; some errors are
				// those of weaker models only.
				want := "?"
				if strings.HasPrefix(l.Error, "Safety") || strings.Contains(l.Error, "freed") || strings.HasPrefix(l.Error, "Allocation") {
					want = "UNSAFE"
				}
				add(set, l.File, l.Defines, "sc", want)
				x := &cases[len(cases)-1]
				x.set += " " + l.Category
				switch {
				case strings.HasPrefix(l.Error, "Non-Atomic race"):
					x.want, x.ask, x.opts.Mapping = "UNSAFE", engine.DataRaces, c.Orders
				case strings.HasPrefix(l.Error, "Liveness"):
					x.want, x.ask, x.opts.Signals = "UNSAFE", engine.Deadlocks, true
				}
			case "nidhugg":
				add(set, l.File, nil, "sc", map[string]string{"Allow": "UNSAFE", "Forbid": "SAFE"}[l.Ref[1]])
				for _, m := range []string{"sc", "tso", "pso"} {
					add(set, l.File, nil, m, l.Relaxed[m].Verdict)
					cases[len(cases)-1].relaxed = true
					cases[len(cases)-1].set += " relaxed"
				}
			}
		}
	}
	return cases
}

// A tally counts what became of the programs of a set.
type tally struct{ programs, accepted, right, wrong, open int }

// TestCorpus checks programs of others against their known verdicts. No answer may be
// wrong; those that are refused, and those that take too long, are counted.
func TestCorpus(t *testing.T) {
	cases := corpus(t)
	if testing.Short() && !*corpusAll {
		t.Skip("takes long")
	}
	if !*corpusAll { // one in so many, evenly
		var some []corpusCase
		for i, x := range cases {
			if i%12 == 5 || !strings.HasPrefix(x.set, "nidhugg") && i%4 == 1 {
				some = append(some, x)
			}
		}
		cases = some
	}
	var mu sync.Mutex
	tallies := map[string]*tally{}
	reasons := map[string]int{}
	var group sync.WaitGroup
	work := make(chan corpusCase)
	for range 2 {
		group.Go(func() {
			for x := range work {
				got, why := x.check()
				mu.Lock()
				n := tallies[x.set]
				if n == nil {
					n = &tally{}
					tallies[x.set] = n
				}
				n.programs++
				switch {
				case got == "":
					reasons[why]++
				case got == "UNKNOWN":
					n.accepted++
					n.open++
					reasons["UNKNOWN: "+why]++
				case got == x.want, x.want == "?" && got == "UNSAFE":
					n.accepted++
					n.right++
				case x.want == "?":
					n.accepted++
					n.wrong++
				default:
					n.accepted++
					n.wrong++
					t.Errorf("%s under %s: %s, want %s: %s %v", x.file, x.model, got, x.want, why, x.opts.Defines)
				}
				mu.Unlock()
			}
		})
	}
	for _, x := range cases {
		if *corpusSet == "" || strings.HasPrefix(x.set, *corpusSet) {
			work <- x
		}
	}
	close(work)
	group.Wait()
	var b strings.Builder
	for _, set := range sortedKeys(tallies) {
		n := tallies[set]
		fmt.Fprintf(&b, "\n%-24s %5d programs, %5d accepted, %5d right, %3d other, %3d open", set, n.programs, n.accepted, n.right, n.wrong, n.open)
	}
	why := sortedKeys(reasons)
	slices.SortStableFunc(why, func(x, y string) int { return cmp.Compare(reasons[y], reasons[x]) })
	for _, r := range why {
		fmt.Fprintf(&b, "\n%5d %s", reasons[r], r)
	}
	t.Log(b.String())
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// check is the verdict, or "" and why the program was refused.
func (x *corpusCase) check() (got, why string) {
	text, err := os.ReadFile(x.file)
	if err != nil {
		return "", err.Error()
	}
	if x.relaxed {
		text = []byte(strings.ReplaceAll(string(text), "memory_order_seq_cst", "memory_order_relaxed"))
	}
	opts := x.opts
	opts.ReadFile = os.ReadFile
	p, err := c.Parse(&program.Source{Name: x.file, Text: string(text)}, opts)
	if err != nil {
		var d *program.Diagnostic
		if errors.As(err, &d) {
			return "", fmt.Sprintf("%s (%s:%d)", d.Msg, filepath.Base(d.Source.Name), d.Pos.Line)
		}
		return "", err.Error()
	}
	if err := program.Sanity(p); err != nil {
		return "INSANE", err.Error()
	}
	ctx, cancel := context.WithTimeout(context.Background(), *corpusLimit)
	defer cancel()
	ask := engine.Check
	if x.ask != nil {
		ask = x.ask
	}
	r, err := ask(ctx, p, engine.Options{Model: x.model}.WithDefaults())
	if err != nil {
		return "ERROR", err.Error()
	}
	if v := r.Violation(); v != nil {
		why = fmt.Sprintf("%s, line %d", v.Text, v.Pos.Line)
	}
	if r.Verdict().String() == "UNKNOWN" {
		why = filepath.Join(filepath.Base(filepath.Dir(x.file)), filepath.Base(x.file)) + ": " + r.Reason()
	}
	return r.Verdict().String(), why
}
