package certify

// A state is what each thread has to itself, and the values of variables: the lock; the cells; and
// what a search for delays has beside them. Threads, and behind them variables, are its places.
type state struct {
	threads []local
	value   []int64
}

// A local is what a thread has to itself.
type local struct {
	pc     int
	regs   []int64
	buffer []store // the oldest first
}

// numbers appends those that a place has: of a thread the control state, the registers, and four for each
// store; of a variable its value.
func (s *state) numbers(place int, ns []int64) []int64 {
	if x := place - len(s.threads); x >= 0 {
		return append(ns, s.value[x])
	}
	l := &s.threads[place]
	ns = append(append(ns, int64(l.pc)), l.regs...)
	for _, s := range l.buffer {
		ns = append(ns, s.addr, s.value, s.count, s.mark)
	}
	return ns
}

// put gives a place its numbers.
func (s *state) put(place int, ns []int64) {
	if x := place - len(s.threads); x >= 0 {
		s.value[x] = ns[0]
		return
	}
	l := &s.threads[place]
	l.pc, ns = int(ns[0]), ns[1:]
	ns = ns[copy(l.regs, ns):]
	for l.buffer = l.buffer[:0]; len(ns) > 0; ns = ns[4:] {
		l.buffer = append(l.buffer, store{ns[0], ns[1], ns[2], ns[3]})
	}
}

// all appends the numbers of all places. Zeros at the end are left out: so a state stays the same when
// there are more variables.
func (s *state) all(ns []int64) []int64 {
	for t := range s.threads {
		at := len(ns)
		ns = s.numbers(t, append(ns, 0))
		ns[at] = int64(len(ns) - at - 1)
	}
	v := s.value
	for len(v) > 0 && v[len(v)-1] == 0 {
		v = v[:len(v)-1]
	}
	return append(ns, v...)
}

// putAll is the other way round.
func (s *state) putAll(ns []int64) {
	for t := range s.threads {
		end := 1 + ns[0]
		s.put(t, ns[1:end])
		ns = ns[end:]
	}
	clear(s.value[copy(s.value, ns):])
}
