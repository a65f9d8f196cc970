package diagram

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"
)

// pairs is a run over pairs of bits, which change together: with the two of a pair
// next to each other, the diagram is small, with them far apart it is exponential.
func pairs(n int, limit int64, apart bool) Run {
	sizes := make([]int, 2*n)
	for i := range sizes {
		sizes[i] = 2
	}
	s := New(sizes, limit)
	r := Run{Store: s, From: s.Vector(make([]int32, 2*n))}
	for i := range n {
		low, high := 2*i+1, 2*i+2
		if apart {
			low, high = i+1, n+i+1
		}
		var changes []Change
		for v := range int32(2) {
			changes = append(changes, Change{v, 1 - v, s.Relation(low, []Change{{v, 1 - v, Identity}})})
		}
		r.Steps = append(r.Steps, s.Relation(high, changes))
	}
	return r
}

func TestRace(t *testing.T) {
	small, large, full := pairs(14, 0, false), func() Run { return pairs(14, 0, true) }, func() Run { return pairs(14, 1<<18, true) }
	for _, test := range []struct {
		name string
		runs []Run
		want int
		err  error
	}{
		{"a draw", []Run{pairs(3, 0, true), pairs(3, 0, false)}, 0, nil},
		{"the second", []Run{large(), small, large()}, 1, nil},
		{"one is full", []Run{full(), large()}, 1, nil},
		{"all are full", []Run{full(), full()}, -1, ErrFull},
	} {
		i, n, err := Race(context.Background(), test.runs)
		if i != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s: %d, %v", test.name, i, err)
		}
		if err == nil && test.name != "a draw" && test.runs[i].Store.Count(n) != 1<<14 {
			t.Errorf("%s: %g vectors", test.name, test.runs[i].Store.Count(n))
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if i, _, err := Race(ctx, []Run{large(), large()}); i != -1 || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %d, %v", i, err)
	}
	r := large()
	if _, err := r.Store.Saturate(context.Background(), r.From, r.Steps); err != nil || r.Store.ticks <= slice {
		t.Errorf("what is meant to be large takes %d operations: %v", r.Store.ticks, err)
	}
}

// TestRacePanic: a run that panics takes no other with it, and leaves none behind.
func TestRacePanic(t *testing.T) {
	before := runtime.NumGoroutine()
	for _, at := range []int{0, 1, 2} {
		runs := []Run{pairs(14, 0, true), pairs(14, 0, true), pairs(14, 0, true)}
		runs[at].From = Node(1 << 20) // which there is not
		func() {
			defer func() {
				if x := recover(); x == nil {
					t.Errorf("run %d: no panic", at)
				} else if err, ok := x.(runtime.Error); !ok {
					t.Errorf("run %d: %v", at, err)
				}
			}()
			i, _, err := Race(context.Background(), runs)
			t.Error(fmt.Sprint("run ", at, ": ", i, err))
		}()
		for _, r := range runs {
			if r.Store.pause != nil {
				t.Errorf("run %d: another goes on", at)
			}
		}
	}
	for range 100 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, and before %d", runtime.NumGoroutine(), before)
}
