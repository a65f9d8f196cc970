package promela

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fencepost-verifier/fencepost/internal/text"
	"github.com/fencepost-verifier/fencepost/program"
)

// A term is an expression of Promela, beside the values that the expression it
// stands for may have in 64-bit arithmetic.
//
// Promela computes in the int of C, which has 32 bits. The text of a term has
// the lower 32 bits of the value, read as a signed number: that is the value
// itself wherever the set says that 32 bits are enough for it. Sums, products
// and bitwise operators need no more of their operands. Comparisons do: where 32
// bits are not enough they are made in C, in 64 bits, which Promela calls c_expr.
// Other operators then refuse (see exact).
type term struct {
	text string
	set  program.ValueSet
	wide string // the value in C in 64 bits, where 32 are not enough; "": nobody knows how
}

// anIdentifier matches the variables in a text: it has no other words.
var anIdentifier = text.NewPattern(`[A-Za-z_][A-Za-z0-9_]*`)

// inC is the value of t in C in 64 bits, or "".
func (t term) inC() string {
	switch {
	case !fits(t.set):
		return t.wide
	case strings.Contains(t.text, "c_expr"):
		return ""
	}
	return "((long long) " + strings.ReplaceAll(anIdentifier.ReplaceAllString(t.text, "now.$0"), "->", "?") + ")"
}

// widen gives t, whose text is Promela, the text in C as well, where it is needed.
// format says how it comes of the operands.
func (t term) widen(format string, operands ...term) term {
	if fits(t.set) {
		return t
	}
	var texts []any
	for _, x := range operands {
		text := x.inC()
		if text == "" {
			return t
		}
		texts = append(texts, text)
	}
	if t.wide = fmt.Sprintf(format, texts...); len(t.wide) > maxText {
		t.wide = ""
	}
	return t
}

// maxText bounds the text of a term: what an atomic block computes is written
// as one expression, which may grow exponentially.
const maxText = 1 << 14

// fits is true where 32 bits are enough for every value of the set.
func fits(s program.ValueSet) bool {
	return s.Empty() || s.Min() >= math.MinInt32 && s.Max() <= math.MaxInt32
}

func constant(v int64) term {
	text := strconv.FormatInt(int64(int32(v)), 10)
	switch w := int32(v); {
	case w == math.MinInt32:
		text = "(-2147483647 - 1)"
	case w < 0:
		text = "(" + text + ")"
	}
	t := term{text: text, set: program.Values(v)}
	if v == math.MinInt64 {
		return t.widen("(-9223372036854775807LL - 1)")
	}
	return t.widen(fmt.Sprintf("(%dLL)", v))
}

// known is the value of a term that has only one.
func (t term) known() (int64, bool) {
	if t.set.Empty() || t.set.Min() != t.set.Max() {
		return 0, false
	}
	return t.set.Min(), true
}

// is is true of a term whose value is always v.
func (t term) is(v int64) bool {
	k, ok := t.known()
	return ok && k == v
}

// union is the values of both sets.
func union(x, y program.ValueSet) program.ValueSet {
	switch {
	case x.Empty():
		return y
	case y.Empty():
		return x
	}
	few, ok := x.Few()
	more, ok2 := y.Few()
	if ok && ok2 {
		return program.Values(append(append([]int64{}, few...), more...)...)
	}
	return program.Interval(min(x.Min(), y.Min()), max(x.Max(), y.Max()))
}

// exact refuses a term that 32 bits are not enough for.
func exact(t term) error {
	if !fits(t.set) {
		return fmt.Errorf("it needs values in %s, and those of Promela have 32 bits", t.set)
	}
	return nil
}

func checked(text string, set program.ValueSet) (term, error) {
	t := term{text: text, set: set}
	if k, ok := t.known(); ok {
		return constant(k), nil
	}
	if len(text) > maxText {
		return t, fmt.Errorf("it takes an expression of more than %d characters", maxText)
	}
	return t, nil
}

// conditional is x where cond is not 0, else y.
func conditional(cond, x, y term) (term, error) {
	if k, ok := cond.known(); ok {
		if k != 0 {
			return x, nil
		}
		return y, nil
	}
	if x.text == y.text && x.wide == y.wide {
		return term{text: x.text, set: union(x.set, y.set), wide: x.wide}, nil
	}
	t, err := checked("("+cond.text+" -> "+x.text+" : "+y.text+")", union(x.set, y.set))
	return t.widen("(%s ? %s : %s)", cond, x, y), err
}

// unary is op applied to x.
func unary(op program.UnaryOp, x term) (term, error) {
	if t, ok := op.Cast(); ok {
		return wrap(t, x)
	}
	set := program.UnarySet(op, x.set)
	if op == program.LogicalNot && !fits(x.set) {
		return binary(program.Eq, x, constant(0))
	}
	t, err := checked("("+op.String()+x.text+")", set)
	return t.widen("("+op.String()+"%s)", x), err
}

// signedOf is what does the same as an unsigned operator where nothing is negative.
var signedOf = map[program.BinaryOp]program.BinaryOp{
	program.UDiv: program.Div, program.URem: program.Rem, program.UShr: program.Shr, program.ULt: program.Lt, program.ULe: program.Le,
}

// binary is op applied to x and y. Where C leaves open what happens, the text
// asks first.
func binary(op program.BinaryOp, x, y term) (term, error) {
	set := program.BinarySet(op, x.set, y.set)
	if k, ok := (term{set: set}).known(); ok {
		return constant(k), nil
	}
	if signed, ok := signedOf[op]; ok {
		if x.set.Empty() || y.set.Empty() || x.set.Min() < 0 || y.set.Min() < 0 {
			return term{}, errors.New("it needs unsigned numbers of 64 bits")
		}
		op = signed
	}
	plain := func(x, y string) string { return "(" + x + " " + op.String() + " " + y + ")" }
	text := plain(x.text, y.text)
	if y.is(0) && (op == program.Add || op == program.Sub) {
		return x, nil
	}
	if x.is(0) && op == program.Add {
		return y, nil
	}
	switch op {
	case program.Add, program.Sub, program.Mul, program.BitAnd, program.BitOr, program.BitXor:
		t, err := checked(text, set)
		return t.widen("(%s "+op.String()+" %s)", x, y), err
	case program.LogicalAnd, program.LogicalOr:
		for _, side := range [2][2]term{{x, y}, {y, x}} {
			k, ok := side[0].known()
			switch {
			case !ok:
			case (k != 0) == (op == program.LogicalOr):
				return constant(program.Bool(k != 0)), nil
			default:
				return truth(side[1])
			}
		}
	}
	if op.Bool() && (!fits(x.set) || !fits(y.set)) {
		return binaryInC(op, x, y)
	}
	if err := exact(y); err != nil {
		return term{}, err
	}
	if op != program.Shl {
		if err := exact(x); err != nil {
			return term{}, err
		}
	}
	switch op {
	case program.Div, program.Rem:
		if y.set.Has(-1) && x.set.Has(math.MinInt32) {
			// The processor may trap.
			minus := "0"
			if op == program.Div {
				minus = "(-" + x.text + ")"
			}
			text = "(" + y.text + " == (-1) -> " + minus + " : " + text + ")"
		}
		if y.set.Has(0) {
			zero := "0"
			if op == program.Rem {
				zero = x.text
			}
			text = "(" + y.text + " == 0 -> " + zero + " : " + text + ")"
		}
	case program.Shl, program.Shr:
		far := "0"
		if op == program.Shr {
			far = plain(x.text, "31")
		}
		switch {
		case y.set.Max() < 0 || y.set.Min() > 31:
			text = far
		case y.set.Min() < 0 || y.set.Max() > 31:
			text = "(" + y.text + " >= 0 && " + y.text + " <= 31 -> " + text + " : " + far + ")"
		}
	}
	return checked(text, set)
}

// binaryInC is a comparison, or a logical operator, in 64 bits.
func binaryInC(op program.BinaryOp, x, y term) (term, error) {
	a, b := x.inC(), y.inC()
	for _, side := range []struct {
		t term
		c string
	}{{x, a}, {y, b}} {
		if side.c == "" {
			if err := exact(side.t); err != nil {
				return term{}, err
			}
			return term{}, errors.New("it needs a comparison in 64 bits of a comparison in 64 bits")
		}
	}
	return checked("(c_expr { "+a+" "+op.String()+" "+b+" })", program.BinarySet(op, x.set, y.set))
}

// truth is 1 where x is not 0, else 0.
func truth(x term) (term, error) {
	if !x.set.Empty() && x.set.Min() >= 0 && x.set.Max() <= 1 {
		return x, nil
	}
	return binary(program.Ne, x, constant(0))
}

// wrap is x reduced to type t, as [program.Type.Wrap] does it.
func wrap(t program.Type, x term) (term, error) {
	if x.set.Empty() || x.set.Min() >= t.Min() && x.set.Max() <= t.Max() {
		return x, exact(x)
	}
	var set program.ValueSet
	if few, ok := x.set.Few(); ok {
		vs := make([]int64, len(few))
		for i, v := range few {
			vs[i] = t.Wrap(v)
		}
		set = program.Values(vs...)
	} else {
		set = program.Interval(t.Min(), t.Max())
	}
	if err := exact(term{set: set}); err != nil {
		return term{}, err
	}
	text := x.text
	switch s := 32 - int(t.Bits); {
	case s <= 0: // what fits has been cut off already
	case t.Signed:
		text = fmt.Sprintf("((%s << %d) >> %d)", text, s, s)
	default:
		text = fmt.Sprintf("(%s & %d)", text, t.Max())
	}
	return checked(text, set)
}

// expr translates e, whose leaves are given by leaf.
func expr(e program.Expr, leaf func(program.Expr) (term, error)) (term, error) {
	switch e := e.(type) {
	case program.Const:
		return constant(int64(e)), nil
	case program.Unary:
		x, err := expr(e.X, leaf)
		if err != nil {
			return x, err
		}
		return unary(e.Op, x)
	case program.Binary:
		x, err := expr(e.X, leaf)
		if err != nil {
			return x, err
		}
		y, err := expr(e.Y, leaf)
		if err != nil {
			return y, err
		}
		return binary(e.Op, x, y)
	}
	return leaf(e)
}
