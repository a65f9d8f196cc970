package c

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/program"
)

// A lowered is a translation unit that is lowered: what its threads do, the objects of its memory, and what is known of both.
type lowered struct {
	opts loweredOptions
	src  *program.Source
	// fail ends the reading of the program with a message.
	fail func(format string, args ...any)

	threads []*loweredThread
	// What programs are said to be given from outside, and what may come from there; see [program.Program].
	given     []string
	outside   string
	valueless bool // a function that could be one of a thread may come to its end without a value

	objects []*object
	globals []*object // those with a name at file scope
	next    int64     // where the next object may lie
	stride  int64     // how far the objects of a pool are apart
	align   int64     // what all objects lie at multiples of; 0: there is nothing of the kind
	cells   int
	initial map[int64]int64  // what cells hold at first, where that is not what they are declared with
	written map[int64]bool   // cells of unset objects to which main has written before the threads begin
	unused  map[int64]bool   // cells that nobody accesses
	marks   map[int64]mark   // of the cells that may be read before they are written; see marks.go
	noted   map[int64]aNote  // those beside which it is noted that they are not written; see noted.go
	reals   map[int64]bool   // of the cells, those to which main has stored a part of a number of floating point
	partly  map[int64]uint64 // of the unset cells, those to bit-fields of which alone main has stored: the bits that it has (partly.go)
	blank   map[int64]bool   // of the cells, those to which main has copied what is not written before the threads begin
	// reliesOnOrder is whether cells have no mark because of [loweredOptions.Ordered].
	reliesOnOrder bool
	sampled       bool // see sample

	padded, looked  map[specified]bool // the structures whose bytes are looked at: those that have cells for them, and those that have none yet
	passed          []passedGap
	misfitting, met []misfit // accesses that main has come to, beforehand; those to memory whose types are not known
	// What is to be said of accesses to arrays, which are checked to be inside of them; see says.go.
	indexings map[indexing]string

	joins      map[*flowgraph.Join]joinKey
	ended      int64           // where it stands which threads have ended
	waits      map[int]int64   // by thread: its bit in the conditions that it waits for
	waitsKnown bool            // it matters who waits, or may do so
	mixes      map[[2]int]bool // two threads that may wait for a condition with two mutexes
	doubtful   bool            // it has parts that make a difference only as far as the graphs show
	found      loweredFindings

	valued *program.Program // what was analysed last
	ranges *program.Ranges  // and what its values can be
}

// loweredOptions are those of its options and of the model that count.
type loweredOptions struct {
	Uninitialised bool // reads of what nothing has been written to are violations
	Leaks         bool // so is memory that has not been freed in the end
	Signals       bool // it is known which waits end by signals
	NoFutileWaits bool // rounds of loops are left out that do nothing but to wake up
	NoBlocks      bool // nothing but read-modify-writes of one cell happens at once
	Dependencies  bool // they order accesses
	Ordered       bool // stores come to memory in the order of the program, and loads are not done before those that precede them
	Speculation   target.Speculation
	X86           bool // accesses become instructions of x86
	Orders        bool // they keep the memory orders of C11
	Kernel        bool // they become those of the model of the Linux kernel
}

// loweredFindings are what the values of a program have shown of it.
type loweredFindings struct {
	joins map[joinKey]int // the threads that are waited for
	agree bool            // nobody waits for a condition with another mutex than somebody else
	stays bool            // no memory is given back, and no block left, of a condition that somebody may wait for, and none is initialised
	wary  bool            // others store to what main was foreseen to read
	// The variables that may be accessed by pointers from earlier rounds of their blocks; see earlier.go.
	outlived map[*object]bool
}

// newLowered is one of which nothing is known yet.
func newLowered(src *program.Source, opts loweredOptions, fail func(format string, args ...any)) *lowered {
	return &lowered{
		src: src, opts: opts, fail: fail,
		next:    lowestAddress,
		initial: map[int64]int64{},
		unused:  map[int64]bool{},
		written: map[int64]bool{},
		marks:   map[int64]mark{},
		reals:   map[int64]bool{},
		partly:  map[int64]uint64{},
		blank:   map[int64]bool{},
		waits:   map[int]int64{},
	}
}
