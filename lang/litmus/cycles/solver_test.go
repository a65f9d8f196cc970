package cycles

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// sampled is that of the tests of the largest size one in so many is looked at.
const sampled = 9

// Enumeration and the SAT solver find the same final states, and, for x86, so do the store
// buffers.
func TestSolver(t *testing.T) {
	for _, a := range archs {
		models := []memory.Model{memory.Default(a.Of)}
		switch a.Of {
		case program.X86:
			models = append(models, memory.PSO)
		case program.C11:
			models = append(models, memory.IMM, memory.RA)
		}
		for _, model := range models {
			t.Run(string(model)+"/"+a.Of.String(), func(t *testing.T) {
				def, err := memory.LoadFor(model, a.Of)
				if err != nil {
					t.Fatal(err)
				}
				n, bad, most := 0, 0, largest(t, 5)
				for size := 2; size <= most; size++ {
					i := 0
					All(a, size, func(c *Cycle) bool {
						if i++; size == most && i%sampled != 0 {
							return true
						}
						n++
						x := c.Text()
						test, err := litmus.ParseTest(&program.Source{Name: x.Name + ".litmus", Text: x.String()})
						if err != nil {
							t.Fatal(err)
						}
						finals, err := graphs.FinalStates(context.Background(), test.Program, def, graphs.Options{}, func(*memory.Graph, verdict.FinalState) bool { return true })
						if err != nil {
							t.Fatal(err)
						}
						want := test.Outcome(finals).States
						engines := []engine.Name{engine.BMC}
						if a.Of == program.X86 {
							engines = append(engines, engine.Explicit)
						}
						for _, e := range engines {
							finals, r, err := engine.FinalStates(context.Background(), test.Program, engine.Options{Model: model, Engine: e, Observed: true})
							if err != nil || !r.Safe() {
								t.Fatalf("%s: %s: %v, %v", c, e, r, err)
							}
							if got := test.Outcome(finals).States; !slices.Equal(got, want) {
								bad++
								t.Errorf("%s under %s: %s finds\n%s\nenumeration finds\n%s\n%s", c, model, e, strings.Join(got, "\n"), strings.Join(want, "\n"), x)
							}
						}
						return bad < 3
					})
				}
				t.Logf("%d tests", n)
			})
		}
	}
}
