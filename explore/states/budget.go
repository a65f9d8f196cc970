package states

import (
	"reflect"
	"runtime"
	"sync/atomic"
)

// A Budget is memory that may be held, in bytes, and an account of what is. What
// it says no to has not been allocated. Its methods may be called at the same time.
//
// A budget may be part of another one: what it holds, that one holds too, and when
// it is closed it hands everything back.
type Budget struct {
	used, limit atomic.Int64
	parent      *Budget
	// relief, where not nil, makes some room, if it can.
	relief func() bool
	// freed is how much has been given back and need not have been collected.
	freed atomic.Int64
}

// littleGarbage is how many bytes given back are no reason to collect them.
const littleGarbage = 16 << 20

// NewBudget is a budget of so many bytes; 0: [DefaultMemoryLimit].
func NewBudget(limit int64) *Budget {
	b := &Budget{}
	if limit <= 0 {
		limit = DefaultMemoryLimit()
	}
	b.limit.Store(limit)
	return b
}

// Child is a part of b of at most so many bytes; 0: as many as b has.
func (b *Budget) Child(limit int64) *Budget {
	c := &Budget{parent: b}
	if limit <= 0 {
		limit = b.Limit()
	}
	c.limit.Store(limit)
	return c
}

// Within is a budget of so many bytes that is a part of whole, where that is not nil.
func Within(whole *Budget, limit int64) *Budget {
	if whole != nil {
		return whole.Child(limit)
	}
	return NewBudget(limit)
}

// Close hands back all that b holds. Whoever has taken it lets go of it.
func (b *Budget) Close() {
	n := b.used.Swap(0)
	if b.parent != nil {
		b.parent.Give(n)
	}
}

// Limit is what may be held, and Used what is.
func (b *Budget) Limit() int64 { return b.limit.Load() }
func (b *Budget) Used() int64  { return b.used.Load() }

// Raise allows n bytes more.
func (b *Budget) Raise(n int64) { b.limit.Add(n) }

// Over is true where more is held than may be, because of what was charged.
func (b *Budget) Over() bool {
	return b.used.Load() > b.limit.Load() || b.parent != nil && b.parent.Over()
}

// Take accounts for n bytes more, unless that is too much.
func (b *Budget) Take(n int64) bool {
	if b.used.Add(n) > b.limit.Load() || b.parent != nil && !b.parent.Take(n) {
		b.used.Add(-n)
		return false
	}
	return true
}

// Get is Take where there may be relief.
func (b *Budget) Get(n int64) bool {
	for !b.Take(n) {
		if !b.Relieve() {
			return false
		}
	}
	return true
}

// Relieve makes some room, if it can.
func (b *Budget) Relieve() bool { return b.relief != nil && b.relief() }

// Charge accounts for n bytes that there are in any case.
func (b *Budget) Charge(n int64) {
	for ; b != nil; b = b.parent {
		b.used.Add(n)
	}
}

// Give accounts for n bytes less. The garbage collector would let as much pile
// up as is in use, which might be twice what the machine has. It has little to
// do: states hold no pointers.
func (b *Budget) Give(n int64) {
	var root *Budget
	for ; b != nil; b = b.parent {
		b.used.Add(-n)
		root = b
	}
	used := root.used.Load()
	if freed := root.freed.Add(n); freed > max(littleGarbage, used/8) && root.freed.CompareAndSwap(freed, 0) {
		runtime.GC()
	}
}

// Grow makes room for n more elements behind those of s, unless b says no. While s
// moves, both arrays are there.
func Grow[T any](b *Budget, s []T, n int) ([]T, bool) {
	if cap(s)-len(s) >= n {
		return s, true
	}
	size := int64(reflect.TypeFor[T]().Size())
	larger := max(cap(s)+cap(s)/2, len(s)+n, 16)
	if !b.Get(int64(larger) * size) {
		return s, false
	}
	t := make([]T, len(s), larger)
	copy(t, s)
	b.Give(int64(cap(s)) * size)
	return t, true
}

// Drop gives back what Grow has taken for s.
func Drop[T any](b *Budget, s []T) { b.Give(int64(cap(s)) * int64(reflect.TypeFor[T]().Size())) }
