package abstract

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/program"
)

// expr is a compiled expression over the registers of one thread.
type expr func(regs []int64) int64

// Function is e, an expression over the registers of one thread, made ready to be
// evaluated often.
func Function(e program.Expr) func(regs []int64) int64 { return compile(e) }

// compile turns e into closures. The operators that programs are made of get
// closures of their own, with operands that are registers or constants looked
// up in place; the rest goes through program.EvalBinary.
func compile(e program.Expr) expr { return folded(program.Fold(e)) }

// folded is compile for an expression that is folded. Guards of many objects are deep: each part is folded
// with the whole, and not once more.
func folded(e program.Expr) expr {
	switch e := e.(type) {
	case program.Const:
		k := int64(e)
		return func([]int64) int64 { return k }
	case program.Reg:
		r := int(e)
		return func(regs []int64) int64 { return regs[r] }
	case program.Unary:
		x := folded(e.X)
		op := e.Op
		return func(regs []int64) int64 { return program.EvalUnary(op, x(regs)) }
	case program.Binary:
		if r, ok := e.X.(program.Reg); ok {
			if k, ok := e.Y.(program.Const); ok {
				return compileRegConst(e.Op, int(r), int64(k))
			}
		}
		return compileBinary(e.Op, folded(e.X), folded(e.Y))
	}
	panic(fmt.Sprintf("abstract: %T in a command", e))
}

func compileRegConst(op program.BinaryOp, r int, k int64) expr {
	switch op {
	case program.Add:
		return func(regs []int64) int64 { return regs[r] + k }
	case program.Sub:
		return func(regs []int64) int64 { return regs[r] - k }
	case program.Eq:
		return func(regs []int64) int64 { return program.Bool(regs[r] == k) }
	case program.Ne:
		return func(regs []int64) int64 { return program.Bool(regs[r] != k) }
	case program.Lt:
		return func(regs []int64) int64 { return program.Bool(regs[r] < k) }
	case program.Le:
		return func(regs []int64) int64 { return program.Bool(regs[r] <= k) }
	case program.Gt:
		return func(regs []int64) int64 { return program.Bool(regs[r] > k) }
	case program.Ge:
		return func(regs []int64) int64 { return program.Bool(regs[r] >= k) }
	}
	return func(regs []int64) int64 { return program.EvalBinary(op, regs[r], k) }
}

func compileBinary(op program.BinaryOp, x, y expr) expr {
	switch op {
	case program.Add:
		return func(regs []int64) int64 { return x(regs) + y(regs) }
	case program.Sub:
		return func(regs []int64) int64 { return x(regs) - y(regs) }
	case program.Eq:
		return func(regs []int64) int64 { return program.Bool(x(regs) == y(regs)) }
	case program.Ne:
		return func(regs []int64) int64 { return program.Bool(x(regs) != y(regs)) }
	case program.LogicalAnd:
		return func(regs []int64) int64 { return program.Bool(x(regs) != 0 && y(regs) != 0) }
	case program.LogicalOr:
		return func(regs []int64) int64 { return program.Bool(x(regs) != 0 || y(regs) != 0) }
	}
	return func(regs []int64) int64 { return program.EvalBinary(op, x(regs), y(regs)) }
}

// A Condition is the compiled condition of a property: its value in a state,
// whatever the store buffers hold.
type Condition func(s *State) int64

// Condition compiles the condition of a property of the system's program.
func (x *System) Condition(e program.Expr) Condition {
	switch e := program.Fold(e).(type) {
	case program.Const:
		k := int64(e)
		return func(*State) int64 { return k }
	case program.Mem:
		i := x.Ranges.CellIndex(e.Addr)
		return func(s *State) int64 { return s.Mem[i] }
	case program.ThreadReg:
		t, r := e.Thread, e.Reg
		return func(s *State) int64 { return s.Regs[t][r] }
	case program.At:
		t, at := e.Thread, x.at(e)
		return func(s *State) int64 { return at[s.PC[t]] }
	case program.Unary:
		c := x.Condition(e.X)
		op := e.Op
		return func(s *State) int64 { return program.EvalUnary(op, c(s)) }
	case program.Binary:
		if at, ok := e.X.(program.At); ok && e.Op == program.LogicalAnd {
			return x.while(at, e.Y)
		}
		c, d := x.Condition(e.X), x.Condition(e.Y)
		switch op := e.Op; op {
		case program.LogicalAnd:
			return func(s *State) int64 { return program.Bool(c(s) != 0 && d(s) != 0) }
		case program.LogicalOr:
			return func(s *State) int64 { return program.Bool(c(s) != 0 || d(s) != 0) }
		default:
			return func(s *State) int64 { return program.EvalBinary(op, c(s), d(s)) }
		}
	}
	panic(fmt.Sprintf("abstract: %T in a property", e))
}

// at is 1 where a thread is at one of the states, by control state.
func (x *System) at(e program.At) []int64 {
	at := make([]int64, len(x.Program.Threads[e.Thread].States))
	for _, q := range e.States {
		at[q] = 1
	}
	return at
}

// while compiles a conjunction that begins with where a thread is. Every state that a search
// finds is asked for those of mutual exclusion, and most of them are at an end with that.
func (x *System) while(e program.At, rest program.Expr) Condition {
	t, at := e.Thread, x.at(e)
	d := x.Condition(rest)
	return func(s *State) int64 {
		if at[s.PC[t]] == 0 {
			return 0
		}
		return program.Bool(d(s) != 0)
	}
}
