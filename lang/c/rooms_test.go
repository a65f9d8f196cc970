package c_test

import (
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
)

// TestRooms: what a program is lowered with knows nothing of who lowers, and no more of each other than is said here.
func TestRooms(t *testing.T) {
	for room, want := range map[string][]string{
		"syntax":     {"internal/include", "internal/text", "program"},
		"edits":      {"internal/text", "lang/c/syntax", "program"},
		"flowgraph":  {"program", "program/flow"},
		"choices":    {"lang/c/flowgraph", "program"},
		"lowered":    {"lang/c/choices", "lang/c/flowgraph", "lang/c/target", "lang/c/types", "program"},
		"operations": {"lang/c/flowgraph", "lang/c/lowered", "lang/c/target", "lang/c/types", "program"},
		"target":     {"lang/c/flowgraph", "program"},
		"types":      {"program"},
	} {
		t.Run(room, func(t *testing.T) {
			t.Chdir(room)
			if got := enginetest.Imports(t); !slices.Equal(got, want) {
				t.Errorf("it imports %v", got)
			}
		})
	}
}
