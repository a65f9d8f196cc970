package trust

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

var (
	corpusAll   = flag.Bool("corpus.all", false, "count the graphs of every program of the corpus, not of a sample")
	corpusOnly  = flag.String("corpus.only", "", "those whose names have this in them")
	corpusLimit = flag.Duration("corpus.limit", time.Second, "time for a program of the corpus")
)

// explained are programs of which we have other numbers, and why.
var explained = map[string]string{
	// Without the order of stores (rc11.wb) GenMC has the numbers that release sequences give as
	// C++17 has them, and with it those of C++20, which are ours.
	"chase-lev": "release sequences", "dq-opt": "release sequences",
	// The order of SC, for which GenMC has one graph less than the axioms allow.
	"WWmerge1": "order of SC", "Z6.U": "order of SC",
	// GenMC counts one of the executions that differ by an exchange of like threads: 3! or 2.
	"conf-loop": "symmetry", "conf-loop-small": "symmetry", "lock-nested": "symmetry",
	// GenMC takes what stores the value that is there for a wait, and peels loops.
	"ttaslock": "waits", "loop-peel2": "waits", "spin-2cas-se": "waits", "spin-2cas": "waits", "spin-lock": "waits", "spin-no-bisim": "waits",
	// So it does with additions that come to nothing, and with rounds that only differ in what they have read: without that there is no end
	// of graphs, or there are 2^43 - 1.
	"spin-fai1": "waits", "spin-2cas-join2": "waits", "loop-peel": "waits",
	// A failing round of pop leaves variables changed that are there in the end, and is a round here, and a wait for GenMC: by hand there are
	// 4 executions where pop finds nothing, 10 where it comes between the pushes, and 8 after both, of which 4 have such a round. In ms-queue a round
	// that changes nothing is a wait here, whatever other rounds do; with such rounds there are 114.
	"treiber-stack": "waits", "ms-queue": "waits",
	// GenMC does not order those who come to a barrier.
	"barrier2": "barriers", "barrier4": "barriers", "barrier-det": "barriers",
	// One of two threads enqueues 0, which nobody can dequeue, so that one always waits: no execution is complete. With other
	// numbers there are 14.
	"hw-queue": "blocked",
	// GenMC bounds each loop by itself, and we all those of a thread together.
	"linuxrwlocks": "bound", "commits": "bound", "pgsql": "bound", "spin-cas-res-invalid": "bound",
	// Neither of its threads ever ends; at the bound GenMC takes them for ended.
	"lamport-deadlock-safe": "bound",
}

// TestCorpus compares the numbers of executions with those that the tests of GenMC expect.
func TestCorpus(t *testing.T) {
	root := os.Getenv("FENCEPOST_CORPUS")
	if root == "" {
		t.Skip("FENCEPOST_CORPUS is not set")
	}
	dir := filepath.Join(root, "c")
	f, err := os.Open(filepath.Join(dir, "genmc.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	outcomes := map[string]int{}
	i := 0
	for s := bufio.NewScanner(f); s.Scan(); {
		var l struct {
			File, Model    string
			Flags, Defines []string
			Executions     int64
		}
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			t.Fatal(err)
		}
		m, ok := map[string]memory.Model{"sc.mo": memory.SC, "rc11.mo": memory.RC11, "rc11.wb": memory.RC11}[l.Model]
		if !ok {
			continue
		}
		if i++; !*corpusAll && i%17 != 0 || !strings.Contains(l.File, *corpusOnly) {
			continue
		}
		c := lang.C{Orders: true}
		opts := Options{Model: m}
		for _, d := range l.Defines {
			if strings.HasPrefix(d, "-D") {
				c.Macros = append(c.Macros, d[2:])
			} else if strings.HasPrefix(d, "-I") {
				c.Include = append(c.Include, filepath.Join(dir, "genmc", strings.TrimPrefix(d[2:], "./tests/")))
			}
		}
		for _, fl := range l.Flags {
			if n, ok := strings.CutPrefix(fl, "-unroll="); ok {
				opts.MaxRounds, _ = strconv.Atoi(n)
			}
		}
		name := strings.TrimPrefix(l.File, "genmc/correct/")
		say := func(outcome string, more any) {
			outcomes[outcome]++
			t.Logf("%-9s %-7s %s %v %v %v", outcome, l.Model, name, l.Flags, l.Defines, more)
		}
		p, err := lang.Load(filepath.Join(dir, l.File), nil, c)
		if err != nil {
			say("refused", strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), *corpusLimit)
		seen := map[string]bool{}
		if l.Model == "rc11.wb" {
			opts.MaxSteps = 400 // models are not made for large graphs
			opts.Graph = func(g *memory.Graph) { seen[withoutCoherence(g)] = true }
		}
		start := time.Now()
		res, err := Explore(ctx, p, opts)
		cancel()
		if err != nil {
			var diag *program.Diagnostic
			if !errors.As(err, &diag) {
				t.Errorf("%s, %s: %v", name, l.Model, err)
			}
			say("refused", strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		if strings.Contains(strings.Join(l.Flags, " "), "-check-liveness") {
			if h, err := Hangs(context.Background(), p, Options{Model: m, MaxRounds: opts.MaxRounds}); err != nil || h.Unsafe() {
				t.Errorf("%s, %s: %v, %v", name, l.Model, h, err)
			}
		}
		n := res.Stat("executions")
		if l.Model == "rc11.wb" {
			n = int64(len(seen))
		}
		if l.Model == "rc11.wb" && !res.Safe() && *corpusAll { // there are many that differ in coherence alone
			ctx, cancel := context.WithTimeout(context.Background(), *corpusLimit)
			opts.Graph, opts.MaxSteps, opts.AnyCoherence = nil, 0, true
			if once, err := Explore(ctx, p, opts); err == nil && (once.Safe() || once.Bound > 0) {
				res, n = once, once.Stat("executions")
			} else {
				t.Log(name, once, err)
			}
			cancel()
		}
		reason := explained[strings.Split(name, "/")[1]]
		if strings.Contains(strings.Join(l.Flags, " "), "-lapor") { // which leaves sections that share nothing, or only read, without an order
			reason = "locks"
		}
		text := fmt.Sprintf("%d, want %d; blocked %d, cut %d, %v", n, l.Executions, res.Stat("blocked"), res.Stat("cut"), time.Since(start).Round(time.Millisecond))
		switch {
		case res.Unsafe():
			say("unsafe", text+" "+res.Violation().Text)
			t.Errorf("%s, %s: %s", name, l.Model, res.Violation().Text)
		case !res.Safe() && (res.Stat("cut") == 0 || l.Model == "rc11.wb") && res.Bound == 0:
			outcome := "unknown"
			if reason == "waits" {
				outcome = "more" // than can be counted without its reductions
			}
			say(outcome, text+" "+res.Reason())
		case n == l.Executions:
			say("same", text)
		case reason != "":
			say("explained", reason+", "+text)
		default:
			say("differs", text)
			t.Errorf("%s, %s: %s", name, l.Model, text)
		}
	}
	t.Logf("%v", outcomes)
}
