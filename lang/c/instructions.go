package c

import (
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// An asmOperand is an operand of an asm statement: a place in memory, a constant, or a
// register, which holds what is computed until the end of the statement.
type asmOperand struct {
	name       string // [name]
	constraint string
	e          cc.ExpressionNode
	p          place // outputs, and what is in memory
	memory     bool
	t          *ctype // as instructions take it
	reg        int
	held       *ctype // what reg has room for: the wider of an output and the input that is put into its register
}

// fixed is the letter of the one register that an operand may be in, or "".
func (op *asmOperand) fixed() string {
	if c := strings.TrimLeft(op.constraint, "=&+%"); len(c) == 1 && strings.Contains("abcdSD", c) {
		return c
	}
	return ""
}

// outputOf is the output whose register an input is put into, as its number says or since there is one register
// that both may be in; nil: none.
func (op *asmOperand) outputOf(outputs []*asmOperand) *asmOperand {
	k, err := strconv.Atoi(strings.TrimLeft(op.constraint, "%"))
	for i, out := range outputs {
		named := out.name != "" && op.constraint == "["+out.name+"]"
		if !out.memory && (err == nil && i == k || named || op.fixed() != "" && op.fixed() == out.fixed()) {
			return out
		}
	}
	return nil
}

// operandsOf lists the operands, and how many of them are outputs, which come first.
func operandsOf(n *cc.AsmArgList) (ops []*asmOperand, outputs int) {
	for i := 0; n != nil && i < 2; n, i = n.AsmArgList, i+1 {
		for e := n.AsmExpressionList; e != nil; e = e.AsmExpressionList {
			op := &asmOperand{}
			if e.AsmIndex != nil {
				op.name = strings.TrimSpace(cc.NodeSource(e.AsmIndex.ExpressionList))
			}
			// "constraint" (expression) parses as a call of a string.
			if call, ok := e.AssignmentExpression.(*cc.PostfixExpression); ok && call.Case == cc.PostfixExpressionCall && call.ArgumentExpressionList != nil {
				s, _ := stringOf(call.PostfixExpression)
				op.constraint = strings.TrimRight(s, "\x00")
				op.e = call.ArgumentExpressionList.AssignmentExpression
			}
			ops = append(ops, op)
		}
		if i == 0 {
			outputs = len(ops)
		}
	}
	return ops, outputs
}

// An assembler lowers the instructions of x86 that locks are made of.
type assembler struct {
	l    *lowerer
	n    cc.Node
	ops  []*asmOperand
	zero int // the register of the flag: the last result was 0
	set  bool
	// The bit that a bit test has found, until another instruction may have changed the flag; nil: not known.
	carry program.Expr
}

// instructions lowers an asm statement. It is false where something in it is not known, and has
// written nothing then that counts.
func (l *lowerer) instructions(n *cc.AsmStatement, text string, ops []*asmOperand, outputs int) bool {
	a := &assembler{l: l, n: n, ops: ops, zero: l.temp(boolType)}
	for i, op := range ops {
		if op.e == nil {
			return false
		}
		if op.memory = strings.Contains(op.constraint, "m"); op.memory || i < outputs {
			op.p = l.lvalue(op.e)
			op.t = op.p.t.plain()
			op.memory = op.memory && op.p.addr != nil
		}
		if op.memory {
			continue
		}
		if op.t == nil {
			op.t = l.typeOf(op.e).decay()
		}
		if !op.t.scalar() || op.t.kind == floatKind || op.t.kind == otherKind {
			return false
		}
		if op.t.kind == boolKind {
			op.t = ucharType // a register has no truth values
		}
		var out *asmOperand
		if i >= outputs {
			out = op.outputOf(ops[:outputs])
		}
		switch {
		case out != nil && op.t.size <= out.held.size:
			op.reg, op.held = out.reg, out.held
		default:
			op.reg, op.held = l.temp(op.t), op.t
			if out != nil {
				out.reg, out.held = op.reg, op.held
			}
		}
		if i >= outputs || strings.Contains(op.constraint, "+") {
			l.assign(op.reg, l.convert(l.convert(l.expr(op.e), op.t), op.held).e)
		}
	}
	l.at(n)
	lock := false
	for _, one := range strings.Split(text, ";") {
		f := strings.Fields(strings.ReplaceAll(one, ",", " "))
		for len(f) > 0 && (f[0] == "lock" || f[0] == "rep") {
			lock, f = lock || f[0] == "lock", f[1:]
		}
		if len(f) == 0 {
			continue
		}
		if !a.instruction(f[0], f[1:], lock) {
			return false
		}
		lock = false
	}
	for _, op := range ops[:outputs] {
		if !op.memory {
			l.store(op.p, l.convert(a.get(op), op.p.t.plain()))
		}
	}
	return true
}

var operandName = text.NewPattern(`^%[bwkqh]?(?:(\d+)|\[(\w+)\])$`)

// operand is what an operand of an instruction names: one of the statement, or a constant.
func (a *assembler) operand(s string) (op *asmOperand, k int64, ok bool) {
	if rest, is := strings.CutPrefix(s, "$"); is {
		k, err := strconv.ParseInt(rest, 0, 64)
		return nil, k, err == nil
	}
	m := operandName.FindStringSubmatch(s)
	if m == nil {
		return nil, 0, false
	}
	for i, op := range a.ops {
		if m[2] != "" && op.name == m[2] || m[1] == strconv.Itoa(i) {
			return op, 0, true
		}
	}
	return nil, 0, false
}

// accumulator is the operand that is in the register a, the widest if there are two: what one of less than 4 bytes
// is not told keeps its value.
func (a *assembler) accumulator() *asmOperand {
	i := slices.IndexFunc(a.ops, func(op *asmOperand) bool { return !op.memory && op.fixed() == "a" })
	if i < 0 {
		return nil
	}
	acc := a.ops[i]
	for _, op := range a.ops {
		if !op.memory && op.reg == acc.reg && op.t.size > acc.t.size {
			acc = op
		}
	}
	return acc
}

// get is what the register of an operand holds, as an operand of its type.
func (a *assembler) get(op *asmOperand) value {
	return a.l.convert(value{t: op.held, e: program.Reg(op.reg)}, op.t)
}

// put puts a value into the register of an operand.
func (a *assembler) put(op *asmOperand, v value) { a.putAs(op, v, op.t) }

// putAs puts a value of type t there. One of 1 or 2 bytes leaves the rest of the register as it is, and one of 4 clears it.
func (a *assembler) putAs(op *asmOperand, v value, t *ctype) {
	e := a.l.convert(v, t).e
	if t.size < op.held.size {
		low := program.Const(1)<<(8*t.size) - 1
		e = bin(program.BitAnd, e, low)
		if t.size < 4 {
			e = bin(program.BitOr, bin(program.BitAnd, program.Reg(op.reg), ^low), e)
		}
		e = wrap(e, op.held)
	}
	a.l.assign(op.reg, e)
}

// value is what an operand holds, converted to t.
func (a *assembler) value(s string, t *ctype) (program.Expr, bool) {
	op, k, ok := a.operand(s)
	switch {
	case !ok:
		return nil, false
	case op == nil:
		return program.Const(t.word().Wrap(k)), true
	case op.memory:
		return a.l.convert(a.l.loadAs(op.p, plain), t).e, true
	}
	return a.l.convert(a.get(op), t).e, true
}

// flag notes whether a result is 0.
func (a *assembler) flag(result program.Expr) {
	a.l.assign(a.zero, eq(result, program.Const(0)))
	a.set = true
}

var arithmetic = map[string]program.BinaryOp{
	"add": program.Add, "sub": program.Sub, "and": program.BitAnd, "or": program.BitOr, "xor": program.BitXor,
	"inc": program.Add, "dec": program.Sub,
}

// instruction lowers one.
func (a *assembler) instruction(name string, args []string, lock bool) bool {
	l := a.l
	switch name {
	case "nop", "pause":
		return true
	case "mfence":
		l.fence(seqCst)
		return true
	case "lfence":
		l.emit(program.Command{Op: program.Fence, Tags: program.NewTags(orderTag[acquire], program.TagLFence)})
		return true
	case "sfence":
		l.emit(program.Command{Op: program.Fence, Tags: program.NewTags(orderTag[release], program.TagSFence)})
		return true
	case "sete", "setz", "setne", "setnz", "setc", "setb", "setnc", "setnb", "setae":
		op, _, ok := a.operand(strings.Join(args, " "))
		e, known := program.Expr(program.Reg(a.zero)), a.set
		if !strings.HasSuffix(name, "e") && !strings.HasSuffix(name, "z") || name == "setae" {
			e, known = a.carry, a.carry != nil
		}
		if !ok || op == nil || op.memory || !known {
			return false
		}
		if strings.HasPrefix(name, "setn") || name == "setae" {
			e = program.NotExpr(ne(e, program.Const(0)))
		}
		a.putAs(op, value{t: ucharType, e: e}, ucharType) // whatever the operand is: %b0
		return true
	}
	if len(args) == 0 || len(args) > 2 {
		return false
	}
	if last := args[len(args)-1]; lock && (strings.HasSuffix(last, "(%%rsp)") || strings.HasSuffix(last, "(%%esp)")) {
		l.fence(seqCst) // the cell on the stack is nobody's
		return true
	}
	if !knownInstruction(name) { // with a letter for how many bits
		n := len(name) - 1
		if n < 1 || !strings.Contains("bwlq", name[n:]) || !knownInstruction(name[:n]) {
			return false
		}
		name = name[:n]
	}
	to, _, ok := a.operand(args[len(args)-1])
	if !ok || to == nil {
		return false
	}
	if _, bits := bitTests[name]; bits {
		return len(args) == 2 && a.bitTest(name, args[0], to, lock)
	}
	if name != "mov" {
		a.carry = nil
	}
	switch name {
	case "mov":
		return len(args) == 2 && a.move(args[0], to)
	case "xchg", "xadd", "cmpxchg":
		if len(args) != 2 {
			return false
		}
		from, _, ok := a.operand(args[0])
		if name == "xchg" && ok && from != nil && from.memory {
			from, to = to, from
		}
		if !ok || from == nil || from.memory || !to.memory || !lock && name != "xchg" {
			return false
		}
		return a.exchange(name, from, to)
	}
	return a.compute(name, args, to, lock)
}

func knownInstruction(name string) bool {
	_, ok := arithmetic[name]
	_, bits := bitTests[name]
	return ok || bits || name == "mov" || name == "xchg" || name == "xadd" || name == "cmpxchg"
}

func (a *assembler) move(from string, to *asmOperand) bool {
	v, ok := a.value(from, to.t)
	if !ok {
		return false
	}
	if to.memory {
		a.l.storeAs(to.p, value{t: to.t, e: v}, plain)
	} else {
		a.put(to, value{t: to.t, e: v})
	}
	return true
}

// exchange is xchg, xadd or cmpxchg between a register and memory.
func (a *assembler) exchange(name string, from, to *asmOperand) bool {
	l, t := a.l, to.t
	if !t.scalar() {
		return false
	}
	v := l.convert(a.get(from), t)
	into := func(op *asmOperand, old program.Expr) {
		a.put(op, value{t: t, e: old})
	}
	switch name {
	case "xchg":
		into(from, l.exchange(to.p, v, seqCst).e)
	case "xadd":
		old := l.temp(t)
		l.rmw("xadd", to.p, old, wrap(bin(program.Add, program.Reg(old), v.e), t), seqCst)
		into(from, program.Reg(old))
	case "cmpxchg":
		acc := a.accumulator()
		if acc == nil {
			return false
		}
		s := &swapping{p: to.p, expected: l.convert(a.get(acc), t), desired: v, ok: seqCst, fail: seqCst}
		yes, no, end := l.node(), l.node(), l.node()
		l.swap(s, yes, no)
		l.cur = yes
		l.assign(a.zero, program.Const(1))
		l.jump(end)
		l.cur = no
		into(acc, l.swapped(s).e)
		l.assign(a.zero, program.Const(0))
		l.land(end)
		a.set = true
	}
	return true
}

// What a bit test makes of a word and the mask of the bit.
var bitTests = map[string]func(x, mask program.Expr) program.Expr{
	"bt":  func(x, _ program.Expr) program.Expr { return x },
	"bts": func(x, mask program.Expr) program.Expr { return bin(program.BitOr, x, mask) },
	"btr": func(x, mask program.Expr) program.Expr { return bin(program.BitAnd, x, un(program.Complement, mask)) },
	"btc": func(x, mask program.Expr) program.Expr { return bin(program.BitXor, x, mask) },
}

// bitTest is bt and its kin. A bit of a register is taken modulo its width; in memory a number that stands in a register
// may lead to words beside the operand, which is not modelled.
func (a *assembler) bitTest(name, bit string, to *asmOperand, lock bool) bool {
	l, t := a.l, to.t
	if !t.scalar() || t.size < 2 || lock && (!to.memory || name == "bt") {
		return false
	}
	n, ok := a.value(bit, longType)
	if !ok {
		return false
	}
	width := program.Const(8 * t.size)
	if from, _, _ := a.operand(bit); to.memory && from != nil {
		l.emit(program.Command{Op: program.Assert, Kind: program.Bound, Value: fold(bin(program.ULt, n, width)),
			Text: "a bit of what lies beside an operand of assembly is not modelled"})
	}
	k, carry := l.temp(longType), l.temp(boolType)
	l.assign(k, bin(program.BitAnd, n, width-1))
	mask := bin(program.Shl, program.Const(1), program.Reg(k))
	was := func(x program.Expr) program.Expr {
		return bin(program.BitAnd, bin(program.UShr, x, program.Reg(k)), program.Const(1))
	}
	result := func(old program.Expr) program.Expr { return wrap(bitTests[name](old, mask), t) }
	old := l.temp(t)
	switch {
	case lock:
		l.rmw(name, to.p, old, result(program.Reg(old)), seqCst)
	case to.memory:
		l.assign(old, l.convert(l.loadAs(to.p, plain), t).e)
		if name != "bt" {
			l.storeAs(to.p, value{t: t, e: result(program.Reg(old))}, plain)
		}
	default:
		l.assign(old, a.get(to).e)
		a.put(to, value{t: t, e: result(program.Reg(old))})
	}
	l.assign(carry, was(program.Reg(old)))
	a.carry = program.Reg(carry)
	return true
}

// compute is add and its kin.
func (a *assembler) compute(name string, args []string, to *asmOperand, lock bool) bool {
	l, t := a.l, to.t
	op, ok := arithmetic[name]
	unary := name == "inc" || name == "dec"
	if !ok || !t.scalar() || unary != (len(args) == 1) || lock && !to.memory {
		return false
	}
	y := program.Expr(program.Const(1))
	if len(args) == 2 {
		v, ok := a.value(args[0], t)
		if !ok {
			return false
		}
		y = v
	}
	result := func(old program.Expr) program.Expr { return wrap(bin(op, old, y), t) }
	if !lock {
		x, _ := a.value(args[len(args)-1], t)
		r := l.temp(t)
		l.assign(r, result(x))
		a.flag(program.Reg(r))
		if to.memory {
			l.storeAs(to.p, value{t: t, e: program.Reg(r)}, plain)
		} else {
			a.put(to, value{t: t, e: program.Reg(r)})
		}
		return true
	}
	old := l.temp(t)
	l.rmw(name, to.p, old, result(program.Reg(old)), seqCst)
	a.flag(result(program.Reg(old)))
	return true
}
