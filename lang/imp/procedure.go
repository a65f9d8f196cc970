package imp

import (
	"fmt"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/program"
)

// A call stands for the statements of the procedure. Its parameters and local variables
// are registers of the thread, the same ones for all of its calls, since no two of them
// are under way at once: a procedure does not call itself. A parameter that is assigned
// nothing, and is given a constant, is that constant.

// A routine has labels of its own: a process or a procedure.
type routine struct {
	what    string // "process P"
	labels  map[string]label
	targets map[string]bool // the labels that a goto names
}

func newRoutine(what string) routine {
	return routine{what, map[string]label{}, map[string]bool{}}
}

func (r *routine) labelNames() []string {
	names := make([]string, 0, len(r.labels))
	for n := range r.labels {
		names = append(names, n)
	}
	return names
}

// A subroutine is a declared procedure.
type subroutine struct {
	*procedure
	routine
	assigned map[string]bool // the names that something may be assigned to
	gives    bool            // it returns a value
}

// frames are the registers of the procedures that a thread calls.
type frames map[*subroutine]frame

// A frame is the registers of one procedure in one thread.
type frame struct {
	scope       scope
	first, last int // the registers of its local variables, which are set at every call
	result      int // the register of the value; -1: none
}

// procedures declares the procedures.
func (d *declarer) procedures(ps []*procedure) {
	for _, p := range ps {
		s := &subroutine{procedure: p, routine: newRoutine("procedure " + p.name), assigned: map[string]bool{}}
		s.scan(p.body)
		d.declare(d.globals, &symbol{kind: procedureSymbol, name: p.name, at: p.at, sub: s})
		d.subs = append(d.subs, s)
	}
}

// scan finds what the statements assign to and whether they return a value.
func (s *subroutine) scan(ss []*stmt) {
	for _, st := range ss {
		switch do := st.do.(type) {
		case *assignStmt:
			s.assigned[do.target.name] = true
		case *forStmt:
			s.assigned[do.v.name] = true
		case *leaveStmt:
			s.gives = s.gives || do.value != nil
		case *callStmt:
			if do.result != nil {
				s.assigned[do.result.name] = true
			}
			for _, a := range do.args {
				if r, ok := a.(*ref); ok { // it may be a var parameter
					s.assigned[r.name] = true
				}
			}
		}
		blocks(st.do, s.scan)
	}
}

// frames declares the registers of all procedures that the statements lead to.
func (d *declarer) frames(ss []*stmt, t *program.Thread) frames {
	fs := frames{}
	var enter func(ss []*stmt)
	enter = func(ss []*stmt) {
		for _, s := range ss {
			if do, ok := s.do.(*callStmt); ok {
				sym := d.globals.lookup(do.name)
				if sym == nil || sym.kind != procedureSymbol {
					continue // the checker says so
				}
				if _, known := fs[sym.sub]; !known {
					fs[sym.sub] = d.frame(sym.sub, t)
					enter(sym.sub.body)
				}
			}
			blocks(s.do, enter)
		}
	}
	enter(ss)
	return fs
}

// frame declares the registers of a procedure in a thread.
func (d *declarer) frame(s *subroutine, t *program.Thread) frame {
	f := frame{scope: scope{map[string]*symbol{}, &d.globals}, result: -1}
	begin := len(t.Regs)
	for _, p := range s.params {
		sym := &symbol{kind: localSymbol, name: p.name, at: p.at, typ: p.typ, base: int64(len(t.Regs))}
		if !p.ref {
			if len(t.Regs) >= maxRegisters {
				d.fail(p.at, "", "too many registers in a process")
			}
			t.Regs = append(t.Regs, program.Register{Name: p.name, Type: p.typ})
		}
		d.declare(f.scope, sym)
	}
	f.first = len(t.Regs)
	d.locals(s.locals, f.scope, t)
	f.last = len(t.Regs)
	if s.gives {
		f.result = len(t.Regs)
		t.Regs = append(t.Regs, program.Register{Name: "$return", Type: program.Int64Type, Temp: true})
	}
	for i := begin; i < len(t.Regs); i++ {
		t.Regs[i].Name = s.name + "." + t.Regs[i].Name
	}
	return f
}

// maxCalls bounds how often the bodies of procedures are gone through, which grows
// with every level of calls.
const maxCalls = 1 << 12

// call checks a call and what the procedure does with what it is given.
func (c *checker) call(do *callStmt) {
	sym := c.globals.lookup(do.name)
	if sym == nil || sym.kind != procedureSymbol {
		if sym := c.scope.lookup(do.name); sym != nil {
			c.fail(do.at, "", "%s is %s, not a procedure", do.name, sym)
		}
		c.fail(do.at, suggest.OneOf(do.name, c.globals.known(procedureSymbol), "procedures"), "there is no procedure %s", do.name)
	}
	s := sym.sub
	if len(do.args) != len(s.params) {
		c.fail(do.at, "it is declared as "+s.String(), "%d arguments for the %d parameters of %s", len(do.args), len(s.params), s.name)
	}
	if do.result != nil {
		c.target(do.result)
		if !s.gives {
			c.fail(do.at, "return e gives one", "procedure %s has no value", s.name)
		}
	}
	names := map[string]*symbol{}
	for i, p := range s.params {
		if p.ref {
			names[p.name] = c.variableArgument(do.args[i], s)
		} else {
			c.expr(do.args[i], false)
		}
	}
	for i, caller := range c.callers {
		if caller == s {
			var chain []string
			for _, x := range append(c.callers[i:], s) {
				chain = append(chain, x.name)
			}
			c.fail(do.at, strings.Join(chain, " calls "), "procedure %s calls itself: there is no recursion", s.name)
		}
	}
	if c.calls++; c.calls > maxCalls {
		c.fail(do.at, "", "more than %d calls, one within the other or one after the other", maxCalls)
	}
	inner := *c
	inner.routine, inner.loops = &s.routine, 0
	inner.scope = scope{names, &scope{c.frames[s].scope.names, c.frames[s].scope.outer}}
	inner.callers = append(c.callers, s)
	inner.statements(s.body, false)
	if s.gives && !returns(s.body) {
		c.fail(s.end, "every way through it ends with return e", "procedure %s may end without a value", s.name)
	}
	c.calls = inner.calls
}

// String is how a procedure is declared.
func (s *subroutine) String() string {
	var params []string
	for _, p := range s.params {
		if p.ref {
			params = append(params, "var "+p.name)
		} else {
			params = append(params, p.name)
		}
	}
	return fmt.Sprintf("%s(%s)", s.name, strings.Join(params, ", "))
}

// variableArgument is what a var parameter stands for in a call.
func (c *checker) variableArgument(e expr, s *subroutine) *symbol {
	r, ok := e.(*ref)
	if !ok {
		c.fail(e.pos(), s.String(), "a var parameter stands for a variable, an array or an element")
	}
	sym := c.scope.lookup(r.name)
	if sym == nil || sym.kind == constantSymbol || r.index != nil {
		c.target(r)
		if sym.size > 0 {
			return &symbol{kind: sym.kind, name: sym.name, at: sym.at, typ: sym.typ}
		}
	}
	if sym.kind != sharedSymbol && sym.kind != localSymbol {
		c.fail(r.at, "", "%s is %s, not a variable", r.name, sym)
	}
	return sym
}

// leave checks a break, continue or return.
func (c *checker) leave(s *stmt, do *leaveStmt) {
	switch {
	case do.word != "return" && c.loops == 0:
		c.fail(s.at, "", "%s outside of a loop", do.word)
	case do.value != nil && len(c.callers) == 0 && c.f != nil:
		c.fail(s.at, "return alone ends it", "%s has no value to return", c.what)
	}
	if do.value != nil {
		c.expr(do.value, false)
	} else if n := len(c.callers); do.word == "return" && n > 0 && c.callers[n-1].gives {
		c.fail(s.at, "", "procedure %s returns a value elsewhere, and here none", c.callers[n-1].name)
	}
}

// uncalled checks the procedures that nobody calls, as far as that is possible without
// knowing what their var parameters are.
func (d *declarer) uncalled(called map[*subroutine]bool) {
next:
	for _, s := range d.subs {
		if called[s] {
			continue
		}
		for _, p := range s.params {
			if p.ref {
				continue next
			}
		}
		do := &callStmt{at: s.at, name: s.name}
		for range s.params {
			do.args = append(do.args, &number{at: s.at})
		}
		body := []*stmt{{at: s.at, do: do}}
		nobody := newRoutine("nobody")
		c := &checker{declarer: d, routine: &nobody, scope: d.globals, frames: d.frames(body, &program.Thread{})}
		c.call(do)
	}
}

// returns is true of statements that do not come to their end.
func returns(ss []*stmt) bool {
	found := false
	for _, s := range ss {
		// What follows may be entered at a label.
		found = found && len(s.labels) == 0 || leaves(s.do)
	}
	return found
}

// leaves is true of a statement after which the next one does not come.
func leaves(do action) bool {
	switch do := do.(type) {
	case *leaveStmt:
		return do.word == "return"
	case *gotoStmt:
		return true
	case *ifStmt:
		for _, a := range do.arms {
			if !returns(a.body) {
				return false
			}
		}
		return returns(do.els)
	case *chooseStmt:
		for _, b := range do.branches {
			if !returns(b) {
				return false
			}
		}
		return true
	case *whileStmt:
		n, ok := do.cond.(*number)
		return ok && n.value != 0 && !breaks(do.body)
	}
	return false
}

// breaks is true of statements with a break out of the loop around them.
func breaks(ss []*stmt) bool {
	for _, s := range ss {
		if do, ok := s.do.(*leaveStmt); ok && do.word == "break" {
			return true
		}
		if isLoop(s.do) == 1 {
			continue
		}
		found := false
		blocks(s.do, func(ss []*stmt) { found = found || breaks(ss) })
		if found {
			return true
		}
	}
	return false
}

// isLoop is 1 of a loop that break leaves.
func isLoop(do action) int {
	switch do.(type) {
	case *whileStmt, *forStmt:
		return 1
	}
	return 0
}

// An activation is a process, or a procedure that is being called, while it is lowered.
type activation struct {
	*routine
	prefix string         // of its labels, as people see them
	labels map[string]int // the states of labels that were met
	exit   int            // the state after it
	result int            // the register of its value
	loops  []loop         // those around the statement
}

// A loop is where break and continue lead.
type loop struct{ exit, up int }

// leave is where a break, continue or return leads.
func (l *lowering) leave(s *stmt, do *leaveStmt) target {
	loops := l.act.loops
	switch do.word {
	case "break":
		return target{loops[len(loops)-1].exit, false}
	case "continue":
		return target{loops[len(loops)-1].up, false}
	}
	exit := target{l.act.exit, false}
	if do.value == nil {
		return exit
	}
	l.begin()
	l.emit(program.Command{Op: program.Assign, Reg: l.act.result, Value: l.value(do.value, nil), Pos: s.at})
	return l.steps(l.code, exit, s.at)
}

// call puts what a procedure does before next.
func (l *lowering) call(s *stmt, do *callStmt, next target) target {
	sub := l.globals.lookup(do.name).sub
	f := l.frames[sub]
	names := map[string]*symbol{}
	l.begin()
	for i, p := range sub.params {
		if p.ref {
			names[p.name] = l.aliased(do.args[i].(*ref))
			continue
		}
		x := l.converted(do.args[i], p.typ)
		if c, ok := x.(program.Const); ok && !sub.assigned[p.name] {
			names[p.name] = &symbol{kind: constantSymbol, name: p.name, at: p.at, value: int64(c), typ: p.typ}
			continue
		}
		l.emit(program.Command{Op: program.Assign, Reg: int(f.scope.names[p.name].base), Value: x, Pos: s.at})
	}
	for r := f.first; r < f.last; r++ {
		l.emit(program.Command{Op: program.Assign, Reg: r, Value: program.Const(l.thread.Regs[r].Init), Pos: s.at})
	}
	code := l.code

	exit := next.state
	if do.result != nil {
		l.begin()
		l.assign(do.result, &result{do.at, f.result}, s.at)
		exit = l.steps(l.code, next, s.at).state
	}
	caller, outer := l.act, l.scope
	l.act = &activation{routine: &sub.routine, prefix: sub.name + ".", labels: map[string]int{}, exit: exit, result: f.result}
	l.scope = scope{names, &f.scope}
	body := l.statements(sub.body, target{exit, false})
	l.act, l.scope = caller, outer
	return l.steps(code, body, s.at)
}

// aliased is the variable that a var parameter is another name for.
func (l *lowering) aliased(r *ref) *symbol {
	sym := l.scope.lookup(r.name)
	if r.index == nil {
		return sym
	}
	offset, ok := l.offset(r, sym, nil).(program.Const)
	if !ok {
		l.fail(r.at, "", "what a var parameter stands for is known before the program runs: the index must be constant")
	}
	return &symbol{kind: sym.kind, name: sym.name, at: sym.at, typ: sym.typ, base: sym.base + int64(offset)}
}
