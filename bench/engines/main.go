// Command engines measures every engine, and auto, on every example in every size
// that the other benchmarks use and in some larger ones, and prints how much slower
// auto is than the best single engine. Beside the time of each stands the most memory that its
// process had at a time.
//
//	go run ./bench/engines
//	go run ./bench/engines -base OTHERBINARY
//
// With a second binary it compares the two, engine by engine. It drives the command
// line, so that the binaries can be of any version. Measurements take turns; what
// counts is the least processor time and the least wall time of the runs, for on a
// machine that is busy everything else is too much. An engine that does not decide a
// program is asked once.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
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
	examples = flag.String("examples", "examples", "directory of the examples")
	binary   = flag.String("binary", "", "the binary to measure (default: it is built)")
	base     = flag.String("base", "", "another binary to compare it with")
	engines  = flag.String("e", "", "the engines, with commas in between (default: those that the binary completes)")
	models   = flag.String("m", "tso", "the memory models, with commas in between")
	only     = flag.String("only", "", "the rows to measure, a regular expression (default all)")
	limit    = flag.Duration("timeout", 10*time.Second, "for each measurement")
	patience = flag.Float64("patience", 20, "no more than so many times what another engine took, and a second; 0: no such limit")
	memory   = flag.String("memory-limit", "4G", "for each engine")
	runs     = flag.Int("runs", 3, "how often to measure")
	worst    = flag.Int("worst", 10, "so many rows in the lists of the worst")
)

// sizes are definitions for the examples besides those that they have.
var sizes = map[string][]string{
	"bakery":              {"LIMIT=4", "LIMIT=10", "N=3"},
	"bakery-fenced":       {"LIMIT=4", "LIMIT=10", "N=3"},
	"burns":               {"N=3", "N=4", "N=5"},
	"burns-fenced":        {"N=3", "N=4", "N=5"},
	"clh-lock":            {"N=3", "N=4", "N=5"},
	"dijkstra":            {"N=3", "N=4"},
	"dijkstra-fenced":     {"N=3", "N=4"},
	"lamport-fast":        {"N=3", "N=4"},
	"lamport-fast-fenced": {"N=3", "N=4"},
	"lock-free-stack":     {"N=3", "N=4"},
	"mcs-lock":            {"N=3", "N=4"},
	"peterson-n":          {"N=3", "N=4"},
	"peterson-n-fenced":   {"N=3", "N=4"},
	"sb-ring":             {"N=5", "N=10", "N=20"},
	"sb-ring-fenced":      {"N=5", "N=10", "N=16", "N=20"},
	"seqlock":             {"WRITES=5", "WRITES=10", "WRITES=20"},
	"spinlock":            {"N=3", "N=5", "N=6"},
	"szymanski-n":         {"N=3", "N=4"},
	"szymanski-n-fenced":  {"N=3", "N=4"},
	"ticket-lock":         {"N=3", "N=4"},
	"thesis/fig5.10":      {"ROUNDS=10"},
	"thesis/fig5.12":      {"N=1", "N=3", "N=5", "N=7", "N=9"},
	"thesis/fig5.3":       {"N=10", "N=20", "N=30", "N=40", "N=50", "N=100"},
	"thesis/fig5.4":       {"N=5", "N=10", "N=15", "N=20"},
	"thesis/fig5.4-fence": {"N=5", "N=10", "N=15", "N=20"},
}

// An instance is a program with a size under a model.
type instance struct{ name, file, define, model string }

func (i instance) String() string {
	s := strings.TrimSpace(i.name + " " + i.define)
	if i.model != "tso" {
		s += ", " + i.model
	}
	return s
}

func instances() ([]instance, error) {
	var is []instance
	for _, pattern := range []string{"*.imp", "thesis/*.imp"} {
		files, err := filepath.Glob(filepath.Join(*examples, pattern))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			name, err := filepath.Rel(*examples, strings.TrimSuffix(file, ".imp"))
			if err != nil {
				return nil, err
			}
			name = filepath.ToSlash(name)
			for _, model := range strings.Split(*models, ",") {
				for _, define := range append([]string{""}, sizes[name]...) {
					is = append(is, instance{name, file, define, model})
				}
			}
		}
	}
	if len(is) == 0 {
		return nil, fmt.Errorf("no examples in %s", *examples)
	}
	return is, nil
}

func main() { measure.Main("engines", run) }

// run measures everything; it fails where two answers contradict each other.
func run(dir string) error {
	choose, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	is, err := instances()
	if err != nil {
		return err
	}
	ours, err := peers.Ours(*binary, dir)
	if err != nil {
		return err
	}
	tools := []*peers.Tool{ours}
	if *base != "" {
		tools = append(tools, &peers.Tool{Name: "fencepost", Path: *base})
	}
	names := strings.Split(*engines, ",")
	if *engines == "" {
		if names, err = completed(tools[0]); err != nil {
			return err
		}
	}
	t := &table{tools: tools, engines: names}
	fmt.Printf("%s, %d processors, least of %d, limit %s", tools[0].Version(), runtime.NumCPU(), *runs, *limit)
	if len(tools) > 1 {
		fmt.Printf("; base: %s", tools[1].Version())
	}
	fmt.Print("\n\n")
	t.head()
	for _, i := range is {
		if choose.MatchString(i.String()) {
			t.row(i)
		}
	}
	t.summary()
	if t.contradiction {
		return errors.New("two answers contradict each other")
	}
	return nil
}

// completed is the engines that a binary would complete on its command line.
func completed(t *peers.Tool) ([]string, error) {
	r, err := t.Must(context.Background(), "", "__complete", "check", "--engine", "")
	if err != nil {
		return nil, err
	}
	var names []string
	for line := range strings.Lines(r.Out) {
		name, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if name != "" && name[0] != ':' { // the last line is a directive to the shell
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, t.Unexpected(r)
	}
	return names, nil
}

// A cost is the least processor time, the least wall time and the most memory of a decision.
type cost struct {
	verdict, engine string
	cpu, wall       time.Duration
	peak            int64 // bytes
	err             error // there is none, since
}

func (c *cost) decided() bool { return c.err == nil }

var errUnknown = errors.New("unknown")

// decide measures every engine of every tool on i, in turns: tool by tool and
// engine by engine.
func decide(tools []*peers.Tool, names []string, i instance) [][]cost {
	costs := make([][]cost, len(tools))
	for t := range costs {
		costs[t] = make([]cost, len(names))
	}
	best := *limit
	for n := range *runs {
		for e, name := range names {
			for k := range tools {
				t := (k + n) % len(tools) // either one is first as often
				c := &costs[t][e]
				if !c.decided() {
					continue
				}
				most := *limit
				if *patience > 0 && n == 0 {
					most = min(most, max(time.Second, time.Duration(*patience*float64(best))))
				}
				args := []string{"check", "-e", name, "-m", i.model, "--memory-limit", *memory, i.file}
				if i.define != "" {
					args = append(args, "-D", i.define)
				}
				s, err := peers.Fencepost(context.Background(), tools[t], most, args...)
				switch {
				case err != nil:
					c.err = err
					if !errors.Is(err, peers.ErrLimit) {
						log.Printf("%s, %s: %v", i, name, err)
					}
				case !s.Decided() && n == 0:
					c.err = errUnknown
				case !s.Decided(): // on a machine that has become busier
				case n == 0:
					*c = cost{verdict: s.Verdict, engine: s.Engine, cpu: s.CPU, wall: s.Wall, peak: s.Peak}
					best = min(best, s.Wall)
				default:
					c.cpu, c.wall, c.peak = min(c.cpu, s.CPU), min(c.wall, s.Wall), max(c.peak, s.Peak)
				}
			}
		}
	}
	return costs
}

// A table is what has been measured.
type table struct {
	tools         []*peers.Tool
	engines       []string
	rows          []row
	contradiction bool
}

type row struct {
	instance
	costs [][]cost // by tool and engine
}

func (t *table) head() {
	fmt.Print("Seconds of processor time, and MiB of memory at most")
	if len(t.tools) > 1 {
		fmt.Print(", and those of the base")
	}
	fmt.Print("; – is where the engine did not decide.\n\n")
	measure.Head(os.Stdout, append([]string{"program", "verdict"}, t.engines...)...)
}

// row measures a program and writes what came out.
func (t *table) row(i instance) {
	r := row{i, decide(t.tools, t.engines, i)}
	t.rows = append(t.rows, r)
	verdicts := map[string]string{}
	cells := make([]string, len(t.engines))
	for e := range t.engines {
		for k := range t.tools {
			c := &r.costs[k][e]
			text := "–"
			switch {
			case c.decided():
				text = fmt.Sprintf("%.3f, %.0fM", c.cpu.Seconds(), float64(c.peak)/(1<<20))
				verdicts[c.verdict] = t.engines[e]
			case c.err != errUnknown && !errors.Is(c.err, peers.ErrLimit):
				text = "error"
			}
			cells[e] = strings.TrimSpace(cells[e] + " " + text)
		}
	}
	verdict := "?"
	for v := range verdicts {
		verdict = v
	}
	if len(verdicts) > 1 {
		t.contradiction = true
		verdict = fmt.Sprintf("CONTRADICTION %v", verdicts)
		log.Printf("%s: %s", i, verdict)
	}
	measure.Row(os.Stdout, append([]string{i.String(), verdict}, cells...)...)
}

// allowance is how much more than the best single engine takes auto may take.
const (
	allowedFactor = 1.5
	allowedMore   = 20 * time.Millisecond
)

// summary writes what follows from the rows.
func (t *table) summary() {
	if auto := slices.Index(t.engines, "auto"); auto >= 0 && len(t.engines) > 1 {
		for _, m := range []struct {
			name string
			of   func(*cost) time.Duration
		}{
			{"wall", func(c *cost) time.Duration { return c.wall }},
			{"processor", func(c *cost) time.Duration { return c.cpu }},
		} {
			t.auto(auto, m.name, m.of)
		}
	}
	if len(t.tools) > 1 {
		t.compare()
	}
}

// auto writes how auto compares with the best single engine of each row.
func (t *table) auto(auto int, what string, of func(*cost) time.Duration) {
	type entry struct {
		row          string
		best         *cost
		auto         *cost
		name         string
		ratio, share float64
	}
	var entries []entry
	var lost []string
	var mean measure.Mean
	over := 0
	for _, r := range t.rows {
		en := entry{row: r.String(), auto: &r.costs[0][auto]}
		for e := range t.engines {
			if c := &r.costs[0][e]; e != auto && c.decided() && (en.best == nil || of(c) < of(en.best)) {
				en.best, en.name = c, t.engines[e]
			}
		}
		switch {
		case en.best == nil:
			continue
		case !en.auto.decided():
			lost = append(lost, fmt.Sprintf("%s (%s, %.3f s)", en.row, en.name, of(en.best).Seconds()))
			continue
		}
		a, b := of(en.auto).Seconds(), of(en.best).Seconds()
		en.ratio, en.share = a/b, a/(allowedFactor*b+allowedMore.Seconds())
		mean.Add(en.ratio)
		if en.share > 1 {
			over++
		}
		entries = append(entries, en)
	}
	fmt.Printf("\nauto against the best single engine, %s time: %s times as long in geometric mean of %d rows.\n", what, mean.String(), mean.N)
	fmt.Printf("More than %.1f times as long and %s: %d rows. The worst:\n\n", allowedFactor, allowedMore, over)
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(b.share, a.share) })
	measure.Head(os.Stdout, "program", "best", "s", "auto", "s", "ratio", "of what is allowed")
	for _, en := range entries[:min(*worst, len(entries))] {
		measure.Row(os.Stdout, en.row, en.name, fmt.Sprintf("%.3f", of(en.best).Seconds()), en.auto.engine,
			fmt.Sprintf("%.3f", of(en.auto).Seconds()), fmt.Sprintf("%.2f", en.ratio), fmt.Sprintf("%.2f", en.share))
	}
	if len(lost) > 0 {
		fmt.Printf("\nNot decided by auto: %s.\n", strings.Join(lost, ", "))
	}
}

// floor is from where on a difference is one of the engines and not of starting a
// process.
const floor = 20 * time.Millisecond

// compare writes how the binary compares with the base.
func (t *table) compare() {
	fmt.Printf("\nThe binary against the base: how many times as long, in geometric mean of so many rows that both decide; and of those that take either %s.\n\n", floor)
	measure.Head(os.Stdout, "engine", "rows", "processor", "wall", "longer rows", "processor", "wall")
	var gained, lost []string
	for e, name := range t.engines {
		var cpu, wall, longCPU, longWall measure.Mean
		for _, r := range t.rows {
			c, b := &r.costs[0][e], &r.costs[1][e]
			switch {
			case c.decided() && !b.decided():
				gained = append(gained, fmt.Sprintf("%s by %s", r, name))
			case !c.decided() && b.decided():
				lost = append(lost, fmt.Sprintf("%s by %s", r, name))
			}
			if !c.decided() || !b.decided() {
				continue
			}
			cpu.Add(c.cpu.Seconds() / b.cpu.Seconds())
			wall.Add(c.wall.Seconds() / b.wall.Seconds())
			if max(c.cpu, b.cpu) >= floor {
				longCPU.Add(c.cpu.Seconds() / b.cpu.Seconds())
				longWall.Add(c.wall.Seconds() / b.wall.Seconds())
			}
		}
		measure.Row(os.Stdout, name, fmt.Sprint(cpu.N), cpu.String(), wall.String(), fmt.Sprint(longCPU.N), longCPU.String(), longWall.String())
	}
	if len(lost) > 0 {
		fmt.Printf("\nDecided by the base only: %s.\n", strings.Join(lost, ", "))
	}
	if len(gained) > 0 {
		fmt.Printf("\nDecided by the binary only: %s.\n", strings.Join(gained, ", "))
	}
	t.slower()
}

// slower names the rows on which the binary is furthest behind.
func (t *table) slower() {
	type entry struct {
		name  string
		x, y  time.Duration
		ratio float64
	}
	var entries []entry
	for _, r := range t.rows {
		for e, name := range t.engines {
			if c, b := &r.costs[0][e], &r.costs[1][e]; c.decided() && b.decided() && max(c.cpu, b.cpu) >= floor && c.cpu > b.cpu {
				entries = append(entries, entry{fmt.Sprintf("%s, %s", r, name), c.cpu, b.cpu, c.cpu.Seconds() / b.cpu.Seconds()})
			}
		}
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(b.ratio, a.ratio) })
	fmt.Printf("\nSlower than the base, of the longer ones: %d. The worst, in processor time:\n\n", len(entries))
	measure.Head(os.Stdout, "program, engine", "s", "base, s", "ratio")
	for _, en := range entries[:min(*worst, len(entries))] {
		measure.Row(os.Stdout, en.name, fmt.Sprintf("%.3f", en.x.Seconds()), fmt.Sprintf("%.3f", en.y.Seconds()), fmt.Sprintf("%.2f", en.ratio))
	}
}
