package litmus

import (
	"strconv"

	"github.com/fencepost-verifier/fencepost/program"
)

// A builder makes a program of what a parser read.
type builder struct {
	*parser
	prog *program.Program
	vars *variables
	regs []registers // by thread
	work int         // the size of all conditions on addresses
	// mixed is true of a test for x86 with accesses of several sizes to one variable.
	mixed bool
	// swapped is true where the first byte of a value counts most.
	swapped bool
}

// declared is the type that the register prints by.
func (r *registerInfo) declared() ctype {
	if r.typ == nil {
		return defaultType
	}
	return *r.typ
}

// registers is what is known of the registers of a thread.
type registers []registerInfo

type registerInfo struct {
	used    bool
	written part         // the widest part that the thread writes; 0 where it writes none
	held    program.Type // by it, where the dialect says so
	line    int          // of the initial state, where that has it; else 0
	typ     *ctype       // what it is declared as; nil: [defaultType]
	init    int64
	index   int // in program.Thread.Regs
}

func build(p *parser) *Test {
	b := &builder{
		parser: p,
		prog:   &program.Program{Name: p.name, Source: p.src, Default: program.Int32Type, Arch: p.tags},
		vars:   &variables{byName: map[string]*variable{}},
	}
	for t := range p.threads {
		b.regs = append(b.regs, make(registers, p.count(t)))
	}
	b.declare()
	b.mentionAll()
	b.place()
	b.useRegisters()
	t := &Test{
		Name: p.name, Arch: p.arch, Doc: p.docText,
		Program: b.prog, vars: b.vars, dialect: p.dialect,
	}
	shown := b.locations()
	for i := range p.threads {
		b.declareRegisters(i)
	}
	b.sizes()
	b.memory()
	for i := range p.threads {
		b.dialect.lower(b, i)
	}
	b.conditions(t)
	b.show(t, shown)
	t.Notes, t.labels = b.notes, b.labels()
	if c, ok := b.dialect.(*cTest); ok {
		t.AnyC = c.kernel.Text == "" && c.c11.Text == ""
	}
	return t
}

// useRegisters finds the registers that the program and the initial state
// name, and what the threads do to them.
func (b *builder) useRegisters() {
	for _, d := range b.decls {
		if d.reg == nil {
			continue
		}
		r := b.registerOf(d.thread, *d.reg, d.at)
		if r.line != 0 {
			b.fail(d.at, "", "%d:%s is initialized already, in line %d", d.thread, b.spell(d.thread, *d.reg), r.line)
		}
		r.line = d.at.Line
		if d.typ.name != "" {
			typ := d.typ
			r.typ = &typ
		}
		if len(d.init) == 0 {
			continue
		}
		n := b.value(d.init[0])
		w := word(d.reg.part.bits())
		if (program.Type{Bits: w.Bits, Signed: true}).Wrap(n) != n && w.Wrap(n) != n {
			b.fail(d.init[0].at, "", "%d does not fit into %d bits", n, w.Bits)
		}
		r.init = w.Wrap(n) << d.reg.part.shift()
	}
	b.use(b)
}

// registerOf is the information on a register that the initial state or the
// condition names.
func (b *builder) registerOf(thread int, r register, at program.Position) *registerInfo {
	if thread < 0 || thread >= len(b.regs) {
		b.fail(at, "", "the test has no thread %d: it has %s", thread, plural(len(b.regs), "thread"))
	}
	info := &b.regs[thread][r.base]
	info.used = true
	return info
}

// declareRegisters makes the registers of a thread.
func (b *builder) declareRegisters(t int) {
	th := &program.Thread{Name: "P" + strconv.Itoa(t)}
	for i := range b.regs[t] {
		r := &b.regs[t][i]
		if !r.used {
			continue
		}
		full := register{base(i), part(b.wordBits)}
		typ := word(full.part.bits())
		// Writing 32 bits clears the others: they need not be there.
		if r.written <= low32 && word(32).Wrap(r.init) == r.init {
			typ = word(32)
		}
		if r.held.Bits != 0 {
			typ = r.held
		}
		r.index = len(th.Regs)
		th.Regs = append(th.Regs, program.Register{Name: b.spell(t, full), Type: typ, Init: r.init})
	}
	b.prog.Threads = append(b.prog.Threads, th)
}

// reg is the value of a part of a register of thread t.
func (b *builder) reg(t int, r register) program.Expr {
	info := &b.regs[t][r.base]
	var e program.Expr = program.Reg(info.index)
	if info.written == 0 {
		e = program.Const(info.init)
	} else if have := b.prog.Threads[t].Regs[info.index].Type; r.part != high8 && r.part.bits() >= have.Bits {
		return e
	}
	if n := r.part.shift(); n > 0 {
		e = binary(program.Shr, e, program.Const(n))
	}
	return truncate(e, r.part.bits())
}

// contains is true where e reads the register.
func contains(e program.Expr, reg int) bool {
	found := false
	program.Walk(e, func(x program.Expr) { found = found || x == program.Reg(reg) })
	return found
}
