package solver

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

// A clauseLog keeps all clauses ever added, in order, in one flat slice. It is
// what a back end is fed from, what a model is checked against and what a
// DIMACS file is written from; learnt and helping clauses of a back end have
// no place in it.
type clauseLog struct {
	vars    int
	clauses int
	lits    []Lit // every clause is followed by a 0, as DIMACS and IPASIR have it

	nodes int // of the theory of order; see Order
	edges []graphEdge

	prefer []Lit // see Prefer
	follow []Lit // see Follow
}

func (c *clauseLog) newVar() Lit {
	c.vars++
	return Lit(c.vars)
}

func (c *clauseLog) add(lits []Lit) {
	c.mustHave(lits)
	if n := len(c.lits) + len(lits) + 1; n > cap(c.lits) {
		// append would copy a large log four times as often.
		c.lits = slices.Grow(c.lits, n)
	}
	c.lits = append(append(c.lits, lits...), 0)
	c.clauses++
}

// mustHave panics unless all literals are of variables that exist. Unnoticed,
// a stray 0 would end a clause early and make a formula stronger.
func (c *clauseLog) mustHave(lits []Lit) {
	for _, l := range lits {
		if l == 0 || int(l) > c.vars || int(l) < -c.vars {
			panic(fmt.Sprintf("solver: %d is not a literal of the variables 1 to %d", l, c.vars))
		}
	}
}

// falsified returns the first clause that has no true literal in m, and which
// one it is, from 1. It returns no clause if m is a model.
func (c *clauseLog) falsified(m model) (int, []Lit) {
	mid := len(m) / 2
	var sat byte
	for i, l := range c.lits {
		if l != 0 {
			// No branch on the value, which is as good as random: with
			// one, the check takes three times as long.
			var b byte
			if m[mid+int(l)] {
				b = 1
			}
			sat |= b
			continue
		}
		if sat == 0 {
			return c.clauseAt(i)
		}
		sat = 0
	}
	return 0, nil
}

// clauseAt returns the clause that ends at c.lits[end], and its number.
func (c *clauseLog) clauseAt(end int) (int, []Lit) {
	n, start := 1, 0
	for i, l := range c.lits[:end] {
		if l == 0 {
			n, start = n+1, i+1
		}
	}
	return n, c.lits[start:end:end]
}

// write writes the log as a DIMACS file, with the assumptions as unit clauses
// at its end.
func (c *clauseLog) write(ctx context.Context, w io.Writer, assumptions []Lit) error {
	if len(c.edges) > 0 {
		return errors.New("solver: DIMACS has no words for an order")
	}
	const block = 64 << 10
	buf := make([]byte, 0, block+64)
	buf = fmt.Appendf(buf, "p cnf %d %d\n", c.vars, c.clauses+len(assumptions))
	flush := func() error {
		if err := ctx.Err(); err != nil {
			return err
		}
		_, err := w.Write(buf)
		buf = buf[:0]
		return err
	}
	put := func(l Lit) error {
		if l != 0 {
			buf = append(strconv.AppendInt(buf, int64(l), 10), ' ')
		} else {
			buf = append(buf, "0\n"...)
		}
		if len(buf) < block {
			return nil
		}
		return flush()
	}
	for _, l := range c.lits {
		if err := put(l); err != nil {
			return err
		}
	}
	for _, a := range assumptions {
		if err := put(a); err != nil {
			return err
		}
		if err := put(0); err != nil {
			return err
		}
	}
	return flush()
}

// Digest is a hash of the clauses and edges of s, as [Proof] writes them, in their order;
// nil where s has none to tell of.
func Digest(s Solver) []byte {
	c, ok := s.(*checked)
	if !ok {
		return nil
	}
	h := sha256.New() // it does not fail
	p := Proof{cnf: &c.cnf, lits: len(c.cnf.lits), edges: len(c.cnf.edges)}
	out := &numbers{Writer: bufio.NewWriterSize(h, 1<<16)}
	p.clausesTo(out)
	p.edgesTo(out)
	out.Flush()
	return h.Sum(nil)
}

// A model has for n variables 2n+1 truth values; that of literal l is at n+l,
// so that looking it up takes no branch.
type model []bool

// reset returns a model of n variables, all false. It reuses m if it can.
func (m model) reset(n int) model {
	if cap(m) < 2*n+1 {
		m = make(model, 2*n+1)
	}
	m = m[:2*n+1]
	for i := range m {
		m[i] = i < n
	}
	return m
}

// set makes l true.
func (m model) set(l Lit) {
	mid := len(m) / 2
	m[mid+int(l)] = true
	m[mid-int(l)] = false
}

func (m model) value(l Lit) bool {
	if mid := len(m) / 2; int(l.Var()) <= mid {
		return m[mid+int(l)]
	}
	return l < 0
}
