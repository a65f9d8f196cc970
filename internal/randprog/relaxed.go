package randprog

import (
	"fmt"
	"math/rand/v2"

	"github.com/fencepost-verifier/fencepost/program"
)

// instructions is what the accesses and fences of an architecture can bear.
type instructions struct {
	load, store, fence []string
	read, write        []string // of a read-modify-write
	lr, sc             []string // of an exclusive pair; nil: there is none
}

var instructionSets = map[program.Arch]instructions{
	program.X86: {fence: []string{"MFENCE", "SFENCE", "LFENCE"}},
	program.C11: {
		load: []string{"NA", "RLX", "ACQ", "SC"}, store: []string{"NA", "RLX", "REL", "SC"},
		fence: []string{"ACQ", "REL", "ACQ_REL", "SC"}, read: []string{"RLX", "ACQ", "SC"}, write: []string{"RLX", "REL", "SC"},
	},
	program.AArch64: {
		load: []string{"", "", "A", "Q"}, store: []string{"", "", "L"},
		fence: []string{"DMB.SY", "DMB.LD", "DMB.ST", "ISB"}, read: []string{"", "A", "NoRet"}, write: []string{"", "L"},
		lr: []string{"", "A"}, sc: []string{"", "L"},
	},
	program.RISCV: {
		fence: []string{"Fence.rw.rw", "Fence.r.rw", "Fence.w.w", "Fence.tso", "Fence.i"},
		read:  []string{"", "Acq", "AcqRel"}, write: []string{"", "Rel", "AcqRel"},
		lr: []string{"", "Acq"}, sc: []string{"", "Rel"},
	},
	program.PPC: {fence: []string{"sync", "lwsync", "eieio", "isync"}, lr: []string{""}, sc: []string{""}},
	program.LKMM: {
		load: []string{"", "Once", "Acquire"}, store: []string{"", "Once", "Release"},
		fence: []string{"Mb", "Rmb", "Wmb", "Rcu-lock", "Rcu-unlock", "Sync-rcu", "Before-atomic", "After-atomic"},
		read:  []string{"Once", "Acquire"}, write: []string{"Once", "Release"},
	},
}

// relaxed makes a program for [Relaxed].
type relaxed struct {
	rng *rand.Rand
	p   *program.Program
	set instructions
	t   *program.Thread
	cur program.StateID
}

// Relaxed is a random program with the instructions of an architecture and with what
// weak memory models speak of: dependencies, also those that make no difference, branches,
// read-modify-writes and exclusive accesses. It has no loops, and asks whether some of its
// registers can have some values.
func Relaxed(rng *rand.Rand, a program.Arch) *program.Program {
	r := &relaxed{rng: rng, set: instructionSets[a]}
	r.p = &program.Program{Name: "relaxed", Arch: a, Default: program.Int32Type}
	for i, name := range []string{"x", "y"} {
		r.p.Memory = append(r.p.Memory, program.Cell{Addr: int64(i), Name: name, Type: program.Int32Type})
	}
	var cond program.Expr = program.Const(1)
	threads := 2 + rng.IntN(2)
	for i := range threads {
		r.thread(i, 5-threads+rng.IntN(2))
		for k := range r.t.Regs {
			if rng.IntN(2) == 0 {
				cond = program.Binary{Op: program.LogicalAnd, X: cond, Y: program.Binary{Op: program.Eq,
					X: program.ThreadReg{Thread: i, Reg: k, Name: fmt.Sprintf("P%d.%s", i, r.t.Regs[k].Name)}, Y: program.Const(rng.IntN(3))}}
			}
		}
	}
	r.p.Properties = []program.Property{{Kind: program.Exists, Cond: cond}}
	return r.p
}

func (r *relaxed) thread(i, commands int) {
	r.t = &program.Thread{Name: fmt.Sprintf("P%d", i)}
	r.p.Threads = append(r.p.Threads, r.t)
	r.cur = r.state()
	for range commands {
		r.command()
	}
	end := r.state()
	r.edge(r.cur, end, program.Skip())
}

func (r *relaxed) state() program.StateID {
	n := len(r.t.States)
	r.t.States = append(r.t.States, program.State{Name: fmt.Sprintf("q%d", n)})
	return program.StateID(n)
}

func (r *relaxed) edge(from, to program.StateID, c program.Command) {
	r.t.Edges = append(r.t.Edges, program.Edge{From: from, To: to, Cmd: c})
}

func (r *relaxed) emit(c program.Command) {
	to := r.state()
	r.edge(r.cur, to, c)
	r.cur = to
}

// fresh is a new register.
func (r *relaxed) fresh() int {
	r.t.Regs = append(r.t.Regs, program.Register{Name: fmt.Sprintf("r%d", len(r.t.Regs)), Type: program.Int32Type})
	return len(r.t.Regs) - 1
}

// reg is some register; false where there is none.
func (r *relaxed) reg() (program.Reg, bool) {
	if len(r.t.Regs) == 0 {
		return 0, false
	}
	return program.Reg(r.rng.IntN(len(r.t.Regs))), true
}

// with is e, possibly with a dependency on a register.
func (r *relaxed) with(e program.Expr) program.Expr {
	if x, ok := r.reg(); ok && r.rng.IntN(3) == 0 {
		return program.Binary{Op: program.Add, X: e, Y: program.Binary{Op: program.Mul, X: x, Y: program.Const(0)}}
	}
	return e
}

func (r *relaxed) addr() program.Expr {
	if x, ok := r.reg(); ok && r.rng.IntN(6) == 0 { // one or the other
		return program.Binary{Op: program.Ne, X: x, Y: program.Const(0)}
	}
	return r.with(program.Const(r.rng.IntN(2)))
}

func (r *relaxed) value() program.Expr {
	if x, ok := r.reg(); ok && r.rng.IntN(4) == 0 {
		return x
	}
	return r.with(program.Const(1 + r.rng.IntN(2)))
}

// tags is one of the names, with more.
func (r *relaxed) tags(names []string, more ...string) program.Tags {
	if len(names) > 0 {
		if n := names[r.rng.IntN(len(names))]; n != "" {
			more = append(more, n)
		}
	}
	return program.NewTags(more...)
}

func (r *relaxed) load(names []string, addr program.Expr, more ...string) program.Command {
	return program.Command{Op: program.Load, Addr: addr, Reg: r.fresh(), Tags: r.tags(names, more...)}
}

func (r *relaxed) store(names []string, addr program.Expr, more ...string) program.Command {
	return program.Command{Op: program.Store, Addr: addr, Value: r.value(), Tags: r.tags(names, more...)}
}

func (r *relaxed) command() {
	switch n := r.rng.IntN(12); {
	case n < 4:
		r.emit(r.load(r.set.load, r.addr()))
	case n < 7:
		r.emit(r.store(r.set.store, r.addr()))
	case n < 9:
		r.emit(program.Command{Op: program.Fence, Tags: r.tags(r.set.fence)})
	case n < 10: // a branch, of which one side may end the thread
		x, ok := r.reg()
		if !ok {
			r.emit(r.load(r.set.load, r.addr()))
			return
		}
		is := program.Binary{Op: program.Eq, X: x, Y: program.Const(r.rng.IntN(2))}
		to, other := r.state(), program.StateID(0)
		if other = to; r.rng.IntN(2) == 0 {
			other = r.state()
		}
		r.edge(r.cur, to, program.Command{Op: program.Check, Value: is})
		r.edge(r.cur, other, program.Command{Op: program.Check, Value: program.NotExpr(is)})
		r.cur = to
	case n < 11 && r.set.sc != nil: // an exclusive pair, of which the store may fail
		addr := r.addr()
		r.emit(r.load(r.set.lr, addr, program.TagExclusive))
		if r.rng.IntN(3) == 0 {
			r.emit(r.store(r.set.store, r.addr()))
		}
		if r.rng.IntN(5) == 0 {
			addr = r.addr()
		}
		to := r.state()
		r.edge(r.cur, to, r.store(r.set.sc, addr, program.TagExclusive))
		r.edge(r.cur, to, program.Skip())
		r.cur = to
	default:
		addr := r.addr()
		load := r.load(r.set.read, addr)
		old := program.Reg(load.Reg)
		store := program.Command{Op: program.Store, Addr: addr, Tags: r.tags(r.set.write), Value: program.Binary{Op: program.Add, X: old, Y: program.Const(1)}}
		if r.rng.IntN(2) == 0 {
			r.emit(program.Command{Op: program.Atomic, Body: []program.Command{load, store}})
			return
		}
		// A compare-and-swap, with something that may have been loaded.
		var expect program.Expr = program.Const(r.rng.IntN(2))
		if x, ok := r.reg(); ok && x != old && r.rng.IntN(2) == 0 {
			expect = x
		}
		failed := load
		failed.Tags = r.tags(r.set.load)
		store.Value = program.Const(2)
		is := program.Binary{Op: program.Eq, X: old, Y: expect}
		to := r.state()
		r.edge(r.cur, to, program.Command{Op: program.Atomic, Body: []program.Command{load, {Op: program.Check, Value: is}, store}})
		r.edge(r.cur, to, program.Command{Op: program.Atomic, Body: []program.Command{failed, {Op: program.Check, Value: program.NotExpr(is)}}})
		r.cur = to
	}
}
