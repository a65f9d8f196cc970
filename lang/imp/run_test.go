package imp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// A machine runs the only thread of a program, every way that it can go.
type machine struct {
	p      *program.Program
	t      *program.Thread
	ends   map[string]bool // how runs ended
	failed bool            // the last step was an assertion that failed
}

type config struct {
	q    program.StateID
	regs []int64
	mem  []int64
}

// runs lists how the runs of a sequential program end: "x=1 y=2" over all
// cells and declared registers that are not 0, "stuck", or the text of an
// assertion that failed.
func runs(p *program.Program) []string {
	m := &machine{p: p, t: p.Threads[0], ends: map[string]bool{}}
	c := config{m.t.Initial, nil, nil}
	for _, r := range m.t.Regs {
		c.regs = append(c.regs, r.Init)
	}
	for _, cell := range p.Memory {
		c.mem = append(c.mem, cell.Init)
	}
	out := m.t.Out()
	seen := map[string]bool{}
	for todo := []config{c}; len(todo) > 0; {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if key := fmt.Sprint(c); seen[key] {
			continue
		} else if seen[key] = true; len(seen) > 100_000 {
			return []string{"no end"}
		}
		if len(out[c.q]) == 0 {
			m.ends[m.describe(c)] = true
			continue
		}
		stuck := true
		m.failed = false
		for _, i := range out[c.q] {
			for _, d := range m.step(c, &m.t.Edges[i].Cmd) {
				d.q = m.t.Edges[i].To
				todo = append(todo, d)
				stuck = false
			}
		}
		if stuck && !m.failed {
			m.ends["stuck"] = true
		}
	}
	return slices.Sorted(maps.Keys(m.ends))
}

func (m *machine) step(c config, cmd *program.Command) []config {
	eval := func(e program.Expr) int64 {
		return program.EvalRegs(e, c.regs)
	}
	d := config{c.q, slices.Clone(c.regs), slices.Clone(c.mem)}
	set := func(v int64) { d.regs[cmd.Reg] = m.t.Regs[cmd.Reg].Type.Wrap(v) }
	switch cmd.Op {
	case program.Check:
		if eval(cmd.Value) == 0 {
			return nil
		}
	case program.Assign:
		set(eval(cmd.Value))
	case program.Havoc:
		var ds []config
		for v := cmd.Lo; v <= cmd.Hi; v++ {
			e := config{c.q, slices.Clone(c.regs), d.mem}
			e.regs[cmd.Reg] = m.t.Regs[cmd.Reg].Type.Wrap(v)
			ds = append(ds, e)
		}
		return ds
	case program.Load:
		set(d.mem[eval(cmd.Addr)])
	case program.Store:
		a := eval(cmd.Addr)
		d.mem[a] = m.p.Memory[a].Type.Wrap(eval(cmd.Value))
	case program.Assert:
		if eval(cmd.Value) == 0 {
			m.ends[cmd.Text], m.failed = true, true
			return nil
		}
	case program.Atomic:
		ds := []config{d}
		for i := range cmd.Body {
			var next []config
			for _, d := range ds {
				next = append(next, m.step(d, &cmd.Body[i])...)
			}
			ds = next
		}
		return ds
	}
	return []config{d}
}

func (m *machine) describe(c config) string {
	var parts []string
	for i, cell := range m.p.Memory {
		if c.mem[i] != 0 {
			parts = append(parts, fmt.Sprintf("%s=%d", cell.Name, c.mem[i]))
		}
	}
	for i, r := range m.t.Regs {
		if c.regs[i] != 0 && !r.Temp && !strings.Contains(r.Name, ".") {
			parts = append(parts, fmt.Sprintf("%s=%d", r.Name, c.regs[i]))
		}
	}
	return strings.Join(parts, " ")
}

// What bodies compute, over the declarations of TestLower.
// TestProcedures: how programs with procedures end.
func TestProcedures(t *testing.T) {
	for _, c := range []struct{ procedure, body, want string }{
		{"F() local n begin n := n + 1; x := x + n end", "F(); F(); F()", "x=3"},
		{"F() local n = 2 begin n := n * n; x := x + n end", "F(); F()", "x=8"},
		{"F(p) begin x := x + p; p := p + 1; x := x + p end", "F(1); F(1)", "x=6"},
		{"F(p) begin while p > 0 do p := p - 1; x := x + 1 od end", "F(3); F(2)", "x=5"},
		{"F(p) begin for p := 1 to 2 do x := x + p od end", "F(7)", "x=3"},
		{"F(p) begin x := x + p end", "F(1); F(2)", "x=3"},
		{"F(var v) begin v := v + 1; y := v end", "F(x); F(a[2]); F(a[2])", "x=1 y=2 a[2]=2"},
		{"F(p) begin while true do p := p + 1; if p < 3 then continue fi; break od; return p * 10 end", "x := F(0)", "x=30"},
		{"F(p) begin if p = 1 then return 5 fi; return 7 end", "x := F(1); y := F(2)", "x=5 y=7"},
	} {
		text := "program T variables x, y, a[3] procedure " + c.procedure + " process P begin " + c.body + " end"
		p, err := parse(text, nil)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := runs(p); !slices.Equal(got, []string{c.want}) {
			t.Errorf("%s: %q, want %q", text, got, c.want)
		}
	}
}

func TestRuns(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"skip", ""},
		{"x := 1 + 2 * 3 - 4 / 2; y := 7 % 4 << 2 | 1", "x=5 y=13"},
		{"x := -7 / 2; y := -7 % 3", "x=-3 y=-1"},
		{"x := 6 & 3 ^ 1 | 8; y := ~5", "x=11 y=-6"},
		{"x := 1 = 1; y := 2 > 3 or 2 <= 2 and not (1 != 1)", "x=1 y=1"},
		{"x := 1 - 2 - 3; y := 16 >> 2 >> 1", "x=-4 y=2"},
		{"x := 5; s := x * 30; n := s; r := s", "x=5 s=-106 r=-106 n=-106"},
		{"b := 5 - r; f := b; r := b + f", "b=1 r=2 f=1"},
		{"r := 2; b := r; f := r - 2", "b=1 r=2"},
		{"x := 256; n := x; f := x", "x=256 f=1"},
		{"x := 1; x := x + x + x", "x=3"},
		{"r := 3; while r > 0 do a[r] := r * r; r := r - 1 od", "a[1]=1 a[2]=4 a[3]=9"},
		{"for r := 1 to 3 do x := x + r od", "x=6 r=4"},
		{"for r := 3 to 1 do x := 9 od", "r=3"},
		{"k := 2; for r := 0 to k do for n := 0 to r do x := x + 1 od od", "x=6 r=3 k=2 n=3"},
		{"if x = 1 then y := 1 elif x = 0 then y := 2 else y := 3 fi; s := 1", "y=2 s=1"},
		{"if x then y := 1 else y := 4 fi", "y=4"},
		{"x := 3; if x then y := 1 fi", "x=3 y=1"},
		{"l: x := x + 1; if x < 5 then goto l fi", "x=5"},
		{"goto inner; while x < 3 do inner: x := x + 2; y := y + 1 od", "x=4 y=2"},
		{"await x = 0; y := 1; await x = 1; y := 2", ""},
		{"assume x = 1", "stuck"},
		{"choose assume x = 1; y := 1 [] y := 2 [] y := 3 end", "stuck|y=2|y=3"},
		{"choose assume r = 1; y := 1 [] y := 2 [] y := 3 end", "y=2|y=3"},
		{"x := 1; assert x = 2; y := 1", "assert x = 2"},
		{"r := any(-1..1)", "|r=-1|r=1"},
		{"x := any(0..2) * 2 + any(0..1)", "|x=1|x=2|x=3|x=4|x=5"},
		{"x := 10 / r", "division by zero"},
		{"x := 10 % (r + 0)", "division by zero"},
		{"r := 0; if r != 0 and 10 / r > 1 then x := 1 else x := 2 fi", "x=2"},
		{"r := 0; if r = 0 or 10 / r > 1 then x := 1 else x := 2 fi", "x=1"},
		{"r := 0; if (r = 1 or r != 0) and 10 / r > 1 then x := 1 else x := 2 fi", "x=2"},
		{"r := 0; if r = 0 and 10 / r > 1 then x := 1 else x := 2 fi", "division by zero"},
		{"r := 0; if not (r = 0 or 10 / r > 1) or r = 0 and r / r = 1 then skip fi", "division by zero"},
		{"r := 4; a[r] := 1", "index outside a[4]"},
		{"r := -1; x := a[r]", "index outside a[4]"},
		{"r := 4; a[r - 1] := 1; a[a[r - 1] * 2] := 5; r := 0", "a[2]=5 a[3]=1"},
		{"r := any(-1..4); if 0 <= r and r < 4 and a[r] = 0 then x := 1 fi; r := 0", "|x=1"},
		{"r := any(-1..4); if r < 0 or r > 3 or a[r] = 0 then x := 1 fi; r := 0", "x=1"},
		{"a[3] := 7; r := any(-5..9); if r > 0 and r < 4 and a[r] = 7 then x := r fi; r := 0", "a[3]=7|x=3 a[3]=7"},
		{"r := -4; if r > -4 and a[r * 2 + 1] = 0 then x := 1 else x := 2 fi; r := 0", "x=2"},
		{"r := cas(x, 0, 5); k := cas(x, 0, 6)", "x=5 r=1"},
		{"r := 1; r := cas(x, r - 1, r + 4)", "x=5 r=1"},
		{"r := 1; r := cas(a[r], r, 9)", ""},
		{"x := 3; r := xchg(x, 4); r := xchg(x, r + 2)", "x=5 r=4"},
		{"x := 300; n := fetch_add(x, 1)", "x=301 n=44"},
		{"x := 300; f := fetch_add(x, 1); f := xchg(y, 7)", "x=301 y=7"},
		{"s := 127; r := fetch_add(s, 1)", "s=-128 r=127"},
		{"if cas(x, 0, 1) and y = 0 then y := 2 fi", "x=1 y=2"},
		{"x := fetch_add(y, 2) + fetch_add(y, 3) * 10", "x=20 y=5"},
		{"atomic begin x := x + 1; if x = 1 then y := 5 else y := 6 fi end", "x=1 y=5"},
		{"atomic begin choose x := 1 [] y := 1 [] assume false end; assert x + y = 1 end", "x=1|y=1"},
		{"atomic begin x := 1; assume y = 1 end", "stuck"},
		{"atomic begin r := cas(x, 1, 2); if not r then x := 4 fi end", "x=4"},
		{"choose l1: x := 1 [] skip [] goto l2 end; y := 1; l2: skip", "|x=1 y=1|y=1"},
		{"while true do x := x + 1; if x = 3 then goto out fi od; out: y := 1", "x=3 y=1"},
		{"t[1] := 4; t[0] := t[1] * 2", "t[0]=8 t[1]=4"},
	} {
		t.Run(c.body, func(t *testing.T) {
			p := mustParse(t, declared+c.body+"\nend", nil)
			if got := strings.Join(runs(p), "|"); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
