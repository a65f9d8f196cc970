package datarace

import (
	"fmt"
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A clock says of each thread how many of its steps happen before something (Mattern).
type clock []int

func (c clock) join(o clock) {
	for i, n := range o {
		c[i] = max(c[i], n)
	}
}

// A clocks follows a run of a program of C11 under SC.
type clocks struct {
	p        *program.Program
	now      []clock            // by thread: what happens before what it does next
	pending  []clock            // by thread: what an acquire fence would add
	offered  []clock            // by thread: what it knew at its last release fence
	message  map[int64]clock    // by address: what who acquires what is there gets
	lock     clock              // likewise, of the lock
	accesses map[int64][]access // by address: the last of each thread and kind
}

// An access is one of the run.
type access struct {
	thread, step int // step as the caller counts
	time         int // of its thread
	kind         kind
	cmd          *program.Command
	addr, value  int64
}

func newClocks(p *program.Program) *clocks {
	c := &clocks{p: p, message: map[int64]clock{}, accesses: map[int64][]access{}}
	for range p.Threads {
		c.now = append(c.now, make(clock, len(p.Threads)))
		c.pending = append(c.pending, make(clock, len(p.Threads)))
		c.offered = append(c.offered, make(clock, len(p.Threads)))
	}
	c.lock = make(clock, len(p.Threads))
	return c
}

func (c *clocks) at(addr int64) clock {
	m := c.message[addr]
	if m == nil {
		m = make(clock, len(c.now))
		c.message[addr] = m
	}
	return m
}

// take makes thread t take a step by a command that has these accesses, in their order, and
// gives the first of the accesses before that one of these is in a race with, and that one; nil
// where there is none.
func (c *clocks) take(t, step int, cmd *program.Command, as []access) (first, second *access) {
	c.now[t][t]++
	now := c.now[t]
	switch cmd.Op {
	case program.Fence:
		if acquires(cmd) {
			now.join(c.pending[t])
		}
		if releases(cmd) {
			copy(c.offered[t], now)
		}
	case program.Lock:
		now.join(c.lock)
	case program.Unlock:
		copy(c.lock, now)
	}
	for i := range as {
		a := &as[i]
		a.thread, a.step, a.time, a.kind = t, step, now[t], kindOf(a.cmd)
		if a.kind == atomicRead {
			if acquires(a.cmd) {
				now.join(c.at(a.addr))
			}
			c.pending[t].join(c.at(a.addr))
		}
		for k := range c.accesses[a.addr] {
			b := &c.accesses[a.addr][k]
			if first == nil && b.thread != t && conflict(a.kind, b.kind) && now[b.thread] < b.time {
				first, second = b, a
			}
		}
		if a.kind.writes() {
			m := c.at(a.addr)
			if !sequence(as, i) {
				clear(m)
			}
			switch {
			case a.kind == plainWrite:
			case releases(a.cmd):
				m.join(now)
			default:
				m.join(c.offered[t])
			}
		}
	}
	for _, a := range as {
		c.accesses[a.addr] = append(slices.DeleteFunc(slices.Clone(c.accesses[a.addr]), func(b access) bool {
			return b.thread == a.thread && b.kind == a.kind // whoever is after the later one is after both
		}), a)
	}
	return first, second
}

// sequence is whether the store as[i] goes on with the release sequence that it finds: it
// is part of a read-modify-write.
func sequence(as []access, i int) bool {
	return as[i].kind == atomicWrite && slices.ContainsFunc(as[:i], func(b access) bool {
		return b.addr == as[i].addr && b.kind == atomicRead
	})
}

// Find is the first race of a run of a program of C11 under SC; nil where there is none.
func Find(run *verdict.Run) *verdict.Race {
	c := newClocks(run.Program)
	regs := make([][]int64, len(run.Program.Threads))
	for t, th := range run.Program.Threads {
		for _, r := range th.Regs {
			regs[t] = append(regs[t], r.Init)
		}
	}
	mem := run.Init
	for i := range run.Steps {
		s := &run.Steps[i]
		cmd := &run.Program.Threads[s.Thread].Edges[s.Edge].Cmd
		as := accessesOf(run, s, cmd, regs[s.Thread], mem)
		if first, second := c.take(s.Thread, i, cmd, as); first != nil {
			return explain(run, first, second)
		}
		regs, mem = s.Regs, s.Memory
	}
	return nil
}

// accessesOf lists the accesses of a step, given the registers of its thread and the memory
// before it.
func accessesOf(run *verdict.Run, s *verdict.Step, cmd *program.Command, regs, mem []int64) (as []access) {
	body := bodyOf(cmd)
	t := run.Program.Threads[s.Thread]
	regs = slices.Clone(regs)
	written := map[int]int64{}
	choice := s.Choice
	eval := func(e program.Expr) int64 {
		return program.EvalRegs(e, regs)
	}
	for i := range body {
		b := &body[i]
		switch b.Op {
		case program.Assign:
			regs[b.Reg] = t.Regs[b.Reg].Type.Wrap(eval(b.Value))
		case program.Havoc:
			n := b.Hi - b.Lo + 1
			regs[b.Reg] = t.Regs[b.Reg].Type.Wrap(b.Lo + choice%n)
			choice /= n
		case program.Assert:
			if eval(b.Value) == 0 {
				return as // the rest is not executed
			}
		case program.Load, program.Store:
			addr := eval(b.Addr)
			cell := slices.IndexFunc(run.Cells, func(c program.Cell) bool { return c.Addr == addr })
			if cell < 0 {
				panic(fmt.Sprintf("datarace: there is no cell %d", addr))
			}
			a := access{cmd: b, addr: addr}
			if b.Op == program.Load {
				v, ok := written[cell]
				if !ok {
					v = mem[cell]
				}
				a.value = v
				regs[b.Reg] = t.Regs[b.Reg].Type.Wrap(v)
			} else {
				a.value = run.Cells[cell].Type.Wrap(eval(b.Value))
				written[cell] = a.value
			}
			as = append(as, a)
		}
	}
	return as
}
