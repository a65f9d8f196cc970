package program

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// A ValueSet over-approximates the values that something can have: a few values
// one by one, or an interval. The zero ValueSet is empty.
type ValueSet struct {
	few    []int64 // ascending; used where not wide
	lo, hi int64   // used where wide
	wide   bool
}

// maxFew is how many values a set lists one by one.
const maxFew = 24

// Values is the set of just these.
func Values(vs ...int64) ValueSet {
	few := slices.Clone(vs)
	slices.Sort(few)
	return fewOrWide(slices.Compact(few))
}

// Interval is the set lo..hi.
func Interval(lo, hi int64) ValueSet {
	if n := uint64(hi) - uint64(lo); n < maxFew {
		few := make([]int64, 0, n+1)
		for v := lo; ; v++ {
			few = append(few, v)
			if v == hi {
				return ValueSet{few: few}
			}
		}
	}
	return ValueSet{lo: lo, hi: hi, wide: true}
}

func fewOrWide(few []int64) ValueSet {
	if len(few) > maxFew {
		return ValueSet{lo: few[0], hi: few[len(few)-1], wide: true}
	}
	return ValueSet{few: few}
}

func typeSet(t Type) ValueSet { return Interval(t.Min(), t.Max()) }

// Empty is true where there is no value.
func (s ValueSet) Empty() bool { return !s.wide && len(s.few) == 0 }

// Min is the smallest value; the set must not be empty.
func (s ValueSet) Min() int64 {
	if s.wide {
		return s.lo
	}
	return s.few[0]
}

// Max is the largest value; the set must not be empty.
func (s ValueSet) Max() int64 {
	if s.wide {
		return s.hi
	}
	return s.few[len(s.few)-1]
}

// Few is the values one by one, ascending, and whether the set lists them so.
// The slice must not be changed.
func (s ValueSet) Few() ([]int64, bool) { return s.few, !s.wide }

// Has is true where v is in the set.
func (s ValueSet) Has(v int64) bool {
	if s.wide {
		return s.lo <= v && v <= s.hi
	}
	_, ok := slices.BinarySearch(s.few, v)
	return ok
}

func (s ValueSet) String() string {
	if s.wide {
		return fmt.Sprintf("%d..%d", s.lo, s.hi)
	}
	parts := make([]string, len(s.few))
	for i, v := range s.few {
		parts[i] = fmt.Sprint(v)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

func (s ValueSet) equal(o ValueSet) bool {
	if s.wide != o.wide {
		return false
	}
	if s.wide {
		return s.lo == o.lo && s.hi == o.hi
	}
	return slices.Equal(s.few, o.few)
}

func (s ValueSet) union(o ValueSet) ValueSet {
	switch {
	case s.Empty():
		return o
	case o.Empty():
		return s
	case s.wide || o.wide:
		return Interval(min(s.Min(), o.Min()), max(s.Max(), o.Max()))
	}
	few := make([]int64, 0, len(s.few)+len(o.few))
	few = append(append(few, s.few...), o.few...)
	slices.Sort(few)
	return fewOrWide(slices.Compact(few))
}

// restrict keeps the values within lo..hi.
func (s ValueSet) restrict(lo, hi int64) ValueSet {
	if lo > hi || s.Empty() {
		return ValueSet{}
	}
	if s.wide {
		if lo, hi = max(lo, s.lo), min(hi, s.hi); lo > hi {
			return ValueSet{}
		}
		return Interval(lo, hi)
	}
	return s.filter(func(v int64) bool { return lo <= v && v <= hi })
}

// filter keeps the listed values that satisfy f; intervals stay as they are.
func (s ValueSet) filter(f func(int64) bool) ValueSet {
	if s.wide {
		return s
	}
	var few []int64
	for _, v := range s.few {
		if f(v) {
			few = append(few, v)
		}
	}
	return ValueSet{few: few}
}

// without drops v where that is possible.
func (s ValueSet) without(v int64) ValueSet {
	if s.wide {
		if s.lo == v {
			return Interval(s.lo+1, s.hi)
		}
		if s.hi == v {
			return Interval(s.lo, s.hi-1)
		}
		return s
	}
	return s.filter(func(w int64) bool { return w != v })
}

// wrap is the set of the values reduced to t.
func (s ValueSet) wrap(t Type) ValueSet {
	if s.Empty() || s.Min() >= t.Min() && s.Max() <= t.Max() {
		return s
	}
	if s.wide {
		return typeSet(t)
	}
	vs := make([]int64, len(s.few))
	for i, v := range s.few {
		vs[i] = t.Wrap(v)
	}
	return Values(vs...)
}

var top = ValueSet{lo: math.MinInt64, hi: math.MaxInt64, wide: true}

// evalSet over-approximates e; regs gives the sets of the registers.
func evalSet(e Expr, regs []ValueSet) ValueSet {
	switch e := e.(type) {
	case Const:
		return ValueSet{few: []int64{int64(e)}}
	case Reg:
		return regs[e]
	case Unary:
		return UnarySet(e.Op, evalSet(e.X, regs))
	case Binary:
		return BinarySet(e.Op, evalSet(e.X, regs), evalSet(e.Y, regs))
	}
	panic(fmt.Sprintf("program: %T in a command", e))
}

// UnarySet over-approximates the values of op.
func UnarySet(op UnaryOp, x ValueSet) ValueSet {
	if x.Empty() {
		return x
	}
	if few, ok := x.Few(); ok {
		vs := make([]int64, len(few))
		for i, v := range few {
			vs[i] = EvalUnary(op, v)
		}
		return Values(vs...)
	}
	switch op {
	case Neg:
		if x.lo == math.MinInt64 {
			return top
		}
		return Interval(-x.hi, -x.lo)
	case Complement:
		return Interval(^x.hi, ^x.lo)
	}
	if !x.Has(0) {
		return Values(0)
	}
	return Values(0, 1)
}

// BinarySet over-approximates the values of op on a value of x and one of y.
func BinarySet(op BinaryOp, x, y ValueSet) ValueSet {
	if x.Empty() || y.Empty() {
		return ValueSet{}
	}
	if !x.wide && !y.wide {
		vs := make([]int64, 0, len(x.few)*len(y.few))
		for _, v := range x.few {
			for _, w := range y.few {
				vs = append(vs, EvalBinary(op, v, w))
			}
		}
		return Values(vs...)
	}
	return binaryInterval(op, x.Min(), x.Max(), y.Min(), y.Max())
}

// binaryInterval over-approximates op on x in a..b and y in c..d.
func binaryInterval(op BinaryOp, a, b, c, d int64) ValueSet {
	decided := func(yes, no bool) ValueSet {
		switch {
		case yes:
			return Values(1)
		case no:
			return Values(0)
		}
		return Values(0, 1)
	}
	switch op {
	case Add:
		if lo, ok := addExact(a, c); ok {
			if hi, ok := addExact(b, d); ok {
				return Interval(lo, hi)
			}
		}
	case Sub:
		if lo, ok := subExact(a, d); ok {
			if hi, ok := subExact(b, c); ok {
				return Interval(lo, hi)
			}
		}
	case Mul:
		lo, hi := int64(math.MaxInt64), int64(math.MinInt64)
		for _, p := range [4][2]int64{{a, c}, {a, d}, {b, c}, {b, d}} {
			v, ok := mulExact(p[0], p[1])
			if !ok {
				return top
			}
			lo, hi = min(lo, v), max(hi, v)
		}
		return Interval(lo, hi)
	case Div:
		if c > 0 {
			return Interval(min(a/c, a/d, 0), max(b/c, b/d, 0))
		}
	case Rem:
		if c > 0 {
			lo, hi := int64(0), int64(0)
			if a < 0 {
				lo = max(a, -(d - 1))
			}
			if b > 0 {
				hi = min(b, d-1)
			}
			return Interval(lo, hi)
		}
	case BitAnd:
		switch {
		case a >= 0 && c >= 0:
			return Interval(0, min(b, d))
		case a >= 0:
			return Interval(0, b)
		case c >= 0:
			return Interval(0, d)
		}
	case BitOr, BitXor:
		if a >= 0 && c >= 0 {
			return Interval(0, ones(b|d))
		}
	case Shr:
		if c >= 0 && c <= 63 {
			return Interval(min(a>>c, a>>min(d, 63), 0), max(b>>c, b>>min(d, 63), 0))
		}
	case Shl:
		if a >= 0 && c >= 0 && d < 62 && b <= math.MaxInt64>>d {
			return Interval(0, b<<d)
		}
	case Eq:
		return decided(a == b && c == d && a == c, b < c || d < a)
	case Ne:
		return decided(b < c || d < a, a == b && c == d && a == c)
	case Lt:
		return decided(b < c, a >= d)
	case Le:
		return decided(b <= c, a > d)
	case Gt:
		return decided(a > d, b <= c)
	case Ge:
		return decided(a >= d, b < c)
	case LogicalAnd, LogicalOr:
		return Values(0, 1)
	}
	return top
}

func addExact(x, y int64) (int64, bool) {
	s := x + y
	return s, (s > x) == (y > 0)
}

func subExact(x, y int64) (int64, bool) {
	s := x - y
	return s, (s < x) == (y > 0)
}

func mulExact(x, y int64) (int64, bool) {
	if x == 0 || y == 0 {
		return 0, true
	}
	p := x * y
	if p/y != x || x == -1 && y == math.MinInt64 || y == -1 && x == math.MinInt64 {
		return 0, false
	}
	return p, true
}

// ones is v >= 0 with every bit below its highest set as well.
func ones(v int64) int64 {
	for s := 1; s < 64; s *= 2 {
		v |= v >> s
	}
	return v
}

// refine narrows regs to the valuations in which cond is not 0, as far as
// intervals can say that. It reports whether there can be any.
func refine(cond Expr, regs []ValueSet) bool {
	switch e := cond.(type) {
	case Const:
		return e != 0
	case Reg:
		regs[e] = regs[e].without(0)
		return !regs[e].Empty()
	case Unary:
		if e.Op == LogicalNot {
			if _, again := NotExpr(e.X).(Unary); !again {
				return refine(NotExpr(e.X), regs)
			}
			if r, ok := e.X.(Reg); ok {
				regs[r] = regs[r].restrict(0, 0)
				return !regs[r].Empty()
			}
			if b, ok := e.X.(Binary); ok {
				switch b.Op { // De Morgan
				case LogicalOr:
					return refine(NotExpr(b.X), regs) && refine(NotExpr(b.Y), regs)
				case LogicalAnd:
					return refineEither(NotExpr(b.X), NotExpr(b.Y), regs)
				}
			}
		}
	case Binary:
		switch e.Op {
		case LogicalAnd:
			return refine(e.X, regs) && refine(e.Y, regs)
		case LogicalOr:
			return refineEither(e.X, e.Y, regs)
		case Eq, Ne, Lt, Le, Gt, Ge:
			if !refineCompare(e.Op, e.X, e.Y, regs) || !refineCompare(mirror(e.Op), e.Y, e.X, regs) {
				return false
			}
		}
	}
	s := evalSet(cond, regs)
	return !s.Empty() && (s.wide || len(s.few) != 1 || s.few[0] != 0)
}

func refineEither(x, y Expr, regs []ValueSet) bool {
	left, right := slices.Clone(regs), slices.Clone(regs)
	okLeft, okRight := refine(x, left), refine(y, right)
	for i := range regs {
		switch {
		case okLeft && okRight:
			regs[i] = left[i].union(right[i])
		case okLeft:
			regs[i] = left[i]
		case okRight:
			regs[i] = right[i]
		}
	}
	return okLeft || okRight
}

// mirror is the operator with its sides exchanged.
func mirror(op BinaryOp) BinaryOp {
	switch op {
	case Lt:
		return Gt
	case Le:
		return Ge
	case Gt:
		return Lt
	case Ge:
		return Le
	}
	return op
}

// refineCompare narrows x, where it is a register, by "x op y".
func refineCompare(op BinaryOp, x, y Expr, regs []ValueSet) bool {
	r, ok := x.(Reg)
	if !ok {
		return true
	}
	s, v := regs[r], evalSet(y, regs)
	if s.Empty() || v.Empty() {
		return false
	}
	switch op {
	case Eq:
		if few, ok := v.Few(); ok && !s.wide {
			s = s.filter(func(w int64) bool { return slices.Contains(few, w) })
		} else if s = s.restrict(v.Min(), v.Max()); ok && !s.Empty() {
			s = v.restrict(s.Min(), s.Max())
		}
	case Ne:
		if v.Min() == v.Max() {
			s = s.without(v.Min())
		}
	case Lt:
		if v.Max() == math.MinInt64 {
			return false
		}
		s = s.restrict(math.MinInt64, v.Max()-1)
	case Le:
		s = s.restrict(math.MinInt64, v.Max())
	case Gt:
		if v.Min() == math.MaxInt64 {
			return false
		}
		s = s.restrict(v.Min()+1, math.MaxInt64)
	case Ge:
		s = s.restrict(v.Min(), math.MaxInt64)
	}
	regs[r] = s
	return !s.Empty()
}
