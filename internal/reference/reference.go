// Package reference is for tests: the operational semantics written down once more, as
// plainly as can be. States are Go values that are copied, told apart by a text of all
// that is in them, and nothing is reduced, packed or inferred. It shares no code with package abstract.
//
// A program and a model come in, the final states and the violations there are go out.
package reference

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

type store struct {
	addr, value int64
	part        bool // of the same instruction as the one before it: they leave together
}

// mark stands in a buffer under PSO for a store fence: what is after it waits for what
// is before it.
const mark = math.MinInt64

type state struct {
	pc   []program.StateID
	regs [][]int64
	mem  map[int64]int64
	buf  [][]store // oldest first
	lock int
}

func (s *state) clone() *state {
	c := &state{pc: slices.Clone(s.pc), mem: map[int64]int64{}, lock: s.lock}
	for _, r := range s.regs {
		c.regs = append(c.regs, slices.Clone(r))
	}
	for a, v := range s.mem {
		c.mem[a] = v
	}
	for _, b := range s.buf {
		c.buf = append(c.buf, slices.Clone(b))
	}
	return c
}

// key is a text that tells s from every other state of the same program.
func (s *state) key() string {
	b := make([]byte, 0, 64)
	number := func(v int64) { b = binary.AppendVarint(b, v) }
	for t := range s.pc {
		number(int64(s.pc[t]))
		for _, v := range s.regs[t] {
			number(v)
		}
		number(int64(len(s.buf[t])))
		for _, w := range s.buf[t] {
			number(w.addr)
			number(w.value)
			if w.part {
				number(1)
			} else {
				number(0)
			}
		}
	}
	for _, a := range slices.Sorted(maps.Keys(s.mem)) {
		number(a)
		number(s.mem[a])
	}
	number(int64(s.lock))
	return string(b)
}

// A Result is what there is.
type Result struct {
	States     int
	Finals     []string        // as [FinalKeys] has them, sorted
	Violations map[string]bool // as [ViolationKey] has them
	Capped     bool            // the capacity disabled a store
	Unfinished bool            // there are more states than asked for
}

type search struct {
	p        *program.Program
	tso, pso bool
	capacity int  // 0: none
	choked   bool // the capacity has disabled a store in the state at hand, which is no deadlock then
	Result
}

// Search explores up to limit states under a built-in model. capacity bounds the store
// buffers under TSO; 0: nothing does.
func Search(p *program.Program, m memory.Model, capacity, limit int) *Result {
	r := &search{p: p, tso: m != memory.SC, pso: m == memory.PSO, capacity: capacity, Result: Result{Violations: map[string]bool{}}}
	init := &state{mem: map[int64]int64{}, lock: -1}
	for _, c := range p.Memory {
		init.mem[c.Addr] = c.Init
	}
	for _, t := range p.Threads {
		init.pc = append(init.pc, t.Initial)
		regs := []int64{}
		for _, reg := range t.Regs {
			regs = append(regs, reg.Init)
		}
		init.regs = append(init.regs, regs)
		init.buf = append(init.buf, nil)
	}
	seen := map[string]bool{init.key(): true}
	finals := map[string]bool{}
	work := []*state{init}
	for len(work) > 0 {
		s := work[0]
		work = work[1:]
		r.States++
		if r.States > limit {
			r.Unfinished = true
			break
		}
		r.judge(s, program.Forbid)
		stuck := true
		r.choked = false
		for t := range p.Threads {
			for _, n := range r.successors(s, t) {
				stuck = false
				if n == nil {
					continue
				}
				if key := n.key(); !seen[key] {
					seen[key] = true
					work = append(work, n)
				}
			}
		}
		if r.final(s) {
			if p.Filter == nil || program.Eval(p.Filter, env(s)) != 0 {
				finals[r.finalKey(s)] = true
				r.judge(s, program.Exists)
				r.judge(s, program.Forall)
			}
		} else if stuck && !r.choked && !r.givenUp(s) {
			r.judge(s, program.Deadlock)
		}
	}
	for f := range finals {
		r.Finals = append(r.Finals, f)
	}
	sort.Strings(r.Finals)
	return &r.Result
}

func (r *search) kind(s *state, t int) program.StateKind { return r.p.Threads[t].States[s.pc[t]].Kind }

func (r *search) givenUp(s *state) bool {
	for t := range r.p.Threads {
		if r.kind(s, t) == program.GivenUp {
			return true
		}
	}
	return false
}

func (r *search) final(s *state) bool {
	for t, th := range r.p.Threads {
		switch {
		case len(s.buf[t]) > 0 || r.kind(s, t) == program.GivenUp:
			return false
		case r.kind(s, t) == program.Unstarted && s.mem[th.StartCell(s.pc[t])] == 0:
		case slices.ContainsFunc(th.Edges, func(e program.Edge) bool { return e.From == s.pc[t] }):
			return false
		}
	}
	return true
}

func (r *search) finalKey(s *state) string {
	var b strings.Builder
	for t, th := range r.p.Threads {
		for i := range th.Regs {
			if !th.Regs[i].Temp {
				fmt.Fprintf(&b, "%d:%s=%d ", t, th.Regs[i].Name, s.regs[t][i])
			}
		}
	}
	var addrs []int64
	for a, v := range s.mem {
		if v != 0 {
			addrs = append(addrs, a)
		}
	}
	slices.Sort(addrs)
	for _, a := range addrs {
		fmt.Fprintf(&b, "[%d]=%d ", a, s.mem[a])
	}
	return b.String()
}

func env(s *state) *program.Env {
	return &program.Env{
		Mem:       func(a int64) int64 { return s.mem[a] },
		ThreadReg: func(t, reg int) int64 { return s.regs[t][reg] },
		At:        func(t int) program.StateID { return s.pc[t] },
	}
}

// judge notes the properties of that kind that are violated in s, where they count.
func (r *search) judge(s *state, kind program.PropertyKind) {
	for i := range r.p.Properties {
		pr := &r.p.Properties[i]
		if pr.Kind == kind && (kind == program.Deadlock || (program.Eval(pr.Cond, env(s)) != 0) != (kind == program.Forall)) {
			r.Violations[fmt.Sprintf("property %d", i)] = true
		}
	}
}

func (r *search) cellType(addr int64) program.Type {
	for _, c := range r.p.Memory {
		if c.Addr == addr {
			return c.Type
		}
	}
	return r.p.Default
}

func (r *search) eval(s *state, t int, e program.Expr) int64 {
	return program.Eval(e, &program.Env{Reg: func(x program.Reg) int64 { return s.regs[t][x] }})
}

// successors are the states after each event of thread t; nil stands for one in
// which the run ends at a failed assertion.
func (r *search) successors(s *state, t int) []*state {
	th := r.p.Threads[t]
	var out []*state
	if r.pso {
		out = r.flushes(s, t)
	}
	mine := s.lock == -1 || s.lock == t
	empty := len(s.buf[t]) == 0
	if !empty && mine && !r.pso {
		out = append(out, leave(s, t, 0))
	}
	for i := range th.Edges {
		e := &th.Edges[i]
		if e.From != s.pc[t] {
			continue
		}
		c := &e.Cmd
		n := s.clone()
		n.pc[t] = e.To
		set := func(n *state, reg int, v int64) { n.regs[t][reg] = th.Regs[reg].Type.Wrap(v) }
		switch c.Op {
		case program.Check:
			if r.eval(s, t, c.Value) != 0 {
				out = append(out, n)
			}
		case program.Assign:
			set(n, c.Reg, r.eval(s, t, c.Value))
			out = append(out, n)
		case program.Havoc:
			for v := c.Lo; v <= c.Hi; v++ {
				m := n.clone()
				set(m, c.Reg, v)
				out = append(out, m)
			}
		case program.Load:
			if !mine {
				continue
			}
			a := r.eval(s, t, c.Addr)
			v := s.mem[a]
			for _, b := range s.buf[t] {
				if b.addr == a {
					v = b.value // the last one counts
				}
			}
			set(n, c.Reg, v)
			r.whole(n, t, program.Load)
			out = append(out, n)
		case program.Store:
			a := r.eval(s, t, c.Addr)
			v := r.cellType(a).Wrap(r.eval(s, t, c.Value))
			switch {
			case !r.tso && mine:
				n.mem[a] = v
			case !r.tso:
				continue
			case r.capacity > 0 && stores(n.buf[t]) >= r.capacity:
				r.Capped, r.choked = true, true
				continue
			default:
				n.buf[t] = append(n.buf[t], store{a, v, false})
			}
			r.whole(n, t, program.Store)
			out = append(out, n)
		case program.Fence:
			if !c.FullFence() || empty {
				if r.pso && c.StoreFence() && !empty {
					n.buf[t] = append(n.buf[t], store{mark, 0, false})
				}
				out = append(out, n)
			}
		case program.Lock:
			if empty && s.lock == -1 {
				n.lock = t
				out = append(out, n)
			}
		case program.Unlock:
			if empty && s.lock == t {
				n.lock = -1
				out = append(out, n)
			}
		case program.Assert:
			if r.eval(s, t, c.Value) == 0 {
				r.failed(c)
				n = nil
			}
			out = append(out, n)
		case program.Atomic:
			if !empty || !mine {
				continue
			}
			out = append(out, r.atomic(n, t, c.Body, nil)...)
		}
	}
	return out
}

// flushes are the states after each flush of thread t under PSO.
func (r *search) flushes(s *state, t int) []*state {
	var out []*state
	if s.lock != -1 && s.lock != t {
		return nil
	}
	for i, b := range s.buf[t] {
		if b.addr == mark {
			break
		}
		if b.part {
			continue
		}
		first := true
		for k := i; k == i || k < len(s.buf[t]) && s.buf[t][k].part; k++ {
			first = first && !slices.ContainsFunc(s.buf[t][:i], func(e store) bool { return e.addr == s.buf[t][k].addr })
		}
		if first {
			out = append(out, leave(s, t, i))
		}
	}
	return out
}

// leave is s after the store at i in the buffer of t has reached memory, with its parts.
func leave(s *state, t, i int) *state {
	n := s.clone()
	for more := true; more; more = i < len(n.buf[t]) && n.buf[t][i].part {
		n.mem[n.buf[t][i].addr] = n.buf[t][i].value
		n.buf[t] = slices.Delete(n.buf[t], i, i+1)
	}
	for len(n.buf[t]) > 0 && n.buf[t][0].addr == mark {
		n.buf[t] = n.buf[t][1:]
	}
	return n
}

// stores is how many stores a buffer holds.
func stores(buf []store) (n int) {
	for _, b := range buf {
		if !b.part {
			n++
		}
	}
	return n
}

// whole does in n what thread t does with the instruction that it has begun: the other cells of a load, or of a
// store, and what is assigned in between.
func (r *search) whole(n *state, t int, op program.Op) {
	th := r.p.Threads[t]
	for {
		var todo []*program.Command // up to the next part
		q := n.pc[t]
		for {
			var only []*program.Edge
			for i := range th.Edges {
				if th.Edges[i].From == q {
					only = append(only, &th.Edges[i])
				}
			}
			if len(only) != 1 || only[0].Cmd.Op != program.Assign && !(only[0].Cmd.Op == op && only[0].Cmd.Part) || len(todo) > len(th.Edges) {
				return
			}
			todo = append(todo, &only[0].Cmd)
			q = only[0].To
			if only[0].Cmd.Op == op {
				break
			}
		}
		for _, c := range todo {
			switch c.Op {
			case program.Assign:
				n.regs[t][c.Reg] = th.Regs[c.Reg].Type.Wrap(r.eval(n, t, c.Value))
			case program.Load:
				a := r.eval(n, t, c.Addr)
				v := n.mem[a]
				for _, b := range n.buf[t] {
					if b.addr == a {
						v = b.value
					}
				}
				n.regs[t][c.Reg] = th.Regs[c.Reg].Type.Wrap(v)
			case program.Store:
				a := r.eval(n, t, c.Addr)
				v := r.cellType(a).Wrap(r.eval(n, t, c.Value))
				if r.tso {
					n.buf[t] = append(n.buf[t], store{a, v, true})
				} else {
					n.mem[a] = v
				}
			}
		}
		n.pc[t] = q
	}
}

func (r *search) failed(c *program.Command) {
	if c.Kind == program.Fault {
		r.Violations["fault"] = true
	} else {
		r.Violations["assertion"] = true
	}
}

// atomic executes body in n, in all ways. failed is the first assertion that has
// failed so far.
func (r *search) atomic(n *state, t int, body []program.Command, failed *program.Command) []*state {
	if len(body) == 0 {
		if failed != nil {
			r.failed(failed)
			return []*state{nil}
		}
		return []*state{n}
	}
	c, rest := &body[0], body[1:]
	th := r.p.Threads[t]
	switch c.Op {
	case program.Check:
		if r.eval(n, t, c.Value) == 0 {
			return nil
		}
	case program.Assert:
		if r.eval(n, t, c.Value) == 0 && failed == nil {
			failed = c
		}
	case program.Assign:
		n.regs[t][c.Reg] = th.Regs[c.Reg].Type.Wrap(r.eval(n, t, c.Value))
	case program.Load:
		n.regs[t][c.Reg] = th.Regs[c.Reg].Type.Wrap(n.mem[r.eval(n, t, c.Addr)])
	case program.Store:
		a := r.eval(n, t, c.Addr)
		n.mem[a] = r.cellType(a).Wrap(r.eval(n, t, c.Value))
	case program.Havoc:
		var out []*state
		for v := c.Lo; v <= c.Hi; v++ {
			m := n.clone()
			m.regs[t][c.Reg] = th.Regs[c.Reg].Type.Wrap(v)
			out = append(out, r.atomic(m, t, rest, failed)...)
		}
		return out
	}
	return r.atomic(n, t, rest, failed)
}
