package c_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/traces"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

var countAll = flag.Bool("counts.all", false, "count the executions of every program of the corpus, not of a sample")

// A counted is a program of others with the number of its executions under SC.
type counted struct {
	set, file string
	opts      c.Options
	want      int64
}

// countedPrograms reads those of the corpus.
func countedPrograms(t *testing.T) []counted {
	root := os.Getenv("FENCEPOST_CORPUS")
	if root == "" {
		t.Skip("FENCEPOST_CORPUS is not set")
	}
	dir := filepath.Join(root, "c")
	var all []counted
	lines := func(set string, f func(line []byte)) {
		file, err := os.Open(filepath.Join(dir, set+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		for s := bufio.NewScanner(file); s.Scan(); {
			f(s.Bytes())
		}
	}
	lines("nidhugg", func(line []byte) {
		var l struct {
			File    string
			Relaxed map[string]struct{ Traces int64 }
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		all = append(all, counted{"nidhugg", filepath.Join(dir, l.File), c.Options{}, l.Relaxed["sc"].Traces})
	})
	lines("genmc", func(line []byte) {
		var l struct {
			File, Model    string
			Flags, Defines []string
			Executions     int64
		}
		if err := json.Unmarshal(line, &l); err != nil {
			t.Fatal(err)
		}
		if l.Model != "sc.mo" || l.Executions == 0 {
			return
		}
		x := counted{"genmc", filepath.Join(dir, l.File), c.Options{}, l.Executions}
		for _, d := range l.Defines {
			if strings.HasPrefix(d, "-D") {
				x.opts.Defines = append(x.opts.Defines, d[2:])
			}
		}
		if len(l.Flags) > 0 {
			x.set += " " + strings.Join(slices.DeleteFunc(l.Flags, func(f string) bool { return strings.HasPrefix(f, "-check") }), " ")
		}
		all = append(all, x)
	})
	return all
}

// TestExecutionCounts compares how many executions programs of others have under SC with what
// their projects say. docs/c.md explains the differences.
func TestExecutionCounts(t *testing.T) {
	all := countedPrograms(t)
	if testing.Short() && !*countAll {
		t.Skip("takes long")
	}
	type tally struct{ same, more, fewer, open, refused int }
	tallies := map[string]*tally{}
	for i, x := range all {
		if !*countAll && i%40 != 7 {
			continue
		}
		n := tallies[x.set]
		if n == nil {
			n = &tally{}
			tallies[x.set] = n
		}
		text, err := os.ReadFile(x.file)
		if err != nil {
			t.Fatal(err)
		}
		opts := x.opts
		opts.ReadFile = os.ReadFile
		p, err := c.Parse(&program.Source{Name: x.file, Text: string(text)}, opts)
		if err != nil {
			n.refused++
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), *corpusLimit)
		// Where an assumption fails others call the execution blocked.
		got := int64(0)
		complete := func(s *abstract.State) {
			for ti, th := range p.Threads {
				if th.States[s.PC[ti]].Kind == program.GivenUp {
					return
				}
			}
			got++
		}
		r, err := traces.Explore(ctx, p, traces.Options{Model: memory.SC, Algorithm: traces.Optimal, Found: complete})
		cancel()
		switch {
		case err != nil:
			n.refused++
			continue
		case !r.Safe():
			n.open++
			continue
		}
		switch {
		case got == x.want:
			n.same++
			continue
		case got > x.want:
			n.more++
		default:
			n.fewer++
		}
		t.Logf("%s %v: %d executions, %d wanted", strings.TrimPrefix(x.file, os.Getenv("FENCEPOST_CORPUS")), x.opts.Defines, got, x.want)
		// GenMC leaves out executions that others stand for: those in which threads that are
		// alike have changed places, rounds of a loop that change nothing, barriers. In hw-queue, where one of two threads
		// enqueues 0, which nobody can dequeue, it counts executions in which that one waits for ever; in ms-queue rounds that
		// change nothing, which are waits here.
		if x.set == "nidhugg" || got < x.want && !strings.Contains(x.file, "hw-queue") && !strings.Contains(x.file, "ms-queue") {
			t.Errorf("%s: %d executions, want %d", x.file, got, x.want)
		}
	}
	for _, set := range sortedKeys(tallies) {
		t.Log(set, fmt.Sprintf("%+v", *tallies[set]))
	}
}
