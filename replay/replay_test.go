package replay

import (
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// edge and flush make schedules.
func edge(thread, edge int) abstract.Event { return abstract.Event{Thread: thread, Edge: edge} }
func flush(thread int) abstract.Event {
	return abstract.Event{Thread: thread, Edge: abstract.Flush}
}

func TestReplayTexts(t *testing.T) {
	b := progtest.New(3)
	b.Program.Memory[2].Name = ""
	tb := b.Thread()
	r, s := tb.Reg("r"), tb.Reg("s")
	tb.Store(progtest.X, program.Const(1)).Load("r", progtest.X).Load("s", progtest.Y)
	tb.Check(progtest.Eq(r, 1)).Skip().Assign("s", program.Binary{Op: program.Add, X: r, Y: program.Const(2)}).Assign("s", program.Const(4))
	tb.Havoc("r", 1, 3).Fence().Op(program.Lock).Op(program.Unlock)
	ok, old := tb.Reg("ok"), tb.Reg("old")
	yes, no := program.CompareAndSwap(int(ok), int(old), progtest.X, program.Const(1), program.Const(5), program.Position{})
	tb.Emit(yes).Emit(no)
	tb.Emit(program.Exchange(int(old), progtest.Y, program.Const(7), program.Position{}))
	tb.Emit(program.FetchAdd(int(old), progtest.Z, program.Const(2), program.Position{}))
	tb.Atomic(
		program.Command{Op: program.Havoc, Reg: int(r), Lo: 0, Hi: 3},
		program.Command{Op: program.Havoc, Reg: int(s), Lo: 0, Hi: 3},
		program.Command{Op: program.Load, Reg: int(old), Addr: program.Binary{Op: program.Add, X: program.Const(0), Y: program.Const(1)}},
		program.Command{Op: program.Check, Value: progtest.Eq(old, 7)},
		program.Command{Op: program.Store, Addr: progtest.X, Value: r})
	tb.Assert(progtest.Eq(r, 2)).Assert(progtest.Eq(r, 3))
	p := b.Build(t)
	for i := range p.Threads[0].Edges {
		p.Threads[0].Edges[i].Pos = program.Position{Line: i + 1, Col: 1}
	}

	var schedule []abstract.Event
	for e := range p.Threads[0].Edges {
		ev := edge(0, e)
		switch p.Threads[0].Edges[e].Cmd.Op {
		case program.Havoc:
			ev.Choice = 2
		case program.Fence:
			schedule = append(schedule, flush(0))
		case program.Atomic:
			if p.Threads[0].Edges[e].Cmd.Text == "" {
				ev.Choice = 2 + 4*1
			}
		}
		schedule = append(schedule, ev)
	}
	run, err := Replay(p, memory.TSO, schedule)
	if err != nil {
		t.Fatal(err)
	}
	v := run.Violation
	var got []string
	for _, st := range run.Steps {
		got = append(got, st.Text)
	}
	want := []string{
		"x := 1 (buffered)",
		"r <- x = 1 (from buffer)",
		"s <- y = 0",
		"check r == 1",
		"skip",
		"s <- r + 2 = 3",
		"s <- 4",
		"r <- any 1..3 = 3",
		"flush x := 1",
		"fence",
		"lock",
		"unlock",
		"cas x: 1 -> 5, succeeded",
		"cas x: 5, failed",
		"xchg y: 0 -> 7",
		"fetch_add [2]: 0 -> 2",
		"atomic { r <- any 0..3 = 2; s <- any 0..3 = 1; old <- y = 7; check old == 7; x := 2 }",
		"assert r == 2",
		"assert r == 3 fails",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if v.Property != nil || v.Kind != program.Assertion || v.Text != "assert r == 3" || v.Pos.Line != len(p.Threads[0].Edges) {
		t.Errorf("violation %+v", v)
	}

	// The states along the way.
	first, last := run.Steps[0], run.Steps[len(run.Steps)-1]
	if !slices.Equal(run.Init, []int64{0, 0, 0}) || !slices.Equal(first.Memory, run.Init) || !slices.Equal(last.Memory, []int64{2, 7, 2}) {
		t.Errorf("memory %v, %v, %v", run.Init, first.Memory, last.Memory)
	}
	if !slices.Equal(first.Buffers[0], []verdict.Pair{{Cell: 0, Value: 1}}) || len(last.Buffers[0]) != 0 {
		t.Errorf("buffers %v, %v", first.Buffers, last.Buffers)
	}
	if !slices.Equal(last.Regs[0], []int64{2, 1, 0, 7}) || last.PC[0] != p.Threads[0].Edges[len(p.Threads[0].Edges)-1].To {
		t.Errorf("registers %v, control states %v", last.Regs, last.PC)
	}
	if run.Steps[8].Pos.IsValid() || first.Pos.Line != 1 {
		t.Errorf("positions %v, %v", run.Steps[8].Pos, first.Pos)
	}

	sc, err := Replay(p, memory.SC, slices.DeleteFunc(slices.Clone(schedule), func(e abstract.Event) bool { return e.Edge == abstract.Flush }))
	if err != nil {
		t.Fatal(err)
	}
	if sc.Steps[0].Text != "x := 1" || sc.Steps[1].Text != "r <- x = 1" || sc.Steps[0].Memory[0] != 1 {
		t.Errorf("SC: %q, %q", sc.Steps[0].Text, sc.Steps[1].Text)
	}
}

func TestReplayErrors(t *testing.T) {
	b := progtest.New(2)
	tb := b.Thread().Store(progtest.X, program.Const(1)).Fence().Havoc("r", 0, 1)
	tb.Assert(progtest.Eq(tb.Reg("r"), 0)).Label("end")
	b.Thread().Load("r", progtest.X)
	p := b.Property(program.Exists, progtest.And(
		progtest.Eq(program.ThreadReg{Thread: 0, Reg: 0}, 0), progtest.Eq(program.ThreadReg{Thread: 1, Reg: 0}, 0))).Build(t)
	tests := []struct {
		name     string
		schedule []abstract.Event
		err      string // "" for none
	}{
		{"nothing", nil, "violates nothing"},
		{"the property", []abstract.Event{edge(0, 0), edge(1, 0), flush(0), edge(0, 1), edge(0, 2), edge(0, 3)}, ""},
		{"not final", []abstract.Event{edge(0, 0), flush(0), edge(0, 1), edge(0, 2), edge(0, 3)}, "violates nothing"},
		{"not violated", []abstract.Event{edge(0, 0), flush(0), edge(1, 0), edge(0, 1), edge(0, 2), edge(0, 3)}, "violates nothing"},
		{"not enabled", []abstract.Event{edge(0, 0), edge(0, 1)}, "step 2: edge 1 of thread P0 (fence) is not enabled"},
		{"elsewhere", []abstract.Event{edge(0, 1)}, "step 1: thread P0 is at q0 and cannot take edge 1 (fence) from q1"},
		{"no flush", []abstract.Event{edge(1, 0), flush(0)}, "step 2: thread P0 cannot flush"},
		{"second flush", []abstract.Event{edge(0, 0), {Thread: 0, Edge: abstract.Flush, Choice: 1}}, "step 2: thread P0 cannot flush"},
		{"no thread", []abstract.Event{edge(2, 0)}, "step 1: there is no thread 2"},
		{"no edge", []abstract.Event{edge(0, 7)}, "step 1: thread P0 has no edge 7"},
		{"no outcome", []abstract.Event{edge(0, 0), flush(0), edge(0, 1), {Thread: 0, Edge: 2, Choice: 2}}, "step 4: edge 2 of thread P0 (r <- any 0..1) has no outcome 2"},
		{"assertion", []abstract.Event{edge(0, 0), flush(0), edge(0, 1), {Thread: 0, Edge: 2, Choice: 1}, edge(0, 3)}, ""},
		{"after the assertion", []abstract.Event{edge(0, 0), flush(0), edge(0, 1), {Thread: 0, Edge: 2, Choice: 1}, edge(0, 3), edge(1, 0)}, "step 5: the assertion fails, but the run goes on"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run, err := Replay(p, memory.TSO, test.schedule)
			switch {
			case test.err == "" && (err != nil || run.Violation == nil || len(run.Steps) != len(test.schedule)):
				t.Errorf("%v, %v", run, err)
			case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
				t.Errorf("error %v, want %s", err, test.err)
			}
		})
	}
}

// TestShorten: what other threads do after the last thing that matters is left
// out, and so is what comes after the violation.
func TestShorten(t *testing.T) {
	b := progtest.New(2)
	b.Thread().Store(progtest.X, program.Const(1)).Label("here").Skip()
	b.Thread().Skip().Skip().Store(progtest.Y, program.Const(1)).Skip()
	p := b.Property(program.Forbid, b.At(0, "here")).Build(t)
	r, err := New(p, memory.TSO, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := r.shorten([]abstract.Event{edge(1, 0), edge(1, 1), edge(0, 0), edge(1, 2), edge(0, 1), flush(1), edge(1, 3)})
	if want := []abstract.Event{edge(0, 0)}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
