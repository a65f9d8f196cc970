package encode

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/explore/graphs"
	"github.com/fencepost-verifier/fencepost/internal/randprog"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// randomPaths makes relations between kinds of events: R, W, or M for both.
type randomPaths struct{ *rand.Rand }

func (r randomPaths) pick(texts ...string) string { return texts[r.IntN(len(texts))] }

// step is a relation that loses nothing when there are more events.
func (r randomPaths) step(from, to string, depth int) string {
	if depth > 0 {
		via := r.pick("R", "W", "W")
		switch r.IntN(7) {
		case 0:
			return "(" + r.step(from, via, depth-1) + " ; " + r.step(via, to, depth-1) + ")"
		case 1:
			return "(" + r.step(from, to, depth-1) + " | " + r.step(from, to, depth-1) + ")"
		case 2:
			return "(" + r.step(to, from, depth-1) + ")^-1"
		case 3:
			if from == to {
				return "(" + r.step(from, to, depth-1) + ")^+"
			}
		}
	}
	switch from + to {
	case "WW":
		return r.pick("co", "co", "(co & ext)", "(co & po)", "(rf ; po ; [W])", "po-loc")
	case "WR":
		return r.pick("rf", "rf", "rfe", "(po & W * R)", "(co ; rf)")
	case "RW":
		return r.pick("fr", "(fr & ext)", "(po & R * W)", "rmw", "po-loc")
	}
	return r.pick("(fr ; rf)", "(po & R * R)", "(rf^-1 ; rf)", "po-loc")
}

// set is the events of a kind that have, or have not, another one.
func (r randomPaths) set(kind string) string {
	other := r.pick("R", "W")
	switch r.IntN(4) {
	case 0:
		return "(" + kind + " \\ domain(" + r.step(kind, other, 1) + "))"
	case 1:
		return "(" + kind + " & ~range(" + r.step(other, kind, 1) + "))"
	case 2:
		return "(" + kind + " & domain(" + r.step(kind, other, 1) + "))"
	}
	return kind
}

// path is a relation that may lose pairs when there are more events, or not.
func (r randomPaths) path(from, to string) string {
	via := r.pick("R", "W", "W")
	switch r.IntN(7) {
	case 0:
		return "(" + r.step(from, to, 0) + " & ~" + r.step(from, to, 2) + ")"
	case 1, 2:
		return "(" + r.step(from, to, 1) + " \\ (" + r.step(from, via, 0) + " ; " + r.step(via, to, 0) + "))"
	case 3:
		return "([" + r.set(from) + "] ; " + r.step(from, to, 1) + ")"
	case 4:
		return "(" + r.step(from, to, 1) + " ; [" + r.set(to) + "])"
	case 5:
		return "(" + r.step(from, via, 0) + " ; (" + r.step(via, to, 0) + " \\ " + r.step(via, to, 1) + "))"
	}
	return r.step(from, to, 1)
}

// randomModel is the text of a random model, of axioms over what grows and over what shrinks.
func randomModel(rng *rand.Rand) string {
	r := randomPaths{rng}
	var b strings.Builder
	fmt.Fprintf(&b, "let rec rec1 = %s | (rec1 ; %s) and rec2 = (%s ; rec1) | (rec2 & %s) | %s\n",
		r.path("W", "W"), r.step("W", "W", 0), r.step("R", "W", 0), r.step("R", "W", 1), r.path("R", "W"))
	if rng.IntN(2) > 0 {
		b.WriteString("acyclic po-loc | rf | co | fr\n")
	}
	for range 1 + rng.IntN(2) {
		from, to := r.pick("R", "W"), r.pick("R", "W")
		switch rng.IntN(11) {
		case 0:
			fmt.Fprintf(&b, "acyclic (%s & po) | %s\n", r.path(from, to), r.path(to, from))
		case 1:
			fmt.Fprintf(&b, "empty %s & %s\n", r.path(from, to), r.step(from, to, 0))
		case 2:
			fmt.Fprintf(&b, "empty (%s & %s) ; [%s]\n", r.path(from, to), r.path(from, to), r.set(to))
		case 3:
			fmt.Fprintf(&b, "acyclic (rec1 & ext) | po-loc\n")
		case 4:
			fmt.Fprintf(&b, "irreflexive rec2 ; (%s | rf)\n", r.path("W", "R"))
		case 5:
			fmt.Fprintf(&b, "empty (rec1 | %s) & %s & ext\n", r.path("W", "W"), r.step("W", "W", 0))
		case 6:
			fmt.Fprintf(&b, "empty [domain(%s) & range(%s)]\n", r.path(from, to), r.path(to, from))
		case 7:
			fmt.Fprintf(&b, "~empty %s | ([R]; po)\nacyclic %s | (po & M * W)\n", r.path(from, to), r.path(to, from))
		case 9:
			fmt.Fprintf(&b, "acyclic %s | (%s ; %s) | po\n", r.step(from, to, 0), r.step(from, "W", 0), r.step("W", to, 0))
		case 10:
			b.WriteString("empty rec1 & ext\n")
		case 8:
			fmt.Fprintf(&b, "irreflexive (%s ; %s)^+ & rec2\n", r.path("R", to), r.path(to, "W"))
		}
	}
	return b.String()
}

// loseByMore are models under which it matters what later events do to a term.
var loseByMore = []string{
	"empty (co \\ (co ; co)) & ext\n",
	"let rec r = (co \\ (co ; co)) | (r ; rf)\nempty (r ; [R]) & ext\n",
	"acyclic rf | (co ; rf) | po\n",
	"empty [R \\ domain(po ; [W])]\n",
	"empty (fr & ~(fr ; po)) & ext\nacyclic po-loc | rf | co | fr\n",
	"acyclic (rf & ext) | ((co ; rf) & ext) | (po & R * W)\n",
}

// loops is a random program with loops.
func loops(rng *rand.Rand) *program.Program {
	opt := randprog.Options{
		Lock: -1, Atomic: -1, Havoc: -1, Assign: -1, Fence: -1, Branch: -1, Values: 2, Threads: randprog.Range{Min: 2, Max: 2},
		Addresses: randprog.Range{Min: 1, Max: 2}, Commands: randprog.Range{Min: 1, Max: 3}, RMW: 1, CountLoop: 4, StoreLoop: 12, MaxIterations: 3,
		AddrDep: -1, DataDep: 20,
	}
	p := mixFences(randprog.New(rng, opt), rng)
	p.Properties = nil
	return p
}

// formulaFor is a formula of p under a model that may have load buffering.
func formulaFor(t *testing.T, backend string, p *program.Program, def *memory.Definition) *Formula {
	t.Helper()
	analyse := program.AnalyseContext
	if !def.OrdersReads() {
		analyse = program.AnalyseSpeculative
	}
	r, err := analyse(context.Background(), p)
	if err != nil {
		t.Fatal(err)
	}
	s, err := solver.New(backend)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	f, err := New(p, r, s, Options{Model: "random.cat", Definition: def, Finals: true})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// answer is what a formula says at its bound.
type answer struct {
	finals     []string      // the final states
	executions []string      // how the events are related in the executions that end
	further    solver.Status // that a thread goes on
}

// maxExecutions is how many are looked at, at a bound.
const maxExecutions = 60

// says asks f at its bound. Which is asked first is up to rng.
func says(t *testing.T, f *Formula, rng *rand.Rand) (a answer) {
	t.Helper()
	ctx := context.Background()
	unwind := func() {
		q, err := f.Unwinding(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if a.further, err = q.Solve(ctx); err != nil {
			t.Fatal(err)
		}
	}
	late := rng.IntN(2) == 0
	if !late {
		unwind()
	}
	q, err := f.Finals(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	ends := q.lit
	q.lit = f.And(ends, f.Fresh()) // what is excluded now is asked for again at the next bound
	for {
		s, st, err := q.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if st == solver.Unsat {
			break
		}
		a.finals = append(a.finals, finalText(f.p, s))
	}
	slices.Sort(a.finals)
	r := f.newRelational()
	lits := slices.Concat([]solver.Lit(r.Set("_")), r.Relation("rf"), r.Relation("co"))
	lits = slices.DeleteFunc(lits, func(l solver.Lit) bool { return f.IsFalse(l) || f.IsTrue(l) })
	once := f.Fresh()
	for len(a.executions) < maxExecutions {
		st, err := f.s.Solve(ctx, -f.open, ends, once)
		if err != nil {
			t.Fatal(err)
		}
		if st == solver.Unsat {
			break
		}
		var b strings.Builder
		other := []solver.Lit{-once}
		for _, l := range lits {
			v := f.s.Value(l)
			b.WriteByte("01"[program.Bool(v)])
			if v {
				l = -l
			}
			other = append(other, l)
		}
		a.executions = append(a.executions, b.String())
		f.Clause(other...)
	}
	slices.Sort(a.executions)
	if late {
		unwind()
	}
	return a
}

// equal is whether two formulas say the same.
func (a answer) equal(b answer) bool {
	return slices.Equal(a.finals, b.finals) && a.further == b.further && len(a.executions) == len(b.executions) &&
		(len(a.executions) == maxExecutions || slices.Equal(a.executions, b.executions))
}

// enumerated is the final states of the executions that go round so often at most, one by one; false: they are too many.
func enumerated(t *testing.T, f *Formula, bound int) (finals []string, ok bool) {
	t.Helper()
	r, err := program.Analyse(f.p)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Cells) != len(f.ranges.Cells) {
		return nil, false
	}
	states, err := graphs.FinalStates(context.Background(), f.p, f.opts.Definition, graphs.Options{BackEdges: bound, Graphs: 20_000},
		func(*memory.Graph, verdict.FinalState) bool { return true })
	if err != nil && !errors.Is(err, graphs.ErrCut) {
		if graphs.Reason(err) == "" {
			t.Fatal(err)
		}
		return nil, false
	}
	for _, s := range states {
		finals = append(finals, finalText(f.p, s))
	}
	slices.Sort(finals)
	return slices.Compact(finals), true
}

// TestExtended compares what a formula says that is extended from bound to bound, under random models, with what one says that is
// made for the bound alone, and with the executions one by one.
func TestExtended(t *testing.T) {
	ctx := context.Background()
	const n = uint64(100)
	var bounds, changed, lasting, not, checked, held, states, executions int
	for seed := range n {
		rng := rand.New(rand.NewPCG(seed, 29))
		p, model := loops(rng), randomModel(rng)
		if seed < 80 && seed%2 == 1 {
			model = loseByMore[seed/2%uint64(len(loseByMore))]
		}
		def, err := memory.Define("random.cat", model, nil)
		if err != nil {
			if strings.Contains(err.Error(), "shrink") || strings.Contains(err.Error(), "recursi") {
				continue // not monotone: refused
			}
			t.Fatalf("seed %d: %v\n%s", seed, err, model)
		}
		backend := backends[seed/7%2]
		f := formulaFor(t, backend, p, def)
		for bound := range 4 {
			if err := f.Extend(ctx); err != nil {
				t.Fatal(err)
			}
			if bound > 0 && rng.IntN(6) == 0 {
				continue // not every bound is asked about
			}
			fresh := formulaFor(t, backend, p, def)
			for range bound + 1 {
				if err := fresh.Extend(ctx); err != nil {
					t.Fatal(err)
				}
			}
			got, want := says(t, f, rng), says(t, fresh, rng)
			if !got.equal(want) {
				t.Fatalf("seed %d, bound %d, %s: extended %d executions\n%s\nbeyond it %v; made anew %d\n%s\nbeyond it %v\n%s\n%s", seed, bound, backend,
					len(got.executions), strings.Join(got.finals, "\n"), got.further, len(want.executions), strings.Join(want.finals, "\n"), want.further, model, text(p))
			}
			if seed%4 >= 2 {
				if want, ok := enumerated(t, f, bound); ok {
					if !slices.Equal(got.finals, want) {
						t.Fatalf("seed %d, bound %d, %s: final states\n%s\none by one\n%s\n%s\n%s", seed, bound, backend,
							strings.Join(got.finals, "\n"), strings.Join(want, "\n"), model, text(p))
					}
					checked++
				}
			}
			bounds++
			states += len(got.finals)
			executions += len(got.executions)
			if bound > 0 {
				changed++
			}
			if f.Complete() {
				break
			}
		}
		if f.extension != nil {
			held += len(f.extension.lits)
			for _, ax := range def.Cat.Axioms {
				if f.extension.axiom(ax) {
					lasting++
				} else {
					not++
				}
			}
		}
	}
	t.Logf("%d bounds, %d after others, %d states, %d executions, %d bounds one by one; %d axioms that last and %d that do not, %d literals that last",
		bounds, changed, states, executions, checked, lasting, not, held)
	if changed < int(n) || checked < int(n)/3 || lasting < int(n)/2 || not < int(n)/2 || states < bounds || executions < 5*bounds || held < 10*int(n) {
		t.Error("hardly anything is compared")
	}
}
