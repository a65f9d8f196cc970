package lowered

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// withReleases is p with a thread that gives back all that is on the heap, where leaks are looked for: what free
// does to the cells that tell is written last of all (guards.go), and till then what follows on the end of main would
// seem to be out of reach.
func (u *Unit) withReleases(p *program.Program) *program.Program {
	if !u.Options.Leaks {
		return p
	}
	t := &program.Thread{Name: "free", States: []program.State{{Name: "q0"}}}
	for _, o := range u.Objects {
		if !o.Heap {
			continue
		}
		for k := range o.Count {
			t.Edges = append(t.Edges, program.Edge{Cmd: program.Command{Op: program.Store, Addr: program.Const(o.LiveAddr() + k*o.Stride),
				Value: program.Const(0), Tags: LifeTags}})
		}
	}
	q := *p
	q.Threads = append(slices.Clone(p.Threads), t)
	return &q
}
