package certify

// A logic is clauses and what follows from them by unit propagation. Literal 2n is bit n,
// 2n + 1 its negation.
type logic struct {
	clauses [][]int32
	watches [][]int32 // by literal: the clauses in which it is one of the first two
	value   []int8    // by literal: 1 true, -1 false
	trail   []int32   // the literals that are true
	head    int       // what is propagated of the trail
	wrong   bool      // the clauses alone have no model
}

func (l *logic) grow(bits int) {
	for len(l.value) < 2*bits {
		l.value, l.watches = append(l.value, 0), append(l.watches, nil)
	}
}

// add adds a clause, where nothing is assumed.
func (l *logic) add(lits []int32) {
	var c []int32
	for _, x := range lits {
		if l.value[x] > 0 {
			return
		}
		double := l.value[x] < 0
		for _, y := range c {
			double = double || x == y
		}
		if !double {
			c = append(c, x)
		}
	}
	switch len(c) {
	case 0:
		l.wrong = true
	case 1:
		l.wrong = !l.assume(c[0]) || l.wrong
	default:
		n := int32(len(l.clauses))
		l.clauses = append(l.clauses, c)
		l.watches[c[0]] = append(l.watches[c[0]], n)
		l.watches[c[1]] = append(l.watches[c[1]], n)
	}
}

// follows is whether a clause does: whether its negation leads to a contradiction. What is
// assumed stays so.
func (l *logic) follows(lits []int32) bool {
	mark := len(l.trail)
	defer l.undo(mark)
	for _, x := range lits {
		if !l.assume(x ^ 1) {
			return true
		}
	}
	return l.wrong
}

// undo takes back what was assumed or followed after so much of the trail.
func (l *logic) undo(mark int) {
	for _, x := range l.trail[mark:] {
		l.value[x], l.value[x^1] = 0, 0
	}
	l.trail = l.trail[:mark]
	l.head = mark
}

// assume makes a literal true, and all that follows; false: that is a contradiction.
func (l *logic) assume(x int32) bool {
	if l.value[x] != 0 {
		return l.value[x] > 0
	}
	l.push(x)
	for l.head < len(l.trail) {
		no := l.trail[l.head] ^ 1
		l.head++
		watches := l.watches[no]
		kept := watches[:0]
	clauses:
		for i, n := range watches {
			c := l.clauses[n]
			if c[0] == no {
				c[0], c[1] = c[1], no
			}
			if l.value[c[0]] > 0 {
				kept = append(kept, n)
				continue
			}
			for k := 2; k < len(c); k++ {
				if l.value[c[k]] >= 0 {
					c[1], c[k] = c[k], no
					l.watches[c[1]] = append(l.watches[c[1]], n)
					continue clauses
				}
			}
			kept = append(kept, n)
			if l.value[c[0]] < 0 {
				l.watches[no] = append(kept, watches[i+1:]...)
				l.head = len(l.trail)
				return false
			}
			l.push(c[0])
		}
		l.watches[no] = kept
	}
	return true
}

func (l *logic) push(x int32) {
	l.value[x], l.value[x^1] = 1, -1
	l.trail = append(l.trail, x)
}
