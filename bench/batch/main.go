// Command batch measures how well batches scale: the same jobs with one worker and with more, folder by
// folder, and prints a table.
//
//	go run ./bench/batch [flags] DIR|FILE...
//
// The runs take turns, each with a queue of its own, and the median counts. Efficiency is the time with one
// worker by the time with n and by n; a worker has one core. The queue needs a processor as well, which
// one worker leaves to it where there are two; with -pin n workers and their queue have n processors, and no more
// (Linux). The verdicts must be the same.
//
// No job should take more than a tenth of the time of all: the others cannot make up for it.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/measure"
	"github.com/fencepost-verifier/fencepost/bench/internal/peers"
)

var (
	counts = flag.String("workers", "1,2", "how many workers, with commas in between; the first is what the others are compared with")
	runs   = flag.Int("runs", 3, "how often to measure")
	limit  = flag.Duration("timeout", 30*time.Minute, "for each measurement")
	pin    = flag.Bool("pin", false, "give n workers, and the queue, n processors (by taskset)")
	with   = flag.String("flags", "", "flags of fencepost batch, such as \"--model sc,tso\"")
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("batch: ")
	flag.Parse()
	if flag.NArg() == 0 {
		log.Fatal("usage: go run ./bench/batch [flags] DIR|FILE...")
	}
	dir, err := os.MkdirTemp("", "batch")
	if err != nil {
		log.Fatal(err)
	}
	err = run(dir, flag.Args())
	os.RemoveAll(dir)
	if err != nil {
		log.Fatal(err)
	}
}

func run(dir string, places []string) error {
	var workers []int
	for n := range strings.SplitSeq(*counts, ",") {
		w, err := strconv.Atoi(n)
		if err != nil || w < 1 {
			return fmt.Errorf("%q is no number of workers", n)
		}
		workers = append(workers, w)
	}
	fencepost, err := peers.Build(dir)
	if err != nil {
		return err
	}
	fmt.Printf("%s, %d processors, median of %d\n", fencepost.Version(), runtime.NumCPU(), *runs)
	fmt.Print("\nSeconds of wall time, and of processor time of all processes in parentheses.\n\n")
	head := []string{"files", "jobs"}
	for i, w := range workers {
		if head = append(head, fmt.Sprintf("%d workers", w)); i > 0 {
			head = append(head, "efficiency")
		}
	}
	measure.Head(os.Stdout, head...)
	n := 0
	for _, place := range places {
		var jobs []func() (sample, error)
		for _, w := range workers {
			jobs = append(jobs, func() (sample, error) {
				n++
				return ask(fencepost, filepath.Join(dir, fmt.Sprint(n)), w, place)
			})
		}
		samples, errs := measure.Interleave(*runs, jobs)
		if err := errors.Join(errs...); err != nil {
			return err
		}
		row(place, workers, samples)
	}
	return nil
}

// A sample is a batch that has come to its end.
type sample struct {
	wall, cpu time.Duration
	jobs      int
	verdicts  map[string]int
}

// ask runs a batch on a new queue.
func ask(t *peers.Tool, state string, workers int, place string) (sample, error) {
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	args := append([]string{"batch", "-q", "-o", "json", "--workers", strconv.Itoa(workers), "--state", state}, strings.Fields(*with)...)
	args = append(args, place)
	if *pin {
		of, err := peers.Find("taskset")
		if err != nil {
			return sample{}, err
		}
		t, args = of, append([]string{"-c", fmt.Sprintf("0-%d", workers-1), t.Path}, args...)
	}
	r, err := t.Run(ctx, "", args...)
	os.RemoveAll(state)
	if err != nil {
		return sample{}, err
	}
	var sum struct {
		Jobs, Done int
		Rows       []struct{ Verdicts map[string]int }
	}
	if err := json.Unmarshal(bytes.TrimSpace([]byte(r.Out)), &sum); err != nil || sum.Done < sum.Jobs || sum.Jobs == 0 {
		return sample{}, t.Unexpected(r)
	}
	s := sample{wall: r.Wall, cpu: r.CPU, jobs: sum.Jobs, verdicts: map[string]int{}}
	for _, row := range sum.Rows {
		for v, n := range row.Verdicts {
			s.verdicts[v] += n
		}
	}
	return s, nil
}

func row(place string, workers []int, samples [][]sample) {
	var first sample
	var cells []string
	for i, w := range workers {
		s := measure.Median(samples[i], func(s sample) time.Duration { return s.wall })
		if i == 0 {
			first = s
			cells = []string{place, strconv.Itoa(s.jobs)}
		}
		cells = append(cells, fmt.Sprintf("%.2f (%.2f)", s.wall.Seconds(), s.cpu.Seconds()))
		if i > 0 {
			efficiency := first.wall.Seconds() * float64(workers[0]) / s.wall.Seconds() / float64(w)
			cells = append(cells, fmt.Sprintf("%.0f %%", 100*efficiency))
		}
		if !reflect.DeepEqual(s.verdicts, first.verdicts) {
			fmt.Fprintf(os.Stderr, "%s: other verdicts with %d workers: %v, %v\n", place, w, s.verdicts, first.verdicts)
		}
	}
	measure.Row(os.Stdout, cells...)
}
