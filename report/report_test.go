package report

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// dekker is the entry protocol of Dekker's algorithm for n threads in a ring,
// with long names if long, and a run of it under TSO in which all threads
// enter: each has its store still buffered while the others read.
func dekker(n int, long bool) *verdict.Result {
	name := func(format string, i int) string {
		if long {
			format = "a_rather_long_name_for_the_" + format
		}
		return fmt.Sprintf(format, i)
	}
	p := &program.Program{
		Name:    "dekker",
		Source:  &program.Source{Name: "dekker.imp", Text: "flag := 1;\nwhile other = 1 do skip od;\ncs: skip\nforbid all\n"},
		Default: program.Int32Type,
	}
	run := &verdict.Run{}
	var cond program.Expr
	for i := range n {
		p.Memory = append(p.Memory, program.Cell{Addr: int64(i), Name: name("flag%d", i), Type: program.Int32Type})
		other := program.Const((i + 1) % n)
		p.Threads = append(p.Threads, &program.Thread{
			Name: name("P%d", i),
			Regs: []program.Register{{Name: "t", Type: program.Int32Type, Temp: true}, {Name: "r", Type: program.Int32Type}},
			States: []program.State{{Name: "q0"}, {Name: "q1"}, {Name: "q2"}, {Name: "cs", Labels: []string{"cs"},
				Pos: program.Position{Line: 3, Col: 1}}, {Name: "q4"}},
			Edges: []program.Edge{
				{From: 0, To: 1, Cmd: program.Command{Op: program.Store, Addr: program.Const(i), Value: program.Const(1)}},
				{From: 1, To: 2, Cmd: program.Command{Op: program.Load, Reg: 0, Addr: other}},
				{From: 2, To: 1, Cmd: program.Command{Op: program.Check, Value: program.Binary{Op: program.Eq, X: program.Reg(0), Y: program.Const(1)}}},
				{From: 2, To: 3, Cmd: program.Command{Op: program.Check, Value: program.Binary{Op: program.Ne, X: program.Reg(0), Y: program.Const(1)}}},
				{From: 3, To: 4, Cmd: program.Skip()},
			},
		})
		at := program.At{Thread: i, States: []program.StateID{3}, Name: name("P%d", i) + "@cs"}
		if cond == nil {
			cond = at
		} else {
			cond = program.Binary{Op: program.LogicalAnd, X: cond, Y: at}
		}
	}
	p.Properties = []program.Property{{Kind: program.Forbid, Cond: cond, Text: "forbid all", Pos: program.Position{Line: 4, Col: 1}}}
	run.Cells = p.Memory
	run.Init = make([]int64, n)

	mem := make([]int64, n)
	bufs := make([][]verdict.Pair, n)
	pc := make([]program.StateID, n)
	regs := make([][]int64, n)
	for i := range regs {
		regs[i] = make([]int64, 2)
	}
	step := func(th, edge int, text string, line int) {
		s := verdict.Step{Thread: th, Edge: edge, Text: text, Pos: program.Position{Line: line}}
		s.Memory = append(s.Memory, mem...)
		for i := range bufs {
			s.Buffers = append(s.Buffers, append([]verdict.Pair(nil), bufs[i]...))
			s.Regs = append(s.Regs, append([]int64(nil), regs[i]...))
		}
		s.PC = append(s.PC, pc...)
		run.Steps = append(run.Steps, s)
	}
	for i := range n {
		bufs[i] = []verdict.Pair{{Cell: i, Value: 1}}
		pc[i] = 1
		step(i, 0, p.Memory[i].Name+" := 1 (buffered)", 1)
	}
	for i := range n {
		pc[i] = 2
		step(i, 1, fmt.Sprintf("read %s = 0", p.Memory[(i+1)%n].Name), 2)
		if i == 0 { // one flush, to see memory change
			bufs[0] = nil
			mem[0] = 1
			step(0, -1, "flush "+p.Memory[0].Name+" := 1", 0)
		}
		pc[i] = 3
		step(i, 3, "leave the loop: t != 1", 2)
	}
	run.Program, run.Model = p, memory.TSO
	run.Violation = &verdict.Violation{Property: &p.Properties[0], Text: "forbid all", Pos: p.Properties[0].Pos}
	return with(verdict.Convict(run), verdict.Effort{Engine: "bmc", Elapsed: 120 * time.Millisecond,
		Stats: []verdict.Stat{{Name: "clauses", Value: 12345}, {Name: "bytes", Value: 3 << 20}}})
}

func with(r *verdict.Result, e verdict.Effort) *verdict.Result {
	r.Effort = e
	return r
}

// atFault is a result of a run that is a mistake in the program.
func atFault(p *program.Program, text string, pos program.Position) *verdict.Result {
	return verdict.Convict(&verdict.Run{Program: p, Model: memory.TSO,
		Violation: &verdict.Violation{Kind: program.Fault, Text: text, Pos: pos}})
}

func text(t *testing.T, r *verdict.Result, opts Options) string {
	t.Helper()
	var b strings.Builder
	if err := Text(&b, r, opts); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextUnsafe(t *testing.T) {
	got := text(t, dekker(2, false), Options{})
	want := `UNSAFE  dekker.imp  under TSO (bmc, 0.12 s)

  violated  forbid all (line 4)
  effort    clauses 12,345, memory 3.0 MiB

  Memory is 0 at first.

step  line  P0                      P1                           memory   buffers
   1     1  flag0 := 1 (buffered)                                flag0=0  P0: flag0:=1
   2     1                          flag1 := 1 (buffered)        flag0=0  P0: flag0:=1; P1: flag1:=1
   3     2  read flag1 = 0                                       flag0=0  P0: flag0:=1; P1: flag1:=1
   4        flush flag0 := 1                                     flag0=1  P1: flag1:=1
   5     2  leave the loop: t != 1                               flag0=1  P1: flag1:=1
 6-7     2                          read flag0 = 0;              flag0=1  P1: flag1:=1
                                    leave the loop: t != 1

  in the end  P0@cs, P1@cs
`
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// Whatever the names and the number of threads, the table fits and no memory
// event is missing.
func TestTextFits(t *testing.T) {
	for _, n := range []int{1, 2, 3, 4, 8} {
		for _, long := range []bool{false, true} {
			r := dekker(n, long)
			got := text(t, r, Options{})
			for _, line := range strings.Split(got, "\n") {
				if length(line) > 100 {
					t.Errorf("%d threads, long %v: %d columns: %s", n, long, length(line), line)
				}
			}
			for i, s := range r.Run().Steps {
				if row := regexp.MustCompile(fmt.Sprintf(`(?m)^ *%d(-\d+)?  `, i+1)); s.Edge < 2 && !row.MatchString(got) {
					t.Errorf("%d threads, long %v: step %d is missing in\n%s", n, long, i+1, got)
				}
			}
		}
	}
}

// Local steps share the row of the memory event before them; what is not worth
// a word is left out.
func TestTextFolds(t *testing.T) {
	r := dekker(1, false)
	read, leave := r.Run().Steps[1], r.Run().Steps[3]
	skip, assign := leave, leave
	skip.Edge, skip.Text, skip.Pos.Line = 4, "skip", 3
	assign.Text, assign.Pos.Line = "r <- 7", 5
	has := func(want string) {
		t.Helper()
		if got := text(t, r, Options{}); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	r.Run().Steps = []verdict.Step{read, leave, skip, assign}
	has("\n 1-4   2-5  read flag0 = 0; leave the loop: t != 1; r <- 7  flag0=1\n")
	r.Run().Steps = []verdict.Step{skip, skip}
	has("\n 1-2     3  skip  flag0=1\n")

	// The assertion that fails stands alone.
	r.Violation().Property = nil
	assign.Text = "assert r == 8 fails"
	r.Run().Steps = []verdict.Step{read, leave, assign}
	has("\n   3     5  assert r == 8 fails ")
}

// Memory that no step changes has no column, and a long text that repeats the
// one above it is a ditto mark.
func TestTextShort(t *testing.T) {
	r := dekker(2, false)
	r.Run().Steps = r.Run().Steps[:3]
	for i := range r.Run().Steps {
		b := r.Run().Steps[i].Buffers[0]
		for range 8 {
			b = append(b, b[0])
		}
		r.Run().Steps[i].Buffers[0] = b
	}
	want := `
  Memory is 0 at first; no step changes it.

step  line  P0                     P1                     buffers
   1     1  flag0 := 1 (buffered)                         P0: flag0:=1 flag0:=1 flag0:=1 flag0:=1
                                                          flag0:=1 flag0:=1 flag0:=1 flag0:=1
                                                          flag0:=1
   2     1                         flag1 := 1 (buffered)  P0: flag0:=1 flag0:=1 flag0:=1 flag0:=1
                                                          flag0:=1 flag0:=1 flag0:=1 flag0:=1
                                                          flag0:=1; P1: flag1:=1
   3     2  read flag1 = 0                                "
`
	if got := text(t, r, Options{}); !strings.HasSuffix(got, want) {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

// With many cells, only the changes are shown.
func TestTextMemoryChanges(t *testing.T) {
	r := dekker(2, false)
	for i := range 20 {
		r.Run().Cells = append(r.Run().Cells, program.Cell{Addr: int64(100 + i)})
		r.Run().Init = append(r.Run().Init, int64(i))
		for j := range r.Run().Steps {
			v := int64(i)
			if j > 2 {
				v++
			}
			r.Run().Steps[j].Memory = append(r.Run().Steps[j].Memory, v)
		}
	}
	got := text(t, r, Options{})
	for _, want := range []string{"memory changes", "Memory at first: [101]=1 [102]=2", ", the rest 0.", "flag0=1"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "flag0=0") {
		t.Errorf("unchanged cells in\n%s", got)
	}
}

func TestTextOthers(t *testing.T) {
	p := dekker(2, false).Program()
	tests := []struct {
		name string
		r    *verdict.Result
		opts Options
		want string
	}{
		{"safe", with(verdict.Safe(p, memory.SC, verdict.Exhaustive, nil), verdict.Effort{Engine: "explicit",
			Elapsed: 75 * time.Second, Stats: []verdict.Stat{{Name: "states", Value: 1234567}}}), Options{},
			`SAFE  dekker.imp  under SC (explicit, 1 min 15 s)

  because  exhaustive search: every reachable state was visited and no bound was met
  effort   states 1,234,567
`},
		{"quiet", with(verdict.Safe(p, memory.SC, verdict.Exhaustive, nil), verdict.Effort{Engine: "explicit"}), Options{Quiet: true},
			"SAFE  dekker.imp  under SC (explicit, 0.00 s)\n"},
		{"colour", verdict.Safe(p, memory.SC, verdict.Exhaustive, nil), Options{Quiet: true, Colour: true},
			"\x1b[1;32mSAFE\x1b[0m  dekker.imp  under SC (0.00 s)\n"},
		{"unknown", with(verdict.Unknown(p, memory.TSO, "no violation up to 6 unrollings"), verdict.Effort{Engine: "bmc", Bound: 6, BoundUnit: "unrollings", Elapsed: 12 * time.Second,
			Advice: "a longer --timeout, or --engine explicit"}), Options{},
			`UNKNOWN  dekker.imp  under TSO (bmc, 12.0 s)

  reason  no violation up to 6 unrollings
  next    a longer --timeout, or --engine explicit
`},
		{"fault", atFault(p, "division by zero", program.Position{Line: 2, Col: 7}), Options{},
			"dekker.imp:2:7: division by zero can be reached\n  while other = 1 do skip od;\n        ^\n"},
	}
	for _, tt := range tests {
		if got := text(t, tt.r, tt.opts); got != tt.want {
			t.Errorf("%s: got:\n%s\nwant:\n%s", tt.name, got, tt.want)
		}
	}
}

func TestLastState(t *testing.T) {
	r := dekker(2, false)
	pr := r.Violation().Property
	pr.Kind = program.Exists
	pr.Cond = program.Binary{Op: program.LogicalAnd,
		X: program.Binary{Op: program.Eq, X: program.ThreadReg{Thread: 1, Reg: 1, Name: "P1.r"}, Y: program.Const(0)},
		Y: program.Binary{Op: program.Eq, X: program.Mem{Addr: 0, Name: "flag0"}, Y: program.Const(1)}}
	got := text(t, r, Options{})
	for _, want := range []string{"reached  forbid all", "in the end  P1.r=0, flag0=1\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	pr.Kind, pr.Cond = program.Deadlock, nil
	if got, want := text(t, r, Options{}), "in the end  P0 at line 3, P1 at line 3\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
	r.Run().Steps = nil
	if got, want := text(t, r, Options{}), "in the end  this holds in the initial state\n"; !strings.Contains(got, want) {
		t.Errorf("no %q in\n%s", want, got)
	}
}

// A bare result must not crash a report: engines may know less than they could.
func TestTextBare(t *testing.T) {
	p := &program.Program{Name: "bare"}
	for _, r := range []*verdict.Result{
		verdict.Unknown(p, memory.TSO, "who knows"), verdict.Safe(p, memory.TSO, verdict.Exhaustive, nil),
		verdict.Convict(&verdict.Run{Program: p, Model: memory.TSO, Violation: &verdict.Violation{}}),
	} {
		if got := text(t, r, Options{}); !strings.HasPrefix(got, r.Verdict().String()+"  bare  under TSO") {
			t.Errorf("got %q", got)
		}
		var b strings.Builder
		if err := JSON(&b, r, "bare"); err != nil {
			t.Error(err)
		}
	}
}

// Names in a source cannot send control sequences to the terminal.
func TestTextClean(t *testing.T) {
	r := dekker(2, false)
	r.Program().Source.Name = "a\x1b[2Jb\nc.imp"
	r.Run().Steps[0].Text = "\x1b]0;x\x07 := 1"
	if got := text(t, r, Options{}); strings.ContainsAny(got, "\x1b\x07") {
		t.Errorf("control characters in %q", got)
	}
}

func TestJSON(t *testing.T) {
	var b strings.Builder
	if err := JSON(&b, dekker(2, false), "some/dekker.imp"); err != nil {
		t.Fatal(err)
	}
	got := b.String()
	if strings.Count(got, "\n") != 1 || !strings.HasSuffix(got, "}\n") {
		t.Errorf("not one line: %q", got)
	}
	var o struct {
		Schema                                int
		Type                                  string
		File, Model, Verdict, Engine, Program string
		Seconds                               float64
		Violation                             struct {
			Kind, Text   string
			Line, Column int
		}
		Initial map[string]int64
		Run     []struct {
			Step                  int
			Thread, Command, Text string
			Line, Edge            int
			Memory                map[string]int64
			Buffers               map[string][]struct {
				Name  string
				Value int64
			}
		}
		Stats map[string]int64
	}
	d := json.NewDecoder(strings.NewReader(got))
	d.DisallowUnknownFields()
	if err := d.Decode(&o); err != nil {
		t.Fatal(err)
	}
	if o.File != "some/dekker.imp" || o.Model != "tso" || o.Verdict != "UNSAFE" || o.Engine != "bmc" || o.Seconds != 0.12 ||
		o.Violation.Kind != "forbid" || o.Violation.Line != 4 || o.Stats["clauses"] != 12345 || o.Initial["flag0"] != 0 {
		t.Errorf("got %+v", o)
	}
	if len(o.Run) != 7 {
		t.Fatalf("%d steps", len(o.Run))
	}
	s := o.Run[1]
	if s.Step != 2 || s.Thread != "P1" || s.Command != "store flag1 <- 1" || s.Text != "flag1 := 1 (buffered)" || s.Line != 1 ||
		s.Memory["flag1"] != 0 || len(s.Buffers["P1"]) != 1 || s.Buffers["P1"][0].Name != "flag1" || s.Buffers["P1"][0].Value != 1 {
		t.Errorf("step 2: %+v", s)
	}
	if s := o.Run[3]; s.Command != "flush" || s.Memory["flag0"] != 1 || s.Buffers["P0"] == nil || len(s.Buffers["P0"]) != 0 {
		t.Errorf("step 4: %+v", s)
	}
}

func TestJSONError(t *testing.T) {
	var b strings.Builder
	if err := JSONError(&b, "f.imp", errors.New(`say "what" <- where`)); err != nil {
		t.Fatal(err)
	}
	want := `{"schema":1,"type":"error","file":"f.imp","verdict":"ERROR","error":"say \"what\" <- where"}` + "\n"
	if b.String() != want {
		t.Errorf("got %s", b.String())
	}
}

func TestStates(t *testing.T) {
	p := dekker(2, false).Program()
	states := []verdict.FinalState{
		{Regs: [][]int64{{0, 10}, {0, 0}}, Memory: []int64{1, 1}},
		{Regs: [][]int64{{0, 9}, {0, -1}}, Memory: []int64{1, 1}},
		{Regs: [][]int64{{5, 9}, {0, -1}}, Memory: []int64{1, 1}}, // differs in a temporary only
	}
	run := func(r *verdict.Result, f Format) string {
		var b strings.Builder
		if err := States(&b, p, states, r, f); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	complete := verdict.Safe(p, memory.TSO, verdict.Exhaustive, nil)
	want := "States 2\nP0.r=9; P1.r=-1; flag0=1; flag1=1;\nP0.r=10; P1.r=0; flag0=1; flag1=1;\n"
	if got := run(complete, TextFormat); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	partly := with(verdict.Unknown(p, memory.TSO, "the time is up"), verdict.Effort{Advice: "more time"})
	if got, want := run(partly, TextFormat), want+"Incomplete: the time is up\nNext: more time\n"; got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	wantJSON := `{"schema":1,"type":"states","file":"dekker.imp","model":"tso","complete":true,"seconds":0,"states":[` +
		`{"registers":{"P0":{"r":9},"P1":{"r":-1}},"memory":{"flag0":1,"flag1":1}},` +
		`{"registers":{"P0":{"r":10},"P1":{"r":0}},"memory":{"flag0":1,"flag1":1}}]}` + "\n"
	if got := run(complete, JSONFormat); got != wantJSON {
		t.Errorf("got:\n%s\nwant:\n%s", got, wantJSON)
	}
	// Cells that only the analysis knows.
	undeclared := &program.Program{Threads: []*program.Thread{{
		States: []program.State{{Name: "a"}, {Name: "b"}},
		Edges:  []program.Edge{{From: 0, To: 1, Cmd: program.Command{Op: program.Store, Addr: program.Const(7), Value: program.Const(1)}}},
	}}, Default: program.Int32Type}
	var b strings.Builder
	if err := States(&b, undeclared, []verdict.FinalState{{Regs: [][]int64{{}}, Memory: []int64{1}}}, complete, TextFormat); err != nil {
		t.Error(err)
	}
	if got, want := b.String(), "States 1\n[7]=1;\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}

	fault := atFault(p, "index 3 outside a", program.Position{Line: 1, Col: 1})
	if got := run(fault, TextFormat); !strings.HasPrefix(got, "dekker.imp:1:1: index 3 outside a can be reached\n") {
		t.Errorf("got %q", got)
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		s            string
		width, limit int
		want         []string
	}{
		{"", 5, 3, nil},
		{"one two three", 7, 0, []string{"one two", "three"}},
		{"one two three four", 4, 2, []string{"one", "two…"}},
		{"one two three four", 5, 2, []string{"one", "two …"}},
		{"abcdefghij", 5, 0, []string{"ab…ij"}},
		{"one two" + glue + "six ten", 7, 0, []string{"one", "two six", "ten"}},
		{"one two" + glue + "three", 7, 0, []string{"one two", "three"}},
		{"ééééé", 5, 0, []string{"ééééé"}},
	}
	for _, tt := range tests {
		got := wrap(tt.s, tt.width, tt.limit)
		if strings.Join(got, "|") != strings.Join(tt.want, "|") {
			t.Errorf("wrap(%q, %d, %d) = %q, want %q", tt.s, tt.width, tt.limit, got, tt.want)
		}
	}
}

func TestFigures(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s", n, got)
		}
	}
	for n, want := range map[int64]string{1000: "1000 bytes", 1536: "1.5 KiB", 5 << 40: "5.0 TiB", 5 << 50: "5120.0 TiB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %s", n, got)
		}
	}
	for d, want := range map[time.Duration]string{
		time.Millisecond: "0.00 s", 59 * time.Second: "59.0 s", 61 * time.Second: "1 min 01 s", 2 * time.Hour: "2 h 00 min",
	} {
		if got := duration(d); got != want {
			t.Errorf("duration(%v) = %s", d, got)
		}
	}
}

// TestImports: reports know results, and nobody who comes to them.
func TestImports(t *testing.T) {
	want := []string{"memory", "memory/cat", "program", "verdict"}
	if got := enginetest.Imports(t); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestNarrow: a table on a narrow terminal loses columns that can be spared, and no title is cut.
func TestNarrow(t *testing.T) {
	cols := func() []*column {
		return []*column{
			{title: "ENGINE", cells: []string{"executions:optimal"}}, {title: "BECAUSE", cells: []string{strings.Repeat("words ", 20)}, min: 20, steps: true},
			{title: "SIZE", cells: []string{"1,234 states"}, spare: 1}, {title: "MEMORY", cells: []string{"136.0 KiB"}, spare: 2}, {title: "AGREEMENT", cells: []string{"reference"}},
		}
	}
	for width, want := range map[int]int{120: 5, 77: 5, 75: 4, 60: 3, 40: 3} {
		got := spared(cols(), width)
		if len(got) != want {
			t.Errorf("%d columns of text have %d columns, want %d", width, len(got), want)
		}
		if fit(got, width); width >= 60 {
			var b strings.Builder
			writeTable(&b, got)
			for line := range strings.Lines(b.String()) {
				if n := length(strings.TrimRight(line, "\n")); n > width {
					t.Errorf("%d columns of text in %d", n, width)
				}
			}
			if head, _, _ := strings.Cut(b.String(), "\n"); strings.Contains(head, "…") {
				t.Errorf("a title is cut: %s", head)
			}
		}
	}
}
