package main

import "testing"

// TestTable: what the mutants change is there, and there are enough of them.
func TestTable(t *testing.T) {
	root, err := moduleRoot()
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for i := range mutants {
		m := &mutants[i]
		if _, err := m.mutated(root); err != nil {
			t.Errorf("%s: %v", m.what, err)
		}
		if names[m.what] {
			t.Errorf("two mutants are called %q", m.what)
		}
		names[m.what] = true
	}
	if len(mutants) < 60 {
		t.Errorf("only %d mutants", len(mutants))
	}
}
