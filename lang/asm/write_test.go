package asm

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
)

var i32 = program.Int32Type

// one is a program with one thread, with registers r0 and r1 of the type and
// states a, b, ...; each edge is {from, to}.
func one(typ program.Type, cmds []program.Command, ends [][2]program.StateID) *program.Program {
	t := &program.Thread{Name: "P0", Regs: []program.Register{{Name: "r0", Type: typ}, {Name: "r1", Type: typ}}}
	for i, c := range cmds {
		for _, q := range ends[i] {
			for int(q) >= len(t.States) {
				t.States = append(t.States, program.State{Name: string(rune('a' + len(t.States)))})
			}
		}
		t.Edges = append(t.Edges, program.Edge{From: ends[i][0], To: ends[i][1], Cmd: c})
	}
	return &program.Program{Name: "one", Default: i32, Threads: []*program.Thread{t}}
}

func step(c program.Command) *program.Program {
	return one(i32, []program.Command{c}, [][2]program.StateID{{0, 1}})
}

func TestWrite(t *testing.T) {
	cas, casFailed := program.CompareAndSwap(0, 1, program.Const(7), program.Const(1), program.Const(2), program.Position{})
	r0 := program.Reg(0)
	add := program.Binary{Op: program.Add, X: r0, Y: program.Const(1)}
	isZero := program.Command{Op: program.Check, Value: program.Binary{Op: program.Eq, X: r0, Y: program.Const(0)}}
	for _, c := range []struct {
		name string
		p    *program.Program
		want string
	}{
		{"cas", one(i32, []program.Command{cas, casFailed}, [][2]program.StateID{{0, 1}, {0, 2}}), `
transition a a_1 lock
transition a_1 a_2 read r1 7
transition a_2 a_3 check == r1 1
transition a_3 a_4 write 2 7
transition a_4 a_5 local r0 1
transition a_5 b unlock
transition a_2 a_6 check != r1 1
transition a_6 a_7 local r0 0
transition a_7 c unlock
`},
		{"xchg", step(program.Exchange(0, program.Const(3), program.Const(4), program.Position{})), `
transition a a_1 lock
transition a_1 a_2 read r0 3
transition a_2 a_3 write 4 3
transition a_3 b unlock
`},
		{"check first", step(program.Command{Op: program.Atomic, Body: []program.Command{isZero, {Op: program.Load, Reg: 0, Addr: r0}}}), `
transition a a_1 check == r0 0
transition a_1 a_2 lock
transition a_2 a_3 read r0 r0
transition a_3 b unlock
`},
		{"havoc", step(program.Command{Op: program.Havoc, Reg: 1, Lo: -1, Hi: 1}), `
transition a b local r1 -1
transition a b local r1 0
transition a b local r1 1
`},
		{"havoc of a bool", one(program.BoolType, []program.Command{{Op: program.Havoc, Reg: 1, Lo: 3, Hi: 5}}, [][2]program.StateID{{0, 1}}), `
transition a b local r1 1
transition a b local r1 0
`},
		{"types", one(program.Int8Type, []program.Command{
			{Op: program.Assign, Reg: 1, Value: add},
			{Op: program.Assign, Reg: 1, Value: program.Const(127)},
			{Op: program.Assign, Reg: 1, Value: r0},
			{Op: program.Store, Addr: program.Const(0), Value: add},
		}, [][2]program.StateID{{0, 0}, {0, 0}, {0, 0}, {0, 0}}), `
transition a a local r1 - & + + r0 1 128 255 128
transition a a local r1 127
transition a a local r1 r0
transition a a write + r0 1 0
`},
		{"bool", one(program.BoolType, []program.Command{
			{Op: program.Assign, Reg: 1, Value: add},
			{Op: program.Assign, Reg: 1, Value: isZero.Value},
		}, [][2]program.StateID{{0, 0}, {0, 0}}), `
transition a a local r1 & + r0 1 1
transition a a local r1 == r0 0
`},
		{"minus and skip", one(i32, []program.Command{
			{Op: program.Assign, Reg: 0, Value: program.Unary{Op: program.Neg, X: r0}}, program.Skip(),
		}, [][2]program.StateID{{0, 0}, {0, 0}}), `
transition a a local r0 - 0 r0
transition a a noop
`},
	} {
		if err := program.Sanity(c.p); err != nil {
			t.Fatal(c.name, err)
		}
		got := write(t, c.p)
		want := "# one\n\nthread P0\ninitial a" + c.want + "end\n"
		if got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, want)
		}
		mustParse(t, got)
	}
}

func TestFit(t *testing.T) {
	for _, typ := range []program.Type{program.BoolType, program.Int8Type, program.Int16Type,
		{Bits: 8}, {Bits: 31}, {Bits: 1, Signed: true}, {Bits: 31, Signed: true}} {
		p := one(program.Int64Type, []program.Command{program.Skip()}, [][2]program.StateID{{0, 0}})
		w := &writer{p: p, t: p.Threads[0]}
		e, err := w.fit(program.Reg(0), typ)
		if err != nil {
			t.Fatal(typ, err)
		}
		for _, base := range []int64{0, typ.Min(), typ.Max(), math.MinInt64, math.MaxInt64, math.MinInt32, math.MaxInt32} {
			for v := base - 3; v != base+4; v++ {
				got := program.Eval(e, &program.Env{Reg: func(program.Reg) int64 { return v }})
				if want := typ.Wrap(v); got != want {
					t.Errorf("%v of %d: got %d, want %d", typ, v, got, want)
				}
			}
		}
	}
}

func TestWriteProperties(t *testing.T) {
	p := mustParse(t, `
thread t0
initial a
transition a b noop
end
thread t1
initial a
transition a b noop
transition b c noop
end`)
	// A state that nothing leads to, and names that the format does not allow.
	p.Threads[1].States = append(p.Threads[1].States, program.State{Name: "dead"})
	p.Threads[0].Name, p.Threads[1].Name = "", "t"
	p.Threads[0].States[0].Name = "the first"
	p.Threads[0].States[1].Name = "the_first"
	p.Name = "two\nlines"
	p.Memory = []program.Cell{{Addr: 3, Name: "x", Type: i32}}
	at := func(thread int, qs ...program.StateID) program.Expr { return program.At{Thread: thread, States: qs} }
	and := func(x, y program.Expr) program.Expr {
		return program.Binary{Op: program.LogicalAnd, X: x, Y: y}
	}
	p.Properties = []program.Property{
		{Kind: program.Forbid, Cond: and(at(0, 0, 1), at(1, 1, 2, 3))},
		{Kind: program.Forbid, Cond: and(at(1, 0, 1), at(1, 1, 2))},
		{Kind: program.Forbid, Cond: program.Binary{Op: program.LogicalOr, X: at(0, 0), Y: at(1, 0)}},
		{Kind: program.Forbid, Cond: and(at(0, 0), program.Mem{Addr: 3, Name: "x"})},
		{Kind: program.Forbid, Cond: at(1, 3)},
		{Kind: program.Exists, Cond: program.Mem{Addr: 3, Name: "x"}},
		{Kind: program.Deadlock},
	}
	if err := program.Sanity(p); err != nil {
		t.Fatal(err)
	}
	const want = `# two
# lines
#
# Memory layout:
# 3 - x

thread t_2
initial the_first_2
transition the_first_2 the_first noop
end

thread t
initial a
transition a b noop
transition b c noop
end

goal t_2 the_first_2 t b
goal t_2 the_first_2 t c
goal t_2 the_first t b
goal t_2 the_first t c
goal t b
# Not expressible here: forbid 0@{q0} || 1@{q0}
# Not expressible here: forbid 0@{q0} && x
# Not expressible here: forbid 1@{q3}
# Not expressible here: exists x
# Not expressible here: forbid deadlock
`
	got := write(t, p)
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	mustParse(t, got)
}

func TestWriteRefuses(t *testing.T) {
	load := program.Command{Op: program.Load, Reg: 0, Addr: program.Const(0)}
	check := program.Command{Op: program.Check, Value: program.Reg(0)}
	cas, _ := program.CompareAndSwap(0, 1, program.Const(7), program.Const(1), program.Const(2), program.Position{})
	for _, c := range []struct {
		name string
		p    *program.Program
		want string
	}{
		{"assert", step(program.Command{Op: program.Assert, Value: program.Reg(0)}), "assert r0: the format has no assert"},
		{"assert in atomic", step(program.Command{Op: program.Atomic, Body: []program.Command{{Op: program.Assert, Value: program.Reg(0)}}}),
			"atomic { assert r0 }: the format has no assert"},
		{"half a cas", step(cas), "where a check within an atomic block fails, the format keeps the lock"},
		{"another's check", one(i32, []program.Command{
			{Op: program.Atomic, Body: []program.Command{load, check}},
			{Op: program.Atomic, Body: []program.Command{{Op: program.Load, Reg: 1, Addr: program.Const(0)}}},
		}, [][2]program.StateID{{0, 1}, {0, 1}}), "where a check within an atomic block fails, the format keeps the lock"},
		{"atomic in lock", one(i32, []program.Command{
			{Op: program.Lock}, program.Exchange(0, program.Const(0), program.Const(1), program.Position{}), {Op: program.Unlock},
		}, [][2]program.StateID{{0, 1}, {1, 2}, {2, 3}}), "no atomic within lock and unlock"},
		{"wide register", one(program.Int64Type, []program.Command{
			{Op: program.Assign, Reg: 0, Value: program.Unary{Op: program.Neg, X: program.Reg(0)}},
		}, [][2]program.StateID{{0, 1}}), "32 bits, not the type int64"},
		{"wide havoc", step(program.Command{Op: program.Havoc, Reg: 0, Lo: math.MinInt64, Hi: math.MaxInt64}), "too wide"},
		{"narrowing load", one(program.Int8Type, []program.Command{load}, [][2]program.StateID{{0, 1}}),
			"cannot load a cell of type int32 into a register of type int8"},
		{"cells of several types", func() *program.Program {
			p := step(program.Command{Op: program.Store, Addr: program.Reg(0), Value: program.Reg(1)})
			p.Memory = []program.Cell{{Addr: 0, Type: program.Int8Type}}
			return p
		}(), "cells of different types"},
		{"initial memory", func() *program.Program {
			p := step(load)
			p.Memory = []program.Cell{{Addr: 0, Name: "x", Type: i32, Init: 2}}
			return p
		}(), "cell x starts at 2"},
		{"initial register", func() *program.Program {
			p := step(load)
			p.Threads[0].Regs[1].Init = -1
			return p
		}(), "register r1 of thread P0 starts at -1"},
	} {
		if err := program.Sanity(c.p); err != nil {
			t.Fatal(c.name, err)
		}
		var b bytes.Buffer
		err := Write(&b, c.p)
		var d *program.Diagnostic
		if !errors.As(err, &d) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %q", c.name, err, c.want)
		}
		if b.Len() > 0 {
			t.Errorf("%s: wrote %q", c.name, b.String())
		}
	}
}

// TestWriteKeepsMeaning compares random programs with what is read back after
// writing: they reach the same control states, with the same registers and
// memory, under SC and under TSO, and no thread gets stuck in a block.
func TestWriteKeepsMeaning(t *testing.T) {
	written, atomics := 0, 0
	for seed := range uint64(400) {
		p := randprog.New(rand.New(rand.NewPCG(seed, 0)), randprog.Options{
			Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2},
			Commands: randprog.Range{Min: 2, Max: 4}, Fence: -1, RMW: 3, Atomic: 6, CountLoop: 1, MaxIterations: 1,
			Plain: seed%4 != 0,
		})
		var b bytes.Buffer
		if Write(&b, p) != nil {
			continue
		}
		written++
		if strings.Contains(b.String(), " lock\n") {
			atomics++
		}
		q := mustParse(t, b.String())
		for _, tso := range []bool{false, true} {
			want, _ := reach(p, p, tso)
			got, stuck := reach(q, p, tso)
			if stuck {
				t.Fatalf("seed %d, TSO %v: a thread is stuck with the lock\n%s", seed, tso, b.String())
			}
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, TSO %v: %d states, want %d\n%s", seed, tso, len(got), len(want), b.String())
			}
		}
	}
	if written < 150 || atomics < 100 {
		t.Errorf("only %d programs written, %d with locks", written, atomics)
	}
}

// state is a state of a small interpreter, which is there to say independently
// of the engines what a program does.
type state struct {
	pc   []int64
	regs [][]int64
	mem  map[int64]int64
	buf  [][][2]int64 // by thread: address and value, oldest first
	lock int64        // the thread that holds it, or -1
}

func (s *state) clone() *state {
	c := &state{pc: slices.Clone(s.pc), mem: map[int64]int64{}, lock: s.lock}
	for _, r := range s.regs {
		c.regs = append(c.regs, slices.Clone(r))
	}
	for _, b := range s.buf {
		c.buf = append(c.buf, slices.Clone(b))
	}
	for a, v := range s.mem {
		c.mem[a] = v
	}
	return c
}

// reach is the reachable states of p with empty buffers that are at states of
// like, encoded with like's numbers. stuck is true where a thread takes the lock
// and can do nothing more, at a state that like does not have.
func reach(p, like *program.Program, tso bool) (keys []string, stuck bool) {
	start := &state{mem: map[int64]int64{}, lock: -1}
	for _, t := range p.Threads {
		start.pc = append(start.pc, int64(t.Initial))
		regs := make([]int64, len(t.Regs))
		for i, r := range t.Regs {
			regs[i] = r.Init
		}
		start.regs = append(start.regs, regs)
		start.buf = append(start.buf, nil)
	}
	for _, c := range p.Memory {
		start.mem[c.Addr] = c.Init
	}
	everywhere := []int64{}
	for _, c := range like.Memory {
		everywhere = append(everywhere, c.Addr)
	}
	identity := numbering(p, p, everywhere)
	project := numbering(p, like, everywhere)

	seen := map[string]bool{}
	found := map[string]bool{}
	var stack []*state
	visit := func(s *state) {
		key, _ := identity(s)
		if seen[key] {
			return
		}
		seen[key] = true
		stack = append(stack, s)
		if key, ok := project(s); ok {
			found[key] = true
		}
	}
	visit(start)
	for len(stack) > 0 {
		s := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for ti, t := range p.Threads {
			steps := 0
			if len(s.buf[ti]) > 0 && (s.lock < 0 || s.lock == int64(ti)) {
				n := s.clone()
				n.mem[n.buf[ti][0][0]] = n.buf[ti][0][1]
				n.buf[ti] = n.buf[ti][1:]
				visit(n)
				steps++
			}
			for i := range t.Edges {
				e := &t.Edges[i]
				if int64(e.From) != s.pc[ti] {
					continue
				}
				for _, n := range execute(p, s.clone(), ti, &e.Cmd, tso) {
					n.pc[ti] = int64(e.To)
					visit(n)
					steps++
				}
			}
			if steps == 0 && s.lock == int64(ti) && !slices.ContainsFunc(like.Threads[ti].States,
				func(q program.State) bool { return q.Name == t.States[s.pc[ti]].Name }) {
				stuck = true
			}
		}
	}
	for k := range found {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys, stuck
}

// execute is what becomes of s, which it may change, when thread ti executes c.
func execute(p *program.Program, s *state, ti int, c *program.Command, tso bool) []*state {
	regs, empty := s.regs[ti], len(s.buf[ti]) == 0
	eval := func(e program.Expr) int64 {
		return program.EvalRegs(e, regs)
	}
	set := func(v int64) { regs[c.Reg] = p.Threads[ti].Regs[c.Reg].Type.Wrap(v) }
	mine := s.lock < 0 || s.lock == int64(ti)
	switch c.Op {
	case program.Check:
		if eval(c.Value) == 0 {
			return nil
		}
	case program.Assign:
		set(eval(c.Value))
	case program.Havoc:
		var all []*state
		for v := c.Lo; v <= c.Hi; v++ {
			set(v)
			all = append(all, s.clone())
		}
		return all
	case program.Load:
		if !mine {
			return nil
		}
		a := eval(c.Addr)
		v := s.mem[a]
		for _, b := range s.buf[ti] {
			if b[0] == a {
				v = b[1]
			}
		}
		set(v)
	case program.Store:
		a, v, typ := eval(c.Addr), eval(c.Value), p.Default
		if i := p.CellAt(a); i >= 0 {
			typ = p.Memory[i].Type
		}
		if tso {
			s.buf[ti] = append(s.buf[ti], [2]int64{a, typ.Wrap(v)})
		} else if mine {
			s.mem[a] = typ.Wrap(v)
		} else {
			return nil
		}
	case program.Fence:
		if !empty {
			return nil
		}
	case program.Lock:
		if !empty || s.lock >= 0 {
			return nil
		}
		s.lock = int64(ti)
	case program.Unlock:
		if !empty || s.lock != int64(ti) {
			return nil
		}
		s.lock = -1
	case program.Atomic:
		if !empty || !mine {
			return nil
		}
		all := []*state{s}
		for i := range c.Body {
			var next []*state
			for _, s := range all {
				next = append(next, execute(p, s, ti, &c.Body[i], false)...)
			}
			all = next
		}
		return all
	}
	return []*state{s}
}

// numbering encodes states of p in terms of like: ok is false of a state with a
// full buffer, if like is another program, and of one with a thread at a
// control state that like does not have.
func numbering(p, like *program.Program, cells []int64) func(*state) (key string, ok bool) {
	type thread struct{ states, regs []int64 }
	var maps []thread
	for ti, t := range p.Threads {
		var m thread
		for _, q := range t.States {
			m.states = append(m.states, int64(slices.IndexFunc(like.Threads[ti].States,
				func(s program.State) bool { return s.Name == q.Name })))
		}
		for _, r := range like.Threads[ti].Regs {
			m.regs = append(m.regs, int64(slices.IndexFunc(t.Regs,
				func(s program.Register) bool { return s.Name == r.Name })))
		}
		maps = append(maps, m)
	}
	return func(s *state) (string, bool) {
		var b []byte
		add := func(v int64) { b = binary.AppendVarint(b, v) }
		ok := true
		for ti := range s.pc {
			q := maps[ti].states[s.pc[ti]]
			ok = ok && q >= 0 && len(s.buf[ti]) == 0
			add(q)
			for _, r := range maps[ti].regs {
				if r < 0 { // never used
					add(0)
				} else {
					add(s.regs[ti][r])
				}
			}
			add(int64(len(s.buf[ti])))
			for _, e := range s.buf[ti] {
				add(e[0])
				add(e[1])
			}
		}
		for _, a := range cells {
			add(s.mem[a])
		}
		add(s.lock)
		return string(b), ok
	}
}
