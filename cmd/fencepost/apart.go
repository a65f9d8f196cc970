package main

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// An apartJob is what the flags of models compare say.
type apartJob struct {
	size    count
	arch    string
	workers count
	timeout limit
	memory  bytesize
	output  choice
	quiet   bool
}

func (a *app) apartCommand() *cobra.Command {
	j := &apartJob{size: 6, output: choice{what: "output format", value: string(fencepost.Text), known: words(fencepost.Text, fencepost.JSON)}}
	cmd := &cobra.Command{
		Use:   "compare [flags] MODEL MODEL",
		Short: "Look for the smallest litmus test that tells two memory models apart",
		Long: `Compare makes litmus tests of cycles of relations, as diy does, by increasing
size, and shows the first on which the two models differ: a final state that one
of them allows and the other forbids. Size counts accesses to memory and what is
put to them: fences, dependencies, acquire and release, .. The test is one that
herd7 reads, too; with --quiet it is all that is printed.

Exit status: 0 no test up to the size tells them apart, 1 one does, 2 usage or
input error, 3 not all tests up to the size were looked at, 4 internal error.`,
		Example: `  fencepost models compare tso my.cat
  fencepost models compare --size 7 --timeout 10m armv8 my-aarch64.cat
  fencepost models compare -q rc11 imm > LB.litmus`,
		Args: files(2, 2),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if err := new(modelFlag).Set(name); err != nil {
					return err
				}
			}
			return a.apart(cmd.Context(), j, args)
		},
		ValidArgsFunction: completeModels,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&j.size, "size", "up to which size of tests to go")
	f.StringVar(&j.arch, "arch", "", "whose tests: x86, c11, aarch64, riscv, ppc, lkmm (default: what both are for)")
	includeModels(f)
	f.VarP(&j.workers, "jobs", "j", "run `N` tests at a time; 0: as many as there are processors")
	f.Var(&j.timeout, "timeout", "stop after that time: 90, 90s, 5m; 0: never")
	f.Var(&j.memory, "memory-limit", "memory for the process: 512M, 4G; 0: what the machine has free")
	f.VarP(&j.output, "output", "o", "output format")
	f.BoolVarP(&j.quiet, "quiet", "q", false, "print the test only (text)")
	completeChoices(cmd)
	return cmd
}

// apart compares two models. An error is one of usage.
func (a *app) apart(ctx context.Context, j *apartJob, args []string) error {
	format := fencepost.Format(j.output.value)
	g := guardMemory(j.memory)
	share, err := g.engines()
	if err != nil {
		return err
	}
	var usage *fencepost.LitmusUsageError
	a.each([]string{""}, fencepost.Text, func(string) (int, error) {
		ctx, stop := g.watch(ctx)
		defer stop()
		if j.timeout > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, time.Duration(j.timeout))
			defer cancel()
		}
		d, err := fencepost.CompareModels(ctx, fencepost.Model(args[0]), fencepost.Model(args[1]), fencepost.ComparisonOptions{
			Arch: j.arch, Size: int(j.size), Workers: int(j.workers), MemoryLimit: share})
		if errors.As(err, &usage) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		status := exitSafe
		switch {
		case d.Test != nil:
			status = exitUnsafe
		case d.Incomplete != "":
			status = exitUnknown
		}
		return written(status, d.Print(a.stdout, fencepost.Style{Format: format, Quiet: j.quiet}))
	})
	if usage != nil {
		return usage
	}
	return nil
}
