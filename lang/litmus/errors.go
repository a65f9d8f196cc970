package litmus

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/program"
)

// A failure carries the one error that is reported up to ParseTest.
type failure struct{ *program.Diagnostic }

func fail(src *program.Source, pos program.Position, hint, format string, args ...any) {
	panic(failure{&program.Diagnostic{Source: src, Pos: pos, Msg: fmt.Sprintf(format, args...), Hint: hint}})
}

// didYouMean is a hint that names the known name nearest to what was written,
// or "" where none is near.
func didYouMean(name string, known []string) string {
	if k := program.Nearest(name, known); k != "" {
		return fmt.Sprintf("did you mean %s?", k)
	}
	return ""
}
