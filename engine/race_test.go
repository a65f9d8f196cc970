package engine

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestOneProcessor: a member that rests holds no processor.
func TestOneProcessor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, test := range []struct {
		file string
		n    int64
		want verdict.Verdict
	}{{"peterson-n.imp", 3, verdict.IsUnsafe}, {"mcs-lock.imp", 3, verdict.IsSafe}, {"sb-ring-fenced.imp", 12, verdict.IsSafe}} {
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
		r, err := Check(ctx, enginetest.Example(t, test.file, test.n), Options{})
		cancel()
		if err != nil || r.Verdict() != test.want {
			t.Errorf("%s: %v, %v", test.file, r, err)
		}
	}
}

// TestBequest: who leaves a race leaves its memory to the others.
func TestBequest(t *testing.T) {
	p := enginetest.Example(t, "dekker.imp", 0)
	limits := make(chan int64, 1)
	member := func(name Name, check func(ctx context.Context, opts Options)) Engine {
		return Engine{Name: name, Weight: func(*Shape, Work) float64 { return 1 },
			Check: func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
				check(ctx, opts)
				return verdict.Unknown(p, opts.Model, "it is a test"), nil
			}}
	}
	stays := member("stays", func(ctx context.Context, opts Options) {
		for opts.Budget.Limit() < 1<<30-10 && ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		limits <- opts.Budget.Limit()
	})
	leaves := member("leaves", func(context.Context, Options) {})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	r := newRace(p, Options{Model: memory.TSO, MemoryLimit: 1 << 30}, stage{engines: []Engine{stays, leaves, leaves, leaves}})
	if _, err := r.run(ctx); err != nil {
		t.Fatal(err)
	}
	if got := <-limits; got < 1<<30-10 { // but for the rounding
		t.Errorf("the last has %d bytes of %d", got, 1<<30)
	}
	if used := r.memory.Used(); used != 0 {
		t.Errorf("%d bytes are held in the end", used)
	}
}

// TestHeadStart: what others find counts when the head start is over, not before, and a proof
// when it is nearly over.
func TestHeadStart(t *testing.T) {
	p := enginetest.Example(t, "dekker.imp", 0)
	violation, err := explicitEngine().Check(t.Context(), p, Options{Model: memory.TSO})
	if err != nil || !violation.Unsafe() {
		t.Fatal(violation, err)
	}
	for _, test := range []struct {
		safe       bool
		milestones int // that the leader comes to
		want       string
	}{{false, 0, "leader"}, {false, 1, "leader"}, {false, 2, "other"}, {true, 0, "leader"}, {true, 1, "other"}, {true, 2, "other"}} {
		found := make(chan struct{})
		member := func(name Name, check func(ctx context.Context, opts Options)) Engine {
			return Engine{Name: name, Weight: func(*Shape, Work) float64 { return 1 },
				Check: func(ctx context.Context, p *program.Program, opts Options) (*verdict.Result, error) {
					check(ctx, opts)
					if !test.safe {
						r := *violation
						r.Engine = ""
						return &r, nil
					}
					return verdict.Safe(p, opts.Model, verdict.NoProperty, nil), nil
				}}
		}
		leader := member("leader", func(ctx context.Context, opts Options) {
			<-found
			for range test.milestones {
				opts.reached()
			}
			if test.want != "leader" {
				<-ctx.Done()
			}
		})
		other := member("other", func(context.Context, Options) { close(found) })
		r := newRace(p, Options{Model: memory.TSO, MemoryLimit: 1 << 30}, stage{engines: []Engine{leader, other}, milestone: 2, proofs: 1}, stage{})
		res, err := r.run(t.Context())
		if err != nil || res.Engine != test.want {
			t.Errorf("%+v: %v, %v", test, res, err)
		}
	}
}

func TestShape(t *testing.T) {
	for _, test := range []struct {
		file string
		n    int64
		want Shape
	}{
		{"sb-ring.imp", 3, Shape{}},
		{"sb-ring-fenced.imp", 3, Shape{Robust: true}},
		{"dekker.imp", 0, Shape{Loops: true, Rounds: true, Endless: true, Unbounded: true}},
		{"spinlock.imp", 0, Shape{Loops: true, Rounds: true, Endless: true, Robust: true}},
		{"nbw-fenced.imp", 0, Shape{Loops: true, Robust: true}},
		{"mcs-lock.imp", 0, Shape{Loops: true, Rounds: true, Endless: true}},
		{"thesis/fig5.12.imp", 9, Shape{Loops: true, Rounds: true, Robust: true}},
	} {
		p := enginetest.Example(t, test.file, test.n)
		s := shapeOf(p, memory.TSO).look(t.Context(), p)
		if test.want.Model = memory.TSO; *s != test.want {
			t.Errorf("%s: %+v, want %+v", test.file, *s, test.want)
		}
		if s := shapeOf(p, memory.SC).look(t.Context(), p); s.Robust {
			t.Errorf("%s: robust under sc, where that means nothing", test.file)
		}
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if s := shapeOf(p, memory.TSO).look(ended, p); s.Robust && !test.want.Robust {
			t.Errorf("%s: robust where there was no time to look", test.file)
		}
	}
}

// TestAhead: saturation tells that it has listed the states of the threads, and takes it back
// where its buffers have no bound.
func TestAhead(t *testing.T) {
	for _, test := range []struct {
		file string
		want bool
	}{{"dekker-fenced.imp", true}, {"parker.imp", false}, {"dekker.imp", false}} {
		ahead := 0
		r, err := saturationEngine().Check(t.Context(), enginetest.Example(t, test.file, 0),
			Options{Model: memory.TSO, ahead: func(processors int) { ahead = processors }})
		if err != nil || ahead > 0 != test.want || r.Safe() != test.want {
			t.Errorf("%s: ahead %v, want %v; %v, %v", test.file, ahead, test.want, r, err)
		}
	}
}

// TestWeights: nobody's weight comes to nothing while it works, so that no answer is lost by a
// guess.
func TestWeights(t *testing.T) {
	yes := []bool{false, true}
	for _, e := range Engines() {
		if e.Weight == nil {
			continue
		}
		for _, m := range memory.Operational() {
			for bits := range 1 << 5 {
				is := func(i int) bool { return yes[bits>>i&1] }
				s := &Shape{Model: m, Loops: is(0), Endless: is(1), Unbounded: is(2), Deadlock: is(3), Robust: is(4)}
				member := e.Weight(&Shape{Model: m, Deadlock: s.Deadlock}, Work{}) > 0
				for _, w := range []Work{{}, {Leads: true}, {Ahead: true}, {Time: time.Hour}} {
					if got := e.Weight(s, w); got > 0 != member || got < 0 {
						t.Errorf("%s: weight %v for %+v, %+v; a member at first: %v", e.Name, got, *s, w, member)
					}
				}
			}
		}
	}
}
