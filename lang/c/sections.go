package c

import (
	"strings"

	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// The atomic sections of a program, between __VERIFIER_atomic_begin and _end and in functions whose names
// begin with __VERIFIER_atomic_, are locked sections of the program model. One inside another is a
// part of it: a register counts how deep the thread is, which is mostly known, so that it goes. Models
// without words for sections have those of one mutex in their place.

const (
	sectionBegin = "__VERIFIER_atomic_begin"
	sectionEnd   = "__VERIFIER_atomic_end"
)

// sectionFunction is true of the name of a function that is an atomic section.
func sectionFunction(name string) bool {
	return strings.HasPrefix(name, "__VERIFIER_atomic_") && name != sectionBegin && name != sectionEnd
}

// enter begins an atomic section.
func (l *lowerer) enter() {
	if l.dryness > 0 {
		l.emitted = true
		return
	}
	first, end := l.node(), l.node()
	l.split(eq(l.sections(), program.Const(0)), first, end)
	l.cur = first
	l.lockSections()
	l.land(end)
	l.assign(int(l.sections().(program.Reg)), plus(l.sections(), 1))
}

// quitSection ends an atomic section.
func (l *lowerer) quitSection() {
	if l.dryness > 0 {
		l.emitted = true
		return
	}
	last, end := l.node(), l.node()
	l.assign(int(l.sections().(program.Reg)), plus(l.sections(), -1))
	l.split(eq(l.sections(), program.Const(0)), last, end)
	l.cur = last
	l.unlockSections()
	l.land(end)
}

// sections is the register that counts in how many sections the thread is.
func (l *lowerer) sections() program.Expr {
	if l.inSections == 0 {
		l.inSections = l.register("sections", program.Int32Type, true) + 1
	}
	return program.Reg(l.inSections - 1)
}

func (l *lowerer) lockSections() {
	if !l.u.opts.NoBlocks {
		l.emit(program.Command{Op: program.Lock})
		return
	}
	p := l.u.sectionMutex()
	old := l.temp(types.Int)
	l.emit(atomicOp("begin", l.loadOp(p, old, acquire), checkOp(eq(program.Reg(old), program.Const(0))), l.storeOp(p, program.Const(1), acquire)))
}

func (l *lowerer) unlockSections() {
	if !l.u.opts.NoBlocks {
		l.emit(program.Command{Op: program.Unlock})
		return
	}
	l.emit(l.storeOp(l.u.sectionMutex(), program.Const(0), release))
}

// sectionMutex is the cell that is 1 while some thread is in a section.
func (u *unit) sectionMutex() place {
	return place{t: types.Int, addr: program.Const(u.operations.Helper("atomic section", types.Int).Base)}
}

// atomically makes an atomic section of what f lowers.
func (l *lowerer) atomically(f func() value) value {
	l.enter()
	v := f()
	l.quitSection()
	return v
}
