package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// threadCosts are the values of --thread-cost and --fence-cost.
type threadCosts map[string]int

func (c threadCosts) String() string { return "" }
func (c threadCosts) Type() string   { return "NAME=N" }

func (c threadCosts) Set(s string) error {
	name, value := s, ""
	i := strings.LastIndexByte(s, '=')
	ok := i >= 0
	if ok {
		name, value = strings.TrimSpace(s[:i]), s[i+1:]
	}
	n, err := strconv.Atoi(value)
	if !ok || name == "" || err != nil || n < 1 || n > 1e6 {
		return fmt.Errorf("want NAME=N with a number from 1 to a million, not %q", s)
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
	costs       threadCosts
	all         bool
	redundant   bool
	write       bool
	verbose     bool
}

func (a *app) fencesCommand() *cobra.Command {
	j := &fenceJob{
		job:         newJob(fencepost.AskSafety),
		goal:        choice{what: "goal", long: true, known: []string{"safety", "robustness", "trf", "lb-race-freedom"}},
		cost:        choice{what: "cost", value: "depth", known: []string{"depth", "uniform"}},
		means:       choice{what: "means", value: fencepost.Mfence.String(), known: []string{fencepost.Mfence.String(), fencepost.Xchg.String()}},
		threadCosts: threadCosts{},
		costs:       threadCosts{},
	}
	cmd := &cobra.Command{
		Use:   "fences [flags] FILE",
		Short: "Find the fences that a program needs, and write them into it",
		Long: `Fences finds a set of fences of least cost that makes the program safe, or robust
(see "fencepost robust"), under TSO, and shows the change to its source. Each fence
stands between two statements; in a family of processes it is one of every member.
The changed source is read and verified again, and for each fence there is a run
that only it prevents.

With --for trf it is freedom from triangular races, and with --for lb-race-freedom
freedom from races of load buffering under rc11 ("fencepost help check"): relaxed
accesses of C11 get a stronger order, or a fence.

A fence costs 1, and ten times as much for each loop that it is in. --means xchg
makes exchanges of stores instead. --redundant finds fences of the source that can
go. --for is safety where the program has a property, and robustness otherwise.

Of a litmus test for another architecture than x86, or under another model, the
cheapest fences and access modes are found that forbid its outcome: dmb ish.ld,
lwsync, fence rw,w, stlr, ldar, an order in C. They cost as docs/fences.md says,
unless --fence-cost says otherwise.
` + inputLong + `

Exit status: 0 for a set that was verified or where no fence is needed; 1 where no
set helps, or where the program does not have enough fences for --redundant; 2
usage or input error; 3 where it is not known; 4 internal error.`,
		Example: `  fencepost fences examples/dekker.imp
  fencepost fences --for robustness --all examples/peterson.imp
  fencepost fences --write --cost uniform my.imp
  fencepost fences --all --fence-cost "dmb ish=2" MP.litmus
  fencepost fences examples/dekker.imp | patch -p0`,
		Args: files(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if j.write && args[0] == "-" {
				return errors.New("--write: standard input is no file to write to")
			}
			if j.write {
				// A file that is not there is an error of reading, with a better message.
				if _, err := os.Stat(args[0]); err == nil {
					if err := writable(args[0]); err != nil {
						return fmt.Errorf("--write: %w", err)
					}
				}
			}
			j.implied = !cmd.Flags().Changed("model")
			if goals[j.goal.value] == fencepost.NoLBRaces {
				if m := fencepost.Model(j.model); !j.implied && m != fencepost.RC11 {
					return fmt.Errorf("--model %s: races of load buffering are looked for in executions under rc11; leave it out", j.model)
				}
				j.model, j.implied = modelFlag(fencepost.RC11), false
			}
			j.guard = guardMemory(j.memory)
			a.each(args, j.format(), func(file string) (int, error) {
				return a.fencesFile(cmd.Context(), j, file)
			})
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&j.goal, "for", "what they are for: safety, robustness, trf, lb-race-freedom")
	f.Var(&j.means, "means", "fences, or exchanges in the place of stores")
	f.Var(&j.cost, "cost", "what a fence costs: more in loops, or everywhere the same")
	f.VarP(&j.model, "model", "m", "memory model, of litmus tests")
	f.Var(&j.costs, "fence-cost", "the cost of a fence or access mode, as in \"dmb ish=5\"; repeatable")
	f.Var(&j.threadCosts, "thread-cost", "fences of a thread or a family cost N times as much; repeatable")
	f.BoolVar(&j.all, "all", false, "list all minimal sets")
	f.BoolVar(&j.redundant, "redundant", false, "find the fences of the source that can go")
	f.BoolVar(&j.write, "write", false, "change the file")
	j.fullFlag(cmd)
	a.htmlFlag(cmd)
	f.BoolVarP(&j.verbose, "verbose", "v", false, "show the runs that the fences prevent")
	j.defines.flags(cmd.Flags())
	f.Var(&j.timeout, "timeout", "stop after that time: 90, 90s, 5m; 0: never")
	f.Var(&j.memory, "memory-limit", "memory for the process: 512M, 4G; 0: what the machine has free")
	f.VarP(&j.output, "output", "o", "output format")
	f.BoolVarP(&j.quiet, "quiet", "q", false, "print the first line only (text)")
	completeChoices(cmd)
	return cmd
}

// goals are what the values of --for mean.
var goals = map[string]fencepost.Goal{
	"": "", "safety": fencepost.Safety, "robustness": fencepost.Robustly, "trf": fencepost.NoTriangles, "lb-race-freedom": fencepost.NoLBRaces,
}

func (a *app) fencesFile(ctx context.Context, j *fenceJob, file string) (int, error) {
	s, err := a.open(ctx, j.job, file)
	if err != nil {
		return 0, err
	}
	defer s.close()
	what := fencepost.FenceSearch{Goal: goals[j.goal.value], All: j.all, Redundant: j.redundant,
		Uniform: j.cost.value == "uniform", ThreadCost: j.threadCosts, Costs: j.costs}
	if j.means.value == fencepost.Xchg.String() {
		what.Means = fencepost.Xchg
	}
	r, err := fencepost.Fences(s.ctx, s.p, what, j.options(s.progress))
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
	}
	style := a.style(j.job, file)
	style.Verbose, style.All = j.verbose, j.all
	a.page(func() *fencepost.Document { return r.Document(style) })
	status, err = written(status, r.Print(a.stdout, style))
	if err == nil && j.write && status == exitSafe && r.Unwritable != "" {
		fmt.Fprintf(a.stderr, "fencepost: %s is as it was: %s\n", file, r.Unwritable)
		return exitInput, nil
	}
	if err == nil && j.write && status == exitSafe && r.Text != s.p.Source.Text {
		return written(status, replaceFile(file, r.Text))
	}
	return status, err
}
