package cycles

import (
	"context"
	"os"
	"path/filepath"
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

// sampled is that of the tests of the largest size one in so many is looked at, unless the
// environment says how large they are to be.
func sampled() int {
	if os.Getenv("FENCEPOST_CYCLES") != "" {
		return 1
	}
	return 9
}

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
						if i++; size == most && i%sampled() != 0 {
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

// TestOrders: enumeration and the SAT solver agree under models that take orders of events of
// their own; an order of all accesses that is program order, and from which everything reads the
// last, is sequential consistency.
func TestOrders(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		like memory.Model // may be ""
	}{
		"sc": {`with S from linearisations(M, po & M * M | rmw)
irreflexive S; (rf | co | fr) as order
empty rmw & (fre; coe) as atomicity`, memory.SC},
		"tso": {`with S from linearisations(M, ((po & M * M) \ (W * R)) | po; [MFENCE]; po & M * M | rmw | [X]; po & M * M | po; [X])
irreflexive S; (rfe | co | fr) as order
acyclic po-loc | rmw | rf | co | fr as coherence
empty rmw & (fre; coe) as atomicity`, memory.TSO},
		"classes": {`let c = classes((rmw | id) & (M * M))
with S from linearisations(c, lift(c, (po \ rmw) & M * M))
irreflexive delift(S); (rf | co | fr) as order
irreflexive po; rf as past
empty rmw & (fre; coe) as atomicity`, memory.SC},
		"reads": {`with co from generate_cos(co0)
with S from generate_orders(R, [R]; po-loc; [R])
acyclic po-loc | rmw | rf | co | fr as coherence
let next = S \ (S; S)
irreflexive next; rf^-1; co; rf as order
empty next & ext & (_ * domain(po; [W])) as last`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			def, err := memory.Define(memory.Model(name+".cat"), tt.text, nil)
			if err != nil {
				t.Fatal(err)
			}
			a := For(program.X86)
			path := filepath.Join(t.TempDir(), name+".cat")
			if err := os.WriteFile(path, []byte(tt.text), 0o666); err != nil {
				t.Fatal(err)
			}
			n := 0
			for size := 2; size <= 5; size++ {
				i := 0
				All(a, size, func(c *Cycle) bool {
					if i++; size == 5 && i%4 != 0 {
						return true
					}
					n++
					x := c.Text()
					test, err := litmus.ParseTest(&program.Source{Name: x.Name + ".litmus", Text: x.String()})
					if err != nil {
						t.Fatal(err)
					}
					enumerated := func(def *memory.Definition) []string {
						finals, err := graphs.FinalStates(context.Background(), test.Program, def, graphs.Options{}, func(*memory.Graph, verdict.FinalState) bool { return true })
						if err != nil {
							t.Fatal(err)
						}
						return test.Outcome(finals).States
					}
					want := enumerated(def)
					if tt.like != "" {
						like, err := memory.LoadFor(tt.like, a.Of)
						if err != nil {
							t.Fatal(err)
						}
						if states := enumerated(like); !slices.Equal(states, want) {
							t.Errorf("%s: %v\nunder %s: %v\n%s", c, want, tt.like, states, x)
						}
					}
					finals, r, err := engine.FinalStates(context.Background(), test.Program, engine.Options{Model: memory.Model(path), Engine: engine.BMC, Observed: true})
					if err != nil || !r.Safe() {
						t.Fatalf("%s: %v, %v", c, r, err)
					}
					if got := test.Outcome(finals).States; !slices.Equal(got, want) {
						t.Errorf("%s: the solver finds\n%s\nenumeration finds\n%s\n%s", c, strings.Join(got, "\n"), strings.Join(want, "\n"), x)
					}
					return !t.Failed()
				})
			}
			t.Logf("%d tests", n)
		})
	}
}
