package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

// A group is commands that help shows together, in this order.
type group struct {
	id, title string
	commands  []*cobra.Command
}

func (a *app) groups() []group {
	return []group{
		{"ask", "Ask about programs:", []*cobra.Command{
			a.checkCommand(),
			a.robustCommand(),
			a.statesCommand(),
			a.exploreCommand(),
			a.litmusCommand(),
			a.explainCommand(),
		}},
		{"mend", "Mend them:", []*cobra.Command{
			a.fencesCommand(),
			a.fmtCommand(),
		}},
		{"doubt", "Doubt the answers:", []*cobra.Command{
			a.replayCommand(),
			a.certifyCommand(),
			a.compareCommand(),
			a.hwCommand(),
			a.hwChildCommand(),
			a.selftestCommand(),
		}},
		{"many", "Many at once, on many machines:", []*cobra.Command{
			a.batchCommand(),
			a.workerCommand(),
			a.workerChildCommand(),
		}},
		{"look", "Look at programs and models, and at what is printed:", []*cobra.Command{
			a.printCommand(),
			a.convertCommand(),
			a.modelsCommand(),
			a.schemaCommand(),
		}},
		{"work", "Begin, and work with it:", []*cobra.Command{
			a.initCommand(),
			a.examplesCommand(),
			a.serveCommand(),
			a.lspCommand(),
		}},
		{ours, "About fencepost:", []*cobra.Command{
			a.doctorCommand(),
			a.versionCommand(),
			a.manCommand(),
		}},
	}
}

// ours is the group of cobra's own commands, too.
const ours = "about"

// add puts the groups below root.
func add(root *cobra.Command, groups []group) {
	cobra.EnableCommandSorting = false // their order is ours
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, c := range g.commands {
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
