package c_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/fencepost-verifier/fencepost/engine"
	"github.com/fencepost-verifier/fencepost/lang/c"
	"github.com/fencepost-verifier/fencepost/memory"
	"github.com/fencepost-verifier/fencepost/program"
)

// TestHandedOn tries random programs that hand a free choice on through memory against the same programs with each value in
// its place.
func TestHandedOn(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3 * *choices) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		choice, values := "__VERIFIER_nondet_int()", []string{"-2147483647 - 1", "2147483647"}
		least, most := -30, 30
		if rnd.IntN(2) == 0 {
			k := 2 + rnd.IntN(12)
			choice, values, least, most = fmt.Sprintf("rand() %% %d", k), nil, 0, k-1
		}
		for v := least; v <= most; v++ {
			values = append(values, fmt.Sprint(v))
		}
		body := handingOn(rnd)
		unsafe := func(value string) bool {
			text := strings.Replace(body, "CHOICE", value, 1)
			p, err := c.Parse(&program.Source{Name: "handed.c", Text: text}, c.Options{})
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			// The values of the longer loops are many, where they are all tried.
			e := engine.Explicit
			if value == choice {
				e = engine.Auto
			}
			r, err := engine.Check(context.Background(), p, engine.Options{Engine: e, Model: memory.SC})
			if err != nil || !r.Conclusive() {
				t.Fatalf("%v, %v\n%s", r, err, text)
			}
			return r.Unsafe()
		}
		want := false
		for _, v := range values {
			if want = unsafe(v); want {
				break
			}
		}
		if got := unsafe(choice); got != want {
			t.Errorf("seed %d: unsafe %t, but by single values %t, with %s:\n%s", seed, got, want, choice, body)
		}
	}
}

// handingOn is a program with one choice, which a thread puts into memory.
func handingOn(rnd *rand.Rand) string {
	k := func() int { return rnd.IntN(16) - 4 }
	places := []string{"g", "a[0]", "a[1]", "p->x", "*q", "wide", "small"}
	place := func() string { return places[rnd.IntN(len(places))] }
	test := func(of string) string {
		op := []string{"<", "<=", ">", ">=", "==", "!="}[rnd.IntN(6)]
		switch rnd.IntN(9) {
		case 0:
			return "!" + of
		case 1:
			return fmt.Sprintf("%s %% 3 != %d", of, rnd.IntN(3))
		case 2:
			return fmt.Sprintf("%s %s %s", of, op, place())
		case 3:
			return fmt.Sprintf("%s + %d %s %d", of, k(), op, k())
		case 4:
			return fmt.Sprintf("%s %s %d || %s == %d", of, op, k(), of, k())
		}
		return fmt.Sprintf("%s %s %d", of, op, k())
	}
	made := func() string {
		return []string{"i", "i", "i", fmt.Sprintf("(int)(i + %du)", k()&7), "-(i / 2)", "i & 5", "i > 3"}[rnd.IntN(7)]
	}
	var puts, takes strings.Builder
	for range 1 + rnd.IntN(3) {
		switch rnd.IntN(6) {
		case 0:
			fmt.Fprintf(&puts, "\tif (%s)\n\t\t%s = %s;\n", test("i"), place(), made())
		case 1:
			fmt.Fprintf(&puts, "\tassert(%s);\n", test("i"))
		case 2:
			fmt.Fprintf(&puts, "\t%s = %s;\n", place(), place())
		default:
			fmt.Fprintf(&puts, "\t%s = %s;\n", place(), made())
		}
	}
	for range 1 + rnd.IntN(3) {
		switch rnd.IntN(5) {
		case 0:
			fmt.Fprintf(&takes, "\t%s = %s;\n", place(), place())
		case 1:
			fmt.Fprintf(&takes, "\tif (%s)\n\t\t%s = %d;\n", test(place()), place(), k())
		default:
			of := place()
			fmt.Fprintf(&takes, "\tint x%d = %s;\n\tassert(%s);\n", takes.Len(), of, test(fmt.Sprintf("x%d", takes.Len())))
		}
	}
	return fmt.Sprintf(`#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
struct box { int x; } box;
int g, a[2];
long wide;
signed char small;
static void *put(void *arg)
{
	struct box *p = &box;
	int *q = arg;
	int i = CHOICE;
%s	return 0;
}
static void *take(void *arg)
{
	struct box *p = &box;
	int *q = arg;
%s	return 0;
}
int main(void)
{
	pthread_t s, t;
	int *q = malloc(sizeof *q);
	*q = 1;
	pthread_create(&s, 0, put, q);
	pthread_create(&t, 0, take, q);
	pthread_join(s, 0);
	pthread_join(t, 0);
}
`, puts.String(), takes.String())
}

// TestSampledStates has no list of final states where a choice puts more into memory than is tried.
func TestSampledStates(t *testing.T) {
	const text = "#include <pthread.h>\n#include <stdlib.h>\nint g;\nvoid *f(void *a) { g = %s; return 0; }\n" +
		"int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); }\n"
	for value, complete := range map[string]bool{"rand()": false, "rand() % 9": false, "rand() & 3": true} {
		p := read(t, "states.c", fmt.Sprintf(text, value), c.Options{})
		_, r, err := engine.FinalStates(t.Context(), p, engine.Options{Engine: engine.Explicit, Model: memory.SC})
		if err != nil || r.Conclusive() != complete {
			t.Errorf("%s: %v, %v", value, r, err)
		}
	}
}
