package main

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fencepost-verifier/fencepost"
)

func (a *app) fmtCommand() *cobra.Command {
	var write, list bool
	var dirs []string
	cmd := &cobra.Command{
		Use:   "fmt [flags] FILE...",
		Short: "Lay out IMP programs in the usual way",
		Long: `Fmt prints IMP programs (.imp) as they are usually laid out: two blanks for each
begin, then, do and their like, one blank between words, comments below each
other. Lines stay as they are divided, and the program stays the same.

With --write the files are changed; with --list the names of those are printed
that would change, and the exit status is 1 if there are any.

Exit status: 0, 1 with --list, 2 usage or input error, 4 internal error.`,
		Example: `  fencepost fmt examples/dekker.imp
  fencepost fmt --write queue.imp lock.imp
  fencepost fmt --list *.imp`,
		Args: files(1, -1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if write && list {
				return errors.New("--write and --list exclude each other")
			}
			if write && slices.Contains(args, "-") {
				return errors.New("--write is for files, and - is standard input")
			}
			including := func(o *fencepost.Options) { o.C.Include = dirs }
			a.each(args, fencepost.Text, func(file string) (int, error) {
				type layout struct{ was, is string }
				l, err := interruptible(cmd.Context(), func() (l layout, err error) {
					if file == "-" {
						l.was, l.is, err = fencepost.Layout(fencepost.Stdin, a.stdin, including)
					} else {
						l.was, l.is, err = fencepost.LayoutFile(file, including)
					}
					return l, err
				})
				switch {
				case err != nil:
					return 0, err
				case !write && !list:
					_, err = io.WriteString(a.stdout, l.is)
				case l.was == l.is:
				case write:
					err = replaceFile(file, l.is)
				default:
					_, err = fmt.Fprintln(a.stdout, file)
					return written(exitUnsafe, err)
				}
				return written(exitSafe, err)
			})
			return nil
		},
		ValidArgsFunction: completeFiles,
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVarP(&write, "write", "w", false, "change the files")
	f.BoolVarP(&list, "list", "l", false, "print the names of the files that would change")
	f.StringArrayVarP(&dirs, "include", "I", nil, "look for files that programs include in `DIR`, too; repeatable")
	return cmd
}
