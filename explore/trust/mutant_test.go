package trust

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestMutants breaks each rule of the exploration, and shows that counts tell.
func TestMutants(t *testing.T) {
	programs := map[string]string{
		"inc(3)": times(3, "Rx Wx#"), "casw(3)": "Cx01 Wx4|Cx01 Wx5|Cx01 Wx6", "w+rw+w": "Wx1|Rx Wy1|Wx2",
		"ainc(3)": times(3, "Ux"), "ainc(4)": times(4, "Ux"), "binc(2)": times(2, "Ux Uy"), "wrw(2)": "Wx1|Rx Wx2|Rx Wx3",
	}
	counts := func(text string, rules mutant, choices bool) (graphs, distinct int) {
		p := parse(t, text, program.X86)
		if choices { // each thread begins with one
			for _, th := range p.Threads {
				q := program.StateID(len(th.States))
				th.States = append(th.States, program.State{Name: "begin"})
				th.Regs = append(th.Regs, program.Register{Name: "any", Type: program.Int32Type})
				th.Edges = append(th.Edges, program.Edge{From: q, To: th.Initial, Cmd: program.Command{Op: program.Havoc, Reg: len(th.Regs) - 1, Hi: 1}})
				th.Initial = q
			}
		}
		x := newTestExplorer(t, p, Options{Model: memory.SC, MaxGraphs: 5000})
		x.rules = rules
		seen := map[string]bool{}
		x.leafed = func() { graphs, seen[name(x.g)] = graphs+1, true }
		x.visit()
		return graphs, len(seen)
	}
	for _, test := range []struct {
		name   string
		rules  mutant
		killed []string // by these, and others
	}{
		{"any place", anyPlace, []string{"inc(3)", "casw(3)", "wrw(2)"}},
		{"any read", anyRead, []string{"inc(3)", "casw(3)", "wrw(2)"}},
		{"no prefix", noPrefix, []string{"ainc(3)", "casw(3)", "inc(3)"}},
		{"only last", onlyLast, []string{"inc(3)", "casw(3)", "wrw(2)"}},
		{"only placed", onlyPlaced, []string{"ainc(3)", "casw(3)", "binc(2)"}},
		// Each of the two implies enough of the other.
		{"any source, any readers", anySource | anyReaders, []string{"ainc(4)"}},
		{"any choice", anyChoice, []string{"inc(3)"}},
	} {
		for _, n := range test.killed {
			want, _ := counts(programs[n], 0, test.rules == anyChoice)
			func() {
				defer func() {
					if recover() != nil {
						want = -1 // what is assumed of graphs does not hold
					}
				}()
				if graphs, distinct := counts(programs[n], test.rules, test.rules == anyChoice); graphs == want && distinct == want {
					t.Errorf("%s: %s has its %d graphs, each once", test.name, n, want)
				}
			}()
		}
	}
}
