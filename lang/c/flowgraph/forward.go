package flowgraph

import "github.com/fencepost-verifier/fencepost/program"

// maxForward is how large an expression may be that takes the place of a register.
const maxForward = 8

// An available is the expressions that registers are known to equal, by register.
type available map[int]program.Expr

// forward puts the values of registers in the place of the registers.
func (g *Graph) forward() {
	live := g.Live()
	avail := make([]available, len(g.Nodes))
	avail[g.Start] = available{}
	out := g.Out()
	kept := g.keptInChecks(out, live)
	work := []int{g.Start}
	queued := make([]bool, len(g.Nodes))
	for len(work) > 0 {
		q := work[len(work)-1]
		work = work[:len(work)-1]
		queued[q] = false
		for _, i := range out[q] {
			e := g.Edges[i]
			a := g.transfer(&e, avail[q], kept[q])
			to := e.To
			for r := range a {
				if !live[to].Has(r) {
					delete(a, r)
				}
			}
			changed := false
			if avail[to] == nil {
				avail[to] = a
				changed = true
			} else {
				for r, x := range avail[to] {
					if y, ok := a[r]; !ok || y != x {
						delete(avail[to], r)
						changed = true
					}
				}
			}
			if changed && !queued[to] {
				queued[to] = true
				work = append(work, to)
			}
		}
	}
	for i := range g.Edges {
		if a := avail[g.Edges[i].From]; a != nil {
			g.transfer(&g.Edges[i], a, kept[g.Edges[i].From])
		}
	}
}

// keptInChecks is, by node, the registers that checks there read and that somebody reads after one of them. Their values
// are not put into these checks: what a check says of a register is not known of it any more if it is said of what the register was computed from, as
// of the index of a ring that goes back to 0.
func (g *Graph) keptInChecks(out [][]int, live []program.RegSet) []map[int]bool {
	kept := make([]map[int]bool, len(g.Nodes))
	for q := range out {
		for _, i := range out[q] {
			if e := &g.Edges[i]; e.Op == nil && e.Cmd.Op == program.Check {
				program.Walk(e.Cmd.Value, func(x program.Expr) {
					r, ok := x.(program.Reg)
					if !ok || kept[q][int(r)] {
						return
					}
					for _, j := range out[q] {
						if live[g.Edges[j].To].Has(int(r)) {
							if kept[q] == nil {
								kept[q] = map[int]bool{}
							}
							kept[q][int(r)] = true
						}
					}
				})
			}
		}
	}
	return kept
}

// without leaves out some registers, but for those whose values are registers or constants.
func (a available) without(regs map[int]bool) available {
	rest := make(available, len(a))
	for r, x := range a {
		_, reg := x.(program.Reg)
		_, constant := x.(program.Const)
		if !regs[r] || reg || constant {
			rest[r] = x
		}
	}
	return rest
}

// transfer puts what is available into an edge, in place, and gives what is
// available after it.
func (g *Graph) transfer(e *Edge, a available, kept map[int]bool) available {
	next := make(available, len(a)+1)
	for r, x := range a {
		next[r] = x
	}
	kill := func(r int) {
		delete(next, r)
		for s, x := range next {
			if Reads(x, r) {
				delete(next, s)
			}
		}
	}
	put := func(x program.Expr) program.Expr { return next.substitute(x) }
	if e.Op == nil && e.Cmd.Op == program.Check && len(kept) > 0 {
		e.Cmd.Value = next.without(kept).substitute(e.Cmd.Value)
		return next
	}
	if e.Op == nil {
		g.transferCommand(&e.Cmd, next, kill)
		return next
	}
	e.Op = substitute(e.Op, put)
	e.Writes(kill)
	return next
}

func (g *Graph) transferCommand(c *program.Command, a available, kill func(int)) {
	if c.Op == program.Atomic {
		body := append([]program.Command(nil), c.Body...)
		for i := range body {
			g.transferCommand(&body[i], a, kill)
		}
		c.Body = body
		return
	}
	if c.Addr != nil {
		c.Addr = a.substitute(c.Addr)
	}
	if c.Value != nil {
		c.Value = a.substitute(c.Value)
	}
	switch c.Op {
	case program.Load, program.Havoc:
		kill(c.Reg)
	case program.Assign:
		kill(c.Reg)
		x := c.Value
		t := g.Regs[c.Reg].Type
		if !g.rangeOf(x).Fits(t) {
			x = Fold(program.Unary{Op: program.Cast(t), X: x})
		}
		if !Reads(x, c.Reg) && size(x) <= maxForward {
			a[c.Reg] = x
		}
	}
}

// rangeOf is a type that holds all values of e.
func (g *Graph) rangeOf(e program.Expr) program.Type {
	switch e := e.(type) {
	case program.Reg:
		return g.Regs[e].Type
	case program.Const:
		for _, t := range []program.Type{program.BoolType, {Bits: 7}, {Bits: 8, Signed: true}, {Bits: 15}, {Bits: 16, Signed: true}, {Bits: 31}, {Bits: 32, Signed: true}, {Bits: 32}} {
			if t.Wrap(int64(e)) == int64(e) {
				return t
			}
		}
	case program.Unary:
		if t, ok := e.Op.Cast(); ok {
			return t
		}
		if e.Op == program.LogicalNot {
			return program.BoolType
		}
	case program.Binary:
		if e.Op.Bool() {
			return program.BoolType
		}
		if e.Op == program.BitAnd || e.Op == program.BitOr || e.Op == program.BitXor {
			if x, y := g.rangeOf(e.X), g.rangeOf(e.Y); x == y {
				return x
			}
		}
	}
	return program.Type{Bits: 64, Signed: true}
}

func (a available) substitute(e program.Expr) program.Expr {
	switch e := e.(type) {
	case program.Reg:
		if x, ok := a[int(e)]; ok {
			return x
		}
	case program.Unary:
		return Fold(program.Unary{Op: e.Op, X: a.substitute(e.X)})
	case program.Binary:
		return Fold(program.Binary{Op: e.Op, X: a.substitute(e.X), Y: a.substitute(e.Y)})
	}
	return e
}

func Reads(e program.Expr, r int) bool {
	found := false
	program.Walk(e, func(x program.Expr) { found = found || x == program.Reg(r) })
	return found
}

func size(e program.Expr) int {
	n := 0
	program.Walk(e, func(program.Expr) { n++ })
	return n
}

// Cast is e as a value of a type.
func (g *Graph) Cast(e program.Expr, t program.Type) program.Expr {
	if g.rangeOf(e).Fits(t) {
		return e
	}
	return Fold(program.Unary{Op: program.Cast(t), X: e})
}
