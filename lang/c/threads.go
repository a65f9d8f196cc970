package c

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
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
			op, ok := e.Op.(*operations.Start)
			if !ok {
				continue
			}
			id, ok := op.ID.(program.Const)
			if !ok || int(id) >= len(u.threads)+1 || id < 1 {
				u.failAt(e.Pos, "", "not modelled: a thread that is made in this way")
			}
			c := u.threads[id-1]
			fn, ok := op.Fn.(program.Const)
			name := ""
			if ok {
				name = u.functionAt(int64(fn))
			}
			if body, is := op.Body.(*async); is {
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
			c.arg = op.Arg
			if _, ok := op.Arg.(program.Const); !ok {
				c.ArgBox = u.object("argument of "+c.Name, types.UnsignedLong)
				c.arg = nil
			}
			c.l = newLowerer(u, c.ID, c.Name)
			c.l.inherited = op.Legacy
			c.l.frame.name = name
		}
	}
	u.handOver()
	u.operations.Relate()
	u.findParts()
	u.operations.Resolve()
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
		u.operations.Literals = append(u.operations.Literals, textLen(s)+1)
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
	for range operations.MaxRehearsals {
		if t.ID > 0 || !bounded && !operations.Unforeseen(t.Graph) {
			break
		}
		from := t.Graph
		if bounded { // what has been left out is wanted
			from = l.g
		}
		if !u.operations.Foresee(from) {
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
		if op, ok := g.Edges[i].Op.(*operations.Start); ok {
			if _, known := op.ID.(program.Const); !known {
				return false
			}
			made[op.ID] = true
		}
	}
	for _, c := range u.threads[from:] {
		if !made[program.Const(c.ID+1)] {
			never[c.reserved], found = true, true
		}
	}
	return found
}
