package program_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// printed has everything that a printer must show: the thread of the package
// comment, an atomic, types, a temporary, labels and every kind of property.
func printed() *program.Program {
	at := func(line int) program.Position { return program.Position{Line: line, Col: 1} }
	r0, ok, old := program.Reg(0), 0, 1
	dekker := &program.Thread{
		Name: "P0",
		Regs: []program.Register{{Name: "r0", Type: program.Int32Type}},
		States: []program.State{
			{Name: "q0"}, {Name: "q1"}, {Name: "q2"},
			{Name: "q3", Labels: []string{"cs"}},
			{Name: "q4", Pos: at(4)},
		},
		Edges: []program.Edge{
			{From: 0, To: 1, Cmd: program.Command{Op: program.Store, Addr: program.Const(0), Value: program.Const(1)}, Pos: at(1)},
			{From: 1, To: 2, Cmd: program.Command{Op: program.Load, Reg: 0, Addr: program.Const(1)}, Pos: at(2)},
			{From: 2, To: 1, Cmd: program.Command{Op: program.Check, Value: program.Binary{Op: program.Eq, X: r0, Y: program.Const(1)}}, Pos: at(2)},
			{From: 2, To: 3, Cmd: program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: r0, Y: program.Const(1)}}, Pos: at(2)},
			{From: 3, To: 4, Cmd: program.Skip(), Pos: at(13)},
		},
	}
	success, failure := program.CompareAndSwap(ok, old, program.Const(7), program.Const(0), program.Const(1), at(20))
	other := &program.Thread{
		Name: `say "hi" \n`,
		Regs: []program.Register{
			{Name: "ok", Type: program.BoolType, Init: 1},
			{Name: "old", Type: program.Type{Bits: 16}, Temp: true},
		},
		States:  []program.State{{Name: "done"}, {Name: "start", Labels: []string{"a", "b"}}},
		Initial: 1,
		Edges: []program.Edge{
			{From: 1, To: 0, Cmd: success, Pos: at(20)},
			{From: 1, To: 1, Cmd: failure, Pos: at(20)},
			{From: 1, To: 1, Cmd: program.Command{Op: program.Fence}},
			{From: 1, To: 1, Cmd: program.Command{Op: program.Check, Value: program.Binary{Op: program.LogicalAnd, X: program.Reg(ok), Y: program.Reg(old)}}},
		},
	}
	mem := func(a int64, name string) program.Expr { return program.Mem{Addr: a, Name: name} }
	return &program.Program{
		Name:    "dekker.imp",
		Threads: []*program.Thread{dekker, other},
		Memory: []program.Cell{
			{Addr: 0, Name: "flag0", Type: program.Int32Type},
			{Addr: 1, Name: "flag1", Type: program.Int8Type, Init: -3},
			{Addr: 10, Type: program.BoolType},
		},
		Properties: []program.Property{
			{Kind: program.Forbid, Cond: program.At{Thread: 0, States: []program.StateID{3}, Name: "P0@cs"}, Pos: at(30)},
			{Kind: program.Exists, Cond: program.Binary{Op: program.Eq, X: mem(0, "flag0"), Y: program.Const(1)}},
			{Kind: program.Forall, Cond: program.Binary{Op: program.Ge, X: mem(10, ""), Y: program.Const(0)}, Pos: at(31)},
			{Kind: program.Deadlock},
		},
		Default: program.Int32Type,
	}
}

const wantPrinted = `program dekker.imp

memory
  [0]   flag0  int32  0
  [1]   flag1  int8   -3
  [10]         bool   0
  other cells are int32

thread P0
  r0  int32  0

  q0  store flag0 <- 1  -> q1  line 1   (initial)
  q1  load r0 <- flag1  -> q2  line 2
  q2  check r0 == 1     -> q1  line 2
  q2  check r0 != 1     -> q3  line 2
  q3  skip              -> q4  line 13  (label cs)
  q4                           line 4

thread say "hi" \n
  ok   bool    1
  old  uint16  0  temporary

  done
  start  cas { load old <- [7]; check old == 0; store [7] <- 1; ok <- 1 }  -> done   line 20  (initial) (label a) (label b)
  start  cas { load old <- [7]; check old != 0; ok <- 0 }                  -> start  line 20
  start  fence                                                             -> start
  start  check ok && old                                                   -> start

forbid P0@cs       line 30
exists flag0 == 1
forall [10] >= 0   line 31
forbid deadlock
`

const wantDOT = `digraph "dekker.imp" {
	node [shape=ellipse];
	subgraph cluster_0 {
		label="P0";
		t0 [shape=point];
		t0_0 [label="q0"];
		t0_1 [label="q1"];
		t0_2 [label="q2"];
		t0_3 [label="q3\ncs", style=filled];
		t0_4 [label="q4"];
		t0 -> t0_0;
		t0_0 -> t0_1 [label="store flag0 <- 1"];
		t0_1 -> t0_2 [label="load r0 <- flag1"];
		t0_2 -> t0_1 [label="check r0 == 1"];
		t0_2 -> t0_3 [label="check r0 != 1"];
		t0_3 -> t0_4 [label="skip"];
	}
	subgraph cluster_1 {
		label="say \"hi\" \\n";
		t1 [shape=point];
		t1_0 [label="done"];
		t1_1 [label="start\na\nb", style=filled];
		t1 -> t1_1;
		t1_1 -> t1_0 [label="cas { load old <- [7];\ncheck old == 0;\nstore [7] <- 1;\nok <- 1 }"];
		t1_1 -> t1_1 [label="cas { load old <- [7];\ncheck old != 0;\nok <- 0 }"];
		t1_1 -> t1_1 [label="fence"];
		t1_1 -> t1_1 [label="check ok &amp;&amp; old"];
	}
}
`

func TestPrint(t *testing.T) {
	p := printed()
	if err := program.Sanity(p); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := program.Print(&b, p); err != nil {
		t.Fatal(err)
	}
	compareLines(t, b.String(), wantPrinted)
}

func TestWriteDOT(t *testing.T) {
	var b strings.Builder
	if err := program.WriteDOT(&b, printed()); err != nil {
		t.Fatal(err)
	}
	compareLines(t, b.String(), wantDOT)
}

func TestWriteDOTUnprintable(t *testing.T) {
	p := &program.Program{Name: "a\x00\x1b[31m\xff", Default: program.Int32Type, Threads: []*program.Thread{{
		Name: "t", States: []program.State{{Name: "q"}},
	}}}
	var b strings.Builder
	if err := program.WriteDOT(&b, p); err != nil {
		t.Fatal(err)
	}
	if got, want := strings.SplitN(b.String(), "\n", 2)[0], "digraph \"a\ufffd\ufffd[31m\ufffd\" {"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPrintReportsWriteErrors(t *testing.T) {
	if err := program.Print(failingWriter{}, printed()); !errors.Is(err, errWrite) {
		t.Errorf("Print: %v", err)
	}
	if err := program.WriteDOT(failingWriter{}, printed()); !errors.Is(err, errWrite) {
		t.Errorf("WriteDOT: %v", err)
	}
}

var errWrite = errors.New("disk full")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errWrite }

func compareLines(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			t.Errorf("line %d:\n got %q\nwant %q", i+1, a, b)
		}
	}
	if t.Failed() {
		t.Logf("whole output:\n%s", got)
	}
}
