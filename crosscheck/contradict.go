package crosscheck

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A Contradiction is answers that cannot all be right.
type Contradiction struct {
	Rows []int // indices into the rows, ascending
	Text string
}

// judge finds the contradictions among the rows and says how each row stands.
func (c *Comparison) judge() {
	sets := make([]finalSet, len(c.Rows))
	for i := range c.Rows {
		sets[i] = finalSet{}
		for _, s := range c.Rows[i].Finals {
			sets[i].add(s)
		}
	}
	for i := range c.Rows {
		for j := range c.Rows {
			if i == j {
				continue
			}
			if why := c.contradict(i, j, sets); why != "" {
				c.contradiction(why, i, j)
			}
		}
	}
	c.robustFinals(sets)
	for i := range c.Rows {
		r := &c.Rows[i]
		reference, others := i, false
		for j := range c.Rows {
			o := &c.Rows[j]
			if o.Kind() == r.Kind() && o.Model == r.Model && o.Claim != None && j != i {
				reference, others = min(reference, j), true
			}
		}
		switch {
		case slices.ContainsFunc(c.Contradictions, func(x Contradiction) bool { return slices.Contains(x.Rows, i) }):
			r.Agrees = Differs
		case r.Claim == None || !others:
		case reference == i:
			r.Agrees = Reference
		case c.Rows[reference].Claim == r.Claim:
			r.Agrees = Agrees
		}
	}
}

// Kind is that of the method.
func (r *Row) Kind() Kind { return r.Method.Kind }

// String is the method, the model and the claim: "bmc under TSO says SAFE".
func (r *Row) String() string {
	what := string(r.Claim)
	if r.Kind() == States {
		what = fmt.Sprintf("%d final states", len(r.Finals))
		if len(r.Finals) == 1 {
			what = "1 final state"
		}
		if r.Claim != Complete {
			what = "at least " + what
		}
	}
	model := string(r.Model)
	if builtin(r.Model) {
		model = strings.ToUpper(model)
	}
	return fmt.Sprintf("%s under %s says %s", r.Method.Name, model, what)
}

// contradiction takes note of rows that contradict each other, once.
func (c *Comparison) contradiction(why string, rows ...int) {
	slices.Sort(rows)
	for _, x := range c.Contradictions {
		if slices.Equal(x.Rows, rows) {
			return
		}
	}
	var says []string
	for _, i := range rows {
		says = append(says, c.Rows[i].String())
	}
	c.Contradictions = append(c.Contradictions, Contradiction{rows, strings.Join(says, ", ") + why})
}

// contradict is why row i, under a model that has no more behaviours than that of
// row j, cannot be right with it, and "" where it can. What happens under SC happens
// under TSO, and what happens there under PSO. A deadlock need not: a store that can
// still be flushed is a way out.
func (c *Comparison) contradict(i, j int, sets []finalSet) string {
	a, b := &c.Rows[i], &c.Rows[j]
	if a.Kind() != b.Kind() || !within(a.Model, b.Model) {
		return ""
	}
	more := ""
	if a.Model != b.Model {
		more = ", which has the same runs and more"
	}
	switch a.Kind() {
	case Property:
		if (a.Claim == Violated || a.Claim == Fault) && b.Claim == Safe && (a.Model == b.Model || !deadlock(a.Violation)) {
			return more + ": a violation that is there and is not"
		}
	case States:
		if b.Claim != Complete || a.Claim == Fault {
			return ""
		}
		for s := range sets[i] {
			if !sets[j][s] {
				return more + ": a final state is missing"
			}
		}
	case Robustness:
		if a.Claim == Robust && b.Claim == NotRobust {
			return ": it cannot be both"
		}
	}
	return ""
}

func deadlock(v *verdict.Violation) bool {
	return v != nil && v.Property != nil && v.Property.Kind == program.Deadlock
}

// within is whether every run under m has its like under n.
func within(m, n memory.Model) bool {
	i, j := slices.Index(memory.Models(), m), slices.Index(memory.Models(), n)
	return m == n || i >= 0 && i < j
}

// robustFinals looks for programs that are called robust, but have a final state
// under TSO that they have not under SC.
func (c *Comparison) robustFinals(sets []finalSet) {
	for i := range c.Rows {
		if c.Rows[i].Claim != Robust {
			continue
		}
		for j := range c.Rows {
			for k := range c.Rows {
				sc, tso := &c.Rows[j], &c.Rows[k]
				if sc.Kind() != States || tso.Kind() != States || sc.Claim != Complete || tso.Claim == Fault ||
					sc.Model != memory.SC || tso.Model != memory.TSO {
					continue
				}
				for s := range sets[k] {
					if !sets[j][s] {
						c.contradiction(": under TSO there is a final state that is none of SC", i, j, k)
						break
					}
				}
			}
		}
	}
}

// A finalSet is final states, by their values.
type finalSet map[string]bool

// add reports whether s is new.
func (f finalSet) add(s verdict.FinalState) bool {
	var b []byte
	for _, v := range s.Memory {
		b = binary.AppendVarint(b, v)
	}
	for _, regs := range s.Regs {
		for _, v := range regs {
			b = binary.AppendVarint(b, v)
		}
	}
	k := string(b)
	if f[k] {
		return false
	}
	f[k] = true
	return true
}
