// Command c compares the time to a verdict about C programs under TSO with that of CBMC, Nidhugg and
// GenMC, where these are on the path, and prints a table for each set of programs.
//
//	go run ./bench/c
//	FENCEPOST_CORPUS=DIR go run ./bench/c -sets examples,cbmc-wmm,nidhugg,genmc,dat3m
//
// Every run is a process of its own, and what counts is the wall time, with the start of the
// process in it; runs of one program take turns, and the median counts. The peers look at so many
// rounds of each loop (-unroll) and say nothing of what comes after; Fencepost is given no bound, and its
// SAFE has none. CBMC takes the atomics of C11 as sequentially consistent and refuses most programs that
// give threads pointers: what it says of programs with atomics counts for the time only. Where a peer
// finds an error in what Fencepost calls safe, that is said below the table.
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
	runs     = flag.Int("runs", 3, "how often to measure")
	slower   = flag.Float64("behind", 2, "name the programs on which we take so many times what a peer takes")
)

// An instance is a program with its macros.
type instance struct {
	file    string
	defines []string
}

func (i *instance) name() string {
	return strings.TrimSpace(filepath.Base(i.file) + " " + strings.Join(i.defines, " "))
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
	for _, name := range names {
		is, err := instances(name)
		if err != nil {
			return err
		}
		is = slices.DeleteFunc(is, func(i instance) bool { return !choose.MatchString(i.name()) })
		fmt.Fprintf(w, "\n## %s\n\nSeconds, and in brackets how many times as long as we a peer takes.\n\n", name)
		t := &table{ours: ours, rivals: rivals}
		t.measure(w, is)
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
}

// measure measures the programs and writes the table.
func (t *table) measure(w io.Writer, is []instance) {
	head := []string{"program", "verdict", "fencepost"}
	for _, r := range t.rivals {
		head = append(head, r.name)
	}
	measure.Head(w, head...)
	means := make([]measure.Mean, len(t.rivals))
	var behind, against []string
	open := 0
	for _, i := range is {
		wall := func(s peers.Sample) time.Duration { return s.Wall }
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
		samples, errs := measure.Interleave(*runs, jobs)
		row := []string{i.name(), "", ""}
		var own peers.Sample
		if errs[0] != nil {
			row[2] = cell(errs[0])
		} else {
			own = measure.Median(samples[0], wall)
			row[1], row[2] = own.Verdict, fmt.Sprintf("%.3f", own.Wall.Seconds())
		}
		if !own.Decided() {
			open++
		}
		for k, r := range t.rivals {
			if errs[k+1] != nil {
				row = append(row, cell(errs[k+1]))
				continue
			}
			s := measure.Median(samples[k+1], wall)
			text := fmt.Sprintf("%.3f", s.Wall.Seconds())
			if own.Decided() {
				ratio := s.Wall.Seconds() / own.Wall.Seconds()
				means[k].Add(ratio)
				text += fmt.Sprintf(" (%.2f)", ratio)
				if ratio <= 1 / *slower {
					behind = append(behind, fmt.Sprintf("%s: %s takes %.2f of our time", i.name(), r.name, ratio))
				}
				if s.Verdict == "UNSAFE" && own.Verdict == "SAFE" {
					against = append(against, fmt.Sprintf("%s: %s", i.name(), r.name))
				}
			} else {
				behind = append(behind, fmt.Sprintf("%s: decided by %s alone", i.name(), r.name))
			}
			row = append(row, text)
		}
		measure.Row(w, row...)
	}
	total := []string{"geometric mean of the ratios", fmt.Sprintf("%d of %d", len(is)-open, len(is)), ""}
	for k := range means {
		total = append(total, means[k].String())
	}
	measure.Row(w, total...)
	list := func(what string, names []string) {
		text := "nowhere"
		if !slices.ContainsFunc(t.rivals, func(r *rival) bool { return r.tool != nil }) {
			text = "there is nobody to compare with"
		}
		if len(names) > 0 {
			text = strings.Join(names, "; ")
		}
		fmt.Fprintf(w, "\n%s: %s.\n", what, text)
	}
	list(fmt.Sprintf("Behind by %g or more", *slower), behind)
	list("An error where we say SAFE", against)
}

var errAbsent = errors.New("not there")

// cell is what stands in the place of a time.
func cell(err error) string {
	switch {
	case errors.Is(err, errAbsent):
		return "not there"
	case errors.Is(err, peers.ErrLimit):
		return "> " + limit.String()
	}
	log.Print(err)
	return "no answer"
}
