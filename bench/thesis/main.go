// Command thesis measures the engines on the programs of G. Calin, Verification
// Techniques for TSO-Relaxed Programs, figures 5.1 and 5.5 to 5.9, against Trencher,
// which decides robustness, and CBMC, which looks for violations up to a bound, and
// prints a table.
//
//	go run ./bench/thesis
//
// What is not on the path has an empty column that says so. Every measurement is a
// process of its own. Those of one program take turns, and the median of the runs
// counts; a ratio is the peer's processor time by ours.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/measure"
	"github.com/fencepost-verifier/fencepost/bench/internal/peers"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
)

// An instance is a program with a size.
type instance struct {
	file  string
	n     int64 // 0: as it is
	bound int   // for bounded model checking: back edges of a thread
}

func instances() []instance {
	var is []instance
	for _, f := range []string{"parker", "parker-fenced", "peterson", "peterson-fenced", "dekker", "dekker-fenced",
		"lamport-fast", "lamport-fast-fenced", "mcs-lock", "clh-lock", "lock-free-stack"} {
		is = append(is, instance{f, 0, 2})
	}
	for _, n := range []int64{5, 10, 20, 30, 40, 50} {
		is = append(is, instance{"thesis/fig5.3", n, 2})
	}
	for _, n := range []int64{3, 5, 10, 15, 20} {
		is = append(is, instance{"thesis/fig5.4", n, int(2*n) + 3})
	}
	return is
}

func (i instance) String() string {
	if i.n == 0 {
		return i.file
	}
	return fmt.Sprintf("%s N=%d", i.file, i.n)
}

func (i instance) path() string { return filepath.Join(*examples, i.file+".imp") }

func (i instance) load() (*program.Program, error) {
	defines := map[string]int64{}
	if i.n > 0 {
		defines["N"] = i.n
	}
	return lang.Load(i.path(), defines)
}

var (
	examples = flag.String("examples", "examples", "directory of the examples")
	limit    = flag.Duration("timeout", time.Minute, "for each measurement")
	runs     = flag.Int("runs", 3, "how often to measure")
)

// A decision is what is measured.
type decision func() (peers.Sample, error)

// A method decides an instance. What it needs for that it writes into a directory
// before.
type method struct {
	name    string
	prepare func(dir string, i instance, p *program.Program) (decision, error)
	queries string // the statistic of ours that counts queries under SC
	ratio   bool   // to the method after it
}

func main() { measure.Main("thesis", run) }

func run(dir string) error {
	fencepost, err := peers.Build(dir)
	if err != nil {
		return err
	}
	ours := func(args ...string) func(string, instance, *program.Program) (decision, error) {
		return func(_ string, i instance, _ *program.Program) (decision, error) {
			args := append(slices.Clone(args), i.path())
			if i.n > 0 {
				args = append(args, "-D", fmt.Sprint("N=", i.n))
			}
			if k := slices.Index(args, "--unroll"); k >= 0 {
				args[k] = fmt.Sprint("--unroll=", i.bound)
			}
			return func() (peers.Sample, error) {
				s, err := peers.Fencepost(context.Background(), fencepost, *limit, args...)
				if err == nil && !s.Decided() {
					s.Verdict = "none" // as CBMC says
					if s.Wall >= *limit {
						err = peers.ErrLimit
					}
				}
				return s, err
			}, nil
		}
	}
	methods := []method{
		{"robust", ours("robust"), "searches", true},
		{"trencher -r", trencher, "", false},
		{"lazy", ours("check", "-e", "lazy"), "queries", false},
		{"explicit", ours("check", "-e", "explicit"), "", false},
		{"bmc", ours("check", "-e", "bmc"), "", false},
		{"bmc, bounded", ours("check", "-e", "bmc", "--unroll"), "", true},
		{"cbmc --mm tso, bounded", cbmc, "", false},
	}
	fmt.Printf("%s, %s, %d processors, median of %d, limit %s\n", fencepost.Version(), runtime.Version(), runtime.NumCPU(), *runs, *limit)
	for _, name := range []string{"trencher", "cbmc"} {
		if tool, err := peers.Find(name); err == nil {
			fmt.Println(tool.Version())
		}
	}
	head := []string{"program", "threads", "states", "transitions", "bound"}
	for k, m := range methods {
		head = append(head, m.name)
		if k > 0 && methods[k-1].ratio {
			head = append(head, "ratio")
		}
	}
	fmt.Printf("\nA cell is the verdict, the seconds of processor time and of wall time; in brackets the queries under SC.\n\n")
	measure.Head(os.Stdout, head...)
	var races measure.Races
	for _, i := range instances() {
		if err := row(dir, i, methods, &races); err != nil {
			return err
		}
	}
	races.Behind(os.Stdout)
	return nil
}

// row measures an instance.
func row(dir string, i instance, methods []method, races *measure.Races) error {
	p, err := i.load()
	if err != nil {
		return err
	}
	states, edges := 0, 0
	for _, t := range p.Threads {
		states += len(t.States)
		edges += len(t.Edges)
	}
	cells := []string{i.String(), fmt.Sprint(len(p.Threads)), fmt.Sprint(states), fmt.Sprint(edges), fmt.Sprint(i.bound)}
	jobs := make([]func() (peers.Sample, error), len(methods))
	for k, m := range methods {
		decide, err := m.prepare(dir, i, p)
		jobs[k] = decide
		if err != nil {
			jobs[k] = func() (peers.Sample, error) { return peers.Sample{}, err }
		}
	}
	samples, errs := measure.Interleave(*runs, jobs)
	medians := make([]peers.Sample, len(methods))
	for k, m := range methods {
		if errs[k] != nil {
			cells = append(cells, errs[k].Error())
		} else {
			s := measure.Median(samples[k], func(s peers.Sample) time.Duration { return s.CPU })
			medians[k] = s
			cell := fmt.Sprintf("%s %.3f %.3f", s.Verdict, s.CPU.Seconds(), s.Wall.Seconds())
			if m.queries != "" {
				cell += fmt.Sprintf(" [%d]", s.Stats[m.queries])
			}
			cells = append(cells, cell)
		}
		if k == 0 || !methods[k-1].ratio {
			continue
		}
		ratio, us, peer := "", medians[k-1], medians[k]
		if us.Verdict != "" && peer.Verdict != "" {
			ratio = races.Ratio(fmt.Sprintf("%s, %s", i, methods[k-1].name), peer.CPU.Seconds(), us.CPU.Seconds())
			if wrong(us) != wrong(peer) {
				ratio += " THEY DISAGREE"
			}
		}
		cells = append(cells, ratio)
	}
	measure.Row(os.Stdout, cells...)
	return nil
}

// wrong is true where something was found.
func wrong(s peers.Sample) bool { return s.Verdict == "UNSAFE" || s.Verdict == "NOT ROBUST" }

func trencher(dir string, _ instance, p *program.Program) (decision, error) {
	text, err := automata(p)
	if err != nil {
		return nil, err
	}
	return peer("trencher", filepath.Join(dir, "program.txt"), text, peers.Trencher)
}

func cbmc(dir string, i instance, p *program.Program) (decision, error) {
	var text bytes.Buffer
	if err := writeC(&text, p, i.bound); err != nil {
		return nil, err
	}
	return peer("cbmc", filepath.Join(dir, "program.c"), text.Bytes(),
		func(ctx context.Context, t *peers.Tool, file string) (peers.Sample, error) {
			return peers.CBMC(ctx, t, "tso", 0, file)
		})
}

// peer is a decision about a text by another tool.
func peer(name, file string, text []byte, decide func(context.Context, *peers.Tool, string) (peers.Sample, error)) (decision, error) {
	tool, err := peers.Find(name)
	if err != nil {
		return nil, err
	}
	return func() (peers.Sample, error) {
		ctx, cancel := context.WithTimeout(context.Background(), *limit)
		defer cancel()
		return decide(ctx, tool, file)
	}, os.WriteFile(file, text, 0o600)
}
