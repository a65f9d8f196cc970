package litmus

import (
	"slices"
	"strings"
)

// The names of the architecture.
const (
	x86   = "X86"
	x8664 = "X86_64"
)

// The registers.
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
