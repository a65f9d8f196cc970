package circuit

import (
	"math/bits"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

// A Vector is an integer in two's complement, the lowest bit first and the last
// bit the sign, which all higher bits repeat. A vector is as short as its value
// allows: results grow by the bits that the operation may need and are exact up
// to 64 bits, where arithmetic wraps around as in package program.
type Vector []solver.Lit

// Vec is the vector of the constant v.
func (c *Circuit) Vec(v int64) Vector {
	n := bits.Len64(uint64(v^v>>63)) + 1 // one bit more than v, or ^v, has
	x := make(Vector, n)
	for i := range x {
		x[i] = c.Constant(v>>i&1 != 0)
	}
	return x
}

// BoolVec is 1 where l, else 0.
func (c *Circuit) BoolVec(l solver.Lit) Vector { return c.Trim(Vector{l, c.False()}) }

// FreshVec is an unknown value that lies within s, or a little beyond: within
// the power of two that holds s.
func (c *Circuit) FreshVec(lo, hi int64) Vector {
	n := max(len(c.Vec(lo)), len(c.Vec(hi)))
	x := make(Vector, n)
	for i := range x {
		x[i] = c.Fresh()
	}
	if lo >= 0 {
		x[n-1] = c.False()
	}
	if hi < 0 {
		x[n-1] = c.True
	}
	return x
}

// Bit is bit i of x, which has as many as anyone asks for.
func (x Vector) Bit(i int) solver.Lit { return x[min(i, len(x)-1)] }

// Sign is the sign bit.
func (x Vector) Sign() solver.Lit { return x[len(x)-1] }

// Trim drops the sign bits that only repeat the sign.
func (c *Circuit) Trim(x Vector) Vector {
	n := len(x)
	for n > 1 && x[n-1] == x[n-2] {
		n--
	}
	return x[:n]
}

// Known is the constant that x is, if it is one.
func (c *Circuit) Known(x Vector) (int64, bool) {
	var v int64
	for i, l := range x {
		switch {
		case c.IsTrue(l):
			if i == len(x)-1 {
				v |= -1 << i
			} else {
				v |= 1 << i
			}
		case !c.IsFalse(l):
			return 0, false
		}
	}
	return v, true
}

// Eval is the value of x where value is that of its literals.
func (x Vector) Eval(value func(solver.Lit) bool) int64 {
	var v int64
	for i, l := range x {
		if value(l) {
			if i == len(x)-1 {
				v |= -1 << i
			} else {
				v |= 1 << i
			}
		}
	}
	return v
}

// NonZero is whether x is a true condition. A condition and its negation (see
// program.NotExpr) are opposite literals.
func (c *Circuit) NonZero(x Vector) solver.Lit { return c.OrTree(x) }

// IteVec is x where sel, else y.
func (c *Circuit) IteVec(sel solver.Lit, x, y Vector) Vector {
	if c.IsTrue(sel) {
		return x
	}
	if c.IsFalse(sel) {
		return y
	}
	z := make(Vector, max(len(x), len(y)))
	for i := range z {
		z[i] = c.Ite(sel, x.Bit(i), y.Bit(i))
	}
	return c.Trim(z)
}

// Wrap reduces x to t.
func (c *Circuit) Wrap(x Vector, t program.Type) Vector {
	n := int(t.Bits)
	if t.Signed || n == 64 { // unsigned values of 64 bits are kept like signed ones
		if len(x) <= n {
			return x
		}
		return c.Trim(x[:n:n])
	}
	if len(x) <= n+1 && c.IsFalse(x.Sign()) {
		return x
	}
	z := make(Vector, n+1)
	for i := range n {
		z[i] = x.Bit(i)
	}
	z[n] = c.False()
	return c.Trim(z)
}

// addBits is x + y + carry in n bits.
func (c *Circuit) addBits(x, y Vector, carry solver.Lit, n int) Vector {
	z := make(Vector, n)
	for i := range z {
		a, b := x.Bit(i), y.Bit(i)
		ab := c.Xor(a, b)
		z[i] = c.Xor(ab, carry)
		carry = c.Or(c.And(a, b), c.And(ab, carry))
	}
	return z
}

func (c *Circuit) not(x Vector) Vector {
	z := make(Vector, len(x))
	for i := range x {
		z[i] = -x[i]
	}
	return z
}

func (c *Circuit) addVec(x, y Vector) Vector {
	return c.Trim(c.addBits(x, y, c.False(), min(64, max(len(x), len(y))+1)))
}

func (c *Circuit) subVec(x, y Vector) Vector {
	return c.Trim(c.addBits(x, c.not(y), c.True, min(64, max(len(x), len(y))+1)))
}

func (c *Circuit) negVec(x Vector) Vector { return c.subVec(c.Vec(0), x) }

func (c *Circuit) mulVec(x, y Vector) Vector {
	if _, ok := c.Known(x); ok {
		x, y = y, x // additions for the bits of the constant only
	}
	n := min(64, len(x)+len(y))
	sum := c.Vec(0)
	for i := range n {
		if i >= len(y) && c.IsFalse(y.Sign()) {
			break
		}
		b := y.Bit(i)
		if c.IsFalse(b) {
			continue
		}
		part := make(Vector, n)
		for j := range part {
			part[j] = c.False()
			if j >= i {
				part[j] = c.And(b, x.Bit(j-i))
			}
		}
		sum = c.addBits(sum, part, c.False(), n)
	}
	return c.Trim(sum)
}

// EqVec is x == y.
func (c *Circuit) EqVec(x, y Vector) solver.Lit {
	n := max(len(x), len(y))
	diff := make([]solver.Lit, n)
	for i := range diff {
		diff[i] = c.Xor(x.Bit(i), y.Bit(i))
	}
	return -c.OrTree(diff)
}

// OrTree is OrAll through hashed binary gates, so that equal disjunctions are
// the same literal.
func (c *Circuit) OrTree(lits []solver.Lit) solver.Lit {
	or := c.False()
	for _, l := range lits {
		or = c.Or(or, l)
	}
	return or
}

// LtVec is x < y.
func (c *Circuit) LtVec(x, y Vector) solver.Lit {
	n := max(len(x), len(y))
	lt := c.False()
	for i := range n {
		a, b := x.Bit(i), y.Bit(i)
		if i == n-1 {
			a, b = b, a // the sign bit weighs negatively
		}
		lt = c.Ite(c.Xor(a, b), b, lt)
	}
	return lt
}

// ltUnsigned is x < y for plain bit strings.
func (c *Circuit) ltUnsigned(x, y []solver.Lit) solver.Lit {
	lt := c.False()
	for i := range x {
		lt = c.Ite(c.Xor(x[i], y[i]), y[i], lt)
	}
	return lt
}

// divRem is x/y and x%y, truncating towards zero; by zero they are 0 and x.
// Long division on the magnitudes, which fit 64 bits without a sign.
func (c *Circuit) divRem(x, y Vector) (quot, rem Vector) {
	abs := func(v Vector, n int) []solver.Lit {
		neg := c.addBits(c.not(v), c.Vec(0), c.True, n)
		out := make([]solver.Lit, n)
		for i := range out {
			out[i] = c.Ite(v.Sign(), neg[i], v.Bit(i))
		}
		return out
	}
	n := min(64, max(len(x), len(y)))
	a, b := abs(x, n), abs(y, n)
	q := make(Vector, n+1)
	q[n] = c.False()
	r := make([]solver.Lit, n+1) // one bit of room for the shift
	wide := append(append([]solver.Lit{}, b...), c.False())
	for i := range r {
		r[i] = c.False()
	}
	for i := n - 1; i >= 0; i-- {
		r = append([]solver.Lit{a[i]}, r[:n]...)
		ge := -c.ltUnsigned(r, wide)
		q[i] = ge
		less := c.addBits(r, c.not(wide), c.True, n+1)
		for j := range r {
			r[j] = c.Ite(ge, less[j], r[j])
		}
	}
	signed := func(m Vector, neg solver.Lit) Vector {
		if len(m) > 64 {
			m = m[:64]
		}
		return c.IteVec(neg, c.Trim(c.addBits(c.not(m), c.Vec(0), c.True, min(64, len(m)+1))), c.Trim(m))
	}
	zero := -c.NonZero(y)
	m := append(Vector{}, r[:n]...)
	m = append(m, c.False())
	quot = c.IteVec(zero, c.Vec(0), signed(q, c.Xor(x.Sign(), y.Sign())))
	rem = c.IteVec(zero, x, signed(m, x.Sign()))
	return quot, rem
}

// shift moves x by the unsigned reading of y, stage by stage; fill comes in.
func (c *Circuit) shift(x, y Vector, left bool, fill solver.Lit) Vector {
	out := make(Vector, 64)
	for i := range out {
		out[i] = x.Bit(i)
	}
	far := c.False() // by 64 or more
	for k := range 64 {
		if k >= len(y) && c.IsFalse(y.Sign()) {
			break
		}
		b := y.Bit(k)
		if k >= 6 {
			far = c.Or(far, b)
			continue
		}
		next := make(Vector, 64)
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
	return c.Trim(out)
}

// Unary is op applied to x.
func (c *Circuit) Unary(op program.UnaryOp, x Vector) Vector {
	switch op {
	case program.Neg:
		return c.negVec(x)
	case program.Complement:
		return c.not(x)
	case program.LogicalNot:
		return c.BoolVec(-c.NonZero(x))
	}
	t, _ := op.Cast()
	return c.Wrap(x, t)
}

// unsigned is x read as an unsigned number of 64 bits: a vector of as many and a sign
// that is 0.
func (c *Circuit) unsigned(x Vector) Vector {
	if c.IsFalse(x.Sign()) {
		return x
	}
	z := make(Vector, 65)
	for i := range 64 {
		z[i] = x.Bit(i)
	}
	z[64] = c.False()
	return z
}

// signed is x, of up to 64 bits and a sign that is 0, read as a signed number.
func (c *Circuit) signed(x Vector) Vector { return c.Trim(x[:min(len(x), 64)]) }

// Binary is op applied to x and y.
func (c *Circuit) Binary(op program.BinaryOp, x, y Vector) Vector {
	if a, ok := c.Known(x); ok {
		if b, ok := c.Known(y); ok {
			return c.Vec(program.EvalBinary(op, a, b))
		}
	}
	bitwise := func(gate func(a, b solver.Lit) solver.Lit) Vector {
		z := make(Vector, max(len(x), len(y)))
		for i := range z {
			z[i] = gate(x.Bit(i), y.Bit(i))
		}
		return c.Trim(z)
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
		return c.shift(x, y, true, c.False())
	case program.Shr:
		return c.shift(x, y, false, x.Sign())
	case program.UDiv:
		q, _ := c.divRem(c.unsigned(x), c.unsigned(y))
		return c.signed(q)
	case program.URem:
		_, r := c.divRem(c.unsigned(x), c.unsigned(y))
		return c.signed(r)
	case program.UShr:
		return c.shift(x, y, false, c.False())
	case program.ULt:
		return c.BoolVec(c.LtVec(c.unsigned(x), c.unsigned(y)))
	case program.ULe:
		return c.BoolVec(-c.LtVec(c.unsigned(y), c.unsigned(x)))
	case program.Eq:
		return c.BoolVec(c.EqVec(x, y))
	case program.Ne:
		return c.BoolVec(-c.EqVec(x, y))
	case program.Lt:
		return c.BoolVec(c.LtVec(x, y))
	case program.Ge:
		return c.BoolVec(-c.LtVec(x, y))
	case program.Gt:
		return c.BoolVec(c.LtVec(y, x))
	case program.Le:
		return c.BoolVec(-c.LtVec(y, x))
	case program.LogicalAnd:
		return c.BoolVec(c.And(c.NonZero(x), c.NonZero(y)))
	case program.LogicalOr:
		return c.BoolVec(c.Or(c.NonZero(x), c.NonZero(y)))
	}
	panic("circuit: unknown operator " + op.String())
}

// Expr is the value of e where regs holds the registers.
func (c *Circuit) Expr(e program.Expr, regs []Vector) Vector {
	switch e := e.(type) {
	case program.Const:
		return c.Vec(int64(e))
	case program.Reg:
		return regs[e]
	case program.Unary:
		return c.Unary(e.Op, c.Expr(e.X, regs))
	case program.Binary:
		return c.Binary(e.Op, c.Expr(e.X, regs), c.Expr(e.Y, regs))
	}
	panic("circuit: " + e.String() + " in a command")
}

// Cond is whether e is not 0.
func (c *Circuit) Cond(e program.Expr, regs []Vector) solver.Lit {
	return c.NonZero(c.Expr(e, regs))
}
