package explain_test

import (
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// herd is models as people write them for herd7, with what cannot be judged early, for the
// architecture that they are about.
var herd = map[string]struct {
	arch program.Arch
	text string
}{
	"arm": {program.AArch64, `let lrs = [W]; (po-loc \ (po-loc; [W]; po-loc)); [R]
		let dob = addr | data | ctrl; [W] | (ctrl | addr; po); [ISB]; po; [R] | addr; po; [W] | (addr | data); lrs
		let aob = rmw | [range(rmw)]; lrs; [A | Q]
		let bob = po; [DMB.SY]; po | po; [A]; amo; [L]; po | [L]; po; [A] | [R \ NoRet]; po; [DMB.LD]; po
			| [A | Q]; po | [W]; po; [DMB.ST]; po; [W] | po; [L]
		acyclic po-loc | co | fr | rf
		let rec ob = rfe | fre | coe | dob | aob | bob | po-loc; [W] | ob; ob
		irreflexive ob
		empty (rmw & (fre; coe)) \ (lxsx & (fri; coi))`},
	"riscv": {program.RISCV, `include "riscvfences.cat"
		let fence = fence.r.r | fence.r.w | fence.r.rw | fence.w.r | fence.w.w | fence.w.rw
			| fence.rw.r | fence.rw.w | fence.rw.rw | fence.tso
		let r1 = [M]; po-loc; [W]
		and r2 = [R]; (po-loc \ (po-loc?; [W]; po-loc)); [R] \ (rf^-1; rf)
		and r3 = [AMO | EX & W]; rfi; [R]
		and r5 = [Acq | AcqRel]; po; [M] and r6 = [M]; po; [Rel | AcqRel]
		and r7 = [(Acq | Rel | AcqRel) & X]; po; [(Acq | Rel | AcqRel) & X]
		and r9 = addr | data | ctrl; [W] and r12 = (addr | data); [W]; rfi; [R] and r13 = addr; po; [W]
		acyclic co | rf | fr | po-loc
		acyclic co | rfe | fr | r1 | r2 | r3 | fence | r5 | r6 | r7 | rmw | r9 | r12 | r13
		empty rmw & (fre; coe)`},
}

// relaxedModel is a model and the architecture of the programs to try it on.
type relaxedModel struct {
	name  string
	model memory.Model
	arch  program.Arch
	same  memory.Model // one that agrees with it; may be empty
}

func relaxedModels(t *testing.T) (all []relaxedModel) {
	for _, m := range memory.Models() {
		if m.Operational() || m.Certifies() { // the others are judged by their axioms alone
			continue
		}
		a, only := m.Arch()
		archs := []program.Arch{a}
		if !only {
			archs = program.Archs()
		}
		for _, a := range archs {
			all = append(all, relaxedModel{string(m) + "/" + a.String(), m, a, ""})
		}
	}
	for name, h := range herd {
		same := map[program.Arch]memory.Model{program.AArch64: memory.ARMv8, program.RISCV: memory.RISCV}[h.arch]
		all = append(all, relaxedModel{"herd/" + name, model(t, h.text), h.arch, same})
	}
	return all
}

var relaxedPrograms = flag.Uint64("relaxed", 8, "how many programs to try for every weak memory model")

// TestRelaxed compares, on random programs of every architecture, the enumeration with a
// filter of all candidates, with the solver, and with explain.
func TestRelaxed(t *testing.T) {
	n := *relaxedPrograms
	if testing.Short() {
		n = 4
	}
	for _, m := range relaxedModels(t) {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			compared, found := 0, 0
			for seed := range n {
				p := randprog.Relaxed(rand.New(rand.NewPCG(seed, 23)), m.arch)
				if err := program.Sanity(p); err != nil {
					t.Fatal(err)
				}
				done, allowed := agreed(t, p, m.model, time.Second)
				if done && filtered(t, p, m.model) {
					compared++
				}
				if allowed {
					found++
				}
				if done && m.same != "" {
					a, _, one := finals(t, p, m.model, time.Second)
					b, _, other := finals(t, p, m.same, time.Second)
					if one && other && !slices.Equal(keys(a), keys(b)) {
						t.Fatalf("seed %d: %s and %s differ:\n%v\n%v\n%s", seed, m.name, m.same, a, b, enginetest.Text(p))
					}
				}
			}
			t.Logf("%d of %d programs compared, the property can be had in %d", compared, n, found)
		})
	}
}

// filtered holds the enumeration against the candidates that the model finds consistent
// when they are complete. It is false where there is no time for it.
func filtered(t *testing.T, p *program.Program, m memory.Model) bool {
	t.Helper()
	def, err := memory.LoadFor(m, p.Arch)
	if err != nil {
		t.Fatal(err)
	}
	all, err := memory.DefineFor("all.cat", p.Arch, "empty 0", nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	count := func(d *memory.Definition) (n int, finals map[string]bool, ok bool) {
		finals = map[string]bool{}
		err := graphs.Enumerate(ctx, p, d, graphs.Options{}, func(g *memory.Graph, s verdict.FinalState) bool {
			if def.Consistent(g) {
				n++
				finals[s.Key()] = true
			}
			return true
		})
		if err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		return n, finals, err == nil
	}
	got, gotFinals, ok := count(def)
	if !ok {
		return false
	}
	want, wantFinals, ok := count(all)
	if !ok {
		return false
	}
	if got != want || len(gotFinals) != len(wantFinals) {
		t.Fatalf("%d executions with %d final states, want %d with %d\n%s", got, len(gotFinals), want, len(wantFinals), enginetest.Text(p))
	}
	return true
}
