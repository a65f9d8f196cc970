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

func one() int { return 1 }

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
		m := ts.join(ctx, func(Work) float64 { return w }, one)
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
	if m := ts.join(ctx, even, one); m.Err() == nil {
		t.Error("no end")
	}
}

// TestTurnsOne: a member alone never waits, and who joins later does not wait for as long as the
// others have worked.
func TestTurnsOne(t *testing.T) {
	ts := newTurns(2)
	first := ts.join(t.Context(), even, one)
	for range 3 {
		if first.Err() != nil {
			t.Fatal("an end")
		}
		time.Sleep(2 * slice)
	}
	second := ts.join(t.Context(), even, one)
	if second.spent < first.spent {
		t.Errorf("the second has spent %v, the first %v", second.spent, first.spent)
	}
	first.leave()
	second.leave()
	if ts.free != 2 {
		t.Errorf("%d processors free, of 2", ts.free)
	}
}

// TestTurnsWide: who works on all processors has them for itself, but for as long as it takes others to hand over, and nobody starves.
func TestTurnsWide(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ts := newTurns(2)
	var wg sync.WaitGroup
	var worked [4]time.Duration
	for i := range worked {
		m := ts.join(ctx, even, func() int { return 1 + i%2*5 })
		wg.Go(func() {
			defer m.leave()
			worked[i] = spin(m, nil)
		})
	}
	for range 300 {
		time.Sleep(2 * time.Millisecond)
		ts.mu.Lock()
		held := ts.free
		for _, m := range ts.members {
			if held += m.working; m.working > 2 {
				t.Errorf("on %d processors, of 2", m.working)
			}
		}
		if held != 2 || ts.free < -1 { // a wide one with a narrow one that has not handed over yet
			t.Errorf("%d processors, %d free, of 2", held, ts.free)
		}
		ts.mu.Unlock()
	}
	cancel()
	wg.Wait()
	if ts.free != 2 {
		t.Errorf("%d processors free in the end, of 2", ts.free)
	}
	for _, w := range worked {
		if w == 0 {
			t.Errorf("worked %v", worked)
		}
	}
}
