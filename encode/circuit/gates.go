// Package circuit turns logic and integer arithmetic into clauses: gates over
// literals, and vectors of literals that stand for the integers of package
// program. The clauses go to a solver, or to whoever collects them.
package circuit

import "github.com/fencepost-verifier/fencepost/solver"

// A Sink takes variables and clauses; every [solver.Solver] is one.
type Sink interface {
	NewVar() solver.Lit
	AddClause(lits ...solver.Lit)
}

// A Circuit turns gates into clauses (Tseitin). Gates over constants and over
// equal or opposite inputs simplify, and a gate asked for twice is the same
// literal, so that the negation of a comparison is the opposite literal of it.
type Circuit struct {
	s    Sink
	True solver.Lit // true in every model; its negation is false
	and  map[[2]solver.Lit]solver.Lit
	xor  map[[2]solver.Lit]solver.Lit
	mux  map[[3]solver.Lit]solver.Lit
}

// New returns a circuit whose clauses go to s.
func New(s Sink) *Circuit {
	c := &Circuit{
		s:   s,
		and: map[[2]solver.Lit]solver.Lit{},
		xor: map[[2]solver.Lit]solver.Lit{},
		mux: map[[3]solver.Lit]solver.Lit{},
	}
	c.True = s.NewVar()
	s.AddClause(c.True)
	return c
}

// IsTrue is true of the constant.
func (c *Circuit) IsTrue(l solver.Lit) bool { return l == c.True }

// IsFalse is true of the constant.
func (c *Circuit) IsFalse(l solver.Lit) bool { return l == -c.True }

// False is the literal that no model has.
func (c *Circuit) False() solver.Lit { return -c.True }

// Constant is b as a literal.
func (c *Circuit) Constant(b bool) solver.Lit {
	if b {
		return c.True
	}
	return -c.True
}

// Clause adds a clause without its false literals; a clause with a true literal
// is not added at all.
func (c *Circuit) Clause(lits ...solver.Lit) {
	n := 0
	for _, l := range lits {
		if l == c.True {
			return
		}
		if l != -c.True {
			lits[n] = l
			n++
		}
	}
	c.s.AddClause(lits[:n]...)
}

// Fresh is a new variable.
func (c *Circuit) Fresh() solver.Lit { return c.s.NewVar() }

// And is the conjunction.
func (c *Circuit) And(a, b solver.Lit) solver.Lit {
	switch {
	case a == b || b == c.True:
		return a
	case a == c.True:
		return b
	case a == -b || a == -c.True || b == -c.True:
		return -c.True
	}
	if a > b {
		a, b = b, a
	}
	key := [2]solver.Lit{a, b}
	if g, ok := c.and[key]; ok {
		return g
	}
	g := c.Fresh()
	c.s.AddClause(-g, a)
	c.s.AddClause(-g, b)
	c.s.AddClause(g, -a, -b)
	c.and[key] = g
	return g
}

// Or is the disjunction.
func (c *Circuit) Or(a, b solver.Lit) solver.Lit { return -c.And(-a, -b) }

// OrAll is the disjunction of all, as one gate.
func (c *Circuit) OrAll(lits ...solver.Lit) solver.Lit {
	var in []solver.Lit
	for _, l := range lits {
		if l == c.True {
			return c.True
		}
		if l != -c.True {
			in = append(in, l)
		}
	}
	switch len(in) {
	case 0:
		return -c.True
	case 1:
		return in[0]
	case 2:
		return c.Or(in[0], in[1])
	}
	g := c.Fresh()
	for _, l := range in {
		c.s.AddClause(g, -l)
	}
	c.s.AddClause(append(in, -g)...)
	return g
}

// AndAll is the conjunction of all.
func (c *Circuit) AndAll(lits ...solver.Lit) solver.Lit {
	in := make([]solver.Lit, len(lits))
	for i, l := range lits {
		in[i] = -l
	}
	return -c.OrAll(in...)
}

// Xor is the exclusive disjunction.
func (c *Circuit) Xor(a, b solver.Lit) solver.Lit {
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
		return sign(-c.True)
	case a == c.True:
		return sign(-b)
	case b == c.True:
		return sign(-a)
	}
	if a > b {
		a, b = b, a
	}
	key := [2]solver.Lit{a, b}
	g, ok := c.xor[key]
	if !ok {
		g = c.Fresh()
		c.s.AddClause(-g, a, b)
		c.s.AddClause(-g, -a, -b)
		c.s.AddClause(g, -a, b)
		c.s.AddClause(g, a, -b)
		c.xor[key] = g
	}
	return sign(g)
}

// Ite is a where sel, else b.
func (c *Circuit) Ite(sel, a, b solver.Lit) solver.Lit {
	switch {
	case sel == c.True || a == b:
		return a
	case sel == -c.True:
		return b
	case a == c.True || a == sel:
		return c.Or(sel, b)
	case a == -c.True || a == -sel:
		return c.And(-sel, b)
	case b == c.True || b == -sel:
		return c.Or(-sel, a)
	case b == -c.True || b == sel:
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
	g := c.Fresh()
	c.s.AddClause(-sel, -a, g)
	c.s.AddClause(-sel, a, -g)
	c.s.AddClause(sel, -b, g)
	c.s.AddClause(sel, b, -g)
	c.s.AddClause(-a, -b, g) // redundant, but they propagate
	c.s.AddClause(a, b, -g)
	c.mux[key] = g
	return g
}
