package encode

import (
	"math/bits"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// A vector is an integer in two's complement, the lowest bit first and the last
// bit the sign, which all higher bits repeat. A vector is as short as its value
// allows: results grow by the bits that the operation may need and are exact up
// to 64 bits, where arithmetic wraps around as in package program.
type vector []solver.Lit

// vec is the vector of the constant v.
func (c *circuit) vec(v int64) vector {
	n := bits.Len64(uint64(v^v>>63)) + 1 // one bit more than v, or ^v, has
	x := make(vector, n)
	for i := range x {
		x[i] = c.constant(v>>i&1 != 0)
	}
	return x
}

// boolVec is 1 or 0 by l.
func (c *circuit) boolVec(l solver.Lit) vector { return c.trim(vector{l, c.falsity()}) }

// freshVec is an unknown value that lies within s, or a little beyond: within
// the power of two that holds s.
func (c *circuit) freshVec(lo, hi int64) vector {
	n := max(len(c.vec(lo)), len(c.vec(hi)))
	x := make(vector, n)
	for i := range x {
		x[i] = c.fresh()
	}
	if lo >= 0 {
		x[n-1] = c.falsity()
	}
	if hi < 0 {
		x[n-1] = c.truth
	}
	return x
}

// bit is bit i of x, which has as many as anyone asks for.
func (x vector) bit(i int) solver.Lit { return x[min(i, len(x)-1)] }

func (x vector) sign() solver.Lit { return x[len(x)-1] }

// trim drops the sign bits that only repeat the sign.
func (c *circuit) trim(x vector) vector {
	n := len(x)
	for n > 1 && x[n-1] == x[n-2] {
		n--
	}
	return x[:n]
}

// value is the constant that x is, if it is one.
func (c *circuit) value(x vector) (int64, bool) {
	var v int64
	for i, l := range x {
		switch {
		case c.isTrue(l):
			if i == len(x)-1 {
				v |= -1 << i
			} else {
				v |= 1 << i
			}
		case !c.isFalse(l):
			return 0, false
		}
	}
	return v, true
}

// eval is the value of x in the solver's model.
func (c *circuit) eval(x vector) int64 {
	var v int64
	for i, l := range x {
		if c.s.Value(l) {
			if i == len(x)-1 {
				v |= -1 << i
			} else {
				v |= 1 << i
			}
		}
	}
	return v
}

// nonZero is whether x is a true condition. A condition and its negation (see
// program.NotExpr) are opposite literals.
func (c *circuit) nonZero(x vector) solver.Lit { return c.orTree(x) }

func (c *circuit) iteVec(sel solver.Lit, x, y vector) vector {
	if c.isTrue(sel) {
		return x
	}
	if c.isFalse(sel) {
		return y
	}
	z := make(vector, max(len(x), len(y)))
	for i := range z {
		z[i] = c.Ite(sel, x.bit(i), y.bit(i))
	}
	return c.trim(z)
}

// wrap reduces x to t.
func (c *circuit) wrap(x vector, t program.Type) vector {
	n := int(t.Bits)
	if t.Signed {
		if len(x) <= n {
			return x
		}
		return c.trim(x[:n:n])
	}
	if len(x) <= n+1 && c.isFalse(x.sign()) {
		return x
	}
	z := make(vector, n+1)
	for i := range n {
		z[i] = x.bit(i)
	}
	z[n] = c.falsity()
	return c.trim(z)
}

// addBits is x + y + carry in n bits.
func (c *circuit) addBits(x, y vector, carry solver.Lit, n int) vector {
	z := make(vector, n)
	for i := range z {
		a, b := x.bit(i), y.bit(i)
		ab := c.Xor(a, b)
		z[i] = c.Xor(ab, carry)
		carry = c.Or(c.And(a, b), c.And(ab, carry))
	}
	return z
}

func (c *circuit) not(x vector) vector {
	z := make(vector, len(x))
	for i := range x {
		z[i] = -x[i]
	}
	return z
}

func (c *circuit) addVec(x, y vector) vector {
	return c.trim(c.addBits(x, y, c.falsity(), min(64, max(len(x), len(y))+1)))
}

func (c *circuit) subVec(x, y vector) vector {
	return c.trim(c.addBits(x, c.not(y), c.truth, min(64, max(len(x), len(y))+1)))
}

func (c *circuit) negVec(x vector) vector { return c.subVec(c.vec(0), x) }

func (c *circuit) mulVec(x, y vector) vector {
	if _, ok := c.value(x); ok {
		x, y = y, x // additions for the bits of the constant only
	}
	n := min(64, len(x)+len(y))
	sum := c.vec(0)
	for i := range n {
		if i >= len(y) && c.isFalse(y.sign()) {
			break
		}
		b := y.bit(i)
		if c.isFalse(b) {
			continue
		}
		part := make(vector, n)
		for j := range part {
			part[j] = c.falsity()
			if j >= i {
				part[j] = c.And(b, x.bit(j-i))
			}
		}
		sum = c.addBits(sum, part, c.falsity(), n)
	}
	return c.trim(sum)
}

func (c *circuit) eqVec(x, y vector) solver.Lit {
	n := max(len(x), len(y))
	diff := make([]solver.Lit, n)
	for i := range diff {
		diff[i] = c.Xor(x.bit(i), y.bit(i))
	}
	return -c.orTree(diff)
}

// orTree is OrAll through hashed binary gates, so that equal disjunctions are
// the same literal.
func (c *circuit) orTree(lits []solver.Lit) solver.Lit {
	or := c.falsity()
	for _, l := range lits {
		or = c.Or(or, l)
	}
	return or
}

// ltVec is x < y.
func (c *circuit) ltVec(x, y vector) solver.Lit {
	n := max(len(x), len(y))
	lt := c.falsity()
	for i := range n {
		a, b := x.bit(i), y.bit(i)
		if i == n-1 {
			a, b = b, a // the sign bit weighs negatively
		}
		lt = c.Ite(c.Xor(a, b), b, lt)
	}
	return lt
}

// ltUnsigned is x < y for plain bit strings.
func (c *circuit) ltUnsigned(x, y []solver.Lit) solver.Lit {
	lt := c.falsity()
	for i := range x {
		lt = c.Ite(c.Xor(x[i], y[i]), y[i], lt)
	}
	return lt
}

// divRem is x/y and x%y, truncating towards zero; by zero they are 0 and x.
// Long division on the magnitudes, which fit 64 bits without a sign.
func (c *circuit) divRem(x, y vector) (quot, rem vector) {
	abs := func(v vector, n int) []solver.Lit {
		neg := c.addBits(c.not(v), c.vec(0), c.truth, n)
		out := make([]solver.Lit, n)
		for i := range out {
			out[i] = c.Ite(v.sign(), neg[i], v.bit(i))
		}
		return out
	}
	n := min(64, max(len(x), len(y)))
	a, b := abs(x, n), abs(y, n)
	q := make(vector, n+1)
	q[n] = c.falsity()
	r := make([]solver.Lit, n+1) // one bit of room for the shift
	wide := append(append([]solver.Lit{}, b...), c.falsity())
	for i := range r {
		r[i] = c.falsity()
	}
	for i := n - 1; i >= 0; i-- {
		r = append([]solver.Lit{a[i]}, r[:n]...)
		ge := -c.ltUnsigned(r, wide)
		q[i] = ge
		less := c.addBits(r, c.not(wide), c.truth, n+1)
		for j := range r {
			r[j] = c.Ite(ge, less[j], r[j])
		}
	}
	signed := func(m vector, neg solver.Lit) vector {
		if len(m) > 64 {
			m = m[:64]
		}
		return c.iteVec(neg, c.trim(c.addBits(c.not(m), c.vec(0), c.truth, min(64, len(m)+1))), c.trim(m))
	}
	zero := -c.nonZero(y)
	m := append(vector{}, r[:n]...)
	m = append(m, c.falsity())
	quot = c.iteVec(zero, c.vec(0), signed(q, c.Xor(x.sign(), y.sign())))
	rem = c.iteVec(zero, x, signed(m, x.sign()))
	return quot, rem
}

// shift moves x by the unsigned reading of y, stage by stage.
func (c *circuit) shift(x, y vector, left bool) vector {
	out := make(vector, 64)
	for i := range out {
		out[i] = x.bit(i)
	}
	fill := c.falsity()
	if !left {
		fill = x.sign()
	}
	far := c.falsity() // by 64 or more
	for k := range 64 {
		if k >= len(y) && c.isFalse(y.sign()) {
			break
		}
		b := y.bit(k)
		if k >= 6 {
			far = c.Or(far, b)
			continue
		}
		next := make(vector, 64)
		for i := range next {
			from := fill
			if j := i + 1<<k; !left && j < 64 {
				from = out[j]
			}
			if j := i - 1<<k; left && j >= 0 {
				from = out[j]
			}
			next[i] = c.Ite(b, from, out[i])
		}
		out = next
	}
	for i := range out {
		out[i] = c.Ite(far, fill, out[i])
	}
	return c.trim(out)
}

func (c *circuit) unary(op program.UnaryOp, x vector) vector {
	switch op {
	case program.Neg:
		return c.negVec(x)
	case program.Complement:
		return c.not(x)
	}
	return c.boolVec(-c.nonZero(x))
}

func (c *circuit) binary(op program.BinaryOp, x, y vector) vector {
	if a, ok := c.value(x); ok {
		if b, ok := c.value(y); ok {
			return c.vec(program.EvalBinary(op, a, b))
		}
	}
	bitwise := func(gate func(a, b solver.Lit) solver.Lit) vector {
		z := make(vector, max(len(x), len(y)))
		for i := range z {
			z[i] = gate(x.bit(i), y.bit(i))
		}
		return c.trim(z)
	}
	switch op {
	case program.Add:
		return c.addVec(x, y)
	case program.Sub:
		return c.subVec(x, y)
	case program.Mul:
		return c.mulVec(x, y)
	case program.Div:
		q, _ := c.divRem(x, y)
		return q
	case program.Rem:
		_, r := c.divRem(x, y)
		return r
	case program.BitAnd:
		return bitwise(c.And)
	case program.BitOr:
		return bitwise(c.Or)
	case program.BitXor:
		return bitwise(c.Xor)
	case program.Shl:
		return c.shift(x, y, true)
	case program.Shr:
		return c.shift(x, y, false)
	case program.Eq:
		return c.boolVec(c.eqVec(x, y))
	case program.Ne:
		return c.boolVec(-c.eqVec(x, y))
	case program.Lt:
		return c.boolVec(c.ltVec(x, y))
	case program.Ge:
		return c.boolVec(-c.ltVec(x, y))
	case program.Gt:
		return c.boolVec(c.ltVec(y, x))
	case program.Le:
		return c.boolVec(-c.ltVec(y, x))
	case program.LogicalAnd:
		return c.boolVec(c.And(c.nonZero(x), c.nonZero(y)))
	case program.LogicalOr:
		return c.boolVec(c.Or(c.nonZero(x), c.nonZero(y)))
	}
	panic("encode: unknown operator " + op.String())
}

// expr is the value of e where regs holds the registers.
func (c *circuit) expr(e program.Expr, regs []vector) vector {
	switch e := e.(type) {
	case program.Const:
		return c.vec(int64(e))
	case program.Reg:
		return regs[e]
	case program.Unary:
		return c.unary(e.Op, c.expr(e.X, regs))
	case program.Binary:
		return c.binary(e.Op, c.expr(e.X, regs), c.expr(e.Y, regs))
	}
	panic("encode: " + e.String() + " in a command")
}

// cond is whether e is not 0.
func (c *circuit) cond(e program.Expr, regs []vector) solver.Lit {
	return c.nonZero(c.expr(e, regs))
}
