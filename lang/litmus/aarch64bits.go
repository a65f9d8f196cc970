package litmus

import (
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// bits reads the instructions of Arm that move bits, and long products; false where the name is
// of another one.
func (a aarch64) bits(r *risc, o *op, name string, d register) bool {
	size := d.part.bits()
	put := func(f func(e *emitter) program.Expr) {
		o.emit = func(e *emitter) { e.set(d, f(e)) }
	}
	switch name {
	case "ABS":
		x := r.reg()
		o.reads = []register{x}
		put(func(e *emitter) program.Expr {
			v := signed(e.get(x), size)
			sign := binary(program.Shr, v, program.Const(63))
			return binary(program.Sub, binary(program.BitXor, v, sign), sign)
		})
	case "RBIT":
		x := r.reg()
		o.reads = []register{x}
		put(func(e *emitter) program.Expr { return reversed(e.get(x), size) })
	case "EXTR":
		x, y := r.first(), r.reg()
		o.reads = []register{x, y}
		r.comma()
		k := a.number(r) & int64(size-1)
		put(func(e *emitter) program.Expr {
			if k == 0 {
				return e.get(y)
			}
			return binary(program.BitOr, shiftRight(e.get(y), k, size), binary(program.Shl, e.get(x), program.Const(int64(size)-k)))
		})
	case "UBFM", "SBFM":
		x := r.reg()
		o.reads = []register{x}
		r.comma()
		at := r.tok.Pos
		from := a.number(r)
		r.comma()
		last := a.number(r)
		if from < 0 || last < 0 || max(from, last) >= int64(size) {
			r.fail(at, "", "the register does not have these bits")
		}
		// The bits from .. last go to the right end, or 0 .. last to the left of the others.
		right, left, width := from, int64(0), last-from+1
		if last < from {
			right, left, width = 0, int64(size)-from, last+1
		}
		put(func(e *emitter) program.Expr {
			v := binary(program.Shr, e.get(x), program.Const(right))
			if name == "SBFM" {
				v = signed(v, uint8(width))
			} else {
				v = truncate(v, uint8(width))
			}
			return binary(program.Shl, v, program.Const(left))
		})
	case "MNEG", "UMADDL", "SMADDL", "UMSUBL", "SMSUBL":
		x, y := r.first(), r.reg()
		o.reads = []register{x, y}
		z := register{armZero, all64}
		if name != "MNEG" {
			r.comma()
			z = r.reg()
			o.reads = append(o.reads, z)
		}
		operand := func(e *emitter, x register) program.Expr {
			switch name[0] {
			case 'S':
				return signed(e.get(x), 32)
			case 'U':
				return truncate(e.get(x), 32)
			}
			return e.get(x)
		}
		put(func(e *emitter) program.Expr {
			v := binary(program.Mul, operand(e, x), operand(e, y))
			if strings.Contains(name, "ADD") {
				return binary(program.Add, e.get(z), v)
			}
			return binary(program.Sub, e.get(z), v)
		})
	default:
		return false
	}
	return true
}

// reversed is so many bits in the other order: neighbours change places, then pairs, and so on.
func reversed(v program.Expr, size uint8) program.Expr {
	v = truncate(v, size)
	for k := uint8(1); k < size; k *= 2 {
		mask := int64(0)
		for at := uint8(0); at < size; at += 2 * k {
			mask |= (int64(1)<<k - 1) << at
		}
		m, n := program.Const(mask), program.Const(k)
		v = binary(program.BitOr, binary(program.BitAnd, binary(program.Shr, v, n), m), binary(program.Shl, binary(program.BitAnd, v, m), n))
	}
	return v
}
