package certify

// A state is what each thread has to itself, and the values of variables: the lock; the cells; and
// what a search for delays has beside them.
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

// numbers appends those that make l: the control state, the registers, and four for each store.
func (l *local) numbers(ns []int64) []int64 {
	ns = append(append(ns, int64(l.pc)), l.regs...)
	for _, s := range l.buffer {
		ns = append(ns, s.addr, s.value, s.count, s.mark)
	}
	return ns
}

// put makes l of numbers.
func (l *local) put(ns []int64) {
	l.pc, ns = int(ns[0]), ns[1:]
	ns = ns[copy(l.regs, ns):]
	for l.buffer = l.buffer[:0]; len(ns) > 0; ns = ns[4:] {
		l.buffer = append(l.buffer, store{ns[0], ns[1], ns[2], ns[3]})
	}
}

// numbers appends those that make s. Zeros at the end are left out: so a state stays the same when
// there are more variables.
func (s *state) numbers(ns []int64) []int64 {
	for t := range s.threads {
		l := &s.threads[t]
		ns = l.numbers(append(ns, int64(1+len(l.regs)+4*len(l.buffer))))
	}
	v := s.value
	for len(v) > 0 && v[len(v)-1] == 0 {
		v = v[:len(v)-1]
	}
	return append(ns, v...)
}

// put makes s of numbers.
func (s *state) put(ns []int64) {
	for t := range s.threads {
		end := 1 + ns[0]
		s.threads[t].put(ns[1:end])
		ns = ns[end:]
	}
	clear(s.value[copy(s.value, ns):])
}
