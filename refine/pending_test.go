package refine

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/enginetest"
	"github.com/fencepost-verifier/fencepost/internal/keys"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestPending: once the oracle has nothing more to say, the buffers that never
// flush a second store reach what TSO reaches, at every moment: control states,
// registers and memory, what buffers hold disregarded. Where loops store for ever,
// they reach what a search that gives up sees of it.
func TestPending(t *testing.T) {
	shapes := append(slices.Clone(lazyShapes), lazyShape{"store loops", randprog.Options{StoreLoop: 3, WaitLoop: 2, Lock: 2, Havoc: -1,
		Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}}, 1600})
	for _, sh := range shapes {
		for name, oracle := range oracles() {
			t.Run(sh.name+"/"+name, func(t *testing.T) {
				t.Parallel()
				robust, extended, beyond := 0, 0, 0
				for seed := range uint64(sh.n / 40) {
					p := randprog.New(rand.New(rand.NewPCG(seed, 44)), sh.opt)
					places(p)
					x, n, err := exhaust(oracle(), p, 6)
					if err != nil {
						t.Fatalf("seed %d: %v\n%s", seed, err, enginetest.Text(p))
					}
					if x == nil {
						continue
					}
					robust++
					extended += min(n, 1)
					want, complete := moments(t, p, p, abstract.FIFO{}, 3_000)
					got, ok := moments(t, x.p, p, pending{}, 8_000)
					if !ok {
						continue
					}
					for m := range want {
						if !got[m] {
							t.Fatalf("seed %d: %s is lost\n%s\n%s", seed, m, enginetest.Text(p), enginetest.Text(x.p))
						}
					}
					for m := range got {
						if complete && !want[m] {
							t.Fatalf("seed %d: %s is not of tso\n%s\n%s", seed, m, enginetest.Text(p), enginetest.Text(x.p))
						}
					}
					if sc, _ := moments(t, x.p, p, abstract.None{}, 8_000); len(sc) < len(got) {
						beyond++
					}
				}
				t.Logf("%d programs robust in the end, %d of them extended; %d have moments that sc has not", robust, extended, beyond)
				if robust == 0 || extended == 0 || beyond == 0 {
					t.Error("nothing was tested")
				}
			})
		}
	}
}

// places makes every control state of every thread the matter of a property, so
// that an extension tells which of its own stand for it.
func places(p *program.Program) {
	p.Properties, p.Filter = nil, nil
	for ti, t := range p.Threads {
		for q := range t.States {
			p.Properties = append(p.Properties, program.Property{Kind: program.Forbid,
				Cond: program.At{Thread: ti, States: []program.StateID{program.StateID(q)}}})
		}
	}
}

// exhaust extends p until the oracle has nothing more to say; nil where that
// takes too many rounds.
func exhaust(o Oracle, p *program.Program, rounds int) (*extension, int, error) {
	x, n := newExtension(p), 0
	for range rounds {
		paths, ok, err := o.Next(context.Background(), x.p, x.origin)
		if err != nil || !ok {
			return nil, n, fmt.Errorf("%v, %v", ok, err)
		}
		if len(paths) == 0 {
			return x, n, nil
		}
		for _, path := range paths {
			if x, err = x.extend(path); err != nil {
				return nil, n, err
			}
			n++
		}
	}
	return nil, n, nil
}

// moments is the states of q that are reachable, as far as they are of p: the
// places of its threads, its registers, and the memory.
func moments(t *testing.T, q, p *program.Program, b abstract.Buffer, limit int) (map[string]bool, bool) {
	t.Helper()
	r, err := program.Analyse(q)
	if err != nil {
		t.Fatal(err)
	}
	x, err := abstract.New(q, r, b, 0)
	if err != nil {
		t.Fatal(err)
	}
	var conds []abstract.Condition
	for _, pr := range q.Properties {
		conds = append(conds, x.Condition(pr.Cond))
	}
	found, seen := map[string]bool{}, map[string]bool{}
	var work []*abstract.State
	reach := func(s *abstract.State) {
		key := keys.State(s)
		if seen[key] {
			return
		}
		seen[key] = true
		n := x.NewState()
		n.Copy(s)
		work = append(work, n)
		var at []int
		for i, c := range conds {
			if c(s) != 0 {
				at = append(at, i)
			}
		}
		m := fmt.Sprint(at)
		for ti, th := range p.Threads {
			m += fmt.Sprint(s.Regs[ti][:len(th.Regs)])
		}
		found[m+fmt.Sprint(s.Mem)] = true
	}
	s := x.NewState()
	x.Initial(s)
	reach(s)
	for len(work) > 0 && len(seen) < limit {
		from := work[len(work)-1]
		work = work[:len(work)-1]
		try := func(ev abstract.Event) {
			s.Copy(from)
			if x.Step(s, ev) == abstract.Done {
				reach(s)
			}
		}
		for ti := range q.Threads {
			if x.Flushes(from, ti) > 0 {
				try(abstract.Event{Thread: ti, Edge: abstract.Flush})
			}
			for _, e := range x.Out(ti, from.PC[ti]) {
				for c := range x.Choices(ti, e) {
					try(abstract.Event{Thread: ti, Edge: e, Choice: c})
				}
			}
		}
	}
	return found, len(work) == 0
}
