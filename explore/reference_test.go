package explore

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// The reference is the operational semantics written down once more, as plainly
// as can be: states are Go values that are copied, told apart by what they
// print, and nothing is reduced, packed or inferred. It shares no code with
// package abstract.

type refStore struct {
	addr, value int64
}

type refState struct {
	pc   []program.StateID
	regs [][]int64
	mem  map[int64]int64
	buf  [][]refStore // oldest first
	lock int
}

func (s *refState) clone() *refState {
	c := &refState{pc: slices.Clone(s.pc), mem: map[int64]int64{}, lock: s.lock}
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

func (s *refState) String() string { return fmt.Sprint(s.pc, s.regs, s.mem, s.buf, s.lock) }

type reference struct {
	p        *program.Program
	tso      bool
	capacity int // 0: none

	states     int
	finals     []string        // sorted
	violations map[string]bool // "property 0", "assertion", "fault"
	capped     bool            // the capacity disabled a store
	choked     bool            // ... in the state at hand, which is no deadlock then
	unfinished bool            // there are more states than asked for
}

// refExplore explores up to limit states.
func refExplore(p *program.Program, m memory.Model, capacity, limit int) *reference {
	r := &reference{p: p, tso: m == memory.TSO, capacity: capacity, violations: map[string]bool{}}
	init := &refState{mem: map[int64]int64{}, lock: -1}
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
	seen := map[string]bool{init.String(): true}
	finals := map[string]bool{}
	work := []*refState{init}
	for len(work) > 0 {
		s := work[0]
		work = work[1:]
		r.states++
		if r.states > limit {
			r.unfinished = true
			break
		}
		r.judge(s, "forbid")
		stuck := true
		r.choked = false
		for t := range p.Threads {
			for _, n := range r.successors(s, t) {
				stuck = false
				if n != nil && !seen[n.String()] {
					seen[n.String()] = true
					work = append(work, n)
				}
			}
		}
		if r.final(s) {
			if p.Filter == nil || program.Eval(p.Filter, refEnv(s)) != 0 {
				finals[r.finalKey(s)] = true
				r.judge(s, "final")
			}
		} else if stuck && !r.choked {
			r.judge(s, "deadlock")
		}
	}
	for f := range finals {
		r.finals = append(r.finals, f)
	}
	sort.Strings(r.finals)
	return r
}

func (r *reference) final(s *refState) bool {
	for t, th := range r.p.Threads {
		for i := range th.Edges {
			if th.Edges[i].From == s.pc[t] {
				return false
			}
		}
		if len(s.buf[t]) > 0 {
			return false
		}
	}
	return true
}

func (r *reference) finalKey(s *refState) string {
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

func refEnv(s *refState) *program.Env {
	return &program.Env{
		Mem:       func(a int64) int64 { return s.mem[a] },
		ThreadReg: func(t, reg int) int64 { return s.regs[t][reg] },
		At:        func(t int) program.StateID { return s.pc[t] },
	}
}

// judge notes the properties that are violated in s, which is of that kind.
func (r *reference) judge(s *refState, kind string) {
	env := refEnv(s)
	for i := range r.p.Properties {
		pr := &r.p.Properties[i]
		bad := false
		switch {
		case pr.Kind == program.Deadlock:
			bad = kind == "deadlock"
		case pr.Kind == program.Forbid:
			bad = kind == "forbid" && program.Eval(pr.Cond, env) != 0
		case pr.Kind == program.Exists:
			bad = kind == "final" && program.Eval(pr.Cond, env) != 0
		case pr.Kind == program.Forall:
			bad = kind == "final" && program.Eval(pr.Cond, env) == 0
		}
		if bad {
			r.violations[fmt.Sprintf("property %d", i)] = true
		}
	}
}

func (r *reference) cellType(addr int64) program.Type {
	for _, c := range r.p.Memory {
		if c.Addr == addr {
			return c.Type
		}
	}
	return r.p.Default
}

func (r *reference) eval(s *refState, t int, e program.Expr) int64 {
	return program.Eval(e, &program.Env{Reg: func(x program.Reg) int64 { return s.regs[t][x] }})
}

// successors are the states after each event of thread t; nil stands for one in
// which the run ends at a failed assertion.
func (r *reference) successors(s *refState, t int) []*refState {
	th := r.p.Threads[t]
	var out []*refState
	mine := s.lock == -1 || s.lock == t
	empty := len(s.buf[t]) == 0
	if !empty && mine {
		n := s.clone()
		n.mem[n.buf[t][0].addr] = n.buf[t][0].value
		n.buf[t] = n.buf[t][1:]
		out = append(out, n)
	}
	for i := range th.Edges {
		e := &th.Edges[i]
		if e.From != s.pc[t] {
			continue
		}
		c := &e.Cmd
		n := s.clone()
		n.pc[t] = e.To
		set := func(n *refState, reg int, v int64) { n.regs[t][reg] = th.Regs[reg].Type.Wrap(v) }
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
			out = append(out, n)
		case program.Store:
			a := r.eval(s, t, c.Addr)
			v := r.cellType(a).Wrap(r.eval(s, t, c.Value))
			switch {
			case !r.tso && mine:
				n.mem[a] = v
			case !r.tso:
				continue
			case r.capacity > 0 && len(n.buf[t]) >= r.capacity:
				r.capped, r.choked = true, true
				continue
			default:
				n.buf[t] = append(n.buf[t], refStore{a, v})
			}
			out = append(out, n)
		case program.Fence:
			if empty || !c.FullFence() {
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

func (r *reference) failed(c *program.Command) {
	if c.Kind == program.Fault {
		r.violations["fault"] = true
	} else {
		r.violations["assertion"] = true
	}
}

// atomic executes body in n, in all ways. failed is the first assertion that has
// failed so far.
func (r *reference) atomic(n *refState, t int, body []program.Command, failed *program.Command) []*refState {
	if len(body) == 0 {
		if failed != nil {
			r.failed(failed)
			return []*refState{nil}
		}
		return []*refState{n}
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
		var out []*refState
		for v := c.Lo; v <= c.Hi; v++ {
			m := n.clone()
			m.regs[t][c.Reg] = th.Regs[c.Reg].Type.Wrap(v)
			out = append(out, r.atomic(m, t, rest, failed)...)
		}
		return out
	}
	return r.atomic(n, t, rest, failed)
}
