package cycles

import (
	"fmt"
	"strconv"
)

// inC is what tests in C have in common.
type inC struct{}

func (inC) register(n int) string { return "r" + strconv.Itoa(n) }
func (inC) table() bool           { return false }

// branch puts the rest of the thread under a condition that holds where the cycle is there.
func (inC) branch(t *thread, d *dependency) {
	t.line("if (r%d == %d) {", d.reg, d.val)
	t.depth++
}

func (inC) value(x placed, d *dependency) string {
	if d != nil && d.kind == "data" {
		return fmt.Sprintf("%d + (r%d ^ r%d)", x.val, d.reg, d.reg)
	}
	return strconv.Itoa(x.val)
}

// c11 is C11.
type c11 struct{ inC }

func (c11) load(t *thread, x placed, m mode, _ *dependency) int {
	r := t.fresh()
	t.line("r%d = atomic_load_explicit(%s, memory_order_%s);", r, location(x.loc), m.code)
	return r
}

func (c c11) store(t *thread, x placed, m mode, d *dependency) {
	t.line("atomic_store_explicit(%s, %s, memory_order_%s);", location(x.loc), c.value(x, d), m.code)
}

func (c11) swap(t *thread, x, y placed, read, write mode, _ *dependency) int {
	order := "relaxed"
	switch a, b := read.code, write.code; {
	case a == "seq_cst" || b == "seq_cst":
		order = "seq_cst"
	case a == "acquire" && b == "release":
		order = "acq_rel"
	case a == "acquire":
		order = a
	case b == "release":
		order = b
	}
	r := t.fresh()
	t.line("r%d = atomic_exchange_explicit(%s, %d, memory_order_%s);", r, location(x.loc), y.val, order)
	return r
}

func (c11) address(thread, _ int) string {
	if thread < 0 {
		return "atomic_int"
	}
	return ""
}

// kernel is the C of the Linux kernel.
type kernel struct{ inC }

func (kernel) load(t *thread, x placed, m mode, _ *dependency) int {
	r := t.fresh()
	if m.code == "acquire" {
		t.line("r%d = smp_load_acquire(%s);", r, location(x.loc))
	} else {
		t.line("r%d = READ_ONCE(*%s);", r, location(x.loc))
	}
	return r
}

func (k kernel) store(t *thread, x placed, m mode, d *dependency) {
	if m.code == "release" {
		t.line("smp_store_release(%s, %s);", location(x.loc), k.value(x, d))
	} else {
		t.line("WRITE_ONCE(*%s, %s);", location(x.loc), k.value(x, d))
	}
}

func (kernel) swap(t *thread, x, y placed, read, write mode, _ *dependency) int {
	name := "xchg_relaxed"
	switch {
	case read.code != "" && write.code != "":
		name = "xchg"
	case read.code != "":
		name = "xchg_acquire"
	case write.code != "":
		name = "xchg_release"
	}
	r := t.fresh()
	t.line("r%d = %s(%s, %d);", r, name, location(x.loc), y.val)
	return r
}

func (kernel) address(thread, _ int) string {
	if thread < 0 {
		return "int"
	}
	return ""
}
