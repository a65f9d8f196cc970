package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

// A selftestJob is what the flags of selftest say.
type selftestJob struct {
	time     limit
	row      limit
	seed     uint64
	programs count
	skip     count
	save     directory
	memory   bytesize
	output   choice
}

func (a *app) selftestCommand() *cobra.Command {
	j := &selftestJob{time: limit(time.Minute), row: limit(time.Second),
		output: choice{what: "output format", value: string(fencepost.Text), known: words(fencepost.Text, fencepost.JSON)}}
	cmd := &cobra.Command{
		Use:   "selftest [flags]",
		Short: "Decide random programs by every engine, until two answers contradict each other",
		Long: `Selftest makes random programs in every language, reads them, and asks every engine
under every model, as compare does. One program is written in as many languages as have
words for it, which have to agree under SC, and on x86 under TSO and PSO as well; with
a fence between any two accesses it has to mean the same under every model. Proofs are
written down and checked.

It stops at the first answers that cannot all be right, and makes the program as small
as it can be. Equal seeds make equal programs. Where nothing is wrong it says how much
that was, by language, model and engine.

Exit status: 0 no contradiction, 2 usage error, 4 a contradiction.`,
		Example: `  fencepost selftest
  fencepost selftest --time 4h --seed 7 --save found
  fencepost selftest --seed 7 --skip 120 --programs 1`,
		Args: files(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			a.status, err = a.selftest(cmd.Context(), j)
			if err != nil {
				a.status = a.fail("", fencepost.Text, err)
			}
			return nil
		},
		ValidArgsFunction: cobra.NoFileCompletions,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&j.time, "time", "how long: 90, 90s, 5m, 4h; 0: until a contradiction")
	f.Uint64Var(&j.seed, "seed", 0, "of the random programs")
	f.Var(&j.programs, "programs", "at most so many; 0: as many as there is time for")
	f.Var(&j.skip, "skip", "leave the first `N` programs of the seed out")
	f.Var(&j.row, "timeout", "for an engine to answer in")
	f.Var(&j.save, "save", "write the programs that a contradiction is about there")
	f.Var(&j.memory, "memory-limit", "memory for the process: 512M, 4G; 0: what the machine has free")
	f.VarP(&j.output, "output", "o", "output format")
	completeChoices(cmd)
	return cmd
}

func (a *app) selftest(ctx context.Context, j *selftestJob) (int, error) {
	if j.row == 0 {
		return 0, &limitError{"--timeout: engines that do not come to an end would keep the others from their turn"}
	}
	guard := guardMemory(j.memory)
	share, err := guard.engines()
	if err != nil {
		return 0, err
	}
	ctx, stop := guard.watch(ctx)
	defer stop()
	if j.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(j.time))
		defer cancel()
	}
	progress := newProgress(a.stderr)
	// What one engine leaves is garbage for a while, when the next begins.
	opts := fencepost.SelfTestOptions{Seed: j.seed, Skip: int(j.skip), Programs: int(j.programs), Row: time.Duration(j.row), MemoryLimit: share / 4}
	if progress != nil {
		opts.Progress = progress.show
	}
	var unsaved error
	save := func(files []fencepost.SourceFile) {
		for _, file := range files {
			if j.save == "" {
				break
			}
			if err := os.WriteFile(filepath.Join(string(j.save), file.Name), []byte(file.Text), 0o666); err != nil {
				unsaved = &outputError{err: err}
			}
		}
	}
	opts.Found = save // as it is, should there be no time to make it smaller
	r := fencepost.SelfTest(ctx, opts)
	progress.clear()
	status := exitSafe
	if f := r.Finding; f != nil {
		status = exitInternal
		save(f.Files)
	}
	err = r.Print(a.stdout, fencepost.Style{Format: fencepost.Format(j.output.value)})
	if err == nil && unsaved != nil {
		return 0, unsaved
	}
	if r.Finding == nil && errors.Is(context.Cause(ctx), errMemory) { // with what came of it until then
		return 0, &fencepost.StoppedError{Why: fmt.Sprintf("by the memory limit in program %d of seed %d", int(j.skip)+r.Cases-1, j.seed)}
	}
	return written(status, err)
}
