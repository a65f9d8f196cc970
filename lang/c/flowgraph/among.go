package flowgraph

import (
	"slices"

	"github.com/fencepost-verifier/fencepost/program"
)

// maxListed is how many values of a set are looked at one by one.
const maxListed = 1 << 14

// Among is the condition that addr is one of good, given that it is in the set.
func Among(addr program.Expr, good []int64, set program.ValueSet) program.Expr {
	if len(good) == 0 {
		return program.Const(0)
	}
	if set.Size() > maxListed {
		return OneOf(addr, good)
	}
	// Intervals with as few conditions as can be: between two values of the set
	// there is nothing that has to be told apart.
	var ins, outs []run
	var lo, hi int64
	first, state := true, false
	flush := func(was bool) {
		if was {
			ins = append(ins, run{lo, hi, 1})
		} else {
			outs = append(outs, run{lo, hi, 1})
		}
	}
	k := 0
	for v := range set.All {
		is := k < len(good) && good[k] == v
		if is {
			k++
		}
		if !first && is != state {
			flush(state)
			lo = v
		} else if first {
			lo = v
		}
		first, state, hi = false, is, v
	}
	flush(state)
	if min(len(ins), len(outs)) > fewRuns && !slices.ContainsFunc(ins, func(r run) bool { return r.lo < r.hi }) {
		return OneOf(addr, good) // what is at equal distances is one condition
	}
	if len(outs) < len(ins) || len(outs) == len(ins) && set.Min() != good[0] && len(outs) == 1 {
		if out := Fold(program.NotExpr(anyRun(addr, outs))); len(outs) < len(ins) || out != program.Const(1) {
			return out
		}
	}
	return anyRun(addr, ins)
}

// Between is the condition that addr is at least lo and at most hi.
func Between(addr program.Expr, lo, hi int64) program.Expr {
	if lo == hi {
		return Fold(bin(program.Eq, addr, program.Const(lo)))
	}
	return Fold(bin(program.LogicalAnd, Fold(bin(program.Le, program.Const(lo), addr)), Fold(bin(program.Le, addr, program.Const(hi)))))
}

// OneOf is the condition that addr is one of the values, which are ascending.
func OneOf(addr program.Expr, vs []int64) program.Expr {
	var runs []run
	for i := 0; i < len(vs); {
		j := i + 1
		if j < len(vs) {
			for step := vs[j] - vs[i]; j < len(vs) && vs[j]-vs[j-1] == step; {
				j++
			}
		}
		r := run{vs[i], vs[j-1], 1}
		if j > i+1 {
			r.step = vs[i+1] - vs[i]
		}
		runs = append(runs, r)
		i = j
	}
	return anyRun(addr, runs)
}

// A run is every step-th value from lo to hi.
type run struct{ lo, hi, step int64 }

// fewRuns is how many runs are conditions of their own, though one follows the other at equal distances.
const fewRuns = 8

// anyRun is the condition that addr is in one of the runs, which are ascending. What is in equal places of many
// equal objects is one condition.
func anyRun(addr program.Expr, runs []run) program.Expr {
	var e program.Expr = program.Const(0)
	for i := 0; i < len(runs); {
		r, j := runs[i], i+1
		var every int64
		if j < len(runs) {
			every = runs[j].lo - r.lo
		}
		for j < len(runs) && runs[j].lo-runs[j-1].lo == every && runs[j].step == r.step && runs[j].hi-runs[j].lo == r.hi-r.lo {
			j++
		}
		in := r.has(addr)
		if j-i >= fewRuns {
			first := bin(program.Rem, bin(program.Sub, addr, program.Const(r.lo)), program.Const(every))
			in = Fold(bin(program.LogicalAnd, Between(addr, r.lo, runs[j-1].hi), run{0, r.hi - r.lo, r.step}.has(first)))
		} else {
			j = i + 1
		}
		e = Fold(bin(program.LogicalOr, e, in))
		i = j
	}
	return e
}

// has is the condition that addr is in the run.
func (r run) has(addr program.Expr) program.Expr {
	in := Between(addr, r.lo, r.hi)
	if r.step > 1 {
		in = Fold(bin(program.LogicalAnd, in, bin(program.Eq, bin(program.Rem, bin(program.Sub, addr, program.Const(r.lo)), program.Const(r.step)), program.Const(0))))
	}
	return in
}

func bin(op program.BinaryOp, x, y program.Expr) program.Expr {
	return program.Binary{Op: op, X: x, Y: y}
}
