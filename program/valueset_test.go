package program

import (
	"flag"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

var setSamples = flag.Int("setsamples", 2_000_000, "how many `samples` of operations on sets to take")

// number is a number that makes trouble: small, near a power of two, or any.
func number(rng *rand.Rand) int64 {
	switch rng.IntN(6) {
	case 0, 1:
		return rng.Int64N(21) - 10
	case 2:
		return rng.Int64N(2001) - 1000
	case 3:
		return 1<<rng.IntN(64) + rng.Int64N(5) - 2
	case 4:
		return []int64{math.MinInt64, math.MaxInt64, math.MinInt32, math.MaxInt32, math.MaxUint32}[rng.IntN(5)] + rng.Int64N(3) - 1
	}
	return int64(rng.Uint64())
}

// members is a set and some of its members.
type members struct {
	set  ValueSet
	some []int64
}

func (m members) any(rng *rand.Rand) int64 { return m.some[rng.IntN(len(m.some))] }

// randomSet is a set in one of its forms.
func randomSet(rng *rand.Rand) members {
	m := members{}
	switch rng.IntN(6) {
	case 0: // one
		m.some = []int64{number(rng)}
	case 1: // few
		for range 1 + rng.IntN(6) {
			m.some = append(m.some, number(rng))
		}
	case 2: // an interval
		a, b := number(rng), number(rng)
		a, b = min(a, b), max(a, b)
		m.set = Interval(a, b)
		m.some = []int64{a, b, a + int64(rng.Uint64N(max(uint64(b)-uint64(a), 1)))}
		return m
	case 3: // steps
		lo, step := rng.Int64N(1<<20)-1<<19, 1+rng.Int64N(200)
		for i := range 25 + rng.IntN(20) {
			m.some = append(m.some, lo+step*int64(i))
		}
	case 4: // objects with offsets
		base, stride := number(rng)>>8, int64(64+rng.IntN(1000))
		for i := range 2 + rng.Int64N(40) {
			for range 1 + rng.IntN(4) {
				m.some = append(m.some, base+i*stride+rng.Int64N(8))
			}
		}
	case 5: // many
		for range 25 + rng.IntN(60) {
			m.some = append(m.some, number(rng))
		}
	}
	m.set = Values(m.some...)
	return m
}

// wellFormed says what is wrong with the form of a set.
func wellFormed(s ValueSet) error {
	if s.wide == nil {
		if len(s.few) > maxFew || !slices.IsSorted(s.few) || len(slices.Compact(slices.Clone(s.few))) != len(s.few) {
			return fmt.Errorf("the list %v", s.few)
		}
		return nil
	}
	if s.few != nil || len(s.wide) == 0 || len(s.wide) > maxParts {
		return fmt.Errorf("%d values, %d progressions", len(s.few), len(s.wide))
	}
	for i, p := range s.wide {
		switch {
		case p.lo > p.hi, p.step == 0, (uint64(p.hi)-uint64(p.lo))%p.step != 0, p.lo == p.hi && p.step != 1:
			return fmt.Errorf("the progression %+v", p)
		case i > 0 && p.lo <= s.wide[i-1].hi:
			return fmt.Errorf("progressions overlap: %v", s)
		}
	}
	return nil
}

// TestSetOperators: what an operator gives of members of sets is in what it gives of the
// sets.
func TestSetOperators(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	unary := []UnaryOp{Neg, Complement, LogicalNot}
	for n := uint8(1); n <= 64; n++ {
		unary = append(unary, Cast(Type{n, false}), Cast(Type{n, true}))
	}
	const each = 40
	n := *setSamples
	if testing.Short() {
		n /= 10
	}
	exact := 0
	for i := range n / each {
		x, y := randomSet(rng), randomSet(rng)
		if i%4 == 0 {
			y = x
		}
		op := BinaryOp(rng.IntN(int(LogicalOr) + 1))
		all := BinarySet(op, x.set, y.set)
		if err := wellFormed(all); err != nil {
			t.Fatalf("%v %v %v: %v", x.set, op, y.set, err)
		}
		if few, ok := all.Few(); ok && len(few) == 1 {
			exact++
		}
		for range each - 2 {
			v, w := x.any(rng), y.any(rng)
			if r := EvalBinary(op, v, w); !all.Has(r) {
				t.Fatalf("%v %v %v is %v, without %d of %d and %d", x.set, op, y.set, all, r, v, w)
			}
		}
		u := unary[rng.IntN(len(unary))]
		all = UnarySet(u, x.set)
		if err := wellFormed(all); err != nil {
			t.Fatalf("%v %v: %v", u, x.set, err)
		}
		for range 2 {
			if v := x.any(rng); !all.Has(EvalUnary(u, v)) {
				t.Fatalf("%v %v is %v, without that of %d", u, x.set, all, v)
			}
		}
	}
	if exact == 0 {
		t.Error("no result is exact")
	}
	if s := BinarySet(Add, ValueSet{}, Values(1)); !s.Empty() || !UnarySet(Neg, s).Empty() {
		t.Error("something of nothing")
	}
}

// TestSets: what sets are made of is in them, and they say the same of it in all ways.
func TestSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 30_000 {
		x, y := randomSet(rng), randomSet(rng)
		for _, s := range []ValueSet{x.set, y.set} {
			if err := wellFormed(s); err != nil {
				t.Fatal(err)
			}
		}
		u, both := x.set.union(y.set), x.set.intersect(y.set)
		lo, hi := x.any(rng), y.any(rng)
		part, less := x.set.restrict(lo, hi), x.set.without(hi)
		typ := Type{uint8(1 + rng.IntN(64)), rng.IntN(2) == 0}
		wrapped := x.set.wrap(typ)
		for _, s := range []ValueSet{u, both, part, less, wrapped} {
			if err := wellFormed(s); err != nil {
				t.Fatalf("%v, %v, %d: %v", x.set, y.set, hi, err)
			}
		}
		if !u.equal(y.set.union(x.set)) || !u.covers(x.set) || !u.covers(y.set) || !u.equal(u.union(x.set)) || !x.set.covers(x.set) {
			t.Fatalf("%v united with %v is %v", x.set, y.set, u)
		}
		for _, v := range append(x.some, y.some...) {
			switch in, too := x.set.Has(v), y.set.Has(v); {
			case !u.Has(v), in && too && !both.Has(v), in && lo <= v && v <= hi && !part.Has(v), in && v != hi && !less.Has(v), in && !wrapped.Has(typ.Wrap(v)),
				in && !near(x.set, v), part.Has(v) && (!in || v < lo || v > hi):
				t.Fatalf("%d of %v and %v (%v, %d, %d): %v %v %v %v %v", v, x.set, y.set, typ, lo, hi, u, both, part, less, wrapped)
			}
		}
		if !x.set.Has(x.set.Min()) || !x.set.Has(x.set.Max()) || wrapped.Min() < typ.Min() || wrapped.Max() > typ.Max() {
			t.Fatalf("the ends of %v, and of %v in %v", x.set, wrapped, typ)
		}
		// The spans hold all, the values are ascending and in the set.
		var spans []span
		x.set.Spans(func(lo, hi int64) { spans = append(spans, span{lo, hi}) })
		n, last := 0, x.set.Min()
		for v := range x.set.All {
			if !x.set.Has(v) || n > 0 && v <= last || !slices.ContainsFunc(spans, func(s span) bool { return s.lo <= v && v <= s.hi }) {
				t.Fatalf("%d is a value of %v", v, x.set)
			}
			if last = v; n == 200 {
				break
			}
			n++
		}
		if n < 200 && last != x.set.Max() {
			t.Fatalf("the last value of %v is %d", x.set, last)
		}
	}
}

func TestSetForms(t *testing.T) {
	var far []int64
	for i := range int64(1000) {
		far = append(far, i*100, i*100+2, i*100+4)
	}
	objects := Values(far...)
	var tooMany []int64
	for i := range int64(5 * maxParts) {
		tooMany = append(tooMany, i*1000, i*1000+70)
	}
	for _, test := range []struct {
		set  ValueSet
		want string
	}{
		{ValueSet{}, "{}"},
		{Values(3, 1, 3), "{1, 3}"},
		{Interval(1, 3), "{1, 2, 3}"},
		{Interval(0, 99), "0..99"},
		{Interval(math.MinInt64, math.MaxInt64), "-9223372036854775808..9223372036854775807"},
		{Values(0, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 63, 66, 69, 72, 75), "0..75/3"},
		{Interval(0, 99).union(Values(1000)), "0..99, 1000"},
		{Interval(0, 99).without(0), "1..99"},
		{Interval(0, 99).without(99), "0..98"},
		{Interval(0, 99).without(5), "0..99"},
		{Interval(0, 99).union(Values(1000)).without(1000), "0..99"},
		{Interval(0, 99).restrict(5, 4), "{}"},
		{Interval(0, 99).restrict(98, 200), "{98, 99}"},
		{UnarySet(LogicalNot, Interval(1, 99)), "{0}"},
		{UnarySet(LogicalNot, Interval(-1, 99)), "{0, 1}"},
		{UnarySet(Neg, Interval(math.MinInt64, 0)), top.String()},
		{BinarySet(Add, objects, Values(1)).restrict(0, 110), "{1, 3, 5, 101, 103, 105}"},
		{BinarySet(Add, objects, Interval(0, 1)).restrict(0, 110), "{0, 1, 2, 3, 4, 5, 100, 101, 102, 103, 104, 105}"},
		{BinarySet(Sub, objects, objects), "-99904..99904"},
		{BinarySet(Mul, Interval(0, 99), Values(8)), "0..792/8"},
		{BinarySet(Shl, Interval(0, 99), Values(3)), "0..792/8"},
		{BinarySet(UDiv, Interval(0, 99), Values(10)), "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}"},
		{BinarySet(URem, Interval(-5, 99), Interval(1, 50)), Interval(0, 49).String()},
		{BinarySet(URem, Interval(-5, 99), Interval(0, 50)), top.String()},
		{BinarySet(UDiv, Interval(-5, 99), Interval(2, 50)), Interval(0, math.MaxInt64).String()},

		{BinarySet(UShr, Interval(-99, -1), Values(60)), "{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}"},
		{BinarySet(Eq, Interval(0, 99), Interval(100, 200)), "{0}"},
		{BinarySet(ULt, Interval(0, 99), Interval(100, 200)), "{1}"},
	} {
		if got := test.set.String(); got != test.want {
			t.Errorf("%s, want %s", got, test.want)
		}
	}
	if n := len(objects.wide); n != 1000 || objects.Has(1) || objects.Has(50) || !objects.Has(99_904) {
		t.Errorf("%d objects: %.200v", n, objects)
	}
	if s := Values(tooMany...); len(s.wide) > maxParts || !s.Has(1070) || s.Has(500) && !s.Has(70) {
		t.Errorf("%d parts", len(s.wide))
	}
	if s := Values(tooMany[:2*maxParts]...); len(s.wide) > maxParts || s.Has(500) {
		t.Errorf("%d parts: the nearest should have become one", len(s.wide))
	}
}

// TestRefine: a valuation that satisfies a condition is still there when the registers were
// narrowed by it.
func TestRefine(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	narrowed, holds := 0, 0
	for range 60_000 {
		sets := []members{randomSet(rng), randomSet(rng), randomSet(rng)}
		cond := randomCondition(rng, 3, sets)
		regs := make([]ValueSet, 3)
		for i := range sets {
			regs[i] = sets[i].set
		}
		before := slices.Clone(regs)
		can := Refine(cond, regs)
		for range 20 {
			vals := []int64{sets[0].any(rng), sets[1].any(rng), sets[2].any(rng)}
			if Eval(cond, &Env{Reg: func(r Reg) int64 { return vals[r] }}) == 0 {
				continue
			}
			holds++
			for i, v := range vals {
				if !can || !regs[i].Has(v) {
					t.Fatalf("%v holds of %v in %v, and of %v %v", cond, vals, before, can, regs)
				}
			}
		}
		for i := range regs {
			if !can || !regs[i].equal(before[i]) {
				narrowed++
			}
			if can && !before[i].union(regs[i]).covers(regs[i]) {
				t.Fatalf("%v makes %v of %v", cond, regs, before)
			}
		}
	}
	if narrowed < 10_000 || holds < 10_000 {
		t.Errorf("narrowed %d times, true %d times", narrowed, holds)
	}
}

// randomCondition is a condition over three registers, mostly about their members.
func randomCondition(rng *rand.Rand, depth int, sets []members) Expr {
	term := func() Expr {
		r := Reg(rng.IntN(3))
		multiple := Binary{Mul, r, Const(rng.IntN(20) - 4)}
		switch rng.IntN(9) {
		case 0:
			return Const(number(rng))
		case 1, 2:
			return Const(sets[r].any(rng))
		case 3:
			return Unary{Cast(Type{uint8(1 + rng.IntN(64)), rng.IntN(2) == 0}), r}
		case 4:
			return Binary{Add, r, Const(number(rng))}
		case 5:
			return multiple
		case 6:
			return Binary{Add, multiple, Reg(rng.IntN(3))}
		case 7:
			return Binary{Add, Binary{Mul, Binary{Add, r, Const(number(rng))}, Const(1 << rng.IntN(63))}, Const(number(rng))}
		}
		return r
	}
	if depth == 0 || rng.IntN(3) == 0 {
		switch rng.IntN(9) {
		case 8: // of an access to an object
			r := rng.IntN(3)
			var at Expr = Reg(r)
			v := sets[r].any(rng)
			if rng.IntN(3) > 0 {
				by := Const(number(rng))
				at, v = Binary{Add, at, by}, EvalBinary(Add, v, int64(by))
			}
			size := Const(rng.IntN(40))
			return Binary{LogicalAnd, Binary{Le, Const(v) - Const(rng.IntN(40)), at}, Binary{Le, at, Const(v) + size}}
		case 0:
			return Reg(rng.IntN(3))
		case 1:
			return Const(rng.IntN(2))
		case 2:
			return Binary{BitAnd, term(), term()}
		}
		return Binary{[]BinaryOp{Eq, Ne, Lt, Le, Gt, Ge, ULt, ULe}[rng.IntN(8)], term(), term()}
	}
	x := randomCondition(rng, depth-1, sets)
	switch rng.IntN(4) {
	case 0:
		return Unary{LogicalNot, x}
	case 1:
		return NotExpr(x)
	}
	return Binary{[]BinaryOp{LogicalAnd, LogicalOr}[rng.IntN(2)], x, randomCondition(rng, depth-1, sets)}
}

// TestNotAndFold: the negation of a condition is that, and folding changes no value.
func TestNotAndFold(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 50_000 {
		sets := []members{randomSet(rng), randomSet(rng), randomSet(rng)}
		e := randomCondition(rng, 4, sets)
		if rng.IntN(2) == 0 {
			e = Binary{BinaryOp(rng.IntN(int(LogicalOr) + 1)), e, Binary{[]BinaryOp{Add, Sub}[rng.IntN(2)], Reg(0), Const(rng.IntN(2))}}
		}
		vals := []int64{sets[0].any(rng), sets[1].any(rng), sets[2].any(rng)}
		env := &Env{Reg: func(r Reg) int64 { return vals[r] }}
		want := Eval(e, env)
		if got := Eval(NotExpr(e), env); got != Bool(want == 0) {
			t.Fatalf("not %v is %v: %d of %v", e, NotExpr(e), got, vals)
		}
		if got := Eval(Fold(e), env); got != want {
			t.Fatalf("%v folds to %v: %d, want %d of %v", e, Fold(e), got, want, vals)
		}
		// Printing and reading gives the same value.
		text := e.String()
		p := &exprParser{text: text}
		again := p.expr()
		if p.at != len(text) || Eval(again, env) != want {
			t.Fatalf("%s is read as %v", text, again)
		}
		if th := (&Thread{Regs: []Register{{Name: "r0"}, {Name: "r1"}, {Name: "r2"}}}); FormatExpr(e, th) != text {
			t.Fatalf("%s, and by names %s", text, FormatExpr(e, th))
		}
	}
}

// An exprParser reads what [Expr.String] writes.
type exprParser struct {
	text string
	at   int
}

func (p *exprParser) expr() Expr {
	x := p.operand()
	if p.at == len(p.text) || p.text[p.at] == ')' {
		return x
	}
	p.at++ // the blank
	op := p.text[p.at : p.at+strings.IndexByte(p.text[p.at:], ' ')]
	p.at += len(op) + 1
	return Binary{BinaryOp(slices.Index(binaryText[:], op)), x, p.operand()}
}

func (p *exprParser) operand() Expr {
	rest := p.text[p.at:]
	n := 0
	for n < len(rest) && (rest[n] >= '0' && rest[n] <= '9' || rest[n] >= 'a' && rest[n] <= 'z') {
		n++
	}
	word := rest[:n]
	switch {
	case rest[0] == '(':
		p.at++
		e := p.expr()
		p.at++
		return e
	case rest[0] == '!' || rest[0] == '~' || rest[0] == '-' && (len(rest) < 2 || rest[1] < '0' || rest[1] > '9'):
		p.at++
		return Unary{UnaryOp(slices.Index(unaryText[:], rest[:1])), p.operand()}
	case rest[0] == '-' || rest[0] >= '0' && rest[0] <= '9':
		neg := rest[0] == '-'
		if neg {
			p.at++
		}
		v := uint64(0)
		for p.at < len(p.text) && p.text[p.at] >= '0' && p.text[p.at] <= '9' {
			v = v*10 + uint64(p.text[p.at]-'0')
			p.at++
		}
		if neg {
			v = -v
		}
		return Const(v)
	case word[0] == 'r':
		p.at += n
		return Reg(word[1] - '0')
	}
	p.at += n
	for n := uint8(1); n <= 64; n++ {
		for _, s := range []bool{false, true} {
			if typ := (Type{n, s}); typ.String() == word {
				return Unary{Cast(typ), p.operand()}
			}
		}
	}
	panic("what is " + word + "?")
}

func TestTypes(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	for n := uint8(1); n <= 64; n++ {
		for _, signed := range []bool{false, true} {
			typ := Type{n, signed}
			for range 200 {
				v := number(rng)
				w := typ.Wrap(v)
				if w < typ.Min() || w > typ.Max() || typ.Wrap(w) != w || bits.TrailingZeros64(uint64(v^w)) < int(n) {
					t.Errorf("%v of %d is %d", typ, v, w)
				}
			}
			if typ.Wrap(typ.Min()) != typ.Min() || typ.Wrap(typ.Max()) != typ.Max() {
				t.Errorf("%v: %d..%d", typ, typ.Min(), typ.Max())
			}
		}
	}
	if got := Uint64Type.Format(-1); got != "18446744073709551615" {
		t.Error(got)
	}
	if got := Int64Type.Format(-1); got != "-1" {
		t.Error(got)
	}
}

// near is whether v is found to be nearest to itself.
func near(s ValueSet, v int64) bool {
	p := progression{v, v, 1}
	q, ok := s.nearest(p, span{v, v})
	return ok && q == p
}

func TestNearest(t *testing.T) {
	objects := Interval(0, 99).union(Values(1000, 1100, 1104)).union(Interval(2000, 2099))
	for _, test := range []struct {
		set  ValueSet
		v    int64
		in   span
		want string
	}{
		{objects, 1050, span{1000, 1200}, "1000..1000"},
		{objects, 1090, span{1000, 1200}, "1100..1104"},
		{objects, 1150, span{1000, 1200}, "1100..1104"},
		{objects, 1150, span{1110, 1200}, "none"},
		{objects, 150, span{90, 2000}, "90..99"},
		{objects, 2500, span{90, 2050}, "2000..2050"},
		{objects, 50, span{0, 99}, "0..99"},
		{Values(1, 5, 9), 6, span{0, 9}, "5..5"},
		{Values(1, 5, 9), 6, span{6, 8}, "none"},
	} {
		q, ok := test.set.nearest(progression{test.v, test.v, 1}, test.in)
		got := fmt.Sprintf("%d..%d", q.lo, q.hi)
		if !ok {
			got = "none"
		}
		if got != test.want {
			t.Errorf("%v: nearest to %d in %v is %s, want %s", test.set, test.v, test.in, got, test.want)
		}
	}
}

// TestRefineSum: what a sum is compared with narrows what is added to, also where it wraps around.
func TestRefineSum(t *testing.T) {
	regs := []ValueSet{Interval(math.MinInt64, math.MaxInt64)}
	if !Refine(Binary{ULe, Binary{Add, Reg(0), Const(16)}, Const(256)}, regs) || !regs[0].equal(Interval(-16, 240)) {
		t.Error(regs)
	}
	if regs[0] = Values(math.MaxInt64, 5, 1000); !Refine(Binary{Lt, Binary{Add, Reg(0), Const(1)}, Const(7)}, regs) || !regs[0].equal(Values(math.MaxInt64, 5)) {
		t.Error(regs)
	}
}

// TestRefineProduct: what a multiple is compared with, and a sum of registers, narrows these, unless it may have wrapped around.
func TestRefineProduct(t *testing.T) {
	any32 := Interval(math.MinInt32, math.MaxInt32)
	times := func(k int64) Expr { return Binary{Mul, Reg(0), Const(k)} }
	for _, test := range []struct {
		cond   Expr
		r0, r1 ValueSet
		w0, w1 ValueSet
	}{
		{Binary{ULt, times(16), Const(64)}, any32, any32, Interval(0, 3), any32},
		{Binary{Gt, times(16), Const(-33)}, any32, any32, Interval(-2, math.MaxInt32), any32},
		{Binary{Lt, Binary{Add, times(16), Binary{Mul, Reg(1), Const(4)}}, Const(40)}, Interval(0, 100), Interval(0, 3), Interval(0, 2), Interval(0, 3)},
		{Binary{Ge, Binary{Add, Reg(0), Reg(1)}, Const(102)}, Interval(0, 100), Interval(0, 3), Interval(99, 100), Interval(2, 3)},
		{Binary{ULt, times(16), Const(64)}, top, any32, top, any32},
		{Binary{Lt, Binary{Add, Reg(0), Reg(1)}, Const(0)}, Interval(5, math.MaxInt64), Interval(5, math.MaxInt64), Interval(5, math.MaxInt64), Interval(5, math.MaxInt64)},
	} {
		regs := []ValueSet{test.r0, test.r1}
		if !Refine(test.cond, regs) || !regs[0].equal(test.w0) || !regs[1].equal(test.w1) {
			t.Errorf("%v makes %v of %v and %v", test.cond, regs, test.r0, test.r1)
		}
	}
	if regs := []ValueSet{any32}; Refine(Binary{Eq, times(16), Const(24)}, regs) {
		t.Errorf("a multiple of 16 is 24: %v", regs)
	}
}

// TestRefineGuard: whoever has accessed an object is in it, with a field.
func TestRefineGuard(t *testing.T) {
	guard := func(by Const, from ...Const) (all Expr) {
		for _, lo := range from {
			at := Binary{Add, Reg(0), by}
			var one Expr = Binary{LogicalAnd, Binary{Le, lo, at}, Binary{Le, at, lo + 7}}
			if all != nil {
				one = Binary{LogicalOr, all, one}
			}
			all = one
		}
		return all
	}
	for _, test := range []struct {
		cond Expr
		regs ValueSet
		want string
	}{
		{guard(16, 116, 216), Interval(0, 1000), "{100, 101, 102, 103, 104, 105, 106, 107, 200, 201, 202, 203, 204, 205, 206, 207}"},
		{guard(16, 116), Interval(104, math.MaxInt64-16), "{104, 105, 106, 107}"},
		{guard(16, math.MinInt64), Values(1, math.MaxInt64-15), Values(math.MaxInt64 - 15).String()}, // the sum overflows
		{guard(1, math.MinInt64), Values(1, 3), "{}"},
	} {
		regs := []ValueSet{test.regs}
		if can := Refine(test.cond, regs); can == (test.want == "{}") || can && regs[0].String() != test.want {
			t.Errorf("%v of %v: %v, %v, want %s", test.cond, test.regs, can, regs[0], test.want)
		}
	}
}

// TestRefineAddresses: an address that is the sum of a place and a multiple is at one of some spots, or at none of them. No valuation that
// satisfies that is lost.
func TestRefineAddresses(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	whole, narrowed, none := 0, 0, 0
	for range 4000 {
		at := Binary{Add, Reg(0), Binary{Mul, Reg(1), Const(1 + rng.Int64N(4))}}
		var all Expr
		for range 1 + rng.IntN(5) {
			lo := Const(rng.Int64N(60))
			var one Expr = Binary{Eq, at, lo}
			if rng.IntN(3) > 0 {
				one = Binary{LogicalAnd, Binary{Le, lo, at}, Binary{Le, at, lo + Const(rng.Int64N(12))}}
			}
			if rng.IntN(3) == 0 {
				rest := Binary{Rem, Binary{Sub, at, lo}, Const(4)}
				one = Binary{LogicalAnd, one, Binary{LogicalAnd, Binary{Le, Const(0), rest}, Binary{Le, rest, Const(rng.Int64N(3))}}}
			}
			if all != nil {
				one = Binary{LogicalOr, all, one}
			}
			all = one
		}
		if rng.IntN(3) > 0 {
			all = Unary{LogicalNot, all}
		}
		regs := []ValueSet{randomSet(rng).set, Interval(0, rng.Int64N(9))}
		if rng.IntN(2) == 0 {
			from := rng.Int64N(30)
			regs[0] = Interval(from, from+rng.Int64N(30))
		}
		before := slices.Clone(regs)
		can := Refine(all, regs)
		for r0 := int64(-5); r0 < 70; r0++ {
			for r1 := range int64(9) {
				vals := []int64{r0, r1}
				if before[0].Has(r0) && before[1].Has(r1) && Eval(all, &Env{Reg: func(r Reg) int64 { return vals[r] }}) != 0 &&
					(!can || !regs[0].Has(r0) || !regs[1].Has(r1)) {
					t.Fatalf("%v holds of %v in %v, and of %v %v", all, vals, before, can, regs)
				}
			}
		}
		switch {
		case !can:
			none++
		case regs[0].equal(before[0]) && regs[1].equal(before[1]):
			whole++
		default:
			narrowed++
		}
	}
	if whole < 500 || narrowed < 500 || none < 50 {
		t.Error(whole, narrowed, none)
	}
}
