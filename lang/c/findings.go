package c

import (
	"fmt"
	"maps"

	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// Some of what a program has to note makes a difference in few programs: that something has been destroyed (destroyed.go), and who waits for conditions
// (waiting.go). Whether it does has to be known before there is a program to analyse, and so is made out from the graphs, in which
// an element of an array of threads, or what a pointer points to, is not known. Where that leaves it open, the program is read with all
// of that; and what its values show then is known when it is read once more.

// A findings is what reading a program has shown of it.
type findings struct {
	joins map[joinKey]int // the threads that are waited for
	agree bool            // nobody waits for a condition with another mutex than somebody else
	stays bool            // no memory is given back, and no block left, of a condition that somebody may wait for, and none is initialised
	wary  bool            // others store to what main was foreseen to read; see foreseen.go
	// What declares variables that may be accessed by pointers from earlier rounds of their blocks; see earlier.go.
	outlived map[cc.Node]bool
	observed map[cc.ExpressionNode]observedPart // see observe
	padded   map[specified]bool                 // the structures whose bytes are looked at; see padding.go
	renewed  bool                               // barriers may be initialised again where memory does not tell; see mayRenew
}

// findsMore is what is known now, and whether the program has to be read once more, since that may make it smaller.
func (u *unit) findsMore() (all findings, more bool) {
	if len(u.found.outlived) > 0 {
		all = u.known
		all.outlived = map[cc.Node]bool{}
		for o := range u.found.outlived {
			all.outlived[u.declares[o]] = true
		}
		maps.Copy(all.outlived, u.known.outlived)
		return all, true
	}
	if len(u.looked) > 0 {
		all = u.known
		all.padded = maps.Clone(u.looked)
		maps.Copy(all.padded, u.known.padded)
		return all, true
	}
	if u.renewed && !u.known.renewed {
		all = u.known
		all.renewed = true
		return all, true
	}
	if u.orders != nil {
		all = u.known
		all.observed = u.orders
		return all, true
	}
	all = findings{maps.Clone(u.known.joins), u.known.agree, u.known.stays, u.known.wary || u.found.wary, u.known.outlived, u.known.observed, u.known.padded, u.known.renewed}
	if !u.doubtful || all.wary != u.known.wary {
		return all, all.wary != u.known.wary
	}
	if all.joins == nil {
		all.joins = map[joinKey]int{}
	}
	maps.Copy(all.joins, u.found.joins)
	if len(u.mixes) > 0 {
		all.agree = u.found.agree
	}
	if u.ends && !u.known.stays {
		all.stays = u.found.stays
	}
	return all, len(all.joins) > len(u.known.joins) || all.agree != u.known.agree || all.stays != u.known.stays
}

// A joinKey is a place where a thread is waited for.
type joinKey struct {
	number int
	pos    program.Position
}

// numberJoin gives one its number.
func (u *unit) numberJoin(op *flowgraph.Join, pos program.Position) {
	if _, known := u.joins[op]; !known {
		u.joins[op] = joinKey{len(u.joins), pos}
	}
}

// tag is what it is found by when the program is analysed.
func (k joinKey) tag() string { return fmt.Sprintf("%sjoin%d", flowgraph.AccessTag, k.number) }

// of is the number of the thread; 0: it is not known.
func (k joinKey) of(known map[joinKey]int, id program.Expr) int {
	if c, ok := id.(program.Const); ok {
		return int(c)
	}
	return known[k]
}

// findJoins finds the threads that are waited for, wherever that is always the same one.
func (g *guarding) findJoins() map[joinKey]int {
	if !g.u.doubtful {
		return nil
	}
	sets := map[string][]program.ValueSet{}
	for ti, t := range g.p.Threads {
		for i := range t.Edges {
			if !g.r.Reachable[ti][t.Edges[i].From] {
				continue
			}
			t.Edges[i].Cmd.Accesses(func(c *program.Command) {
				for _, k := range g.u.joins {
					if tag := k.tag(); c.Tags.Has(tag) {
						sets[tag] = append(sets[tag], g.r.Address[c])
					}
				}
			})
		}
	}
	found := map[joinKey]int{}
	for _, k := range g.u.joins {
		one, several := 0, false
		for _, set := range sets[k.tag()] {
			for a := range set.All {
				switch id := int(a-g.u.ended) / 8; {
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
