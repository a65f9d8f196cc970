package trust

// views are what a checker knows of an event, beside what is before it. They are not changed
// once they are there, and may share their clocks.
type views struct {
	happened clock // what happens before the event, and itself
	// released is, of a write, what has happened where a read that acquires reads from
	// it.
	released clock
	// fence is what had happened at the last fence that releases, and acquired is what
	// happens before a fence that acquires; nil where there is nothing.
	fence, acquired clock
}

// releases is what is released, if views are known.
func (v *views) releases() clock {
	if v == nil {
		return nil
	}
	return v.released
}
