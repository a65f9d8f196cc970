package encode

// Order is a strict order that the solver chooses: of pairs, which is symmetric, it has each one
// way round, and of base those that are in pairs. It is transitive within pairs; where a pair and
// another lead to what is not a pair, the two ends count as one, and are not before and after
// the same event.
func (a *relational) Order(_ string, pairs, base litRelation) litRelation {
	f, n := a.f, len(a.points)
	r := a.noRelation()
	for i := range n {
		f.poll()
		for j := range i {
			p, q := pairs[i*n+j], pairs[j*n+i]
			if f.IsFalse(p) || f.IsFalse(q) {
				continue
			}
			there, first := f.And(p, q), f.Fresh()
			r[i*n+j], r[j*n+i] = f.And(there, first), f.And(there, -first)
			f.Clause(-base[i*n+j], -there, first, f.open)
			f.Clause(-base[j*n+i], -there, -first, f.open)
		}
	}
	for i := range n {
		for j := range n {
			if f.IsFalse(r[i*n+j]) {
				continue
			}
			f.poll()
			for k := range n {
				if k != i && !f.IsFalse(r[j*n+k]) {
					f.Clause(-r[i*n+j], -r[j*n+k], r[i*n+k], f.open)
				}
			}
		}
	}
	return r
}
