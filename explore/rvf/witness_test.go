package rvf

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/explore/threads"
	"github.com/fencepost-verifier/fencepost/memory"
)

// linear is whether some order of the events at hand is a witness, by trying all. Of
// every witness it tells f. all is false where there are too many.
func linear(x *exploration, f func(s []int32)) (found, all bool) {
	var s []int32
	count := make([]int32, len(x.of))
	active := []int32{initial, initial}
	done := map[int32]bool{}
	steps := 0
	var walk func()
	walk = func() {
		if steps++; steps > 20_000 {
			return
		}
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
			if n := len(s); n > 0 && id != s[n-1]+1 && int(s[n-1])+1 < len(x.events) && x.events[s[n-1]+1].unit == x.events[s[n-1]].unit {
				continue // what happens at once is not over
			}
			if int(e.thread) > x.observer() && !done[id-1] || e.after > 0 && !x.flushed(done, e) {
				continue
			}
			was := active[e.cell]
			switch {
			case e.write:
				active[e.cell] = id
			case e.read && e.own >= 0 && !done[e.own]:
				if !slices.Contains(e.good, e.own) {
					continue
				}
			case e.read && !slices.Contains(e.good, was):
				continue
			}
			done[id] = true
			count[t]++
			s = append(s, id)
			walk()
			s = s[:len(s)-1]
			count[t]--
			delete(done, id)
			active[e.cell] = was
		}
	}
	walk()
	return found, steps <= 20_000
}

// random adds random events to those at hand.
func (x *exploration) random(rnd *rand.Rand) {
	t := rnd.IntN(len(x.threads))
	unit, n := int32(0), 1
	if rnd.IntN(20) == 0 { // they happen at once
		unit, n = int32(len(x.events))+1, 1+rnd.IntN(3)
		x.drains(t)
	}
	for range n {
		cell := int32(rnd.IntN(2))
		switch k := rnd.IntN(12); {
		case k < 6:
			x.store(t, &threads.Stop{Kind: threads.Store, Cell: cell, Atomic: k == 0}, false, unit)
		case k < 11:
			e := event{cell: cell, read: true, own: initial, half: unit == 0 && k < 7, unit: unit}
			if e.half {
				x.drains(t)
			}
			if x.buffered() {
				e.own = x.last(t, cell)
			}
			if id := x.add(t, e); e.half {
				x.add(t, event{cell: cell, write: true, half: true, unit: id + 1})
			}
		case rnd.IntN(2) == 0:
			x.drains(t)
		case x.buffered():
			x.fence[t] = int32(len(x.events))
		}
	}
}

// instance is random events with random good writes, and all of them as a guide.
func instance(t *testing.T, seed uint64, m memory.Model) (x *exploration, guide []int32) {
	rnd := rand.New(rand.NewPCG(seed, 5))
	x = &exploration{ctx: t.Context(), threads: make([]*threads.Thread, 2+rnd.IntN(3)), init: make([]int64, 2),
		budget: states.NewBudget(0), blocks: true, opts: Options{Model: m}}
	x.rows()
	for range 4 + rnd.IntN(5) {
		x.random(rnd)
	}
	for id := range x.events {
		guide = append(guide, int32(id))
		e := &x.events[id]
		if !e.read {
			continue
		}
		good := []int32{initial}
		for w := range x.events {
			if x.events[w].write && x.events[w].cell == e.cell && (x.events[w].unit != e.unit || w < id) {
				good = append(good, int32(w))
			}
		}
		rnd.Shuffle(len(good), func(i, j int) { good[i], good[j] = good[j], good[i] })
		e.good = good[:1+rnd.IntN(min(2, len(good)))]
	}
	return x, guide
}

// TestWitness holds the search for a witness against all orders, and the closure
// against all witnesses, on random events with random good writes.
func TestWitness(t *testing.T) {
	for _, m := range []memory.Model{memory.SC, memory.TSO, memory.PSO} {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			testWitness(t, m)
		})
	}
}

func testWitness(t *testing.T, m memory.Model) {
	yes, no, closed := 0, 0, 0
	n := 4_000
	switch {
	case *programs > 0:
		n = *programs
	case testing.Short():
		n = 4_000
	}
	for seed := range uint64(n) {
		x, guide := instance(t, seed, m)
		o, open := x.closure()
		want, all := linear(x, func(s []int32) {
			for i, b := range s {
				for _, a := range s[i+1:] {
					if open && x.before(&o, a, b) {
						t.Fatalf("seed %d: the closure has %d before %d, a witness not: %+v", seed, a, b, x.events)
					}
				}
			}
		})
		if !all && !want {
			continue
		}
		if !open {
			closed++
			if want {
				t.Fatalf("seed %d: a witness where the closure has none: %+v", seed, x.events)
			}
		}
		for _, opts := range []Options{{}, {noClosure: true}, {noGreed: true}, {noClosure: true, noGreed: true}} {
			opts.Model = m
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
	if yes < n/10 || no < n/10 || closed == 0 {
		t.Error("that is no test")
	}
}
