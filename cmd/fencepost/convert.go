package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

func (a *app) convertCommand() *cobra.Command {
	var defs defines
	var buffer count
	to := choice{what: "form", known: words(fencepost.Promela, fencepost.Automata, fencepost.Graphviz)}
	model := choice{what: "memory model", value: string(fencepost.TSO), known: words(fencepost.SC, fencepost.TSO)}
	cmd := &cobra.Command{
		Use:   "convert --to FORM [flags] FILE",
		Short: "Write a program in the language of another tool",
		Long: `Convert writes a program for other tools: with --to promela as a model for Spin,
with --to asm as automata, which fencepost reads again, with --to dot as a graph
for Graphviz.

The Promela model has a memory model in it. Its states are those of the program,
one by one, and the verifier that Spin makes of it reports an error where check
says UNSAFE. Under TSO its store buffers are as large as the program needs; where
loops store without a fence, --buffer bounds them, as it does for check.
` + inputLong + `

Exit status: 0, 2 usage or input error, 4 internal error.`,
		Example: `  fencepost convert --to promela examples/peterson-fenced.imp > peterson.pml
  fencepost convert --to promela --model sc -D N=3 examples/peterson-n.imp > filter.pml
  fencepost convert --to promela --buffer 2 examples/dekker.imp > dekker.pml
  fencepost convert --to asm examples/dekker.imp > dekker.txt
  fencepost convert --to dot examples/dekker.imp | dot -Tsvg > dekker.svg`,
		Args: files(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			switch form := fencepost.Form(to.value); form {
			case "":
				return fmt.Errorf("--to is missing (known: %s)", strings.Join(to.known, ", "))
			case fencepost.Promela:
			default:
				for _, f := range []string{"model", "buffer"} {
					if cmd.Flags().Changed(f) {
						return fmt.Errorf("--%s is for --to promela", f)
					}
				}
			}
			a.each(args, fencepost.Text, func(file string) (int, error) {
				return a.writeProgram(cmd.Context(), file, defs, fencepost.Form(to.value), func(o *fencepost.Options) {
					o.Model, o.Buffer = fencepost.Model(model.value), int(buffer)
				})
			})
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.Var(&to, "to", "what to write")
	f.VarP(&model, "model", "m", "memory model (promela)")
	f.Var(&buffer, "buffer", "store buffers of `N` entries (promela); 0: as many as the program needs")
	defs.flags(cmd.Flags())
	completeChoices(cmd)
	return cmd
}

// writeProgram writes the program in file to the output.
func (a *app) writeProgram(ctx context.Context, file string, d defines, f fencepost.Form, opts ...fencepost.Option) (int, error) {
	p, err := a.load(ctx, file, d)
	if err != nil {
		return 0, err
	}
	// Into memory first: half a program would be worse than none.
	var b bytes.Buffer
	if err := fencepost.Convert(&b, p, f, opts...); err != nil {
		return 0, err
	}
	_, err = a.stdout.Write(b.Bytes())
	return written(exitSafe, err)
}
