package crosscheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/verdict"
)

// A comparison is one that is being judged.
type comparison struct{ *verdict.Comparison }

// judge finds the contradictions among the rows and says how each row stands.
func judge(of *verdict.Comparison) {
	c := comparison{of}
	sets := make([]finalSet, len(c.Rows))
	for i := range c.Rows {
		sets[i] = finalSet{}
		for _, s := range c.Rows[i].Finals {
			sets[i][s.Key()] = true
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
			if o.Question == r.Question && o.Model == r.Model && o.Claim != verdict.ClaimsNothing && j != i {
				reference, others = min(reference, j), true
			}
		}
		switch {
		case slices.ContainsFunc(c.Contradictions, func(x verdict.Contradiction) bool { return slices.Contains(x.Rows, i) }):
			r.Agrees = verdict.Differs
		case r.Claim == verdict.ClaimsNothing || !others:
		case reference == i:
			r.Agrees = verdict.Reference
		case c.Rows[reference].Claim == r.Claim:
			r.Agrees = verdict.Agrees
		}
	}
}

// text is the engine, the model and the claim: "bmc under TSO says SAFE".
func text(r *verdict.Row) string {
	what := string(r.Claim)
	if r.Question == verdict.FinalStates {
		what = fmt.Sprintf("%d final states", len(r.Finals))
		if len(r.Finals) == 1 {
			what = "1 final state"
		}
		if r.Claim != verdict.ClaimsComplete {
			what = "at least " + what
		}
	}
	model := string(r.Model)
	if slices.Contains(memory.Operational(), r.Model) {
		model = strings.ToUpper(model)
	}
	return fmt.Sprintf("%s under %s says %s", r.Engine, model, what)
}

// contradiction takes note of rows that contradict each other, once.
func (c comparison) contradiction(why string, rows ...int) {
	slices.Sort(rows)
	for _, x := range c.Contradictions {
		if slices.Equal(x.Rows, rows) {
			return
		}
	}
	var says []string
	for _, i := range rows {
		says = append(says, text(&c.Rows[i]))
	}
	c.Contradictions = append(c.Contradictions, verdict.Contradiction{Rows: rows, Text: strings.Join(says, ", ") + why})
}

// contradict is why row i, under a model that has no more behaviours than that of
// row j, cannot be right with it, and "" where it can. What happens under SC happens
// under TSO, and what happens there under PSO. A deadlock need not: a store that can
// still be flushed is a way out.
func (c comparison) contradict(i, j int, sets []finalSet) string {
	a, b := &c.Rows[i], &c.Rows[j]
	if a.Question != b.Question || !within(a.Model, b.Model) {
		return ""
	}
	more := ""
	if a.Model != b.Model {
		more = ", which has the same runs and more"
	}
	switch a.Question {
	case verdict.Safety:
		if (a.Claim == verdict.ClaimsViolated || a.Claim == verdict.ClaimsFault) && b.Claim == verdict.ClaimsSafe && (a.Model == b.Model || !deadlock(a.Violation)) {
			return more + ": a violation that is there and is not"
		}
	case verdict.FinalStates:
		if b.Claim != verdict.ClaimsComplete || a.Claim == verdict.ClaimsFault {
			return ""
		}
		for s := range sets[i] {
			if !sets[j][s] {
				return more + ": a final state is missing"
			}
		}
	case verdict.Robustness:
		if a.Claim == verdict.ClaimsRobust && b.Claim == verdict.ClaimsNotRobust {
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
	i, j := slices.Index(memory.Operational(), m), slices.Index(memory.Operational(), n)
	return m == n || i >= 0 && i < j
}

// robustFinals looks for programs that are called robust, but have a final state
// under TSO that they have not under SC.
func (c comparison) robustFinals(sets []finalSet) {
	for i := range c.Rows {
		if c.Rows[i].Claim != verdict.ClaimsRobust {
			continue
		}
		for j := range c.Rows {
			for k := range c.Rows {
				sc, tso := &c.Rows[j], &c.Rows[k]
				if sc.Question != verdict.FinalStates || tso.Question != verdict.FinalStates || sc.Claim != verdict.ClaimsComplete || tso.Claim == verdict.ClaimsFault ||
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
