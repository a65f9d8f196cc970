package replay

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestOrdered: runs that are the same but for the order of neighbouring steps that have nothing to do with each other
// become one, and all of them end in the same state.
func TestOrdered(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	opts := randprog.Options{Threads: randprog.Range{Min: 2, Max: 4}, Commands: randprog.Range{Min: 2, Max: 5}, Assert: 2, Lock: 3, Atomic: 3}
	tested, changed := 0, 0
	for seed := uint64(0); tested < 200 && seed < 20_000; seed++ {
		m := []memory.Model{memory.SC, memory.TSO, memory.PSO}[seed%3]
		r, err := New(randprog.New(rand.New(rand.NewPCG(seed, 2)), opts), m, nil)
		if err != nil {
			t.Fatal(err)
		}
		evs := walk(rng, r, 40)
		if len(evs) < 2 {
			continue
		}
		tested++
		run, err := r.Replay(evs)
		if err != nil {
			t.Fatal(err)
		}
		v, free := run.Violation, len(evs) // what may change places
		if v.Property == nil {
			free--
		}
		want, last, swapped := r.ordered(evs, v), end(r, evs), slices.Clone(evs)
		for range 200 {
			i := rng.IntN(len(evs) - 1)
			if s := r.happenings(swapped); i+2 > free || s[i].before(&s[i+1]) {
				continue
			}
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
			if s := end(r, swapped); s == nil || !s.Equal(last) {
				t.Fatalf("seed %d under %s: steps %d and %d of %v have to do with each other", seed, m, i, i+1, swapped)
			}
		}
		if got := r.ordered(swapped, v); !slices.Equal(got, want) {
			t.Errorf("seed %d under %s: %v becomes %v, and %v %v", seed, m, evs, want, swapped, got)
		}
		if s := end(r, want); s == nil || !s.Equal(last) {
			t.Errorf("seed %d under %s: %v ends elsewhere than %v", seed, m, want, evs)
		}
		if short := r.until(want, v); !r.still(short, v) || v.Property != nil && v.Property.Kind == program.Forbid && r.violatedBefore(short) {
			t.Errorf("seed %d under %s: %v, shown up to %v, is violated before or not at all", seed, m, want, short)
		}
		if !slices.Equal(evs, swapped) {
			changed++
		}
	}
	if tested < 200 || changed < 100 {
		t.Errorf("%d runs, of which %d have others beside them: that is no test", tested, changed)
	}
}

// violatedBefore is whether a Forbid property is violated before the end of a schedule.
func (r *Replayer) violatedBefore(evs []abstract.Event) bool {
	r.x.Initial(r.s)
	for _, ev := range evs {
		if r.Forbidden(r.s) != nil {
			return true
		}
		r.x.Step(r.s, ev)
	}
	return false
}

// TestOrderedBeforeLock: a block that accesses nothing does not happen either while another thread holds the lock, and
// what comes last makes no difference to a property.
func TestOrderedBeforeLock(t *testing.T) {
	b := progtest.New(1)
	tb := b.Thread().Emit(program.Command{Op: program.Lock}).Label("locked")
	tb.Assert(program.Const(0))
	tb = b.Thread()
	tb.Atomic(program.Command{Op: program.Assign, Reg: int(tb.Reg("r")), Value: program.Const(1)}).Skip()
	p := b.Property(program.Forbid, progtest.And(b.At(0, "locked"), progtest.Eq(program.ThreadReg{Thread: 1}, 1))).Build(t)
	r, err := New(p, memory.SC, nil)
	if err != nil {
		t.Fatal(err)
	}
	evs := []abstract.Event{edge(1, 0), edge(0, 0), edge(1, 1), edge(0, 1)}
	run, err := r.Replay(evs)
	if err != nil {
		t.Fatal(err)
	}
	if got := r.ordered(evs, run.Violation); !r.still(got, run.Violation) {
		t.Errorf("%v becomes %v, which does not fail", evs, got)
	}
	evs = evs[:3]
	other := []abstract.Event{evs[0], evs[2], evs[1]}
	if run, err = r.Replay(evs); err != nil {
		t.Fatal(err)
	}
	if got, want := r.ordered(other, run.Violation), r.ordered(evs, run.Violation); !slices.Equal(got, want) || !r.still(got, run.Violation) {
		t.Errorf("%v becomes %v, and %v %v", evs, want, other, got)
	}
}

// end is the state in which a schedule ends; nil where it is not possible.
func end(r *Replayer, evs []abstract.Event) *abstract.State {
	if _, err := r.Trace(evs); err != nil {
		return nil
	}
	s := r.x.NewState()
	s.Copy(r.s)
	return s
}
