// Command sat measures SAT solvers on the queries of bounded model checking: it
// unrolls examples, notes every call that a solver gets, and has each solver do
// the same again.
//
//	go run ./bench/sat
//	go run ./bench/sat -solvers cdcl,gini,cadical
//	go run ./bench/sat -encodings
//
// The solvers of this process get the calls as they were. A program, since it keeps nothing, gets one
// question alone, that which took most conflicts, and is compared with ours on that. In columns
// of their own is the core with its theory of order, on formulas without the
// clauses for triples, the encoding included. Measurements take turns; figures are processor seconds, and
// ratios are to the first solver.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-verifier/fencepost/bench/internal/cpu"
	"github.com/fencepost-verifier/fencepost/bench/internal/measure"
	"github.com/fencepost-verifier/fencepost/encode"
	"github.com/fencepost-verifier/fencepost/encode/bmc"
	"github.com/fencepost-verifier/fencepost/lang"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/solver"
)

var (
	examples = flag.String("examples", "examples", "directory of the examples")
	solvers  = flag.String("solvers", "cdcl,gini", "the solvers, with commas in between")
	alone    = flag.String("alone", "cdcl,gini,cadical,minisat", "the solvers that get the hardest question alone; those that are not here are left out")
	only     = flag.String("only", "", "the rows to measure, a regular expression (default all)")
	limit    = flag.Duration("timeout", time.Minute, "for each measurement")
	runs     = flag.Int("runs", 1, "how often to measure; the least counts")
	dump     = flag.String("dump", "", "write the hardest question of each row into this directory, as DIMACS")
)

// A query is an example unrolled.
type query struct {
	file   string
	n      int64 // its constant N, or LIMIT; 0: as it is
	unroll int
}

var queries = []query{
	{"peterson-fenced", 0, 6}, {"dekker-fenced", 0, 8}, {"szymanski-fenced", 0, 4}, {"szymanski-fenced", 0, 5},
	{"bakery-fenced", 4, 8}, {"bakery-fenced", 4, 11}, {"burns-fenced", 3, 3}, {"dijkstra-fenced", 0, 3}, {"dijkstra-fenced", 3, 1},
	{"lamport-fast-fenced", 2, 3}, {"lamport-fast-fenced", 2, 5}, {"lamport-fast-fenced", 3, 1}, {"lamport-fast-fenced", 3, 2},
	{"lamport-fast-fenced", 4, 1}, {"mcs-lock", 0, 6}, {"clh-lock", 3, 2}, {"cilk-the-fenced", 0, 6}, {"chase-lev-fenced", 0, 4},
	{"peterson-n-fenced", 3, 12}, {"szymanski-n-fenced", 0, 3}, {"seqlock", 0, 4}, {"ticket-lock", 0, 4}, {"lock-free-stack", 0, 3},
	{"parker-fenced", 0, 5}, {"nbw-fenced", 0, 4}, {"sb-ring-fenced", 30, 0}, {"sb-ring", 30, 0}, {"spinlock", 0, 8},
	{"lamport-fast", 4, 0}, {"thesis/fig5.4", 30, 0}, {"thesis/fig5.3", 60, 0},
	{"lamport-fast-fenced", 3, 3}, {"mcs-lock", 0, 8}, {"dekker-fenced", 0, 10}, {"szymanski-fenced", 0, 6}, {"ticket-lock", 0, 6},
	{"spinlock", 0, 6}, {"peterson-n-fenced", 3, 29}, {"c/lamport-fast.c", 0, 3}, {"c/mcs-lock.c", 0, 4}, {"c/ticket-lock.c", 0, 4},
	{"c/szymanski.c", 0, 3}, {"c/bounded-buffer.c", 0, 3}, {"c/dekker.c", 0, 5}, {"c/treiber-stack.c", 0, 3}, {"c/ms-queue.c", 0, 3},
}

func (q query) String() string {
	s := q.file
	if q.n > 0 {
		s += fmt.Sprintf(", %d", q.n)
	}
	if q.unroll > 0 {
		s += fmt.Sprintf(", %d unrollings", q.unroll)
	}
	return s
}

// A tape is the calls that a solver got. The questions are not asked: their answers are known. As it is
// none of package solver's own, nobody finds that it knows orders.
type tape struct {
	solver.Solver
	answers []solver.Status
	lits    []solver.Lit // clauses and assumptions, each followed by a 0
	calls   []call
}

type call struct {
	vars int // before it, as literals of lits before it are
	lits int
}

func (t *tape) AddClause(lits ...solver.Lit) {
	t.lits = append(append(t.lits, lits...), 0)
}

func (t *tape) Solve(ctx context.Context, assumptions ...solver.Lit) (solver.Status, error) {
	t.calls = append(t.calls, call{vars: t.Stats().Vars, lits: len(t.lits)})
	t.lits = append(append(t.lits, assumptions...), 0)
	return known(t.answers, len(t.calls)-1)
}

// known is answer i, and that the time is over where there is none.
func known(answers []solver.Status, i int) (solver.Status, error) {
	if i < len(answers) {
		return answers[i], nil
	}
	return solver.Unknown, context.DeadlineExceeded
}

// A listener is a solver with its theory of order, and notes what it was asked. Where it has
// answers, it is asked question only.
type listener struct {
	solver.Solver
	answers   []solver.Status // nil: all is asked
	only      int
	heard     []solver.Status
	conflicts []int64 // of each question
}

// Unwrap lets package solver find that it knows orders.
func (l *listener) Unwrap() solver.Solver { return l.Solver }

func (l *listener) Solve(ctx context.Context, assumptions ...solver.Lit) (st solver.Status, err error) {
	if i := len(l.heard); l.answers != nil && i != l.only {
		st, err = known(l.answers, i)
		l.heard = append(l.heard, st)
		return st, err
	}
	before := l.Stats().Conflicts
	if st, err = l.Solver.Solve(ctx, assumptions...); err == nil {
		l.heard = append(l.heard, st)
		l.conflicts = append(l.conflicts, l.Stats().Conflicts-before)
	}
	return st, err
}

// play makes the calls again, the clauses of all and the questions that are wanted.
func (t *tape) play(ctx context.Context, s solver.Solver, want func(i int) bool) error {
	at := 0
	for i, c := range t.calls {
		for s.Stats().Vars < c.vars {
			s.NewVar()
		}
		for at < c.lits {
			end := at + slices.Index(t.lits[at:], 0)
			s.AddClause(t.lits[at:end]...)
			at = end + 1
		}
		end := at + slices.Index(t.lits[at:], 0)
		assumptions := t.lits[at:end]
		at = end + 1
		if !want(i) {
			continue
		}
		st, err := s.Solve(ctx, assumptions...)
		if err != nil {
			return err
		}
		if st != t.answers[i] {
			return fmt.Errorf("question %d is %v, and was %v", i, st, t.answers[i])
		}
	}
	return nil
}

// unroll asks what bmc asks.
func unroll(ctx context.Context, p *program.Program, q query, s solver.Solver, opts encode.Options) error {
	r, err := program.Analyse(p)
	if err != nil {
		return err
	}
	f, err := encode.New(p, r, s, opts)
	if err != nil {
		return err
	}
	d := &bmc.Deepening{Formula: f, Unroll: cmp.Or(q.unroll, 60)}
	_, err = d.Run(ctx, func(ctx context.Context) (bool, error) {
		v, err := f.Violations(ctx)
		if err != nil {
			return false, err
		}
		st, err := v.Solve(ctx)
		return st == solver.Sat, err
	})
	if ctx.Err() == nil { // else the bound is reached
		err = nil
	}
	return err
}

// load reads the example.
func (q query) load() (*program.Program, error) {
	file := filepath.Join(*examples, q.file)
	if filepath.Ext(file) != ".c" {
		file += ".imp"
	}
	if q.n == 0 {
		return lang.Load(file, nil)
	}
	p, err := lang.Load(file, map[string]int64{"N": q.n})
	if err != nil {
		p, err = lang.Load(file, map[string]int64{"LIMIT": q.n})
	}
	return p, err
}

// timed is the processor time of do with a solver.
func timed(name string, do func(ctx context.Context, s solver.Solver) error) (float64, error) {
	s, err := solver.New(name)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	start := cpu.Time()
	ctx, cancel := context.WithTimeout(context.Background(), 20**limit) // for a program, whose time is known when it ends
	defer cancel()
	ticker := time.NewTicker(20 * time.Millisecond)
	defer ticker.Stop()
	go func() {
		for ctx.Err() == nil {
			if <-ticker.C; cpu.Time()-start > *limit {
				cancel()
			}
		}
	}()
	err = do(ctx, s)
	took := cpu.Time() - start
	if took > *limit || ctx.Err() != nil {
		return 0, context.DeadlineExceeded
	}
	return max(took.Seconds(), 1e-4), err
}

// A column is what is measured of each query.
type column struct {
	name   string
	base   int // the column that it is a ratio to; its own number: none
	group  string
	enough int // the column that says whether the query took 0.1 s
}

type table struct {
	columns []column
	solvers []string // by column; "": ours, with its theory of order
	alone   []bool   // by column: the hardest question alone
	means   map[string]*measure.Mean
}

func newTable(all, alone []string) *table {
	t := &table{means: map[string]*measure.Mean{}}
	add := func(names []string, suffix string, single bool) {
		base := len(t.columns)
		for _, name := range append(names, "") {
			c := column{name: name + suffix, base: base, group: "all questions", enough: base}
			if single {
				c.group = "the hardest question alone"
				if i := slices.Index(alone, "cadical"); i >= 0 {
					c.enough = base + i
				}
			}
			if name == "" {
				c.name = "with order" + suffix
			}
			t.columns = append(t.columns, c)
			t.solvers = append(t.solvers, name)
			t.alone = append(t.alone, single)
		}
	}
	add(slices.Clone(all), "", false)
	add(slices.Clone(alone), " alone", true)
	return t
}

func (t *table) head() []string {
	cells := []string{"query", "questions"}
	for _, c := range t.columns {
		cells = append(cells, c.name)
	}
	return cells
}

func (t *table) row(q query) error {
	p, err := q.load()
	if err != nil {
		return err
	}
	heard := &listener{}
	opts := encode.Options{Model: memory.TSO}
	if _, err := timed("cdcl", func(ctx context.Context, s solver.Solver) error {
		heard.Solver = s
		return unroll(ctx, p, q, heard, opts)
	}); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	rec := &tape{answers: heard.heard}
	if rec.Solver, err = solver.New("cdcl"); err != nil {
		return err
	}
	defer rec.Close()
	if err := unroll(context.Background(), p, q, rec, opts); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	rec.calls = rec.calls[:len(rec.answers)]
	if len(rec.calls) == 0 {
		return nil
	}
	hardest := slices.Index(heard.conflicts, slices.Max(heard.conflicts))
	if *dump != "" {
		if err := rec.dump(q, hardest); err != nil {
			return err
		}
	}
	var jobs []func() (float64, error)
	for i, name := range t.solvers {
		want := func(int) bool { return true }
		if t.alone[i] {
			want = func(i int) bool { return i == hardest }
		}
		do := func(ctx context.Context, s solver.Solver) error { return rec.play(ctx, s, want) }
		if name == "" {
			name = "cdcl"
			do = func(ctx context.Context, s solver.Solver) error {
				l := &listener{Solver: s}
				if t.alone[i] {
					l.answers, l.only = rec.answers, hardest
				}
				return unroll(ctx, p, q, l, opts)
			}
		}
		jobs = append(jobs, func() (float64, error) { return timed(name, do) })
	}
	samples, errs := measure.Interleave(*runs, jobs)
	times := make([]float64, len(jobs))
	for i := range jobs {
		if len(samples[i]) > 0 {
			times[i] = slices.Min(samples[i])
		} else if !errors.Is(errs[i], context.DeadlineExceeded) {
			return errs[i]
		}
	}
	measure.Row(os.Stdout, append([]string{q.String(), fmt.Sprint(len(rec.calls))}, t.cells(times)...)...)
	return nil
}

// cells is the times of a row, 0 where there is none: in seconds where they are what others are compared with, else as ratios.
func (t *table) cells(times []float64) (cells []string) {
	for i, c := range t.columns {
		switch base := times[c.base]; {
		case times[i] == 0:
			cells = append(cells, "-")
		case c.base == i || base == 0:
			cells = append(cells, fmt.Sprintf("%.3f s", times[i]))
		default:
			cells = append(cells, fmt.Sprintf("%.2f", times[i]/base))
			t.mean(c.name+" to "+t.columns[c.base].name+", "+c.group, times[i]/base, max(times[i], base))
		}
		if c.enough != c.base && c.name == "with order alone" && times[i] > 0 && times[c.enough] > 0 {
			t.mean(t.columns[c.enough].name+" to "+c.name, times[c.enough]/times[i], times[c.enough])
		}
	}
	return cells
}

// mean adds a ratio to the means, for queries that took so many seconds.
func (t *table) mean(name string, ratio, seconds float64) {
	for key, least := range map[string]float64{name: 0, name + ", of 0.1 s and more": 0.1} {
		if seconds < least {
			continue
		}
		if t.means[key] == nil {
			t.means[key] = new(measure.Mean)
		}
		t.means[key].Add(ratio)
	}
}

// dump writes question i.
func (t *tape) dump(q query, i int) error {
	s, err := solver.New("gini")
	if err != nil {
		return err
	}
	defer s.Close()
	if err := (&tape{lits: t.lits, calls: t.calls[:i+1]}).play(context.Background(), s, func(int) bool { return false }); err != nil {
		return err
	}
	name := strings.Map(func(r rune) rune {
		if strings.ContainsRune("/, ", r) {
			return '-'
		}
		return r
	}, q.String())
	f, err := os.Create(filepath.Join(*dump, name+".cnf"))
	if err != nil {
		return err
	}
	assumptions := t.lits[t.calls[i].lits:]
	assumptions = assumptions[:slices.Index(assumptions, 0)]
	if err := s.WriteDimacs(f, assumptions...); err != nil {
		return err
	}
	return f.Close()
}

func main() {
	log.SetFlags(0)
	flag.Parse()
	rows, err := regexp.Compile(*only)
	if err != nil {
		log.Fatal(err)
	}
	if *encodings {
		wanted := slices.DeleteFunc(slices.Clone(queries), func(q query) bool { return !rows.MatchString(q.String()) })
		if err := compareEncodings(wanted); err != nil {
			log.Fatal(err)
		}
		return
	}
	var here []string
	for _, name := range strings.Split(*alone, ",") {
		if slices.Contains(solver.Available(), name) {
			here = append(here, name)
		}
	}
	t := newTable(strings.Split(*solvers, ","), here)
	measure.Head(os.Stdout, t.head()...)
	for _, q := range queries {
		if rows.MatchString(q.String()) {
			if err := t.row(q); err != nil {
				log.Fatalf("%s: %v", q, err)
			}
		}
	}
	fmt.Println()
	keys := make([]string, 0, len(t.means))
	for k := range t.means {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Printf("Geometric mean of the ratios of %s: %s (%d rows)\n", k, t.means[k], t.means[k].N)
	}
}
