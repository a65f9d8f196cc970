package verdict

import (
	"fmt"
	"time"
)

// A Pulse tells whoever wants to know it, every now and then, how far somebody is.
type Pulse struct {
	Tell func(line string) // may be nil
	last time.Time
}

// NewPulse is a pulse that has just been felt.
func NewPulse(tell func(line string)) Pulse { return Pulse{tell, time.Now()} }

// Beat tells a line, unless one has just been told.
func (p *Pulse) Beat(format string, args ...any) {
	if p.Tell == nil {
		return
	}
	if now := time.Now(); now.Sub(p.last) >= 200*time.Millisecond {
		p.last = now
		p.Tell(fmt.Sprintf(format, args...))
	}
}
