package operations

import (
	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/lowered"
	"github.com/fencepost-verifier/fencepost/lang/c/target"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// A writing writes commands into a graph.
type writing struct {
	u *Unit
	g *flowgraph.Graph
}

// A cell is what an access is to: of an array from lo to before hi, where these are not both 0.
type cell struct {
	t      *types.Type
	addr   program.Expr
	lo, hi int64
}

// cellIn is that of number i in an array of ts.
func cellIn(o *lowered.Object, t *types.Type, i int) cell {
	return cell{t: t, addr: plus(flowgraph.Fold(bin(program.Mul, program.Const(i), program.Const(t.Size))), o.Base), lo: o.Base, hi: o.Base + o.Size}
}

func (c cell) tags(order int) program.Tags {
	t := lowered.Tags(order, c.t)
	if c.hi > c.lo {
		t = t.With(flowgraph.WithinTag(c.lo, c.hi))
	}
	return t
}

// temp is a register for a value of type t.
func (l *writing) temp(t *types.Type) int {
	l.g.Regs = append(l.g.Regs, program.Register{Type: t.Word(), Temp: true})
	return len(l.g.Regs) - 1
}

func (l *writing) loadOp(c cell, reg, order int) program.Command {
	return program.Command{Op: program.Load, Reg: reg, Addr: c.addr, Tags: c.tags(order)}
}

func (l *writing) storeOp(c cell, e program.Expr, order int) program.Command {
	return program.Command{Op: program.Store, Addr: c.addr, Value: e, Tags: c.tags(order)}
}

// touch is what is done with a cell where nothing is asked of it but to be there.
func (l *writing) touch(c cell) program.Command {
	if l.u.lowered.Lasts(c.addr) {
		return program.Skip()
	}
	load := l.loadOp(c, l.temp(c.t), target.Relaxed)
	load.Tags = load.Tags.With(lowered.TouchTag)
	return load
}
