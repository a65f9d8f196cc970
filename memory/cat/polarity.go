package cat

// A Polarized algebra is told before each operator whether the value may hold more
// than it should. That is so where more can only make the model forbid more, as
// everywhere but under ~, on the right of \, and in axioms that are negated. An algebra
// that makes a formula then needs to say only what must be in the value (Plaisted and
// Greenbaum, "A structure-preserving clause form translation").
type Polarized interface {
	MayExceed(may bool)
	// AsksFlags is whether it is asked for flags, too: what only they rest on need not be exact otherwise.
	AsksFlags() bool
}

// demanded tells, by term, which values the axioms rest on, and the flags where flags is true.
func (m *Model) demanded(flags bool) []bool {
	demanded := make([]bool, len(m.terms))
	var visit func(t *Term)
	visit = func(t *Term) {
		if t == nil || demanded[t.id] {
			return
		}
		demanded[t.id] = true
		visit(t.x)
		visit(t.y)
		if t.rec != nil {
			for _, b := range t.rec.bodies {
				visit(b)
			}
		}
	}
	for _, a := range m.Axioms {
		if flags || !a.Flag {
			visit(a.Term)
		}
	}
	return demanded
}

// exact tells, by term, which values must be as they are, where flags are asked for or not.
func (m *Model) exact(flags bool) []bool {
	exact, demanded := make([]bool, len(m.terms)), m.demanded(flags)
	for _, a := range m.Axioms {
		exact[a.Term.id] = exact[a.Term.id] || a.Negated && !a.Flag || a.Flag && flags
	}
	for changed := true; changed; {
		changed = false
		need := func(t *Term) {
			if t != nil && !exact[t.id] {
				exact[t.id], changed = true, true
			}
		}
		for i := len(m.terms) - 1; i >= 0; i-- { // operands come first
			t := m.terms[i]
			if !demanded[i] {
				continue
			}
			if exact[i] {
				need(t.x)
				need(t.y)
				if t.rec != nil { // all of it is computed at once
					for k := range t.rec.bodies {
						need(t.rec.bodies[k])
						need(t.rec.fixed[k])
					}
				}
			}
			switch t.op {
			case Complement:
				need(t.x)
			case Difference:
				need(t.y)
			case Order:
				need(t.x)
				need(t.y)
			}
		}
	}
	return exact
}
