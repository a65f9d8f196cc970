package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// What an exploration may count: what it meets once.
const (
	states     = "states"     // with a set of those visited
	executions = "executions" // without
)

// rowTime is what a row of the table may take where nobody says otherwise: some
// explorations of a program never end.
const rowTime = 10 * time.Second

// reductions lists the reductions in the order of the table, with what they may
// count, by default the first.
var reductions = []struct {
	name   string
	counts []string
}{
	{string(explore.NoReduction), []string{states}},
	{string(explore.LocalFirst), []string{states}},
	{string(explore.Persistent), []string{states}},
	{string(explore.Cartesian), []string{states}},
	{explore.DPOR.String(), []string{executions, states}},
	{explore.Source.String(), []string{executions}},
	{explore.Optimal.String(), []string{executions}},
}

// counted is what the reduction may count.
func counted(reduction string) []string {
	for _, r := range reductions {
		if r.name == reduction {
			return r.counts
		}
	}
	return nil
}

// An exploration is what the flags of explore say.
type exploration struct {
	*job
	counts choice
	live   choice
	events count
	table  bool
}

func (a *app) exploreCommand() *cobra.Command {
	e := &exploration{
		job:    newJob(),
		counts: choice{what: "thing to count", known: []string{states, executions}},
		live:   choice{what: "setting", value: "on", known: []string{"on", "off"}},
	}
	var names []string
	for _, r := range reductions {
		names = append(names, r.name)
	}
	e.por = choice{what: "reduction", long: true, value: string(explore.Persistent), known: names}
	cmd := &cobra.Command{
		Use:   "explore [flags] FILE",
		Short: "Explore the states or the executions of a program, and count",
		Long: `Explore visits the states of a program, or its executions, in the way that you say,
and tells how many there are and what that took. It looks for violations of the
properties as check does, and stops at the first.

The partial-order reductions (--por) that keep a set of visited states are none;
local (local events first), persistent (persistent sets, the default) and cartesian
(vectors of prefixes); those that enumerate executions, which are maximal traces of
events and their happens-before order, are dpor (dynamic partial-order reduction),
source (source sets and sleep sets) and optimal (wakeup trees: every trace once).
With -e states, dpor keeps a set of visited states, too.

With --table there is a row for each reduction; each may take 10 seconds unless
--timeout says otherwise.
` + inputLong + `

Exit status: as that of check; with --table, the status of the worst row.`,
		Example: `  fencepost explore examples/peterson.imp
  fencepost explore --por optimal -m sc -D N=6 examples/counts/casrot.imp
  fencepost explore --table examples/dekker.imp`,
		Args: files(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if may := counted(e.por.value); e.counts.value != "" && !e.table && !slices.Contains(may, e.counts.value) {
				return fmt.Errorf("--por %s counts %s", e.por.value, strings.Join(may, " or "))
			}
			if m := memory.Model(e.model); !slices.Contains(memory.Models(), m) {
				return fmt.Errorf("--model: %s speaks of graphs and has no states to explore (known: %s)", m, strings.Join(words(memory.Models()...), ", "))
			}
			if e.table && e.timeout == 0 {
				e.timeout = limit(rowTime)
			}
			limitMemory(int64(e.memory))
			a.each(args, e.format(), func(file string) (int, error) {
				return a.exploreFile(cmd.Context(), e, file)
			})
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(&e.model, "model", "m", "memory model: sc, tso or pso")
	f.Var(&e.por, "por", "partial-order reduction: none, local, persistent, cartesian, dpor, source, optimal")
	f.VarP(&e.counts, "engine", "e", "what is met once; by default what the reduction is made for")
	f.Var(&e.search, "search", "order of a search through states")
	f.Var(&e.live, "live", "whether dead registers are cleared in states")
	f.BoolVar(&e.alike, "symmetry", false, "store one of the states that differ by an exchange of like threads")
	f.Var(&e.buffer, "buffer", "store buffers of `N` entries; 0: no bound")
	f.Var(&e.events, "events", "executions of at most `N` steps; 0: 10,000")
	f.BoolVar(&e.table, "table", false, "one row for each reduction")
	f.VarP(&e.defines, "define", "D", "give a constant of an IMP program its value, as in -D N=3; repeatable")
	e.searchFlags(cmd)
	f.Var(&e.timeout, "timeout", "stop after that time, for each exploration: 90, 90s, 5m; 0: never")
	f.Var(&e.memory, "memory-limit", "memory for an exploration: 512M, 4G; 0: what the machine has free")
	f.VarP(&e.output, "output", "o", "output format")
	f.BoolVarP(&e.quiet, "quiet", "q", false, "print the verdict line only (text)")
	completeChoices(cmd)
	return cmd
}

func (a *app) exploreFile(ctx context.Context, e *exploration, file string) (int, error) {
	s, err := a.open(ctx, e.job, file)
	if err != nil {
		return 0, err
	}
	defer s.close()
	if !e.table {
		x, err := e.explore(ctx, s, e.por.value, e.counts.value)
		s.progress.clear()
		if err != nil {
			return 0, err
		}
		if d := report.Fault(x.Result); d != nil {
			return 0, d
		}
		if e.format() == report.JSONFormat {
			return written(status(x.Verdict()), report.JSONExploration(a.stdout, x, file))
		}
		return written(status(x.Verdict()), report.TextExploration(a.stdout, x, report.Options{Quiet: e.quiet, Colour: colour(a.stdout)}))
	}
	var rows []*report.Exploration
	got := map[int]bool{}
	for _, r := range reductions {
		for _, counts := range r.counts {
			if e.counts.value != "" && counts != e.counts.value {
				continue
			}
			x, err := e.explore(ctx, s, r.name, counts)
			s.progress.clear()
			if err != nil {
				return 0, err
			}
			if d := report.Fault(x.Result); d != nil {
				return 0, d
			}
			got[status(x.Verdict())] = true
			rows = append(rows, x)
			if e.format() == report.JSONFormat {
				if err := report.JSONExploration(a.stdout, x, file); err != nil {
					return written(0, err)
				}
			}
		}
	}
	a.end(got)
	if e.format() == report.JSONFormat {
		return a.status, nil
	}
	return written(a.status, report.TableExplorations(a.stdout, rows, report.Options{}))
}

// explore is one exploration; what it counts is up to the reduction where counts
// is empty.
func (e *exploration) explore(ctx context.Context, s *session, reduction, counts string) (*report.Exploration, error) {
	if counts == "" {
		counts = counted(reduction)[0]
	}
	ctx, cancel := e.context(ctx)
	defer cancel()
	var show func(string)
	if s.progress != nil {
		show = s.progress.show
	}
	x := &report.Exploration{Reduction: reduction, Counts: counts}
	var err error
	if counts == executions {
		opts := explore.ExecutionOptions{Model: memory.Model(e.model), MaxEvents: int(e.events), MemoryLimit: int64(e.memory), Progress: show}
		for _, alg := range []explore.Algorithm{explore.DPOR, explore.Source, explore.Optimal} {
			if alg.String() == reduction {
				opts.Algorithm = alg
			}
		}
		x.Result, err = explore.Executions(ctx, s.p, opts)
		return x, err
	}
	x.Live = e.live.value == "on"
	if reduction != string(explore.DynamicPOR) { // it has an order of its own
		x.Search = e.search.value
	}
	x.Result, err = explore.All(ctx, s.p, explore.Options{
		Model: memory.Model(e.model), Reduction: explore.Reduction(reduction), DepthFirst: e.search.value == "dfs", NoLive: !x.Live,
		Symmetry: e.alike, Workers: e.cores(), Compact: e.compact, Spill: e.spillTo(), Buffer: int(e.buffer), MemoryLimit: int64(e.memory), Progress: show,
	})
	return x, err
}

// status is the exit status that a verdict has.
func status(v verdict.Verdict) int {
	return map[verdict.Verdict]int{verdict.IsSafe: exitSafe, verdict.IsUnsafe: exitUnsafe, verdict.IsUnknown: exitUnknown}[v]
}
