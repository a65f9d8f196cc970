package imp

import "github.com/fencepost-verifier/fencepost/program"

func isTrue(e program.Expr) bool  { c, ok := e.(program.Const); return ok && c != 0 }
func isFalse(e program.Expr) bool { c, ok := e.(program.Const); return ok && c == 0 }

// foldUnary is op x without what constants decide.
func foldUnary(op program.UnaryOp, x program.Expr) program.Expr {
	if c, ok := x.(program.Const); ok {
		return program.Const(program.EvalUnary(op, int64(c)))
	}
	if op == program.LogicalNot {
		return program.NotExpr(x)
	}
	return program.Unary{Op: op, X: x}
}

// fold is op x y without what constants decide.
func fold(op program.BinaryOp, x, y program.Expr) program.Expr {
	cx, okx := x.(program.Const)
	cy, oky := y.(program.Const)
	if okx && oky {
		return program.Const(program.EvalBinary(op, int64(cx), int64(cy)))
	}
	return program.Binary{Op: op, X: x, Y: y}
}

// logical is x and y or x or y, of which a constant on one side decides or
// leaves it to the other side. isBool knows what is always 0 or 1.
func logical(op program.BinaryOp, x, y program.Expr, isBool func(program.Expr) bool) program.Expr {
	neutral, decisive := isTrue, isFalse
	if op == program.LogicalOr {
		neutral, decisive = isFalse, isTrue
	}
	switch {
	case decisive(x) || decisive(y):
		return program.Const(program.Bool(op == program.LogicalOr))
	case neutral(x):
		return truth(y, isBool)
	case neutral(y):
		return truth(x, isBool)
	}
	return program.Binary{Op: op, X: x, Y: y}
}

// truth is e as 0 or 1.
func truth(e program.Expr, isBool func(program.Expr) bool) program.Expr {
	if c, ok := e.(program.Const); ok {
		return program.Const(program.Bool(c != 0))
	}
	if isBool(e) {
		return e
	}
	return program.Binary{Op: program.Ne, X: e, Y: program.Const(0)}
}

// negation is a condition that holds where e does not. Other than the value of
// "not e" it may be any number.
func negation(e program.Expr) program.Expr {
	if u, ok := e.(program.Unary); ok && u.Op == program.LogicalNot {
		return u.X
	}
	return program.NotExpr(e)
}
