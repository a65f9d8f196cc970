package trust

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang/litmus"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestExclusives compares the graphs of programs with exclusive accesses with those that are built in any order, and
// with those that an enumeration by threads finds.
func TestExclusives(t *testing.T) {
	for _, arch := range []program.Arch{program.AArch64, program.RISCV, program.PPC} {
		t.Run(string(arch), func(t *testing.T) {
			compared, enumerated, any := 0, 0, 0
			for seed := range programs(20) {
				p := randprog.Relaxed(rand.New(rand.NewPCG(seed, 19)), arch)
				if p.Properties = nil; !p.Exclusives() {
					continue
				}
				for name, def := range foreign(t, arch) {
					name := fmt.Sprintf("seed %d, %s", seed, name)
					compared += int(program.Bool(againstBrute(t, name, p, def, 300) > 0))
					enumerated += int(program.Bool(againstEnumeration(t, name, p, def, 60) > 0))
					if seed%4 == 0 {
						any += int(program.Bool(againstCoherence(t, name, p, def) > 0))
					}
				}
			}
			t.Logf("%d comparisons, %d with the enumeration, %d without coherence", compared, enumerated, any)
		})
	}
}

// foreign are models for programs that are not for x86.
func foreign(t *testing.T, a program.Arch) map[string]*memory.Definition {
	t.Helper()
	defs := map[string]*memory.Definition{}
	for _, m := range []memory.Model{memory.SC, memory.RA} {
		def, err := memory.LoadFor(m, a)
		if err != nil {
			t.Fatal(err)
		}
		defs[string(m)] = def
	}
	for name, text := range map[string]string{"relaxed": relaxedOnly, "torn": "acyclic po | rf as no-thin-air\nacyclic po-loc | rf | co | fr as coherence"} {
		def, err := memory.DefineFor(memory.Model(name+".cat"), a, text, nil)
		if err != nil {
			t.Fatal(err)
		}
		defs[name] = def
	}
	return defs
}

// TestWide does so with accesses of several cells.
func TestWide(t *testing.T) {
	for _, arch := range []program.Arch{program.X86, program.AArch64, program.RISCV} {
		t.Run(string(arch), func(t *testing.T) {
			compared, enumerated := 0, 0
			for seed := range programs(20) {
				rng := rand.New(rand.NewPCG(seed, 23))
				p := randprog.Relaxed(rng, arch)
				if p.Properties = nil; !widen(rng, p) {
					continue
				}
				defs := foreign(t, arch)
				if arch == program.X86 {
					for _, m := range memory.Operational() {
						def, err := memory.Load(m)
						if err != nil {
							t.Fatal(err)
						}
						defs[string(m)] = def
					}
				}
				for name, def := range defs {
					if def.Covers(p) != nil || refusal(p, def, verdict.Safety) != "" {
						continue
					}
					name := fmt.Sprintf("seed %d, %s", seed, name)
					compared += int(program.Bool(againstBrute(t, name, p, def, 300) > 0))
					enumerated += int(program.Bool(againstEnumeration(t, name, p, def, 60) > 0))
				}
			}
			t.Logf("%d comparisons, %d with the enumeration", compared, enumerated)
		})
	}
}

// widen makes some accesses reach both cells of p, and returns whether there are any.
func widen(rng *rand.Rand, p *program.Program) bool {
	other := func(c *program.Command) (part program.Command, ok bool) {
		k, ok := c.Addr.(program.Const)
		part = *c
		part.Addr, part.Part = 1-k, true
		return part, ok
	}
	for _, t := range p.Threads {
		for i := range len(t.Edges) {
			if rng.IntN(2) == 0 {
				continue
			}
			c := &t.Edges[i].Cmd
			switch c.Op {
			case program.Load, program.Store:
				if part, ok := other(c); ok {
					part.Reg = rng.IntN(max(1, len(t.Regs)))
					q := program.StateID(len(t.States))
					t.States = append(t.States, program.State{})
					t.Edges = append(t.Edges, program.Edge{From: q, To: t.Edges[i].To, Cmd: part})
					t.Edges[i].To = q
				}
			case program.Atomic:
				if len(c.Body) == 2 && c.Body[0].Op == program.Load && c.Body[1].Op == program.Store {
					l, ok := other(&c.Body[0])
					s, ok2 := other(&c.Body[1])
					if ok && ok2 {
						c.Body = []program.Command{c.Body[0], l, c.Body[1], s}
					}
				}
			}
		}
	}
	return p.Parts()
}

// TestTorn: a model that does not speak of read-modify-writes lets them be torn.
func TestTorn(t *testing.T) {
	for text, want := range map[string]int{"acyclic po | rf as no-thin-air": 6, relaxedOnly: 2} {
		def, err := memory.Define("torn.cat", text, nil)
		if err != nil {
			t.Fatal(err)
		}
		p := parse(t, "Ux|Ux", program.X86)
		if n, m := againstBrute(t, text, p, def, 300), againstEnumeration(t, text, p, def, 60); n != want || m != want {
			t.Errorf("%s: %d and %d executions, want %d", text, n, m, want)
		}
	}
}

// TestWideExclusives: the halves of exclusive accesses of several cells belong together, cell by cell.
func TestWideExclusives(t *testing.T) {
	p, err := litmus.Parse(&program.Source{Name: "pair.litmus", Text: `AArch64 pair
{ uint64_t x[2]={5,6}; 0:X0=x; 0:X1=1; 0:X2=2; 1:X0=x; 1:X1=3; 1:X2=4; }
 P0                 | P1                 ;
 LDXP X3,X4,[X0]    | LDXP X3,X4,[X0]    ;
 STXP W5,X1,X2,[X0] | STXP W5,X1,X2,[X0] ;
exists (0:X5=0 /\ 1:X5=0 /\ 0:X3=5 /\ 1:X3=5)`})
	if err != nil {
		t.Fatal(err)
	}
	p.Properties, p.Filter = nil, nil
	for name, def := range foreign(t, program.AArch64) {
		if name != "sc" && name != "ra" {
			continue
		}
		if n, m := againstBrute(t, name, p, def, 3000), againstEnumeration(t, name, p, def, 300); n != 11 || m != 11 {
			t.Errorf("%s: %d and %d executions, want 11", name, n, m)
		}
	}
}
