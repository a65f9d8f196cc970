package solver

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/certify/proof"
)

var proofMutants = flag.Int("mutants", 4000, "changed proofs for TestMutatedProofs")

// texts is a proof as the three files.
type texts struct{ formula, order, derivation string }

func (x texts) check() (*proof.Shown, error) {
	return proof.Check(context.Background(), proof.Files{
		Formula: strings.NewReader(x.formula), Order: strings.NewReader(x.order), Derivation: strings.NewReader(x.derivation),
	})
}

func textsOf(p *Proof) (x texts, err error) {
	var f, o, d bytes.Buffer
	err = errors.Join(p.WriteFormula(&f), p.WriteOrder(&o), p.WriteDerivation(&d))
	return texts{f.String(), o.String(), d.String()}, err
}

// proving is a solver that keeps proofs.
func proving(t testing.TB) Solver {
	s := open(t, "cdcl")
	if err := KeepProofs(s, 0); err != nil {
		t.Fatal(err)
	}
	return s
}

// sequence asks a random sequence of questions, about clauses and perhaps an order, and
// calls f with the proof of every answer that is Unsat.
func sequence(t *testing.T, r *rand.Rand, vars, questions int, f func(*Proof, texts)) {
	s := proving(t)
	defer s.Close()
	for range vars {
		s.NewVar()
	}
	lit := func() Lit {
		l := 1 + Lit(r.IntN(vars))
		if r.IntN(2) == 0 {
			l = -l
		}
		return l
	}
	if r.IntN(3) > 0 {
		o := OrderOf(s)
		nodes := 3 + r.IntN(6)
		for range nodes {
			o.NewNode()
		}
		for range r.IntN(4 * nodes) {
			if a, b := r.IntN(nodes), r.IntN(nodes); a != b || r.IntN(10) == 0 {
				o.AddEdge(a, b, lit())
			}
		}
	}
	if r.IntN(4) == 0 {
		pigeons(s, 2+r.IntN(3), s.NewVar())
	}
	for range questions {
		for range 1 + r.IntN(2*vars) {
			clause := make([]Lit, 3)
			if r.IntN(12) == 0 {
				clause = make([]Lit, r.IntN(5))
			}
			if len(clause) == 0 && r.IntN(8) > 0 {
				continue
			}
			for i := range clause {
				clause[i] = lit()
			}
			s.AddClause(clause...)
		}
		var assumptions []Lit
		for range r.IntN(5) {
			assumptions = append(assumptions, lit())
		}
		status, err := s.Solve(context.Background(), assumptions...)
		if err != nil {
			t.Fatal(err)
		}
		if status != Unsat {
			continue
		}
		p, err := ProofOf(s)
		if err != nil {
			t.Fatal(err)
		}
		x, err := textsOf(p)
		if err != nil {
			t.Fatal(err)
		}
		f(p, x)
	}
}

// TestProofs has every answer Unsat of random sequences proved.
func TestProofs(t *testing.T) {
	checked, lemmas, steps := 0, 0, 0
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(21, seed))
		var late []func()
		sequence(t, r, 6+r.IntN(60), 12, func(p *Proof, x texts) {
			shown, err := x.check()
			if err != nil {
				t.Fatalf("seed %d: %v\n%s%s%s", seed, err, x.formula, x.order, x.derivation)
			}
			if shown.Axioms != p.Axioms() {
				t.Fatalf("seed %d: %+v, core %d", seed, shown, p.Core())
			}
			checked++
			lemmas += shown.Lemmas
			steps += shown.Steps
			late = append(late, func() {
				// It is the same after whatever came later.
				again := *p
				again.cut, again.lemmas, again.steps = false, nil, nil
				if y, err := textsOf(&again); err != nil || y != x {
					t.Fatalf("seed %d: a proof has changed: %v", seed, err)
				}
			})
		})
		for _, f := range late {
			f()
		}
	}
	t.Logf("%d proofs, %d lemmas, %d steps", checked, lemmas, steps)
	if checked < 1000 || lemmas < 300 || steps < 5000 {
		t.Errorf("%d proofs, %d lemmas, %d steps", checked, lemmas, steps)
	}
}

// hasModel decides a small formula with an order by trying all assignments.
func hasModel(vars int, clauses [][]Lit, edges []graphEdge) bool {
	log := clauseLog{vars: vars, edges: edges}
	for _, e := range edges {
		log.nodes = max(log.nodes, e.from+1, e.to+1)
	}
	m := model(nil).reset(vars)
	for row := range 1 << vars {
		for v := range vars {
			if l := Lit(v + 1); row>>v&1 != 0 {
				m.set(l)
			} else {
				m.set(-l)
			}
		}
		if !slices.ContainsFunc(clauses, func(c []Lit) bool { return !slices.ContainsFunc(c, m.value) }) && log.cyclic(m) == 0 {
			return true
		}
	}
	return false
}

// stated is what the files state: the axioms, and the edges, whatever the header says.
func stated(t *testing.T, x texts) (vars int, axioms [][]Lit, edges []graphEdge) {
	number := func(word string) int {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	literal := func(word string) Lit {
		n := number(word)
		vars = max(vars, n, -n)
		return Lit(n)
	}
	for line := range strings.Lines(x.formula) {
		words := strings.Fields(line)
		if len(words) == 0 || words[0][0] == 'p' || words[0][0] == 'c' {
			continue
		}
		clause := []Lit{}
		for _, w := range words[:len(words)-1] { // behind which there is a 0
			clause = append(clause, literal(w))
		}
		axioms = append(axioms, clause)
	}
	nodes := map[string]int{}
	node := func(word string) int {
		if _, ok := nodes[word]; !ok {
			nodes[word] = len(nodes)
		}
		return nodes[word]
	}
	words := strings.Fields(x.order)
	for i, w := range words {
		switch w {
		case "edge":
			edges = append(edges, graphEdge{node(words[i+2]), node(words[i+3]), literal(words[i+1])})
		case "lemma":
			axioms[number(words[i+1])-1] = nil
		}
	}
	lemma := func(c []Lit) bool { return c == nil }
	return vars, slices.DeleteFunc(axioms, lemma), edges
}

// mutateProof changes one thing in one of the files.
func mutateProof(r *rand.Rand, x texts) (string, texts) {
	files := []*string{&x.formula, &x.order, &x.derivation, &x.derivation, &x.order}
	which := r.IntN(len(files))
	file := files[which]
	lines := strings.Split(strings.TrimSuffix(*file, "\n"), "\n")
	at := r.IntN(len(lines))
	if which == 4 { // a lemma
		for range 20 {
			if strings.HasPrefix(lines[at], "lemma") {
				break
			}
			at = r.IntN(len(lines))
		}
	}
	fields := strings.Fields(lines[at])
	what := ""
	switch k := r.IntN(7); {
	case k == 0:
		what, lines = "a line less", slices.Delete(lines, at, at+1)
	case k == 1:
		to := r.IntN(len(lines))
		what = "two lines change places"
		lines[at], lines[to] = lines[to], lines[at]
	case k == 2 && len(fields) > 0:
		i := r.IntN(len(fields))
		what = "a word less"
		lines[at] = strings.Join(slices.Delete(fields, i, i+1), " ")
	case k == 3 && len(fields) > 1:
		i, j := r.IntN(len(fields)), r.IntN(len(fields))
		what = "two words change places"
		fields[i], fields[j] = fields[j], fields[i]
		lines[at] = strings.Join(fields, " ")
	case k == 4 && len(fields) > 0:
		other := strings.Fields(lines[r.IntN(len(lines))])
		if len(other) == 0 {
			return "nothing", x
		}
		what = "a word of another line"
		fields[r.IntN(len(fields))] = other[r.IntN(len(other))]
		lines[at] = strings.Join(fields, " ")
	default:
		what = "another number"
		for range 20 {
			if len(fields) == 0 {
				break
			}
			i := r.IntN(len(fields))
			var n int
			if _, err := fmt.Sscan(fields[i], &n); err != nil {
				continue
			}
			switch r.IntN(3) {
			case 0:
				n = -n
			case 1:
				n++
			default:
				n--
			}
			fields[i] = fmt.Sprint(n)
			break
		}
		lines[at] = strings.Join(fields, " ")
	}
	*file = strings.Join(lines, "\n") + "\n"
	return what, x
}

// TestMutatedProofs changes proofs, and whatever is accepted then must still be true: all
// assignments are tried. Most are refused. What is accepted differs where nothing rests
// on it: in a clause or an edge that is not needed, a hint in another place that has one
// literal left there too, or a clause that is forgotten later or not at all.
func TestMutatedProofs(t *testing.T) {
	refused, same, accepted := map[string]int{}, 0, map[string]int{}
	tried := 0
	for seed := uint64(0); tried < *proofMutants; seed++ {
		r := rand.New(rand.NewPCG(22, seed))
		sequence(t, r, 5+r.IntN(4), 6, func(_ *Proof, x texts) {
			if strings.Count(x.derivation, "\n") < 2 {
				return
			}
			for range 20 {
				what, y := mutateProof(r, x)
				tried++
				if x == y {
					same++
					continue
				}
				if _, err := y.check(); err != nil {
					refused[what]++
					continue
				}
				accepted[what]++
				if vars, axioms, edges := stated(t, y); vars <= 14 && hasModel(vars, axioms, edges) {
					t.Fatalf("seed %d: %s: accepted, and there is a model\n%s%s%s", seed, what, y.formula, y.order, y.derivation)
				}
			}
		})
	}
	t.Logf("%d changed proofs: refused %v, not changed %d, accepted and true %v", tried, refused, same, accepted)
}

// TestProofsElsewhere has programs of others check proofs without an order, where they
// are installed.
func TestProofsElsewhere(t *testing.T) {
	s := proving(t)
	pigeons(s, 6, s.NewVar())
	if st, err := s.Solve(context.Background(), 1); st != Unsat || err != nil {
		t.Fatal(st, err)
	}
	p, err := ProofOf(s)
	if err != nil {
		t.Fatal(err)
	}
	x, err := textsOf(p)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := x.check(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cnf, lrat := filepath.Join(dir, "p.cnf"), filepath.Join(dir, "p.lrat")
	if err := errors.Join(os.WriteFile(cnf, []byte(x.formula), 0o600), os.WriteFile(lrat, []byte(x.derivation), 0o600)); err != nil {
		t.Fatal(err)
	}
	found := false
	for _, name := range []string{"lrat-check", "cake_lpr", "lrat-trim"} {
		if path, err := exec.LookPath(name); err == nil {
			found = true
			out, err := exec.Command(path, cnf, lrat).CombinedOutput()
			if !strings.Contains(strings.ToUpper(string(out)), "VERIFIED") {
				t.Errorf("%s: %v\n%s", name, err, out)
			}
		}
	}
	if !found {
		t.Skip("no other checker of LRAT is installed")
	}
}

// TestNoProof: there are none of others, and none that is larger than it may be.
func TestNoProof(t *testing.T) {
	if err := KeepProofs(open(t, "gini"), 0); !errors.Is(err, ErrNoProof) {
		t.Error(err)
	}
	s := open(t, "cdcl")
	if err := KeepProofs(s, 1); err != nil {
		t.Fatal(err)
	}
	pigeons(s, 7, s.NewVar())
	if st, err := s.Solve(context.Background(), 1); st != Unsat || err != nil {
		t.Fatal(st, err)
	}
	if _, err := ProofOf(s); !errors.Is(err, ErrNoProof) {
		t.Error(err)
	}
	s = open(t, "cdcl")
	s.AddClause()
	s.Solve(context.Background())
	if _, err := ProofOf(s); !errors.Is(err, ErrNoProof) {
		t.Error(err)
	}
}

// TestLimitMemory: what is learnt counts, and so does what is kept for proofs.
func TestLimitMemory(t *testing.T) {
	for _, keep := range []bool{false, true} {
		s := open(t, "cdcl")
		if keep {
			if err := KeepProofs(s, 0); err != nil {
				t.Fatal(err)
			}
		}
		LimitMemory(s, 400_000)
		pigeons(s, 9, s.NewVar())
		if st, err := s.Solve(context.Background(), 1); !errors.Is(err, ErrMemory) || st != Unknown {
			t.Errorf("proofs %v: %v, %v", keep, st, err)
		}
	}
}

// BenchmarkProofs is what it costs to keep proofs.
func BenchmarkProofs(b *testing.B) {
	for _, keep := range []bool{false, true} {
		b.Run(fmt.Sprintf("keep=%v", keep), func(b *testing.B) {
			for b.Loop() {
				s := open(b, "cdcl")
				if keep {
					if err := KeepProofs(s, 0); err != nil {
						b.Fatal(err)
					}
				}
				pigeons(s, 8, s.NewVar())
				if st, err := s.Solve(context.Background(), 1); st != Unsat || err != nil {
					b.Fatal(st, err)
				}
				s.Close()
			}
		})
	}
}
