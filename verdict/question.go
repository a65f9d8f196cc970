package verdict

// A Question is what can be asked about a program under a model.
type Question string

// The questions.
const (
	// Safety: does a run violate a property or an assertion?
	Safety Question = "property"
	// FinalStates: in which states can the program end?
	FinalStates Question = "states"
	// Robustness: does buffering stores make a difference? It is asked about TSO.
	Robustness Question = "robustness"
	// RaceFreedom: is the program free of triangular races, which is stronger? They have
	// nothing to do with DataRaces.
	RaceFreedom Question = "trf"
	// DataRaces: are there two accesses, one of them plain and one a store, that nothing
	// orders? It is asked about executions under SC.
	DataRaces Question = "race"
	// LBRaces: can a read see, by load buffering, a write that comes of it? It is asked about
	// executions under RC11.
	LBRaces Question = "lb-race"
	// Liveness: can the program hang for ever, all that is left of it waiting?
	Liveness Question = "liveness"
	// Deadlocks: can the program come to a state that is not its end and from which nothing
	// leads? Nothing else is looked for.
	Deadlocks Question = "deadlock"
	// Count: how many states or executions are there?
	Count Question = "count"
)
