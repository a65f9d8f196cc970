package fences

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/polled"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/robust"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// reaches is whether p reaches the goal, decided without anything that the search
// for fences is made of.
func reaches(t *testing.T, p *program.Program, g verdict.Question) bool {
	t.Helper()
	ctx := context.Background()
	if g == verdict.Safety {
		r, err := engine.Check(ctx, p, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return r.Safe()
	}
	check := robust.Check
	if g == verdict.RaceFreedom {
		check = robust.Races
	}
	r, err := check(ctx, p, robust.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return r.Verdict() == verdict.IsSafe
}

// TestFencesExamples: the fences mend the broken examples, and none of them can be
// left out.
func TestFencesExamples(t *testing.T) {
	for _, c := range []struct {
		file string
		// By thread; nil: whatever.
		safety, robustness []int
	}{
		{"bakery", []int{2, 2}, []int{2, 2}},
		{"burns", []int{1, 1}, []int{1, 2}},
		{"chase-lev", []int{1, 0}, nil},
		{"cilk-the", []int{1, 1}, []int{1, 1}},
		{"dekker", []int{1, 1}, []int{2, 2}},
		{"dekker-simple", []int{1, 1}, []int{1, 1}},
		{"dijkstra", []int{1, 1}, nil},
		{"lamport-fast", []int{2, 2}, []int{2, 2}},
		{"nbw", nil, nil},
		{"parker", nil, nil},
		{"peterson", []int{1, 1}, []int{1, 1}},
		{"peterson-n", []int{1, 1}, []int{1, 1}},
		{"sb-ring", []int{1, 1}, []int{1, 1}},
		{"szymanski", nil, nil},
	} {
		p, err := lang.Load("../examples/"+c.file+".imp", nil)
		if err != nil {
			t.Fatal(err)
		}
		for goal, want := range map[verdict.Question][]int{verdict.Safety: c.safety, verdict.Robustness: c.robustness} {
			r, err := Find(context.Background(), p, Options{Goal: goal, Weight: Uniform})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Sets) != 1 || r.Gap != nil {
				t.Errorf("%s, %s: %+v", c.file, goal, r.Gap)
				continue
			}
			places := r.Sets[0].Places
			got := make([]int, len(p.Threads))
			for i, pl := range places {
				got[pl.Thread]++
				if pl.Prevents == nil {
					t.Errorf("%s, %s: nothing that the fence after %s prevents", c.file, goal, pl.Where)
				}
				rest := slices.Delete(slices.Clone(places), i, i+1)
				if reaches(t, Insert(p, rest), goal) {
					t.Errorf("%s, %s: no need for the fence after %s", c.file, goal, pl.Where)
				}
			}
			if want != nil && !slices.Equal(got[:len(want)], want) {
				t.Errorf("%s, %s: %v fences by thread, want %v", c.file, goal, got, want)
			}
			if err := program.Sanity(r.Fenced); err != nil {
				t.Errorf("%s, %s: %v", c.file, goal, err)
			}
			if !reaches(t, r.Fenced, goal) {
				t.Errorf("%s, %s: not reached", c.file, goal)
			}
		}
	}
}

// TestFencesWrong: what is wrong under SC, no fence mends.
func TestFencesWrong(t *testing.T) {
	p, err := lang.Load("../examples/turn.imp", nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Properties = append(p.Properties, program.Property{Kind: program.Forbid, Cond: program.Const(1)})
	r, err := Find(context.Background(), p, Options{Goal: verdict.Safety})
	if err != nil {
		t.Fatal(err)
	}
	if r.Gap == nil || r.Gap.Wrong == nil || r.Gap.Wrong.Run() == nil || len(r.Sets) > 0 {
		t.Errorf("%+v", r)
	}
}

// TestFencesFilter: a run that the filter of a program keeps from counting is no
// violation. Of one that counts, stores are flushed early only as far as it still does.
func TestFencesFilter(t *testing.T) {
	p := enginetest.Parse(t, "p.imp", `program SB
variables x = 0, y = 0
process P local r begin x := 1; r := y end
process Q local r begin y := 1; r := x end
exists P.r = 0`)
	p.Filter = program.Binary{Op: program.Eq, X: program.ThreadReg{Thread: 1, Reg: 0}, Y: program.Const(0)}
	r, err := Find(context.Background(), p, Options{Goal: verdict.Safety})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sets) != 1 || len(r.Sets[0].Places) != 2 {
		t.Errorf("%+v, %+v", r.Sets, r.Gap)
	}
}

// TestFencesPolls: wherever the context ends, there are sets that reach the goal, or a
// reason for which there are none.
func TestFencesPolls(t *testing.T) {
	found, none := 0, 0
	for _, file := range []string{"dekker-simple.imp", "peterson.imp", "sb-ring.imp", "dekker-simple-fenced.imp"} {
		p := enginetest.Example(t, file, 0)
		for _, goal := range []verdict.Question{verdict.Safety, verdict.Robustness, verdict.RaceFreedom} {
			find := func(n int) int {
				ctx := polled.EndAt(t.Context(), n)
				r, err := Find(ctx, p, Options{Goal: goal, Options: engine.Options{MemoryLimit: 1 << 28}})
				switch {
				case err != nil:
					t.Errorf("%s, %s, ends at poll %d: %v", file, goal, n, err)
				case r.Gap == nil:
					found++
					if len(r.Sets) != 1 || !reaches(t, Insert(p, r.Sets[0].Places), goal) {
						t.Errorf("%s, %s, ends at poll %d: the goal is not reached", file, goal, n)
					}
				default:
					none++
					if r.Gap.Reason == "" || r.Gap.Impossible || r.Gap.Wrong != nil || len(r.Sets) > 0 || r.Fenced != nil {
						t.Errorf("%s, %s, ends at poll %d: %+v", file, goal, n, r.Gap)
					}
				}
				return ctx.Polls()
			}
			for _, n := range polled.Samples(find(1<<30), 30) {
				find(n)
			}
		}
	}
	t.Logf("%d found, %d not", found, none)
	if found == 0 || none == 0 {
		t.Error("nothing was tested")
	}
}

// TestRedundant: of the fenced examples, and of one with a fence everywhere.
func TestRedundant(t *testing.T) {
	for _, f := range []string{"dekker", "peterson", "lamport-fast", "bakery"} {
		p, err := lang.Load("../examples/"+f+"-fenced.imp", nil)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Redundant(context.Background(), p, Options{Goal: verdict.Safety, Weight: Uniform})
		if err != nil {
			t.Fatal(err)
		}
		fences := 0
		for _, th := range p.Threads {
			for i := range th.Edges {
				if th.Edges[i].Cmd.Op == program.Fence {
					fences++
				}
			}
		}
		if len(r.Sets) == 0 || len(r.Sets[0].Places)+len(r.Removable) != fences {
			t.Errorf("%s: %+v", f, r)
			continue
		}
		if !reaches(t, r.Fenced, verdict.Safety) {
			t.Errorf("%s: fences are missing", f)
		}
	}
	p, err := lang.Load("../examples/peterson.imp", nil)
	if err != nil {
		t.Fatal(err)
	}
	var all []Place
	stores := 0
	for ti, th := range p.Threads {
		for i := range th.Edges {
			if th.Edges[i].Cmd.Op == program.Store {
				all = append(all, At(ti, th.Edges[i].To))
				stores++
			}
		}
	}
	r, err := Redundant(context.Background(), Insert(p, all), Options{Weight: Uniform})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Sets) == 0 || len(r.Sets[0].Places) != 2 || len(r.Removable) != stores-2 {
		t.Errorf("%+v", r)
	}
}

// TestFencesBruteForce compares all minimal sets with those found by trying every
// set of places.
func TestFencesBruteForce(t *testing.T) {
	for _, c := range []struct {
		goal  verdict.Question
		means verdict.Means
		n     int
	}{
		{verdict.Robustness, verdict.Mfence, 400}, {verdict.Robustness, verdict.Xchg, 400},
		{verdict.RaceFreedom, verdict.Mfence, 300}, {verdict.Safety, verdict.Mfence, 1200}, {verdict.Safety, verdict.Xchg, 1000},
	} {
		t.Run(fmt.Sprintf("%s/%s", c.goal, c.means), func(t *testing.T) {
			t.Parallel()
			needed := 0
			for seed := range uint64(c.n) {
				p := randprog.New(rand.New(rand.NewPCG(seed, 31)), randprog.Options{
					Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2},
					Commands: randprog.Range{Min: 3, Max: 4}, Plain: true, Fence: -1, Lock: -1, RMW: 1, Atomic: -1, Havoc: -1,
					NoProperty: -1, Forbid: 2, Exists: 2})
				opts := Options{Goal: c.goal, Means: c.means, Weight: Uniform, All: true}
				if c.goal == verdict.Safety && !enginetest.Relax(t, p, seed%2 == 0) {
					continue
				}
				r, err := Find(context.Background(), p, opts)
				if err != nil {
					t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
				}
				want, ok := bruteFences(t, p, c.goal, c.means)
				if !ok {
					continue
				}
				var got []string
				for _, s := range r.Sets {
					got = append(got, placesText(s.Places))
				}
				sort.Strings(got)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d: %q, by brute force %q\n%s", seed, got, want, enginetest.Text(p))
				}
				if len(r.Sets) > 0 && len(r.Sets[0].Places) > 0 {
					needed++
				}
			}
			t.Logf("%d programs need fences", needed)
			if needed < 5 {
				t.Error("hardly a program needs fences")
			}
		})
	}
}

func placesText(places []Place) string {
	var s []string
	for _, p := range places {
		s = append(s, fmt.Sprintf("%d.%d.%d", p.Thread, p.State, p.Edge))
	}
	sort.Strings(s)
	return strings.Join(s, " ")
}

// bruteFences are the minimal sets of places, or false where there are too many
// places.
func bruteFences(t *testing.T, p *program.Program, g verdict.Question, m verdict.Means) ([]string, bool) {
	t.Helper()
	var places []Place
	for ti, th := range p.Threads {
		in := entering(th)
		reps := representatives(th, in)
		for i := range th.Edges {
			e := &th.Edges[i]
			switch {
			case m == verdict.Xchg && e.Cmd.Op == program.Store:
				places = append(places, Place{Means: verdict.Xchg, Thread: ti, Edge: i})
			case m == verdict.Mfence:
				if pl := At(ti, reps[e.To]); !slices.Contains(places, pl) {
					places = append(places, pl)
				}
				if len(in[e.To]) > 1 {
					places = append(places, Place{Thread: ti, State: e.To, Edge: i})
				}
			}
		}
	}
	if len(places) > 8 {
		return nil, false
	}
	var good []int // bit sets
	for set := range 1 << len(places) {
		if slices.ContainsFunc(good, func(g int) bool { return g&set == g }) {
			good = append(good, set)
			continue
		}
		var some []Place
		for i := range places {
			if set>>i&1 != 0 {
				some = append(some, places[i])
			}
		}
		q := Insert(p, some)
		ok := false
		if g == verdict.Safety {
			ok = enginetest.Safe(t, q, memory.TSO)
		} else {
			ok = reaches(t, q, g)
		}
		if ok {
			good = append(good, set)
		}
	}
	var want []string
	for _, set := range good {
		minimal := !slices.ContainsFunc(good, func(o int) bool { return o != set && o&set == o })
		if minimal {
			var some []Place
			for i := range places {
				if set>>i&1 != 0 {
					some = append(some, places[i])
				}
			}
			want = append(want, placesText(some))
		}
	}
	sort.Strings(want)
	return want, true
}

// TestHitting compares branch and bound with trying everything.
func TestHitting(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 32))
	for range 500 {
		n := 1 + rng.IntN(8)
		h := hitting{}
		for range n {
			h.weights = append(h.weights, 1+rng.IntN(4))
		}
		sets := func(k int) (all [][]int) {
			for range rng.IntN(k) {
				var s []int
				for e := range n {
					if rng.IntN(3) == 0 {
						s = append(s, e)
					}
				}
				all = append(all, s)
			}
			return all
		}
		h.sets, h.forbidden = sets(7), sets(3)
		want := -1
		for mask := range 1 << n {
			has := func(e int) bool { return mask>>e&1 != 0 }
			ok := true
			for _, s := range h.sets {
				ok = ok && slices.ContainsFunc(s, has)
			}
			for _, f := range h.forbidden {
				ok = ok && slices.ContainsFunc(f, func(e int) bool { return !has(e) })
			}
			cost := 0
			for e := range n {
				if has(e) {
					cost += h.weights[e]
				}
			}
			if ok && (want < 0 || cost < want) {
				want = cost
			}
		}
		choice, found := h.solve()
		cost := 0
		for _, e := range choice {
			cost += h.weights[e]
		}
		if found != (want >= 0) || found && cost != want {
			t.Fatalf("%v: cost %d, want %d", h, cost, want)
		}
	}
}

// TestLoopDepth: a place in an inner loop costs more, and a thread can be made
// dear.
func TestLoopDepth(t *testing.T) {
	p, err := lang.Load("../examples/dekker.imp", nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := Find(context.Background(), p, Options{Goal: verdict.Robustness, ThreadCost: []int{1, 3}})
	if err != nil {
		t.Fatal(err)
	}
	costs := map[int]int{}
	for _, pl := range r.Sets[0].Places {
		costs[pl.Pos.Line] = pl.Cost
	}
	// After flag := 0, in two loops but not yet in the third; and before each
	// reading of the other flag, in two loops.
	if costs[19] != 100 || costs[35] != 300 || r.Sets[0].Cost != 4*(100+100) {
		t.Errorf("costs by line %v", costs)
	}
}
