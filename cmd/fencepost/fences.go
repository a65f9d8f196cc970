package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost/fences/source"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/report"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// threadCosts are the values of --thread-cost.
type threadCosts map[string]int

func (c threadCosts) String() string { return "" }
func (c threadCosts) Type() string   { return "NAME=N" }

func (c threadCosts) Set(s string) error {
	name, value, ok := strings.Cut(s, "=")
	n, err := strconv.Atoi(value)
	if !ok || name == "" || err != nil || n < 1 || n > 1e6 {
		return fmt.Errorf("want NAME=N with a number from 1 to a million, as in P0=5, not %q", s)
	}
	c[name] = n
	return nil
}

// A fenceJob is what the flags of fences say.
type fenceJob struct {
	*job
	goal        choice
	cost        choice
	means       choice
	threadCosts threadCosts
	all         bool
	redundant   bool
	write       bool
	verbose     bool
}

func (a *app) fencesCommand() *cobra.Command {
	j := &fenceJob{
		job:         newJob(verdict.Safety),
		goal:        choice{what: "goal", known: []string{"safety", "robustness", "trf"}},
		cost:        choice{what: "cost", value: "depth", known: []string{"depth", "uniform"}},
		means:       choice{what: "means", value: verdict.Mfence.String(), known: []string{verdict.Mfence.String(), verdict.Xchg.String()}},
		threadCosts: threadCosts{},
	}
	cmd := &cobra.Command{
		Use:   "fences [flags] FILE",
		Short: "Find the fences that a program needs, and write them into it",
		Long: `Fences finds a set of fences of least cost that makes the program safe, or robust
(see "fencepost robust"), under TSO, and shows the change to its source. Each fence
stands between two statements; in a family of processes it is one of every member.
The changed source is read and verified again, and for each fence there is a run
that only it prevents.

A fence costs 1, and ten times as much for each loop that it is in. --means xchg
makes exchanges of stores instead. --redundant finds fences of the source that can
go. --for is safety where the program has a property, and robustness otherwise.
` + inputLong + `

Exit status: 0 for a set that was verified or where no fence is needed; 1 where no
set helps, or where the program does not have enough fences for --redundant; 2
usage or input error; 3 where it is not known; 4 internal error.`,
		Example: `  fencepost fences examples/dekker.imp
  fencepost fences --for robustness --all examples/peterson.imp
  fencepost fences --write --cost uniform my.imp
  fencepost fences examples/dekker.imp | patch -p0`,
		Args: files(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if j.write && args[0] == "-" {
				return errors.New("--write: standard input is no file to write to")
			}
			limitMemory(int64(j.memory))
			a.each(args, j.format(), func(file string) (int, error) {
				return a.fencesFile(cmd.Context(), j, file)
			})
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&j.goal, "for", "what the fences are for; trf: freedom from triangular races")
	f.Var(&j.means, "means", "fences, or exchanges in the place of stores")
	f.Var(&j.cost, "cost", "what a fence costs: more in loops, or everywhere the same")
	f.Var(&j.threadCosts, "thread-cost", "fences of a thread or a family cost N times as much; repeatable")
	f.BoolVar(&j.all, "all", false, "list all minimal sets")
	f.BoolVar(&j.redundant, "redundant", false, "find the fences of the source that can go")
	f.BoolVar(&j.write, "write", false, "change the file")
	f.BoolVarP(&j.verbose, "verbose", "v", false, "show the runs that the fences prevent")
	f.VarP(&j.defines, "define", "D", "give a constant of an IMP program its value, as in -D N=3; repeatable")
	f.Var(&j.timeout, "timeout", "stop after that time: 90, 90s, 5m; 0: never")
	f.Var(&j.memory, "memory-limit", "memory for an engine: 512M, 4G; 0: what the machine has free")
	f.VarP(&j.output, "output", "o", "output format")
	f.BoolVarP(&j.quiet, "quiet", "q", false, "print the first line only (text)")
	completeChoices(cmd)
	return cmd
}

// goalOf is what the fences are for.
func (j *fenceJob) goalOf(p *program.Program) verdict.Question {
	switch j.goal.value {
	case "safety":
		return verdict.Safety
	case "trf":
		return verdict.RaceFreedom
	case "":
		if len(p.Properties) > 0 || p.HasAssertions() {
			return verdict.Safety
		}
	}
	return verdict.Robustness
}

func (a *app) fencesFile(ctx context.Context, j *fenceJob, file string) (int, error) {
	s, err := a.open(ctx, j.job, file)
	if err != nil {
		return 0, err
	}
	defer s.close()
	opts := source.Options{
		Options: j.options(s.progress), Goal: j.goalOf(s.p), All: j.all, Redundant: j.redundant,
		Uniform: j.cost.value == "uniform", ThreadCost: j.threadCosts, Defines: j.defines.values,
	}
	if j.means.value == verdict.Xchg.String() {
		opts.Means = verdict.Xchg
	}
	r, err := source.Find(s.ctx, s.p, opts)
	s.progress.clear()
	if err != nil {
		return 0, err
	}
	status := exitSafe
	switch {
	case r.Wrong != nil || r.Impossible || r.Insufficient:
		status = exitUnsafe
	case !r.Verified():
		status = exitUnknown
	case j.write && r.Text != s.p.Source.Text:
		if err := os.WriteFile(file, []byte(r.Text), 0o666); err != nil {
			return 0, &outputError{err}
		}
	}
	if j.format() == report.JSONFormat {
		return written(status, report.JSONFences(a.stdout, r, file, j.all))
	}
	return written(status, report.Fences(a.stdout, r, report.FenceOptions{
		Options: report.Options{Quiet: j.quiet, Colour: colour(a.stdout)}, Verbose: j.verbose, All: j.all}))
}
