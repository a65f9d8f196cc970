package encode

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/internal/keys"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// search lists the final states of p, as text, and tells whether some run
// violates something: a plain search of all states, for comparison.
func search(t *testing.T, p *program.Program, m memory.Model) (finals []string, unsafe bool) {
	t.Helper()
	r, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	x, err := abstract.New(p, r, buffers[m], 0)
	if err != nil {
		t.Fatal(err)
	}
	key := keys.State
	fresh := func(src *abstract.State) *abstract.State {
		s := x.NewState()
		s.Copy(src)
		return s
	}
	start := x.NewState()
	x.Initial(start)
	seen := map[string]bool{key(start): true}
	work := []*abstract.State{start}
	set := map[string]bool{}
	for len(work) > 0 {
		s := work[len(work)-1]
		work = work[:len(work)-1]
		env := &program.Env{
			Mem:       func(a int64) int64 { return s.Mem[r.CellIndex(a)] },
			ThreadReg: func(t, r int) int64 { return s.Regs[t][r] },
			At:        func(t int) program.StateID { return s.PC[t] },
		}
		final := x.Final(s)
		for i := range p.Properties {
			if pr := &p.Properties[i]; final || !pr.Final() {
				unsafe = unsafe || pr.Violated(program.Eval(pr.Cond, env))
			}
		}
		if final {
			set[finalText(p, finalState(p, s))] = true
		}
		add := func(ev abstract.Event) {
			n := fresh(s)
			switch x.Step(n, ev) {
			case abstract.Failed:
				unsafe = true
			case abstract.Done:
				if k := key(n); !seen[k] {
					seen[k] = true
					work = append(work, n)
				}
			case abstract.Stray:
				t.Fatal(x.StrayError(ev))
			}
		}
		for ti := range x.Threads() {
			for k := range x.Flushes(s, ti) {
				add(abstract.Event{Thread: ti, Edge: abstract.Flush, Choice: int64(k)})
			}
			for _, e := range x.Out(ti, s.PC[ti]) {
				for c := range x.Choices(ti, e) {
					add(abstract.Event{Thread: ti, Edge: e, Choice: c})
				}
			}
		}
	}
	for k := range set {
		finals = append(finals, k)
	}
	slices.Sort(finals)
	return finals, unsafe
}

func finalState(p *program.Program, s *abstract.State) verdict.FinalState {
	var f verdict.FinalState
	for t := range s.Regs {
		regs := slices.Clone(s.Regs[t])
		for r := range regs {
			if p.Threads[t].Regs[r].Temp {
				regs[r] = 0
			}
		}
		f.Regs = append(f.Regs, regs)
	}
	f.Memory = slices.Clone(s.Mem)
	return f
}

func finalText(p *program.Program, s verdict.FinalState) string { return fmt.Sprint(s.Regs, s.Memory) }

// replay performs a schedule and reports whether it ends in a violation.
func replay(p *program.Program, m memory.Model, schedule []abstract.Event) error {
	r, err := program.Analyse(p)
	if err != nil {
		return err
	}
	x, err := abstract.New(p, r, buffers[m], 0)
	if err != nil {
		return err
	}
	s := x.NewState()
	x.Initial(s)
	for i, ev := range schedule {
		if ev.Edge == abstract.Flush {
			if int(ev.Choice) >= x.Flushes(s, ev.Thread) {
				return fmt.Errorf("step %d: %+v: nothing to flush", i, ev)
			}
		} else if !slices.Contains(x.Out(ev.Thread, s.PC[ev.Thread]), ev.Edge) {
			return fmt.Errorf("step %d: %+v: thread is elsewhere", i, ev)
		}
		switch x.Step(s, ev) {
		case abstract.Failed:
			if i == len(schedule)-1 {
				return nil
			}
			return fmt.Errorf("step %d: early violation", i)
		case abstract.Done:
		default:
			return fmt.Errorf("step %d of %v: %+v: not enabled", i, schedule, ev)
		}
	}
	env := &program.Env{
		Mem:       func(a int64) int64 { return s.Mem[r.CellIndex(a)] },
		ThreadReg: func(t, r int) int64 { return s.Regs[t][r] },
		At:        func(t int) program.StateID { return s.PC[t] },
	}
	for i := range p.Properties {
		if pr := &p.Properties[i]; (x.Final(s) || !pr.Final()) && pr.Violated(program.Eval(pr.Cond, env)) {
			return nil
		}
	}
	return fmt.Errorf("no violation at the end of %v", schedule)
}

// backends are a solver that knows orders, and one that does not.
var backends = []string{"gini", "cdcl"}

func newFormula(t testing.TB, p *program.Program, opts Options) *Formula {
	t.Helper()
	return newFormulaIn(t, "", p, opts)
}

func newFormulaIn(t testing.TB, backend string, p *program.Program, opts Options) *Formula {
	t.Helper()
	r, err := program.Analyse(p)
	if err != nil {
		t.Fatal(err)
	}
	s, err := solver.New(backend)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	f, err := New(p, r, s, opts)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// bounded unrolls p until it is complete and returns what the formula says.
// bound is the deepest layer that was needed, or -1 where there is no end to it.
func bounded(t *testing.T, backend string, p *program.Program, opts Options) (finals []string, unsafe bool, bound int, err error) {
	t.Helper()
	ctx := context.Background()
	opts.Finals = true
	f := newFormulaIn(t, backend, p, opts)
	for range 8 {
		if err := f.Extend(ctx); err != nil {
			return nil, false, 0, err
		}
		if !unsafe {
			q, err := f.Violations(ctx)
			if err != nil {
				return nil, false, 0, err
			}
			st, err := q.Solve(ctx)
			if err != nil {
				return nil, false, 0, err
			}
			if st == solver.Sat {
				unsafe = true
				if opts.Definition == nil {
					schedule, err := q.Schedule()
					if err != nil {
						return nil, false, 0, err
					}
					if err := replay(p, opts.Model, schedule); err != nil {
						return nil, false, 0, err
					}
				}
			}
		}
		q, err := f.Unwinding(ctx)
		if err != nil {
			return nil, false, 0, err
		}
		st, err := q.Solve(ctx)
		if err != nil {
			return nil, false, 0, err
		}
		if st == solver.Unsat {
			q, err := f.Finals(ctx, false)
			if err != nil {
				return nil, false, 0, err
			}
			for {
				s, st, err := q.Next(ctx)
				if err != nil {
					return nil, false, 0, err
				}
				if st == solver.Unsat {
					slices.Sort(finals)
					return finals, unsafe, f.Bound(), nil
				}
				finals = append(finals, finalText(p, s))
			}
		}
	}
	return nil, unsafe, -1, nil
}

func TestAgainstSearch(t *testing.T) {
	shapes := []struct {
		name string
		opt  randprog.Options
		n    int
	}{
		{"plain", randprog.Options{Plain: true, Lock: -1, Atomic: -1, RMW: -1, Havoc: -1, Branch: -1, AddrDep: -1}, 20},
		{"branches", randprog.Options{Lock: -1, Branch: 5}, 20},
		{"addresses", randprog.Options{Lock: -1, AddrDep: 60}, 20},
		{"asserts", randprog.Options{Assert: 3, Lock: -1}, 20},
		{"locks", randprog.Options{Lock: 4, Assert: 1}, 20},
		{"loops", randprog.Options{CountLoop: 4, WaitLoop: 3, Threads: randprog.Range{Min: 2, Max: 2}}, 20},
		{"forbid", randprog.Options{Forbid: 5, Branch: 3}, 20},
	}
	for _, sh := range shapes {
		for _, m := range Direct {
			for _, backend := range backends {
				t.Run(sh.name+"/"+string(m)+"/"+backend, func(t *testing.T) {
					t.Parallel()
					complete, n := 0, sh.n
					if backend != "cdcl" { // the encoding is the same
						n /= 3
					}
					for seed := range uint64(n) {
						rng := rand.New(rand.NewPCG(seed, 7))
						p := mixFences(randprog.New(rng, sh.opt), rng)
						want, wantUnsafe := search(t, p, m)
						got, gotUnsafe, bound, err := bounded(t, backend, p, Options{Model: m})
						if err != nil {
							t.Fatalf("seed %d: %v\n%s", seed, err, text(p))
						}
						if bound < 0 && (wantUnsafe || !gotUnsafe) {
							continue
						}
						complete++
						if gotUnsafe != wantUnsafe {
							t.Fatalf("seed %d: unsafe = %v, want %v\n%s", seed, gotUnsafe, wantUnsafe, text(p))
						}
						if !slices.Equal(got, want) {
							t.Fatalf("seed %d: final states\n%s\nwant\n%s\n%s", seed,
								strings.Join(got, "\n"), strings.Join(want, "\n"), text(p))
						}
					}
					if complete < n/2 {
						t.Errorf("only %d of %d programs were unrolled completely", complete, n)
					}
				})
			}
		}
	}
}

// mixFences turns some of the fences of p into fences of other kinds.
func mixFences(p *program.Program, rng *rand.Rand) *program.Program {
	for _, th := range p.Threads {
		for i := range th.Edges {
			if c := &th.Edges[i].Cmd; c.Op == program.Fence {
				c.Tags = program.NewTags([]string{program.TagMFence, program.TagMFence, program.TagSFence, program.TagLFence}[rng.IntN(4)])
			}
		}
	}
	return p
}

// TestRelational compares the formula that follows the text of a model with the
// search.
func TestRelational(t *testing.T) {
	opt := randprog.Options{Lock: -1, Branch: 3, RMW: 3, AddrDep: 30, CountLoop: 1, WaitLoop: 1, Assert: 1}
	for _, m := range Direct {
		for _, backend := range backends {
			t.Run(string(m)+"/"+backend, func(t *testing.T) {
				t.Parallel()
				def, err := memory.Load(m)
				if err != nil {
					t.Fatal(err)
				}
				for seed := range uint64(30) {
					rng := rand.New(rand.NewPCG(seed, 13))
					p := mixFences(randprog.New(rng, opt), rng)
					for i := range p.Properties { // memory at a moment is not supported
						if pr := &p.Properties[i]; pr.Kind == program.Forbid {
							pr.Kind = program.Exists
						}
					}
					want, wantUnsafe := search(t, p, m)
					got, gotUnsafe, bound, err := bounded(t, backend, p, Options{Model: m, Definition: def})
					if err != nil {
						t.Fatalf("seed %d: %v\n%s", seed, err, text(p))
					}
					if bound < 0 {
						continue
					}
					if gotUnsafe != wantUnsafe || !slices.Equal(got, want) {
						t.Fatalf("seed %d: unsafe %v, want %v; final states\n%s\nwant\n%s\n%s", seed, gotUnsafe, wantUnsafe,
							strings.Join(got, "\n"), strings.Join(want, "\n"), text(p))
					}
				}
			})
		}
	}
}

func text(p *program.Program) string {
	var b strings.Builder
	if err := program.Print(&b, p); err != nil {
		return err.Error()
	}
	return b.String()
}
