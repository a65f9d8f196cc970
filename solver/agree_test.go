package solver

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
)

var queries = flag.Int("queries", 3000, "questions of each kind for TestAgree; -timeout bounds them, too")

// TestAgree has gini, CaDiCaL and our own answer the same questions, on formulas too large for
// the oracle, with clauses between the questions and with assumptions. Of a core all must say that it is one.
//
// There are two kinds. Propositional ones are random, near the threshold, with pigeons, parities and orders among them. Those
// with an order have edges between nodes, which our own solver has in its theory; the others get literals
// for what leads to what, and clauses that say that this is transitive and has no cycle.
func TestAgree(t *testing.T) {
	for _, kind := range []struct {
		name string
		make func(r *rand.Rand, q *quiz)
	}{{"propositional", propositional}, {"orders", withOrder}} {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			j := &jury{t: t}
			answers := map[Status]int{}
			asked := 0
			for seed := uint64(0); asked < *queries; seed++ {
				q := &quiz{t: t, seed: seed, own: open(t, "cdcl"), gini: open(t, "gini")}
				r := rand.New(rand.NewPCG(11, seed))
				kind.make(r, q)
				for range 8 {
					for range int(q.vars)/3 + r.IntN(int(q.vars)) {
						q.add(q.lit(r), q.lit(r), q.lit(r))
					}
					if r.IntN(6) == 0 {
						q.add(q.lit(r), q.lit(r))
					}
					var assumptions []Lit
					for range r.IntN(6) {
						assumptions = append(assumptions, q.lit(r))
					}
					st := q.ask(assumptions)
					asked++
					answers[st]++
					j.judge(q.clauses, assumptions, q.all, st)
				}
				q.own.Close()
				q.gini.Close()
			}
			j.end()
			t.Logf("%d questions: %v, of which CaDiCaL confirms %d", asked, answers, j.confirmed)
			if min(answers[Sat], answers[Unsat]) < asked/10 {
				t.Errorf("one-sided: %v", answers)
			}
		})
	}
}

// A quiz is what solvers are asked about.
type quiz struct {
	t         *testing.T
	seed      uint64
	own, gini Solver
	vars, all Lit // variables that clauses are made of at random; and those that say what leads to what
	clauses   [][]Lit
	order     Order
	leads     [][]Lit // by nodes
}

func (q *quiz) newVar() Lit {
	q.own.NewVar()
	q.all = q.gini.NewVar()
	return q.all
}

func (q *quiz) add(lits ...Lit) {
	q.own.AddClause(lits...)
	q.others(lits...)
}

// others gives a clause to all but our own solver.
func (q *quiz) others(lits ...Lit) {
	q.gini.AddClause(lits...)
	q.clauses = append(q.clauses, slices.Clone(lits))
}

func (q *quiz) lit(r *rand.Rand) Lit {
	l := 1 + Lit(r.IntN(int(q.vars)))
	if r.IntN(2) == 0 {
		return -l
	}
	return l
}

func (q *quiz) ask(assumptions []Lit) Status {
	ctx := context.Background()
	x, err := q.own.Solve(ctx, assumptions...)
	y, err2 := q.gini.Solve(ctx, assumptions...)
	if err != nil || err2 != nil || x != y {
		q.t.Fatalf("seed %d: %v, %v, and gini %v, %v", q.seed, x, err, y, err2)
	}
	if x == Unsat {
		if y, err := q.gini.Solve(ctx, q.own.Core()...); y != Unsat || err != nil {
			q.t.Fatalf("seed %d: gini says %v, %v of core %d", q.seed, y, err, q.own.Core())
		}
	}
	return x
}

func propositional(r *rand.Rand, q *quiz) {
	n := 20 + r.IntN(60)
	for range n {
		q.vars = q.newVar()
	}
	switch r.IntN(4) {
	case 0:
		pigeons(both{q.own, q}, 2+r.IntN(4), q.newVar())
		q.vars = q.all
	case 1: // parities over neighbours
		for range n / 2 {
			x, y, z := q.lit(r), q.lit(r), q.lit(r)
			q.add(x, y, z)
			q.add(x, -y, -z)
			q.add(-x, y, -z)
			q.add(-x, -y, z)
		}
	case 2:
		order(4+r.IntN(4), q.newVar, q.add)
		q.vars = q.all
	}
}

// both takes clauses for all solvers.
type both struct {
	Solver
	q *quiz
}

func (s both) NewVar() Lit           { return s.q.newVar() }
func (s both) AddClause(lits ...Lit) { s.q.add(lits...) }

func withOrder(r *rand.Rand, q *quiz) {
	nodes := 3 + r.IntN(7)
	for range 20 + r.IntN(30) {
		q.vars = q.newVar()
	}
	q.order = OrderOf(q.own)
	for i := range nodes {
		q.order.NewNode()
		q.leads = append(q.leads, nil)
		for range nodes {
			q.leads[i] = append(q.leads[i], q.newVar())
		}
	}
	for i := range nodes {
		q.others(-q.leads[i][i])
		for j := range nodes {
			for k := range nodes {
				q.others(-q.leads[i][j], -q.leads[j][k], q.leads[i][k])
			}
		}
	}
	for range nodes * (1 + r.IntN(4)) {
		from, to, l := r.IntN(nodes), r.IntN(nodes), q.lit(r)
		if from != to || r.IntN(8) == 0 {
			q.order.AddEdge(from, to, l)
			q.others(-l, q.leads[from][to])
		}
	}
}

// A jury is CaDiCaL, where it is installed. To start it for each question would take long: it gets many of one
// answer at once. All that are satisfiable are so together, each with variables of its own. Where all are unsatisfiable, so is
// that one of them holds.
type jury struct {
	t         *testing.T
	sat       bundle
	unsat     bundle
	confirmed int
}

// A bundle is formulas, with their variables shifted.
type bundle struct {
	n       int
	vars    Lit
	clauses [][]Lit
	one     []Lit // by formula: it holds
}

const bundled = 100

// judge takes a question and its answer.
func (j *jury) judge(clauses [][]Lit, assumptions []Lit, vars Lit, st Status) {
	b := &j.sat
	if st == Unsat {
		b = &j.unsat
	}
	on := b.vars + vars + 1
	take := func(lits []Lit) {
		c := []Lit{-on}
		for _, l := range lits {
			if l > 0 {
				c = append(c, l+b.vars)
			} else {
				c = append(c, l-b.vars)
			}
		}
		b.clauses = append(b.clauses, c)
	}
	for _, c := range clauses {
		take(c)
	}
	for _, a := range assumptions {
		take([]Lit{a})
	}
	b.one = append(b.one, on)
	b.vars = on
	if b.n++; b.n == bundled {
		j.end()
	}
}

// end asks about what there is.
func (j *jury) end() {
	if !slices.Contains(Available(), "cadical") {
		return
	}
	for _, l := range j.sat.one { // all
		j.sat.clauses = append(j.sat.clauses, []Lit{l})
	}
	j.unsat.clauses = append(j.unsat.clauses, j.unsat.one) // one of them
	for want, b := range map[Status]*bundle{Sat: &j.sat, Unsat: &j.unsat} {
		s := open(j.t, "cadical")
		for range b.vars {
			s.NewVar()
		}
		for _, c := range b.clauses {
			s.AddClause(c...)
		}
		if st, err := s.Solve(context.Background()); st != want || err != nil {
			j.t.Fatalf("cadical says %v, %v of %d formulas that are each %v", st, err, b.n, want)
		}
		s.Close()
		j.confirmed += b.n
		*b = bundle{}
	}
}
