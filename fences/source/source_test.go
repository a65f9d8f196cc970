package source

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/fences"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

func load(t *testing.T, file string) *program.Program {
	t.Helper()
	p, err := lang.Load(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func find(t *testing.T, p *program.Program, opts Options) *verdict.FenceResult {
	t.Helper()
	r, err := Find(context.Background(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// reread writes the text of a result and loads it again.
func reread(t *testing.T, r *verdict.FenceResult) *program.Program {
	t.Helper()
	file := filepath.Join(t.TempDir(), filepath.Base(r.Program.Source.Name))
	if err := os.WriteFile(file, []byte(r.Text), 0o600); err != nil {
		t.Fatal(err)
	}
	return load(t, file)
}

func reaches(t *testing.T, p *program.Program, goal verdict.Question) bool {
	t.Helper()
	ctx := context.Background()
	if goal == verdict.Safety {
		r, err := engine.Check(ctx, p, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Safe()
	}
	r, err := engine.Robust(ctx, p, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Verdict() == verdict.IsSafe
}

// count counts the commands of a program that fence, exchanges among them.
func count(p *program.Program) int {
	n := 0
	for _, t := range p.Threads {
		for i := range t.Edges {
			if c := &t.Edges[i].Cmd; isFence(c) || c.Op == program.Atomic && c.Text == "xchg" {
				n++
			}
		}
	}
	return n
}

func programs(t *testing.T) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"../../examples/*.imp", "testdata/*"} {
		fs, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, fs...)
	}
	return files
}

// TestFind: the fences that are written into programs, read back, reach the goal,
// and none of them can be left out.
func TestFind(t *testing.T) {
	for _, file := range programs(t) {
		for _, goal := range []verdict.Question{verdict.Safety, verdict.Robustness} {
			for _, means := range []verdict.Means{verdict.Mfence, verdict.Xchg} {
				if means == verdict.Xchg && filepath.Ext(file) != ".imp" {
					continue
				}
				t.Run(filepath.Base(file)+"/"+string(goal)+"/"+means.String(), func(t *testing.T) {
					p := load(t, file)
					if p.NoHang && goal == verdict.Safety {
						if _, err := Find(t.Context(), p, Options{Goal: goal, Means: means}); err == nil || !strings.Contains(err.Error(), "against hanging") {
							t.Error(err)
						}
						return
					}
					broken := !reaches(t, p, goal)
					r := find(t, p, Options{Goal: goal, Means: means})
					if len(r.Sets) != 1 || !r.Verified() || r.Unwritable != "" {
						t.Fatalf("%+v", r)
					}
					set := r.Sets[0]
					if (len(set.Fences) > 0) != broken || (r.Text != p.Source.Text) != broken {
						t.Errorf("%d fences", len(set.Fences))
					}
					q := reread(t, r)
					if !reaches(t, q, goal) {
						t.Errorf("the goal is not reached:\n%s", r.Text)
					}
					if got, want := count(q), count(p)+set.Places(); got != want {
						t.Errorf("%d fences are there, want %d", got, want)
					}
					for _, f := range set.Fences {
						if f.Without == nil || f.Without.Verdict() != verdict.IsUnsafe || f.Cost < len(f.Threads) || f.Site.Statement == "" || !f.Site.Pos.IsValid() {
							t.Errorf("%+v", f)
						}
					}
				})
			}
		}
	}
}

// TestCounting: a thread may count to the end of an int before it does anything, so
// that neither searching nor unrolling shows that the program is safe.
func TestCounting(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := Find(ctx, load(t, "../../examples/thesis/fig5.10.imp"), Options{Goal: verdict.Safety})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sets) != 1 || len(r.Sets[0].Fences) != 2 || !r.Verified() {
		t.Errorf("%+v", r)
	}
}

// TestAsGiven: automata with the places of the library in their text are the
// program that the library makes.
func TestAsGiven(t *testing.T) {
	for _, file := range []string{"testdata/ring.txt", "testdata/goal.txt"} {
		p := load(t, file)
		lib, err := fences.Find(context.Background(), p, fences.Options{})
		if err != nil {
			t.Fatal(err)
		}
		edges := func(p *program.Program) (es []string) {
			for _, t := range p.Threads {
				for _, e := range t.Edges {
					es = append(es, t.Name+" "+t.States[e.From].Name+" "+t.States[e.To].Name+" "+e.Cmd.Format(p, t))
				}
			}
			slices.Sort(es)
			return es
		}
		got, want := edges(reread(t, find(t, p, Options{}))), edges(lib.Fenced)
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", file, got, want)
		}
	}
}

// TestEverySite: a fence at any site alone is one that the program has, and no
// other part of it changes.
func TestEverySite(t *testing.T) {
	for _, file := range programs(t) {
		p := load(t, file)
		for _, s := range lang.Sites(p, nil) {
			r := program.Revise(p.Source.Text, s.Edits)
			q, err := lang.Parse(&program.Source{Name: p.Source.Name, Text: r.Text}, nil)
			if err != nil {
				t.Errorf("%s: %v", file, err)
				continue
			}
			// A site in dead code is one of no thread.
			n := count(q) - count(p)
			if n < 0 || n > len(p.Threads) {
				t.Errorf("%s: %d fences more after %s", file, n, s.Statement)
			}
			for _, f := range lang.Fences(q) {
				if !r.Inserted(f.Pos) && s.State < 0 && !strings.HasPrefix(f.Statement, "fence") && !strings.HasPrefix(f.Statement, "mfence") {
					t.Errorf("%s: %+v", file, f)
				}
			}
		}
	}
}

// TestRedundant: with a fence everywhere, all can go but for as many as are
// needed.
func TestRedundant(t *testing.T) {
	for _, file := range []string{"../../examples/peterson.imp", "../../examples/dekker-simple.imp", "../../examples/sb-ring.imp", "testdata/oneline.imp", "testdata/SB3.litmus", "testdata/R.litmus", "../../examples/dekker-fenced.imp"} {
		p := load(t, file)
		need := len(find(t, p, Options{Goal: verdict.Safety, Uniform: true}).Sets[0].Fences)
		var edits []program.Edit
		for _, s := range lang.Sites(p, nil) {
			edits = append(edits, s.Edits...)
		}
		full, err := lang.Parse(&program.Source{Name: p.Source.Name, Text: program.Revise(p.Source.Text, edits).Text}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "-fenced.imp") {
			need = 4
		}
		r := find(t, full, Options{Goal: verdict.Safety, Uniform: true, Redundant: true})
		if len(r.Sets) == 0 || !r.Verified() || len(r.Sets[0].Fences) != need || len(r.Sets[0].Fences)+len(r.Removed) != len(lang.Fences(full)) {
			t.Errorf("%s: %+v", file, r)
			continue
		}
		q := reread(t, r)
		if !reaches(t, q, verdict.Safety) || len(lang.Fences(q)) != need {
			t.Errorf("%s: %d fences left\n%s", file, len(lang.Fences(q)), r.Text)
		}
	}
	r := find(t, load(t, "../../examples/dekker.imp"), Options{Goal: verdict.Safety, Redundant: true})
	if !r.Insufficient || len(r.Sets) > 0 {
		t.Errorf("%+v", r)
	}
}

func TestAll(t *testing.T) {
	p := load(t, "../../examples/dekker.imp")
	r := find(t, p, Options{All: true, Uniform: true})
	if len(r.Sets) != 4 || !r.Complete || r.Sets[0].Cost != 6 {
		t.Errorf("%d sets, complete %v", len(r.Sets), r.Complete)
	}
	for _, s := range r.Sets {
		var edits []program.Edit
		for _, f := range s.Fences {
			edits = append(edits, f.Site.Edits...)
		}
		q, err := lang.Parse(&program.Source{Name: p.Source.Name, Text: program.Revise(p.Source.Text, edits).Text}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reaches(t, q, verdict.Robustness) {
			t.Errorf("%+v does not do", s)
		}
	}
}

// TestFamily: a line is a fence of every member, needed or not.
func TestFamily(t *testing.T) {
	r := find(t, load(t, "../../examples/burns.imp"), Options{})
	if s := r.Sets[0]; len(s.Fences) != 2 || s.Places() != 4 || r.Enough != 3 {
		t.Errorf("%+v", r)
	}
}

func TestThreadCost(t *testing.T) {
	p := load(t, "testdata/R.litmus")
	costs := map[string]int{"P1": 5}
	r := find(t, p, Options{Goal: verdict.Safety, ThreadCost: costs})
	if s := r.Sets[0]; len(s.Fences) != 1 || s.Cost != 5 {
		t.Errorf("%+v", s)
	}
	p = load(t, "../../examples/burns.imp")
	r = find(t, p, Options{Goal: verdict.Safety, ThreadCost: map[string]int{"P": 3, "P[1]": 2}})
	if s := r.Sets[0]; s.Cost != 2*300 {
		t.Errorf("cost %d", s.Cost)
	}
}

func TestWrong(t *testing.T) {
	r := find(t, load(t, "../../examples/thesis/fig4.2.imp"), Options{Goal: verdict.Safety})
	if r.Wrong == nil || r.Wrong.Run() == nil || len(r.Sets) > 0 {
		t.Errorf("%+v", r)
	}
	// There is no exchange in automata.
	r = find(t, load(t, "testdata/goal.txt"), Options{Means: verdict.Xchg})
	if r.Unwritable == "" || !r.Verified() || len(r.Sets) != 1 || r.Text != r.Program.Source.Text {
		t.Errorf("%+v", r)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Find(ctx, load(t, "../../examples/dekker.imp"), Options{})
	if err != nil || len(r.Sets) > 0 || r.Reason == "" {
		t.Errorf("%+v, %v", r, err)
	}
}
