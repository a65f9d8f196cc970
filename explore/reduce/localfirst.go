package reduce

import (
	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// localFirst is the reduction of thesis algorithms 4.2 and 4.3: after a local
// event its thread is the favourite, and while there is a favourite only events
// of it are explored; an event that is not local leaves no favourite.
//
// Local are the events of the edges Check, Assign, Havoc, Assert and Fence, and
// of Store where stores are buffered, unless a Forbid property can see them
// ([visible.edge]). Loads, flushes, locked commands and atomic blocks are not.
//
// # What is printed, and what is done
//
// The printed algorithm remembers which states it has visited, while what it
// explores in them depends on the favourite, too. Here a state is stored with its
// favourite. It is not explored again where it was met before with the same
// favourite, or with none, in which case more was explored. And a favourite that
// cannot go on, since it has ended or is blocked, is dropped: all events are
// explored.
//
// Whether a state has been met with none is looked up before it is stored, and
// with any, to count it once, after. This is for one worker: several might both
// be the first.
//
// # The reduced search finds a violation where there is one
//
// Let w be a run to a violation: a state where a Forbid property is violated, a
// failing Assert, a final state that counts, or a deadlock. A local event depends
// on the registers and the buffer of its thread t and changes nothing else, so
// that it is independent of all events of other threads, whatever these do to
// memory and to the lock. The order among the events of t, flushes among them,
// stays as it is in all that follows.
//
// Move each local event of t in w to directly before the next event of t that is
// not local; where there is none, behind everything. The result w' is a run to
// the same state: a sequence of blocks, each some local events of one thread and
// one more event of it, and at the end, thread by thread, local events with
// nothing behind them. Where w ends in a failing Assert of t, those of t are the
// last, up to that Assert. Where a Forbid property is violated, leave them all
// out, and where an Assert fails, those of other threads: Forbid properties do
// not see local events, and nobody depends on them.
//
// The search follows w', step by step, in states that were met with the
// favourite that the last step left, or with none (by induction: a state that is
// not explored again has been explored with no less). The first event of a block
// finds no favourite, since the event before it was not local; the others find
// their own thread. This leaves the local events at the end. Their first thread
// t finds no favourite. With the last of them t has come to where it is at the
// end of w. If another thread follows, w ends in a final state or a deadlock,
// where t has no enabled event; nor has it one here, for what comes after are
// local events of others. So the favourite is dropped, and the next thread may
// go on.
//
// No event is put off for ever: what is explored without a favourite does not
// depend on how long a thread can go on by itself. Nothing in this is about how
// the buffers work, so it holds for every one of them; and w' fills no buffer
// more than w does.
type localFirst struct {
	allEvents
	local [][]bool // by thread and edge
}

// Choose is that of [Reduction].
func (*localFirst) Choose(_ *abstract.State, favourite int) (sel Selection, full bool) {
	if favourite >= 0 {
		sel = Selection{set: oneThread, ev: abstract.Event{Thread: favourite}}
	}
	return sel, false
}

// Favours is true of a local event.
func (l *localFirst) Favours(ev abstract.Event) bool {
	return ev.Edge >= 0 && l.local[ev.Thread][ev.Edge]
}

// Fork is that of [Reduction].
func (l *localFirst) Fork() Reduction { return l }

// newLocalFirst finds the edges whose events are local.
func newLocalFirst(task *Task) Reduction {
	x := task.System
	v := flow.NewVisible(x.Program, x.Ranges, task.Props)
	local := make([][]bool, x.Threads())
	for ti, t := range x.Program.Threads {
		local[ti] = make([]bool, len(t.Edges))
		for i := range t.Edges {
			e := &t.Edges[i]
			switch e.Cmd.Op {
			case program.Check, program.Assign, program.Havoc, program.Assert, program.Fence:
				local[ti][i] = !v.Edge(ti, e)
			case program.Store:
				local[ti][i] = !x.Buffer.Immediate() && !v.Edge(ti, e)
			}
		}
	}
	return &localFirst{local: local}
}
