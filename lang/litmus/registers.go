package litmus

import (
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/program"
)

// The architectures.
const (
	x86   = "X86"
	x8664 = "X86_64"
)

var architectures = []string{x86, x8664}

// A base is a whole register of the processor, in the order of herd7.
type base int8

const (
	rip base = iota // in herd7 a register that no instruction touches, as cs is
	cs
	rax
	rbx
	rcx
	rdx
	rsi
	rdi
	rbp
	rsp
	r8
	r15     = r8 + 7
	numBase = r15 + 1
)

// A part is the width of a part of a register in bits; the second lowest byte
// has a part of its own.
type part uint8

const (
	low8  part = 8
	high8 part = 9
	low16 part = 16
	low32 part = 32
	all64 part = 64
)

func (p part) bits() uint8 {
	if p == high8 {
		return 8
	}
	return uint8(p)
}

func (p part) shift() int64 {
	if p == high8 {
		return 8
	}
	return 0
}

// A register is a part of a register as a test names it.
type register struct {
	base base
	part part
}

// registerNames is, by lower-case name, the registers of X86_64; those of X86
// are among them.
var registerNames = map[string]register{"rip": {rip, all64}, "eip": {rip, low32}, "cs": {cs, all64}}

func init() {
	for i, n := range []string{"ax", "bx", "cx", "dx", "si", "di", "bp", "sp"} {
		b := rax + base(i)
		registerNames["r"+n] = register{b, all64}
		registerNames["e"+n] = register{b, low32}
		registerNames[n] = register{b, low16}
		if i < 4 {
			registerNames[n[:1]+"l"] = register{b, low8}
			registerNames[n[:1]+"h"] = register{b, high8}
		} else {
			registerNames[n+"l"] = register{b, low8}
		}
	}
	for i, n := range []string{"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"} {
		b := r8 + base(i)
		registerNames[n] = register{b, all64}
		registerNames[n+"d"] = register{b, low32}
		registerNames[n+"w"] = register{b, low16}
		registerNames[n+"b"] = register{b, low8}
	}
}

// findRegister is the register of the architecture with the name.
func findRegister(arch, name string) (register, bool) {
	r, ok := registerNames[strings.ToLower(name)]
	if arch == x86 && (r.part == all64 || r.base >= r8 || r.part == low8 && r.base >= rsi) {
		return register{}, false
	}
	return r, ok
}

// isRegister is true of the name of a register of any architecture: a variable
// should not have it.
func isRegister(name string) bool {
	_, ok := registerNames[strings.ToLower(name)]
	return ok
}

// registersOf lists the names of the registers that programs use.
func registersOf(arch string) []string {
	var names []string
	for n := range registerNames {
		if r, ok := findRegister(arch, n); ok && r.base >= rax {
			names = append(names, r.name(arch))
		}
	}
	slices.Sort(names)
	return names
}

// name is the register as herd7 prints it.
func (r register) name(arch string) string {
	for n, q := range registerNames {
		if q != r {
			continue
		}
		if arch == x86 {
			return strings.ToUpper(n)
		}
		return n
	}
	return ""
}

// word is the type of the values that a register of the width holds: they are
// unsigned, but for 64 bits.
func word(bits uint8) program.Type { return program.Type{Bits: bits, Signed: bits == 64} }

// wordBits is the width of the registers of the architecture.
func wordBits(arch string) uint8 {
	if arch == x86 {
		return 32
	}
	return 64
}
