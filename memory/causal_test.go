package memory

import (
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/memory/cat"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestCausal checks what is found out about load buffering.
func TestCausal(t *testing.T) {
	for _, m := range []Model{SC, TSO, PSO, RA, RC11} {
		a, _ := m.Arch()
		own, err := DefineFor("own.cat", a, "include \""+string(m)+".cat\"", nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range []*Definition{load(t, m), own} {
			if !d.RefutesOwnFuture() || !d.OrdersReads() {
				t.Errorf("%s: own future refuted %v, reads ordered %v", m, d.RefutesOwnFuture(), d.OrdersReads())
			}
		}
	}
	const coherence = "acyclic po-loc | rf | co | fr\n"
	for _, c := range []struct {
		text         string
		own, ordered bool
		blocks       bool
	}{
		{"empty 0", false, false, false},
		{coherence, true, false, false},
		{"acyclic po | rf", true, true, false},
		{"acyclic po | rfe", false, false, false}, // a read may read from what its thread writes later
		{coherence + "acyclic (po & R * M) | rfe", true, true, false},
		{coherence + "acyclic (po & R * M \\ ctrl) | rfe", true, false, false},
		{coherence + "acyclic (po & R * M) | (rfe \\ [X]; rfe)", true, false, false},
		{coherence + "acyclic addr | data | ctrl | rfe", true, false, false},
		{coherence + "let rec hb = (po & R * W) | rfe | hb; hb acyclic hb", true, true, false},
		{coherence + "~empty rf as some\nacyclic po; rfe", true, false, false},
		{coherence + "let r = po | rfe | co | fr acyclic block?; (r \\ block); block?", true, true, true},
		{coherence + "let r = po | rfe | co | fr acyclic r \\ block", true, false, false},
		{coherence + "acyclic po | rf empty block & (co & rf)", true, true, false},
		{coherence + "let r = po | rfe acyclic block?; (r \\ block); block?", true, true, true},
		{coherence + "acyclic po | (block?; (rf \\ block))", true, true, false},
	} {
		if d := define(t, c.text); d.RefutesOwnFuture() != c.own || d.OrdersReads() != c.ordered || d.KeepsBlocks() != c.blocks {
			t.Errorf("%s: own future refuted %v, reads ordered %v", c.text, d.RefutesOwnFuture(), d.OrdersReads())
		}
	}
}

// TestEachRead sees to it that the graphs of eachRead have all that a model can ask of an
// access: there would be more of them if there were more tags.
func TestEachRead(t *testing.T) {
	known := []string{"_", "R", "W", "F", "I"}
	if got := cat.Sets(); !slices.Equal(got, known) {
		t.Errorf("eachRead knows of the sets %v, and there are %v", known, got)
	}
	known = []string{"po", "loc", "int", "ext", "rf", "co", "fr", "rmw", "amo", "lxsx", "part", "addr", "data", "ctrl", "casdep", "pick-addr", "pick-data", "pick-ctrl", "block", "rcu-rscs"}
	if got := cat.Relations(); !slices.Equal(got, known) {
		t.Errorf("eachRead knows of the relations %v, and there are %v", known, got)
	}
}

func BenchmarkCausal(b *testing.B) {
	for b.Loop() {
		d, err := Define("tso.cat", "include \"tso.cat\"", nil)
		if err != nil || !d.OrdersReads() {
			b.Fatal(err)
		}
	}
}

// Which models keep read-modify-writes whole and each location coherent.
func TestExcludes(t *testing.T) {
	for _, m := range Models() {
		a, _ := m.Arch()
		d, err := LoadFor(m, a)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := d.Excludes(), a != program.C11; got != want { // whose coherence goes by orders
			t.Errorf("%s: %v, want %v", m, got, want)
		}
	}
	const coherent, whole = "acyclic po-loc | rf | co | fr as c\n", "empty rmw & (fre; coe) as a\n"
	for text, want := range map[string]bool{
		coherent + whole:                     true,
		coherent:                             false,
		whole:                                false,
		"acyclic po-loc | co as c\n" + whole: false,
		"acyclic po-loc | rf | fr as c\n" + whole:                   false,
		coherent + "empty rmw & (fre; [X]; coe) as a":               false,
		coherent + "empty rmw & ([I]; rf)^-1; co as a":              false,
		"flag ~empty po-loc & co^-1 as c\n" + whole:                 false,
		"acyclic (po-loc | rf | co | fr) \\ po as c" + "\n" + whole: false,
	} {
		d, err := Define("test", text, nil)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if got := d.Excludes(); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}
