package cat

// Monotone is true of an axiom that can be judged on a part of an execution:
// once violated, it stays so whatever events are added, provided that the
// predefined sets and relations keep their pairs among the old events. All of
// them must stay as they are, but for fr, which may grow: a read whose write is
// yet to come has no fr so far.
func (a *Axiom) Monotone() bool { return a.monotone }

// Monotone is true of a model that can be judged on a part of an execution: what it
// admits it admits without some of the events, too. So an execution need not be looked
// at where it goes round in a loop that only waits, since without these rounds it is as
// good. Flags do not count.
func (m *Model) Monotone() bool {
	for _, a := range m.Axioms {
		if !a.Flag && !a.Monotone() {
			return false
		}
	}
	return true
}

// findMonotone sets the monotone field of all axioms.
func (m *Model) findMonotone() {
	// growing terms lose nothing when events are added. stable terms stay the
	// same among the old events: whether a pair is in them depends on the two
	// only.
	growing, stable := make([]bool, len(m.terms)), make([]bool, len(m.terms))
	for i, t := range m.terms { // operands first
		both := func(of []bool) bool { return of[t.x.id] && (t.y == nil || of[t.y.id]) }
		switch t.op {
		case Base:
			growing[i], stable[i] = true, t.name != "fr"
		case Empty:
			growing[i], stable[i] = true, true
		case Variable:
			growing[i] = true // if the bodies are
		case Fixpoint:
			growing[i] = true
			for _, b := range t.rec.bodies {
				growing[i] = growing[i] && growing[b.id]
			}
		case Complement:
			growing[i], stable[i] = stable[t.x.id], stable[t.x.id]
		case Difference:
			growing[i], stable[i] = growing[t.x.id] && stable[t.y.id], both(stable)
		case Sequence:
			// A new event may come in between, unless it would have
			// to be one of the two.
			growing[i] = both(growing)
			stable[i] = both(stable) && (t.x.op == Identity || t.y.op == Identity)
		case Plus, Star, Domain, Range:
			growing[i] = both(growing)
		default:
			growing[i], stable[i] = both(growing), both(stable)
		}
	}
	for _, a := range m.Axioms {
		a.monotone = !a.Flag && !a.Negated && growing[a.Term.id]
	}
}
