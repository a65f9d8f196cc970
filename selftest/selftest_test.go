package selftest

import (
	"context"
	"flag"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/crosscheck"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestLanguages: what is written in any language is read again.
func TestLanguages(t *testing.T) {
	written := map[string]int{}
	for n := range uint64(80) {
		for _, s := range (&trees{t: growTree(rand.New(rand.NewPCG(1, n)))}).subjects() {
			written[s.language]++
			if _, err := s.parse(); err != nil {
				t.Fatalf("tree %d in %s: %v\n%s", n, s.language, err, s.text)
			}
		}
	}
	for _, f := range forms {
		if written[f.language] < 8 {
			t.Errorf("%d trees of 80 are written in %s", written[f.language], f.language)
		}
	}
}

// TestShrink: what is left of a program is what makes it bad.
func TestShrink(t *testing.T) {
	has := func(src source, word string) bool {
		s := src.subjects()[0]
		_, err := s.parse()
		return err == nil && strings.Contains(s.text, word)
	}
	for _, tt := range []struct {
		src  source
		word string
		want int // lines, at most
	}{
		{&trees{t: growTree(rand.New(rand.NewPCG(1, 2)))}, "y := 2", 8},
		{makeSource(1, 6), "write", 5},
	} {
		if !has(tt.src, tt.word) {
			t.Fatalf("no %s in\n%s", tt.word, tt.src.subjects()[0].text)
		}
		small := shrink(tt.src, func(s source) bool { return has(s, tt.word) })
		if text := small.subjects()[0].text; len(strings.Split(strings.TrimSpace(text), "\n")) > tt.want {
			t.Errorf("with %s:\n%s", tt.word, text)
		}
	}
}

// TestComputed: random C of one thread has results, as which it is read again; other results are found out.
func TestComputed(t *testing.T) {
	for n := range uint64(12) {
		s := newComputed(rand.New(rand.NewPCG(3, n)))
		if values, err := s.values(); err != nil || len(values) == 0 {
			t.Fatalf("%d: %v\n%s", n, err, s.text())
		}
		subjects := s.subjects()
		if len(subjects) != 2 || !subjects[0].safe {
			t.Fatalf("%d: %+v", n, subjects)
		}
		for _, x := range subjects {
			if _, err := x.parse(); err != nil {
				t.Errorf("%d, %s: %v\n%s", n, x.language, err, x.text)
			}
		}
	}
	for range (&computed{"f", strings.Split("unsigned long r;\nvoid f(void) {\nr = 1;\nr += 2;\n}", "\n"), []string{"r"}}).smaller() {
		counts := verdict.NewSelfTestCounts()
		j := &judge{row: time.Minute, counts: &counts}
		one := subject{language: "computed c", file: "T.c", safe: true,
			text: "#include <assert.h>\nunsigned long r;\nint main(void) { r = 3; assert(r == 4); return 0; }\n"}
		if bad := j.judge(t.Context(), &lines{one}, scope{engines: []string{"explicit"}, models: []memory.Model{memory.SC}}); bad == nil || !strings.HasPrefix(bad.kind, "computed by explicit") {
			t.Errorf("%+v", bad)
		}
		return
	}
	t.Error("nothing is smaller")
}

// TestLies: an answer that is none is found out, by the other engines and by the other languages.
func TestLies(t *testing.T) {
	safe, unsafe := claims{memory.SC: verdict.ClaimsSafe, memory.TSO: verdict.ClaimsSafe}, claims{memory.SC: verdict.ClaimsSafe, memory.TSO: verdict.ClaimsViolated}
	imp, c, arm := subject{language: "imp", alike: true}, subject{language: "c", alike: true}, subject{language: "litmus aarch64", alike: true}
	fenced := subject{language: "imp", alike: true, fenced: true}
	for _, tt := range []struct {
		subjects []subject
		said     []claims
		bad      bool
	}{
		{[]subject{imp, c}, []claims{safe, safe}, false},
		{[]subject{imp, c}, []claims{unsafe, unsafe}, false},
		{[]subject{imp, c}, []claims{safe, unsafe}, true},
		{[]subject{imp, arm}, []claims{safe, unsafe}, false},
		{[]subject{imp, arm}, []claims{safe, {memory.SC: verdict.ClaimsViolated}}, true},
		{[]subject{imp}, []claims{{memory.SC: verdict.ClaimsViolated, memory.TSO: verdict.ClaimsSafe}}, true},
		{[]subject{fenced}, []claims{unsafe}, true},
		{[]subject{fenced}, []claims{safe}, false},
	} {
		j := &judge{counts: &verdict.SelfTestCounts{}}
		if bad := j.across(tt.subjects, tt.said); (bad != nil) != tt.bad {
			t.Errorf("%v %v: %v", tt.subjects, tt.said, bad)
		}
	}
}

// TestFenced: with a full fence between any two accesses store buffering and its kin are forbidden
// in every language, under every model, by every engine.
func TestFenced(t *testing.T) {
	one := value{-1, 1}
	st, ld := func(cell int) stmt { return stmt{op: store, cell: cell, value: one} }, func(reg, cell int) stmt { return stmt{op: load, cell: cell, reg: reg} }
	for name, tr := range map[string]*tree{
		"store buffering": {init: []int64{0, 0}, threads: [][]stmt{{st(0), ld(0, 1)}, {st(1), ld(0, 0)}}, cond: []term{{0, 0, 0}, {1, 0, 0}}},
		"message passing": {init: []int64{0, 0}, threads: [][]stmt{{st(0), st(1)}, {ld(0, 1), ld(1, 0)}}, cond: []term{{1, 0, 1}, {1, 1, 0}}},
		"IRIW": {init: []int64{0, 0}, threads: [][]stmt{{st(0)}, {st(1)}, {ld(0, 0), ld(1, 1)}, {ld(0, 1), ld(1, 0)}},
			cond: []term{{2, 0, 1}, {2, 1, 0}, {3, 0, 1}, {3, 1, 0}}},
	} {
		if name == "IRIW" && testing.Short() {
			continue
		}
		counts := verdict.NewSelfTestCounts()
		j := &judge{row: 10 * time.Second, counts: &counts}
		if bad := j.judge(t.Context(), &trees{t: tr, fenced: true}, scope{engines: []string{"explicit", "bmc", "graphs"}}); bad != nil {
			t.Errorf("%s: %s\n%s", name, bad.text, bad.subjects[0].text)
		}
	}
}

func TestRun(t *testing.T) {
	if testing.Short() {
		t.Skip("the whole of it takes some seconds")
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r := Run(ctx, Options{Programs: 3, Seed: 1})
	if f := r.Finding; f != nil {
		t.Fatalf("program %d: %s\n%v\n%v", f.Case, f.What, f.Files, f.Commands)
	}
	t.Logf("%d sources, %d texts, %d answers confirmed", r.Cases, r.Texts(), r.Comparisons())
}

// TestC11Forms: C and litmus tests of C11 with the same operations mean the same under models that are about C11.
func TestC11Forms(t *testing.T) {
	compared := 0
	for n := range uint64(*c11Forms) {
		tr := growTree(rand.New(rand.NewPCG(11, n)))
		j := &judge{row: 2 * time.Second, counts: &verdict.SelfTestCounts{}}
		sc := scope{engines: []string{"auto"}, models: []memory.Model{memory.RC11, memory.RA, memory.IMM}}
		var subjects []subject
		var all []claims
		for _, s := range (&trees{t: tr}).subjects() {
			if s.language != "c11" && s.language != "litmus c11" {
				continue
			}
			p, err := s.parse()
			if err != nil {
				t.Fatal(err)
			}
			c, err := crosscheck.Run(t.Context(), p, crosscheck.Options{Models: sc.under(p), Engines: sc.pick(), Timeout: j.row})
			if err != nil {
				t.Fatal(err)
			}
			subjects, all = append(subjects, s), append(all, said(c))
		}
		if bad := j.across(subjects, all); bad != nil {
			t.Fatalf("%s\n%s\n%s", bad.text, subjects[0].text, subjects[1].text)
		}
		compared += int(j.counts.Languages)
	}
	if t.Logf("%d pairs", compared); compared < *c11Forms {
		t.Error("that is too few")
	}
}

var c11Forms = flag.Int("c11forms", 12, "random programs that are compared as C and as litmus tests of C11")
