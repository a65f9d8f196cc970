package rvf

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/explore/threads"
)

// linear is whether some order of the events at hand is a witness, by trying all. Of
// every witness it tells f.
func linear(x *exploration, f func(s []int32)) (found bool) {
	var s []int32
	count := make([]int32, len(x.of))
	active := []int32{initial, initial}
	var walk func()
	walk = func() {
		if len(s) == len(x.events) {
			found = true
			f(s)
			return
		}
		for t := range x.of {
			if int(count[t]) == len(x.of[t]) {
				continue
			}
			id := x.of[t][count[t]]
			e := &x.events[id]
			if len(s) > 0 {
				if last := &x.events[s[len(s)-1]]; last.half && !last.write && id != s[len(s)-1]+1 {
					continue
				}
			}
			was := active[e.cell]
			if e.write {
				active[e.cell] = id
			} else if !slices.Contains(e.good, was) {
				continue
			}
			count[t]++
			s = append(s, id)
			walk()
			s = s[:len(s)-1]
			count[t]--
			active[e.cell] = was
		}
	}
	walk()
	return found
}

// TestWitness holds the search for a witness against all orders, and the closure
// against all witnesses, on random events with random good writes.
func TestWitness(t *testing.T) {
	yes, no, closed := 0, 0, 0
	n := 20_000
	if testing.Short() {
		n = 4_000
	}
	for seed := range uint64(n) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		k := 2 + rnd.IntN(3)
		x := &exploration{ctx: t.Context(), threads: make([]*threads.Thread, k), of: make([][]int32, k+1), init: make([]int64, 2), budget: states.NewBudget(0)}
		for range 4 + rnd.IntN(5) {
			th := rnd.IntN(k)
			e := event{cell: int32(rnd.IntN(2)), write: rnd.IntN(2) == 0}
			e.half = !e.write && rnd.IntN(3) == 0
			x.add(th, e)
			if e.half {
				x.add(th, event{cell: e.cell, write: true, half: true})
			}
		}
		var guide []int32
		for id := range x.events {
			guide = append(guide, int32(id))
			e := &x.events[id]
			if e.write {
				continue
			}
			good := []int32{initial}
			for w := range x.events {
				if x.events[w].write && x.events[w].cell == e.cell && !(e.half && w == id+1) {
					good = append(good, int32(w))
				}
			}
			rnd.Shuffle(len(good), func(i, j int) { good[i], good[j] = good[j], good[i] })
			e.good = good[:1+rnd.IntN(min(2, len(good)))]
		}
		o, open := x.closure()
		want := linear(x, func(s []int32) {
			for i, b := range s {
				for _, a := range s[i+1:] {
					if open && x.before(&o, a, b) {
						t.Fatalf("seed %d: the closure has %d before %d, a witness not: %+v", seed, a, b, x.events)
					}
				}
			}
		})
		if !open {
			closed++
			if want {
				t.Fatalf("seed %d: a witness where the closure has none: %+v", seed, x.events)
			}
		}
		for _, opts := range []Options{{}, {noClosure: true}, {noGreed: true}, {noClosure: true, noGreed: true}} {
			x.opts, x.order = opts, order{}
			s, ok := x.witness(guide)
			if ok != want {
				t.Fatalf("seed %d, %+v: %v, want %v: %+v", seed, opts, ok, want, x.events)
			}
			if ok {
				x.check(t, s)
			}
		}
		if want {
			yes++
		} else {
			no++
		}
	}
	t.Logf("%d with a witness, %d without, %d of them by the closure", yes, no, closed)
	if yes < n/10 || no < n/10 || closed == no {
		t.Error("that is no test")
	}
}
