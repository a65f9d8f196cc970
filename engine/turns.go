package engine

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// slice is how long a member of a race works before it looks whether another is due. It is
// long against the cost of a change, which is that of filling the caches anew, and short
// against what people notice.
const slice = 4 * time.Millisecond

// turns lets the members of a race take turns at the processors: as many work at a time as
// there are processors, and each gets time in proportion to its weight, which may change as it works (stride
// scheduling).
// The runtime would give all the same. Who works on several processors at once gets these at the same time.
//
// A member hands over where it polls its context, which every engine does often; so there is
// nothing to be done in the engines. What a member does in contexts that it derives from its own
// is not subject to turns, and counted all the same.
type turns struct {
	mu         sync.Mutex
	processors int
	free       int // of them, that nobody works on; negative: somebody has to give way
	members    []*turn
}

// A turn is one member's part in the turns. It is the member's context.
type turn struct {
	context.Context
	all    *turns
	weight func(Work) float64
	width  func() int // processors that it works on

	// Under the lock of all. Spent is the time worked, divided by the weight.
	worked  time.Duration
	spent   time.Duration
	working int // on so many processors
	over    bool
	resting bool
	wake    chan struct{} // closed when it is this member's turn; nil where it does not wait

	began atomic.Int64 // when it began to work, from the start of epoch
}

var epoch = time.Now()

func newTurns(processors int) *turns { return &turns{processors: processors, free: processors} }

// join makes a member, which waits in its first poll until it is due. Who comes later than
// others does not make up for the time before, and who has little weight is not due at once, either.
func (ts *turns) join(ctx context.Context, weight func(Work) float64, width func() int) *turn {
	t := &turn{Context: ctx, all: ts, weight: weight, width: width}
	ts.mu.Lock()
	defer ts.mu.Unlock()
	first := true
	for _, m := range ts.members {
		if !m.over && (first || m.spent < t.spent) {
			t.spent, first = m.spent, false
		}
	}
	t.spent += time.Duration(float64(slice) / weight(Work{}))
	ts.members = append(ts.members, t)
	return t
}

// leave ends a member's part. Its processor goes to the others.
func (t *turn) leave() {
	ts := t.all
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.over = true
	t.work(0)
	ts.assign()
}

// rest leaves the processor to others until the channel is closed, or the context ends.
func (t *turn) rest(until <-chan struct{}) {
	t.set(true)
	select {
	case <-until:
	case <-t.Context.Done():
	}
	t.set(false)
}

func (t *turn) set(resting bool) {
	ts := t.all
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.work(0)
	t.resting = resting
	t.began.Store(0) // so that the next poll waits for its turn
	ts.assign()
}

// assign gives free processors to those who have had least. The lock is held.
func (ts *turns) assign() {
	for ts.free > 0 {
		next := ts.due()
		if next == nil {
			return
		}
		next.work(next.wants())
		next.began.Store(int64(time.Since(epoch)))
		if next.wake != nil {
			close(next.wake)
			next.wake = nil
		}
	}
}

// due is the member that has had least of those that want to work and do not; nil where there
// is none.
func (ts *turns) due() (next *turn) {
	for _, m := range ts.members {
		if !m.over && !m.resting && m.working == 0 && (next == nil || m.spent < next.spent) {
			next = m
		}
	}
	return next
}

// work has the member work on n processors. The lock is held.
func (t *turn) work(n int) {
	t.all.free += t.working - n
	t.working = n
}

// wants is how many processors the member works on when it works. The lock is held.
func (t *turn) wants() int {
	return min(max(1, t.width()), t.all.processors)
}

// Err is that of the context; before that the member waits, if others are due.
func (t *turn) Err() error {
	err := t.Context.Err()
	if err != nil {
		return err
	}
	if began := t.began.Load(); began == 0 || int64(time.Since(epoch))-began >= int64(slice) {
		if runtime.GOARCH == "wasm" { // without threads: who judges answers and watches the clock is no member, and waits
			runtime.Gosched()
		}
		t.hand()
		err = t.Context.Err()
	}
	return err
}

// hand gives the processor to whoever is due before t, and waits for the next turn.
func (t *turn) hand() {
	ts := t.all
	ts.mu.Lock()
	now := time.Since(epoch)
	if t.working > 0 {
		worked := now - time.Duration(t.began.Load())
		t.spent += time.Duration(float64(worked) / t.weight(Work{Time: t.worked}))
		t.worked += worked
		t.began.Store(int64(now))
		t.work(t.wants())
		next := ts.due()
		if (next == nil || next.spent >= t.spent) && (ts.free >= 0 || t.working > 1) {
			ts.mu.Unlock()
			return
		}
		t.work(0)
	}
	if !t.over {
		ts.assign()
	}
	if t.working > 0 || t.over {
		ts.mu.Unlock()
		return
	}
	if t.wake == nil { // else another goroutine of the member waits, too
		t.wake = make(chan struct{})
	}
	wake := t.wake
	ts.mu.Unlock()
	select {
	case <-wake:
	case <-t.Context.Done():
	}
}
