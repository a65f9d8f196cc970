package main

import (
	"context"
	"errors"
	"io"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/lsp"
)

func (a *app) lspCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "lsp",
		Short: "Serve an editor, by the Language Server Protocol",
		Long: `Lsp is for editors, which begin it and talk to it over standard input and output:
they show what is wrong with IMP programs, C programs and litmus tests as one types,
what a word means and where a name is declared, lay programs out, check them, and
put the fences into them that they need. docs/editors.md says how to set one up.

Exit status: 0 after an orderly end, 2 if the editor has gone without one.`,
		Example: `  fencepost lsp`,
		Args:    files(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := interruptible(cmd.Context(), func() (struct{}, error) {
				return struct{}{}, lsp.Serve(cmd.Context(), a.stdin, a.stdout)
			})
			var stopped *fencepost.StoppedError
			if errors.Is(err, context.Canceled) || errors.As(err, &stopped) {
				return nil
			}
			if errors.Is(err, io.EOF) {
				return errors.New("the input has ended before an editor has said goodbye; it is for editors to begin this")
			}
			return err
		},
	}
}
