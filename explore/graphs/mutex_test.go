package graphs

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// sections is a random test with locks, which are taken and given back as usual, and sometimes
// otherwise.
func sections(rng *rand.Rand) string {
	var b strings.Builder
	b.WriteString("C sections\n{ }\n")
	threads := 2 + rng.IntN(2)
	for t := range threads {
		fmt.Fprintf(&b, "P%d(int *x, int *y, spinlock_t *l, spinlock_t *m) {\n", t)
		access := func(n int) {
			switch v := []string{"x", "y"}[rng.IntN(2)]; rng.IntN(2) {
			case 0:
				fmt.Fprintf(&b, "  WRITE_ONCE(*%s, %d);\n", v, 1+rng.IntN(2))
			default:
				fmt.Fprintf(&b, "  int r%d = READ_ONCE(*%s);\n", n, v)
			}
		}
		for s := range 1 + rng.IntN(4-threads) {
			l := []string{"l", "l", "m"}[rng.IntN(3)]
			switch rng.IntN(8) {
			case 0:
				fmt.Fprintf(&b, "  int t%d = spin_trylock(%s);\n  if (t%d) {\n", s, l, s)
				access(s)
				fmt.Fprintf(&b, "  spin_unlock(%s);\n  }\n", l)
			case 1: // never given back
				fmt.Fprintf(&b, "  spin_lock(%s);\n", l)
				access(s)
			case 2: // by who has not taken it
				fmt.Fprintf(&b, "  spin_unlock(%s);\n", l)
			default:
				fmt.Fprintf(&b, "  spin_lock(%s);\n", l)
				access(s)
				fmt.Fprintf(&b, "  spin_unlock(%s);\n", l)
			}
		}
		b.WriteString("}\n")
	}
	b.WriteString("exists (x=1)\n")
	return b.String()
}

// That locks are taken in turns takes nothing away.
func TestMutexes(t *testing.T) {
	def := load(t, memory.LKMM, program.LKMM)
	n, locks := 150, 0
	if testing.Short() {
		n = 40
	}
	for seed := range uint64(n) {
		text := sections(rand.New(rand.NewPCG(seed, 1)))
		test, err := litmus.ParseTest(&program.Source{Name: "sections.litmus", Text: text})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		test.Program.Arch = program.LKMM
		var found [2][]string
		partial := [2]int{}
		for k := range found {
			x, err := newEnumeration(context.Background(), test.Program, def, Options{})
			if err != nil {
				t.Fatal(err)
			}
			for i := range x.locks {
				if k == 0 && x.locks[i] {
					locks++
				}
				x.locks[i] = x.locks[i] && k == 0
			}
			if err := x.run(func(g *memory.Graph, s verdict.FinalState) bool {
				found[k] = append(found[k], s.Key()+fmt.Sprint(g.RF.Pairs(), g.CO.Pairs()))
				return true
			}); err != nil {
				t.Fatal(err)
			}
			slices.Sort(found[k])
			partial[k] = x.met
		}
		if !slices.Equal(found[0], found[1]) {
			t.Fatalf("%d executions with locks in turns, %d else\n%s", len(found[0]), len(found[1]), text)
		}
		if partial[0] > partial[1] {
			t.Errorf("%d parts with locks in turns, %d else", partial[0], partial[1])
		}
	}
	if locks < n/2 {
		t.Errorf("only %d locks in %d tests", locks, n)
	}
}
