package c

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// An assembler lowers the instructions of x86-64 that locks are made of. What they do is in volume 2 of Intel's manual.
type assembler struct {
	l         *lowerer
	n         cc.Node
	text      string
	ops       []*asmOperand
	registers []*asmRegister
	lock      bool
	touched   bool // memory has been accessed, or accesses to it have been ordered
	mixed     bool // an output has been written that is in memory, or in a register if the compiler likes
	flags     asmFlags
	flagged   bool // somebody asks for a flag
	outputs   []*asmOperand
	dead      bool // no way leads to where it is
}

// asmFlags are the flags of the processor, as registers that hold 0 or 1; nil where one is not known.
type asmFlags struct{ zero, carry, sign, overflow program.Expr }

// instructions lowers an asm statement.
func (l *lowerer) instructions(n *cc.AsmStatement, text string, ops []*asmOperand, outputs int, clobbers []string) {
	lines := strings.Split(strings.ReplaceAll(text, "rep ; nop", "pause"), ";")
	jumping := slices.ContainsFunc(lines, jumps)
	a := &assembler{l: l, n: n, text: text, ops: ops, outputs: ops[:outputs], flagged: jumping || strings.Contains(text, "set")}
	for _, c := range clobbers {
		if letter, width := registerName(c); width > 0 {
			r := a.register(letter)
			r.clobbered, r.held = true, types.UnsignedLong
		}
	}
	for i, op := range ops {
		if op.e == nil || !op.understand(i < outputs, ops[:outputs]) {
			a.refuse("the constraint %q", op.constraint)
		}
		a.flagged = a.flagged || op.flag != ""
		a.place(op, i < outputs)
	}
	if jumping {
		a.widen()
	}
	for _, r := range a.registers {
		if r.held == nil {
			a.refuse("a register that is none of its operands")
		}
		r.reg = l.temp(r.held)
	}
	for i, op := range ops {
		if !op.memory && op.flag == "" && (i >= outputs || op.both) {
			a.fill(op)
		}
	}
	l.at(n)
	var to []int
	var at map[int]*jumpTarget
	if jumping {
		to, at = a.targets(lines)
	}
	for i, one := range lines {
		if jumping {
			if t := at[i]; t != nil {
				t.goesOn(a)
			}
			_, one = cutLabels(one)
		}
		name, args, _ := strings.Cut(strings.TrimSpace(one), " ")
		if name == "lock" {
			a.lock = true
			name, args, _ = strings.Cut(strings.TrimSpace(args), " ")
		}
		switch {
		case name == "" || name == "rep" && strings.TrimSpace(args) == "nop":
			continue
		case jumping && to[i] >= 0:
			a.jump(name, at[to[i]], to[i] <= i)
		default:
			a.instruction(name, arguments86(args))
		}
		a.lock = false
	}
	if a.dead {
		return // whoever comes here goes round for ever
	}
	for _, op := range ops[:outputs] {
		switch {
		case op.memory:
		case op.flag != "":
			l.store(op.p, l.convert(value{t: types.UnsignedChar, e: a.condition(op.flag)}, op.p.t.Plain()))
		case !op.r.in && op.r.known < op.t.Size && op.r.local && !op.r.written: // memory that is left as it is
		default:
			l.store(op.p, a.into(a.get(op.r, op.t), op.p.t))
		}
	}
}

// arguments86 takes the operands of an instruction apart.
func arguments86(s string) (args []string) {
	depth, from := 0, 0
	for i := range len(s) + 1 {
		switch {
		case i == len(s) || s[i] == ',' && depth == 0:
			if arg := strings.ReplaceAll(s[from:i], " ", ""); arg != "" {
				args = append(args, arg)
			}
			from = i + 1
		case s[i] == '(':
			depth++
		case s[i] == ')':
			depth--
		}
	}
	return args
}

// condition is whether a condition holds that instructions and "=@cc" name.
func (a *assembler) condition(name string) program.Expr {
	positive := name
	if rest, is := strings.CutPrefix(name, "n"); is {
		positive = rest
	}
	not := positive != name
	if name == "ae" {
		positive, not = "b", true
	}
	var e program.Expr
	switch positive {
	case "e", "z":
		e = a.flags.zero
	case "c", "b":
		e = a.flags.carry
	case "ae":
		e, not = a.flags.carry, false
	case "s":
		e = a.flags.sign
	case "o":
		e = a.flags.overflow
	case "a", "be":
		e, not = either(a.flags.carry, a.flags.zero), not != (positive == "a")
	case "l", "ge":
		e, not = differ(a.flags.sign, a.flags.overflow), not != (positive == "ge")
	case "g", "le":
		e, not = either(differ(a.flags.sign, a.flags.overflow), a.flags.zero), not != (positive == "g")
	default:
		a.refuse("the condition %q", name)
	}
	if e == nil {
		a.refuse("nothing is known of the flag that %q asks for", name)
	}
	if not {
		e = eq(e, program.Const(0))
	}
	return e
}

// either and differ are of two flags; nil where one is not known.
func either(x, y program.Expr) program.Expr {
	if x == nil || y == nil {
		return nil
	}
	return bin(program.BitOr, x, y)
}

func differ(x, y program.Expr) program.Expr {
	if x == nil || y == nil {
		return nil
	}
	return ne(x, y)
}

// instruction lowers one.
func (a *assembler) instruction(name string, args []string) {
	l := a.l
	switch name {
	case "nop", "pause", "mfence", "lfence", "sfence":
		if a.lock || len(args) > 0 {
			a.refuse("%s", name)
		}
		a.touched = true
		l.ordering(name)
		return
	case "prefetchw", "prefetcht0", "prefetcht1", "prefetcht2", "prefetchnta":
		if a.lock || len(args) != 1 || !a.arg(args[0]).inMemory() {
			a.refuse("%s", name)
		}
		return // a hint, which no address makes fail
	case "rdtsc", "rdtscp", "cpuid":
		a.anything(name, args)
		return
	case "cmpxchg16b":
		if len(args) != 1 {
			a.refuse("%s", name)
		}
		a.exchangePair(a.arg(args[0]))
		return
	}
	if cond, is := strings.CutPrefix(name, "set"); is && len(args) == 1 && !a.lock {
		e := value{t: types.UnsignedChar, e: a.condition(cond)}
		to := a.arg(args[0])
		// Compilers write it for an operand of any width, and assemblers refuse all but a byte.
		if to.r != nil && !to.r.local && to.width != 1 {
			a.refuse("%s writes a byte, and its operand is none", name)
		}
		a.write(to, e)
		return
	}
	if len(args) == 0 || len(args) > 2 {
		a.refuse("%s", name)
	}
	if last := args[len(args)-1]; a.lock && (strings.HasSuffix(last, "(%%rsp)") || strings.HasSuffix(last, "(%%esp)")) {
		a.touched = true
		l.fence(seqCst) // the cell on the stack is nobody's
		a.flags = asmFlags{}
		return
	}
	width := int64(0)
	if !knownInstruction(name) { // with a letter for how many bits
		n := len(name) - 1
		if n < 1 || strings.IndexByte("bwlq", name[n]) < 0 || !knownInstruction(name[:n]) {
			a.refuse("%s", name)
		}
		name, width = name[:n], widthOf[name[n:]]
	}
	if want := 2 - len(unary[name]); len(args) != want {
		a.refuse("%s with %d operands", name, len(args))
	}
	xs := make([]*asmArg, len(args))
	for i, s := range args {
		xs[i] = a.arg(s)
		if w := xs[i].width; w > 0 && width > 0 && w != width {
			a.refuse("%s has operands of %d and of %d bits", name, 8*width, 8*w)
		} else if w > 0 {
			width = w
		}
	}
	if width == 0 {
		a.refuse("%s does not say how many bits it is about", name)
	}
	to := xs[len(xs)-1]
	if to.constant() || len(xs) == 2 && xs[0].inMemory() && to.inMemory() {
		a.refuse("the operands of %s", name)
	}
	switch {
	case bitTests[name] != nil:
		a.bitTest(name, xs[0], to, width)
	case name == "mov":
		if a.lock {
			a.refuse("lock mov")
		}
		a.write(to, a.read(xs[0], to.typeOf(width)))
	case name == "xchg":
		from := xs[0]
		if from.inMemory() {
			from, to = to, from
		}
		a.exchange(from, to, width)
	case name == "xadd":
		a.exchangeAdd(xs[0], to, width)
	case name == "cmpxchg":
		a.compareExchange(xs[0], to, width)
	default:
		a.compute(name, xs, width, len(xs) == 2 && args[0] == args[1])
	}
}

// The registers that instructions put numbers into of which nothing is known: the time, and what the processor is.
var askers = map[string]string{"rdtsc": "ad", "rdtscp": "acd", "cpuid": "abcd"}

// anything is an instruction that does.
func (a *assembler) anything(name string, args []string) {
	if a.lock || len(args) > 0 {
		a.refuse("%s", name)
	}
	if name == "cpuid" {
		a.bring("a", types.UnsignedInt)
		a.touched = true
		a.l.fence(seqCst) // all that stands before it is done first
	}
	for _, letter := range askers[name] {
		a.put(a.register(string(letter)), a.l.havoc(types.UnsignedInt, 0, 1<<32-1))
	}
}

func (x *asmArg) inMemory() bool { return x.p != nil || x.r != nil && x.r.local }
func (x *asmArg) constant() bool { return x.k != nil }

// typeOf is the type that an instruction takes so many bytes of x for.
func (x *asmArg) typeOf(width int64) *types.Type {
	var t *types.Type
	switch {
	case x.p != nil:
		t = x.p.t
	case x.op != nil:
		t = x.op.t
	}
	if t != nil && t.Size == width && t.Scalar() && t.Kind != types.FloatKind && t.Kind != types.BoolKind && t.Kind != types.OtherKind {
		return t.Plain()
	}
	return types.UnsignedOf(width)
}

// memory is the place of an operand of an instruction that accesses so many bytes: it begins where the place does
// and is no larger.
func (a *assembler) memory(x *asmArg, width int64) place {
	if x.base != nil {
		a.settled(x.base)
	} else if !named(x.op.e) {
		a.settledAddress(x.p.addr)
	}
	if a.mixed {
		a.refuse("memory is accessed after an output is written that may be in a register or in memory")
	}
	a.touched = true
	p := *x.p
	if x.base != nil && (p.t == nil || p.t.Size != width) {
		p.t = types.UnsignedOf(width)
	}
	if x.base == nil && p.bits == 0 && p.parts == nil && p.addr != nil && (p.t.Size == 1 && width > 1 && !named(x.op.e) || p.t.Aggregate() && p.t.Size >= width) {
		// *(char *)p, or a large structure, is how libraries write where something of any type begins.
		p.t = types.UnsignedOf(width)
	}
	if !p.t.Scalar() || p.bits > 0 || p.t.Size < width || p.t.Kind == types.FloatKind || p.t.Kind == types.OtherKind {
		a.refuse("the widths of an operand in memory and an instruction differ")
	}
	return p
}

// into is a value as one of type t. Of a _Bool only 0 and 1 are values: what a program gets that finds something else
// in one is up to the compiler.
func (a *assembler) into(v value, t *types.Type) value {
	l := a.l
	if t.Kind == types.BoolKind && !a.boolean(v.e) {
		v = l.kept(v)
		l.emit(program.Command{Op: program.Assert, Kind: program.Bound, Value: flowgraph.Fold(program.NotExpr(bin(program.ULt, program.Const(1), v.e))),
			Text: "a _Bool that assembly makes neither 0 nor 1 is not modelled"})
	}
	return l.convert(v, t.Plain())
}

// boolean is true of what is known to be 0 or 1.
func (a *assembler) boolean(e program.Expr) bool {
	r, is := e.(program.Reg)
	return flowgraph.Boolean(e) || is && a.l.g.Regs[r].Type == program.BoolType
}

// exactly is memory of that width: the lowest bytes of what is wider.
func (a *assembler) exactly(x *asmArg, width int64) place {
	p := a.memory(x, width)
	if p.t.Size != width {
		p.t = types.UnsignedOf(width)
	}
	return p
}

// read is what an operand holds, as a value of type t.
func (a *assembler) read(x *asmArg, t *types.Type) value {
	switch {
	case x.k != nil:
		if k, ok := x.k.(program.Const); ok {
			if w := 8 * t.Size; w < 64 && (int64(k) < -1<<(w-1) || int64(k) >= 1<<w) {
				a.refuse("the constant %d has more than %d bits", int64(k), w)
			}
			return value{t: t, e: program.Const(t.Word().Wrap(int64(k)))}
		}
		return a.l.convert(a.l.convert(value{t: x.op.t, e: x.k}, types.SignedOf(x.op.t.Size)), t)
	case x.p != nil:
		return a.l.convert(a.l.loadAs(a.memory(x, t.Size), plain), t)
	}
	if x.r.local && x.r.held.Size < t.Size {
		a.refuse("the widths of an operand in memory and an instruction differ")
	}
	if x.op != nil && x.op.mixed && a.touched {
		a.refuse("an operand that the compiler may leave in memory is read after another access")
	}
	a.settled(x.r)
	return a.get(x.r, t)
}

// write writes a value to an operand that is no constant.
func (a *assembler) write(x *asmArg, v value) {
	if x.constant() {
		a.refuse("it writes to a constant")
	}
	if x.p == nil {
		a.put(x.r, v)
		return
	}
	p := a.exactly(x, v.t.Size)
	a.mixed = x.op != nil && x.op.mixed
	a.l.storeAs(p, a.into(v, p.t), plain)
}

// update replaces so many bytes of an operand by what f makes of them, and gives what they were. With lock that is one step.
func (a *assembler) update(name string, x *asmArg, width int64, f func(old program.Expr) program.Expr) program.Expr {
	l, t := a.l, types.UnsignedOf(width)
	old := l.temp(t)
	switch {
	case a.lock && x.p != nil:
		p := a.memory(x, width)
		found := l.temp(p.t.Plain())
		e := l.convert(value{t: p.t.Plain(), e: program.Reg(found)}, t).e
		e = f(e)
		if p.t.Size > width {
			low := program.Const(1)<<(8*width) - 1
			e = bin(program.BitOr, bin(program.BitAnd, program.Reg(found), ^low), bin(program.BitAnd, e, low))
		}
		became := value{t: types.UnsignedOf(p.t.Size), e: wrap(e, types.UnsignedOf(p.t.Size))}
		l.rmw(name, p, found, l.convert(became, p.t.Plain()).e, seqCst)
		a.into(became, p.t)
		l.assign(old, l.convert(value{t: p.t.Plain(), e: program.Reg(found)}, t).e)
		return program.Reg(old)
	case a.lock && (x.r == nil || !x.r.local):
		a.refuse("lock %s of a register", name)
	case a.lock:
		l.fence(seqCst)
	}
	l.assign(old, a.read(x, t).e)
	a.write(x, value{t: t, e: f(program.Reg(old))})
	return program.Reg(old)
}

// flag is a flag of that value.
func (a *assembler) flag(e program.Expr) program.Expr {
	if !a.flagged {
		return program.Const(0)
	}
	return a.l.kept(value{t: types.Bool, e: flowgraph.Fold(e)}).e
}

// overflows is whether x + y is sum in numbers with a sign only but for what they have no room for.
func (a *assembler) overflows(x, y, sum program.Expr, width int64) program.Expr {
	if !a.flagged {
		return program.Const(0)
	}
	sign := bin(program.BitAnd, bin(program.BitXor, x, sum), bin(program.BitXor, y, sum))
	return a.flag(ne(bin(program.BitAnd, bin(program.UShr, sign, program.Const(8*width-1)), program.Const(1)), program.Const(0)))
}

// follow sets the flags that tell of a result.
func (a *assembler) follow(result program.Expr, width int64) {
	a.flags.zero = a.flag(eq(result, program.Const(0)))
	a.flags.sign = a.flag(ne(bin(program.BitAnd, bin(program.UShr, result, program.Const(8*width-1)), program.Const(1)), program.Const(0)))
}

// Instructions that compute, and of which the first operand is also a 0 where there is only one.
var (
	arithmetic = map[string]program.BinaryOp{
		"add": program.Add, "sub": program.Sub, "and": program.BitAnd, "or": program.BitOr, "xor": program.BitXor,
		"inc": program.Add, "dec": program.Sub, "neg": program.Sub, "not": program.BitXor, "cmp": program.Sub, "test": program.BitAnd,
	}
	unary = map[string]string{"inc": "1", "dec": "1", "neg": "1", "not": "1"}
)

func knownInstruction(name string) bool {
	_, ok := arithmetic[name]
	return ok || bitTests[name] != nil || name == "mov" || name == "xchg" || name == "xadd" || name == "cmpxchg"
}

// compute is add and its kin.
func (a *assembler) compute(name string, xs []*asmArg, width int64, same bool) {
	l, t := a.l, types.UnsignedOf(width)
	to := xs[len(xs)-1]
	op := arithmetic[name]
	y := program.Expr(program.Const(1))
	clears := same && to.r != nil && !to.r.local && (name == "xor" || name == "sub")
	switch {
	case clears: // whatever the register holds
		a.settled(to.r)
		a.put(to.r, value{t: t, e: program.Const(0)})
		a.follow(program.Const(0), width)
		a.flags.carry, a.flags.overflow = program.Const(0), program.Const(0)
		return
	case len(xs) == 2:
		y = l.kept(a.read(xs[0], t)).e
	case name == "not":
		y = program.Const(t.Word().Wrap(-1))
	}
	result := func(x program.Expr) program.Expr {
		if name == "neg" {
			return wrap(bin(op, program.Const(0), x), t)
		}
		return wrap(bin(op, x, y), t)
	}
	var x program.Expr
	if name == "cmp" || name == "test" {
		if a.lock {
			a.refuse("lock %s", name)
		}
		x = l.kept(a.read(to, t)).e
	} else {
		x = a.update(name, to, width, result)
	}
	if name == "not" {
		return
	}
	r := result(x)
	a.follow(r, width)
	switch name {
	case "add":
		a.flags.carry = a.flag(bin(program.ULt, r, x))
	case "sub", "cmp":
		a.flags.carry = a.flag(bin(program.ULt, x, y))
	case "neg":
		a.flags.carry = a.flag(ne(x, program.Const(0)))
	case "and", "or", "xor", "test":
		a.flags.carry, a.flags.overflow = program.Const(0), program.Const(0)
		return
	}
	switch op {
	case program.Add:
		a.flags.overflow = a.overflows(x, y, r, width)
	case program.Sub:
		if name == "neg" {
			x, y = program.Const(0), x
		}
		a.flags.overflow = a.overflows(r, y, x, width)
	}
}

// exchange is xchg, which is locked where one of its operands is in memory.
func (a *assembler) exchange(from, to *asmArg, width int64) {
	l := a.l
	t := to.typeOf(width)
	v := l.kept(a.read(from, t))
	if to.p == nil {
		if a.lock && !to.r.local {
			a.refuse("lock xchg of registers")
		}
		if to.r.local {
			l.fence(seqCst)
		}
		old := l.kept(a.read(to, t))
		a.write(to, v)
		a.write(from, old)
		return
	}
	p := a.exactly(to, width)
	pt := p.t.Plain()
	a.write(from, l.convert(l.exchange(p, a.into(v, pt), seqCst), t))
}

// exchangeAdd is xadd.
func (a *assembler) exchangeAdd(from, to *asmArg, width int64) {
	l, t := a.l, types.UnsignedOf(width)
	if from.r == nil || from.constant() || from.r == to.r {
		a.refuse("the operands of xadd")
	}
	y := l.kept(a.read(from, t)).e
	sum := func(x program.Expr) program.Expr { return wrap(bin(program.Add, x, y), t) }
	x := a.update("xadd", to, width, sum)
	a.write(from, value{t: t, e: x})
	a.follow(sum(x), width)
	a.flags.carry = a.flag(bin(program.ULt, sum(x), x))
	a.flags.overflow = a.overflows(x, y, sum(x), width)
}

// bring reads a register that an instruction implies.
func (a *assembler) bring(letter string, t *types.Type) (*asmRegister, value) {
	r := a.register(letter)
	if r.held == nil {
		a.refuse("nothing has put anything into register %s", letter)
	}
	a.settled(r)
	return r, a.l.kept(a.get(r, t))
}

// compareExchange is cmpxchg.
func (a *assembler) compareExchange(from, to *asmArg, width int64) {
	l := a.l
	if !to.inMemory() || from.constant() {
		a.refuse("cmpxchg of what is no register and memory")
	}
	t := to.typeOf(width)
	acc, expected := a.bring("a", t)
	v := l.kept(a.read(from, t))
	if to.p == nil {
		a.compareAlone(to, acc, expected, v)
		return
	}
	p := a.exactly(to, width)
	pt := p.t.Plain()
	if !a.lock {
		a.compareUnlocked(p, acc, expected, v)
		return
	}
	a.changes(acc, width)
	s := &swapping{p: p, expected: a.into(expected, pt), desired: a.into(v, pt), ok: seqCst, fail: seqCst}
	a.swap(func(yes, no int) { l.swap(s, yes, no) }, func() []value { return []value{l.convert(l.swapped(s), t)} }, []*asmRegister{acc}, []value{expected})
	a.flags.carry, a.flags.sign, a.flags.overflow = nil, nil, nil
}

// compareUnlocked is cmpxchg without lock: others may come between what it reads and what it writes, which is what was there if that is
// not what was expected.
func (a *assembler) compareUnlocked(p place, acc *asmRegister, expected, v value) {
	l, pt := a.l, p.t.Plain()
	old := l.kept(l.convert(l.loadAs(p, plain), expected.t))
	a.changes(acc, expected.t.Size)
	a.swap(func(yes, no int) {
		same, other := l.node(), l.node()
		l.split(flowgraph.Fold(eq(old.e, expected.e)), same, other)
		l.cur = same
		l.storeAs(p, a.into(v, pt), plain)
		l.jump(yes)
		l.cur = other
		l.storeAs(p, a.into(old, pt), plain)
		l.jump(no)
	}, func() []value { return []value{old} }, []*asmRegister{acc}, []value{expected})
	a.flags.carry, a.flags.sign, a.flags.overflow = nil, nil, nil
}

// compareAlone is cmpxchg of a variable that nobody else can see.
func (a *assembler) compareAlone(to *asmArg, acc *asmRegister, expected, v value) {
	l := a.l
	if a.lock {
		l.fence(seqCst)
	}
	old := l.kept(a.read(to, expected.t))
	a.changes(acc, expected.t.Size)
	a.swap(func(yes, no int) {
		same := l.node()
		l.split(flowgraph.Fold(eq(old.e, expected.e)), same, no)
		l.cur = same
		a.write(to, v)
		l.jump(yes)
	}, func() []value { return []value{old} }, []*asmRegister{acc}, []value{expected})
	to.r.low = value{}
}

// swap does it, and puts what was there into registers where it has failed.
func (a *assembler) swap(split func(yes, no int), found func() []value, into []*asmRegister, was []value) {
	l := a.l
	yes, no, end := l.node(), l.node(), l.node()
	zero := l.temp(types.Bool)
	split(yes, no)
	l.cur = yes
	lows := make([]int, len(into))
	for i, v := range was {
		lows[i] = l.temp(v.t)
		l.assign(lows[i], v.e)
	}
	l.assign(zero, program.Const(1))
	l.jump(end)
	l.cur = no
	for i, v := range found() {
		l.assign(lows[i], v.e)
		a.merge(into[i], value{t: was[i].t, e: program.Reg(lows[i])})
	}
	l.assign(zero, program.Const(0))
	l.land(end)
	for i, r := range into {
		r.low = value{t: was[i].t, e: program.Reg(lows[i])}
	}
	a.flags = asmFlags{zero: program.Reg(zero)}
}

// pair is what cmpxchg16b swaps.
var pair = &types.Type{Kind: types.StructKind, Size: 16, Align: 16, Name: "what cmpxchg16b swaps", Whole: true,
	Fields: []types.Field{{Name: "low", Type: types.UnsignedLong}, {Name: "high", Type: types.UnsignedLong, Offset: 8}}}

// exchangePair is cmpxchg16b.
func (a *assembler) exchangePair(to *asmArg) {
	l := a.l
	if to.p == nil || to.p.addr == nil || to.base == nil && to.p.t.Size != 8 && to.p.t.Size != 16 {
		a.refuse("the operand of cmpxchg16b")
	}
	lo, wasLo := a.bring("a", types.UnsignedLong)
	hi, wasHi := a.bring("d", types.UnsignedLong)
	_, newLo := a.bring("b", types.UnsignedLong)
	_, newHi := a.bring("c", types.UnsignedLong)
	if to.base != nil {
		a.settled(to.base)
	} else if !named(to.op.e) {
		a.settledAddress(to.p.addr)
	}
	a.touched = true
	a.changes(lo, 8)
	a.changes(hi, 8)
	l.assertThat(eq(bin(program.BitAnd, to.p.addr, program.Const(15)), program.Const(0)), a.n, "%s swaps what begins at a multiple of 16",
		"cmpxchg16b of what does not begin at a multiple of 16 bytes")
	s := &swapping{p: place{t: pair, addr: to.p.addr}, ok: seqCst, fail: seqCst,
		expected: value{t: pair, agg: []program.Expr{wasLo.e, wasHi.e}}, desired: value{t: pair, agg: []program.Expr{newLo.e, newHi.e}}}
	flags := a.flags
	split, found := func(yes, no int) { l.swap(s, yes, no) }, func() []program.Expr { return l.swapped(s).agg }
	if !a.lock {
		old := l.loadAs(s.p, plain)
		split = func(yes, no int) {
			same, other := l.node(), l.node()
			l.split(flowgraph.Fold(bin(program.LogicalAnd, eq(old.agg[0], wasLo.e), eq(old.agg[1], wasHi.e))), same, other)
			l.cur = same
			l.storeAs(s.p, s.desired, plain)
			l.jump(yes)
			l.cur = other
			l.storeAs(s.p, old, plain)
			l.jump(no)
		}
		found = func() []program.Expr { return old.agg }
	}
	a.swap(split, func() []value {
		es := found()
		return []value{{t: types.UnsignedLong, e: es[0]}, {t: types.UnsignedLong, e: es[1]}}
	}, []*asmRegister{lo, hi}, []value{wasLo, wasHi})
	a.flags.carry, a.flags.sign, a.flags.overflow = flags.carry, flags.sign, flags.overflow // it sets no other flag
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
func (a *assembler) bitTest(name string, bit, to *asmArg, width int64) {
	l, t := a.l, types.UnsignedOf(width)
	if width < 2 || a.lock && name == "bt" || bit.inMemory() {
		a.refuse("the operands of %s", name)
	}
	n := l.kept(a.read(bit, types.SignedOf(width)))
	bits := program.Const(8 * width)
	if to.inMemory() && bit.r != nil {
		l.emit(program.Command{Op: program.Assert, Kind: program.Bound, Value: flowgraph.Fold(bin(program.ULt, n.e, bits)),
			Text: "a bit of what lies beside an operand of assembly is not modelled"})
	}
	k := l.kept(value{t: types.Long, e: flowgraph.Fold(bin(program.BitAnd, n.e, bits-1))}).e
	mask := bin(program.Shl, program.Const(1), k)
	result := func(old program.Expr) program.Expr { return wrap(bitTests[name](old, mask), t) }
	var old program.Expr
	if name == "bt" {
		old = l.kept(a.read(to, t)).e
	} else {
		old = a.update(name, to, width, result)
	}
	a.flags.carry = a.flag(ne(bin(program.BitAnd, bin(program.UShr, old, k), program.Const(1)), program.Const(0)))
	a.flags.sign, a.flags.overflow = nil, nil
}
