package cat

import (
	"slices"
	"sort"
)

// Sets lists the predefined sets that an [Algebra] has to know. Models may use
// others, which are put down to these: M, A (the same as X) and IW (as I).
//
//	_       all events
//	R W F   reads, writes, fences
//	I       the initial writes, which are in W as well
//	X       the accesses of atomic commands
//	MFENCE  full fences
//	SFENCE  fences that order stores
//	LFENCE  fences that order loads
func Sets() []string { return slices.Clone(sets) }

// Relations lists the predefined relations that an [Algebra] has to know. Models
// may use others, which are put down to these: id, si (the accesses of one
// instruction), po-loc, rfe, rfi, coe, coi, fre and fri.
//
//	po    program order, among all events of a thread; initial writes are not in it
//	loc   accesses of one location; every access is so related to itself
//	int   events of one thread; every event but the initial writes is so related to itself
//	ext   the other pairs of two events
//	rf    from a write to the reads that take their value from it
//	co    coherence: the total order of the writes to one location, the initial one first
//	fr    from a read to the writes that come in co after the one it reads
//	rmw   from the read of an atomic read-modify-write to its write
//	addr  from a read to the accesses whose address depends on its value
//	data  from a read to the writes whose value depends on its value
//	ctrl  from a read to the events after a branch that depends on its value
//	block events of one atomic block or locked section; an equivalence on them
func Relations() []string { return slices.Clone(relations) }

var (
	sets      = []string{"_", "R", "W", "F", "I", "X", "MFENCE", "SFENCE", "LFENCE"}
	relations = []string{"po", "loc", "int", "ext", "rf", "co", "fr", "rmw", "addr", "data", "ctrl", "block"}
	isSet     = map[string]bool{}
	isBase    = map[string]bool{}
)

func init() {
	for _, n := range sets {
		isSet[n], isBase[n] = true, true
	}
	for _, n := range relations {
		isBase[n] = true
	}
}

// derived are the predefined names that are short for something else.
var derived = map[string]func(b *builder) *Term{
	"M":  func(b *builder) *Term { return b.binary(Union, b.base("R"), b.base("W")) },
	"A":  func(b *builder) *Term { return b.base("X") },
	"IW": func(b *builder) *Term { return b.base("I") },
	"id": func(b *builder) *Term { return b.unary(Identity, b.base("_")) },
	// The accesses of one instruction.
	"si": func(b *builder) *Term {
		rmw := b.base("rmw")
		return b.unary(Optional, b.binary(Union, rmw, b.unary(Inverse, rmw)))
	},
	"po-loc": restricted("po", "loc"),
	"rfe":    restricted("rf", "ext"),
	"rfi":    restricted("rf", "int"),
	"coe":    restricted("co", "ext"),
	"coi":    restricted("co", "int"),
	"fre":    restricted("fr", "ext"),
	"fri":    restricted("fr", "int"),
}

func restricted(name, to string) func(b *builder) *Term {
	return func(b *builder) *Term { return b.binary(Intersection, b.base(name), b.base(to)) }
}

// builtin is a predefined function of one argument.
type builtin struct {
	arg   Type
	apply func(b *builder, x *Term) *Term
}

var builtins = map[string]builtin{
	"domain": {Relation, func(b *builder, x *Term) *Term { return b.unary(Domain, x) }},
	"range":  {Relation, func(b *builder, x *Term) *Term { return b.unary(Range, x) }},
	"toid":   {Set, func(b *builder, x *Term) *Term { return b.unary(Identity, x) }},
	// Pairs of events with an event of the set between them.
	"fencerel": {Set, func(b *builder, x *Term) *Term {
		return b.binary(Sequence, b.binary(Sequence, b.base("po"), b.unary(Identity, x)), b.base("po"))
	}},
}

// predefined lists all predefined names, by what they are.
func predefined() (sets, relations, functions []string) {
	b := &builder{known: map[termKey]*Term{}}
	for n := range isBase {
		if isSet[n] {
			sets = append(sets, n)
		} else {
			relations = append(relations, n)
		}
	}
	for n, f := range derived {
		if f(b).typ == Set {
			sets = append(sets, n)
		} else {
			relations = append(relations, n)
		}
	}
	for n := range builtins {
		functions = append(functions, n)
	}
	sort.Strings(sets)
	sort.Strings(relations)
	sort.Strings(functions)
	return sets, relations, functions
}
