package c

import (
	"slices"
	"strings"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// cells are the places of the scalars of p.
func (l *lowerer) cells(p place) []place {
	if p.parts != nil {
		var ps []place
		for _, s := range p.parts {
			ps = append(ps, p.part(s))
		}
		return ps
	}
	if !p.t.Aggregate() {
		return []place{p}
	}
	if c := l.u.packed(p.t); c != nil {
		return []place{{t: c, addr: p.addr, lo: p.lo, hi: p.hi}}
	}
	var ps []place
	for _, s := range l.u.flatten(p.t.Plain(), "", 0, nil) {
		ps = append(ps, place{t: s.Type, addr: plus(p.addr, s.Off)})
	}
	return ps
}

// scalars are the values of the scalars of v.
func (v value) scalars() []program.Expr {
	if v.t.Aggregate() {
		return v.agg
	}
	return []program.Expr{v.e}
}

// atomicLoad loads p in one step.
func (l *lowerer) atomicLoad(p place, ord int) value {
	if !p.t.Aggregate() || l.u.packed(p.t) != nil {
		return l.loadAs(p, ord)
	}
	if l.u.opts.Mapping.x86() && p.t.Size <= 16 { // one move
		return l.loadAs(l.inParts(p), ord)
	}
	v := value{t: p.t.Plain()}
	var body []program.Command
	for _, c := range l.cells(p) {
		if l.shadows(p) {
			set := l.setLoad(c)
			body, v.sets = append(body, set), append(v.sets, program.Reg(set.Reg))
		}
		r := l.temp(c.t)
		body = append(body, program.Command{Op: program.Load, Reg: r, Addr: c.addr, Tags: c.tags(ord)})
		v.agg = append(v.agg, program.Reg(r))
	}
	l.atOnce(program.Command{Op: program.Atomic, Text: flowgraph.AtomicLoad, Body: body})
	return v
}

// atomicStore stores v in one step.
func (l *lowerer) atomicStore(p place, v value, ord int) {
	if !p.t.Aggregate() || l.u.packed(p.t) != nil {
		l.storeAs(p, v, ord)
		return
	}
	if l.u.opts.Mapping.x86() && p.t.Size <= 16 && ord != seqCst { // one move
		l.storeAs(l.inParts(p), v, ord)
		return
	}
	var body []program.Command
	for i, c := range l.cells(p) {
		body = append(body, program.Command{Op: program.Store, Addr: c.addr, Value: v.agg[i], Tags: c.tags(ord)})
	}
	l.atOnce(program.Command{Op: program.Atomic, Text: flowgraph.AtomicStore, Body: append(body, l.setStores(p, v)...)})
}

// exchange stores v and gives what was there.
func (l *lowerer) exchange(p place, v value, ord int) value {
	l.rmwAddress(p)
	noted := l.setStores(p, v)
	loads, stores, es := l.exchanges(p, v, ord)
	old := l.whole(p, es)
	switch {
	case !l.shadows(p):
	case !p.t.Aggregate():
		l.look(p)
	default:
		for _, c := range l.cells(p) {
			set := l.setLoad(c)
			loads, old.sets = append(loads, set), append(old.sets, program.Reg(set.Reg))
		}
	}
	l.atOnce(program.Command{Op: program.Atomic, Text: "xchg", Body: append(append(loads, stores...), noted...)})
	if old.sets != nil && l.u.packed(p.t) != nil {
		old.sets = l.unpackedSets(p.t, old.sets[0])
	}
	return old
}

// exchanges are the loads of the cells of p, the stores to them where v is what is stored there, and what is loaded.
func (l *lowerer) exchanges(p place, v value, ord int) (loads, stores []program.Command, es []program.Expr) {
	known := true
	if p.parts != nil {
		v, known = bitsOf(v)
	}
	vs := l.splitValue(p, v)
	for i, c := range l.cells(p) {
		r := l.temp(c.t)
		c.real = p.parts != nil && p.t.Kind == types.FloatKind
		loads = append(loads, program.Command{Op: program.Load, Reg: r, Addr: c.addr, Tags: c.tags(ord)})
		c.real = !known
		stores = append(stores, program.Command{Op: program.Store, Addr: c.addr, Value: vs[i], Tags: c.tags(ord)})
		es = append(es, program.Reg(r))
	}
	return loads, stores, es
}

// A swapping is a compare-and-exchange whose operands have been evaluated.
type swapping struct {
	p        place
	expected value  // what is compared with
	update   *place // receives what was there where that differs; may be nil
	desired  value
	ok, fail int  // memory orders
	weak     bool // it may fail without a reason
	old      []int
}

// compareAndSwap evaluates the operands of a compare-and-exchange that gives whether
// it stored.
func (l *lowerer) compareAndSwap(n *cc.PostfixExpression) (*swapping, bool) {
	if n.Case != cc.PostfixExpressionCall {
		return nil, false
	}
	name := called(n)
	args := arguments(n)
	for _, at := range ordersOf(name, len(args)) {
		if _, chosen := l.orders[args[at]]; !chosen && l.dryness == 0 {
			if _, ok := l.u.handedOn(args[at]); !ok {
				return nil, false // a call like others
			}
		}
	}
	l.at(n)
	want := map[string]int{"__fp_cas": 5, "__fp_cas_weak": 5, "__fp_cas_maybe": 6, "__fp_sync_cas_bool": 3}[name]
	if want == 0 {
		return nil, false
	}
	if len(args) != want && (name != "__fp_sync_cas_bool" || len(args) < want) {
		l.u.fail(n, "", "a compare-and-exchange with %d arguments", len(args))
	}
	s := &swapping{ok: seqCst, fail: seqCst}
	s.weak = name == "__fp_cas_weak"
	if name == "__fp_cas_maybe" {
		k, ok := l.expr(args[5]).e.(program.Const)
		s.weak = !ok || k != 0
	}
	s.p = l.target(args[0])
	if name == "__fp_sync_cas_bool" {
		s.expected = l.coerce(n, l.expr(args[1]), s.p.t)
		s.desired = l.coerce(n, l.expr(args[2]), s.p.t)
	} else {
		up := l.target(args[1])
		s.update = &up
		s.desired = l.coerce(n, l.expr(args[2]), s.p.t)
		s.ok, s.fail = l.memoryOrder(args[3]), l.memoryOrder(args[4])
		s.expected = l.coerce(n, l.load(up), s.p.t)
	}
	l.at(n)
	return s, true
}

// swapOrders is a compare-and-exchange that gives what was there.
func (l *lowerer) swapOrders(n cc.Node, args []cc.ExpressionNode, ok, fail int) value {
	p := l.target(args[0])
	s := &swapping{p: p, ok: ok, fail: fail}
	s.expected = l.coerce(n, l.expr(args[1]), p.t)
	s.desired = l.coerce(n, l.expr(args[2]), p.t)
	l.at(n)
	end := l.node()
	l.swap(s, end, end)
	l.cur = end
	return l.swapped(s)
}

// swap does it, and goes to yes where it stored, else to no.
func (l *lowerer) swap(s *swapping, yes, no int) {
	l.rmwAddress(s.p)
	if s.p.t.Aggregate() && l.shadows(s.p) {
		l.needsMembers(value{t: s.p.t.Plain(), sets: l.setsAt(s.p)})
	} else {
		l.look(s.p)
	}
	cells := l.cells(s.p)
	if s.p.t.Kind == types.FloatKind || slices.ContainsFunc(cells, func(c place) bool { return c.t.Kind == types.FloatKind }) {
		l.u.refuseHere(deciding)
	}
	l.needsMembers(s.expected)
	for _, is := range l.membersSet(s.desired) {
		l.emit(program.Command{Op: program.Assert, Kind: program.Bound, Value: is, Text: "not modelled: a compare-and-exchange that stores a structure, parts of which have not been written"})
	}
	exp, des := l.splitValue(s.p, s.expected), l.splitValue(s.p, s.desired)
	var good, bad []program.Command
	same := program.Expr(program.Const(1))
	for i, c := range cells {
		r := l.temp(c.t)
		s.old = append(s.old, r)
		good = append(good, program.Command{Op: program.Load, Reg: r, Addr: c.addr, Tags: c.tags(s.ok)})
		bad = append(bad, program.Command{Op: program.Load, Reg: r, Addr: c.addr, Tags: c.tags(s.fail)})
		same = flowgraph.Fold(bin(program.LogicalAnd, same, bin(program.Eq, program.Reg(r), exp[i])))
	}
	good = append(good, program.Command{Op: program.Check, Value: same})
	if !s.weak || !l.u.opts.Spurious {
		bad = append(bad, program.Command{Op: program.Check, Value: program.NotExpr(same)})
	}
	for i, c := range cells {
		good = append(good, program.Command{Op: program.Store, Addr: c.addr, Value: flowgraph.Fold(des[i]), Tags: c.tags(s.ok)})
	}
	failed := no
	if s.update != nil {
		if s.update.addr == nil {
			bad = append(bad, program.Command{Op: program.Assign, Reg: s.update.reg, Value: l.swapped(s).e})
		} else {
			failed = l.node()
		}
	}
	l.edge(l.cur, yes, program.Command{Op: program.Atomic, Text: "cas", Body: good})
	l.edge(l.cur, failed, program.Command{Op: program.Atomic, Text: "cas", Body: bad})
	l.cur = l.node()
	if failed != no {
		here := l.cur
		l.cur = failed
		v := l.swapped(s)
		l.storeAs(*s.update, l.convert(v, s.update.t.Plain()), plain)
		l.jump(no)
		l.cur = here
	}
}

// swapped is what was there.
func (l *lowerer) swapped(s *swapping) value {
	var es []program.Expr
	for _, r := range s.old {
		es = append(es, program.Reg(r))
	}
	return l.whole(s.p, es)
}

// swapValue is swap with the outcome as a value.
func (l *lowerer) swapValue(s *swapping) value {
	yes, no, end := l.node(), l.node(), l.node()
	r := l.temp(types.Bool)
	l.swap(s, yes, no)
	l.cur = yes
	l.assign(r, program.Const(1))
	l.jump(end)
	l.cur = no
	l.assign(r, program.Const(0))
	l.land(end)
	return value{t: types.Bool, e: program.Reg(r)}
}

// fence is atomic_thread_fence.
func (l *lowerer) fence(ord int) {
	if ord == relaxed {
		return
	}
	l.emit(program.Command{Op: program.Fence, Tags: program.NewTags(target.OrderTag[ord])})
}

// fetch is a read-modify-write; after says which value it gives. In C11 a pointer
// moves by elements, with GCC's operations by bytes.
func fetch(op operator, after, bytes, nand bool) builtin {
	return builtin{^3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		p := l.target(args[0])
		y := l.expr(args[1])
		ord := l.memoryOrder(args[len(args)-1])
		l.at(n)
		t := p.t.Plain()
		if t.TwoWords {
			l.u.refuse(n, "arithmetic on an atomic object of type "+t.Name)
		}
		if !t.Scalar() {
			l.u.fail(n, "", "%s is no operand here", t.Name)
		}
		r := l.temp(t)
		old := value{t: t, e: program.Reg(r)}
		x := old
		if bytes && t.Kind == types.PointerKind {
			x.t = types.PointerTo(types.Char)
		}
		v := l.coerce(n, l.wrapping(n, op, x, y), t)
		if nand {
			v = l.coerce(n, value{t: v.t, e: wrap(un(program.Complement, v.e), v.t)}, t)
		}
		return l.fetched(p, old, v, ord, after)
	}}
}

// fetched loads old, a register, from p and stores v, of which it gives one.
func (l *lowerer) fetched(p place, old, v value, ord int, after bool) value {
	if r := int(old.e.(program.Reg)); p.addr == nil { // a local variable that nobody else can see
		l.emit(program.Command{Op: program.Assign, Reg: r, Value: program.Reg(p.reg)})
		l.assign(p.reg, v.e)
	} else {
		l.rmw("fetch", p, r, v.e, ord)
	}
	if after {
		return v
	}
	return old
}

// extreme is a read-modify-write that keeps the one of two numbers of which the comparison with the other is true.
func extreme(op operator, after bool) builtin {
	return builtin{3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
		p := l.target(args[0])
		t := p.t.Plain()
		y := l.kept(l.coerce(n, l.expr(args[1]), t))
		ord := l.memoryOrder(args[2])
		l.at(n)
		if !t.Integer() {
			l.u.fail(n, "", "%s is no operand here", t.Name)
		}
		old := value{t: t, e: program.Reg(l.temp(t))}
		stays := l.compare(n, op, old, y).e
		v := value{t: t, e: flowgraph.Fold(bin(program.Add, bin(program.Mul, old.e, stays), bin(program.Mul, y.e, program.NotExpr(stays))))}
		return l.fetched(p, old, v, ord, after)
	}}
}

// atomicBuiltins are the functions that this file knows.
func atomicBuiltins() map[string]builtin {
	return map[string]builtin{
		"__fp_init": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p := l.target(args[0])
			v := l.coerce(n, l.expr(args[1]), p.t)
			if l.u.opts.NoBlocks && p.t.Aggregate() && p.t.Size <= 16 && l.u.packed(p.t) == nil {
				l.atomicStore(p, v, plain) // all at once, for gather
			} else {
				l.storeAs(p, v, plain)
			}
			return nothing
		}},
		"__fp_load": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p := l.target(args[0])
			ord := l.memoryOrder(args[1])
			l.at(n)
			return l.atomicLoad(p, ord)
		}},
		"__fp_store": {3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p := l.target(args[0])
			v := l.coerce(n, l.expr(args[1]), p.t)
			ord := l.memoryOrder(args[2])
			l.at(n)
			l.assignable(n, p)
			l.atomicStore(p, v, ord)
			return nothing
		}},
		"__fp_exchange": {^3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p := l.target(args[0])
			v := l.coerce(n, l.expr(args[1]), p.t)
			ord := l.memoryOrder(args[len(args)-1])
			l.at(n)
			return l.exchange(p, v, ord)
		}},
		"__fp_cas":           {5, swapBuiltin},
		"__fp_cas_weak":      {5, swapBuiltin},
		"__fp_cas_maybe":     {6, swapBuiltin},
		"__fp_sync_cas_bool": {^3, swapBuiltin},
		"__fp_sync_cas": {^3, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.swapOrders(n, args, seqCst, seqCst)
		}},
		// The kernel's cmpxchg orders nothing where it fails.
		"__fp_cmpxchg": {4, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			return l.swapOrders(n, args, l.memoryOrder(args[3]), relaxed)
		}},
		"__fp_fetch_add":     fetch(addOp, false, false, false),
		"__fp_fetch_sub":     fetch(subOp, false, false, false),
		"__fp_fetch_or":      fetch(orOp, false, false, false),
		"__fp_fetch_xor":     fetch(xorOp, false, false, false),
		"__fp_fetch_and":     fetch(andOp, false, false, false),
		"__fp_fetch_nand":    fetch(andOp, false, false, true),
		"__fp_gnu_fetch_add": fetch(addOp, false, true, false),
		"__fp_gnu_fetch_sub": fetch(subOp, false, true, false),
		"__fp_gnu_add_fetch": fetch(addOp, true, true, false),
		"__fp_gnu_sub_fetch": fetch(subOp, true, true, false),
		"__fp_and_fetch":     fetch(andOp, true, false, false),
		"__fp_or_fetch":      fetch(orOp, true, false, false),
		"__fp_xor_fetch":     fetch(xorOp, true, false, false),
		"__fp_nand_fetch":    fetch(andOp, true, false, true),
		"__fp_fetch_min":     extreme(ltOp, false),
		"__fp_fetch_max":     extreme(gtOp, false),
		"__fp_min_fetch":     extreme(ltOp, true),
		"__fp_max_fetch":     extreme(gtOp, true),
		"__fp_test_and_set": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p := l.flag(n, args[0])
			ord := l.memoryOrder(args[1])
			old := l.exchange(p, l.convert(number(types.Int, 1), p.t.Plain()), ord)
			return l.convert(old, types.Bool)
		}},
		"__fp_clear": {2, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			p := l.flag(n, args[0])
			l.storeAs(p, l.convert(number(types.Int, 0), p.t.Plain()), l.memoryOrder(args[1]))
			return nothing
		}},
		"__fp_fence": {1, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			ord := l.memoryOrder(args[0])
			l.at(n)
			l.fence(ord)
			return nothing
		}},
		"__CPROVER_fence": {^0, func(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
			kinds := map[string]bool{}
			for _, a := range args {
				s, _ := stringOf(a)
				kinds[strings.TrimRight(s, "\x00")] = true
			}
			l.at(n)
			switch {
			case kinds["WRfence"]:
				l.fence(seqCst)
			case kinds["WWfence"]:
				l.emit(program.Command{Op: program.Fence, Tags: program.NewTags(target.OrderTag[acqRel], program.TagSFence)})
			default:
				l.fence(acqRel)
			}
			return nothing
		}},
	}
}

// flag is the place of the flag that an argument points to.
func (l *lowerer) flag(n cc.Node, arg cc.ExpressionNode) place {
	p := l.target(arg)
	l.at(n)
	for p.t.Aggregate() {
		f := p.t.Fields[0]
		p = place{t: f.Type, addr: plus(p.addr, f.Offset)}
	}
	return p
}

func swapBuiltin(l *lowerer, n *cc.PostfixExpression, args []cc.ExpressionNode) value {
	s, _ := l.compareAndSwap(n)
	return l.swapValue(s)
}
