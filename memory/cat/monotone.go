package cat

// Monotone is true of an axiom that can be judged on a part of an execution:
// once violated, it stays so whatever events are added, provided that the
// predefined sets and relations keep their pairs among the old events. All of
// them must stay as they are, but for fr, which may grow: a read whose write is
// yet to come has no fr so far.
func (a *Axiom) Monotone() bool { return a.monotone }

// Monotone is true of a model that can be judged on a part of an execution: what it
// admits it admits without some of the events, too. Flags do not count.
func (m *Model) Monotone() bool {
	for _, a := range m.Axioms {
		if !a.Flag && !a.Monotone() {
			return false
		}
	}
	return m.unfolding == nil
}

// SkipsWaits is true of a model that admits what it admits without some of the events, too, if
// these are no writes. So an execution need not be looked at where it goes round in a loop that
// only waits, since without these rounds it is as good. Flags do not count.
func (m *Model) SkipsWaits() bool { return m.skipsWaits }

// Extends is true of an axiom that can be judged on a part of an execution which is
// all that its threads do up to some point: once violated, it stays so whatever their later
// events are, provided as for [Axiom.Monotone]. That is so of more axioms: of
// po \ (po; po), for what is between two events is there when both are.
func (a *Axiom) Extends() bool { return a.extends }

// Lasting tells, by term (see [Term.ID]), of which one may say for good that what is in it is in it: of one event, or two, that are in it for
// an execution that is all that its threads do up to some point, where the later events are added, too. An axiom that [Axiom.Extends]
// is one over such a term.
func (m *Model) Lasting() []bool {
	lasting := m.growing(later)
	for i, t := range m.terms {
		if t.op == Fixpoint && !lasting[i] { // so the variables do not grow
			for _, o := range t.rec.open {
				lasting[o.id] = false
			}
		}
	}
	return lasting
}

// findMonotone sets the monotone and extends fields of all axioms, and skipsWaits.
func (m *Model) findMonotone() {
	growing, extending, keeping := m.growing(anything), m.growing(later), m.growing(exceptWrites)
	m.skipsWaits = true
	for _, a := range m.Axioms {
		m.skipsWaits = m.skipsWaits && (a.Flag || !a.Negated && keeping[a.Term.id])
		a.monotone = !a.Flag && !a.Negated && growing[a.Term.id]
		a.extends = !a.Flag && !a.Negated && extending[a.Term.id]
	}
}

// inThread are the predefined relations that lead from an event to a later one of its
// thread only.
var inThread = words("po rmw amo lxsx addr data ctrl casdep pick-addr pick-data pick-ctrl")

// added is which events come to an execution.
type added uint8

const (
	anything     added = iota
	later              // each after all of its thread
	exceptWrites       // reads and fences
)

// growing tells, by term, what loses nothing when such events are added.
func (m *Model) growing(more added) []bool {
	n := len(m.terms)
	// stable terms stay the same among the old events: whether a pair is in them depends
	// on the two only, or on what is between them. forward ones lead to no earlier event
	// and to none of another thread.
	growing, stable, forward := make([]bool, n), make([]bool, n), make([]bool, n)
	for i, t := range m.terms { // operands first
		both := func(of []bool) bool { return of[t.x.id] && (t.y == nil || of[t.y.id]) }
		either := func(of []bool) bool { return of[t.x.id] || of[t.y.id] }
		switch t.op {
		case Base:
			growing[i], stable[i], forward[i] = true, t.name != "fr", inThread[t.name]
		case Empty:
			growing[i], stable[i], forward[i] = true, true, true
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
			growing[i], stable[i], forward[i] = growing[t.x.id] && stable[t.y.id], both(stable), forward[t.x.id]
		case Intersection:
			growing[i], stable[i], forward[i] = both(growing), both(stable), either(forward)
		case Sequence:
			// A new event may come in between, unless it would have
			// to be one of the two.
			growing[i], forward[i] = both(growing), both(forward)
			stable[i] = both(stable) && (t.x.op == Identity || t.y.op == Identity ||
				more == later && forward[i] || more == exceptWrites && (ends(t.x) || begins(t.y)))
		case Plus, Star:
			growing[i], forward[i] = both(growing), both(forward)
			stable[i] = more == later && forward[i] && both(stable)
		case Order: // there may be no such order of more events that has that of fewer in it
		case Domain, Range:
			growing[i] = both(growing)
		case Inverse, Product:
			growing[i], stable[i] = both(growing), both(stable)
		default: // Union, Optional, Identity
			growing[i], stable[i], forward[i] = both(growing), both(stable), t.op == Identity || both(forward)
		}
	}
	return growing
}

// ends is whether a relation is seen to lead to writes only, begins whether it leads from writes.
func ends(t *Term) bool   { return isWrites(t) || t.op == Sequence && ends(t.y) }
func begins(t *Term) bool { return isWrites(t) || t.op == Sequence && begins(t.x) }

// isWrites is whether a relation is [W].
func isWrites(t *Term) bool { return t.op == Identity && t.x.op == Base && t.x.name == "W" }
