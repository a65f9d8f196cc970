// Command sat measures SAT solvers on the queries of bounded model checking: it
// unrolls examples, notes every call that a solver gets, and has each solver do
// the same again.
//
//	go run ./bench/sat
//	go run ./bench/sat -solvers cdcl,gini,cadical
//	go run ./bench/sat -encodings
//
// The solvers of this process get the calls as they were. A program gets the last
// question alone, since it keeps nothing, and is compared with ours on that. In a
// column of its own is the core with its theory of order, on formulas without the
// clauses for triples. Measurements take turns; figures are processor seconds, and
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
	alone    = flag.String("alone", "cdcl,gini,cadical,minisat", "the solvers that get the last question alone; those that are not here are left out")
	only     = flag.String("only", "", "the rows to measure, a regular expression (default all)")
	limit    = flag.Duration("timeout", time.Minute, "for each measurement")
	runs     = flag.Int("runs", 1, "how often to measure; the least counts")
	dump     = flag.String("dump", "", "write the last question of each row into this directory, as DIMACS")
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

// A tape is the calls that a solver got. As it is none of package solver's own,
// nobody finds that it knows orders.
type tape struct {
	solver.Solver
	lits  []solver.Lit // clauses and assumptions, each followed by a 0
	calls []call
}

type call struct {
	vars    int // before it, as literals of lits before it are
	lits    int
	answers solver.Status
}

func (t *tape) AddClause(lits ...solver.Lit) {
	t.Solver.AddClause(lits...)
	t.lits = append(append(t.lits, lits...), 0)
}

func (t *tape) Solve(ctx context.Context, assumptions ...solver.Lit) (solver.Status, error) {
	st, err := t.Solver.Solve(ctx, assumptions...)
	t.calls = append(t.calls, call{vars: t.Stats().Vars, lits: len(t.lits), answers: st})
	t.lits = append(append(t.lits, assumptions...), 0)
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
		if c.answers != solver.Unknown && st != c.answers {
			return fmt.Errorf("question %d is %v, and was %v", i, st, c.answers)
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
	file := filepath.Join(*examples, q.file+".imp")
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
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	s, err := solver.New(name)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	start := cpu.Time()
	err = do(ctx, s)
	return max((cpu.Time() - start).Seconds(), 1e-4), err
}

type table struct {
	queries, last []string // solvers
	means         map[string]*measure.Mean
}

func (t *table) row(q query) error {
	p, err := q.load()
	if err != nil {
		return err
	}
	rec := &tape{}
	if _, err := timed("cdcl", func(ctx context.Context, s solver.Solver) error {
		rec.Solver = s
		return unroll(ctx, p, q, rec, encode.Options{Model: memory.TSO})
	}); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if *dump != "" {
		if err := rec.dump(q); err != nil {
			return err
		}
	}
	var jobs []func() (float64, error)
	all := func(int) bool { return true }
	last := func(i int) bool { return i == len(rec.calls)-1 }
	replay := func(name string, want func(int) bool) {
		jobs = append(jobs, func() (float64, error) {
			return timed(name, func(ctx context.Context, s solver.Solver) error { return rec.play(ctx, s, want) })
		})
	}
	for _, name := range t.queries {
		replay(name, all)
	}
	for _, name := range t.last {
		replay(name, last)
	}
	jobs = append(jobs, func() (float64, error) {
		return timed("cdcl", func(ctx context.Context, s solver.Solver) error {
			return unroll(ctx, p, q, s, encode.Options{Model: memory.TSO})
		})
	})
	samples, errs := measure.Interleave(*runs, jobs)
	cells := []string{q.String(), fmt.Sprint(len(rec.calls))}
	var base float64
	for i := range jobs {
		if i == 0 || i == len(t.queries) {
			base = 0
		}
		if len(samples[i]) == 0 {
			if !errors.Is(errs[i], context.DeadlineExceeded) {
				return errs[i]
			}
			cells = append(cells, "-")
			continue
		}
		took := slices.Min(samples[i])
		switch {
		case i == len(jobs)-1:
			cells = append(cells, fmt.Sprintf("%.3f", took))
		case i == 0 || i == len(t.queries):
			base = took
			cells = append(cells, fmt.Sprintf("%.3f", took))
		case base == 0:
			cells = append(cells, fmt.Sprintf("%.3f", took))
		default:
			cells = append(cells, fmt.Sprintf("%.2f", took/base))
			kind, name := "", ""
			if i < len(t.queries) {
				kind, name = "all", t.queries[i]
			} else {
				kind, name = "last", t.last[i-len(t.queries)]
			}
			for _, key := range []string{kind + " questions, " + name, kind + " questions of 0.1 s and more, " + name} {
				if strings.Contains(key, "0.1") && max(took, base) < 0.1 {
					continue
				}
				if t.means[key] == nil {
					t.means[key] = new(measure.Mean)
				}
				t.means[key].Add(took / base)
			}
		}
	}
	measure.Row(os.Stdout, cells...)
	return nil
}

func (t *tape) dump(q query) error {
	s, err := solver.New("gini")
	if err != nil {
		return err
	}
	defer s.Close()
	if err := t.play(context.Background(), s, func(int) bool { return false }); err != nil {
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
	n := len(t.lits) - 1
	start := n
	for start > 0 && t.lits[start-1] != 0 {
		start--
	}
	if err := s.WriteDimacs(f, t.lits[start:n]...); err != nil {
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
	t := &table{queries: strings.Split(*solvers, ","), means: map[string]*measure.Mean{}}
	for _, name := range strings.Split(*alone, ",") {
		if slices.Contains(solver.Available(), name) {
			t.last = append(t.last, name)
		}
	}
	head := append([]string{"query", "questions"}, t.queries...)
	for _, name := range t.last {
		head = append(head, name+" alone")
	}
	measure.Head(os.Stdout, append(head, "cdcl, with order")...)
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
		fmt.Printf("Geometric mean of the ratios, %s: %s (%d rows)\n", k, t.means[k], t.means[k].N)
	}
}
