package imp

import (
	"fmt"
	"math"
	"strconv"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// Limits on what is declared, far beyond what an engine can search.
const (
	maxCells     = 1 << 17
	maxThreads   = 64
	maxRegisters = 1 << 12 // declared ones of one thread
)

type symbolKind uint8

const (
	constantSymbol symbolKind = iota
	sharedSymbol
	localSymbol
	processSymbol
	procedureSymbol
)

// A symbol is what a name stands for.
type symbol struct {
	kind  symbolKind
	name  string
	at    program.Position
	value int64        // of a constant
	typ   program.Type // of a variable; a constant of 2^63 and more is a uint64
	base  int64        // of a variable: its address, or register, or the one of element 0
	size  int64        // of an array, in elements; 0 for what is not one
	dims  []int64      // of an array
	proc  *family      // of a process
	sub   *subroutine  // of a procedure
}

func (s *symbol) String() string {
	switch {
	case s.kind == processSymbol:
		return "a process"
	case s.kind == procedureSymbol:
		return "a procedure"
	case s.kind == constantSymbol:
		return "a constant"
	case s.size > 0 && s.kind == localSymbol:
		return "a local array"
	case s.size > 0:
		return "an array"
	case s.kind == localSymbol:
		return "a local variable"
	}
	return "a shared variable"
}

// A family is a process and the threads that it stands for.
type family struct {
	*process
	routine
	from, to int64    // the values of the index; 0..0 without one
	first    int      // the thread of the first value
	scopes   []scope  // of the threads
	frames   []frames // of the threads
}

// A scope maps the names declared at a place to what they mean; outer has those
// declared around it.
type scope struct {
	names map[string]*symbol
	outer *scope
}

func (s scope) lookup(name string) *symbol {
	if sym := s.names[name]; sym != nil || s.outer == nil {
		return sym
	}
	return s.outer.lookup(name)
}

// known lists the names of the scope that may stand where kinds are wanted.
func (s scope) known(kinds ...symbolKind) []string {
	var names []string
	for n, sym := range s.names {
		for _, k := range kinds {
			if sym.kind == k {
				names = append(names, n)
			}
		}
	}
	if s.outer != nil {
		names = append(names, s.outer.known(kinds...)...)
	}
	return names
}

// A declarer enters declarations into scopes.
type declarer struct {
	src     *program.Source
	prog    *program.Program
	globals scope
	procs   []*family
	subs    []*subroutine
	member  string // of a family, while its body is lowered
}

func (d *declarer) fail(pos program.Position, hint, format string, args ...any) {
	if hint == "" && d.member != "" {
		hint = "in thread " + d.member
	}
	text.Fail(d.src.File(pos), pos, hint, format, args...)
}

func (d *declarer) declare(s scope, sym *symbol) {
	if old := s.lookup(sym.name); old != nil {
		hint := "it is declared at " + spot(old.at)
		d.fail(sym.at, hint, "%s is %s already", sym.name, old)
	}
	s.names[sym.name] = sym
}

// constants declares the constants of the file, with the values that defines
// gives to some of them.
func (d *declarer) constants(cs []*constant, defines map[string]int64) {
	for _, c := range cs {
		v, ok := defines[c.name]
		var typ program.Type
		if !ok {
			v = d.constant(c.value, d.globals)
			if d.globals.unsigned(c.value) {
				typ = program.Uint64Type
			}
		}
		d.declare(d.globals, &symbol{kind: constantSymbol, name: c.name, at: c.at, value: v, typ: typ})
	}
}

// memory declares the shared variables and lays them out.
func (d *declarer) memory(groups []*variables) {
	for _, g := range groups {
		for _, v := range g.vars {
			sym := &symbol{kind: sharedSymbol, name: v.name, at: v.at, typ: g.typ, base: int64(len(d.prog.Memory))}
			init := d.variable(g, v, sym, d.globals, maxCells-sym.base, "cells of memory")
			for i, name := range elements(sym) {
				d.prog.Memory = append(d.prog.Memory, program.Cell{
					Addr: sym.base + int64(i), Name: name, Type: sym.typ, Init: init(i)})
			}
			d.declare(d.globals, sym)
		}
	}
}

// locals declares the registers of a thread.
func (d *declarer) locals(groups []*variables, s scope, t *program.Thread) {
	for _, g := range groups {
		for _, v := range g.vars {
			sym := &symbol{kind: localSymbol, name: v.name, at: v.at, typ: g.typ, base: int64(len(t.Regs))}
			init := d.variable(g, v, sym, s, maxRegisters-sym.base, "registers in a process")
			for i, name := range elements(sym) {
				t.Regs = append(t.Regs, program.Register{Name: name, Type: sym.typ, Init: init(i)})
			}
			d.declare(s, sym)
		}
	}
}

// elements are the names of a variable's cells or registers.
func elements(sym *symbol) []string {
	if sym.size == 0 {
		return []string{sym.name}
	}
	names := []string{sym.name}
	for _, n := range sym.dims {
		var next []string
		for _, name := range names {
			for i := range n {
				next = append(next, name+"["+strconv.FormatInt(i, 10)+"]")
			}
		}
		names = next
	}
	return names
}

// variable sets the size of a variable, of which room is left, and returns the
// initial values of its elements.
func (d *declarer) variable(g *variables, v variable, sym *symbol, s scope, room int64, what string) func(int) int64 {
	need := int64(1)
	if need > room {
		d.fail(v.at, "", "too many %s", what)
	}
	for _, size := range v.sizes {
		n := d.constant(size, s)
		if n < 1 {
			d.fail(size.pos(), "", "array %s has %d elements: it needs at least 1", v.name, n)
		}
		if n > room/need {
			d.fail(size.pos(), "", "too many %s", what)
		}
		need *= n
		sym.dims = append(sym.dims, n)
		sym.size = need
	}
	switch {
	case g.list != nil:
		if sym.size == 0 {
			d.fail(v.at, "", "%s is not an array: a list of values is for arrays", v.name)
		}
		if int64(len(g.list)) != sym.size {
			d.fail(g.list[0].pos(), "", "%d initial values for the %d elements of %s", len(g.list), sym.size, v.name)
		}
		values := make([]int64, len(g.list))
		for i, e := range g.list {
			values[i] = d.fitting(e, sym.typ, s)
		}
		return func(i int) int64 { return values[i] }
	case g.init != nil:
		value := d.fitting(g.init, sym.typ, s)
		return func(int) int64 { return value }
	}
	return func(int) int64 { return 0 }
}

// processes declares the processes with their threads and registers.
func (d *declarer) processes(procs []*process) {
	for _, p := range procs {
		f := &family{process: p, first: len(d.prog.Threads), routine: newRoutine("process " + p.name)}
		if p.param != "" {
			f.from, f.to = d.constant(p.lo, d.globals), d.constant(p.hi, d.globals)
			if f.from > f.to {
				d.fail(p.lo.pos(), "", "%s has no threads: the range %d..%d is empty", p.name, f.from, f.to)
			}
		}
		// Unsigned, the difference of any two integers is right.
		if n := uint64(f.to) - uint64(f.from); n >= uint64(maxThreads-len(d.prog.Threads)) {
			d.fail(p.at, "", "more than %d threads", maxThreads)
		}
		d.declare(d.globals, &symbol{kind: processSymbol, name: p.name, at: p.at, proc: f})
		d.procs = append(d.procs, f)
		for i := f.from; ; i++ {
			d.prog.Threads = append(d.prog.Threads, &program.Thread{Name: f.threadName(i)})
			if i == f.to {
				break
			}
		}
	}
	// A local variable must not hide a process that is declared later.
	for _, f := range d.procs {
		for n := range f.threads() {
			s := scope{map[string]*symbol{}, &d.globals}
			if f.param != "" {
				d.declare(s, &symbol{kind: constantSymbol, name: f.param, at: f.paramAt, value: f.from + int64(n)})
			}
			d.locals(f.locals, s, d.prog.Threads[f.first+n])
			f.scopes = append(f.scopes, s)
			f.frames = append(f.frames, d.frames(f.body, d.prog.Threads[f.first+n]))
		}
	}
}

func (f *family) threads() int { return int(f.to-f.from) + 1 }

func (f *family) threadName(i int64) string {
	if f.param == "" {
		return f.name
	}
	return fmt.Sprintf("%s[%d]", f.name, i)
}

// fitting is the value of a constant expression, if it fits the type.
func (d *declarer) fitting(e expr, t program.Type, s scope) int64 {
	v := d.constant(e, s)
	d.fit(v, s.unsigned(e), t, e.pos())
	return v
}

// fit fails where v, which may be an unsigned number, does not fit the type.
func (d *declarer) fit(v int64, unsigned bool, t program.Type, at program.Position) {
	huge := unsigned && v < 0
	switch {
	case t == program.Uint64Type && (v >= 0 || huge):
	case t == program.Uint64Type:
		d.fail(at, "", "%d does not fit %v, which holds 0..%d", v, t, uint64(math.MaxUint64))
	case huge:
		d.fail(at, "", "%d does not fit %v, which holds %d..%d", uint64(v), t, t.Min(), t.Max())
	case v < t.Min() || v > t.Max():
		d.fail(at, "", "%d does not fit %v, which holds %d..%d", v, t, t.Min(), t.Max())
	}
}

// constant is the value of a constant expression.
func (d *declarer) constant(e expr, s scope) int64 {
	switch e := e.(type) {
	case *number:
		return e.value
	case *ref:
		sym := s.lookup(e.name)
		switch {
		case sym == nil:
			d.fail(e.at, suggest.OneOf(e.name, s.known(constantSymbol), "constants"), "there is no constant %s", e.name)
		case sym.kind != constantSymbol:
			d.fail(e.at, "", "%s is %s: a constant is needed here", e.name, sym)
		case e.index != nil:
			d.fail(e.at, "", "%s is a constant: it has no elements", e.name)
		}
		return sym.value
	case *unary:
		return program.EvalUnary(e.op, d.constant(e.x, s))
	case *binary:
		x := d.constant(e.x, s)
		// As everywhere, what and and or do not need cannot go wrong.
		if e.op == program.LogicalAnd && x == 0 {
			return 0
		}
		if e.op == program.LogicalOr && x != 0 {
			return 1
		}
		y := d.constant(e.y, s)
		if y == 0 && (e.op == program.Div || e.op == program.Rem) {
			d.fail(e.opAt, "", "division by zero")
		}
		return program.EvalBinary(operation(e, s, x, y))
	}
	d.fail(e.pos(), "", "a constant is needed here")
	return math.MinInt64
}
