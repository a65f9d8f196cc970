// Command spin compares the explicit search with Spin on the same transition
// systems, which package promela writes for it, and prints a table.
//
//	go run ./bench/spin
//
// Every search is a process of its own on one core; what counts is the processor
// time of that process, so that the start of it, its tables and its garbage
// collection are in it. The time that Spin and the C compiler take to make the
// verifier is not. The searches of one program take turns; the median of the runs
// counts. All programs are safe, so every state is visited.
//
// Spin searches depth-first, with a table that is given the right size at once;
// Fencepost breadth-first, with a table that grows. The registers of the models are
// global, so Spin has them in its states when they are dead, as Fencepost has where
// nothing is reduced; of models written by hand, with local variables, Spin's own
// analysis would clear some.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/bits"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/measure"
	"github.com/fencepost-verifier/fencepost/bench/internal/peers"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/lang/promela"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// An instance is a program with its constants under a memory model.
type instance struct {
	name    string
	file    string // in the directory of the examples
	text    string // where there is no file
	defines map[string]int64
	model   memory.Model
	// buffer is a capacity that the store buffers never reach: the model needs
	// one, the search has none, so that one that is too small makes the numbers
	// of states differ.
	buffer int
}

var instances = []instance{
	{name: "two Petersons", text: twoPetersons, model: memory.SC},
	{name: "two Petersons", text: twoPetersons, model: memory.TSO, buffer: 3},
	{name: "ticket lock, N=2", file: "ticket-lock.imp", model: memory.SC},
	{name: "Dijkstra, N=3", file: "dijkstra-fenced.imp", defines: map[string]int64{"N": 3}, model: memory.SC},
	{name: "Lamport's fast, N=3", file: "lamport-fast-fenced.imp", defines: map[string]int64{"N": 3}, model: memory.SC},
	{name: "Lamport's fast, N=3", file: "lamport-fast-fenced.imp", defines: map[string]int64{"N": 3}, model: memory.TSO, buffer: 6},
	{name: "bakery, LIMIT=4", file: "bakery-fenced.imp", defines: map[string]int64{"LIMIT": 4}, model: memory.TSO, buffer: 4},
	{name: "CLH lock, N=3", file: "clh-lock.imp", defines: map[string]int64{"N": 3}, model: memory.TSO, buffer: 3},
	{name: "MCS lock, N=3", file: "mcs-lock.imp", defines: map[string]int64{"N": 3}, model: memory.TSO, buffer: 3},
	{name: "spin lock, N=5", file: "spinlock.imp", defines: map[string]int64{"N": 5}, model: memory.TSO, buffer: 2},
	{name: "filter lock, N=3", file: "peterson-n-fenced.imp", defines: map[string]int64{"N": 3}, model: memory.SC},
}

// twoPetersons is two pairs of threads that have nothing to do with each other.
var twoPetersons = func() string {
	text, forbid := "program TwoPetersons\n", ""
	for k := range 2 {
		text += fmt.Sprintf("variables flag%d[2] = turn%d = 0\n", k, k)
	}
	for k := range 2 {
		text += fmt.Sprintf(`process P%[1]d[i in 0..1] begin
  while true do
    flag%[1]d[i] := 1; turn%[1]d := 1 - i; fence;
    while flag%[1]d[1 - i] = 1 and turn%[1]d = 1 - i do skip od;
cs: skip;
    flag%[1]d[i] := 0
  od
end
`, k)
		forbid += fmt.Sprintf("forbid P%[1]d[0]@cs & P%[1]d[1]@cs\n", k)
	}
	return text + forbid
}()

func (i *instance) load(dir string) (*program.Program, error) {
	if i.text != "" {
		return imp.Parse(&program.Source{Name: i.name, Text: i.text}, i.defines)
	}
	return lang.Load(filepath.Join(dir, i.file), i.defines)
}

// A sample is what one search took.
type sample struct {
	States  int64
	Bytes   int64   // for the states and the table that finds them
	Seconds float64 // of processor time
	vector  int64   // of Spin: how long a state is
	full    bool    // of ours: without reduction, so that the states are Spin's
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("spin: ")
	dir := flag.String("examples", "examples", "directory of the examples")
	runs := flag.Int("runs", 3, "how often to run every search")
	only := flag.String("only", "", "the programs to run, a regular expression (default all)")
	limit := flag.Duration("timeout", 5*time.Minute, "for each search")
	number := flag.Int("search", -1, "") // search this instance and print what it took
	reduced := flag.Bool("reduced", false, "")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench/spin [-examples DIR] [-runs N] [-only REGEXP] [-timeout DURATION]")
	}
	flag.Parse()
	if *number >= 0 {
		child(&instances[*number], *dir, *reduced)
		return
	}
	choose, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	version := "spin is not on the path"
	if spin, err := peers.Find("spin"); err == nil {
		version = spin.Version()
	}
	fmt.Printf("%s, %s/%s, median of %d\n\n", version, runtime.GOOS, runtime.GOARCH, *runs)
	fmt.Printf("Without any reduction; states are those of both.\n\n")
	head := []string{"program", "states of Spin", "Fencepost", "Spin, s", "Fencepost, s", "ratio", "Spin, states/s", "Fencepost, states/s", "Spin, bytes/state", "Fencepost, bytes/state", "ratio"}
	measure.Head(os.Stdout, head...)
	var races measure.Races
	var reductions bytes.Buffer
	for k := range instances {
		i := &instances[k]
		if !choose.MatchString(i.name) {
			continue
		}
		samples, errs := compare(k, *dir, *runs, *limit)
		name := fmt.Sprintf("%s, %s", i.name, i.model)
		measure.Row(os.Stdout, row(name, samples[0], samples[2], errs[0], errs[2], &races)...)
		measure.Row(&reductions, row(name+", reduced", samples[1], samples[3], errs[1], errs[3], &races)[:6]...)
	}
	fmt.Printf("\nWith the default reductions of each.\n\n")
	measure.Head(os.Stdout, head[:6]...)
	reductions.WriteTo(os.Stdout)
	races.Behind(os.Stdout)
}

// figures is the states, the seconds, states per second and bytes per state, or why
// there are none.
func figures(s sample, err error) [4]string {
	if err != nil {
		return [4]string{err.Error()}
	}
	return [4]string{fmt.Sprint(s.States), fmt.Sprintf("%.2f", s.Seconds), fmt.Sprintf("%.0f", float64(s.States)/s.Seconds), fmt.Sprint(s.Bytes / s.States)}
}

// row is that of a program in a table.
func row(name string, ours, theirs sample, ourErr, theirErr error, races *measure.Races) []string {
	f, s := figures(ours, ourErr), figures(theirs, theirErr)
	cells := []string{name, s[0], f[0], s[1], f[1], "", s[2], f[2], s[3], f[3], ""}
	if ourErr == nil && theirErr == nil {
		if ours.full && ours.States != theirs.States {
			cells[1] += " DIFFERENT"
		}
		cells[5] = races.Ratio(name, theirs.Seconds, ours.Seconds)
		cells[8] += fmt.Sprintf(" (vector %d)", theirs.vector)
		cells[10] = fmt.Sprintf("%.1f", float64(theirs.Bytes)*float64(ours.States)/float64(theirs.States)/float64(ours.Bytes))
	}
	return cells
}

// compare measures all searches of instance k: ours without reduction and with, and
// Spin's.
func compare(k int, dir string, runs int, limit time.Duration) (samples [4]sample, errs [4]error) {
	model, work, err := write(&instances[k], dir)
	if err != nil {
		return samples, [4]error{err, err, err, err}
	}
	defer os.RemoveAll(work)
	tableBits := 18
	jobs := make([]func() (sample, error), 4)
	for n, flags := range [][]string{{"-DNOREDUCE"}, nil} {
		jobs[n] = func() (sample, error) {
			s, err := ours(k, dir, n == 1, limit)
			tableBits = max(tableBits, bits.Len64(uint64(s.States)))
			return s, err
		}
		pan, err := build(filepath.Join(work, fmt.Sprint(n)), model, flags)
		jobs[2+n] = func() (sample, error) {
			if err != nil {
				return sample{}, err
			}
			return search(pan, tableBits, limit)
		}
	}
	// Fencepost first: it says how large Spin's table has to be.
	all, failed := measure.Interleave(runs, jobs)
	copy(errs[:], failed)
	for n := range samples {
		if errs[n] == nil {
			samples[n] = measure.Median(all[n], func(s sample) float64 { return s.Seconds })
		}
	}
	return samples, errs
}

// write is the model of an instance, and a directory to work in.
func write(i *instance, dir string) (model []byte, work string, err error) {
	p, err := i.load(dir)
	if err != nil {
		return nil, "", err
	}
	var b bytes.Buffer
	if err := promela.Write(&b, p, promela.Options{Model: i.model, Buffer: i.buffer}); err != nil {
		return nil, "", err
	}
	work, err = os.MkdirTemp("", "spin")
	return b.Bytes(), work, err
}

// build makes the verifier of a model in a new directory.
func build(dir string, model []byte, flags []string) (*peers.Tool, error) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(dir, "model.pml"), model, 0o600); err != nil {
		return nil, err
	}
	for _, args := range [][]string{
		{"spin", "-a", "model.pml"},
		append([]string{"cc", "-w", "-O2", "-fwrapv", "-DSAFETY", "-o", "pan", "pan.c"}, flags...),
	} {
		tool, err := peers.Find(args[0])
		if err != nil {
			return nil, err
		}
		if _, err := tool.Must(context.Background(), dir, args[1:]...); err != nil {
			return nil, err
		}
	}
	return &peers.Tool{Name: "pan", Path: filepath.Join(dir, "pan")}, nil
}

// maxDepth is how deep Spin's depth-first search may be, in steps. It holds so
// many places on its stack, which do not count here.
const maxDepth = 3000000

var (
	statesLine = regexp.MustCompile(`(?m)^ *(\d+) states, stored`)
	vectorLine = regexp.MustCompile(`State-vector (\d+) byte.*errors: 0`)
	memoryLine = regexp.MustCompile(`(?m)^ *([0-9.]+)\s+(actual memory usage for states|memory used for hash table)`)
)

// search runs Spin's verifier with a table of 2^tableBits slots.
func search(pan *peers.Tool, tableBits int, limit time.Duration) (sample, error) {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	r, err := pan.Must(ctx, filepath.Dir(pan.Path), fmt.Sprintf("-m%d", maxDepth), fmt.Sprintf("-w%d", tableBits))
	if err != nil {
		return sample{}, err
	}
	out := r.Out
	states, vector, used := statesLine.FindStringSubmatch(out), vectorLine.FindStringSubmatch(out), memoryLine.FindAllStringSubmatch(out, -1)
	if states == nil || vector == nil || len(used) != 2 || strings.Contains(out, "too small") {
		return sample{}, fmt.Errorf("the verifier says\n%s", out)
	}
	m := sample{Seconds: r.CPU.Seconds()}
	m.States, _ = strconv.ParseInt(states[1], 10, 64)
	m.vector, _ = strconv.ParseInt(vector[1], 10, 64)
	for _, u := range used {
		mb, _ := strconv.ParseFloat(u[1], 64)
		m.Bytes += int64(mb * (1 << 20))
	}
	return m, nil
}

// ours runs the explicit search in a process of its own.
func ours(k int, dir string, reduced bool, limit time.Duration) (sample, error) {
	self, err := os.Executable()
	if err != nil {
		return sample{}, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	us := &peers.Tool{Name: "fencepost", Path: self, Env: []string{"GOMAXPROCS=1"}}
	r, err := us.Must(ctx, "", "-examples", dir, "-search", fmt.Sprint(k), fmt.Sprintf("-reduced=%v", reduced))
	if err != nil {
		return sample{}, err
	}
	var s sample
	err = json.Unmarshal([]byte(r.Out), &s)
	s.Seconds, s.full = r.CPU.Seconds(), !reduced
	return s, err
}

// child is our search, in a process of its own.
func child(i *instance, dir string, reduced bool) {
	p, err := i.load(dir)
	if err != nil {
		log.Fatal(err)
	}
	opts := explore.Options{Model: i.model}
	if !reduced {
		opts.Reduction, opts.NoLive = explore.NoReduction, true
	}
	res, err := explore.Check(context.Background(), p, opts)
	if err != nil {
		log.Fatal(err)
	}
	if !res.Safe() {
		log.Fatalf("%s, %s: %s, which is no instance for this", i.name, i.model, res.Verdict())
	}
	var m sample
	for _, s := range res.Stats {
		switch s.Name {
		case "states":
			m.States = s.Value
		case "bytes":
			m.Bytes = s.Value
		}
	}
	if err := json.NewEncoder(os.Stdout).Encode(m); err != nil {
		log.Fatal(err)
	}
}
