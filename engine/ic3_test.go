package engine

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/evidence"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestIC3 compares ic3 with explicit search: a proof is one, and so is a run.
func TestIC3(t *testing.T) {
	opt := randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1, Lock: -1, Havoc: -1}
	proofs := 0
	for seed := range uint64(40) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 23)), opt)
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
			r, err := Check(ctx, p, Options{Model: m, Engine: IC3})
			cancel()
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
			}
			want, err := Check(context.Background(), p, Options{Model: m, Engine: Explicit})
			if err != nil {
				t.Fatal(err)
			}
			if r.Conclusive() && r.Verdict() != want.Verdict() {
				t.Fatalf("seed %d, %s: ic3 says %s, explicit %s\n%s", seed, m, r.Verdict(), want.Verdict(), enginetest.Text(p))
			}
			if r.Safe() {
				proofs++
			}
		}
	}
	if proofs < 10 {
		t.Errorf("only %d proofs", proofs)
	}
	p, err := lang.Load("../examples/dekker-simple-fenced.imp", nil)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := Check(t.Context(), p, Options{Engine: IC3}); err != nil || !r.Safe() || r.Abstraction != "set" {
		t.Errorf("dekker-simple-fenced: %+v, %v", r, err)
	}
}

// TestSymbolicEngines names engines and abstractions.
func TestSymbolicEngines(t *testing.T) {
	for _, test := range []struct {
		file        string
		engine      Name
		model       memory.Model
		want        verdict.Verdict
		argument    verdict.Argument
		abstraction string
	}{
		{"dekker-simple-fenced.imp", "ic3", memory.TSO, verdict.IsSafe, verdict.InductiveInvariant, "set"},
		{"dekker-simple-fenced.imp", "ic3:coherence:1", memory.TSO, verdict.IsSafe, verdict.InductiveInvariant, "coherence:1"},
		{"dekker-simple-fenced.imp", "ic3:none", memory.TSO, verdict.IsUnknown, "", ""},
		{"dekker-simple.imp", "ic3", memory.TSO, verdict.IsUnsafe, "", ""},
		{"dekker-simple.imp", "ic3", memory.SC, verdict.IsSafe, verdict.InductiveInvariant, ""},
		{"dekker-simple.imp", "ic3", memory.PSO, verdict.IsUnknown, "", ""},
		{"dekker-simple.imp", "kinduction:set", memory.TSO, verdict.IsUnsafe, "", ""},
		{"message-passing.imp", "ic3", memory.TSO, verdict.IsSafe, verdict.InductiveInvariant, "coherence:1"},
		{"message-passing.imp", "ic3:set", memory.TSO, verdict.IsUnknown, "", ""},
		{"dekker-fenced.imp", "saturation", memory.TSO, verdict.IsSafe, verdict.Diagram, ""},
		{"dekker.imp", "saturation", memory.TSO, verdict.IsUnknown, "", ""},
		{"dekker.imp", "saturation", memory.SC, verdict.IsSafe, verdict.Diagram, ""},
		{"peterson-fenced.imp", "saturation:coherence:2", memory.TSO, verdict.IsSafe, verdict.Closed, "coherence:2"},
		{"peterson-fenced.imp", "saturation:none", memory.TSO, verdict.IsUnknown, "", ""},
		{"thesis/fig3.3.imp", "saturation", memory.TSO, verdict.IsSafe, verdict.Closed, "set"},
		{"sb-ring-fenced.imp", "kinduction", memory.TSO, verdict.IsSafe, verdict.KInductive, "set"},
	} {
		e, err := Lookup(test.engine)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), enginetest.Example(t, test.file, 0), Options{Engine: e.Name, Model: test.model})
		if err != nil {
			t.Fatalf("%s, %s: %v", test.file, test.engine, err)
		}
		if r.Verdict() != test.want || r.Argument() != test.argument || r.Abstraction != test.abstraction || r.Verdict() == verdict.IsUnknown && r.Reason() == "" {
			t.Errorf("%s, %s, %s: %s by %q with %q (%s)", test.file, test.model, test.engine, r.Verdict(), r.Argument(), r.Abstraction, r.Reason())
		}
		if !r.Safe() {
			continue
		}
		var cert strings.Builder
		if err := WriteCertificate(t.Context(), &cert, r, Options{}); err != nil {
			t.Fatal(err)
		}
		c, err := evidence.Certify(t.Context(), strings.NewReader(cert.String()), r.Program())
		if err != nil || c.Because == "" || c.Model != test.model {
			t.Errorf("%s, %s: %+v, %v", test.file, test.engine, c, err)
		}
		for _, change := range [][2]string{{"program ", "program f"}, {"model " + string(test.model), "model pso"}, {"buffer ", "buffer multiset:1 "}, {"fencepost certificate", "x"}, {"\nend", "\nend 3\nend"}, {"\n", "\nk"}} {
			if _, err := evidence.Certify(t.Context(), strings.NewReader(strings.Replace(cert.String(), change[0], change[1], 1)), r.Program()); err == nil {
				t.Errorf("%q instead of %q is accepted", change[1], change[0])
			}
		}
		if test.model == memory.SC {
			if _, err := evidence.Certify(t.Context(), strings.NewReader(strings.Replace(cert.String(), "model sc", "model tso", 1)), r.Program()); err == nil {
				t.Error("a proof for sc is accepted for tso")
			}
		}
	}
	for _, name := range []Name{"ic3:", "ic3:fifo", "ic3:multiset", "kinduction:coherence:17", "ic3:coherence:1 with counts", "induction"} {
		if e, err := Lookup(name); err == nil {
			t.Errorf("%q is %s", name, e.Name)
		}
	}
}
