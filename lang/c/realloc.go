package c

import (
	"modernc.org/cc/v4"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/lang/c/operations"
	"github.com/fencepost-verifier/fencepost/lang/c/types"
	"github.com/fencepost-verifier/fencepost/program"
)

// realloc makes a new object, copies what fits into it, and gives the old one back. It always
// moves the object: who goes on with the old pointer is wrong in any case. Where there is no memory the old one stays. It is whole where there
// are elements of type t in it, and nothing else.
func (l *lowerer) realloc(n cc.Node, old value, size operations.Amount, t *types.Type, whole bool) value {
	v := l.allocation(n, size, false, t)
	l.noMemory(size)
	if v.site == nil {
		return v
	}
	yes, end := l.node(), l.node()
	l.split(bin(program.LogicalAnd, ne(old.e, program.Const(0)), program.NotExpr(size.TooLarge())), yes, end)
	l.cur = yes
	v.site.Whole = whole
	l.operate(&operations.Copy{From: old.e, To: v.e, Site: v.site})
	l.emit(program.Command{Op: program.Load, Reg: l.temp(types.UnsignedLong), Addr: old.e, Tags: program.NewTags(flowgraph.FreeTag)})
	l.land(end)
	return v
}
