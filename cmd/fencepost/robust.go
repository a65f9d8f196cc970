package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

func (a *app) robustCommand() *cobra.Command {
	j := newJob(fencepost.AskRobustness)
	about := choice{what: "property", value: string(fencepost.AskRobustness), known: words(fencepost.AskRobustness, fencepost.AskRaceFreedom)}
	cmd := &cobra.Command{
		Use:   "robust [flags] FILE...",
		Short: "Decide whether programs behave under TSO as under SC",
		Long: `Robust decides, for every FILE, whether buffering stores makes a difference: a
program is robust where the happens-before relation of every run under TSO is that
of a run under SC. Then whatever holds of its final states under SC holds under TSO
as well. Properties are not looked at. The answer is ROBUST, or NOT ROBUST with a
run and the cycle in its happens-before relation.

With --property trf it decides freedom from triangular races instead, which is
stronger than robustness: TRIANGULAR-RACE FREE or NOT TRIANGULAR-RACE FREE, with a
run under SC up to the race.
` + inputLong + `

Exit status: 0 ROBUST, 1 NOT ROBUST, 2 usage or input error, 3 UNKNOWN, 4 internal
error; for several files the first of 4, 2, 1, 3, 0 that occurs.`,
		Example: `  fencepost robust examples/dekker.imp
  fencepost robust --graph dekker.svg examples/dekker.imp
  fencepost robust --property trf -o json examples/*.imp`,
		Args: files(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := j.draws(len(args)); err != nil {
				return err
			}
			j.guard = guardMemory(j.memory)
			a.each(args, j.format(), func(file string) (int, error) {
				return a.robustFile(cmd.Context(), j, fencepost.Question(about.value), file)
			})
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&about, "property", "what to decide; trf: freedom from triangular races")
	j.defines.flags(cmd.Flags())
	f.Var(&j.timeout, "timeout", "stop after that time, for each file: 90, 90s, 5m; 0: never")
	f.Var(&j.memory, "memory-limit", "memory for the process: 512M, 4G; 0: what the machine has free")
	f.VarP(&j.output, "output", "o", "output format")
	f.StringVar(&j.certificate, "certificate", "", "write evidence that \"fencepost certify\" checks to `FILE` (ROBUST)")
	j.graphFlag(cmd)
	j.fullFlag(cmd)
	a.htmlFlag(cmd)
	f.BoolVarP(&j.quiet, "quiet", "q", false, "print the verdict line only (text)")
	completeChoices(cmd)
	return cmd
}

func (a *app) robustFile(ctx context.Context, j *job, about fencepost.Question, file string) (int, error) {
	s, err := a.open(ctx, j, file)
	if err != nil {
		return 0, err
	}
	defer s.close()
	ask := fencepost.Robust
	if about == fencepost.AskRaceFreedom {
		ask = fencepost.RaceFree
	}
	r, err := ask(s.ctx, s.p, j.options(s.progress))
	s.progress.clear()
	if err != nil {
		return 0, err
	}
	a.part(j)
	a.page(func() *fencepost.Document { return r.Document(a.style(j, file)) })
	status, err := written(status(r.Verdict()), r.Print(a.stdout, a.style(j, file)))
	if err == nil {
		status, err = written(status, j.draw(r.Drawing()))
	}
	if err == nil && j.certificate != "" && r.Verdict() == fencepost.IsSafe {
		err = keepCertificate(s.ctx, j.certificate, func(w io.Writer) error {
			return fencepost.WriteRobustCertificate(s.ctx, w, r, j.options(s.progress))
		})
		if err != nil { // the verdict stands
			return a.fail(file, fencepost.Text, err), nil
		}
	}
	return status, err
}
