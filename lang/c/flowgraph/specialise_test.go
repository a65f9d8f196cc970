package flowgraph

import (
	"testing"

	"github.com/fencepost-verifier/fencepost/program"
)

// TestSpecialiseFull has a loop that makes threads, and in it one that counts, with so few copies of nodes that what is known does not settle: then it
// is not known that the count is what it was in the beginning.
func TestSpecialiseFull(t *testing.T) {
	for most := range 60 {
		g := &Graph{Regs: []program.Register{{Name: "n", Type: program.Int32Type}, {Name: "id", Type: program.Int32Type}}, GaveUp: -1, Result: -1}
		var pos program.Position
		for range 6 {
			g.End = g.Node(pos)
		}
		g.Add(0, 1, program.Skip(), pos)
		g.Operate(1, 4, &Reserve{Reg: 1}, pos)
		g.Add(4, 2, program.Command{Op: program.Assign, Reg: 0, Value: program.Const(0)}, pos)
		g.Add(2, 3, program.Command{Op: program.Store, Addr: program.Const(64), Value: program.Reg(0)}, pos)
		g.Add(3, 2, program.Command{Op: program.Assign, Reg: 0, Value: program.Binary{Op: program.Add, X: program.Reg(0), Y: program.Const(1)}}, pos)
		g.Add(3, 1, program.Skip(), pos)
		g.Add(3, 5, program.Command{Op: program.Store, Addr: program.Const(68), Value: program.Reg(0)}, pos)
		s := &specialiser{g: g, out: g.Out(), live: g.Live(), limit: 4, most: most}
		for _, e := range s.specialised().Edges {
			if _, known := e.Cmd.Value.(program.Const); known && e.Cmd.Op == program.Store {
				t.Errorf("%d copies: %v", most, &e.Cmd)
			}
		}
		if !s.full && most < 10 || !s.bounded {
			t.Errorf("%d copies: full %v, bounded %v", most, s.full, s.bounded)
		}
	}
}
