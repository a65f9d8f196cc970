// Package memory is the memory models that programs are checked under, as data.
//
// A model is a text in the cat language, which package cat reads: sc.cat,
// tso.cat and pso.cat are built in, others are files. Its name goes in and a
// [Definition] comes out. The other thing that goes in is an execution [Graph]:
// events and how they are related. What comes out then is the axioms that the
// graph violates, each with a witness and an explanation of the witness in terms
// of program order and of who reads from whom.
package memory

import (
	"fmt"
	"slices"
)

// A Model names a memory model: one of the constants, or a file with a
// definition, whose name ends in ".cat".
type Model string

// The models.
const (
	// SC is sequential consistency: a store is in memory at once.
	SC Model = "sc"
	// TSO is total store order, as x86 and SPARC have it: a thread's stores
	// pass through a first-in first-out buffer that only the thread sees.
	TSO Model = "tso"
	// PSO is partial store order, as SPARC has it: as TSO, with a buffer for
	// every address, so that stores to different addresses may pass each other.
	PSO Model = "pso"
)

// Models lists the models that are built in, the strongest first.
func Models() []Model { return []Model{SC, TSO, PSO} }

func (m Model) builtin() bool { return slices.Contains(Models(), m) }

// Parse is the model of that name. Whether a file exists, and what it says, is
// for [Load] to find out.
func Parse(name string) (Model, error) {
	if m := Model(name); m.builtin() || isFile(name) {
		return m, nil
	}
	return "", fmt.Errorf("unknown memory model %q (known: sc, tso, pso, and files that end in .cat)", name)
}
