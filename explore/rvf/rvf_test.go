package rvf

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// found is the valuations of the executions that an exploration comes to the end of.
type found struct {
	valuations, blocked map[string]bool
	leaves              int
	res                 *verdict.Result
}

func run(t *testing.T, p *program.Program, opts Options) *found {
	t.Helper()
	f := &found{valuations: map[string]bool{}, blocked: map[string]bool{}}
	opts.leaf = func(x *exploration, s []int32) {
		x.check(t, s)
		by := make([][]access, len(x.threads))
		for th := range x.threads {
			for _, id := range x.of[th] {
				e := &x.events[id]
				by[th] = append(by[th], access{th, e.write, e.cell, e.value, 0})
			}
		}
		v := valuation(by, x.picks)
		waits := false
		for th := range x.threads {
			waits = waits || x.stops[th].Kind == 3 || x.stops[th].Kind == 7
		}
		if waits {
			f.blocked[v] = true
			return
		}
		f.leaves++
		f.valuations[v] = true
	}
	var err error
	if f.res, err = Explore(t.Context(), p, opts); err != nil {
		t.Fatalf("%v\n%s", err, enginetest.Text(p))
	}
	return f
}

// check is the invariants of a witness: it is an order of the events at hand, in which
// every read reads one of its good writes, and its value.
func (x *exploration) check(t *testing.T, s []int32) {
	t.Helper()
	if len(s) != len(x.events) {
		t.Fatalf("%d events, %d in the witness", len(x.events), len(s))
	}
	next := make([]int32, len(x.of))
	last := map[int32]int32{}
	for i, id := range s {
		e := &x.events[id]
		if e.index != next[e.thread] {
			t.Fatalf("event %d is not in program order", id)
		}
		next[e.thread]++
		if e.write {
			last[e.cell] = id
			if e.half && (i == 0 || s[i-1] != id-1) {
				t.Fatalf("event %d is parted from its other half", id)
			}
			continue
		}
		w, ok := last[e.cell]
		value := x.init[e.cell]
		if !ok {
			w = initial
		} else {
			value = x.events[w].value
		}
		good := false
		for _, g := range e.good {
			good = good || g == w
		}
		if !good || value != e.value {
			t.Fatalf("event %d reads %d from %d, not %d from %v", id, value, w, e.value, e.good)
		}
	}
}

func (f *found) stat(name string) int64 {
	for _, s := range f.res.Stats {
		if s.Name == name {
			return s.Value
		}
	}
	return -1
}

// rep is n copies of a text, in which # is the number of the copy.
func rep(n int, text string) string {
	var w strings.Builder
	for i := range n {
		w.WriteString(strings.ReplaceAll(text, "#", fmt.Sprint(i+1)))
	}
	return w.String()
}

// TestPaper has the programs of the paper with the numbers that it gives for them, or
// that follow from the definitions: executions, calls where they are known, and classes of
// the equivalence where brute force can tell.
func TestPaper(t *testing.T) {
	const head = "program P variables x, y, s, r, a, b; "
	monabsex := func(u int) string {
		return head + rep(u, "process P# local l begin s := 4; l := s; assert l = 4 end ")
	}
	reorder := func(u int) string {
		return head + rep(u, "process S# begin a := 1; b := -1 end ") + `process C local i, j begin
			i := a; if i = 0 then j := b; if j != 0 then i := a; if i != 1 then goto bad fi; j := b; if j != -1 then goto bad fi fi
			else if i = 1 then j := b; if j != -1 then goto bad fi else goto bad fi fi; goto out; bad: skip; out: skip end `
	}
	// Two servers that pass a latch and a flag to and fro (pgsql), with so many rounds.
	pgsql := func(u int) string {
		return fmt.Sprintf(`program P const U = %d; variables latch[2] = {1, 0}, flag[2] = {1, 0}
			process W[i in 0..1] local n, k, l begin
				for n := 1 to U do
					k := 0; l := 0;
					while k < U + 2 && l = 0 do l := latch[i]; k := k + 1 od;
					if l = 0 then goto out fi;
					latch[i] := 0;
					l := flag[i];
					if l = 1 then flag[i] := 0; flag[1 - i] := 1; latch[1 - i] := 1 fi
				od;
				out: skip
			end`, u)
	}
	unverif := func(u int) string {
		return head + rep(u, "process P# local l, m begin l := fetch_add(r, 1); m := fetch_add(s, 1); assert m < 100 end ")
	}
	for _, tt := range []struct {
		name, text                 string
		executions, calls, classes int
	}{
		{"fig1", head + "process A begin x := 1; y := 1 end process B local l begin x := 1; y := 1; l := x end process C local l begin x := 1; y := 1; l := y end", 1, 3, 1},
		{"fig6", head + "process A local l begin x := 1; l := x; y := 1 end process B local l begin x := 1; y := 1; l := y; x := 2 end", 2, 5, 3},
		{"monabsex1 2", monabsex(2), 1, 0, 1},
		{"monabsex1 3", monabsex(3), 1, 0, 1},
		{"monabsex1 8", monabsex(8), 1, 0, 0},
		{"reorder_5 1", reorder(1), 4, 0, 0},
		{"reorder_5 2", reorder(2), 4, 0, 0},
		{"reorder_5 9", reorder(9), 4, 0, 0},
		{"13a", head + rep(1, "process A begin x := 1; x := 1 end process B local l begin x := 1; l := x; x := 1; l := x end process C begin x := 1; x := 1 end"), 1, 0, 1},
		{"13b", head + "process A begin x := 1; y := 1 end process B local l begin x := 1; l := x; y := 1; l := y end process C begin x := 1; y := 1 end", 1, 0, 1},
		{"pgsql 1", pgsql(1), 4, 18, 0},
		{"pgsql 2", pgsql(2), 85, 443, 0},
		{"pgsql 3", pgsql(3), 3906, 20308, 0},
		{"two counters 3", unverif(3), 36, 0, 36},
		{"two counters 4", unverif(4), 576, 0, 0},
		{"singleton", head + rep(7, "process P# begin x := 1 end ") + "process Q begin x := 2 end exists x = 3", 2, 0, 0},
		{"a failing compare-and-swap says nothing", head + "process A local l begin l := fetch_add(y, 1) end process B local l begin l := cas(y, 0, 1); x := 1 end", 2, 0, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := enginetest.Parse(t, "p.imp", tt.text)
			f := run(t, p, Options{})
			if n := int(f.stat("executions")); n != tt.executions || tt.calls > 0 && int(f.stat("calls")) != tt.calls || !f.res.Safe() {
				t.Errorf("%v, want %d executions, %d calls: %s", f.res.Stats, tt.executions, tt.calls, f.res.Verdict())
			}
			if tt.classes > 0 {
				if b := bruteForce(t, p, 1e6); len(b.classes) != tt.classes {
					t.Errorf("%d classes, want %d", len(b.classes), tt.classes)
				}
			}
		})
	}
}

// TestRandom: every valuation is found, nothing else is, and there are no more
// executions than classes, with and without what makes it fast.
func TestRandom(t *testing.T) {
	two := randprog.Range{Min: 2, Max: 2}
	shapes := map[string]randprog.Options{
		"accesses": {Threads: randprog.Range{Min: 2, Max: 3}, Addresses: two, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1, Load: 8, Store: 8,
			Fence: -1, RMW: -1, Atomic: -1, Assign: -1, Havoc: -1, Lock: -1, Forbid: -1, Exists: -1, Forall: -1, Branch: 2},
		"rmw": {Threads: randprog.Range{Min: 2, Max: 3}, Addresses: two, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, Load: 4, Store: 4, RMW: 8,
			Fence: 1, Atomic: -1, Assign: -1, Havoc: -1, Lock: -1, Forbid: -1, Exists: -1, Forall: -1},
		"choices": {Threads: randprog.Range{Min: 2, Max: 3}, Addresses: two, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, RMW: 4,
			Havoc: 3, Assume: 2, Atomic: -1, Lock: -1, Forbid: -1, Exists: -1, Forall: -1, Start: 1},
		"waits": {Threads: randprog.Range{Min: 2, Max: 3}, Addresses: two, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, RMW: 3,
			WaitLoop: 4, Atomic: -1, Havoc: -1, Lock: -1, Forbid: -1, Exists: -1, Forall: -1},
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := uint64(150)
			if testing.Short() {
				n = 60
			}
			compared, merged := 0, 0
			for seed := range n {
				p := randprog.New(rand.New(rand.NewPCG(seed, 31)), shape)
				b := bruteForce(t, p, 20_000)
				if b == nil {
					continue
				}
				compared++
				for _, opts := range []Options{{}, {reverse: true}, {noSignals: true}, {noClosure: true}, {noGuide: true, noGreed: true}} {
					f := run(t, p, opts)
					for v := range b.valuations {
						if !f.valuations[v] {
							t.Fatalf("seed %d, %+v: missed\n%s\n%s", seed, opts, v, enginetest.Text(p))
						}
					}
					for v := range f.valuations {
						if !b.valuations[v] {
							t.Fatalf("seed %d, %+v: there is no\n%s\n%s", seed, opts, v, enginetest.Text(p))
						}
					}
					for v := range f.blocked {
						if !b.blocked[v] {
							t.Fatalf("seed %d, %+v: nothing is blocked with\n%s\n%s", seed, opts, v, enginetest.Text(p))
						}
					}
					if f.leaves > len(b.classes) && !opts.noSignals {
						t.Fatalf("seed %d, %+v: %d executions, %d classes\n%s", seed, opts, f.leaves, len(b.classes), enginetest.Text(p))
					}
					if f.leaves < b.runs {
						merged++
					}
				}
			}
			t.Logf("%d of %d programs compared, fewer executions than interleavings in %d of %d cases", compared, n, merged, 5*compared)
		})
	}
}

// TestRefused: what rvf does not know it refuses.
func TestRefused(t *testing.T) {
	const head = "program P variables x, y; process Q begin x := 1 end process P local r begin "
	for _, text := range []string{
		"lock; x := 1; unlock end",
		"atomic begin x := 1; y := 1 end end",
		"atomic begin r := x; x := 2; r := x end end",
		"x := 1 end forbid deadlock",
		"at: skip end forbid P@at & x = 1",
	} {
		var refused *program.Diagnostic
		if _, err := Explore(t.Context(), enginetest.Parse(t, "p.imp", head+text), Options{}); !errors.As(err, &refused) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
