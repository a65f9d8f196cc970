package explore

import (
	"fmt"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
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

// gatheredSteps is how many steps are one at most.
func gatheredSteps(s *search) (most int) {
	if s.rows == nil {
		return 0
	}
	for t, th := range s.p.Threads {
		for e := range th.Edges {
			if n := len(s.rows.Row(t, e)); n > 1 {
				most = max(most, n)
			}
		}
	}
	return most
}

// TestGather holds searches in which steps are gathered against those in which they are not, where gathering them is right, and
// where it would not be.
func TestGather(t *testing.T) {
	const waits = "atomic begin a := d0; assume a != 0 end; atomic begin b := d1; assume b != 0 end; atomic begin c := d2; assume c != 0 end"
	const labelled = "atomic begin a := d0; assume a != 0 end; mid: atomic begin b := d1; assume b != 0 end; atomic begin c := d2; assume c != 0 end"
	for name, test := range map[string]struct {
		text     string
		unsafe   bool
		gathered int
	}{
		"lost update": {gathered(waits, "s := x; assert s = 3", "", ""), true, 3},
		"bound":       {gathered(waits, "s := x; assert s <= 3", "", ""), false, 3},
		"not before":  {gathered(waits, "s := x; assert s >= 1", "", ""), false, 3},
		// d0 is 0 again before d1 is not.
		"0 again": {`program G variables x, d0 = d1 = d2 = 0
			process P0 local r begin r := x; x := r + 1 end process P1 local r begin r := x; x := r + 1 end
			process Q local r begin d0 := 1; r := x; atomic begin assume r = 2 end; d0 := 0; d1 := 1; d2 := 1 end
			process M local a, b, c begin ` + waits + `; assert x = 7 end`, true, 2},
		"a moment between":           {gathered(labelled, "skip", "", "forbid M@mid & d2 = 0"), true, 0},
		"anywhere but at the first":  {gathered("st: "+waits, "skip", "w: skip;", "forbid not M@st & P0@w forbid not M@st & P1@w forbid not M@st & P2@w"), true, 2},
		"anywhere but where it ends": {gathered(waits, "e: assert x < 3", "", "forbid not M@e & x = 3"), true, 3},
		"result used":                {gathered(waits, "assert a = 0", "", ""), true, 2},
		"deadlock":                   {gathered(waits, "atomic begin s := x; assume s = 7 end", "", "forbid deadlock"), true, 0},
	} {
		p, err := lang.Parse(&program.Source{Name: "g.imp", Text: test.text}, nil)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s, err := newSearch(t.Context(), p, Options{Symmetry: Symmetry}, nil)
		if err != nil || gatheredSteps(s) != test.gathered {
			t.Errorf("%s: %d steps gathered, %v", name, gatheredSteps(s), err)
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

// TestGatherStarts: a property may tell where a thread that starts others is from where it is when it has started them all.
func TestGatherStarts(t *testing.T) {
	for name, test := range map[string]struct {
		where    string // main must not be elsewhere while one of those that it starts is at w
		unsafe   bool
		gathered int
	}{
		"not begun": {"begin", true, 3},
		"between":   {"mid", true, 2},
		"behind":    {"end", true, 2},
		"later":     {"later", true, 3},
	} {
		const threads = 3
		b := progtest.New(threads + 1)
		main := b.Thread().Label("begin")
		for i := range threads {
			main.Atomic(program.Command{Op: program.Store, Addr: program.Const(i), Value: program.Const(1)})
			if i == 0 {
				main.Label("mid")
			}
		}
		main.Label("end").Skip().Label("later")
		for i := range threads {
			th := b.Thread()
			th.Thread.States[th.Cur].Kind = program.Unstarted
			th.Emit(program.Start(int(th.Reg("r")), int64(i), program.Tags{})).Label("w").Store(program.Const(threads), program.Const(1))
		}
		for i := range threads {
			b.Property(program.Forbid, progtest.And(program.NotExpr(b.At(0, test.where)), b.At(1+i, "w")))
		}
		p := b.Build(t)
		s, err := newSearch(t.Context(), p, Options{Symmetry: Symmetry}, nil)
		if err != nil || gatheredSteps(s) != test.gathered {
			t.Errorf("%s: %d steps gathered, %v", name, gatheredSteps(s), err)
		}
		for _, opts := range modes {
			opts.Symmetry = Symmetry
			if res := check(t, p, opts); res.Unsafe() != test.unsafe {
				t.Errorf("%s, %s: %v", name, modeName(opts), res.Verdict())
			}
		}
	}
}
