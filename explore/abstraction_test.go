package explore

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/internal/reference"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// abstractShapes are the kinds of random programs that the laws are tested on.
var abstractShapes = []struct {
	name string
	opts randprog.Options
	// stores bounds the buffers where it is not 0; the programs have loops
	// that store.
	stores int
}{
	{"plain", randprog.Options{Threads: randprog.Two, Addresses: randprog.Two, Commands: randprog.Range{Min: 2, Max: 4}, Values: 1, Assert: 1, Deadlock: 1}, 0},
	{"stores", randprog.Options{Threads: randprog.Two, Addresses: randprog.Two, Commands: randprog.Range{Min: 2, Max: 5}, Values: 1,
		Store: 12, RMW: -1, Atomic: -1, Lock: -1, Branch: -1, Havoc: -1, Assert: 1}, 0},
	{"locks", randprog.Options{Threads: randprog.Two, Addresses: randprog.Two, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1,
		Lock: 5, Store: 10, Havoc: -1, Deadlock: 1}, 0},
	{"threads", randprog.Options{Threads: randprog.Three, Addresses: randprog.Two, Commands: randprog.Range{Min: 1, Max: 2}, Values: 1, Havoc: -1}, 0},
	{"loops", randprog.Options{Threads: randprog.Two, Addresses: randprog.Two, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1,
		StoreLoop: 5, WaitLoop: 2, Havoc: -1, Lock: -1, Assert: 1, Deadlock: 1}, 3},
}

const tooMany = 20_000 // states

// reach is the set of the control states, registers and memory of the reachable
// states in which all buffers are empty, and how many states there are; nil if
// there are too many.
func reach(t *testing.T, p *program.Program, m memory.Model, b abstract.Buffer, stores int) (map[string]bool, int64) {
	t.Helper()
	keys := map[string]bool{}
	n := eachState(t, p, Options{Model: m, Abstraction: b, Buffer: stores}, func(x *abstract.System, s *abstract.State) {
		for _, c := range s.Buf {
			if !c.Empty() {
				return
			}
		}
		keys[fmt.Sprint(s.PC, s.Vals, s.Lock)] = true
	})
	if n < 0 {
		return nil, n
	}
	return keys, n
}

// eachState visits all states, violations or not; -1 if there are too many.
func eachState(t *testing.T, p *program.Program, opts Options, visit func(*abstract.System, *abstract.State)) int64 {
	t.Helper()
	opts.Reduction, opts.MaxStates, opts.MemoryLimit = NoReduction, tooMany, 1<<28
	s, err := newSearch(context.Background(), p, opts, func(*abstract.State) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
	if s.stopped != "" {
		return -1
	}
	s.each(func(st *abstract.State) error { visit(s.x, st); return nil })
	return s.states
}

// subset fails unless a is nil, or b is, or b contains a.
func subset(t *testing.T, what string, a, b map[string]bool) {
	t.Helper()
	if a == nil || b == nil {
		return
	}
	for k := range a {
		if !b[k] {
			t.Errorf("%s: %s is in the first only", what, k)
			return
		}
	}
}

// TestLaws: the abstractions enclose TSO and each other as the thesis has it
// (theorems 12, 14, 17 and the diagram at the end of section 3.2).
func TestLaws(t *testing.T) {
	for _, shape := range abstractShapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			compared, finer := 0, 0
			for seed := range 3 * *programs {
				p := randprog.New(rand.New(rand.NewPCG(seed, 32)), shape.opts)
				p.Properties = nil
				sc, _ := reach(t, p, memory.SC, nil, 0)
				tso, _ := reach(t, p, memory.TSO, nil, shape.stores)
				mset, _ := reach(t, p, memory.TSO, abstract.Multiset{}, shape.stores)
				set, n := reach(t, p, memory.TSO, abstract.Set{}, 0)
				one, m := reach(t, p, memory.TSO, abstract.Multiset{Max: 1, Saturate: true}, 0)
				if set == nil || tso == nil {
					continue
				}
				compared++
				if shape.stores == 0 {
					subset(t, "SC in TSO", sc, tso)
				}
				subset(t, "SC in set", sc, set)
				subset(t, "TSO in multiset", tso, mset)
				subset(t, "multiset in set", mset, set)
				subset(t, "set in saturated multiset", set, one)
				subset(t, "saturated multiset in set", one, set)
				if n != m {
					t.Errorf("%d states with sets, %d with multisets saturated at 1", n, m)
				}
				outer := set
				for k := range 4 {
					co, n := reach(t, p, memory.TSO, abstract.Coherence{K: k}, 0)
					if co == nil {
						continue
					}
					subset(t, fmt.Sprintf("TSO in k = %d", k), tso, co)
					subset(t, fmt.Sprintf("k = %d in k - 1", k), co, outer)
					if k == 0 && (n != m || len(co) != len(set)) {
						t.Errorf("%d states with k = 0, %d with sets", n, m)
					}
					if len(co) < len(set) {
						finer++
					}
					if shape.stores == 0 {
						counted, _ := reach(t, p, memory.TSO, abstract.Coherence{K: k, Counting: true}, 0)
						subset(t, fmt.Sprintf("TSO in k = %d with counts", k), tso, counted)
						subset(t, fmt.Sprintf("k = %d with counts in k", k), counted, co)
						subset(t, fmt.Sprintf("k = %d with counts in multiset", k), counted, mset)
						if k == 0 {
							subset(t, "multiset in k = 0 with counts", mset, counted)
						}
					}
					outer = co
				}
				outer = set
				for c := 2; c <= 3; c++ {
					over, _ := reach(t, p, memory.TSO, abstract.Multiset{Max: c, Saturate: true}, 0)
					under, _ := reach(t, p, memory.TSO, abstract.Multiset{Max: c}, 0)
					subset(t, fmt.Sprintf("multiset in multiset:%d", c), mset, over)
					subset(t, fmt.Sprintf("multiset<=%d in multiset:%d", c, c), under, over)
					if shape.stores == 0 {
						subset(t, fmt.Sprintf("multiset<=%d in multiset", c), under, mset)
					}
					subset(t, fmt.Sprintf("multiset:%d in multiset:%d", c, c-1), over, outer)
					if over != nil {
						outer = over
					}
				}
				if k := maxStores(p); shape.stores == 0 && k >= 0 {
					co, _ := reach(t, p, memory.TSO, abstract.Coherence{K: k}, 0)
					subset(t, "k in TSO where no thread stores more than k times", co, tso)
				}
				if t.Failed() {
					t.Fatalf("seed %d: program:\n%v", seed, reference.Dump(p))
				}
			}
			t.Logf("%d programs; an abstraction was finer than sets %d times", compared, finer)
		})
	}
}

// maxStores is how many Store commands a thread has at most, or -1 where they
// may be repeated.
func maxStores(p *program.Program) int {
	most := 0
	for _, t := range p.Threads {
		n := 0
		for _, e := range t.Edges {
			if e.To <= e.From {
				return -1
			}
			if e.Cmd.Op == program.Store {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// TestAbstractReduction: with a reduction, every abstraction has the same final
// states and finds a violation where there is one, and its run replays.
func TestAbstractReduction(t *testing.T) {
	buffers := []abstract.Buffer{abstract.Set{}, abstract.Multiset{Max: 2}, abstract.Multiset{Max: 2, Saturate: true},
		abstract.Coherence{K: 1}, abstract.Coherence{K: 2}, abstract.Coherence{K: 1, Counting: true}}
	for _, shape := range abstractShapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			compared, violated := 0, 0
			var plain, reduced int64
			for seed := range *programs {
				p := randprog.New(rand.New(rand.NewPCG(seed, 33)), shape.opts)
				r := Reductions()[1+int(seed)%(len(Reductions())-1)]
				for _, b := range buffers {
					if !sameReduced(t, p, b, r, &plain, &reduced, &violated) {
						continue
					}
					compared++
					if t.Failed() {
						t.Fatalf("seed %d, %s, %s: program:\n%v", seed, abstract.Name(b), r, reference.Dump(p))
					}
				}
			}
			t.Logf("%d comparisons, %d with violations; states: %d reduced, %d not", compared, violated, reduced, plain)
		})
	}
}

func sameReduced(t *testing.T, p *program.Program, b abstract.Buffer, r Reduction, plain, reduced *int64, violated *int) bool {
	t.Helper()
	var finals [2]map[string]bool
	var found [2]bool
	for i, r := range []Reduction{NoReduction, r} {
		opts := Options{Abstraction: b, Reduction: r, MaxStates: tooMany, MemoryLimit: 1 << 28}
		fs, res, err := FinalStates(context.Background(), p, opts)
		if err != nil {
			t.Error(err)
			return true
		}
		if res.Candidate() == nil && !res.Safe() && res.Stat("states") >= tooMany {
			return false
		}
		finals[i] = map[string]bool{}
		for _, f := range fs {
			finals[i][fmt.Sprint(f)] = true
		}
		if i == 0 {
			*plain += res.Stat("states")
		} else {
			*reduced += res.Stat("states")
		}
		res, err = Check(context.Background(), p, opts)
		if err != nil {
			t.Error(err)
			return true
		}
		found[i] = res.Candidate() != nil
		if res.Unsafe() || res.Safe() && found[i] {
			t.Errorf("%v with a candidate: %v", res.Verdict(), found[i])
		}
	}
	if found[0] {
		*violated++
	}
	if found[0] != found[1] {
		t.Errorf("a violation without reduction: %v, with: %v", found[0], found[1])
	}
	if !maps.Equal(finals[0], finals[1]) && !found[0] {
		t.Errorf("final states without reduction\n%v\nwith\n%v", slices.Sorted(maps.Keys(finals[0])), slices.Sorted(maps.Keys(finals[1])))
	}
	return true
}

// TestFig33: the set abstraction of the thesis' figure 3.3 has 2^4 * 4 * 4 states
// when the marks are not counted, and is a proof.
func TestFig33(t *testing.T) {
	p, err := lang.Load("../examples/thesis/fig3.3.imp", nil)
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]bool{}
	res, err := Closed(context.Background(), p, Options{Abstraction: abstract.Set{}}, func(*abstract.System, int64) error { return nil }, func(_ *abstract.System, s *abstract.State) error {
		for t := range s.Buf {
			slices.SortFunc(s.Buf[t].Pairs, func(a, b abstract.Pair) int { return int(a.Value - b.Value) })
		}
		states[fmt.Sprint(s.PC, s.Vals, s.Buf)] = true
		return nil
	})
	if err != nil || !res.Safe() || res.Argument() != verdict.Closed {
		t.Fatalf("%+v, %v", res, err)
	}
	t.Logf("%d states with marks", res.Stat("states"))
	if len(states) != 256 {
		t.Errorf("%d states, want 256", len(states))
	}
}

// TestDynamicAbstraction: dynamic reduction knows store buffers as they are; an
// abstraction is searched all the same, and not the program in its place.
func TestDynamicAbstraction(t *testing.T) {
	for _, fenced := range []bool{false, true} {
		p := progtest.Peterson(t, fenced)
		for _, b := range []abstract.Buffer{abstract.Set{}, abstract.Multiset{Max: 2, Saturate: true}, abstract.Coherence{K: 2}} {
			want := check(t, p, Options{Abstraction: b})
			got := check(t, p, Options{Abstraction: b, Reduction: DynamicPOR})
			if got.Verdict() != want.Verdict() || got.Abstraction != abstract.Name(b) || (got.Candidate() == nil) != (want.Candidate() == nil) {
				t.Errorf("%s, fenced %v: %v of %q, want %v", abstract.Name(b), fenced, got.Verdict(), got.Abstraction, want.Verdict())
			}
		}
	}
}
