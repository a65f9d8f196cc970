package program

// A Declaration is where a name of a source is introduced.
type Declaration struct {
	Name string
	Kind string // such as "process"
	Pos  Position
	// Source is what Pos is in: a file that is included, or the text itself.
	Source *Source
	// Inside is the process or procedure that knows the name, between lines From and To; "" where all do.
	Inside   string
	From, To int
}
