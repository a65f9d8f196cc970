// Package datarace finds data races in C programs: two accesses to the same memory by
// different threads, at least one of which stores and at least one of which is plain, that
// nothing orders. What orders is happens-before as C11 defines it, with the release sequences
// of C++20 (C11 5.1.2.4, C++20 6.9.2.2): program order; from a thread that makes another one
// to that, and from its end to who joins it; from a store that releases to a load that
// acquires and reads it or a later read-modify-write in its release sequence, where fences
// stand in for orders of the accesses; and what mutexes, conditions, barriers and the like are
// made of, which is the same. free stores to the object.
//
// Executions are those under sequential consistency. A program without atomic accesses weaker
// than seq_cst that has no race in these has none at all. What a race is does not depend on
// what a machine does: a relaxed flag orders nothing on any of them.
//
// There are three ways to find races here, which share nothing but the rules, and what of the text is in order anyway ([Monitor.Ordered]). One
// ([Monitor.Adjacency]) lets threads stop at accesses, and looks for two that stand at those of a race. The next
// ([NewMonitor]) writes a monitor of happens-before into the program. Whichever engine finds an assertion of the
// result fail has found a race, and whichever proves that none does has proved that there is
// none. The last ([Find]) follows one run with vector clocks. It judges what the others have
// found, and says why nothing orders the two accesses.
//
// Triangular races, of which package robust speaks, are another matter: they are
// about store buffers, and accesses are as hardware has them.
package datarace

import (
	"github.com/fencepost-verifier/fencepost/program"
)

// A kind is what an access is. That of a read-modify-write is atomicWrite.
type kind uint8

const (
	none kind = iota
	atomicRead
	atomicWrite
	plainRead
	plainWrite
)

func (k kind) writes() bool { return k == atomicWrite || k == plainWrite }
func (k kind) plain() bool  { return k >= plainRead }

// conflict is whether two accesses of these kinds, not ordered, are a race.
func conflict(a, b kind) bool {
	return a != none && b != none && (a.writes() || b.writes()) && (a.plain() || b.plain())
}

// kindOf is the kind of a load or a store. One without an order is none of the program's, but keeps
// books for it.
func kindOf(c *program.Command) kind {
	store := c.Op == program.Store
	switch {
	case c.Tags == program.Tags{}:
		return none
	case isPlain(c) && store:
		return plainWrite
	case isPlain(c):
		return plainRead
	case store:
		return atomicWrite
	}
	return atomicRead
}

// What the tags of a command say. The names are those that models of C11 use.
func isPlain(c *program.Command) bool { return c.Tags.Has("NA") }
func acquires(c *program.Command) bool {
	return c.Tags.Has("ACQ") || c.Tags.Has("CON") || c.Tags.Has("ACQ_REL") || c.Tags.Has("SC")
}
func releases(c *program.Command) bool {
	return c.Tags.Has("REL") || c.Tags.Has("ACQ_REL") || c.Tags.Has("SC")
}

// updates is whether the store body[i] is the second half of a read-modify-write: then it
// goes on with a release sequence, and otherwise ends it.
func updates(body []program.Command, i int) bool {
	for k := range i {
		if body[k].Op == program.Load && body[k].Addr == body[i].Addr && !isPlain(&body[k]) {
			return true
		}
	}
	return false
}

// bodyOf is the commands that an edge executes in one step.
func bodyOf(c *program.Command) []program.Command {
	if c.Op == program.Atomic {
		return c.Body
	}
	return []program.Command{*c}
}

// Plainly is a command without orders, in which a thread comes to its end where an assertion fails that is no bound.
func Plainly(c program.Command) program.Command {
	c.Tags = program.Tags{}
	if c.Op == program.Assert && c.Kind != program.Bound {
		return program.Command{Op: program.Check, Value: c.Value, Pos: c.Pos}
	}
	var body []program.Command
	for _, b := range c.Body {
		body = append(body, Plainly(b))
	}
	c.Body = body
	return c
}

// Possible is nil where races can be looked for in p, and says why not otherwise: accesses
// have to bear the orders of C11.
func Possible(p *program.Program) error {
	if p.Arch == program.C11 {
		return nil
	}
	return p.Diagnose(program.Position{}, "data races are a matter of C programs: here there are no plain accesses that could race",
		"for triangular races, which are about store buffers: fencepost robust --property trf")
}
