// Package crew shares the exploration of a tree among workers, and says how much of the tree is explored, and how large it seems to be.
// What the nodes of the tree are is the business of who explores it: a path of the numbers of children leads to each.
package crew

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Task is a part of the tree to be explored: what is below the node that the path leads to.
type Task[T any] struct {
	Path []int32
	Part float64 // of the whole tree
	Of   T
}

// A Crew is workers that share a tree. Nothing is shared but what is left to do: who has nothing is given a child by another. What
// each has counted is summed up, so that the sums do not depend on who does what. Where something is found, it is at the smallest path.
type Crew[T any] struct {
	size     int
	progress func(line string)

	over   atomic.Bool // everybody is to stop
	hungry atomic.Bool // somebody has nothing to do, and nothing is waiting to be done
	full   atomic.Int64
	rest   atomic.Int64

	mu       sync.Mutex
	come     sync.Cond // when there is a task, or there will be none
	tasks    []Task[T]
	idle     int
	fraction float64
	best     []int32
	shown    time.Time
	recent   []float64 // what the total seemed to be
}

// New is a crew of so many workers with one task. progress, where not nil, is called now and then.
func New[T any](size int, progress func(line string), task Task[T]) *Crew[T] {
	c := &Crew[T]{size: size, progress: progress, shown: time.Now(), tasks: []Task[T]{task}}
	c.come.L = &c.mu
	return c
}

// Size is how many workers there are.
func (c *Crew[T]) Size() int { return c.size }

// Stop makes everybody stop, and Stopped is whether that is so.
func (c *Crew[T]) Stop() { c.over.Store(true) }

// Stopped is whether everybody is to stop.
func (c *Crew[T]) Stopped() bool { return c.over.Load() }

// Take waits for a task; not ok where there will be none.
func (c *Crew[T]) Take() (t Task[T], ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle++
	for len(c.tasks) == 0 && c.idle < c.size && !c.over.Load() {
		c.hungry.Store(true)
		c.come.Wait()
	}
	if len(c.tasks) == 0 || c.over.Load() {
		c.come.Broadcast()
		return t, false
	}
	c.idle--
	t = c.tasks[0] // the largest, as a rule
	c.tasks = slices.Delete(c.tasks, 0, 1)
	return t, true
}

// Hungry is whether somebody has nothing to do, so that a task is worth making.
func (c *Crew[T]) Hungry() bool { return c.hungry.Load() }

// Give hands a task to whoever has nothing to do; false where nobody wants it any more. The path is cloned.
func (c *Crew[T]) Give(t Task[T]) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.idle <= len(c.tasks) {
		c.hungry.Store(false)
		return false
	}
	t.Path = slices.Clone(t.Path)
	c.tasks = append(c.tasks, t)
	c.hungry.Store(c.idle > len(c.tasks))
	c.come.Signal()
	return true
}

// Done takes account of a part of the tree that is explored.
func (c *Crew[T]) Done(part float64) {
	c.mu.Lock()
	c.fraction += part
	c.mu.Unlock()
}

// Fraction is how much of the tree is explored.
func (c *Crew[T]) Fraction() float64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.fraction
}

// Later is whether a path is not before the one at which something is found.
func (c *Crew[T]) Later(path []int32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.best != nil && slices.Compare(path, c.best) >= 0
}

// Found takes note that something is found at a path, and calls note where it is the smallest so far, by one worker at a time.
func (c *Crew[T]) Found(path []int32, note func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.best == nil || slices.Compare(path, c.best) < 0 {
		c.best = append([]int32{}, path...)
		note()
	}
}

// Count adds to how many executions there were, and how many others.
func (c *Crew[T]) Count(full, rest int64) {
	c.full.Add(full)
	c.rest.Add(rest)
}

// Show reports progress now and then: how many executions there were, which part of the tree is
// explored, and how many there seem to be. The last samples of that are its spread.
func (c *Crew[T]) Show() {
	if c.progress == nil || !c.mu.TryLock() {
		return
	}
	defer c.mu.Unlock()
	now := time.Now()
	if now.Sub(c.shown) < 200*time.Millisecond {
		return
	}
	c.shown = now
	full, rest := c.full.Load(), c.rest.Load()
	line := fmt.Sprintf("%s, %s blocked", verdict.Number(full, "execution"), verdict.Thousands(rest))
	if c.fraction > 0 {
		if len(c.recent) == 20 {
			c.recent = slices.Delete(c.recent, 0, 1)
		}
		c.recent = append(c.recent, float64(full+rest)/c.fraction)
		line += fmt.Sprintf("; %s of about %s", Percent(c.fraction), approx(c.recent[len(c.recent)-1]))
		if lo, hi := approx(slices.Min(c.recent)), approx(slices.Max(c.recent)); lo != hi {
			line += fmt.Sprintf(" (%s to %s)", lo, hi)
		}
	}
	c.progress(line)
}

// Percent is a part of one, rounded down.
func Percent(part float64) string {
	switch {
	case part >= 1:
		return "100 %"
	case part >= 0.1:
		return fmt.Sprintf("%d %%", int(part*100))
	case part >= 0.001:
		return fmt.Sprintf("%.1f %%", math.Floor(part*1000)/10)
	}
	return fmt.Sprintf("%.1g %%", part*100)
}

// approx is a number of executions that is not known exactly, to two places.
func approx(n float64) string {
	if n >= 1e15 {
		return fmt.Sprintf("%.1e", n)
	}
	unit := math.Pow(10, max(0, math.Floor(math.Log10(max(n, 1)))-1))
	return verdict.Thousands(int64(math.Round(n/unit) * unit))
}
