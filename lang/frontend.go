package lang

import "github.com/fencepost-verifier/fencepost/program"

// A frontEnd is a language.
type frontEnd struct {
	Name       string   // as people are told of it: "IMP"
	Extensions []string // of the names of its files
	// Parse makes a program of a text; defines gives values to its constants. The error
	// is a [program.Diagnostic] where the text is wrong.
	Parse func(src *program.Source, defines map[string]int64, settings C) (*program.Program, error)
	// HeedsC is true of the language that all the settings are for.
	HeedsC bool
	// NoConstants is what a text of the language is called, where it has no constants:
	// to ignore definitions would answer another question than the one that was asked.
	NoConstants string
	// Format is a text as it is usually laid out; nil: nobody says how.
	Format func(src *program.Source, settings C) (string, error)
	// Outline lists what a text declares; nil: nobody says.
	Outline func(src *program.Source, settings C) ([]program.Declaration, error)
	// Sites, Fences and Exchanges are the functions of these names; nil: there are none.
	Sites, Fences, Exchanges func(p *program.Program) []program.Site
	// Strengthenings is the function of this name; nil: there are none.
	Strengthenings func(p *program.Program) ([]program.Strengthening, error)
	// Orderings is the function of this name, for the language in which that is something else.
	Orderings func(p *program.Program, defines map[string]int64, settings C) []program.Strengthening
	// SitesC is Sites for the language that heeds more.
	SitesC func(p *program.Program, defines map[string]int64, settings C) []program.Site
}

// frontEnds lists the languages. Standard input is taken to be of the first.
func frontEnds() []frontEnd {
	return []frontEnd{
		impFrontEnd(),
		automata(),
		litmusTests(),
		cPrograms(),
	}
}
