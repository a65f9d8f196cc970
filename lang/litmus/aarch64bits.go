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
	case "UBFM", "SBFM", "UBFX", "SBFX", "UBFIZ", "SBFIZ", "BFI", "BFXIL":
		x := r.reg()
		o.reads = []register{x}
		right, left, width := a.field(r, name, int64(size))
		around := name[0] == 'B'
		if around {
			o.reads = append(o.reads, d)
		}
		put(func(e *emitter) program.Expr {
			v := binary(program.Shr, e.get(x), program.Const(right))
			if name[0] == 'S' {
				v = signed(v, uint8(width))
			} else {
				v = truncate(v, uint8(width))
			}
			v = binary(program.Shl, v, program.Const(left))
			if around {
				field := int64(uint64(1)<<width-1) << left
				v = binary(program.BitOr, binary(program.BitAnd, e.get(d), program.Const(^field)), v)
			}
			return v
		})
	case "MNEG", "UMADDL", "SMADDL", "UMSUBL", "SMSUBL", "UMNEGL", "SMNEGL":
		x, y := r.first(), r.reg()
		o.reads = []register{x, y}
		z := register{armZero, all64}
		if !strings.Contains(name, "NEG") {
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

// field reads the two numbers of an instruction that moves neighbouring bits: from right on, so
// many, to left.
func (a aarch64) field(r *risc, name string, size int64) (right, left, width int64) {
	r.comma()
	at := r.tok.Pos
	first := a.number(r)
	r.comma()
	second := a.number(r)
	switch name {
	case "UBFM", "SBFM": // the bits first .. second go to the right end, or 0 .. second to the left of the others
		if first < 0 || second < 0 || max(first, second) >= size {
			r.fail(at, "", "the register does not have these bits")
		}
		if second < first {
			return 0, size - first, second + 1
		}
		return first, 0, second - first + 1
	}
	if first < 0 || second < 1 || first+second > size {
		r.fail(at, "", "the register does not have these bits")
	}
	if name == "UBFIZ" || name == "SBFIZ" || name == "BFI" {
		return 0, first, second
	}
	return first, 0, second
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
