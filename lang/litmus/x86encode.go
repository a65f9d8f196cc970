package litmus

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/x64"
	"github.com/fencepost-verifier/fencepost/program"
)

// A ThreadCode is the instructions of a thread of a test for x86, as machine code. It begins
// with the registers as the test has them, and control leaves it at its end. Memory is where
// the program has it, moved by what [Test.Assemble] is told.
type ThreadCode struct {
	Code []byte
	// Start is what registers hold at first, by their numbers; others hold 0.
	Start map[int]int64
	// Regs is the numbers of the registers of the thread of the program, by their place there; -1
	// for one that is none of the processor's.
	Regs []int
}

// numbers is, by register, its number in machine code.
var numbers = map[base]x64.Reg{rax: x64.RAX, rbx: x64.RBX, rcx: x64.RCX, rdx: x64.RDX, rsi: x64.RSI, rdi: x64.RDI, rbp: x64.RBP, rsp: x64.RSP}

func number(b base) x64.Reg {
	if b >= r8 {
		return x64.R8 + x64.Reg(b-r8)
	}
	if n, ok := numbers[b]; ok {
		return n
	}
	return x64.NoReg
}

// Holds is true of a test in which the address of a variable is a value somewhere.
func (t *Test) Holds() bool {
	return slices.ContainsFunc(t.vars.sorted, func(v *variable) bool { return v.taken })
}

// Assemble makes machine code of a test for x86, in which every variable is moved by shift bytes.
// The error says what no processor is given from here: a stack.
func (t *Test) Assemble(shift int64) ([]ThreadCode, error) {
	set, ok := t.dialect.(x86Set)
	if !ok {
		return nil, fmt.Errorf("the test is for %s, and this is about x86", t.Arch)
	}
	var all []ThreadCode
	for i, th := range set.threads {
		e := encoder{t: t, short: t.Arch == x86, shift: shift}
		labels := map[int][]string{}
		for name, at := range th.labels {
			labels[at] = append(labels[at], name)
		}
		for k, in := range th.code {
			for _, l := range labels[k] {
				e.Label("L:" + l)
			}
			e.instr(in.(*instr))
		}
		for _, l := range labels[len(th.code)] {
			e.Label("L:" + l)
		}
		e.Label("end")
		code, err := e.Finish()
		if err != nil {
			return nil, fmt.Errorf("thread P%d: %w", i, err)
		}
		tc := ThreadCode{Code: code, Start: map[int]int64{}}
		for _, r := range t.Program.Threads[i].Regs {
			n := -1
			if reg, ok := registerNames[strings.ToLower(r.Name)]; ok && number(reg.base) != x64.NoReg {
				n = int(number(reg.base))
				tc.Start[n] = r.Init
				if n == int(x64.RSP) {
					return nil, fmt.Errorf("thread P%d uses the stack pointer", i)
				}
			}
			tc.Regs = append(tc.Regs, n)
		}
		all = append(all, tc)
	}
	return all, nil
}

// An encoder writes the instructions of a thread.
type encoder struct {
	x64.Code
	t     *Test
	short bool
	shift int64
}

func (e *encoder) operand(o *operand) x64.Operand {
	if o.kind == regOperand {
		return x64.Operand{Reg: number(o.reg.base), High: o.reg.part == high8}
	}
	m := x64.Operand{Mem: true, Base: x64.NoReg, Index: x64.NoReg, Scale: uint8(o.scale), Disp: o.imm, Short: e.short}
	if o.variable != "" {
		m.Disp += e.t.vars.byName[o.variable].addr + e.shift
	}
	if o.base != nil {
		m.Base = number(o.base.base)
	}
	if o.index != nil {
		m.Index = number(o.index.base)
	}
	if m.Base == x64.NoReg && m.Index == x64.NoReg {
		m.Short = false
	}
	return m
}

func (e *encoder) value(o *operand) int64 {
	if o.variable != "" {
		return o.imm + e.t.vars.byName[o.variable].addr + e.shift
	}
	return o.imm
}

var arithmetic = map[opcode]byte{opAdd: x64.Add, opOr: x64.Or, opAnd: x64.And, opSub: x64.Sub, opXor: x64.Xor, opCmp: x64.Cmp}

func (e *encoder) instr(in *instr) {
	switch in.op {
	case opNop:
		e.Raw(0x90)
		return
	case opFence:
		e.Raw(0x0f, 0xae, map[string]byte{program.TagMFence: 0xf0, program.TagSFence: 0xf8, program.TagLFence: 0xe8}[in.fence])
		return
	case opRet:
		e.Jump(-1, "end")
		return
	case opJmp, opJcc:
		cc := -1
		if in.op == opJcc {
			cc = int(in.cond)
		}
		e.Jump(cc, "L:"+in.label.Text)
		return
	}
	dst := e.operand(in.args[0])
	if len(in.args) == 1 {
		e.single(in, dst)
		return
	}
	src := in.args[1]
	if src.kind == immOperand {
		e.immediate(in, dst, e.value(src))
		return
	}
	e.double(in, dst, e.operand(src))
}

// single is an instruction with one operand.
func (e *encoder) single(in *instr, dst x64.Operand) {
	o := x64.Op{Bits: in.bits, Lock: in.lock, Wide: true, Digit: true, RM: dst}
	switch in.op {
	case opInc:
		o.Opcode, o.Reg = []byte{0xfe}, 0
	case opDec:
		o.Opcode, o.Reg = []byte{0xfe}, 1
	case opNot:
		o.Opcode, o.Reg = []byte{0xf6}, 2
	case opNeg:
		o.Opcode, o.Reg = []byte{0xf6}, 3
	case opSet:
		o.Opcode, o.Wide = []byte{0x0f, 0x90 + byte(in.cond)}, false
	}
	e.Emit(o)
}

// immediate is an instruction with a number.
func (e *encoder) immediate(in *instr, dst x64.Operand, v int64) {
	o := x64.Op{Bits: in.bits, Lock: in.lock, Wide: true, Digit: true, RM: dst}
	switch in.op {
	case opMov:
		if in.bits == 64 && !dst.Mem && int64(int32(v)) != v {
			e.Set(dst.Reg, v)
			return
		}
		o.Opcode = []byte{0xc6}
	case opTest:
		o.Opcode = []byte{0xf6}
	case opShl, opShr, opSar:
		o.Opcode, o.Reg = []byte{0xc0}, map[opcode]x64.Reg{opShl: 4, opShr: 5, opSar: 7}[in.op]
		e.Emit(o)
		e.Raw(byte(v))
		return
	default:
		o.Opcode, o.Reg = []byte{0x80}, x64.Reg(arithmetic[in.op])
	}
	e.Emit(o)
	e.Imm(v, in.bits)
}

// double is an instruction with two operands, one of which is a register.
func (e *encoder) double(in *instr, dst, src x64.Operand) {
	o := x64.Op{Bits: in.bits, Lock: in.lock, Wide: true}
	into := src.Mem // the register is the destination
	reg, rm := src, dst
	if into {
		reg, rm = dst, src
	}
	switch in.op {
	case opMov:
		o.Opcode = []byte{0x88}
	case opTest:
		o.Opcode, into = []byte{0x84}, false
	case opXchg:
		o.Opcode, into = []byte{0x86}, false
	case opXadd:
		o.Opcode = []byte{0x0f, 0xc0}
	case opCmpxchg:
		o.Opcode = []byte{0x0f, 0xb0}
	case opLea, opCmov, opMovExtend:
		reg, rm, into, o.Wide = dst, src, false, false
		switch {
		case in.op == opLea:
			o.Opcode = []byte{0x8d}
		case in.op == opCmov:
			o.Opcode = []byte{0x0f, 0x40 + byte(in.cond)}
		case in.from == 32:
			o.Opcode = []byte{0x63}
		default:
			o.Opcode, o.Byte = []byte{0x0f, 0xb6}, in.from == 8
			if in.from == 16 {
				o.Opcode[1]++
			}
			if in.signed {
				o.Opcode[1] += 8
			}
		}
	default:
		o.Opcode = []byte{arithmetic[in.op] << 3}
	}
	if into {
		o.Opcode = append([]byte{}, o.Opcode...)
		o.Opcode[len(o.Opcode)-1] += 2
	}
	o.Reg, o.High, o.RM = reg.Reg, reg.High, rm
	e.Emit(o)
}
