package explore

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// named is three threads that are alike but for their names, which stand for # in the text, and whatever else there is.
func named(head, thread, rest string) string {
	text := "program N " + head + "\n"
	for i := 1; i <= 3; i++ {
		text += strings.ReplaceAll(fmt.Sprintf("process P%d local r, s begin %s end\n", i, thread), "#", fmt.Sprint(i))
	}
	return text + rest
}

// TestColours holds searches in which names of threads are exchanged against those in which they are not. What only one
// of the threads may do is asked of each.
func TestColours(t *testing.T) {
	for name, test := range map[string]struct {
		text   func(k int) string
		unsafe bool
		orders int64
	}{
		"mutex": {func(int) string {
			return named("variables m, x", "atomic begin assume m = 0; m := # end; x := #; r := x; assert r = #; fence; s := m; assert s = #; m := 0", "")
		}, false, 6},
		"buffered": {func(int) string {
			return named("variables m, x", "atomic begin assume m = 0; m := # end; x := #; r := x; assert r = #; m := 0", "")
		}, false, 6},
		"lost": {func(int) string { return named("variables x", "x := #; r := x; assert r = #", "") }, true, 6},
		"computed": {func(k int) string {
			return named("variables x, y", "x := #; r := x; y := r * 2", fmt.Sprintf("process Q local r begin r := y; assert r != %d end", 2*k))
		}, true, 0},
		"known to another": {func(k int) string {
			return named("variables x", "x := #", fmt.Sprintf("process Q local r begin r := x; assert r != %d end", k))
		}, true, 2},
		"known to all": {func(k int) string { return named("variables x", fmt.Sprintf("x := #; r := x; assert r != %d", k), "") }, true, 2},
		"property":     {func(k int) string { return named("variables x", "x := #", fmt.Sprintf("exists x = %d", k)) }, true, 0},
		"moment":       {func(k int) string { return named("variables x", "x := #; r := x", fmt.Sprintf("forbid x = %d", k)) }, true, 0},
		"at first": {func(k int) string {
			return named(fmt.Sprintf("variables x = %d", k), "r := x; assert r != #; x := #", "")
		}, true, 2},
		"other types": {func(k int) string {
			return named("variables int8 x", "r := # + 254; x := r", fmt.Sprintf("process Q local r begin r := x; assert r != %d end", k-2))
		}, true, 0},
		"chosen": {func(k int) string {
			return named("variables x", "s := any(1 .. 2); x := s; r := x; assert r != #", "")
		}, true, 0},
	} {
		for k := 1; k <= 3; k++ {
			p, err := lang.Parse(&program.Source{Name: "n.imp", Text: test.text(k)}, nil)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for _, m := range []memory.Model{memory.SC, memory.TSO} {
				for _, opts := range modes {
					if opts.Reduction == LocalFirst {
						continue
					}
					opts.Model = m
					plain := check(t, p, opts)
					opts.Symmetry = Symmetry
					res := check(t, p, opts)
					if plain.Unsafe() != test.unsafe || res.Verdict() != plain.Verdict() || res.Stat("symmetric orders") != test.orders {
						t.Errorf("%s of %d, %s: %v with symmetry of %d, %v without", name, k, modeName(opts), res.Verdict(), res.Stat("symmetric orders"), plain.Verdict())
					}
				}
			}
		}
	}
}
