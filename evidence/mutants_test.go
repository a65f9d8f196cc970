package evidence

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
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
	"github.com/fencepost-verifier/fencepost/symbolic"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var changed = flag.Int("changed", 3000, "changed certificates for TestMutants")

// change changes one thing in a text, whatever it says.
func change(r *rand.Rand, lines []string) []string {
	lines = slices.Clone(lines)
	at := r.IntN(len(lines))
	words := strings.Fields(lines[at])
	other := strings.Fields(lines[r.IntN(len(lines))])
	pick := func(ws []string) string { return ws[r.IntN(len(ws))] }
	if len(words) == 0 || len(other) == 0 {
		return lines
	}
	i := r.IntN(len(words))
	switch r.IntN(9) {
	case 0:
		return slices.Delete(lines, at, at+1)
	case 1:
		return slices.Insert(lines, r.IntN(len(lines)), lines[at])
	case 2:
		words = slices.Delete(words, i, i+1)
	case 3:
		words = slices.Insert(words, i, pick(other))
	case 4:
		words[i] = pick(other)
	case 5:
		words[i] = pick(words)
	case 6: // a literal is negated
		if bare, ok := strings.CutPrefix(words[i], "!"); ok {
			words[i] = bare
		} else {
			words[i] = "!" + words[i]
		}
	default:
		for range 10 {
			if n, err := strconv.Atoi(words[i]); err == nil {
				words[i] = strconv.Itoa(n + 1 - 2*r.IntN(2))
				break
			}
			i = r.IntN(len(words))
		}
	}
	lines[at] = strings.Join(words, " ")
	return lines
}

// recount makes the number of clauses or states right again, so that what else is wrong with
// a certificate comes to light.
func recount(lines []string) []string {
	clauses, states := 0, 0
	for _, l := range lines {
		if strings.HasPrefix(l, "clause") {
			clauses++
		}
		if strings.HasPrefix(l, "s ") {
			states++
		}
	}
	lines = slices.Clone(lines)
	for i, l := range lines {
		if strings.HasPrefix(l, "states ") {
			lines[i] = fmt.Sprint("states ", states)
		}
		if strings.HasPrefix(l, "end ") && clauses > 0 {
			lines[i] = fmt.Sprint("end ", clauses)
		}
	}
	return lines
}

// holds is whether a certificate that was accepted for p is right, by other means: a set of
// states has all of the first one, which are those that can be reached; an invariant is one
// for package symbolic, which has another way of making steps, and a solver.
func holds(t *testing.T, p *program.Program, first, lines []string) error {
	t.Helper()
	text := strings.Join(lines, "\n") + "\n"
	head := func(lines []string) (hs []string) {
		for _, l := range lines {
			if strings.HasPrefix(l, "buffer ") || strings.HasPrefix(l, "dead ") {
				hs = append(hs, l)
			}
		}
		slices.Sort(hs)
		return slices.Compact(hs)
	}
	if strings.HasPrefix(lines[4], "cells") {
		if !slices.Equal(head(first), head(lines)) {
			return nil // other buffers or dead registers make other states
		}
		for _, l := range first {
			if !strings.HasPrefix(l, "states ") && !slices.ContainsFunc(lines, func(k string) bool { return slices.Equal(strings.Fields(l), strings.Fields(k)) }) {
				return fmt.Errorf("there is no %q", l)
			}
		}
		return nil
	}
	_, err := symbolically(context.Background(), text, p)
	return err
}

// TestMutants changes certificates of all forms. What is accepted must be right by other means:
// of sets of states it is what comes in another order, or says twice that a register is dead; of
// invariants, too, a clause that is weaker or stronger and still kept, one that is not
// needed, a value, a pair or a state in the middle of steps that nothing comes to.
// Nothing is accepted for a program that is not safe, whose certificate is that of the
// other one, so that not even half of it would have to be changed.
func TestMutants(t *testing.T) {
	safe := enginetest.Parse(t, "p.imp", strings.Replace(storeBuffering, "FENCE", "fence", 1))
	unsafe := enginetest.Parse(t, "p.imp", strings.Replace(storeBuffering, "FENCE", "skip", 1))
	ctx := context.Background()
	refused, accepted := map[string]int{}, map[string]int{}
	rng := rand.New(rand.NewPCG(9, 9))
	texts := seeds(t, safe)
	for n := range *changed {
		text := texts[n%len(texts)]
		first := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		form := first[3] + ", " + strings.Fields(first[4])[0]
		lines := change(rng, first)
		if rng.IntN(2) == 0 {
			lines = recount(lines)
		}
		if slices.Equal(lines, first) || len(lines) < 6 {
			continue
		}
		if _, err := Certify(ctx, strings.NewReader(strings.Join(lines, "\n")+"\n"), safe); err != nil {
			refused[form]++
		} else {
			accepted[form]++
			if err := holds(t, safe, first, lines); err != nil {
				t.Fatalf("%s: accepted, but %v:\n%s", form, err, strings.Join(lines, "\n"))
			}
		}
		mutant := strings.Replace(strings.Join(lines, "\n")+"\n", certify.Fingerprint(safe), certify.Fingerprint(unsafe), 1)
		if a, err := Certify(ctx, strings.NewReader(mutant), unsafe); err == nil {
			t.Fatalf("accepted for a program that is not safe, since %s:\n%s", a.Because, mutant)
		}
	}
	for _, form := range slices.Sorted(maps.Keys(refused)) {
		t.Logf("%-30s refused %d, accepted and right %d", form, refused[form], accepted[form])
	}
}

// TestNumbers: a number that is written in another way is refused, in certificates of all forms.
func TestNumbers(t *testing.T) {
	safe := enginetest.Parse(t, "p.imp", strings.Replace(storeBuffering, "FENCE", "fence", 1))
	rng := rand.New(rand.NewPCG(2, 2))
	for _, text := range seeds(t, safe) {
		lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
		tried := 0
		for n := 0; tried < 40 && n < 1000; n++ {
			at := 3 + rng.IntN(len(lines)-3)
			words := strings.Fields(lines[at])
			if len(words) == 0 {
				continue
			}
			i := rng.IntN(len(words))
			if _, err := strconv.Atoi(words[i]); err != nil {
				continue
			}
			tried++
			words[i] = []string{"0", "+", "00"}[rng.IntN(3)] + words[i]
			if strings.Contains(words[i], "-") {
				continue
			}
			changed := slices.Clone(lines)
			changed[at] = strings.Join(words, " ")
			if _, err := Certify(context.Background(), strings.NewReader(strings.Join(changed, "\n")+"\n"), safe); err == nil {
				t.Errorf("%s, %s: accepted with %q", lines[3], lines[4], changed[at])
			}
		}
		if tried == 0 {
			t.Errorf("%s, %s: no number", lines[3], lines[4])
		}
	}
}

// TestRandomCertificates: what engines prove of random programs is accepted, and by
// package certify alone where it is a set of states or an inductive invariant. With the fingerprint of
// another program it is not, unless that one is safe as well.
func TestRandomCertificates(t *testing.T) {
	ctx := context.Background()
	forms := map[string]int{}
	var before string
	var of *program.Program
	for seed := range uint64(*programs / 3) {
		opt := randprog.Options{CountLoop: 1, WaitLoop: 1, Assert: 1, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 5}}
		if seed%4 == 3 {
			opt.StoreLoop = 1
		}
		p := randprog.New(rand.New(rand.NewPCG(seed, 33)), opt)
		truth, err := explore.Check(ctx, p, explore.Options{Model: memory.TSO, MemoryLimit: 1 << 28, Buffer: 6})
		if err != nil {
			t.Fatal(err)
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
			case err == nil && truth.Unsafe() && a.Model == memory.TSO:
				t.Fatalf("seed %d: %s: accepted, and the program is not safe\n%s\n%s", seed, what, text, enginetest.Text(p))
			}
			if err == nil && a.Trusting != "" {
				forms["trusting others, since a register or cell has too many values"]++
			} else if err == nil {
				forms[what]++
			}
		}
		if before != "" {
			try("", strings.Replace(before, certify.Fingerprint(of), certify.Fingerprint(p), 1))
		}
		if !truth.Safe() {
			continue
		}
		for _, b := range []abstract.Buffer{abstract.FIFO{}, abstract.Set{}, abstract.Coherence{K: 1}} {
			var w strings.Builder
			if err := Certificate(ctx, &w, proved(p, b), closed); err == nil {
				try(abstract.Name(b), w.String())
				before, of = w.String(), p
			}
		}
		for i, b := range []abstract.Buffer{abstract.Set{}, abstract.Coherence{K: 1}, abstract.None{}} {
			model := memory.TSO
			if b.Immediate() {
				model = memory.SC
			}
			y, err := symbolic.New(ctx, p, b, symbolic.Options{SingleSteps: (int(seed)+i)%3 == 0})
			if err != nil {
				continue
			}
			ic3, cancel := context.WithTimeout(ctx, time.Second)
			found, err := symbolic.IC3(ic3, y, symbolic.Search{})
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			if found.Invariant == nil {
				continue
			}
			if slices.ContainsFunc(p.Properties, func(pr program.Property) bool { return pr.Kind == program.Deadlock }) {
				continue
			}
			var w strings.Builder
			if err := Certificate(ctx, &w, verdict.Safe(p, model, verdict.InductiveInvariant, found.Invariant), closed); err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
			}
			try("ic3 "+abstract.Name(b), w.String())
			if strings.Contains(w.String(), "\nlemma ") {
				forms["with lemmas"]++
			}
			before, of = w.String(), p
		}
	}
	for _, form := range slices.Sorted(maps.Keys(forms)) {
		t.Logf("%-30s %d", form, forms[form])
	}
}
