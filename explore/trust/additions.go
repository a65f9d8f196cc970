package trust

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// Additions whose results nobody reads may come in any order, and what comes out is the same (compare Jonsson, Lång and
// Sagonas, "Awaiting for Godot: stateless model checking that avoids executions where nothing happens", FMCAD 2022). So
// every thread that adds to such a cell is given one of its own to add to, and who reads the cell reads all of these, one after the
// other, and adds them up; so is what the cell has in the end. One graph of the program that is made so is all graphs
// of the other that differ in nothing but the order of additions to a cell. The same is done with subtractions, which are
// additions, and with the operations that act on each bit alone.
//
// That is right where whoever reads the cell does so after all additions that there are, as who has joined the threads does, and
// where stores to it come before them. Whether that is so is seen in the graphs ([explorer.apartFrom]). If there is an execution
// in which it is not, then there is a graph in which it is not: up to the first such read, in an order in which it
// can happen, the executions of both programs have the same values, and so have both where that read reads, in parts, the sum of what it has read;
// the addition that it is not after can come then. Once one is met, the additions to that cell are left in order, and all is explored again.
//
// Under SC, TSO and PSO that is exact, since a read-modify-write takes what its thread has stored to memory before, be it to one cell or
// another, and acts on memory at once: a run of the one program is a run of the other, step by step. Under PSO a store to the cell may reach memory
// after what its thread has done later, so there must be none. Under RC11 additions in one order may synchronize.
// They must be relaxed, as must be stores to the cell, and their threads have no fences by which they would; and since nobody has a fence that is sequentially consistent, coherence of the
// cell is in no order but that of the cell. Any order of the additions that program order and reads-from do not contradict is consistent then. Under
// RA additions always synchronize: two threads that store, add, and load what the other has stored cannot both miss it.

// sums is a program in which additions go to cells of their threads.
type sums struct {
	of, made *program.Program
	all      []*sum
	cells    int            // of the program that it is made of
	in       map[int32]*sum // by cell of the program that is made
}

// A sum is a cell that is added to in parts. The first part is the cell itself.
type sum struct {
	cell    int
	addr    int64
	name    string
	typ     program.Type
	op      program.BinaryOp
	adders  []int // threads, ascending
	stores  bool  // somebody stores to it, so that the first part is no adder's
	parts   []int64
	indices []int32 // of the parts among the cells
}

// part is the address that thread t adds to.
func (s *sum) part(t int) int64 {
	k := slices.Index(s.adders, t)
	if s.stores {
		k++
	}
	return s.parts[k]
}

// ordered is the error that the additions to a cell have to be in order.
type ordered struct{ sum *sum }

func (e *ordered) Error() string {
	return fmt.Sprintf("internal error: additions to %s were to have no order", e.sum.name)
}

// commuting explores p with additions that are left unordered, as far as there are any.
func commuting(ctx context.Context, p *program.Program, opts Options, asked verdict.Question, found func(*abstract.State)) (*verdict.Result, error) {
	start := time.Now()
	opts.Commute = false
	opts.Model = cmp.Or(opts.Model, memory.TSO)
	inOrder := map[int]bool{} // cells
	var reasons []string
	for {
		s, why := unordered(ctx, p, opts, asked, inOrder)
		if s == nil {
			res, err := run(ctx, p, opts, asked, found)
			if err == nil {
				if len(reasons) == 0 {
					reasons = []string{why}
				}
				res.Notes = append(res.Notes, "no additions are left unordered: "+strings.Join(reasons, "; "))
			}
			return res, err
		}
		tell := found
		if found != nil {
			tell = func(st *abstract.State) { found(s.state(st)) }
		}
		x, _, err := prepare(ctx, s.made, opts, asked, tell)
		if x == nil && err == nil {
			return run(ctx, p, opts, asked, found) // which says the same of p
		} else if x == nil {
			return nil, err
		}
		if !s.fits(x.ranges) {
			x.total.Close()
			return nil, errors.New("internal error: additions have changed which cells there are")
		}
		x.sums = s
		if x.unlike != "" { // which may be about the parts, that nobody knows of
			y, _, err := prepare(ctx, p, opts, asked, found)
			if err != nil {
				x.total.Close()
				return nil, err
			}
			if y != nil {
				if x.unlike = y.unlike; y.alike != nil {
					x.unlike = "to leave additions unordered, each that adds has a cell of its own"
				}
				y.total.Close()
			}
		}
		x.explore()
		var o *ordered
		if errors.As(x.err, &o) {
			inOrder[o.sum.cell] = true
			reasons = append(reasons, fmt.Sprintf("%s is accessed in between", o.sum.name))
			x.total.Close()
			continue
		}
		defer x.total.Close()
		res, err := x.result()
		if err != nil {
			return nil, err
		}
		var names []string
		for _, s := range s.all {
			names = append(names, s.name)
		}
		res.Notes = append(res.Notes, "executions that differ in the order of additions whose results nobody reads are counted once: to "+strings.Join(names, ", "))
		if len(reasons) > 0 {
			res.Notes = append(res.Notes, "other additions are in order: "+strings.Join(reasons, "; "))
		}
		res.Engine, res.Elapsed = "graphs", time.Since(start)
		return res, nil
	}
}

// unordered finds the cells, but for those that are said to be in order, and makes the program; why is why there are none.
func unordered(ctx context.Context, p *program.Program, opts Options, asked verdict.Question, inOrder map[int]bool) (_ *sums, why string) {
	switch {
	case asked != verdict.Safety && asked != verdict.FinalStates:
		return nil, "it is for properties, assertions and final states"
	case opts.AnyCoherence:
		return nil, "it is for graphs with the order of stores"
	case opts.LBRaces:
		return nil, "races of load buffering are looked for"
	case opts.Model == memory.RA:
		return nil, "they synchronize under the model ra"
	case !opts.Model.Operational() && (opts.Model != memory.RC11 || opts.Evaluate):
		return nil, fmt.Sprintf("it is for sc, tso, pso and rc11, and not for the model %s", opts.Model)
	case opts.Model == memory.RC11 && !unfenced(p):
		return nil, "under rc11 fences may make them synchronize"
	}
	for i := range p.Properties {
		if pr := &p.Properties[i]; asked == verdict.Safety && pr.Kind == program.Forbid {
			return nil, "a condition may tell moments between them apart: " + pr.String()
		}
	}
	r, err := program.AnalyseContext(ctx, p)
	if err != nil {
		return nil, err.Error() // which exploring will say, too
	}
	s := &sums{of: p, cells: len(r.Cells)}
	live := make([][]program.RegSet, len(p.Threads))
	for t := range p.Threads {
		live[t] = flow.Live(p, t, asked == verdict.FinalStates)
	}
	for c := range r.Cells {
		if !inOrder[c] {
			if one := newSum(p, r, c, opts.Model, live); one != nil {
				s.all = append(s.all, one)
			}
		}
	}
	if len(s.all) == 0 {
		return nil, "there is no cell that several threads do nothing with but add to it and disregard what was there"
	}
	if !s.place(r) {
		return nil, "there are no addresses left"
	}
	s.made = s.program(r)
	return s, ""
}

// fenced is whether p has any fence of C11.
func fenced(p *program.Program) bool {
	return slices.ContainsFunc(p.Threads, func(t *program.Thread) bool {
		return slices.ContainsFunc(t.Edges, func(e program.Edge) bool { return fences(p, &e.Cmd) })
	})
}

func fences(p *program.Program, c *program.Command) bool {
	return c.Op == program.Fence || c.Op == program.Atomic && newClass(c, p.Arch, false).order != 0
}

// unfenced is whether p has no fence but such as are neither sequentially consistent nor in a thread with an addition.
func unfenced(p *program.Program) bool {
	for _, t := range p.Threads {
		adds, fence := false, false
		for i := range t.Edges {
			c := &t.Edges[i].Cmd
			if _, ok := addition(c); ok {
				adds = true
				continue
			}
			if fences(p, c) {
				fence = true
				if newClass(c, p.Arch, false).order&seqCst != 0 {
					return false
				}
			}
		}
		if adds && fence {
			return false
		}
	}
	return true
}

// addition is the operation of a read-modify-write that adds to a cell, or does another operation whose order
// makes no difference. Subtractions are additions.
func addition(c *program.Command) (op program.BinaryOp, ok bool) {
	if c.Op != program.Atomic || len(c.Body) < 2 || c.Body[0].Op != program.Load || c.Body[1].Op != program.Store {
		return 0, false
	}
	for i := range c.Body {
		if b := &c.Body[i]; b.Part || b.Pick || i > 1 && b.Op != program.Assign {
			return 0, false
		}
	}
	old := program.Reg(c.Body[0].Reg)
	v := c.Body[1].Value
	if u, is := v.(program.Unary); is { // as wide as the cell, which newSum looks at
		if _, casts := u.Op.Cast(); casts {
			v = u.X
		}
	}
	e, binary := v.(program.Binary)
	if !binary {
		return 0, false
	}
	other := e.Y
	if e.Op != program.Sub && e.X != program.Expr(old) {
		e.X, other = e.Y, e.X
	}
	if e.X != program.Expr(old) || mentions(other, old) {
		return 0, false
	}
	switch e.Op {
	case program.Sub:
		return program.Add, true
	case program.Add, program.BitOr, program.BitXor, program.BitAnd:
		return e.Op, true
	}
	return 0, false
}

func mentions(e program.Expr, r program.Reg) bool {
	found := false
	program.Walk(e, func(e program.Expr) { found = found || e == program.Expr(r) })
	return found
}

// newSum is the cell as a sum, or nil.
func newSum(p *program.Program, r *program.Ranges, cell int, m memory.Model, live [][]program.RegSet) *sum {
	c := &r.Cells[cell]
	s := &sum{cell: cell, addr: c.Addr, name: cmp.Or(c.Name, program.Mem{Addr: c.Addr}.String()), typ: c.Type}
	storers := map[int]bool{}
	for ti, t := range p.Threads {
		for i := range t.Edges {
			e := &t.Edges[i]
			if !r.Reachable[ti][e.From] {
				continue
			}
			meets, only := false, true
			e.Cmd.Accesses(func(a *program.Command) {
				at := r.Access[a]
				meets = meets || slices.Contains(at, cell)
				only = only && len(at) == 1
				_, constant := program.Fold(a.Addr).(program.Const)
				only = only && constant
			})
			if !meets {
				continue
			}
			if !only || !s.access(p, r, ti, e, m, live[ti], storers) {
				return nil
			}
		}
	}
	for _, t := range s.adders {
		if storers[t] {
			return nil
		}
	}
	if len(s.adders) < 2 {
		return nil
	}
	s.stores = len(storers) > 0
	return s
}

// access takes note of the edge of thread t, which accesses the cell and no other, and is false where the cell is no sum then.
func (s *sum) access(p *program.Program, r *program.Ranges, t int, e *program.Edge, m memory.Model, live []program.RegSet, storers map[int]bool) bool {
	switch c := &e.Cmd; {
	case c.Op == program.Load:
		return !c.Part && !c.Exclusive(p.Arch)
	case c.Op == program.Store:
		storers[t] = true
		if m == memory.RC11 && (newClass(c, p.Arch, false).order&^relaxed != 0 || fenced(p)) {
			return false // who reads it might acquire by it
		}
		return !c.Part && !c.Exclusive(p.Arch) && m != memory.PSO
	default:
		op, ok := addition(c)
		if !ok || len(s.adders) > 0 && op != s.op {
			return false
		}
		if u, is := c.Body[1].Value.(program.Unary); is {
			if to, _ := u.Op.Cast(); to.Bits < s.typ.Bits {
				return false
			}
		}
		if r.Cells[r.Access[&c.Body[0]][0]] != r.Cells[r.Access[&c.Body[1]][0]] {
			return false
		}
		dead := true
		c.Writes(func(reg int) { dead = dead && !live[e.To].Has(reg) })
		if !dead {
			return false
		}
		if m == memory.RC11 {
			for i := range 2 {
				if newClass(&c.Body[i], p.Arch, true).order&^relaxed != 0 {
					return false
				}
			}
		}
		s.op = op
		if !slices.Contains(s.adders, t) {
			s.adders = append(s.adders, t)
		}
		return true
	}
}

// place gives addresses to the parts, far from all others.
func (s *sums) place(r *program.Ranges) bool {
	const apart = 1024
	last := int64(0)
	for _, c := range r.Cells {
		last = max(last, c.Addr)
	}
	for _, c := range s.of.Memory {
		last = max(last, c.Addr)
	}
	for _, one := range s.all {
		one.parts = append(one.parts[:0], one.addr)
		n := len(one.adders)
		if one.stores {
			n++
		}
		for range n - 1 {
			if last > 1<<40 {
				return false
			}
			last += apart
			one.parts = append(one.parts, last)
		}
	}
	return true
}

// program is the program in which the parts are added to.
func (s *sums) program(r *program.Ranges) *program.Program {
	p := *s.of
	p.Memory = slices.Clone(p.Memory)
	for _, one := range s.all {
		for i, a := range one.parts[1:] {
			c := program.Cell{Addr: a, Name: fmt.Sprintf("%s, part %d", one.name, i+2), Type: one.typ}
			if one.op == program.BitAnd {
				c.Init = one.typ.Wrap(-1)
			}
			p.Memory = append(p.Memory, c)
		}
	}
	p.Properties = slices.Clone(p.Properties)
	for i := range p.Properties {
		pr := &p.Properties[i]
		pr.Text, pr.Cond = pr.String(), s.condition(pr.Cond)
	}
	p.Filter = s.condition(p.Filter)
	p.Threads = slices.Clone(p.Threads)
	for t := range p.Threads {
		p.Threads[t] = s.thread(r, t)
	}
	return &p
}

// condition is e where the sums are computed.
func (s *sums) condition(e program.Expr) program.Expr {
	switch was := e.(type) {
	case program.Unary:
		return program.Unary{Op: was.Op, X: s.condition(was.X)}
	case program.Binary:
		return program.Binary{Op: was.Op, X: s.condition(was.X), Y: s.condition(was.Y)}
	case program.Mem:
		for _, one := range s.all {
			if one.addr == was.Addr {
				return one.total(func(i int) program.Expr { return program.Mem{Addr: one.parts[i]} })
			}
		}
	}
	return e
}

// total is the value of the cell, of what the parts are.
func (s *sum) total(part func(i int) program.Expr) program.Expr {
	e := part(0)
	for i := range s.parts[1:] {
		e = program.Binary{Op: s.op, X: e, Y: part(i + 1)}
	}
	return program.Unary{Op: program.Cast(s.typ), X: e}
}

// thread is thread t of the program that is made. An edge that reads a sum is the first of several, and the others come after all
// that there were.
func (s *sums) thread(r *program.Ranges, t int) *program.Thread {
	old := s.of.Threads[t]
	th := *old
	th.Edges, th.Regs, th.States = slices.Clone(th.Edges), slices.Clone(th.Regs), slices.Clone(th.States)
	for i := range old.Edges {
		e := &old.Edges[i]
		if !r.Reachable[t][e.From] {
			continue
		}
		var one *sum
		e.Cmd.Accesses(func(a *program.Command) {
			for _, s := range s.all {
				if slices.Contains(r.Access[a], s.cell) {
					one = s
				}
			}
		})
		if one == nil {
			continue
		}
		switch e.Cmd.Op {
		case program.Atomic:
			c := &th.Edges[i].Cmd
			c.Body = slices.Clone(c.Body)
			for k := range 2 {
				c.Body[k].Addr = program.Const(one.part(t))
			}
		case program.Load:
			one.read(&th, i)
		}
	}
	return &th
}

// read makes edge i of t, a load, load all parts.
func (s *sum) read(t *program.Thread, i int) {
	e := t.Edges[i]
	from, pos := e.From, e.Pos
	regs := make([]program.Reg, len(s.parts))
	for k, addr := range s.parts {
		regs[k] = program.Reg(len(t.Regs))
		t.Regs = append(t.Regs, program.Register{Name: fmt.Sprintf("%s, read %d", s.name, len(t.Regs)), Type: s.typ, Temp: true})
		to := program.StateID(len(t.States))
		t.States = append(t.States, program.State{Name: fmt.Sprintf("q%d", to), Pos: t.States[from].Pos})
		c := e.Cmd
		c.Reg, c.Addr = int(regs[k]), program.Const(addr)
		if k == 0 {
			t.Edges[i].To, t.Edges[i].Cmd = to, c
		} else {
			t.Edges = append(t.Edges, program.Edge{From: from, To: to, Cmd: c, Pos: pos})
		}
		from = to
	}
	value := s.total(func(i int) program.Expr { return regs[i] })
	t.Edges = append(t.Edges, program.Edge{From: from, To: e.To, Pos: pos, Cmd: program.Command{Op: program.Assign, Reg: e.Cmd.Reg, Value: value, Pos: e.Cmd.Pos}})
}

// fits is whether the cells of the program that was made are those of the other, and the parts.
func (s *sums) fits(r *program.Ranges) bool {
	s.in = map[int32]*sum{}
	parts := 0
	for _, one := range s.all {
		one.indices = one.indices[:0]
		for _, a := range one.parts {
			c := int32(r.CellIndex(a))
			if c < 0 {
				return false
			}
			one.indices = append(one.indices, c)
			s.in[c] = one
		}
		if one.indices[0] != int32(one.cell) {
			return false
		}
		parts += len(one.parts) - 1
	}
	return len(r.Cells) == s.cells+parts
}

// state is st, a state of the program that was made, as one of the other.
func (s *sums) state(st *abstract.State) *abstract.State {
	c := *st
	c.Mem = slices.Clone(st.Mem[:s.cells])
	for _, one := range s.all {
		e := one.total(func(i int) program.Expr { return program.Const(st.Mem[one.indices[i]]) })
		c.Mem[one.cell] = program.Eval(e, nil)
	}
	c.Regs = slices.Clone(st.Regs)
	for t := range c.Regs {
		c.Regs[t] = c.Regs[t][:len(s.of.Threads[t].Regs)]
	}
	return &c
}
