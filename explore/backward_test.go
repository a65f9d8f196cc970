package explore

import (
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// errTooLarge is the error of backwardMultiset where it gives up.
var errTooLarge = errors.New("the program is too large for backward search")

// backwardMultiset tells whether the multiset abstraction of p reaches a
// violation, by the backward search of thesis appendix B. It is there to be
// compared with CheckMultiset, with which it shares neither algorithm nor
// rules: it works with few values only, gives up beyond limit minimal elements,
// and gives no run.
//
// States are ordered by m <= n where m and n have the same control states,
// valuation, lock and marks (together their shape), and n counts at least what m
// counts. That is a well-quasi-order, over finite data, and what can be done from
// m can be done from n, after flushes of what n has more. Violations are a matter
// of the shape, so they are closed upwards, and so are the states that can reach
// them: the least fixpoint of the upward closures of minimal elements and their
// minimal predecessors.
//
// Minimal predecessors are not quite as printed. Of a flush of (a, v): where
// nothing is marked for a afterwards, the predecessor holds exactly [(a, v)] for
// a, marked; otherwise the mark is where it was and the count of (a, v) grows by
// one. Of a store of (a, v): the mark must be at v; the count of (a, v) shrinks by
// one; the mark was at any w that is there for a, or at any w that is not, with
// one (a, w) added; or nowhere, if nothing for a is left.
//
// With forward, shapes that the set abstraction does not reach are left out.
func backwardMultiset(ctx context.Context, p *program.Program, forward bool, limit int) (violated bool, err error) {
	r, err := program.Analyse(p)
	if err != nil {
		return false, err
	}
	b := &backward{p: p, r: r, threads: len(p.Threads), cells: len(r.Cells), limit: limit, minimal: map[string][][]uint16{}}
	if err := b.domains(); err != nil {
		return false, err
	}
	if forward {
		err = b.forward(ctx)
	} else {
		err = b.allShapes()
	}
	if err != nil {
		return false, err
	}
	for sum, steps := 0, 0; sum < len(b.work); {
		n := len(b.work[sum])
		if n == 0 {
			sum++
			continue
		}
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		if steps++; b.size > limit || steps > 4*limit {
			return false, errTooLarge
		}
		e := b.work[sum][n-1]
		b.work[sum] = b.work[sum][:n-1]
		if slices.ContainsFunc(b.minimal[key(e.shape)], func(c []uint16) bool { return &c[0] == &e.counts[0] }) {
			b.predecessors(e)
			sum = max(sum-1, 0) // a store takes one away
		}
	}
	init := make([]int64, b.width)
	for t, th := range p.Threads {
		init[t] = int64(th.Initial)
		for i := range th.Regs {
			init[b.reg(t, i)] = th.Regs[i].Init
		}
	}
	init[b.lock()] = -1
	for c := range r.Cells {
		init[b.mem(c)] = r.Cells[c].Init
		for t := range p.Threads {
			init[b.mark(t, c)] = -1
		}
	}
	return len(b.minimal[key(init)]) > 0, nil
}

// A backward is a backward search. A shape is a vector: control states, lock,
// registers, memory, and by thread and cell the marked value as an index into the
// values of the cell, -1 for none. Counts are by thread, cell and value.
type backward struct {
	p              *program.Program
	r              *program.Ranges
	threads, cells int
	limit          int
	regAt          []int       // by thread: where its registers are
	memAt, markAt  int         // where the memory is, and the marks
	width          int         // of a shape
	regDom         [][][]int64 // values by thread and register
	cellDom        [][]int64   // values by cell
	countAt        []int       // by cell: where its counts are, for thread 0
	perThread      int         // counts of one thread

	only    map[string]bool // shapes that count; nil: all
	minimal map[string][][]uint16
	work    [][]element // by the sum of the counts: the smallest are first
	size    int
}

type element struct {
	shape  []int64
	counts []uint16
}

func (b *backward) lock() int         { return b.threads }
func (b *backward) reg(t, i int) int  { return b.regAt[t] + i }
func (b *backward) mem(c int) int     { return b.memAt + c }
func (b *backward) mark(t, c int) int { return b.markAt + t*b.cells + c }
func (b *backward) count(t, c, v int) int {
	return t*b.perThread + b.countAt[c] + v
}

func key(shape []int64) string {
	k := make([]byte, 0, 2*len(shape))
	for _, v := range shape {
		k = binary.AppendVarint(k, v)
	}
	return string(k)
}

// domains lists the values of registers and cells, and lays out the vectors.
func (b *backward) domains() error {
	list := func(s program.ValueSet) ([]int64, error) {
		if few, ok := s.Few(); ok {
			return few, nil
		}
		if n := uint64(s.Max()) - uint64(s.Min()); n >= 64 {
			return nil, errTooLarge
		}
		var vs []int64
		for v := s.Min(); v <= s.Max(); v++ {
			vs = append(vs, v)
		}
		return vs, nil
	}
	at := b.threads + 1
	for t, th := range b.p.Threads {
		b.regAt = append(b.regAt, at)
		at += len(th.Regs)
		b.regDom = append(b.regDom, nil)
		for i := range th.Regs {
			vs, err := list(b.r.Reg[t][i])
			if err != nil {
				return err
			}
			b.regDom[t] = append(b.regDom[t], vs)
		}
	}
	b.memAt = at
	b.markAt = at + b.cells
	b.width = b.markAt + b.threads*b.cells
	for c := range b.cells {
		vs, err := list(b.r.Cell[c])
		if err != nil {
			return err
		}
		b.cellDom = append(b.cellDom, vs)
		b.countAt = append(b.countAt, b.perThread)
		b.perThread += len(vs)
	}
	b.perThread = max(b.perThread, 1)
	return nil
}

// forward looks for violations among the shapes that the set abstraction
// reaches, and keeps to these shapes.
func (b *backward) forward(ctx context.Context) error {
	s, err := newSearch(ctx, b.p, Options{Model: memory.TSO, Abstraction: abstract.Set{}, Reduction: NoReduction,
		MaxStates: int64(b.limit), MemoryLimit: 1 << 28}, func(*abstract.State) {})
	if err != nil {
		return err
	}
	for t := range s.dead {
		for e := range s.dead[t] {
			s.dead[t][e] = nil // backward, no register is dead
		}
	}
	if err := s.run(); err != nil {
		return err
	}
	if s.stopped != "" || s.violated {
		return errTooLarge
	}
	b.only = map[string]bool{}
	shape := make([]int64, b.width)
	s.each(func(st *abstract.State) error {
		for t, pc := range st.PC {
			shape[t] = int64(pc)
			for c := range b.cells {
				shape[b.mark(t, c)] = -1
				if v, ok := s.x.Buffer.Last(&st.Buf[t], c); ok {
					shape[b.mark(t, c)] = int64(slices.Index(b.cellDom[c], v))
				}
			}
		}
		shape[b.lock()] = int64(st.Lock)
		copy(shape[b.lock()+1:], st.Vals)
		if k := key(shape); !b.only[k] {
			b.only[k] = true
			b.goal(shape)
		}
		return nil
	})
	return nil
}

// allShapes looks for violations among all shapes.
func (b *backward) allShapes() error {
	shape := make([]int64, b.width)
	var lists [][]int64
	total := 1
	for i := range b.width {
		var vs []int64
		switch {
		case i < b.threads:
			for q, ok := range b.r.Reachable[i] {
				if ok {
					vs = append(vs, int64(q))
				}
			}
		case i == b.lock():
			vs = []int64{-1}
			for t, th := range b.p.Threads {
				if flow.Locking(th) {
					vs = append(vs, int64(t))
				}
			}
		case i < b.memAt:
			t := 0
			for t+1 < b.threads && i >= b.regAt[t+1] {
				t++
			}
			vs = b.regDom[t][i-b.regAt[t]]
		case i < b.markAt:
			vs = b.cellDom[i-b.memAt]
		default:
			t, c := (i-b.markAt)/b.cells, (i-b.markAt)%b.cells
			vs = []int64{-1}
			if b.r.Writers[c][t] {
				for v := range b.cellDom[c] {
					vs = append(vs, int64(v))
				}
			}
		}
		if total *= len(vs); total > b.limit {
			return errTooLarge
		}
		lists = append(lists, vs)
	}
	at := make([]int, b.width)
	for {
		for i := range shape {
			shape[i] = lists[i][at[i]]
		}
		b.goal(shape)
		i := 0
		for ; i < b.width; i++ {
			if at[i]++; at[i] < len(lists[i]) {
				break
			}
			at[i] = 0
		}
		if i == b.width {
			return nil
		}
	}
}

// goal adds the smallest state of a shape, if it is a violation.
func (b *backward) goal(shape []int64) {
	if !b.violation(shape) {
		return
	}
	counts := make([]uint16, b.threads*b.perThread)
	for t := range b.threads {
		for c := range b.cells {
			if v := shape[b.mark(t, c)]; v >= 0 {
				counts[b.count(t, c, int(v))] = 1
			}
		}
	}
	b.add(shape, counts)
}

// add adds an element unless a smaller one is there, and drops larger ones.
func (b *backward) add(shape []int64, counts []uint16) {
	k := key(shape)
	if b.only != nil && !b.only[k] {
		return
	}
	below := func(x, y []uint16) bool {
		for i := range x {
			if x[i] > y[i] {
				return false
			}
		}
		return true
	}
	all := b.minimal[k]
	for _, c := range all {
		if below(c, counts) {
			return
		}
	}
	counts = slices.Clone(counts)
	b.size -= len(all)
	all = slices.DeleteFunc(all, func(c []uint16) bool { return below(counts, c) })
	b.minimal[k] = append(all, counts)
	b.size += len(all) + 1
	sum := 0
	for _, n := range counts {
		sum += int(n)
	}
	for len(b.work) <= sum {
		b.work = append(b.work, nil)
	}
	b.work[sum] = append(b.work[sum], element{slices.Clone(shape), counts})
}

// empty is true where thread t buffers nothing.
func (b *backward) empty(shape []int64, t int) bool {
	for c := range b.cells {
		if shape[b.mark(t, c)] >= 0 {
			return false
		}
	}
	return true
}

func (b *backward) mayAccess(shape []int64, t int) bool {
	return shape[b.lock()] < 0 || shape[b.lock()] == int64(t)
}

// env reads a shape.
func (b *backward) env(shape []int64, t int) *program.Env {
	return &program.Env{
		Reg:       func(r program.Reg) int64 { return shape[b.reg(t, int(r))] },
		Mem:       func(a int64) int64 { return shape[b.mem(b.r.CellIndex(a))] },
		ThreadReg: func(t, r int) int64 { return shape[b.reg(t, r)] },
		At:        func(t int) program.StateID { return program.StateID(shape[t]) },
	}
}

// A way is what became of a command.
type way uint8

const (
	disabled way = iota
	done
	failed
)

// perform does a command other than Store, on a shape and in place but for the
// control state; choice picks an outcome.
func (b *backward) perform(shape []int64, t int, c *program.Command, choice int64) way {
	env := b.env(shape, t)
	set := func(v int64) {
		shape[b.reg(t, c.Reg)] = b.p.Threads[t].Regs[c.Reg].Type.Wrap(v)
	}
	full := c.FullFence()
	switch {
	case (full || c.Op == program.Lock || c.Op == program.Unlock || c.Op == program.Atomic) && !b.empty(shape, t),
		(c.Op == program.Load || c.Op == program.Atomic) && !b.mayAccess(shape, t),
		c.Op == program.Lock && shape[b.lock()] >= 0,
		c.Op == program.Unlock && shape[b.lock()] != int64(t),
		c.Op == program.Check && program.Eval(c.Value, env) == 0:
		return disabled
	}
	switch c.Op {
	case program.Assert:
		if program.Eval(c.Value, env) == 0 {
			return failed
		}
	case program.Assign:
		set(program.Eval(c.Value, env))
	case program.Havoc:
		set(c.Lo + choice)
	case program.Load, program.Store: // a Store inside an Atomic
		i := b.r.CellIndex(program.Eval(c.Addr, env))
		switch {
		case i < 0 && c.Op == program.Load:
			set(0) // after a failed assertion
		case i < 0:
		case c.Op == program.Store:
			shape[b.mem(i)] = b.r.Cells[i].Type.Wrap(program.Eval(c.Value, env))
		case shape[b.mark(t, i)] >= 0:
			set(b.cellDom[i][shape[b.mark(t, i)]])
		default:
			set(shape[b.mem(i)])
		}
	case program.Lock:
		shape[b.lock()] = int64(t)
	case program.Unlock:
		shape[b.lock()] = -1
	case program.Atomic:
		end := done
		for j := range c.Body {
			inner := &c.Body[j]
			one := int64(0)
			if inner.Op == program.Havoc {
				radix := inner.Hi - inner.Lo + 1
				one, choice = choice%radix, choice/radix
			}
			switch b.perform(shape, t, inner, one) {
			case disabled:
				return disabled
			case failed:
				end = failed
			}
		}
		return end
	}
	return done
}

// choices is how many outcomes a command has.
func choices(c *program.Command) int64 {
	n := int64(1)
	if c.Op == program.Havoc {
		n = c.Hi - c.Lo + 1
	}
	for i := range c.Body {
		n *= choices(&c.Body[i])
	}
	return n
}

// violation is true where a shape violates a property, or an assertion can fail
// in it.
func (b *backward) violation(shape []int64) bool {
	final, stuck := true, true
	scratch := make([]int64, len(shape))
	for t, th := range b.p.Threads {
		final = final && b.empty(shape, t)
		if !b.empty(shape, t) && b.mayAccess(shape, t) {
			stuck = false
		}
		for i := range th.Edges {
			e := &th.Edges[i]
			if int64(e.From) != shape[t] {
				continue
			}
			final = false
			if e.Cmd.Op == program.Store {
				stuck = false
				continue
			}
			for choice := range choices(&e.Cmd) {
				copy(scratch, shape)
				switch b.perform(scratch, t, &e.Cmd, choice) {
				case failed:
					return true
				case done:
					stuck = false
				}
			}
		}
	}
	env := b.env(shape, 0)
	counts := final && (b.p.Filter == nil || program.Eval(b.p.Filter, env) != 0)
	for i := range b.p.Properties {
		pr := &b.p.Properties[i]
		switch {
		case pr.Kind == program.Deadlock:
			if stuck && !final {
				return true
			}
		case pr.Kind == program.Forbid || counts:
			if pr.Violated(program.Eval(pr.Cond, env)) {
				return true
			}
		}
	}
	return false
}

// predecessors adds the minimal predecessors of what is above an element.
func (b *backward) predecessors(e element) {
	shape, counts := slices.Clone(e.shape), slices.Clone(e.counts)
	for t, th := range b.p.Threads {
		b.flushes(e, shape, counts, t)
		for i := range th.Edges {
			edge := &th.Edges[i]
			if int64(edge.To) != e.shape[t] || !b.r.Reachable[t][edge.From] {
				continue
			}
			copy(shape, e.shape)
			shape[t] = int64(edge.From)
			if edge.Cmd.Op == program.Store {
				b.stores(e, shape, counts, t, &edge.Cmd)
				continue
			}
			// What the command overwrites may have been anything.
			var places []int
			var lists [][]int64
			free := func(at int, vs []int64) {
				if !slices.Contains(places, at) {
					places, lists = append(places, at), append(lists, vs)
				}
			}
			edge.Cmd.Writes(func(r int) { free(b.reg(t, r), b.regDom[t][r]) })
			edge.Cmd.Accesses(func(c *program.Command) {
				if c.Op == program.Store {
					for _, cell := range b.r.Access[c] {
						free(b.mem(cell), b.cellDom[cell])
					}
				}
			})
			switch edge.Cmd.Op {
			case program.Lock, program.Unlock:
				free(b.lock(), []int64{-1, int64(t)})
			}
			b.guess(e, shape, t, &edge.Cmd, places, lists)
		}
	}
}

// guess tries all values at the places, and adds the shapes from which the
// command leads to e.
func (b *backward) guess(e element, shape []int64, t int, c *program.Command, places []int, lists [][]int64) {
	if len(places) > 0 {
		for _, v := range lists[0] {
			shape[places[0]] = v
			b.guess(e, shape, t, c, places[1:], lists[1:])
		}
		return
	}
	for choice := range choices(c) {
		after := slices.Clone(shape)
		if b.perform(after, t, c, choice) == done {
			if after[t] = e.shape[t]; slices.Equal(after, e.shape) {
				b.add(shape, e.counts)
				return
			}
		}
	}
}

// flushes adds the predecessors by flushes of thread t.
func (b *backward) flushes(e element, shape []int64, counts []uint16, t int) {
	if !b.mayAccess(e.shape, t) {
		return
	}
	for c := range b.cells {
		v := slices.Index(b.cellDom[c], e.shape[b.mem(c)])
		if v < 0 || !b.r.Writers[c][t] {
			continue
		}
		copy(shape, e.shape)
		copy(counts, e.counts)
		if shape[b.mark(t, c)] < 0 {
			shape[b.mark(t, c)] = int64(v)
		}
		counts[b.count(t, c, v)]++
		for _, old := range b.cellDom[c] {
			shape[b.mem(c)] = old
			b.add(shape, counts)
		}
	}
	copy(shape, e.shape)
	copy(counts, e.counts)
}

// stores adds the predecessors by a Store; shape is at its source already.
func (b *backward) stores(e element, shape []int64, counts []uint16, t int, cmd *program.Command) {
	env := b.env(shape, t)
	c := b.r.CellIndex(program.Eval(cmd.Addr, env))
	if c < 0 {
		return // no reachable state
	}
	v := slices.Index(b.cellDom[c], b.r.Cells[c].Type.Wrap(program.Eval(cmd.Value, env)))
	if v < 0 || e.shape[b.mark(t, c)] != int64(v) {
		return
	}
	copy(counts, e.counts)
	counts[b.count(t, c, v)]--
	left := false
	for w := range b.cellDom[c] {
		at := b.count(t, c, w)
		shape[b.mark(t, c)] = int64(w)
		left = left || counts[at] > 0
		if counts[at] > 0 {
			b.add(shape, counts)
		} else {
			counts[at] = 1
			b.add(shape, counts)
			counts[at] = 0
		}
	}
	if !left {
		shape[b.mark(t, c)] = -1
		b.add(shape, counts)
	}
	copy(counts, e.counts)
}
