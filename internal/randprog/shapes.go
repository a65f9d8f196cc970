package randprog

import (
	"math/rand/v2"

	"github.com/fencepost-verifier/fencepost/program"
)

// A Shape is a kind of random programs.
type Shape struct {
	Name     string
	Options  Options
	Capacity int // of the store buffers, where they might grow without end; else 0
	Scramble bool
}

// New is a program of the shape, another one for every seed and stream.
func (s *Shape) New(seed, stream uint64) *program.Program {
	rng := rand.New(rand.NewPCG(seed, stream))
	p := New(rng, s.Options)
	if s.Scramble {
		Scramble(rng, p)
	}
	return p
}

// Two and Three are just so many.
var Two, Three = Range{Min: 2, Max: 2}, Range{Min: 3, Max: 3}

// Shapes are the kinds of random programs that property tests of searches run over.
var Shapes = []Shape{
	{"small", Options{Threads: Two, Commands: Range{Min: 2, Max: 4}}, 0, false},
	{"threads", Options{Threads: Three, Commands: Range{Min: 1, Max: 3}, Values: 1, Havoc: -1}, 0, false},
	{"asserts", Options{Threads: Two, Commands: Range{Min: 2, Max: 4}, Assert: 3, Deadlock: 2}, 0, false},
	{"locks", Options{Threads: Range{Min: 2, Max: 3}, Commands: Range{Min: 2, Max: 3},
		Lock: 5, Values: 1, Deadlock: 1, Havoc: -1}, 0, false},
	{"loops", Options{Threads: Two, Commands: Range{Min: 2, Max: 3}, Values: 1,
		CountLoop: 2, WaitLoop: 4, Deadlock: 2, Assert: 1}, 0, false},
	{"stores", Options{Threads: Two, Commands: Range{Min: 1, Max: 3}, Values: 1,
		StoreLoop: 4, WaitLoop: 1, Deadlock: 1, Assert: 1}, 2, false},
	{"starts", Options{Threads: Range{Min: 2, Max: 3}, Commands: Range{Min: 1, Max: 3}, Values: 1, Start: 60, Assume: 3, Lock: 2, Deadlock: 3}, 0, false},
	{"unsigned", Options{Threads: Two, Commands: Range{Min: 2, Max: 4}, Unsigned: 40, Assume: 1, Assert: 2}, 0, false},
	{"private", Options{Threads: Two, Addresses: Range{Min: 5, Max: 8}, Commands: Range{Min: 2, Max: 4},
		AddrDep: -1, RMW: -1, Lock: -1, Values: 1, Assert: 1}, 0, false},
	{"scrambled", Options{Threads: Two, Commands: Range{Min: 2, Max: 4}, Values: 1,
		Fence: 3, Assign: 3, Assert: 2}, 2, true},
	{"scrambled locks", Options{Threads: Two, Addresses: Range{Min: 3, Max: 5}, Commands: Range{Min: 2, Max: 4},
		AddrDep: -1, Values: 1, Lock: 5, NoProperty: 5}, 2, true},
	{"scrambled private", Options{Threads: Two, Addresses: Range{Min: 4, Max: 6}, Commands: Range{Min: 2, Max: 4},
		AddrDep: -1, RMW: -1, Lock: -1, Values: 1, Fence: 2, NoProperty: 5}, 2, true},
	{"scrambled threads", Options{Threads: Three, Commands: Range{Min: 1, Max: 3}, Values: 1, Havoc: -1}, 1, true},
}
