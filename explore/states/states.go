// Package states is how searches hold the states that they have met: how a state is
// packed into words ([Layout]), sets of packed states for one worker ([Flat]) and for
// several ([Shards]), with fingerprints in place of states or with a file behind the
// memory where that is wanted, and an account of the memory that they take ([Budget]).
//
// States of package abstract come in, and go out as they were. What is held is in chunks
// of words, without a pointer in them, so that the garbage collector has nothing to do.
package states

// A Ref names a stored state in 36 bits: the arena that it is in, and its id
// there. 0 is no state.
type Ref uint64

const (
	arenaBits = 6
	refBits   = idBits + arenaBits
	refMask   = 1<<refBits - 1
)

// maxDepth is the largest depth that a header holds; deeper states are said to be
// that deep.
const maxDepth = 1<<(64-refBits) - 2

// Header is parent in the low 36 bits and depth + 1 in the high 28, so that no
// header is 0: a 0 where a header would be says that the rest of the chunk is
// not used.
func Header(parent Ref, depth uint32) uint64 {
	return uint64(parent) | uint64(min(depth, maxDepth)+1)<<refBits
}

// ParentOf and DepthOf are what Header was given.
func ParentOf(header uint64) Ref   { return Ref(header & refMask) }
func DepthOf(header uint64) uint32 { return uint32(header>>refBits) - 1 }

// An Outcome is what became of a state that was to be stored.
type Outcome uint8

// The outcomes.
const (
	Known   Outcome = iota // it was there
	Added                  // it is new
	Refused                // there is no memory for it
)

// A Set is the states met.
type Set interface {
	// Add puts a state in, given by its packed words, unless it is there.
	Add(words []uint64, parent Ref, depth uint32) (Ref, Outcome)
	// Find is the state with these words, or 0.
	Find(words []uint64) Ref
	// Record is the header of a state, its words, and what follows them; a
	// set that does not keep words gives none. It is good until the next
	// call.
	Record(id Ref) (header uint64, words []uint64)
}
