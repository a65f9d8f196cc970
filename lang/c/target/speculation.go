package target

// A Speculation says what a store may be seen before.
type Speculation int

// Of what comes before it in its thread a store may be seen before nothing; before loads, but not before the
// branches that it depends on; or before both.
const (
	NoSpeculation Speculation = iota
	BeforeLoads
	BeforeBranches
)
