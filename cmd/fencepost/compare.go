package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// A compareJob is what the flags of compare say.
type compareJob struct {
	models  modelList
	engines engineList
	defines defines
	timeout limit
	memory  bytesize
	guard   *guard
	solver  solverName
	output  choice
}

func (j *compareJob) format() fencepost.Format { return fencepost.Format(j.output.value) }

func (a *app) compareCommand() *cobra.Command {
	j := &compareJob{
		timeout: limit(10 * time.Second),
		output: choice{what: "output format", value: string(fencepost.Text),
			known: words(fencepost.Text, fencepost.JSON, fencepost.CSV, fencepost.Markdown)},
	}
	cmd := &cobra.Command{
		Use:   "compare [flags] FILE...",
		Short: "Decide programs by every engine and hold the answers against each other",
		Long: `Compare runs, for every FILE, every engine under every memory model that it is for,
one after the other, and prints what each says: the verdict and its argument, how
many states or clauses that took, how much time and memory. It lists the final
states and decides robustness in all ways, too.

The answers are held against that of the explicit search, or of the first that has
one. What happens under SC happens under TSO, and what happens there under PSO; so
answers under different models can contradict each other as well, a deadlock
excepted. Two answers that contradict each other are a defect in Fencepost: the
command lines that reproduce it are printed, and the exit status is 4.
` + inputLong + `

Exit status: 0 no contradiction, 2 usage or input error, 3 interrupted, 4 internal
error; for several files the first of 4, 2, 3, 0 that occurs.`,
		Example: `  fencepost compare examples/dekker.imp
  fencepost compare -m tso -e explicit -e bmc --timeout 60 my.imp
  fencepost compare -o markdown examples/*.imp > comparison.md`,
		Args: files(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if slices.Contains(args, "-") {
				return errors.New("compare wants files, not standard input")
			}
			j.guard = guardMemory(j.memory)
			if err := fencepost.PrintCompareHead(a.stdout, j.format()); err != nil {
				a.status = a.fail("", fencepost.Text, &outputError{err: err})
				return nil
			}
			a.each(args, j.format(), func(file string) (int, error) {
				return a.compareFile(cmd.Context(), j, file)
			})
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(&j.models, "model", "m", "only this memory model; repeatable")
	f.VarP(&j.engines, "engine", "e", "only this engine; repeatable")
	j.defines.flags(cmd.Flags())
	f.Var(&j.timeout, "timeout", "stop each engine after that time: 90, 90s, 5m; 0: never")
	f.Var(&j.memory, "memory-limit", "memory for the process: 512M, 4G; 0: what the machine has free")
	f.Var(&j.solver, "solver", "SAT solver: cdcl, gini, or a program that reads DIMACS")
	f.VarP(&j.output, "output", "o", "output format")
	a.htmlFlag(cmd)
	completeChoices(cmd)
	return cmd
}

// compareFile compares. What contradicts itself is printed like the rest, and then
// an error.
func (a *app) compareFile(ctx context.Context, j *compareJob, file string) (int, error) {
	for _, m := range j.models {
		if _, err := loadModel(ctx, m); err != nil {
			return 0, err
		}
	}
	if len(j.models) > 0 { // those of C11 have no others beside them
		j.defines.model = j.models[0]
		ordered := func(m fencepost.Model) bool { return m == fencepost.SC || m == fencepost.TSO }
		if ordered(j.models[0]) && slices.ContainsFunc(j.models, func(m fencepost.Model) bool { return !ordered(m) }) {
			j.defines.model = fencepost.PSO // of which no more is concluded from the order of stores
		}
	}
	p, err := a.load(ctx, file, j.defines)
	if err != nil {
		return 0, err
	}
	share, err := j.guard.engines()
	if err != nil {
		return 0, err
	}
	ctx, stop := j.guard.watch(ctx)
	defer stop()
	progress := newProgress(a.stderr)
	defer progress.clear()
	c, err := a.compare(ctx, p, j.models, j.engines, func(o *fencepost.Options) {
		o.Timeout, o.Solver, o.MemoryLimit = time.Duration(j.timeout), string(j.solver), share
		if progress != nil {
			o.Progress = progress.show
		}
	})
	progress.clear()
	if err != nil {
		return 0, err
	}
	command := func(r *fencepost.Row) string { return j.command(r, file) }
	if a.reports++; a.reports > 1 && (j.format() == fencepost.Text || j.format() == fencepost.Markdown) {
		fmt.Fprintln(a.stdout)
	}
	a.page(func() *fencepost.Document { return c.Document(fencepost.Style{File: file}) })
	status := exitSafe
	if c.Stopped {
		status = exitUnknown
	}
	if status, err = written(status, c.Print(a.stdout, fencepost.Style{Format: j.format(), Width: width(a.stdout), File: file}, command)); err != nil {
		return status, err
	}
	var defects []string
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Err != nil {
			defects = append(defects, fmt.Sprintf("%s under %s: %v\n    %s", r.Engine, r.Model, r.Err, command(r)))
		}
	}
	for _, x := range c.Contradictions {
		text := x.Text
		for _, i := range x.Rows {
			text += "\n    " + command(&c.Rows[i])
		}
		defects = append(defects, text)
	}
	switch d := c.Fault(); {
	case len(defects) > 0:
		// The place of a result is taken: the message goes to standard error only.
		return a.fail(file, fencepost.Text, errors.New(strings.Join(defects, "\n"))), nil
	case d != nil:
		return a.fail(file, fencepost.Text, d), nil
	}
	return status, nil
}

// command is the command line that runs the engine of a row by itself.
func (j *compareJob) command(r *fencepost.Row, file string) string {
	args := []string{"fencepost"}
	_, err := fencepost.LookupEngine(fencepost.EngineName(r.Engine))
	switch {
	case err == nil && r.Question == fencepost.AskSafety:
		args = append(args, "check", "-e", r.Engine)
	case err == nil && r.Question == fencepost.AskFinalStates:
		args = append(args, "states", "-e", r.Engine)
	case r.Question == fencepost.AskRobustness && r.Engine == "robust":
		args = append(args, "robust")
	default:
		args = append(args, "compare", "-e", r.Engine)
	}
	robust := r.Question == fencepost.AskRobustness
	if !robust {
		args = append(args, "-m", string(r.Model))
	}
	for _, name := range slices.Sorted(maps.Keys(j.defines.values)) {
		args = append(args, "-D", fmt.Sprintf("%s=%d", name, j.defines.values[name]))
	}
	if e, err := fencepost.LookupEngine(fencepost.EngineName(r.Engine)); j.solver != "" && err == nil && e.Takes(fencepost.SolverOption) {
		args = append(args, "--solver", string(j.solver))
	}
	args = append(args, file)
	for i, s := range args {
		if strings.ContainsAny(s, " \t\n'\"\\$`*?[]{}()<>|&;~#!") {
			args[i] = "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
		}
	}
	return strings.Join(args, " ")
}

// A modelList is memory models, which may have commas between them; empty: those that are
// built in.
type modelList []fencepost.Model

func (l *modelList) String() string        { return "" }
func (l *modelList) Type() string          { return new(modelFlag).Type() }
func (l *modelList) completions() []string { return new(modelFlag).completions() }
func (l *modelList) files() bool           { return true } // as well
func (l *modelList) list() bool            { return true }

func (l *modelList) Set(s string) error {
	for name := range strings.SplitSeq(s, ",") {
		var m modelFlag
		if err := m.Set(strings.TrimSpace(name)); err != nil {
			return err
		}
		if !slices.Contains(*l, fencepost.Model(m)) {
			*l = append(*l, fencepost.Model(m))
		}
	}
	return nil
}

// An engineList is names of engines; empty: all.
type engineList []fencepost.EngineName

func (l *engineList) String() string { return "" }
func (l *engineList) Type() string   { return "ENGINE" }

func (l *engineList) completions() []string { return words(fencepost.ComparedEngines()...) }

func (l *engineList) Set(s string) error {
	e, err := fencepost.LookupEngine(fencepost.EngineName(s))
	if err != nil {
		return fmt.Errorf("%w%s (known: %s)", err, didYouMean(s, l.completions(), ""), strings.Join(l.completions(), ", "))
	}
	if !slices.Contains(*l, e.Name) {
		*l = append(*l, e.Name)
	}
	return nil
}
