package symbolic

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/keys"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// TestSaturation compares saturation with explicit search; proofs are written,
// read back and checked.
func TestSaturation(t *testing.T) {
	n := *programs
	if testing.Short() {
		n = min(n, 10)
	}
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			safe, unsafe, none := 0, 0, 0
			opts := shape.opts
			opts.Deadlock = 0
			for seed := *firstSeed; seed < *firstSeed+n; seed++ {
				p := randprog.New(rand.New(rand.NewPCG(seed, 55)), opts)
				for _, b := range append([]abstract.Buffer{abstract.FIFO{}}, buffers...) {
					want, ok := explicitly(t, p, b)
					if !ok {
						continue
					}
					ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
					res, set, err := Saturation(ctx, p, b, Search{MemoryLimit: 1 << 28})
					if errors.Is(err, ErrUnsupported) || ctx.Err() != nil {
						cancel()
						none++
						continue
					}
					cancel()
					if err != nil {
						t.Fatalf("seed %d, %s: %v", seed, abstract.Name(b), err)
					}
					if (res.Verdict == verdict.IsSafe) != want {
						t.Fatalf("seed %d, %s: %v %s; explicit search says safe: %v", seed, abstract.Name(b), res.Verdict, res.Reason, want)
					}
					if !want {
						unsafe++
						continue
					}
					safe++
					if err := set.Check(context.Background()); err != nil {
						t.Fatalf("seed %d, %s: %v", seed, abstract.Name(b), err)
					}
				}
			}
			t.Logf("%d safe, %d not, %d too large", safe, unsafe, none)
			if safe == 0 || unsafe == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

func explicitly(t *testing.T, p *program.Program, b abstract.Buffer) (safe, ok bool) {
	t.Helper()
	if _, fifo := b.(abstract.FIFO); !fifo {
		return explicit(t, p, b)
	}
	res, err := explore.Check(context.Background(), p, explore.Options{Model: memory.TSO, MaxStates: 30_000, MemoryLimit: 1 << 28})
	if err != nil {
		t.Fatal(err)
	}
	safe = res.Safe()
	return safe, safe || res.Unsafe() || res.Fault()
}

// TestClosedSets: closed sets have all states that a walk comes to.
func TestClosedSets(t *testing.T) {
	for _, test := range []struct {
		name string
		b    abstract.Buffer
	}{{"dekker-simple-fenced", abstract.FIFO{}}, {"peterson-fenced", abstract.Coherence{K: 2}}, {"burns-fenced", abstract.Set{}}, {"peterson", abstract.None{}}, {"mcs-lock", abstract.FIFO{}}} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := example(t, test.name, 0)
			_, set, err := Saturation(context.Background(), p, test.b, Search{})
			if err != nil || set == nil {
				t.Fatal(err)
			}
			if !walked(t, set) {
				t.Fatal("the walk refuses what is a proof")
			}
		})
	}
}

// walked visits all reachable states, one by one: whether those at which no thread
// passes by are in the set, and none violates anything.
func walked(t *testing.T, c *ClosedSet) bool {
	t.Helper()
	sp := c.space
	init := sp.x.NewState()
	sp.x.Initial(init)
	seen := map[string]bool{}
	ok := true
	for todo := []*abstract.State{init}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for ti := range s.PC {
			for r := range s.Regs[ti] {
				if !sp.lives[ti][s.PC[ti]].Has(r) {
					s.Regs[ti][r] = sp.p.Threads[ti].Regs[r].Init
				}
			}
		}
		key := keys.State(s)
		if seen[key] {
			continue
		}
		seen[key] = true
		stays := true
		for ti, q := range s.PC {
			stays = stays && !sp.passed[ti][q]
		}
		if stays {
			v := make([]int32, len(sp.places))
			for i, pl := range sp.places {
				var err error
				switch pl.kind {
				case threadPlace:
					v[i], err = sp.localOf(pl.index, s, false)
				case cellPlace:
					v[i], err = sp.valueOf(pl.index, s.Mem[pl.index], false)
				default:
					v[i] = int32(s.Lock + 1)
				}
				if err != nil {
					return false
				}
			}
			ok = ok && c.store.Has(c.set, v)
		}
		for i := range sp.p.Properties {
			pr := &sp.p.Properties[i]
			ok = ok && (pr.Kind != program.Forbid || sp.x.Condition(pr.Cond)(s) == 0)
		}
		try := func(ev abstract.Event) {
			n := sp.x.NewState()
			n.Copy(s)
			switch sp.x.Step(n, ev) {
			case abstract.Failed:
				ok = false
			case abstract.Done:
				todo = append(todo, n)
			}
		}
		for ti := range s.PC {
			for i := range sp.x.Flushes(s, ti) {
				try(abstract.Event{Thread: ti, Edge: abstract.Flush, Choice: int64(i)})
			}
			for _, e := range sp.x.Out(ti, s.PC[ti]) {
				for ch := range sp.x.Choices(ti, e) {
					try(abstract.Event{Thread: ti, Edge: e, Choice: ch})
				}
			}
		}
	}
	return ok
}

// TestSaturationOutOfReach proves locks under TSO itself that have millions of
// states.
func TestSaturationOutOfReach(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, test := range []struct {
		name string
		n    int64
	}{{"szymanski-n-fenced", 4}, {"lamport-fast-fenced", 3}, {"burns-fenced", 7}, {"peterson-n-fenced", 4}, {"dijkstra-fenced", 4}} {
		p := example(t, test.name, test.n)
		res, set, err := Saturation(context.Background(), p, abstract.FIFO{}, Search{})
		if err != nil || set == nil {
			t.Fatal(test.name, res, err)
		}
		if err := set.Check(context.Background()); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		t.Logf("%s, N = %d: %d nodes, %s", test.name, test.n, res.Depth, set)
	}
}
