package c

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/program"
)

// The operations of the Linux kernel say more than memory orders can: smp_rmb is less than an acquire fence, a lock orders
// more than to acquire does, and smp_mb__before_atomic is nothing on x86. They bear a memory order, for all other
// models, and beside it the name that the kernel's own model has for them.

// Kernel leaves the operations as the model of the Linux kernel knows them.
const Kernel Mapping = "lkmm"

// kernelTag begins the names of the kernel's model.
const kernelTag = "kernel:"

func inKernel(t program.Tags, name string) program.Tags { return t.With(kernelTag + name) }

// kernelName is the name that the kernel's model has for an access or a fence, or "".
func kernelName(t program.Tags) string {
	for _, n := range t.Names() {
		if name, ok := strings.CutPrefix(n, kernelTag); ok {
			return name
		}
	}
	return ""
}

// withoutKernel are the tags for the other models.
func withoutKernel(names []string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return strings.HasPrefix(n, kernelTag) })
}

// besideAtomics are the fences that are there because an atomic operation, or a lock, may be no fence. On x86 each is one, and
// they are nothing.
var besideAtomics = []string{"Before-atomic", "After-atomic", "After-spinlock", "After-unlock-lock"}

// kernelBuiltins are what the headers of the kernel are made of.
func kernelBuiltins() map[string]builtin {
	return map[string]builtin{
		// A fence of a memory order, and its name.
		"__fp_kernel_fence": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			name, _ := stringOf(args[1])
			name = strings.TrimRight(name, "\x00")
			t := program.NewTags(orderTag[l.memoryOrder(args[0])])
			if name == "Wmb" {
				t = t.With(program.TagSFence)
			}
			l.at(n)
			l.emit(program.Command{Op: program.Fence, Tags: inKernel(t, name)})
			return nothing
		}},
		"__fp_rcu": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			name, _ := stringOf(args[0])
			if l.u.opts.Mapping != Kernel {
				l.u.refuseWith(n, "ask for --model lkmm, which knows them", "not modelled: sections of RCU")
			}
			l.at(n)
			l.emit(program.Command{Op: program.Fence, Tags: inKernel(program.NewTags(orderTag[acqRel]), strings.TrimRight(name, "\x00"))})
			return nothing
		}},
		// A read-modify-write whose value nobody gets.
		"__fp_noreturn": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			was := l.noreturn
			l.noreturn = true
			l.expr(args[0])
			l.noreturn = was
			return nothing
		}},
		"__fp_spin_lock": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p, old := l.spin(n, args[0])
			l.emit(l.takeSpin(p, old))
			return nothing
		}},
		"__fp_spin_trylock": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p, old := l.spin(n, args[0])
			got := l.temp(intType)
			failed := l.loadOp(p, old, relaxed)
			failed.Tags = inKernel(failed.Tags, "LF")
			l.unless(ne(program.Reg(old), program.Const(0)), failed, l.takeSpin(p, old, setTo(got, 1)), setTo(got, 0))
			return value{t: intType, e: program.Reg(got)}
		}},
		// What is added to a number unless it is another one, and one less of what is above 0.
		"__fp_add_unless": {3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.addUnless(n, args[0], l.kept(l.expr(args[1])), eqOp, l.kept(l.expr(args[2])))
		}},
		"__fp_dec_if_positive": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.addUnless(n, args[0], number(intType, -1), leOp, number(intType, 0))
		}},
		"__fp_spin_unlock": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p, _ := l.spin(n, args[0])
			free := l.storeOp(p, program.Const(0), release)
			free.Tags = inKernel(free.Tags, "UL")
			l.emit(free)
			return nothing
		}},
		"__fp_spin_is_locked": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p, old := l.spin(n, args[0])
			look := l.loadOp(p, old, relaxed)
			look.Tags = inKernel(look.Tags, "RL")
			l.emit(look)
			return value{t: intType, e: ne(program.Reg(old), program.Const(0))}
		}},
	}
}

// spin is the cell of the lock that an argument points to, and a register for what is in it.
func (l *lowerer) spin(n cc.Node, arg cc.ExpressionNode) (place, int) {
	p := l.target(arg)
	l.at(n)
	if p.addr == nil || p.t.kind != intType.kind {
		l.u.fail(n, "", "%s is no lock", p.t.name)
	}
	return p, l.temp(p.t)
}

// takeSpin takes a lock that is free.
func (l *lowerer) takeSpin(p place, old int, more ...program.Command) program.Command {
	read, write := l.loadOp(p, old, acquire), l.storeOp(p, program.Const(1), relaxed)
	read.Tags, write.Tags = inKernel(read.Tags, "LKR"), inKernel(write.Tags, "LKW")
	return atomicOp("lock", append([]program.Command{read, checkOp(eq(program.Reg(old), program.Const(0))), write}, more...)...)
}

// addUnless is what was at an address, to which a number is added unless the comparison of what was there with another one is true.
func (l *lowerer) addUnless(n cc.Node, addr cc.ExpressionNode, more value, op operator, other value) value {
	p := l.target(addr)
	l.at(n)
	l.rmwAddress(p)
	l.look(p)
	old := value{t: p.t.plain(), e: program.Reg(l.temp(p.t.plain()))}
	r := int(old.e.(program.Reg))
	stays := l.compare(n, op, old, other).e
	sum := l.coerce(n, l.wrapping(n, addOp, old, more), old.t)
	l.unless(stays, l.loadOp(p, r, relaxed), atomicOp("add unless", l.loadOp(p, r, seqCst), checkOp(program.NotExpr(stays)), l.storeOp(p, sum.e, seqCst)))
	return old
}

// unless does a read-modify-write that is for what has been read when stays is false, and else only reads. On x86 such an operation looks
// first, and where that is enough this load is all: no locked instruction, and no fence.
func (l *lowerer) unless(stays program.Expr, look, done program.Command, more ...program.Command) {
	end := l.node()
	if l.u.opts.Mapping.x86() {
		l.emit(look)
		is := l.node()
		l.edge(l.cur, is, checkOp(stays))
		for _, c := range more {
			next := l.node()
			l.edge(is, next, c)
			is = next
		}
		l.edge(is, end, program.Skip())
		is = l.node()
		l.edge(l.cur, is, checkOp(program.NotExpr(stays)))
		l.cur = is
	}
	l.edge(l.cur, end, done)
	l.edge(l.cur, end, atomicOp("look", append([]program.Command{look, checkOp(stays)}, more...)...))
	l.cur = end
}

// lockAccess is what the accesses to locks are beside their names, and atomic operations whose value nobody gets.
var lockAccess = map[string]string{"LKR": "Acquire", "LKW": "Once", "UL": "Release", "LF": "Once", "RL": "Once", "Noreturn": "Once"}

// kernelAccess are the tags of an access: of a load, what it acquires counts, of a store, what it releases. Operations of C11
// that are sequentially consistent have full fences as well.
func kernelAccess(c *program.Command) program.Tags {
	if name := kernelName(c.Tags); name != "" {
		return program.NewTags(name, lockAccess[name])
	}
	if c.Tags.Has(orderTag[plain]) {
		return program.Tags{}
	}
	switch order := orderOf(c.Tags); {
	case c.Op == program.Load && (order == acquire || order == acqRel):
		return program.NewTags("Acquire")
	case c.Op == program.Store && (order == release || order == acqRel):
		return program.NewTags("Release")
	}
	return program.NewTags("Once")
}

// mapToKernel chooses what the model of the Linux kernel knows for the operations of p. A read-modify-write that is
// sequentially consistent is one between full fences, which are there only where it stores; so is a load or a store. Fences of
// C11 that are no full ones have none that orders as little, and become full ones.
func mapToKernel(p *program.Program) {
	for _, t := range p.Threads {
		w := &writer{t: t}
		open := openSections(t)
		for _, e := range t.Edges[:len(t.Edges):len(t.Edges)] {
			w.kernelEdge(e, open[e.From])
		}
		t.Edges = w.edges
	}
	p.Arch = program.LKMM
}

// openSections is how many sections of RCU a thread is in, by control state.
func openSections(t *program.Thread) []int {
	open := make([]int, len(t.States))
	seen := make([]bool, len(t.States))
	out := t.Out()
	seen[t.Initial] = true
	for work := []program.StateID{t.Initial}; len(work) > 0; {
		q := work[0]
		work = work[1:]
		for _, i := range out[q] {
			e := &t.Edges[i]
			if seen[e.To] {
				continue
			}
			seen[e.To], open[e.To] = true, open[q]
			switch kernelName(e.Cmd.Tags) {
			case "Rcu-lock":
				open[e.To]++
			case "Rcu-unlock":
				open[e.To] = max(0, open[q]-1)
			}
			work = append(work, e.To)
		}
	}
	return open
}

// failing is an assertion in open sections. A run ends where it fails, and to the model a section that has no end is
// none, for which nobody waits: there the sections end first.
func (w *writer) failing(e program.Edge, open int) {
	holds := e
	holds.Cmd = checkOp(e.Cmd.Value)
	holds.Cmd.Pos = e.Pos
	w.edges = append(w.edges, holds)
	at := w.step(e.From, checkOp(program.NotExpr(e.Cmd.Value)), e.Pos)
	for range open {
		at = w.step(at, fenceOfKind("Rcu-unlock"), e.Pos)
	}
	e.From = at
	w.edges = append(w.edges, e)
}

func (w *writer) kernelEdge(e program.Edge, open int) {
	c, full := e.Cmd, false
	switch c.Op {
	case program.Assert:
		if open > 0 {
			w.failing(e, open)
			return
		}
	case program.Load, program.Store:
		full = c.Tags.Has(orderTag[seqCst])
		c.Tags = kernelAccess(&c)
	case program.Fence:
		switch name := kernelName(c.Tags); {
		case name != "":
			c.Tags = program.NewTags(name)
		case c.Tags.Has(orderTag[relaxed]):
			c = program.Skip()
			c.Pos = e.Cmd.Pos
		default:
			c.Tags = program.NewTags("Mb")
		}
	case program.Atomic:
		c.Body = slices.Clone(c.Body)
		for i := range c.Body {
			if b := &c.Body[i]; b.Op == program.Load || b.Op == program.Store {
				full = full || b.Tags.Has(orderTag[seqCst])
				b.Tags = kernelAccess(b)
			}
		}
	}
	e.Cmd = c
	if !full {
		w.edges = append(w.edges, e)
		return
	}
	at := w.step(w.step(e.From, fenceOfKind("Mb"), e.Pos), c, e.Pos)
	w.edges = append(w.edges, program.Edge{From: at, To: e.To, Cmd: fenceOfKind("Mb"), Pos: e.Pos})
}
