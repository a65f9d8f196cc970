package flowgraph

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// A free choice is of 2^32 values, and most programs ask for no more than whether it is 0. Where
// a register that holds one is only compared with constants, or only taken modulo a power of two,
// as many values are chosen from as can be told apart. What else is done with it does not matter where
// comparisons have left few values by then, as with an index that is in its array: these are kept.

// narrow makes the choices of a thread as small as what is done with them.
func (g *Graph) narrow() {
	if !slices.ContainsFunc(g.Edges, func(e Edge) bool { return e.Op == nil && e.Cmd.Op == program.Havoc }) {
		return
	}
	uses := make([]use, len(g.Regs))
	for i := range g.Edges {
		e := &g.Edges[i]
		if e.Op != nil {
			e.Reads(func(r int) { uses[r].other = true })
			e.Writes(func(r int) { uses[r].other = true })
		} else {
			g.countUses(&e.Cmd, uses)
		}
	}
	g.bounded(uses)
	if g.Result >= 0 {
		uses[g.Result].other = true
	}
	var f *following
	for i := range g.Edges {
		c := &g.Edges[i].Cmd
		if g.Edges[i].Op != nil || c.Op != program.Havoc {
			continue
		}
		u := &uses[c.Reg]
		if u.other && !u.within && c.Reg != g.Result && uint64(c.Hi)-uint64(c.Lo) >= worth {
			if f == nil {
				f = g.follow()
			}
			u = f.use(i)
		}
		c.Lo, c.Hi = u.narrowed(c.Lo, c.Hi)
	}
}

// few is how many values may be left, and worth of how many it is worth the time to follow a choice.
const few, worth = 1 << 10, 1 << 4

// A use is all that is known of what is done with a register.
type use struct {
	other    bool // something else
	loaded   bool // it holds something else than choices, too
	compared bool // with constants, from lo to hi
	lo, hi   int64
	masked   bool // by & with masks that have no bits but those of mask
	mask     int64
	// somehow is whether it is used in another way, which [graph.bounded] looks into.
	somehow bool
	within  bool // choices of it are made in blocks, too
}

func (u *use) compare(k int64) {
	if !u.compared {
		u.compared, u.lo, u.hi = true, k, k
	}
	u.lo, u.hi = min(u.lo, k), max(u.hi, k)
}

// narrowed is a part of lo..hi that has a value for each that can be told apart.
func (u *use) narrowed(lo, hi int64) (int64, int64) {
	switch {
	case u.other || u.compared && u.masked:
	case u.compared && (hi < u.lo || u.hi < lo):
		return lo, lo
	case u.masked && u.mask > 0 && u.mask < few && lo <= 0 && hi >= u.mask:
		return 0, u.mask
	case u.compared && u.hi-u.lo < few && u.hi-u.lo >= 0 && lo <= u.lo && u.hi <= hi:
		// All below the least constant are alike, and all above the greatest.
		if u.lo > lo {
			u.lo--
		}
		if u.hi < hi {
			u.hi++
		}
		return u.lo, u.hi
	}
	return lo, hi
}

// countUses takes in what a command does.
func (g *Graph) countUses(c *program.Command, uses []use) {
	switch c.Op {
	case program.Assign, program.Load:
		uses[c.Reg].loaded = true
	case program.Check, program.Assert:
		countTruth(c.Value, uses)
		return
	}
	countOthers(c.Addr, uses)
	countOthers(c.Value, uses)
	for i := range c.Body {
		if c.Body[i].Op == program.Havoc {
			uses[c.Body[i].Reg].other, uses[c.Body[i].Reg].within = true, true
		}
		g.countUses(&c.Body[i], uses)
	}
}

// countTruth takes in an expression of which counts whether it is 0.
func countTruth(e program.Expr, uses []use) {
	if r, ok := e.(program.Reg); ok {
		uses[r].compare(0)
		return
	}
	countOthers(e, uses)
}

// countOthers takes in an expression.
func countOthers(e program.Expr, uses []use) {
	switch e := e.(type) {
	case program.Reg:
		uses[e].somehow = true
	case program.Unary:
		if e.Op == program.LogicalNot {
			countTruth(e.X, uses)
		} else {
			countOthers(e.X, uses)
		}
	case program.Binary:
		r, k, ok := regAndConst(e.X, e.Y)
		switch e.Op {
		case program.LogicalAnd, program.LogicalOr:
			countTruth(e.X, uses)
			countTruth(e.Y, uses)
			return
		case program.Eq, program.Ne, program.Lt, program.Le, program.Gt, program.Ge:
			if ok {
				uses[r].compare(k)
				return
			}
		case program.BitAnd:
			if ok && k > 0 && k&(k+1) == 0 {
				uses[r].masked = true
				uses[r].mask |= k
				return
			}
		}
		countOthers(e.X, uses)
		countOthers(e.Y, uses)
	}
}

// regAndConst are the operands where one is a register and the other one a constant.
func regAndConst(x, y program.Expr) (r program.Reg, k int64, ok bool) {
	if _, is := x.(program.Const); is {
		x, y = y, x
	}
	r, isReg := x.(program.Reg)
	c, isConst := y.(program.Const)
	if !isConst {
		return 0, 0, false
	}
	return r, int64(c), isReg
}

// NumberChoices makes several of a choice among more values than can be numbered.
func (g *Graph) NumberChoices() {
	const most = 1 << 62
	for i := 0; i < len(g.Edges); i++ {
		e := &g.Edges[i]
		if e.Op == nil && e.Cmd.Op == program.Havoc && uint64(e.Cmd.Hi)-uint64(e.Cmd.Lo) >= most {
			rest := e.Cmd
			rest.Lo += most
			e.Cmd.Hi = rest.Lo - 1
			g.Add(e.From, e.To, rest, e.Pos)
		}
	}
}

// ChooseOf makes an edge that chooses, and others beside it, choose one of the values, which ascend.
func (g *Graph) ChooseOf(edge int, values []int64) {
	first := true
	for i := 0; i < len(values); {
		j := i + 1
		for j < len(values) && values[j] == values[j-1]+1 {
			j++
		}
		e := &g.Edges[edge]
		c := e.Cmd
		c.Lo, c.Hi = values[i], values[j-1]
		if first {
			e.Cmd, first = c, false
		} else {
			g.Add(e.From, e.To, c, e.Pos)
		}
		i = j
	}
}
