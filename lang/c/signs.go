package c

import (
	"math"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Of what a comparison like strcmp gives, C says no more than the sign, and of what isdigit and its kin give, whether it is 0
// (C11, 7.24.4 and 7.4.1): libraries give differences of characters, or bits of a table. So it is any number of that sign, and
// a program that asks for 1 has runs in which it does not find it. Where only the sign is asked for, one number is enough
// (package choices).

// anyOfSign makes what is in the register r, of type int, any number of the same sign.
func (l *lowerer) anyOfSign(r int) {
	end := l.node()
	for _, s := range []struct {
		op     program.BinaryOp
		lo, hi int64
	}{{program.Lt, -math.MaxInt32, -1}, {program.Gt, 1, math.MaxInt32}} {
		differs, on := l.node(), l.node()
		l.split(bin(s.op, program.Reg(r), program.Const(0)), differs, on)
		l.cur = differs
		l.emit(program.Command{Op: program.Havoc, Reg: r, Lo: s.lo, Hi: s.hi})
		l.jump(end)
		l.cur = on
	}
	l.land(end)
}

// signBuiltins is what our headers have for that.
func signBuiltins() map[string]builtin {
	return map[string]builtin{
		"__fp_of_sign": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			r := l.temp(types.Int)
			l.assign(r, l.convert(l.expr(args[0]), types.Int).e)
			l.at(n)
			l.anyOfSign(r)
			return value{t: types.Int, e: program.Reg(r)}
		}},
	}
}
