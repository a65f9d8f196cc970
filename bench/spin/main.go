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
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

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

// A measure is what one search took.
type measure struct {
	States  int64
	Bytes   int64   // for the states and the table that finds them
	Seconds float64 // of processor time
	vector  int64   // of Spin: how long a state is
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("spin: ")
	dir := flag.String("examples", "examples", "directory of the examples")
	runs := flag.Int("runs", 3, "how often to run every search")
	only := flag.String("only", "", "the programs to run, a regular expression (default all)")
	limit := flag.Duration("timeout", 5*time.Minute, "for each search")
	child := flag.Int("search", -1, "") // search this instance and print what it took
	reduced := flag.Bool("reduced", false, "")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: go run ./bench/spin [-examples DIR] [-runs N] [-only REGEXP] [-timeout DURATION]")
	}
	flag.Parse()
	if *child >= 0 {
		search(&instances[*child], *dir, *reduced)
		return
	}
	for _, tool := range []string{"spin", "cc"} {
		if _, err := exec.LookPath(tool); err != nil {
			log.Printf("%s is not on the path; there is nothing to compare with", tool)
			return
		}
	}
	choose, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s, %s/%s, median of %d\n\n", version(), runtime.GOOS, runtime.GOARCH, *runs)
	fmt.Println("Without any reduction; states are those of both.")
	fmt.Println()
	fmt.Println("| program | model | states | Spin, s | Fencepost, s | ratio | Spin, states/s | Fencepost, states/s | Spin, bytes/state | Fencepost, bytes/state | ratio |")
	fmt.Println("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	var reductions []string
	for k := range instances {
		i := &instances[k]
		if !choose.MatchString(i.name) {
			continue
		}
		full, red, err := compare(k, *dir, *runs, *limit)
		if err != nil {
			log.Printf("%s, %s: %v", i.name, i.model, err)
			continue
		}
		s, f := full[0], full[1]
		states := fmt.Sprint(s.States)
		if s.States != f.States {
			states = fmt.Sprintf("DIFFERENT: Spin %d, Fencepost %d", s.States, f.States)
		}
		fmt.Printf("| %s | %s | %s | %.2f | %.2f | %.2f | %.0f | %.0f | %d (vector %d) | %d | %.1f |\n", i.name, i.model, states,
			s.Seconds, f.Seconds, s.Seconds/f.Seconds, float64(s.States)/s.Seconds, float64(f.States)/f.Seconds,
			s.Bytes/s.States, s.vector, f.Bytes/f.States, float64(s.Bytes)*float64(f.States)/float64(s.States)/float64(f.Bytes))
		s, f = red[0], red[1]
		reductions = append(reductions, fmt.Sprintf("| %s | %s | %d | %d | %.2f | %.2f | %.1f |\n", i.name, i.model, s.States, f.States, s.Seconds, f.Seconds, s.Seconds/f.Seconds))
	}
	fmt.Println("\nWith the default reductions of each.")
	fmt.Println()
	fmt.Println("| program | model | Spin, states | Fencepost, states | Spin, s | Fencepost, s | ratio |")
	fmt.Println("| --- | --- | ---: | ---: | ---: | ---: | ---: |")
	fmt.Print(strings.Join(reductions, ""))
}

func version() string {
	out, err := exec.Command("spin", "-V").Output()
	if err != nil {
		log.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// compare measures all searches of instance k: full is those of Spin and of
// Fencepost without reduction, reduced those with.
func compare(k int, dir string, runs int, limit time.Duration) (full, reduced [2]measure, err error) {
	i := &instances[k]
	p, err := i.load(dir)
	if err != nil {
		return full, reduced, err
	}
	var model bytes.Buffer
	if err := promela.Write(&model, p, promela.Options{Model: i.model, Buffer: i.buffer}); err != nil {
		return full, reduced, err
	}
	work, err := os.MkdirTemp("", "spin")
	if err != nil {
		return full, reduced, err
	}
	defer os.RemoveAll(work)
	for _, variant := range []struct {
		name  string
		flags []string
	}{{"full", []string{"-DNOREDUCE"}}, {"reduced", nil}} {
		sub := filepath.Join(work, variant.name)
		if err := os.Mkdir(sub, 0o700); err != nil {
			return full, reduced, err
		}
		if err := os.WriteFile(filepath.Join(sub, "model.pml"), model.Bytes(), 0o600); err != nil {
			return full, reduced, err
		}
		if err := build(sub, variant.flags); err != nil {
			return full, reduced, err
		}
	}
	var all [4][]measure
	tableBits := 18
	for range runs {
		for n := range all {
			// Fencepost first: it says how large Spin's table has to be.
			ctx, cancel := context.WithTimeout(context.Background(), limit)
			var m measure
			switch n {
			case 0, 1:
				m, err = ours(ctx, k, dir, n == 1)
				tableBits = max(tableBits, bits.Len64(uint64(m.States)))
			default:
				m, err = pan(ctx, filepath.Join(work, []string{"full", "reduced"}[n-2]), tableBits)
			}
			cancel()
			if err != nil {
				return full, reduced, err
			}
			all[n] = append(all[n], m)
		}
	}
	return [2]measure{median(all[2]), median(all[0])}, [2]measure{median(all[3]), median(all[1])}, nil
}

func median(ms []measure) measure {
	slices.SortFunc(ms, func(a, b measure) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return ms[len(ms)/2]
}

// build makes the verifier.
func build(dir string, flags []string) error {
	for _, args := range [][]string{
		{"spin", "-a", "model.pml"},
		append([]string{"cc", "-w", "-O2", "-fwrapv", "-DSAFETY", "-o", "pan", "pan.c"}, flags...),
	} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}

// run runs a command on one core and tells the processor time that it took.
func run(ctx context.Context, dir, name string, args ...string) (out []byte, seconds float64, err error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	out, err = cmd.Output()
	if ctx.Err() != nil {
		return nil, 0, fmt.Errorf("not within the time limit")
	}
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return out, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), nil
}

// maxDepth is how deep Spin's depth-first search may be, in steps. It holds so
// many places on its stack, which do not count here.
const maxDepth = 3000000

var (
	statesLine = regexp.MustCompile(`(?m)^ *(\d+) states, stored`)
	vectorLine = regexp.MustCompile(`State-vector (\d+) byte.*errors: 0`)
	memoryLine = regexp.MustCompile(`(?m)^ *([0-9.]+)\s+(actual memory usage for states|memory used for hash table)`)
)

// pan runs Spin's verifier with a table of 2^tableBits slots.
func pan(ctx context.Context, dir string, tableBits int) (measure, error) {
	text, seconds, err := run(ctx, dir, "./pan", fmt.Sprintf("-m%d", maxDepth), fmt.Sprintf("-w%d", tableBits))
	if err != nil {
		return measure{}, err
	}
	out := string(text)
	states, vector, used := statesLine.FindStringSubmatch(out), vectorLine.FindStringSubmatch(out), memoryLine.FindAllStringSubmatch(out, -1)
	if states == nil || vector == nil || len(used) != 2 || strings.Contains(out, "too small") {
		return measure{}, fmt.Errorf("the verifier says\n%s", out)
	}
	m := measure{Seconds: seconds}
	m.States, _ = strconv.ParseInt(states[1], 10, 64)
	m.vector, _ = strconv.ParseInt(vector[1], 10, 64)
	for _, u := range used {
		mb, _ := strconv.ParseFloat(u[1], 64)
		m.Bytes += int64(mb * (1 << 20))
	}
	return m, nil
}

// ours runs the explicit search in a process of its own.
func ours(ctx context.Context, k int, dir string, reduced bool) (measure, error) {
	self, err := os.Executable()
	if err != nil {
		return measure{}, err
	}
	out, seconds, err := run(ctx, "", self, "-examples", dir, "-search", fmt.Sprint(k), fmt.Sprintf("-reduced=%v", reduced))
	if err != nil {
		return measure{}, err
	}
	var m measure
	err = json.Unmarshal(out, &m)
	m.Seconds = seconds
	return m, err
}

// search is that process.
func search(i *instance, dir string, reduced bool) {
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
	var m measure
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
