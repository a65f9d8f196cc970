package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/suite"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A litmusJob is what the flags of litmus say.
type litmusJob struct {
	model   modelFlag
	engine  engineFlag
	unroll  count
	workers count
	timeout limit
	memory  bytesize
	solver  solverName
	output  choice
	against string
	graphs  string
	quiet   bool
}

func (j *litmusJob) format() report.Format { return report.Format(j.output.value) }

func (a *app) litmusCommand() *cobra.Command {
	j := &litmusJob{
		model:  modelFlag(memory.TSO),
		engine: engineFlag{engine.Auto, verdict.FinalStates},
		output: choice{what: "output format", value: string(report.TextFormat), known: words(report.TextFormat, report.JSONFormat, report.CSVFormat)},
	}
	cmd := &cobra.Command{
		Use:   "litmus [flags] FILE|DIR...",
		Short: "Run litmus tests",
		Long: `Litmus runs litmus tests for x86 and prints, for each, what herd7 prints: the
final states, whether the test has what it asks for, how often its condition
holds. Of a directory all files *.litmus in it and below are run. The tests run
side by side; the results come in the order of the files. A test that cannot be
read does not keep the others from their turn.

The engines explicit and bmc find final states, and Positive and Negative count
these. The engine graphs enumerates executions and counts these, as herd7 does;
it needs only the definition of a model. The default is explicit, and graphs for
a model in a file.

With --against the results are compared with a list of expectations: a line with
an object for every test, {"file", "name", "kind", "condition"} and, under the
name of each model, {"states", "observation", "verdict"}. Then only the
differences are printed, unless --output asks for more.

Exit status: 0 all tests ran, 1 there are differences from --against, 2 usage or
input error, 3 a test is incomplete, 4 internal error; the first of 4, 2, 1, 3,
0 that occurs.`,
		Example: `  fencepost litmus SB.litmus
  fencepost litmus --model sc -o json tests/
  fencepost litmus --model my.cat --graph pictures tests/
  fencepost litmus --against tests/expected.jsonl tests/`,
		Args: files(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			e, err := engine.Lookup(j.engine.name)
			if err != nil {
				return err
			}
			if err := heeds(cmd, e, engine.Workers); err != nil { // --jobs is of the tests
				return err
			}
			limitMemory(int64(j.memory))
			return a.litmus(cmd.Context(), j, args)
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{strings.TrimPrefix(suite.Extension, ".")}, cobra.ShellCompDirectiveFilterFileExt
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(&j.model, "model", "m", "memory model")
	f.VarP(&j.engine, "engine", "e", "how to find the final states: "+strings.Join(j.engine.completions(), ", "))
	f.Var(&j.unroll, "unroll", "unroll loops at most `N` times; 0: twice (graphs), no bound (bmc)")
	f.VarP(&j.workers, "jobs", "j", "run `N` tests at a time; 0: as many as there are processors")
	f.Var(&j.timeout, "timeout", "stop after that time, for each test: 90, 90s, 5m; 0: never")
	f.Var(&j.memory, "memory-limit", "memory for the engines: 512M, 4G; 0: what the machine has free")
	f.Var(&j.solver, "solver", "SAT solver (bmc): gini, or a program that reads DIMACS")
	f.VarP(&j.output, "output", "o", "output format")
	f.StringVar(&j.against, "against", "", "compare with the expectations in `FILE`")
	f.StringVar(&j.graphs, "graph", "", "draw an execution of every test into `DIR`, as SVG and DOT")
	f.BoolVarP(&j.quiet, "quiet", "q", false, "print the summary only (text)")
	completeChoices(cmd)
	return cmd
}

// litmus runs the tests. An error is one of usage.
func (a *app) litmus(ctx context.Context, j *litmusJob, paths []string) error {
	opts := suite.Options{
		Model: memory.Model(j.model), Engine: j.engine.name, Workers: int(j.workers),
		Timeout: time.Duration(j.timeout), Unroll: int(j.unroll), Solver: string(j.solver),
		MemoryLimit: int64(j.memory), Witnesses: j.graphs != "",
	}
	got := map[int]bool{exitSafe: true}
	defer func() { a.end(got) }()
	if j.against != "" {
		x, err := suite.ReadExpected(j.against)
		if err != nil {
			got[a.fail("", report.TextFormat, err)] = true
			return nil
		}
		opts.Expected = x
	}
	start := time.Now()
	sum := report.LitmusSummary{Compared: j.against != ""}
	err := report.LitmusHead(a.stdout, j.format())
	if err != nil {
		err = &outputError{err}
	} else {
		err = suite.Run(ctx, suite.Files(paths), opts, func(f suite.File, l *verdict.Litmus) error {
			sum.Add(l)
			status, err := a.litmusResult(j, f, l)
			got[status] = true
			return err
		})
	}
	var usage *suite.UsageError
	switch {
	case errors.As(err, &usage):
		return err
	case err != nil:
		got[a.fail("", report.TextFormat, err)] = true
		return nil
	case ctx.Err() != nil:
		got[exitUnknown] = true
	case sum.Tests == 0:
		none := &program.Diagnostic{Source: &program.Source{Name: paths[0]}, Msg: "there are no tests here", Hint: "a test is a file *" + suite.Extension}
		got[a.fail("", report.TextFormat, none)] = true
		return nil
	}
	if j.format() == report.TextFormat && (sum.Tests > 1 || sum.Compared || j.quiet) {
		if err := sum.Write(a.stdout, time.Since(start)); err != nil {
			got[a.fail("", report.TextFormat, &outputError{err})] = true
		}
	}
	return nil
}

// litmusResult writes the result of a test.
func (a *app) litmusResult(j *litmusJob, f suite.File, l *verdict.Litmus) (status int, err error) {
	if l.Err != nil {
		err := l.Err
		if p := (*suite.Panic)(nil); errors.As(err, &p) {
			err = &panicError{p.Value, p.Stack}
		}
		// The result itself is written below, whatever its format.
		status = a.fail(l.File, report.TextFormat, err)
	} else if l.Incomplete != "" {
		status = exitUnknown
	}
	if len(l.Differences) > 0 && status != exitInput && status != exitInternal {
		status = exitUnsafe
	}
	text := j.format() == report.TextFormat
	switch {
	case text && j.against != "":
		err = report.LitmusDifferences(a.stdout, l)
	case !text || !j.quiet:
		err = report.Litmus(a.stdout, l, j.format())
	}
	if err != nil {
		return exitInternal, &outputError{err}
	}
	if d := report.Witnessed(l); d != nil {
		err = writeGraph(filepath.Join(j.graphs, pictureName(f)), d)
	}
	return status, err
}

// pictureName is the place of a test's pictures in their directory, without an
// extension.
func pictureName(f suite.File) string {
	name := f.Rel
	if !filepath.IsLocal(name) {
		name = filepath.Base(name)
	}
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// writeGraph writes both forms of a drawing, and the directory for them.
func writeGraph(base string, d *report.Drawing) error {
	if err := os.MkdirAll(filepath.Dir(base), 0o777); err != nil {
		return &outputError{err}
	}
	for _, ext := range []string{".svg", ".dot"} {
		if err := writeDrawing(base+ext, d); err != nil {
			return err
		}
	}
	return nil
}

// writeDrawing writes a drawing in the form that the extension of path names.
func writeDrawing(path string, d *report.Drawing) error {
	write, err := drawer(path)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return &outputError{err}
	}
	err = write(f, d)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return &outputError{err}
	}
	return nil
}

func drawer(path string) (func(io.Writer, *report.Drawing) error, error) {
	switch filepath.Ext(path) {
	case ".svg":
		return report.SVG, nil
	case ".dot":
		return report.DOT, nil
	}
	return nil, fmt.Errorf("want a file .svg or .dot, not %q", path)
}
