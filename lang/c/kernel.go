package c

import (
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// The operations of the Linux kernel say more than memory orders can: smp_rmb is less than an acquire fence, a lock orders
// more than to acquire does, and smp_mb__before_atomic is nothing on x86. They bear a memory order, for all other
// models, and beside it the name that the kernel's own model has for them.

// kernelBuiltins are what the headers of the kernel are made of.
func kernelBuiltins() map[string]builtin {
	return map[string]builtin{
		// A fence of a memory order, and its name.
		"__fp_kernel_fence": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			name, _ := stringOf(args[1])
			name = strings.TrimRight(name, "\x00")
			t := program.NewTags(target.OrderTag[l.memoryOrder(args[0])])
			if name == "Wmb" {
				t = t.With(program.TagSFence)
			}
			l.at(n)
			l.emit(program.Command{Op: program.Fence, Tags: target.InKernel(t, name)})
			return nothing
		}},
		"__fp_rcu": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			name, _ := stringOf(args[0])
			if l.u.opts.Mapping != Kernel {
				l.u.refuseWith(n, "ask for --model lkmm, which knows them", "not modelled: sections of RCU")
			}
			l.at(n)
			l.emit(program.Command{Op: program.Fence, Tags: target.InKernel(program.NewTags(target.OrderTag[acqRel]), strings.TrimRight(name, "\x00"))})
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
			got := l.temp(types.Int)
			failed := l.loadOp(p, old, relaxed)
			failed.Tags = target.InKernel(failed.Tags, "LF")
			l.unless(ne(program.Reg(old), program.Const(0)), failed, l.takeSpin(p, old, setTo(got, 1)), setTo(got, 0))
			return value{t: types.Int, e: program.Reg(got)}
		}},
		// What is added to a number unless it is another one, and one less of what is above 0.
		"__fp_add_unless": {3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.addUnless(n, args[0], l.kept(l.expr(args[1])), eqOp, l.kept(l.expr(args[2])))
		}},
		"__fp_dec_if_positive": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.addUnless(n, args[0], number(types.Int, -1), leOp, number(types.Int, 0))
		}},
		"__fp_spin_unlock": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p, _ := l.spin(n, args[0])
			free := l.storeOp(p, program.Const(0), release)
			free.Tags = target.InKernel(free.Tags, "UL")
			l.emit(free)
			return nothing
		}},
		"__fp_spin_is_locked": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p, old := l.spin(n, args[0])
			look := l.loadOp(p, old, relaxed)
			look.Tags = target.InKernel(look.Tags, "RL")
			l.emit(look)
			return value{t: types.Int, e: ne(program.Reg(old), program.Const(0))}
		}},
	}
}

// spin is the cell of the lock that an argument points to, and a register for what is in it.
func (l *lowerer) spin(n cc.Node, arg cc.ExpressionNode) (place, int) {
	p := l.target(arg)
	l.at(n)
	if p.addr == nil || p.t.Kind != types.Int.Kind {
		l.u.fail(n, "", "%s is no lock", p.t.Name)
	}
	return p, l.temp(p.t)
}

// takeSpin takes a lock that is free.
func (l *lowerer) takeSpin(p place, old int, more ...program.Command) program.Command {
	read, write := l.loadOp(p, old, acquire), l.storeOp(p, program.Const(1), relaxed)
	read.Tags, write.Tags = target.InKernel(read.Tags, "LKR"), target.InKernel(write.Tags, "LKW")
	return atomicOp("lock", append([]program.Command{read, checkOp(eq(program.Reg(old), program.Const(0))), write}, more...)...)
}

// addUnless is what was at an address, to which a number is added unless the comparison of what was there with another one is true.
func (l *lowerer) addUnless(n cc.Node, addr cc.ExpressionNode, more value, op operator, other value) value {
	p := l.target(addr)
	l.at(n)
	l.rmwAddress(p)
	l.look(p)
	old := value{t: p.t.Plain(), e: program.Reg(l.temp(p.t.Plain()))}
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
