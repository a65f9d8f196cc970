package encode

import "github.com/fencepost-verifier/fencepost/solver"

// circuit turns gates into clauses (Tseitin). Gates over constants and over
// equal or opposite inputs simplify, and a gate asked for twice is the same
// literal, so that the negation of a comparison is the opposite literal of it.
type circuit struct {
	s     solver.Solver
	truth solver.Lit // true in every model; its negation is false
	and   map[[2]solver.Lit]solver.Lit
	xor   map[[2]solver.Lit]solver.Lit
	mux   map[[3]solver.Lit]solver.Lit
}

func newCircuit(s solver.Solver) *circuit {
	c := &circuit{
		s:   s,
		and: map[[2]solver.Lit]solver.Lit{},
		xor: map[[2]solver.Lit]solver.Lit{},
		mux: map[[3]solver.Lit]solver.Lit{},
	}
	c.truth = s.NewVar()
	s.AddClause(c.truth)
	return c
}

func (c *circuit) isTrue(l solver.Lit) bool  { return l == c.truth }
func (c *circuit) isFalse(l solver.Lit) bool { return l == -c.truth }
func (c *circuit) falsity() solver.Lit       { return -c.truth }

func (c *circuit) constant(b bool) solver.Lit {
	if b {
		return c.truth
	}
	return -c.truth
}

// clause adds a clause without its false literals; a clause with a true literal
// is not added at all.
func (c *circuit) clause(lits ...solver.Lit) {
	n := 0
	for _, l := range lits {
		if l == c.truth {
			return
		}
		if l != -c.truth {
			lits[n] = l
			n++
		}
	}
	c.s.AddClause(lits[:n]...)
}

func (c *circuit) fresh() solver.Lit { return c.s.NewVar() }

func (c *circuit) And(a, b solver.Lit) solver.Lit {
	switch {
	case a == b || b == c.truth:
		return a
	case a == c.truth:
		return b
	case a == -b || a == -c.truth || b == -c.truth:
		return -c.truth
	}
	if a > b {
		a, b = b, a
	}
	key := [2]solver.Lit{a, b}
	if g, ok := c.and[key]; ok {
		return g
	}
	g := c.fresh()
	c.s.AddClause(-g, a)
	c.s.AddClause(-g, b)
	c.s.AddClause(g, -a, -b)
	c.and[key] = g
	return g
}

func (c *circuit) Or(a, b solver.Lit) solver.Lit { return -c.And(-a, -b) }

func (c *circuit) Implies(a, b solver.Lit) solver.Lit { return -c.And(a, -b) }

// OrAll is the disjunction of all, as one gate.
func (c *circuit) OrAll(lits ...solver.Lit) solver.Lit {
	var in []solver.Lit
	for _, l := range lits {
		if l == c.truth {
			return c.truth
		}
		if l != -c.truth {
			in = append(in, l)
		}
	}
	switch len(in) {
	case 0:
		return -c.truth
	case 1:
		return in[0]
	case 2:
		return c.Or(in[0], in[1])
	}
	g := c.fresh()
	for _, l := range in {
		c.s.AddClause(g, -l)
	}
	c.s.AddClause(append(in, -g)...)
	return g
}

// AndAll is the conjunction of all.
func (c *circuit) AndAll(lits ...solver.Lit) solver.Lit {
	in := make([]solver.Lit, len(lits))
	for i, l := range lits {
		in[i] = -l
	}
	return -c.OrAll(in...)
}

func (c *circuit) Xor(a, b solver.Lit) solver.Lit {
	// Signs move outside, so that one gate serves all four sign patterns.
	flip := false
	if a < 0 {
		a, flip = -a, !flip
	}
	if b < 0 {
		b, flip = -b, !flip
	}
	sign := func(l solver.Lit) solver.Lit {
		if flip {
			return -l
		}
		return l
	}
	switch {
	case a == b:
		return sign(-c.truth)
	case a == c.truth:
		return sign(-b)
	case b == c.truth:
		return sign(-a)
	}
	if a > b {
		a, b = b, a
	}
	key := [2]solver.Lit{a, b}
	g, ok := c.xor[key]
	if !ok {
		g = c.fresh()
		c.s.AddClause(-g, a, b)
		c.s.AddClause(-g, -a, -b)
		c.s.AddClause(g, -a, b)
		c.s.AddClause(g, a, -b)
		c.xor[key] = g
	}
	return sign(g)
}

// Ite is a where sel, else b.
func (c *circuit) Ite(sel, a, b solver.Lit) solver.Lit {
	switch {
	case sel == c.truth || a == b:
		return a
	case sel == -c.truth:
		return b
	case a == c.truth || a == sel:
		return c.Or(sel, b)
	case a == -c.truth || a == -sel:
		return c.And(-sel, b)
	case b == c.truth || b == -sel:
		return c.Or(-sel, a)
	case b == -c.truth || b == sel:
		return c.And(sel, a)
	case a == -b:
		return c.Xor(sel, b)
	}
	if sel < 0 {
		sel, a, b = -sel, b, a
	}
	key := [3]solver.Lit{sel, a, b}
	if g, ok := c.mux[key]; ok {
		return g
	}
	g := c.fresh()
	c.s.AddClause(-sel, -a, g)
	c.s.AddClause(-sel, a, -g)
	c.s.AddClause(sel, -b, g)
	c.s.AddClause(sel, b, -g)
	c.s.AddClause(-a, -b, g) // redundant, but they propagate
	c.s.AddClause(a, b, -g)
	c.mux[key] = g
	return g
}
