package litmus

import (
	"math"
	"slices"
	"strconv"

	"github.com/fencepost-verifier/fencepost/program"
)

// A lowering turns the instructions of a thread into an automaton.
type lowering struct {
	assembly
	*builder
	t      int
	thread *program.Thread
	code   *thread
	instrs []*instr
	in     *instr // the one that is being lowered
	live   []flagSet
	// flags is, for every flag, the instruction that set it, as long as that
	// can be told from the registers. Where it is nil, the flag has a
	// register of its own, if anybody reads it.
	flags    [numFlags]*outcome
	flagRegs [numFlags]int // 0 where there is none, else the register plus 1
	after    flagSet       // the flags that are live after the instruction
	temps    map[uint8][]int
	busy     map[int]bool // the temporaries that are in use
}

func (b *builder) lower(t int) {
	l := &lowering{builder: b, t: t, thread: b.prog.Threads[t], code: b.parser.threads[t], temps: map[uint8][]int{}}
	for _, in := range l.code.code {
		l.instrs = append(l.instrs, in.(*instr))
	}
	code := l.instrs
	l.live = liveFlags(code)
	joins := make([]bool, len(code)+1) // where a jump leads to
	reached := make([]bool, len(code)+1)
	for i, in := range code {
		l.State(in.at)
		if in.label.Text != "" {
			joins[in.target] = true
		}
		reached[i+1] = in.op != opJmp && in.op != opRet
	}
	end := l.State(l.end())
	for _, label := range l.code.labelAt {
		s := &l.States[l.code.labels[label.Text]]
		s.Labels = append(s.Labels, label.Text)
	}
	for i, in := range code {
		if i > 0 && !reached[i] {
			l.flags = [numFlags]*outcome{}
		}
		l.in, l.at, l.cur = in, in.at, i
		l.after = liveAfter(code, l.live, i)
		l.busy = map[int]bool{}
		for f, o := range l.flags {
			if o != nil && (l.after|l.live[i])&(1<<f) != 0 {
				l.reserve(o)
			}
		}
		l.preserve(l.after&^in.flagsSet(), in.writes())
		// Beyond a join nobody knows which instruction set a flag.
		var leaving flagSet
		if joins[i+1] {
			leaving = l.live[i+1]
		}
		switch in.op {
		case opJmp:
			l.materialize(l.live[in.target])
			l.bind(l.cur, in.target)
			continue
		case opRet:
			l.bind(l.cur, end)
			continue
		case opJcc:
			yes := l.holds(in.cond)
			l.materialize(leaving | l.live[in.target])
			l.edge(l.cur, in.target, program.Command{Op: program.Check, Value: yes})
			l.edge(l.cur, i+1, program.Command{Op: program.Check, Value: program.NotExpr(yes)})
			continue
		}
		l.instruction()
		l.materialize(leaving)
		l.bind(l.cur, i+1)
	}
	l.Finish(l.thread, 0, end)
}

// end is a position for the state in which the thread is done.
func (l *lowering) end() program.Position {
	if n := len(l.code.code); n > 0 {
		return l.code.code[n-1].common().at
	}
	return l.code.at
}

// reserve keeps the temporaries that an outcome reads.
func (l *lowering) reserve(o *outcome) {
	for _, e := range o.operands() {
		program.Walk(e, func(x program.Expr) {
			if r, ok := x.(program.Reg); ok {
				l.busy[int(r)] = true
			}
		})
	}
}

// preserve gives registers to the flags that are computed from registers which
// the instruction overwrites.
func (l *lowering) preserve(flags flagSet, written []register) {
	for f, o := range l.flags {
		for _, r := range written {
			if bit := flagSet(1 << f); o != nil && flags&bit != 0 && contains(o.flag(bit), l.regs[l.t][r.base].index) {
				l.materialize(bit)
			}
		}
	}
}

// materialize computes the flags into registers of their own.
func (l *lowering) materialize(flags flagSet) {
	for f, o := range l.flags {
		if bit := flagSet(1 << f); o != nil && flags&bit != 0 {
			l.assign(l.flagReg(f), o.flag(bit))
			l.flags[f] = nil
		}
	}
}

func (l *lowering) flagReg(f int) int {
	if l.flagRegs[f] == 0 {
		l.flagRegs[f] = l.newRegister(flagNames[f], program.BoolType) + 1
	}
	return l.flagRegs[f] - 1
}

func (l *lowering) newRegister(name string, typ program.Type) int {
	l.thread.Regs = append(l.thread.Regs, program.Register{Name: name, Type: typ, Temp: true})
	return len(l.thread.Regs) - 1
}

// flag is the value of a flag.
func (l *lowering) flag(bit flagSet) program.Expr {
	for f, o := range l.flags {
		if flagSet(1<<f) == bit {
			if o != nil {
				return o.flag(bit)
			}
			return program.Reg(l.flagReg(f))
		}
	}
	return program.Const(0)
}

// holds is the value of a condition: 0 or 1.
func (l *lowering) holds(c condition) program.Expr {
	var only *outcome
	same := true
	for f, o := range l.flags {
		if c.reads()&(1<<f) == 0 {
			continue
		}
		same = same && o != nil && (only == nil || only == o)
		only = o
	}
	var e program.Expr
	if same {
		e = only.holds(c &^ 1)
	} else {
		e = conditionOf(c&^1, l.flag)
	}
	if c&1 != 0 {
		e = program.Fold(program.NotExpr(e))
	}
	return e
}

// set notes that the instruction has set its flags to the outcome.
func (l *lowering) set(o *outcome) {
	for f := range l.flags {
		if l.in.flagsSet()&(1<<f) != 0 {
			l.flags[f] = o
		}
	}
}

// wanted is true where somebody reads one of the flags after the instruction.
func (l *lowering) wanted(flags flagSet) bool { return l.after&flags != 0 }

// temp is a register for a value of the width that no source knows of.
func (l *lowering) temp(bits uint8) int {
	for _, r := range l.temps[bits] {
		if !l.busy[r] {
			l.busy[r] = true
			return r
		}
	}
	n := 1
	for _, rs := range l.temps {
		n += len(rs)
	}
	r := l.newRegister("$"+strconv.Itoa(n), word(bits))
	l.temps[bits] = append(l.temps[bits], r)
	l.busy[r] = true
	return r
}

func (l *lowering) assign(r int, e program.Expr) {
	l.step(program.Command{Op: program.Assign, Reg: r, Value: e})
}

// whole is the register that takes on just the value where the part is
// written, or false where the part goes into the rest of the register.
func (l *lowering) whole(r register) (int, bool) {
	index := l.regs[l.t][r.base].index
	return index, r.part != high8 && r.part.bits() == l.thread.Regs[index].Type.Bits
}

// write is the command that writes part of a register. The value may have more
// bits than the part, which do not count.
func (l *lowering) write(r register, e program.Expr) program.Command {
	index, whole := l.whole(r)
	c := program.Command{Op: program.Assign, Reg: index, Value: e}
	if whole {
		return c
	}
	bits := r.part.bits()
	low := e
	if x, ok := e.(program.Reg); !ok || l.thread.Regs[x].Type.Bits > bits {
		low = truncate(e, bits)
	}
	if bits >= 32 {
		c.Value = low // the upper half is cleared
		return c
	}
	mask := int64(1<<bits-1) << r.part.shift()
	if r.part == high8 {
		low = binary(program.Shl, low, program.Const(8))
	}
	c.Value = binary(program.BitOr, binary(program.BitAnd, program.Reg(index), program.Const(^mask)), low)
	return c
}

// A place is where an instruction reads or writes memory.
type place struct {
	l    *lowering
	addr program.Expr
	bits uint8
	// guard is what must be done before: nil where the address is right.
	guard *program.Command
}

// place computes the address of an operand.
func (l *lowering) place(o *operand, bits uint8) place {
	p := place{l: l, addr: l.address(l.t, o), bits: bits}
	if _, ok := p.addr.(program.Const); !ok {
		valid := l.valid
		if l.mixed {
			valid = func(addr program.Expr, bits uint8) program.Expr { return l.reaches(addr, bits, nil) }
		}
		p.guard = &program.Command{
			Op: program.Assert, Kind: program.Fault, Value: valid(p.addr, bits),
			Text: o.text + " is not the address of a variable of " + strconv.Itoa(int(bits)) + " bits",
		}
	}
	return p
}

// guarded takes the step that must be done before an access.
func (l *lowering) guarded(p place) place {
	if p.guard != nil {
		l.step(*p.guard)
	}
	return p
}

func (l *lowering) steps(cmds []program.Command) {
	for _, c := range cmds {
		l.step(c)
	}
}

// spots is the cells that it reaches.
func (p place) spots() []spot {
	if !p.l.mixed {
		return []spot{{addr: p.addr, bits: p.bits}}
	}
	return p.l.spotsOf(p.addr, p.bits, p.l.finest(p.addr), false)
}

func (p place) load(r int) []program.Command {
	ss := p.spots()
	if len(ss) == 1 {
		return []program.Command{{Op: program.Load, Reg: r, Addr: p.addr}}
	}
	var cmds []program.Command
	var v program.Expr = program.Const(0)
	for _, s := range ss {
		t := p.l.temp(s.bits)
		cmds = append(cmds, program.Command{Op: program.Load, Reg: t, Addr: s.addr, Part: s.part})
		v = binary(program.BitOr, v, binary(program.Shl, program.Reg(t), program.Const(s.off)))
	}
	return append(cmds, program.Command{Op: program.Assign, Reg: r, Value: v})
}

func (p place) store(e program.Expr) []program.Command {
	ss := p.spots()
	if len(ss) == 1 {
		return []program.Command{{Op: program.Store, Addr: p.addr, Value: e}}
	}
	var cmds []program.Command
	for _, s := range ss {
		v := e
		if s.off > 0 {
			v = binary(program.Shr, e, program.Const(s.off))
		}
		if k, ok := v.(program.Const); ok {
			v = program.Const(word(s.bits).Wrap(int64(k)))
		}
		cmds = append(cmds, program.Command{Op: program.Store, Addr: s.addr, Value: v, Part: s.part})
	}
	return cmds
}

// value is the value of an operand of the width: memory is loaded.
func (l *lowering) value(o *operand, bits uint8) program.Expr {
	switch o.kind {
	case immOperand:
		n := o.imm
		if o.variable != "" {
			n = l.vars.byName[o.variable].addr
		}
		return program.Const(word(bits).Wrap(n))
	case regOperand:
		return l.reg(l.t, o.reg)
	}
	r := l.temp(bits)
	l.steps(l.guarded(l.place(o, bits)).load(r))
	return program.Reg(r)
}

// instruction lowers all but jumps.
func (l *lowering) instruction() {
	in := l.in
	switch in.op {
	case opFence:
		l.step(program.Command{Op: program.Fence, Tags: program.NewTags(in.fence)})
	case opMov:
		l.move(in.args[0], in.args[1], in.bits)
	case opMovExtend:
		v := l.value(in.args[1], in.from)
		if in.signed {
			v = signed(v, in.from)
		}
		l.step(l.write(in.args[0].reg, v))
	case opLea:
		l.step(l.write(in.args[0].reg, l.address(l.t, in.args[1])))
	case opCmp, opTest:
		a := l.value(in.args[0], in.bits)
		b := l.value(in.args[1], in.bits)
		_, o := l.compute(a, b)
		l.set(o)
	case opSet:
		v := l.holds(in.cond)
		if o := in.args[0]; o.kind == regOperand {
			l.step(l.write(o.reg, v))
		} else {
			l.steps(l.guarded(l.place(o, 8)).store(v))
		}
	case opCmov:
		l.conditionalMove()
	case opXchg:
		l.exchange()
	case opXadd:
		l.exchangeAdd()
	case opCmpxchg:
		l.compareExchange()
	case opAdd, opSub, opAnd, opOr, opXor, opInc, opDec, opNeg, opNot, opShl, opShr, opSar:
		l.arithmetic()
	}
}

func (l *lowering) move(dst, src *operand, bits uint8) {
	if dst.kind == memOperand {
		v := l.value(src, bits)
		p := l.guarded(l.place(dst, bits))
		if k, ok := v.(program.Const); ok {
			if addr, ok := p.addr.(program.Const); ok && len(p.spots()) == 1 { // as people write it
				v = program.Const(l.vars.at(int64(addr)).cell.Wrap(int64(k)))
			}
		}
		l.steps(p.store(v))
		return
	}
	if r, ok := l.whole(dst.reg); ok && src.kind == memOperand {
		l.steps(l.guarded(l.place(src, bits)).load(r))
		return
	}
	l.step(l.write(dst.reg, l.value(src, bits)))
}

// compute is what an instruction makes of two values of its width: the value,
// which may have more bits than count, and the outcome.
func (l *lowering) compute(a, b program.Expr) (program.Expr, *outcome) {
	in := l.in
	o := &outcome{kind: ofOther, bits: in.bits, a: a, b: b}
	same := a == b
	var v program.Expr
	switch in.op {
	case opAdd, opXadd:
		o.kind, v = ofSum, binary(program.Add, a, b)
	case opSub, opCmp, opCmpxchg:
		if o.kind, v = ofDifference, binary(program.Sub, a, b); same {
			v = program.Const(0)
		}
	case opAnd, opTest:
		if o.kind, v = ofLogic, binary(program.BitAnd, a, b); same {
			v = a
		}
	case opOr:
		if o.kind, v = ofLogic, binary(program.BitOr, a, b); same {
			v = a
		}
	case opXor:
		if o.kind, v = ofLogic, binary(program.BitXor, a, b); same {
			v = program.Const(0)
		}
	case opInc:
		o.kind, v = ofIncrement, binary(program.Add, a, program.Const(1))
	case opDec:
		o.kind, v = ofDecrement, binary(program.Sub, a, program.Const(1))
	case opNeg:
		o.kind, o.a, o.b = ofDifference, program.Const(0), a
		v = program.Fold(program.Unary{Op: program.Neg, X: a})
	case opNot:
		v = program.Fold(program.Unary{Op: program.Complement, X: a})
	case opShl, opShr, opSar:
		v = l.shift(o)
	}
	o.result = truncate(v, in.bits)
	return v, o
}

// shift is the value of a shift of o.a. It sets what the flags need of that.
func (l *lowering) shift(o *outcome) (v program.Expr) {
	in, n := l.in, l.in.shiftCount()
	if n > 1 && l.wanted(overflow) {
		l.fail(in.at, "", "%s: the overflow flag is read, which a shift by %d leaves undefined", in.text, n)
	}
	if in.op != opSar && n >= int64(in.bits) && l.wanted(carry) {
		l.fail(in.at, "", "%s: the carry flag is read, which a shift by %d of %d bits leaves undefined", in.text, n, in.bits)
	}
	bit := func(e program.Expr, i int64) program.Expr {
		return binary(program.BitAnd, binary(program.Shr, e, program.Const(i)), program.Const(1))
	}
	count, a := program.Const(n), o.a
	switch in.op {
	case opShl:
		v = binary(program.Shl, a, count)
		o.carry = bit(a, int64(in.bits)-n)
		o.overflow = binary(program.Ne, o.carry, signBit(truncate(v, in.bits), in.bits))
	case opShr:
		v = binary(program.Shr, a, count)
		if in.bits == 64 && n > 0 {
			v = binary(program.BitAnd, v, program.Const(math.MaxInt64>>(n-1)))
		}
		o.carry, o.overflow = bit(a, n-1), signBit(a, in.bits)
	case opSar:
		a = signed(a, in.bits)
		v = binary(program.Shr, a, count)
		o.carry, o.overflow = bit(a, n-1), program.Const(0)
	}
	return v
}

// arithmetic is the instructions that make a new value of their destination.
func (l *lowering) arithmetic() {
	in := l.in
	dst := in.args[0]
	var b program.Expr = program.Const(0)
	if len(in.args) == 2 {
		b = l.value(in.args[1], in.bits)
	}
	if dst.kind == memOperand {
		p := l.place(dst, in.bits)
		r := l.temp(in.bits)
		v, o := l.compute(program.Reg(r), b)
		l.update(p, slices.Concat(p.load(r), p.store(v))...)
		l.set(o)
		return
	}
	a := l.reg(l.t, dst.reg)
	index := l.regs[l.t][dst.reg.base].index
	wanted := l.wanted(in.flagsSet())
	if wanted && (contains(b, index) || in.carryOfOld() && l.wanted(carry|overflow)) {
		// The flags cannot be computed from the result: keep the values.
		r := l.temp(in.bits)
		l.assign(r, a)
		if a == b {
			b = program.Reg(r)
		} else if contains(b, index) {
			s := l.temp(in.bits)
			l.assign(s, b)
			b = program.Reg(s)
		}
		a = program.Reg(r)
	}
	v, o := l.compute(a, b)
	l.step(l.write(dst.reg, v))
	if wanted {
		o.computeBack(l.reg(l.t, dst.reg), index)
		l.set(o)
	}
}

// update reads and writes memory: in one step with a lock, else in two.
func (l *lowering) update(p place, cmds ...program.Command) {
	if !l.in.lock && l.in.op != opXchg {
		l.guarded(p)
		for _, c := range cmds {
			l.step(c)
		}
		return
	}
	l.step(l.atomic(p, cmds...))
}

// atomic is commands that are done at once.
func (l *lowering) atomic(p place, cmds ...program.Command) program.Command {
	if p.guard != nil {
		cmds = append([]program.Command{*p.guard}, cmds...)
	}
	return program.Command{Op: program.Atomic, Text: l.in.text, Body: cmds}
}

func (l *lowering) conditionalMove() {
	dst := l.in.args[0].reg
	yes := l.holds(l.in.cond)
	v := l.value(l.in.args[1], l.in.bits)
	from, moved, done := l.cur, l.State(l.at), l.State(l.at)
	l.edge(from, moved, program.Command{Op: program.Check, Value: yes})
	l.edge(moved, done, l.write(dst, v))
	// Without the move, too, an instruction of 32 bits clears the upper half.
	if index, whole := l.whole(dst); dst.part == low32 && !whole {
		kept := l.State(l.at)
		l.edge(from, kept, program.Command{Op: program.Check, Value: program.NotExpr(yes)})
		l.edge(kept, done, program.Command{Op: program.Assign, Reg: index, Value: l.reg(l.t, dst)})
	} else {
		l.edge(from, done, program.Command{Op: program.Check, Value: program.NotExpr(yes)})
	}
	l.cur = done
}

func (l *lowering) exchange() {
	dst, src := l.in.args[0], l.in.args[1]
	r := l.temp(l.in.bits)
	if dst.kind == memOperand {
		p := l.place(dst, l.in.bits)
		l.update(p, append(slices.Concat(p.load(r), p.store(l.reg(l.t, src.reg))), l.write(src.reg, program.Reg(r)))...)
		return
	}
	l.assign(r, l.reg(l.t, dst.reg))
	l.step(l.write(dst.reg, l.reg(l.t, src.reg)))
	l.step(l.write(src.reg, program.Reg(r)))
}

func (l *lowering) exchangeAdd() {
	in := l.in
	dst, src := in.args[0], in.args[1]
	r := l.temp(in.bits)
	old := program.Reg(r)
	sum, o := l.compute(old, l.reg(l.t, src.reg))
	var cmds []program.Command
	if dst.kind == regOperand || l.wanted(allFlags) {
		// The source is overwritten: the sum needs a register of its own.
		s := l.temp(in.bits)
		cmds = append(cmds, program.Command{Op: program.Assign, Reg: s, Value: sum})
		sum = program.Reg(s)
		o.b = truncate(binary(program.Sub, sum, old), in.bits)
		o.result = sum
	}
	if dst.kind == memOperand {
		p := l.place(dst, in.bits)
		cmds = slices.Concat(p.load(r), cmds, p.store(sum))
		l.update(p, append(cmds, l.write(src.reg, old))...)
	} else {
		l.assign(r, l.reg(l.t, dst.reg))
		l.step(cmds[0])
		l.step(l.write(src.reg, old))
		l.step(l.write(dst.reg, sum))
	}
	l.set(o)
}

// compareExchange is two ways to go on: the one stores, the other only loads.
func (l *lowering) compareExchange() {
	in := l.in
	p := l.place(in.args[0], in.bits)
	r := l.temp(in.bits)
	acc := in.accumulator()
	expected, old := l.reg(l.t, acc), program.Reg(r)
	_, o := l.compute(expected, old)
	load := p.load(r)
	// The accumulator changes, so the flags are computed before it does.
	var flags []program.Command
	for f := range numFlags {
		bit := flagSet(1 << f)
		if l.wanted(bit) {
			flags = append(flags, program.Command{Op: program.Assign, Reg: l.flagReg(f), Value: o.flag(bit)})
		}
		l.flags[f] = nil
	}
	success := slices.Concat([]program.Command{{Op: program.Check, Value: binary(program.Eq, expected, old)}},
		p.store(l.reg(l.t, in.args[1].reg)), flags)
	failure := append([]program.Command{{Op: program.Check, Value: binary(program.Ne, expected, old)}}, flags...)
	failure = append(failure, l.write(acc, old))
	if in.lock {
		from, done := l.cur, l.State(l.at)
		l.edge(from, done, l.atomic(p, slices.Concat(load, success)...))
		l.edge(from, done, l.atomic(p, slices.Concat(load, failure)...))
		l.cur = done
		return
	}
	l.guarded(p)
	l.steps(load)
	from, done := l.cur, l.State(l.at)
	for _, way := range [][]program.Command{success, failure} {
		l.cur = from
		for _, c := range way[:len(way)-1] {
			l.step(c)
		}
		l.edge(l.cur, done, way[len(way)-1])
	}
	l.cur = done
}
