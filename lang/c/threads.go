package c

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// maxThreads bounds the threads of a program.
const maxThreads = flowgraph.MaxThreads

// A thread is a thread of the program.
type thread struct {
	*lowered.Thread
	l    *lowerer
	arg  program.Expr // nil: known only when it starts
	body *async       // nil: a function
	// reserved is the edge at which it got its number.
	reserved int
}

// build makes the program; it is nil where something is found first of which it depends.
func (u *unit) build() *program.Program {
	u.collect()
	def := u.defined["main"]
	if def == nil {
		u.failAt(program.Position{}, "a program is a file with a main, which may #include others", "there is no function main")
	}
	main := &thread{Thread: &lowered.Thread{Name: "main", First: true}}
	u.threads = append(u.threads, main)
	names := map[string]int{"main": 1}
	// Threads are found while others are read.
	for i := 0; i < len(u.threads); i++ {
		t := u.threads[i]
		if t.ID > 0 && t.l == nil {
			u.failAt(program.Position{}, "", "not modelled: a thread that is numbered and never made")
		}
		u.lowerThread(t)
		for k := range t.Graph.Edges {
			e := &t.Graph.Edges[k]
			op, ok := e.Op.(*startOp)
			if !ok {
				continue
			}
			id, ok := op.id.(program.Const)
			if !ok || int(id) >= len(u.threads)+1 || id < 1 {
				u.failAt(e.Pos, "", "not modelled: a thread that is made in this way")
			}
			c := u.threads[id-1]
			fn, ok := op.fn.(program.Const)
			name := ""
			if ok {
				name = u.functionAt(int64(fn))
			}
			if body, is := op.body.(*async); is {
				name = body.name
				c.body = body
			} else if name == "" || u.defined[name] == nil {
				u.failAt(e.Pos, "", "not modelled: a thread whose function is not known here")
			}
			c.Name = plainName(name)
			names[c.Name]++
			if n := names[c.Name]; n > 1 {
				c.Name = fmt.Sprintf("%s#%d", c.Name, n)
			}
			if c.body != nil {
				for _, d := range c.body.locals {
					c.Copies = append(c.Copies, u.object(fmt.Sprintf("%s of %s", d.d.Name(), c.Name), d.t.Plain()))
				}
			}
			c.arg = op.arg
			if _, ok := op.arg.(program.Const); !ok {
				c.ArgBox = u.object("argument of "+c.Name, types.UnsignedLong)
				c.arg = nil
			}
			c.l = newLowerer(u, c.ID, c.Name)
			c.l.inherited = op.legacy
			c.l.frame.name = name
		}
	}
	u.handOver()
	u.relate()
	u.findParts()
	u.resolve()
	v, again := u.lowered.Divide()
	if again || u.observe(v.Program, v.Ranges) {
		return nil
	}
	u.lowered.Valueless = u.valueless()
	u.lowered.Optimise(v)
	u.insist()
	p, err := u.lowered.Guard()
	if err != nil {
		if d, ok := err.(*program.Diagnostic); ok {
			u.failAt(d.Pos, d.Hint, "%s", d.Msg)
		}
		panic(err)
	}
	return p
}

// handOver tells what is known of the program when all threads have graphs.
func (u *unit) handOver() {
	for s := range u.literals {
		u.operated.literals = append(u.operated.literals, textLen(s)+1)
	}
	for _, t := range u.threads {
		u.lowered.Threads = append(u.lowered.Threads, t.Thread)
	}
	for _, x := range u.globals {
		if x.obj != nil {
			u.lowered.Globals = append(u.lowered.Globals, x.obj)
		}
	}
	u.lowered.Given, u.lowered.Outside = u.given(), u.outside()
}

// lowerThread makes the graph of a thread.
func (u *unit) lowerThread(t *thread) {
	if t.ID == 0 {
		t.l = newLowerer(u, 0, "main")
	}
	l := t.l
	u.cur = l
	l.result = -1
	l.exit = l.node()
	l.scopes[l.exit] = afterwards
	name := l.frame.name
	if t.ID == 0 {
		name = "main"
	}
	l.frame.name = " start"
	if t.ID > 0 || u.names("pthread_exit", "thrd_exit", "pthread_cancel") {
		l.result = l.register("result", program.Uint64Type, true)
	}
	def := u.defined[name]
	if t.body != nil {
		def = t.body.def
	}
	u.here = u.pos(def.Declarator)
	l.g.Nodes[l.exit] = u.pos(def.CompoundStatement.Token2) // a thread that has ended stands at the brace
	ft := u.definedType(def)
	var args []value
	for i := range u.parameters(def) {
		switch {
		case t.body != nil:
			args = append(args, l.loadAs(place{t: t.body.locals[i].t.Plain(), addr: program.Const(t.Copies[i].Base)}, plain))
		case t.ID > 0 && i == 0 && t.arg != nil:
			args = append(args, value{t: types.VoidPointer, e: t.arg})
		case t.ID > 0 && i == 0:
			r := l.temp(types.VoidPointer)
			l.emit(program.Command{Op: program.Load, Reg: r, Addr: program.Const(t.ArgBox.Base), Tags: lowered.Tags(plain, types.UnsignedLong)})
			args = append(args, value{t: types.VoidPointer, e: program.Reg(r)})
		case t.ID == 0 && i == 0:
			args = append(args, number(types.Int, int64(1+len(u.opts.Args))))
		case t.ID == 0 && i == 1:
			args = append(args, value{t: types.VoidPointer, e: program.Const(u.arguments().Base)})
		default:
			u.fail(def.Declarator, "", "%s has more parameters than a thread gives it", name)
		}
	}
	if t.ID > 0 && ft.Elem.Aggregate() {
		u.fail(def.Declarator, "", "%s is no function for a thread", name)
	}
	if t.ID == 0 {
		l.construct()
	}
	v := l.callBody(def.Declarator, name, def, args)
	if t.ID == 0 {
		l.exits(def.Declarator)
		l.ends()
	}
	if t.ID > 0 && v.e != nil {
		l.assign(l.result, v.e)
	}
	if t.ID > 0 || l.result < 0 { // nobody comes back from a wait for main where that returns, and so ends the program
		l.jump(l.exit)
	}
	if (t.ID > 0 || l.result >= 0) && u.destroys() { // main that returns does not come here
		// What is thread-local is there still; what the functions of the thread had is not.
		l.cur, l.scope = l.exit, wholeLife
		l.scopes[l.exit] = wholeLife
		l.destroy(def.Declarator)
		l.scope = afterwards
		l.exit = l.node()
		l.land(l.exit)
	}
	l.checkNested()
	l.markLives()
	l.g.End, l.g.GaveUp, l.g.Result = l.exit, -1, l.result
	if l.gaveUp > 0 {
		l.g.GaveUp = l.gaveUp
	}

	if t.ID == 0 {
		u.track(l.g)
	}
	bounded := false
	specialise := func(from *flowgraph.Graph) {
		if t.Graph, bounded = from.Specialise(maxThreads); bounded {
			t.Graph, _ = from.Specialise(u.opts.Unroll)
		}
	}
	specialise(l.g)
	for range maxRehearsals {
		if t.ID > 0 || !bounded && !unforeseen(t.Graph) {
			break
		}
		from := t.Graph
		if bounded { // what has been left out is wanted
			from = l.g
		}
		if !u.foresee(from) {
			break
		}
		specialise(from)
	}
	// Now that every thread has a place of its own in the graph, it has a number. What shows by then never to be made has none.
	from, unnumbered, never := len(u.threads), *t.Graph, map[int]bool{}
	for {
		g := unnumbered
		g.Edges = slices.Clone(unnumbered.Edges)
		u.number(&g, never)
		t.Graph, _ = g.Specialise(maxThreads)
		t.Graph.Tidy()
		if !u.neverMade(t.Graph, from, never) {
			break
		}
		u.threads = u.threads[:from]
	}
}

// number gives the threads that a graph makes their numbers, but for those that it never comes to.
func (u *unit) number(g *flowgraph.Graph, never map[int]bool) {
	for i := range g.Edges {
		e := &g.Edges[i]
		op, ok := e.Op.(*flowgraph.Reserve)
		if !ok {
			continue
		}
		id := program.Const(0)
		if !never[i] {
			if len(u.threads) >= maxThreads {
				e.Op = &flowgraph.Bound{What: fmt.Sprintf("there are more than %d threads", maxThreads)}
				continue
			}
			c := &thread{Thread: &lowered.Thread{ID: len(u.threads)}, reserved: i}
			u.threads = append(u.threads, c)
			id = program.Const(c.ID + 1)
		}
		e.Op = nil
		e.Cmd = program.Command{Op: program.Assign, Reg: op.Reg, Value: id, Pos: e.Pos}
	}
}

// neverMade adds the edges that give threads numbers, from one of these on, that the graph does not make any more; it tells whether there are some.
func (u *unit) neverMade(g *flowgraph.Graph, from int, never map[int]bool) (found bool) {
	made := map[program.Expr]bool{}
	for i := range g.Edges {
		if op, ok := g.Edges[i].Op.(*startOp); ok {
			if _, known := op.id.(program.Const); !known {
				return false
			}
			made[op.id] = true
		}
	}
	for _, c := range u.threads[from:] {
		if !made[program.Const(c.ID+1)] {
			never[c.reserved], found = true, true
		}
	}
	return found
}

// joinThreads finds out of which threads somebody asks whether they have ended.
func (u *operated) joinThreads() {
	u.joined = make([]bool, len(u.lowered.Threads))
	u.lowered.Joins = map[*flowgraph.Join]lowered.JoinKey{}
	for _, t := range u.lowered.Threads {
		for i := range t.Graph.Edges {
			var id program.Expr
			switch op := t.Graph.Edges[i].Op.(type) {
			case *flowgraph.Join:
				id = op.ID
				u.numberJoin(op, t.Graph.Edges[i].Pos)
			case *flowgraph.Asks:
				id = op.ID
			case *flowgraph.Looks:
				id = op.ID
			case *flowgraph.Exists:
				if op.Alive {
					id = op.ID
				}
			}
			k, known := id.(program.Const)
			for i := range u.lowered.Threads {
				u.joined[i] = u.joined[i] || id != nil && (!known || int(k) == i+1)
			}
		}
	}
}

// resolve makes commands of the operations.
func (u *operated) resolve() {
	// The ends of threads, and what they end with, lie side by side.
	n := int64(len(u.lowered.Threads) + 1)
	ended := u.lowering.Object("ended", types.ArrayOf(types.UnsignedLong, n))
	u.lowered.Ended = ended.Base
	results := u.lowering.Object("result", types.ArrayOf(types.UnsignedLong, n))
	for i, t := range u.lowered.Threads {
		ended.Cells[i+1].Name = t.Name + " has ended"
		results.Cells[i+1].Name = t.Name + "'s result"
	}
	var gave *lowered.Object // who comes to its end without one, if anybody may
	wanted := false          // whether anybody looks at results
	for _, t := range u.lowered.Threads {
		if t.Graph == nil {
			continue
		}
		live := t.Graph.Live()
		for i := range t.Graph.Edges {
			if op, ok := t.Graph.Edges[i].Op.(*flowgraph.Join); ok && live[t.Graph.Edges[i].To].Has(op.Reg) {
				wanted = true
			}
			if _, ok := t.Graph.Edges[i].Op.(*valuelessOp); ok && gave == nil {
				gave = u.lowering.Object("no value", types.ArrayOf(types.UnsignedLong, n))
				for i, t := range u.lowered.Threads {
					gave.Cells[i+1].Name = t.Name + " has no value"
				}
			}
		}
	}
	// All strides are one, so that they need not be told apart.
	for u.lowered.Stride = max(128, u.strides, u.lowered.Align); u.largest() > u.lowered.Stride-lowered.Gap-8; {
		u.lowered.Stride *= 2
	}
	claims := u.claims(ended)
	for thread, t := range u.lowered.Threads {
		if t.Graph == nil {
			continue
		}
		g := t.Graph
		comp, cyclic := g.Components(g.Out())
		live := g.Live()
		u.publications(g)
		for i := range len(g.Edges) {
			e := g.Edges[i]
			if e.Op == nil {
				continue
			}
			at := e.From
			step := func(c program.Command) {
				next := g.Node(e.Pos)
				g.Add(at, next, c, e.Pos)
				at = next
			}
			claim := func(id program.Expr) {
				for _, c := range claims.commands(thread, i, id) {
					step(c)
				}
			}
			switch op := e.Op.(type) {
			case *startOp:
				c := u.lowered.Threads[op.id.(program.Const)-1]
				if c.Start == nil {
					c.Start = u.lowering.Object("start of "+c.Name, types.Bool)
				}
				if c.ArgBox != nil {
					step(program.Command{Op: program.Store, Addr: program.Const(c.ArgBox.Base), Value: op.arg, Tags: lowered.Tags(plain, types.UnsignedLong)})
				}
				for k, o := range c.Copies {
					step(program.Command{Op: program.Store, Addr: program.Const(o.Base), Value: op.copies[k], Tags: lowered.Tags(plain, o.Type)})
				}
				step(atomicOp(lowered.CreateText, program.Command{Op: program.Store, Addr: program.Const(c.Start.Base), Value: program.Const(1), Tags: lowered.Tags(release, types.Bool)}))
			case *flowgraph.Exists:
				if k, ok := op.ID.(program.Const); !ok || k < 1 || int64(k) >= n {
					step(program.Command{Op: program.Assert, Value: flowgraph.Fold(bin(program.LogicalAnd, bin(program.Le, program.Const(1), op.ID),
						bin(program.Lt, op.ID, program.Const(n)))), Text: "this is the number of no thread"})
				}
				if op.Alive {
					claim(op.ID)
				}
			case *flowgraph.Claim:
				if op.NoMore {
					for _, c := range claims.givenBack(thread, op.ID) {
						step(c)
					}
					break
				}
				claim(op.ID)
			case *flowgraph.Detach:
				claim(op.ID)
			case *flowgraph.Looks:
				step(program.Command{Op: program.Load, Reg: op.Reg, Addr: cellOf(ended, op.ID), Tags: lowered.Tags(relaxed, types.UnsignedLong)})
			case *flowgraph.Asks:
				g.Regs = append(g.Regs, program.Register{Type: program.BoolType, Temp: true})
				r := len(g.Regs) - 1
				text, is := "not ended", eq(program.Reg(r), program.Const(0))
				if op.Ended {
					text, is = "ended", ne(program.Reg(r), program.Const(0))
				}
				step(atomicOp(text, program.Command{Op: program.Load, Reg: r, Addr: plus(flowgraph.Fold(bin(program.Mul, op.ID, program.Const(8))), ended.Base), Tags: lowered.Tags(relaxed, types.UnsignedLong)}, checkOp(is)))
			case *flowgraph.Join:
				if !op.Tries && !op.Claimed {
					claim(op.ID)
				}
				off := flowgraph.Fold(bin(program.Mul, op.ID, program.Const(8)))
				g.Regs = append(g.Regs, program.Register{Type: program.BoolType, Temp: true})
				r := len(g.Regs) - 1
				step(atomicOp(lowered.JoinText, program.Command{Op: program.Load, Reg: r, Addr: plus(off, ended.Base), Tags: lowered.Tags(acquire, types.UnsignedLong).With(u.lowered.Joins[op].Tag())},
					checkOp(ne(program.Reg(r), program.Const(0)))))
				if live[e.To].Has(op.Reg) {
					step(program.Command{Op: program.Load, Reg: op.Reg, Addr: plus(off, results.Base), Tags: lowered.Tags(plain, types.UnsignedLong)})
				}
				if op.Tries { // who tries does not claim what it does not get
					claim(op.ID)
				}
			case *valuelessOp:
				if gave != nil {
					step(program.Command{Op: program.Store, Addr: program.Const(gave.Base + int64(thread+1)*8), Value: program.Const(1), Tags: lowered.Tags(plain, types.UnsignedLong)})
				}
			case *outcomeOp:
				if gave == nil {
					step(program.Command{Op: program.Assign, Reg: op.reg, Value: program.Const(1)})
					break
				}
				g.Regs = append(g.Regs, program.Register{Type: program.BoolType, Temp: true})
				r := len(g.Regs) - 1
				step(program.Command{Op: program.Load, Reg: r, Addr: cellOf(gave, op.id), Tags: lowered.Tags(plain, types.UnsignedLong)})
				step(program.Command{Op: program.Assign, Reg: op.reg, Value: eq(program.Reg(r), program.Const(0))})
			case *allocOp:
				again := comp[e.From] >= 0 && cyclic[comp[e.From]] && comp[e.From] == comp[e.To]
				at = u.anyAllocation(t, e, op, at, again)
			case *copyOp, *unmapOp, *hazardOp, *leaveOp, lowered.Condition:
				continue // when all objects are known, or what they hold
			case *signalOp:
				next := g.Node(e.Pos)
				u.signalEdges(g, op, at, next, e.Pos)
				at = next
			case *initOp:
				step(u.initialises(g, op))
			case *waitOp:
				next := g.Node(e.Pos)
				u.waitEdges(g, op, at, next, e.Pos)
				at = next
			case *leakOp:
				continue
			case *flowgraph.Bound:
				g.Edges[i] = flowgraph.Edge{From: at, To: e.To, Cmd: lowered.BoundOf(op.What), Pos: e.Pos}
				g.Bounds = append(g.Bounds, e.To)
				continue
			}
			g.Edges[i] = flowgraph.Edge{From: at, To: e.To, Cmd: program.Skip(), Pos: e.Pos}
		}
	}
	u.resolveCopies()
	u.resolveLeaves()
	u.resolveLeaks()
	for i, t := range u.lowered.Threads {
		if t.Graph == nil || !u.joined[i] || t.Graph.End < 0 || t.Graph.Result < 0 { // main that returns ends the program
			continue
		}
		g := t.Graph
		at := g.End
		pos := g.Nodes[at]
		if wanted && g.Result >= 0 {
			next := g.Node(pos)
			g.Add(at, next, program.Command{Op: program.Store, Addr: program.Const(results.Base + int64(i+1)*8),
				Value: program.Reg(g.Result), Tags: lowered.Tags(plain, types.UnsignedLong)}, pos)
			at = next
		}
		next := g.Node(pos)
		g.Add(at, next, atomicOp(lowered.EndText, program.Command{Op: program.Store, Addr: program.Const(ended.Base + int64(i+1)*8),
			Value: program.Const(1), Tags: lowered.Tags(release, types.UnsignedLong)}), pos)
	}
	for _, t := range u.lowered.Threads {
		t.Graph.End, t.Graph.Result, t.Graph.Tracked = -1, -1, nil
		t.Graph.Tidy()
	}
}

// largest is the size of the largest object of the heap.
func (u *operated) largest() int64 {
	n := int64(0)
	for _, t := range u.lowered.Threads {
		if t.Graph != nil {
			for i := range t.Graph.Edges {
				op, ok := t.Graph.Edges[i].Op.(*allocOp)
				if !ok {
					continue
				}
				if _, known := op.size.(program.Const); !known {
					n = max(n, slices.Max(u.sizes(op)))
					continue
				}
				n = max(n, u.allocated(op))
			}
		}
	}
	return n
}

// allocated is how many bytes an operation allocates; 0 where there is no such object.
func (u *operated) allocated(op *allocOp) int64 {
	if k := op.size.(program.Const); 0 <= k && k <= lowered.MaxObject {
		return int64(k)
	}
	return 0
}

// sizes are those that are looked for where the size of an object is computed from what is not
// known here: of so many elements as a loop is unrolled to make.
func (u *operated) sizes(op *allocOp) []int64 {
	s := op.site
	if op.only {
		return op.foreseen
	}
	first, step := int64(4), int64(4)
	if s.elem != nil {
		first, step = s.elem.Size, s.elem.Size
		if n := len(s.elem.Fields); n > 0 {
			if last := s.elem.Fields[n-1].Type; s.elem.Kind == types.StructKind && last.Kind == types.ArrayKind && last.Len == 0 {
				step = last.Elem.Size
			}
		}
	}
	var sizes []int64
	for i := range int64(u.unroll) {
		if n := first + i*step; n > 0 && n <= lowered.MaxObject {
			sizes = append(sizes, n)
		}
	}
	if !s.mapped {
		sizes = append(sizes, 0)
	}
	if len(sizes)+len(op.foreseen) == 0 {
		u.lowering.Refuse("an object whose size is not known here")
	}
	if len(sizes) > 0 && (s.elem == nil || s.elem.Size == 1) { // a copy of a string
		sizes = append(sizes, u.textSizes(slices.Max(sizes))...)
	}
	for _, n := range op.foreseen {
		if !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// maxTexts bounds how many strings, and of how many bytes, a copy is made of where its size is not known.
const maxTexts, maxTextSize = 8, 64

// textSizes are the sizes above least that the literals of the program have.
func (u *operated) textSizes(least int64) []int64 {
	var sizes []int64
	for _, n := range u.literals {
		if n > least && n <= maxTextSize && !slices.Contains(sizes, n) {
			sizes = append(sizes, n)
		}
	}
	slices.Sort(sizes)
	return sizes[:min(len(sizes), maxTexts)]
}

// allocations writes malloc of a computed size: a way for each of the sizes, and a bound. Where the size is computed from one number, that is known
// from then on.
func (u *operated) allocations(t *lowered.Thread, e flowgraph.Edge, op *allocOp, at int, cyclic bool) int {
	u.lowering.At(e.Pos)
	g, end := t.Graph, t.Graph.Node(e.Pos)
	none := program.Expr(program.Const(1))
	counted, solvable := solutions(g, op.size)
	for _, n := range u.sizes(op) {
		is := eq(op.size, program.Const(n))
		var count program.Expr
		if solvable {
			k, some := counted.of(n)
			if !some { // no number has this size
				continue
			}
			is, count = eq(program.Reg(counted.reg), program.Const(k)), program.Const(k)
		}
		none = flowgraph.Fold(bin(program.LogicalAnd, none, program.NotExpr(is)))
		q := g.Node(e.Pos)
		g.Add(at, q, checkOp(is), e.Pos)
		if count != nil {
			known := g.Node(e.Pos)
			g.Add(q, known, program.Command{Op: program.Assign, Reg: counted.reg, Value: count}, e.Pos)
			q = known
		}
		one := *op
		one.size = program.Const(n)
		g.Add(u.allocation(t, e, &one, q, cyclic), end, program.Skip(), e.Pos)
	}
	q, over := g.Node(e.Pos), g.Node(e.Pos)
	g.Add(at, q, checkOp(none), e.Pos)
	what := fmt.Sprintf("line %d makes an object of none of the sizes of 0 to %d elements", op.site.pos.Line, u.unroll)
	if op.only {
		what = fmt.Sprintf("line %d makes an object of none of the sizes that were foreseen", op.site.pos.Line)
	}
	g.Add(q, over, lowered.BoundOf(what), e.Pos)
	g.Bounds = append(g.Bounds, over)
	return end
}

// A linear is a size that is times as much as a register holds, and plus.
type linear struct {
	reg         int
	t           program.Type
	times, plus int64
}

// solutions is e as such a size, where no value of the register makes that overflow: so a size tells the value.
func solutions(g *flowgraph.Graph, e program.Expr) (linear, bool) {
	const most = 1 << 31
	switch e := e.(type) {
	case program.Reg:
		t := g.Regs[e].Type
		return linear{int(e), t, 1, 0}, t.Bits <= 32
	case program.Unary:
		x, ok := solutions(g, e.X)
		t, cast := e.Op.Cast()
		return x, ok && cast && t.Bits == 64 && (t.Signed || !x.t.Signed)
	case program.Binary:
		x, ok := solutions(g, e.X)
		k, constant := e.Y.(program.Const)
		if !ok || !constant || k < 0 || k > lowered.MaxObject {
			return x, false
		}
		switch e.Op {
		case program.Mul:
			x.times, x.plus = x.times*int64(k), x.plus*int64(k)
		case program.Add:
			x.plus += int64(k)
		default:
			return x, false
		}
		return x, 0 < x.times && x.times < most && x.plus < most
	}
	return linear{}, false
}

// narrow is whether a number is computed from one of a narrower type in such a way.
func narrow(g *flowgraph.Graph, e program.Expr) bool {
	_, ok := solutions(g, e)
	return ok
}

// of is the value for a size, where there is one.
func (x linear) of(size int64) (int64, bool) {
	k := (size - x.plus) / x.times
	return k, k*x.times+x.plus == size && k >= x.t.Min() && k <= x.t.Max()
}

// endsInPadding is true of so many bytes for a structure that all members have room, but not what is behind the last one: accesses to the whole
// are outside then, which those to its members do not tell.
func (u *operated) endsInPadding(t *types.Type, bytes int64) bool {
	if t.Kind != types.StructKind || bytes >= t.Size {
		return false
	}
	if last := t.Fields[len(t.Fields)-1].Type; last.Kind == types.ArrayKind && last.Len == 0 { // nobody accesses the whole
		return false
	}
	return !slices.ContainsFunc(u.lowering.Scalars(t), func(s lowered.Scalar) bool { return s.Off+s.Size > bytes })
}

// allocation writes what malloc does.
func (u *operated) allocation(t *lowered.Thread, e flowgraph.Edge, op *allocOp, at int, cyclic bool) int {
	bytes := int64(op.size.(program.Const))
	if bytes > lowered.MaxObject {
		next := t.Graph.Node(e.Pos)
		t.Graph.Add(at, next, lowered.BoundOf(fmt.Sprintf("not modelled: an object of %d bytes", bytes)), e.Pos)
		t.Graph.Bounds = append(t.Graph.Bounds, next)
		return next
	}
	if bytes == 0 {
		return u.nothing(t, e, op, at, cyclic)
	}
	return u.allocationOf(t, e, op, bytes, at, cyclic)
}

// nothing writes malloc of 0 bytes: an object that nobody may access, or null, as it pleases the library.
func (u *operated) nothing(t *lowered.Thread, e flowgraph.Edge, op *allocOp, at int, cyclic bool) int {
	g := t.Graph
	if op.site.mapped {
		next := g.Node(e.Pos)
		g.Add(at, next, program.Command{Op: program.Assert, Value: program.Const(0), Text: "mmap of 0 bytes"}, e.Pos)
		return next
	}
	end := g.Node(e.Pos)
	if !op.site.stack {
		g.Add(at, end, program.Command{Op: program.Assign, Reg: op.reg, Value: program.Const(0)}, e.Pos)
	}
	g.Add(u.allocationOf(t, e, op, 0, at, cyclic), end, program.Skip(), e.Pos)
	return end
}

// allocationOf writes malloc of so many bytes.
func (u *operated) allocationOf(t *lowered.Thread, e flowgraph.Edge, op *allocOp, bytes int64, at int, cyclic bool) int {
	g := t.Graph
	s := op.site
	untyped := s.elem == nil
	elem := types.Char // until it is known better
	if !untyped {
		if elem = s.elem; !u.lowering.OneCell(elem) {
			elem = elem.Plain()
		}
	} else if bytes%8 == 0 {
		elem = types.UnsignedLong
	}
	ot := elem
	if bytes == 0 {
		untyped, ot = false, types.ArrayOf(types.Char, 0)
	} else if t := elem.Extended(bytes); t != nil {
		ot = t
	} else if bytes%elem.Size == 0 {
		if bytes > elem.Size {
			ot = types.ArrayOf(elem, bytes/elem.Size)
		}
	} else if !(elem.Kind == types.StructKind && bytes > elem.Size) { // too small, or for more than that
		untyped, ot = true, types.ArrayOf(types.Char, bytes)
		if u.endsInPadding(elem, bytes) {
			next := g.Node(e.Pos)
			g.Add(at, next, lowered.BoundOf(fmt.Sprintf("not modelled: an object of %d bytes for %s, which has %d, some of them for nothing", bytes, elem.Name, elem.Size)), e.Pos)
			g.Bounds = append(g.Bounds, next)
			at = next
		}
	}
	name := elem.Name
	if s.elem == nil {
		name = "malloc"
	}
	for _, prefix := range []string{"struct ", "union "} {
		if len(name) > len(prefix) && name[:len(prefix)] == prefix {
			name = name[len(prefix):]
		}
	}
	u.heapCount[name]++
	count := int64(1)
	if cyclic {
		count = int64(u.unroll)
	}
	again := cyclic && s.dies && !untyped && lowered.Forgettable(ot, u.lowering.Scalars(ot))
	if again {
		count++
	}
	o := u.lowering.Pool(fmt.Sprintf("%s@%d", name, s.pos.Line), ot, bytes, count)
	o.Unset, o.Stack, o.Mapped, o.Made, o.First = !s.zero, s.stack, s.mapped, s.pos, op.first
	o.Untyped, o.Bytes = untyped || s.bytes, s.bytes
	u.pools[s] = append(u.pools[s], o)
	o.Freed = u.lowered.Options.Leaks
	o.Dies, o.Who = s.dies, s.who
	if o.Dies {
		o.Thread = t.ID
	}
	born := u.lowered.Bears(o, t)
	if n := u.heapCount[name]; true {
		o.Name = fmt.Sprintf("%s#%d", name, n)
		u.heapCount[name] += int(count) - 1
	}
	step := func(c program.Command) {
		next := g.Node(e.Pos)
		g.Add(at, next, c, e.Pos)
		at = next
	}
	appears := func() {
		switch {
		case born:
			step(o.Birth(program.Reg(op.reg)))
		case o.Dies && count == 1:
			step(program.Command{Op: program.Store, Addr: program.Const(o.LiveAddr()), Value: program.Const(1), Tags: lowered.LifeTags})
		case o.Dies:
			step(program.Command{Op: program.Store, Addr: plus(program.Reg(op.reg), o.LiveOff()), Value: program.Const(1), Tags: lowered.LifeTags.With(o.BirthTag())})
		case u.lowered.Options.Leaks:
			step(program.Command{Op: program.Store, Addr: plus(program.Reg(op.reg), o.LiveOff()), Value: program.Const(1), Tags: lowered.LifeTags})
		}
	}
	if count == 1 {
		step(program.Command{Op: program.Assign, Reg: op.reg, Value: program.Const(o.Base)})
		appears()
		return at
	}
	g.Regs = append(g.Regs, program.Register{Name: "objects of line " + fmt.Sprint(s.pos.Line), Type: program.Int32Type, Temp: true})
	n := program.Reg(len(g.Regs) - 1)
	if again {
		return u.lowered.Reused(g, o, op.reg, int(n), at, e.Pos)
	}
	bound := lowered.BoundOf(fmt.Sprintf("line %d makes more than %d objects", s.pos.Line, count))
	bound.Value = ne(n, program.Const(count))
	step(bound)
	step(program.Command{Op: program.Assign, Reg: op.reg, Value: plus(bin(program.Mul, n, program.Const(o.Stride)), o.Base)})
	step(program.Command{Op: program.Assign, Reg: int(n), Value: bin(program.Add, n, program.Const(1))})
	appears()
	return at
}
