package replay

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// walk takes random steps until something is violated, and gives up where nothing is.
func walk(rng *rand.Rand, r *Replayer, most int) []abstract.Event {
	x, s, try := r.x, r.x.NewState(), r.x.NewState()
	x.Initial(s)
	var evs []abstract.Event
	for len(evs) < most {
		if r.Violated(s) != nil {
			return evs
		}
		var can []abstract.Event
		for t := range s.PC {
			for c := range x.Flushes(s, t) {
				can = append(can, abstract.Event{Thread: t, Edge: abstract.Flush, Choice: int64(c)})
			}
			for _, e := range x.Out(t, s.PC[t]) {
				for c := range x.Choices(t, e) {
					ev := abstract.Event{Thread: t, Edge: e, Choice: c}
					if try.Copy(s); x.Step(try, ev) != abstract.Disabled {
						can = append(can, ev)
					}
				}
			}
		}
		if len(can) == 0 {
			return nil
		}
		ev := can[rng.IntN(len(can))]
		evs = append(evs, ev)
		switch x.Step(s, ev) {
		case abstract.Failed:
			return evs
		case abstract.Done:
		default:
			return nil
		}
	}
	return nil
}

// TestShortestRandom: no run with the same edges that ends in the same violation has fewer steps,
// or as many and fewer changes from thread to thread, as a search without any reduction finds.
func TestShortestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	opts := randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 5}, Assert: 2, CountLoop: 1}
	tested, shorter, alike, asShort := 0, 0, 0, 0
	for seed := uint64(0); tested < 150 && seed < 20_000; seed++ {
		p := randprog.New(rand.New(rand.NewPCG(seed, 1)), opts)
		m := []memory.Model{memory.SC, memory.TSO, memory.PSO}[seed%3]
		r, err := New(p, m, nil)
		if err != nil {
			t.Fatal(err)
		}
		evs := walk(rng, r, 30)
		if evs == nil {
			continue
		}
		run, err := r.Replay(evs)
		if err != nil {
			t.Fatal(err)
		}
		if evs, err := direct(t.Context(), r, run); err != nil {
			t.Fatal(err)
		} else if evs != nil {
			short, err := Shortest(t.Context(), run)
			if err != nil {
				t.Fatal(err)
			}
			if h, err := History(short); err != nil || h.Parts >= 0 {
				t.Errorf("seed %d: a run that SC has becomes one that it has not: %v", seed, err)
			}
			checkEnd(t, run, short)
			alike++
			continue
		}
		loose := newSlice(r, run)
		loose.loose = true
		best := loose.search(t.Context(), len(evs), 60_000)
		if best == nil {
			continue // too many states
		}
		got := r.shortest(t.Context(), run, 60_000)
		short, err := r.Replay(got)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if len(got) != len(best) || switches(got) != switches(best) {
			t.Errorf("seed %d under %s: %d steps and %d changes of thread, not %d and %d", seed, m, len(got), switches(got), len(best), switches(best))
		}
		checkEnd(t, run, short)
		if evs := r.alike(t.Context(), run); evs == nil || len(evs) < len(best) {
			t.Errorf("seed %d under %s: %d steps in a run that is alike, %d in any", seed, m, len(evs), len(best))
		} else if short, err := r.Replay(evs); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		} else {
			checkEnd(t, run, short)
			if len(evs) == len(best) {
				asShort++
			}
		}
		gathered, err := r.Replay(r.gather(evs, run.Violation))
		if err != nil || len(gathered.Steps) != len(evs) || switches(Schedule(gathered)) > switches(evs) {
			t.Errorf("seed %d: %v", seed, err)
		} else {
			checkEnd(t, run, gathered)
		}
		once, err := Shortest(t.Context(), run)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := Shortest(t.Context(), once); err != nil || !slices.Equal(Schedule(once), Schedule(twice)) {
			t.Errorf("seed %d under %s: what is short becomes something else: %v", seed, m, err)
		}
		tested++
		if len(got) < len(evs) {
			shorter++
		}
	}
	if tested < 100 || shorter < 20 || alike < 20 || asShort < tested*9/10 {
		t.Errorf("%d runs, of which %d have a shorter one, and %d one that is alike and as short: that is no test", tested, shorter, asShort)
	}
}

func checkEnd(t *testing.T, long, short *verdict.Run) {
	t.Helper()
	a, b := long.Violation, short.Violation
	if a.Text != b.Text || a.Pos != b.Pos || a.Kind != b.Kind || (a.Property == nil) != (b.Property == nil) {
		t.Errorf("%v has become %v", a, b)
	}
}

// TestShortestLoop: rounds that nobody needs go. SC has the run, too, so that every store is flushed.
func TestShortestLoop(t *testing.T) {
	b := progtest.New(2)
	b.Thread().Store(progtest.X, program.Const(1)).Load("r", progtest.Y).Label("here")
	tb := b.Thread()
	home := tb.Cur
	tb.Store(progtest.Y, program.Const(1)).Fence().Load("s", progtest.X)
	s := tb.Reg("s")
	tb.Edge(tb.Cur, home, program.Command{Op: program.Check, Value: progtest.Eq(s, 0)})
	tb.Check(progtest.Eq(s, 0)).Label("there")
	p := b.Property(program.Forbid, progtest.And(b.At(0, "here"), b.At(1, "there"))).Build(t)
	var evs []abstract.Event
	for range 3 { // the third time it leaves
		evs = append(evs, edge(1, 0), flush(1), edge(1, 1), edge(1, 2), edge(1, 3))
	}
	evs[len(evs)-1] = edge(1, 4)
	evs = append(evs, edge(0, 0), edge(0, 1))
	run, err := Replay(p, memory.TSO, evs)
	if err != nil {
		t.Fatal(err)
	}
	short, err := Shortest(context.Background(), run)
	if err != nil {
		t.Fatal(err)
	}
	if len(short.Steps) != 8 || switches(Schedule(short)) != 1 {
		t.Errorf("%d steps: %v", len(short.Steps), Schedule(short))
	}
}

// TestHistory: where store buffering leaves what SC has, and the cycle with which it does.
func TestHistory(t *testing.T) {
	b := progtest.New(2)
	b.Thread().Store(progtest.X, program.Const(1)).Load("r", progtest.Y)
	b.Thread().Store(progtest.Y, program.Const(1)).Load("s", progtest.X)
	tb := b.Thread().Fence()
	tb.Atomic(program.Command{Op: program.Load, Reg: int(tb.Reg("u")), Addr: progtest.X}, program.Command{Op: program.Store, Addr: progtest.X, Value: program.Const(2)})
	p := b.Property(program.Exists, progtest.And(progtest.Eq(program.ThreadReg{Thread: 0}, 0), progtest.Eq(program.ThreadReg{Thread: 1}, 0))).Build(t)
	evs := []abstract.Event{edge(0, 0), edge(0, 1), edge(1, 0), edge(1, 1), edge(2, 0), edge(2, 1), flush(0), flush(1)}
	tests := []struct {
		model memory.Model
		parts int
		evs   []abstract.Event
	}{
		{memory.TSO, 3, evs},
		{memory.PSO, 3, evs},
		{memory.TSO, -1, append([]abstract.Event{edge(0, 0), flush(0)}, append(evs[1:6:6], flush(1))...)},
		{memory.SC, -1, evs[:6]},
	}
	for _, test := range tests {
		r, err := New(p, test.model, nil)
		if err != nil {
			t.Fatal(err)
		}
		run, err := r.Trace(test.evs)
		if err != nil {
			t.Fatal(err)
		}
		h, err := History(run)
		if err != nil {
			t.Fatal(err)
		}
		if h.Parts != test.parts || (test.parts >= 0) != (len(h.Cycle) == 4) {
			t.Errorf("under %s it leaves SC at %d, with the cycle %v; want %d", test.model, h.Parts, h.Cycle, test.parts)
		}
		fences := 0
		for i := range h.Graph.Events {
			e := &h.Graph.Events[i]
			switch {
			case e.Kind == memory.Fence:
				fences++
			case e.Kind == memory.Write && !e.Initial() && (h.Flush[i] < h.Step[i] || test.model == memory.SC && h.Flush[i] != h.Step[i]):
				t.Errorf("%s of step %d is in memory at %d", e, h.Step[i], h.Flush[i])
			}
		}
		if rmw := h.Graph.RMW.Pairs(); fences != 1 || len(rmw) != 1 {
			t.Errorf("%d fences, read-modify-writes %v", fences, rmw)
		}
	}
}
