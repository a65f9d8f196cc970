package abstract

// None is sequential consistency (thesis rule LSWM): there is no buffer, a
// store is in memory at once.
type None struct{}

// Immediate is true.
func (None) Immediate() bool { return true }

// Barrier is nothing.
func (None) Barrier(*Contents) {}

// Add is never called.
func (None) Add(*Contents, Pair) { panic("abstract: None has no room") }

// Last finds nothing.
func (None) Last(*Contents, int) (int64, bool) { return 0, false }

// Flushes is 0.
func (None) Flushes(*Contents) int { return 0 }

// Flushed is never called.
func (None) Flushed(*Contents, int) Pair { panic("abstract: None has no pairs") }

// Flush is never called.
func (None) Flush(*Contents, int) { panic("abstract: None has no pairs") }

// Name is "none".
func (None) Name() string { return "none" }
