package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// walk calls f for every command that people are told of.
func walk(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			walk(c, f)
		}
	}
}

// TestGroups: every command has its place in help.
func TestGroups(t *testing.T) {
	root := (&app{}).root()
	root.InitDefaultHelpCmd()
	if !root.AllChildCommandsHaveGroup() {
		t.Error(root.UsageString())
	}
	for _, g := range (&app{}).groups() {
		for _, e := range g.commands {
			if c := e.make(); c.Name() != e.name {
				t.Errorf("%s is found as %s", c.Name(), e.name)
			}
		}
	}
}

// TestManuals: every command has a page, which is the same each time, with its tables as they were.
func TestManuals(t *testing.T) {
	dir := t.TempDir()
	for range 2 {
		if err := manuals((&app{}).root(), filepath.Join(dir, "man1")); err != nil {
			t.Fatal(err)
		}
	}
	walk((&app{}).root(), func(c *cobra.Command) {
		name := strings.ReplaceAll(c.CommandPath(), " ", "-")
		page, err := os.ReadFile(filepath.Join(dir, "man1", name+".1"))
		if err != nil || !strings.Contains(strings.ReplaceAll(string(page), `\-`, "-"), ".SH NAME\n"+name+" - "+c.Short+"\n") {
			t.Errorf("%s: %v\n%s", c.CommandPath(), err, page)
		}
		if c.CommandPath() == "fencepost check" && !strings.Contains(string(page), ".nf\n  auto          searches under SC first") {
			t.Errorf("the table of engines is gone\n%s", page)
		}
	})
	if err := manuals((&app{}).root(), filepath.Join(dir, "man1", "fencepost.1")); err == nil {
		t.Error("a file is no folder")
	}
}

// TestCommandsDocumented: docs/commands.md has a section for every command.
func TestCommandsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/commands.md")
	if err != nil {
		t.Fatal(err)
	}
	walk((&app{}).root(), func(c *cobra.Command) {
		if !c.HasParent() || c.Parent().Name() == "completion" {
			return
		}
		help := "\n$ " + strings.Replace(c.CommandPath(), "fencepost", "fencepost help", 1) + "\n"
		if !strings.Contains(string(page), help) {
			t.Errorf("docs/commands.md has no session%s", help)
		}
	})
}
