package trust

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestSections has sections that a change of an older read would have to take apart.
func TestSections(t *testing.T) {
	for name, text := range map[string]string{
		// What the third section reads of the second thread must outlast that the first one comes after it.
		"between": `process A local r, s begin lock; r := z; y := r; s := x; unlock end
			process B begin y := 1 end
			process C local t begin z := 0; lock; x := 1; t := y; z := 2; unlock end`,
		// The store must not come between what the section has read and written, which is built first.
		"store": `process A local r begin lock; r := y; y := 0; unlock end
			process B begin y := 1 end`,
		// What comes before the section may lead to what the section reads.
		"before": `process A local r, s begin r := x; lock; s := fetch_add(y, 1); unlock end
			process B begin x := 1; y := 1 end`,
		"stores": `process A local r begin atomic begin r := y; x := 1; y := 2 end end
			process B begin y := 1; x := 2 end`,
		"two": `process A local r, s begin lock; r := x; s := y; unlock; lock; z := 1; unlock end
			process B local r begin lock; y := 1; r := z; unlock; x := 1 end
			process C local r begin r := y; lock; x := 2; y := 2; unlock end`,
	} {
		p, err := imp.Parse(&program.Source{Name: name, Text: "program P variables x, y, z " + text}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range memory.Operational() {
			def, err := memory.Load(m)
			if err != nil {
				t.Fatal(err)
			}
			if againstBrute(t, name, p, def, 10_000) == 0 {
				t.Errorf("%s: too many graphs", name)
			}
			want, _, err := explore.FinalStates(t.Context(), p, explore.Options{Model: m})
			if err != nil {
				t.Fatal(err)
			}
			got, res, err := FinalStates(t.Context(), p, Options{Model: m})
			if err != nil || !res.Safe() || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %s: %v, %v, %v, not %v", name, m, got, res, err, want)
			}
		}
		x := newTestExplorer(t, p, Options{Model: memory.SC})
		if x.explore(); math.Abs(x.crew.Fraction()-1) > 1e-6 {
			t.Errorf("%s: %g is explored", name, x.crew.Fraction())
		}
	}
}

// TestExclusiveWorkers compares what several workers count of programs with exclusive and wide accesses with what one does.
func TestExclusiveWorkers(t *testing.T) {
	for seed := range programs(14) {
		rng := rand.New(rand.NewPCG(seed, 19))
		p := randprog.Relaxed(rng, []program.Arch{program.AArch64, program.RISCV}[seed%2])
		p.Properties = nil
		widen(rng, p)
		for _, m := range []memory.Model{memory.SC, memory.RA} {
			one, err := Explore(t.Context(), p, Options{Model: m, MaxGraphs: 100})
			if err != nil {
				t.Fatal(err)
			}
			if !one.Safe() {
				continue
			}
			for _, workers := range []int{2, 4} {
				several, err := Explore(t.Context(), p, Options{Model: m, Workers: workers})
				if err != nil {
					t.Fatal(err)
				}
				if a, b := several.Stats[:4], one.Stats[:4]; !reflect.DeepEqual(a, b) {
					t.Fatalf("seed %d, %s, %d workers: %v, not %v\n%s", seed, m, workers, a, b, reference.Dump(p))
				}
			}
		}
	}
}

// TestMidway has threads that stand in the middle of what happens at once, in some graphs: a violation in others is found, by however
// many workers.
func TestMidway(t *testing.T) {
	for name, text := range map[string]string{
		"kept":   `process A local r begin lock; x := 1; r := y; assert r = 0 end process B local r begin y := 1; lock; r := x; unlock end`,
		"assume": `process A begin atomic begin x := 1; assume y = 2 end end process B local r begin y := 1; y := 2; r := x; assert r = 0 end`,
		"safe":   `process A begin atomic begin x := 1; assume y = 2 end end process B local r begin y := 1; y := 2; r := x; assert r < 2 end`,
	} {
		p, err := imp.Parse(&program.Source{Name: name, Text: "program P variables x, y " + text}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range memory.Operational() {
			for workers := 1; workers <= 4; workers++ {
				res, err := Explore(t.Context(), p, Options{Model: m, Workers: workers})
				if err != nil || res.Unsafe() != (name != "safe") || res.Safe() {
					t.Errorf("%s, %s, %d workers: %v, %v", name, m, workers, res, err)
				}
			}
		}
	}
}

// TestLateSections has sections that come to wait amid what happens at once for what is never written, or once.
func TestLateSections(t *testing.T) {
	for text, all := range map[string]bool{
		`process A local r begin atomic begin r := z; assume x != 0 end end process B local r begin r := z end`:                                             true,
		`process A local r begin atomic begin r := z; assume x != 0; y := 1 end end process B begin if z = 0 then x := 1 fi end process C begin z := 1 end`: true,
		`process A begin atomic begin y := 1; assume x != 0 end end process B local r begin r := z end`:                                                     false,
	} {
		p, err := imp.Parse(&program.Source{Name: text, Text: "program P variables x, y, z " + text + " forbid deadlock"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range memory.Operational() {
			opts := Options{Model: m}
			res, err := Explore(t.Context(), p, opts)
			if err != nil || res.Safe() || all && !res.Unsafe() {
				t.Errorf("%s, %s: %v, %v", text, m, res, err)
			}
			res, err = Hangs(t.Context(), p, opts)
			if err != nil || res.Safe() || all && !res.Unsafe() {
				t.Errorf("%s, %s: of hangs %v, %v", text, m, res, err)
			}
		}
	}
}
