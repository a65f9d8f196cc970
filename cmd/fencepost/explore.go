package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// rowTime is what a row of the table may take where nobody says otherwise: some
// explorations of a program never end.
const rowTime = 10 * time.Second

// An exploration is what the flags of explore say.
type exploration struct {
	*job
	counts choice
	live   choice
	events count
	table  bool

	estimate bool
	plot     string // a picture; "": none
	over     span

	equivalence choice
}

func (a *app) exploreCommand() *cobra.Command {
	e := &exploration{
		job:         newJob(fencepost.AskCount),
		counts:      choice{what: "thing to count"},
		equivalence: choice{what: "equivalence", long: true, value: "rf+co", known: []string{"rf+co", "rf"}},
		live:        choice{what: "setting", value: "on", known: []string{"on", "off"}},
	}
	var names []string
	for _, c := range fencepost.Countings() {
		if !slices.Contains(names, c.Reduction) {
			names = append(names, c.Reduction)
		}
		if !slices.Contains(e.counts.known, c.Counts) {
			e.counts.known = append(e.counts.known, c.Counts)
		}
	}
	e.por = choice{what: "reduction", long: true, value: string(fencepost.DefaultReduction), known: names}
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
With graphs, executions are execution graphs: what reads from what, and the order of
the stores to each cell; it is for every memory model. Under sc, tso and pso, rvf
(reads-value-from) tells executions apart by the values that reads have, and not by which
write they have them from. With -e states, dpor keeps a set of visited states, too.

Two graphs are the same that have the same reads-from and order of stores; with
--equivalence rf, that have the same reads-from, which are fewer where nobody reads what
is overwritten. With --commute, they are the same if they differ in nothing but the order
of additions to a cell (fetch_add and its kin) whose results nobody reads.

With --estimate nothing is explored: random walks tell about how many executions there
are (graphs). While graphs are explored, the same is told beside how far it is.

With --table there is a row for each reduction; each may take 10 seconds unless
--timeout says otherwise.
` + inputLong + `

Exit status: as that of check; with --table, the status of the worst row.`,
		Example: `  fencepost explore examples/peterson.imp
  fencepost explore --por optimal -m sc -D N=6 examples/counts/casrot.imp
  fencepost explore --table examples/dekker.imp
  fencepost explore --table --plot ring.svg --over N=2..4 examples/sb-ring.imp`,
		Args: files(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			ways, err := e.picked()
			if err != nil {
				return err
			}
			takes := func(o fencepost.EngineOption) func(fencepost.Counting) bool {
				return func(c fencepost.Counting) bool { return c.Takes(o) }
			}
			e.defines.c.Unroll = int(e.unroll)
			if o := ignored(cmd, func(o fencepost.EngineOption) bool {
				return slices.ContainsFunc(ways, takes(o)) || o == "unroll" && fencepost.IsC(args[0])
			}); o != "" {
				var by []string
				for _, c := range fencepost.Countings() {
					if c.Takes(o) && !slices.Contains(by, c.Reduction) {
						by = append(by, c.Reduction)
					}
				}
				return fmt.Errorf("--%s is not for --por %s; it is for %s", o, e.por.value, strings.Join(by, ", "))
			}
			m := fencepost.Model(e.model)
			if ways = slices.DeleteFunc(ways, func(c fencepost.Counting) bool { return !c.For(m) }); len(ways) == 0 {
				if m.Operational() {
					return fmt.Errorf("--por: %s does not explore under %s; use --model sc", e.por.value, m)
				}
				return fmt.Errorf("--model: %s speaks of graphs and has no states to explore: --por graphs, or a model of %s", m, strings.Join(words(fencepost.OperationalModels()...), ", "))
			}
			if err := e.plots(); err != nil {
				return err
			}
			if (e.table || e.plot != "") && e.timeout == 0 {
				e.timeout = limit(rowTime)
			}
			e.guard = guardMemory(e.memory)
			a.each(args, e.format(), func(file string) (int, error) {
				if e.plot != "" {
					return a.plotFile(cmd.Context(), e, ways, file)
				}
				return a.exploreFile(cmd.Context(), e, ways, file)
			})
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(&e.model, "model", "m", "memory model: sc, tso, pso; with --por graphs any")
	f.Var(&e.por, "por", "partial-order reduction: "+strings.Join(e.por.known, ", "))
	f.VarP(&e.counts, "engine", "e", "what is met once; by default what the reduction is made for")
	f.Var(&e.search, "search", "order of a search through states")
	f.Var(&e.live, "live", "whether dead registers are cleared in states")
	f.BoolVar(&e.alike, "symmetry", false, "store one of the states, or explore one of the graphs, that differ by an exchange of like threads")
	f.BoolVar(&e.commute, "commute", false, "leave additions whose results nobody reads unordered (graphs)")
	f.Var(&e.buffer, "buffer", "store buffers of `N` entries; 0: no bound")
	f.Var(&e.events, "events", "executions of at most `N` steps; 0: 10,000")
	f.Var(&e.unroll, "unroll", "unroll loops at most `N` times (graphs, C); 0: as often as it takes")
	f.BoolVar(&e.estimate, "estimate", false, "tell about how many there are, from random walks, and explore nothing (graphs)")
	f.Var(&e.equivalence, "equivalence", "which graphs are the same: those with the same reads-from and order of stores, rf+co, or reads-from, rf")
	f.BoolVar(&e.table, "table", false, "one row for each reduction")
	f.StringVar(&e.plot, "plot", "", "draw what was explored, and how long that took, over a constant into `FILE`.svg")
	f.Var(&e.over, "over", "with --plot: the constant and its values, as in N=1..5")
	e.defines.flags(cmd.Flags())
	e.searchFlags(cmd)
	f.Var(&e.timeout, "timeout", "stop after that time, for each exploration: 90, 90s, 5m; 0: never")
	f.Var(&e.memory, "memory-limit", "memory for the process: 512M, 4G; 0: what the machine has free")
	f.VarP(&e.output, "output", "o", "output format")
	e.fullFlag(cmd)
	a.htmlFlag(cmd)
	f.BoolVarP(&e.quiet, "quiet", "q", false, "print the verdict line only (text)")
	completeChoices(cmd)
	return cmd
}

// picked is what the flags ask for: one way to count, or those of the table.
func (e *exploration) picked() (ways []fencepost.Counting, err error) {
	var may []string
	for _, c := range fencepost.Countings() {
		if !e.table && c.Reduction != e.por.value {
			continue
		}
		may = append(may, c.Counts)
		if e.counts.value == "" || e.counts.value == c.Counts {
			ways = append(ways, c)
		}
	}
	switch {
	case e.table:
		return ways, nil
	case len(ways) == 0:
		return nil, fmt.Errorf("--por %s counts %s", e.por.value, strings.Join(may, " or "))
	}
	return ways[:1], nil
}

func (a *app) exploreFile(ctx context.Context, e *exploration, ways []fencepost.Counting, file string) (int, error) {
	s, err := a.open(ctx, e.job, file)
	if err != nil {
		return 0, err
	}
	defer s.close()
	if e.estimate {
		return a.estimateFile(e, s, ways[0], file)
	}
	var rows []*fencepost.Exploration
	var notes []string // why there are no others
	var last error
	got := map[int]bool{}
	for _, way := range ways {
		x, err := e.explore(s, way)
		s.progress.clear()
		var refused *fencepost.Diagnostic
		if e.table && errors.As(err, &refused) {
			notes = append(notes, fmt.Sprintf("%s: %s", way.Reduction, refused.Msg))
			last = err
			continue
		} else if err != nil {
			return 0, err
		}
		got[status(x.Verdict())] = true
		rows = append(rows, x)
		a.page(func() *fencepost.Document { return x.Document(a.style(e.job, file)) })
		if e.format() == fencepost.JSON {
			if err := x.Print(a.stdout, a.style(e.job, file)); err != nil {
				return written(0, err)
			}
		}
	}
	if len(rows) == 0 {
		return 0, last
	}
	a.end(got)
	switch {
	case e.format() == fencepost.JSON:
		return a.status, nil
	case e.table:
		if err := fencepost.PrintTable(a.stdout, rows, fencepost.Style{Width: width(a.stdout)}); err != nil {
			return written(0, err)
		}
		for _, n := range notes {
			if _, err := fmt.Fprintln(a.stdout, n); err != nil {
				return written(0, err)
			}
		}
		return a.status, nil
	}
	return written(a.status, rows[0].Print(a.stdout, a.style(e.job, file)))
}

// estimateFile tells how much there seems to be to explore.
func (a *app) estimateFile(e *exploration, s *session, way fencepost.Counting, file string) (int, error) {
	ctx, cancel := e.context(s.guarded, time.Now())
	defer cancel()
	got, err := fencepost.EstimateCount(ctx, s.p, way, e.options(s.progress), func(o *fencepost.Options) {
		o.AnyCoherence = e.equivalence.value == "rf"
	})
	s.progress.clear()
	if err != nil {
		return 0, err
	}
	return written(exitSafe, got.Print(a.stdout, a.style(e.job, file)))
}

// explore is one exploration, with a limit of time of its own.
func (e *exploration) explore(s *session, way fencepost.Counting) (*fencepost.Exploration, error) {
	ctx, cancel := e.context(s.guarded, time.Now())
	defer cancel()
	return fencepost.Explore(ctx, s.p, way, e.options(s.progress), func(o *fencepost.Options) {
		o.AnyCoherence = e.equivalence.value == "rf"
		o.NoLive, o.MaxEvents = e.live.value == "off", int(e.events)
	})
}

// status is the exit status that a verdict has.
func status(v fencepost.Verdict) int {
	return map[fencepost.Verdict]int{fencepost.IsSafe: exitSafe, fencepost.IsUnsafe: exitUnsafe, fencepost.IsUnknown: exitUnknown}[v]
}
