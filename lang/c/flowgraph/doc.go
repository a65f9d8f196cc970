// Package flowgraph is the automata of threads while they are built, and what makes them smaller.
//
// A [Graph] has nodes, which are positions in the text, and edges, which bear a [program.Command] each: so it is like a
// [program.Thread]. But for two things: an edge may bear an [Op] in the place of a command, of which is not known yet what it
// is done to (which thread is started, which object allocated), and a graph may be changed. Loads and stores may
// bear tags that say what they take their cell for (access.go).
//
//	0: r := x          of   while (!atomic_load(&x)) ;
//	1: check r = 0 → 0      pthread_create(&t, 0, f, 0);
//	1: check r ≠ 0 → 2
//	2: reserve t
//	3: start t at f
//
// What comes out does what went in does: the same loads, stores and assertions, in the same orders, and a loop that
// may go on for ever still may. [Graph.Tidy] does everything that needs no more than the graph: it propagates constants
// (constants.go) and copies (forward.go), jumps over tests that are decided (decide.go), and takes out what nobody reads.
// [Graph.Specialise] unrolls the loops that make threads. [Graph.DropPointless] is aggressive dead-code elimination, loops
// included. Choices become as small as what is done with them allows (choices.go, bounded.go). What it means that an address is one of
// many is said with as few comparisons as can be (among.go).
package flowgraph
