package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/peers"
	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/lang/imp"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

var (
	programs      = flag.Int("programs", 10, "how many random programs of each shape TestRandom compares")
	seed          = flag.Uint64("seed", 1, "of the first of them")
	bounds        = flag.Int("bounds", 1, "up to which bound TestExamples compares")
	examplesLimit = flag.Duration("limit", 5*time.Second, "for each comparison of TestExamples")
)

func exampleFiles(t testing.TB) []string {
	t.Helper()
	var files []string
	for _, pattern := range []string{"*.imp", "thesis/*.imp"} {
		more, err := filepath.Glob(filepath.Join("..", "..", "examples", pattern))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	return files
}

// TestC has a C compiler read what CBMC would.
func TestC(t *testing.T) {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("no C compiler")
	}
	for _, file := range exampleFiles(t) {
		p, err := lang.Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		var src bytes.Buffer
		if err := writeC(&src, p, 2); err != nil {
			t.Error(err)
			continue
		}
		cmd := exec.Command(cc, "-x", "c", "-fsyntax-only", "-Wno-implicit-function-declaration", "-")
		cmd.Stdin = strings.NewReader("void __CPROVER_fence(const char *, ...); void __CPROVER_assert(int, const char *); void __CPROVER_atomic_begin(void); void __CPROVER_atomic_end(void);\n" + src.String())
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", file, err, out, src.String())
		}
	}
}

// TestRefused has programs for which there is no C.
func TestRefused(t *testing.T) {
	deadlock := progtest.New(1)
	deadlock.Thread().Skip()
	deadlock.Property(program.Deadlock, nil)
	lock := progtest.New(1)
	lock.Thread().Op(program.Lock).Op(program.Unlock)
	late := progtest.New(1)
	th := late.Thread()
	th.Atomic(program.Command{Op: program.Store, Addr: progtest.X, Value: program.Const(1)},
		program.Command{Op: program.Check, Value: th.Reg("r")})
	for want, b := range map[string]*progtest.Builder{"deadlock": deadlock, "lock": lock, "a check after a store": late} {
		if err := writeC(&bytes.Buffer{}, b.Build(t), 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one about %q", err, want)
		}
	}
}

// agreed is CBMC's verdict up to a bound, with which ours has to agree; ok is false
// where there is none.
func agreed(t *testing.T, tool *peers.Tool, p *program.Program, model memory.Model, bound int, limit time.Duration) (cbmc string, ok bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	res, err := engine.Check(ctx, p, engine.Options{Model: model, Engine: engine.BMC, Unroll: bound})
	if fault := (*program.Diagnostic)(nil); errors.As(err, &fault) {
		return "", false // what a program without a meaning does is not compared
	}
	if err != nil {
		t.Fatal(err)
	}
	ours := "none"
	if res.Unsafe() {
		ours = "UNSAFE"
	}
	var src bytes.Buffer
	if err := writeC(&src, p, bound); err != nil {
		t.Logf("%s: %v", p.Name, err)
		return "", false
	}
	file := filepath.Join(t.TempDir(), "program.c")
	if err := os.WriteFile(file, src.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := peers.CBMC(ctx, tool, string(model), 0, file)
	if ctx.Err() != nil {
		return "", false
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, src.String())
	}
	if s.Verdict != ours {
		t.Errorf("%s under %s up to %d: CBMC %s, ours %s\n%s", p.Name, model, bound, s.Verdict, ours, src.String())
	}
	return s.Verdict, true
}

func cbmcTool(t *testing.T) *peers.Tool {
	tool, err := peers.Find("cbmc")
	if err != nil {
		t.Skip(err)
	}
	return tool
}

var models = []memory.Model{memory.SC, memory.TSO}

// TestExamples holds CBMC's verdicts on the examples against ours.
func TestExamples(t *testing.T) {
	tool := cbmcTool(t)
	for _, file := range exampleFiles(t) {
		p, err := lang.Load(file, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, model := range models {
			for bound := 1; bound <= *bounds; bound++ {
				if _, ok := agreed(t, tool, p, model, bound, *examplesLimit); !ok {
					t.Logf("%s, %s, %d: not compared", file, model, bound)
					break // what is larger takes longer
				}
			}
		}
	}
}

// TestProperties has programs whose properties are easily got wrong.
func TestProperties(t *testing.T) {
	tool := cbmcTool(t)
	const unsafe, none = "UNSAFE", "none"
	for _, c := range []struct {
		name, text string
		bound      int
		sc, tso    string
	}{
		{"a thread that the violated property does not name never gets anywhere", `
			process P0 begin skip; a: skip end
			process P1 begin skip; a: skip end
			process P2 begin while x = 0 do skip od; a: skip end
			forbid P0@a & P1@a
			forbid P0@a & P2@a`, 1, unsafe, unsafe},
		{"memory only", `process P0 begin x := 1; y := 1; x := 0 end
			forbid x = 1 & y = 1`, 1, unsafe, unsafe},
		{"memory only, in one moment", `process P0 begin x := 1; x := 0; y := 1 end
			forbid x = 1 & y = 1`, 1, none, none},
		{"memory while a store is buffered", `process P0 begin x := 1; cs: skip end
			forbid P0@cs & x = 0`, 1, none, unsafe},
		{"memory before a thread is there", `process P0 begin x := 1; fence; cs: skip end
			forbid P0@cs & x = 0`, 1, none, none},
		{"a thread is not somewhere", `process P0 begin x := 1; cs: skip end
			forbid !P0@cs & x = 1`, 1, unsafe, unsafe},
		{"a thread is never not somewhere", `process P0 begin cs: x := 1 end
			forbid !P0@cs & x = 0`, 1, none, unsafe},
		{"a final state and a moment", `process P0 begin x := 1; cs: x := 2 end
			forbid P0@cs & x = 2
			forall x = 2`, 1, none, none},
		{"a bound is of back edges, whatever the loop", `process P0 local i, j begin
			while i < 2 do j := 0; while j < 2 do x := x + 1; j := j + 1 od; i := i + 1 od end
			forbid x = 4`, 3, none, none},
		{"and one more", `process P0 local i, j begin
			while i < 2 do j := 0; while j < 2 do x := x + 1; j := j + 1 od; i := i + 1 od end
			forbid x = 4`, 4, unsafe, unsafe},
		{"store buffering", `process P0 local r begin x := 1; r := y end process P1 local r begin y := 1; r := x end
			exists P0.r = 0 & P1.r = 0`, 1, none, unsafe},
		{"store buffering with fences", `process P0 local r begin x := 1; fence; r := y end process P1 local r begin y := 1; fence; r := x end
			exists P0.r = 0 & P1.r = 0`, 1, none, none},
		{"store buffering with exchanges", `process P0 local r begin r := xchg(x, 1); r := y end process P1 local r begin r := xchg(y, 1); r := x end
			exists P0.r = 0 & P1.r = 0`, 1, none, none},
		{"a counter", `process P[i in 0..1] local r begin r := fetch_add(x, 1) end
			forall x = 2`, 1, none, none},
		{"a counter that is not atomic", `process P[i in 0..1] begin x := x + 1 end
			forall x = 2`, 1, unsafe, unsafe},
		{"a thread that goes on for ever", `process P0 begin while true do x := 1 - x od end
			process P1 begin assert x = 0 end`, 2, unsafe, unsafe},
	} {
		p, err := imp.Parse(&program.Source{Name: c.name, Text: "program P variables x = y = 0 " + c.text}, nil)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		for k, want := range []string{c.sc, c.tso} {
			if got, ok := agreed(t, tool, p, models[k], c.bound, time.Minute); ok && got != want {
				t.Errorf("%s under %s: %s, want %s", c.name, models[k], got, want)
			}
		}
	}
}

// TestArithmetic has assertions that hold of our operators, but not of C's.
func TestArithmetic(t *testing.T) {
	tool := cbmcTool(t)
	x, y := program.Reg(0), program.Reg(1)
	for _, c := range []struct {
		op         program.BinaryOp
		x, y, want int64
	}{
		{program.Div, 7, 0, 0}, {program.Rem, 7, 0, 7}, {program.Div, math.MinInt64, -1, math.MinInt64}, {program.Rem, math.MinInt64, -1, 0},
		{program.Div, -7, 2, -3}, {program.Rem, -7, 2, -1}, {program.Shl, 1, 64, 0}, {program.Shl, 1, 63, math.MinInt64}, {program.Shl, 1, -1, 0},
		{program.Shr, -8, 1, -4}, {program.Shr, -8, 100, -1}, {program.Shr, 8, 64, 0}, {program.Add, math.MaxInt64, 1, math.MinInt64},
		{program.LogicalAnd, 2, 4, 1}, {program.BitXor, -1, 1, -2},
	} {
		th := &program.Thread{Name: "P", Regs: []program.Register{{Name: "x", Type: program.Int64Type, Init: c.x}, {Name: "y", Type: program.Int64Type, Init: c.y}}, States: make([]program.State, 2)}
		cond := program.Binary{Op: program.Eq, X: program.Binary{Op: c.op, X: x, Y: y}, Y: program.Const(c.want)}
		th.Edges = []program.Edge{{From: 0, To: 1, Cmd: program.Command{Op: program.Assert, Value: cond}}}
		p := &program.Program{Name: fmt.Sprintf("%d %s %d", c.x, c.op, c.y), Threads: []*program.Thread{th}, Default: program.Int32Type}
		if got, _ := agreed(t, tool, p, memory.SC, 1, time.Minute); got != "none" {
			t.Errorf("%s is not %d", p.Name, c.want)
		}
	}
	for _, c := range []struct {
		typ     program.Type
		v, want int64
	}{
		{program.BoolType, 2, 0}, {program.BoolType, 3, 1}, {program.Int8Type, 200, -56}, {program.Type{Bits: 3, Signed: true}, 5, -3},
		{program.Type{Bits: 3}, 13, 5}, {program.Type{Bits: 1, Signed: true}, 1, -1}, {program.Type{Bits: 40, Signed: true}, 1 << 39, -1 << 39},
	} {
		b := progtest.New(1)
		b.Program.Memory[0].Type = c.typ
		th := b.Thread()
		r := th.Reg("r")
		th.Store(progtest.X, program.Const(c.v)).Load("r", progtest.X).Assert(progtest.Eq(r, c.want))
		th.Thread.Regs[0].Type = program.Int64Type
		p := b.Build(t)
		p.Name = fmt.Sprintf("%d in %v", c.v, c.typ)
		if got, _ := agreed(t, tool, p, memory.TSO, 1, time.Minute); got != "none" {
			t.Errorf("%s is not %d", p.Name, c.want)
		}
	}
}

// TestAtomic has a block whose assertion fails, but which a check then disables; and
// one that nothing disables.
func TestAtomic(t *testing.T) {
	tool := cbmcTool(t)
	for check, want := range map[int64]string{1: "none", 0: "UNSAFE"} {
		b := progtest.New(1)
		th := b.Thread()
		r := th.Reg("r")
		th.Atomic(program.Command{Op: program.Load, Reg: int(r), Addr: progtest.X},
			program.Command{Op: program.Assert, Value: progtest.Eq(r, 2)},
			program.Command{Op: program.Check, Value: progtest.Eq(r, check)})
		if got, _ := agreed(t, tool, b.Build(t), memory.TSO, 1, time.Minute); got != want {
			t.Errorf("check r = %d: %s, want %s", check, got, want)
		}
	}
}

// shapes are the random programs; none has locks, of which there is no C.
var shapes = map[string]randprog.Options{
	"straight": {Lock: -1, NoProperty: -1},
	"stores":   {Lock: -1, NoProperty: -1, Store: 12, RMW: 1, Atomic: 1, AddrDep: 40},
	"loops":    {Lock: -1, NoProperty: -1, CountLoop: 2, WaitLoop: 2, StoreLoop: 2},
	"asserts":  {Lock: -1, Assert: 4, CountLoop: 1},
	"forbid":   {Lock: -1, NoProperty: -1, Exists: -1, Forall: -1, Threads: randprog.Range{Min: 2, Max: 2}},
}

// TestRandom holds CBMC's verdicts on random programs against ours.
func TestRandom(t *testing.T) {
	tool := cbmcTool(t)
	n := *programs
	if testing.Short() {
		n = 3
	}
	for name, shape := range shapes {
		t.Run(name, func(t *testing.T) {
			count := map[string]int{}
			for k := range n {
				s := *seed + uint64(k)
				p := randprog.New(rand.New(rand.NewPCG(s, 0)), shape)
				p.Name = fmt.Sprintf("%s-%d", name, s)
				for _, model := range models {
					for bound := 1; bound <= 2; bound++ {
						verdict, _ := agreed(t, tool, p, model, bound, time.Minute)
						count[verdict]++
					}
				}
			}
			t.Logf("compared: %d UNSAFE, %d none; not compared: %d", count["UNSAFE"], count["none"], count[""])
		})
	}
}
