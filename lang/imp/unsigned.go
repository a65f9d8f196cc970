package imp

import (
	"strconv"

	"github.com/fencepost-verifier/fencepost/program"
)

// unsigned is true of an expression whose value is a number from 0 to 2^64-1: an
// operand of type uint64 makes the result one, as in C, and with it a number that fits
// no other type. The smaller types lose nothing in 64 bits with a sign.
func (s scope) unsigned(e expr) bool {
	switch e := e.(type) {
	case *number:
		return e.unsigned
	case *ref:
		sym := s.lookup(e.name)
		return sym != nil && sym.typ == program.Uint64Type
	case *unary:
		return e.op != program.LogicalNot && s.unsigned(e.x)
	case *binary:
		switch {
		case e.op.Bool():
			return false
		case e.op == program.Shl || e.op == program.Shr:
			return s.unsigned(e.x)
		}
		return s.unsigned(e.x) || s.unsigned(e.y)
	case *rmw:
		return e.op != "cas" && s.unsigned(e.target)
	case *remote:
		if sym := s.lookup(e.proc.name); sym != nil && sym.proc != nil {
			return sym.proc.scopes[0].unsigned(e.reg)
		}
	}
	return false
}

// operation is the operator of e, and its operands x and y, as their types ask for it.
func operation[T any](e *binary, s scope, x, y T) (program.BinaryOp, T, T) {
	switch e.op {
	case program.Div, program.Rem, program.Shr, program.Lt, program.Le, program.Gt, program.Ge:
	default:
		return e.op, x, y // the same bits either way
	}
	if !s.unsigned(e.x) && (e.op == program.Shr || !s.unsigned(e.y)) {
		return e.op, x, y
	}
	switch e.op {
	case program.Div:
		return program.UDiv, x, y
	case program.Rem:
		return program.URem, x, y
	case program.Shr:
		return program.UShr, x, y
	case program.Lt:
		return program.ULt, x, y
	case program.Le:
		return program.ULe, x, y
	case program.Gt:
		return program.ULt, y, x
	}
	return program.ULe, y, x
}

// format is the value of a constant expression in decimal.
func (s scope) format(e expr, v int64) string {
	if s.unsigned(e) {
		return strconv.FormatUint(uint64(v), 10)
	}
	return strconv.FormatInt(v, 10)
}
