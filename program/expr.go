package program

import (
	"fmt"
	"strconv"
	"strings"
)

// An Expr is an expression without side effects over 64-bit integers.
//
// In a [Command] an expression reads constants and the registers of its own
// thread ([Const], [Reg], [Unary], [Binary]). In a [Property] it may read, in
// addition, any shared cell, any register of any thread and the control state
// of any thread ([Cell value] by [Mem], [ThreadReg], [At]); [Reg] has no place
// there.
type Expr interface {
	String() string
	isExpr()
}

// Const is a constant.
type Const int64

// Reg is a register of the thread whose command holds the expression: an index
// into [Thread.Regs].
type Reg int

// Unary applies Op to X.
type Unary struct {
	Op UnaryOp
	X  Expr
}

// Binary applies Op to X and Y. Both sides are always evaluated.
type Binary struct {
	Op   BinaryOp
	X, Y Expr
}

// Mem is the content of the shared cell with address Addr, whatever the store
// buffers hold. Properties only.
type Mem struct {
	Addr int64
	Name string // as the source calls it; for printing
}

// ThreadReg is register Reg of thread Thread (indices). Properties only.
type ThreadReg struct {
	Thread, Reg int
	Name        string // as the source calls it; for printing
}

// At is 1 where thread Thread is at one of the control states States, else 0.
// Properties only.
type At struct {
	Thread int
	States []StateID
	Name   string // as the source calls it, such as P0@cs; for printing
}

func (Const) isExpr()     {}
func (Reg) isExpr()       {}
func (Unary) isExpr()     {}
func (Binary) isExpr()    {}
func (Mem) isExpr()       {}
func (ThreadReg) isExpr() {}
func (At) isExpr()        {}

// UnaryOp is an operator with one operand: one of the constants, or a [Cast].
type UnaryOp uint8

// The unary operators.
const (
	Neg        UnaryOp = iota // -x
	Complement                // ~x, bit by bit
	LogicalNot                // 1 where x is 0, else 0

	casts = 64 // where the casts begin
)

// Cast is the operator that reduces its operand to t, as [Type.Wrap] does.
func Cast(t Type) UnaryOp {
	op := casts + UnaryOp(t.Bits-1)*2
	if t.Signed {
		op++
	}
	return op
}

// Cast is the type that op reduces to, where it is a cast.
func (op UnaryOp) Cast() (t Type, ok bool) {
	if op < casts {
		return Type{}, false
	}
	return Type{Bits: uint8(op-casts)/2 + 1, Signed: op&1 != 0}, true
}

// BinaryOp is an operator with two operands.
type BinaryOp uint8

// The binary operators. Arithmetic is on 64-bit two's complement integers and
// wraps around. Comparisons and the logical operators give 0 or 1. To keep
// evaluation total, x/0 is 0 and x%0 is x; a front end whose language calls
// that an error puts an [Assert] of kind [Fault] before the command. A shift
// count is read as an unsigned number: counts of 64 and more, negative ones
// among them, shift everything out.
//
// Those whose names begin with U read both operands as unsigned 64-bit numbers. The
// values of types with fewer bits are what they are either way.
const (
	Add BinaryOp = iota
	Sub
	Mul
	Div // truncates towards zero
	Rem // has the sign of x
	BitAnd
	BitOr
	BitXor
	Shl
	Shr // arithmetic: keeps the sign
	UDiv
	URem
	UShr // fills with zeros
	Eq
	Ne
	Lt
	Le
	Gt
	Ge
	ULt
	ULe
	LogicalAnd
	LogicalOr
)

var unaryText = [...]string{Neg: "-", Complement: "~", LogicalNot: "!"}

var binaryText = [...]string{
	Add: "+", Sub: "-", Mul: "*", Div: "/", Rem: "%",
	BitAnd: "&", BitOr: "|", BitXor: "^", Shl: "<<", Shr: ">>", UDiv: "/u", URem: "%u", UShr: ">>u", ULt: "<u", ULe: "<=u",
	Eq: "==", Ne: "!=", Lt: "<", Le: "<=", Gt: ">", Ge: ">=",
	LogicalAnd: "&&", LogicalOr: "||",
}

func (op UnaryOp) String() string {
	if t, ok := op.Cast(); ok {
		return t.String()
	}
	return unaryText[op]
}

func (op BinaryOp) String() string { return binaryText[op] }

// Bool is true of the operators that give only 0 or 1.
func (op BinaryOp) Bool() bool { return op >= Eq }

func (c Const) String() string { return strconv.FormatInt(int64(c), 10) }
func (r Reg) String() string   { return "r" + strconv.Itoa(int(r)) }
func (u Unary) String() string { return u.format(u.X.String()) }
func (b Binary) String() string {
	return operand(b.X) + " " + b.Op.String() + " " + operand(b.Y)
}
func (m Mem) String() string {
	if m.Name != "" {
		return m.Name
	}
	return fmt.Sprintf("[%d]", m.Addr)
}
func (r ThreadReg) String() string {
	if r.Name != "" {
		return r.Name
	}
	return fmt.Sprintf("%d:r%d", r.Thread, r.Reg)
}
func (a At) String() string {
	if a.Name != "" {
		return a.Name
	}
	s := make([]string, len(a.States))
	for i, q := range a.States {
		s[i] = fmt.Sprintf("q%d", q)
	}
	return fmt.Sprintf("%d@{%s}", a.Thread, strings.Join(s, ","))
}

// format is the expression with its operand printed as x.
func (u Unary) format(x string) string {
	_, cast := u.Op.Cast()
	if _, ok := u.X.(Binary); ok || cast {
		x = "(" + x + ")"
	}
	return u.Op.String() + x
}

func operand(e Expr) string {
	if _, ok := e.(Binary); ok {
		return "(" + e.String() + ")"
	}
	return e.String()
}

// FormatExpr prints e with the names of the thread's registers.
func FormatExpr(e Expr, t *Thread) string {
	var b strings.Builder
	formatExpr(&b, e, t)
	return b.String()
}

func formatExpr(b *strings.Builder, e Expr, t *Thread) {
	switch e := e.(type) {
	case Reg:
		if t != nil && int(e) < len(t.Regs) {
			b.WriteString(t.Regs[e].Name)
			return
		}
	case Unary:
		b.WriteString(e.format(FormatExpr(e.X, t)))
		return
	case Binary:
		side := func(x Expr) {
			if _, ok := x.(Binary); ok {
				b.WriteByte('(')
				formatExpr(b, x, t)
				b.WriteByte(')')
				return
			}
			formatExpr(b, x, t)
		}
		side(e.X)
		b.WriteString(" " + e.Op.String() + " ")
		side(e.Y)
		return
	}
	b.WriteString(e.String())
}

// Bool is 1 for true and 0 for false.
func Bool(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// EvalUnary applies op.
func EvalUnary(op UnaryOp, x int64) int64 {
	switch op {
	case Neg:
		return -x
	case Complement:
		return ^x
	case LogicalNot:
		return Bool(x == 0)
	}
	t, _ := op.Cast()
	return t.Wrap(x)
}

// EvalBinary applies op; see [Add] for what happens at the edges.
func EvalBinary(op BinaryOp, x, y int64) int64 {
	switch op {
	case Add:
		return x + y
	case Sub:
		return x - y
	case Mul:
		return x * y
	case Div:
		if y == 0 {
			return 0
		}
		return x / y
	case Rem:
		if y == 0 {
			return x
		}
		return x % y
	case BitAnd:
		return x & y
	case BitOr:
		return x | y
	case BitXor:
		return x ^ y
	case Shl:
		return x << uint64(y)
	case Shr:
		return x >> uint64(y)
	case UDiv:
		if y == 0 {
			return 0
		}
		return int64(uint64(x) / uint64(y))
	case URem:
		if y == 0 {
			return x
		}
		return int64(uint64(x) % uint64(y))
	case UShr:
		return int64(uint64(x) >> uint64(y))
	case ULt:
		return Bool(uint64(x) < uint64(y))
	case ULe:
		return Bool(uint64(x) <= uint64(y))
	case Eq:
		return Bool(x == y)
	case Ne:
		return Bool(x != y)
	case Lt:
		return Bool(x < y)
	case Le:
		return Bool(x <= y)
	case Gt:
		return Bool(x > y)
	case Ge:
		return Bool(x >= y)
	case LogicalAnd:
		return Bool(x != 0 && y != 0)
	case LogicalOr:
		return Bool(x != 0 || y != 0)
	}
	panic("program: unknown operator " + strconv.Itoa(int(op)))
}

// An Env gives the values that an expression reads. Functions that the
// expression does not need may be nil.
type Env struct {
	Reg       func(Reg) int64
	Mem       func(addr int64) int64
	ThreadReg func(thread, reg int) int64
	At        func(thread int) StateID
}

// Eval is the value of e in env.
func Eval(e Expr, env *Env) int64 {
	switch e := e.(type) {
	case Const:
		return int64(e)
	case Reg:
		return env.Reg(e)
	case Unary:
		return EvalUnary(e.Op, Eval(e.X, env))
	case Binary:
		return EvalBinary(e.Op, Eval(e.X, env), Eval(e.Y, env))
	case Mem:
		return env.Mem(e.Addr)
	case ThreadReg:
		return env.ThreadReg(e.Thread, e.Reg)
	case At:
		pc := env.At(e.Thread)
		for _, q := range e.States {
			if q == pc {
				return 1
			}
		}
		return 0
	}
	panic(fmt.Sprintf("program: unknown expression %T", e))
}

// EvalRegs is the value of e, which reads nothing but registers: those of one thread.
func EvalRegs(e Expr, regs []int64) int64 {
	return Eval(e, &Env{Reg: func(r Reg) int64 { return regs[r] }})
}

// Walk calls f for e and every expression in it, outermost first.
func Walk(e Expr, f func(Expr)) {
	if e == nil {
		return
	}
	f(e)
	switch e := e.(type) {
	case Unary:
		Walk(e.X, f)
	case Binary:
		Walk(e.X, f)
		Walk(e.Y, f)
	}
}

// NotExpr is the negation of e as a condition: 1 where e is 0, else 0.
func NotExpr(e Expr) Expr {
	switch e := e.(type) {
	case Const:
		return Const(Bool(e == 0))
	case Unary:
		if e.Op == LogicalNot && isBool(e.X) {
			return e.X
		}
	case Binary:
		switch e.Op {
		case Eq:
			return Binary{Ne, e.X, e.Y}
		case Ne:
			return Binary{Eq, e.X, e.Y}
		case Lt:
			return Binary{Ge, e.X, e.Y}
		case Ge:
			return Binary{Lt, e.X, e.Y}
		case Gt:
			return Binary{Le, e.X, e.Y}
		case Le:
			return Binary{Gt, e.X, e.Y}
		case ULt:
			return Binary{ULe, e.Y, e.X}
		case ULe:
			return Binary{ULt, e.Y, e.X}
		}
	}
	return Unary{LogicalNot, e}
}

func isBool(e Expr) bool {
	switch e := e.(type) {
	case Const:
		return e == 0 || e == 1
	case Unary:
		return e.Op == LogicalNot
	case Binary:
		return e.Op.Bool()
	case At:
		return true
	}
	return false
}

// Fold evaluates the parts of e that are constant.
func Fold(e Expr) Expr {
	e, _ = fold(e)
	return e
}

// fold is Fold, and whether it is another expression: what is as it was is not built anew.
func fold(e Expr) (Expr, bool) {
	switch was := e.(type) {
	case Unary:
		x, other := fold(was.X)
		if c, ok := x.(Const); ok {
			return Const(EvalUnary(was.Op, int64(c))), true
		}
		if other {
			return Unary{was.Op, x}, true
		}
	case Binary:
		x, otherX := fold(was.X)
		y, otherY := fold(was.Y)
		cx, okx := x.(Const)
		cy, oky := y.(Const)
		if okx && oky {
			return Const(EvalBinary(was.Op, int64(cx), int64(cy))), true
		}
		if oky && cy == 0 && (was.Op == Add || was.Op == Sub) {
			return x, true
		}
		if okx && cx == 0 && was.Op == Add {
			return y, true
		}
		if otherX || otherY {
			return Binary{was.Op, x, y}, true
		}
	}
	return e, false
}
