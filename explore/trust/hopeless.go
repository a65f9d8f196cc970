package trust

import "github.com/fencepost-verifier/fencepost/explore/threads"

// hopeless is true where the read r, with which its thread has come to stand, will never
// be changed: a write was there when it was added that comes after what it reads from. So it is
// not what would be added without it, and neither can a later write change it nor can it
// go for an older read to be changed. In all that the graph grows into the thread stands where
// it has not seen the newest, and nothing else that happens there is due to it: it
// happens, too, where the thread comes to read later, the newest.
//
// A graph that is built forwards (forward.go) may be a part of none at which the exploration ends, so that it is not counted before. Nor
// is it of use where conditions speak of moments, of which what the thread has just read may
// be a part.
func (x *explorer) hopeless(r int32) bool {
	if x.opts.Hopeless || len(x.forbids) > 0 || x.races || x.weak != nil || x.blocks {
		return false
	}
	g := x.g
	e := &g.events[r]
	switch e.after.stop.Kind {
	case threads.Waiting, threads.GivenUp:
	case threads.Stuck:
		// A thread that stands for what it has in its registers would not read again.
		if e.after.state.PC != x.before(r).state.PC {
			return false
		}
	default:
		return false
	}
	for _, w := range g.co[e.cell][g.events[e.rf].place+1:] {
		if w < r {
			if x.counted() {
				x.blocked++
			}
			return true
		}
	}
	return false
}
