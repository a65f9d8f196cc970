package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// rowTime is what a row of the table may take where nobody says otherwise: some
// explorations of a program never end.
const rowTime = 10 * time.Second

// A reduction is what an exploration may count by it, by default the first, and the
// engines that do.
type reduction struct {
	name    string
	engines []engine.Engine
}

// reductions lists the reductions in the order of the table.
func reductions() (all []reduction) {
	for _, e := range engine.Engines() {
		if e.Count == nil {
			continue
		}
		i := slices.IndexFunc(all, func(r reduction) bool { return r.name == e.Count.By })
		if i < 0 {
			i = len(all)
			all = append(all, reduction{name: e.Count.By})
		}
		// Executions come first, where states can be counted as well.
		all[i].engines = append(all[i].engines, e)
		slices.SortStableFunc(all[i].engines, func(a, b engine.Engine) int { return strings.Compare(a.Count.What, b.Count.What) })
	}
	// Those of states in the order in which they are documented, and then the others.
	place := func(r reduction) int {
		i := slices.Index(explore.Reductions(), explore.Reduction(r.name))
		return cmp.Or(i+1, len(explore.Reductions())+1)
	}
	slices.SortStableFunc(all, func(a, b reduction) int { return place(a) - place(b) })
	return all
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
		job:    newJob(verdict.Count),
		counts: choice{what: "thing to count"},
		live:   choice{what: "setting", value: "on", known: []string{"on", "off"}},
	}
	var names []string
	for _, r := range reductions() {
		names = append(names, r.name)
		for _, eng := range r.engines {
			if !slices.Contains(e.counts.known, eng.Count.What) {
				e.counts.known = append(e.counts.known, eng.Count.What)
			}
		}
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
			engines, err := e.picked()
			if err != nil {
				return err
			}
			takes := func(o engine.Option) func(engine.Engine) bool {
				return func(e engine.Engine) bool { return e.Takes(o) || o == engine.Reduction }
			}
			if o := ignored(cmd, func(o engine.Option) bool { return slices.ContainsFunc(engines, takes(o)) }); o != "" {
				var by []string
				for _, r := range reductions() {
					if slices.ContainsFunc(r.engines, takes(o)) {
						by = append(by, r.name)
					}
				}
				return fmt.Errorf("--%s is not for --por %s; it is for %s", o, e.por.value, strings.Join(by, ", "))
			}
			if m := memory.Model(e.model); !slices.Contains(memory.Models(), m) {
				return fmt.Errorf("--model: %s speaks of graphs and has no states to explore (known: %s)", m, strings.Join(words(memory.Models()...), ", "))
			}
			if e.table && e.timeout == 0 {
				e.timeout = limit(rowTime)
			}
			limitMemory(int64(e.memory))
			a.each(args, e.format(), func(file string) (int, error) {
				return a.exploreFile(cmd.Context(), e, engines, file)
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

// picked is the engines that the flags ask for: one, or those of the table.
func (e *exploration) picked() (engines []engine.Engine, err error) {
	for _, r := range reductions() {
		if !e.table && r.name != e.por.value {
			continue
		}
		var may []string
		for _, eng := range r.engines {
			may = append(may, eng.Count.What)
			if e.counts.value == "" || e.counts.value == eng.Count.What {
				engines = append(engines, eng)
			}
		}
		if len(engines) == 0 && !e.table {
			return nil, fmt.Errorf("--por %s counts %s", e.por.value, strings.Join(may, " or "))
		}
	}
	if !e.table {
		engines = engines[:1]
	}
	return engines, nil
}

func (a *app) exploreFile(ctx context.Context, e *exploration, engines []engine.Engine, file string) (int, error) {
	s, err := a.open(ctx, e.job, file)
	if err != nil {
		return 0, err
	}
	defer s.close()
	var rows []*report.Exploration
	got := map[int]bool{}
	for i := range engines {
		x, err := e.explore(ctx, s, &engines[i])
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
	a.end(got)
	switch {
	case e.format() == report.JSONFormat:
		return a.status, nil
	case e.table:
		return written(a.status, report.TableExplorations(a.stdout, rows, report.Options{}))
	}
	return written(a.status, report.TextExploration(a.stdout, rows[0], report.Options{Quiet: e.quiet, Colour: colour(a.stdout)}))
}

// explore is one exploration.
func (e *exploration) explore(ctx context.Context, s *session, eng *engine.Engine) (*report.Exploration, error) {
	ctx, cancel := e.context(ctx)
	defer cancel()
	opts := e.options(s.progress)
	opts.Engine, opts.Reduction = eng.Name, explore.Reduction(eng.Count.By)
	opts.NoLive, opts.MaxEvents = e.live.value == "off", int(e.events)
	x := &report.Exploration{Reduction: eng.Count.By, Counts: eng.Count.What}
	if eng.Takes(engine.Live) {
		x.Live = !opts.NoLive
	}
	if eng.Takes(engine.Order) {
		x.Search = e.search.value
	}
	var err error
	x.Result, err = eng.Count.Run(ctx, s.p, opts.WithDefaults())
	return x, err
}

// status is the exit status that a verdict has.
func status(v verdict.Verdict) int {
	return map[verdict.Verdict]int{verdict.IsSafe: exitSafe, verdict.IsUnsafe: exitUnsafe, verdict.IsUnknown: exitUnknown}[v]
}
