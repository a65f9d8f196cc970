package litmus

import (
	"github.com/fencepost-verifier/fencepost/program"
)

// A flagSet is a set of flags.
type flagSet uint8

const (
	carry flagSet = 1 << iota
	parity
	zero
	sign
	overflow
	numFlags = iota
	allFlags = 1<<numFlags - 1
)

var flagNames = [numFlags]string{"CF", "PF", "ZF", "SF", "OF"}

// A condition is what conditional instructions depend on: the four bits of it
// in their encoding. The lowest negates.
type condition uint8

const (
	ifOverflow condition = 2 * iota
	ifBelow
	ifZero
	ifBelowOrZero
	ifSign
	ifParity
	ifLess
	ifLessOrZero
)

// conditions is by the names that assemblers know.
var conditions = map[string]condition{
	"o": ifOverflow, "no": ifOverflow + 1,
	"b": ifBelow, "c": ifBelow, "nae": ifBelow,
	"nb": ifBelow + 1, "nc": ifBelow + 1, "ae": ifBelow + 1,
	"e": ifZero, "z": ifZero, "ne": ifZero + 1, "nz": ifZero + 1,
	"be": ifBelowOrZero, "na": ifBelowOrZero, "nbe": ifBelowOrZero + 1, "a": ifBelowOrZero + 1,
	"s": ifSign, "ns": ifSign + 1,
	"p": ifParity, "pe": ifParity, "np": ifParity + 1, "po": ifParity + 1,
	"l": ifLess, "nge": ifLess, "nl": ifLess + 1, "ge": ifLess + 1,
	"le": ifLessOrZero, "ng": ifLessOrZero, "nle": ifLessOrZero + 1, "g": ifLessOrZero + 1,
}

// reads is the flags that the condition depends on.
func (c condition) reads() flagSet {
	return [...]flagSet{overflow, carry, zero, carry | zero, sign, parity, sign | overflow, zero | sign | overflow}[c/2]
}

// flagsRead is the flags that an instruction reads.
func (in *instr) flagsRead() flagSet {
	switch in.op {
	case opJcc, opSet, opCmov:
		return in.cond.reads()
	}
	return 0
}

// flagsSet is the flags that an instruction sets.
func (in *instr) flagsSet() flagSet {
	switch in.op {
	case opAdd, opSub, opAnd, opOr, opXor, opCmp, opTest, opNeg, opXadd, opCmpxchg:
		return allFlags
	case opInc, opDec:
		return allFlags &^ carry
	case opShl, opShr, opSar:
		if in.shiftCount() > 0 {
			return allFlags
		}
	}
	return 0
}

// shiftCount is the count of a shift, which the processor reduces.
func (in *instr) shiftCount() int64 {
	if in.bits == 64 {
		return in.args[1].imm & 63
	}
	return in.args[1].imm & 31
}

// successors is the instructions that can follow instruction i of the thread;
// len(code) is its end.
func successors(code []*instr, i int) []int {
	switch in := code[i]; in.op {
	case opJmp:
		return []int{in.target}
	case opRet:
		return []int{len(code)}
	case opJcc:
		return []int{i + 1, in.target}
	}
	return []int{i + 1}
}

// liveFlags is, for every instruction and the end, the flags that are read
// after its beginning before they are set. What is not live need not be
// computed.
func liveFlags(code []*instr) []flagSet {
	n := len(code)
	live := make([]flagSet, n+1)
	before := make([][]int, n+1)
	work := make([]int, 0, n)
	for i := range code {
		for _, s := range successors(code, i) {
			before[s] = append(before[s], i)
		}
		work = append(work, i)
	}
	for len(work) > 0 {
		i := work[len(work)-1]
		work = work[:len(work)-1]
		in := code[i]
		l := liveAfter(code, live, i)&^in.flagsSet() | in.flagsRead()
		if l != live[i] {
			live[i] = l
			work = append(work, before[i]...)
		}
	}
	return live
}

// liveAfter is the flags that are live where instruction i is done.
func liveAfter(code []*instr, live []flagSet, i int) flagSet {
	var l flagSet
	for _, s := range successors(code, i) {
		l |= live[s]
	}
	return l
}

// An outcome is what the flags say about an instruction, as long as the
// registers in its expressions keep their values. The expressions are of values
// of its width: unsigned ones, but for 64 bits.
type outcome struct {
	kind   outcomeKind
	bits   uint8
	a, b   program.Expr // the operands
	result program.Expr
	// inRegister is true where the result is shorter to write than a and b.
	inRegister bool
	// carry and overflow are of an outcome of kind ofOther.
	carry, overflow program.Expr
}

type outcomeKind uint8

const (
	ofSum        outcomeKind = iota // a+b
	ofDifference                    // a-b: a comparison
	ofIncrement
	ofDecrement
	ofLogic // carry and overflow are clear
	ofOther
)

// carryOfOld is true of an instruction whose carry or overflow depends on bits
// of its first operand that the result does not tell.
func (in *instr) carryOfOld() bool { return in.op == opShl || in.op == opShr || in.op == opSar }

// computeBack makes the outcome one of a result that has replaced an operand in
// the register with the index.
func (o *outcome) computeBack(result program.Expr, index int) {
	o.result, o.inRegister = result, true
	if contains(o.a, index) {
		switch o.kind {
		case ofSum:
			o.a = truncate(binary(program.Sub, result, o.b), o.bits)
		case ofDifference:
			o.a = truncate(binary(program.Add, result, o.b), o.bits)
		default:
			o.a = nil
		}
	}
	if contains(o.b, index) { // of a negation: the operand was 0-b
		o.b = truncate(program.Fold(program.Unary{Op: program.Neg, X: result}), o.bits)
	}
}

// operands is all expressions that the flags are computed from.
func (o *outcome) operands() []program.Expr {
	return []program.Expr{o.a, o.b, o.result, o.carry, o.overflow}
}

// flag is one flag, as 0 or 1.
func (o *outcome) flag(f flagSet) program.Expr {
	switch f {
	case zero:
		return o.zero()
	case sign:
		return signBit(o.result, o.bits)
	case parity:
		// The parity of a nibble is a bit in a table of 16.
		low := binary(program.BitAnd, binary(program.BitXor, o.result, binary(program.Shr, o.result, program.Const(4))), program.Const(15))
		return binary(program.BitAnd, binary(program.Shr, program.Const(0x9669), low), program.Const(1))
	case carry:
		switch o.kind {
		case ofSum:
			return below(o.result, o.b, o.bits)
		case ofDifference:
			return below(o.a, o.b, o.bits)
		case ofLogic:
			return program.Const(0)
		}
		return o.carry
	}
	least := program.Const(word(o.bits).Wrap(1 << (o.bits - 1)))
	switch o.kind {
	case ofIncrement:
		return binary(program.Eq, o.result, least)
	case ofDecrement:
		return binary(program.Eq, o.result, program.Const(word(o.bits).Wrap(int64(least)-1)))
	case ofSum: // both have the sign that the result has not
		return signBit(binary(program.BitAnd, binary(program.BitXor, o.a, o.result), binary(program.BitXor, o.b, o.result)), o.bits)
	case ofDifference:
		return signBit(binary(program.BitAnd, binary(program.BitXor, o.a, o.b), binary(program.BitXor, o.a, o.result)), o.bits)
	case ofLogic:
		return program.Const(0)
	}
	return o.overflow
}

func (o *outcome) zero() program.Expr {
	if o.kind == ofDifference && !o.inRegister {
		return binary(program.Eq, o.a, o.b)
	}
	return binary(program.Eq, o.result, program.Const(0))
}

// holds is a condition without its negation. What compares two values says so,
// instead of computing the flags.
func (o *outcome) holds(c condition) program.Expr {
	a, b := o.a, o.b
	switch o.kind {
	case ofDifference:
	case ofLogic: // is a comparison with 0
		a, b = o.result, program.Const(0)
	default:
		return conditionOf(c, o.flag)
	}
	switch c {
	case ifBelowOrZero:
		return binary(program.LogicalOr, below(a, b, o.bits), binary(program.Eq, a, b))
	case ifLess:
		return binary(program.Lt, signed(a, o.bits), signed(b, o.bits))
	case ifLessOrZero:
		return binary(program.Le, signed(a, o.bits), signed(b, o.bits))
	}
	return conditionOf(c, o.flag)
}

// conditionOf is a condition without its negation, from the flags.
func conditionOf(c condition, flag func(flagSet) program.Expr) program.Expr {
	switch c {
	case ifOverflow:
		return flag(overflow)
	case ifBelow:
		return flag(carry)
	case ifZero:
		return flag(zero)
	case ifBelowOrZero:
		return binary(program.LogicalOr, flag(carry), flag(zero))
	case ifSign:
		return flag(sign)
	case ifParity:
		return flag(parity)
	case ifLess:
		return binary(program.Ne, flag(sign), flag(overflow))
	}
	return binary(program.LogicalOr, flag(zero), binary(program.Ne, flag(sign), flag(overflow)))
}

// below compares two values without signs.
func below(a, b program.Expr, bits uint8) program.Expr {
	if bits == 64 {
		const top = program.Const(-1 << 63)
		a, b = binary(program.BitXor, a, top), binary(program.BitXor, b, top)
	}
	return binary(program.Lt, a, b)
}

// signBit is the highest bit of a value, as 0 or 1.
func signBit(e program.Expr, bits uint8) program.Expr {
	if bits == 64 {
		return binary(program.Lt, e, program.Const(0))
	}
	return binary(program.Ge, e, program.Const(1<<(bits-1)))
}

// signed is a value with its highest bit as a sign.
func signed(e program.Expr, bits uint8) program.Expr {
	if bits == 64 {
		return e
	}
	if k, ok := e.(program.Const); ok {
		return program.Const(program.Type{Bits: bits, Signed: true}.Wrap(int64(k)))
	}
	n := program.Const(64 - int64(bits))
	return binary(program.Shr, binary(program.Shl, e, n), n)
}

// truncate is the low bits of a value.
func truncate(e program.Expr, bits uint8) program.Expr {
	if bits == 64 {
		return e
	}
	if e = lowOf(e, bits); isLow(e, bits) {
		return e
	}
	return binary(program.BitAnd, e, program.Const(1<<bits-1))
}

// isLow is true of an expression that has only low bits.
func isLow(e program.Expr, bits uint8) bool {
	b, ok := e.(program.Binary)
	if !ok {
		return false
	}
	k, ok := b.Y.(program.Const)
	return b.Op.Bool() || b.Op == program.BitAnd && ok && 0 <= k && k < 1<<bits
}

// lowOf is an expression with the same low bits as e, without masks in it that
// do not matter for these.
func lowOf(e program.Expr, bits uint8) program.Expr {
	switch x := e.(type) {
	case program.Unary:
		if x.Op != program.LogicalNot {
			x.X = lowOf(x.X, bits)
		}
		return x
	case program.Binary:
		switch x.Op {
		case program.BitAnd:
			if k, ok := x.Y.(program.Const); ok && k&(1<<bits-1) == 1<<bits-1 {
				return lowOf(x.X, bits)
			}
			fallthrough
		case program.Add, program.Sub, program.Mul, program.BitOr, program.BitXor:
			x.X, x.Y = lowOf(x.X, bits), lowOf(x.Y, bits)
		case program.Shl:
			x.X = lowOf(x.X, bits)
		}
		return x
	}
	return e
}

func binary(op program.BinaryOp, x, y program.Expr) program.Expr {
	return program.Fold(program.Binary{Op: op, X: x, Y: y})
}
