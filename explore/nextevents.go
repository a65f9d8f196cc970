package explore

import (
	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/program"
)

// A Reduction is a partial-order reduction of the search through states: which
// of the enabled events are explored next (NEXTEVENTS of thesis algorithm 4.1).
type Reduction string

// The reductions.
const (
	NoReduction Reduction = "none"       // all enabled events (algorithms 2.3 and 2.4)
	Persistent  Reduction = "persistent" // persistent sets of local events (section 4.1)
)

// Reductions lists them.
func Reductions() []Reduction { return []Reduction{NoReduction, Persistent} }

// nextEvents chooses what to explore next.
type nextEvents interface {
	// choose picks the events to expand in s: everything, just ev, or those of
	// the edges of ev.Thread. full is true where the choice, or an event of it,
	// depends on the capacity of a buffer.
	choose(s *abstract.State) (set reduced, ev abstract.Event, full bool)
}

// A reduced set is what choose picks.
type reduced uint8

const (
	everything reduced = iota // no reduction: all enabled events
	oneEvent                  // a single event
	oneThread                 // the program edges of one thread, several events
)

// newNextEvents prepares the reduction for a search for violations of props.
func newNextEvents(x *abstract.System, props []program.Property, r Reduction) nextEvents {
	return newPersistent(x, props, r != NoReduction)
}
