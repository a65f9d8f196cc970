package bmc_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/encode"
	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestShortcut: where a model from a file has a shortcut, the answers are those of its text.
func TestShortcut(t *testing.T) {
	ctx := context.Background()
	const common = "acyclic po-loc | rf | co | fr\nempty rmw & (fre; coe)\nlet together(r) = block?; (r \\ block); block?\n"
	for m, order := range map[memory.Model]string{
		memory.SC:  "acyclic together(po | rf | co | fr)",
		memory.TSO: "let fence = po; [MFENCE]; po\nirreflexive together(fence | po & (M*X | X*M | W*W | R*M) | rfe | fr | co)+",
		memory.PSO: "let fence = po; [MFENCE]; po | po; [X] | [X]; po | [W]; po; [SFENCE]; po; [W]\nacyclic together(fence | po & R*M | po-loc & W*W | rfe | fre | coe)",
	} {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			file := memory.Model(filepath.Join(t.TempDir(), "my.cat"))
			if err := os.WriteFile(string(file), []byte(common+order), 0o600); err != nil {
				t.Fatal(err)
			}
			d, err := memory.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			opt := randprog.Options{Lock: -1, Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 5}, AddrDep: 30, RMW: 3, Fence: 3, Assert: 1}
			unsafe := 0
			for seed := range uint64(60) {
				rng := rand.New(rand.NewPCG(seed, 29))
				p := randprog.New(rng, opt)
				kinds(p, rng)
				for i := range p.Properties {
					if pr := &p.Properties[i]; pr.Kind == program.Forbid {
						pr.Kind = program.Exists
					}
				}
				if got := encode.Shortcut(ctx, p, d); got != m {
					t.Fatalf("seed %d: the model is %q\n%s", seed, got, enginetest.Text(p))
				}
				want, _, err := bmc.FinalStates(ctx, p, bmc.Options{Model: file, Relational: true})
				if err != nil {
					t.Fatal(err)
				}
				got, r, err := bmc.FinalStates(ctx, p, bmc.Options{Model: file})
				if err != nil || len(got)+len(want) > 0 && !reflect.DeepEqual(got, want) {
					t.Fatalf("seed %d: the shortcut finds\n%v\nthe text\n%v\n%v, %v\n%s", seed, got, want, r, err, enginetest.Text(p))
				}
				text, err := bmc.Check(ctx, p, bmc.Options{Model: file, Relational: true})
				if err != nil {
					t.Fatal(err)
				}
				if r, err = bmc.Check(ctx, p, bmc.Options{Model: file}); err != nil || r.Verdict() != text.Verdict() || r.Model() != file || r.Unsafe() && r.Execution() == nil {
					t.Fatalf("seed %d: %v, %v, and by the text %v\n%s", seed, r, err, text, enginetest.Text(p))
				}
				if r.Unsafe() {
					unsafe++
				}
			}
			if t.Log(unsafe, "unsafe"); unsafe == 0 {
				t.Error("none is unsafe")
			}
		})
	}
}

// kinds gives fences other kinds.
func kinds(p *program.Program, rng *rand.Rand) {
	for _, th := range p.Threads {
		for i := range th.Edges {
			if c := &th.Edges[i].Cmd; c.Op == program.Fence {
				c.Tags = program.NewTags([]string{program.TagMFence, program.TagMFence, program.TagSFence, program.TagLFence}[rng.IntN(4)])
			}
		}
	}
}

var texts = flag.Int("texts", 25, "random models that are asked whether they have a shortcut")

// TestShortcutsOfRandomModels: a model for which a random text has a shortcut has the same final states of random programs,
// found by enumeration.
func TestShortcutsOfRandomModels(t *testing.T) {
	ctx := context.Background()
	opt := randprog.Options{Lock: -1, Atomic: -1, Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2},
		Commands: randprog.Range{Min: 2, Max: 4}, RMW: 3, Fence: 3, Branch: -1, Assign: -1, Havoc: -1}
	rng := rand.New(rand.NewPCG(1, 31))
	found := map[memory.Model]int{}
	compared := 0
	for n := range *texts {
		text := randomModel(rng)
		d, err := memory.Define("my.cat", text, nil)
		if err != nil {
			t.Fatal(err, text)
		}
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(uint64(n), 37+seed))
			p := randprog.New(rng, opt)
			kinds(p, rng)
			p.Properties = nil
			m := encode.Shortcut(ctx, p, d)
			if m == "" {
				continue
			}
			found[m]++
			def, err := memory.Load(m)
			if err != nil {
				t.Fatal(err)
			}
			states := func(d *memory.Definition) []verdict.FinalState {
				s, err := graphs.FinalStates(ctx, p, d, graphs.Options{Bare: true}, func(*memory.Graph, verdict.FinalState) bool { return true })
				if err != nil {
					t.Fatal(err)
				}
				verdict.SortFinalStates(s)
				return s
			}
			if got, want := states(d), states(def); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Fatalf("final states\n%v\nwhere %s has\n%v\n%s\n%s", got, m, want, text, enginetest.Text(p))
			}
			compared++
		}
	}
	if t.Log(found, compared); compared < *texts {
		t.Errorf("only %d programs were compared", compared)
	}
}

// randomModel is the text of a model that is about as strong as those that have a direct encoding.
func randomModel(rng *rand.Rand) string {
	pick := func(names ...string) string { return names[rng.IntN(len(names))] }
	some := func(chance int, parts ...string) string {
		out := []string{"0"}
		for _, p := range parts {
			if rng.IntN(100) < chance {
				out = append(out, p)
			}
		}
		rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return strings.Join(out, " | ")
	}
	text := "acyclic " + some(95, "po-loc", "rf", "co", "fr") + "\n"
	if rng.IntN(10) > 0 {
		text += "empty rmw & (" + pick("fre", "fre", "fr") + "; " + pick("coe", "coe", "co") + ")\n"
	}
	text += "let inside = " + some(90, "po & R*M", "po & W*W", pick("po & W*W", "po-loc & W*W", "po & W*R", "0"), "po; [MFENCE]; po", pick("po; [F]; po", "0", "0"),
		"po & M*X", "po & X*M", pick("po", "0", "0"), "po; [X] | [X]; po", "[W]; po; [SFENCE]; po; [W]") + "\n"
	text += "let outside = " + some(95, pick("rf", "rfe", "rfe"), pick("co", "coe"), pick("fr", "fre", "rf^-1; co")) + "\n"
	return text + pick("acyclic inside | outside", "irreflexive (inside | outside)+", "let rec ob = inside | outside | ob; ob irreflexive ob", "acyclic inside+ | outside^+")
}
