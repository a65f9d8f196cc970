package target

import "github.com/fencepost-verifier/fencepost/program"

// Memory orders, as C11 numbers them; Plain is that of an access that is not atomic.
const (
	Relaxed = iota
	Consume
	Acquire
	Release
	AcqRel
	SeqCst
	Plain
)

// OrderTag are the tags of the orders.
var OrderTag = [...]string{"RLX", "CON", "ACQ", "REL", "ACQ_REL", "SC", "NA"}

// OrderOf is the memory order that the tags say; relaxed where they say none, or that an access is plain.
func OrderOf(t program.Tags) int {
	for _, o := range []int{SeqCst, AcqRel, Release, Acquire, Consume} {
		if t.Has(OrderTag[o]) {
			return o
		}
	}
	return Relaxed
}
