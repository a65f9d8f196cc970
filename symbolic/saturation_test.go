package symbolic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
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
					var text strings.Builder
					if err := set.Write(&text); err != nil {
						t.Fatal(err)
					}
					again, err := ReadClosedSet(t.Context(), strings.NewReader(text.String()), p)
					if err == nil {
						err = again.Check(context.Background())
					}
					if err != nil {
						t.Fatalf("seed %d, %s: %v\n%s", seed, abstract.Name(b), err, text.String())
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

// TestMutatedClosedSets spoils the texts of closed sets: what is still accepted
// must be one, by a walk over all states that it has.
func TestMutatedClosedSets(t *testing.T) {
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
			var b strings.Builder
			if err := set.Write(&b); err != nil {
				t.Fatal(err)
			}
			text := b.String()
			rng := rand.New(rand.NewPCG(8, 8))
			refused, proofs := 0, 0
			for range 400 {
				lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
				i := rng.IntN(len(lines))
				switch words := strings.Fields(lines[i]); rng.IntN(4) {
				case 0:
					lines = slices.Delete(lines, i, i+1)
				case 1:
					j := rng.IntN(len(words))
					words[j] = fmt.Sprint(rng.IntN(4))
					lines[i] = strings.Join(words, " ")
				case 2:
					if words[0] != "node" || len(words) < 6 {
						continue
					}
					lines[i] = strings.Join(words[:len(words)-2], " ") // an arc less
				default:
					j := rng.IntN(len(lines))
					if words := strings.Fields(lines[j]); words[0] == "node" {
						lines[i] = lines[j]
					}
				}
				changed := strings.Join(lines, "\n") + "\n"
				if changed == text {
					continue
				}
				c, err := ReadClosedSet(t.Context(), strings.NewReader(changed), p)
				if err == nil {
					err = c.Check(context.Background())
				}
				switch {
				case err != nil:
					refused++
				case !walked(t, c):
					t.Fatalf("accepted:\n%s", changed)
				default:
					proofs++
				}
			}
			t.Logf("%d refused, %d still proofs", refused, proofs)
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
		key := fmt.Sprint(s.PC, s.Vals, s.Buf, s.Lock)
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
	}{{"szymanski-n-fenced", 5}, {"lamport-fast-fenced", 4}, {"burns-fenced", 9}, {"peterson-n-fenced", 4}, {"dijkstra-fenced", 4}} {
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
