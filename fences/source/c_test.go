package source

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestC puts fences into C programs: where a thread makes itself known before it looks for
// the others.
func TestC(t *testing.T) {
	for file, lines := range map[string][]string{
		"peterson.c":       {"turn, 1 - me"},
		"dekker.c":         {"wants[me], 1", "wants[me], 1"},
		"burns.c":          {"&flag[me], 1"},
		"lamport-fast.c":   {"&x, i", "&y, i"},
		"hazard-pointer.c": {"&hazard[me], o"},
		"chase-lev.c":      {"&bottom, b,"},
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			r := find(t, load(t, filepath.Join("../../examples/c", file)), Options{Goal: verdict.Safety})
			if len(r.Sets) != 1 || len(r.Sets[0].Fences) != len(lines) {
				t.Fatalf("%v, want a set of %d", r.Sets, len(lines))
			}
			for i, f := range r.Sets[0].Fences {
				if f.Site.Before || !strings.Contains(f.Site.Statement, lines[i]) {
					t.Errorf("a fence beside %s, want it after %s", f.Site.Statement, lines[i])
				}
			}
			if got, want := strings.Count(r.Text, "atomic_thread_fence(memory_order_seq_cst)"),
				strings.Count(r.Program.Source.Text, "atomic_thread_fence(memory_order_seq_cst)")+len(lines); got != want {
				t.Errorf("the text has %d fences, want %d", got, want)
			}
			if !reaches(t, reread(t, r), verdict.Safety) {
				t.Error("what was written is not safe")
			}
		})
	}
}
