package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// A litmusJob is what the flags of litmus say.
type litmusJob struct {
	model   modelFlag
	engine  engineFlag
	unroll  count
	workers count
	timeout limit
	memory  bytesize
	guard   *guard
	solver  solverName
	output  choice
	against string
	graphs  string
	quiet   bool
	models  modelList
}

func (j *litmusJob) format() fencepost.Format { return fencepost.Format(j.output.value) }

func (a *app) litmusCommand() *cobra.Command {
	j := &litmusJob{
		engine: engineFlag{fencepost.Auto, fencepost.AskFinalStates},
		output: choice{what: "output format", value: string(fencepost.Text), known: words(fencepost.Text, fencepost.JSON, fencepost.CSV)},
	}
	cmd := &cobra.Command{
		Use:   "litmus [flags] FILE|DIR...",
		Short: "Run litmus tests",
		Long: `Litmus runs litmus tests and prints, for each, what herd7 prints: the final
states, whether the test has what it asks for, how often its condition holds.
The tests are for x86, AArch64, RISC-V, Power, or in C, C11's or the Linux
kernel's; each is run under the model of its architecture (tso, armv8, riscv,
power, rc11, lkmm), or under the one that is named. Of a directory all files
*.litmus in it and below are run, and of @LIST the files that it lists, a line
each; - is a test on standard input. The tests run side by side; the results
come in the order of the files. A test that cannot be read does not keep the
others from their turn.

The engines explicit and bmc find final states, and Positive and Negative count
these. The engine graphs enumerates executions and counts these, as herd7 does;
it needs only the definition of a model. The default is explicit for x86 under
sc, tso and pso, and graphs else.

With --against the results are compared with a list of expectations: a line with
an object for every test, {"file", "name", "kind", "condition"} and, under the
name of each model, {"states", "observation", "verdict"}. Then only the
differences are printed, unless --output asks for more.

With --models the results are a table: a row for each test, and for each model
whether the condition holds in all final states, in some, or in none. A question
mark says that not all were found, a dash that the model is about another
architecture.

Exit status: 0 all tests ran, 1 there are differences from --against, 2 usage or
input error, 3 a test is incomplete, 4 internal error; the first of 4, 2, 1, 3,
0 that occurs.`,
		Example: `  fencepost litmus SB.litmus
  fencepost litmus --model sc -o json tests/
  fencepost litmus --model my.cat --graph pictures tests/
  fencepost litmus --models sc,tso,my.cat tests/
  fencepost litmus --against tests/expected.jsonl tests/`,
		Args: files(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := fencepost.LookupEngine(j.engine.name)
			if err != nil {
				return err
			}
			if err := heeds(cmd, e, fencepost.WorkersOption); err != nil { // --jobs is of the tests
				return err
			}
			for _, f := range []string{"model", "against", "graph"} {
				if len(j.models) > 0 && cmd.Flags().Changed(f) {
					return fmt.Errorf("--models does not go with --%s", f)
				}
			}
			j.guard = guardMemory(j.memory)
			if os.Getenv("GOGC") == "" && !j.guard.given {
				// A test leaves little behind, and thousands follow: collecting that little over and
				// over takes a third of the time.
				debug.SetGCPercent(800)
			}
			return a.litmus(cmd.Context(), j, args)
		},
		ValidArgsFunction: completeTests,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(&j.model, "model", "m", "memory model; that of the test's architecture where none is given")
	f.Var(&j.models, "models", "run under each of these and table what is observed")
	includeModels(f)
	f.VarP(&j.engine, "engine", "e", "how to find the final states: "+strings.Join(j.engine.completions(), ", "))
	f.Var(&j.unroll, "unroll", "unroll loops at most `N` times; 0: twice (graphs), no bound (bmc)")
	f.VarP(&j.workers, "jobs", "j", "run `N` tests at a time; 0: as many as there are processors")
	f.Var(&j.timeout, "timeout", "stop after that time, for each test: 90, 90s, 5m; 0: never")
	f.Var(&j.memory, "memory-limit", "memory for the process: 512M, 4G; 0: what the machine has free")
	f.Var(&j.solver, "solver", "SAT solver (bmc): cdcl, gini, or a program that reads DIMACS")
	f.VarP(&j.output, "output", "o", "output format")
	f.StringVar(&j.against, "against", "", "compare with the expectations in `FILE`")
	f.StringVar(&j.graphs, "graph", "", "draw an execution of every test into `DIR`, as SVG and DOT")
	a.htmlFlag(cmd)
	f.BoolVarP(&j.quiet, "quiet", "q", false, "print the summary only (text)")
	completeChoices(cmd)
	return cmd
}

// litmus runs the tests. An error is one of usage.
func (a *app) litmus(ctx context.Context, j *litmusJob, paths []string) error {
	share, err := j.guard.engines()
	if err != nil {
		return err
	}
	ctx, stop := j.guard.watch(ctx)
	defer stop()
	opts := fencepost.LitmusOptions{
		Model: fencepost.Model(j.model), Engine: j.engine.name, Workers: int(j.workers),
		Timeout: time.Duration(j.timeout), Unroll: int(j.unroll), Solver: string(j.solver),
		MemoryLimit: share, Witnesses: j.graphs != "" || a.pages.file != "",
	}
	got := map[int]bool{exitSafe: true}
	defer func() { a.end(got) }()
	if len(j.models) > 0 {
		return a.litmusModels(ctx, j, opts, paths, got)
	}
	if j.against != "" {
		x, err := interruptible(ctx, func() (*fencepost.Expectations, error) { return fencepost.ReadExpectations(j.against) })
		if err != nil {
			got[a.fail("", fencepost.Text, err)] = true
			return nil
		}
		opts.Expected = x
	}
	sum := &fencepost.LitmusSummary{}
	err = fencepost.PrintLitmusHead(a.stdout, j.format())
	if err != nil {
		err = &outputError{err: err}
	} else {
		run := fencepost.Litmus
		if a.texts != nil {
			run = a.texts.litmus
		}
		sum, err = run(ctx, paths, opts, func(t *fencepost.LitmusTest) error {
			status, err := a.litmusResult(j, t)
			got[status] = true
			return err
		})
	}
	var usage *fencepost.LitmusUsageError
	switch {
	case errors.As(err, &usage):
		return err
	case err != nil:
		got[a.fail("", fencepost.Text, err)] = true
		return nil
	case ctx.Err() != nil:
		got[exitUnknown] = true
	}
	if j.format() == fencepost.Text && (sum.Tests > 1 || sum.Compared || j.quiet) {
		if err := sum.Print(a.stdout, fencepost.Style{}); err != nil {
			got[a.fail("", fencepost.Text, &outputError{err: err})] = true
		}
	}
	return nil
}

// litmusResult writes the result of a test.
func (a *app) litmusResult(j *litmusJob, t *fencepost.LitmusTest) (status int, err error) {
	if t.Err != nil {
		err := t.Err
		if p := (*fencepost.LitmusPanic)(nil); errors.As(err, &p) {
			err = &panicError{p.Value, p.Stack}
		}
		// The result itself is written below, whatever its format.
		status = a.fail(t.File, fencepost.Text, err)
	} else if t.Incomplete != "" {
		status = exitUnknown
	}
	if len(t.Differences) > 0 && status != exitInput && status != exitInternal {
		status = exitUnsafe
	}
	if err := t.Print(a.stdout, fencepost.Style{Format: j.format(), Quiet: j.quiet}); err != nil {
		return exitInput, &outputError{err: err}
	}
	a.page(t.Document)
	if d := t.Drawing(); d != nil && j.graphs != "" {
		err = writeGraph(filepath.Join(j.graphs, pictureName(t.Rel)), d)
	}
	return status, err
}

// pictureName is the place of a test's pictures in their directory, without an
// extension.
func pictureName(name string) string {
	if !filepath.IsLocal(name) {
		name = filepath.Base(name)
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}
