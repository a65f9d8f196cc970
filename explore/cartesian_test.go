package explore

import (
	"context"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore/states"
	"github.com/fencepost-verifier/fencepost/internal/progtest"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
)

// TestIndexer: up to 11 threads of the Indexer do not meet, and a thread does all
// it has to do in one prefix.
func TestIndexer(t *testing.T) {
	for _, n := range []int64{2, 5, 8} {
		p, err := lang.Load("../examples/thesis/fig5.12.imp", map[string]int64{"N": n})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range models {
			res, err := Check(context.Background(), p, Options{Model: m, Reduction: Cartesian})
			if err != nil || !res.Safe() || res.Stat("states") != 1<<n {
				t.Errorf("%d threads, %s: %+v, %v", n, m, res, err)
			}
		}
	}
}

// TestProbe: looking at an event leaves the state as it is, and says what the
// event does.
func TestProbe(t *testing.T) {
	s, err := newSearch(context.Background(), progtest.Figure42(t), Options{Model: memory.TSO, Reduction: NoReduction}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.run(); err != nil {
		t.Fatal(err)
	}
	was := s.x.NewState()
	a := s.store.(*states.Flat)
	for id := a.From(0); id != 0; {
		n := s.load(id)
		was.Copy(s.cur)
		for th := range s.cur.PC {
			for _, e := range s.x.Out(th, s.cur.PC[th]) {
				ev := abstract.Event{Thread: th, Edge: e}
				got := s.x.Probe(s.cur, ev, func(int, bool) {})
				if !s.cur.Equal(was) {
					t.Fatalf("state %d: probing %+v changed the state", id, ev)
				}
				if want := s.x.Step(s.cur, ev); got != want {
					t.Errorf("state %d: %+v is %v, probed %v", id, ev, want, got)
				}
				s.cur.Copy(was)
			}
		}
		id = a.From(int64(id) + 1 + int64(n))
	}
}
