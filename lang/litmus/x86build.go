package litmus

import (
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// An x86Set is the instructions of x86.
type x86Set struct{ *parser }

func newX86(p *parser) dialect { return x86Set{p} }

func (x x86Set) find(_ int, name string) (register, bool) { return findRegister(x.arch, name) }

func (x x86Set) spell(_ int, r register) string { return r.name(x.arch) }

func (x x86Set) count(int) int { return int(numBase) }

func (x x86Set) hint(_ int, name string) string { return x.registerHint(name) }

func (x x86Set) taken(name string) bool { return isRegister(name) }

func (p *parser) registerHint(name string) string {
	switch n := strings.ToLower(name); {
	case strings.HasPrefix(n, "xmm") || strings.HasPrefix(n, "ymm") || strings.HasPrefix(n, "zmm"):
		return "vector registers are not modelled"
	case n == "zf" || n == "sf" || n == "cf" || n == "of" || n == "pf":
		return "flags cannot be named: setcc puts one into a register"
	case isRegister(name):
		return "registers of X86 have up to 32 bits: " + register{rax, low32}.name(x86)
	}
	return text.DidYouMean(name, registersOf(p.arch))
}

func (x x86Set) program() {
	x.table(func(_ int, first token) instruction { return x.instruction(first) })
}

// each calls f for the instructions of all threads.
func (x x86Set) each(f func(thread int, in *instr)) {
	for t, th := range x.threads {
		for _, in := range th.code {
			f(t, in.(*instr))
		}
	}
}

func (x x86Set) names(b *builder) {
	x.stacks()
	x.each(func(_ int, in *instr) {
		for _, o := range in.args {
			if o.kind == memOperand && in.op != opLea && in.op != opNop && o.variable == "" && o.constantAddress() {
				// An absolute address: a variable that has no other name.
				o.variable, o.imm = fmt.Sprintf("[%#x]", uint64(o.imm)), 0
			}
			if o.variable == "" {
				continue
			}
			v := b.mention(o.variable, o.at)
			if o.kind == immOperand || in.op == opLea || !o.constantAddress() {
				v.taken = true
			}
		}
	})
}

// stacks makes variables of what is addressed from the stack pointer, in threads that
// do nothing else with it: such an access is there for its lock prefix.
func (x x86Set) stacks() {
	set := make([]bool, len(x.threads))
	for _, d := range x.decls {
		if d.reg != nil && d.reg.base == rsp && d.thread >= 0 && d.thread < len(set) {
			set[d.thread] = true
		}
	}
	stack := func(r *register) bool { return r != nil && r.base == rsp }
	x.each(func(t int, in *instr) {
		for _, o := range in.args {
			set[t] = set[t] || o.kind == regOperand && o.reg.base == rsp || o.kind == memOperand && (stack(o.index) || in.op == opLea && stack(o.base))
		}
	})
	x.each(func(t int, in *instr) {
		for _, o := range in.args {
			if o.kind == memOperand && !set[t] && stack(o.base) && o.index == nil && o.variable == "" {
				o.base, o.variable, o.imm = nil, fmt.Sprintf("P%d:stack%+d", t, o.imm), 0
			}
		}
	})
}

func (x x86Set) use(b *builder) {
	x.each(func(t int, in *instr) {
		for _, o := range in.args {
			for _, r := range []*register{o.base, o.index} {
				if r != nil {
					b.regs[t][r.base].used = true
				}
			}
			if o.kind == regOperand {
				b.regs[t][o.reg.base].used = true
			}
		}
		for _, r := range in.writes() {
			info := &b.regs[t][r.base]
			info.used = true
			info.written = max(info.written, r.part)
		}
	})
}

func (x x86Set) accesses(b *builder) []access {
	var as []access
	x.each(func(t int, in *instr) {
		if in.op == opLea || in.op == opNop {
			return
		}
		for i, o := range in.args {
			if o.kind != memOperand {
				continue
			}
			a := access{at: o.at, text: o.text, in: in.text, inAt: in.at, bits: in.bits,
				tell: func(bits uint8) { in.bits = bits; x.immediates(in) }}
			if i == 1 && in.op == opMovExtend {
				a.bits = in.from
			}
			if k, ok := b.address(t, o).(program.Const); ok {
				a.addr = int64(k)
				if a.v = b.vars.at(a.addr); a.v == nil {
					b.fail(o.at, "", "%s is not the address of a variable", o.text)
				}
			}
			as = append(as, a)
		}
	})
	return as
}

func (x x86Set) lower(b *builder, t int) { b.lower(t) }

// writes is the registers that an instruction writes.
func (in *instr) writes() []register {
	var rs []register
	switch in.op {
	case opCmp, opTest, opNop, opFence, opJmp, opJcc, opRet:
		return nil
	case opCmpxchg:
		return append(rs, in.accumulator())
	case opXchg, opXadd:
		rs = append(rs, in.args[1].reg)
	}
	if o := in.args[0]; o.kind == regOperand {
		rs = append(rs, o.reg)
	}
	return rs
}

// accumulator is the register that cmpxchg compares with.
func (in *instr) accumulator() register { return register{rax, part(in.bits)} }

// address is the address of an operand in memory.
func (b *builder) address(t int, o *operand) program.Expr {
	var sum program.Expr = program.Const(o.imm)
	if o.variable != "" {
		sum = program.Const(b.vars.byName[o.variable].addr + o.imm)
	}
	bits := b.wordBits
	if o.index != nil {
		index := b.reg(t, *o.index)
		if o.scale != 1 {
			index = binary(program.Mul, index, program.Const(o.scale))
		}
		sum = binary(program.Add, index, sum)
	}
	if o.base != nil {
		bits = o.base.part.bits()
		sum = binary(program.Add, b.reg(t, *o.base), sum)
	}
	if _, ok := sum.(program.Reg); ok {
		return sum
	}
	return truncate(sum, bits)
}
