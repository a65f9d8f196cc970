package trust

// An arena hands out pieces of memory that are given back in the opposite order.
type arena[T any] struct {
	chunks [][]T
	held   int // the elements of all of them
	at     mark
}

// A mark is how much of an arena is handed out.
type mark struct{ chunk, used int }

// take is n elements, which hold anything.
func (a *arena[T]) take(n int) []T {
	for {
		if a.at.chunk == len(a.chunks) {
			size := max(min(32<<len(a.chunks), 1024), n) // most explorations are of a few events
			a.chunks = append(a.chunks, make([]T, size))
			a.held += size
		}
		if c := a.chunks[a.at.chunk]; a.at.used+n <= len(c) {
			a.at.used += n
			return c[a.at.used-n : a.at.used : a.at.used]
		}
		a.at = mark{a.at.chunk + 1, 0}
	}
}
