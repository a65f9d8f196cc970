package promela

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

func parse(t *testing.T, text string) *program.Program {
	t.Helper()
	p, err := imp.Parse(&program.Source{Name: "test.imp", Text: text}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWrite looks for lines in models. A line that begins with ! must not be
// there.
func TestWrite(t *testing.T) {
	const loop = `program Test
variables x = y = 0
process P local r begin `
	tests := []struct {
		name, text string
		opts       Options
		want       string
	}{
		{"a store under SC", loop + `x := 1; r := y end`, Options{Model: memory.SC}, `
local bit x;
:: d_step { x = 1 } goto end_q1
!P_length`},
		{"constants are no variables", loop + `r := y; x := r + 1 end`, Options{Model: memory.SC}, `
:: d_step { skip } goto end_q1
:: d_step { x = 1 } goto
!bit y;
!P_r`},
		{"a buffer", loop + `x := 1; y := 2; r := x; fence; r := y end`, Options{Model: memory.TSO}, `
local byte P_cell[2]; /* the store buffer: cells, 1 x, 2 y */
:: d_step { P_cell[0] = 1; P_value[0] = 1; P_length++ } goto end_q1
:: d_step { P_cell[P_length] = 2; P_value[P_length] = 2; P_length++ } goto end_q2
:: d_step { P_r = ((P_cell[1] == 1) -> P_value[1] : ((P_cell[0] == 1) -> P_value[0] : x)) } goto end_q3
:: d_step { (P_length == 0) -> skip } goto end_q4
:: d_step { (P_length > 0) -> P_flush() } goto end_q3
:: d_step { P_r = y } goto`},
		{"a capacity", loop + `while true do x := 1 - y; y := 1 - x od end`, Options{Model: memory.TSO, Buffer: 2}, `
 * under TSO. A store waits while 2 are buffered, which real hardware need not do.
:: d_step { (P_length < 2) -> P_cell[P_length] = 1;`},
		{"no need for the capacity", loop + `while true do x := 1 - y; fence; y := 1 - x; fence od end`, Options{Model: memory.TSO, Buffer: 2}, `
local byte P_cell[1];
!A store waits`},
		{"an array", `program Test
variables a[3] = 0
process P local i, r begin i := any(0..2); r := a[i]; a[i] := r + 1 end`, Options{Model: memory.SC}, `
local int a[3];
:: d_step { P_i = 0 } goto end_q1
:: d_step { P_i = 2 } goto end_q1
:: d_step { P_r = a[P_i] } goto
:: d_step { a[P_i] = P_r + 1 } goto`},
		{"wrapping around", `program Test
variables int8 x = 0
process P local r begin while true do r := x; x := r + 1 od end`, Options{Model: memory.SC}, `
local short x;
x = ((P_r + 1) << 24) >> 24`},
		{"comparisons in 64 bits", `program Test
variables x = 0
process P local r begin while true do r := x; x := r + 1 od end
process Q local r begin r := x end
forbid P.r + Q.r = 5`, Options{Model: memory.SC}, `
#define violated_1 (c_expr { (((long long) now.P_r) + ((long long) now.Q_r)) == ((long long) 5) })`},
		{"a forbidden state", `program Test
variables x = 0
process P begin x := 1; cs: skip end
process Q local r begin r := x end
forbid P@cs & x = 1 & Q.r = 0`, Options{Model: memory.SC}, `
bit P_at_cs;
/* forbid P@cs & x = 1 & Q.r = 0 */
:: d_step { x = 1; P_at_cs = 1; assert(!violated_1) } goto end_cs
:: d_step { Q_r = x; assert(!violated_1) } goto`},
		{"an initial violation", `program Test
variables x = 0
process P begin x := 1 end
forbid x = 0`, Options{Model: memory.SC}, `
:: d_step { assert(false) } goto end_q0 /* the initial state violates a property */`},
		{"compare-and-swap", loop + `r := cas(x, 0, 5) end process Q begin x := 1 end`, Options{Model: memory.SC}, `
:: d_step { (x == 0) -> P_tmp1 = x; x = 5; P_r = 1 } goto
:: d_step { (x != 0) -> P_tmp1 = x; P_r = 0 } goto`},
		{"deadlock", loop + `await x = 1 end forbid deadlock`, Options{Model: memory.SC}, `
q0:	if
!end_q0`},
	}
	for _, tt := range tests {
		var b bytes.Buffer
		if err := Write(&b, parse(t, tt.text), tt.opts); err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, line := range strings.Split(strings.TrimPrefix(tt.want, "\n"), "\n") {
			line, not := strings.CutPrefix(line, "!")
			if strings.Contains(b.String(), line) == not {
				t.Errorf("%s: %q is there: %v\n%s", tt.name, line, not, b.String())
			}
		}
	}
}

func TestErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{`program Test
variables x = 0
process P begin while true do x := 1 - x od end`, "test.imp:3:31: thread P may store again and again without a fence between"},
		{`program Test
variables int64 x = 0
process P local int64 r begin while true do r := x; x := r + 1; fence od end`, "those of Promela have 32 bits"},
		{`program Test
variables x = 0
process P local r begin r := any(0..5000); x := r end`, "test.imp:3:25: thread P, r <- any 0..5000: a choice among more than 1024 values"},
		{`program Test
variables x = 0
process P local r, s begin r := any(0..1000); while true do s := x; if s << 3 <= r then x := s + 1; fence fi od end`, "it needs values in"},
	}
	for _, tt := range tests {
		err := Write(new(bytes.Buffer), parse(t, tt.text), Options{Model: memory.TSO})
		var d *program.Diagnostic
		if !errors.As(err, &d) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s\n%v\nwant %s", tt.text, err, tt.want)
		}
	}
	err := Write(new(bytes.Buffer), parse(t, tests[0].text), Options{Model: memory.PSO})
	if err == nil || !strings.Contains(err.Error(), "for sc and tso, not for pso") {
		t.Errorf("pso: %v", err)
	}
}

// TestNames gives Spin a program whose names mean something to Spin, to C, to the
// preprocessor or to nobody.
func TestNames(t *testing.T) {
	needSpin(t)
	cells := []string{"int", "X", "SAFETY", "errno", "a-b", "a b", "", "linux", "q0", "end", "P_r", "register", "lock", "violated_1", "now", "_pid", "unused", "NULL", "of", "P", "ähm"}
	p := &program.Program{Name: "*/ names", Source: &program.Source{Name: "n", Text: "/* \\"}, Default: program.Int32Type}
	for i, n := range cells {
		p.Memory = append(p.Memory, program.Cell{Addr: int64(i), Name: n, Type: program.Int32Type})
	}
	for _, name := range []string{"P", "P", "proctype", "init", "T[1]", "", "7"} {
		th := &program.Thread{Name: name, States: []program.State{{Name: "q0"}}}
		for i, r := range []string{"r", "r", "int", "_r", "T[1]_r"} {
			th.Regs = append(th.Regs, program.Register{Name: r, Type: program.Int32Type, Temp: i == 3})
		}
		for i, s := range []string{"end", "progress", "accept", "q0", "P", "goto"} {
			th.States = append(th.States, program.State{Name: s, Labels: []string{s}})
			th.Edges = append(th.Edges, program.Edge{From: program.StateID(i), To: program.StateID(i + 1), Pos: program.Position{Line: 1, Col: 1},
				Cmd: program.Command{Op: program.Store, Addr: program.Const((i*7 + len(p.Threads)) % len(cells)), Value: program.Const(i + 1)}})
		}
		p.Threads = append(p.Threads, th)
	}
	p.Threads = p.Threads[:3] // or there are too many states
	for _, deadlock := range []bool{false, true} {
		p.Properties = []program.Property{{Kind: program.Forbid, Cond: program.Binary{Op: program.Eq, X: program.Mem{Addr: 1}, Y: program.Const(77)}}}
		if deadlock {
			p.Properties = append(p.Properties, program.Property{Kind: program.Deadlock})
		}
		if !compare(t, p, Options{Model: memory.TSO}, 1<<20) {
			t.Error("not compared")
		}
	}
}

// line is a thread that executes the commands in order.
func line(name string, cmds ...program.Command) *program.Thread {
	t := &program.Thread{Name: name, States: []program.State{{Name: "q0"}},
		Regs: []program.Register{{Name: "r", Type: program.Int32Type}, {Name: "s", Type: program.Int8Type, Init: -7}}}
	for i, c := range cmds {
		t.States = append(t.States, program.State{Name: fmt.Sprintf("q%d", i+1)})
		t.Edges = append(t.Edges, program.Edge{From: program.StateID(i), To: program.StateID(i + 1), Cmd: c})
	}
	return t
}

// TestCorners compares Spin with explicit search where the translation is subtle.
func TestCorners(t *testing.T) {
	needSpin(t)
	op := func(o program.Op) program.Command { return program.Command{Op: o} }
	load := func(r int, addr program.Expr) program.Command {
		return program.Command{Op: program.Load, Reg: r, Addr: addr}
	}
	store := func(addr, v program.Expr) program.Command {
		return program.Command{Op: program.Store, Addr: addr, Value: v}
	}
	check := func(v program.Expr) program.Command { return program.Command{Op: program.Check, Value: v} }
	assert := func(v program.Expr) program.Command { return program.Command{Op: program.Assert, Value: v} }
	atomic := func(body ...program.Command) program.Command {
		return program.Command{Op: program.Atomic, Body: body}
	}
	choose := func(r int, lo, hi int64) program.Command {
		return program.Command{Op: program.Havoc, Reg: r, Lo: lo, Hi: hi}
	}
	eq := func(x, y program.Expr) program.Expr { return program.Binary{Op: program.Eq, X: x, Y: y} }
	less := func(x, y program.Expr) program.Expr { return program.Binary{Op: program.Lt, X: x, Y: y} }
	k, r0, r1 := program.Const(1), program.Reg(0), program.Reg(1)
	deadlock := []program.Property{{Kind: program.Deadlock}}
	forever := line("Q", store(k, k))
	forever.Edges[0].To = 0
	tests := []struct {
		name    string
		props   []program.Property
		buffer  int
		threads []*program.Thread
		unsafe  bool
	}{
		{"an end with a buffer that cannot be flushed", deadlock, 0, []*program.Thread{line("P", op(program.Lock)), line("Q", store(k, k))}, true},
		{"the same, with room behind it", deadlock, 0, []*program.Thread{line("P", op(program.Lock), op(program.Unlock)), line("Q", store(k, k), load(0, k))}, false},
		{"a store that the capacity disables", deadlock, 1, []*program.Thread{line("P", op(program.Lock)), forever}, false},
		{"an unlock without a lock", deadlock, 0, []*program.Thread{line("P", op(program.Unlock))}, true},
		{"a check that never holds", deadlock, 0, []*program.Thread{line("P", check(program.Const(0)))}, true},
		{"an assertion that always fails", nil, 0, []*program.Thread{line("P", store(k, k), assert(program.Const(0)), store(k, k))}, true},
		{"an assertion in a block that a check disables", nil, 0,
			[]*program.Thread{line("P", atomic(assert(program.Const(0)), load(0, k), check(eq(r0, program.Const(5))))), line("Q", store(k, k))}, false},
		{"an access astray behind a failed assertion", nil, 0,
			[]*program.Thread{line("P", choose(0, 0, 5), atomic(assert(less(r0, program.Const(3))), load(1, r0), store(r0, k), load(0, r0), check(eq(r0, program.Const(0)))))}, true},
		{"the same, disabled", nil, 0,
			[]*program.Thread{line("P", choose(0, 0, 5), atomic(assert(less(r0, program.Const(3))), store(r0, k), load(0, r0), check(eq(r0, program.Const(1)))))}, false},
		{"a register written twice in a block", nil, 0,
			[]*program.Thread{line("P", atomic(load(1, k), choose(1, -3, 300), store(program.Const(2), r1), program.Command{Op: program.Assign, Reg: 1, Value: program.Const(0)}))}, false},
		{"a final state at the beginning", []program.Property{{Kind: program.Forall, Cond: program.Mem{Addr: 1}}}, 0, []*program.Thread{line("P"), line("Q")}, true},
		{"a final state behind a flush", []program.Property{{Kind: program.Exists, Cond: program.Mem{Addr: 1}}}, 0, []*program.Thread{line("P", store(k, k)), line("Q")}, true},
		{"a buffered store does not count", []program.Property{{Kind: program.Forbid, Cond: program.Binary{Op: program.LogicalAnd, X: program.Mem{Addr: 2}, Y: eq(program.Mem{Addr: 1}, program.Const(0))}}}, 0,
			[]*program.Thread{line("P", store(k, k), store(program.Const(2), k))}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := &program.Program{Name: tt.name, Threads: tt.threads, Properties: tt.props, Default: program.Int32Type}
			for i := range 3 {
				p.Memory = append(p.Memory, program.Cell{Addr: int64(i), Name: "xyz"[i : i+1], Type: []program.Type{program.Int32Type, program.Int8Type, program.Int16Type}[i]})
			}
			if err := program.Sanity(p); err != nil {
				t.Fatal(err)
			}
			opts := Options{Model: memory.TSO, Buffer: tt.buffer}
			if !compare(t, p, opts, 1<<20) {
				t.Error("not compared")
			}
			res, err := explore.Check(t.Context(), p, explore.Options{Model: opts.Model, Buffer: opts.Buffer})
			if err != nil || (res.Unsafe()) != tt.unsafe {
				t.Errorf("%v, %v", res, err)
			}
		})
	}
}
