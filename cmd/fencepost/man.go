package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/fencepost-verifier/fencepost"
)

func (a *app) manCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages into a folder",
		Long: `Man writes a manual page for every command, fencepost-check.1 and so on, into the folder,
which is made if it is not there.

Exit status: 0, 2 usage error, or the folder cannot be written.`,
		Example: "  fencepost man ~/.local/share/man/man1",
		Args: func(_ *cobra.Command, args []string) error {
			switch len(args) {
			case 0:
				return errors.New("no folder given")
			case 1:
				return nil
			}
			return fmt.Errorf("unexpected argument %q", args[1])
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := manuals(cmd.Root(), args[0]); err != nil {
				a.status = a.fail("", fencepost.Text, &outputError{args[0], err})
			}
			return nil
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return nil, cobra.ShellCompDirectiveFilterDirs
		},
	}
}

// manuals writes the pages of root and all below it.
func manuals(root *cobra.Command, dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	root.DisableAutoGenTag = true // no date: the same pages every time
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		c.Long = preformatted(c.Long)
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(root)
	return doc.GenManTree(root, &doc.GenManHeader{Title: "FENCEPOST", Section: "1", Source: "fencepost", Manual: "Fencepost"}, filepath.Clean(dir))
}

// preformatted indents the tables of a help text as far as Markdown wants those, which is
// what the library takes help texts for.
func preformatted(text string) string {
	var b strings.Builder
	table := false
	for line := range strings.Lines(text) {
		if begins := strings.HasPrefix(line, "  "); begins != table {
			b.WriteString("\n")
			table = begins
		}
		if table {
			b.WriteString("  ")
		}
		b.WriteString(line)
	}
	return b.String()
}
