package encode

import (
	"github.com/fencepost-verifier/fencepost/solver"
)

// coBefore is the literal that write a comes before write b in coherence, if
// both are executed and go to one cell. Only a relational formula has such
// literals; elsewhere coherence is the order of the items.
func (f *Formula) coBefore(a, b *event) solver.Lit {
	if !f.relational() {
		return f.eventBefore(a, b)
	}
	if l, ok := f.co[[2]*event{a, b}]; ok {
		return l
	}
	return -f.co[[2]*event{b, a}]
}

// connectCoherence orders the new writes among all that may be to one cell.
func (f *Formula) connectCoherence() {
	for ; f.doneCo < len(f.events); f.doneCo++ {
		c := f.events[f.doneCo]
		if !c.write {
			continue
		}
		var older []*event
		for _, b := range f.events[:f.doneCo] {
			f.poll()
			if b.write && mayAlias(b, c) && !f.exclusive(b, c) {
				f.co[[2]*event{b, c}] = f.Fresh()
				older = append(older, b)
			}
		}
		for i, b := range older {
			f.poll()
			for _, a := range older[:i] {
				ab, ok := f.co[[2]*event{a, b}]
				if !ok {
					continue
				}
				bc, ac := f.co[[2]*event{b, c}], f.co[[2]*event{a, c}]
				f.Clause(-ab, -bc, ac)
				f.Clause(ab, bc, -ac)
			}
		}
	}
}
