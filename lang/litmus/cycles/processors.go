package cycles

import (
	"fmt"
	"strconv"
)

// firstAddress is the number of the register that has the address of the first location.
const firstAddress = 20

// x86 has operands in memory by name.
type x86 struct{}

var x86Registers = []string{"ax", "bx", "cx", "dx", "si", "di"}

func x86Name(letter string, n int) string {
	if n < len(x86Registers) {
		return letter + x86Registers[n]
	}
	if letter == "e" {
		return fmt.Sprintf("r%dd", n+2)
	}
	return fmt.Sprintf("r%d", n+2)
}

func (x86) load(t *thread, x placed, _ mode, _ *dependency) int {
	r := t.fresh()
	t.line("movl (%s),%%%s", location(x.loc), x86Name("e", r))
	return r
}

func (x86) store(t *thread, x placed, _ mode, _ *dependency) {
	t.line("movl $%d,(%s)", x.val, location(x.loc))
}

func (x86) swap(t *thread, x, y placed, _, _ mode, _ *dependency) int {
	r := t.fresh()
	t.line("movl $%d,%%%s", y.val, x86Name("e", r))
	t.line("xchgl %%%s,(%s)", x86Name("e", r), location(x.loc))
	return r
}

func (x86) branch(*thread, *dependency) {}
func (x86) register(n int) string       { return x86Name("r", n) }
func (x86) address(int, int) string     { return "" }
func (x86) table() bool                 { return true }

// label is the name of a new label, as the table has it and as jumps do.
func (t *thread) label() string {
	t.jumps++
	return fmt.Sprintf("LC%d%d", t.index, t.jumps-1)
}

// arm is AArch64.
type arm struct{}

func (arm) base(t *thread, x placed, d *dependency, plain bool) string {
	a := firstAddress + x.loc
	if d == nil || d.kind != "addr" {
		return fmt.Sprintf("[X%d]", a)
	}
	r := t.fresh()
	t.line("EOR W%d,W%d,W%d", r, d.reg, d.reg)
	if plain {
		return fmt.Sprintf("[X%d,W%d,SXTW]", a, r)
	}
	t.line("ADD X%d,X%d,W%d,SXTW", r, a, r)
	return fmt.Sprintf("[X%d]", r)
}

func (arm) value(t *thread, x placed, d *dependency) int {
	r := t.fresh()
	if d != nil && d.kind == "data" {
		t.line("EOR W%d,W%d,W%d", r, d.reg, d.reg)
		t.line("ADD W%d,W%d,#%d", r, r, x.val)
	} else {
		t.line("MOV W%d,#%d", r, x.val)
	}
	return r
}

func (a arm) load(t *thread, x placed, m mode, d *dependency) int {
	at := a.base(t, x, d, m.code == "")
	r := t.fresh()
	t.line("%s W%d,%s", map[string]string{"": "LDR", "A": "LDAR", "Q": "LDAPR"}[m.code], r, at)
	return r
}

func (a arm) store(t *thread, x placed, m mode, d *dependency) {
	v := a.value(t, x, d)
	t.line("%s W%d,%s", map[string]string{"": "STR", "L": "STLR"}[m.code], v, a.base(t, x, d, m.code == ""))
}

func (a arm) swap(t *thread, x, y placed, read, write mode, d *dependency) int {
	v := a.value(t, y, nil)
	at := a.base(t, x, d, false)
	r := t.fresh()
	t.line("SWP%s%s W%d,W%d,%s", read.code, write.code, v, r, at)
	return r
}

func (arm) branch(t *thread, d *dependency) {
	l := t.label()
	t.line("CBNZ W%d,%s", d.reg, l)
	t.line("%s:", l)
}

func (arm) register(n int) string { return "X" + strconv.Itoa(n) }
func (arm) address(thread, loc int) string {
	return fmt.Sprintf("%d:X%d=%s", thread, firstAddress+loc, location(loc))
}
func (arm) table() bool { return true }

// risc is RISC-V.
type risc struct{}

const firstRISC = 5

func (risc) base(t *thread, x placed, d *dependency) string {
	a := firstAddress + x.loc
	if d == nil || d.kind != "addr" {
		return fmt.Sprintf("(x%d)", a)
	}
	r := t.fresh() + firstRISC
	t.line("xor x%d,x%d,x%d", r, d.reg+firstRISC, d.reg+firstRISC)
	t.line("add x%d,x%d,x%d", r, a, r)
	return fmt.Sprintf("(x%d)", r)
}

func (risc) value(t *thread, x placed, d *dependency) int {
	r := t.fresh() + firstRISC
	from := 0
	if d != nil && d.kind == "data" {
		t.line("xor x%d,x%d,x%d", r, d.reg+firstRISC, d.reg+firstRISC)
		from = r
	}
	t.line("ori x%d,x%d,%d", r, from, x.val)
	return r
}

func (a risc) load(t *thread, x placed, m mode, d *dependency) int {
	at := a.base(t, x, d)
	r := t.fresh()
	t.line("lw%s x%d,0%s", m.code, r+firstRISC, at)
	return r
}

func (a risc) store(t *thread, x placed, m mode, d *dependency) {
	v := a.value(t, x, d)
	t.line("sw%s x%d,0%s", m.code, v, a.base(t, x, d))
}

func (a risc) swap(t *thread, x, y placed, read, write mode, d *dependency) int {
	v := a.value(t, y, nil)
	at := a.base(t, x, d)
	r := t.fresh()
	t.line("amoswap.w%s%s x%d,x%d,%s", read.code, write.code, r+firstRISC, v, at)
	return r
}

func (risc) branch(t *thread, d *dependency) {
	l := t.label()
	t.line("bne x%d,x0,%s", d.reg+firstRISC, l)
	t.line("%s:", l)
}

func (risc) register(n int) string { return "x" + strconv.Itoa(n+firstRISC) }
func (risc) address(thread, loc int) string {
	return fmt.Sprintf("%d:x%d=%s", thread, firstAddress+loc, location(loc))
}
func (risc) table() bool { return true }

// power is Power.
type power struct{}

const firstPower = 3

// dependent is a register with 0 that depends on what was read.
func (power) dependent(t *thread, d *dependency) int {
	r := t.fresh() + firstPower
	t.line("xor r%d,r%d,r%d", r, d.reg+firstPower, d.reg+firstPower)
	return r
}

func (p power) load(t *thread, x placed, _ mode, d *dependency) int {
	if d != nil && d.kind == "addr" {
		z := p.dependent(t, d)
		r := t.fresh()
		t.line("lwzx r%d,r%d,r%d", r+firstPower, z, firstAddress+x.loc)
		return r
	}
	r := t.fresh()
	t.line("lwz r%d,0(r%d)", r+firstPower, firstAddress+x.loc)
	return r
}

func (p power) store(t *thread, x placed, _ mode, d *dependency) {
	a := firstAddress + x.loc
	if d != nil && d.kind == "data" {
		z := p.dependent(t, d)
		t.line("addi r%d,r%d,%d", z, z, x.val)
		t.line("stw r%d,0(r%d)", z, a)
		return
	}
	v := t.fresh() + firstPower
	t.line("li r%d,%d", v, x.val)
	if d != nil && d.kind == "addr" {
		t.line("stwx r%d,r%d,r%d", v, p.dependent(t, d), a)
		return
	}
	t.line("stw r%d,0(r%d)", v, a)
}

func (power) swap(*thread, placed, placed, mode, mode, *dependency) int {
	panic("cycles: Power has no exchange")
}

func (power) branch(t *thread, d *dependency) {
	l := t.label()
	t.line("cmpw r%d,r%d", d.reg+firstPower, d.reg+firstPower)
	t.line("beq %s", l)
	t.line("%s:", l)
}

func (power) register(n int) string { return "r" + strconv.Itoa(n+firstPower) }
func (power) address(thread, loc int) string {
	return fmt.Sprintf("%d:r%d=%s", thread, firstAddress+loc, location(loc))
}
func (power) table() bool { return true }
