package explore

import (
	"fmt"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// gathered is a program in which P0, P1 and P2 are alike, and M waits for them in a row. What comes behind or between, and the
// properties, differ from case to case.
func gathered(waits, behind, thread, property string) string {
	return fmt.Sprintf(`program G variables x, d0 = d1 = d2 = 0
	process P0 local r begin r := x; x := r + 1; %[3]s d0 := 1 end
	process P1 local r begin r := x; x := r + 1; %[3]s d1 := 1 end
	process P2 local r begin r := x; x := r + 1; %[3]s d2 := 1 end
	process M local a, b, c, s begin %[1]s; %[2]s end
	%[4]s`, waits, behind, thread, property)
}

// TestGather holds searches in which steps are gathered against those in which they are not, where gathering them is right, and
// where it would not be.
func TestGather(t *testing.T) {
	const waits = "atomic begin a := d0; assume a != 0 end; atomic begin b := d1; assume b != 0 end; atomic begin c := d2; assume c != 0 end"
	const labelled = "atomic begin a := d0; assume a != 0 end; mid: atomic begin b := d1; assume b != 0 end; atomic begin c := d2; assume c != 0 end"
	for name, test := range map[string]struct {
		text     string
		unsafe   bool
		gathered bool
	}{
		"lost update": {gathered(waits, "s := x; assert s = 3", "", ""), true, true},
		"bound":       {gathered(waits, "s := x; assert s <= 3", "", ""), false, true},
		"not before":  {gathered(waits, "s := x; assert s >= 1", "", ""), false, true},
		// d0 is 0 again before d1 is not.
		"0 again": {`program G variables x, d0 = d1 = d2 = 0
			process P0 local r begin r := x; x := r + 1 end process P1 local r begin r := x; x := r + 1 end
			process Q local r begin d0 := 1; r := x; atomic begin assume r = 2 end; d0 := 0; d1 := 1; d2 := 1 end
			process M local a, b, c begin ` + waits + `; assert x = 7 end`, true, true},
		"a moment between": {gathered(labelled, "skip", "", "forbid M@mid & d2 = 0"), true, false},
		"result used":      {gathered(waits, "assert a = 0", "", ""), true, true},
		"deadlock":         {gathered(waits, "atomic begin s := x; assume s = 7 end", "", "forbid deadlock"), true, false},
	} {
		p, err := lang.Parse(&program.Source{Name: "g.imp", Text: test.text}, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s, err := newSearch(t.Context(), p, Options{Symmetry: Symmetry}, nil)
		if err != nil || (s.rows != nil) != test.gathered {
			t.Errorf("%s: gathered %v, %v", name, s.rows != nil, err)
		}
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			for _, opts := range modes {
				opts.Model = m
				plain := check(t, p, opts)
				opts.Symmetry = Symmetry
				res := check(t, p, opts)
				if plain.Unsafe() != test.unsafe || res.Verdict() != plain.Verdict() {
					t.Errorf("%s, %s: %v with symmetry, %v without", name, modeName(opts), res.Verdict(), plain.Verdict())
				}
			}
		}
	}
}
