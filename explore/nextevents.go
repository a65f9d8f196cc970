package explore

import (
	"github.com/fencepost-verifier/fencepost/abstract"
)

// A Reduction is a partial-order reduction of the search through states: which
// of the enabled events are explored next (NEXTEVENTS of thesis algorithm 4.1).
type Reduction string

// The reductions.
const (
	NoReduction Reduction = "none"       // all enabled events (algorithms 2.3 and 2.4)
	LocalFirst  Reduction = "local"      // a thread's local events in a shot (algorithms 4.2 and 4.3)
	Persistent  Reduction = "persistent" // persistent sets (section 4.1)
	Cartesian   Reduction = "cartesian"  // vectors of prefixes (section 4.3.2)
	// DynamicPOR is for [All] only; see [traces.Stateful]; of an abstraction it is Persistent.
	DynamicPOR Reduction = "dpor"
)

// Reductions lists those that every search can have.
func Reductions() []Reduction { return []Reduction{NoReduction, LocalFirst, Persistent, Cartesian} }

// nextEvents chooses what to explore next.
type nextEvents interface {
	// choose is what to explore in s, which was met with that favourite thread
	// (see localFirst), -1 for none. It depends on these two only. full is true
	// where the choice, or an event of it, depends on the capacity of a buffer.
	choose(s *abstract.State, favourite int) (sel selection, full bool)
	// chain is a single event that is all there is to explore in s, if ok. It
	// is asked after every transition and has to be quick. Chains of such
	// events end.
	chain(s *abstract.State) (ev abstract.Event, full, ok bool)
}

// A selection is what a reduction explores in a state: some of its events, or,
// should none of these be enabled, all.
type selection struct {
	set     reduced
	ev      abstract.Event // oneEvent: that; oneProgram, oneThread: its Thread
	threads uint64         // someThreads: these, a bit each
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

// has tells whether the selection has the edges and the flushes of thread t. It
// is not for a single event.
func (sel *selection) has(t int) (edges, flushes bool) {
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

// reduce prepares the reduction, of which every worker has its own.
func (s *search) reduce() {
	switch s.opts.Reduction {
	case NoReduction:
		s.red = allEvents{}
	case LocalFirst:
		s.red = localFirst{}
	case Cartesian:
		s.vector = newCartesian(s.x, s.props, s.dead)
		s.red = s.vector
	default:
		s.red = newPersistent(s.x, s.props)
	}
}

// allEvents is no reduction.
type allEvents struct{}

func (allEvents) choose(*abstract.State, int) (sel selection, full bool) { return sel, false }

func (allEvents) chain(*abstract.State) (ev abstract.Event, full, ok bool) { return ev, false, false }
