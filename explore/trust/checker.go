package trust

// A checker says what a model allows. Of a graph that is consistent, and to which an
// event is added, or of which a read is changed to read from the event that is added,
// it need only look at what is new.
//
// All models here can be extended: reading from the last write in coherence is always
// allowed, and so is writing after it.
type checker interface {
	// added is told that the event e has been added, with what it reads from, or that
	// it reads from something else.
	added(g *graph, e int32)
	// floor is the last write in coherence that is before the new events a and r, which
	// may be none: the place of the first write that they may read from, and after
	// which they may write. They are the last ones of their threads, access the same cell,
	// and are related to nothing but to what is before them in their threads.
	floor(g *graph, a, r int32) int
	// holds is whether the graph is consistent, where nothing is against floor.
	holds(g *graph, a, r int32) bool
}
