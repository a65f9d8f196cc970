package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

func (a *app) explainCommand() *cobra.Command {
	j := newJob(fencepost.AskFinalStates)
	cmd := &cobra.Command{
		Use:   "explain [flags] FILE",
		Short: "Explain why a memory model allows or forbids what a program asks about",
		Long: `Explain takes a litmus test, or another program with a condition on final states:
for "exists" it asks whether the program can end so that the condition holds, for
"forall" and "~exists" whether it can end otherwise than demanded.

Where the memory model forbids that, an execution that would end so is shown with
the axioms that it violates, and with the cycle of events that violates each. Of
all such executions it is one that violates as little as any. Where the model
allows it, an execution is shown, and a run for the models that are built in.
` + inputLong + `

Exit status: 0 for an explanation, 2 usage or input error, 3 where none was found
(it says why), 4 internal error.`,
		Example: `  fencepost explain --model sc SB.litmus
  fencepost explain --model my.cat --graph SB.svg SB.litmus`,
		Args: files(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.draws(len(args)); err != nil {
				return err
			}
			j.implied = !cmd.Flags().Changed("model")
			j.guard = guardMemory(j.memory)
			a.each(args, j.format(), func(file string) (int, error) {
				return a.explainFile(cmd.Context(), j, file)
			})
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	j.unroll = 2
	f := cmd.Flags()
	f.SortFlags = false
	f.VarP(&j.model, "model", "m", "memory model")
	f.Var(&j.unroll, "unroll", "go round loops at most `N` times")
	j.defines.flags(cmd.Flags())
	f.Var(&j.timeout, "timeout", "stop after that time: 90, 90s, 5m; 0: never")
	f.Var(&j.memory, "memory-limit", "memory for the process: 512M, 4G; 0: what the machine has free")
	f.VarP(&j.output, "output", "o", "output format")
	j.graphFlag(cmd)
	a.htmlFlag(cmd)
	j.fullFlag(cmd)
	f.BoolVarP(&j.quiet, "quiet", "q", false, "print the answer only (text)")
	completeChoices(cmd)
	return cmd
}

func (a *app) explainFile(ctx context.Context, j *job, file string) (int, error) {
	s, err := a.open(ctx, j, file)
	if err != nil {
		return 0, err
	}
	defer s.close()
	e, err := fencepost.Explain(s.ctx, s.p, j.options(nil))
	if err != nil {
		return 0, err
	}
	status := exitSafe
	if e.Verdict == fencepost.IsUnknown {
		status = exitUnknown
	}
	a.page(func() *fencepost.Document { return e.Document(a.style(j, file)) })
	status, err = written(status, e.Print(a.stdout, a.style(j, file)))
	if err == nil {
		return written(status, j.draw(e.Drawing()))
	}
	return status, err
}
