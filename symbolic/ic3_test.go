package symbolic

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
)

// counted is a context that ends when it has been looked at so many times.
type counted struct {
	context.Context
	left atomic.Int64
	done chan struct{}
}

func (c *counted) Deadline() (time.Time, bool) { return time.Time{}, false }
func (c *counted) Done() <-chan struct{}       { return c.done }
func (c *counted) Err() error {
	if left := c.left.Add(-1); left > 0 {
		return nil
	} else if left == 0 {
		close(c.done)
	}
	return context.Canceled
}

// TestIC3Stopped ends the search at any moment, also while a solver is made anew.
func TestIC3Stopped(t *testing.T) {
	defer func(before int) { renewAfter = before }(renewAfter)
	renewAfter = 1
	y := build(t, example(t, "peterson", 0), abstract.None{}, Options{})
	answers := map[bool]int{}
	for n := int64(1); ; n += 1 + n/12 {
		ctx := &counted{Context: context.Background(), done: make(chan struct{})}
		ctx.left.Store(n)
		res, err := IC3(ctx, y, Search{})
		if err != nil {
			t.Fatalf("stopped at %d: %v", n, err)
		}
		if res.Violation != nil {
			t.Fatalf("stopped at %d: a violation", n)
		}
		answers[res.Invariant != nil]++
		if res.Invariant != nil {
			break
		}
	}
	if t.Logf("stopped %d times", answers[false]); answers[false] < 20 {
		t.Error("that is too few")
	}
}
