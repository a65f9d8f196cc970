package imp

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// checkDefines refuses a value for a constant that the program does not have.
func checkDefines(src *program.Source, cs []*constant, defines map[string]int64) {
	var known, unknown []string
	for _, c := range cs {
		known = append(known, c.name)
	}
	for name := range defines {
		if !slices.Contains(known, name) {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return
	}
	slices.Sort(unknown)
	text.Fail(src, program.Position{}, suggest.OneOf(unknown[0], known, "constants"),
		"the program has no constant %s to define", unknown[0])
}
