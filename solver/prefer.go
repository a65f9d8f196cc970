package solver

// Prefer tells s that l had better be true where its variable is to be decided, such as for
// the choices of which one has to be made. Answers do not depend on it. Back ends other than
// our own take no notice.
func Prefer(s Solver, l Lit) {
	if s, ok := own(s); ok {
		s.cnf.mustHave([]Lit{l})
		s.cnf.prefer = append(s.cnf.prefer, l)
	}
}

// Follow tells s that l, a positive literal, need not be decided: that it can be false wherever
// clauses do not imply it. So it is if no clause, over all that is ever added, has two such literals that
// are not negated (what follows of the others is then a least model, as of Horn clauses). A model that
// is none is an [InternalError]. Back ends other than our own take no notice.
func Follow(s Solver, l Lit) {
	if s, ok := own(s); ok {
		s.cnf.mustHave([]Lit{l})
		s.cnf.follow = append(s.cnf.follow, l)
	}
}
