package litmus

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/fencepost-verifier/fencepost/program"
)

// An opcode is what an instruction does, its width and condition apart.
type opcode uint8

const (
	opNop opcode = iota
	opFence
	opMov
	opMovExtend // movzx, movsx
	opLea
	opAdd
	opSub
	opAnd
	opOr
	opXor
	opCmp
	opTest
	opInc
	opDec
	opNeg
	opNot
	opShl
	opShr
	opSar
	opXchg
	opXadd
	opCmpxchg
	opSet
	opCmov
	opJmp
	opJcc
	opRet
)

// An instr is an instruction. Its text is in lower case: lock xaddl.
type instr struct {
	head
	op     opcode
	bits   uint8 // the width; 0 where the operands decide
	from   uint8 // opMovExtend: the width of the source
	signed bool  // opMovExtend
	cond   condition
	fence  string // its tag
	lock   bool
	args   []*operand // the destination first
}

// plain is the instructions without suffixes.
var plain = map[string]instr{
	"mfence": {op: opFence, fence: program.TagMFence},
	"sfence": {op: opFence, fence: program.TagSFence},
	"lfence": {op: opFence, fence: program.TagLFence},
	"nop":    {op: opNop}, "nopw": {op: opNop}, "nopl": {op: opNop}, "nopq": {op: opNop},
	"clflush": {op: opNop}, "clflushopt": {op: opNop}, "clwb": {op: opNop},
	"prefetcht0": {op: opNop}, "prefetcht1": {op: opNop}, "prefetcht2": {op: opNop}, "prefetchnta": {op: opNop}, "prefetchw": {op: opNop},
	"pause": {op: opNop}, "endbr64": {op: opNop}, "endbr32": {op: opNop},
	"jmp": {op: opJmp},
	"ret": {op: opRet}, "retq": {op: opRet}, "retl": {op: opRet},
	"movzx": {op: opMovExtend}, "movsx": {op: opMovExtend, signed: true},
	"movsxd": {op: opMovExtend, signed: true, from: 32},
	"movabs": {op: opMov, bits: 64}, "movabsq": {op: opMov, bits: 64},
}

// suffixed is the instructions that can have the suffix b, w, l or q.
var suffixed = map[string]opcode{
	"mov": opMov, "lea": opLea, "add": opAdd, "sub": opSub, "and": opAnd, "or": opOr, "xor": opXor,
	"cmp": opCmp, "test": opTest, "inc": opInc, "dec": opDec, "neg": opNeg, "not": opNot,
	"shl": opShl, "sal": opShl, "shr": opShr, "sar": opSar,
	"xchg": opXchg, "xadd": opXadd, "cmpxchg": opCmpxchg,
}

var suffixes = map[byte]uint8{'b': 8, 'w': 16, 'l': 32, 'q': 64}

// instructions is all there are, made when the first test asks for them.
var instructions = sync.OnceValue(func() map[string]instr {
	all := maps.Clone(plain)
	for name, op := range suffixed {
		all[name] = instr{op: op}
		for s, bits := range suffixes {
			all[name+string(s)] = instr{op: op, bits: bits}
		}
	}
	// The sign or zero extensions of AT&T name both widths: movzbl.
	for s, from := range suffixes {
		for d, to := range suffixes {
			if from < to && from < 32 {
				all["movz"+string(s)+string(d)] = instr{op: opMovExtend, from: from, bits: to}
			}
			if from < to {
				all["movs"+string(s)+string(d)] = instr{op: opMovExtend, from: from, bits: to, signed: true}
			}
		}
	}
	for name, c := range conditions {
		all["j"+name] = instr{op: opJcc, cond: c}
		all["set"+name] = instr{op: opSet, cond: c, bits: 8}
		for s, bits := range suffixes {
			if bits > 8 {
				all["cmov"+name+string(s)] = instr{op: opCmov, cond: c, bits: bits}
			}
		}
	}
	// Last, because cmovl is a condition and not a width.
	for name, c := range conditions {
		all["cmov"+name] = instr{op: opCmov, cond: c}
	}
	// These two are herd7's own names.
	all["jlt"], all["jgt"] = all["jl"], all["jg"]
	return all
})

// refusedPrefix is why instructions are not supported, by how the name begins.
var refusedPrefix = map[string]string{
	"movnt": "non-temporal accesses are not modelled",
}

// refused is why instructions are not supported, by name.
var refused = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for reason, names := range map[string]string{
		"the cache is not modelled":                        "cldemote wbinvd wbnoinvd invd invlpg",
		"vector registers are not modelled":                "movaps movapd movups movupd movdqa movdqu movd movss movsd movlps movhps movlpd movhpd movq2dq movdq2q maskmovq maskmovdqu",
		"the stack is not modelled":                        "push pushq pushl pushw pop popq popl popw pushf pushfq popf popfq call callq enter leave leaveq",
		"multiplication and division are not supported":    "mul mulb mulw mull mulq imul imulw imull imulq div divl divq idiv idivl idivq",
		"arithmetic with the carry flag is not supported":  "adc adcb adcw adcl adcq sbb sbbb sbbw sbbl sbbq rcl rcr clc stc cmc",
		"instructions on single bits are not supported":    "bt btl btq bts btsl btsq btr btrl btrq btc btcl btcq bsf bsr lzcnt tzcnt popcnt",
		"rotation is not supported":                        "rol roll rolq ror rorl rorq shld shrd",
		"the order of bytes is not modelled":               "bswap bswapl bswapq movbe",
		"use movsx to extend a sign":                       "cbw cbtw cwde cwtl cdqe cltq cwd cwtd cdq cltd cqo cqto",
		"string instructions are not supported":            "rep repe repz repne repnz movsb movsw movsl movsq stosb stosw stosl stosq lodsb lodsw lodsl lodsq scasb scasw scasl scasq cmpsb cmpsw cmpsl cmpsq cld std",
		"transactions are not modelled":                    "xbegin xend xabort xtest xacquire xrelease",
		"instructions of the system are not modelled":      "int int3 into syscall sysenter sysexit iret iretq hlt cpuid rdtsc rdtscp in out cli sti rdmsr wrmsr ud2 monitor mwait umonitor umwait tpause serialize",
		"loops are written with a conditional jump":        "loop loope loopz loopne loopnz jcxz jecxz jrcxz",
		"flags are read by conditional instructions alone": "lahf sahf",
		"accesses of two words are not modelled":           "cmpxchg8b cmpxchg16b",
		"it is no instruction; use xchg":                   "uxch uxchb uxchw uxchl uxchq",
	} {
		for n := range strings.FieldsSeq(names) {
			all[n] = reason
		}
	}
	return all
})

// lockable is the instructions that a lock prefix can stand before.
var lockable = []opcode{opAdd, opSub, opAnd, opOr, opXor, opInc, opDec, opNeg, opNot, opXchg, opXadd, opCmpxchg}

// instruction reads an instruction; its first word was taken.
func (p *parser) instruction(t token) *instr {
	name := strings.ToLower(t.Text)
	if name == "lock" {
		p.accept(";") // as in "lock; incl (x)"
		m := p.ident("an instruction after lock", "")
		if strings.EqualFold(m.Text, "lock") {
			p.fail(m.Pos, "", "one lock is enough")
		}
		in := p.instruction(m)
		switch {
		case !slices.Contains(lockable, in.op):
			p.fail(t.Pos, "", "lock cannot stand before %s", m.Text)
		case in.args[0].kind != memOperand:
			p.fail(t.Pos, "", "an instruction with a lock prefix writes memory")
		}
		in.at, in.text, in.lock = t.Pos, "lock "+in.text, true
		return in
	}
	known, ok := instructions()[name]
	if !ok {
		if why, ok := refused()[name]; ok {
			p.refuse(t.Pos, t.Text, why)
		}
		for prefix, why := range refusedPrefix {
			if strings.HasPrefix(name, prefix) {
				p.refuse(t.Pos, t.Text, why)
			}
		}
		p.fail(t.Pos, meant(t.Text, namesOf(instructions())), "unknown instruction %s", t.Text)
	}
	in := &known
	in.at, in.text = t.Pos, name
	switch in.op {
	case opFence, opRet:
	case opNop:
		if strings.HasPrefix(name, "cl") || strings.HasPrefix(name, "pref") {
			p.note(t.Pos, "%s does nothing: caches are not modelled", t.Text)
		}
		if !p.atEndOfCell() {
			p.operands() // which it does not access
		}
	case opJmp, opJcc:
		if p.tok.Is("*") || p.tok.Is("%") {
			p.fail(p.tok.Pos, instead["indirect jumps are not supported"], "indirect jumps are not supported")
		}
		if p.tok.Kind == tokenNumber {
			p.fail(p.tok.Pos, "", "a jump leads to a label with a name")
		}
		in.label = p.ident("a label", "")
	default:
		p.shape(in, t)
	}
	return in
}

// shape reads the operands of an instruction and checks that they are of the
// kinds that it takes, and of its width.
func (p *parser) shape(in *instr, t token) {
	want := 2
	switch in.op {
	case opInc, opDec, opNeg, opNot, opSet:
		want = 1
	}
	if p.atEndOfCell() {
		p.fail(p.tok.Pos, operandHint(p.arch), "%s has %s", t.Text, plural(want, "operand"))
	}
	in.args = p.operands()
	p.endOfCell()
	if len(in.args) == 1 && (in.op == opShl || in.op == opShr || in.op == opSar) {
		// A shift by 1 needs no count.
		in.args = append(in.args, &operand{at: in.args[0].at, kind: immOperand, imm: 1})
		want = len(in.args)
	} else if p.arch == x8664 && len(in.args) == 2 {
		slices.Reverse(in.args)
	}
	if len(in.args) != want {
		p.fail(t.Pos, "", "%s has %s, not %d", t.Text, plural(want, "operand"), len(in.args))
	}
	p.order(in, t)
	dst, src := in.args[0], in.args[len(in.args)-1]
	for _, o := range in.args {
		p.checkScale(o)
	}
	if dst.kind == immOperand {
		p.fail(dst.at, p.orderHint(), "%s cannot have a number as its destination", t.Text)
	}
	if want == 2 && dst.kind == memOperand && src.kind == memOperand {
		p.fail(t.Pos, "take a register between them", "%s cannot have two operands in memory", t.Text)
	}
	needReg := func(o *operand, what string) {
		if o.kind != regOperand {
			p.fail(o.at, p.orderHint(), "the %s of %s is a register", what, t.Text)
		}
	}
	switch in.op {
	case opLea:
		needReg(dst, "destination")
		if src.kind != memOperand {
			p.fail(src.at, "", "lea takes the address of an operand in memory")
		}
	case opCmov, opMovExtend:
		needReg(dst, "destination")
		if src.kind == immOperand {
			p.fail(src.at, "", "%s takes a register or an operand in memory", t.Text)
		}
	case opXadd, opCmpxchg:
		needReg(src, "source")
	case opXchg:
		if src.kind == immOperand {
			p.fail(src.at, "", "xchg takes a register or an operand in memory")
		}
	case opShl, opShr, opSar:
		if src.kind != immOperand || src.variable != "" {
			p.fail(src.at, "", "shifts are supported by a constant number of bits only")
		}
	}
	p.width(in, t)
}

// order puts the operand in memory first where herd7 and the assembler have
// the operands in different orders, and refuses what would be ambiguous.
func (p *parser) order(in *instr, t token) {
	if len(in.args) != 2 {
		return
	}
	dst, src := in.args[0], in.args[1]
	switch in.op {
	case opXchg, opXadd, opCmpxchg, opTest:
		// One is a register: it is clear which.
		if src.kind == memOperand && dst.kind == regOperand {
			in.args[0], in.args[1] = src, dst
		} else if in.op == opCmpxchg && dst.kind == regOperand {
			p.fail(t.Pos, "one operand is memory: cmpxchgl %ebx,(x)", "cmpxchg of two registers is not supported")
		}
	case opCmov:
		if dst.kind == memOperand && src.kind == regOperand {
			in.args[0], in.args[1] = src, dst
		} else if p.arch == x8664 && strings.HasPrefix(in.text, "cmovc") && dst.kind == regOperand && src.kind == regOperand {
			p.fail(t.Pos, "cmovb is the same instruction, with the destination last",
				"cmovc of two registers: herd7 and assemblers disagree which is the destination")
		}
	}
}

func (p *parser) orderHint() string {
	if p.arch == x86 {
		return "in tests for X86 the destination comes first"
	}
	return "in tests for X86_64 the destination comes last"
}

// width finds the width of an instruction from its suffix and its operands, as
// far as they tell it.
func (p *parser) width(in *instr, t token) {
	for i, o := range in.args {
		bits := o.size
		if o.kind == regOperand {
			bits = o.reg.part.bits()
		}
		switch {
		case bits == 0 || i == 1 && (in.op == opLea || in.op == opShl || in.op == opShr || in.op == opSar):
		case i == 1 && in.op == opMovExtend:
			if in.from != 0 && in.from != bits {
				p.fail(o.at, "", "%s reads %d bits, but %s has %d", t.Text, in.from, o.text, bits)
			}
			in.from = bits
		case in.bits != 0 && in.bits != bits:
			p.fail(o.at, "", "%s is of %d bits, but %s has %d", t.Text, in.bits, o.text, bits)
		default:
			in.bits = bits
		}
	}
	if in.bits > p.wordBits {
		p.fail(t.Pos, "", "%s is of %d bits, but %s has registers of %d", t.Text, in.bits, p.arch, p.wordBits)
	}
	if in.op == opMovExtend && (in.from == 0 || in.from >= in.bits) {
		p.fail(t.Pos, "its name can say it, as movzbl does", "%s: the width of the source must be known, and less than that of the destination", t.Text)
	}
	if (in.op == opLea || in.op == opCmov) && in.bits == 8 {
		p.fail(t.Pos, "", "%s cannot be of 8 bits", t.Text)
	}
	if in.bits == 0 && p.arch == x86 {
		// As herd7 has it, X86 knows one width.
		in.bits = 32
	}
	p.immediates(in)
}

// immediates checks that numbers fit into the width of the instruction.
func (p *parser) immediates(in *instr) {
	for _, o := range in.args {
		switch {
		case o.kind != immOperand || in.bits == 0 || in.bits == 64:
		case o.variable != "":
			if in.bits < 32 {
				p.fail(o.at, "", "the address of %s does not fit into %d bits", o.variable, in.bits)
			}
		case o.imm < -1<<(in.bits-1) || o.imm >= 1<<in.bits:
			p.fail(o.at, "", "%d does not fit into %d bits", o.imm, in.bits)
		}
	}
}
