package explore

// favoured is true where the state in words, its favourite behind it, was met
// before with another favourite than that one: with none, if none is true, or
// with any.
func (s *search) favoured(none bool) bool {
	last := len(s.words) - 1
	mine := s.words[last]
	defer func() { s.words[last] = mine }()
	n := uint64(s.x.Threads())
	if none {
		n = 0
	}
	for f := range n + 1 {
		if s.words[last] = f; f != mine && s.store.Find(s.words) != 0 {
			return true
		}
	}
	return false
}
