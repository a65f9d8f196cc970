// Command c compares the time to a verdict about C programs under TSO with that of CBMC, Nidhugg and
// GenMC, where these are on the path, and prints a table for each set of programs.
//
//	go run ./bench/c
//	FENCEPOST_CORPUS=DIR go run ./bench/c -sets examples,cbmc-wmm,nidhugg,genmc,dat3m
//
// Every run is a process of its own, and what counts is its processor time, with the start of the
// process in it (-wall: the time that passes); runs of one program take turns, and the median counts. The
// peers look at so many rounds of each loop (-unroll) and say nothing of what comes after; Fencepost is
// given no bound, and its SAFE has none. CBMC takes the atomics of C11 as sequentially consistent and refuses
// most programs that use pointers: that is "refused". A ratio is of what both decide; how many one of
// the two decides alone stands below the table, as do the programs of which they say different things.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/measure"
	"github.com/fencepost-verifier/fencepost/bench/internal/peers"
)

var (
	examples = flag.String("examples", filepath.Join("examples", "c"), "directory of the examples")
	binary   = flag.String("binary", "", "the binary to measure (default: it is built)")
	sets     = flag.String("sets", "", "the sets of programs, with commas in between (default: the examples, and what FENCEPOST_CORPUS has)")
	every    = flag.Int("every", 1, "measure one in so many programs of the corpus")
	model    = flag.String("m", "tso", "the memory model: sc or tso")
	unroll   = flag.Int("unroll", 3, "rounds of loops for the peers")
	only     = flag.String("only", "", "the programs to measure, a regular expression (default all)")
	limit    = flag.Duration("timeout", 20*time.Second, "for each measurement")
	wall     = flag.Bool("wall", false, "measure the time that passes, in place of processor time")
	runs     = flag.Int("runs", 3, "how often to measure")
	slower   = flag.Float64("behind", 2, "name the programs on which we take so many times what a peer takes")
)

// An instance is a program with its macros.
type instance struct {
	file    string
	defines []string
}

// name is the file with the folder that it is in, where that is not that of the examples, and the macros.
func (i *instance) name() string {
	dir, file := filepath.Split(i.file)
	if base := filepath.Base(dir); base == "variants" {
		file = filepath.Join(filepath.Base(filepath.Dir(filepath.Clean(dir))), file)
	}
	return strings.TrimSpace(file + " " + strings.Join(i.defines, " "))
}

// corpus is the sets of other people's programs, files of lines in JSON.
var corpus = []string{"cbmc-wmm", "dat3m", "genmc", "nidhugg"}

func main() {
	measure.Main("c", func(dir string) error { return run(os.Stdout, dir) })
}

func run(w io.Writer, dir string) error {
	choose, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	ours, err := peers.Ours(*binary, dir)
	if err != nil {
		return err
	}
	rivals := []*rival{
		{name: "cbmc", ask: peers.CBMC},
		{name: "nidhuggc", ask: peers.Nidhugg},
		{name: "genmc", ask: peers.GenMC},
	}
	fmt.Fprintf(w, "%s, %d processors, %s, %d rounds for the peers, median of %d, limit %s\n", ours.Version(), runtime.NumCPU(), *model, *unroll, *runs, *limit)
	for _, r := range rivals {
		if r.tool, err = peers.Find(r.name); err != nil {
			fmt.Fprintln(w, err)
			continue
		}
		fmt.Fprintln(w, r.tool.Version())
	}
	names := strings.Split(*sets, ",")
	if *sets == "" {
		names = []string{"examples"}
		if os.Getenv("FENCEPOST_CORPUS") != "" {
			names = append(names, corpus...)
		}
	}
	kind := " of processor time"
	if *wall {
		kind = ""
	}
	for _, name := range names {
		is, err := instances(name)
		if err != nil {
			return err
		}
		is = slices.DeleteFunc(is, func(i instance) bool { return !choose.MatchString(i.name()) })
		fmt.Fprintf(w, "\n## %s\n\nSeconds%s, and in brackets how many times as long as we a peer takes.\n\n", name, kind)
		t := &table{ours: ours, rivals: rivals}
		t.measure(w, is)
		t.close(w, len(is))
	}
	return nil
}

// instances lists the programs of a set.
func instances(set string) (is []instance, err error) {
	if set == "examples" {
		files, err := filepath.Glob(filepath.Join(*examples, "*.c"))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("no examples in %s", *examples)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				return nil, err
			}
			is = append(is, instance{file: file})
			for _, d := range []string{"FIXED", "COUNTED"} {
				if strings.Contains(string(text), "#ifdef "+d) {
					is = append(is, instance{file: file, defines: []string{d + "=1"}})
				}
			}
		}
		return is, nil
	}
	if !slices.Contains(corpus, set) {
		return nil, fmt.Errorf("unknown set %q; there are examples, %s", set, strings.Join(corpus, ", "))
	}
	dir := filepath.Join(os.Getenv("FENCEPOST_CORPUS"), "c")
	f, err := os.Open(filepath.Join(dir, set+".jsonl"))
	if err != nil {
		return nil, fmt.Errorf("FENCEPOST_CORPUS: %w", err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for n := 0; lines.Scan(); n++ {
		var l struct {
			File, Model string
			Defines     []string
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return nil, err
		}
		if l.Model != "" && l.Model != "sc.mo" { // GenMC's programs are there once for every model
			continue
		}
		i := instance{file: filepath.Join(dir, l.File)}
		for _, d := range l.Defines {
			if macro, ok := strings.CutPrefix(d, "-D"); ok {
				i.defines = append(i.defines, macro)
			}
		}
		if !slices.ContainsFunc(is, func(j instance) bool { return j.file == i.file && slices.Equal(j.defines, i.defines) }) {
			is = append(is, i)
		}
	}
	var some []instance
	for n := 0; n < len(is); n += max(*every, 1) {
		some = append(some, is[n])
	}
	return some, lines.Err()
}

// A rival is a peer.
type rival struct {
	name string
	tool *peers.Tool // nil: it is not there
	ask  func(ctx context.Context, t *peers.Tool, model string, unroll int, file string, defines ...string) (peers.Sample, error)
}

// A table is what has been measured of a set.
type table struct {
	ours   *peers.Tool
	rivals []*rival
	open   int          // programs that we do not decide
	score  []comparison // by rival
}

// A comparison is how we stand with a rival.
type comparison struct {
	ratios        measure.Mean // of the programs that both decide
	alone, theirs int          // what only we decide, and what only the rival does
	behind, other []string     // programs on which we are behind, and of which it says something else
}

// measure measures the programs and writes the table.
func (t *table) measure(w io.Writer, is []instance) {
	head := []string{"program", "verdict", "fencepost"}
	for _, r := range t.rivals {
		head = append(head, r.name)
	}
	measure.Head(w, head...)
	t.score = make([]comparison, len(t.rivals))
	for _, i := range is {
		samples, errs := measure.Interleave(*runs, t.jobs(i))
		row := []string{i.name(), "", ""}
		var own peers.Sample
		if errs[0] != nil {
			row[2] = cell(errs[0])
		} else {
			own = measure.Median(samples[0], took)
			row[1], row[2] = own.Verdict, fmt.Sprintf("%.3f", took(own).Seconds())
		}
		if !own.Decided() {
			t.open++
		}
		for k := range t.rivals {
			if errs[k+1] != nil {
				if own.Decided() {
					t.score[k].alone++
				}
				row = append(row, cell(errs[k+1]))
				continue
			}
			row = append(row, t.score[k].add(i.name(), own, measure.Median(samples[k+1], took)))
		}
		measure.Row(w, row...)
	}
}

// jobs are what is measured of a program, ours first.
func (t *table) jobs(i instance) []func() (peers.Sample, error) {
	jobs := []func() (peers.Sample, error){func() (peers.Sample, error) {
		args := []string{"check", "-m", *model, i.file}
		for _, d := range i.defines {
			args = append(args, "-D", d)
		}
		return peers.Fencepost(context.Background(), t.ours, *limit, args...)
	}}
	for _, r := range t.rivals {
		jobs = append(jobs, func() (peers.Sample, error) {
			if r.tool == nil {
				return peers.Sample{}, errAbsent
			}
			ctx, cancel := context.WithTimeout(context.Background(), *limit)
			defer cancel()
			return r.ask(ctx, r.tool, *model, *unroll, i.file, i.defines...)
		})
	}
	return jobs
}

// took is the time that counts.
func took(s peers.Sample) time.Duration {
	if *wall {
		return s.Wall
	}
	return s.CPU
}

// add takes in what a rival says of a program, and gives its cell.
func (c *comparison) add(name string, own, s peers.Sample) string {
	text := fmt.Sprintf("%.3f", took(s).Seconds())
	if !own.Decided() {
		c.theirs++
		c.behind = append(c.behind, name+" (it alone decides)")
		return text
	}
	ratio := took(s).Seconds() / took(own).Seconds()
	c.ratios.Add(ratio)
	if ratio <= 1 / *slower {
		c.behind = append(c.behind, fmt.Sprintf("%s (%.2f)", name, ratio))
	}
	if (s.Verdict == "UNSAFE") != (own.Verdict == "UNSAFE") {
		c.other = append(c.other, fmt.Sprintf("%s (%s here, %s there)", name, own.Verdict, s.Verdict))
	}
	return fmt.Sprintf("%s (%.2f)", text, ratio)
}

// close writes the last row of the table and what there is to say below it.
func (t *table) close(w io.Writer, programs int) {
	total := []string{"geometric mean of the ratios", fmt.Sprintf("%d of %d", programs-t.open, programs), ""}
	for k := range t.score {
		total = append(total, t.score[k].ratios.String())
	}
	measure.Row(w, total...)
	list := func(names []string) string {
		if len(names) == 0 {
			return "nowhere"
		}
		return strings.Join(names, "; ")
	}
	for k, r := range t.rivals {
		if c := &t.score[k]; r.tool != nil {
			fmt.Fprintf(w, "\n%s: both decide %d, only we %d, only it %d.\n\n* Behind by %g or more: %s.\n* Another answer: %s.\n",
				r.name, c.ratios.N, c.alone, c.theirs, *slower, list(c.behind), list(c.other))
		}
	}
}

var errAbsent = errors.New("not there")

// cell is what stands in the place of a time.
func cell(err error) string {
	switch {
	case errors.Is(err, errAbsent):
		return "not there"
	case errors.Is(err, peers.ErrLimit):
		return "> " + limit.String()
	case errors.Is(err, peers.ErrRefused):
		return "refused"
	}
	log.Print(err)
	return "no answer"
}
