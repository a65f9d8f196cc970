package cat

import (
	"slices"
	"strings"
)

// Sets lists the predefined sets that an [Algebra] has to know, whatever the
// architecture. Beside them there are those of the events that bear a tag, by its name.
//
//	_       all events
//	R W F   reads, writes, fences
//	I       the initial writes, which are in W as well
func Sets() []string { return slices.Clone(sets) }

// Relations lists the predefined relations that an [Algebra] has to know. Models may
// use others, which are put down to these: id, si (the accesses of one
// instruction), po-loc, rfe, rfi, coe, coi, fre, fri and more.
//
//	po    program order, among all events of a thread; initial writes are not in it
//	loc   accesses of one location; every access is so related to itself
//	int   events of one thread; every event but the initial writes is so related to itself
//	ext   the other pairs of two events
//	rf    from a write to the reads that take their value from it
//	co    coherence: the total order of the writes to one location, the initial one first
//	fr    from a read to the writes that come in co after the one it reads
//	rmw   from the read of an atomic read-modify-write to its write: amo or lxsx
//	amo   that of one instruction or operation
//	lxsx  that of a load and a store that are exclusive
//	part  the accesses of one wide access, or of a pair; an equivalence on them
//	addr  from a read to the accesses whose address depends on its value
//	data  from a read to the writes whose value depends on its value
//	ctrl  from a read to the events after a branch that depends on its value
//	casdep from a read to that of a compare-and-swap which compares with a value that depends on it
//	pick-addr, pick-data, pick-ctrl  on Arm, where what was read only picks what the address,
//	        the value or the condition is
//	rcu-rscs from an Rcu-lock to the Rcu-unlock that ends the critical section
//	block events of one atomic block or locked section; an equivalence on them
func Relations() []string { return slices.Clone(relations) }

var (
	sets      = []string{"_", "R", "W", "F", "I"}
	relations = []string{"po", "loc", "int", "ext", "rf", "co", "fr", "rmw", "amo", "lxsx", "part", "addr", "data", "ctrl", "casdep", "pick-addr", "pick-data", "pick-ctrl", "block", "rcu-rscs"}
	isSet     = words(strings.Join(sets, " "))
	isBase    = words(strings.Join(append(slices.Clone(sets), relations...), " "))
)

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
