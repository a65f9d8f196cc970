package engine

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// table is what docs/engines.md says of the registry.
func table() string {
	var b strings.Builder
	b.WriteString("| engine | what it does | answers | under | heeds | certificates | in `auto` |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, e := range Families() {
		var answers, under, heeds, certificates, races []string
		for _, q := range []verdict.Question{verdict.Safety, verdict.FinalStates, verdict.Robustness, verdict.Count} {
			if e.Knows(q) {
				answers = append(answers, string(q))
			}
		}
		for _, m := range append(memory.Operational(), "my.cat") {
			if e.Models(m) {
				under = append(under, string(m))
			}
			if e.Certifies(m) {
				certificates = append(certificates, string(m))
			}
			if e.Weight != nil && e.Weight(&Shape{Model: m}, Work{}) > 0 {
				races = append(races, string(m))
			}
		}
		for _, o := range e.Options {
			heeds = append(heeds, "`--"+string(o)+"`")
		}
		if e.Name == Auto {
			heeds = []string{"what its members do"}
		}
		name := "`" + e.Title() + "`"
		if f := e.Family; f != nil && f.Bare {
			params := f.Listed
			if len(params) == 0 {
				params = []string{f.Param}
			}
			name += ", `:" + strings.Join(params, "`, `:") + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", name, e.Doc, strings.Join(answers, ", "), strings.Join(under, ", "),
			strings.Join(heeds, ", "), strings.Join(certificates, ", "), strings.Join(races, ", "))
	}
	return b.String()
}

// TestDocs: docs/engines.md lists exactly the engines that there are. With
// FENCEPOST_UPDATE set, it is made to.
func TestDocs(t *testing.T) {
	const file, first = "../docs/engines.md", "| engine |"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), first)
	if !ok {
		t.Fatal("there is no table")
	}
	rest = first + rest
	after := ""
	if i := strings.Index(rest, "\n\n"); i >= 0 {
		rest, after = rest[:i+1], rest[i+1:]
	}
	if want := table(); rest != want {
		if os.Getenv("FENCEPOST_UPDATE") == "" {
			t.Fatalf("the table is\n%s\nwant\n%s", rest, want)
		}
		if err := os.WriteFile(file, []byte(before+want+after), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRegistry: names are different and lead to their engine, every engine answers
// something, and what one option is for, some engine heeds.
func TestRegistry(t *testing.T) {
	seen := map[Name]bool{}
	for _, e := range Engines() {
		if seen[e.Name] || e.Doc == "" {
			t.Errorf("%s is there twice, or without a word", e.Name)
		}
		seen[e.Name] = true
		if got, err := Lookup(e.Name); err != nil || got.Name != e.Name || got.Doc != e.Doc {
			t.Errorf("%s: %v, %v", e.Name, got, err)
		}
		answers := false
		for _, q := range []verdict.Question{verdict.Safety, verdict.FinalStates, verdict.Robustness, verdict.Count} {
			answers = answers || e.Answers(q, memory.TSO) || e.Answers(q, memory.SC)
		}
		if !answers {
			t.Errorf("%s answers nothing under tso, nor under sc", e.Name)
		}
		if e.Robust != nil && e.Answers(verdict.Robustness, memory.SC) {
			t.Errorf("%s decides robustness against sc", e.Name)
		}
	}
	for _, o := range []Option{Order, Reduction, Symmetry, Workers, Compact, Spill, Buffer, Live, MaxEvents, Unroll, Solver, Refined, Proofs, Estimate, Equivalence} {
		if len(Taking(o)) == 0 {
			t.Errorf("nobody heeds --%s", o)
		}
	}
	if len(Taking("timeout")) > 0 {
		t.Error("an option of all engines is one of some")
	}
}

// TestMembers is who takes part in the portfolio.
func TestMembers(t *testing.T) {
	p := enginetest.Example(t, "dekker.imp", 0)
	for m, want := range map[memory.Model][]Name{
		memory.SC:  {Explicit, byPrefixes, BMC, IC3, Saturation, Localize, Graphs},
		memory.TSO: {Explicit, byPrefixes, BMC, Lazy, IC3, Saturation, CEGAR, Localize, Graphs},
		memory.PSO: {Explicit, byPrefixes, BMC, Localize, Graphs},
	} {
		var got []Name
		for _, e := range members(p, m) {
			got = append(got, e.Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", m, got, want)
		}
	}
	auto, err := Lookup(Auto)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range []Option{Order, Reduction, Spill, Unroll, Solver, Refined} {
		if !auto.Takes(o) {
			t.Errorf("the portfolio does not take --%s", o)
		}
	}
	if auto.Takes(MaxEvents) || !auto.Certifies(memory.SC) || !auto.Certifies(memory.PSO) {
		t.Error("the portfolio takes what is none of its members'")
	}
}

// TestAdvice: nobody is told to try what has just failed, or what is not for the
// model.
func TestAdvice(t *testing.T) {
	unknown := func(advice string, others ...string) *verdict.Result {
		r := verdict.Unknown(enginetest.Example(t, "dekker.imp", 0), memory.TSO, "it is hard")
		r.Advice, r.Instead = advice, verdict.Instead{Engines: others, Why: "is better"}
		return r
	}
	say := func(name Name, r *verdict.Result) answer {
		e, err := Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		return answer{engine: *e, result: r}
	}
	for _, test := range []struct {
		all  []answer
		want string
	}{
		{[]answer{say(Explicit, unknown("")), say(BMC, unknown("", "explicit"))}, ""},
		{[]answer{say(Explicit, unknown("")), say(BMC, unknown("wait", "explicit"))}, "wait"},
		{[]answer{say(Explicit, unknown("")), say(BMC, unknown("", "explicit", "set"))}, "--engine set is better"},
		{[]answer{say(BMC, unknown("", "bmc")), say(Explicit, unknown("more memory"))}, "more memory"},
	} {
		r := neither(test.all[0].result.Program(), Options{Model: memory.TSO}, test.all)
		if got := r.Next(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	// Under a model that is a text, there is nobody else.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	p := enginetest.Example(t, "dekker.imp", 0)
	for _, e := range []Name{BMC, Auto} {
		r, err := Check(ctx, p, Options{Engine: e, Model: "../cmd/fencepost/testdata/coherence.cat"})
		if err != nil || r.Next() != "a longer --timeout unrolls further" {
			t.Errorf("%s: %+v, %v", e, r, err)
		}
	}
	p = enginetest.Example(t, "message-passing.imp", 0) // whose threads can come to their ends
	_, r, err := FinalStates(ctx, p, Options{Engine: BMC, Model: "../cmd/fencepost/testdata/coherence.cat"})
	if err != nil || r.Next() != "a longer --timeout unrolls further" {
		t.Errorf("%+v, %v", r, err)
	}
}
