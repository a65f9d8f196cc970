// Command exploration measures the ways to explore a program on the programs of
// G. Calin, Verification Techniques for TSO-Relaxed Programs, section 5.2: depth
// first against breadth first (figure 5.9), with and without live variables and
// local events first (5.11), and dynamic partial-order reduction on the Indexer
// (5.13) and on the programs of figure 5.9 (5.14). It writes docs/exploration.md
// and the plots beside it:
//
//	go run ./bench/exploration
//
// It is to be run in the root of the repository.
package main

import (
	"bytes"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/cpu"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/explore/traces"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var (
	examples = flag.String("examples", "examples", "directory of the examples")
	docs     = flag.String("docs", "docs", "directory to write to")
	limit    = flag.Duration("time", 10*time.Second, "how long one exploration may take")
	threads  = flag.Int64("threads", 15, "how many threads of the Indexer, at most")
)

const intro = `# Exploration, measured

This page and its pictures are written by ` + "`go run ./bench/exploration`" + `, which measures what section 5.2 of the thesis
measures: what the order of the search, live variables and partial-order reductions are worth.

All searches are under SC, as there. A cell has what was stored (states) or enumerated (executions), the transitions that
were executed, and milliseconds of processor time. A program that is unsafe is searched until the violation is found. — is
where %v did not suffice. Local first is algorithm 4.2, persistent the reduction that is the default here, dpor algorithm
4.4 without a set of visited states and dpor (states) with one, source and optimal its modern forms.

`

// which says which way to explore is for what; its figures are those of bench/executions.
//
//go:embed which.md
var which string

// A way is a way to explore.
type way struct {
	name string
	run  func(context.Context, *program.Program) (*verdict.Result, error)
}

func search(name string, opts explore.Options) way {
	return way{name, func(ctx context.Context, p *program.Program) (*verdict.Result, error) {
		opts.Model = memory.SC
		return explore.All(ctx, p, opts)
	}}
}

func executions(a traces.Algorithm) way {
	return way{a.String(), func(ctx context.Context, p *program.Program) (*verdict.Result, error) {
		return traces.Explore(ctx, p, traces.Options{Model: memory.SC, Algorithm: a})
	}}
}

// An instance is a program with a size.
type instance struct {
	file string
	n    int64 // 0: as it is
}

func (i instance) String() string {
	if i.n == 0 {
		return i.file
	}
	return fmt.Sprintf("%s N=%d", i.file, i.n)
}

func (i instance) load() *program.Program {
	defines := map[string]int64{}
	if i.n > 0 {
		defines["N"] = i.n
	}
	p, err := lang.Load(filepath.Join(*examples, i.file+".imp"), defines)
	if err != nil {
		log.Fatal(err)
	}
	return p
}

var fig59 = []instance{
	{"dekker", 0}, {"dekker-fenced", 0}, {"peterson", 0}, {"peterson-fenced", 0}, {"lamport-fast", 3}, {"lamport-fast-fenced", 3},
	{"clh-lock", 0}, {"mcs-lock", 0}, {"cilk-the", 0}, {"cilk-the-fenced", 0}, {"lock-free-stack", 0},
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("exploration: ")
	flag.Parse()
	var page bytes.Buffer
	fmt.Fprintf(&page, intro, *limit)
	page.WriteString(which + "\n")

	title(&page, "Depth first and breadth first (figure 5.9)")
	table(&page, fig59, []way{
		search("depth first", explore.Options{DepthFirst: true}), search("breadth first", explore.Options{})})

	title(&page, "Live variables and local events first (figure 5.11)")
	var ways []way
	for _, depth := range []bool{true, false} {
		for _, live := range []bool{false, true} {
			for _, r := range []explore.Reduction{explore.NoReduction, explore.LocalFirst} {
				name := map[bool]string{true: "dfs", false: "bfs"}[depth]
				if live {
					name += ", live"
				}
				if r != explore.NoReduction {
					name += ", local first"
				}
				ways = append(ways, search(name, explore.Options{DepthFirst: depth, NoLive: !live, Reduction: r}))
			}
		}
	}
	table(&page, fig59, ways)

	title(&page, "The Indexer (figure 5.13)")
	ways = []way{
		search("none", explore.Options{DepthFirst: true, Reduction: explore.NoReduction}),
		search("local first", explore.Options{DepthFirst: true, Reduction: explore.LocalFirst}),
		search("persistent", explore.Options{DepthFirst: true}),
		executions(traces.DPOR), search("dpor (states)", explore.Options{Reduction: explore.DynamicPOR}),
		executions(traces.Source), executions(traces.Optimal)}
	var indexers []instance
	for n := range *threads {
		indexers = append(indexers, instance{"thesis/fig5.12", n + 1})
	}
	cells := table(&page, indexers, ways)
	fmt.Fprintf(&page, "\n![processor time](indexer-time.svg) ![transitions](indexer-transitions.svg)\n")
	draw("indexer-time.svg", "Indexer, SC: processor time", "milliseconds", ways, cells, func(c cell) float64 { return c.ms })
	draw("indexer-transitions.svg", "Indexer, SC: transitions executed", "transitions", ways, cells,
		func(c cell) float64 { return float64(c.transitions) })

	title(&page, "Local events first and dynamic partial-order reduction (figure 5.14)")
	ways = nil
	for _, live := range []bool{false, true} {
		for _, r := range []explore.Reduction{explore.LocalFirst, explore.DynamicPOR} {
			name := map[explore.Reduction]string{explore.LocalFirst: "local first", explore.DynamicPOR: "dpor (states)"}[r]
			if live {
				name += ", live"
			}
			ways = append(ways, search(name, explore.Options{DepthFirst: true, Reduction: r, NoLive: !live}))
		}
	}
	table(&page, fig59, ways)
	write("exploration.md", page.Bytes())
	fmt.Fprintf(os.Stderr, "%s, %d processors\n", runtime.Version(), runtime.NumCPU())
}

func title(w io.Writer, s string) { fmt.Fprintf(w, "\n## %s\n\n", s) }

func write(name string, text []byte) {
	if err := os.WriteFile(filepath.Join(*docs, name), text, 0o666); err != nil {
		log.Fatal(err)
	}
}

// A cell is one measurement.
type cell struct {
	done        bool
	met         int64 // states or executions
	transitions int64
	ms          float64 // of processor time
}

// table measures every way on every instance, and writes a row for each instance.
// A way that has failed on an instance of a family is not tried on larger ones.
func table(w io.Writer, is []instance, ways []way) [][]cell {
	fmt.Fprint(w, "| program | threads | states | transitions |")
	for _, m := range ways {
		fmt.Fprintf(w, " %s |", m.name)
	}
	fmt.Fprint(w, "\n|"+strings.Repeat(" --- |", 4+len(ways))+"\n")
	failed := map[string]bool{}
	cells := make([][]cell, len(ways))
	for _, i := range is {
		p := i.load()
		states, edges := 0, 0
		for _, t := range p.Threads {
			states += len(t.States)
			edges += len(t.Edges)
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d |", i, len(p.Threads), states, edges)
		for n, m := range ways {
			var c cell
			if key := i.file + m.name; !failed[key] {
				c = measure(m, i)
				failed[key] = !c.done
			}
			cells[n] = append(cells[n], c)
			if c.done {
				fmt.Fprintf(w, " %d, %d, %.1f ms |", c.met, c.transitions, c.ms)
			} else {
				fmt.Fprint(w, " — |")
			}
		}
		fmt.Fprintln(w)
	}
	return cells
}

// measure explores an instance. What is over quickly is repeated: the median of
// five times counts.
func measure(m way, i instance) cell {
	var times []float64
	var res *verdict.Result
	for len(times) < 5 {
		p := i.load()
		ctx, cancel := context.WithTimeout(context.Background(), *limit)
		runtime.GC() // of what came before
		start := cpu.Time()
		r, err := m.run(ctx, p)
		times = append(times, float64(cpu.Time()-start)/1e6)
		cancel()
		if err != nil {
			log.Fatalf("%s, %s: %v", i, m.name, err)
		}
		if res = r; !r.Conclusive() {
			return cell{}
		}
		if times[0] > 1000 {
			break
		}
	}
	slices.Sort(times)
	return cell{true, max(res.Stat("states"), res.Stat("executions")), res.Stat("transitions"), times[len(times)/2]}
}

func draw(name, caption, unit string, ways []way, cells [][]cell, value func(cell) float64) {
	var xs []int64
	for n := range cells[0] {
		xs = append(xs, int64(n)+1)
	}
	var lines []report.Curve
	for n, m := range ways {
		l := report.Curve{Name: m.name}
		for _, c := range cells[n] {
			v := math.NaN()
			if c.done {
				v = value(c)
			}
			l.Y = append(l.Y, v)
		}
		lines = append(lines, l)
	}
	var b bytes.Buffer
	if err := report.Plot(&b, report.Panel{Title: caption, XLabel: "threads", YLabel: unit, X: xs, Curves: lines}); err != nil {
		log.Fatal(err)
	}
	write(name, b.Bytes())
}
