package target

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// An assertion that the program does not have must order nothing: under models with load buffering it may fail because of what its
// thread stores later, which nobody sees of a thread that has ended there. It orders nothing if the rest of the thread
// depends by branches of the program on all that the condition is computed from. To see that, one goes back from the
// assertion to the loads.

// A need is what is known in a state of the way from there to an assertion: on which registers its condition depends, and
// on which ones branches do.
type need struct{ asked, branched program.RegSet }

func newNeed(regs int) *need { return &need{program.NewRegSet(regs), program.NewRegSet(regs)} }

// back takes what is known behind a command to what is known before it; not ok where that is a load which the
// condition depends on and no branch does. An Atomic branches where it forks.
func (n *need) back(c *program.Command, branches bool) (ok bool) {
	switch c.Op {
	case program.Check:
		if branches && !c.Pick {
			addRegs(n.branched, c.Value)
		}
	case program.Assign:
		asked, branched := n.asked.Has(c.Reg), n.branched.Has(c.Reg)
		n.asked.Remove(c.Reg)
		n.branched.Remove(c.Reg)
		if asked {
			addRegs(n.asked, c.Value)
		}
		if branched && !c.Pick {
			addRegs(n.branched, c.Value)
		}
	case program.Havoc:
		n.asked.Remove(c.Reg)
		n.branched.Remove(c.Reg)
	case program.Load:
		if n.asked.Has(c.Reg) && !n.branched.Has(c.Reg) {
			return false
		}
		n.asked.Remove(c.Reg)
		n.branched.Remove(c.Reg)
	case program.Atomic:
		loads := false
		shows := false // which way it went, in what it wrote
		c.Writes(func(r int) { shows = shows || n.asked.Has(r) })
		for i := range slices.Backward(c.Body) {
			b := &c.Body[i]
			if b.Op == program.Check && shows && !branches {
				addRegs(n.asked, b.Value)
			}
			if b.Op == program.Load && !loads {
				loads = true
				n.together(c.Body[:i+1])
			}
			if !n.back(b, branches) {
				return false
			}
		}
	}
	return true
}

// together has branches depend on all that is loaded of a structure where they do on some of it: it is one load.
func (n *need) together(body []program.Command) {
	branched := slices.ContainsFunc(body, func(c program.Command) bool { return c.Op == program.Load && n.branched.Has(c.Reg) })
	for i := range body {
		if branched && body[i].Op == program.Load {
			n.branched.Add(body[i].Reg)
		}
	}
}

func addRegs(s program.RegSet, e program.Expr) {
	program.Walk(e, func(e program.Expr) {
		if r, ok := e.(program.Reg); ok {
			s.Add(int(r))
		}
	})
}

// meet adds what is known of another way, and reports whether that changed anything.
func (n *need) meet(o *need) (changed bool) {
	changed = n.asked.Union(o.asked)
	for i, b := range o.branched {
		changed = changed || n.branched[i]&^b != 0
		n.branched[i] &= b
	}
	return changed
}

func (n *need) clone() *need { return &need{slices.Clone(n.asked), slices.Clone(n.branched)} }

// decided is true of a condition in a state if what comes behind that depends by branches, before it or of the commands
// that leave it, on all loads that the condition depends on.
func decided(t *program.Thread, q program.StateID, cond program.Expr) bool {
	first := newNeed(len(t.Regs))
	into := make([][]int, len(t.States))
	ways := 0
	for i := range t.Edges {
		e := &t.Edges[i]
		into[e.To] = append(into[e.To], i)
		if e.From != q {
			continue
		}
		way := newNeed(len(t.Regs))
		way.back(&e.Cmd, e.Cmd.Op != program.Atomic || t.Forks(q))
		if ways++; ways == 1 {
			first.branched = way.branched
		} else {
			first.meet(way)
		}
	}
	addRegs(first.asked, cond)
	needs := map[program.StateID]*need{q: first}
	for todo := []program.StateID{q}; len(todo) > 0; {
		to := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, i := range into[to] {
			e := &t.Edges[i]
			n := needs[to].clone()
			if !n.back(&e.Cmd, e.Cmd.Op != program.Atomic || t.Forks(e.From)) {
				return false
			}
			if known := needs[e.From]; known == nil {
				needs[e.From] = n
			} else if !known.meet(n) {
				continue
			}
			todo = append(todo, e.From)
		}
	}
	return true
}
