package solver

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/fencepost-verifier/fencepost/solver/cdcl"
)

// ErrNoProof is wrapped by errors that say why there is no proof of an answer.
var ErrNoProof = errors.New("no proof")

// KeepProofs makes s keep what proofs of its answers take, in up to limit bytes; 0: no
// limit. That is possible before the first clause only, and with our own back end only:
// otherwise the error wraps [ErrNoProof].
func KeepProofs(s Solver, limit int64) error {
	c, ok := s.(*checked)
	if !ok {
		return fmt.Errorf("solver: %w by this solver", ErrNoProof)
	}
	b, ok := c.b.(*cdclBackend)
	if !ok {
		return fmt.Errorf("solver: %w by %s; there are those of cdcl", ErrNoProof, c.name)
	}
	if b.s == nil {
		b.s = cdcl.New()
	}
	if c.cnf.clauses > 0 || len(c.cnf.edges) > 0 {
		panic("solver: clauses that no proof can name")
	}
	b.trace = b.s.Trace(limit)
	return nil
}

// A Proof shows that clauses have no model under assumptions, as files that others can
// check:
//
//   - the formula: a DIMACS file with the clauses, the assumptions of the core as clauses of
//     one literal, and the lemmas, which are clauses that forbid a cycle in the order;
//   - the derivation of the empty clause from these, in the format LRAT;
//   - the order: its edges, and for every lemma the cycle that it forbids.
//
// Only what the empty clause rests on is in the derivation. A Proof stays what it is
// while the solver goes on; once the solver is closed it can still be written.
type Proof struct {
	cnf   *clauseLog
	trace *cdcl.Trace
	last  cdcl.ID // the clause of the core, or an empty one; 0: none is needed

	vars, clauses, lits, nodes, edges int // the lengths of the log that it is about
	core                              []Lit

	cut    bool
	number []uint32 // by derived clause: its number in the files; 0: not needed
	lemmas []int    // the derived clauses that are lemmas and needed
	steps  []int    // and the others
}

// ProofOf is a proof of the last answer of s, which must be Unsat. The error wraps
// [ErrNoProof] where [KeepProofs] was not asked for, and where its limit was met.
func ProofOf(s Solver) (*Proof, error) {
	c, ok := s.(*checked)
	if !ok {
		return nil, fmt.Errorf("solver: %w by this solver", ErrNoProof)
	}
	if c.status != Unsat {
		panic("solver: a proof without an unsatisfiable formula")
	}
	b, ok := c.b.(*cdclBackend)
	if !ok || b.trace == nil || b.s == nil {
		return nil, fmt.Errorf("solver: %w was kept", ErrNoProof)
	}
	p := &Proof{
		cnf: &c.cnf, trace: b.trace, vars: c.cnf.vars, clauses: c.cnf.clauses, lits: len(c.cnf.lits), nodes: c.cnf.nodes, edges: len(c.cnf.edges),
		core: slices.Clone(c.failed),
	}
	if p.last = b.s.Refuted(); len(p.core) == 0 && !p.refutes(p.last) {
		p.last = p.empty()
	}
	if b.trace.Full() {
		return nil, fmt.Errorf("solver: %w: it takes more than the %d MB it may", ErrNoProof, b.trace.Limit>>20)
	}
	if p.last == 0 && !p.contradictory() {
		return nil, &InternalError{c.name, "an answer without its proof", nil}
	}
	return p, nil
}

// refutes is whether a clause is derived and empty.
func (p *Proof) refutes(id cdcl.ID) bool {
	n, derived := id.Derived()
	if !derived {
		return false
	}
	lits, _, cycle := p.trace.At(n)
	return !cycle && len(lits) == 0
}

// empty is a clause without literals in the log, which a back end may never have seen.
func (p *Proof) empty() cdcl.ID {
	n := 0
	for i, l := range p.cnf.lits[:p.lits] {
		if l == 0 {
			if n++; i == 0 || p.cnf.lits[i-1] == 0 {
				return cdcl.Added(n)
			}
		}
	}
	return 0
}

// contradictory is whether the core has a literal and its negation.
func (p *Proof) contradictory() bool {
	return slices.ContainsFunc(p.core, func(l Lit) bool { return slices.Contains(p.core, -l) })
}

// Axioms is how many clauses the formula has, but for lemmas: those that were added, and
// then those of the core.
func (p *Proof) Axioms() int { return p.clauses + len(p.core) }

// Core is the assumptions that the formula has.
func (p *Proof) Core() []Lit { return p.core }

// Size is how many lemmas and how many derived clauses the proof has.
func (p *Proof) Size() (lemmas, steps int) {
	p.trim()
	return len(p.lemmas), len(p.steps) + 1
}

// Steps is the clauses that are derived, but for lemmas, in their order. The last one is empty, or
// follows from the assumptions of the core together.
func (p *Proof) Steps() (all [][]Lit) {
	p.trim()
	for _, i := range p.steps {
		words, _, _ := p.trace.At(i)
		lits := make([]Lit, len(words))
		for k, x := range words {
			lits[k] = Lit(cdcl.Lit(x).Dimacs())
		}
		all = append(all, lits)
	}
	return all
}

// trim finds what the empty clause rests on, and numbers it.
func (p *Proof) trim() {
	if p.cut {
		return
	}
	p.cut = true
	n, derived := p.last.Derived()
	if !derived {
		n = 0
	}
	p.number = make([]uint32, n+1)
	if n > 0 {
		p.number[n] = 1
	}
	for i := n; i > 0; i-- {
		if p.number[i] == 0 {
			continue
		}
		_, hints, cycle := p.trace.At(i)
		if cycle {
			p.lemmas = append(p.lemmas, i)
			continue
		}
		p.steps = append(p.steps, i)
		for _, h := range hints {
			if k, derived := cdcl.ID(h).Derived(); derived {
				p.number[k] = 1
			}
		}
	}
	slices.Reverse(p.lemmas)
	slices.Reverse(p.steps)
	next := uint32(p.clauses + len(p.core))
	for _, list := range [][]int{p.lemmas, p.steps} {
		for _, i := range list {
			next++
			p.number[i] = next
		}
	}
}

// numberOf is the number of a clause in the files.
func (p *Proof) numberOf(id cdcl.ID) int64 {
	n, derived := id.Derived()
	if derived {
		return int64(p.number[n])
	}
	return int64(n)
}

// numbers writes lines of numbers. An error comes up again where it is flushed.
type numbers struct {
	*bufio.Writer
	line []byte
}

func (w *numbers) put(ns ...int64) {
	for _, n := range ns {
		w.line = append(strconv.AppendInt(w.line, n, 10), ' ')
	}
}

func (w *numbers) end() {
	w.line[len(w.line)-1] = '\n'
	w.Write(w.line)
	w.line = w.line[:0]
}

// WriteFormula writes the formula.
func (p *Proof) WriteFormula(w io.Writer) error {
	p.trim()
	out := &numbers{Writer: bufio.NewWriterSize(w, 1<<16)}
	fmt.Fprintf(out, "p cnf %d %d\n", p.vars, p.clauses+len(p.core)+len(p.lemmas))
	p.clausesTo(out)
	for _, l := range p.core {
		out.put(int64(l), 0)
		out.end()
	}
	for _, i := range p.lemmas {
		edges, _ := p.cycle(i)
		for _, e := range edges {
			out.put(int64(-p.cnf.edges[e].lit))
		}
		out.put(0)
		out.end()
	}
	return out.Flush()
}

func (p *Proof) clausesTo(out *numbers) {
	for _, l := range p.cnf.lits[:p.lits] {
		out.put(int64(l))
		if l == 0 {
			out.end()
		}
	}
}

func (p *Proof) edgesTo(out *numbers) {
	for _, e := range p.cnf.edges[:p.edges] {
		out.line = append(out.line, "edge "...)
		out.put(int64(e.lit), int64(e.from), int64(e.to))
		out.end()
	}
}

func (p *Proof) cycle(i int) (edges []uint32, ok bool) {
	_, edges, ok = p.trace.At(i)
	return edges, ok
}

// WriteOrder writes the order:
//
//	edge LITERAL FROM TO     where the literal is true, an edge between two nodes,
//	                         which are numbers from 0
//	lemma CLAUSE EDGE ...    that clause, by its number from 1, forbids the cycle of these
//	                         edges, which are numbers from 1: each begins where the one
//	                         before ends
func (p *Proof) WriteOrder(w io.Writer) error {
	p.trim()
	out := &numbers{Writer: bufio.NewWriterSize(w, 1<<16)}
	p.edgesTo(out)
	for _, i := range p.lemmas {
		edges, _ := p.cycle(i)
		out.line = append(out.line, "lemma "...)
		out.put(int64(p.number[i]))
		for _, e := range edges {
			out.put(int64(e) + 1)
		}
		out.end()
	}
	return out.Flush()
}

// WriteDerivation writes the derivation. Clauses are deleted when nothing else rests
// on them.
func (p *Proof) WriteDerivation(w io.Writer) error {
	p.trim()
	out := &numbers{Writer: bufio.NewWriterSize(w, 1<<16)}
	// By derived clause: the last step that rests on it.
	until := make([]uint32, len(p.number))
	for k, i := range p.steps {
		_, hints, _ := p.trace.At(i)
		for _, h := range hints {
			if n, derived := cdcl.ID(h).Derived(); derived {
				until[n] = uint32(k + 1)
			}
		}
	}
	var gone []int64
	number := int64(p.clauses + len(p.core) + len(p.lemmas))
	for k, i := range p.steps {
		lits, hints, _ := p.trace.At(i)
		number++
		out.put(number)
		for _, x := range lits {
			out.put(int64(cdcl.Lit(x).Dimacs()))
		}
		out.put(0)
		gone = gone[:0]
		for _, h := range hints {
			out.put(p.numberOf(cdcl.ID(h)))
			if n, derived := cdcl.ID(h).Derived(); derived && until[n] == uint32(k+1) {
				gone = append(gone, p.numberOf(cdcl.ID(h)))
			}
		}
		out.put(0)
		out.end()
		if len(gone) > 0 && k+1 < len(p.steps) {
			out.put(number)
			out.line = append(out.line, "d "...)
			out.put(gone...)
			out.put(0)
			out.end()
		}
	}
	if p.refutes(p.last) {
		return out.Flush()
	}
	// The core is assumed, and excluded.
	out.put(number+1, 0)
	for i, l := range p.core {
		if p.last == 0 && !slices.Contains(p.core, -l) {
			continue
		}
		if out.put(int64(p.clauses + i + 1)); p.last == 0 {
			// What is left of the opposite is nothing.
			out.put(int64(p.clauses + slices.Index(p.core, -l) + 1))
			break
		}
	}
	if p.last != 0 {
		out.put(p.numberOf(p.last))
	}
	out.put(0)
	out.end()
	return out.Flush()
}
