package rvf

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// found is the valuations of the executions that an exploration comes to the end of.
type found struct {
	valuations, blocked map[string]bool
	locals              map[string]bool // what single threads do
	leaves              int
	res                 *verdict.Result
}

func run(t *testing.T, p *program.Program, opts Options) *found {
	t.Helper()
	f := &found{valuations: map[string]bool{}, blocked: map[string]bool{}, locals: map[string]bool{}}
	opts.step = func(x *exploration) {
		for th := range x.threads {
			as := x.accesses(th)
			for i := range len(as) + 1 {
				f.locals[local(th, as[:i])] = true
			}
		}
	}
	opts.leaf = func(x *exploration, s []int32) {
		for th := range x.states {
			if x.states[th].Open() { // it keeps the lock: what comes after it, others have not done
				return
			}
		}
		x.check(t, s)
		by := make([][]access, len(x.threads))
		for th := range x.threads {
			by[th] = x.accesses(th)
		}
		v := valuation(by, x.picks)
		waits := false
		for th := range x.threads {
			k := x.stops[th].Kind
			waits = waits || k == threads.Waiting || k == threads.Load || k == threads.Lock || k == threads.Store
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

// accesses is what thread t does.
func (x *exploration) accesses(t int) (as []access) {
	for _, id := range x.of[t] {
		e := &x.events[id]
		as = append(as, access{thread: t, write: !e.read, cell: e.cell, value: e.value})
	}
	return as
}

// check is the invariants of a witness: it is an order of the events at hand, in which
// every read reads one of its good writes, and its value.
func (x *exploration) check(t *testing.T, s []int32) {
	t.Helper()
	if len(s) != len(x.events) {
		t.Fatalf("%d events, %d in the witness", len(x.events), len(s))
	}
	next := make([]int32, len(x.of))
	done := map[int32]bool{}
	last := map[int32]int32{}
	for i, id := range s {
		e := &x.events[id]
		if e.index != next[e.thread] || e.after > 0 && !x.flushed(done, e) {
			t.Fatalf("event %d is not in program order", id)
		}
		next[e.thread]++
		done[id] = true
		if e.unit != id+1 && (i == 0 || s[i-1] != id-1) {
			t.Fatalf("event %d is parted from what it happens at once with", id)
		}
		if int(e.thread) > x.observer() && !done[id-1] {
			t.Fatalf("event %d is flushed before it is stored", id)
		}
		if e.write {
			last[e.cell] = id
		}
		if !e.read {
			continue
		}
		w, ok := last[e.cell]
		if e.own >= 0 && !done[e.own] {
			w, ok = e.own, true
		}
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

// flushed is true where all flushes that e waits for are done.
func (x *exploration) flushed(done map[int32]bool, e *event) bool {
	for id := range e.after {
		if f := &x.events[id]; int(f.thread) > x.observer() && x.owner[f.thread] == x.owner[e.thread] && !done[id] {
			return false
		}
	}
	return true
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
	const fig6 = head + "process A local l begin x := 1; l := x; y := 1 end process B local l begin x := 1; y := 1; l := y; x := 2 end"
	unverif := func(u int) string {
		return head + rep(u, "process P# local l, m begin l := fetch_add(r, 1); m := fetch_add(s, 1); assert m < 100 end ")
	}
	for _, tt := range []struct {
		name, text                 string
		executions, calls, classes int
		witnesses, none            int // questions whether there is one, and how often there is not
	}{
		{"fig1", head + "process A begin x := 1; y := 1 end process B local l begin x := 1; y := 1; l := x end process C local l begin x := 1; y := 1; l := y end", 1, 3, 1, 2, 0},
		{"fig6", fig6, 2, 5, 3, 4, 0},
		{"monabsex1 2", monabsex(2), 1, 0, 1, 0, 0},
		{"monabsex1 3", monabsex(3), 1, 0, 1, 0, 0},
		{"monabsex1 8", monabsex(8), 1, 0, 0, 0, 0},
		{"reorder_5 1", reorder(1), 4, 0, 0, 0, 0},
		{"reorder_5 2", reorder(2), 4, 0, 0, 0, 0},
		{"reorder_5 9", reorder(9), 4, 0, 0, 0, 0},
		{"13a", head + rep(1, "process A begin x := 1; x := 1 end process B local l begin x := 1; l := x; x := 1; l := x end process C begin x := 1; x := 1 end"), 1, 0, 1, 0, 0},
		{"13b", head + "process A begin x := 1; y := 1 end process B local l begin x := 1; l := x; y := 1; l := y end process C begin x := 1; y := 1 end", 1, 0, 1, 0, 0},
		{"pgsql 1", pgsql(1), 4, 18, 0, 20, 3},
		{"pgsql 2", pgsql(2), 85, 443, 0, 686, 244},
		{"pgsql 3", pgsql(3), 3906, 20308, 0, 32762, 12455},
		{"two counters 3", unverif(3), 36, 0, 36, 0, 0},
		{"two counters 4", unverif(4), 576, 0, 0, 0, 0},
		{"singleton", head + rep(7, "process P# begin x := 1 end ") + "process Q begin x := 2 end exists x = 3", 2, 0, 0, 0, 0},
		{"compare-and-swaps that are awaited", head + "process A begin await cas(x, 1, 2); y := 1 end process B begin x := 1 end process C local l begin await cas(x, 2, 3); l := y end", 2, 0, 2, 0, 0},
		{"a failing compare-and-swap says nothing", head + "process A local l begin l := fetch_add(y, 1) end process B local l begin l := cas(y, 0, 1); x := 1 end", 2, 0, 2, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := enginetest.Parse(t, "p.imp", tt.text)
			f := run(t, p, Options{})
			if n := int(f.stat("executions")); n != tt.executions || tt.calls > 0 && int(f.stat("calls")) != tt.calls || !f.res.Safe() {
				t.Errorf("%v, want %d executions, %d calls: %s", f.res.Stats, tt.executions, tt.calls, f.res.Verdict())
			}
			if tt.witnesses > 0 && (int(f.stat("witnesses")) != tt.witnesses || int(f.stat("no witness")) != tt.none) {
				t.Errorf("%v, want %d questions for witnesses, and %d without", f.res.Stats, tt.witnesses, tt.none)
			}
			if tt.classes > 0 {
				if b := bruteForce(t, p, memory.SC, 1e6); len(b.classes) != tt.classes {
					t.Errorf("%d classes, want %d", len(b.classes), tt.classes)
				}
			}
		})
	}
	// The order in which reads are tried makes a difference.
	if f := run(t, enginetest.Parse(t, "p.imp", fig6), Options{reverse: true}); f.stat("executions") != 3 || f.stat("calls") != 6 {
		t.Errorf("%v, want 3 executions, 6 calls", f.res.Stats)
	}
}

var (
	programs = flag.Int("programs", 0, "how many random programs of each shape TestRandom has; 0: a few")
	seed     = flag.Uint64("seed", 0, "of the first of them")
)

// TestRandom: every valuation is found, nothing else is, and there are no more
// executions than classes, with and without what makes it fast, under each model.
func TestRandom(t *testing.T) {
	for name, shape := range shapes() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			all := []Options{{}, {reverse: true}, {noSignals: true}, {noClosure: true}, {noGuide: true, noGreed: true}}
			switch {
			case *programs > 0:
				compare(t, shape, *seed, uint64(*programs), all[:1], 2_000)
			case testing.Short():
				compare(t, shape, 0, 40, all, 6_000)
			default:
				compare(t, shape, 0, 50, all, 6_000)
			}
		})
	}
}

// shapes are of the random programs.
func shapes() map[string]randprog.Options {
	two, few := randprog.Range{Min: 2, Max: 2}, randprog.Range{Min: 2, Max: 3}
	plain := randprog.Options{Threads: few, Addresses: two, Commands: few, Values: 1, Atomic: -1, Havoc: -1, Lock: -1, Assign: -1, Forbid: -1, Exists: -1, Forall: -1}
	with := func(f func(o *randprog.Options)) randprog.Options {
		o := plain
		f(&o)
		return o
	}
	return map[string]randprog.Options{
		"accesses": with(func(o *randprog.Options) {
			o.Commands, o.Load, o.Store, o.Fence, o.RMW = randprog.Range{Min: 2, Max: 4}, 8, 8, -1, -1
		}),
		"rmw":     with(func(o *randprog.Options) { o.Load, o.Store, o.RMW = 4, 4, 8 }),
		"fences":  with(func(o *randprog.Options) { o.Commands, o.Fence, o.RMW = randprog.Range{Min: 2, Max: 4}, 4, -1 }),
		"choices": with(func(o *randprog.Options) { o.RMW, o.Havoc, o.Assume, o.Start = 4, 3, 2, 1 }),
		"waits":   with(func(o *randprog.Options) { o.RMW, o.WaitLoop = 3, 4 }),
		"locks":   with(func(o *randprog.Options) { o.RMW, o.Lock, o.Fence = 1, 8, -1 }),
		"blocks":  with(func(o *randprog.Options) { o.RMW, o.Atomic, o.Fence = 1, 8, -1 }),
		"small": with(func(o *randprog.Options) {
			o.Threads, o.Commands = randprog.Range{Min: 2, Max: 2}, randprog.Range{Min: 2, Max: 4}
			o.Lock, o.Atomic, o.WaitLoop, o.Havoc, o.Assume, o.RMW = 2, 2, 1, 1, 1, 2
		}),
		"all": with(func(o *randprog.Options) {
			o.Lock, o.Atomic, o.WaitLoop, o.Havoc, o.Assume = 4, 3, 1, 1, 1
		}),
	}
}

// compare holds the exploration of random programs against brute force.
func compare(t *testing.T, shape randprog.Options, from, n uint64, all []Options, most int) {
	compared, merged := map[memory.Model]int{}, 0
	for seed := from; seed < from+n; seed++ {
		p := randprog.New(rand.New(rand.NewPCG(seed, 31)), shape)
		for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
			b := bruteForce(t, p, m, most)
			if b == nil {
				continue
			}
			compared[m]++
			for _, opts := range all {
				opts.Model = m
				f := run(t, p, opts)
				if what := f.differs(b); what != "" {
					t.Fatalf("seed %d, %s, %+v: %s\n%s", seed, m, opts, what, enginetest.Text(p))
				}
				if f.leaves < len(b.classes) {
					merged++
				}
			}
		}
	}
	runs := (compared[memory.SC] + compared[memory.TSO] + compared[memory.PSO]) * len(all)
	t.Logf("%d programs, compared with brute force: %v; fewer executions than classes in %d of %d cases", n, compared, merged, runs)
}

// differs is in what an exploration differs from brute force, or "".
func (f *found) differs(b *brute) string {
	for _, s := range []struct {
		what string
		some map[string]bool
		all  map[string]bool
	}{
		{"missed", b.valuations, f.valuations},
		{"there is no", f.valuations, b.valuations},
		{"nothing is blocked with", f.blocked, b.blocked},
		{"no thread was seen to do", b.locals, f.locals},
	} {
		for v := range s.some {
			if !s.all[v] {
				return s.what + "\n" + v
			}
		}
	}
	if f.leaves > len(b.classes) {
		return fmt.Sprintf("%d executions, %d classes", f.leaves, len(b.classes))
	}
	return ""
}

// TestMutants breaks each rule of the exploration and of the search for a witness, and shows that brute force tells.
func TestMutants(t *testing.T) {
	valuations := func(rules mutant, seed uint64) string {
		p := randprog.New(rand.New(rand.NewPCG(seed, 31)), shapes()["accesses"])
		if b := bruteForce(t, p, memory.SC, 2_000); b != nil {
			return run(t, p, Options{rules: rules}).differs(b)
		}
		return ""
	}
	witnesses := func(rules mutant, seed uint64) string {
		x, guide := instance(t, seed, memory.SC)
		x.opts.rules = rules
		x.opts.noClosure, x.opts.noGreed = rules == countsOnly, rules == countsOnly // which leave it little to tell
		want, all := linear(x, func([]int32) {})
		if _, ok := x.witness(guide); (all || want) && ok != want {
			return "no witness"
		}
		return ""
	}
	for _, tt := range []struct {
		rules   mutant
		differs func(rules mutant, seed uint64) string
	}{
		{initAgain, valuations},
		{sharedCausal, valuations},
		{oldSignals, valuations},
		{noOwn, valuations},
		{greedyHalves, witnesses},
		{heldEarly, witnesses},
		{countsOnly, witnesses},
	} {
		told := false
		for seed := uint64(0); seed < 8_000 && !told; seed++ {
			what := tt.differs(tt.rules, seed)
			if told = what != ""; told {
				t.Logf("mutant %d: seed %d: %s", tt.rules, seed, strings.ReplaceAll(what, "\n", " "))
			}
		}
		if !told {
			t.Errorf("nobody notices mutant %d", tt.rules)
		}
	}
}

// TestRefused: what rvf does not know it refuses.
func TestRefused(t *testing.T) {
	const head = "program P variables x, y; process Q begin x := 1 end process P local r begin "
	for _, text := range []string{
		"x := 1 end forbid deadlock",
		"at: skip end forbid P@at & x = 1",
	} {
		var refused *program.Diagnostic
		if _, err := Explore(t.Context(), enginetest.Parse(t, "p.imp", head+text), Options{}); !errors.As(err, &refused) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
