package bmc_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestUnlike: threads that something tells apart have their violations although these are in one order of the threads only.
func TestUnlike(t *testing.T) {
	for name, text := range map[string]string{
		"command":   "if r = 2 and (q + s) + i = 2 then cs: skip fi %s forbid P[i]@cs",
		"address":   "if r != 0 then y[i * i] := 1 fi; if y[1] = 1 then cs: skip fi %s forbid P[i]@cs",
		"cell":      "if z = i and r != 0 then cs: skip fi %s forbid P[i]@cs",
		"register":  "if q = i and r != 0 then cs: skip fi %s forbid P[i]@cs",
		"control":   "if r = 2 then cs: skip fi %s forbid P[1]@cs",
		"memory":    "skip %s exists x = 1",
		"registers": "skip %s exists P[1].r = 2 & P[2].r = 0",
		"loads":     "for j := 1 to 2 do s := y[j] od; if s = 1 then cs: skip fi; y[i] := 1 %s forbid P[i]@cs",
	} {
		t.Run(name, func(t *testing.T) {
			body, property, _ := strings.Cut(text, "%s")
			p := enginetest.Parse(t, "unlike.imp", "program Unlike\nvariables x = 0, y[5] = 0, z = 1\nprocess P[i in 1..2]\n  local r, s, j, q = 1;\nbegin\nstart: r := xchg(x, i);\n"+
				"  if r = i then goto start fi;\n  "+body+"\nend\n"+property+"\n")
			for _, all := range []bool{true, false} {
				r, err := bmc.Check(context.Background(), p, bmc.Options{Unroll: 3, AllExecutions: all})
				if err != nil {
					t.Fatal(err)
				}
				if !r.Unsafe() {
					t.Errorf("all executions: %v: %v, %s, %s", all, r.Verdict(), r.Reason(), r.Notes)
				}
			}
		})
	}
}

// TestUnlikeNarrow: of a load in an atomic block, what the register holds counts, which may be less than what the cell does.
func TestUnlikeNarrow(t *testing.T) {
	p := enginetest.Parse(t, "narrow.imp", `program Narrow
variables x = 0, z = 0, w = 0, u = 0, v = 0
process Q begin z := 300; while u = 1 do v := 1 od end
process R begin u := 1; u := 0 end
process P[i in 1..2]
  local int8 r, s;
begin
  atomic begin s := x; x := 1; r := z; w := (r = 44) * i * s; r := 0 end
end
exists w = 1
`)
	for _, all := range []bool{true, false} {
		r, err := bmc.Check(context.Background(), p, bmc.Options{Unroll: 2, AllExecutions: all})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Unsafe() {
			t.Errorf("all executions: %v: %v, %s, %s", all, r.Verdict(), r.Reason(), r.Notes)
		}
	}
}

var likes = flag.Int("likes", 150, "random programs of like threads to look for violations in, with and without symmetry")

// TestSymmetry: where threads are alike, the executions in which they come in a certain order are enough. At each bound the
// answer is that of all executions, and never one that a search of the states contradicts.
func TestSymmetry(t *testing.T) {
	ctx := context.Background()
	var used, unsafe, known, some int
	for seed := range uint64(*likes) {
		rng := rand.New(rand.NewPCG(seed, 47))
		p := enginetest.Parse(t, "like.imp", likeThreads(rng))
		m := []memory.Model{memory.TSO, memory.TSO, memory.SC, memory.PSO}[rng.IntN(4)]
		var answers []*verdict.Result
		for _, all := range []bool{true, false} {
			r, err := bmc.Check(ctx, p, bmc.Options{Model: m, Unroll: 1 + int(seed%3), AllExecutions: all})
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, p.Source.Text)
			}
			answers = append(answers, r)
		}
		want, got := answers[0], answers[1]
		if got.Verdict() != want.Verdict() || got.Reason() != want.Reason() {
			t.Fatalf("seed %d, %s: %v (%s) with symmetry, %v (%s) without\n%s", seed, m, got.Verdict(), got.Reason(), want.Verdict(), want.Reason(), p.Source.Text)
		}
		if slices.ContainsFunc(got.Notes, func(note string) bool { return strings.HasPrefix(note, "symmetry of") }) {
			used++
			if got.Unsafe() {
				unsafe++
			}
		}
		if got.Verdict() != verdict.IsUnknown && seed%4 == 0 {
			known++
			e, err := explore.Check(ctx, p, explore.Options{Model: m, MaxStates: 20000})
			if err != nil {
				t.Fatal(err)
			}
			if e.Verdict() != verdict.IsUnknown {
				some++
			}
			if e.Verdict() != verdict.IsUnknown && e.Verdict() != got.Verdict() {
				t.Fatalf("seed %d, %s: %v by search, %v with symmetry\n%s", seed, m, e.Verdict(), got.Verdict(), p.Source.Text)
			}
		}
	}
	t.Logf("%d programs, of %d the symmetry was used, of which %d have violations; %d of %d held against a search", *likes, used, unsafe, some, known)
	if used < *likes/6 || unsafe < *likes/40 {
		t.Errorf("of %d programs the symmetry of %d was used, of which %d have violations", *likes, used, unsafe)
	}
}

// likeThreads is a program of two to four threads of one text, which have cells of their own, and may store their numbers and
// compare them with what they read. Some tell the threads apart, at places that may or may not matter.
func likeThreads(rng *rand.Rand) string {
	n := 2 + rng.IntN(2)
	if rng.IntN(8) == 0 {
		n = 4
	}
	g := &likeProgram{rng: rng, odd: rng.IntN(3) == 0, values: []string{"i", "i", "0", "r", "s"}}
	init := g.pick("0", "0", "i", "i")
	start, y := g.pick("x := i", "flag[i] := true", "r := x", "r := xchg(y, i)", "r := xchg(x, i)", "own[i] := i", "own[0] := i"), 0
	if rng.IntN(2) == 0 { // without numbers
		g.values = []string{"0", "1", "2", "r", "s", "r + 1"}
		init, start, y = g.pick("0", "1"), g.pick("x := 1", "flag[i] := true", "r := x", "r := xchg(y, 2)", "r := xchg(x, 1)", "own[i] := 1", "own[0] := 2"), rng.IntN(3)
	}
	size := 5 - n + rng.IntN(4)
	if rng.IntN(2) == 0 { // what comes first decides
		size = rng.IntN(3)
	}
	body := g.block(size)
	if rng.IntN(6) > 0 {
		body = "  " + start + ";\n" + body
	}
	if rng.IntN(2) == 0 {
		body = "  while true do\n" + body + "cs: skip;\n" + g.block(1) + "  skip od"
	} else {
		again := g.pick("if s != 0 then goto start fi; ", "if r = 0 then goto start fi; ", "if s = "+g.value()+" then goto start fi; ", "if r != "+g.value()+" then goto start fi; ")
		body = "start: skip;\n" + body + "cs: skip;\n" + g.block(1+rng.IntN(2)) + "  " + again + "skip"
	}
	other := ""
	if rng.IntN(6) == 0 {
		other = fmt.Sprintf("process Q\n  local r;\nbegin\n  x := %d;\n  r := y;\n  y := %d\nend\n\n", rng.IntN(3), rng.IntN(3))
	}
	text := fmt.Sprintf("program Like\nconst N = %d;\nvariables x = 0, y = %d, own[N+1] = 0, bool flag[N+1] = false\n\n%sprocess P[i in 1..N]\n  local r = %s, s, j;\nbegin\n%s\nend\n\n",
		n, y, other, init, body)
	for range 1 + rng.IntN(3)/2 {
		text += g.pick("forbid P[i]@cs & P[j]@cs for i != j", "forbid P[i]@cs & P[j]@cs for i != j", "forbid P[i]@cs & P[j]@cs for i < j", "forbid P[i]@cs & P[j]@cs for i != j",
			"forbid P[i]@cs & P[j]@cs & x = 0 for i != j", "forbid P[i]@cs & own[i] = 0", "forbid P[1]@cs & P[2]@cs", "forbid P[i]@cs & not P[j]@cs & y = 1 for i != j",
			"exists x = 0 & y = 0", "exists x = 1 & y = 2", "exists P[i].r = 0 for all", "exists P[1].r = 0 & P[2].r = 0", "forall x != 0", "forall own[0] = 0",
			"forall flag[1] = flag[2]", "forall P[i].j = 0", "exists x = 1", "exists x = N", "exists P[1].r = 0", "exists P[2].r = 0", "exists P[1].s = 2",
			"exists P[2].r = 1", "exists y = 1", "exists own[1] = 0 & own[2] = 1", "exists own[2] = 0 & own[1] = 1", "forbid P[1]@cs & not P[2]@cs", "forbid P[N]@cs",
			"exists P[i].r = 0 & P[j].s = 1 for i != j") + "\n"
	}
	return text
}

type likeProgram struct {
	rng    *rand.Rand
	values []string
	odd    bool // threads may be told apart
	deep   int
}

func (g *likeProgram) pick(of ...string) string { return of[g.rng.IntN(len(of))] }

func (g *likeProgram) value() string {
	if g.odd && g.rng.IntN(8) == 0 {
		return g.pick("N + 1 - i", "i % 2", "r - i", "i - 1", "1", "i")
	}
	return g.pick(g.values...)
}

func (g *likeProgram) condition() string {
	if g.odd && g.rng.IntN(4) == 0 {
		return g.pick("r < i", "i = 1", "s >= i", "i < N", "r < 2")
	}
	return g.pick("r = ", "r != ", "s = ", "s != ", "0 = ", "cas(x, 0, i) and r = ") + g.value()
}

func (g *likeProgram) block(n int) string {
	var b strings.Builder
	for range n {
		b.WriteString("  " + g.statement() + ";\n")
	}
	return b.String()
}

func (g *likeProgram) statement() string {
	k := g.rng.IntN(20)
	if g.deep > 1 && k >= 15 {
		k -= 8
	}
	switch {
	case k < 4:
		return g.pick("x", "y", "x", "y", "own[i]", "own[0]") + " := " + g.value()
	case k == 4:
		return "flag[i] := " + g.pick("true", "false", "true")
	case k < 8:
		return g.pick("r", "s") + " := " + g.pick("x", "y", "own[i]", "x", "y")
	case k == 8:
		return "fence"
	case k == 9:
		return g.pick("r", "s") + " := " + g.pick("xchg(x, ", "xchg(y, ", "cas(x, r, ", "xchg(own[i], ", "cas(y, 0, ") + g.value() + ")"
	case k == 10:
		return g.pick("r", "s") + " := " + g.value()
	case k == 11:
		return "if 0 <= r and r <= N then " + g.pick("s := own[r]", "own[r] := s", "own[r] := "+g.value(), "flag[r] := true", "r := own[r]") + " fi"
	case k == 12:
		return "await " + g.pick("x = 0", "y != "+g.value(), "own[i] = 0", "x != r", "not flag[i]")
	case k == 13 && g.odd:
		return g.pick("for j := 1 to N do await not flag[j] od", "for j := 1 to N do s := own[j] od", "s := own[1]", "flag[N] := true")
	case k == 14 && g.rng.IntN(2) == 0:
		return "assert " + g.pick("r != "+g.value(), "s = 0", "r != s", "r = 0 or s != "+g.value())
	case k >= 15:
		g.deep++
		defer func() { g.deep-- }()
		text := "if " + g.condition() + " then\n" + g.block(1+g.rng.IntN(2))
		if g.rng.IntN(3) == 0 {
			text += "  skip\n  else\n" + g.block(1)
		} else if g.rng.IntN(4) == 0 {
			text += "  for j := 1 to N do await not flag[j] od;\n" // which does not matter, perhaps
		}
		return text + "  skip fi"
	}
	return "skip"
}
