package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

func (a *app) modelsCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "models",
		Short: "List the memory models, show, check or compare them",
		Long: `Models lists the memory models that are built in. Each is a text in the cat
language, in which you can write your own: every flag --model takes a file that
ends in .cat.

Exit status: 0, 2 usage or input error, 4 internal error.`,
		Example: `  fencepost models
  fencepost models show tso > my.cat
  fencepost models check my.cat
  fencepost models compare tso my.cat`,
		Args: func(_ *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return nil
			case new(modelFlag).Set(args[0]) == nil:
				return fmt.Errorf("unknown command %q; did you mean models show %s?", args[0], args[0])
			}
			return fmt.Errorf("unknown command %q%s", args[0], didYouMean(args[0], []string{"show", "check", "compare"}, ""))
		},
		RunE: func(*cobra.Command, []string) error {
			a.each([]string{""}, fencepost.Text, func(string) (int, error) {
				var defs []*fencepost.ModelDefinition
				for _, m := range fencepost.Models() {
					d, err := fencepost.LoadModel(m)
					if err != nil {
						return 0, err
					}
					defs = append(defs, d)
				}
				return written(exitSafe, fencepost.PrintModels(a.stdout, defs))
			})
			return nil
		},
	}
	cmd.AddCommand(
		a.modelCommand("show MODEL", "Print the text of a memory model", "  fencepost models show tso", 1, func(w io.Writer, d *fencepost.ModelDefinition) error {
			_, err := io.WriteString(w, d.Source)
			return err
		}),
		a.modelCommand("check MODEL...", "Read memory models and list their axioms", "  fencepost models check my.cat", -1, fencepost.PrintModel),
		a.apartCommand())
	return cmd
}

// modelCommand is a command that does something with every model that is named.
func (a *app) modelCommand(use, short, example string, most int, write func(io.Writer, *fencepost.ModelDefinition) error) *cobra.Command {
	cmd := &cobra.Command{
		Use:     use,
		Short:   short,
		Example: example,
		Args:    files(1, most),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, name := range args {
				if err := new(modelFlag).Set(name); err != nil {
					return err
				}
			}
			a.each(args, fencepost.Text, func(name string) (int, error) {
				d, err := loadModel(cmd.Context(), fencepost.Model(name))
				if err != nil {
					return 0, err
				}
				return written(exitSafe, write(a.stdout, d))
			})
			return nil
		},
		ValidArgsFunction: completeModels,
	}
	includeModels(cmd.Flags())
	return cmd
}
