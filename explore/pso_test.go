package explore

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// psoMark stands in a buffer of the reference for a store fence: what is after
// it waits for what is before it.
const psoMark = math.MinInt64

// psoFinals is the final states of p under PSO, found by the reference for TSO
// with more ways to flush; nil, false where there are too many states.
func psoFinals(p *program.Program, limit int) ([]string, bool) {
	// The fences of loads or stores only are left to psoSuccessors.
	rest := *p
	rest.Threads = nil
	for _, t := range p.Threads {
		u := *t
		u.Edges = slices.DeleteFunc(slices.Clone(t.Edges), partFence)
		rest.Threads = append(rest.Threads, &u)
	}
	tso := &reference{p: &rest, tso: true, violations: map[string]bool{}}
	r := &reference{p: p}
	init := &refState{mem: map[int64]int64{}, lock: -1, buf: make([][]refStore, len(p.Threads))}
	for _, c := range p.Memory {
		init.mem[c.Addr] = c.Init
	}
	for _, t := range p.Threads {
		init.pc = append(init.pc, t.Initial)
		regs := []int64{}
		for _, reg := range t.Regs {
			regs = append(regs, reg.Init)
		}
		init.regs = append(init.regs, regs)
	}
	seen := map[string]bool{}
	finals := map[string]bool{}
	work := []*refState{init}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		if seen[s.String()] {
			continue
		}
		if seen[s.String()] = true; len(seen) > limit {
			return nil, false
		}
		if r.final(s) {
			finals[r.finalKey(s)] = true
		}
		for t := range p.Threads {
			for _, n := range append(tso.successors(s, t), psoSuccessors(p, s, t)...) {
				if n == nil {
					continue
				}
				for t := range n.buf {
					for len(n.buf[t]) > 0 && n.buf[t][0].addr == psoMark {
						n.buf[t] = n.buf[t][1:]
					}
				}
				work = append(work, n)
			}
		}
	}
	var keys []string
	for f := range finals {
		keys = append(keys, f)
	}
	sort.Strings(keys)
	return keys, true
}

// partFence is true of a fence that orders loads only or stores only.
func partFence(e program.Edge) bool {
	return e.Cmd.Op == program.Fence && !e.Cmd.FullFence()
}

// psoSuccessors is what thread t can do under PSO and not under TSO.
func psoSuccessors(p *program.Program, s *refState, t int) []*refState {
	var out []*refState
	if s.lock == -1 || s.lock == t {
		for i, b := range s.buf[t] {
			if b.addr == psoMark {
				break
			}
			if !slices.ContainsFunc(s.buf[t][:i], func(e refStore) bool { return e.addr == b.addr }) {
				n := s.clone()
				n.mem[b.addr] = b.value
				n.buf[t] = slices.Delete(n.buf[t], i, i+1)
				out = append(out, n)
			}
		}
	}
	for _, e := range p.Threads[t].Edges {
		if e.From == s.pc[t] && partFence(e) {
			n := s.clone()
			n.pc[t] = e.To
			if e.Cmd.StoreFence() {
				n.buf[t] = append(n.buf[t], refStore{psoMark, 0})
			}
			out = append(out, n)
		}
	}
	return out
}

// psoShapes is the random programs that the reference is asked about.
var psoShapes = []struct {
	name     string
	programs int
	opts     randprog.Options
}{
	{"small", 100, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 4}, Assert: 1}},
	{"threads", 100, randprog.Options{Threads: randprog.Range{Min: 3, Max: 4}, Commands: randprog.Range{Min: 1, Max: 3}, Values: 1, Havoc: -1}},
	{"fences", 1500, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Addresses: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 3, Max: 3},
		Load: 4, Store: 4, Fence: 4, RMW: -1, Atomic: -1, Assign: -1, Havoc: -1, Branch: -1, Lock: -1, AddrDep: -1, DataDep: -1, Plain: true}},
	{"atomics", 100, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, RMW: 8, Atomic: 8, Havoc: -1}},
	{"locks", 100, randprog.Options{Threads: randprog.Range{Min: 2, Max: 3}, Commands: randprog.Range{Min: 2, Max: 3}, Lock: 8, Values: 1, Havoc: -1, Assert: 1}},
	{"loops", 100, randprog.Options{Threads: randprog.Range{Min: 2, Max: 2}, Commands: randprog.Range{Min: 2, Max: 3}, Values: 1, CountLoop: 3, WaitLoop: 3}},
}

// TestPSO compares what the search finds under PSO, with fences of all kinds, with a
// plain simulation of a buffer for every address.
func TestPSO(t *testing.T) {
	for _, shape := range psoShapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			compared := 0
			programs := shape.programs
			if testing.Short() {
				programs /= 4
			}
			for seed := range uint64(programs) {
				rng := rand.New(rand.NewPCG(seed, 12))
				p := randprog.New(rng, shape.opts)
				for _, th := range p.Threads {
					for i := range th.Edges {
						if c := &th.Edges[i].Cmd; c.Op == program.Fence {
							c.Tags = program.NewTags([]string{program.TagMFence, program.TagSFence, program.TagSFence, program.TagLFence}[rng.IntN(4)])
						}
					}
				}
				want, ok := psoFinals(p, 5000)
				if !ok {
					continue
				}
				for _, r := range Reductions() {
					states, _, err := FinalStates(t.Context(), p, Options{Model: memory.PSO, Reduction: r, MemoryLimit: 1 << 28})
					if err != nil {
						t.Fatal(err)
					}
					found := finalKeys(t, p, states)
					slices.Sort(found)
					if !slices.Equal(slices.Compact(found), want) {
						t.Fatalf("seed %d: search (reduction %s) finds\n     %q\nwant %q\n%s", seed, r, found, want, dump(p))
					}
				}
				compared++
			}
			t.Logf("%d programs compared", compared)
		})
	}
}
