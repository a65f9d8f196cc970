package c

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/lang/c/syntax"
)

// What names there are that can be called.

// callable are the names that the program may call: its functions, ours, and macros with parameters, which most of
// the library of atomics are.
func (u *unit) callable() []string {
	known := slices.Concat(slices.Collect(maps.Keys(u.defined)), slices.Collect(maps.Keys(builtins())))
	for name, m := range u.ast.Macros {
		if m.IsFnLike && !strings.HasPrefix(name, "__") {
			known = append(known, name)
		}
	}
	return known
}

// pointable is true of a function that something may point to, and that can be called so.
func (u *unit) pointable(name string) bool {
	return u.defined[name] != nil || name == "free" || u.defined[syntax.PointedTo+name] != nil
}
