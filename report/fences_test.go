package report

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/fences/source"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func repaired(t *testing.T, file string, opts source.Options) *verdict.FenceResult {
	t.Helper()
	p, err := lang.Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := source.Find(context.Background(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	r.Elapsed = 0
	return r
}

func fencesText(t *testing.T, r *verdict.FenceResult, opts FenceOptions) string {
	t.Helper()
	var b bytes.Buffer
	if err := Fences(&b, r, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestFences(t *testing.T) {
	r := repaired(t, "../examples/dekker-simple.imp", source.Options{})
	r.Final.Robust.Elapsed = 0
	const want = `2 FENCES  ../examples/dekker-simple.imp  for robustness under TSO (0.00 s)

  places    2 lines
  cost      20
  verified  ROBUST under TSO (0.00 s)

--- ../examples/dekker-simple.imp
+++ ../examples/dekker-simple.imp
@@ -13,6 +13,7 @@
 process P0 begin
   while true do
     flag0 := 1;
+    fence;
     while flag1 = 1 do skip od;
 cs: skip;
     flag0 := 0
@@ -22,6 +23,7 @@
 process P1 begin
   while true do
     flag1 := 1;
+    fence;
     while flag0 = 1 do skip od;
 cs: skip;
     flag1 := 0

What each is for:

  line 15  after flag0 := 1  (P0)
    without it: P0 delays store flag0 <- 1 (line 15) past load $1 <- flag1 (line 16)
  line 24  after flag1 := 1  (P1)
    without it: P1 delays store flag1 <- 1 (line 24) past load $1 <- flag0 (line 25)
`
	if got := fencesText(t, r, FenceOptions{}); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := fencesText(t, r, FenceOptions{Verbose: true, All: true}); !strings.Contains(got, "-fr->") || !strings.Contains(got, "Minimal sets that were found:\n") {
		t.Errorf("got\n%s", got)
	}
	for _, c := range []struct {
		file string
		opts source.Options
		want string
	}{
		{"burns", source.Options{}, "2 FENCES  "},
		{"burns", source.Options{}, "2 lines of source, 4 fences counted for every thread; 3 of these would do"},
		{"spinlock", source.Options{}, "NO FENCE NEEDED  "},
		{"thesis/fig4.2", source.Options{Goal: verdict.Safety}, "NO FENCES HELP  "},
		{"peterson", source.Options{Means: verdict.Xchg}, "2 EXCHANGES  "},
		{"peterson", source.Options{Redundant: true}, "NOT ENOUGH FENCES  "},
		{"peterson-fenced", source.Options{Redundant: true}, "NO FENCE REDUNDANT  "},
		{"peterson", source.Options{All: true}, "All minimal sets:\n"},
	} {
		if got := fencesText(t, repaired(t, "../examples/"+c.file+".imp", c.opts), FenceOptions{All: true}); !strings.Contains(got, c.want) {
			t.Errorf("%s: no %q in\n%s", c.file, c.want, got)
		}
	}
}

func TestJSONFences(t *testing.T) {
	var b bytes.Buffer
	if err := JSONFences(&b, repaired(t, "../examples/burns.imp", source.Options{All: true}), "f", true); err != nil {
		t.Fatal(err)
	}
	var got struct {
		For, Verdict string
		Fences       []struct {
			Thread, After, Without string
			Line                   int
		}
		Count, Lines, Cost int
		Verified, Complete bool
		Sets               []any
		Source             string
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.For != "robustness" || got.Verdict != "FENCES" || len(got.Fences) != 4 || got.Count != 4 || got.Lines != 2 ||
		!got.Verified || !got.Complete || len(got.Sets) == 0 || strings.Count(got.Source, "fence;") != 2 || got.Fences[3].After != "up[i] := true" {
		t.Errorf("%s", b.String())
	}
}

// TestUnified applies diffs of random texts.
func TestUnified(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	text := func() string {
		var ls []string
		for range rnd.IntN(30) {
			ls = append(ls, string(rune('a'+rnd.IntN(4))))
		}
		s := strings.Join(ls, "\n")
		if rnd.IntN(3) > 0 && s != "" {
			s += "\n"
		}
		return s
	}
	for range 500 {
		before := text()
		ls := lines(before)
		after := ""
		for _, l := range ls {
			switch rnd.IntN(10) {
			case 0:
			case 1:
				after += "new\n" + l
			default:
				after += l
			}
		}
		var b strings.Builder
		unified(&b, "f", before, after)
		if got := patched(t, before, b.String()); got != after {
			t.Fatalf("%q to %q: %q by\n%s", before, after, got, b.String())
		}
	}
	var b strings.Builder
	if unified(&b, "f", "a\nb\n", "a\nb\n"); b.Len() > 0 {
		t.Error("a diff of nothing")
	}
}

// patched applies a diff.
func patched(t *testing.T, text, diff string) string {
	t.Helper()
	if diff == "" {
		return text
	}
	ls := lines(text)
	var out strings.Builder
	at := 0
	ds := lines(diff)[2:]
	for i := 0; i < len(ds); i++ {
		l := ds[i]
		if i+1 < len(ds) && ds[i+1][0] == '\\' {
			l = strings.TrimSuffix(l, "\n")
		}
		switch l[0] {
		case '@':
			var first int
			for _, c := range strings.TrimPrefix(l, "@@ -") {
				if c < '0' || c > '9' {
					break
				}
				first = 10*first + int(c-'0')
			}
			if !strings.HasPrefix(l[strings.IndexAny(l, ", "):], " ") && strings.Contains(strings.Fields(l)[1], ",0") {
				first++
			}
			for ; at < first-1; at++ {
				out.WriteString(ls[at])
			}
		case '+':
			out.WriteString(l[1:])
		case ' ', '-':
			if at >= len(ls) || ls[at] != l[1:] {
				t.Fatalf("line %d is not %q", at+1, l[1:])
			}
			if at++; l[0] == ' ' {
				out.WriteString(l[1:])
			}
		}
	}
	for ; at < len(ls); at++ {
		out.WriteString(ls[at])
	}
	return out.String()
}
