// Package operations is what stands in the flow graphs of a program in C until it is known what it is done to: which thread is started or waited for,
// which object is allocated, copied or given back, who waits for a condition. Each is a [flowgraph.Op].
//
// Package c writes them, and fills a [Unit]. As long as threads are lowered, sizes of objects and numbers of threads are made out by a rehearsal of main
// ([Unit.Foresee]). When all threads have graphs, [Unit.Relate] finds out what they have to do with each other, and [Unit.Resolve] makes the objects of
// the heap, and commands of the operations. What comes out is the [lowered.Unit], in whose graphs there is none left but each [lowered.Condition].
package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Unit is a translation unit whose threads have graphs, or are to have them, in which there are operations.
type Unit struct {
	lowered  *lowered.Unit
	lowering Lowering
	unroll   int
	races    bool             // nothing but data races is looked for
	Known    lowered.Findings // what an earlier reading of the program has shown

	joined   []bool          // the threads of which somebody asks whether they have ended
	running  []ThreadSet     // see beside; nil: not looked yet
	allWaits []wait          // where threads begin to wait for conditions
	Ends     bool            // see endsUnderWaits
	hazards  map[int64]int64 // by address of an object of the heap: the cell that hazard pointers have for it

	pools     map[*Site][]*lowered.Object // what is made there
	heapCount map[string]int              // by the name of what they are: the objects of the heap
	Helpers   map[string]*lowered.Object  // cells of ours
	Strides   int64                       // the largest alignment that a call asks for
	Literals  []int64                     // how many bytes the string literals of the program have
	Sleepers  []int                       // the threads that wait at futexes
}

// A Lowering is who lowers the program, and knows what its types become in memory.
type Lowering interface {
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

// New is a unit that becomes low; unroll bounds how many objects one place makes.
func New(low *lowered.Unit, from Lowering, unroll int, races bool) *Unit {
	return &Unit{
		lowered: low, lowering: from, unroll: unroll, races: races,
		pools:     map[*Site][]*lowered.Object{},
		heapCount: map[string]int{},
		Helpers:   map[string]*lowered.Object{},
	}
}

// Relate finds out what threads have to do with each other, as far as the graphs show: who waits for whom, what is used that others destroy, and
// whether it matters who waits for conditions.
func (u *Unit) Relate() {
	u.joinThreads()
	u.findWaits()
	u.lives()
	u.knowWaits()
}

// Helper is a cell of ours.
func (u *Unit) Helper(name string, t *types.Type) *lowered.Object {
	o := u.Helpers[name]
	if o == nil {
		o = u.lowering.Object(name, t)
		u.Helpers[name] = o
	}
	return o
}
