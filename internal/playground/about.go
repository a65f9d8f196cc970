package playground

import (
	"slices"

	"github.com/fencepost-verifier/fencepost"
	"github.com/fencepost-verifier/fencepost/examples"
)

// About is what the page offers. It is a file of the site, so that the page has it before the checker.
type About struct {
	Languages  []Language `json:"languages"`
	Models     []string   `json:"models"`
	Engines    []Choice   `json:"engines"`
	Properties []Choice   `json:"properties"`
	Examples   []Example  `json:"examples"`
}

// A Language is one that can be read.
type Language struct {
	Name      string `json:"name"`
	Extension string `json:"extension"`
}

// A Choice is a name and what it stands for.
type Choice struct {
	Name string `json:"name"`
	Doc  string `json:"doc"`
}

// An Example is a program to begin with.
type Example struct {
	File string `json:"file"`
	Text string `json:"text"`
}

var properties = []Choice{
	{string(fencepost.Stated), "what the program states"},
	{string(fencepost.NoDeadlock), "deadlock"},
	{string(fencepost.NoDataRace), "data races (C)"},
	{string(fencepost.NoHang), "hanging for ever"},
}

// first are the examples that come before the others.
var first = []string{"litmus/SB.litmus", "dekker.imp", "c/peterson.c"}

func about() *About {
	a := &About{Properties: properties, Languages: []Language{{"IMP", ".imp"}, {"C", ".c"}, {"litmus test", ".litmus"}, {"automata", ".asm"}}}
	for _, m := range fencepost.Models() {
		a.Models = append(a.Models, string(m))
	}
	for _, e := range fencepost.Families() {
		if e.Check != nil {
			a.Engines = append(a.Engines, Choice{string(e.Name), e.Doc})
		}
	}
	names := examples.Names()
	slices.SortStableFunc(names, func(x, y string) int {
		place := func(s string) int {
			if i := slices.Index(first, s); i >= 0 {
				return i
			}
			return len(first)
		}
		return place(x) - place(y)
	})
	for _, name := range names {
		if text, err := examples.Files.ReadFile(name); err == nil {
			a.Examples = append(a.Examples, Example{name, string(text)})
		}
	}
	return a
}
