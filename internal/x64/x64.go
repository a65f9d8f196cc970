// Package x64 writes machine code for x86-64: instructions go in one by one, bytes come out. It has
// what litmus tests are made of, and no more. (Intel 64 and IA-32 Architectures Software
// Developer's Manual, volume 2.)
package x64

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A Reg is a register, by its number.
type Reg uint8

// The registers.
const (
	RAX Reg = iota
	RCX
	RDX
	RBX
	RSP
	RBP
	RSI
	RDI
	R8
	R9
	R10
	R11
	R12
	R13
	R14
	R15
	NoReg Reg = 255
)

// An Operand is a register or something in memory.
type Operand struct {
	Mem  bool
	Reg  Reg  // where it is none
	High bool // ah, ch, dh or bh

	// An address is base, index times scale, and a displacement of 32 bits with a sign.
	Base, Index Reg
	Scale       uint8 // 1, 2, 4 or 8
	Disp        int64
	Short       bool // addresses are computed in 32 bits
}

// R is a register.
func R(r Reg) Operand { return Operand{Reg: r} }

// At is an address below 2 GiB.
func At(addr int64) Operand { return Operand{Mem: true, Base: NoReg, Index: NoReg, Disp: addr} }

// Based is what a register points at.
func Based(r Reg, disp int64) Operand {
	return Operand{Mem: true, Base: r, Index: NoReg, Disp: disp}
}

// Code is machine code that is being written. The first error stays.
type Code struct {
	Bytes  []byte
	Err    error
	labels map[string]int
	jumps  []jump
}

type jump struct {
	at    int // of the distance, four bytes
	label string
}

func (c *Code) fail(format string, args ...any) {
	if c.Err == nil {
		c.Err = fmt.Errorf(format, args...)
	}
}

// Label gives the place a name.
func (c *Code) Label(name string) {
	if c.labels == nil {
		c.labels = map[string]int{}
	}
	if _, ok := c.labels[name]; ok {
		c.fail("two places are called %s", name)
	}
	c.labels[name] = len(c.Bytes)
}

// Raw appends bytes.
func (c *Code) Raw(b ...byte) { c.Bytes = append(c.Bytes, b...) }

func (c *Code) imm(v int64, bytes int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(v))
	c.Raw(b[:bytes]...)
}

// Jump jumps; cc is the condition, or -1.
func (c *Code) Jump(cc int, label string) {
	if cc < 0 {
		c.Raw(0xe9)
	} else {
		c.Raw(0x0f, 0x80+byte(cc))
	}
	c.jumps = append(c.jumps, jump{len(c.Bytes), label})
	c.imm(0, 4)
}

// Finish fills in the distances of jumps.
func (c *Code) Finish() ([]byte, error) {
	for _, j := range c.jumps {
		to, ok := c.labels[j.label]
		if !ok {
			c.fail("there is no place %s", j.label)
			break
		}
		binary.LittleEndian.PutUint32(c.Bytes[j.at:], uint32(int32(to-j.at-4)))
	}
	return c.Bytes, c.Err
}

// Op is an instruction with a register (or a digit of its opcode) and an operand. The opcode is
// that for 8 bits where wide is true: the others have one more. Lock puts the prefix before it.
type Op struct {
	Bits   uint8 // of the operation: 8, 16, 32, 64
	Lock   bool
	Opcode []byte
	Wide   bool // the opcode tells 8 bits from the others by its lowest bit
	Reg    Reg
	High   bool // Reg is ah, ch, dh or bh
	Digit  bool // Reg is a digit
	Byte   bool // the operand, if a register, has 8 bits whatever Bits is
	RM     Operand
}

// Emit writes it. An immediate comes after it, by [Code.Imm].
func (c *Code) Emit(o Op) {
	reg, rm := o.Reg, o.RM.Reg
	rex := byte(0)
	need := false // a REX prefix, for spl, bpl, sil and dil
	high := false
	part := func(r *Reg, isHigh, byteWide bool) {
		switch {
		case isHigh:
			high = true
			*r += 4
		case byteWide && *r >= RSP && *r <= RDI:
			need = true
		}
	}
	if !o.Digit {
		part(&reg, o.High, o.Bits == 8 && !o.Byte)
	}
	if !o.RM.Mem {
		part(&rm, o.RM.High, o.Bits == 8 || o.Byte)
	}
	if o.Bits == 64 {
		rex |= 8
	}
	if reg >= R8 {
		rex |= 4
	}
	if o.RM.Mem {
		if o.RM.Index != NoReg && o.RM.Index >= R8 {
			rex |= 2
		}
		if o.RM.Base != NoReg && o.RM.Base >= R8 {
			rex |= 1
		}
	} else if rm >= R8 {
		rex |= 1
	}
	if o.Lock {
		c.Raw(0xf0)
	}
	if o.Bits == 16 {
		c.Raw(0x66)
	}
	if o.RM.Mem && o.RM.Short {
		c.Raw(0x67)
	}
	if rex != 0 || need {
		if high {
			c.fail("ah, ch, dh and bh cannot stand beside registers of 64-bit mode")
		}
		c.Raw(0x40 | rex)
	}
	op := append([]byte(nil), o.Opcode...)
	if o.Wide && o.Bits > 8 {
		op[len(op)-1]++
	}
	c.Raw(op...)
	c.modrm(byte(reg&7), rm, &o.RM)
}

func (c *Code) modrm(reg byte, rm Reg, o *Operand) {
	if !o.Mem {
		c.Raw(0xc0 | reg<<3 | byte(rm&7))
		return
	}
	if o.Disp < math.MinInt32 || o.Disp > math.MaxInt32 && !(o.Short && o.Disp <= math.MaxUint32) {
		c.fail("the displacement %d does not fit into 32 bits", o.Disp)
	}
	scale := map[uint8]byte{0: 0, 1: 0, 2: 1, 4: 2, 8: 3}[o.Scale]
	index := byte(4)
	if o.Index != NoReg {
		if o.Index == RSP {
			c.fail("rsp cannot be an index")
		}
		index = byte(o.Index & 7)
	}
	switch {
	case o.Base == NoReg:
		c.Raw(reg<<3|4, scale<<6|index<<3|5)
	case o.Index == NoReg && o.Base&7 != 4:
		c.Raw(0x80 | reg<<3 | byte(o.Base&7))
	default:
		c.Raw(0x80|reg<<3|4, scale<<6|index<<3|byte(o.Base&7))
	}
	c.imm(o.Disp, 4)
}

// Imm appends an immediate for an operation of that width: up to 32 bits.
func (c *Code) Imm(v int64, bits uint8) {
	n := min(int(bits)/8, 4)
	lo, hi := int64(-1)<<(8*n-1), int64(1)<<(8*n)
	if bits == 64 {
		hi = 1 << 31
	}
	if v < lo || v >= hi {
		c.fail("%d does not fit into %d bits", v, 8*n)
	}
	c.imm(v, n)
}

// Set puts a number into a register, all 64 bits of it.
func (c *Code) Set(r Reg, v int64) {
	rex := byte(0x48)
	if r >= R8 {
		rex |= 1
	}
	c.Raw(rex, 0xb8+byte(r&7))
	c.imm(v, 8)
}

// Load and Store move 64 bits, or fewer: they are extended with zeros.
func (c *Code) Load(r Reg, from Operand, bits uint8) {
	switch bits {
	case 8:
		c.Emit(Op{Bits: 32, Opcode: []byte{0x0f, 0xb6}, Reg: r, Byte: true, RM: from})
	case 16:
		c.Emit(Op{Bits: 32, Opcode: []byte{0x0f, 0xb7}, Reg: r, RM: from})
	default:
		c.Emit(Op{Bits: bits, Opcode: []byte{0x8b}, Reg: r, RM: from})
	}
}

// Store moves that many bits.
func (c *Code) Store(to Operand, r Reg, bits uint8) {
	c.Emit(Op{Bits: bits, Opcode: []byte{0x88}, Wide: true, Reg: r, RM: to})
}

// The instructions of arithmetic with two operands, by the number in their opcodes.
const (
	Add = 0
	Or  = 1
	And = 4
	Sub = 5
	Xor = 6
	Cmp = 7
)

// Arith is such an instruction with an immediate of up to 32 bits.
func (c *Code) Arith(n byte, to Operand, v int64, bits uint8, lock bool) {
	c.Emit(Op{Bits: bits, Lock: lock, Opcode: []byte{0x80}, Wide: true, Reg: Reg(n), Digit: true, RM: to})
	c.Imm(v, bits)
}
