package engine

import (
	"context"
	"sync"
	"testing"
	"time"
)

// spin works until its time has come, polling as an engine does, and says how long it has worked.
func spin(ctx context.Context, until <-chan struct{}) (worked time.Duration) {
	last := time.Now()
	for {
		for range 1000 {
		}
		now := time.Now()
		if d := now.Sub(last); d < slice { // longer is a wait
			worked += d
		}
		if ctx.Err() != nil {
			return worked
		}
		last = time.Now()
		select {
		case <-until:
			return worked
		default:
		}
	}
}

func even(Work) float64 { return 1 }

// TestTurns: the members share the processors by their weights, one that leaves hands its part
// over, and the end of the context wakes all.
func TestTurns(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ts := newTurns(1)
	weights := []float64{1, 1, 6}
	worked := make([]time.Duration, len(weights))
	quit := make(chan struct{})
	var wg sync.WaitGroup
	for i, w := range weights {
		m := ts.join(ctx, func(Work) float64 { return w })
		wg.Go(func() {
			defer m.leave()
			until := make(<-chan struct{})
			if i == 2 {
				until = quit
			}
			worked[i] = spin(m, until)
		})
	}
	time.Sleep(1200 * time.Millisecond)
	close(quit) // the heavy one leaves
	time.Sleep(400 * time.Millisecond)
	cancel()
	wg.Wait()
	// Machines are busy: only that it is not the same for all, and that nobody starves.
	if worked[2] < worked[0] || worked[0] == 0 || worked[1] == 0 {
		t.Errorf("worked %v with weights %v", worked, weights)
	}
	if ts.free != 1 {
		t.Errorf("%d processors free in the end, of 1", ts.free)
	}
	if m := ts.join(ctx, even); m.Err() == nil {
		t.Error("no end")
	}
}

// TestTurnsOne: a member alone never waits, and who joins later does not wait for as long as the
// others have worked.
func TestTurnsOne(t *testing.T) {
	ts := newTurns(2)
	first := ts.join(t.Context(), even)
	for range 3 {
		if first.Err() != nil {
			t.Fatal("an end")
		}
		time.Sleep(2 * slice)
	}
	second := ts.join(t.Context(), even)
	if second.spent < first.spent {
		t.Errorf("the second has spent %v, the first %v", second.spent, first.spent)
	}
	first.leave()
	second.leave()
	if ts.free != 2 {
		t.Errorf("%d processors free, of 2", ts.free)
	}
}
