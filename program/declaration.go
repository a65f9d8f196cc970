package program

// A Declaration is where a name of a source is introduced.
type Declaration struct {
	Name string
	Kind string // such as "process"
	Pos  Position
	// Inside is the process or procedure that knows the name, between lines From and To; "" where all do.
	Inside   string
	From, To int
}
