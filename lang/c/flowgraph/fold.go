package flowgraph

import "github.com/fencepost-verifier/fencepost/program"

// Fold simplifies e, whose operands are simple already.
func Fold(e program.Expr) program.Expr {
	switch e := e.(type) {
	case program.Unary:
		if k, ok := e.X.(program.Const); ok {
			return program.Const(program.EvalUnary(e.Op, int64(k)))
		}
		if to, ok := e.Op.Cast(); ok {
			if x, ok := e.X.(program.Unary); ok {
				if from, ok := x.Op.Cast(); ok {
					switch {
					case from.Fits(to):
						return x
					case to.Bits <= from.Bits:
						return Fold(program.Unary{Op: e.Op, X: x.X})
					}
				}
			}
			if Boolean(e.X) && to != program.BoolType || Boolean(e.X) && to == program.BoolType {
				if !(to.Bits == 1 && to.Signed) {
					return e.X
				}
			}
		}
		if e.Op == program.LogicalNot {
			return program.NotExpr(e.X)
		}
	case program.Binary:
		x, xc := e.X.(program.Const)
		y, yc := e.Y.(program.Const)
		if xc && yc {
			return program.Const(program.EvalBinary(e.Op, int64(x), int64(y)))
		}
		switch e.Op {
		case program.Add:
			if xc && x == 0 {
				return e.Y
			}
			if xc {
				return Fold(program.Binary{Op: program.Add, X: e.Y, Y: e.X})
			}
			if yc && y == 0 {
				return e.X
			}
			if b, ok := e.X.(program.Binary); ok && yc && b.Op == program.Add {
				if k, ok := b.Y.(program.Const); ok {
					return Fold(program.Binary{Op: program.Add, X: b.X, Y: k + y})
				}
			}
		case program.Sub:
			if yc {
				return Fold(program.Binary{Op: program.Add, X: e.X, Y: -y})
			}
			if e.X == e.Y {
				return program.Const(0)
			}
		case program.Mul:
			if xc && x == 1 || yc && y == 0 {
				return e.Y
			}
			if yc && y == 1 || xc && x == 0 {
				return e.X
			}
		case program.BitXor:
			if e.X == e.Y {
				return program.Const(0)
			}
			if yc && y == 0 {
				return e.X
			}
			if xc && x == 0 {
				return e.Y
			}
		case program.BitOr, program.Shl, program.Shr, program.UShr:
			if yc && y == 0 {
				return e.X
			}
			if e.Op == program.BitOr && xc && x == 0 {
				return e.Y
			}
		case program.BitAnd:
			if yc && y == 0 || e.X == e.Y {
				return e.Y
			}
			if xc && x == 0 {
				return e.X
			}
			if yc && y == 1 && Boolean(e.X) {
				return e.X
			}
			if Boolean(e.X) && Boolean(e.Y) {
				return program.Binary{Op: program.LogicalAnd, X: e.X, Y: e.Y}
			}
		case program.Div, program.UDiv:
			if yc && y == 1 {
				return e.X
			}
		case program.Ne:
			if yc && Boolean(e.X) && (y == 0 || y == 1) {
				if y == 0 {
					return e.X
				}
				return Fold(program.NotExpr(e.X))
			}
			if e.X == e.Y {
				return program.Const(0)
			}
		case program.Eq:
			if yc && Boolean(e.X) && (y == 0 || y == 1) {
				if y == 1 {
					return e.X
				}
				return Fold(program.NotExpr(e.X))
			}
			if e.X == e.Y {
				return program.Const(1)
			}
		case program.Lt, program.ULt:
			if e.X == e.Y {
				return program.Const(0)
			}
		case program.Le, program.ULe:
			if e.X == e.Y {
				return program.Const(1)
			}
		case program.LogicalAnd:
			switch {
			case xc && x == 0 || yc && y == 0:
				return program.Const(0)
			case xc && Boolean(e.Y):
				return e.Y
			case yc && Boolean(e.X):
				return e.X
			}
		case program.LogicalOr:
			switch {
			case xc && x != 0 || yc && y != 0:
				return program.Const(1)
			case xc && Boolean(e.Y):
				return e.Y
			case yc && Boolean(e.X):
				return e.X
			}
		}
	}
	return e
}

// FoldAll is Fold for e and all its operands.
func FoldAll(e program.Expr) program.Expr {
	switch e := e.(type) {
	case program.Unary:
		return Fold(program.Unary{Op: e.Op, X: FoldAll(e.X)})
	case program.Binary:
		return Fold(program.Binary{Op: e.Op, X: FoldAll(e.X), Y: FoldAll(e.Y)})
	}
	return e
}

// Boolean is true of an expression that is 0 or 1.
func Boolean(e program.Expr) bool {
	switch e := e.(type) {
	case program.Const:
		return e == 0 || e == 1
	case program.Unary:
		return e.Op == program.LogicalNot || e.Op == program.Cast(program.BoolType)
	case program.Binary:
		return e.Op.Bool()
	}
	return false
}

// Atom is true of a register and of a constant.
func Atom(e program.Expr) bool {
	switch e.(type) {
	case program.Reg, program.Const:
		return true
	}
	return false
}
