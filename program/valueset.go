package program

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
)

// A ValueSet over-approximates the values that something can have: a few values
// one by one, or progressions that lie apart. The zero ValueSet is empty.
//
// Values that are near to each other are in one progression, so that the set of an
// integer is an interval in the end. Those of a pointer stay apart by object where the
// objects do (see [apart]): such a set is objects, with offsets in each.
type ValueSet struct {
	few  []int64 // ascending; used where wide is nil
	wide []progression
}

// A progression is lo, lo+step, ..., hi. Where hi is lo the step is 1. Those of a set
// are ascending and do not overlap.
type progression struct {
	lo, hi int64
	step   uint64
}

const (
	// maxFew is how many values a set lists one by one.
	maxFew = 24
	// maxParts is how many progressions a set has.
	maxParts = 4096
	// apart is how far from each other two values must be, in a set that does not
	// list them, not to be put into one progression. A front end that wants
	// pointers to be told apart by object leaves such gaps between its objects.
	apart = 64
)

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
	return ValueSet{wide: []progression{{lo, hi, 1}}}
}

func fewOrWide(few []int64) ValueSet {
	if len(few) <= maxFew {
		return ValueSet{few: few}
	}
	ps := make([]progression, len(few))
	for i, v := range few {
		ps[i] = progression{v, v, 1}
	}
	return gather(ps)
}

// gather is the set of the values of ps, which it may change, or some more.
func gather(ps []progression) ValueSet {
	byLo := func(p, q progression) int { return cmp.Compare(p.lo, q.lo) }
	if !slices.IsSortedFunc(ps, byLo) {
		slices.SortFunc(ps, byLo)
	}
	ps = joinNear(ps, apart)
	if len(ps) > maxParts { // join those with the least gaps
		gaps := make([]uint64, 0, len(ps)-1)
		for i := 1; i < len(ps); i++ {
			gaps = append(gaps, uint64(ps[i].lo)-uint64(ps[i-1].hi))
		}
		slices.Sort(gaps)
		ps = joinNear(ps, gaps[len(ps)-maxParts-1]+1)
	}
	count := uint64(len(ps))
	for _, p := range ps {
		steps := (uint64(p.hi) - uint64(p.lo)) / p.step
		if steps >= maxFew || count+steps > maxFew {
			return ValueSet{wide: slices.Clip(ps)}
		}
		count += steps
	}
	var few []int64
	for _, p := range ps {
		for v := p.lo; ; v += int64(p.step) {
			few = append(few, v)
			if v == p.hi {
				break
			}
		}
	}
	return ValueSet{few: few}
}

// joinNear joins those of ps, ascending by lo, that are nearer to each other than gap,
// in place.
func joinNear(ps []progression, gap uint64) []progression {
	n := 0
	for _, p := range ps {
		if n > 0 && (p.lo <= ps[n-1].hi || uint64(p.lo)-uint64(ps[n-1].hi) < gap) {
			ps[n-1] = ps[n-1].join(p)
		} else {
			ps[n] = p
			n++
		}
	}
	return ps[:n]
}

// join is a progression with the values of both.
func (p progression) join(q progression) progression {
	if q.lo < p.lo {
		p, q = q, p
	}
	step := gcd(uint64(q.lo)-uint64(p.lo), gcd(p.stride(), q.stride()))
	return progression{p.lo, max(p.hi, q.hi), max(step, 1)}
}

// stride is the step, or 0 where there is one value only.
func (p progression) stride() uint64 {
	if p.lo == p.hi {
		return 0
	}
	return p.step
}

func gcd(x, y uint64) uint64 {
	for y != 0 {
		x, y = y, x%y
	}
	return x
}

// within is the part of p in lo..hi, if there is one.
func (p progression) within(lo, hi int64) (progression, bool) {
	if lo > p.lo {
		if lo > p.hi {
			return p, false
		}
		d := (uint64(lo) - uint64(p.lo) + p.step - 1) / p.step * p.step
		if d > uint64(p.hi)-uint64(p.lo) {
			return p, false
		}
		p.lo += int64(d)
	}
	if hi < p.hi {
		if hi < p.lo {
			return p, false
		}
		p.hi = p.lo + int64((uint64(hi)-uint64(p.lo))/p.step*p.step)
	}
	if p.lo == p.hi {
		p.step = 1
	}
	return p, true
}

// progressions is the set as such, in memory that may be changed.
func (s ValueSet) progressions() []progression {
	if s.wide != nil {
		return slices.Clone(s.wide)
	}
	ps := make([]progression, len(s.few))
	for i, v := range s.few {
		ps[i] = progression{v, v, 1}
	}
	return ps
}

func typeSet(t Type) ValueSet { return Interval(t.Min(), t.Max()) }

// Empty is true where there is no value.
func (s ValueSet) Empty() bool { return s.wide == nil && len(s.few) == 0 }

// Min is the smallest value; the set must not be empty.
func (s ValueSet) Min() int64 {
	if s.wide != nil {
		return s.wide[0].lo
	}
	return s.few[0]
}

// Max is the largest value; the set must not be empty.
func (s ValueSet) Max() int64 {
	if s.wide != nil {
		return s.wide[len(s.wide)-1].hi
	}
	return s.few[len(s.few)-1]
}

// Few is the values one by one, ascending, and whether the set lists them so.
// The slice must not be changed.
func (s ValueSet) Few() ([]int64, bool) { return s.few, s.wide == nil }

// Has is true where v is in the set.
func (s ValueSet) Has(v int64) bool {
	if s.wide == nil {
		_, ok := slices.BinarySearch(s.few, v)
		return ok
	}
	i := s.after(v)
	return i < len(s.wide) && s.wide[i].lo <= v && (uint64(v)-uint64(s.wide[i].lo))%s.wide[i].step == 0
}

// after is the index of the first progression that does not end before v.
func (s ValueSet) after(v int64) int {
	return sort.Search(len(s.wide), func(i int) bool { return s.wide[i].hi >= v })
}

// nearest is the progression, or the value, of s in o that is nearest to p, if there is
// one.
func (s ValueSet) nearest(p progression, o span) (q progression, ok bool) {
	var ps []progression
	if s.wide == nil {
		i, _ := slices.BinarySearch(s.few, o.lo)
		for ; i < len(s.few) && s.few[i] <= o.hi; i++ {
			ps = append(ps, progression{s.few[i], s.few[i], 1})
		}
	} else {
		for i := s.after(o.lo); i < len(s.wide) && s.wide[i].lo <= o.hi; i++ {
			if q, ok := s.wide[i].within(o.lo, o.hi); ok {
				ps = append(ps, q)
			}
		}
	}
	for i, r := range ps {
		if i == 0 || p.gap(r) < p.gap(q) {
			q = r
		}
	}
	return q, len(ps) > 0
}

// gap is how far two progressions are apart; 0: they overlap.
func (p progression) gap(q progression) uint64 {
	switch {
	case q.lo > p.hi:
		return uint64(q.lo) - uint64(p.hi)
	case p.lo > q.hi:
		return uint64(p.lo) - uint64(q.hi)
	}
	return 0
}

// All calls f for every value, ascending, until that returns false.
func (s ValueSet) All(f func(int64) bool) {
	for _, v := range s.few {
		if !f(v) {
			return
		}
	}
	for _, p := range s.wide {
		for v := p.lo; ; v += int64(p.step) {
			if !f(v) {
				return
			}
			if v == p.hi {
				break
			}
		}
	}
}

// covers is true where s has all values of o, as far as that is easily seen.
func (s ValueSet) covers(o ValueSet) bool {
	if o.wide == nil {
		for _, v := range o.few {
			if !s.Has(v) {
				return false
			}
		}
		return true
	}
	if s.wide == nil {
		return false
	}
	if s.is(o) {
		return true
	}
	i := 0
	for _, p := range o.wide {
		for i < len(s.wide) && s.wide[i].hi < p.lo {
			i++
		}
		if i == len(s.wide) || p.lo < s.wide[i].lo || p.hi > s.wide[i].hi || (uint64(p.lo)-uint64(s.wide[i].lo))%s.wide[i].step != 0 ||
			p.stride()%s.wide[i].step != 0 {
			return false
		}
	}
	return true
}

// Size is the number of values, as far as that is less than 2^63.
func (s ValueSet) Size() uint64 {
	if s.wide == nil {
		return uint64(len(s.few))
	}
	n := uint64(0)
	for _, p := range s.wide {
		if n += (uint64(p.hi)-uint64(p.lo))/p.step + 1; n == 0 || n > math.MaxInt64 {
			return math.MaxInt64
		}
	}
	return n
}

// Spans calls f for lo and hi of intervals that hold the set between them, ascending.
func (s ValueSet) Spans(f func(lo, hi int64)) {
	for _, v := range s.few {
		f(v, v)
	}
	for _, p := range s.wide {
		f(p.lo, p.hi)
	}
}

// String lists the values, or the progressions as lo..hi/step.
func (s ValueSet) String() string {
	if s.wide == nil {
		parts := make([]string, len(s.few))
		for i, v := range s.few {
			parts[i] = fmt.Sprint(v)
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	parts := make([]string, len(s.wide))
	for i, p := range s.wide {
		if parts[i] = fmt.Sprintf("%d..%d", p.lo, p.hi); p.lo == p.hi {
			parts[i] = fmt.Sprint(p.lo)
		} else if p.step > 1 {
			parts[i] += fmt.Sprintf("/%d", p.step)
		}
	}
	return strings.Join(parts, ", ")
}

// is true of a set that is not empty and the same in memory.
func (s ValueSet) is(o ValueSet) bool {
	if s.wide != nil {
		return len(s.wide) == len(o.wide) && &s.wide[0] == &o.wide[0]
	}
	return o.wide == nil && len(s.few) > 0 && len(s.few) == len(o.few) && &s.few[0] == &o.few[0]
}

func (s ValueSet) equal(o ValueSet) bool {
	return s.is(o) || (s.wide == nil) == (o.wide == nil) && slices.Equal(s.few, o.few) && slices.Equal(s.wide, o.wide)
}

func (s ValueSet) union(o ValueSet) ValueSet {
	switch {
	case s.Empty():
		return o
	case s.covers(o):
		return s
	case o.covers(s):
		return o
	case s.wide != nil || o.wide != nil:
		return gather(merge(s.progressions(), o.progressions()))
	}
	few := make([]int64, 0, len(s.few)+len(o.few))
	few = append(append(few, s.few...), o.few...)
	slices.Sort(few)
	return fewOrWide(slices.Compact(few))
}

// unionAll is the values of all sets.
func unionAll(sets []ValueSet) ValueSet {
	if len(sets) <= 4 {
		var u ValueSet
		for _, s := range sets {
			u = u.union(s)
		}
		return u
	}
	var fews, wides int
	for _, s := range sets {
		fews, wides = fews+len(s.few), wides+len(s.wide)
	}
	few := make([]int64, 0, fews)
	for _, s := range sets {
		few = append(few, s.few...)
	}
	slices.Sort(few)
	few = slices.Compact(few)
	if wides == 0 {
		return fewOrWide(few)
	}
	ps := make([]progression, 0, wides+len(few))
	for _, s := range sets {
		ps = append(ps, s.wide...)
	}
	for _, v := range few {
		ps = append(ps, progression{v, v, 1})
	}
	return gather(ps)
}

// merge is both lists in one, ascending by lo as they are.
func merge(ps, qs []progression) []progression {
	all := make([]progression, 0, len(ps)+len(qs))
	for len(ps) > 0 && len(qs) > 0 {
		if ps[0].lo <= qs[0].lo {
			all, ps = append(all, ps[0]), ps[1:]
		} else {
			all, qs = append(all, qs[0]), qs[1:]
		}
	}
	return append(append(all, ps...), qs...)
}

// restrict keeps the values within lo..hi.
func (s ValueSet) restrict(lo, hi int64) ValueSet {
	if lo > hi {
		return ValueSet{}
	}
	if s.wide == nil {
		return s.filter(func(v int64) bool { return lo <= v && v <= hi })
	}
	var ps []progression
	for _, p := range s.wide {
		if q, ok := p.within(lo, hi); ok {
			ps = append(ps, q)
		}
	}
	return gather(ps)
}

// intersect keeps at least the values that are in o as well.
func (s ValueSet) intersect(o ValueSet) ValueSet {
	if few, ok := o.Few(); ok {
		both := make([]int64, 0, len(few))
		for _, v := range few {
			if s.Has(v) {
				both = append(both, v)
			}
		}
		return ValueSet{few: both}
	}
	if s.wide == nil {
		return s.filter(o.Has)
	}
	var ps []progression
	for i, j := 0, 0; i < len(s.wide) && j < len(o.wide); {
		p, q := s.wide[i], o.wide[j]
		if r, ok := p.within(q.lo, q.hi); ok {
			ps = append(ps, r)
		}
		if p.hi < q.hi {
			i++
		} else {
			j++
		}
	}
	return gather(ps)
}

// filter keeps the listed values that satisfy f; progressions stay as they are.
func (s ValueSet) filter(f func(int64) bool) ValueSet {
	if s.wide != nil {
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

// without drops v where that is possible: not from the middle of a progression.
func (s ValueSet) without(v int64) ValueSet {
	if s.wide == nil {
		return s.filter(func(w int64) bool { return w != v })
	}
	ps := s.progressions()
	for i := range ps {
		switch p := &ps[i]; {
		case p.lo == v && p.hi == v:
			return gather(slices.Delete(ps, i, i+1))
		case p.lo == v:
			*p, _ = p.within(v+1, p.hi)
			return gather(ps)
		case p.hi == v:
			*p, _ = p.within(p.lo, v-1)
			return gather(ps)
		}
	}
	return s
}

// wrap is the set of the values reduced to t.
func (s ValueSet) wrap(t Type) ValueSet {
	if s.Empty() || s.Min() >= t.Min() && s.Max() <= t.Max() {
		return s
	}
	if s.wide != nil {
		return typeSet(t)
	}
	vs := make([]int64, len(s.few))
	for i, v := range s.few {
		vs[i] = t.Wrap(v)
	}
	return Values(vs...)
}

var top = Interval(math.MinInt64, math.MaxInt64)

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
		if x.Min() == math.MinInt64 {
			return top
		}
		return x.each(func(p progression) progression { return progression{-p.hi, -p.lo, p.step} })
	case Complement:
		return x.each(func(p progression) progression { return progression{^p.hi, ^p.lo, p.step} })
	case LogicalNot:
		if !x.Has(0) {
			return Values(0)
		}
		return Values(0, 1)
	}
	t, _ := op.Cast()
	return x.wrap(t)
}

func (s ValueSet) each(f func(progression) progression) ValueSet {
	ps := s.progressions()
	for i := range ps {
		ps[i] = f(ps[i])
	}
	return gather(ps)
}

// maxPairs is of how many pairs of progressions an operation is computed; where there
// are more, it is that on the intervals that hold both sides.
const maxPairs = 1 << 13

// BinarySet over-approximates the values of op on a value of x and one of y.
func BinarySet(op BinaryOp, x, y ValueSet) ValueSet {
	if x.Empty() || y.Empty() {
		return ValueSet{}
	}
	if op.Bool() {
		return truths(op, x, y)
	}
	if x.wide == nil && y.wide == nil {
		vs := make([]int64, 0, len(x.few)*len(y.few))
		for _, v := range x.few {
			for _, w := range y.few {
				vs = append(vs, EvalBinary(op, v, w))
			}
		}
		return Values(vs...)
	}
	ps, qs := x.progressions(), y.progressions()
	if len(ps)*len(qs) > maxPairs {
		ps, qs = joinNear(ps, apart), joinNear(qs, apart)
	}
	if len(ps)*len(qs) > maxPairs {
		return binaryInterval(op, x.Min(), x.Max(), y.Min(), y.Max())
	}
	all := make([]progression, 0, len(ps)*len(qs))
	for _, p := range ps {
		for _, q := range qs {
			if r, ok := exact(op, p, q); ok {
				all = append(all, r)
			} else {
				all = append(all, binaryInterval(op, p.lo, p.hi, q.lo, q.hi).progressions()...)
			}
		}
	}
	return gather(all)
}

// truths is BinarySet of an operator that gives 0 or 1.
func truths(op BinaryOp, x, y ValueSet) ValueSet {
	if x.wide != nil || y.wide != nil {
		return binaryInterval(op, x.Min(), x.Max(), y.Min(), y.Max())
	}
	var found [2]bool
	for _, v := range x.few {
		for _, w := range y.few {
			if found[EvalBinary(op, v, w)] = true; found[0] && found[1] {
				return Values(0, 1)
			}
		}
	}
	if found[0] {
		return Values(0)
	}
	return Values(1)
}

// exact is the results of op on p and q where they are a progression, or in one with
// the same ends.
func exact(op BinaryOp, p, q progression) (r progression, ok bool) {
	var okLo, okHi bool
	switch op {
	case Add:
		r.lo, okLo = addExact(p.lo, q.lo)
		r.hi, okHi = addExact(p.hi, q.hi)
		r.step = gcd(p.stride(), q.stride())
	case Sub:
		r.lo, okLo = subExact(p.lo, q.hi)
		r.hi, okHi = subExact(p.hi, q.lo)
		r.step = gcd(p.stride(), q.stride())
	case Shl:
		if q.lo == q.hi && q.lo >= 0 && q.lo < 63 {
			return exact(Mul, p, progression{1 << q.lo, 1 << q.lo, 1})
		}
	case Mul:
		if p.lo == p.hi {
			p, q = q, p
		}
		if q.lo != q.hi || q.lo <= 0 || p.stride() > math.MaxInt64 {
			return r, false
		}
		r.lo, okLo = mulExact(p.lo, q.lo)
		r.hi, okHi = mulExact(p.hi, q.lo)
		step, fits := mulExact(int64(p.stride()), q.lo)
		okHi, r.step = okHi && fits, uint64(step)
	}
	r.step = max(r.step, 1)
	return r, okLo && okHi
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
	case UDiv, URem, UShr:
		signed := map[BinaryOp]BinaryOp{UDiv: Div, URem: Rem, UShr: Shr}[op]
		switch {
		case a >= 0 && c >= 0:
			return binaryInterval(signed, a, b, c, d)
		case op == UShr && c == d && c > 0 && c < 64:
			return Interval(0, int64(^uint64(0)>>c))
		case op == URem && c > 0:
			return Interval(0, d-1)
		case op == UDiv && c > 1:
			return Interval(0, int64(^uint64(0)/uint64(c)))
		}
	case ULt, ULe:
		if a >= 0 && c >= 0 {
			return binaryInterval(map[BinaryOp]BinaryOp{ULt: Lt, ULe: Le}[op], a, b, c, d)
		}
		return Values(0, 1)
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

// Refine narrows regs, the values of registers, to the valuations in which cond is not 0, as far as
// intervals can say that. It reports whether there can be any.
func Refine(cond Expr, regs []ValueSet) bool {
	switch e := cond.(type) {
	case Const:
		return e != 0
	case Reg:
		regs[e] = regs[e].without(0)
		return !regs[e].Empty()
	case Unary:
		if e.Op == LogicalNot {
			if _, again := NotExpr(e.X).(Unary); !again {
				return Refine(NotExpr(e.X), regs)
			}
			if r, ok := e.X.(Reg); ok {
				regs[r] = regs[r].restrict(0, 0)
				return !regs[r].Empty()
			}
			if b, ok := e.X.(Binary); ok {
				switch b.Op { // De Morgan
				case LogicalOr:
					return refineNeither(b, regs)
				case LogicalAnd:
					return refineEither(NotExpr(b.X), NotExpr(b.Y), regs)
				}
			}
		}
	case Binary:
		switch e.Op {
		case LogicalAnd:
			if r, lo, hi, ok := within(e, regs); ok {
				regs[r] = regs[r].restrict(lo, hi)
				return !regs[r].Empty()
			}
			return Refine(e.X, regs) && Refine(e.Y, regs)
		case LogicalOr:
			return refineEither(e.X, e.Y, regs)
		case Eq, Ne, Lt, Le, Gt, Ge:
			if !refineCompare(e.Op, e.X, e.Y, regs) || !refineCompare(mirror(e.Op), e.Y, e.X, regs) {
				return false
			}
		case ULt, ULe:
			if !refineUnsigned(e.Op, e.X, e.Y, regs) {
				return false
			}
		}
	}
	s := evalSet(cond, regs)
	return !s.Empty() && (s.wide != nil || len(s.few) != 1 || s.few[0] != 0)
}

// within is from where to where the values of a register r satisfy "lo <= r + c && r + c <= hi", which guards of accesses ask of
// one object after the other; not ok where e is nothing like that, or an addition may overflow.
func within(e Binary, regs []ValueSet) (r Reg, lo, hi int64, ok bool) {
	x, from, to, okBounds := bounds(e)
	by := Const(0)
	r, ok = x.(Reg)
	if sum, is := x.(Binary); is && sum.Op == Add {
		r, ok = sum.X.(Reg)
		if by, is = sum.Y.(Const); !is {
			return 0, 0, 0, false
		}
	}
	if !ok || !okBounds {
		return 0, 0, 0, false
	}
	if by != 0 && !regs[r].Empty() {
		_, okLo := addExact(regs[r].Min(), int64(by))
		_, okHi := addExact(regs[r].Max(), int64(by))
		if !okLo || !okHi {
			return 0, 0, 0, false
		}
	}
	lo, okFrom := subExact(from, int64(by))
	hi, okTo := subExact(to, int64(by))
	return r, lo, hi, okFrom && okTo
}

// bounds are those of x in a condition "lo <= x && x <= hi".
func bounds(e Binary) (x Expr, lo, hi int64, ok bool) {
	above, okAbove := e.X.(Binary)
	below, okBelow := e.Y.(Binary)
	if !okAbove || !okBelow || above.Op != Le || below.Op != Le || above.Y != below.X {
		return nil, 0, 0, false
	}
	from, okFrom := above.X.(Const)
	to, okTo := below.Y.(Const)
	return above.Y, int64(from), int64(to), okFrom && okTo
}

// refineEither narrows regs by x or y. A chain of alternatives, such as a guard of many objects, is
// gone through in one go, and only for the registers that it speaks of: no others are narrowed.
func refineEither(x, y Expr, regs []ValueSet) bool {
	all := alternatives(y, alternatives(x, nil))
	var about []Reg
	for _, alt := range all {
		Walk(alt, func(e Expr) {
			if r, ok := e.(Reg); ok && !slices.Contains(about, r) {
				about = append(about, r)
			}
		})
	}
	before, after := make([]ValueSet, len(about)), make([]ValueSet, len(about))
	for i, r := range about {
		before[i] = regs[r]
	}
	can, values := false, map[Expr]ValueSet{}
	for _, alt := range all {
		if possible(alt, regs, values) && Refine(alt, regs) {
			for i, r := range about {
				if can {
					after[i] = after[i].union(regs[r])
				} else {
					after[i] = regs[r]
				}
			}
			can = true
		}
		whole := can // what is left open by one of them is by all
		for i, r := range about {
			regs[r] = before[i]
			whole = whole && after[i].equal(before[i])
		}
		if whole {
			return true
		}
	}
	if can {
		for i, r := range about {
			regs[r] = after[i]
		}
	}
	return can
}

// refineNeither narrows regs by the negation of a disjunction, such as one of all the places at which an access would be a violation.
func refineNeither(either Binary, regs []ValueSet) bool {
	values := map[Expr]ValueSet{}
	for _, alt := range alternatives(either, nil) {
		if possible(alt, regs, values) && !amid(alt, regs, values) && !Refine(NotExpr(alt), regs) {
			return false
		}
	}
	return true
}

// amid tells whether a condition is one on a sum, which is above and below what the condition allows whatever either of the two that are
// added is: its negation narrows neither.
func amid(cond Expr, regs []ValueSet, values map[Expr]ValueSet) bool {
	e, ok := cond.(Binary)
	if !ok {
		return false
	}
	x, lo, hi, ok := bounds(e)
	if k, constant := e.Y.(Const); e.Op == Eq && constant {
		x, lo, hi, ok = e.X, int64(k), int64(k), true
	}
	if !ok {
		return e.Op == LogicalAnd && (amid(e.X, regs, values) || amid(e.Y, regs, values))
	}
	sum, ok := x.(Binary)
	if !ok || sum.Op != Add {
		return false
	}
	v := valueOf(sum, regs, values)
	spans := func(x Expr) bool {
		s := evalSet(x, regs)
		from, fits := subExact(s.Max(), s.Min())
		return !fits || from > hi-lo+1
	}
	return !v.Empty() && v.Min() < lo && hi < v.Max() && spans(sum.X) && spans(sum.Y)
}

// possible is false of conditions that Refine can rule out by one comparison alone. It makes out the values of an expression once for many
// conditions, as of the address that a guard compares with one object after the other.
func possible(cond Expr, regs []ValueSet, values map[Expr]ValueSet) bool {
	e, ok := cond.(Binary)
	if !ok {
		return true
	}
	switch e.Op {
	case LogicalAnd:
		if x, lo, hi, ok := bounds(e); ok {
			return !valueOf(x, regs, values).restrict(lo, hi).Empty()
		}
		return possible(e.X, regs, values) && possible(e.Y, regs, values)
	case Eq, Ne, Lt, Le, Gt, Ge:
		x, y := valueOf(e.X, regs, values), valueOf(e.Y, regs, values)
		if x.Empty() || y.Empty() {
			return false
		}
		t := truths(e.Op, x, y)
		return len(t.few) != 1 || t.few[0] != 0
	}
	return true
}

// valueOf is evalSet of regs as they are, or were when it was first asked for.
func valueOf(x Expr, regs []ValueSet, values map[Expr]ValueSet) ValueSet {
	b, ok := x.(Binary)
	if !ok {
		return evalSet(x, regs)
	}
	v, known := values[b]
	if !known {
		v = evalSet(b, regs)
		values[b] = v
	}
	return v
}

// alternatives adds those of a condition to all: itself, if it is no disjunction.
func alternatives(e Expr, all []Expr) []Expr {
	if b, ok := e.(Binary); ok && b.Op == LogicalOr {
		return alternatives(b.Y, alternatives(b.X, all))
	}
	return append(all, e)
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

// refineUnsigned narrows x and y by "x op y", where that says something of them as
// signed numbers: what is at most a number without a sign bit has none either.
func refineUnsigned(op BinaryOp, x, y Expr, regs []ValueSet) bool {
	if s := evalSet(y, regs); s.Empty() || s.Min() < 0 {
		return !s.Empty()
	}
	signed := map[BinaryOp]BinaryOp{ULt: Lt, ULe: Le}[op]
	return refineCompare(Ge, x, Const(0), regs) && refineCompare(signed, x, y, regs) && refineCompare(mirror(signed), y, x, regs)
}

// refineCompare narrows the registers of x by "x op y".
func refineCompare(op BinaryOp, x, y Expr, regs []ValueSet) bool {
	if !narrows(x) {
		return true
	}
	s, v := evalSet(x, regs), evalSet(y, regs)
	if s.Empty() || v.Empty() {
		return false
	}
	switch op {
	case Eq:
		s = s.intersect(v)
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
	return narrow(x, s, regs)
}

// narrows is whether narrow can do anything with x.
func narrows(x Expr) bool {
	switch x := x.(type) {
	case Reg:
		return true
	case Unary:
		_, cast := x.Op.Cast()
		return cast && narrows(x.X)
	case Binary:
		_, constant := x.Y.(Const)
		return x.Op == Add && (narrows(x.X) || narrows(x.Y)) || x.Op == Mul && constant && narrows(x.X)
	}
	return false
}

// narrow narrows the registers of x, which has one of the values of s. It reports whether it can.
func narrow(x Expr, s ValueSet, regs []ValueSet) bool {
	switch x := x.(type) {
	case Reg:
		regs[x] = regs[x].intersect(s)
		return !regs[x].Empty()
	case Unary:
		// A cast that changes nothing.
		t, cast := x.Op.Cast()
		if v := evalSet(x.X, regs); cast && !v.Empty() && v.Min() >= t.Min() && v.Max() <= t.Max() {
			return narrow(x.X, s, regs)
		}
	case Binary:
		if s.Empty() {
			return false
		}
		switch k, constant := x.Y.(Const); {
		case x.Op == Add && constant: // it may have wrapped around
			return narrow(x.X, BinarySet(Sub, s, Values(int64(k))), regs)
		case x.Op == Add:
			v, w := evalSet(x.X, regs), evalSet(x.Y, regs)
			if v.Empty() || w.Empty() {
				return false
			}
			_, okLo := addExact(v.Min(), w.Min())
			_, okHi := addExact(v.Max(), w.Max())
			return !okLo || !okHi || narrow(x.X, between(s, w), regs) && narrow(x.Y, between(s, v), regs)
		case x.Op == Mul && constant && k > 0:
			v := evalSet(x.X, regs)
			if v.Empty() {
				return false
			}
			if v.Min() < math.MinInt64/int64(k) || v.Max() > math.MaxInt64/int64(k) {
				return true
			}
			lo, hi := ceilDiv(s.Min(), int64(k)), floorDiv(s.Max(), int64(k))
			return lo <= hi && narrow(x.X, Interval(lo, hi), regs)
		}
	}
	return true
}

// between is an interval of all numbers to which one of w is added where that gives one of s.
func between(s, w ValueSet) ValueSet {
	lo, ok := subExact(s.Min(), w.Max())
	if !ok {
		lo = math.MinInt64
	}
	hi, ok := subExact(s.Max(), w.Min())
	if !ok {
		hi = math.MaxInt64
	}
	return Interval(lo, hi)
}

// floorDiv is x / k rounded down, for k > 0.
func floorDiv(x, k int64) int64 {
	q := x / k
	if x%k < 0 {
		q--
	}
	return q
}

// ceilDiv is x / k rounded up, for k > 0.
func ceilDiv(x, k int64) int64 {
	q := x / k
	if x%k > 0 {
		q++
	}
	return q
}
