package flow

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// Visible is what Forbid properties can see.
type Visible struct {
	At    [][]program.At   // by thread: its places that they name
	Regs  []program.RegSet // by thread
	Cells []bool           // by cell of the ranges
}

// NewVisible is for those properties of p, whose ranges are r.
func NewVisible(p *program.Program, r *program.Ranges, props []program.Property) *Visible {
	v := &Visible{At: make([][]program.At, len(p.Threads)), Cells: make([]bool, len(r.Cells))}
	for _, t := range p.Threads {
		v.Regs = append(v.Regs, program.NewRegSet(len(t.Regs)))
	}
	for i := range props {
		if props[i].Kind != program.Forbid {
			continue
		}
		program.Walk(props[i].Cond, func(e program.Expr) {
			switch e := e.(type) {
			case program.At:
				v.At[e.Thread] = append(v.At[e.Thread], e)
			case program.ThreadReg:
				v.Regs[e.Thread].Add(e.Reg)
			case program.Mem:
				v.Cells[r.CellIndex(e.Addr)] = true
			}
		})
	}
	return v
}

// Edge is true where taking edge e of thread t can be seen, its store to memory
// apart.
func (v *Visible) Edge(t int, e *program.Edge) bool {
	for i := range v.At[t] {
		if states := v.At[t][i].States; slices.Contains(states, e.From) != slices.Contains(states, e.To) {
			return true
		}
	}
	seen := false
	e.Cmd.Writes(func(r int) { seen = seen || v.Regs[t].Has(r) })
	return seen
}
