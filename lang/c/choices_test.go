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
		switch n := rnd.IntN(13); {
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
		case n < 9:
			fmt.Fprintf(&b, "%sif (%s && i < 100) i += %d;\n", in, compare(), 1+rnd.IntN(3))
		case n < 10:
			from := k()
			fmt.Fprintf(&b, "%sif (i >= %d)\n%s\tfor (; i < %d; i++)\n%s\t\ts += i & 1;\n", in, from, in, from+1+rnd.IntN(6), in)
		case n < 11:
			fmt.Fprintf(&b, "%sif (%s) {\n%s\ts += i & 6;\n%s\ti = %d;\n%s}\n", in, compare(), in, in, rnd.IntN(3), in)
		case n < 12:
			from := k()
			fmt.Fprintf(&b, "%swhile (i > %d && i < %d)\n%s\ti -= %d;\n", in, from, from+2+rnd.IntN(8), in, 1+rnd.IntN(3))
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

// TestCounters: who counts from a number that is chosen freely.
func TestCounters(t *testing.T) {
	const shared = "#include <assert.h>\n#include <pthread.h>\nint __VERIFIER_nondet_int(void);\nint x, a[10]; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n"
	const two = ` int main(void) { pthread_t s, t; pthread_create(&s, 0, f, 0); pthread_create(&t, 0, f, 0); pthread_join(s, 0); pthread_join(t, 0); `
	for _, s := range []snippet{
		{"down", `void *f(void *v) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 10) return 0; while (n > 0) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); n--; } return 0; }` + two + `assert(x <= 20); }`, "SAFE"},
		{"down, all of them", `void *f(void *v) { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 10) return 0; while (n > 0) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); n--; } return 0; }` + two + `assert(x < 20); }`, "UNSAFE"},
		{"up to the end of an array", `void *f(void *v) { int i = __VERIFIER_nondet_int(); if (i >= 0) for (; i < 10; i++) { pthread_mutex_lock(&m); a[i]++; pthread_mutex_unlock(&m); } return 0; }` + two + `assert(a[9] <= 2); }`, "SAFE"},
		{"up to the end of an array, past it", `void *f(void *v) { int i = __VERIFIER_nondet_int(); if (i >= 0) for (; i <= 10; i++) { pthread_mutex_lock(&m); a[i]++; pthread_mutex_unlock(&m); } return 0; }` + two + `assert(a[9] <= 2); }`, "UNSAFE"},
		{"up from below", `void *f(void *v) { int i = __VERIFIER_nondet_int(); if (i >= -1) for (; i < 10; i++) { pthread_mutex_lock(&m); a[i]++; pthread_mutex_unlock(&m); } return 0; }` + two + `}`, "UNSAFE"},
		{"chosen anew in each round", `void *f(void *v) { for (int k = 0; k < 3; k++) { int i = __VERIFIER_nondet_int(); if (i >= 7) while (i < 10) { pthread_mutex_lock(&m); a[i]++; assert(a[i] < 6); pthread_mutex_unlock(&m); i++; } } return 0; }` + two + `}`, "UNSAFE"},
		{"what it has come to, from one side", `void *f(void *v) { signed char i = __VERIFIER_nondet_int(); if (i > 3) { i /= 4; assert(i != 20); } return 0; }` + two + `}`, "UNSAFE"},
		{"what it has come to", `void *f(void *v) { int i = __VERIFIER_nondet_int(); if (i > 3 && i < 9) { i += 5; assert(i != 13); } return 0; }` + two + `}`, "UNSAFE"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			if got := verdictOf(t, read(t, "main.c", shared+s.body, c.Options{}), memory.SC, "explicit"); got != s.want {
				t.Errorf("%s, want %s", got, s.want)
			}
		})
	}
}
