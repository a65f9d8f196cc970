package main

import (
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/asm"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestAutomata has programs for Trencher, and what it would not understand.
func TestAutomata(t *testing.T) {
	for _, c := range []struct{ text, want, err string }{
		{"variables x = 0 process P begin x := 1; cs: skip end forbid P@cs", "write 1 0", ""},
		{"variables a[3] = 0 process P local i begin i := any(0..5); a[i] := 1 end", "check", ""},
		{"variables x = 0 process P local r begin r := x; x := r % 2 end", "", "no %"},
		{"variables x = 0 process P begin assert x = 0 end", "", "no assert"},
		{"variables x = 1 process P begin x := 0 end", "", "starts at 1"},
	} {
		p, err := imp.Parse(&program.Source{Name: "p.imp", Text: "program P " + c.text}, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.text, err)
		}
		text, err := automata(p)
		if err != nil || c.err != "" {
			if err == nil || c.err == "" || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: error %v, want %q", c.text, err, c.err)
			}
			continue
		}
		if !strings.Contains(string(text), c.want) || strings.Contains(string(text), "\ngoal") {
			t.Errorf("%s: want %q and no goal in\n%s", c.text, c.want, text)
		}
		if _, err := asm.Parse(&program.Source{Name: "p.txt", Text: string(text)}); err != nil {
			t.Errorf("%s: %v", c.text, err)
		}
	}
}
