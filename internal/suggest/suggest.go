// Package suggest finds out what a misspelt word was meant to be: a word and those that are known come
// in, a remark for people goes out.
package suggest

import (
	"fmt"
	"slices"
	"strings"
)

// Nearest is the one of known that name is probably a misspelling of, or "" where
// none is near: one that takes few letters to insert, delete, replace or swap
// with their neighbour. Case does not count.
func Nearest(name string, known []string) string {
	const longest = 100
	for _, k := range known {
		if strings.EqualFold(k, name) {
			return k
		}
	}
	if len(name) < 2 || len(name) > longest {
		return "" // any other letter would be near
	}
	best, limit := "", max(1, min((len(name)+1)/3, 3))+1
	for _, k := range slices.Sorted(slices.Values(known)) {
		if len(k) > longest {
			continue
		}
		if d := editDistance(strings.ToLower(name), strings.ToLower(k), limit); d < limit && d < len(name) {
			best, limit = k, d
		}
	}
	return best
}

// OneOf is a hint for a message: the known name nearest to what was written,
// or else all there are of what is called plural.
func OneOf(name string, known []string, plural string) string {
	if k := Nearest(name, known); k != "" {
		return fmt.Sprintf("did you mean %s?", k)
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
