package report

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// SelfTest writes what came of a test of Fencepost by itself as text.
func SelfTest(w io.Writer, r *verdict.SelfTest) error {
	var b strings.Builder
	if f := r.Finding; f != nil {
		fmt.Fprintf(&b, "DISAGREEMENT in program %d of seed %d, made small in %d steps\n\n%s\n", f.Case, r.Seed, f.Steps, f.What)
		for _, file := range f.Files {
			fmt.Fprintf(&b, "\n--- %s\n%s\n", file.Name, strings.TrimRight(file.Text, "\n"))
		}
		b.WriteString("\nIt is shown again by\n")
		for _, c := range f.Commands {
			fmt.Fprintf(&b, "  %s\n", c)
		}
		fmt.Fprintf(&b, "  fencepost selftest --seed %d --skip %d --programs 1\n\n", r.Seed, f.Case)
	} else {
		b.WriteString("no disagreement\n\n")
	}
	fmt.Fprintf(&b, "seed %d: %d programs, %d texts in %.0f s; %d answers that others confirm, %d pairs of languages, %d certificates checked\n",
		r.Seed, r.Cases, r.Texts(), r.Elapsed.Seconds(), r.Comparisons(), r.Languages, r.Certificates)
	b.WriteString("\nlanguage             texts\n")
	for _, l := range slices.Sorted(maps.Keys(r.Programs)) {
		fmt.Fprintf(&b, "%-18s %7d\n", l, r.Programs[l])
	}
	tallies(&b, "model", r.Models)
	tallies(&b, "engine", r.Engines)
	confirmed(&b, r.SelfTestCounts)
	return write(w, &b)
}

func tallies(b *strings.Builder, title string, of map[string]*verdict.Tally) {
	fmt.Fprintf(b, "\n%-20s %8s %9s %10s\n", title, "asked", "answered", "confirmed")
	for _, name := range tallied(of) {
		t := of[name]
		fmt.Fprintf(b, "%-20s %8d %9d %10d\n", name, t.Asked, t.Answered, t.Compared)
	}
}

// confirmed writes what engines confirm of one another under each model.
func confirmed(b *strings.Builder, c verdict.SelfTestCounts) {
	models := tallied(c.Models)
	if len(models) == 0 {
		return
	}
	fmt.Fprintf(b, "\n%-20s", "confirmed")
	for _, m := range models {
		fmt.Fprintf(b, " %*s", max(6, len(m)), m)
	}
	b.WriteByte('\n')
	for _, e := range tallied(c.Engines) {
		line := fmt.Sprintf("%-20s", e)
		for _, m := range models {
			cell := "" // never asked
			if t := c.Pairs[e][m]; t != nil {
				cell = fmt.Sprint(t.Compared)
			}
			line += fmt.Sprintf(" %*s", max(6, len(m)), cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

type jsonSelfTest struct {
	Seed     uint64                    `json:"seed"`
	Programs int                       `json:"programs"`
	Seconds  float64                   `json:"seconds"`
	Texts    map[string]int            `json:"texts"` // by language
	Models   map[string]*verdict.Tally `json:"models"`
	Engines  map[string]*verdict.Tally `json:"engines"`
	// EngineModels is by engine, then by model.
	EngineModels map[string]map[string]*verdict.Tally `json:"engineModels"`
	Confirmed    int                                  `json:"confirmed"`
	Languages    int                                  `json:"languages"`
	Certificates int                                  `json:"certificates"`
	Finding      *verdict.Finding                     `json:"finding,omitempty"`
}

// SelfTestJSON writes the same as one object on one line.
func SelfTestJSON(w io.Writer, r *verdict.SelfTest) error {
	return writeObject(w, jsonSelfTest{r.Seed, r.Cases, r.Elapsed.Seconds(), r.Programs, r.Models, r.Engines, r.Pairs,
		r.Comparisons(), r.Languages, r.Certificates, r.Finding})
}

// tallied lists the keys of a count, models in their own order.
func tallied(m map[string]*verdict.Tally) []string {
	var models []string
	for _, k := range memory.Models() {
		if _, ok := m[string(k)]; ok {
			models = append(models, string(k))
		}
	}
	if len(models) == len(m) {
		return models
	}
	return slices.Sorted(maps.Keys(m))
}
