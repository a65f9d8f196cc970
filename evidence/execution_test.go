package evidence

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// convicted is the certificate that p is not safe under a model, by its axioms; "" where it is not that, or there is none.
func convicted(t testing.TB, p *program.Program, m memory.Model) string {
	t.Helper()
	r, err := bmc.Check(context.Background(), p, bmc.Options{Model: m, Relational: true, Unroll: 2})
	if err != nil || !r.Unsafe() {
		return ""
	}
	var b strings.Builder
	if err := Certificate(context.Background(), &b, r, 0); err != nil {
		if !strings.Contains(err.Error(), "there are no certificates of executions") {
			t.Fatal(err)
		}
		return ""
	}
	return b.String()
}

// TestExecutions: what bmc finds under axioms is accepted, and under tso and sc search finds something, too; changed, or for a
// program that is safe, it is accepted only if that is not safe either.
func TestExecutions(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(4, 4))
	n := map[string]int{}
	for seed := range uint64(5 * *programs) {
		m := []memory.Model{memory.TSO, memory.SC, "testdata/coherent.cat", memory.PSO}[seed%4]
		opt := randprog.Options{CountLoop: 1, WaitLoop: 1, Lock: -1, Assert: 1, Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 5}}
		p := randprog.New(rand.New(rand.NewPCG(seed, 55)), opt)
		text := convicted(t, p, m)
		if text == "" {
			n["none"]++
			continue
		}
		a, err := Certify(ctx, strings.NewReader(text), p)
		if err != nil || a.Shows != "unsafe" || a.Model != m {
			t.Fatalf("seed %d, %s: %+v, %v\n%s\n%s", seed, m, a, err, text, enginetest.Text(p))
		}
		n["accepted"]++
		first := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		for range 20 {
			lines := change(rng, first)
			if slices.Equal(lines, first) {
				continue
			}
			a, err := Certify(ctx, strings.NewReader(strings.Join(lines, "\n")+"\n"), p)
			if err != nil {
				n["changed and refused"]++
				continue
			}
			n["changed and accepted"]++
			if a.Model != memory.TSO && a.Model != memory.SC && a.Model != memory.PSO {
				continue
			}
			if r, err := explore.Check(ctx, p, explore.Options{Model: a.Model}); err != nil || r.Safe() {
				t.Fatalf("seed %d: %v, %v\n%s", seed, r, err, strings.Join(lines, "\n"))
			}
		}
	}
	t.Log(n)
	if n["accepted"] < 10 {
		t.Error("hardly anything was accepted")
	}
}

// TestExecutionRefused: executions, written by hand, of a program that is safe.
func TestExecutionRefused(t *testing.T) {
	p := enginetest.Parse(t, "p.imp", `program P variables x = 0, y = 0
process P local r begin x := 1; fence; r := y end
process Q local r begin y := 1; fence; r := x end
exists P.r = 0 & Q.r = 0`)
	const execution = "initial 0\ninitial 1\nthread 0\nwrite 0 1 1\nfence\nread 1 0 1\nthread 1\nwrite 1 1 1\nfence\nread 0 0 0\nend\n"
	for what, c := range map[string][3]string{
		"it is forbidden":                     {"", "", "the execution violates"},
		"without a fence":                     {"fence\nread 1 0 1", "read 1 0 1", "thread P does not do that"},
		"a read of what is not there":         {"read 1 0 1", "read 1 0 9", "there is no event"},
		"a read of another value":             {"read 1 0 1", "read 1 0 5", "cannot read from"},
		"a read of another address":           {"read 1 0 1", "read 1 0 0", "cannot read from"},
		"a read of another address that fits": {"read 1 0 1", "read 0 0 0", "thread P does not do that"},
		"a store of another value":            {"write 0 1 1", "write 0 2 1", "thread P does not do that"},
		"before the initial write":            {"write 0 1 1", "write 0 1 0", "cannot come behind"},
		"behind what is not there":            {"write 0 1 1", "write 0 1 2", "cannot come behind"},
		"half of a thread":                    {"\nfence\nread 0 0 0", "", "violates nothing"},
		"without an initial write":            {"initial 1\n", "", "no initial write"},
		"nothing":                             {execution, "end\n", "violates nothing"},
		"no end":                              {"end\n", "", "no end"},
		"something after the end":             {"end\n", "end\nend\n", "no part"},
		"threads in another order":            {"thread 1", "thread 0", "no part"},
		"what is allowed":                     {"read 1 0 1", "read 1 1 5", "violates nothing"},
	} {
		text := fmt.Sprintf("%sprogram %s\nmodel tso\n%s", executionLine, program.Fingerprint(p), strings.Replace(execution, c[0], c[1], 1))
		_, err := Certify(context.Background(), strings.NewReader(certify.Magic+"\n"+text), p)
		if err == nil || !strings.Contains(err.Error(), c[2]) {
			t.Errorf("%s: %v, want %q", what, err, c[2])
		}
	}
}
