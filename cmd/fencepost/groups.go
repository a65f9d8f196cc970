package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A group is commands that help shows together, in this order.
type group struct {
	id, title string
	commands  []entry
}

// An entry is a command that is made where it is needed.
type entry struct {
	name string
	make func() *cobra.Command
}

func (a *app) groups() []group {
	return []group{
		{"ask", "Ask about programs:", []entry{
			{"check", a.checkCommand},
			{"robust", a.robustCommand},
			{"states", a.statesCommand},
			{"explore", a.exploreCommand},
			{"litmus", a.litmusCommand},
			{"explain", a.explainCommand},
		}},
		{"mend", "Mend them:", []entry{
			{"fences", a.fencesCommand},
			{"fmt", a.fmtCommand},
		}},
		{"doubt", "Doubt the answers:", []entry{
			{"replay", a.replayCommand},
			{"certify", a.certifyCommand},
			{"compare", a.compareCommand},
			{"hw", a.hwCommand},
			{hwChild, a.hwChildCommand},
			{"selftest", a.selftestCommand},
		}},
		{"many", "Many at once, on many machines:", []entry{
			{"batch", a.batchCommand},
			{"worker", a.workerCommand},
			{workerChild, a.workerChildCommand},
		}},
		{"look", "Look at programs and models, and at what is printed:", []entry{
			{"print", a.printCommand},
			{"convert", a.convertCommand},
			{"models", a.modelsCommand},
			{"schema", a.schemaCommand},
		}},
		{"work", "Begin, and work with it:", []entry{
			{"init", a.initCommand},
			{"examples", a.examplesCommand},
			{"serve", a.serveCommand},
			{"lsp", a.lspCommand},
		}},
		{ours, "About fencepost:", []entry{
			{"doctor", a.doctorCommand},
			{"version", a.versionCommand},
			{"man", a.manCommand},
		}},
	}
}

// ours is the group of cobra's own commands, too.
const ours = "about"

// add puts the groups below root. Where args begin with the name of a command, that one is enough: to make
// them all takes as long as to search a small program.
func add(root *cobra.Command, groups []group, args []string) {
	cobra.EnableCommandSorting = false // their order is ours
	named := func(e entry) bool { return len(args) > 0 && e.name == args[0] }
	one := slices.ContainsFunc(groups, func(g group) bool { return slices.ContainsFunc(g.commands, named) })
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, e := range g.commands {
			if one && !named(e) {
				continue
			}
			c := e.make()
			c.GroupID = g.id
			root.AddCommand(c)
		}
	}
	root.SetCompletionCommandGroupID(ours)
}

// overview is the commands with a line each, for who has named none.
func overview(root *cobra.Command) string {
	var b strings.Builder
	for _, g := range root.Groups() {
		fmt.Fprintf(&b, "\n%s\n", g.Title)
		for _, c := range root.Commands() {
			if c.GroupID == g.ID && c.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-11s %s\n", c.Name(), c.Short)
			}
		}
	}
	return b.String()
}
