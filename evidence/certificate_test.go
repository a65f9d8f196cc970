package evidence

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/certify"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/symbolic"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// searched is the certificate of a search of p; "" where that finds something.
func searched(ctx context.Context, p *program.Program, buffer, shows string) (string, error) {
	model := "tso"
	if buffer == "none" {
		model = "sc"
	}
	var b strings.Builder
	err := certify.Search(ctx, &b, p, model, buffer, shows, 1<<28)
	return b.String(), err
}

// proved is the certificate of a proof, which has to be accepted in its own form.
func proved(ctx context.Context, p *program.Program, m memory.Model, pr verdict.Proof) (string, error) {
	var b strings.Builder
	c := &certificate{ctx, verdict.Safe(p, m, verdict.InductiveInvariant, pr), 1 << 28}
	err := c.proof(&b)
	return b.String(), err
}

// buffers are abstractions that prove examples.
var buffers = map[string]string{
	"thesis/fig3.3.imp":   "set",
	"peterson-fenced.imp": "coherence:2",
	"dekker-fenced.imp":   "multiset:2",
	"thesis/fig3.7.imp":   "fifo",
	"dekker.imp":          "none",
	"mcs-lock.imp":        "robust",
}

// TestSearches: a certificate of a search is accepted, and none in which something is changed, nor for another program.
func TestSearches(t *testing.T) {
	ctx := context.Background()
	for file, buffer := range buffers {
		p := enginetest.Example(t, file, 0)
		text, err := searched(ctx, p, buffer, certify.Safe)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		a, err := Certify(ctx, strings.NewReader(text), p)
		if err != nil || a.Shows != certify.Safe || a.Buffer != buffer {
			t.Errorf("%s: %+v, %v", file, a, err)
		}
		for what, change := range map[string][2]string{
			"a number more":   {"\nsafe ", "\nsafe 1"},
			"no number":       {"\nsafe ", "\nsafe x"},
			"other words":     {"\nsafe ", "\nunsafe "},
			"a robust one":    {"\nsafe ", "\nrobust 1"},
			"another model":   {"model tso", "model pso"},
			"sc":              {"model tso", "model sc"},
			"tso":             {"model sc", "model tso"},
			"other buffers":   {"buffer ", "buffer x"},
			"something after": {text, text + "x\n"},
			"an older format": {certify.Magic, "fencepost certificate 2"},
		} {
			mutant := strings.Replace(text, change[0], change[1], 1)
			if _, err := Certify(ctx, strings.NewReader(mutant), p); err == nil && mutant != text {
				t.Errorf("%s: %s: accepted", file, what)
			}
		}
		if _, err := Certify(ctx, strings.NewReader(text), enginetest.Example(t, "turn.imp", 0)); err == nil {
			t.Errorf("%s: accepted for another program", file)
		}
	}
}

// TestUnsafeHasNoCertificate: nothing is written for results that are not a
// proof, and no form is of use to an unsafe program.
func TestUnsafeHasNoCertificate(t *testing.T) {
	p := enginetest.Example(t, "peterson.imp", 0)
	ctx := context.Background()
	r, err := explore.Check(ctx, p, explore.Options{})
	if err != nil || !r.Unsafe() {
		t.Fatalf("%v, %v", r, err)
	}
	if err := Certificate(ctx, &strings.Builder{}, r, 0); err == nil {
		t.Error("a certificate for an unsafe program")
	}
	for _, b := range []string{"fifo", "set", "multiset:1", "coherence:3"} {
		r := verdict.Safe(p, memory.TSO, verdict.Closed, nil)
		r.Abstraction = b
		if err := Certificate(ctx, &strings.Builder{}, r, 0); err == nil {
			t.Errorf("%s: a certificate for an unsafe program that was said to be safe", b)
		}
	}
	for _, b := range []string{"robust", "fifo", "set"} {
		if text, err := searched(ctx, p, b, certify.Safe); err == nil {
			t.Errorf("%s: %s", b, text)
		}
	}
}

// TestCertifyRefuses looks at headers that promise what is not so.
func TestCertifyRefuses(t *testing.T) {
	p := enginetest.Example(t, "turn.imp", 0)
	head := certify.Magic + "\nprogram " + program.Fingerprint(p) + "\nmodel tso\n"
	for _, text := range []string{"", "x", head, head + "buffer none\n", head + "buffer multiset<=3\n", head + "buffer pso\n", head + "buffer set\nsafe\n",
		head + "buffer set\nsafe 99999999999\n", head + "buffer set\nrobust 3\n", head + "buffer set\nsteps large\n", head + "buffer set\ndiagram large\n", head + "buffer robust\ndiagram\nend 1\n",
		head + "buffer multiset\ndiagram\nend 1\n", certify.Magic + "\n" + formulasLine, certify.Magic + "\n" + formulasLine + "file x -1\n",
		strings.Replace(head, "tso", "pso", 1) + "buffer set\n"} {
		if _, err := Certify(context.Background(), strings.NewReader(text), p); err == nil {
			t.Errorf("accepted: %q", text)
		} else {
			t.Log(err)
		}
	}
}

// TestRobustCertificates: random programs have a certificate that they are robust where package robust
// says so, and that they are safe since they are robust only where they are.
func TestRobustCertificates(t *testing.T) {
	ctx := context.Background()
	n := map[string]int{}
	for seed := range uint64(4 * *programs) {
		opt := randprog.Options{CountLoop: 1, WaitLoop: 1, StoreLoop: int(seed % 2), Assert: 1, Lock: -1, Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 6}}
		p := randprog.New(rand.New(rand.NewPCG(seed, 77)), opt)
		want, err := robust.Check(ctx, p, robust.Options{MemoryLimit: 1 << 28})
		if err != nil {
			continue // a fault
		}
		text, err := searched(ctx, p, "robust", certify.Robust)
		if want.Verdict() == verdict.IsUnknown {
			continue
		}
		if (want.Verdict() == verdict.IsSafe) != (err == nil) {
			t.Fatalf("seed %d: %v, %v\n%s", seed, want.Verdict(), err, enginetest.Text(p))
		}
		n[want.Verdict().String()]++
		if err == nil {
			if a, err := Certify(ctx, strings.NewReader(text), p); err != nil || a.Shows != certify.Robust {
				t.Fatal(seed, a, err)
			}
		}
		if _, err = searched(ctx, p, "robust", certify.Safe); err == nil {
			truth, err := explore.Check(ctx, p, explore.Options{Model: memory.TSO, MemoryLimit: 1 << 28, Buffer: 6})
			if err != nil || truth.Unsafe() {
				t.Fatalf("seed %d: safe since it is robust, but %v, %v\n%s", seed, truth, err, enginetest.Text(p))
			}
			n["safe"]++
		}
	}
	t.Log(n)
	if n["SAFE"] == 0 || n["UNSAFE"] == 0 || n["safe"] == 0 {
		t.Error("nothing was compared")
	}
}

// TestRandomCertificates: what is proved of random programs is accepted in all forms, and nothing of one that is not
// safe. With the fingerprint of another program it is not accepted, unless that one is safe as well.
func TestRandomCertificates(t *testing.T) {
	ctx := context.Background()
	forms := map[string]int{}
	var before string
	var of *program.Program
	for seed := range uint64(*programs / 2) {
		opt := randprog.Options{CountLoop: 1, WaitLoop: 1, Assert: 1, Deadlock: int(seed % 3), Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 5}}
		if seed%4 == 3 {
			opt.StoreLoop = 1
		}
		p := randprog.New(rand.New(rand.NewPCG(seed, 33)), opt)
		truths := map[memory.Model]*verdict.Result{}
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			r, err := explore.Check(ctx, p, explore.Options{Model: m, MemoryLimit: 1 << 28, Buffer: 6})
			if err != nil {
				t.Fatal(err)
			}
			truths[m] = r
		}
		try := func(what, text string) {
			ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
			defer cancel()
			a, err := Certify(ctx, strings.NewReader(text), p)
			switch {
			case ctx.Err() != nil:
				forms["out of time"]++
				return
			case err != nil && what != "":
				t.Fatalf("seed %d: %s: %v\n%s\n%s", seed, what, err, text, enginetest.Text(p))
			case err == nil && truths[a.Model].Unsafe():
				t.Fatalf("seed %d: %s: accepted, and the program is not safe under %s\n%s\n%s", seed, what, a.Model, text, enginetest.Text(p))
			}
			if err == nil && what != "" {
				forms[what]++
				before, of = text, p
			}
		}
		if before != "" {
			try("", strings.Replace(before, program.Fingerprint(of), program.Fingerprint(p), 1))
		}
		for _, b := range []string{"none", "fifo", "set", "coherence:1", "multiset:1"} {
			few, cancel := context.WithTimeout(ctx, time.Second)
			text, err := searched(few, p, b, certify.Safe)
			cancel()
			if err == nil {
				try(b, text)
			} else if m := memory.TSO; (b == "fifo" || b == "none") && few.Err() == nil {
				if b == "none" {
					m = memory.SC
				}
				if truths[m].Safe() {
					t.Fatalf("seed %d, %s: %v, and the program is safe\n%s", seed, b, err, enginetest.Text(p))
				}
			}
		}
		for i, b := range []abstract.Buffer{abstract.Set{}, abstract.Coherence{K: 1}, abstract.None{}, abstract.FIFO{}} {
			model := memory.TSO
			if b.Immediate() {
				model = memory.SC
			}
			few, cancel := context.WithTimeout(ctx, time.Second)
			if _, set, err := symbolic.Saturation(few, p, b, symbolic.Search{}); err == nil && set != nil {
				text, err := proved(ctx, p, model, set)
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
				}
				try("diagram "+abstract.Name(b), text)
			}
			if y, err := symbolic.New(few, p, b, symbolic.Options{SingleSteps: (int(seed)+i)%3 == 0}); err == nil {
				found, err := symbolic.IC3(few, y, symbolic.Search{})
				if err != nil {
					t.Fatal(err)
				}
				if found.Invariant != nil {
					text, err := proved(ctx, p, model, found.Invariant)
					if err != nil && !strings.Contains(err.Error(), "digits") {
						t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
					}
					if err == nil {
						what := "ic3 " + abstract.Name(b)
						if opt.Deadlock > 0 {
							what += ", with deadlocks"
						}
						try(what, text)
					}
				}
			}
			cancel()
		}
	}
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		t.Logf("%-40s %d", form, forms[form])
	}
	if len(forms) < 9 {
		t.Error(fmt.Sprint("not all forms: ", forms))
	}
}

// TestWideCertificates: what is proved of programs with accesses of several cells is accepted, and nothing of one that is not
// safe; and the checker finds as many states as a search with nothing left out.
func TestWideCertificates(t *testing.T) {
	ctx := context.Background()
	n := map[string]int{}
	for seed := range uint64(2 * *programs) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 61)), randprog.Options{Assert: 1, Havoc: -1, Threads: randprog.Two, Commands: randprog.Range{Min: 2, Max: 4}})
		if !randprog.Widen(rand.New(rand.NewPCG(seed, 62)), p) {
			continue
		}
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			r, err := explore.All(ctx, p, explore.Options{Model: m, MemoryLimit: 1 << 28, Reduction: explore.NoReduction})
			if err != nil {
				t.Fatal(err)
			}
			b := "fifo"
			if m == memory.SC {
				b = "none"
			}
			text, err := searched(ctx, p, b, certify.Safe)
			if (err == nil) != r.Safe() {
				t.Fatalf("seed %d, %s: %s, and the certificate: %v\n%s", seed, m, r.Verdict(), err, enginetest.Text(p))
			}
			n[r.Verdict().String()]++
			if err != nil {
				continue
			}
			if want := fmt.Sprintf("safe %d", r.Stat("states")); !strings.Contains(text, want) {
				t.Fatalf("seed %d, %s: want %s\n%s\n%s", seed, m, want, text, enginetest.Text(p))
			}
			if _, err := Certify(ctx, strings.NewReader(text), p); err != nil {
				t.Fatalf("seed %d, %s: %v\n%s", seed, m, err, enginetest.Text(p))
			}
		}
		for _, b := range []string{"set", "coherence:1", "multiset:1", "robust"} {
			if _, err := searched(ctx, p, b, certify.Safe); err == nil {
				t.Fatalf("seed %d: %s has room for stores of several cells", seed, b)
			}
		}
	}
	t.Log(n)
}

// TestCertificateOfTurnedCounters: where the counters of a ticket lock go round for ever, the states are not visited without a bound.
func TestCertificateOfTurnedCounters(t *testing.T) {
	defer func(n int64) { maxTried = n }(maxTried)
	maxTried = 1 << 20
	for _, bits := range []string{"8", "32"} {
		p := enginetest.Parse(t, "t.imp", strings.ReplaceAll(`program T
variables uintN next = serving = 0
process P[i in 0..1]
  local uintN ticket;
begin
  while true do
    ticket := fetch_add(next, 1);
    await serving = ticket;
cs: skip;
    serving := ticket + 1
  od
end
forbid P[0]@cs & P[1]@cs
`, "N", bits))
		r, err := explore.Check(t.Context(), p, explore.Options{Model: memory.SC})
		if err != nil || !r.Safe() {
			t.Fatal(r, err)
		}
		if r.Stat(verdict.TurnedCounters) != 2 {
			t.Fatal(r.Stats)
		}
		var b strings.Builder
		err = Certificate(t.Context(), &b, r, 0)
		if bits == "8" && err != nil || bits == "32" && (err == nil || !strings.Contains(err.Error(), "go round for ever")) {
			t.Errorf("%s bits: %v", bits, err)
		}
	}
}

// TestAbout: the model that a program is read for is the one that is checked, however the lines are set.
func TestAbout(t *testing.T) {
	const text = "fencepost certificate 3\nprogram x\nmodel sc\nbuffer none\nsafe 1\n"
	for _, s := range []string{text, strings.ReplaceAll(text, "\n", "\n\n\n"), strings.ReplaceAll(text, "\n", "\r\n "), strings.Replace(text, " sc", "  sc ", 1), `{"model": "sc"}`} {
		if m := About([]byte(s)); m != memory.SC {
			t.Errorf("%q of %q", m, s)
		}
	}
	for _, s := range []string{"", "\n\n", "model", "1\n2\n3\n4\nmodel sc\n", `{"model": `} {
		if m := About([]byte(s)); m != "" {
			t.Errorf("%q of %q", m, s)
		}
	}
}
