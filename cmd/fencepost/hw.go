package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// hwChild is the command by which the process calls itself to run a test.
const hwChild = "hw-child"

// A hwJob is what the flags of hw say.
type hwJob struct {
	runs    count
	time    limit
	timeout limit
	seed    uint64
	output  choice
}

func (a *app) hwCommand() *cobra.Command {
	j := &hwJob{runs: 1_000_000, time: limit(10 * time.Second), timeout: limit(time.Minute),
		output: choice{what: "output format", value: string(fencepost.Text), known: words(fencepost.Text, fencepost.JSON)}}
	cmd := &cobra.Command{
		Use:   "hw [flags] FILE|DIR...",
		Short: "Run litmus tests on the processor at hand",
		Long: `Hw assembles litmus tests for x86 into memory and runs them, every thread on a
processor of its own as far as there are so many, again and again: with random
delays, with variables in the caches, out of them and at other distances, on other
processors. It prints how often each final state was seen, and whether SC and TSO
allow it. A state that TSO forbids must not be seen.

One test has a histogram (* is what the test asks about), several have a table. The
tests run in a process of their own, which their faults end. It takes Linux on
x86-64.

Exit status: 0 nothing was seen that TSO forbids, 2 usage or input error, or no test
can be run here, 3 a test did not come to its end, 4 something forbidden was seen.`,
		Example: `  fencepost hw examples/litmus/SB.litmus
  fencepost hw --runs 100000 --time 2s tests/`,
		Args: files(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if a.status, err = a.hw(cmd.Context(), j, args); err != nil {
				a.status = a.fail("", fencepost.Text, err)
			}
			return nil
		},
		ValidArgsFunction: completeTests,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&j.runs, "runs", "how often, at most")
	f.Var(&j.time, "time", "for how long each: 90, 90s, 5m")
	f.Var(&j.timeout, "timeout", "for a test that does not come to its end")
	f.Uint64Var(&j.seed, "seed", 0, "of the delays")
	f.VarP(&j.output, "output", "o", "output format")
	completeChoices(cmd)
	return cmd
}

func (a *app) hwChildCommand() *cobra.Command {
	return &cobra.Command{Use: hwChild, Hidden: true, Args: files(0, 0), RunE: func(*cobra.Command, []string) error {
		if err := fencepost.HardwareChild(a.stdin, a.stdout); err != nil {
			fmt.Fprintln(a.stderr, err)
			a.status = exitInput
		}
		return nil
	}}
}

func (a *app) hw(ctx context.Context, j *hwJob, paths []string) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	opts := fencepost.HardwareOptions{Runs: int(j.runs), Time: time.Duration(j.time), Timeout: time.Duration(j.timeout), Seed: j.seed, Command: []string{self, hwChild}}
	single := len(paths) == 1
	if info, err := os.Stat(paths[0]); err == nil && info.IsDir() {
		single = false
	}
	style := fencepost.Style{Format: fencepost.Format(j.output.value)}
	table := &fencepost.HardwareTable{}
	status, ran := exitSafe, 0
	err = fencepost.Hardware(ctx, paths, opts, func(t *fencepost.HardwareTest) error {
		switch {
		case t.Err == nil && t.Forbidden():
			status = exitInternal
		case t.Err != nil && !t.Refused() && status == exitSafe:
			status = exitUnknown
		}
		if !t.Refused() {
			ran++
		}
		var diag *fencepost.Diagnostic
		switch {
		case single && errors.As(t.Err, &diag):
			return t.Err
		case single || style.Format == fencepost.JSON:
			return t.Print(a.stdout, style)
		}
		return t.Add(a.stdout, table)
	})
	if err != nil {
		return 0, err
	}
	if !single && style.Format == fencepost.Text {
		err = table.Print(a.stdout)
	}
	switch {
	case ctx.Err() != nil:
		status = exitUnknown
	case ran == 0:
		status = exitInput
	}
	return written(status, err)
}
