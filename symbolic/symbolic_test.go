package symbolic

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fencepost-verifier/fencepost/abstract"
	"github.com/fencepost-verifier/fencepost/explore"
	"github.com/fencepost-verifier/fencepost/internal/keys"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

var (
	programs  = flag.Uint64("programs", 8, "random programs of a shape")
	firstSeed = flag.Uint64("first", 0, "the seed of the first one")
)

var (
	two     = randprog.Range{Min: 2, Max: 2}
	three   = randprog.Range{Min: 3, Max: 3}
	buffers = []abstract.Buffer{abstract.None{}, abstract.Set{}, abstract.Coherence{K: 0}, abstract.Coherence{K: 1}, abstract.Coherence{K: 2}}
)

var shapes = []struct {
	name string
	opts randprog.Options
}{
	{"plain", randprog.Options{Threads: two, Addresses: two, Commands: randprog.Range{Min: 2, Max: 5}, Values: 1, Assert: 1, Deadlock: 1, NoProperty: -1}},
	{"locks", randprog.Options{Threads: two, Addresses: two, Commands: randprog.Range{Min: 2, Max: 5}, Values: 1, Lock: 5, Store: 10, Deadlock: 1, NoProperty: -1}},
	{"threads", randprog.Options{Threads: three, Addresses: two, Commands: randprog.Range{Min: 1, Max: 3}, Values: 2, Fence: 3, NoProperty: -1}},
	{"loops", randprog.Options{Threads: two, Addresses: two, Commands: randprog.Range{Min: 1, Max: 4}, Values: 1, Fence: 3,
		StoreLoop: 5, WaitLoop: 4, Lock: -1, Assert: 1, Deadlock: 1, NoProperty: -1}},
}

// build is New, with nil where the program is out of reach.
func build(t *testing.T, p *program.Program, b abstract.Buffer, opts Options) *System {
	t.Helper()
	y, err := New(t.Context(), p, b, opts)
	if errors.Is(err, ErrUnsupported) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	return y
}

// TestSteps compares the circuit, with single steps, with the transition
// relation of package abstract on states along random walks: the same
// successors, and assertions fail alike.
func TestSteps(t *testing.T) {
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			states := 0
			for seed := range uint64(16) {
				rng := rand.New(rand.NewPCG(seed, 51))
				p := randprog.New(rng, shape.opts)
				for i, b := range buffers {
					y := build(t, p, b, Options{SingleSteps: true, few: 1 + 15*(i+int(seed))%30})
					if y == nil {
						continue
					}
					s, err := solver.New("")
					if err != nil {
						t.Fatal(err)
					}
					if err := y.load(&meter{ctx: t.Context()}, s); err != nil {
						t.Fatal(err)
					}
					cur := y.x.NewState()
					y.x.Initial(cur)
					for range 20 {
						states++
						want, failing, succ := successors(y, cur)
						got, fails := circuitSuccessors(t, y, s, cur)
						if !slices.Equal(got, want) || fails != failing {
							t.Fatalf("seed %d, %s: at %v %v %v: successors\n%s\nfailing %v, want\n%s\nfailing %v", seed, abstract.Name(b), cur.PC, cur.Vals, cur.Buf,
								strings.Join(got, "\n"), fails, strings.Join(want, "\n"), failing)
						}
						if len(succ) == 0 {
							break
						}
						cur.Copy(succ[rng.IntN(len(succ))])
					}
					s.Close()
				}
			}
			t.Logf("%d states", states)
		})
	}
}

// successors of s by package abstract, as bits, and whether an assertion fails
// on the way to one.
func successors(y *System, s *abstract.State) (keys []string, failing bool, states []*abstract.State) {
	try := func(ev abstract.Event) {
		n := y.x.NewState()
		n.Copy(s)
		switch y.x.Step(n, ev) {
		case abstract.Failed:
			failing = true
		case abstract.Done:
			states = append(states, n)
		default:
			return
		}
		bits, ok := y.encode(n)
		keys = append(keys, fmt.Sprint(bits, ok))
	}
	for t := range s.PC {
		for i := range y.x.Flushes(s, t) {
			try(abstract.Event{Thread: t, Edge: abstract.Flush, Choice: int64(i)})
		}
		for _, e := range y.x.Out(t, s.PC[t]) {
			for c := range y.x.Choices(t, e) {
				try(abstract.Event{Thread: t, Edge: e, Choice: c})
			}
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys), failing, states
}

func circuitSuccessors(t *testing.T, y *System, s solver.Solver, cur *abstract.State) (keys []string, failing bool) {
	bits, ok := y.encode(cur)
	if !ok {
		t.Fatal("a state has no bits")
	}
	var assume []solver.Lit
	for i, v := range bits {
		if v {
			assume = append(assume, y.Bits[i].cur)
		} else {
			assume = append(assume, -y.Bits[i].cur)
		}
	}
	on := s.NewVar()
	assume = append(assume, y.legal, on)
	for {
		st, err := s.Solve(context.Background(), assume...)
		if err != nil {
			t.Fatal(err)
		}
		if st == solver.Unsat {
			break
		}
		next := make([]bool, len(bits))
		clause := []solver.Lit{-on}
		for i := range next {
			l := y.Bits[i].next
			if next[i] = s.Value(l); next[i] {
				l = -l
			}
			clause = append(clause, l)
		}
		keys = append(keys, fmt.Sprint(next, true))
		s.AddClause(clause...)
	}
	s.AddClause(-on)
	slices.Sort(keys)
	// A state that violates a property is bad whatever the step.
	if y.violated(cur) == nil {
		st, err := s.Solve(context.Background(), append(assume[:len(bits)], y.bad)...)
		if err != nil {
			t.Fatal(err)
		}
		return keys, st == solver.Sat
	}
	_, failing, _ = successors(y, cur)
	return keys, failing
}

// TestVerdicts compares IC3 and k-induction with explicit search; proofs are
// checked, counterexamples replayed.
func TestVerdicts(t *testing.T) {
	n := *programs
	if testing.Short() {
		n = min(n, 5)
	}
	for _, shape := range shapes {
		t.Run(shape.name, func(t *testing.T) {
			t.Parallel()
			safe, unsafe := 0, 0
			for seed := *firstSeed; seed < *firstSeed+n; seed++ {
				p := randprog.New(rand.New(rand.NewPCG(seed, 52)), shape.opts)
				for _, b := range buffers {
					want, ok := explicit(t, p, b)
					if !ok {
						continue
					}
					for _, opts := range []Options{{few: 1 + 15*int(seed%2)}, {SingleSteps: true}} {
						y := build(t, p, b, opts)
						if y == nil || opts.SingleSteps && len(y.Bits) > 60 {
							continue
						}
						// A few of the programs are hard: that it may not find out is no mistake.
						ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
						res, err := IC3(ctx, y, Search{})
						hard := ctx.Err() != nil
						cancel()
						if err != nil {
							t.Fatalf("seed %d, %s: %v", seed, abstract.Name(b), err)
						}
						if hard && res.Verdict == verdict.IsUnknown {
							t.Logf("seed %d, %s: %s", seed, abstract.Name(b), res.Reason)
							continue
						}
						compare(t, fmt.Sprintf("ic3, seed %d, %s, %+v", seed, abstract.Name(b), opts), y, res, want)
						if opts.SingleSteps {
							continue
						}
						res, err = KInduction(context.Background(), y, Search{MaxDepth: 12, SimplePath: seed%2 == 0})
						if err != nil {
							t.Fatalf("seed %d, %s: %v", seed, abstract.Name(b), err)
						}
						if res.Verdict == verdict.IsSafe || res.Trace != nil {
							compare(t, fmt.Sprintf("k-induction, seed %d, %s", seed, abstract.Name(b)), y, res, want)
						}
						if want {
							safe++
						} else {
							unsafe++
						}
					}
				}
			}
			t.Logf("%d safe, %d not", safe, unsafe)
		})
	}
}

// explicit is whether explicit search finds the abstraction safe, and whether it
// came to an end.
func explicit(t *testing.T, p *program.Program, b abstract.Buffer) (safe, ok bool) {
	t.Helper()
	opts := explore.Options{MaxStates: 30_000, MemoryLimit: 1 << 28}
	if b.Immediate() {
		opts.Model = memory.SC
	} else {
		opts.Abstraction = b
	}
	res, err := explore.Check(context.Background(), p, opts)
	if err != nil {
		t.Fatal(err)
	}
	safe = res.Safe()
	return safe, safe || res.Unsafe() || res.Candidate() != nil || res.Fault()
}

func compare(t *testing.T, what string, y *System, res *Result, safe bool) {
	t.Helper()
	if (res.Verdict == verdict.IsSafe) != safe || (res.Violation == nil) != safe {
		t.Fatalf("%s: %v %s, violation %v; explicit search says safe: %v", what, res.Verdict, res.Reason, res.Violation, safe)
	}
	if safe {
		if err := Check(context.Background(), res.Invariant, y.Program); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		return
	}
	s := y.x.NewState()
	y.x.Initial(s)
	failed := false
	for i, ev := range res.Trace {
		if ev.Edge == abstract.Flush && ev.Choice >= int64(y.x.Flushes(s, ev.Thread)) {
			t.Fatalf("%s: no flush %d", what, ev.Choice)
		}
		switch o := y.x.Step(s, ev); {
		case o == abstract.Failed && i == len(res.Trace)-1:
			failed = true
		case o != abstract.Done:
			t.Fatalf("%s: event %d of the trace: outcome %d", what, i, o)
		}
	}
	if !failed && y.violated(s) == nil {
		t.Fatalf("%s: the trace violates nothing", what)
	}
}

// TestChecked looks at many programs for invariants that do not stand alone.
func TestChecked(t *testing.T) {
	n := *programs
	if testing.Short() {
		n = min(n, 5)
	}
	opts := []randprog.Options{
		{StoreLoop: 3, WaitLoop: 3, Threads: two, Values: 3, NoProperty: -1},
		{Lock: 5, StoreLoop: 3, Threads: two, Values: 3, Assert: 1, NoProperty: -1},
	}
	for _, s := range shapes {
		opts = append(opts, s.opts)
	}
	for i, o := range opts {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			proofs, unknown := 0, 0
			for seed := *firstSeed; seed < *firstSeed+n; seed++ {
				p := randprog.New(rand.New(rand.NewPCG(seed, 77)), o)
				for _, b := range buffers {
					y := build(t, p, b, Options{})
					if y == nil || len(y.Bits) > 300 {
						continue
					}
					ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
					for what, f := range map[string]func(context.Context, *System, Search) (*Result, error){"ic3": IC3, "k-induction": KInduction} {
						res, err := f(ctx, y, Search{MaxDepth: 30})
						if err == nil && res.Invariant != nil {
							proofs++
							err = Check(ctx, res.Invariant, p)
						}
						if ctx.Err() != nil {
							unknown++
						} else if err != nil {
							t.Errorf("%s, seed %d, %s: %v", what, seed, abstract.Name(b), err)
						}
					}
					cancel()
				}
			}
			t.Logf("%d proofs, %d times not enough time", proofs, unknown)
		})
	}
}

// TestWrongRanges spoils what the analysis says: then there may be no answer, but
// not a wrong one.
func TestWrongRanges(t *testing.T) {
	spoilt, wrong := 0, 0
	for seed := range *programs * 4 {
		rng := rand.New(rand.NewPCG(seed, 53))
		p := randprog.New(rng, shapes[0].opts)
		r, err := program.Analyse(p)
		if err != nil {
			t.Fatal(err)
		}
		few := func(set *program.ValueSet, init int64) {
			if vs, ok := set.Few(); ok && len(vs) > 1 {
				vs = slices.DeleteFunc(slices.Clone(vs), func(v int64) bool { return v != init && rng.IntN(2) == 0 })
				*set = program.Values(vs...)
			}
		}
		switch rng.IntN(3) {
		case 0:
			for i := range r.Cell {
				few(&r.Cell[i], r.Cells[i].Init)
			}
		case 1:
			for ti := range r.Reg {
				for i := range r.Reg[ti] {
					few(&r.Reg[ti][i], p.Threads[ti].Regs[i].Init)
				}
			}
		default:
			for ti := range r.Reachable {
				q := rng.IntN(len(r.Reachable[ti]))
				r.Reachable[ti][q] = q == int(p.Threads[ti].Initial)
			}
		}
		for _, b := range buffers {
			safe, ok := explicit(t, p, b)
			if !ok || safe {
				continue
			}
			spoilt++
			y, err := newSystem(&meter{ctx: t.Context()}, p, r, b, Options{})
			if errors.Is(err, ErrUnsupported) {
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			for what, f := range map[string]func(context.Context, *System, Search) (*Result, error){"ic3": IC3, "k-induction": KInduction} {
				res, err := f(context.Background(), y, Search{MaxDepth: 30})
				if err != nil {
					wrong++ // it leaves the values of the analysis
				} else if res.Verdict == verdict.IsSafe {
					t.Errorf("%s, seed %d, %s: safe", what, seed, abstract.Name(b))
				}
			}
		}
	}
	t.Logf("%d unsafe ones, %d errors", spoilt, wrong)
	if wrong == 0 {
		t.Error("nothing was spoilt")
	}
}

func example(t *testing.T, name string, n int64) *program.Program {
	t.Helper()
	var defs map[string]int64
	if n > 0 {
		defs = map[string]int64{"N": n}
	}
	p, err := lang.Load("../examples/"+name+".imp", defs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestExamples(t *testing.T) {
	for _, test := range []struct {
		name string
		n    int64
	}{{"peterson", 0}, {"dekker-fenced", 0}, {"dekker", 0}, {"peterson-n-fenced", 2}, {"burns-fenced", 0}, {"burns", 0}, {"dijkstra-fenced", 0}, {"parker-fenced", 0}} {
		p := example(t, test.name, test.n)
		for _, b := range buffers[:2] {
			y := build(t, p, b, Options{})
			if y == nil {
				continue
			}
			want, ok := explicit(t, p, b)
			if !ok {
				continue
			}
			start := time.Now()
			res, err := IC3(context.Background(), y, Search{})
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s, %s: %v, %d bits, %d clauses in the circuit: %d frames, %d queries, %v", test.name, abstract.Name(b), res.Verdict,
				len(y.Bits), len(y.cnf.lits), res.Depth, res.Queries, time.Since(start).Round(time.Millisecond))
			compare(t, test.name, y, res, want)
		}
	}
}

// TestOutOfReach proves a program with millions of abstract states.
func TestOutOfReach(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	p := example(t, "dijkstra-fenced", 3)
	y := build(t, p, abstract.Set{}, Options{})
	res, err := IC3(context.Background(), y, Search{})
	if err != nil {
		t.Fatal(err)
	}
	compare(t, "dijkstra-fenced", y, res, true)
	t.Logf("%d clauses, %d queries", len(res.Invariant.Clauses), res.Queries)
}

// TestChangedInvariants makes mistakes in an invariant: what is left must be refused, or be a
// proof all the same.
func TestChangedInvariants(t *testing.T) {
	p := example(t, "dekker-fenced", 0)
	y := build(t, p, abstract.Set{}, Options{})
	res, err := IC3(context.Background(), y, Search{})
	if err != nil || res.Invariant == nil {
		t.Fatal(res, err)
	}
	inv := res.Invariant
	// Without what the fences are for, it is no proof any more.
	if err := Check(context.Background(), inv, example(t, "dekker", 0)); err == nil {
		t.Error("the proof for a program with fences is one without them")
	}
	refused, kept := 0, 0
	try := func(what string, clauses [][]int32) {
		bad := &Invariant{System: inv.System, Clauses: clauses, K: 1}
		var refuted *RefutedError
		err := Check(context.Background(), bad, p)
		switch {
		case errors.As(err, &refuted):
			refused++
		case err != nil:
			t.Errorf("%s: %v", what, err)
		default:
			kept++
			if !closed(t, bad) {
				t.Errorf("%s: accepted", what)
			}
		}
	}
	for i := range inv.Clauses {
		if i%3 == 0 { // most of what is left is a proof, and to see that takes its time
			try(fmt.Sprint("without clause ", i), slices.Delete(slices.Clone(inv.Clauses), i, i+1))
		}
		for j := range inv.Clauses[i] {
			c := slices.Clone(inv.Clauses)
			if c[i] = slices.Clone(c[i]); (i+j)%2 == 0 { // each literal has one of the two
				c[i][j] = -c[i][j]
				try(fmt.Sprint("a literal negated in clause ", i), c)
			} else {
				c[i] = slices.Delete(c[i], j, j+1)
				try(fmt.Sprint("a literal less in clause ", i), c)
			}
		}
	}
	try("nothing", nil)
	try("the empty clause", [][]int32{{}})
	t.Logf("%d clauses; %d changes refused, %d were proofs", len(inv.Clauses), refused, kept)
	if refused == 0 || kept == 0 {
		t.Error("none of one kind is no test")
	}
}

// TestOtherPrograms checks proofs for programs that differ in a command or two
// from those that they were found for.
func TestOtherPrograms(t *testing.T) {
	accepted, refused := 0, 0
	for seed := range *programs * 4 {
		rng := rand.New(rand.NewPCG(seed, 54))
		shape := shapes[rng.IntN(len(shapes))].opts
		p := randprog.New(rng, shape)
		b := buffers[rng.IntN(len(buffers))]
		y := build(t, p, b, Options{})
		if y == nil {
			continue
		}
		res, err := IC3(context.Background(), y, Search{})
		if err != nil {
			t.Fatal(err)
		}
		if res.Invariant == nil {
			continue
		}
		for range 5 {
			q := *p
			q.Threads = slices.Clone(p.Threads)
			ti := rng.IntN(len(q.Threads))
			th := *q.Threads[ti]
			th.Edges = slices.Clone(th.Edges)
			i := rng.IntN(len(th.Edges))
			if j := rng.IntN(len(th.Edges)); rng.IntN(2) == 0 {
				th.Edges[i].Cmd = program.Skip()
			} else {
				th.Edges[i].Cmd, th.Edges[j].Cmd = th.Edges[j].Cmd, th.Edges[i].Cmd
			}
			q.Threads[ti] = &th
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			err := Check(ctx, res.Invariant, &q)
			cancel()
			if err != nil {
				refused++
				continue
			}
			accepted++
			if safe, ok := explicit(t, &q, b); ok && !safe {
				t.Fatalf("seed %d, %s: accepted for a program that is not safe", seed, abstract.Name(b))
			}
		}
	}
	t.Logf("%d refused, %d accepted", refused, accepted)
	if refused == 0 || accepted == 0 {
		t.Error("nothing was tested")
	}
}

// closed walks over the reachable states: whether the clauses hold in all of
// them, and none is a violation.
func closed(t *testing.T, inv *Invariant) bool {
	t.Helper()
	ok := true
	y := inv.System
	init := y.x.NewState()
	y.x.Initial(init)
	seen := map[string]bool{}
	for todo := []*abstract.State{init}; len(todo) > 0; {
		s := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		key := keys.State(s)
		if seen[key] {
			continue
		}
		seen[key] = true
		failing, next := largeSteps(y, s)
		todo = append(todo, next...)
		bits, cut := y.encode(s)
		if !cut {
			t.Fatal("a large step ends where none does")
		}
		ok = ok && !failing && y.violated(s) == nil
		for _, c := range inv.Clauses {
			ok = ok && slices.ContainsFunc(c, func(l int32) bool { return bits[bitOf(l)] == (l > 0) })
		}
	}
	return ok
}

// largeSteps is the states after the steps of y from s, and whether an assertion
// fails on the way to one.
func largeSteps(y *System, s *abstract.State) (failing bool, next []*abstract.State) {
	for ti := range s.PC {
		for i := range y.x.Flushes(s, ti) {
			n := y.x.NewState()
			n.Copy(s)
			y.x.Step(n, abstract.Event{Thread: ti, Edge: abstract.Flush, Choice: int64(i)})
			next = append(next, n)
		}
		bl := &y.blocks[ti]
		const fence, after = 0, 1
		var walk func(s *abstract.State, stage int)
		take := func(s *abstract.State, stage int) {
			for _, e := range y.x.Out(ti, s.PC[ti]) {
				for c := range y.x.Choices(ti, e) {
					n := y.x.NewState()
					n.Copy(s)
					switch y.x.Step(n, abstract.Event{Thread: ti, Edge: e, Choice: c}) {
					case abstract.Failed:
						failing = true
					case abstract.Done:
						walk(n, stage)
					}
				}
			}
		}
		walk = func(s *abstract.State, stage int) {
			switch q := s.PC[ti]; {
			case stage == fence && bl.before[q]:
				take(s, fence)
			case stage == after && bl.middle[q]:
				take(s, after)
			case stage == after || len(bl.out[q]) == 0:
				next = append(next, s)
			default:
				take(s, after)
			}
		}
		if bl.fence[s.PC[ti]] {
			take(s, fence)
		} else {
			take(s, after)
		}
	}
	return failing, next
}

func TestCancel(t *testing.T) {
	y := build(t, example(t, "peterson-n-fenced", 4), abstract.Set{}, Options{})
	for name, f := range map[string]func(context.Context, *System, Search) (*Result, error){"ic3": IC3, "k-induction": KInduction} {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		start := time.Now()
		res, err := f(ctx, y, Search{})
		cancel()
		if err != nil || res.Verdict != verdict.IsUnknown || res.Reason == "" {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
		if d := time.Since(start); d > 3*time.Second {
			t.Errorf("%s: stopped after %v", name, d)
		}
	}
}
