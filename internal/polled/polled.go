// Package polled is for tests: contexts that end when they are asked for the n-th time whether they have. It imports no other
// package of this module, for the tests of packages that nearly all others import: what imports those is compiled once more
// with each of their tests.
package polled

import (
	"context"
	"sync"
	"time"
)

// Context is a context that ends when it is asked for the n-th time whether it has.
type Context struct {
	parent context.Context
	mu     sync.Mutex
	left   int
	polls  int
	done   chan struct{}
}

// EndAt makes a context that ends at its n-th poll, or with its parent.
func EndAt(parent context.Context, n int) *Context {
	return &Context{parent: parent, left: n, done: make(chan struct{})}
}

// Polls is how often it was asked.
func (c *Context) Polls() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.polls
}

func (c *Context) poll() (over bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.polls++
	if c.left--; c.left == 0 {
		close(c.done)
	}
	return c.left <= 0
}

// Err is context.Canceled from the n-th poll on.
func (c *Context) Err() error {
	if c.poll() {
		return context.Canceled
	}
	return c.parent.Err()
}

// Done counts as a poll, too.
func (c *Context) Done() <-chan struct{} {
	c.poll()
	return c.done
}

// Deadline is none.
func (c *Context) Deadline() (time.Time, bool) { return time.Time{}, false }

// Value is that of the parent, but for what would let package context look past this
// one.
func (c *Context) Value(any) any { return nil }

// Samples is up to most numbers from 1 to n: all, or those at both ends and some in
// between.
func Samples(n, most int) (some []int) {
	for i := 1; i <= n; i++ {
		if n <= most || i <= most/3 || i > n-most/3 || i%max(3*n/most, 1) == 0 {
			some = append(some, i)
		}
	}
	return some
}
