package program

import (
	"fmt"
	"slices"
	"strings"
)

// Canonical prints a condition of a property, with what it is about by other names, so that conditions that differ in the
// order of operands print the same. cell and thread say what has the place of a cell, by its address, and of a thread.
func Canonical(e Expr, cell func(addr int64) int, thread func(int) int) string {
	again := func(e Expr) string { return Canonical(e, cell, thread) }
	switch e := e.(type) {
	case nil:
		return ""
	case Unary:
		return e.Op.String() + "(" + again(e.X) + ")"
	case Binary:
		var args []string
		switch e.Op {
		case LogicalAnd, LogicalOr:
			var flat func(Expr)
			flat = func(f Expr) {
				if b, ok := f.(Binary); ok && b.Op == e.Op {
					flat(b.X)
					flat(b.Y)
				} else {
					args = append(args, again(f))
				}
			}
			flat(e)
			slices.Sort(args)
			args = slices.Compact(args)
		case Eq, Ne, Add, Mul:
			args = []string{again(e.X), again(e.Y)}
			slices.Sort(args)
		default:
			args = []string{again(e.X), again(e.Y)}
		}
		return e.Op.String() + "(" + strings.Join(args, ", ") + ")"
	case At:
		qs := slices.Clone(e.States)
		slices.Sort(qs)
		return fmt.Sprintf("at %d %v", thread(e.Thread), slices.Compact(qs))
	case ThreadReg:
		return fmt.Sprintf("register %d of %d", e.Reg, thread(e.Thread))
	case Mem:
		return fmt.Sprintf("cell %d", cell(e.Addr))
	}
	return fmt.Sprintf("%T %v", e, e)
}

// Together names threads by group.
func Together(p *Program, groups [][]int) string {
	var texts []string
	for _, g := range groups {
		var names []string
		for _, t := range g {
			names = append(names, p.Threads[t].Name)
		}
		texts = append(texts, strings.Join(names, ", "))
	}
	return strings.Join(texts, " and of ")
}
