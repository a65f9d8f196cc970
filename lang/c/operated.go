package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// An operated is a translation unit whose threads have graphs, in which there are operations.
type operated struct {
	lowered  *lowered.Unit
	lowering lowering
	unroll   int
	races    bool // nothing but data races is looked for
	known    lowered.Findings

	joined   []bool          // the threads of which somebody asks whether they have ended
	running  []threadSet     // see beside; nil: not looked yet
	allWaits []wait          // where threads begin to wait for conditions
	ends     bool            // see endsUnderWaits
	hazards  map[int64]int64 // by address of an object of the heap: the cell that hazard pointers have for it

	pools     map[*site][]*lowered.Object // what is made there
	heapCount map[string]int              // by the name of what they are: the objects of the heap
	helpers   map[string]*lowered.Object  // cells of ours
	strides   int64                       // the largest alignment that a call asks for
	literals  []int64                     // how many bytes the string literals of the program have
	sleepers  []int                       // the threads that wait at futexes
}

// A lowering is who lowers the program, and knows what its types become in memory.
type lowering interface {
	// Object makes an object of a type, and Pool so many of some bytes.
	Object(name string, t *types.Type) *lowered.Object
	Pool(name string, t *types.Type, bytes, count int64) *lowered.Object
	// Scalars are those of a type, and OneCell is whether it is a structure that is one cell.
	Scalars(t *types.Type) []lowered.Scalar
	OneCell(t *types.Type) bool
	// Refuse ends the reading of the program, as something is not modelled, at what is read; At says where that is.
	Refuse(what string)
	At(pos program.Position)
}

// newOperated is one of which nothing is known yet.
func newOperated(low *lowered.Unit, from lowering, unroll int, races bool) *operated {
	return &operated{
		lowered: low, lowering: from, unroll: unroll, races: races,
		pools:     map[*site][]*lowered.Object{},
		heapCount: map[string]int{},
		helpers:   map[string]*lowered.Object{},
	}
}

// relate finds out what threads have to do with each other, as far as the graphs show: who waits for whom, what is used that others destroy, and
// whether it matters who waits for conditions.
func (u *operated) relate() {
	u.joinThreads()
	u.findWaits()
	u.lives()
	u.knowWaits()
}
