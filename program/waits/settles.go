package waits

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
	"github.com/fencepost-verifier/fencepost/program/flow"
)

// settles is true of a loop that reads anew in every round what it goes by, and stores nothing,
// such as r = x; while (r == 0) r = x. As long as memory stays as it is, its second round is
// like its third, and if there is no way out in these two there never will be. live is the
// registers that are live at its head.
//
// What decides where a round leads and what registers hold after it may be what registers
// held that the loop does not write, or what was written before in the same round; what an
// earlier round wrote may decide whether there is another round, and nothing else.
func settles(t *program.Thread, out [][]int, l loop, head program.StateID, live program.RegSet) bool {
	written := map[int]bool{}
	ok := true
	for i := range t.Edges {
		e := &t.Edges[i]
		if !l.inside[i] {
			continue
		}
		ok = ok && (e.From != t.Initial || e.From == head) // else there is another way in
		for _, b := range commands(&e.Cmd) {
			switch b.Op {
			case program.Assign, program.Load:
				written[b.Reg] = true
			case program.Check, program.Fence:
			default:
				ok = false
			}
		}
	}
	if !ok {
		return false
	}
	on, paths := make([]bool, len(t.States)), 0
	// old is the registers whose values depend on earlier rounds, new those written in this one.
	var walk func(q program.StateID, old, fresh map[int]bool) bool
	walk = func(q program.StateID, old, fresh map[int]bool) bool {
		if paths++; on[q] || paths > 1<<10 {
			return false
		}
		on[q] = true
		defer func() { on[q] = false }()
		stay := slices.DeleteFunc(slices.Clone(out[q]), func(i int) bool { return !l.inside[i] })
		if len(stay) > 2 || len(stay) == 2 && !flow.Opposite(&t.Edges[stay[0]].Cmd, &t.Edges[stay[1]].Cmd) {
			return false // rounds may differ
		}
		for _, i := range stay {
			o, n := copied(old), copied(fresh)
			e := &t.Edges[i]
			for _, b := range commands(&e.Cmd) {
				switch b.Op {
				case program.Assign:
					o[b.Reg], n[b.Reg] = mentions(b.Value, o), true
				case program.Load:
					o[b.Reg], n[b.Reg] = mentions(b.Addr, o), true
				case program.Check:
					if len(stay) > 1 && mentions(b.Value, o) {
						return false
					}
				}
			}
			if !l.back[i] {
				if !walk(e.To, o, n) {
					return false
				}
				continue
			}
			for r := range written {
				if live.Has(r) && n[r] && o[r] {
					return false
				}
			}
		}
		return true
	}
	return walk(head, copied(written), map[int]bool{})
}

// commands is those of a step.
func commands(c *program.Command) []program.Command {
	if c.Op == program.Atomic {
		return c.Body
	}
	return []program.Command{*c}
}

func copied(set map[int]bool) map[int]bool {
	c := make(map[int]bool, len(set))
	for k, v := range set {
		c[k] = v
	}
	return c
}

// mentions is whether e reads one of the registers.
func mentions(e program.Expr, regs map[int]bool) (found bool) {
	program.Walk(e, func(e program.Expr) {
		if r, ok := e.(program.Reg); ok {
			found = found || regs[int(r)]
		}
	})
	return found
}
