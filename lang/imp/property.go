package imp

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/internal/suggest"
	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// Limits on the expansion of a property over families.
const (
	maxInstances  = 1 << 18 // choices of indices
	maxConditions = 1 << 18 // nodes of the condition
)

// An index is a free name of a property with its range.
type index struct {
	name     string
	from, to int64
}

// A condition turns the condition of a property into an expression.
type condition struct {
	*declarer
	pr      *property
	indices []*index
	scope   scope // with the values of the indices
	nodes   int
}

// property enters a property into the program.
func (d *declarer) property(pr *property) {
	if pr.hang && d.globals.lookup("hang") == nil {
		d.prog.NoHang = true
		return
	}
	out := program.Property{Kind: pr.kind, Text: pr.text, Pos: pr.at}
	if pr.kind != program.Deadlock {
		c := &condition{declarer: d, pr: pr, scope: scope{map[string]*symbol{}, &d.globals}}
		c.bindIndices(pr.cond)
		c.check(pr.cond)
		if (pr.all || pr.filter != nil) && len(c.indices) == 0 {
			at := pr.at
			if pr.filter != nil {
				at = pr.filter.pos()
			}
			d.fail(at, "an index is a name that selects a thread: P[i]@label", "for is about indices, and there are none")
		}
		if pr.filter != nil {
			c.check(pr.filter)
		}
		out.Cond = c.expand()
	}
	d.prog.Properties = append(d.prog.Properties, out)
}

// bindIndices collects the free names that select a thread of a family, each
// with the values for which there is one everywhere.
func (c *condition) bindIndices(e expr) {
	var proc *ref
	switch e := e.(type) {
	case *location:
		proc = e.proc
	case *remote:
		proc = e.proc
	default:
		children(e, c.bindIndices)
		return
	}
	if len(proc.index) != 1 {
		return
	}
	name, ok := proc.index[0].(*ref)
	if !ok || name.index != nil || c.globals.lookup(name.name) != nil {
		return
	}
	f := c.family(proc)
	for _, x := range c.indices {
		if x.name == name.name {
			x.from, x.to = max(x.from, f.from), min(x.to, f.to)
			return
		}
	}
	c.indices = append(c.indices, &index{name.name, f.from, f.to})
	c.scope.names[name.name] = &symbol{kind: constantSymbol, name: name.name, at: name.at, value: f.from}
}

// family is the process that a reference names.
func (c *condition) family(proc *ref) *family {
	sym := c.globals.lookup(proc.name)
	if sym == nil || sym.kind != processSymbol {
		c.fail(proc.at, suggest.OneOf(proc.name, c.globals.known(processSymbol), "processes"), "there is no process %s", proc.name)
	}
	f := sym.proc
	if proc.index == nil && f.param != "" {
		c.fail(proc.at, fmt.Sprintf("one of them is %s[%d]; %s[i] is any of them", f.name, f.from, f.name), "%s is a family of processes", f.name)
	}
	if proc.index != nil && f.param == "" {
		c.fail(proc.index[0].pos(), "", "%s is a single process: it takes no index", f.name)
	}
	if len(proc.index) > 1 {
		c.fail(proc.index[1].pos(), "", "%s has one index", f.name)
	}
	return f
}

// check finds what is wrong whatever the values of the indices are, even where
// there are none.
func (c *condition) check(e expr) {
	switch e := e.(type) {
	case *location:
		f := c.family(e.proc)
		if _, ok := f.labels[e.label.name]; !ok {
			c.fail(e.label.at, suggest.OneOf(e.label.name, f.labelNames(), "labels of "+f.name), "process %s has no label %s", f.name, e.label.name)
		}
		return
	case *remote:
		f := c.family(e.proc)
		sym := f.scopes[0].names[e.reg.name]
		if sym == nil || sym.kind != localSymbol {
			c.fail(e.reg.at, suggest.OneOf(e.reg.name, f.scopes[0].local(), "local variables of "+f.name), "process %s has no local variable %s", f.name, e.reg.name)
		}
		c.element(e.reg, sym)
		return
	case *ref:
		sym := c.scope.lookup(e.name)
		switch {
		case sym == nil:
			c.fail(e.at, c.undeclaredHint(e.name), "%s is not declared", e.name)
		case sym.kind == procedureSymbol:
			c.fail(e.at, "", "%s is a procedure, not a value", e.name)
		case sym.kind == processSymbol:
			c.fail(e.at, fmt.Sprintf("a state is %s@label, a register %s.r", e.name, e.name), "%s is a process, not a value", e.name)
		}
		c.element(e, sym)
		return
	case *choice, *rmw:
		c.fail(e.pos(), "", "a property only looks at the state")
	}
	children(e, c.check)
}

// element checks the index of a variable that may be an array.
func (c *condition) element(e *ref, sym *symbol) {
	c.indexed(e, sym)
}

func (c *condition) undeclaredHint(name string) string {
	for _, f := range c.procs {
		if sym := f.scopes[0].names[name]; sym != nil && sym.kind == localSymbol {
			return fmt.Sprintf("that of process %s is %s.%s", f.name, f.threadName(f.from), name)
		}
	}
	return text.DidYouMean(name, c.scope.known(constantSymbol, sharedSymbol))
}

// local lists the local variables of a process.
func (s scope) local() []string {
	return scope{names: s.names}.known(localSymbol)
}

// expand is the condition for all values of the indices that pass the filter:
// for each of them where the property says forall or "for all", for some of them
// elsewhere.
func (c *condition) expand() program.Expr {
	instances := int64(1)
	for _, x := range c.indices {
		if instances *= max(x.to-x.from+1, 0); instances > maxInstances {
			c.fail(c.pr.at, "", "the property stands for more than %d conditions", maxInstances)
		}
	}
	op := program.LogicalOr
	if c.pr.all || c.pr.kind == program.Forall {
		op = program.LogicalAnd
	}
	var conds []program.Expr
	for n := range instances {
		for i := len(c.indices) - 1; i >= 0; i-- {
			x := c.indices[i]
			size := x.to - x.from + 1
			c.scope.names[x.name].value = x.from + n%size
			n /= size
		}
		if c.pr.filter != nil && c.constant(c.pr.filter, c.scope) == 0 {
			continue
		}
		cond := c.value(c.pr.cond)
		if k, ok := cond.(program.Const); ok && (k != 0) == (op == program.LogicalAnd) {
			continue // it decides nothing
		}
		conds = append(conds, cond)
	}
	if len(conds) == 0 {
		return program.Const(program.Bool(op == program.LogicalAnd))
	}
	return join(op, conds)
}

// join is a balanced tree, for the sake of what recurses over it.
func join(op program.BinaryOp, es []program.Expr) program.Expr {
	if len(es) == 1 {
		return es[0]
	}
	n := len(es) / 2
	return program.Binary{Op: op, X: join(op, es[:n]), Y: join(op, es[n:])}
}

func (c *condition) value(e expr) program.Expr {
	if c.nodes++; c.nodes > maxConditions {
		c.fail(c.pr.at, "", "the property stands for a condition of more than %d parts", maxConditions)
	}
	switch e := e.(type) {
	case *number:
		return program.Const(e.value)
	case *unary:
		return foldUnary(e.op, c.value(e.x))
	case *binary:
		x := c.value(e.x)
		switch {
		case e.op == program.LogicalAnd && isFalse(x), e.op == program.LogicalOr && isTrue(x):
			return logical(e.op, x, x, isBoolCondition)
		case e.op == program.LogicalAnd, e.op == program.LogicalOr:
			return logical(e.op, x, c.value(e.y), isBoolCondition)
		}
		y := c.value(e.y)
		if k, ok := y.(program.Const); e.op == program.Div || e.op == program.Rem {
			if !ok {
				c.fail(e.opAt, "", "a property divides by constants only")
			}
			if k == 0 {
				c.fail(e.opAt, "", "division by zero")
			}
		}
		return fold(operation(e, c.scope, x, y))
	case *ref:
		sym := c.scope.lookup(e.name)
		if sym.kind == constantSymbol {
			return program.Const(sym.value)
		}
		addr := sym.base + c.offset(e, sym)
		return program.Mem{Addr: addr, Name: c.prog.Memory[addr].Name}
	case *location:
		t, name := c.thread(e.proc)
		at := program.At{Thread: t, States: c.prog.Threads[t].At(e.label.name), Name: name + "@" + e.label.name}
		if len(at.States) == 0 {
			return program.Const(0) // constants or an endless loop keep the thread away
		}
		return at
	case *remote:
		t, name := c.thread(e.proc)
		f := c.family(e.proc)
		sym := f.scopes[t-f.first].names[e.reg.name]
		r := int(sym.base + c.offset(e.reg, sym))
		return program.ThreadReg{Thread: t, Reg: r, Name: name + "." + c.prog.Threads[t].Regs[r].Name}
	}
	panic(fmt.Sprintf("imp: unknown expression %T in a property", e))
}

// isBoolCondition is true of an expression that is always 0 or 1.
func isBoolCondition(e program.Expr) bool {
	switch e := e.(type) {
	case program.At:
		return true
	case program.Unary:
		return e.Op == program.LogicalNot
	case program.Binary:
		return e.Op.Bool()
	}
	return false
}

// offset is the constant index of an element.
func (c *condition) offset(e *ref, sym *symbol) int64 {
	offset := int64(0)
	for k, x := range e.index {
		i := c.constant(x, c.scope)
		if i < 0 || i >= sym.dims[k] {
			c.fail(x.pos(), c.filterHint(), "index %s is outside %s%s", c.scope.format(x, i), sym.name, dimensions(sym.dims))
		}
		offset = offset*sym.dims[k] + i
	}
	return offset
}

// thread is the thread that a reference selects, and its name.
func (c *condition) thread(proc *ref) (int, string) {
	f := c.family(proc)
	i := f.from
	if proc.index != nil {
		i = c.constant(proc.index[0], c.scope)
	}
	if i < f.from || i > f.to {
		c.fail(proc.index[0].pos(), c.filterHint(), "there is no %s: the index is in %d..%d", f.threadName(i), f.from, f.to)
	}
	return f.first + int(i-f.from), f.threadName(i)
}

func (c *condition) filterHint() string {
	if len(c.indices) == 0 {
		return ""
	}
	return "a filter after for leaves out values of the indices"
}
