// Package reduce says which steps a search through states need not take: the partial-order
// reductions of thesis chapter 4 ([Reduction]), the symmetries of a program ([Symmetry]) and counters that go round ([Rotation]).
//
// What a search is for comes in ([Task]); what to explore in a state goes out ([Selection]).
// What a reduction leaves out is a function of the state, or of the state and its favourite
// thread, so that it is sound whatever the order of the search. The arguments stand above
// the code. A reduction is a file of its own and a line in [registry].
package reduce

import (
	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// A Name names a reduction.
type Name string

// The reductions.
const (
	None       Name = "none"       // all enabled events (algorithms 2.3 and 2.4)
	LocalFirst Name = "local"      // a thread's local events in a shot (algorithms 4.2 and 4.3)
	Persistent Name = "persistent" // persistent sets (section 4.1)
	Cartesian  Name = "cartesian"  // vectors of prefixes (section 4.3.2)
)

// registry is the reductions that every search can have.
var registry = []struct {
	name Name
	new  func(*Task) Reduction
}{
	{None, func(*Task) Reduction { return allEvents{} }},
	{LocalFirst, newLocalFirst},
	{Persistent, newPersistent},
	{Cartesian, newCartesian},
}

// Names lists the reductions.
func Names() (names []Name) {
	for _, r := range registry {
		names = append(names, r.name)
	}
	return names
}

// New is the reduction of that name for a search; false where there is none.
func New(name Name, task *Task) (Reduction, bool) {
	for _, r := range registry {
		if r.name == name {
			return r.new(task), true
		}
	}
	return nil, false
}

// A Task is a search.
type Task struct {
	System *abstract.System
	Props  []program.Property // what it is for
	// Dead is what the search sets to initial values after an edge, by thread and
	// edge.
	Dead [][][]flow.Reset
}

// A Reduction chooses what to explore next (NEXTEVENTS of thesis algorithm 4.1).
type Reduction interface {
	// Choose is what to explore in s, which was met with that favourite thread
	// (see [Favouring]), -1 for none. It depends on these two only. full is true
	// where the choice, or an event of it, depends on the capacity of a buffer.
	// The selection is good until the next choice.
	Choose(s *abstract.State, favourite int) (sel Selection, full bool)
	// Chain is a single event that is all there is to explore in s, if ok. It
	// is asked after every transition and has to be quick. Chains of such
	// events end.
	Chain(s *abstract.State) (ev abstract.Event, full, ok bool)
	// Fork is the same reduction for one more worker.
	Fork() Reduction
	// Alike is whether it treats two threads alike that a symmetry exchanges.
	Alike(a, b int) bool
}

// Favouring is a [Reduction] for which some events make their thread the favourite in
// the state after them. It is for a search with one worker.
type Favouring interface {
	Reduction
	Favours(ev abstract.Event) bool
}

// A Selection is what a reduction explores in a state: some of its events, or,
// should none of these be enabled, all.
type Selection struct {
	set     reduced
	ev      abstract.Event // oneEvent: that; oneProgram, oneThread: its Thread
	threads uint64         // someThreads: these, a bit each
	vector  *cartesian     // prefixes: whose
}

// A reduced set is the kind of a selection.
type reduced uint8

const (
	everything  reduced = iota // no reduction: all events
	oneEvent                   // a single event, which is enabled
	oneProgram                 // the program edges of one thread
	oneThread                  // the program edges and the flushes of one thread
	someThreads                // the program edges and the flushes of several threads
	prefixes                   // what a cartesian vector says
)

// All is true where nothing is left out.
func (sel *Selection) All() bool { return sel.set == everything }

// A Cursor is how far the events of a selection have been tried: by threads, of each
// the edges before the flushes, the choices of an edge ascending.
type Cursor struct {
	Choice int64
	Thread int32
	At     int32 // index into Out; after the last: the flushes
}

// Next is the next event of s to try, and moves c on; behind it rest is to follow in
// the same step. There are no more where ok is false.
func (sel *Selection) Next(x *abstract.System, s *abstract.State, c *Cursor) (ev abstract.Event, rest []abstract.Event, ok bool) {
	if sel.set == prefixes {
		return sel.vector.next(s, c)
	}
	threads := int32(len(s.PC))
	if sel.set == oneEvent && c.Thread < threads {
		c.Thread = threads
		return sel.ev, nil, true
	}
	for c.Thread < threads {
		t := int(c.Thread)
		edges, flushes := sel.has(t)
		if edges {
			for out := x.Out(t, s.PC[t]); int(c.At) < len(out); {
				e := out[c.At]
				if c.Choice < x.Choices(t, e) {
					c.Choice++
					return abstract.Event{Thread: t, Edge: e, Choice: c.Choice - 1}, nil, true
				}
				c.At++
				c.Choice = 0
			}
		}
		if flushes && c.Choice < int64(x.Flushes(s, t)) {
			c.Choice++
			return abstract.Event{Thread: t, Edge: abstract.Flush, Choice: c.Choice - 1}, nil, true
		}
		c.Thread++
		c.At, c.Choice = 0, 0
	}
	return ev, nil, false
}

// has tells whether the selection has the edges and the flushes of thread t. It
// is not for a single event.
func (sel *Selection) has(t int) (edges, flushes bool) {
	switch sel.set {
	case oneProgram:
		return t == sel.ev.Thread, false
	case oneThread:
		return t == sel.ev.Thread, t == sel.ev.Thread
	case someThreads:
		in := sel.threads>>t&1 != 0
		return in, in
	}
	return true, true
}

// allEvents is no reduction.
type allEvents struct{}

func (allEvents) Choose(*abstract.State, int) (sel Selection, full bool) { return sel, false }

func (allEvents) Chain(*abstract.State) (ev abstract.Event, full, ok bool) { return ev, false, false }

func (allEvents) Fork() Reduction { return allEvents{} }

func (allEvents) Alike(int, int) bool { return true }
