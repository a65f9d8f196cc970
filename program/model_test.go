package program_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestSanity breaks every rule, one at a time.
func TestSanity(t *testing.T) {
	type p = program.Program
	r0 := program.Reg(0)
	store := program.Command{Op: program.Store, Addr: program.Const(0), Value: r0}
	at := func(q program.StateID) program.Expr { return program.At{Thread: 0, States: []program.StateID{q}} }
	body := func(cs ...program.Command) func(*p) {
		return func(p *p) {
			p.Threads[0].Edges[0].Cmd = program.Command{Op: program.Atomic, Body: cs}
		}
	}
	command := func(c program.Command) func(*p) { return func(p *p) { p.Threads[0].Edges[0].Cmd = c } }
	forbid := func(e program.Expr) func(*p) {
		return func(p *p) { p.Properties = []program.Property{{Kind: program.Forbid, Cond: e}} }
	}
	unstarted := func(c program.Command) func(*p) {
		return func(p *p) {
			p.Threads[0].States = append(p.Threads[0].States, program.State{Name: "new", Kind: program.Unstarted})
			q := program.StateID(len(p.Threads[0].States) - 1)
			p.Threads[0].Edges = append(p.Threads[0].Edges, program.Edge{From: q, To: 0, Cmd: c})
		}
	}
	start := program.Start(0, 0, program.Tags{})
	for _, test := range []struct {
		name   string
		change func(*p)
		want   string // of the message; "": it is sane
	}{
		{"nothing", func(*p) {}, ""},
		{"no threads", func(p *p) { p.Threads = nil }, "has no threads"},
		{"a cell's default type", func(p *p) { p.Default.Bits = 0 }, "default cell type: bad type"},
		{"order of memory", func(p *p) { p.Memory[0].Addr = 1 }, "not sorted by address at cell \"flag1\""},
		{"a cell's type", func(p *p) { p.Memory[1].Type.Bits = 65 }, "cell \"flag1\": bad type"},
		{"a cell's value", func(p *p) { p.Memory[1].Init = 200 }, "initial value 200 does not fit"},
		{"the initial state", func(p *p) { p.Threads[0].Initial = 5 }, "thread \"P0\": initial state 5"},
		{"a negative initial state", func(p *p) { p.Threads[0].Initial = -1 }, "initial state -1"},
		{"a register's type", func(p *p) { p.Threads[0].Regs[0].Type = program.Type{} }, "register \"r0\": bad type"},
		{"a register's value", func(p *p) { p.Threads[1].Regs[0].Init = 2 }, "register \"ok\": initial value 2"},
		{"where an edge ends", func(p *p) { p.Threads[0].Edges[1].To = 9 }, "edge 1: no such state"},
		{"where an edge begins", func(p *p) { p.Threads[0].Edges[1].From = -1 }, "edge 1: no such state"},
		{"a state's kind", func(p *p) { p.Threads[0].States[4].Kind = 7 }, "state 4: unknown kind 7"},
		{"given up", func(p *p) { p.Threads[0].States[4].Kind = program.GivenUp }, ""},
		{"given up and on", func(p *p) { p.Threads[0].States[3].Kind = program.GivenUp }, "state 3: a thread that has given up goes on"},
		{"a start", unstarted(start), ""},
		{"no start", unstarted(store), "it takes a start"},
		{"a start by another condition", unstarted(program.Command{Op: program.Atomic, Body: []program.Command{start.Body[0], {Op: program.Check, Value: r0}}}), "it takes a start"},
		{"a start by a register", unstarted(program.Command{Op: program.Atomic, Body: []program.Command{{Op: program.Load, Addr: r0}, start.Body[1]}}), "it takes a start"},
		{"a longer start", unstarted(program.Command{Op: program.Atomic, Body: append(slices.Clone(start.Body), store)}), "it takes a start"},
		{"a start and more", func(p *p) {
			unstarted(start)(p)
			q := program.StateID(len(p.Threads[0].States) - 1)
			p.Threads[0].Edges = append(p.Threads[0].Edges, program.Edge{From: q, To: 0, Cmd: store})
		}, "it takes a start"},
		{"a havoc", command(program.Command{Op: program.Havoc, Lo: -1, Hi: 3}), ""},
		{"an empty havoc", command(program.Command{Op: program.Havoc, Lo: 1}), "empty range 1..0"},
		{"an unknown command", command(program.Command{Op: program.Atomic + 1}), "unknown command"},
		{"a check of nothing", command(program.Command{Op: program.Check}), "wrong operands"},
		{"a fence of a value", command(program.Command{Op: program.Fence, Value: r0}), "wrong operands"},
		{"a load from nowhere", command(program.Command{Op: program.Load}), "wrong operands"},
		{"a store of nothing", command(program.Command{Op: program.Store, Addr: r0}), "wrong operands"},
		{"tags on a store", command(program.Command{Op: program.Store, Addr: r0, Value: r0, Tags: program.NewTags("REL")}), ""},
		{"tags on a lock", command(program.Command{Op: program.Lock, Tags: program.NewTags("REL")}), "tags on what is neither"},
		{"a register", command(program.Command{Op: program.Load, Reg: 1, Addr: r0}), "register 1 does not exist"},
		{"a negative register", command(program.Command{Op: program.Load, Reg: -1, Addr: r0}), "register -1 does not exist"},
		{"a register in an expression", command(program.Command{Op: program.Check, Value: program.Unary{Op: program.Neg, X: program.Reg(1)}}), "register 1 does not exist"},
		{"memory in an expression", command(program.Command{Op: program.Check, Value: program.Mem{}}), "program.Mem in a command"},
		{"a control state in an expression", command(program.Command{Op: program.Check, Value: at(0)}), "program.At in a command"},
		{"an atomic without a body", body(), "wrong body"},
		{"a body on its own", command(program.Command{Op: program.Fence, Body: []program.Command{store}}), "wrong body"},
		{"a fence in a body", body(program.Command{Op: program.Fence}), "fence inside atomic"},
		{"a body's register", body(store, program.Command{Op: program.Load, Reg: 3, Addr: r0}), "body 1 (load): register 3"},
		{"a condition on a register", forbid(program.ThreadReg{Thread: 1, Reg: 1}), ""},
		{"a condition on no thread's register", forbid(r0), "without its thread"},
		{"a condition on a register that there is not", forbid(program.ThreadReg{Thread: 1, Reg: 2}), "register 1:r2 does not exist"},
		{"a condition on a thread that there is not", forbid(program.ThreadReg{Thread: 2}), "does not exist"},
		{"a place that there is not", forbid(at(5)), "state 5 of thread 0 does not exist"},
		{"a place of a thread that there is not", forbid(program.At{Thread: -1}), "thread -1 does not exist"},
		{"no condition", forbid(nil), "property 0: wrong condition"},
		{"a condition of a deadlock", func(p *p) { p.Properties[3].Cond = at(0) }, "property 3: wrong condition"},
	} {
		p := printed()
		test.change(p)
		switch err := program.Sanity(p); {
		case test.want == "" && err != nil, test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestCommands(t *testing.T) {
	th := &program.Thread{Name: "P", Regs: []program.Register{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	a, b, c := program.Reg(0), program.Reg(1), program.Reg(2)
	p := printed()
	success, failure := program.CompareAndSwap(0, 1, c, program.Const(1), c, program.Position{})
	for _, test := range []struct {
		c             program.Command
		text          string
		reads, writes []int
		loads, stores int
	}{
		{program.Skip(), "skip", nil, nil, 0, 0},
		{program.Command{Op: program.Check, Value: program.Binary{Op: program.Lt, X: a, Y: b}}, "check a < b", []int{0, 1}, nil, 0, 0},
		{program.Command{Op: program.Assert, Value: a}, "assert a", []int{0}, nil, 0, 0},
		{program.Command{Op: program.Assign, Reg: 1, Value: program.Unary{Op: program.Neg, X: a}}, "b <- -a", []int{0}, []int{1}, 0, 0},
		{program.Command{Op: program.Assign, Reg: 1, Value: program.Unary{Op: program.Cast(program.Int8Type), X: a}}, "b <- int8(a)", []int{0}, []int{1}, 0, 0},
		{program.Command{Op: program.Havoc, Reg: 2, Lo: -1, Hi: 4}, "c <- any -1..4", nil, []int{2}, 0, 0},
		{program.Command{Op: program.Load, Reg: 2, Addr: a, Tags: program.NewTags("ACQ")}, "load[ACQ] c <- [a]", []int{0}, []int{2}, 1, 0},
		{program.Command{Op: program.Store, Addr: program.Const(0), Value: a}, "store flag0 <- a", []int{0}, nil, 0, 1},
		{program.Command{Op: program.Fence}, "fence", nil, nil, 0, 0},
		{program.Command{Op: program.Fence, Tags: program.NewTags(program.TagSFence)}, "sfence", nil, nil, 0, 0},
		{program.Command{Op: program.Fence, Tags: program.NewTags(program.TagLFence)}, "lfence", nil, nil, 0, 0},
		{program.Command{Op: program.Fence, Tags: program.NewTags("SC", "F")}, "fence[F SC]", nil, nil, 0, 0},
		{program.Command{Op: program.Lock}, "lock", nil, nil, 0, 0},
		{program.Command{Op: program.Unlock}, "unlock", nil, nil, 0, 0},
		{success, "cas { load b <- [c]; check b == 1; store [c] <- c; a <- 1 }", []int{2, 2, 2}, []int{1, 0}, 1, 1},
		{failure, "cas { load b <- [c]; check b != 1; a <- 0 }", []int{2}, []int{1, 0}, 1, 0},
		{program.Exchange(0, b, c, program.Position{}), "xchg { load a <- [b]; store [b] <- c }", []int{1, 1, 2}, []int{0}, 1, 1},
		{program.FetchAdd(0, b, c, program.Position{}), "fetch_add { load a <- [b]; store [b] <- a + c }", []int{1, 1, 2}, []int{0}, 1, 1},
		{program.Command{Op: program.Atomic, Body: []program.Command{{Op: program.Assert, Value: a}}}, "atomic { assert a }", []int{0}, nil, 0, 0},
	} {
		if got := test.c.Format(p, th); got != test.text {
			t.Errorf("%s, want %s", got, test.text)
		}
		var reads, writes []int
		loads, stores := 0, 0
		test.c.Reads(func(r int) { reads = append(reads, r) })
		test.c.Writes(func(r int) { writes = append(writes, r) })
		test.c.Accesses(func(c *program.Command) {
			if c.Op == program.Load {
				loads++
			} else {
				stores++
			}
		})
		if !slices.Equal(reads, test.reads) || !slices.Equal(writes, test.writes) || loads != test.loads || stores != test.stores || test.c.Stores() != (stores > 0) {
			t.Errorf("%s: reads %v, writes %v, %d loads, %d stores", test.text, reads, writes, loads, stores)
		}
		if test.c.IsSkip() != (test.text == "skip") || test.c.Asserts() != strings.Contains(test.text, "assert") || test.c.FullFence() != (test.text == "fence") ||
			test.c.StoreFence() != (test.text == "sfence") {
			t.Errorf("%s: skip %v, asserts %v, fences %v %v", test.text, test.c.IsSkip(), test.c.Asserts(), test.c.FullFence(), test.c.StoreFence())
		}
	}
	locked := program.Command{Op: program.Load, Addr: a, Tags: program.NewTags("ACQ")}
	for _, test := range []struct {
		got  program.Tags
		want string
	}{
		{locked.EventTags(program.X86, true), "ACQ X"},
		{locked.EventTags(program.C11, true), "ACQ RMW"},
		{locked.EventTags(program.C11, false), "ACQ"},
		{(&program.Command{Op: program.Lock}).EventTags(program.X86, false), "MFENCE"},
		{program.Tags{}, ""},
		{program.NewTags("B", "A", "B").With("C"), "A B C"},
	} {
		if test.got.String() != test.want || strings.Join(test.got.Names(), " ") != test.want || test.got.Has("X") != strings.Contains(test.want, "X") {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
	if program.X86.String() != "x86" || program.C11.String() != "c11" {
		t.Error(program.X86.String(), program.C11.String())
	}
}

func TestExpressions(t *testing.T) {
	for _, test := range []struct {
		e    program.Expr
		want string
	}{
		{program.Mem{Addr: 7}, "[7]"},
		{program.Mem{Addr: 7, Name: "x"}, "x"},
		{program.ThreadReg{Thread: 1, Reg: 2}, "1:r2"},
		{program.ThreadReg{Name: "P1.r"}, "P1.r"},
		{program.At{Thread: 1, States: []program.StateID{2, 3}}, "1@{q2,q3}"},
		{program.At{Name: "P1@cs"}, "P1@cs"},
	} {
		if got := test.e.String(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	env := &program.Env{
		Mem:       func(a int64) int64 { return a * 10 },
		ThreadReg: func(t, r int) int64 { return int64(100*t + r) },
		At:        func(t int) program.StateID { return program.StateID(t + 1) },
	}
	sum := program.Binary{Op: program.Add, X: program.Mem{Addr: 4}, Y: program.ThreadReg{Thread: 2, Reg: 3}}
	if got := program.Eval(sum, env); got != 243 {
		t.Error(got)
	}
	for q, want := range []int64{0, 1, 1, 0} {
		at := program.At{Thread: 1, States: []program.StateID{1, 2}}
		at.Thread = q - 1
		if got := program.Eval(at, env); q > 0 && got != want {
			t.Errorf("at %d: %d", q, got)
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("an operator that there is not")
		}
	}()
	program.EvalBinary(program.LogicalOr+1, 1, 2)
}

// TestArithmetic is the operators at their edges.
func TestArithmetic(t *testing.T) {
	lo, hi := int64(math.MinInt64), int64(math.MaxInt64)
	for _, test := range []struct {
		op         program.BinaryOp
		x, y, want int64
	}{
		{program.Add, hi, 1, lo}, {program.Sub, lo, 1, hi}, {program.Mul, lo, -1, lo},
		{program.Div, 7, 0, 0}, {program.Div, -7, 2, -3}, {program.Div, lo, -1, lo},
		{program.Rem, 7, 0, 7}, {program.Rem, -7, 2, -1}, {program.Rem, lo, -1, 0},
		{program.Shl, 1, 64, 0}, {program.Shl, 1, -1, 0}, {program.Shl, 1, 63, lo},
		{program.Shr, -8, 1, -4}, {program.Shr, -8, 64, -1}, {program.Shr, -8, -1, -1}, {program.Shr, 8, 99, 0},
		{program.UDiv, -1, 2, hi}, {program.UDiv, 7, 0, 0}, {program.URem, -1, 10, 5}, {program.URem, 7, 0, 7},
		{program.UShr, -1, 1, hi}, {program.UShr, -1, 64, 0},
		{program.ULt, 1, -1, 1}, {program.ULe, -1, 1, 0}, {program.Lt, 1, -1, 0},
		{program.LogicalAnd, 2, 4, 1}, {program.LogicalOr, 0, 4, 1}, {program.BitXor, 6, 3, 5},
	} {
		if got := program.EvalBinary(test.op, test.x, test.y); got != test.want {
			t.Errorf("%d %v %d is %d, want %d", test.x, test.op, test.y, got, test.want)
		}
	}
}

func TestModel(t *testing.T) {
	p := printed()
	if th, _ := p.Special(); th != -1 || p.HasAssertions() {
		t.Errorf("special %d, assertions %v", th, p.HasAssertions())
	}
	p.Threads[1].States = append(p.Threads[1].States, program.State{Kind: program.Unstarted})
	p.Threads[1].Edges = append(p.Threads[1].Edges, program.Edge{From: 2, To: 1, Cmd: program.Start(0, 10, program.Tags{})})
	p.Threads[0].Edges[4].Cmd = program.Command{Op: program.Assert, Value: program.Const(1)}
	if th, q := p.Special(); th != 1 || q != 2 || p.Threads[1].StartCell(2) != 10 || !p.HasAssertions() {
		t.Errorf("special %d %d", th, q)
	}
	if got := program.Plain.String() + "," + program.Unstarted.String() + "," + program.GivenUp.String(); got != ",unstarted,given up" {
		t.Error(got)
	}
	if got := fmt.Sprint(p.Threads[1].At("b"), p.Threads[1].At("c"), p.CellAt(10), p.CellAt(9)); got != "[1] [] 2 -1" {
		t.Error(got)
	}
	for i, want := range []string{"forbid P0@cs", "exists flag0 == 1", "forall [10] >= 0", "forbid deadlock"} {
		pr := p.Properties[i]
		if got := pr.String(); got != want || pr.Final() != (i == 1 || i == 2) || pr.Violated(1) != (i != 2) {
			t.Errorf("%s: final %v", got, pr.Final())
		}
		if pr.Text = "as it is"; pr.String() != "as it is" {
			t.Error(pr.String())
		}
	}
	defer func() {
		if recover() == nil {
			t.Error("a thread that cannot be started")
		}
	}()
	p.Threads[1].StartCell(9)
}

func TestDiagnostics(t *testing.T) {
	p := printed()
	if got := p.Diagnose(program.Position{Line: 3, Col: 1}, "no", "").Error(); got != "dekker.imp:3:1: no" {
		t.Error(got)
	}
	p.Source = &program.Source{Name: "a.imp", Text: "one\r\n\ttwo \x1b[31m\n"}
	for _, test := range []struct {
		pos  program.Position
		hint string
		want string
	}{
		{program.Position{}, "", "a.imp: no"},
		{program.Position{Line: 1, Col: 2}, "do it", "a.imp:1:2: no\n  one\n   ^\n  do it"},
		{program.Position{Line: 1, Col: 4}, "", "a.imp:1:4: no\n  one\n     ^"},
		{program.Position{Line: 2, Col: 3}, "", "a.imp:2:3: no\n  \ttwo \ufffd[31m\n  \t ^"},
		{program.Position{Line: 3, Col: 1}, "", "a.imp:3:1: no\n  \n  ^"},
		{program.Position{Line: 9}, "", "a.imp:9:1: no\n  \n  ^"},
	} {
		if got := p.Diagnose(test.pos, "no", test.hint).Error(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
	if (*program.Source)(nil).Line(1) != "" {
		t.Error("a line of nothing")
	}
	// Every position moves.
	moved := 0
	p.Relocate(func(q program.Position) program.Position {
		moved++
		return program.Position{Line: q.Line + 1}
	})
	n := 0
	for _, th := range p.Threads {
		n += len(th.States) + len(th.Edges)
		for _, e := range th.Edges {
			n += 1 + len(e.Cmd.Body)
		}
	}
	if n += len(p.Properties); moved != n || p.Properties[0].Pos.Line != 31 || p.Threads[0].Edges[0].Pos.Line != 2 {
		t.Errorf("%d positions moved of %d", moved, n)
	}
}

func TestRegSet(t *testing.T) {
	s := program.NewRegSet(200)
	want := map[int]bool{}
	for _, r := range []int{0, 63, 64, 127, 199, 5} {
		s.Add(r)
		want[r] = true
	}
	s.Remove(63)
	delete(want, 63)
	o := program.NewRegSet(200)
	o.Add(100)
	if !s.Union(o) || s.Union(o) {
		t.Error("a union grows once")
	}
	want[100] = true
	for r := range 200 {
		if s.Has(r) != want[r] {
			t.Errorf("register %d: %v", r, s.Has(r))
		}
	}
}
