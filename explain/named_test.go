package explain_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// named is the tests that papers about weak memory models speak of, by architecture, with
// what the papers say. Threads are separated by |. x=1 is a store and x? a load, with a tag
// after a dot; !tag is a fence. A word before an access says how it depends on the load
// before: addr, data, ctrl, or ctrl+tag with a fence of that tag. After the colon stands
// what the loads give, in order, and what the cells hold in the end.
var named = []struct {
	model memory.Model
	text  string // "name: threads : outcome"
	ok    bool   // allowed
}{
	{memory.ARMv8, "MP: x=1 y=1 | y? x? : 1 0", true},
	{memory.ARMv8, "MP+dmb.sys: x=1 !DMB.SY y=1 | y? !DMB.SY x? : 1 0", false},
	{memory.ARMv8, "MP+dmb.st+dmb.ld: x=1 !DMB.ST y=1 | y? !DMB.LD x? : 1 0", false},
	{memory.ARMv8, "MP+dmb.ld+dmb.ld: x=1 !DMB.LD y=1 | y? !DMB.LD x? : 1 0", true},
	{memory.ARMv8, "MP+dmb.sy+addr: x=1 !DMB.SY y=1 | y? addr x? : 1 0", false},
	{memory.ARMv8, "MP+dmb.sy+ctrl: x=1 !DMB.SY y=1 | y? ctrl x? : 1 0", true},
	{memory.ARMv8, "MP+dmb.sy+ctrlisb: x=1 !DMB.SY y=1 | y? ctrl+ISB x? : 1 0", false},
	{memory.ARMv8, "MP+dmb.sy+po: x=1 !DMB.SY y=1 | y? x? : 1 0", true},
	{memory.ARMv8, "MP+popl+poap: x=1 y=1.L | y?.A x? : 1 0", false},
	{memory.ARMv8, "MP+popl+poqp: x=1 y=1.L | y?.Q x? : 1 0", false},
	{memory.ARMv8, "SB: x=1 y? | y=1 x? : 0 0", true},
	{memory.ARMv8, "SB+dmb.sys: x=1 !DMB.SY y? | y=1 !DMB.SY x? : 0 0", false},
	{memory.ARMv8, "SB+dmb.lds: x=1 !DMB.LD y? | y=1 !DMB.LD x? : 0 0", true},
	{memory.ARMv8, "SB+polas: x=1.L y?.A | y=1.L x?.A : 0 0", false},
	{memory.ARMv8, "SB+polqs: x=1.L y?.Q | y=1.L x?.Q : 0 0", true},
	{memory.ARMv8, "LB: x? y=1 | y? x=1 : 1 1", true},
	{memory.ARMv8, "LB+datas: x? data y=1 | y? data x=1 : 1 1", false},
	{memory.ARMv8, "LB+addrs: x? addr y=1 | y? addr x=1 : 1 1", false},
	{memory.ARMv8, "LB+ctrls: x? ctrl y=1 | y? ctrl x=1 : 1 1", false},
	{memory.ARMv8, "LB+data+po: x? data y=1 | y? x=1 : 1 1", true},
	{memory.ARMv8, "IRIW: x=1 | x? y? | y=1 | y? x? : 1 0 1 0", true},
	{memory.ARMv8, "IRIW+addrs: x=1 | x? addr y? | y=1 | y? addr x? : 1 0 1 0", false},
	{memory.ARMv8, "WRC+po+addr: x=1 | x? y=1 | y? addr x? : 1 1 0", true},
	{memory.ARMv8, "WRC+addrs: x=1 | x? addr y=1 | y? addr x? : 1 1 0", false},
	{memory.ARMv8, "ISA2+dmb.sy+addr+addr: x=1 !DMB.SY y=1 | y? addr z=1 | z? addr x? : 1 1 0", false},
	{memory.ARMv8, "2+2W: x=1 y=2 | y=1 x=2 : x=1 y=1", true},
	{memory.ARMv8, "2+2W+dmb.sts: x=1 !DMB.ST y=2 | y=1 !DMB.ST x=2 : x=1 y=1", false},
	{memory.ARMv8, "R+dmb.sys: x=1 !DMB.SY y=1 | y=2 !DMB.SY x? : 0 y=2", false},
	{memory.ARMv8, "R+dmb.st+dmb.sy: x=1 !DMB.ST y=1 | y=2 !DMB.SY x? : 0 y=2", false},
	{memory.ARMv8, "S+dmb.st+data: x=2 !DMB.ST y=1 | y? data x=1 : 1 x=2", false},
	{memory.ARMv8, "S+dmb.st+po: x=2 !DMB.ST y=1 | y? x=1 : 1 x=2", true},
	{memory.ARMv8, "PPOCA: x=1 !DMB.SY y=1 | y? ctrl z=1 z? addr x? : 1 1 0", true},
	{memory.ARMv8, "PPOAA: x=1 !DMB.SY y=1 | y? addr z=1 z? addr x? : 1 1 0", false},
	{memory.ARMv8, "CoRR: x=1 | x? x? : 1 0", false},
	{memory.ARMv8, "CoWR: x=1 x? | x=2 : 0", false},
	{memory.ARMv8, "CoWW: x=1 x=2 : x=1", false},
	{memory.ARMv8, "CoRW1: x? x=1 : 1", false},

	{memory.Power, "MP+sync+po: x=1 !sync y=1 | y? x? : 1 0", true},
	{memory.Power, "MP+lwsyncs: x=1 !lwsync y=1 | y? !lwsync x? : 1 0", false},
	{memory.Power, "MP+eieio+addr: x=1 !eieio y=1 | y? addr x? : 1 0", false},
	{memory.Power, "MP+lwsync+addr: x=1 !lwsync y=1 | y? addr x? : 1 0", false},
	{memory.Power, "MP+lwsync+ctrl: x=1 !lwsync y=1 | y? ctrl x? : 1 0", true},
	{memory.Power, "MP+lwsync+ctrlisync: x=1 !lwsync y=1 | y? ctrl+isync x? : 1 0", false},
	{memory.Power, "SB+lwsyncs: x=1 !lwsync y? | y=1 !lwsync x? : 0 0", true},
	{memory.Power, "SB+syncs: x=1 !sync y? | y=1 !sync x? : 0 0", false},
	{memory.Power, "LB: x? y=1 | y? x=1 : 1 1", true},
	{memory.Power, "LB+addrs: x? addr y=1 | y? addr x=1 : 1 1", false},
	{memory.Power, "IRIW+addrs: x=1 | x? addr y? | y=1 | y? addr x? : 1 0 1 0", true},
	{memory.Power, "IRIW+lwsyncs: x=1 | x? !lwsync y? | y=1 | y? !lwsync x? : 1 0 1 0", true},
	{memory.Power, "IRIW+syncs: x=1 | x? !sync y? | y=1 | y? !sync x? : 1 0 1 0", false},
	{memory.Power, "WRC+addrs: x=1 | x? addr y=1 | y? addr x? : 1 1 0", true},
	{memory.Power, "WRC+lwsync+addr: x=1 | x? !lwsync y=1 | y? addr x? : 1 1 0", false},
	{memory.Power, "ISA2+lwsync+data+addr: x=1 !lwsync y=1 | y? data z=1 | z? addr x? : 1 1 0", false},
	{memory.Power, "2+2W: x=1 y=2 | y=1 x=2 : x=1 y=1", true},
	{memory.Power, "2+2W+lwsyncs: x=1 !lwsync y=2 | y=1 !lwsync x=2 : x=1 y=1", false},
	{memory.Power, "R+lwsync+sync: x=1 !lwsync y=1 | y=2 !sync x? : 0 y=2", true},
	{memory.Power, "R+syncs: x=1 !sync y=1 | y=2 !sync x? : 0 y=2", false},
	{memory.Power, "S+lwsync+data: x=2 !lwsync y=1 | y? data x=1 : 1 x=2", false},
	{memory.Power, "PPOCA: x=1 !sync y=1 | y? ctrl z=1 z? addr x? : 1 1 0", true},
	{memory.Power, "PPOAA: x=1 !sync y=1 | y? addr z=1 z? addr x? : 1 1 0", false},
	{memory.Power, "CoRR: x=1 | x? x? : 1 0", false},

	{memory.RISCV, "MP: x=1 y=1 | y? x? : 1 0", true},
	{memory.RISCV, "MP+fence.w.w+fence.r.r: x=1 !Fence.w.w y=1 | y? !Fence.r.r x? : 1 0", false},
	{memory.RISCV, "MP+fence.w.w+addr: x=1 !Fence.w.w y=1 | y? addr x? : 1 0", false},
	{memory.RISCV, "MP+fence.w.w+ctrl: x=1 !Fence.w.w y=1 | y? ctrl x? : 1 0", true},
	{memory.RISCV, "MP+fence.w.w+ctrlfencei: x=1 !Fence.w.w y=1 | y? ctrl+Fence.i x? : 1 0", true},
	{memory.RISCV, "MP+fence.r.r+fence.r.r: x=1 !Fence.r.r y=1 | y? !Fence.r.r x? : 1 0", true},
	{memory.RISCV, "MP+poprl+poaqp: x=1 y=1.Rel | y?.Acq x? : 1 0", false},
	{memory.RISCV, "SB+fence.rw.rws: x=1 !Fence.rw.rw y? | y=1 !Fence.rw.rw x? : 0 0", false},
	{memory.RISCV, "SB+fence.tsos: x=1 !Fence.tso y? | y=1 !Fence.tso x? : 0 0", true},
	{memory.RISCV, "LB+datas: x? data y=1 | y? data x=1 : 1 1", false},
	{memory.RISCV, "LB+data+po: x? data y=1 | y? x=1 : 1 1", true},
	{memory.RISCV, "IRIW+addrs: x=1 | x? addr y? | y=1 | y? addr x? : 1 0 1 0", false},
	{memory.RISCV, "WRC+addrs: x=1 | x? addr y=1 | y? addr x? : 1 1 0", false},
	{memory.RISCV, "2+2W: x=1 y=2 | y=1 x=2 : x=1 y=1", true},
	{memory.RISCV, "2+2W+fence.w.ws: x=1 !Fence.w.w y=2 | y=1 !Fence.w.w x=2 : x=1 y=1", false},
	{memory.RISCV, "PPOCA: x=1 !Fence.rw.rw y=1 | y? ctrl z=1 z? addr x? : 1 1 0", true},
	{memory.RISCV, "PPOAA: x=1 !Fence.rw.rw y=1 | y? addr z=1 z? addr x? : 1 1 0", false},
	{memory.RISCV, "CoRR: x=1 | x? x? : 1 0", false},

	{memory.RC11, "MP+rlx: x=1.RLX y=1.RLX | y?.RLX x?.RLX : 1 0", true},
	{memory.RC11, "MP+rel+acq: x=1.RLX y=1.REL | y?.ACQ x?.RLX : 1 0", false},
	{memory.RC11, "MP+fences: x=1.RLX !REL y=1.RLX | y?.RLX !ACQ x?.RLX : 1 0", false},
	{memory.RC11, "SB+rel+acq: x=1.REL y?.ACQ | y=1.REL x?.ACQ : 0 0", true},
	{memory.RC11, "SB+sc: x=1.SC y?.SC | y=1.SC x?.SC : 0 0", false},
	{memory.RC11, "SB+fences: x=1.RLX !SC y?.RLX | y=1.RLX !SC x?.RLX : 0 0", false},
	{memory.RC11, "LB+rlx: x?.RLX y=1.RLX | y?.RLX x=1.RLX : 1 1", false},
	{memory.RC11, "IRIW+rel+acq: x=1.REL | x?.ACQ y?.ACQ | y=1.REL | y?.ACQ x?.ACQ : 1 0 1 0", true},
	{memory.RC11, "IRIW+sc: x=1.SC | x?.SC y?.SC | y=1.SC | y?.SC x?.SC : 1 0 1 0", false},
	{memory.RC11, "IRIW+fences: x=1.RLX | x?.RLX !SC y?.RLX | y=1.RLX | y?.RLX !SC x?.RLX : 1 0 1 0", false},
	{memory.RC11, "IRIW+acq+sc: x=1.SC | x?.ACQ y?.SC | y=1.SC | y?.ACQ x?.SC : 1 0 1 0", true},
	{memory.RC11, "Z6.U: x=1.SC y=1.REL | y?.ACQ y=2.SC | y=3.SC x?.SC : 1 0 y=3", true},
	{memory.RC11, "2+2W+rel: x=1.REL y=2.REL | y=1.REL x=2.REL : x=1 y=1", true},
	{memory.RC11, "2+2W+sc: x=1.SC y=2.SC | y=1.SC x=2.SC : x=1 y=1", false},
	{memory.RC11, "WRC+acq+acq: x=1.RLX | x?.ACQ y=1.RLX | y?.ACQ x?.RLX : 1 1 0", true},
	{memory.RC11, "WRC+rels+acqs: x=1.REL | x?.ACQ y=1.REL | y?.ACQ x?.RLX : 1 1 0", false},
	{memory.RC11, "CoRR: x=1.RLX | x?.RLX x?.RLX : 1 0", false},
	{memory.IMM, "LB+rlx: x?.RLX y=1.RLX | y?.RLX x=1.RLX : 1 1", true},
	{memory.IMM, "LB+datas: x?.RLX data y=1.RLX | y?.RLX data x=1.RLX : 1 1", false},
	{memory.IMM, "LB+ctrls: x?.RLX ctrl y=1.RLX | y?.RLX ctrl x=1.RLX : 1 1", false},
	{memory.IMM, "MP+rel+acq: x=1.RLX y=1.REL | y?.ACQ x?.RLX : 1 0", false},
	{memory.IMM, "MP+rel+addr: x=1.RLX y=1.REL | y?.RLX addr x?.RLX : 1 0", true},
	{memory.RA, "SB+fences: x=1.RLX !SC y?.RLX | y=1.RLX !SC x?.RLX : 0 0", false},
	{memory.RA, "SB: x=1.RLX y?.RLX | y=1.RLX x?.RLX : 0 0", true},
	{memory.RA, "MP: x=1.RLX y=1.RLX | y?.RLX x?.RLX : 1 0", false},
	{memory.RA, "IRIW+fences: x=1.RLX | x?.RLX !SC y?.RLX | y=1.RLX | y?.RLX !SC x?.RLX : 1 0 1 0", false},
	{memory.RA, "2+2W: x=1.RLX y=2.RLX | y=1.RLX x=2.RLX : x=1 y=1", true},

	{memory.LKMM, "MP: x=1.Once y=1.Once | y?.Once x?.Once : 1 0", true},
	{memory.LKMM, "MP+wmb+rmb: x=1.Once !Wmb y=1.Once | y?.Once !Rmb x?.Once : 1 0", false},
	{memory.LKMM, "MP+rel+acq: x=1.Once y=1.Release | y?.Acquire x?.Once : 1 0", false},
	{memory.LKMM, "MP+wmb+addr: x=1.Once !Wmb y=1.Once | y?.Once addr x?.Once : 1 0", false},
	{memory.LKMM, "SB+mbs: x=1.Once !Mb y?.Once | y=1.Once !Mb x?.Once : 0 0", false},
	{memory.LKMM, "SB+wmbs: x=1.Once !Wmb y?.Once | y=1.Once !Wmb x?.Once : 0 0", true},
	{memory.LKMM, "LB: x?.Once y=1.Once | y?.Once x=1.Once : 1 1", true},
	{memory.LKMM, "LB+ctrls: x?.Once ctrl y=1.Once | y?.Once ctrl x=1.Once : 1 1", false},
	{memory.LKMM, "IRIW+mbs: x=1.Once | x?.Once !Mb y?.Once | y=1.Once | y?.Once !Mb x?.Once : 1 0 1 0", false},
	{memory.LKMM, "IRIW+rmbs: x=1.Once | x?.Once !Rmb y?.Once | y=1.Once | y?.Once !Rmb x?.Once : 1 0 1 0", true},
	{memory.LKMM, "WRC+mb+rmb: x=1.Once | x?.Once !Mb y=1.Once | y?.Once !Rmb x?.Once : 1 1 0", false},
	{memory.LKMM, "WRC+wmb+rmb: x=1.Once | x?.Once !Wmb y=1.Once | y?.Once !Rmb x?.Once : 1 1 0", true},
	{memory.LKMM, "RCU+MP: !Rcu-lock x?.Once y?.Once !Rcu-unlock | y=1.Once !Sync-rcu x=1.Once : 1 0", false},
	{memory.LKMM, "RCU+two sections: !Rcu-lock x?.Once y=1.Once !Rcu-unlock | !Rcu-lock y?.Once z=1.Once !Rcu-unlock | z?.Once !Sync-rcu x=1.Once : 1 1 1", true},
	{memory.LKMM, "RCU+two periods: !Rcu-lock x?.Once y=1.Once !Rcu-unlock | !Rcu-lock y?.Once z=1.Once !Rcu-unlock | z?.Once !Sync-rcu w=1.Once | w?.Once !Sync-rcu x=1.Once : 1 1 1 1", false},
}

// program makes a program of what stands after the name.
func namedProgram(t *testing.T, a program.Arch, threads, outcome string) *program.Program {
	t.Helper()
	b := progtest.New(4)
	b.Program.Arch = a
	var loads []program.ThreadReg
	for i, text := range strings.Split(threads, "|") {
		th := b.Thread()
		var last program.Expr // what the last load gave
		dep := ""
		for _, word := range strings.Fields(text) {
			if tag, ok := strings.CutPrefix(word, "!"); ok {
				th.Emit(program.Command{Op: program.Fence, Tags: program.NewTags(tag)})
				continue
			}
			if c := strings.IndexByte("xyzw", word[0]); c < 0 || len(word) < 2 || !strings.ContainsAny(word[1:2], "=?") {
				if dep = word; strings.HasPrefix(dep, "ctrl") {
					th.Check(program.Binary{Op: program.Eq, X: program.Binary{Op: program.Mul, X: last, Y: program.Const(0)}, Y: program.Const(0)})
					if _, tag, ok := strings.Cut(dep, "+"); ok {
						th.Emit(program.Command{Op: program.Fence, Tags: program.NewTags(tag)})
					}
				}
				continue
			}
			access, tag, _ := strings.Cut(word, ".")
			c := program.Command{Op: program.Load, Addr: program.Const(strings.IndexByte("xyzw", word[0]))}
			if tag != "" {
				c.Tags = program.NewTags(tag)
			}
			none := program.Expr(program.Const(0))
			if dep == "addr" {
				c.Addr = program.Binary{Op: program.Add, X: c.Addr, Y: program.Binary{Op: program.Mul, X: last, Y: none}}
			}
			if access[1] == '=' {
				c.Op, c.Value = program.Store, program.Const(access[2]-'0')
				if dep == "data" {
					c.Value = program.Binary{Op: program.Add, X: c.Value, Y: program.Binary{Op: program.Mul, X: last, Y: none}}
				}
			} else {
				r := th.Reg(fmt.Sprintf("r%d", len(th.Thread.Regs)))
				c.Reg, last = int(r), r
				loads = append(loads, program.ThreadReg{Thread: i, Reg: int(r)})
			}
			dep = ""
			th.Emit(c)
		}
	}
	var cond program.Expr = program.Const(1)
	for _, word := range strings.Fields(outcome) {
		var is program.Expr
		if len(word) == 1 {
			is, loads = program.Binary{Op: program.Eq, X: loads[0], Y: program.Const(word[0] - '0')}, loads[1:]
		} else {
			is = program.Binary{Op: program.Eq, X: program.Mem{Addr: int64(strings.IndexByte("xyzw", word[0]))}, Y: program.Const(word[2] - '0')}
		}
		cond = program.Binary{Op: program.LogicalAnd, X: cond, Y: is}
	}
	return b.Property(program.Exists, cond).Build(t)
}

// TestNamed decides the tests of the papers, by enumeration, by a solver, and with an
// explanation.
func TestNamed(t *testing.T) {
	for _, n := range named {
		name, rest, _ := strings.Cut(n.text, ": ")
		threads, outcome, _ := strings.Cut(rest, ":")
		a, only := n.model.Arch()
		if !only {
			a = program.C11
		}
		t.Run(string(n.model)+"/"+name, func(t *testing.T) {
			if done, allowed := agreed(t, namedProgram(t, a, threads, outcome), n.model, time.Minute); !done || allowed != n.ok {
				t.Errorf("%s: done %v, allowed %v", n.text, done, allowed)
			}
		})
	}
}
