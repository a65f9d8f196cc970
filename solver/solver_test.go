package solver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// libraries are the back ends that run within this process.
func libraries() []string {
	return slices.DeleteFunc(Available(), isProgram)
}

func isProgram(name string) bool { return name != "gini" && name != "cdcl" && name != "cadical-cgo" }

// eachBackend runs f for every back end there is, and says which are missing.
func eachBackend(t *testing.T, f func(t *testing.T, name string)) {
	for _, name := range []string{"gini", "cdcl", "cadical-cgo", "cadical", "kissat", "cryptominisat5", "glucose", "minisat"} {
		t.Run(name, func(t *testing.T) {
			if !slices.Contains(Available(), name) {
				t.Logf("%s is not here: skipped", name)
				return
			}
			f(t, name)
		})
	}
}

func open(t testing.TB, name string) Solver {
	t.Helper()
	s, err := New(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// An oracle knows all models of a formula of few variables. Bit i of its table
// stands for the model in which variable v has the value of bit v-1 of i.
type oracle [1 << maxVars / 64]uint64

const maxVars = 10

func newOracle() *oracle {
	o := new(oracle)
	for i := range o {
		o[i] = ^uint64(0)
	}
	return o
}

func (o *oracle) has(row int) bool { return o[row/64]>>(row%64)&1 != 0 }

// with returns what is left of the models if one of lits is true.
func (o *oracle) with(lits ...Lit) *oracle {
	left := new(oracle)
	for row := range 1 << maxVars {
		if o.has(row) && slices.ContainsFunc(lits, func(l Lit) bool { return row>>(l.Var()-1)&1 != 0 == (l > 0) }) {
			left[row/64] |= 1 << (row % 64)
		}
	}
	return left
}

func (o *oracle) under(assumptions []Lit) *oracle {
	for _, a := range assumptions {
		o = o.with(a)
	}
	return o
}

func (o *oracle) sat() bool { return *o != oracle{} }

// An op is a step of a test: a clause, or a question.
type op struct {
	solve bool
	lits  []Lit
}

func (o op) String() string {
	if o.solve {
		return fmt.Sprintf("solve%d", o.lits)
	}
	return fmt.Sprintf("add%d", o.lits)
}

func add(lits ...Lit) op   { return op{false, lits} }
func solve(lits ...Lit) op { return op{true, lits} }

// play runs the steps and compares every answer with the oracle's. Variables
// are made when they are first needed.
func play(s Solver, ops []op) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	vars := Lit(0)
	o := newOracle()
	for i, op := range ops {
		for _, l := range op.lits {
			for vars < l.Var() {
				vars++
				if v := s.NewVar(); v != vars {
					return fmt.Errorf("variable %d is %d", vars, v)
				}
			}
		}
		if !op.solve {
			buf := slices.Clone(op.lits)
			s.AddClause(buf...)
			clear(buf) // it must not be retained
			o = o.with(op.lits...)
			continue
		}
		// Both ways of waiting for gini get their share.
		c := ctx
		if i%2 == 0 {
			c = context.Background()
		}
		status, err := s.Solve(c, op.lits...)
		if err == nil {
			err = compare(s, status, op.lits, o, vars)
		}
		if err != nil {
			return fmt.Errorf("step %d of %v: %w", i, ops, err)
		}
	}
	return nil
}

func compare(s Solver, status Status, assumptions []Lit, o *oracle, vars Lit) error {
	if want := o.under(assumptions).sat(); status != Sat && status != Unsat || want != (status == Sat) {
		return fmt.Errorf("%v, but satisfiable = %v", status, want)
	}
	if status == Sat {
		row := 0
		for v := Lit(1); v <= vars; v++ {
			if s.Value(v) == s.Value(-v) {
				return fmt.Errorf("%d and its negation have the same value", v)
			}
			if s.Value(v) {
				row |= 1 << (v - 1)
			}
		}
		if !o.under(assumptions).has(row) {
			return fmt.Errorf("no model: %b", row)
		}
		return nil
	}
	core := s.Core()
	for _, l := range core {
		if !slices.Contains(assumptions, l) {
			return fmt.Errorf("core %d of assumptions %d", core, assumptions)
		}
	}
	if o.under(core).sat() {
		return fmt.Errorf("core %d is satisfiable", core)
	}
	return nil
}

func TestSequences(t *testing.T) {
	// a xor b, in all four ways: unsatisfiable, but not by unit propagation.
	contradiction := []op{add(1, 2), add(1, -2), add(-1, 2), add(-1, -2)}
	tests := map[string][]op{
		"nothing":                       {solve(), solve()},
		"no clauses":                    {solve(1, -2), solve(-1)},
		"empty clause":                  {add(1), solve(), add(), solve(), solve(1), add(2), solve(2)},
		"unsat under 2, -2, again":      slices.Concat(contradiction, []op{solve(2), solve(-2), solve(), solve(), solve(1, 2), solve(3)}),
		"the same, more clauses":        slices.Concat(contradiction, []op{solve(2), solve(-2), add(3, 4), solve(), add(-3), solve(4), solve(-4)}),
		"the same, clauses between":     slices.Concat(contradiction, []op{solve(2), add(3), solve(-2), add(-3, 4), solve(3), solve()}),
		"unit clauses against each":     {add(1), solve(), add(-1), solve(), solve(2), solve()},
		"units under assumptions":       {add(1, 2), solve(-1, -2), solve(-1), solve(-2), add(-1), solve(-2), solve(2), add(-2), solve(), solve()},
		"contradictory assumptions":     {add(1, 2), solve(3, -3), solve(3, 1, -3), solve(1, -1), solve()},
		"repeated assumptions":          {add(-1, 2), solve(1, 1, 1), solve(-2, -2, 1, 1), solve()},
		"assumption against a unit":     {add(-1), solve(1), solve(1, 1), solve(2, 1, 3), solve()},
		"repetition and tautology":      {add(1, 1, 1), add(2, -2), add(1, -1, 3), solve(), solve(-1), solve(1, -2, -3)},
		"selectors, retired":            {add(-3, 1), add(-4, -1), solve(3, 4), solve(3), solve(4), add(-3), solve(4), solve(3), solve(1), solve(-3, -4)},
		"variables in gaps":             {add(1, 10), solve(-10), solve(-1, -10), solve(5), add(-5, 7), solve(5, -7)},
		"variables after solving":       {add(1), solve(), add(-1, 2), solve(), add(-2, 3), solve(-3), solve(), add(-3, 4), add(-4), solve(), solve()},
		"learnt under assumptions":      {add(1, 2, 3), add(1, 2, -3), add(1, -2, 3), add(1, -2, -3), solve(-1), solve(), solve(1), add(-1), solve(), solve(2)},
		"model read, clause, and so on": {add(1, 2), solve(), add(-1, -2), solve(1), solve(2), add(1), solve(2), solve(-2)},
	}
	for name, ops := range tests {
		t.Run(name, func(t *testing.T) {
			for _, backend := range Available() {
				if err := play(open(t, backend), ops); err != nil {
					t.Errorf("%s: %v", backend, err)
				}
			}
		})
	}
}

// random makes a formula near the threshold, where answers vary, with
// questions all along.
func random(r *rand.Rand) []op {
	vars := 2 + r.IntN(maxVars-1)
	lit := func() Lit {
		l := Lit(1 + r.IntN(vars))
		if r.IntN(2) == 0 {
			return -l
		}
		return l
	}
	several := func(n int) []Lit {
		lits := make([]Lit, n)
		for i := range lits {
			lits[i] = lit()
		}
		return lits
	}
	var ops []op
	for range vars * (2 + r.IntN(5)) {
		switch r.IntN(12) {
		case 0, 1, 2:
			ops = append(ops, solve(several(r.IntN(4))...))
		case 3:
			ops = append(ops, solve())
		case 4, 5:
			ops = append(ops, add(several(2)...))
		case 6:
			if r.IntN(4) == 0 {
				ops = append(ops, add(several(1)...))
			}
		default:
			ops = append(ops, add(several(3)...))
		}
	}
	return append(ops, solve(several(r.IntN(vars))...), solve(), solve())
}

func TestRandom(t *testing.T) {
	eachBackend(t, func(t *testing.T, name string) {
		n := 4000
		if isProgram(name) {
			n = 15
		}
		solves := 0
		for seed := range n {
			s, err := New(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := play(s, random(rand.New(rand.NewPCG(1, uint64(seed))))); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			solves += s.Stats().Solves
			s.Close()
		}
		t.Logf("%d formulas, %d solves", n, solves)
	})
}

// FuzzSolvers reads steps from bytes: below 128 is a literal, below 192 the end
// of a clause, and the rest ends the assumptions of a question.
func FuzzSolvers(f *testing.F) {
	f.Add([]byte("\x02\x04\x80\x02\x05\x80\x03\x04\x80\x03\x05\x80\x04\xff\x05\xff\xff\xff"))
	f.Add([]byte("\x02\x80\x03\x80\xff\x80\xff"))
	f.Add([]byte("\x02\x04\x06\x80\xff\x03\x05\xff\x07\x80\x03\xff"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 300 {
			return
		}
		var ops []op
		var lits []Lit
		for _, b := range data {
			switch {
			case b < 128:
				l := Lit(1 + b/2%maxVars)
				if b%2 != 0 {
					l = -l
				}
				lits = append(lits, l)
			default:
				ops = append(ops, op{b >= 192, lits})
				lits = nil
			}
		}
		for _, name := range libraries() {
			if err := play(open(t, name), ops); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	})
}

// pigeons adds clauses that are unsatisfiable while on holds, and hard: there
// are n holes for n+1 pigeons.
func pigeons(s Solver, n int, on Lit) {
	at := make([][]Lit, n+1)
	for p := range at {
		clause := []Lit{-on}
		for range n {
			at[p] = append(at[p], s.NewVar())
		}
		s.AddClause(append(clause, at[p]...)...)
	}
	for hole := range n {
		for p := range at {
			for q := range p {
				s.AddClause(-on, -at[p][hole], -at[q][hole])
			}
		}
	}
}

func needThreads(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("nothing interrupts gini where there are no threads")
	}
}

func TestCancel(t *testing.T) {
	needThreads(t)
	eachBackend(t, func(t *testing.T, name string) {
		s := open(t, name)
		on := s.NewVar()
		pigeons(s, 14, on)
		before := runtime.NumGoroutine()

		for _, kind := range []string{"timeout", "cancel"} {
			var ctx context.Context
			var cancel context.CancelFunc
			want := context.DeadlineExceeded
			const after = 50 * time.Millisecond
			start := time.Now()
			if kind == "timeout" {
				ctx, cancel = context.WithTimeout(context.Background(), after)
			} else {
				want = context.Canceled
				ctx, cancel = context.WithCancel(context.Background())
				time.AfterFunc(after, cancel)
			}
			status, err := s.Solve(ctx, on)
			late := time.Since(start) - after
			cancel()
			if status != Unknown || !errors.Is(err, want) {
				t.Fatalf("%s: %v, %v", kind, status, err)
			}
			// Far more than it takes, for a machine that is busy.
			if late > time.Second {
				t.Errorf("%s: returned %v late", kind, late)
			}
			t.Logf("%s: returned %v late", kind, late)

			if status, err := s.Solve(context.Background(), -on); status != Sat || err != nil {
				t.Fatalf("after %s: %v, %v", kind, status, err)
			}
			if s.Value(on) {
				t.Errorf("after %s: wrong model", kind)
			}
		}

		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		start := time.Now()
		if status, err := s.Solve(ctx, on); status != Unknown || !errors.Is(err, context.Canceled) {
			t.Errorf("ended context: %v, %v", status, err)
		}
		if took := time.Since(start); took > 200*time.Millisecond {
			t.Errorf("ended context: took %v", took)
		}

		s.AddClause(-on)
		if status, err := s.Solve(context.Background(), on); status != Unsat || err != nil || !slices.Equal(s.Core(), []Lit{on}) {
			t.Errorf("in the end: %v, %v", status, err)
		}
		for range 100 { // goroutines take a moment to end
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%d goroutines before, %d after", before, runtime.NumGoroutine())
	})
}

// The context may end while a large formula is still being handed over.
func TestCancelFeeding(t *testing.T) {
	needThreads(t)
	for _, name := range libraries() {
		s := open(t, name)
		const n = 1000
		for range n {
			s.NewVar()
		}
		for i := Lit(0); i < 1_000_000; i++ {
			s.AddClause(1+i%n, 1+i*7%n, -1-i*11%n)
		}
		for range 3 {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			start := time.Now()
			status, err := s.Solve(ctx)
			if took := time.Since(start); took > time.Second {
				t.Errorf("%s: took %v", name, took)
			}
			cancel()
			t.Logf("%s: %v %v", name, status, err)
		}
		if status, err := s.Solve(context.Background()); status != Sat || err != nil {
			t.Errorf("%s: %v, %v", name, status, err)
		}
	}
}

func TestDimacs(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 50 {
		s := open(t, "")
		var want [][]Lit
		for _, op := range random(r) {
			for _, l := range op.lits {
				for s.Stats().Vars < int(l.Var()) {
					s.NewVar()
				}
			}
			if !op.solve {
				s.AddClause(op.lits...)
				want = append(want, op.lits)
			}
		}
		if s.Stats().Vars == 0 {
			s.NewVar()
		}
		if r.IntN(4) == 0 {
			s.AddClause()
			want = append(want, []Lit{})
		}
		s.Solve(context.Background()) // what gini learns must not show
		assumption := -Lit(s.Stats().Vars)
		var text bytes.Buffer
		if err := s.WriteDimacs(&text, assumption); err != nil {
			t.Fatal(err)
		}
		want = append(want, []Lit{assumption})
		vars, got := parseDimacs(t, text.String())
		if vars != s.Stats().Vars || !slices.EqualFunc(got, want, slices.Equal) {
			t.Fatalf("got %d, want %d", got, want)
		}
	}
}

func parseDimacs(t *testing.T, text string) (vars int, clauses [][]Lit) {
	header, body, _ := strings.Cut(text, "\n")
	var count int
	if _, err := fmt.Sscanf(header, "p cnf %d %d", &vars, &count); err != nil {
		t.Fatalf("%q: %v", header, err)
	}
	for line := range strings.Lines(body) {
		clause := []Lit{}
		for _, w := range strings.Fields(line) {
			l, err := strconv.Atoi(w)
			if err != nil {
				t.Fatal(err)
			}
			clause = append(clause, Lit(l))
		}
		if n := len(clause) - 1; n < 0 || clause[n] != 0 {
			t.Fatalf("clause %q has no end", line)
		}
		clauses = append(clauses, clause[:len(clause)-1])
	}
	if len(clauses) != count {
		t.Fatalf("%d clauses, but the header says %d", len(clauses), count)
	}
	return vars, clauses
}

func TestDimacsFailure(t *testing.T) {
	s := open(t, "")
	v := s.NewVar()
	for range 100_000 {
		s.AddClause(v)
	}
	if err := s.WriteDimacs(full{}); !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

var errFull = errors.New("disk full")

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errFull }

// A liar answers what it was told to.
type liar struct {
	giniBackend
	status Status
	err    error
	lits   []Lit
}

func (l *liar) solve(context.Context, *clauseLog, []Lit) (Status, error) { return l.status, l.err }
func (l *liar) model(m model) {
	for _, l := range l.lits {
		m.set(l)
	}
}
func (l *liar) core(dst []Lit) []Lit { return append(dst, l.lits...) }

func TestLiar(t *testing.T) {
	broken := errors.New("broken")
	tests := []struct {
		name   string
		b      liar
		status Status
		err    string
		clause []Lit
	}{
		{"right model", liar{status: Sat, lits: []Lit{1, -2, 3}}, Sat, "", nil},
		{"wrong model", liar{status: Sat, lits: []Lit{1, 2, 3}}, Unknown, "clause 2 of 3: [-1 -2]", []Lit{-1, -2}},
		{"wrong at first", liar{status: Sat, lits: []Lit{-1, -2, 3}}, Unknown, "clause 1 of 3: [1 2]", []Lit{1, 2}},
		{"wrong at last", liar{status: Sat, lits: []Lit{2, 3}}, Unknown, "clause 3 of 3: [1]", []Lit{1}},
		{"wrong assumption", liar{status: Sat, lits: []Lit{1, -2, -3}}, Unknown, "assumption [3]", []Lit{3}},
		{"right core", liar{status: Unsat, lits: []Lit{3}}, Unsat, "", nil},
		{"wrong core", liar{status: Unsat, lits: []Lit{3, -3}}, Unknown, "core has -3", nil},
		{"no answer", liar{}, Unknown, "gave no answer", nil},
		{"failure", liar{err: broken}, Unknown, "broken", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &checked{name: "liar", b: &test.b}
			a, b, c := s.NewVar(), s.NewVar(), s.NewVar()
			s.AddClause(a, b)
			s.AddClause(-a, -b)
			s.AddClause(a)
			status, err := s.Solve(context.Background(), c)
			if status != test.status {
				t.Errorf("status %v", status)
			}
			if test.err == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.HasPrefix(err.Error(), "solver: ") || !strings.Contains(err.Error(), test.err) {
				t.Fatalf("error %v", err)
			}
			wrong, internal := errors.AsType[*InternalError](err)
			if internal != (test.b.status != Unknown) {
				t.Fatalf("error of type %T", err)
			}
			if internal && !slices.Equal(wrong.Clause, test.clause) {
				t.Errorf("clause %d", wrong.Clause)
			}
			if test.b.err != nil && !errors.Is(err, broken) {
				t.Error("not wrapped")
			}
		})
	}
}

func TestMisuse(t *testing.T) {
	s := open(t, "")
	v := s.NewVar()
	panics := func(what string, f func()) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s: no panic", what)
			}
		}()
		f()
	}
	ctx := context.Background()
	panics("literal 0", func() { s.AddClause(v, 0) })
	panics("no such variable", func() { s.AddClause(-2) })
	panics("no such assumption", func() { s.Solve(ctx, 2) })
	panics("model too early", func() { s.Value(v) })
	panics("core too early", func() { s.Core() })
	if status, err := s.Solve(ctx, v); status != Sat || err != nil {
		t.Fatal(status, err)
	}
	panics("core of a model", func() { s.Core() })
	panics("value of nothing", func() { s.Value(0) })

	// The model outlives what is added to the formula.
	w := s.NewVar()
	s.AddClause(-v)
	if !s.Value(v) || s.Value(-v) || s.Value(w) || !s.Value(-w) {
		t.Error("the model has changed")
	}
	if status, err := s.Solve(ctx, w, v); status != Unsat || err != nil {
		t.Fatal(status, err)
	}
	panics("model of a core", func() { s.Value(v) })

	if got, want := s.Stats(), (Stats{Vars: 2, Clauses: 1, Literals: 1, Solves: 2, Conflicts: 0}); got != want {
		t.Errorf("stats %+v", got)
	}
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("cannot be closed twice: %v", err)
		}
	}
	if status, err := s.Solve(ctx); status != Unknown || err == nil {
		t.Errorf("solves when closed: %v %v", status, err)
	}
}

func TestNewUnknown(t *testing.T) {
	_, err := New("no-such-solver")
	if err == nil || !strings.Contains(err.Error(), "no-such-solver") || !strings.Contains(err.Error(), "there are: cdcl, gini") {
		t.Errorf("got %v", err)
	}
	if _, err := New("cadical-cgo"); cadicalBuilt {
		if err != nil {
			t.Error(err)
		}
	} else if err == nil || !strings.Contains(err.Error(), "-tags cadical") {
		t.Errorf("got %v", err)
	}
}

func TestStrings(t *testing.T) {
	for want, s := range map[string]fmt.Stringer{"unknown": Unknown, "sat": Sat, "unsat": Unsat, "Status(7)": Status(7)} {
		if s.String() != want {
			t.Errorf("%v is not %q", s, want)
		}
	}
	if l := Lit(-3); l.Var() != 3 || l.Not() != 3 || l.Not().Var() != 3 {
		t.Error("literals")
	}
}

// BenchmarkIncremental unrolls an 8-bit counter that may or may not count, and
// asks after each step whether it can have reached 100, up to the step where
// it can.
func BenchmarkIncremental(b *testing.B) {
	const bits, goal = 8, 100
	for _, name := range Available() {
		b.Run(name, func(b *testing.B) {
			if isProgram(name) && testing.Short() {
				b.Skip("a process for each solve")
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			for b.Loop() {
				s, err := New(name)
				if err != nil {
					b.Fatal(err)
				}
				var now [bits]Lit
				for i := range now {
					now[i] = s.NewVar()
					s.AddClause(-now[i])
				}
				for step := 0; ; step++ {
					reached := make([]Lit, bits)
					for i, v := range now {
						reached[i] = v
						if goal>>i&1 == 0 {
							reached[i] = -v
						}
					}
					status, err := s.Solve(ctx, reached...)
					if err != nil || (status == Sat) != (step == goal) {
						b.Fatal(step, status, err)
					}
					if status == Sat {
						break
					}
					carry := s.NewVar()
					for i, v := range now {
						sum, next := s.NewVar(), s.NewVar()
						s.AddClause(-sum, v, carry)
						s.AddClause(-sum, -v, -carry)
						s.AddClause(sum, -v, carry)
						s.AddClause(sum, v, -carry)
						s.AddClause(-next, v)
						s.AddClause(-next, carry)
						s.AddClause(next, -v, -carry)
						now[i], carry = sum, next
					}
				}
				s.Close()
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/(goal+1), "µs/solve")
		})
	}
}

// BenchmarkSmall is a question that takes no work: what is left is the cost of
// asking, with a context that can end and with one that cannot.
func BenchmarkSmall(b *testing.B) {
	ending, cancel := context.WithCancel(context.Background())
	defer cancel()
	for _, name := range libraries() {
		for what, ctx := range map[string]context.Context{"endless": context.Background(), "ending": ending} {
			b.Run(name+"/"+what, func(b *testing.B) {
				s := open(b, name)
				v := s.NewVar()
				for b.Loop() {
					v = -v
					if status, err := s.Solve(ctx, v); status != Sat {
						b.Fatal(status, err)
					}
				}
			})
		}
	}
}

// BenchmarkCheck checks a model against 8 million clauses, as many as a large
// encoding has.
func BenchmarkCheck(b *testing.B) {
	cnf := new(clauseLog)
	order(201, cnf.newVar, func(lits ...Lit) { cnf.add(lits) })
	m := model(nil).reset(cnf.vars)
	for v := range Lit(cnf.vars) {
		m.set(v + 1)
	}
	for b.Loop() {
		if _, clause := cnf.falsified(m); clause != nil {
			b.Fatal(clause)
		}
	}
}

// BenchmarkLoad adds 8 million clauses and solves them.
func BenchmarkLoad(b *testing.B) {
	for _, name := range libraries() {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s, err := New(name)
				if err != nil {
					b.Fatal(err)
				}
				order(201, s.NewVar, s.AddClause)
				if status, err := s.Solve(context.Background()); status != Sat {
					b.Fatal(status, err)
				}
				s.Close()
			}
		})
	}
}

// order says that a relation is a total order of n things: a variable for
// each pair, a clause for each triple.
func order(n int, newVar func() Lit, add func(...Lit)) {
	before := make([][]Lit, n)
	for i := range before {
		before[i] = make([]Lit, n)
		for j := range i {
			before[j][i] = newVar()
			before[i][j] = -before[j][i]
		}
	}
	clause := make([]Lit, 3)
	for i := range n {
		for j := range n {
			for k := range n {
				if i != j && j != k && k != i {
					clause[0], clause[1], clause[2] = -before[i][j], -before[j][k], before[i][k]
					add(clause...)
				}
			}
		}
	}
}
