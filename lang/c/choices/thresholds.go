package choices

import (
	"maps"
	"slices"

	"github.com/fencepost-verifier/fencepost/lang/c/flowgraph"
	"github.com/fencepost-verifier/fencepost/program"
)

// What a clock shows is one of a billion values, and what becomes of it is at most a few comparisons: half a second is added,
// and where a second is full it is taken off again. So it is asked, from the end to the beginning, at which values of a register
// what follows becomes another: its thresholds, which a comparison has, and which an assignment moves. Of a choice between two of
// them one value is as good as all. (These are the regions of "Region graphs" of timed automata, for one register at a time: Alur
// and Dill, 1994.) Choices that get into memory are in independence.go, and what is only compared in flowgraph/choices.go.

// thresholds are values of a register, which ascend, at each of which what follows may be another than right below it.
type thresholds struct {
	at  []int64
	all bool // every value is one
}

var everywhere = thresholds{all: true}

// mostThresholds is how many are told apart of one register.
const mostThresholds = 16

func (t thresholds) none() bool { return !t.all && len(t.at) == 0 }

func (t thresholds) with(o thresholds) thresholds {
	if t.all || o.all {
		return everywhere
	}
	at := slices.Concat(t.at, o.at)
	slices.Sort(at)
	if at = slices.Compact(at); len(at) > mostThresholds {
		return everywhere
	}
	return thresholds{at: at}
}

func thresholdsAt(at ...int64) thresholds { return thresholds{}.with(thresholds{at: at}) }

// A foresight is what is known of one thread in one control state, or between two commands: the thresholds of its registers.
type foresight map[int]thresholds

func (f foresight) add(reg int, t thresholds) {
	if !t.none() {
		f[reg] = f[reg].with(t)
	}
}

// A foreseer works on one thread.
type foreseer struct {
	r      *program.Ranges
	thread int
	t      *program.Thread
	inside bool // of what is one step: what registers hold there, and not between steps, is not in r
}

// ByThresholds are choices that stay in registers, of as many values as what follows from them differs by, and at least so many, one or
// two.
func ByThresholds(p *program.Program, r *program.Ranges, least int) (all []Choice) {
	for ti, t := range p.Threads {
		var known []foresight
		for ei := range t.Edges {
			e := &t.Edges[ei]
			c := &e.Cmd
			if !Wide(c) {
				continue
			}
			if known == nil {
				x := foreseer{r: r, thread: ti, t: t}
				known = x.states()
			}
			follows := known[e.To][c.Reg]
			if follows.all {
				continue
			}
			values := []int64{c.Lo}
			for _, k := range follows.at {
				if c.Lo < k && k <= c.Hi {
					values = append(values, k)
				}
			}
			if len(values) < least {
				values = append(values, c.Hi)
			}
			all = append(all, Choice{ti, ei, values})
		}
	}
	return all
}

// states are what is known of the control states.
func (x *foreseer) states() []foresight {
	known := make([]foresight, len(x.t.States))
	into := make([][]int, len(x.t.States))
	for i := range x.t.Edges {
		into[x.t.Edges[i].To] = append(into[x.t.Edges[i].To], i)
	}
	var work []program.StateID
	queued := make([]bool, len(x.t.States))
	for q := range x.t.States {
		known[q] = foresight{}
		work, queued[q] = append(work, program.StateID(q)), true
	}
	for len(work) > 0 {
		q := work[len(work)-1]
		work, queued[q] = work[:len(work)-1], false
		for _, i := range into[q] {
			e := &x.t.Edges[i]
			before := maps.Clone(known[q])
			x.command(before, &e.Cmd)
			changed := false
			for reg, t := range before {
				if sum := known[e.From][reg].with(t); sum.all != known[e.From][reg].all || len(sum.at) != len(known[e.From][reg].at) {
					known[e.From][reg], changed = sum, true
				}
			}
			if changed && !queued[e.From] {
				work, queued[e.From] = append(work, e.From), true
			}
		}
	}
	return known
}

// command turns what is known after a command into what is known before it.
func (x *foreseer) command(f foresight, c *program.Command) {
	switch c.Op {
	case program.Atomic:
		x.inside = true
		for i := len(c.Body) - 1; i >= 0; i-- {
			x.command(f, &c.Body[i])
		}
		x.inside = false
		return
	case program.Check, program.Assert:
		if flowgraph.Placeholder(c) {
			program.Walk(c.Value, func(e program.Expr) {
				if r, ok := e.(program.Reg); ok {
					f[int(r)] = everywhere
				}
			})
			return
		}
		x.condition(f, c.Value)
		return
	case program.Havoc:
		delete(f, c.Reg)
		return
	case program.Assign:
		after := f[c.Reg]
		delete(f, c.Reg)
		if after.none() {
			return
		}
		reg, ok := alone(c.Value)
		if !ok || asks(c.Value) {
			x.any(f, c.Value)
			return
		}
		if v, t := x.r.Value(x.thread, c.Value), x.t.Regs[c.Reg].Type; x.inside || v.Empty() || v.Min() < t.Min() || v.Max() > t.Max() {
			after = everywhere
		}
		f.add(reg, x.before(c.Value, after))
		return
	case program.Load:
		delete(f, c.Reg)
	}
	x.any(f, c.Addr)
	x.any(f, c.Value)
}

// any has everything depend on the registers of an expression, but for those of which it has no more than whether a condition holds.
func (x *foreseer) any(f foresight, e program.Expr) {
	switch e := e.(type) {
	case program.Reg:
		f[int(e)] = everywhere
	case program.Unary:
		if e.Op == program.LogicalNot {
			x.condition(f, e)
			return
		}
		x.any(f, e.X)
	case program.Binary:
		if e.Op.Bool() {
			x.condition(f, e)
			return
		}
		x.any(f, e.X)
		x.any(f, e.Y)
	}
}

// asks is whether an expression has conditions in it.
func asks(e program.Expr) (found bool) {
	program.Walk(e, func(e program.Expr) {
		switch e := e.(type) {
		case program.Unary:
			found = found || e.Op == program.LogicalNot
		case program.Binary:
			found = found || e.Op.Bool()
		}
	})
	return found
}

// condition takes in an expression of which counts whether it is 0.
func (x *foreseer) condition(f foresight, e program.Expr) {
	switch e := e.(type) {
	case program.Unary:
		if e.Op == program.LogicalNot {
			x.condition(f, e.X)
			return
		}
	case program.Binary:
		switch e.Op {
		case program.LogicalAnd, program.LogicalOr:
			x.condition(f, e.X)
			x.condition(f, e.Y)
			return
		case program.Eq, program.Ne, program.Lt, program.Le, program.Gt, program.Ge, program.ULt, program.ULe:
			l, r := e.X, e.Y
			k, constant := r.(program.Const)
			if !constant {
				k, constant = l.(program.Const)
				l = r
			}
			reg, one := alone(l)
			if !constant || !one {
				break
			}
			at := []int64{int64(k)}
			if next, ok := addExact(int64(k), 1); ok {
				at = append(at, next)
			}
			if e.Op == program.ULt || e.Op == program.ULe {
				at = append(at, 0)
			}
			f.add(reg, x.before(l, thresholdsAt(at...)))
			return
		}
	}
	if reg, ok := alone(e); ok {
		f.add(reg, x.before(e, thresholdsAt(0, 1)))
		return
	}
	if b, ok := e.(program.Binary); ok {
		x.any(f, b.X)
		x.any(f, b.Y)
		return
	}
	x.any(f, e)
}

// before is the thresholds of the one register in e, where those of e are known.
func (x *foreseer) before(e program.Expr, after thresholds) thresholds {
	if _, ok := e.(program.Reg); ok || after.none() || after.all {
		return after
	}
	if x.inside {
		return everywhere
	}
	switch e := e.(type) {
	case program.Unary:
		// A conversion changes nothing where there is room.
		if t, ok := e.Op.Cast(); ok {
			if v := x.r.Value(x.thread, e.X); !v.Empty() && t.Min() <= v.Min() && v.Max() <= t.Max() {
				return x.before(e.X, after)
			}
		}
		if e.Op == program.Neg {
			return x.before(program.Binary{Op: program.Sub, X: program.Const(0), Y: e.X}, after)
		}
	case program.Binary:
		k, right := e.Y.(program.Const)
		inner, left := e.X, false
		if !right {
			k, left = e.X.(program.Const)
			inner = e.Y
		}
		v := x.r.Value(x.thread, inner)
		if !left && !right || v.Empty() {
			return everywhere
		}
		if moved, ok := move(e.Op, v.Min(), v.Max(), int64(k), right, after.at); ok {
			return x.before(inner, thresholdsAt(moved...))
		}
	}
	return everywhere
}

// mostRounds is how many times what is divided may come to the remainder 0.
const mostRounds = 4

// move gives the thresholds of a number between lo and hi from those of what an operation makes of it and k, which stands on the right or on
// the left; ok is false where that is not known, or may not fit into 64 bits.
func move(op program.BinaryOp, lo, hi, k int64, right bool, after []int64) (before []int64, ok bool) {
	fits := func(f func(a, b int64) (int64, bool), x, y int64) int64 {
		z, exact := f(x, y)
		ok = ok && exact
		return z
	}
	ok = true
	switch {
	case op == program.Add:
		fits(addExact, lo, k)
		fits(addExact, hi, k)
	case op == program.Sub && right:
		fits(subExact, lo, k)
		fits(subExact, hi, k)
	case op == program.Sub:
		fits(subExact, k, lo)
		fits(subExact, k, hi)
	case op == program.Mul && k > 0:
		fits(mulExact, lo, k)
		fits(mulExact, hi, k)
	case (op == program.Div || op == program.UDiv) && right && k > 0 && lo >= 0:
	case (op == program.Rem || op == program.URem) && right && k > 0 && lo >= 0 && hi/k-lo/k < mostRounds:
	default:
		return nil, false
	}
	if !ok {
		return nil, false
	}
	for _, b := range after {
		var exact bool
		var at int64
		switch op {
		case program.Add:
			at, exact = subExact(b, k)
		case program.Sub:
			if right {
				at, exact = addExact(b, k)
				break
			}
			// The least x with k-x < b.
			if at, exact = subExact(k, b); exact {
				at, exact = addExact(at, 1)
			}
		case program.Mul: // the least x with k*x >= b
			at, exact = b/k, true
			if b%k > 0 {
				at++
			}
		case program.Div, program.UDiv:
			at, exact = mulExact(b, k)
		default:
			for n := lo / k; n <= hi/k; n++ {
				if b >= 0 && b <= k {
					if at, fit := addExact(n*k, b); fit {
						before = append(before, at)
					}
				}
			}
		}
		if exact {
			before = append(before, at)
		}
	}
	if op == program.Rem || op == program.URem {
		for n := lo/k + 1; n <= hi/k; n++ {
			before = append(before, n*k)
		}
	}
	return before, true
}

func addExact(x, y int64) (int64, bool) {
	z := x + y
	return z, (z > x) == (y > 0)
}

func subExact(x, y int64) (int64, bool) {
	z := x - y
	return z, (z < x) == (y > 0)
}

func mulExact(x, k int64) (int64, bool) { // k > 0
	z := x * k
	return z, z/k == x
}
