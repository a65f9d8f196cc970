package c

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// Operands of assembly as GCC hands them over ("Extended Asm" in its manual): where a constraint leaves a choice to the
// compiler that a program can tell, or an instruction reads what nobody has put there, the statement is refused.

// An asmOperand is an operand of an asm statement: a place in memory, a constant, a flag of the processor, or what is in a
// register until the end of the statement.
type asmOperand struct {
	name       string // [name]
	constraint string
	e          cc.ExpressionNode
	letters    string // the constraint without its modifiers
	tied       int    // the output whose register an input is put into; -1: none
	both       bool   // "+"
	early      bool   // "&"
	flag       string // "=@cc" of that condition
	p          place  // outputs, and what is in memory
	memory     bool
	mixed      bool // what could be in memory, and is in a register
	constant   program.Expr
	t          *types.Type // as instructions take it
	r          *asmRegister
}

// An asmRegister is a register, or a variable of ours that the processor has in memory.
type asmRegister struct {
	letter string      // which one it is; "": the compiler chooses
	held   *types.Type // the widest that is put into it
	reg    int         // what is in it
	low    value       // what has been put into its lowest bytes last; it has no type where that is not known
	known  int64       // how many of its lowest bytes something has set
	outs   []*asmOperand
	in     bool // an input is put into it
	input  value
	// The statement says that it changes, though no operand is in it.
	clobbered bool
	written   bool
	local     bool // a variable of ours
}

// operandsOf lists the operands, how many of them are outputs, which come first, and what else changes.
func operandsOf(n *cc.AsmStatement) (ops []*asmOperand, outputs int, clobbers []string) {
	list := n.Asm.AsmArgList
	for i := 0; list != nil; list, i = list.AsmArgList, i+1 {
		for e := list.AsmExpressionList; e != nil; e = e.AsmExpressionList {
			if i >= 2 {
				s, _ := stringOf(e.AssignmentExpression)
				clobbers = append(clobbers, strings.Trim(s, "%\x00"))
				continue
			}
			op := &asmOperand{tied: -1}
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
	return ops, outputs, clobbers
}

const (
	anyRegister  = "rqQR"
	oneRegister  = "abcdSD"
	inMemory     = "mo"
	asConstant   = "inIJKLMNOeZ"
	asEverything = "g"
)

// understand takes a constraint apart. It is false where that is none that is known here.
func (op *asmOperand) understand(output bool, outs []*asmOperand) bool {
	s := op.constraint
	if output {
		if s == "" || !strings.Contains("=+", s[:1]) {
			return false
		}
		op.both, s = s[0] == '+', s[1:]
		if flag, ok := strings.CutPrefix(s, "@cc"); ok && !op.both {
			op.flag = flag
			return true
		}
	}
	op.early = output && strings.Contains(s, "&")
	s = strings.TrimSpace(strings.NewReplacer("&", "", "%", "").Replace(s))
	if !output {
		op.tied = slices.IndexFunc(outs, func(o *asmOperand) bool { return o.name != "" && "["+o.name+"]" == s })
		if k, err := strconv.Atoi(s); err == nil && 0 <= k && k < len(outs) {
			op.tied = k
		}
		if op.tied >= 0 {
			return outs[op.tied].flag == "" && !outs[op.tied].only(inMemory)
		}
	}
	op.letters = strings.ReplaceAll(s, asEverything, "rmi")
	known := anyRegister + oneRegister + inMemory
	if !output {
		known += asConstant
	}
	return op.letters != "" && strings.Trim(op.letters, known) == "" && !(output && strings.Contains(s, asEverything))
}

// only is true of a constraint that has none but these letters.
func (op *asmOperand) only(these string) bool {
	return op.letters != "" && strings.Trim(op.letters, these) == ""
}

func (op *asmOperand) may(these string) bool { return strings.ContainsAny(op.letters, these) }

// fixed is the letter of the one register that an operand is in, or "".
func (op *asmOperand) fixed() string {
	if s := strings.Trim(op.letters, inMemory+asConstant); len(s) == 1 && strings.Contains(oneRegister, s) {
		return s
	}
	return ""
}

// place finds out where an operand is, and of what type.
func (a *assembler) place(op *asmOperand, output bool) {
	l := a.l
	if output || op.only(inMemory) {
		op.p = l.lvalue(op.e)
		op.t = op.p.t.Plain()
		op.memory = op.may(inMemory) && op.p.addr != nil
		op.mixed = op.memory && !op.only(inMemory)
		if op.flag != "" || op.memory {
			return
		}
	} else {
		op.t = l.typeOf(op.e).Decay()
	}
	op.mixed = op.may(inMemory) && !op.only(inMemory)
	if !op.t.Scalar() || op.t.Kind == types.FloatKind || op.t.Kind == types.OtherKind {
		a.refuse("an operand of type %s", op.t.Name)
	}
	if op.t.Kind == types.BoolKind {
		op.t = types.UnsignedChar // a register has no truth values
	}
	if op.only(asConstant) {
		return
	}
	switch letter := op.fixed(); {
	case op.tied >= 0:
		op.r = a.ops[op.tied].r
		if op.r == nil {
			a.refuse("the constraint %q", op.constraint)
		}
	case op.only(inMemory):
		op.r = a.register("")
		op.r.local = true
	default:
		op.r = a.register(letter)
	}
	if output {
		if len(op.r.outs) > 0 {
			a.refuse("two outputs in one register")
		}
		op.r.outs = append(op.r.outs, op)
	}
	if op.r.clobbered || !output && op.tied < 0 && slices.ContainsFunc(op.r.outs, func(o *asmOperand) bool { return o.early }) {
		a.refuse("a register that an operand of constraint %q is in, which is in use", op.constraint)
	}
	if op.r.held == nil || op.t.Size > op.r.held.Size {
		op.r.held = op.t
	}
}

// register is the register of that letter, or one of those that the compiler chooses.
func (a *assembler) register(letter string) *asmRegister {
	for _, r := range a.registers {
		if letter != "" && r.letter == letter {
			return r
		}
	}
	r := &asmRegister{letter: letter}
	if letter != "" && strings.Contains(a.text, "%%") {
		r.held = types.UnsignedLong
	}
	a.registers = append(a.registers, r)
	return r
}

// fill puts an input into its register.
func (a *assembler) fill(op *asmOperand) {
	l := a.l
	v := l.convert(l.expr(op.e), op.t)
	if k, ok := v.e.(program.Const); op.may(asConstant) && (ok || op.only(asConstant)) {
		op.constant = v.e
		if ok {
			op.constant = program.Const(types.SignedOf(op.t.Size).Word().Wrap(int64(k)))
		}
		if op.only(asConstant) {
			return
		}
	}
	if op.r.in {
		a.refuse("two inputs in one register")
	}
	op.r.in = true
	op.r.known = op.t.Size
	op.r.low = l.kept(v)
	op.r.input = op.r.low
	l.assign(op.r.reg, l.convert(op.r.low, op.r.held).e)
}

// get is the lowest bytes of a register, as a value of type t.
func (a *assembler) get(r *asmRegister, t *types.Type) value {
	if r.known < t.Size {
		a.refuse("it reads what nothing has put into a register")
	}
	if r.low.t != nil && t.Size <= r.low.t.Size {
		return a.l.convert(r.low, t)
	}
	return a.l.convert(value{t: r.held, e: program.Reg(r.reg)}, t)
}

// put puts a value into the lowest bytes of a register.
func (a *assembler) put(r *asmRegister, v value) {
	a.changes(r, v.t.Size)
	if v.t.Size == 1 && a.boolean(v.e) {
		v.t = types.Bool // a _Bool may get it
	}
	v = a.l.kept(v)
	a.merge(r, v)
	r.low = v
	r.known = max(r.known, v.t.Size)
	if v.t.Size == 4 && !r.local {
		r.known = 8
	}
}

// changes notes that a register is written to.
func (a *assembler) changes(r *asmRegister, size int64) {
	switch {
	case len(r.outs) == 0 && !r.clobbered:
		a.refuse("it changes a register that is no output")
	case size > r.held.Size && r.local:
		a.refuse("the widths of an operand and an instruction differ")
	case size > r.held.Size: // nothing of what is above has been read
		r.held = types.UnsignedOf(size)
		r.reg = a.l.temp(r.held)
	}
	r.written = true
}

// merge writes some of the lowest bytes of a register: 1 or 2 leave the rest as it is, 4 clear it, but not in memory.
func (a *assembler) merge(r *asmRegister, v value) {
	if v.t.Size >= r.held.Size {
		a.l.assign(r.reg, a.l.convert(v, r.held).e)
		return
	}
	low := program.Const(1)<<(8*v.t.Size) - 1
	e := bin(program.BitAnd, v.e, low)
	if v.t.Size < 4 || r.local {
		e = bin(program.BitOr, bin(program.BitAnd, program.Reg(r.reg), ^low), e)
	}
	a.l.assign(r.reg, wrap(e, r.held))
}

// settled refuses to read an input of which the compiler may have taken the register for an output
// that is written by now: without "&" it supposes that all inputs are read first.
func (a *assembler) settled(r *asmRegister) {
	if a.mixed {
		a.refuse("an operand is read after an output is written that may be in a register or in memory")
	}
	if r != nil && (len(r.outs) > 0 || r.clobbered || r.local) {
		return
	}
	for _, q := range a.registers {
		if q.overwrites() && (r == nil || q.letter == "" || r.letter == "" || q.letter == r.letter) {
			a.refuse(noEarly)
		}
	}
}

const noEarly = "an output that is written before an input is read has no & in its constraint"

// overwrites is true of a register that an output has been written to which does not say that inputs are read later.
func (r *asmRegister) overwrites() bool {
	return r.written && !r.local && slices.ContainsFunc(r.outs, func(o *asmOperand) bool { return !o.early })
}

// settledAddress is settled, of a register that an address is in. That is none which holds an input of another value.
func (a *assembler) settledAddress(addr program.Expr) {
	base, off := operations.ConstantPart(addr)
	if base == nil {
		base, off = program.Const(off), 0
	}
	_, simple := base.(program.Reg)
	_, known := base.(program.Const)
	for _, q := range a.registers {
		if !q.overwrites() {
			continue
		}
		if !q.in || !simple && !known {
			a.refuse(noEarly)
		}
		for _, e := range []program.Expr{base, plus(base, off)} {
			holds := flowgraph.Fold(ne(wrap(e, q.input.t), q.input.e))
			if k, decided := holds.(program.Const); !decided || k == 0 {
				a.l.emit(program.Command{Op: program.Assert, Kind: program.Bound, Value: holds, Text: "not modelled: an address that an input of assembly equals, in whose register it may be"})
			}
			if off == 0 {
				break
			}
		}
	}
}

// named is true of what has a place that no register is needed for.
func named(e cc.ExpressionNode) bool {
	switch x := unwrap(e).(type) {
	case *cc.PrimaryExpression:
		return x.Case == cc.PrimaryExpressionIdent
	case *cc.PostfixExpression:
		return x.Case == cc.PostfixExpressionSelect && named(x.PostfixExpression)
	}
	return false
}

// An asmArg is an operand of an instruction.
type asmArg struct {
	op    *asmOperand // of the statement; nil: none of these
	r     *asmRegister
	width int64 // in bytes, of the name of a register
	p     *place
	k     program.Expr // a constant
	base  *asmRegister
}

var (
	operandName = text.NewPattern(`^%([bwkqhHcPaAnlz]?)(?:(\d+)|\[(\w+)\])$`)
	addressing  = text.NewPattern(`^(-?\w*)\((%[^,()]+)\)$`)
	widthOf     = map[string]int64{"b": 1, "w": 2, "l": 4, "k": 4, "q": 8}
)

// arg is what an operand of an instruction names.
func (a *assembler) arg(s string) *asmArg {
	if rest, is := strings.CutPrefix(s, "$"); is {
		if k, err := strconv.ParseInt(rest, 0, 64); err == nil {
			return &asmArg{k: program.Const(k)}
		}
	}
	if name, is := strings.CutPrefix(s, "%%"); is {
		if letter, width := registerName(name); width > 0 {
			return &asmArg{r: a.register(letter), width: width}
		}
	}
	if m := addressing.FindStringSubmatch(s); m != nil {
		off, err := int64(0), error(nil)
		if m[1] != "" {
			off, err = strconv.ParseInt(m[1], 0, 64)
		}
		base := a.arg(m[2])
		if err == nil && base.r != nil && !base.r.local && base.width == 8 {
			t := types.UnsignedOf(8)
			if base.op != nil && base.op.t.Kind == types.PointerKind {
				t = base.op.t
			}
			v := a.get(base.r, t)
			p := place{addr: plus(v.e, off)}
			if t.Kind == types.PointerKind {
				p.t = t.Elem
			}
			return &asmArg{p: &p, base: base.r}
		}
	}
	m := operandName.FindStringSubmatch(s)
	if m == nil {
		a.refuse("%q", s)
	}
	for i, op := range a.ops {
		if (m[3] == "" || op.name != m[3]) && m[2] != strconv.Itoa(i) {
			continue
		}
		switch {
		case op.flag != "" || m[1] != "" && widthOf[m[1]] == 0:
			a.refuse("%q", s)
		case op.memory:
			return &asmArg{op: op, p: &op.p}
		case op.constant != nil:
			return &asmArg{op: op, k: op.constant, r: op.r, width: 0}
		case op.r.local:
			return &asmArg{op: op, r: op.r}
		}
		arg := &asmArg{op: op, r: op.r, width: op.t.Size}
		if m[1] != "" {
			arg.width = widthOf[m[1]]
		}
		return arg
	}
	a.refuse("there is no operand %s", s)
	panic("unreachable")
}

// registerName is the letter and the width of a register of x86-64; the width of what is none, or not modelled, is 0.
func registerName(s string) (letter string, width int64) {
	for _, x := range oneRegister {
		var names []string
		letter := string(x)
		switch x {
		case 'a', 'b', 'c', 'd':
			names = []string{letter + "l", letter + "x", "e" + letter + "x", "r" + letter + "x"}
		default:
			i := strings.ToLower(letter) + "i"
			names = []string{i + "l", i, "e" + i, "r" + i}
		}
		if k := slices.Index(names, s); k >= 0 {
			return letter, 1 << k
		}
	}
	if k, err := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(s, "r"), "bwd")); strings.HasPrefix(s, "r") && err == nil && 8 <= k && k < 16 {
		number := "r" + strconv.Itoa(k)
		if i := slices.Index([]string{number + "b", number + "w", number + "d", number}, s); i >= 0 {
			return number, 1 << i
		}
	}
	return "", 0
}

func (a *assembler) refuse(format string, args ...any) {
	a.l.u.refuse(a.n, fmt.Sprintf("the assembly %q: %s", a.text, fmt.Sprintf(format, args...)))
}
