package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
		RunE: func(_ *cobra.Command, args []string) error {
			if err := manuals(a.root(), args[0]); err != nil {
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
	var walk func(*cobra.Command) error
	walk = func(c *cobra.Command) error {
		if err := os.WriteFile(filepath.Join(dir, page(c)+".1"), []byte(manual(c)), 0o666); err != nil {
			return err
		}
		for _, below := range pagesBelow(c) {
			if err := walk(below); err != nil {
				return err
			}
		}
		return nil
	}
	return walk(root)
}

// page is the name of a command's manual page.
func page(c *cobra.Command) string { return strings.ReplaceAll(c.CommandPath(), " ", "-") }

// pagesBelow are the commands below c that have pages.
func pagesBelow(c *cobra.Command) []*cobra.Command {
	return slices.DeleteFunc(slices.Clone(c.Commands()), func(c *cobra.Command) bool {
		return !c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand()
	})
}

// manual is the page of a command: a text in the language of man(7). It has no date, so that it is the
// same every time.
func manual(c *cobra.Command) string {
	c.InitDefaultHelpFlag()
	var b strings.Builder
	fmt.Fprintf(&b, ".TH %s 1 \"\" fencepost Fencepost\n.nh\n.ad l\n", strings.ToUpper(page(c)))
	section := func(title, text string) { fmt.Fprintf(&b, ".SH %s\n%s", title, text) }
	section("NAME", roff(page(c)+" - "+c.Short)+"\n")
	section("SYNOPSIS", ".B "+roff(c.UseLine())+"\n")
	section("DESCRIPTION", paragraphs(cmp.Or(c.Long, c.Short)))
	if flags := options(c.NonInheritedFlags()); flags != "" {
		section("OPTIONS", flags)
	}
	if flags := options(c.InheritedFlags()); flags != "" {
		section("OPTIONS OF ALL COMMANDS", flags)
	}
	if c.Example != "" {
		section("EXAMPLES", ".nf\n"+roff(c.Example)+"\n.fi\n")
	}
	also := pagesBelow(c)
	if c.HasParent() {
		also = append(also, c.Parent())
	}
	var names []string
	for _, other := range also {
		names = append(names, ".BR "+roff(page(other))+" (1)")
	}
	slices.Sort(names)
	section("SEE ALSO", strings.Join(names, ",\n")+"\n")
	return b.String()
}

// paragraphs is a help text: what is indented in it keeps its lines.
func paragraphs(text string) string {
	var b strings.Builder
	table := false
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		line = strings.TrimRight(line, "\n")
		if begins := line != "" && strings.ContainsAny(line[:1], " \t"); begins != table {
			b.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[begins])
			table = begins
		}
		if line == "" {
			line = ".PP"
		} else {
			line = roff(line)
		}
		b.WriteString(line + "\n")
	}
	if table {
		b.WriteString(".fi\n")
	}
	return b.String()
}

// options is the flags of a command.
func options(flags *pflag.FlagSet) string {
	var b strings.Builder
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		name := "--" + f.Name
		if f.Shorthand != "" {
			name = "-" + f.Shorthand + ", " + name
		}
		value, usage := pflag.UnquoteUsage(f)
		if value != "" {
			name += " " + value
		}
		if !slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) {
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(name), roff(usage))
	})
	return b.String()
}

// roff is a text in which nothing means anything to man(7).
func roff(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			b.WriteString(`\&`)
		}
		b.WriteString(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line))
	}
	return b.String()
}
