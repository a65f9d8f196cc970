package encode

import "github.com/fencepost-verifier/fencepost/solver"

// That a read with a certain value has a source that gives it follows from what is said of every source, but only case
// by case. Where it is known what all of them give, it is said at once. As more sources become known with
// each bound, this is either said anew, or there is a literal that the read has the value from what is to come.

// valueClass is one of the values that a read can have.
type valueClass struct {
	value int64
	lits  []solver.Lit // sources that give it and are not mentioned yet
	more  solver.Lit   // the read has it, but from none of those that are; 0: nothing was said
}

// lasting is the first bound from which on there are such literals. They make what is learnt longer: many threads that go
// round a few times take more conflicts with them, and few threads that go round often fewer. All bounds before
// it are asked about.
const lasting = 4

// classify sorts the new sources of r by their values. It is false where there is nothing to say: of a source it is not known what
// it gives, or all give the same.
func (r *event) classify(f *Formula) bool {
	for ; r.classed < len(r.rf); r.classed++ {
		src := r.rf[r.classed]
		v, known := f.gives(r, src)
		if !known {
			return false
		}
		c := r.class(v)
		c.lits = append(c.lits, src.lit)
	}
	return len(r.classes) > 1
}

// class is that of a value, made where there is none.
func (r *event) class(v int64) *valueClass {
	for _, c := range r.classes {
		if c.value == v {
			return c
		}
	}
	r.classes = append(r.classes, &valueClass{value: v})
	return r.classes[len(r.classes)-1]
}

// mustGive says of the values that r can have which sources give them.
func (f *Formula) mustGive(r *event) {
	if !r.classify(f) {
		return
	}
	for _, c := range r.classes {
		lits := []solver.Lit{-r.guard, -f.EqVec(r.value, f.Vec(c.value))}
		switch {
		case f.bound < lasting:
			f.Clause(append(append(lits, c.lits...), f.open)...)
			continue
		case len(c.lits) == 0:
			continue
		case c.more != 0:
			lits = []solver.Lit{-c.more}
		}
		c.more = f.Fresh()
		f.Clause(append(append(lits, c.lits...), c.more)...)
		c.lits = nil
		above := []solver.Lit{-c.more} // what gives the value and is not known yet is above some chain
		for _, x := range r.chains {
			above = append(above, x.top)
		}
		f.Clause(above...)
	}
}
