// Package lowered is what comes after lowering: programs in C without their syntax. A [Unit] goes in, which package c has filled: a flow graph for each
// thread ([flowgraph]), the objects of its memory ([Object]), with a cell for each scalar, and what lowering knows of both. A [program.Program] comes
// out, of which no engine has to know that it was C.
//
// In between are three steps. [Unit.Divide] executes main until there are other threads (prefix.go), gives memory whose type is not known its cells
// (untyped.go), and divides those of which parts are accessed (divide.go). [Unit.Optimise] makes the program smaller by what is known of all threads
// together: memory that one thread alone accesses becomes registers, what nobody writes to becomes constants (optimise.go), what is
// read unwritten becomes a choice (unset.go and those that it names), and choices become few (fewer.go). [Unit.Guard] puts assertions before the accesses that
// may go astray, and in the place of the operations that say where pointers point to ([Condition]), which stay as long as that.
//
// What the values of the program show that lowering has to know stands in [Unit.Looked] and [Unit.Found]; package c lowers the program once more then.
// Nothing here calls it.
package lowered

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Unit is a translation unit that is lowered: what its threads do, the objects of its memory, and what is known of both.
type Unit struct {
	Options Options
	src     *program.Source
	// fail ends the reading of the program with a message.
	fail func(format string, args ...any)

	Threads []*Thread // when all of them are lowered; the first one is main
	// What main is given from outside, and what may come from there: see [program.Program].
	Given   []string
	Outside string

	Objects []*Object
	Globals []*Object // those with a name at file scope
	next    int64     // where the next object may lie
	Stride  int64     // how far the objects of a pool are apart
	Align   int64     // what all objects lie at multiples of; 0: there is nothing of the kind
	cells   int       // of all objects together

	// What lowering knows of the program.
	Reals      map[int64]bool           // the cells that begin with a part of a number of floating point; and those to which main has stored one
	Padded     map[types.Specified]bool // the structures whose bytes are looked at, and have cells
	Indexings  map[Indexing]string
	Joins      map[*flowgraph.Join]JoinKey
	Ended      int64           // where it stands which threads have ended
	Waits      map[int]int64   // by thread: its bit in the conditions that it waits for
	WaitsKnown bool            // it matters who waits, or may do so
	Mixes      map[[2]int]bool // two threads that may wait for a condition with two mutexes
	Doubtful   bool            // it has parts that make a difference only as far as the graphs show
	Valueless  bool            // a function that could be one of a thread may come to its end without a value

	// What the values show that lowering has to know.
	Looked map[types.Specified]bool // the structures whose bytes are looked at, and have no cells
	Found  Findings

	// What is known of cells, by their addresses.
	initial map[int64]int64  // what they hold at first, where that is not what they are declared with
	written map[int64]bool   // those of unset objects to which main has written before the threads begin
	unused  map[int64]bool   // those that nobody accesses
	marks   map[int64]mark   // of those that may be read before they are written; see marks.go
	noted   map[int64]aNote  // those beside which it is noted that they are not written; see noted.go
	partly  map[int64]uint64 // the unset ones to bit-fields of which alone main has stored: the bits that it has (partly.go)
	blank   map[int64]bool   // those to which main has copied what is not written before the threads begin
	// reliesOnOrder is whether some have no mark because of [Options.Ordered].
	reliesOnOrder bool
	sampled       bool // see sample

	passed          []passedGap
	misfitting, met []misfit // accesses that main has come to, beforehand; those to memory whose types are not known

	valued *program.Program // what was analysed last
	ranges *program.Ranges  // and what its values can be
}

// Options are what counts here of what is asked for, and of the model and the processor that it is asked for.
type Options struct {
	Uninitialised bool // reads of what nothing has been written to are violations
	Leaks         bool // so is memory that has not been freed in the end
	Signals       bool // it is known which waits for conditions end by signals
	NoFutileWaits bool // rounds of loops are left out in which a thread wakes up in vain
	NoBlocks      bool // nothing happens at once but read-modify-writes of one cell
	Dependencies  bool // they order accesses
	Ordered       bool // stores come to memory in the order of the program, and loads are not done before those that precede them
	Speculation   target.Speculation
	X86           bool // accesses become instructions of x86
	Orders        bool // they keep the memory orders of C11
	Kernel        bool // they become those of the model of the Linux kernel
}

// Findings are what the values of a program have shown of it.
type Findings struct {
	Joins map[JoinKey]int // the threads that are waited for
	Agree bool            // nobody waits for a condition with another mutex than somebody else
	Stays bool            // no memory is given back, and no block left, of a condition that somebody may wait for, and none is initialised
	Wary  bool            // others store to what main was foreseen to read (foreseen.go)
	// Outlived are the variables that may be accessed by pointers from earlier rounds of their blocks (earlier.go).
	Outlived map[*Object]bool
}

// New is a unit in which there is nothing yet; fail ends its reading with a message.
func New(src *program.Source, opts Options, fail func(format string, args ...any)) *Unit {
	return &Unit{
		src: src, Options: opts, fail: fail,
		next:    lowestAddress,
		initial: map[int64]int64{},
		unused:  map[int64]bool{},
		written: map[int64]bool{},
		marks:   map[int64]mark{},
		Reals:   map[int64]bool{},
		partly:  map[int64]uint64{},
		blank:   map[int64]bool{},
		Waits:   map[int]int64{},
	}
}
