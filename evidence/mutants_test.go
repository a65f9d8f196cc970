package evidence

import (
	"context"
	"errors"
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
	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/symbolic"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var changed = flag.Int("changed", 3000, "changed certificates for TestMutants")

// seeds is a certificate of each form for p, which is safe under TSO.
func seeds(t testing.TB, p *program.Program) (all []string) {
	t.Helper()
	ctx := context.Background()
	add := func(text string, err error) {
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Certify(ctx, strings.NewReader(text), p); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		all = append(all, text)
	}
	for _, b := range []string{"fifo", "set", "multiset:1", "coherence:1", "none"} {
		add(searched(ctx, p, b, certify.Safe))
	}
	for _, shows := range []string{certify.Safe, certify.Robust} {
		if text, err := searched(ctx, p, "robust", shows); err == nil {
			add(text, nil)
		}
	}
	for _, b := range []abstract.Buffer{abstract.Set{}, abstract.Coherence{K: 1}, abstract.FIFO{}} {
		y, err := symbolic.New(ctx, p, b, symbolic.Options{})
		if err == nil {
			found, err := symbolic.IC3(ctx, y, symbolic.Search{})
			if err != nil || found.Invariant == nil {
				t.Fatal(found, err)
			}
			add(proved(ctx, p, memory.TSO, found.Invariant))
			continue
		}
		_, set, err := symbolic.Saturation(ctx, p, b, symbolic.Search{})
		if errors.Is(err, symbolic.ErrUnsupported) {
			continue
		}
		if err != nil || set == nil {
			t.Fatal(set, err)
		}
		add(proved(ctx, p, memory.TSO, set))
	}
	r, err := bmc.Check(ctx, p, bmc.Options{Proofs: true, Unroll: 2})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Refutations) > 0 {
		var b strings.Builder
		err = Certificate(ctx, &b, r, 0)
		add(b.String(), err)
	}
	return all
}

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
	switch r.IntN(10) {
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
	case 7: // one of the words that say what is meant
		words[i] = pick([]string{"sc", "tso", "none", "fifo", "set", "multiset", "multiset:2", "coherence:2", "robust", "safe", "diagram", "lock", "cell", "thread", "local", "node"})
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

// recount makes what a certificate says of its length right again, so that what else is wrong with
// it comes to light.
func recount(lines []string) []string {
	lines = slices.Clone(lines)
	nodes, file := 1, -1
	for i, l := range lines {
		switch {
		case strings.HasPrefix(l, "node "):
			nodes++
		case strings.HasPrefix(l, "end "):
			lines[i] = fmt.Sprint("end ", nodes)
		}
	}
	for i := 2; i <= len(lines) && lines[1]+"\n" == formulasLine; i++ {
		if i < len(lines) && !strings.HasPrefix(lines[i], "file ") {
			continue
		}
		if words := []string(nil); file > 0 {
			if words = strings.Fields(lines[file]); len(words) == 3 {
				words[2] = fmt.Sprint(len(strings.Join(lines[file+1:i], "\n")) + 1)
				lines[file] = strings.Join(words, " ")
			}
		}
		file = i
	}
	return lines
}

// holds is whether a certificate that was accepted for p is right, by other means: engines say the
// same; the states of random runs are in a diagram.
func holds(p *program.Program, a *Accepted, lines []string) error {
	ctx := context.Background()
	if a.Shows == certify.Robust || a.Buffer == "robust" {
		if r, err := robust.Check(ctx, p, robust.Options{}); err != nil || r.Verdict() != verdict.IsSafe {
			return fmt.Errorf("it is not robust: %v", err)
		}
	}
	if r, err := explore.Check(ctx, p, explore.Options{Model: a.Model}); err != nil || a.Shows != certify.Robust && r.Unsafe() {
		return fmt.Errorf("it is not safe under %s: %v", a.Model, err)
	}
	if a.Buffer == "" || a.Buffer == "robust" {
		return nil
	}
	b, err := abstract.ParseBuffer(a.Buffer)
	if err == nil && lines[4] == "diagram" {
		err = walks(p, b, lines)
	}
	return err
}

// walks is whether a diagram has the states of random runs, buffers disregarded.
func walks(p *program.Program, b abstract.Buffer, lines []string) error {
	type arc struct{ to, local int }
	var levels [][]string // what a value is, in words
	nodes := make([][]arc, 2)
	thread := 0
	for _, l := range lines {
		w := strings.Fields(l)
		switch w[0] {
		case "lock":
			var values []string
			for _, v := range w[1:] {
				values = append(values, "lock "+v)
			}
			levels = append(levels, values)
		case "cell":
			var values []string
			for _, v := range w[2:] {
				values = append(values, "cell "+w[1]+" "+v)
			}
			levels = append(levels, values)
		case "thread":
			thread, _ = strconv.Atoi(w[1])
			levels = append(levels, nil)
		case "local":
			k := len(levels) - 1
			levels[k] = append(levels[k], fmt.Sprint("thread ", thread, " ", strings.Join(w[1:2+len(p.Threads[thread].Regs)], " ")))
		case "node":
			var arcs []arc
			for i := 2; i < len(w); i += 2 {
				v, _ := strconv.Atoi(w[i])
				to, _ := strconv.Atoi(w[i+1])
				arcs = append(arcs, arc{to, v})
			}
			nodes = append(nodes, arcs)
		}
	}
	r, err := program.Analyse(p)
	if err != nil {
		return err
	}
	x, err := abstract.New(p, r, b, 0)
	if err != nil {
		return err
	}
	lives := make([][]program.RegSet, len(p.Threads))
	for t := range p.Threads {
		lives[t] = flow.Live(p, t, false)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	s := x.NewState()
	for range 40 {
		x.Initial(s)
		for range 60 {
			facts := map[string]bool{fmt.Sprint("lock ", s.Lock+1): true}
			for i, c := range r.Cells {
				facts[fmt.Sprint("cell ", c.Addr, " ", s.Mem[i])] = true
			}
			for t, q := range s.PC {
				text := fmt.Sprint("thread ", t, " ", q)
				for reg, v := range s.Regs[t] {
					if !lives[t][q].Has(reg) {
						v = p.Threads[t].Regs[reg].Init
					}
					text += fmt.Sprint(" ", v)
				}
				facts[text] = true
			}
			here := map[int]bool{len(nodes) - 1: true}
			for k := len(levels); k > 0; k-- {
				next := map[int]bool{}
				for n := range here {
					for _, a := range nodes[n] {
						if facts[levels[k-1][a.local]] {
							next[a.to] = true
						}
					}
				}
				here = next
			}
			if len(here) == 0 {
				return fmt.Errorf("a run comes to %v, which it does not have", facts)
			}
			var events []abstract.Event
			for t := range s.PC {
				for i := range x.Flushes(s, t) {
					events = append(events, abstract.Event{Thread: t, Edge: abstract.Flush, Choice: int64(i)})
				}
				for _, e := range x.Out(t, s.PC[t]) {
					for c := range x.Choices(t, e) {
						events = append(events, abstract.Event{Thread: t, Edge: e, Choice: c})
					}
				}
			}
			if len(events) == 0 {
				break
			}
			n := x.NewState()
			n.Copy(s)
			if x.Step(n, events[rng.IntN(len(events))]) == abstract.Done {
				s = n
			}
		}
	}
	return nil
}

const deadlocking = `program D
variables x = 0, y = 0
process P local r begin x := 1; FENCE; lock; r := y; y := 1; unlock; await x = 1 end
process Q local r begin y := 1; fence; lock; r := x; UNLOCK; await y = 1 end
forbid deadlock`

// TestMutants changes certificates of all forms. What is accepted must be right by other means.
// Nothing is accepted for a program that is not safe, whose certificate is that of the
// other one, so that not even half of it would have to be changed.
func TestMutants(t *testing.T) {
	type pair struct {
		safe, unsafe *program.Program
		texts        []string
	}
	parse := func(text string, old ...string) *program.Program {
		return enginetest.Parse(t, "p.imp", strings.NewReplacer(old...).Replace(text))
	}
	pairs := []*pair{
		{safe: parse(storeBuffering, "FENCE", "fence"), unsafe: parse(storeBuffering, "FENCE", "skip")},
		{safe: enginetest.Example(t, "dekker-simple-fenced.imp", 0), unsafe: enginetest.Example(t, "dekker-simple.imp", 0)},
		{safe: parse(deadlocking, "FENCE", "fence", "UNLOCK", "unlock"), unsafe: parse(deadlocking, "FENCE", "fence", "UNLOCK", "skip")},
	}
	for _, pr := range pairs {
		pr.texts = seeds(t, pr.safe)
		if r, err := explore.Check(t.Context(), pr.unsafe, explore.Options{}); err != nil || !r.Unsafe() {
			t.Fatal(r, err)
		}
	}
	ctx := context.Background()
	refused, accepted := map[string]int{}, map[string]int{}
	rng := rand.New(rand.NewPCG(9, 9))
	for n := range *changed {
		pr := pairs[rng.IntN(len(pairs))]
		first := strings.Split(strings.TrimSuffix(pr.texts[n%len(pr.texts)], "\n"), "\n")
		form := "formulas"
		if first[1] != form {
			form = first[3] + ", " + strings.Fields(first[4])[0]
		}
		lines := change(rng, first)
		if rng.IntN(2) == 0 {
			lines = change(rng, lines)
		}
		if rng.IntN(4) > 0 {
			lines = recount(lines)
		}
		if slices.Equal(lines, first) || len(lines) < 5 {
			continue
		}
		text := strings.Join(lines, "\n") + "\n"
		few, cancel := context.WithTimeout(ctx, 20*time.Second)
		if a, err := Certify(few, strings.NewReader(text), pr.safe); err != nil {
			refused[form]++
		} else {
			accepted[form]++
			if err := holds(pr.safe, a, lines); err != nil {
				t.Fatalf("%s: accepted, but %v:\n%s", form, err, text)
			}
		}
		mutant := strings.Replace(text, program.Fingerprint(pr.safe), program.Fingerprint(pr.unsafe), 1)
		if a, err := Certify(few, strings.NewReader(mutant), pr.unsafe); err == nil && (a.Model == memory.TSO && a.Shows != certify.Robust || holds(pr.unsafe, a, lines) != nil) {
			t.Fatalf("accepted for a program that is not safe, since %s:\n%s", a.Because, mutant)
		}
		cancel()
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
		for n := 0; tried < 40 && n < 1000 && lines[1]+"\n" != formulasLine; n++ {
			at := 3 + rng.IntN(len(lines)-3)
			words := strings.Fields(lines[at])
			if len(words) == 0 {
				continue
			}
			i := rng.IntN(len(words))
			if _, err := strconv.Atoi(words[i]); err != nil || strings.HasPrefix(words[i], "-") {
				continue
			}
			tried++
			words[i] = []string{"0", "+", "00"}[rng.IntN(3)] + words[i]
			changed := slices.Clone(lines)
			changed[at] = strings.Join(words, " ")
			if _, err := Certify(context.Background(), strings.NewReader(strings.Join(changed, "\n")+"\n"), safe); err == nil {
				t.Errorf("%s, %s: accepted with %q", lines[3], lines[4], changed[at])
			}
		}
	}
}

// FuzzCertify reads certificates of all forms for a program that is safe and for one
// that is not. Nothing makes the checker panic, and nothing shows that the second is
// safe.
func FuzzCertify(f *testing.F) {
	safe := enginetest.Parse(f, "p.imp", strings.Replace(storeBuffering, "FENCE", "fence", 1))
	unsafe := enginetest.Parse(f, "p.imp", strings.Replace(storeBuffering, "FENCE", "skip", 1))
	for _, text := range seeds(f, safe) {
		f.Add(strings.SplitN(text, "\n", 4)[3]) // as many as head has
	}
	head := func(p *program.Program) string {
		return certify.Magic + "\nprogram " + program.Fingerprint(p) + "\nmodel tso\n"
	}
	f.Fuzz(func(t *testing.T, body string) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		Certify(ctx, strings.NewReader(head(safe)+body), safe)
		Certify(ctx, strings.NewReader(certify.Magic+"\n"+formulasLine+body), safe)
		if a, err := Certify(ctx, strings.NewReader(head(unsafe)+body), unsafe); err == nil && a.Shows == certify.Safe {
			t.Errorf("accepted for a program that is not safe:\n%s", body)
		}
	})
}
