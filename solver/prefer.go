package solver

// Prefer tells s that l had better be true where its variable is to be decided, such as for
// the choices of which one has to be made. Answers do not depend on it. Back ends other than
// our own take no notice.
func Prefer(s Solver, l Lit) {
	if s, ok := s.(*checked); ok {
		s.cnf.mustHave([]Lit{l})
		s.cnf.prefer = append(s.cnf.prefer, l)
	}
}
