package lowered

import (
	"fmt"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/program"
)

// Under the models of C11 an access to memory from malloc has to come after that in happens-before:
// who gets hold of a pointer by a relaxed load may find nothing there. So an object of the heap has a cell
// that malloc stores 1 to, and before an access an assertion looks at it, whose load may read what is
// old unless malloc happens before it. The thread that has called malloc itself needs none of that, nor
// does an object that nobody else accesses, and where main has called malloc before there were threads the
// cell is 1 from the beginning.

// Bears makes the objects of a pool be there only once thread t has made them.
func (u *Unit) Bears(o *Object, t *Thread) bool {
	o.born, o.maker = u.Options.Orders && !u.Options.Leaks && !o.Stack, t.ID
	return o.born
}

// BirthTag marks the stores that say that objects of o are there.
func (o *Object) BirthTag() string { return fmt.Sprintf("%sborn%d", flowgraph.AccessTag, o.Base) }

// Birth says that the object at base is there.
func (o *Object) Birth(base program.Expr) program.Command {
	return program.Command{Op: program.Store, Addr: plus(base, o.LiveOff()), Value: program.Const(1),
		Tags: program.NewTags(LifeTag, flowgraph.AccessTag+program.BoolType.String(), target.OrderTag[target.Relaxed], o.BirthTag())}
}

// births forgets when objects were made that no other thread accesses, or that are there when threads
// begin.
func (u *Unit) births(p *program.Program, r *program.Ranges) {
	made, touched := map[*Object]bool{}, map[*Object]bool{}
	for ti, t := range p.Threads {
		for i := range t.Edges {
			e := &t.Edges[i]
			if !r.Reachable[ti][e.From] {
				continue
			}
			e.Cmd.Accesses(func(c *program.Command) {
				for _, o := range u.Objects {
					switch {
					case !o.born:
					case c.Tags.Has(o.BirthTag()):
						made[o] = true
					case ti != o.maker && !touched[o]:
						if set, ok := r.Address[c]; ok && !c.Tags.Has(LifeTag) && !c.Tags.Has(CarefulTag) {
							touched[o] = o.pooled(set)
						}
					}
				}
			})
		}
	}
	for _, o := range u.Objects {
		if !o.born || made[o] && touched[o] {
			continue
		}
		o.born = false
		for _, t := range u.Threads {
			for i := range t.Graph.Edges {
				if c := &t.Graph.Edges[i].Cmd; c.Op == program.Store && c.Tags.Has(o.BirthTag()) {
					*c = program.Skip()
				}
			}
		}
	}
}

// pooled is true of a set of addresses of which one may be in an object of the pool.
func (o *Object) pooled(set program.ValueSet) bool {
	return !set.Empty() && set.Max() >= o.Base && set.Min() < o.Base+o.Count*o.Stride
}
