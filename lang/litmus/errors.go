package litmus

import (
	"fmt"
	"slices"
	"strings"

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
	if len(name) < 2 || len(name) > maxWord {
		return "" // any other letter would be near
	}
	name = strings.ToLower(name)
	known = slices.Sorted(slices.Values(known))
	best, limit := "", max(1, min(len(name)/3, 3))+1
	for _, k := range known {
		if d := editDistance(name, strings.ToLower(k), limit); d < limit {
			best, limit = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf("did you mean %s?", best)
}

// oneOf is a hint that names the known name nearest to what was written, or
// else all there are of what is called plural.
func oneOf(name string, known []string, plural string) string {
	if hint := didYouMean(name, known); hint != "" {
		return hint
	}
	const most = 8
	known = slices.Sorted(slices.Values(known))
	switch n := len(known); {
	case n == 0:
		return "there are no " + plural
	case n > most:
		return fmt.Sprintf("the %s are %s, ..", plural, strings.Join(known[:most], ", "))
	}
	return fmt.Sprintf("the %s are %s", plural, strings.Join(known, ", "))
}

// editDistance counts the insertions, deletions, replacements and exchanges of
// neighbours that turn a into b; limit or more is given as limit.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	older, old, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		old[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			d := old[j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			d = min(d, old[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, older[j-2]+1)
			}
			row[j] = d
		}
		older, old, row = old, row, older
	}
	return min(old[len(b)], limit)
}
