package c_test

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

var choices = flag.Int("choices", 6, "how many random programs with an input are tried with each of its values")

// TestChoices tries random programs with an input against the same programs with each value in its place: what is left
// out of a choice must be like something that is left in.
func TestChoices(t *testing.T) {
	t.Parallel()
	for seed := range uint64(*choices) {
		body := choosing(rand.New(rand.NewPCG(seed, 0)))
		unsafe := func(value string) bool {
			text := "#include <assert.h>\nextern signed char __VERIFIER_nondet_char(void);\nint a[4] = { 3, 1, 2, 0 };\nint main(void)\n{\n\tsigned char i = " + value + ";\n\tint s = 0;\n" + body + "\treturn 0;\n}\n"
			p, err := c.Parse(&program.Source{Name: "choice.c", Text: text}, c.Options{})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			r, err := engine.Check(context.Background(), p, engine.Options{Engine: engine.Explicit, Model: memory.SC})
			if err != nil || !r.Conclusive() {
				t.Fatalf("%v, %v\n%s", r, err, text)
			}
			return r.Unsafe()
		}
		want := false
		for v := -128; v < 128 && !want; v++ {
			want = unsafe(fmt.Sprint(v))
		}
		if got := unsafe("__VERIFIER_nondet_char()"); got != want {
			t.Errorf("seed %d: unsafe %t, but by single values %t:\n%s", seed, got, want, body)
		}
	}
}

// choosing is statements that ask of i how it compares with constants, and use it in other ways behind that.
func choosing(rnd *rand.Rand) string {
	var b strings.Builder
	var statement func(depth int)
	k := func() int { return rnd.IntN(12) - 4 }
	compare := func() string {
		op := []string{"<", "<=", ">", ">=", "==", "!="}[rnd.IntN(6)]
		switch rnd.IntN(6) {
		case 0:
			return fmt.Sprintf("%d %s i", k(), op)
		case 1:
			return fmt.Sprintf("!(i %s %d)", op, k())
		case 2:
			return fmt.Sprintf("i %s %d || i == %d", op, k(), k())
		case 3:
			return fmt.Sprintf("(unsigned char)i < %d", rnd.IntN(6))
		}
		return fmt.Sprintf("i %s %d", op, k())
	}
	statement = func(depth int) {
		in := strings.Repeat("\t", depth)
		switch n := rnd.IntN(9); {
		case n < 3 && depth < 4:
			fmt.Fprintf(&b, "%sif (%s", in, compare())
			if rnd.IntN(2) == 0 {
				fmt.Fprintf(&b, " && %s", compare())
			}
			b.WriteString(") {\n")
			statement(depth + 1)
			if rnd.IntN(2) == 0 {
				fmt.Fprintf(&b, "%s} else {\n", in)
				statement(depth + 1)
			}
			fmt.Fprintf(&b, "%s}\n", in)
		case n < 4:
			fmt.Fprintf(&b, "%sif (i >= 0 && i < %d)\n%s\ts += a[i];\n", in, 2+rnd.IntN(4), in)
		case n < 5:
			fmt.Fprintf(&b, "%sif (i > %d && i <= %d)\n%s\ts += i * %d;\n", in, k(), k()+4, in, 1+rnd.IntN(3))
		case n < 6:
			fmt.Fprintf(&b, "%sassert(s != %d);\n", in, rnd.IntN(9))
		case n < 7:
			fmt.Fprintf(&b, "%sswitch (i) { case %d: s++; break; case %d: s += 2; }\n", in, rnd.IntN(3), 3+rnd.IntN(3))
		case n < 8:
			fmt.Fprintf(&b, "%sif (%s) i = __VERIFIER_nondet_char() & 3;\n", in, compare())
		default:
			fmt.Fprintf(&b, "%ss += i == %d;\n", in, k())
		}
	}
	for range 3 + rnd.IntN(5) {
		statement(1)
	}
	fmt.Fprintf(&b, "\tassert(s != %d);\n", rnd.IntN(6))
	return b.String()
}
