package lowered

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// A JoinKey is a place where a thread is waited for.
type JoinKey struct {
	Number int
	Pos    program.Position
}

// Tag is what it is found by when the program is analysed.
func (k JoinKey) Tag() string { return fmt.Sprintf("%sjoin%d", flowgraph.AccessTag, k.Number) }

// Thread is the number of the thread; 0: it is not known.
func (k JoinKey) Thread(known map[JoinKey]int, id program.Expr) int {
	if c, ok := id.(program.Const); ok {
		return int(c)
	}
	return known[k]
}

// findJoins finds the threads that are waited for, wherever that is always the same one.
func (g *guarding) findJoins() map[JoinKey]int {
	if !g.u.Doubtful {
		return nil
	}
	sets := map[string][]program.ValueSet{}
	for ti, t := range g.p.Threads {
		for i := range t.Edges {
			if !g.r.Reachable[ti][t.Edges[i].From] {
				continue
			}
			t.Edges[i].Cmd.Accesses(func(c *program.Command) {
				for _, k := range g.u.Joins {
					if tag := k.Tag(); c.Tags.Has(tag) {
						sets[tag] = append(sets[tag], g.r.Address[c])
					}
				}
			})
		}
	}
	found := map[JoinKey]int{}
	for _, k := range g.u.Joins {
		one, several := 0, false
		for _, set := range sets[k.Tag()] {
			for a := range set.All {
				switch id := int(a-g.u.Ended) / 8; {
				case id == 0 || id == one: // no thread has the number 0
				case one == 0:
					one = id
				default:
					several = true
				}
				if several {
					break
				}
			}
		}
		if one > 0 && !several {
			found[k] = one
		}
	}
	return found
}
