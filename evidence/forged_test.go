package evidence

import (
	"context"
	"fmt"
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

// harmless is p with properties and assertions that look at the same and are never violated.
func harmless(p *program.Program) *program.Program {
	q := *p
	never := func(e program.Expr, yes bool) program.Expr {
		if yes {
			return program.Binary{Op: program.LogicalOr, X: program.Const(1), Y: e}
		}
		return program.Binary{Op: program.LogicalAnd, X: program.Const(0), Y: e}
	}
	q.Properties = slices.Clone(p.Properties)
	for i := range q.Properties {
		q.Properties[i].Cond = never(q.Properties[i].Cond, q.Properties[i].Kind == program.Forall)
	}
	q.Threads = nil
	for _, t := range p.Threads {
		n := *t
		n.Edges = slices.Clone(t.Edges)
		for i := range n.Edges {
			if c := &n.Edges[i].Cmd; c.Op == program.Assert {
				c.Value = never(c.Value, true)
			}
			c := &n.Edges[i].Cmd
			c.Body = slices.Clone(c.Body)
			for k := range c.Body {
				if c.Body[k].Op == program.Assert {
					c.Body[k].Value = never(c.Body[k].Value, true)
				}
			}
		}
		q.Threads = append(q.Threads, &n)
	}
	return &q
}

// TestForgedSets: what a program reaches that is not safe is a set that is closed under its steps, but for those that
// fail. It is no certificate; nor is it one without any one of its arcs, local states or values, or with one more
// node that leads elsewhere.
func TestForgedSets(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(5, 5))
	n := map[string]int{}
	for seed := range uint64(*programs) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 91)), randprog.Options{CountLoop: 1, Assert: 1, Lock: int(seed%2)*2 - 1, Threads: randprog.Two, Commands: randprog.Range{Min: 2, Max: 4}})
		for _, b := range []abstract.Buffer{abstract.None{}, abstract.FIFO{}, abstract.Set{}, abstract.Coherence{K: 1}} {
			model := memory.TSO
			if b.Immediate() {
				model = memory.SC
			}
			r, err := explore.Check(ctx, p, explore.Options{Model: model, MemoryLimit: 1 << 28})
			if err != nil || !r.Unsafe() {
				continue
			}
			few, cancel := context.WithTimeout(ctx, time.Second)
			q := harmless(p)
			_, set, err := symbolic.Saturation(few, q, b, symbolic.Search{})
			cancel()
			if err != nil || set == nil {
				continue
			}
			text, err := proved(ctx, q, model, set)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(q))
			}
			lines := strings.Split(strings.TrimSuffix(strings.Replace(text, program.Fingerprint(q), program.Fingerprint(p), 1), "\n"), "\n")
			refuse := func(what string, lines []string) {
				n[what]++
				if a, err := Certify(ctx, strings.NewReader(strings.Join(lines, "\n")+"\n"), p); err == nil {
					t.Fatalf("seed %d: %s: accepted, since %s:\n%s\n%s", seed, what, a.Because, strings.Join(lines, "\n"), enginetest.Text(p))
				}
			}
			refuse("the set", lines)
			for i, l := range lines {
				words := strings.Fields(l)
				if i < 5 || len(lines) > 60 && rng.IntN(len(lines)) > 60 {
					continue
				}
				changed := slices.Clone(lines)
				switch words[0] {
				case "node":
					for k := 1; k+1 < len(words) && len(words) > 3; k += 2 {
						changed[i] = strings.Join(slices.Delete(slices.Clone(words), k+1, min(k+3, len(words))), " ")
						refuse("an arc less", changed)
					}
					for k := 3; k < len(words); k += 2 {
						other := slices.Clone(words)
						other[k] = words[3]
						changed[i] = strings.Join(other, " ")
						refuse("an arc that leads elsewhere", changed)
					}
				case "local":
					for k := 1; k < len(words); k++ {
						other := slices.Clone(words)
						other[k] = fmt.Sprint(rng.IntN(4))
						changed[i] = strings.Join(other, " ")
						refuse("another local state", changed)
					}
				case "cell", "lock":
					changed[i] = strings.Join(words[:len(words)-1], " ")
					refuse("a value less", changed)
				}
			}
		}
	}
	t.Log(n)
	if n["the set"] < 5 || n["an arc less"] == 0 || n["another local state"] == 0 {
		t.Error("too little was tried")
	}
}

// TestForgedCounts: no number of states makes a search of a program one that shows something that is not so.
func TestForgedCounts(t *testing.T) {
	ctx := context.Background()
	n := map[string]int{}
	for seed := range uint64(*programs) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 92)), randprog.Options{CountLoop: 1, Assert: 1, Lock: -1, Threads: randprog.Two, Commands: randprog.Range{Min: 2, Max: 3}})
		try := func(model, buffer, shows string) {
			for k := 1; k < 400; k += 1 + k/8 {
				text := fmt.Sprintf("%s\nprogram %s\nmodel %s\nbuffer %s\n%s %d\n", certify.Magic, program.Fingerprint(p), model, buffer, shows, k)
				n[buffer]++
				if a, err := Certify(ctx, strings.NewReader(text), p); err == nil {
					t.Fatalf("seed %d: accepted, since %s:\n%s\n%s", seed, a.Because, text, enginetest.Text(p))
				}
			}
		}
		for _, m := range []memory.Model{memory.SC, memory.TSO} {
			r, err := explore.Check(ctx, p, explore.Options{Model: m, MemoryLimit: 1 << 28})
			if err != nil || !r.Unsafe() {
				continue
			}
			for _, b := range []string{"none", "fifo", "set", "multiset:2", "coherence:1", "robust"} {
				if m == memory.TSO || b != "robust" {
					try(string(m), b, certify.Safe)
				}
			}
		}
		if r, err := robust.Check(ctx, p, robust.Options{}); err == nil && r.Verdict() == verdict.IsUnsafe {
			try("tso", "robust", certify.Robust)
		}
	}
	t.Log(n)
	if len(n) < 6 {
		t.Error("not all buffers were tried")
	}
}
